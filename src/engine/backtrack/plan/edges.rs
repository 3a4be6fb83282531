//! The edges plan: the queens of the left and the right column first, one of four positions that mirror each other.
//!
//! A queen stands in the left column in some row, and one in the right column in another; they must not attack each
//! other. Left and right exchanged, top and bottom exchanged, and both, lead from such a pair to others: a pair of rows
//! (*p*, *q*) to (*q*, *p*), to (*N*−1−*p*, *N*−1−*q*), and to (*N*−1−*q*, *N*−1−*p*). So one of the four is counted,
//! the one with *p* > *q* and *p* + *q* ≥ *N*−1: its queens stand in late rows, which leaves fewer nodes than early
//! ones. The first two are never the same pair; where *p* + *q* = *N*−1, the last is the same as the first, and two are
//! counted along instead of four.
//!
//! The other rows are filled from the top down in the columns between, which are two fewer than the board has. What the
//! two queens attack there is known beforehand for every row.

use super::Unit;
use crate::board::Board;
use crate::engine::backtrack::node::Node;
use crate::engine::backtrack::rows::{Rows, Step};

/// The rows of the queens in the left and in the right column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    size: usize,
    left: usize,
    right: usize,
}

impl Pair {
    /// Returns one pair of each four, or of each two, with the number of pairs it stands for.
    fn all(size: usize) -> impl Iterator<Item = (Self, u8)> {
        let rows = (0..size).flat_map(move |left| (0..left).map(move |right| (left, right)));
        rows.filter(move |(left, right)| left + right + 1 >= size && left - right + 1 != size)
            .map(move |(left, right)| (Self { size, left, right }, if left + right + 1 == size { 2 } else { 4 }))
    }

    /// Returns the squares of a row between the edge columns that the pair attacks: along falling and along rising
    /// diagonals.
    fn attacked(self, row: usize) -> (u32, u32) {
        let last = self.size - 1;
        // Down from the queen on the left leads a falling diagonal, and up a rising one; from that on the right the
        // other way.
        let from_left = self.square(row.abs_diff(self.left));
        let from_right = self.square(last.wrapping_sub(row.abs_diff(self.right)));
        let sort = |falls, square| if falls { (square, 0) } else { (0, square) };
        let (left, right) = (sort(row > self.left, from_left), sort(row < self.right, from_right));
        (left.0 | right.0, left.1 | right.1)
    }

    /// Returns the bit of a column between the edges; 0 for any other column.
    fn square(self, column: usize) -> u32 {
        if (1..self.size - 1).contains(&column) { 1 << (column - 1) } else { 0 }
    }

    /// Returns the tree below the pair: its root and its rows.
    fn tree(self) -> (Node, Rows) {
        let rows: Vec<usize> = (0..self.size).filter(|&row| row != self.left && row != self.right).collect();
        let (falling, rising) = self.attacked(rows[0]);
        let columns = (1 << (self.size - 2)) - 1;
        let steps = rows.windows(2).map(|rows| {
            let gap = (rows[1] - rows[0]) as u32;
            let ((falling, rising), below) = (self.attacked(rows[0]), self.attacked(rows[1]));
            Step { gap, falling: below.0 & !(falling << gap), rising: below.1 & !(rising >> gap) }
        });
        (Node { columns, falling, rising }, Rows::some(steps))
    }
}

/// Returns one unit for each pair of queens in the edge columns and each placement of the first `rows` of the other
/// rows.
///
/// On the one-square board one queen stands in both edge columns; the two-square board has no pair.
pub(super) fn units(board: Board, rows: usize) -> Vec<Unit> {
    if board.size() == 1 {
        return vec![Unit { node: Node { columns: 0, falling: 0, rising: 0 }, rows: Rows::ALL, symmetry_weight: 1 }];
    }
    let mut units: Vec<Unit> = Pair::all(board.size())
        .map(|(pair, symmetry_weight)| {
            let (node, rows) = pair.tree();
            Unit { node, rows, symmetry_weight }
        })
        .collect();
    for _ in 0..rows {
        units = units.iter().flat_map(Unit::split).collect();
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Solution, attack};
    use crate::cancel::Cancel;
    use crate::classic::solutions;
    use crate::engine::backtrack::scalar;
    use std::collections::HashMap;

    /// The rows of the queens in the edge columns.
    fn pair(solution: &Solution) -> (usize, usize) {
        let size = solution.columns().len();
        let row = |column| solution.columns().position(|other| other == column).unwrap();
        (row(0), row(size - 1))
    }

    #[test]
    fn a_pair_stands_for_as_many_solutions_as_its_mirror_images_have() {
        for size in 3..=10 {
            let mut with: HashMap<(usize, usize), u64> = HashMap::new();
            for solution in solutions(Board::new(size).unwrap()) {
                *with.entry(pair(&solution)).or_default() += 1;
            }
            let mut counted = 0;
            for (Pair { left, right, .. }, weight) in Pair::all(size) {
                let mirrored = |row: usize| size - 1 - row;
                let mut images = vec![
                    (left, right),
                    (right, left),
                    (mirrored(left), mirrored(right)),
                    (mirrored(right), mirrored(left)),
                ];
                images.sort_unstable();
                images.dedup();
                assert_eq!(images.len(), usize::from(weight), "N = {size}");
                let own = with.get(&(left, right)).copied().unwrap_or(0);
                assert!(images.iter().all(|image| with.get(image).copied().unwrap_or(0) == own), "N = {size}");
                counted += own * u64::from(weight);
            }
            assert_eq!(counted, with.values().sum::<u64>(), "N = {size}");
        }
    }

    /// Below a pair lie the solutions that contain it.
    #[test]
    fn the_tree_below_a_pair_has_the_solutions_that_contain_it() {
        for size in 3..=11 {
            let listed: Vec<Solution> = solutions(Board::new(size).unwrap()).collect();
            for (pair, _) in Pair::all(size) {
                let (node, rows) = pair.tree();
                let found = scalar::count(node, &rows, &mut (), &Cancel::new());
                let contain = listed.iter().filter(|solution| self::pair(solution) == (pair.left, pair.right));
                assert_eq!(found, Ok(contain.count() as u128), "N = {size}, {pair:?}");
            }
        }
    }

    #[test]
    fn what_a_pair_attacks_is_what_its_queens_attack() {
        for size in 3..=32 {
            for (pair, _) in Pair::all(size) {
                for row in (0..size).filter(|&row| row != pair.left && row != pair.right) {
                    let (falling, rising) = pair.attacked(row);
                    for column in 1..size - 1 {
                        let by = |queen| attack(queen, (row, column)).is_some();
                        let attacked = by((pair.left, 0)) || by((pair.right, size - 1));
                        let square = 1 << (column - 1);
                        assert_eq!((falling | rising) & square != 0, attacked, "N = {size}, {pair:?}, {row}, {column}");
                    }
                }
            }
        }
    }
}
