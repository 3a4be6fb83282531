//! Brute force: every choice of N squares of the board.

use crate::board::Board;
use crate::classic::textbook::{Definition, Search, Visits};
use std::ops::ControlFlow::{self, Continue};

/// Tests all C(N², N) ways to choose N of the N² squares, each when it is complete.
pub(super) static METHOD: Definition = Definition {
    name: "brute-force",
    summary: "every choice of N squares",
    visits: Visits::Candidates(candidates),
    run: |board, search| test_in_turn(board.size(), (0..board.size()).collect(), search),
};

fn candidates(board: Board) -> f64 {
    let (squares, queens) = (board.size() * board.size(), board.size());
    // Each product is a binomial coefficient: C(squares, chosen).
    (1..=queens).fold(1.0, |product, chosen| product * (squares + 1 - chosen) as f64 / chosen as f64)
}

/// Tests one choice of squares after another, from the given one to the last. Squares are numbered row by row, and a
/// choice lists them from the first to the last.
fn test_in_turn(size: usize, mut chosen: Vec<usize>, search: &mut Search<'_>) -> ControlFlow<()> {
    loop {
        search.visit()?;
        if !search.any_attack(chosen.iter().map(|&square| (square / size, square % size))) {
            // One queen in each row: the columns are in the order of the rows.
            let columns: Vec<usize> = chosen.iter().map(|&square| square % size).collect();
            search.solution(&columns)?;
        }
        if !advance(&mut chosen, size * size) {
            return Continue(());
        }
    }
}

/// Turns a choice of `squares` into the next one in lexicographic order: the last square that can move on does so, and
/// those after it follow close behind. Returns false, and changes nothing, at the last choice.
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
