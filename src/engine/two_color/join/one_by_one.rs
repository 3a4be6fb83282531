//! Products of compatible pairs one by one, where they are rare.
//!
//! In the parts in which one colour has most of the queens, most slots of it hold two or three survivors, with room for
//! eight, and a record is compatible with few of them or none: nearly all counts are 0. There survivors are laid out
//! [tight](super::tight). What is left of them for a record is a bit here and there: each is a compatible pair, and the
//! matrix entry of the record's rank and the survivor's slot is added. Where matrices have several digits, which was never
//! seen there, all is done again for each.

use super::matrix::CountMatrices;
use super::sweep::Consumer;
use super::totals::{Totals, add};
use crate::engine::two_color::sides::{ProbeSide, Visited};
use crate::engine::two_color::simd::{Layout, Left, Loops, SumEntries, Tables};
use std::ops::Range;

/// Adds the matrix entries of compatible pairs.
pub(crate) struct OneByOne<'a> {
    pub(crate) probe: &'a ProbeSide,
    pub(crate) visited: &'a Visited,
    pub(crate) matrices: &'a CountMatrices,
    /// The chunks of the matrices' band, from 0.
    pub(crate) band: Range<usize>,
    /// For each sum of the band, the tie group of its slots.
    pub(crate) tie_groups: &'a [u8],
    /// By list and digit of the matrices.
    pub(crate) totals: &'a mut [Totals],
    pub(crate) left: &'a mut Left,
}

impl Consumer for OneByOne<'_> {
    const LAYOUT: Layout = Layout::Tight;

    fn take<K: Loops>(&mut self, kernel: K, list: usize, segment: usize, first_chunk: usize, tables: &Tables) {
        let Self { matrices, ref band, tie_groups, .. } = *self;
        let digits = matrices.digits();
        let by_ties = self.visited.by_ties(self.probe, segment);
        for (digit, totals) in self.totals[list * digits..][..digits].iter_mut().enumerate() {
            let Some(strip) = matrices.strip(digit, list, band, first_chunk) else { break };
            for (tie_group, &records) in by_ties.iter().enumerate() {
                let left = &mut *self.left;
                let sums = kernel.run(SumEntries { tables, records, strip, tie_groups, left });
                totals.by_ties[tie_group].iter_mut().zip(sums).for_each(|(total, sum)| add(total, sum));
            }
        }
    }
}
