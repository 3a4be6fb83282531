//! The scalar kernel: the classic bit-mask recursion, one node at a time.
//!
//! It is kept plain. It is the baseline of every ratio in this project and the reference that the faster kernels are
//! checked against.

use super::node::Node;
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};

/// With this many rows left or fewer the search no longer looks at its cancellation. As many columns are left, so such a
/// subtree has at most 10!/0! + 10!/1! + … + 10!/10! < 10⁷ nodes: less than a tenth of a second, and a count far below 2⁶⁴.
const UNWATCHED_ROWS: u32 = 10;

/// Counts the nodes that a search visits; `()` counts nothing and costs nothing.
pub(crate) trait Tally {
    /// A node with `rows_left` rows to fill was visited.
    fn visit(&mut self, rows_left: u32);

    /// How many were visited, if that is known.
    fn nodes(&self) -> Option<u64>;
}

impl Tally for () {
    #[inline]
    fn visit(&mut self, _rows_left: u32) {}

    fn nodes(&self) -> Option<u64> {
        None
    }
}

impl Tally for u64 {
    #[inline]
    fn visit(&mut self, _rows_left: u32) {
        *self += 1;
    }

    fn nodes(&self) -> Option<u64> {
        Some(*self)
    }
}

/// Nodes by the number of rows left. On boards that can be searched at all, in thousands of years, they fit 64 bits.
pub(crate) type NodesByRowsLeft = [u64; Board::MAX_SIZE + 1];

impl Tally for NodesByRowsLeft {
    #[inline]
    fn visit(&mut self, rows_left: u32) {
        self[rows_left as usize] += 1;
    }

    fn nodes(&self) -> Option<u64> {
        Some(self.iter().sum())
    }
}

/// The number of solutions that contain the placement `node`. It and every node below it are tallied.
///
/// # Errors
/// When `cancel` is set.
pub(crate) fn count<T: Tally>(node: Node, tally: &mut T, cancel: &Cancel) -> Result<u128, Cancelled> {
    tally.visit(node.rows_left());
    if node.rows_left() == 0 {
        return Ok(1);
    }
    if node.rows_left() <= UNWATCHED_ROWS {
        let Node { columns, falling, rising } = node;
        return Ok(u128::from(search(columns, falling, rising, node.free(), tally)));
    }
    if cancel.is_cancelled() {
        return Err(Cancelled);
    }
    let mut solutions = 0;
    for (_, child) in node.children() {
        solutions += count(child, tally, cancel)?;
    }
    Ok(solutions)
}

/// The hot loop: one row a call, whose free squares are `free`. A child that is a dead end or a solution costs no call.
///
/// The masks are passed one by one to stay in registers; a [`Node`] would go through memory.
fn search<T: Tally>(columns: u32, falling: u32, rising: u32, mut free: u32, tally: &mut T) -> u64 {
    let node = Node { columns, falling, rising };
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let child = node.place(queen);
        tally.visit(child.rows_left());
        let free_below = child.free();
        if free_below != 0 {
            solutions += search(child.columns, child.falling, child.rising, free_below, tally);
        } else if child.columns == 0 {
            solutions += 1;
        }
    }
    solutions
}

#[cfg(test)]
mod tests {
    use super::*;
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
