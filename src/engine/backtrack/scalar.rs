//! The scalar kernel: the classic bit-mask recursion, one node at a time.
//!
//! It is kept plain. It is the baseline of every ratio in this project and the reference that the faster kernels are
//! checked against.

use super::node::Node;
use super::rows::{Rows, Step};
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

/// The number of solutions that contain the placement `node`, in all rows of the board. It and every node below it are
/// tallied.
///
/// # Errors
/// When `cancel` is set.
pub(crate) fn count<T: Tally>(node: Node, tally: &mut T, cancel: &Cancel) -> Result<u128, Cancelled> {
    count_by(node, EveryRow, tally, cancel)
}

/// The same where some rows have a queen already: `rows` says which are left.
///
/// # Errors
/// When `cancel` is set.
pub(crate) fn count_in<T: Tally>(node: Node, rows: &Rows, tally: &mut T, cancel: &Cancel) -> Result<u128, Cancelled> {
    match rows.steps() {
        None => count_by(node, EveryRow, tally, cancel),
        Some(steps) => count_by(node, steps, tally, cancel),
    }
}

/// How a search goes from one row to the next.
trait Steps: Copy {
    /// The step to the row from which on `rows_left` rows are left.
    fn to(self, rows_left: u32) -> Step;
}

#[derive(Clone, Copy)]
struct EveryRow;

impl Steps for EveryRow {
    #[inline]
    fn to(self, _rows_left: u32) -> Step {
        Step::NEXT
    }
}

impl Steps for &[Step] {
    #[inline]
    fn to(self, rows_left: u32) -> Step {
        self[rows_left as usize]
    }
}

fn count_by<S: Steps, T: Tally>(node: Node, steps: S, tally: &mut T, cancel: &Cancel) -> Result<u128, Cancelled> {
    tally.visit(node.rows_left());
    if node.rows_left() == 0 {
        return Ok(1);
    }
    let Node { columns, falling, rising } = node;
    let mut free = node.free();
    if node.rows_left() <= UNWATCHED_ROWS {
        return Ok(u128::from(search(columns, falling, rising, free, steps, node.rows_left() - 1, tally)));
    }
    if cancel.is_cancelled() {
        return Err(Cancelled);
    }
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        solutions += count_by(node.place_above(queen, steps.to(node.rows_left() - 1)), steps, tally, cancel)?;
    }
    Ok(solutions)
}

/// The hot loop: one row a call, whose free squares are `free`, with `rows_left` rows below it. A child that is a dead end
/// or a solution costs no call.
///
/// The masks are passed one by one to stay in registers; a [`Node`] would go through memory. With [`EveryRow`] the number of
/// rows left is not passed at all, since nobody asks for it.
fn search<S: Steps, T: Tally>(
    columns: u32,
    falling: u32,
    rising: u32,
    mut free: u32,
    steps: S,
    rows_left: u32,
    tally: &mut T,
) -> u64 {
    let node = Node { columns, falling, rising };
    let step = steps.to(rows_left);
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let child = node.place_above(queen, step);
        tally.visit(child.rows_left());
        let free_below = child.free();
        if free_below != 0 {
            solutions += search(child.columns, child.falling, child.rising, free_below, steps, rows_left - 1, tally);
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
