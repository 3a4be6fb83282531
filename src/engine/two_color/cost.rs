//! The estimated cost of a part: how long prefixes should be, how heavy a unit is, how much memory it takes.
//!
//! The sizes come from random placements (Knuth's estimator), always the same ones; the times were measured on one core
//! of an Intel Xeon, family 6 model 207, with the AVX-512 kernel, by the benchmark `two_color` and in whole counts.
//! Only their ratios matter. The other kernels are slower at all of it, at thinning more than at counting; the depths
//! are the same for all, because they are part of the plan's work.

use super::lines::LineSet;
use super::probe_side::TAIL;
use super::simd::{MOST_TIGHT_BLOCKS, OF_BLOCK};
use super::squares::SquareClass;
use super::tuples::RankedSets;
use crate::random::SplitMix64;

/// Nanoseconds for a record of at most four rows: to read it, and to count the build placements of one plane.
const RECORD: f64 = 0.7;
const PLANE: f64 = 0.45;
/// A fifth row is one more table to read.
const PLANE_OF_FIVE_ROWS: f64 = 0.65;
/// Nanoseconds to begin a segment, and for each entry of its pair tables and plane. Every second segment can use the
/// table of the first pair again.
const SEGMENT: f64 = 45.0;
const ENTRY: f64 = 0.6;
const TABLES: f64 = 1.3;
/// Nanoseconds to thin the survivors by one queen more, and to slice one plane of them, for all lists that share the
/// prefix.
const PREFIX: f64 = 200.0;
const SLICE: f64 = 350.0;
/// Nanoseconds to look at a block of a tight slice for a record, and to add the matrix entry of a compatible pair, fitted
/// to units of N = 22 and 25 on a Zen 5: they only serve to compare row sets and parts with each other. In parts for which
/// they come to less than a share of a sweep in slots, [`Loops::ONE_BY_ONE`](super::simd::Loops::ONE_BY_ONE) decides for
/// each row set.
const TIGHT_BLOCK: f64 = 0.35;
const COMPATIBLE_PAIR: f64 = 5.0;
const MOST_OF_PART: f64 = 0.4;
/// The share of its survivors that each queen leaves, relative to the queen before it (measured for N = 22 to 28).
const THINNING: f64 = 0.9;
/// The share of a tight slice that the survivors of a band are to fill, and the most build placements of a band, so that
/// they take 100 MB at most.
const FILLED: f64 = 0.9;
const MOST_OF_BAND: f64 = 4e6;
/// Nanoseconds to find one placement.
const PLACEMENT: f64 = 15.0;

/// The number of random placements of a class.
const PROBES: usize = 64;

/// The placements of a square class, estimated from random ones.
#[derive(Clone, Debug)]
struct Sample {
    /// By the number of first rows, the number of placements on those: the mean over the row sets.
    placements: Vec<f64>,
    /// Placements on all rows: the diagonal mask after each row, and the number of placements that it stands for.
    found: Vec<(Vec<u64>, f64)>,
}

impl Sample {
    fn new(class: &SquareClass, row_sets: &[LineSet], random: &mut SplitMix64) -> Self {
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

    /// The share of the build placements that survive a prefix of `depth` queens.
    fn surviving(&self, depth: usize, build: &Sample) -> f64 {
        let (mut all, mut left) = (1e-9, 1e-9);
        for (prefix, weight) in &self.found {
            for (placement, placement_weight) in &build.found {
                let both = weight * placement_weight;
                all += both;
                if prefix[depth] & placement.last().expect("a placement has an end") == 0 {
                    left += both;
                }
            }
        }
        left / all
    }
}

/// What it costs to multiply compatible pairs one by one, as estimated.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneByOneCost {
    /// The number of chunks whose survivors fill a tight slice.
    pub(super) band: usize,
    /// The time that it takes, relative to a sweep in slots, for each build placement of a chunk.
    pub(super) share: f64,
}

/// The cost of sweeping the probe side of one colour over its build side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// The length of prefixes, in rows: that which costs least on a CPU, or one more for a GPU.
    pub(super) depth: usize,
    /// Nanoseconds for one probe list and the whole build side, in slots.
    pub(super) sweep: f64,
    /// Where compatible pairs may be so rare that they are best multiplied one by one.
    pub(super) one_by_one: Option<OneByOneCost>,
    /// Nanoseconds to find the placements of one probe list.
    pub(super) placing: f64,
    /// Nanoseconds to find the placements of one build side.
    pub(super) building: f64,
    /// Bytes of one probe list, estimated.
    pub(super) list_bytes: f64,
    /// The number of build placements on one row set, in the build groups of the part, estimated.
    pub(super) build_placements: f64,
}

impl Cost {
    /// Estimates the cost of a probe side and a build side, each given as a square class and the row sets it may stand
    /// on. The columns of the build side are those of `sets`. With prefixes of a depth, so many probe lists share one as
    /// `sharing` says, in the mean.
    pub(super) fn estimate(
        probe: (&SquareClass, &[LineSet]),
        build: (&SquareClass, &[LineSet]),
        sets: &RankedSets,
        sharing: impl Fn(usize) -> f64,
    ) -> Self {
        let random = &mut SplitMix64::new(probe.1.len() as u64);
        let queens = probe.1.first().map_or(0, |&set| probe.0.rows(set).count());
        let probe_sample = Sample::new(probe.0, probe.1, random);
        let build_sample = Sample::new(build.0, build.1, random);
        let groups = sets.len() as f64;
        let build_queens = build.1.first().map_or(0, |&set| build.0.rows(set).count());
        let all_groups = LineSet::of_size(build.0.columns.len(), build_queens).count().max(1) as f64;
        let chunks = (groups / 64.0).ceil();
        let cost = |depth: usize| {
            let mean = build_sample.total() * probe_sample.surviving(depth, &build_sample) / groups;
            // The fullest of 64 slots decides.
            let planes = ((mean + 2.5 * mean.sqrt() + 4.0) / 8.0).max(1.0);
            let plane = if queens - depth == TAIL { PLANE_OF_FIVE_ROWS } else { PLANE };
            let entries = (probe.0.columns.len() - depth).pow(2) as f64;
            let Some(segments) = probe_sample.placements.get(depth) else { return f64::INFINITY };
            let records = probe_sample.total() * (RECORD + plane * planes);
            let segment = SEGMENT + TABLES * ENTRY * entries * planes + (PREFIX + SLICE * planes) / sharing(depth);
            chunks * (records + segments * segment)
        };
        let depths = queens.saturating_sub(TAIL)..=queens.saturating_sub(2).max(queens.saturating_sub(TAIL));
        let costs = depths.map(|depth| (depth, cost(depth)));
        let (depth, sweep) = costs.min_by(|(_, a), (_, b)| a.total_cmp(b)).expect("there is a depth");
        let segments = probe_sample.placements.get(depth).copied().unwrap_or(0.0);
        let build_placements = build_sample.total() * groups / all_groups;
        // The samples are too small for what many queens leave, but not for what the first does.
        let left_by = |queens: usize| {
            let (first, later) = (probe_sample.surviving(1, &build_sample), queens * (queens - 1) / 2);
            build_sample.total() * first.powf(queens as f64) * THINNING.powf(later as f64)
        };
        let one_by_one = (depth > 0).then(|| (left_by(depth), left_by(queens))).and_then(|(survivors, compatible)| {
            let record = TIGHT_BLOCK * survivors / OF_BLOCK as f64 + COMPATIBLE_PAIR * compatible;
            let of_band = FILLED * (MOST_TIGHT_BLOCKS * OF_BLOCK) as f64 / survivors;
            let fitting = chunks * of_band.min(MOST_OF_BAND / build_placements);
            let share = probe_sample.total() * record / sweep;
            let band = (fitting as usize).max(1);
            (share < MOST_OF_PART).then_some(OneByOneCost { band, share: share * chunks / build_placements })
        });
        Self {
            depth,
            sweep,
            one_by_one,
            placing: PLACEMENT * probe_sample.total(),
            building: PLACEMENT * build_sample.total(),
            list_bytes: 4.0 * probe_sample.total() + 48.0 * segments,
            build_placements,
        }
    }
}
