//! The units of a plan: some *Re* of a part with a row block each, and their weights.

use super::lines::{LineSet, Parity};
use super::prepared::PreparedPart;
use super::tuples::ReIndex;
use crate::cancel::{Cancel, Cancelled};
use std::ops::Range;

/// The most *Re* of a unit. Where the probe lists of its *Ro* are made for the unit alone, that then costs a twentieth
/// of the time.
const MOST_RE: usize = 16;

/// The fewest pieces that the *Re* of a part are cut into; fewer where a part has fewer *Re*.
const FEWEST_PIECES: usize = 12;

/// Some *Re* of a part with the *Ro* of a row block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The number of the part.
    pub(super) part: usize,
    /// The [`ReIndex`] of the first *Re*, and that after the last.
    pub(super) re: Range<usize>,
    /// The number of the row block.
    pub(super) row_block: usize,
}

impl Unit {
    /// The numbers that tell the unit from others.
    pub(super) fn numbers(&self, parts: &[PreparedPart]) -> impl Iterator<Item = u64> {
        let prepared = &parts[self.part];
        let re = self.re.clone().map(|re| prepared.part.re(ReIndex(re)).bits());
        let rows = re.chain([0]).chain(prepared.row_block(self.row_block).iter().copied().map(LineSet::bits));
        std::iter::once(self.part as u64).chain(rows.map(u64::from))
    }
}

/// Returns the units of all parts and their weights, in nanoseconds as estimated for the machine of [`super::cost`].
///
/// They depend on the board alone: every machine makes the same plan.
///
/// # Errors
/// When `cancel` is set.
pub(super) fn units(parts: &[PreparedPart], cancel: &Cancel) -> Result<(Vec<Unit>, Vec<u64>), Cancelled> {
    let mut units = Vec::new();
    let mut weights = Vec::new();
    for (number, prepared) in parts.iter().enumerate() {
        let part = &prepared.part;
        let sets = part.re_count();
        let pieces = sets.div_ceil(MOST_RE).max(FEWEST_PIECES.min(sets));
        for piece in 0..pieces {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let re = piece * sets / pieces..(piece + 1) * sets / pieces;
            for row_block in 0..prepared.row_blocks() {
                let ro = prepared.row_block(row_block);
                let visited = |re: ReIndex| ro.iter().filter(|&&ro| part.weights(re, ro).is_some()).count();
                let counts: Vec<usize> = re.clone().map(|re| visited(ReIndex(re))).collect();
                if counts.iter().all(|&count| count == 0) {
                    continue;
                }
                let cost_with = |(re, &count): (usize, &usize)| count as f64 * pair_cost(prepared, ReIndex(re));
                let cost: f64 = re.clone().zip(&counts).map(cost_with).sum();
                let placements = (re.len() + ro.len()) as f64;
                let placing = (prepared.sparse.cost.placing + prepared.dense.cost.placing) * placements;
                units.push(Unit { part: number, re: re.clone(), row_block });
                weights.push(((cost + placing) as u64).max(1));
            }
        }
    }
    Ok((units, weights))
}

/// The cost of one *Ro* with an *Re*: that of a sweep of both colours, times the share of the column sets that is
/// visited.
fn pair_cost(prepared: &PreparedPart, re: ReIndex) -> f64 {
    let part = &prepared.part;
    let share = |parity| part.visited_sets(parity, re) as f64 / part.column_sets(parity).len() as f64;
    (prepared.sparse.cost.sweep + prepared.dense.cost.sweep) * share(Parity::Even) * share(Parity::Odd)
}

/// The bytes of a build placement: itself, twice the room where it is found first, and a survivor.
const BYTES_OF_A_BUILD_PLACEMENT: f64 = 8.0 + 32.0 + 8.0;

/// The size of the largest board whose matrices were seen to have one digit throughout.
const LARGEST_WITH_ONE_DIGIT: usize = 22;

/// Returns the memory that counting any of the units takes a thread, in bytes, estimated.
pub(super) fn bytes(parts: &[PreparedPart]) -> u64 {
    let bytes = |prepared: &PreparedPart| {
        let part = &prepared.part;
        let groups = [Parity::Even, Parity::Odd].map(|parity| part.column_sets(parity).len());
        let matrix = (groups[0].next_multiple_of(64) * groups[1].next_multiple_of(64)) as f64;
        let lists = match prepared.build_rows {
            Parity::Even => part.ro().len().min(prepared.block_size()),
            Parity::Odd => part.re_count().min(MOST_RE),
        };
        let lists = lists as f64;
        let of_lists = prepared.sparse.cost.list_bytes + prepared.dense.cost.list_bytes;
        let placements = prepared.sparse.cost.build_placements + prepared.dense.cost.build_placements;
        // On large boards matrices have a second digit, and are added up in words first.
        let (digits, wide) = if part.geometry().size() > LARGEST_WITH_ONE_DIGIT { (2.0, 1.0) } else { (1.0, 0.0) };
        let wide = wide * 256.0 * lists * groups[0].max(groups[1]) as f64;
        // Vectors grow by doubling, and the largest row sets have more placements than the mean.
        2.0 * digits * lists * matrix + wide + 2.0 * lists * of_lists + 1.5 * BYTES_OF_A_BUILD_PLACEMENT * placements
    };
    parts.iter().map(bytes).fold(4e6, f64::max) as u64
}
