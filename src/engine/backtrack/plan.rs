//! The mirror plan: one unit for each placement of the first rows, one of each mirrored pair.

use super::node::Node;
use crate::board::Board;
use crate::engine::{Plan, PrepareError, Settings};
use crate::estimate::{self, SplitMix64};

/// The largest number of rows that a plan is split at.
pub const MOST_SPLIT_ROWS: usize = 3;

/// A plan is fine enough when this share of the workers is sure to be busy.
const BUSY_ENOUGH: f64 = 0.95;

/// A plan is fine enough when no unit is expected to have more nodes than this: then a unit takes about a second at most,
/// and the progress bar moves.
const MOST_NODES: f64 = 1e8;

/// The largest number of random probes for a unit.
const MOST_PROBES: usize = 256;

/// How many probes weigh as much as what is known without any, that units of the same number of rows are alike. One probe
/// is off by a factor of two, about; the units themselves differ by a tenth to a third from their mean.
const PROBES_WORTH_OF_THE_MEAN: f64 = 16.0;

/// A placement of the first rows, and how many placements it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) node: Node,
    /// 2 where the mirrored placement is counted along, else 1.
    pub(crate) symmetry_weight: u8,
}

/// The mirror plan with the rows to split that the settings ask for. Where they leave it open: the fewest rows that keep
/// [`BUSY_ENOUGH`] of the workers busy and no unit above [`MOST_NODES`], the most rows where none do. With the plan come its
/// units and the nodes expected in all of them.
pub(super) fn mirror_plan(
    engine: &'static str,
    board: Board,
    settings: &Settings,
) -> Result<(Plan, Vec<Unit>, f64), PrepareError> {
    let choices = match settings.split_rows {
        None => 1..=MOST_SPLIT_ROWS,
        Some(given) if (1..=MOST_SPLIT_ROWS).contains(&given) => given..=given,
        Some(given) => return Err(PrepareError::SplitRows { given, most: MOST_SPLIT_ROWS }),
    };
    let mut rows = *choices.start();
    loop {
        let units = units(board, rows);
        let nodes = expected_nodes(board, &units);
        let plan = plan(engine, board, rows, &nodes);
        let fine_enough =
            plan.busy_share(settings.workers) >= BUSY_ENOUGH && nodes.iter().all(|&nodes| nodes <= MOST_NODES);
        if fine_enough || rows == *choices.end() {
            return Ok((plan, units, nodes.iter().sum()));
        }
        rows += 1;
    }
}

/// The plan whose units have so many nodes each. Its weights add up to about 2⁴⁰.
#[expect(clippy::cast_sign_loss, reason = "estimates are positive, and scaled to at most 2⁴⁰")]
fn plan(engine: &'static str, board: Board, rows: usize, nodes: &[f64]) -> Plan {
    let scale = 2_f64.powi(40) / nodes.iter().sum::<f64>();
    let weights = nodes.iter().map(|nodes| ((nodes * scale) as u64).max(1)).collect();
    Plan::new(engine, board, format!("mirror-{rows}"), weights, 1)
}

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

/// The nodes expected below each unit.
///
/// They are estimated by random probes, seeded alike on every machine, and drawn towards the mean of the units with as many
/// rows, the more so the fewer the probes. Counting the placements a few rows further down instead was tried: it is worse
/// than the mean alone, because queens at the edge leave more squares at first and fewer later.
fn expected_nodes(board: Board, units: &[Unit]) -> Vec<f64> {
    let probes = probes(board, units.len());
    let mut random = SplitMix64::new(board.size() as u64);
    let estimates: Vec<f64> = units.iter().map(|unit| estimate::nodes(unit.node, probes, &mut random)).collect();
    // The units with so many rows left: their number, and the sum of their estimates.
    let mut alike = [(0.0, 0.0); Board::MAX_SIZE + 1];
    for (unit, nodes) in units.iter().zip(&estimates) {
        let (number, sum) = &mut alike[unit.node.rows_left() as usize];
        *number += 1.0;
        *sum += nodes;
    }
    let share = f64::from(probes) / (f64::from(probes) + PROBES_WORTH_OF_THE_MEAN);
    let drawn = |(unit, estimate): (&Unit, f64)| {
        let (number, sum) = alike[unit.node.rows_left() as usize];
        share * estimate + (1.0 - share) * (sum / number)
    };
    units.iter().zip(estimates).map(drawn).collect()
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

    /// The node of the mirrored placement.
    fn mirrored(node: Node, size: usize) -> Node {
        let mirror = |mask: u32| mask.reverse_bits() >> (Board::MAX_SIZE - size);
        // What has left the board to the left would come back from the right.
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
        assert_eq!(name(16, 64), "mirror-3");
    }

    #[test]
    fn units_that_would_take_long_are_split_further() {
        for (size, name) in [(16, "mirror-1"), (17, "mirror-2"), (18, "mirror-3"), (32, "mirror-3")] {
            let (plan, ..) = mirror_plan("test", board(size), &Settings::default()).unwrap();
            assert_eq!(plan.name(), name, "N = {size}");
        }
    }

    #[test]
    fn asked_for_rows_are_kept_or_refused() {
        let with = |rows| mirror_plan("test", board(8), &Settings { split_rows: Some(rows), ..Settings::default() });
        assert_eq!(with(2).unwrap().0.name(), "mirror-2");
        for given in [0, 4] {
            assert_eq!(with(given), Err(PrepareError::SplitRows { given, most: 3 }));
        }
    }

    /// What the progress bar and the order of the units rest on: the estimates are better than to take units of as many
    /// rows for alike, even with the true mean of their nodes.
    #[test]
    fn expected_nodes_are_nearer_the_truth_than_the_mean() {
        for (size, rows) in [(12, 1), (12, 2), (12, 3), (13, 1), (13, 2), (13, 3), (14, 2), (14, 3)] {
            let units = units(board(size), rows);
            let nodes: Vec<f64> = units
                .iter()
                .map(|unit| {
                    let mut nodes = [0; 33];
                    scalar::count(unit.node, &mut nodes, &Cancel::new()).unwrap();
                    nodes.iter().sum::<u64>() as f64
                })
                .collect();
            let mean = |like: &Unit| {
                let alike = units.iter().zip(&nodes).filter(|(unit, _)| unit.node.rows_left() == like.node.rows_left());
                let alike: Vec<f64> = alike.map(|(_, &nodes)| nodes).collect();
                alike.iter().sum::<f64>() / alike.len() as f64
            };
            let error = |expected: Vec<f64>| {
                let scale = nodes.iter().sum::<f64>() / expected.iter().sum::<f64>();
                let squares =
                    nodes.iter().zip(expected).map(|(nodes, expected)| (scale * expected / nodes - 1.0).powi(2));
                (squares.sum::<f64>() / nodes.len() as f64).sqrt()
            };
            let (estimated, alike) =
                (error(expected_nodes(board(size), &units)), error(units.iter().map(mean).collect()));
            assert!(estimated < alike, "N = {size}, {rows} rows: off by {estimated:.3}, the mean by {alike:.3}");
        }
    }
}
