//! Compatible pairs, if they are rare, are multiplied one by one.

use super::{Entries, Vector, compatible_bits, entries_of, has_shape, run_for_shape};
use crate::engine::kernel::Task;
use crate::engine::two_color::simd::{
    Block, Layout, Loops, MOST_TIGHT_BLOCKS, PLACEMENTS_PER_BLOCK, ProbeRecord, SLOTS, SUMMED, Shape, Strip, Tables,
};
use crate::engine::two_color::tuples::WEIGHT_CLASSES;

/// Returns the sum of the matrix entries of all compatible pairs of some records and a tight slice, by weight class.
/// The entry of a pair is that of the record's rank and the placement's slot.
#[derive(Debug)]
pub struct SumEntries<'a> {
    pub tables: &'a Tables,
    pub records: &'a [ProbeRecord],
    pub strip: Strip<'a>,
    /// For every [`SUMMED`] slots of a row, their weight class.
    pub weight_classes: &'a [u8],
    pub remainders: &'a mut RecordRemainders,
}

/// Scratch memory of [`SumEntries`]: the compatible pairs of some records that are not added yet.
#[derive(Debug)]
pub struct RecordRemainders {
    /// Records, each with a bit for every word of the slice in which the record has a compatible pair.
    records: Vec<(ProbeRecord, u32)>,
    /// Words that are not 0, each with the block at which the record's matrix row begins, and the word's place in the
    /// slice.
    words: Vec<(u64, u32, u32)>,
}

/// The number of words of a block.
const BLOCK_WORDS: usize = size_of::<Block>() / size_of::<u64>();

impl RecordRemainders {
    /// The most records that are treated together.
    const RECORDS: usize = 128;
    const WORDS: usize = Self::RECORDS * MOST_TIGHT_BLOCKS * BLOCK_WORDS;
}

impl Default for RecordRemainders {
    fn default() -> Self {
        Self { records: vec![Default::default(); Self::RECORDS], words: vec![Default::default(); Self::WORDS] }
    }
}

/// Returns one word of the [`compatible_bits`] of all blocks.
#[inline(always)]
fn compatible_word<const B: usize, const THIRD: bool>(entries: &Entries<B>, record: ProbeRecord, word: usize) -> u64 {
    let (block, word) = (word / BLOCK_WORDS % B, word % BLOCK_WORDS);
    let look_up = |blocks: &[Block; B]| u64::from_le_bytes(blocks[block].0.as_chunks().0[word]);
    let [first, second, third] = entries;
    let both = look_up(&first[record.first()]) & look_up(&second[record.second()]);
    if THIRD { both & look_up(&third[record.third()]) } else { both }
}

impl<K: Loops> Task<K> for SumEntries<'_> {
    type Output = [u64; WEIGHT_CLASSES];

    #[inline(always)]
    fn run(self, token: K) -> Self::Output {
        run_for_shape!(Tight, self, token)
    }
}

/// The factor of an entry by weight class. The sums of the second and the third class become the low and the high half
/// of one number in a register; the sum of the first class is the total less both.
const LATER: [u64; WEIGHT_CLASSES] = [0, 1, 1 << 32];

impl SumEntries<'_> {
    /// See [`Scatter::run_for`].
    #[inline(always)]
    fn run_for<V: Vector, const C: usize, const P: usize, const PACKED: usize, const B: usize, const T: bool>(
        self,
        token: V::Token,
    ) -> [u64; WEIGHT_CLASSES] {
        let Self { tables, records, strip: Strip { blocks, width, first }, weight_classes, remainders } = self;
        const { assert!(RecordRemainders::WORDS * 64 * (u8::MAX as usize) < u32::MAX as usize, "sums have room in halves") };
        debug_assert_eq!((P, first), (1, 0));
        let entries = entries_of::<B>(tables);
        let RecordRemainders { records: found, words } = remainders;
        let found = &mut found[..RecordRemainders::RECORDS];
        let words = &mut words[..RecordRemainders::WORDS];
        let mut sums = [0; WEIGHT_CLASSES];
        for records in records.chunks(RecordRemainders::RECORDS) {
            // The CPU cannot predict which words are not 0, so branches depend only on their number.
            let mut count = 0;
            for &record in records {
                let mut nonzero = 0;
                for block in 0..B {
                    let bits = compatible_bits::<V, B, T>(token, &entries, record, block);
                    nonzero |= u32::from(bits.nonzero_words()) << (BLOCK_WORDS * block);
                }
                found[count] = (record, nonzero);
                count += usize::from(nonzero != 0);
            }
            // Each round takes one word of every record that has one left.
            let mut end = 0;
            while count > 0 {
                let mut more = 0;
                for index in 0..count {
                    let (record, nonzero) = found[index];
                    let word = nonzero.trailing_zeros();
                    let row = (record.rank() * usize::from(width)) as u32;
                    words[end] = (compatible_word::<B, T>(&entries, record, word as usize), row, word);
                    end += 1;
                    let nonzero = nonzero & (nonzero - 1);
                    found[more] = (record, nonzero);
                    more += usize::from(nonzero != 0);
                }
                count = more;
            }
            // Each round takes one bit of every word that has one left.
            let (mut all, mut later) = (0, 0);
            while end > 0 {
                let mut more = 0;
                for index in 0..end {
                    let (bits, row, word) = words[index];
                    let place = 64 * word + bits.trailing_zeros();
                    let slot = usize::from(tables.slots[place as usize % (PLACEMENTS_PER_BLOCK * MOST_TIGHT_BLOCKS)]);
                    let entry = u64::from(blocks[row as usize + slot / SLOTS].0[slot % SLOTS]);
                    all += entry;
                    later += entry * LATER[usize::from(weight_classes[slot / SUMMED])];
                    let bits = bits & (bits - 1);
                    words[more] = (bits, row, word);
                    more += usize::from(bits != 0);
                }
                end = more;
            }
            let [second, third] = [later & 0xFFFF_FFFF, later >> 32];
            sums[0] += all - second - third;
            sums[1] += second;
            sums[2] += third;
        }
        sums
    }
}
