//! What a count is expected to take: the time of its units, and the memory of a thread. No unit depends on it.

use super::prepared_part::{ColourSides, PreparedPart};
use super::units::Unit;
use crate::engine::Kernel;
use crate::engine::two_color::simd::{PANEL, SLOTS};
use crate::engine::two_color::tuples::{Parity, ReIndex};

/// The share of a sweep over a chunk that does not depend on how many of the probe records are visited.
const FIXED: f64 = 0.3;

/// The number of probe lists that take as long as what all lists of a row block share.
const IN_COMMON: f64 = 2.0;

/// Returns the work of units: the nanoseconds that each is expected to take, at least 1.
pub(crate) fn work(parts: &[PreparedPart], units: &[Unit]) -> Vec<u64> {
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

/// Returns the seconds that all units of a board take a core of the machine of these times: from sampled units with AVX-512,
/// and for N = 27 a guess (`results/intel-emerald-rapids-2-cpus-0.2.0`; N = 23 and 24 later, between an Intel Granite
/// Rapids and an AMD Zen 5). That of a small board does not matter.
pub(crate) fn seconds(size: usize, kernel: Kernel) -> f64 {
    let with_avx512 = match size {
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
    };
    // At N = 18; with NEON as is estimated.
    let slower_by = match kernel {
        Kernel::Avx512 => 1.0,
        Kernel::Avx2 => 1.4,
        Kernel::Neon => 1.8,
        // By one of 16 threads beside an NVIDIA H200.
        Kernel::Gpu => 0.5,
        Kernel::Portable | Kernel::Scalar => 2.8,
    };
    with_avx512 * slower_by
}

/// The size of the largest board whose matrices were seen to have one digit throughout.
const LARGEST_WITH_ONE_DIGIT: usize = 22;

/// The room for the survivors of all depths, relative to the build placements of a panel: all, then as much as the parent
/// has for each queen, which thins them to a quarter; and more in the first chunks, which have the fullest buckets.
const SURVIVORS: f64 = 2.5 * 1.3;

/// The bytes of a thread that do not depend on the board: its stack, and tables of a fixed size.
const OTHER_BYTES: f64 = (4 << 20) as f64;

/// The placements of the row set that has most, and of the lists of a unit, relative to the mean as it is guessed.
const LARGEST: f64 = 1.7;
const LARGER: f64 = 1.6;

/// Returns the memory that counting all of the units takes a thread, in bytes.
pub(crate) fn scratch_bytes(parts: &[PreparedPart], units: &[Unit]) -> u64 {
    let bytes = |(number, prepared): (usize, &PreparedPart)| {
        let part = &prepared.part;
        let of_unit = |unit: &Unit| match prepared.build_rows {
            Parity::Even => part.row_block(unit.row_block).len(),
            Parity::Odd => unit.re.len(),
        };
        let lists = units.iter().filter(|unit| unit.part == number).map(of_unit).max().unwrap_or(0) as f64;
        let buckets = [Parity::Even, Parity::Odd].map(|parity| part.column_sets(parity).len());
        let of_colour = |ColourSides { build, guess, .. }: &ColourSides, panel: usize| {
            let chunks = part.column_sets(build.column_parity).len().div_ceil(SLOTS).max(PANEL);
            // Itself, its rank while it is put in order, and the survivors.
            let of_placement = 8.0 + 4.0 + 8.0 * SURVIVORS * panel.min(chunks) as f64 / chunks as f64;
            [LARGER * lists * guess.list_bytes(), LARGEST * of_placement * guess.build_placements()]
        };
        // Some row sets of a part that is counted one by one are counted in slots.
        let panel = prepared.one_by_one.map_or(PANEL, |guess| guess.panel.max(PANEL));
        let (sparse, dense) = (of_colour(&prepared.sparse, PANEL), of_colour(&prepared.dense, panel));
        // On large boards matrices have a second digit, and the strips of a panel are added up in words first.
        let (digits, wide) = if part.geometry.size > LARGEST_WITH_ONE_DIGIT { (2.0, 4.0) } else { (1.0, 0.0) };
        let matrices = lists * (buckets[0].next_multiple_of(SLOTS) * buckets[1].next_multiple_of(SLOTS)) as f64;
        let strip = lists * (buckets[0].max(buckets[1]) * SLOTS) as f64;
        let [strips, transposed] =
            [PANEL, panel].map(|panel| strip * panel.min(buckets[0].max(buckets[1]).div_ceil(SLOTS)) as f64);
        [sparse[0], sparse[1], dense[0], dense[1], digits * (matrices + transposed) + wide * strips]
    };
    // What a worker takes for one part it keeps for the next.
    let most = |most: [f64; 5], part: [f64; 5]| std::array::from_fn(|table| most[table].max(part[table]));
    (OTHER_BYTES + parts.iter().enumerate().map(bytes).fold([0.0; 5], most).iter().sum::<f64>()) as u64
}
