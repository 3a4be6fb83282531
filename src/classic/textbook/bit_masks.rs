//! Backtracking with three bit masks: all free squares of a row are found at once.

use crate::board::Board;
use crate::classic::textbook::{Method, Notes, Visits, expected_nodes};
use std::ops::ControlFlow::{self, Continue};

/// The flags of the three arrays as the bits of three numbers. Seen from the next row, a diagonal moves one column to the
/// side for each row: the masks are shifted instead of indexed, and what they leave free is one expression.
///
/// No square is tested by itself, so it counts no tests. The engine `backtrack` is this method without the list of
/// queens, for one of each mirrored pair of placements.
pub(super) const METHOD: Method = Method {
    name: "bit-masks",
    summary: "backtracking, the free squares of a row as one bit mask",
    visits: Visits::Nodes,
    tests: false,
    expected_visits: expected_nodes,
    run: |board, notes| fill_next_row(&mut Vec::new(), board, [0; 3], notes),
    run_from_random: None,
};

/// Tries every free column of the first row without a queen: bit *j* of a mask says that column *j* of this row is
/// attacked, by a queen in the same column, from the upper left, or from the upper right.
fn fill_next_row(
    queens: &mut Vec<usize>,
    board: Board,
    [column, from_left, from_right]: [u32; 3],
    notes: &mut Notes<'_>,
) -> ControlFlow<()> {
    notes.visit()?;
    if queens.len() == board.size() {
        return notes.solution(queens);
    }
    let mut free = board.columns() & !(column | from_left | from_right);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        queens.push(queen.trailing_zeros() as usize);
        fill_next_row(queens, board, [column | queen, (from_left | queen) << 1, (from_right | queen) >> 1], notes)?;
        queens.pop();
    }
    Continue(())
}
