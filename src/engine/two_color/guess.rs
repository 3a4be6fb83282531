//! What is guessed of a part: how long prefixes should be, how much its sides take, which units take long.
//!
//! No unit and no partial count depends on a guess: a better one may come at any time. The sizes are those of random
//! placements (Knuth's estimator), always the same ones; the times were measured on one core of an Intel Xeon, family 6
//! model 207, with the AVX-512 kernel, and only their ratios matter.

use super::lines::{LineSet, Parity};
use super::planes::BAND;
use super::prepared::{ColourSides, PreparedPart};
use super::probe_side::TAIL;
use super::simd::{MOST_TIGHT_BLOCKS, OF_BLOCK, SLOTS};
use super::squares::SquareClass;
use super::tuples::{RankedSets, ReIndex};
use super::units::Unit;
use crate::random::SplitMix64;

/// The number of random placements of a class.
const PROBES: usize = 64;

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
pub(super) struct Guess {
    /// The length of prefixes, in rows: that which costs least on a CPU, or one more for a GPU.
    pub(super) depth: usize,
    /// Nanoseconds for one probe list and the whole build side, in slots.
    sweep: f64,
    /// Where compatible pairs may be so rare that they are best multiplied one by one.
    pub(super) one_by_one: Option<OneByOneGuess>,
    /// The placements of one probe list, and its prefixes.
    probe: [f64; 2],
    /// The placements of one build side.
    build: f64,
    /// The share of these that are in the build groups of the part.
    grouped: f64,
}

/// What is guessed where compatible pairs may be multiplied one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneByOneGuess {
    /// The number of chunks whose survivors fill a tight slice.
    pub(super) band: usize,
    /// The time that it takes, relative to a sweep in slots, for each build placement of a chunk.
    pub(super) share: f64,
}

impl Guess {
    /// Guesses for a probe side and a build side, each given as a square class and the row sets it may stand on. The
    /// columns of the build side are those of `sets`. So many probe lists share a prefix, in the mean, as `sharing` says.
    pub(super) fn new(
        probe: (&SquareClass, &[LineSet]),
        build: (&SquareClass, &[LineSet]),
        sets: &RankedSets,
        sharing: f64,
    ) -> Self {
        let random = &mut SplitMix64::new(probe.1.len() as u64);
        let [of_probe, of_build] = [probe, build].map(|(class, row_sets)| Sample::new(class, row_sets, random));
        let [queens, build_queens] = [&of_probe, &of_build].map(|sample| sample.placements.len() - 1);
        let [probe_total, build_total] = [&of_probe, &of_build].map(Sample::total);
        let groups = sets.len() as f64;
        let chunks = (groups / SLOTS as f64).ceil();
        // Of the build placements, what so many queens leave: each relative to the queen before it leaves 0.9 of what that
        // left, as measured for N = 22 to 28.
        let left_by = |queens: usize| {
            let later = queens * queens.saturating_sub(1) / 2;
            build_total * of_probe.left_by_first(&of_build).powf(queens as f64) * 0.9_f64.powf(later as f64)
        };
        let sweep = |depth: usize| {
            let mean = left_by(depth) / groups;
            // The fullest of 64 slots decides.
            let planes = ((mean + 2.5 * mean.sqrt() + 4.0) / 8.0).max(1.0);
            // A record of five rows has one more table to read.
            let record = 0.7 + planes * if queens - depth == TAIL { 0.65 } else { 0.45 };
            // To begin a segment, its pair tables, and its prefix, which several lists share.
            let tables = 0.78 * planes * (probe.0.columns.len() - depth).pow(2) as f64;
            let segment = 45.0 + tables + (200.0 + 350.0 * planes) / sharing;
            chunks * (probe_total * record + of_probe.placements[depth] * segment)
        };
        let depths = queens.saturating_sub(TAIL)..=queens.saturating_sub(TAIL.min(2));
        let reached = depths.filter(|&depth| of_probe.placements[depth] > 0.0).map(|depth| (depth, sweep(depth)));
        let (depth, sweep) = reached.min_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap_or_default();
        let all_groups = LineSet::of_size(build.0.columns.len(), build_queens).count().max(1) as f64;
        let grouped = groups / all_groups;
        let one_by_one = (depth > 0).then(|| (left_by(depth), left_by(queens))).and_then(|(survivors, compatible)| {
            // To look at the blocks of a tight slice, and to add the matrix entry of each compatible pair.
            let record = 0.35 * survivors / OF_BLOCK as f64 + 5.0 * compatible;
            let share = probe_total * record / sweep;
            // The survivors are to fill a tight slice, and the build placements of a band take 100 MB at most.
            let fitting = (0.9 * (MOST_TIGHT_BLOCKS * OF_BLOCK) as f64 / survivors).min(4e6 / (build_total * grouped));
            let band = ((chunks * fitting) as usize).max(1);
            // Where it is less than this, `Loops::ONE_BY_ONE` decides for each row set.
            (share < 0.4).then_some(OneByOneGuess { band, share: share * chunks / (build_total * grouped) })
        });
        let probe = [probe_total, of_probe.placements[depth]];
        Self { depth, sweep, one_by_one, probe, build: build_total, grouped }
    }

    /// Nanoseconds to find the placements of one probe list.
    fn placing(&self) -> f64 {
        FINDING * self.probe[0]
    }

    /// Bytes of one probe list.
    fn list_bytes(&self) -> f64 {
        4.0 * self.probe[0] + 48.0 * self.probe[1]
    }

    /// The placements of a build side that are kept.
    fn build_placements(&self) -> f64 {
        self.build * self.grouped
    }
}

/// Nanoseconds to find one placement.
const FINDING: f64 = 15.0;

/// A build side or a probe side of a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    /// By the number of its row set.
    Build(usize),
    /// By its row block.
    Probe(usize),
}

impl PreparedPart {
    /// The bytes that the sides of both colours take, and the nanoseconds to make them.
    pub(super) fn bytes_and_time(&self, side: Side) -> (f64, f64) {
        let of_colours = [&self.sparse, &self.dense].map(|ColourSides { build, guess, .. }| match side {
            Side::Build(index) => {
                let (_, re) = self.rows_of_build(index);
                let visited = self.part.visited_sets(build.column_parity, re) as f64;
                let share = visited / self.part.column_sets(build.column_parity).len() as f64;
                (8.0 * share * guess.build_placements(), FINDING * share * guess.build)
            }
            Side::Probe(block) => {
                let lists = self.part.row_block(block).len() as f64;
                (lists * guess.list_bytes(), lists * guess.placing())
            }
        });
        (of_colours[0].0 + of_colours[1].0, of_colours[0].1 + of_colours[1].1)
    }

    /// The nanoseconds to make a probe list of both colours.
    pub(super) fn placing(&self) -> f64 {
        self.sparse.guess.placing() + self.dense.guess.placing()
    }
}

/// The share of a sweep over a chunk that does not depend on how many of the probe records are visited.
const FIXED: f64 = 0.3;

/// The number of probe lists that take as long as what all lists of a row block share.
const IN_COMMON: f64 = 2.0;

/// Returns the work of units: the nanoseconds that each is expected to take, at least 1.
pub(super) fn work(parts: &[PreparedPart], units: &[Unit]) -> Vec<u64> {
    let of_re = |prepared: &PreparedPart, re: ReIndex| {
        let part = &prepared.part;
        let of_colour = |sides: &ColourSides| {
            let share = |parity, size: usize| {
                let all = part.column_sets(parity).len().div_ceil(size);
                part.visited_sets(parity, re).div_ceil(size) as f64 / all as f64
            };
            let records = FIXED + (1.0 - FIXED) * share(sides.probe.column_parity, 1);
            sides.guess.sweep * share(sides.build.column_parity, SLOTS) * records
        };
        of_colour(&prepared.sparse) + of_colour(&prepared.dense)
    };
    let by_re = |prepared: &PreparedPart| -> Vec<f64> {
        (0..prepared.part.re.len()).map(|re| of_re(prepared, ReIndex(re))).collect()
    };
    let by_part: Vec<Vec<f64>> = parts.iter().map(by_re).collect();
    let of_row_block = |units: &[Unit]| {
        let Unit { part, row_block, .. } = units[0];
        let (by_re, visited) = (&by_part[part], parts[part].part.visited_ro(row_block));
        let work = |re: usize| if visited[re] > 0 { (visited[re] as f64 + IN_COMMON) * by_re[re] } else { 0.0 };
        let work = |unit: &Unit| (unit.re.clone().map(work).sum::<f64>() as u64).max(1);
        units.iter().map(work).collect::<Vec<_>>()
    };
    let row_blocks = units.chunk_by(|one, next| (one.part, one.row_block) == (next.part, next.row_block));
    row_blocks.flat_map(of_row_block).collect()
}

/// Returns the seconds that all units of a board take a core of the machine of these times, with AVX-512: from sampled
/// units, and for N = 27 a guess (`results/intel-emerald-rapids-2-cpus-0.2.0`; N = 23 and 24 later, between an Intel
/// Granite Rapids and an AMD Zen 5). That of a small board does not matter.
pub(super) fn seconds(size: usize) -> f64 {
    match size {
        ..=15 => 0.003,
        16 => 0.008,
        17 => 0.066,
        18 => 0.16,
        19 => 0.98,
        20 => 3.3,
        21 => 24.5,
        22 => 104.0,
        23 => 510.0,
        24 => 3.44e3,
        25 => 2.53e4,
        26 => 1.66e5,
        27 => 1.38e6,
        _ => 8.4e6,
    }
}

/// The size of the largest board whose matrices were seen to have one digit throughout.
const LARGEST_WITH_ONE_DIGIT: usize = 22;

/// The room for the survivors of all depths, relative to the build placements of a band: all, then as much as the parent
/// has for each queen, which thins them to a quarter; and more in the first chunks, which have the fullest groups.
const SURVIVORS: f64 = 2.5 * 1.3;

/// The bytes of a thread that do not depend on the board: its stack, and tables of a fixed size.
const OTHER_BYTES: f64 = (4 << 20) as f64;

/// The placements of the row set that has most, and of the lists of a unit, relative to the mean as it is guessed.
const LARGEST: f64 = 1.7;
const LARGER: f64 = 1.6;

/// Returns the memory that counting all of the units takes a thread, in bytes.
pub(super) fn scratch_bytes(parts: &[PreparedPart], units: &[Unit]) -> u64 {
    let bytes = |(number, prepared): (usize, &PreparedPart)| {
        let part = &prepared.part;
        let of_unit = |unit: &Unit| match prepared.build_rows {
            Parity::Even => part.row_block(unit.row_block).len(),
            Parity::Odd => unit.re.len(),
        };
        let lists = units.iter().filter(|unit| unit.part == number).map(of_unit).max().unwrap_or(0) as f64;
        let groups = [Parity::Even, Parity::Odd].map(|parity| part.column_sets(parity).len());
        let of_colour = |ColourSides { build, guess, .. }: &ColourSides, band: usize| {
            let chunks = part.column_sets(build.column_parity).len().div_ceil(SLOTS).max(BAND);
            // Itself, its rank while it is put in order, and the survivors.
            let of_placement = 8.0 + 4.0 + 8.0 * SURVIVORS * band.min(chunks) as f64 / chunks as f64;
            [LARGER * lists * guess.list_bytes(), LARGEST * of_placement * guess.build_placements()]
        };
        // Some row sets of a part that is counted one by one are counted in slots.
        let band = prepared.one_by_one.map_or(BAND, |guess| guess.band.max(BAND));
        let (sparse, dense) = (of_colour(&prepared.sparse, BAND), of_colour(&prepared.dense, band));
        // On large boards matrices have a second digit, and the strips of a band are added up in words first.
        let (digits, wide) = if part.geometry.size > LARGEST_WITH_ONE_DIGIT { (2.0, 4.0) } else { (1.0, 0.0) };
        let matrices = lists * (groups[0].next_multiple_of(SLOTS) * groups[1].next_multiple_of(SLOTS)) as f64;
        let strip = lists * (groups[0].max(groups[1]) * SLOTS) as f64;
        let [strips, transposed] =
            [BAND, band].map(|band| strip * band.min(groups[0].max(groups[1]).div_ceil(SLOTS)) as f64);
        [sparse[0], sparse[1], dense[0], dense[1], digits * (matrices + transposed) + wide * strips]
    };
    // What a worker takes for one part it keeps for the next.
    let most = |most: [f64; 5], part: [f64; 5]| std::array::from_fn(|table| most[table].max(part[table]));
    (OTHER_BYTES + parts.iter().enumerate().map(bytes).fold([0.0; 5], most).iter().sum::<f64>()) as u64
}
