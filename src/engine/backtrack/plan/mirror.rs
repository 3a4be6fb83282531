//! The mirror plan: one unit for each placement of the first rows, one of each mirrored pair.

use super::Unit;
use crate::board::Board;
use crate::engine::backtrack::node::Node;

/// Returns one unit for each placement of the first `rows` rows whose first queen stands in the left half of the board.
/// The mirror image has it in the right half, so that a unit counts twice.
///
/// The middle column of an odd board is its own mirror image: there the second queen decides, and the unit is at least
/// two rows deep. The one-square board has no second row; its only placement counts once.
pub(crate) fn units(board: Board, rows: usize) -> Vec<Unit> {
    let size = board.size();
    let mut units = Vec::new();
    for (column, node) in Node::root(board).children() {
        if column < size / 2 {
            units.push(Unit { node, symmetry_weight: 2 });
        } else if size == 1 {
            units.push(Unit { node, symmetry_weight: 1 });
        } else if size % 2 == 1 && column == size / 2 {
            let left = node.children().filter(|&(second, _)| second < size / 2);
            units.extend(left.map(|(_, node)| Unit { node, symmetry_weight: 2 }));
        }
    }
    let deep_enough = |unit: &Unit| size - unit.node.rows_left() as usize >= rows.min(size);
    for _ in 1..rows {
        units = units.iter().flat_map(|unit| if deep_enough(unit) { vec![*unit] } else { unit.split() }).collect();
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    /// The node of the mirrored placement.
    fn mirrored(node: Node, size: usize) -> Node {
        let mirror = |mask: u32| mask.reverse_bits() >> (Board::MAX_SIZE - size);
        // A bit that has left the board to the left would come back from the right.
        let on_board = |mask: u32| mask & board(size).columns();
        Node {
            columns: mirror(node.columns),
            falling: mirror(on_board(node.rising)),
            rising: mirror(on_board(node.falling)),
        }
    }

    #[test]
    fn units_and_their_mirror_images_are_all_placements_of_the_split_rows() {
        let key = |node: Node, size| {
            let on_board = |mask: u32| mask & board(size).columns();
            (node.columns, on_board(node.falling), on_board(node.rising))
        };
        for (size, rows) in [(4, 2), (8, 1), (8, 2), (8, 3), (9, 2), (9, 3), (16, 2), (17, 2), (31, 2), (32, 2)] {
            let mut placements = vec![Node::root(board(size))];
            for _ in 0..rows {
                placements = placements.iter().flat_map(|node| node.children().map(|(_, child)| child)).collect();
            }
            let mut placements: Vec<_> = placements.into_iter().map(|node| key(node, size)).collect();
            let both = |unit: &Unit| [unit.node, mirrored(unit.node, size)].map(|node| key(node, size));
            let mut stand_for: Vec<_> = units(board(size), rows).iter().flat_map(both).collect();
            assert!(units(board(size), rows).iter().all(|unit| unit.symmetry_weight == 2));
            placements.sort_unstable();
            stand_for.sort_unstable();
            assert_eq!(stand_for, placements, "N = {size}, {rows} rows");
        }
    }
}
