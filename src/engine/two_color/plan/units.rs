//! The units of a board: the rule by which its count is cut up.
//!
//! The rule, with that for the [row blocks](Part::row_blocks) of a part, depends on sizes alone, so every machine makes the
//! same units, and so can whoever reads the few lines of `docs/two-color.md` that specify it. Nothing that is [guessed](super::guess) enters it.

use crate::engine::two_color::tuples::{Parity, Part, ReIndex};
use std::ops::Range;

/// Some *Re* of a part with the *Ro* of a row block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The number of the part.
    pub(crate) part: usize,
    /// The number of the row block.
    pub(crate) row_block: usize,
    /// The [`ReIndex`] of the first *Re*, and that after the last.
    pub(crate) re: Range<usize>,
}

/// Returns the mean number of *Re* of a unit: the larger the board, the more, so that there are not too many units.
fn mean_re(size: usize) -> usize {
    1 << (size.saturating_sub(20) / 2)
}

/// Returns the units of all parts. Those of one row block are neighbours, so that threads that take them one after the
/// other sweep the same probe lists.
pub(crate) fn units(parts: &[Part]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for row_block in 0..part.row_blocks {
            let first = units.len();
            let ranges = ranges_of_re(part, row_block);
            units.extend(ranges.into_iter().map(|re| Unit { part: number, row_block, re }));
            // Every second row block backwards, so that shards, which take every n-th unit, are even.
            if row_block % 2 == 1 {
                units[first..].reverse();
            }
        }
    }
    units
}

/// Cuts the *Re* of a part into ranges for a row block. What a range takes is partly the same for each *Re* and partly the
/// number of its visited tuples, so each has its share of both together: at most twice the mean of either.
fn ranges_of_re(part: &Part, row_block: usize) -> Vec<Range<usize>> {
    let re = part.re.len();
    // By Re, the number of tuples visited with those before it.
    let mut before = vec![0];
    for (index, ro) in part.visited_ro(row_block).into_iter().enumerate() {
        let columns = [Parity::Even, Parity::Odd].map(|parity| part.visited_sets(parity, ReIndex(index)));
        before.push(before[index] + ro * columns[0] * columns[1]);
    }
    let all = before[re].max(1);
    let ranges = re.div_ceil(mean_re(part.geometry.size));
    let range = |index: usize| {
        let [re, all, before] = [re, all, before[index]].map(|number| number as u64);
        ranges as u64 * (before * re + index as u64 * all) / (2 * re * all)
    };
    let numbers: Vec<usize> = (0..re).collect();
    let ranges =
        numbers.chunk_by(|&one, &next| range(one) == range(next)).map(|range| range[0]..range[range.len() - 1] + 1);
    ranges.filter(|range| before[range.start] < before[range.end]).collect()
}

/// Returns the numbers that tell the units of a plan from those of another.
pub(crate) fn identity<'a>(parts: impl Iterator<Item = &'a Part>, units: &'a [Unit]) -> impl Iterator<Item = u64> {
    let of_parts = parts.flat_map(|part| {
        let sets = [Parity::Even, Parity::Odd].into_iter().flat_map(|rows| part.row_sets(rows));
        let sizes = [part.re.len(), part.ro.len(), part.row_blocks].map(|number| number as u64);
        sizes.into_iter().chain(sets.map(|set| u64::from(set.bits())))
    });
    let of_unit = |unit: &Unit| [unit.part, unit.row_block, unit.re.start, unit.re.end].map(|number| number as u64);
    of_parts.chain(units.iter().flat_map(of_unit))
}
