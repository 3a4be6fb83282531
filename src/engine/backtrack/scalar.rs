//! The scalar kernel: the classic bit-mask recursion, one node at a time.
//!
//! It is kept plain. It is the baseline of every ratio in this project and the reference that the faster kernels are
//! checked against.

use super::node::Node;
use crate::cancel::{Cancel, Cancelled};

/// With this many rows left or fewer the search no longer looks at its cancellation: such a subtree takes milliseconds
/// at most. It also keeps the count of one such subtree below 32¹² < 2⁶⁴.
const UNWATCHED_ROWS: u32 = 10;

/// Counts the nodes that a search visits; `()` counts nothing and costs nothing.
pub(crate) trait Tally {
    /// A node with `rows_left` rows to fill was visited.
    fn visit(&mut self, rows_left: u32);
}

impl Tally for () {
    #[inline]
    fn visit(&mut self, _rows_left: u32) {}
}

/// Nodes by the number of rows left.
impl Tally for [u64; 33] {
    #[inline]
    fn visit(&mut self, rows_left: u32) {
        self[rows_left as usize] += 1;
    }
}

/// The number of solutions that contain the placement `node`. Every node below it, and itself, is tallied.
///
/// # Errors
/// When `cancel` is set.
pub(crate) fn count<T: Tally>(node: Node, tally: &mut T, cancel: &Cancel) -> Result<u128, Cancelled> {
    if node.rows_left() <= UNWATCHED_ROWS {
        return Ok(u128::from(search(node, tally)));
    }
    if cancel.is_cancelled() {
        return Err(Cancelled);
    }
    tally.visit(node.rows_left());
    let mut solutions = 0;
    for (_, child) in node.children() {
        solutions += count(child, tally, cancel)?;
    }
    Ok(solutions)
}

/// The hot loop: three masks, one row a call.
fn search<T: Tally>(node: Node, tally: &mut T) -> u64 {
    tally.visit(node.rows_left());
    let mut free = node.free();
    if free == 0 {
        // A dead end, or a solution: then no column is left.
        return u64::from(node.columns == 0);
    }
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        solutions += search(node.place(queen), tally);
    }
    solutions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::search::solutions;

    #[test]
    fn whole_boards_have_as_many_solutions_as_can_be_listed() {
        for board in (1..=11).map(|size| Board::new(size).unwrap()) {
            let listed = solutions(board).count() as u128;
            assert_eq!(count(Node::root(board), &mut (), &Cancel::new()), Ok(listed), "N = {board}");
        }
    }

    #[test]
    fn a_search_with_rows_enough_stops_when_asked() {
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(count(Node::root(Board::new(32).unwrap()), &mut (), &cancel), Err(Cancelled));
    }
}
