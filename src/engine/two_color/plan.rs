//! The plan: how a count is cut into units, by a rule that every machine follows in the same way.
//!
//! This rule and the rule for the [row blocks](Part::row_blocks) of a part depend on sizes alone, so every machine
//! makes the same units. A few lines of `docs/two-color.md` specify them. No [guess](super::prepare) enters them.

use crate::engine::two_color::tuples::{Parity, Part, ReIndex};
use std::ops::Range;

/// Some *Re* of a part with the *Ro* of a row block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The number of the part.
    pub(crate) part: usize,
    /// The number of the row block.
    pub(crate) row_block: usize,
    /// The numbers of the *Re*, as in [`ReIndex`].
    pub(crate) re: Range<usize>,
}

/// Returns the mean number of *Re* of a unit. The number grows with the board, so that there are not too many units.
fn mean_re(size: usize) -> usize {
    1 << (size.saturating_sub(20) / 2)
}

/// Returns the units of all parts. The units of one row block are neighbours, so that threads that take units in order
/// sweep the same probe lists.
pub(crate) fn units(parts: &[Part]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for row_block in 0..part.row_blocks {
            let first = units.len();
            let ranges = ranges_of_re(part, row_block);
            units.extend(ranges.into_iter().map(|re| Unit { part: number, row_block, re }));
            // Every second row block runs backwards, so that shards, which take every n-th unit, are even.
            if row_block % 2 == 1 {
                units[first..].reverse();
            }
        }
    }
    units
}

/// Cuts the *Re* of a part into ranges for a row block. The time of a range depends on the number of its *Re* and on
/// the number of its visited tuples, so ranges have equal shares of both together. Without its last *Re*, a range has
/// less than twice the mean of either.
fn ranges_of_re(part: &Part, row_block: usize) -> Vec<Range<usize>> {
    let re = part.re.len();
    // For each Re, the number of tuples that are visited with the Re before it, which may be more than 32 bits count.
    let mut before = vec![0_u64];
    for (index, ro) in part.visited_ro(row_block).into_iter().enumerate() {
        let columns = [Parity::Even, Parity::Odd].map(|parity| part.visited_sets(parity, ReIndex(index)));
        before.push(before[index] + ro as u64 * columns[0] as u64 * columns[1] as u64);
    }
    let all = before[re].max(1);
    let ranges = re.div_ceil(mean_re(part.geometry.size));
    let range = |index: usize| {
        let (re, before) = (re as u64, before[index]);
        ranges as u64 * (before * re + index as u64 * all) / (2 * re * all)
    };
    let numbers: Vec<usize> = (0..re).collect();
    let ranges =
        numbers.chunk_by(|&one, &next| range(one) == range(next)).map(|range| range[0]..range[range.len() - 1] + 1);
    ranges.filter(|range| before[range.start] < before[range.end]).collect()
}

/// Returns the numbers that identify the units of a plan.
pub(crate) fn identity<'a>(parts: impl Iterator<Item = &'a Part>, units: &'a [Unit]) -> impl Iterator<Item = u64> {
    let part_numbers = parts.flat_map(|part| {
        let sets = [Parity::Even, Parity::Odd].into_iter().flat_map(|rows| part.row_sets(rows));
        let sizes = [part.re.len(), part.ro.len(), part.row_blocks].map(|number| number as u64);
        sizes.into_iter().chain(sets.map(|set| u64::from(set.bits())))
    });
    let numbers = |unit: &Unit| [unit.part, unit.row_block, unit.re.start, unit.re.end].map(|number| number as u64);
    part_numbers.chain(units.iter().flat_map(numbers))
}
