//! Counts of the sparse colour are added to a matrix row.

use super::{Vector, compatible, entries_of, has_shape, run_for_shape};
use crate::engine::kernel::Task;
use crate::engine::two_color::simd::{
    Block, FULL, Layout, Loops, MOST_BLOCKS, ProbeRecord, SLOTS, Shape, StripMut, Tables, WideBlock,
};

/// Adds, for every record, the number of compatible build placements of each slot to the matrix row of the record's
/// rank. Each array has one record or two twins, which are added together. A byte that would exceed 255 stays at 255.
///
/// With [`StripMut::wide`], no byte may be above [`FULL`] before, and none is after: a block in which a byte would be
/// is added to its wide block and cleared. No plane is packed.
#[derive(Debug)]
pub struct Scatter<'a, const R: usize> {
    pub tables: &'a Tables,
    pub records: &'a [[ProbeRecord; R]],
    pub strip: StripMut<'a>,
}

impl<K: Loops, const R: usize> Task<K> for Scatter<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: K) {
        const { assert!(8 * R * MOST_BLOCKS <= (u8::MAX - FULL) as usize, "the counts of a bucket have room in bytes") };
        run_for_shape!(InPlace, self, token);
    }
}

impl<const R: usize> Scatter<'_, R> {
    /// Runs the loop for `C` chunks of `P` planes and `PACKED` packed planes, together `B` blocks. Records have a third
    /// index if `T` is true.
    #[inline(always)]
    fn run_for<V: Vector, const C: usize, const P: usize, const PACKED: usize, const B: usize, const T: bool>(
        self,
        token: V::Token,
    ) {
        let Self { tables, records, strip: StripMut { blocks, wide, width, first } } = self;
        let entries = entries_of::<B>(tables);
        let blocks = &mut blocks[first..];
        let is_wide = wide.is_some();
        let wide = wide.map_or(&mut [][..], |wide| &mut wide[first..]);
        let high_bits = V::load(token, &Block([FULL + 1; _]));
        for records in records {
            let start = records[0].rank() * usize::from(width);
            let row: &mut [Block; C] = (&mut blocks[start..start + C]).try_into().expect("the length fits");
            for (chunk, block) in row.iter_mut().enumerate() {
                let planes = chunk * P..(chunk + 1) * P;
                let mut counts = compatible::<V, B, T>(token, &entries, records[0], planes.clone());
                for &record in &records[1..] {
                    counts = counts.add_bytes(compatible::<V, B, T>(token, &entries, record, planes.clone()));
                }
                if is_wide {
                    let counts = V::load(token, block).add_bytes(counts);
                    counts.store(block);
                    if counts.and(high_bits).nonzero_words() != 0 {
                        drain_block(block, &mut wide[start + chunk]);
                    }
                } else {
                    V::load(token, block).add_bytes_saturating(counts).store(block);
                }
            }
        }
    }
}

/// Drains one block. The loop seldom needs this function, which is kept out of it and so compiled for any CPU.
#[cold]
fn drain_block(bytes: &mut Block, entries: &mut WideBlock) {
    drain(std::slice::from_mut(bytes), std::slice::from_mut(entries));
}

/// Returns the largest byte of some blocks, 0 if there are none. This is a plain loop, like `OneRowTable`.
#[derive(Debug)]
pub struct Largest<'a>(pub &'a [Block]);

impl<K: Loops> Task<K> for Largest<'_> {
    type Output = u8;

    #[inline(always)]
    fn run(self, _: K) -> u8 {
        let mut largest = [0; SLOTS];
        for block in self.0 {
            for byte in 0..SLOTS {
                largest[byte] = block.0[byte].max(largest[byte]);
            }
        }
        largest_byte(&largest)
    }
}

/// Returns the largest of some bytes. This function is not inlined, because otherwise the compiler keeps them as single
/// bytes.
#[inline(never)]
fn largest_byte(bytes: &[u8; SLOTS]) -> u8 {
    bytes.iter().fold(0, |largest, &byte| byte.max(largest))
}

/// Adds every byte to the entry in its place, and clears the byte. This is a plain loop, like `OneRowTable`.
#[derive(Debug)]
pub struct Drain<'a> {
    pub bytes: &'a mut [Block],
    pub entries: &'a mut [WideBlock],
}

impl<K: Loops> Task<K> for Drain<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: K) {
        drain(self.bytes, self.entries);
    }
}

#[inline(always)]
fn drain(bytes: &mut [Block], entries: &mut [WideBlock]) {
    for (bytes, entries) in bytes.iter_mut().zip(entries) {
        for slot in 0..SLOTS {
            entries.0[slot] += u32::from(bytes.0[slot]);
        }
        *bytes = Block::ZERO;
    }
}
