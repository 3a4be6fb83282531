//! The mirror plan: one unit for each placement of the first rows, one of each mirrored pair.

use super::node::Node;
use crate::board::Board;
use crate::engine::{Plan, PrepareError, Settings};
use crate::estimate::{self, SplitMix64};

/// The largest number of rows that a plan is split at.
pub const MOST_SPLIT_ROWS: usize = 3;

/// A plan is fine enough when this share of the workers is sure to be busy.
const BUSY_ENOUGH: f64 = 0.95;

/// The largest number of random probes that a unit's weight is estimated from; its relative error is then about 7%
/// (measured at N = 12 to 16), and falls with the square root of the number.
const MOST_PROBES: usize = 256;

/// A placement of the first rows, and how many placements it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) node: Node,
    /// 2 where the mirrored placement is counted along, else 1.
    pub(super) symmetry_weight: u8,
}

/// The mirror plan with the rows to split that the settings ask for. Where they leave it open: the fewest rows that keep
/// [`BUSY_ENOUGH`] of the workers busy, the most rows where none do.
pub(super) fn mirror_plan(
    engine: &'static str,
    board: Board,
    settings: &Settings,
) -> Result<(Plan, Vec<Unit>), PrepareError> {
    if let Some(given) = settings.split_rows {
        return if (1..=MOST_SPLIT_ROWS).contains(&given) {
            Ok(split_at(engine, board, given))
        } else {
            Err(PrepareError::SplitRows { given, most: MOST_SPLIT_ROWS })
        };
    }
    let enough = |(plan, _): &(Plan, _)| plan.busy_share(settings.workers) >= BUSY_ENOUGH;
    let chosen = (1..MOST_SPLIT_ROWS).map(|rows| split_at(engine, board, rows)).find(enough);
    Ok(chosen.unwrap_or_else(|| split_at(engine, board, MOST_SPLIT_ROWS)))
}

fn split_at(engine: &'static str, board: Board, rows: usize) -> (Plan, Vec<Unit>) {
    let units = units(board, rows);
    let weights = weights(board, &units);
    (Plan::new(engine, board, format!("mirror-{rows}"), weights, 1), units)
}

/// One unit for each placement of the first `rows` rows whose first queen stands in the left half of the board. Its
/// mirror image has it in the right half, so such a unit counts twice.
///
/// The middle column of an odd board is its own mirror image: there the second queen decides, and the unit is at least
/// two rows deep. The one-square board has no second row; its only placement counts once.
fn units(board: Board, rows: usize) -> Vec<Unit> {
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
        let split = |unit: Unit| {
            if deep_enough(&unit) {
                vec![unit]
            } else {
                unit.node.children().map(|(_, node)| Unit { node, ..unit }).collect()
            }
        };
        units = units.into_iter().flat_map(split).collect();
    }
    units
}

/// How many probes each of a number of units gets. All together they grow more slowly than the tree, so that estimating
/// takes about a hundredth of the time of counting at N = 13 and ever less beyond, and never more than a fraction of a
/// second.
fn probes(board: Board, units: usize) -> u32 {
    let all = 1 << board.size().saturating_sub(2).min(18);
    (all / units.max(1)).clamp(1, MOST_PROBES) as u32
}

/// The nodes expected below each unit, scaled to a sum of about 2⁴⁰.
///
/// They are estimated by random probes, seeded alike on every machine. Counting the placements a few rows further down
/// instead was tried: it is worse than no estimate, because queens at the edge leave more squares at first and fewer later.
#[expect(clippy::cast_sign_loss, reason = "estimates are positive, and scaled to at most 2⁴⁰")]
fn weights(board: Board, units: &[Unit]) -> Vec<u64> {
    let probes = probes(board, units.len());
    let mut random = SplitMix64::new(board.size() as u64);
    let nodes: Vec<f64> = units.iter().map(|unit| estimate::nodes(unit.node, probes, &mut random)).collect();
    let scale = 2_f64.powi(40) / nodes.iter().sum::<f64>();
    nodes.iter().map(|nodes| ((nodes * scale) as u64).max(1)).collect()
}

impl estimate::Node for Node {
    fn children(&self) -> u32 {
        self.free().count_ones()
    }

    fn child(&self, index: u32) -> Self {
        let higher = (0..index).fold(self.free(), |free, _| free & (free - 1));
        self.place(higher & higher.wrapping_neg())
    }
}

#[cfg(test)]
mod tests {
    use super::super::scalar;
    use super::*;
    use crate::cancel::Cancel;
    use crate::published;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    fn partial(unit: &Unit) -> u128 {
        u128::from(unit.symmetry_weight) * scalar::count(unit.node, &mut (), &Cancel::new()).unwrap()
    }

    #[test]
    fn partial_counts_add_up_to_the_published_total_for_any_split() {
        for size in 1..=12 {
            for rows in 1..=6 {
                let total: u128 = units(board(size), rows).iter().map(partial).sum();
                assert_eq!(Some(total), published::total(board(size)), "N = {size}, {rows} rows");
            }
        }
    }

    #[test]
    fn units_stand_for_every_placement_of_the_split_rows_once() {
        // Placements of the first two rows: N squares, then what the first queen leaves.
        for size in 4..=32 {
            let placements: usize = Node::root(board(size)).children().map(|(_, node)| node.children().count()).sum();
            let stand_for: usize = units(board(size), 2).iter().map(|unit| usize::from(unit.symmetry_weight)).sum();
            assert_eq!(stand_for, placements, "N = {size}");
        }
    }

    #[test]
    fn first_row_units_are_the_left_half() {
        assert_eq!(units(board(16), 1).len(), 8);
        // 8 columns to the left; the middle one with 7 squares of the second row's left half.
        assert_eq!(units(board(17), 1).len(), 8 + 7);
        assert_eq!(units(board(1), 3).len(), 1);
    }

    #[test]
    fn a_lone_worker_gets_the_coarsest_plan_and_many_get_a_finer_one() {
        let name = |size, workers| {
            let settings = Settings { workers, ..Settings::default() };
            mirror_plan("test", board(size), &settings).unwrap().0.name().to_owned()
        };
        assert_eq!(name(16, 1), "mirror-1");
        assert_eq!(name(16, 2), "mirror-2");
        assert_eq!(name(18, 64), "mirror-3");
    }

    #[test]
    fn asked_for_rows_are_kept_or_refused() {
        let with = |rows| mirror_plan("test", board(8), &Settings { split_rows: Some(rows), ..Settings::default() });
        assert_eq!(with(2).unwrap().0.name(), "mirror-2");
        for given in [0, 4] {
            assert_eq!(with(given), Err(PrepareError::SplitRows { given, most: 3 }));
        }
    }

    /// What the progress bar and the order of the units rest on.
    #[test]
    fn weights_are_in_proportion_to_the_nodes_below() {
        let board = board(14);
        for rows in 1..=MOST_SPLIT_ROWS {
            let units = units(board, rows);
            let nodes: Vec<f64> = units
                .iter()
                .map(|unit| {
                    let mut nodes = [0; 33];
                    scalar::count(unit.node, &mut nodes, &Cancel::new()).unwrap();
                    nodes.iter().sum::<u64>() as f64
                })
                .collect();
            let weights = weights(board, &units);
            let per_node = weights.iter().sum::<u64>() as f64 / nodes.iter().sum::<f64>();
            let squared: f64 =
                nodes.iter().zip(&weights).map(|(n, &w)| (w as f64 / (n * per_node) - 1.0).powi(2)).sum();
            let error = (squared / units.len() as f64).sqrt();
            let expected = 1.5 / f64::from(probes(board, units.len())).sqrt();
            assert!(error < expected, "{rows} rows: weights are off by {:.0}%", 100.0 * error);
        }
    }
}
