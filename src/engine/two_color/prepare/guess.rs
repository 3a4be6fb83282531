//! Guesses about the sides of a part: how long prefixes should be, how large the sides are, how long a sweep takes.
//!
//! No unit and no partial count depends on a guess, so a better one may come at any time. The sizes come from random
//! placements (Knuth's estimator), which are always the same ones. The times were measured on one core of an Intel
//! Xeon, family 6 model 207, with the AVX-512 kernel, November 2026; only their ratios matter.

use crate::engine::two_color::sides::TAIL;
use crate::engine::two_color::simd::{MOST_TIGHT_BLOCKS, PLACEMENTS_PER_BLOCK, SLOTS};
use crate::engine::two_color::tuples::{LineSet, Parity, Part, SquareClass};
use crate::random::SplitMix64;

/// The number of random walks for a class.
const PROBES: usize = 64;

/// The nanoseconds to find one placement.
const FINDING: f64 = 15.0;

/// Placements of a square class, found at random.
struct Sample {
    /// The number of placements on the first 0, 1, 2, … rows: the mean over the row sets.
    placements: Vec<f64>,
    /// The complete placements. Each has the diagonal masks of its first queen and of all its queens, and the number of
    /// placements for which it stands.
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

    /// Returns the share of the build placements that the first queen of a placement does not attack.
    fn left_by_first(&self, build: &Sample) -> f64 {
        let (mut all, mut left) = (1e-9, 1e-9);
        for ([first, _], weight) in &self.complete {
            for ([_, diagonals], build_weight) in &build.complete {
                all += weight * build_weight;
                left += if first & diagonals == 0 { weight * build_weight } else { 0.0 };
            }
        }
        left / all
    }
}

/// Guesses about the probe side and the build side of one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    /// The length of prefixes in rows: the length that costs least on a CPU, or one more for a GPU.
    pub(crate) depth: usize,
    /// The nanoseconds to sweep one probe list over the whole build side in slots.
    pub(crate) sweep: f64,
    /// Present if compatible pairs may be so rare that multiplying them one by one is fastest.
    pub(crate) one_by_one: Option<OneByOneGuess>,
    /// The nanoseconds to find the placements of one probe list.
    pub(crate) placing: f64,
    /// The bytes of one probe list.
    pub(crate) list_bytes: f64,
    /// The nanoseconds to find the placements of one build side.
    pub(crate) building: f64,
    /// The number of placements of one build side that are in the buckets of the part.
    pub(crate) build_placements: f64,
}

/// Guesses about compatible pairs that may be multiplied one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneByOneGuess {
    /// The number of chunks whose survivors fill a tight slice.
    pub(crate) panel: usize,
    /// The time that this takes, relative to a sweep in slots, for each build placement of a chunk.
    pub(crate) share: f64,
}

/// Returns the mean number of probe lists of a part that share a prefix. Build sides are on rows of the parity
/// `build_rows`.
pub(crate) fn lists_per_prefix(part: &Part, build_rows: Parity) -> f64 {
    match build_rows {
        // This fits what was seen for N = 22 to 28. Sets that are neighbours have many rows in common.
        Parity::Even => (3.0 * part.row_block(0).len() as f64).sqrt().min(9.0),
        // The lists are those of the *Re* of a unit, which are not sorted by common rows as the *Ro* are.
        Parity::Odd => 2.0,
    }
}

impl Guess {
    /// Guesses for a probe side and a build side of a part, each given as a square class and the row sets on which it
    /// may stand. `lists_per_prefix` is the mean number of probe lists that share a prefix.
    pub(crate) fn new(
        part: &Part,
        probe: (&SquareClass, &[LineSet]),
        build: (&SquareClass, &[LineSet]),
        lists_per_prefix: f64,
    ) -> Self {
        let random = &mut SplitMix64::new(probe.1.len() as u64);
        let [probe_sample, build_sample] = [probe, build].map(|(class, row_sets)| Sample::new(class, row_sets, random));
        let [queens, build_queens] = [&probe_sample, &build_sample].map(|sample| sample.placements.len() - 1);
        // On odd boards about half of the even column sets are kept, and with them half of the placements.
        let kept = |class: &SquareClass, queens| {
            let all = LineSet::combinations(class.columns.len(), queens).count().max(1);
            part.column_sets(class.column_parity).len() as f64 / all as f64
        };
        let [found, build_found] = [&probe_sample, &build_sample].map(Sample::total);
        let (probe_total, build_total) = (found * kept(probe.0, queens), build_found * kept(build.0, build_queens));
        let buckets = part.column_sets(build.0.column_parity).len() as f64;
        let chunks = (buckets / SLOTS as f64).ceil();
        let left_by_first = probe_sample.left_by_first(&build_sample);
        // The number of build placements that `queens` leave. Each queen leaves 0.9 of the share that the queen before
        // it left, as measured for N = 22 to 28.
        let left_by = |queens: usize| {
            let later = queens * queens.saturating_sub(1) / 2;
            build_total * left_by_first.powf(queens as f64) * 0.9_f64.powf(later as f64)
        };
        let sweep = |depth: usize| {
            if probe_sample.placements[depth] == 0.0 {
                return f64::INFINITY;
            }
            let mean = left_by(depth) / buckets;
            // The fullest of 64 slots decides how many planes a chunk has.
            let planes = ((mean + 2.5 * mean.sqrt() + 4.0) / 8.0).max(1.0);
            // For a record of five rows one more table is read.
            let record = 0.7 + planes * if queens - depth == TAIL { 0.55 } else { 0.45 };
            // A segment costs its beginning, its two-row tables, and its part of the prefix, which several lists share.
            let tables = 0.78 * planes * (probe.0.columns.len() - depth).pow(2) as f64;
            let segment = 45.0 + tables + (200.0 + 350.0 * planes) / lists_per_prefix;
            chunks * (probe_total * record + probe_sample.placements[depth] * segment)
        };
        let depths = queens.saturating_sub(TAIL)..=queens.saturating_sub(2);
        let sweeps = depths.map(|depth| (depth, sweep(depth)));
        let (depth, sweep) = sweeps.min_by(|(_, one), (_, other)| one.total_cmp(other)).expect("there is a depth");
        let one_by_one = (depth > 0).then(|| (left_by(depth), left_by(queens))).and_then(|(survivors, compatible)| {
            // Each record costs a look at each block of a tight slice, and an addition for each compatible pair.
            let record = 0.35 * survivors / PLACEMENTS_PER_BLOCK as f64 + 5.0 * compatible;
            let share = probe_total * record / sweep;
            // The survivors should fill a tight slice, and the build placements of a panel take 100 MB at most.
            let fitting = (0.9 * (MOST_TIGHT_BLOCKS * PLACEMENTS_PER_BLOCK) as f64 / survivors).min(4e6 / build_total);
            let panel = ((chunks * fitting) as usize).max(1);
            // If the share is less than 0.4, `Loops::ONE_BY_ONE` decides for each row set.
            (share < 0.4).then_some(OneByOneGuess { panel, share: share * chunks / build_total })
        });
        Self {
            depth,
            sweep,
            one_by_one,
            placing: FINDING * found,
            list_bytes: 4.0 * probe_total + 48.0 * probe_sample.placements[depth],
            building: FINDING * build_found,
            build_placements: build_total,
        }
    }
}
