//! The mirror plan: one unit for each placement of the first rows, one of each mirrored pair.

use super::Unit;
use crate::board::Board;
use crate::engine::backtrack::node::Node;
use crate::engine::backtrack::rows::Rows;

/// One unit for each placement of the first `rows` rows whose first queen stands in the left half of the board. Its
/// mirror image has it in the right half, so such a unit counts twice.
///
/// The middle column of an odd board is its own mirror image: there the second queen decides, and the unit is at least
/// two rows deep. The one-square board has no second row; its only placement counts once.
pub(crate) fn units(board: Board, rows: usize) -> Vec<Unit> {
    let size = board.size();
    let mut units = Vec::new();
    for (column, node) in Node::root(board).children() {
        if column < size / 2 {
            units.push(unit(node, 2));
        } else if size == 1 {
            units.push(unit(node, 1));
        } else if size % 2 == 1 && column == size / 2 {
            let left = node.children().filter(|&(second, _)| second < size / 2);
            units.extend(left.map(|(_, node)| unit(node, 2)));
        }
    }
    let deep_enough = |unit: &Unit| size - unit.node.rows_left() as usize >= rows.min(size);
    for _ in 1..rows {
        units = units.iter().flat_map(|unit| if deep_enough(unit) { vec![unit.clone()] } else { unit.split() }).collect();
    }
    units
}

fn unit(node: Node, symmetry_weight: u8) -> Unit {
    Unit { node, rows: Rows::ALL, symmetry_weight }
}
