//! The choice of the rows that the prefixes of probe lists fill.

use crate::cancel::{Cancel, Cancelled};
use crate::engine::two_color::tuples::{LineSet, SquareClass};

/// Chooses the `depth` rows that prefixes fill in each of the probe lists on some row sets, so that few choices serve
/// many lists.
///
/// The choice is greedy: each step takes the rows that serve most of the lists not yet served. In a tie the rows
/// nearest to the centre win.
pub(crate) fn cover(
    class: &SquareClass,
    row_sets: &[LineSet],
    depth: usize,
    cancel: &Cancel,
) -> Result<Vec<LineSet>, Cancelled> {
    // For each list, all its rows until it is served, and then the rows of its prefixes.
    let mut rows: Vec<LineSet> = row_sets.iter().map(|&set| class.rows(set).collect()).collect();
    let mut left: Vec<usize> = (0..rows.len()).collect();
    // Sets are made of places from the centre outwards, so that the smallest set is the most central.
    let centre_first = &class.centre_first;
    let rows_at = |set: LineSet| set.iter().map(|place| centre_first[place.index()]).collect::<LineSet>();
    while !left.is_empty() {
        cancel.check()?;
        let is_served = |rows: LineSet, choice: LineSet| choice.minus(rows) == LineSet::EMPTY;
        let served_by = |choice: &LineSet| left.iter().filter(|&&list| is_served(rows[list], *choice)).count();
        let choices = LineSet::of_size(centre_first.len(), depth).map(rows_at);
        let best = choices.rev().max_by_key(served_by).expect("there are choices");
        for list in left.extract_if(.., |list| is_served(rows[*list], best)).collect::<Vec<_>>() {
            rows[list] = best;
        }
    }
    Ok(rows)
}
