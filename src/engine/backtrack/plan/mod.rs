//! The cut of the tree into units, and its choice.
//!
//! - `mirror` makes a unit of each placement of the first rows, one of each mirrored pair;
//! - `choice` says how many rows that are.

mod choice;
mod mirror;

pub(crate) use mirror::units as mirror_units;

use super::node::Node;
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::{Engine, Kernel, Plan, PrepareError, Settings};
use crate::estimate::{self, SplitMix64};
use std::ops::RangeInclusive;

/// The numbers of rows that a plan can be split at.
pub const SPLIT_ROWS: RangeInclusive<usize> = 1..=3;

/// The largest number of random probes for a unit.
const MOST_PROBES: usize = 256;

/// The number of probes that weigh as much as the mean of the units with the same number of rows left. One probe is off
/// by a factor of about two; the units themselves differ by a tenth to a third from their mean.
const PROBES_WORTH_OF_THE_MEAN: f64 = 16.0;

/// A placement of some queens and the number of placements it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) node: Node,
    /// The number of placements that the unit stands for: itself and its mirror images.
    pub(crate) symmetry_weight: u8,
}

impl Unit {
    /// The numbers that tell the unit from others.
    fn numbers(&self) -> [u64; 4] {
        let Node { columns, falling, rising } = self.node;
        [columns, falling, rising, self.symmetry_weight.into()].map(u64::from)
    }

    /// Returns one unit for each free square of the next row; the unit itself where no row is left.
    fn split(&self) -> Vec<Self> {
        if self.node.rows_left() == 0 {
            return vec![*self];
        }
        self.node.children().map(|(_, node)| Self { node, ..*self }).collect()
    }
}

/// A count cut into units.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) plan: Plan,
    pub(super) units: Vec<Unit>,
    /// The nodes expected in each unit.
    nodes: Vec<f64>,
}

impl Cut {
    /// Cuts the count of a board at the rows that the settings ask for, or else at those that suit their workers.
    ///
    /// # Errors
    /// When no plan is split at so many rows, or `cancel` is set.
    pub(super) fn new(board: Board, settings: &Settings, cancel: &Cancel) -> Result<Self, PrepareError> {
        let at = |rows| Self::at(board, rows, cancel);
        match settings.split_rows {
            None => Ok(choice::split(SPLIT_ROWS.map(at), settings.workers)?),
            Some(given) if SPLIT_ROWS.contains(&given) => Ok(at(given)?),
            Some(given) => Err(PrepareError::SplitRows { given }),
        }
    }

    fn at(board: Board, rows: usize, cancel: &Cancel) -> Result<Self, Cancelled> {
        let units = mirror::units(board, rows);
        let nodes = expected_nodes(board, &units, cancel)?;
        let plan = Plan::new(Engine::Backtrack, board, format!("mirror-{rows}"), work(&nodes), 1);
        let weights = units.iter().map(|unit| unit.symmetry_weight).collect();
        let plan = plan.marked(units.iter().flat_map(Unit::numbers), weights);
        Ok(Self { plan, units, nodes })
    }

    /// The seconds that a kernel is expected to take for all units, on the machine of [`choice`].
    pub(super) fn expected_seconds(&self, kernel: Kernel) -> f64 {
        self.all_nodes() / choice::nodes_per_second(kernel)
    }

    /// The nodes expected in all units.
    fn all_nodes(&self) -> f64 {
        self.nodes.iter().sum()
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
    let mut estimate = |unit: &Unit| cancel.check().map(|()| estimate::nodes(unit.node, probes, &mut random));
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
    use super::*;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    #[test]
    fn asked_for_rows_are_kept_or_refused() {
        for given in 0..=4 {
            let settings = Settings { split_rows: Some(given), ..Settings::default() };
            let cut = Cut::new(board(8), &settings, &Cancel::new());
            if (1..=3).contains(&given) {
                assert_eq!(cut.ok().unwrap().plan.name(), format!("mirror-{given}"));
            } else {
                assert_eq!(cut.err(), Some(PrepareError::SplitRows { given }));
            }
        }
    }
}
