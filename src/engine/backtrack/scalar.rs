//! The scalar kernel: the classic bit-mask recursion, one node at a time.
//!
//! It is kept plain. It is the baseline of every ratio in this project and the reference that the faster kernels are
//! checked against.

use super::Search;
use super::node::Node;
use super::rows::{Rows, Step};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};

/// With this many rows left or fewer the search no longer looks at its [`Cancel`]. Ten columns are left then, so that
/// such a subtree has at most 10!/0! + 10!/1! + … + 10!/10! < 10⁷ nodes: less than a tenth of a second, and a count far
/// below 2⁶⁴.
const UNWATCHED_ROWS: u32 = 10;

/// A count of the nodes that a search visits. `()` counts nothing and costs nothing.
pub(crate) trait Tally {
    /// Counts a node with `rows_left` rows to fill.
    fn visit(&mut self, rows_left: u32);

    /// The number of nodes visited; `None` if they are not counted.
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

/// The number of nodes by the number of rows left. On any board that can be searched in thousands of years it fits 64
/// bits.
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

/// Returns the number of solutions that contain the placement `node`, whose rows are the last of `rows`. The node and
/// every node below it are tallied.
///
/// # Errors
/// When `cancel` is set.
pub(crate) fn count<T: Tally>(node: Node, rows: &Rows, tally: &mut T, cancel: &Cancel) -> Result<u128, Cancelled> {
    match rows.steps() {
        None => count_by(node, EveryRow, tally, cancel),
        Some(steps) => count_by(node, &steps[..node.rows_left() as usize], tally, cancel),
    }
}

impl<T: Tally> Search for T {
    fn count(&mut self, node: Node, rows: &Rows, cancel: &Cancel) -> Result<u128, Cancelled> {
        count(node, rows, self, cancel)
    }

    fn nodes(&self) -> Option<u64> {
        self.nodes()
    }
}

/// The steps of a search through the rows.
trait Steps: Copy {
    /// Returns the step to the next row, and the steps from there on.
    fn split(self) -> (Step, Self);
}

#[derive(Clone, Copy)]
struct EveryRow;

impl Steps for EveryRow {
    #[inline]
    fn split(self) -> (Step, Self) {
        (Step::NEXT, self)
    }
}

/// A step for each row left, the next one last.
impl Steps for &[Step] {
    #[inline]
    fn split(self) -> (Step, Self) {
        let (next, rest) = self.split_last().expect("a step for each row left");
        (*next, rest)
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
        return Ok(u128::from(search(columns, falling, rising, free, steps, tally)));
    }
    cancel.check()?;
    let (step, steps_below) = steps.split();
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        solutions += count_by(node.place_above(queen, step), steps_below, tally, cancel)?;
    }
    Ok(solutions)
}

/// The hot loop: one row a call, whose free squares are `free`. A child that is a dead end or a solution costs no call.
///
/// The masks are passed one by one to stay in registers; a [`Node`] would go through memory. For the same reason the
/// number of rows left is not passed: as an argument of its own it makes a search take 1.15 times as long, even with
/// [`EveryRow`], which does not use it.
fn search<S: Steps, T: Tally>(columns: u32, falling: u32, rising: u32, mut free: u32, steps: S, tally: &mut T) -> u64 {
    let node = Node { columns, falling, rising };
    let (step, steps_below) = steps.split();
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let child = node.place_above(queen, step);
        tally.visit(child.rows_left());
        let free_below = child.free();
        if free_below != 0 {
            solutions += search(child.columns, child.falling, child.rising, free_below, steps_below, tally);
        } else if child.columns == 0 {
            solutions += 1;
        }
    }
    solutions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic::solutions;

    #[test]
    fn whole_boards_have_as_many_solutions_as_can_be_listed() {
        for board in (1..=11).map(|size| Board::new(size).unwrap()) {
            let listed = solutions(board).count() as u128;
            assert_eq!(count(Node::root(board), &Rows::ALL, &mut (), &Cancel::new()), Ok(listed), "N = {board}");
        }
    }

    #[test]
    fn a_search_with_rows_enough_stops_when_asked() {
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(count(Node::root(Board::new(32).unwrap()), &Rows::ALL, &mut (), &cancel), Err(Cancelled));
    }
}
