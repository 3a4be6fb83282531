//! One queen in each row and in each column: every permutation of the columns.

use crate::board::Board;
use crate::classic::textbook::Definition;
use std::convert::identity;

/// Tests all N! ways to put one queen in each row and in each column, each when it is complete. Two queens can attack
/// each other only along a diagonal.
pub(super) static METHOD: Definition = Definition {
    name: "permutations",
    summary: "every choice of a different column for each row",
    candidates: Some(candidates),
    counts_tests: true,
    run: |board, search| search.test_in_turn((0..board.size()).collect(), identity, advance),
};

fn candidates(board: Board) -> f64 {
    (1..=board.size()).map(|factor| factor as f64).product()
}

/// Turns a permutation into the next one in lexicographic order. Returns false, and changes nothing, at the last.
///
/// After the last rise, the columns fall. The column before the rise changes places with the least larger column after
/// it, and all columns after it are put in order. (Narayana, 14th century; D. E. Knuth, *The Art of Computer
/// Programming*, 7.2.1.2, Algorithm L.)
fn advance(columns: &mut [usize]) -> bool {
    let Some(rise) = columns.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = columns.iter().rposition(|&column| column > columns[rise]).expect("its successor is larger");
    columns.swap(rise, larger);
    columns[rise + 1..].reverse();
    true
}
