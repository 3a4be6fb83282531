//! How the tree is cut into units, and how the cut is chosen.
//!
//! - `mirror` makes a unit of each placement of the first rows, one of each mirrored pair;
//! - `edges` makes one of each pair of queens in the edge columns, one of four.

mod choice;
mod edges;
mod mirror;

pub(crate) use mirror::units as mirror_units;

use super::node::{Node, Tree};
use super::rows::Rows;
use crate::board::Board;
use crate::engine::{Kernel, Plan, PrepareError, Settings, Symmetry};
use crate::estimate::{self, SplitMix64};
use std::ops::RangeInclusive;

/// The largest number of rows that a plan is split at.
pub const MOST_SPLIT_ROWS: usize = 3;

/// The largest number of random probes for a unit.
const MOST_PROBES: usize = 256;

/// How many probes weigh as much as what is known without any, that units of the same number of rows are alike. One probe
/// is off by a factor of two, about; the units themselves differ by a tenth to a third from their mean.
const PROBES_WORTH_OF_THE_MEAN: f64 = 16.0;

/// A placement of some queens, and how many placements it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) node: Node,
    /// The rows from which those that the node has left are the last.
    pub(crate) rows: Rows,
    /// The number of placements, its mirror images among them, that are counted along.
    pub(crate) symmetry_weight: u8,
}

impl Unit {
    /// One unit for each square of the next row.
    fn split(&self) -> Vec<Self> {
        let queens = self.node.children().map(|(column, _)| 1 << column);
        let step = || self.rows.step(self.node.rows_left());
        queens.map(|queen| Self { node: self.node.place_above(queen, step()), ..self.clone() }).collect()
    }
}

impl Symmetry {
    /// The numbers of rows that its plan can be split at.
    pub(super) fn splits(self) -> RangeInclusive<usize> {
        match self {
            Symmetry::Mirror => 1..=MOST_SPLIT_ROWS,
            Symmetry::Edges => 0..=2,
        }
    }

    /// The columns that its nodes have, in use or not.
    fn columns(self, board: Board) -> usize {
        match self {
            Symmetry::Mirror => board.size(),
            Symmetry::Edges => board.size().saturating_sub(2),
        }
    }

    fn units(self, board: Board, rows: usize) -> Vec<Unit> {
        match self {
            Symmetry::Mirror => mirror::units(board, rows),
            Symmetry::Edges => edges::units(board, rows),
        }
    }
}

/// A count cut into units.
pub(super) struct Cut {
    pub(super) plan: Plan,
    pub(super) units: Vec<Unit>,
    /// The columns of the units' nodes.
    pub(super) columns: usize,
    /// The nodes expected in each.
    nodes: Vec<f64>,
}

impl Cut {
    /// The cut that the settings ask for, with the symmetry and the rows that suit the kernel where they leave them open.
    pub(super) fn new(
        engine: &'static str,
        board: Board,
        settings: &Settings,
        kernel: Kernel,
    ) -> Result<Self, PrepareError> {
        let symmetry = settings.symmetry.unwrap_or_else(|| choice::symmetry(board, kernel));
        let splits = symmetry.splits();
        match settings.split_rows {
            Some(given) if splits.contains(&given) => Ok(Self::at(engine, board, symmetry, given)),
            Some(given) => {
                Err(PrepareError::SplitRows { symmetry, given, least: *splits.start(), most: *splits.end() })
            }
            None => Ok(choice::split(splits.map(|rows| Self::at(engine, board, symmetry, rows)), settings.workers, kernel)),
        }
    }

    fn at(engine: &'static str, board: Board, symmetry: Symmetry, rows: usize) -> Self {
        let units = symmetry.units(board, rows);
        let nodes = expected_nodes(board, &units);
        let plan = Plan::new(engine, board, format!("{}-{rows}", symmetry.name()), weights(&nodes), 1);
        Self { plan, units, columns: symmetry.columns(board), nodes }
    }

    /// The nodes expected in all units.
    pub(super) fn expected_nodes(&self) -> f64 {
        self.nodes.iter().sum()
    }

    /// The nodes expected in the unit with the most.
    fn most_nodes(&self) -> f64 {
        self.nodes.iter().copied().fold(0.0, f64::max)
    }
}

/// The weights of units with so many nodes each. They add up to about 2⁴⁰.
#[expect(clippy::cast_sign_loss, reason = "estimates are positive, and scaled to at most 2⁴⁰")]
fn weights(nodes: &[f64]) -> Vec<u64> {
    let scale = 2_f64.powi(40) / nodes.iter().sum::<f64>();
    nodes.iter().map(|nodes| ((nodes * scale) as u64).max(1)).collect()
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
    let estimates: Vec<f64> =
        units.iter().map(|unit| estimate::nodes(Tree { node: unit.node, rows: &unit.rows }, probes, &mut random)).collect();
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
