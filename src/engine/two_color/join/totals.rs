//! Sums of products, and their totals by tie groups.

use crate::engine::two_color::simd::{BAND, SUMS};
use crate::engine::two_color::tuples::TIE_GROUPS;

/// The sums of products of one list and one digit, for one band.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    /// By the tie group of the probe records and by chunk.
    pub(crate) sums: [[[i32; SUMS]; BAND]; TIE_GROUPS],
    /// The number of records that the sums hold at most.
    pub(crate) records: usize,
    /// By the tie group of the probe records and that of the build groups.
    pub(crate) by_ties: [[u64; TIE_GROUPS]; TIE_GROUPS],
}

impl Totals {
    /// Adds the sums to the totals of their tie groups, and empties them.
    ///
    /// Each sum is of a range of build groups that ends at the rank that `ends` says; the tie groups of the list end at
    /// `tie_ends`.
    pub(crate) fn flush(&mut self, ends: &[[usize; SUMS]], tie_ends: &[usize; TIE_GROUPS]) {
        for (chunk, ends) in ends.iter().enumerate() {
            for (index, &end) in ends.iter().enumerate() {
                let tie_group = tie_group(end, tie_ends);
                for (probe, sums) in self.sums.iter_mut().enumerate() {
                    let sum = std::mem::take(&mut sums[chunk][index]);
                    // Build groups beyond the last tie group are not visited with this list: its matrix is 0 there.
                    let Some(tie_group) = tie_group else {
                        assert_eq!(sum, 0, "a build group without a tie group was visited");
                        continue;
                    };
                    add(&mut self.by_ties[probe][tie_group], sum.cast_unsigned().into());
                }
            }
        }
        self.records = 0;
    }
}

/// Adds a sum to a total.
pub(crate) fn add(total: &mut u64, sum: u64) {
    *total = total.checked_add(sum).expect("a part of the number of solutions is below 2⁶⁴");
}

/// The tie group of build groups whose range ends at a rank; `None` beyond the last.
pub(crate) fn tie_group(end: usize, tie_ends: &[usize; TIE_GROUPS]) -> Option<usize> {
    tie_ends.iter().position(|&tie_end| end <= tie_end)
}
