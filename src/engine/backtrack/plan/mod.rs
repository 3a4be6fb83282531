//! The cut of the tree into units, and its choice.
//!
//! - `mirror` makes a unit of each placement of the first rows, one of each mirrored pair;
//! - `edges` makes one of each pair of queens in the edge columns, one of four.

mod choice;
mod edges;
mod mirror;

pub(crate) use mirror::units as mirror_units;

use super::node::{Node, Tree};
use super::rows::{Rows, Step};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::{Engine, Kernel, Plan, PrepareError, Settings, SymmetryReduction};
use crate::estimate::{self, SplitMix64};
use std::ops::RangeInclusive;

/// The largest number of rows that a plan is split at.
pub const MOST_SPLIT_ROWS: usize = 3;

/// The largest number of random probes for a unit.
const MOST_PROBES: usize = 256;

/// The number of probes that weigh as much as the mean of the units with the same number of rows left. One probe is off
/// by a factor of about two; the units themselves differ by a tenth to a third from their mean.
const PROBES_WORTH_OF_THE_MEAN: f64 = 16.0;

/// A placement of some queens and the number of placements it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) node: Node,
    /// The rows to fill. Those that the node has left are the last of them.
    pub(crate) rows: Rows,
    /// The number of placements that the unit stands for: itself and its mirror images.
    pub(crate) symmetry_weight: u8,
}

impl Unit {
    /// The numbers that tell the unit from others.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let Node { columns, falling, rising } = self.node;
        let steps = self.rows.steps().unwrap_or_default();
        let rows = steps.iter().flat_map(|&Step { gap, falling, rising }| [gap, falling, rising]);
        [columns, falling, rising, self.symmetry_weight.into()].into_iter().chain(rows).map(u64::from)
    }

    /// Returns one unit for each free square of the next row; the unit itself where no row is left.
    fn split(&self) -> Vec<Self> {
        if self.node.rows_left() == 0 {
            return vec![self.clone()];
        }
        let queens = self.node.children().map(|(column, _)| 1 << column);
        let step = || self.rows.step(self.node.rows_left());
        queens.map(|queen| Self { node: self.node.place_above(queen, step()), ..self.clone() }).collect()
    }
}

impl SymmetryReduction {
    /// The numbers of rows that a plan can be split at.
    pub(super) fn splits(self) -> RangeInclusive<usize> {
        match self {
            SymmetryReduction::Mirror => 1..=MOST_SPLIT_ROWS,
            SymmetryReduction::Edges => 0..=2,
        }
    }

    /// The number of columns that the nodes have, in use or not.
    pub(super) fn columns(self, board: Board) -> usize {
        match self {
            SymmetryReduction::Mirror => board.size(),
            SymmetryReduction::Edges => board.size().saturating_sub(2),
        }
    }

    /// Returns the units of the plan that is split at `rows` rows.
    pub(super) fn units(self, board: Board, rows: usize) -> Vec<Unit> {
        match self {
            SymmetryReduction::Mirror => mirror::units(board, rows),
            SymmetryReduction::Edges => edges::units(board, rows),
        }
    }
}

/// A count cut into units.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) plan: Plan,
    pub(super) units: Vec<Unit>,
    /// The columns of the units' nodes.
    pub(super) columns: usize,
    /// The nodes expected in each unit.
    nodes: Vec<f64>,
}

impl Cut {
    /// Cuts the count of a board as the settings ask for, with the symmetry and the rows that suit the kernel where
    /// they leave them open.
    ///
    /// # Errors
    /// When the number of rows does not suit the symmetry, or `cancel` is set.
    pub(super) fn new(
        board: Board,
        settings: &Settings,
        kernel: Kernel,
        cancel: &Cancel,
    ) -> Result<Self, PrepareError> {
        let symmetry = settings.symmetry.unwrap_or_else(|| choice::symmetry(board, kernel));
        let Some(given) = settings.split_rows else {
            let cuts = symmetry.splits().map(|rows| Self::at(board, symmetry, rows, cancel));
            return Ok(choice::split(cuts, settings.workers, kernel)?);
        };
        let can = |symmetry: SymmetryReduction| symmetry.splits().contains(&given);
        // Where the symmetry is open, the rows that are asked for may choose it.
        let other = || SymmetryReduction::ALL.iter().copied().find(|&other| settings.symmetry.is_none() && can(other));
        let able = Some(symmetry).filter(|&symmetry| can(symmetry)).or_else(other);
        let (least, most) = symmetry.splits().into_inner();
        let symmetry = able.ok_or(PrepareError::SplitRows { symmetry, given, least, most })?;
        Ok(Self::at(board, symmetry, given, cancel)?)
    }

    fn at(board: Board, symmetry: SymmetryReduction, rows: usize, cancel: &Cancel) -> Result<Self, Cancelled> {
        let units = symmetry.units(board, rows);
        let nodes = expected_nodes(board, &units, cancel)?;
        let plan = Plan::new(Engine::Backtrack, board, format!("{symmetry}-{rows}"), work(&nodes), 1);
        let weights = units.iter().map(|unit| unit.symmetry_weight).collect();
        let plan = plan.marked(units.iter().flat_map(Unit::numbers), weights);
        Ok(Self { plan, units, columns: symmetry.columns(board), nodes })
    }

    /// The seconds that a kernel is expected to take for all units, on the machine of [`choice`].
    pub(super) fn expected_seconds(&self, kernel: Kernel) -> f64 {
        let speed = choice::speed(kernel);
        self.nodes.iter().sum::<f64>() / speed.nodes_per_second + self.units.len() as f64 * speed.seconds_per_unit
    }

    /// The nodes expected in the unit with the most.
    fn most_nodes(&self) -> f64 {
        self.nodes.iter().copied().fold(0.0, f64::max)
    }
}

/// Returns the work of units with these numbers of nodes. It adds up to about 2⁴⁰.
#[expect(clippy::cast_sign_loss, reason = "estimates are positive, and scaled to at most 2⁴⁰")]
fn work(nodes: &[f64]) -> Vec<u64> {
    let scale = 2_f64.powi(40) / nodes.iter().sum::<f64>();
    nodes.iter().map(|nodes| ((nodes * scale) as u64).max(1)).collect()
}

/// Returns the number of probes for each of `units` units. All together they grow more slowly than the tree: estimating
/// takes about a hundredth of the time of counting at N = 13, ever less beyond, and never more than a fraction of a
/// second.
fn probes(board: Board, units: usize) -> u32 {
    let all = 1 << board.size().saturating_sub(4).min(18);
    (all / units.max(1)).clamp(1, MOST_PROBES) as u32
}

/// Estimates the nodes below each unit.
///
/// The estimates are those of random probes, seeded alike on every machine, drawn towards the mean of the units with
/// the same number of rows left, the more so the fewer the probes. Counting the placements a few rows further down
/// instead was tried: it is worse than the mean alone, because queens at the edge leave more squares at first and fewer
/// later.
fn expected_nodes(board: Board, units: &[Unit], cancel: &Cancel) -> Result<Vec<f64>, Cancelled> {
    let probes = probes(board, units.len());
    let mut random = SplitMix64::new(board.size() as u64);
    let mut estimate = |unit: &Unit| {
        if cancel.is_cancelled() {
            return Err(Cancelled);
        }
        Ok(estimate::nodes(Tree { node: unit.node, rows: &unit.rows }, probes, &mut random))
    };
    let estimates = units.iter().map(&mut estimate).collect::<Result<Vec<f64>, _>>()?;
    // The number of units and the sum of their estimates, by the rows they have left.
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
    Ok(units.iter().zip(estimates).map(drawn).collect())
}

#[cfg(test)]
mod tests {
    use super::super::scalar;
    use super::*;
    use crate::published;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    #[test]
    fn partial_counts_add_up_to_the_published_total_for_any_split() {
        let partial = |unit: &Unit| {
            let count = scalar::count(unit.node, &unit.rows, &mut (), &Cancel::new());
            u128::from(unit.symmetry_weight) * count.unwrap()
        };
        for (size, symmetry) in
            (1..=12).flat_map(|size| SymmetryReduction::ALL.iter().map(move |&symmetry| (size, symmetry)))
        {
            for rows in *symmetry.splits().start()..=6 {
                let total: u128 = symmetry.units(board(size), rows).iter().map(partial).sum();
                assert_eq!(Some(total), published::total(board(size)), "N = {size}, {symmetry}-{rows}");
            }
        }
    }

    #[test]
    fn asked_for_rows_are_kept_or_refused() {
        for (symmetry, least, most) in [(SymmetryReduction::Mirror, 1, 3), (SymmetryReduction::Edges, 0, 2)] {
            for given in 0..=4 {
                let settings = Settings { symmetry: Some(symmetry), split_rows: Some(given), ..Settings::default() };
                let cut = Cut::new(board(8), &settings, Kernel::Scalar, &Cancel::new());
                if (least..=most).contains(&given) {
                    assert_eq!(cut.ok().unwrap().plan.name(), format!("{symmetry}-{given}"));
                } else {
                    assert_eq!(cut.err(), Some(PrepareError::SplitRows { symmetry, given, least, most }));
                }
            }
        }
        for (given, name) in [(0, "edges-0"), (1, "mirror-1"), (3, "mirror-3")] {
            let settings = Settings { split_rows: Some(given), ..Settings::default() };
            assert_eq!(Cut::new(board(8), &settings, Kernel::Scalar, &Cancel::new()).ok().unwrap().plan.name(), name);
        }
    }

    /// The progress bar and the order of the units rest on the estimates. They are nearer the truth than the true mean
    /// of all units with the same number of rows left.
    #[test]
    fn expected_nodes_are_nearer_the_truth_than_the_mean() {
        use SymmetryReduction::{Edges, Mirror};
        let (few, many) = ([(Mirror, 1), (Edges, 0)], [(Mirror, 2), (Mirror, 3), (Edges, 1), (Edges, 2)]);
        let plans =
            [12, 13].map(|size| (size, [&few[..], &many[..]].concat())).into_iter().chain([(14, many.to_vec())]);
        for (size, (symmetry, rows)) in plans.flat_map(|(size, plans)| plans.into_iter().map(move |plan| (size, plan)))
        {
            let units = symmetry.units(board(size), rows);
            let nodes: Vec<f64> = units
                .iter()
                .map(|unit| {
                    let mut nodes = [0; 33];
                    scalar::count(unit.node, &unit.rows, &mut nodes, &Cancel::new()).unwrap();
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
            let (estimated, alike) = (
                error(expected_nodes(board(size), &units, &Cancel::new()).unwrap()),
                error(units.iter().map(mean).collect()),
            );
            assert!(estimated < alike, "N = {size}, {symmetry}-{rows}: off by {estimated:.3}, the mean by {alike:.3}");
        }
    }
}
