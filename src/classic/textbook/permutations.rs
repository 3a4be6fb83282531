//! One queen in each row and in each column: every permutation of the columns.

use crate::board::Board;
use crate::classic::textbook::{Method, Visits, test_in_turn};
use crate::estimate::SplitMix64;

/// All N! ways to put one queen in each row and in each column, each tested when it is complete. Only diagonals can go
/// wrong.
pub(super) const METHOD: Method = Method {
    name: "permutations",
    summary: "every choice of a different column for each row",
    visits: Visits::Candidates,
    tests: true,
    expected_visits: candidates,
    run: |board, notes| test_in_turn((0..board.size()).collect(), advance, notes),
    run_from_random: Some(|board, random, notes| {
        test_in_turn(random_permutation(board.size(), random), advance, notes)
    }),
};

fn candidates(board: Board) -> f64 {
    (1..=board.size()).map(|factor| factor as f64).product()
}

fn random_permutation(size: usize, random: &mut SplitMix64) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..size).collect();
    for index in (1..size).rev() {
        columns.swap(index, random.below(index as u32 + 1) as usize);
    }
    columns
}

/// Turns a permutation into the next one in lexicographic order, unless it is the last. What follows the last rise is
/// falling; the element before it is exchanged for the least of them that is larger, and the others are put in order.
/// (Narayana, 14th century; D. E. Knuth, *The Art of Computer Programming*, 7.2.1.2, Algorithm L.)
fn advance(columns: &mut [usize]) -> bool {
    let Some(rise) = columns.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = columns.iter().rposition(|&column| column > columns[rise]).expect("its successor is larger");
    columns.swap(rise, larger);
    columns[rise + 1..].reverse();
    true
}
