//! One queen in each row: every list of N columns.

use crate::board::Board;
use crate::classic::textbook::Definition;
use std::convert::identity;

/// Tests all N^N ways to put one queen in each row, each when it is complete.
pub(super) static METHOD: Definition = Definition {
    name: "one-per-row",
    summary: "every choice of a column for each row",
    candidates: Some(candidates),
    counts_tests: true,
    run: |board, search| search.test_in_turn(vec![0; board.size()], identity, advance),
};

fn candidates(board: Board) -> f64 {
    (0..board.size()).map(|_| board.size() as f64).product()
}

/// Turns a list of columns into the next one in lexicographic order, as if its columns were the digits of a number.
/// Returns false at the last list.
fn advance(columns: &mut [usize]) -> bool {
    let last = columns.len() - 1;
    for column in columns.iter_mut().rev() {
        if *column < last {
            *column += 1;
            return true;
        }
        *column = 0;
    }
    false
}
