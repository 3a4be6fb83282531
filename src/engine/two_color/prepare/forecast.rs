//! What a count is expected to take: the time of its units, and the memory of a thread. No unit depends on these.

use super::part::{ColourSides, PreparedPart};
use crate::engine::two_color::plan::Unit;
use crate::engine::two_color::simd::{PANEL, SLOTS};
use crate::engine::two_color::tuples::{Parity, ReIndex};

/// The share of a sweep over a chunk that does not depend on how many of the probe records are visited.
const FIXED: f64 = 0.3;

/// The time of the work that all probe lists of a row block share, as a number of lists.
const IN_COMMON: f64 = 2.0;

/// Returns the work of units: the nanoseconds that each is expected to take, at least 1.
pub(crate) fn work(parts: &[PreparedPart], units: &[Unit]) -> Vec<u64> {
    let work_of_re = |prepared: &PreparedPart, re: ReIndex| {
        let part = &prepared.part;
        let sweep_of = |sides: &ColourSides| {
            let share = |parity, size: usize| {
                let all = part.column_sets(parity).len().div_ceil(size);
                part.visited_sets(parity, re).div_ceil(size) as f64 / all as f64
            };
            let records = FIXED + (1.0 - FIXED) * share(sides.probe.column_parity, 1);
            sides.guess.sweep * share(sides.build.column_parity, SLOTS) * records
        };
        sweep_of(&prepared.sparse) + sweep_of(&prepared.dense)
    };
    let by_re = |prepared: &PreparedPart| -> Vec<f64> {
        (0..prepared.part.re.len()).map(|re| work_of_re(prepared, ReIndex(re))).collect()
    };
    let by_part: Vec<Vec<f64>> = parts.iter().map(by_re).collect();
    let work_of_row_block = |units: &[Unit]| {
        let Unit { part, row_block, .. } = units[0];
        let (by_re, visited) = (&by_part[part], parts[part].part.visited_ro(row_block));
        let work = |re: usize| if visited[re] > 0 { (visited[re] as f64 + IN_COMMON) * by_re[re] } else { 0.0 };
        let work = |unit: &Unit| (unit.re.clone().map(work).sum::<f64>() as u64).max(1);
        units.iter().map(work).collect::<Vec<_>>()
    };
    let row_blocks = units.chunk_by(|one, next| (one.part, one.row_block) == (next.part, next.row_block));
    row_blocks.flat_map(work_of_row_block).collect()
}

/// The size of the largest board whose matrices were seen to have one digit throughout.
const LARGEST_WITH_ONE_DIGIT: usize = 22;

/// The room for the survivors of all depths, relative to the build placements of a panel. There is room for all
/// placements, and after each queen for as many survivors as before it, although a quarter remains. The first chunks,
/// which have the fullest buckets, need more.
const SURVIVORS: f64 = 2.5 * 1.3;

/// The bytes of a thread that do not depend on the board: its stack, and tables of a fixed size.
pub(crate) const OTHER_BYTES: usize = 4 << 20;

/// The number of placements of the row set that has most, relative to the mean that is guessed.
const LARGEST: f64 = 1.7;
/// The number of placements of all lists of a unit together, relative to the mean that is guessed.
const LARGER: f64 = 1.6;

/// Returns the memory that counting all of the units takes a thread, in bytes.
pub(crate) fn scratch_bytes(parts: &[PreparedPart], units: &[Unit]) -> u64 {
    let bytes = |(number, prepared): (usize, &PreparedPart)| {
        let part = &prepared.part;
        let lists_of = |unit: &Unit| match prepared.build_rows {
            Parity::Even => part.row_block(unit.row_block).len(),
            Parity::Odd => unit.re.len(),
        };
        let lists = units.iter().filter(|unit| unit.part == number).map(lists_of).max().unwrap_or(0) as f64;
        let buckets = [Parity::Even, Parity::Odd].map(|parity| part.column_sets(parity).len());
        let side_bytes = |ColourSides { build, guess, .. }: &ColourSides, panel: usize| {
            let chunks = part.column_sets(build.column_parity).len().div_ceil(SLOTS).max(PANEL);
            // A placement takes its mask, its rank while it is put in order, and its share of the survivors.
            let placement_bytes = 8.0 + 4.0 + 8.0 * SURVIVORS * panel.min(chunks) as f64 / chunks as f64;
            [LARGER * lists * guess.list_bytes, LARGEST * placement_bytes * guess.build_placements]
        };
        // A part that is counted one by one has row sets whose pairs are counted in slots.
        let panel = prepared.one_by_one.map_or(PANEL, |guess| guess.panel.max(PANEL));
        let (sparse, dense) = (side_bytes(&prepared.sparse, PANEL), side_bytes(&prepared.dense, panel));
        // On large boards matrices have a second digit, and the strips of a panel are first added up in entries of 32
        // bits.
        let (digits, wide) = if part.geometry.size > LARGEST_WITH_ONE_DIGIT { (2.0, 4.0) } else { (1.0, 0.0) };
        let matrices = lists * (buckets[0].next_multiple_of(SLOTS) * buckets[1].next_multiple_of(SLOTS)) as f64;
        let strip = lists * (buckets[0].max(buckets[1]) * SLOTS) as f64;
        let [strips, transposed] =
            [PANEL, panel].map(|panel| strip * panel.min(buckets[0].max(buckets[1]).div_ceil(SLOTS)) as f64);
        [sparse[0], sparse[1], dense[0], dense[1], digits * (matrices + transposed) + wide * strips]
    };
    // A worker keeps the memory of one part for the next.
    let most = |most: [f64; 5], part: [f64; 5]| std::array::from_fn(|table| most[table].max(part[table]));
    (OTHER_BYTES as f64 + parts.iter().enumerate().map(bytes).fold([0.0; 5], most).iter().sum::<f64>()) as u64
}
