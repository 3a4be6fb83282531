//! Backtracking with three bit masks: all free squares of a row are found at once.

use crate::board::Board;
use crate::classic::textbook::{Definition, Search};
use std::ops::ControlFlow::{self, Continue};

/// Keeps the flags of the three arrays as the bits of three numbers. From one row to the next a diagonal moves one
/// column to the side, so the masks are shifted, and one expression gives all free squares of a row.
///
/// No square is tested by itself, so there are no tests to count. The engine `backtrack` is this method without the
/// list of queens, and visits only one of each mirrored pair of placements.
pub(super) static METHOD: Definition = Definition {
    name: "bit-masks",
    summary: "backtracking, the free squares of a row as one bit mask",
    candidates: None,
    counts_tests: false,
    run: |board, search| fill_next_row(&mut Vec::new(), board, [0; 3], search),
};

/// Tries every free column of the first row without a queen. Bit *j* of a mask is set if column *j* of this row is
/// attacked: by a queen in the same column, from the upper left, or from the upper right.
fn fill_next_row(
    queens: &mut Vec<usize>,
    board: Board,
    [column, from_left, from_right]: [u32; 3],
    search: &mut Search<'_>,
) -> ControlFlow<()> {
    search.visit()?;
    if queens.len() == board.size() {
        return search.solution(queens);
    }
    let mut free = board.columns() & !(column | from_left | from_right);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        queens.push(queen.trailing_zeros() as usize);
        fill_next_row(queens, board, [column | queen, (from_left | queen) << 1, (from_right | queen) >> 1], search)?;
        queens.pop();
    }
    Continue(())
}
