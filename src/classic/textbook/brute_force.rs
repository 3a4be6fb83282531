//! Brute force: every choice of N squares of the board.

use crate::board::Board;
use crate::classic::textbook::Definition;

/// Tests all C(N², N) ways to choose N of the N² squares, each when it is complete.
pub(super) static METHOD: Definition = Definition {
    name: "brute-force",
    summary: "every choice of N squares",
    candidates: Some(candidates),
    // Squares are numbered row by row, and a choice lists them from the first to the last.
    counts_tests: true,
    run: |board, search| {
        let size = board.size();
        let square = |(_, number)| (number / size, number % size);
        search.test_in_turn((0..size).collect(), square, |chosen| advance(chosen, size * size))
    },
};

fn candidates(board: Board) -> f64 {
    let (squares, queens) = (board.size() * board.size(), board.size());
    // Each product is a binomial coefficient: C(squares, chosen).
    (1..=queens).fold(1.0, |product, chosen| product * (squares + 1 - chosen) as f64 / chosen as f64)
}

/// Turns a choice of `squares` into the next one in lexicographic order: the last square that can move on does so, and
/// the squares after it follow close behind. Returns false, and changes nothing, at the last choice.
fn advance(chosen: &mut [usize], squares: usize) -> bool {
    let queens = chosen.len();
    let Some(moved) = (0..queens).rev().find(|&index| chosen[index] < squares - queens + index) else {
        return false;
    };
    chosen[moved] += 1;
    for index in moved + 1..queens {
        chosen[index] = chosen[index - 1] + 1;
    }
    true
}
