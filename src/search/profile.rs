//! How many nodes the backtracking tree has in each row.

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::backtrack::node::Node;
use crate::engine::backtrack::scalar::{self, NodesByRowsLeft};

/// The placements of the first *k* rows, none attacking another, for *k* = 0 to N (OEIS A319284; D. E. Knuth, *The Art
/// of Computer Programming*, 7.2.2). The last is the number of solutions. All of them are visited, half by way of their
/// mirror images.
///
/// # Errors
/// When `cancel` is set.
pub fn nodes_per_row(board: Board, cancel: &Cancel) -> Result<Vec<u64>, Cancelled> {
    let size = board.size();
    let mut by_rows_left: NodesByRowsLeft = [0; Board::MAX_SIZE + 1];
    by_rows_left[size] = 1;
    for (column, node) in Node::root(board).children() {
        let stands_for = match (2 * column + 1).cmp(&size) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => break,
        };
        let mut below: NodesByRowsLeft = [0; Board::MAX_SIZE + 1];
        scalar::count(node, &mut below, cancel)?;
        for (sum, nodes) in by_rows_left.iter_mut().zip(below) {
            *sum += stands_for * nodes;
        }
    }
    Ok((0..=size).rev().map(|rows_left| by_rows_left[rows_left]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(size: usize) -> Vec<u64> {
        nodes_per_row(Board::new(size).unwrap(), &Cancel::new()).unwrap()
    }

    #[test]
    fn small_profiles_by_hand() {
        assert_eq!(profile(1), [1, 1]);
        assert_eq!(profile(2), [1, 2, 0]);
        assert_eq!(profile(3), [1, 3, 2, 0]);
        assert_eq!(profile(4), [1, 4, 6, 4, 2]);
    }

    #[test]
    fn eight_queens_have_the_2057_nodes_of_the_textbook() {
        assert_eq!(profile(8), [1, 8, 42, 140, 344, 568, 550, 312, 92]);
        assert_eq!(profile(8).iter().sum::<u64>(), 2057);
    }

    /// OEIS A319236.
    #[test]
    fn sixteen_queens_have_the_published_profile() {
        let published = [
            1,
            16,
            210,
            2_236,
            19_688,
            141_812,
            838_816,
            3_998_456,
            15_324_708,
            46_358_876,
            108_478_966,
            193_892_860,
            260_303_408,
            253_897_632,
            171_158_018,
            72_002_088,
            14_772_512,
        ];
        assert_eq!(profile(16), published);
    }
}
