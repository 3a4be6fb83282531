//! The units of a plan: some *Re* of a part with a row block each, and their work.

use super::lines::{LineSet, Parity};
use super::planes::BAND;
use super::prepared::{ColourSides, PreparedPart, Unit};
use super::simd::SLOTS;
use super::squares::SquareClass;
use super::tuples::ReIndex;
use crate::cancel::{Cancel, Cancelled};
use rayon::prelude::*;

/// The most *Re* of a unit. On the largest boards each unit makes its own probe lists, which then costs a twentieth of
/// its time.
const MOST_RE: usize = 16;

/// The pairs of an *Re* and a row block of a board with one *Re* in a unit. Four times as many pairs make two *Re*, and
/// twice as many units.
const PAIRS: usize = 2000;

/// Returns the numbers that tell the units of a plan from those of another.
pub(super) fn identity(parts: &[PreparedPart], units: &[Unit]) -> impl Iterator<Item = u64> {
    let of_parts = parts.iter().flat_map(|prepared| {
        let part = &prepared.part;
        let sets = [Parity::Even, Parity::Odd].into_iter().flat_map(|rows| part.row_sets(rows));
        let sets = sets.map(|set| u64::from(set.bits()));
        [part.re.len(), part.ro.len(), prepared.block_size].map(|number| number as u64).into_iter().chain(sets)
    });
    let of_unit = |unit: &Unit| [unit.part, unit.row_block, unit.re.start, unit.re.end].map(|number| number as u64);
    of_parts.chain(units.iter().flat_map(of_unit))
}

/// Returns the most *Re* that a unit of a board has: the larger the board, the more, so that there are many units, but
/// not too many.
fn most_re(parts: &[PreparedPart]) -> usize {
    let pairs: usize = parts.iter().map(|prepared| prepared.part.re.len() * prepared.row_blocks()).sum();
    (pairs / PAIRS).isqrt().clamp(1, MOST_RE)
}

/// Returns the units of all parts and their work, in nanoseconds as estimated for the machine of [`super::cost`].
///
/// They depend on the board alone: every machine makes the same plan. Units with one row block are neighbours, so that
/// threads that take them one after the other sweep the same probe lists.
///
/// # Errors
/// When `cancel` is set.
pub(super) fn units(parts: &[PreparedPart], cancel: &Cancel) -> Result<(Vec<Unit>, Vec<u64>), Cancelled> {
    let most_re = most_re(parts);
    let of_parts = parts.par_iter().enumerate().map(|(part, prepared)| {
        let mut units = Vec::new();
        let work = Work::new(prepared);
        let sets = prepared.part.re.len();
        let pieces = sets.div_ceil(most_re);
        for row_block in 0..prepared.row_blocks() {
            cancel.check()?;
            let pairs = work.of_pairs(row_block);
            for piece in 0..pieces {
                // Every second row block backwards, so that shards, which take every n-th unit, are even.
                let piece = if row_block % 2 == 0 { piece } else { pieces - 1 - piece };
                let re = piece * sets / pieces..(piece + 1) * sets / pieces;
                let visited = pairs[re.clone()].iter().flatten();
                if let Some(work) = visited.copied().reduce(|sum, work| sum + work) {
                    units.push((Unit { part, row_block, re }, (work as u64).max(1)));
                }
            }
        }
        Ok(units)
    });
    let of_parts: Vec<Vec<(Unit, u64)>> = of_parts.collect::<Result<_, _>>()?;
    Ok(of_parts.into_iter().flatten().unzip())
}

/// The share of a sweep over a chunk that does not depend on how many of the probe records are visited.
const FIXED: f64 = 0.3;

/// The share of a sweep that depends on the number of build placements.
const BY_PLACEMENTS: f64 = 0.25;

/// The number of probe lists that take as long as what all lists of a row block share.
const IN_COMMON: f64 = 2.0;

/// The work expected of the pairs of an *Re* and a row block.
///
/// The constants were fitted to the times of single pairs for N = 18, 20, 21 and 22. Row sets differ in the number of
/// their placements: it is about proportional to the product, over all pairs of rows, of the share of the pairs of
/// columns in which two queens do not attack each other.
struct Work<'a> {
    prepared: &'a PreparedPart,
    /// For either colour, by *Re*: the time of a sweep with one probe list.
    of_re: [Vec<f64>; 2],
    /// For either colour, by *Ro*: the number of its placements, relative to the mean.
    of_ro: [Vec<f64>; 2],
}

impl<'a> Work<'a> {
    fn new(prepared: &'a PreparedPart) -> Self {
        let part = &prepared.part;
        let re = part.row_sets(Parity::Even);
        let colours = [&prepared.sparse, &prepared.dense];
        let of_re = colours.map(|sides| {
            let placements = relative_sizes(&sides.build, re);
            let sweep = |(re, placements)| {
                let of_placements = 1.0 - BY_PLACEMENTS + BY_PLACEMENTS * placements;
                sides.cost.sweep * visited_share(prepared, sides, re) * of_placements
            };
            placements.into_iter().enumerate().map(|(re, placements)| sweep((ReIndex(re), placements))).collect()
        });
        Self { prepared, of_re, of_ro: colours.map(|sides| relative_sizes(&sides.probe, &part.ro)) }
    }

    /// Returns the work of a row block by *Re*; `None` for those with which no *Ro* is visited.
    fn of_pairs(&self, row_block: usize) -> Vec<Option<f64>> {
        let Self { prepared, of_re, of_ro } = self;
        // By Re: the change from the Re before, in the number of visited Ro and in the sizes of their lists.
        let mut changes = vec![(0_i64, [0.0; 2]); prepared.part.re.len() + 1];
        for ro in prepared.numbers_of_block(row_block) {
            let visiting = prepared.part.visiting(prepared.part.ro[ro]);
            for (at, sign) in [(visiting.start, 1_i32), (visiting.end, -1)] {
                let (visited, sizes) = &mut changes[at];
                *visited += i64::from(sign);
                sizes.iter_mut().zip(of_ro).for_each(|(size, of_ro)| *size += f64::from(sign) * of_ro[ro]);
            }
        }
        let block_size = prepared.block_size as f64;
        let (mut visited, mut sizes) = (0, [0.0; 2]);
        let pairs = changes.into_iter().zip(0..prepared.part.re.len()).map(|(change, re)| {
            visited += change.0;
            sizes = [sizes[0] + change.1[0], sizes[1] + change.1[1]];
            let work = sizes.iter().zip(of_re).map(|(size, of_re)| (size + IN_COMMON) * of_re[re]).sum::<f64>();
            (visited > 0).then_some(work * block_size / (block_size + IN_COMMON))
        });
        pairs.collect()
    }
}

/// Returns the share of a sweep of all chunks and records that is left where only the column sets visited with an *Re*
/// are counted.
fn visited_share(prepared: &PreparedPart, sides: &ColourSides, re: ReIndex) -> f64 {
    let share = |parity, size: usize| {
        let part = &prepared.part;
        let all = part.column_sets(parity).len().div_ceil(size);
        part.visited_sets(parity, re).div_ceil(size) as f64 / all as f64
    };
    let (build, probe) = (sides.build.column_parity, sides.probe.column_parity);
    share(build, SLOTS) * (FIXED + (1.0 - FIXED) * share(probe, 1))
}

/// Returns the expected numbers of placements of a square class on some row sets, divided by their mean.
fn relative_sizes(class: &SquareClass, row_sets: &[LineSet]) -> Vec<f64> {
    let free = class.free_pairs();
    let size = |&set: &LineSet| {
        let rows = || class.rows(set);
        let pairs = rows().enumerate().flat_map(|(number, row)| rows().take(number).map(move |other| (row, other)));
        pairs.map(|(row, other)| free[row.index()][other.index()]).product()
    };
    let sizes: Vec<f64> = row_sets.iter().map(size).collect();
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    if mean > 0.0 { sizes.into_iter().map(|size| size / mean).collect() } else { vec![1.0; row_sets.len()] }
}

/// The size of the largest board whose matrices were seen to have one digit throughout.
const LARGEST_WITH_ONE_DIGIT: usize = 22;

/// The room for the survivors of all depths, relative to the build placements of a band: all, then as much as the parent
/// has for each queen, which thins them to a quarter; and more in the first chunks, which have the fullest groups.
const SURVIVORS: f64 = 2.5 * 1.3;

/// The bytes of a thread that do not depend on the board: its stack, and tables of a fixed size.
const OTHER_BYTES: u64 = 4 << 20;

/// A factor for the underestimate of random placements.
const ROOM: f64 = 1.1;

/// Returns the memory that counting all of the units takes a thread, in bytes, estimated for the largest row sets.
pub(super) fn bytes(parts: &[PreparedPart]) -> u64 {
    let most_re = most_re(parts);
    let bytes = |prepared: &PreparedPart| {
        let part = &prepared.part;
        let [build_sets, probe_sets] =
            [prepared.build_rows, prepared.build_rows.other()].map(|rows| part.row_sets(rows));
        let of_unit = if prepared.build_rows == Parity::Even { prepared.block_size } else { most_re };
        let lists = probe_sets.len().min(of_unit);
        let of_largest = |class: &SquareClass, sets: &[LineSet], number: usize| {
            let mut sizes = relative_sizes(class, sets);
            sizes.sort_by(|one, other| other.total_cmp(one));
            sizes.iter().take(number).sum::<f64>()
        };
        let groups = [Parity::Even, Parity::Odd].map(|parity| part.column_sets(parity).len());
        let of_colour = |ColourSides { build, probe, cost, .. }: &ColourSides, band: usize| {
            let of_lists = cost.list_bytes * of_largest(probe, probe_sets, lists);
            let chunks = part.column_sets(build.column_parity).len().div_ceil(SLOTS).max(BAND);
            // Itself, its rank while it is put in order, and the survivors.
            let of_placement = 8.0 + 4.0 + 8.0 * SURVIVORS * band.min(chunks) as f64 / chunks as f64;
            [of_lists, of_placement * cost.build_placements * of_largest(build, build_sets, 1)]
                .map(|bytes| ROOM * bytes)
        };
        // Some row sets of a part that is counted one by one are counted in slots.
        let band = prepared.one_by_one.map_or(BAND, |cost| cost.band.max(BAND));
        let (sparse, dense) = (of_colour(&prepared.sparse, BAND), of_colour(&prepared.dense, band));
        // On large boards matrices have a second digit, and the strips of a band are added up in words first.
        let (digits, wide) = if part.geometry.size > LARGEST_WITH_ONE_DIGIT { (2.0, 4.0) } else { (1.0, 0.0) };
        let matrices = (lists * groups[0].next_multiple_of(SLOTS) * groups[1].next_multiple_of(SLOTS)) as f64;
        let strip = (lists * groups[0].max(groups[1]) * SLOTS) as f64;
        let [strips, transposed] =
            [BAND, band].map(|band| strip * band.min(groups[0].max(groups[1]).div_ceil(SLOTS)) as f64);
        [sparse[0], sparse[1], dense[0], dense[1], digits * (matrices + transposed) + wide * strips]
    };
    // What a worker takes for one part it keeps for the next.
    let most = |most: [f64; 5], part: [f64; 5]| std::array::from_fn(|table| most[table].max(part[table]));
    OTHER_BYTES + parts.iter().map(bytes).fold([0.0; 5], most).iter().sum::<f64>() as u64
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Geometry;
    use super::super::tuples::Part;
    use super::*;
    use crate::board::Board;

    /// The room that [`CountMatrices`](super::super::matrix::CountMatrices) takes for another digit of the matrices and
    /// of a transposed band, and [`WideStrips`](super::super::matrix::WideStrips) for words of four bytes.
    #[test]
    fn large_boards_have_memory_for_a_second_digit() {
        let geometry = Geometry::new(Board::new(16).unwrap());
        let part = Part::all(geometry).into_iter().max_by_key(|part| part.re.len()).unwrap();
        let mut prepared = PreparedPart::new(part, &Cancel::new()).unwrap();
        prepared.one_by_one = None;
        let [even, odd] = [Parity::Even, Parity::Odd].map(|parity| prepared.part.column_sets(parity).len());
        let chunks = |sets: usize| sets.div_ceil(SLOTS);
        let lists = prepared.block_size.min(prepared.part.ro.len());
        let digit = lists * even.max(odd) * SLOTS * (chunks(even.min(odd)) + chunks(even.min(odd)).min(BAND));
        let words = 4 * lists * even.max(odd) * SLOTS * chunks(even.min(odd)).min(BAND);
        let mut bytes_of = |size| {
            prepared.part.geometry.size = size;
            bytes(std::slice::from_ref(&prepared))
        };
        let more = bytes_of(LARGEST_WITH_ONE_DIGIT + 1) - bytes_of(LARGEST_WITH_ONE_DIGIT);
        assert!((1.0..2.0).contains(&(more as f64 / (digit + words) as f64)), "{more}, not {digit} and {words}");
    }
}
