//! Products of compatible pairs one by one, for parts in which they are rare.
//!
//! If one colour has most of the queens, most of its slots hold two or three survivors, with room for eight. A record
//! is compatible with few of them or none, so nearly all counts are 0. (With four queens on EE at N = 24, a prefix
//! leaves about 1,100 survivors for 495 slots, and a record is compatible with 0.4 of them.) Therefore survivors are
//! laid out [tight](super::tight). The AND of a record's entries leaves few bits. Each is a compatible pair, and the
//! matrix entry of the record's rank and the survivor's slot is added. If matrices have several digits, which was never
//! seen in such parts, this is repeated for each digit.

use super::matrix::CountMatrices;
use super::sweep::Consumer;
use super::totals::{Totals, add};
use crate::engine::two_color::sides::{ProbeSide, VisitedRecords};
use crate::engine::two_color::simd::{Layout, Loops, RecordRemainders, SumEntries, Tables};
use std::ops::Range;

/// Adds the matrix entries of compatible pairs.
pub(crate) struct OneByOneProducts<'a> {
    pub(crate) probe: &'a ProbeSide,
    pub(crate) visited: &'a VisitedRecords,
    pub(crate) matrices: &'a CountMatrices,
    /// The chunks of the matrices' panel, from 0.
    pub(crate) panel: Range<usize>,
    /// For each sum of the panel, the weight class of its slots.
    pub(crate) weight_classes: &'a [u8],
    /// The totals by list and digit of the matrices.
    pub(crate) totals: &'a mut [Totals],
    pub(crate) remainders: &'a mut RecordRemainders,
}

impl Consumer for OneByOneProducts<'_> {
    const LAYOUT: Layout = Layout::Tight;

    fn take<K: Loops>(&mut self, kernel: K, list: usize, segment: usize, first_chunk: usize, tables: &Tables) {
        let Self { matrices, ref panel, weight_classes, .. } = *self;
        let digits = matrices.digits();
        let by_weight_class = self.visited.by_weight_class(self.probe, segment);
        for (digit, totals) in self.totals[list * digits..][..digits].iter_mut().enumerate() {
            let Some(strip) = matrices.strip(digit, list, panel, first_chunk) else { break };
            for (weight_class, &records) in by_weight_class.iter().enumerate() {
                let remainders = &mut *self.remainders;
                let sums = kernel.run(SumEntries { tables, records, strip, weight_classes, remainders });
                for (build, sum) in sums.into_iter().enumerate() {
                    add(&mut totals.by_weight_class[weight_class][build], sum);
                }
            }
        }
    }
}
