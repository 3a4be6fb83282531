//! The choice of the rows that the prefixes of probe lists fill.

use crate::cancel::{Cancel, Cancelled};
use crate::engine::two_color::tuples::{LineSet, SquareClass};

/// The prefixes of some probe lists that are swept together.
#[derive(Debug, Default)]
pub(crate) struct Cover {
    /// By list, the rows that its prefixes fill.
    pub(crate) prefixes: Vec<LineSet>,
    /// Scratch memory: some of the lists.
    pub(crate) lists: Vec<usize>,
}

impl Cover {
    /// Chooses the `depth` rows that prefixes fill in each of the probe lists on some row sets, so that few choices
    /// serve many lists.
    ///
    /// The choice is greedy: each step takes the rows that serve most of the lists not yet served. In a tie the rows
    /// nearest to the centre win.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(crate) fn choose(
        mut self,
        class: &SquareClass,
        row_sets: &[LineSet],
        depth: usize,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        // For each list, all its rows until it is served, and then the rows of its prefixes.
        let Self { prefixes: rows, lists: unserved } = &mut self;
        rows.clear();
        rows.extend(row_sets.iter().map(|&set| class.rows(set).collect::<LineSet>()));
        unserved.clear();
        unserved.extend(0..rows.len());
        // Sets are made of places from the centre outwards, so that the smallest set is the most central.
        let centre_first = &class.centre_first;
        let rows_at = |set: LineSet| set.iter().map(|place| centre_first[place.index()]).collect::<LineSet>();
        while !unserved.is_empty() {
            cancel.check()?;
            let is_served = |rows: LineSet, choice: LineSet| choice.minus(rows) == LineSet::EMPTY;
            let served_by = |choice: &LineSet| unserved.iter().filter(|&&list| is_served(rows[list], *choice)).count();
            let choices = LineSet::combinations(centre_first.len(), depth).map(rows_at);
            let best = choices.rev().max_by_key(served_by).expect("there are choices");
            unserved.retain(|&list| {
                let is_served = is_served(rows[list], best);
                if is_served {
                    rows[list] = best;
                }
                !is_served
            });
        }
        Ok(self)
    }
}
