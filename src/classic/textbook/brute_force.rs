//! Brute force: every choice of N squares of the board.

use crate::board::Board;
use crate::classic::textbook::{Method, Notes, Visits};
use crate::estimate::SplitMix64;
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Continue};

/// All C(N², N) ways to choose N of the N² squares, each tested when it is complete.
pub(super) const METHOD: Method = Method {
    name: "brute-force",
    summary: "every choice of N squares",
    visits: Visits::Candidates,
    tests: true,
    expected_visits: candidates,
    run: |board, notes| search(board.size(), (0..board.size()).collect(), notes),
    run_from_random: Some(|board, random, notes| search(board.size(), random_choice(board.size(), random), notes)),
};

fn candidates(board: Board) -> f64 {
    let (squares, queens) = (board.size() * board.size(), board.size());
    // Each product is a binomial coefficient: C(squares, chosen).
    (1..=queens).fold(1.0, |product, chosen| product * (squares + 1 - chosen) as f64 / chosen as f64)
}

fn random_choice(size: usize, random: &mut SplitMix64) -> Vec<usize> {
    let mut chosen = BTreeSet::new();
    while chosen.len() < size {
        chosen.insert(random.below((size * size) as u32) as usize);
    }
    chosen.into_iter().collect()
}

/// Squares are numbered row by row, and a choice of squares is listed from the first to the last.
fn search(size: usize, mut chosen: Vec<usize>, notes: &mut Notes<'_>) -> ControlFlow<()> {
    loop {
        notes.visit()?;
        if !notes.any_attack(chosen.iter().map(|&square| (square / size, square % size))) {
            // One queen in each row: the columns are in the order of the rows.
            let columns: Vec<usize> = chosen.iter().map(|&square| square % size).collect();
            notes.solution(&columns)?;
        }
        if !advance(&mut chosen, size * size) {
            return Continue(());
        }
    }
}

/// Turns a choice of `squares` into the next one in lexicographic order, unless it is the last: the last square that can
/// move on does so, and those after it follow close behind.
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
