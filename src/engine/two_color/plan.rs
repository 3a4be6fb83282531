//! The plan: the pairs of row sets of every part, in blocks.

use super::counting::{Counting, Roles};
use super::geometry::Parity;
use super::part::CLASSES;
use crate::cancel::{Cancel, Cancelled};
use std::ops::Range;

/// The most *Re* of a unit. Where the lists of its *Ro* are made for the unit alone, that then costs a twentieth of the time.
const EVEN_ROW_SETS: usize = 16;

/// The fewest units that the *Re* of a part are cut into, if there are as many.
const FEWEST_CUTS: usize = 12;

/// Some *Re* of a part with the *Ro* of a row block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The number of the part.
    pub(super) part: usize,
    pub(super) even_rows: Range<usize>,
    pub(super) row_block: usize,
}

impl Unit {
    /// What it is, in numbers.
    pub(super) fn numbers(&self, parts: &[Counting]) -> impl Iterator<Item = u64> {
        let counting = &parts[self.part];
        let even = self.even_rows.clone().map(|index| counting.part.even_rows(index));
        let rows = even.chain([0]).chain(counting.odd_rows(self.row_block).iter().copied());
        std::iter::once(self.part as u64).chain(rows.map(u64::from))
    }
}

/// The units of all parts and their weights, in nanoseconds as they are estimated for the machine of [`super::cost`].
///
/// They depend on the board alone, so that whoever makes the plan makes the same one.
pub(super) fn units(parts: &[Counting], cancel: &Cancel) -> Result<(Vec<Unit>, Vec<u64>), Cancelled> {
    let mut units = Vec::new();
    let mut weights = Vec::new();
    for (number, counting) in parts.iter().enumerate() {
        let part = &counting.part;
        let sets = part.even_row_sets();
        let cuts = sets.div_ceil(EVEN_ROW_SETS).max(FEWEST_CUTS.min(sets));
        for cut in 0..cuts {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let even_rows = cut * sets / cuts..(cut + 1) * sets / cuts;
            for row_block in 0..counting.row_blocks() {
                let odd_rows = counting.odd_rows(row_block);
                let cost_with = |even: usize| {
                    let visited = odd_rows.iter().filter(|&&odd| part.weights(even, odd).is_some()).count();
                    visited as f64 * pair_cost(counting, even)
                };
                let cost: f64 = even_rows.clone().map(cost_with).sum();
                let visited = |&odd: &u16| even_rows.clone().any(|even| part.weights(even, odd).is_some());
                if odd_rows.iter().any(visited) {
                    let placements = (even_rows.len() + odd_rows.len()) as f64;
                    let placing = (counting.sparse.cost.placing + counting.dense.cost.placing) * placements;
                    units.push(Unit { part: number, even_rows: even_rows.clone(), row_block });
                    weights.push(((cost + placing) as u64).max(1));
                }
            }
        }
    }
    Ok((units, weights))
}

/// What one *Ro* costs with an *Re*: the share of the column sets that are visited, of both colours.
fn pair_cost(counting: &Counting, even: usize) -> f64 {
    let share = |parity| {
        let all = counting.part.axis(parity).sets().len();
        counting.part.class_ends(parity, even)[CLASSES - 1] as f64 / all as f64
    };
    (counting.sparse.cost.list + counting.dense.cost.list) * share(Parity::Even) * share(Parity::Odd)
}

/// A lane itself, the twofold room where it is found first, and the thinned lanes of a chunk.
const BYTES_OF_A_LANE: f64 = 8.0 + 32.0 + 8.0;

/// The largest board whose matrices were seen to have one digit throughout.
const LARGEST_WITH_ONE_DIGIT: usize = 22;

/// The memory that counting any of the units takes a thread, in bytes, about.
pub(super) fn bytes(parts: &[Counting]) -> u64 {
    let bytes = |counting: &Counting| {
        let part = &counting.part;
        let groups = [Parity::Even, Parity::Odd].map(|parity| part.axis(parity).sets().len());
        let matrix = (groups[0].next_multiple_of(64) * groups[1].next_multiple_of(64)) as f64;
        let lists = match counting.roles {
            Roles::Usual => part.odd_rows().len().min(counting.together()),
            Roles::Exchanged => part.even_row_sets().min(EVEN_ROW_SETS),
        };
        let lists = lists as f64;
        let of_lists = counting.sparse.cost.list_bytes + counting.dense.cost.list_bytes;
        let of_lanes = BYTES_OF_A_LANE * (counting.sparse.cost.lanes + counting.dense.cost.lanes);
        // On large boards matrices have a second digit, and are added up in words first.
        let (digits, wide) = if part.geometry().size() > LARGEST_WITH_ONE_DIGIT { (2.0, 1.0) } else { (1.0, 0.0) };
        let wide = wide * 256.0 * lists * groups[0].max(groups[1]) as f64;
        // Vectors grow by doubling, and the largest row sets have more placements than the mean.
        2.0 * digits * lists * matrix + wide + 2.0 * lists * of_lists + 1.5 * of_lanes
    };
    parts.iter().map(bytes).fold(4e6, f64::max) as u64
}
