//! One queen in each row: every list of N columns.

use crate::board::Board;
use crate::classic::textbook::{Method, Visits, test_in_turn};
use crate::estimate::SplitMix64;

/// All N^N ways to put one queen in each row, each tested when it is complete.
pub(super) const METHOD: Method = Method {
    name: "one-per-row",
    summary: "every choice of a column for each row",
    visits: Visits::Candidates,
    tests: true,
    expected_visits: candidates,
    run: |board, notes| test_in_turn(vec![0; board.size()], advance, notes),
    run_from_random: Some(|board, random, notes| test_in_turn(random_columns(board.size(), random), advance, notes)),
};

fn candidates(board: Board) -> f64 {
    (0..board.size()).map(|_| board.size() as f64).product()
}

fn random_columns(size: usize, random: &mut SplitMix64) -> Vec<usize> {
    (0..size).map(|_| random.below(size as u32) as usize).collect()
}

/// Turns a list of columns into the next one in lexicographic order, unless it is the last: like a number whose digits
/// are the columns.
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
