//! The placements of a class on one set of rows, by their column sets.

use super::class::{Class, MOST_HALF_LINES, Queens, gather};
use super::part::Axis;

/// The placements of a class on one set of rows as *lanes*: the diagonals of each, in the order of the ranks of their column
/// sets.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<u64>,
    /// Where each group begins, and where the last ends.
    starts: Vec<u32>,
}

impl Lanes {
    /// Fills it with the placements whose column sets have a rank below `groups`.
    ///
    /// `found` is memory for what it finds first.
    pub(super) fn fill(&mut self, class: &Class, axis: &Axis, set: u16, groups: usize, found: &mut Vec<(u16, u64)>) {
        let mut rows = [0; MOST_HALF_LINES];
        let rows = gather(class.rows(set), &mut rows);
        found.clear();
        self.starts.clear();
        self.starts.resize(groups + 2, 0);
        let starts = &mut self.starts;
        class.fill(rows, &Queens::default(), &mut |queens| {
            let rank = class.rank(axis, queens.columns);
            if usize::from(rank) < groups {
                found.push((rank, queens.diagonals));
                starts[usize::from(rank) + 2] += 1;
            }
        });
        assert!(u32::try_from(found.len()).is_ok(), "2³² lanes and more are not to be numbered");
        for group in 1..=groups {
            starts[group + 1] += starts[group];
        }
        // Now the start of each group stands one place too late; it moves on, lane by lane, to the start of the next.
        self.lanes.clear();
        self.lanes.resize(found.len(), 0);
        for &(rank, diagonals) in &*found {
            let next = &mut starts[usize::from(rank) + 1];
            self.lanes[*next as usize] = diagonals;
            *next += 1;
        }
    }

    /// The placements of one column set.
    pub(super) fn group(&self, rank: usize) -> &[u64] {
        &self.lanes[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }
}
