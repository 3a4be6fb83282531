//! Sums of products, and their totals by weight classes.

use crate::engine::two_color::simd::{PANEL, SUMS};
use crate::engine::two_color::tuples::WEIGHT_CLASSES;

/// The sums of products of one list and one digit, for one panel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    /// The sums by the weight class of the probe records and by chunk.
    pub(crate) sums: [[[i32; SUMS]; PANEL]; WEIGHT_CLASSES],
    /// The number of records whose products a sum may have, at most.
    pub(crate) records: usize,
    /// The totals by the weight class of the probe records and that of the buckets.
    pub(crate) by_weight_class: [[u64; WEIGHT_CLASSES]; WEIGHT_CLASSES],
}

impl Totals {
    /// Adds the sums to the totals of their weight classes, and sets them to 0.
    ///
    /// Each sum belongs to a range of buckets, which ends at the rank in `ends`. The weight classes of the list end at
    /// `class_ends`.
    pub(crate) fn flush(&mut self, ends: &[[usize; SUMS]], class_ends: &[usize; WEIGHT_CLASSES]) {
        for (chunk, ends) in ends.iter().enumerate() {
            for (index, &end) in ends.iter().enumerate() {
                let weight_class = weight_class(end, class_ends);
                for (probe, sums) in self.sums.iter_mut().enumerate() {
                    let sum = std::mem::take(&mut sums[chunk][index]);
                    // Build buckets beyond the last weight class are not visited with this list: its matrix is 0 there.
                    let Some(weight_class) = weight_class else {
                        assert_eq!(sum, 0, "a bucket without a weight class was visited");
                        continue;
                    };
                    add(&mut self.by_weight_class[probe][weight_class], sum.cast_unsigned().into());
                }
            }
        }
        self.records = 0;
    }
}

/// Adds a sum to a total.
#[inline]
pub(crate) fn add(total: &mut u64, sum: u64) {
    *total = total.checked_add(sum).expect("a part of the number of solutions is below 2⁶⁴");
}

/// Returns the weight class of buckets whose range ends at a rank; `None` beyond the last.
pub(crate) fn weight_class(end: usize, class_ends: &[usize; WEIGHT_CLASSES]) -> Option<usize> {
    class_ends.iter().position(|&class_end| end <= class_end)
}
