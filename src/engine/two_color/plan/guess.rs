//! What is guessed of the sides of a part: how long prefixes should be, how large the sides are, what a sweep takes.
//!
//! No unit and no partial count depends on a guess: a better one may come at any time. The sizes are those of random
//! placements (Knuth's estimator), always the same ones; the times were measured on one core of an Intel Xeon, family 6
//! model 207, with the AVX-512 kernel, and only their ratios matter.

use crate::engine::two_color::sides::TAIL;
use crate::engine::two_color::simd::{MOST_TIGHT_BLOCKS, OF_BLOCK, SLOTS};
use crate::engine::two_color::tuples::{LineSet, RankedSets, SquareClass};
use crate::random::SplitMix64;

/// The number of random placements of a class.
const PROBES: usize = 64;

/// Nanoseconds to find one placement.
const FINDING: f64 = 15.0;

/// Placements of a square class, found at random.
struct Sample {
    /// By the number of first rows, the number of placements on those: the mean over the row sets.
    placements: Vec<f64>,
    /// Complete placements: the diagonal masks of the first queen and of all, and the number of placements that each
    /// stands for.
    complete: Vec<([u64; 2], f64)>,
}

impl Sample {
    fn new(class: &SquareClass, row_sets: &[LineSet], random: &mut SplitMix64) -> Self {
        let queens = row_sets.first().map_or(0, |&set| class.rows(set).count());
        let mut sample = Self { placements: vec![0.0; queens + 1], complete: Vec::new() };
        sample.placements[0] = 1.0;
        for _ in 0..PROBES {
            let set = row_sets[random.below(row_sets.len() as u32) as usize];
            let (mut weight, mut diagonals, mut row) = (1.0 / PROBES as f64, [0; 2], 0);
            let is_complete = class.walk(set, random, |choices, reached| {
                weight *= f64::from(choices);
                row += 1;
                sample.placements[row] += weight;
                diagonals = [if row == 1 { reached } else { diagonals[0] }, reached];
            });
            if is_complete {
                sample.complete.push((diagonals, weight));
            }
        }
        sample
    }

    fn total(&self) -> f64 {
        self.complete.iter().map(|(_, weight)| weight).sum()
    }

    /// The share of the build placements that the first queen of a placement does not attack.
    fn left_by_first(&self, build: &Sample) -> f64 {
        let (mut all, mut left) = (1e-9, 1e-9);
        for ([first, _], weight) in &self.complete {
            for ([_, diagonals], of_build) in &build.complete {
                all += weight * of_build;
                left += if first & diagonals == 0 { weight * of_build } else { 0.0 };
            }
        }
        left / all
    }
}

/// What is guessed of the probe side and the build side of one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    /// The length of prefixes, in rows: that which costs least on a CPU, or one more for a GPU.
    pub(crate) depth: usize,
    /// Nanoseconds for one probe list and the whole build side, in slots.
    pub(crate) sweep: f64,
    /// Where compatible pairs may be so rare that they are best multiplied one by one.
    pub(crate) one_by_one: Option<OneByOneGuess>,
    /// The placements of one probe list, and its prefixes.
    probe: [f64; 2],
    /// The placements of one build side.
    build: f64,
    /// The share of these that are in the buckets of the part.
    grouped: f64,
}

/// What is guessed where compatible pairs may be multiplied one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneByOneGuess {
    /// The number of chunks whose survivors fill a tight slice.
    pub(crate) panel: usize,
    /// The time that it takes, relative to a sweep in slots, for each build placement of a chunk.
    pub(crate) share: f64,
}

impl Guess {
    /// Guesses for a probe side and a build side, each given as a square class and the row sets it may stand on. The
    /// columns of the build side are those of `sets`. So many probe lists share a prefix, in the mean, as `sharing` says.
    pub(crate) fn new(
        probe: (&SquareClass, &[LineSet]),
        build: (&SquareClass, &[LineSet]),
        sets: &RankedSets,
        sharing: f64,
    ) -> Self {
        let random = &mut SplitMix64::new(probe.1.len() as u64);
        let [of_probe, of_build] = [probe, build].map(|(class, row_sets)| Sample::new(class, row_sets, random));
        let [queens, build_queens] = [&of_probe, &of_build].map(|sample| sample.placements.len() - 1);
        let [probe_total, build_total] = [&of_probe, &of_build].map(Sample::total);
        let buckets = sets.len() as f64;
        let chunks = (buckets / SLOTS as f64).ceil();
        let left_by_first = of_probe.left_by_first(&of_build);
        // The build placements that so many queens leave. Each queen leaves 0.9 of the share that the queen before it left,
        // as measured for N = 22 to 28.
        let left_by = |queens: usize| {
            let later = queens * queens.saturating_sub(1) / 2;
            build_total * left_by_first.powf(queens as f64) * 0.9_f64.powf(later as f64)
        };
        let sweep = |depth: usize| {
            if of_probe.placements[depth] == 0.0 {
                return f64::INFINITY;
            }
            let mean = left_by(depth) / buckets;
            // The fullest of 64 slots decides.
            let planes = ((mean + 2.5 * mean.sqrt() + 4.0) / 8.0).max(1.0);
            // A record of five rows has one more table to read.
            let record = 0.7 + planes * if queens - depth == TAIL { 0.65 } else { 0.45 };
            // To begin a segment, its two-row tables, and its prefix, which several lists share.
            let tables = 0.78 * planes * (probe.0.columns.len() - depth).pow(2) as f64;
            let segment = 45.0 + tables + (200.0 + 350.0 * planes) / sharing;
            chunks * (probe_total * record + of_probe.placements[depth] * segment)
        };
        let depths = queens.saturating_sub(TAIL)..=queens.saturating_sub(2);
        let sweeps = depths.map(|depth| (depth, sweep(depth)));
        let (depth, sweep) = sweeps.min_by(|(_, one), (_, other)| one.total_cmp(other)).expect("there is a depth");
        let all_buckets = LineSet::of_size(build.0.columns.len(), build_queens).count().max(1) as f64;
        let grouped = buckets / all_buckets;
        let one_by_one = (depth > 0).then(|| (left_by(depth), left_by(queens))).and_then(|(survivors, compatible)| {
            // To look at the blocks of a tight slice, and to add the matrix entry of each compatible pair.
            let record = 0.35 * survivors / OF_BLOCK as f64 + 5.0 * compatible;
            let share = probe_total * record / sweep;
            // The survivors are to fill a tight slice, and the build placements of a panel take 100 MB at most.
            let fitting = (0.9 * (MOST_TIGHT_BLOCKS * OF_BLOCK) as f64 / survivors).min(4e6 / (build_total * grouped));
            let panel = ((chunks * fitting) as usize).max(1);
            // Where it is less than this, `Loops::ONE_BY_ONE` decides for each row set.
            (share < 0.4).then_some(OneByOneGuess { panel, share: share * chunks / (build_total * grouped) })
        });
        let probe = [probe_total, of_probe.placements[depth]];
        Self { depth, sweep, one_by_one, probe, build: build_total, grouped }
    }

    /// Nanoseconds to find the placements of one probe list.
    pub(crate) fn placing(&self) -> f64 {
        FINDING * self.probe[0]
    }

    /// Bytes of one probe list.
    pub(crate) fn list_bytes(&self) -> f64 {
        4.0 * self.probe[0] + 48.0 * self.probe[1]
    }

    /// Nanoseconds to find the placements of one build side.
    pub(crate) fn building(&self) -> f64 {
        FINDING * self.build
    }

    /// The placements of a build side that are kept.
    pub(crate) fn build_placements(&self) -> f64 {
        self.build * self.grouped
    }
}
