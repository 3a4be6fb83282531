//! What a part costs, estimated: how deep to thin the lanes, how heavy a unit is, how much memory it takes.
//!
//! The sizes come from random placements (Knuth's estimator), always the same ones; the times were measured on one core of
//! an Intel Xeon, family 6 model 207, with the AVX-512 kernel, by the benchmark `two_color` and in whole counts. Only their ratios
//! matter. The other kernels are slower at all of it, at thinning more than at counting; the depths are the same for all, because
//! they are part of the plan's weights.

use super::class::Class;
use super::counting::Roles;
use super::lists::TAIL;
use super::part::Axis;
use crate::estimate::SplitMix64;

/// Nanoseconds for a record of at most four rows: to read it, and to count the lanes of one plane.
const RECORD: f64 = 0.7;
const PLANE: f64 = 0.45;
/// A fifth row is one more table to read.
const PLANE_OF_FIVE_ROWS: f64 = 0.65;
/// Nanoseconds to begin a sublist, and for each entry of its tables of pairs and plane; every second list can use the table
/// of the first pair again.
const SUBLIST: f64 = 45.0;
const ENTRY: f64 = 0.6;
const TABLES: f64 = 1.3;
/// Nanoseconds to thin the lanes once more, and to slice one plane of what is left, for all lists that share the prefix.
const LEAF: f64 = 200.0;
const SLICE: f64 = 350.0;
/// How many lists share a prefix, about: of the *Ro* of a row block, and of the *Re* of a unit, which do not follow one
/// another as those do.
const SHARING: f64 = 8.0;
const SHARING_EXCHANGED: f64 = 2.0;
/// Nanoseconds to find one placement of a list or of the lanes.
const PLACEMENT: f64 = 15.0;

/// The number of random placements of a class.
const PROBES: usize = 64;

/// The placements of a class, estimated from random ones.
#[derive(Clone, Debug)]
struct Sample {
    /// The placements of the first rows, for every number of rows: on average over the row sets.
    placements: Vec<f64>,
    /// Placements of all rows: the diagonals after each row, and what the placement counts for.
    found: Vec<(Vec<u64>, f64)>,
}

impl Sample {
    fn new(class: &Class, row_sets: &[u16], random: &mut SplitMix64) -> Self {
        let mut placements = Vec::new();
        let mut found = Vec::new();
        for _ in 0..PROBES {
            let set = row_sets[random.below(row_sets.len() as u32) as usize];
            let mut weight = 1.0;
            let mut diagonals = vec![0];
            let complete = class.walk(set, random, |choices, reached| {
                weight *= f64::from(choices);
                diagonals.push(reached);
                placements.resize(placements.len().max(diagonals.len()), 0.0);
                placements[diagonals.len() - 1] += weight / PROBES as f64;
            });
            if complete {
                found.push((diagonals, weight));
            }
        }
        placements.resize(placements.len().max(1), 0.0);
        placements[0] = 1.0;
        Self { placements, found }
    }

    fn total(&self) -> f64 {
        self.found.iter().map(|(_, weight)| weight).sum::<f64>() / PROBES as f64
    }

    /// The share of the placements of `lanes` that the first `depth` queens of a placement leave.
    fn left(&self, depth: usize, lanes: &Sample) -> f64 {
        let (mut all, mut left) = (1e-9, 1e-9);
        for (prefix, weight) in &self.found {
            for (lane, lane_weight) in &lanes.found {
                let both = weight * lane_weight;
                all += both;
                if prefix[depth] & lane.last().expect("a placement has an end") == 0 {
                    left += both;
                }
            }
        }
        left / all
    }
}

/// What it costs to take the lists of one colour over its lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// The number of rows of a prefix that costs least.
    pub(super) depth: usize,
    /// Nanoseconds for one list and all lanes.
    pub(super) list: f64,
    /// Nanoseconds to find the placements of one list.
    pub(super) placing: f64,
    /// Bytes of one list, about.
    pub(super) list_bytes: f64,
    /// The number of lanes of one row set.
    pub(super) lanes: f64,
}

impl Cost {
    /// The cost of lists on the rows that `list_sets` name and lanes on those that `lane_sets` name, with the column sets of
    /// the lanes as on `axis`.
    pub(super) fn estimate(list: (&Class, &[u16]), lanes: (&Class, &[u16]), axis: &Axis, roles: Roles) -> Self {
        let sharing = match roles {
            Roles::Usual => SHARING,
            Roles::Exchanged => SHARING_EXCHANGED,
        };
        let random = &mut SplitMix64::new(list.1.len() as u64);
        let queens = list.1.first().map_or(0, |&set| list.0.rows(set).count());
        let list_sample = Sample::new(list.0, list.1, random);
        let lane_sample = Sample::new(lanes.0, lanes.1, random);
        let groups = axis.sets().len() as f64;
        let chunks = (groups / 64.0).ceil();
        let cost = |depth: usize| {
            let mean = lane_sample.total() * list_sample.left(depth, &lane_sample) / groups;
            // The fullest of 64 slots decides.
            let planes = ((mean + 2.5 * mean.sqrt() + 4.0) / 8.0).max(1.0);
            let plane = if queens - depth == TAIL { PLANE_OF_FIVE_ROWS } else { PLANE };
            let entries = (list.0.columns() - depth).pow(2) as f64;
            let Some(sublists) = list_sample.placements.get(depth) else { return f64::INFINITY };
            let records = list_sample.total() * (RECORD + plane * planes);
            let sublist = SUBLIST + TABLES * ENTRY * entries * planes + (LEAF + SLICE * planes) / sharing;
            chunks * (records + sublists * sublist)
        };
        let depths = queens.saturating_sub(TAIL)..=queens.saturating_sub(2).max(queens.saturating_sub(TAIL));
        let depth = depths.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).expect("there is a depth");
        let sublists = list_sample.placements.get(depth).copied().unwrap_or(0.0);
        Self {
            depth,
            list: cost(depth),
            placing: PLACEMENT * list_sample.total(),
            list_bytes: 4.0 * list_sample.total() + 48.0 * sublists,
            lanes: lane_sample.total(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::two_color::geometry::{Colour, Geometry, Parity};
    use crate::engine::two_color::part::Part;

    #[test]
    fn the_number_of_placements_is_estimated_to_a_third() {
        let geometry = Geometry::new(Board::new(16).unwrap());
        let part = Part::all(geometry).pop().unwrap();
        let class = Class::new(geometry, Colour::Black, Parity::Odd);
        let axis = part.axis(Parity::Even);
        let mut lanes = super::super::lanes::Lanes::default();
        let mut placements = 0;
        for &set in part.odd_rows() {
            lanes.fill(&class, axis, set, axis.sets().len(), &mut Vec::new());
            placements += (0..axis.sets().len()).map(|rank| lanes.group(rank).len()).sum::<usize>();
        }
        let mean = placements as f64 / part.odd_rows().len() as f64;
        let estimate = Sample::new(&class, part.odd_rows(), &mut SplitMix64::new(1)).total();
        assert!((estimate / mean).ln().abs() < 0.3, "{estimate} for {mean}");
    }
}
