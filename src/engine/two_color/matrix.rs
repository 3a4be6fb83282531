//! The count matrices of the sparse colour: for one *Re* and one *Ro*, the number of compatible pairs of a probe and a
//! build placement, by the column sets of both.
//!
//! Entries are written in digits of a byte. Nearly all of them have one: while pairs are counted, bytes saturate, and a
//! *strip*, the rows of a matrix as far as they are of one band, in which one may have done so is counted again, in
//! pieces that cannot.

use super::build_side::SlotLayout;
use super::probe_side::ProbeRecord;
use super::simd::{Block, Kernel, MOST_BLOCKS, SLOTS, Strip, StripMut, Tables};
use super::sweep::{BAND, Consumer};
use super::tuples::TIE_GROUPS;
use std::ops::Range;

/// The bytes that the strips of a band may take, of all lists together, where a band has more than one chunk. Strips
/// are read and written all over while a band is swept, so they should stay in the second-level cache: with twice as
/// much, sweeps of N = 22 took 1.5 times as long on a CPU with a cache of 1 MiB.
const CACHED: usize = 2 << 20;

/// One count matrix for each of some probe lists, digit by digit: by list, band of chunks, matrix row and chunk, 64
/// entries to a block. A matrix row is of the probe placements with one column set, a slot of a build group. The rows
/// of one band are a *strip*.
#[derive(Debug, Default)]
pub(super) struct CountMatrices {
    /// The number of rows of a matrix.
    height: usize,
    chunks: usize,
    /// The number of chunks of a band; the last band may have fewer.
    band: usize,
    digits: Vec<Digit>,
}

/// One digit of all entries.
#[derive(Debug, Default)]
struct Digit {
    blocks: Vec<Block>,
    /// By list and chunk, the latter the first of a band: false if the digit is 0 throughout the strip.
    used: Vec<bool>,
}

impl CountMatrices {
    /// Makes room for the matrices of `active.len()` lists, and clears those that are active.
    pub(super) fn clear(&mut self, active: &[bool], chunks: usize, height: usize) {
        self.height = height;
        self.chunks = chunks;
        let bytes_of_chunk = active.len() * height * size_of::<Block>();
        self.band = (CACHED / bytes_of_chunk.max(1)).clamp(1, BAND);
        self.reach(1, active.len());
        for digit in &mut self.digits {
            digit.used.fill(false);
        }
        let stride = chunks * height;
        for list in (0..active.len()).filter(|&list| active[list]) {
            self.digits[0].used[list * chunks..][..chunks].fill(true);
            self.digits[0].blocks[list * stride..][..stride].fill(Block::ZERO);
        }
    }

    /// The chunks of each band.
    pub(super) fn bands(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self { chunks, band, .. } = *self;
        (0..chunks).step_by(band).map(move |first| first..(first + band).min(chunks))
    }

    /// Makes room for a number of digits.
    fn reach(&mut self, digits: usize, lists: usize) {
        self.digits.resize_with(self.digits.len().max(digits), Digit::default);
        for digit in &mut self.digits {
            digit.blocks.resize(digit.blocks.len().max(lists * self.chunks * self.height), Block::ZERO);
            digit.used.resize(digit.used.len().max(lists * self.chunks), false);
        }
    }

    /// The number of digits that some entry may have.
    pub(super) fn digits(&self) -> usize {
        self.digits.len()
    }

    /// The place of a strip among those of a digit, and that of its blocks.
    fn place(&self, list: usize, band: &Range<usize>) -> (usize, Range<usize>) {
        let index = list * self.chunks + band.start;
        (index, index * self.height..(index + band.len()) * self.height)
    }

    /// One digit of a strip, row by row, for the chunks of the band from `first` on; `None` if it is 0 throughout.
    pub(super) fn strip(&self, digit: usize, list: usize, band: &Range<usize>, first: usize) -> Option<Strip<'_>> {
        let Digit { blocks, used } = &self.digits[digit];
        let (index, place) = self.place(list, band);
        used[index].then(|| Strip { blocks: &blocks[place], width: band.len(), first })
    }

    fn strip_mut(&mut self, digit: usize, list: usize, band: &Range<usize>) -> &mut [Block] {
        let (_, place) = self.place(list, band);
        &mut self.digits[digit].blocks[place]
    }

    /// Writes a strip of the matrix of one of `lists` lists, as digits of `bits` bits.
    pub(super) fn write(&mut self, lists: usize, list: usize, band: &Range<usize>, rows: &[WideBlock], bits: u32) {
        let largest = rows.iter().flat_map(|row| row.0).max().unwrap_or(0);
        let digits = (32 - largest.leading_zeros()).div_ceil(bits).max(1) as usize;
        self.reach(digits, lists);
        for digit in 0..digits {
            let shift = digit as u32 * bits;
            for (block, row) in self.strip_mut(digit, list, band).iter_mut().zip(rows) {
                block.0 = row.0.map(|entry| (entry >> shift & ((1 << bits) - 1)) as u8);
            }
            let (index, _) = self.place(list, band);
            self.digits[digit].used[index] = true;
        }
    }

    /// Makes these the matrices of `from` with rows and slots exchanged, for the active lists.
    ///
    /// `from_slots` is the layout of the slots of `from`. The first `height` of its groups become the rows, by rank;
    /// the rows of `from` become slots, laid out as `slots`.
    pub(super) fn transpose<K: Kernel>(
        &mut self,
        kernel: K,
        from: &CountMatrices,
        active: &[bool],
        (from_slots, height): (&SlotLayout, usize),
        slots: &SlotLayout,
    ) {
        self.clear(active, slots.chunks(), height);
        self.reach(from.digits(), active.len());
        for digit in 0..from.digits() {
            for list in (0..active.len()).filter(|&list| active[list]) {
                for band in self.bands() {
                    let width = band.len();
                    let (index, place) = self.place(list, &band);
                    let Digit { blocks, used } = &mut self.digits[digit];
                    let to = &mut blocks[place];
                    // The first digit is clear already.
                    if digit > 0 {
                        to.fill(Block::ZERO);
                    }
                    for from_band in from.bands() {
                        let Some(from) = from.strip(digit, list, &from_band, 0) else { continue };
                        for (chunk, from_chunk) in
                            band.clone().flat_map(|chunk| from_band.clone().map(move |from_chunk| (chunk, from_chunk)))
                        {
                            let (mut rows, mut transposed) = ([Block::ZERO; SLOTS], [Block::ZERO; SLOTS]);
                            for (slot, group) in slots.slots(chunk) {
                                rows[slot] = from.blocks[group.index() * from.width + from_chunk - from_band.start];
                            }
                            kernel.transpose(&rows, &mut transposed);
                            for (slot, group) in from_slots.slots(from_chunk) {
                                to[group.index() * width + chunk - band.start] = transposed[slot];
                            }
                        }
                    }
                    used[index] = digit == 0 || to.iter().any(|block| *block != Block::ZERO);
                }
            }
        }
    }

    /// Returns true if a byte of the first digit of a strip has reached `limit`.
    pub(super) fn reaches(&self, list: usize, band: &Range<usize>, limit: u8) -> bool {
        let blocks = self.strip(0, list, band, 0).map_or(&[][..], |strip| strip.blocks);
        blocks.iter().any(|block| block.0.iter().fold(0, |most, &byte| most.max(byte)) >= limit)
    }

    /// Returns true if all digits of the active lists are below 2^`bits`.
    pub(super) fn fit(&self, active: &[bool], bits: u32) -> bool {
        let fits = |block: &Block| block.0.iter().all(|&byte| u32::from(byte) >> bits == 0);
        let fit = |digit: usize, list: usize| {
            let strips = self.bands().filter_map(|band| self.strip(digit, list, &band, 0));
            strips.flat_map(|strip| strip.blocks).all(fits)
        };
        let mut lists = (0..active.len()).filter(|&list| active[list]);
        bits == u8::BITS || lists.all(|list| (0..self.digits()).all(|digit| fit(digit, list)))
    }
}

/// Counts pairs into the strips of a band, in bytes that saturate.
pub(super) struct SaturatingCounts<'a> {
    pub(super) matrices: &'a mut CountMatrices,
    pub(super) band: Range<usize>,
}

impl Consumer for SaturatingCounts<'_> {
    fn take<K: Kernel>(
        &mut self,
        kernel: K,
        list: usize,
        first_chunk: usize,
        tables: &Tables,
        records: &[ProbeRecord],
        _ends: [usize; TIE_GROUPS],
    ) {
        let blocks = self.matrices.strip_mut(0, list, &self.band);
        kernel.scatter(tables, records, StripMut { blocks, width: self.band.len(), first: first_chunk });
    }
}

/// A block of a matrix in entries of 32 bits. They cannot overflow: an entry counts pairs of placements with
/// given rows and columns of at most 7 queens each, so at most 7! · 7! < 2³².
#[derive(Clone, Copy, Debug)]
pub(super) struct WideBlock([u32; SLOTS]);

/// The memory to count pairs into the strips of a band without overflow.
#[derive(Debug, Default)]
pub(super) struct WideStrips {
    /// The number of blocks of a row.
    width: usize,
    /// The number of blocks of a strip.
    length: usize,
    /// By list, row and chunk.
    blocks: Vec<WideBlock>,
    /// By row and chunk; zero between segments.
    bytes: Vec<Block>,
}

impl WideStrips {
    /// Makes room for the strips of a number of lists, and clears them.
    pub(super) fn clear(&mut self, lists: usize, width: usize, height: usize) {
        self.width = width;
        self.length = width * height;
        self.blocks.clear();
        self.blocks.resize(lists * self.length, WideBlock([0; SLOTS]));
        self.bytes.resize(self.length.max(self.bytes.len()), Block::ZERO);
    }

    /// The strip of a list.
    pub(super) fn strip(&self, list: usize) -> &[WideBlock] {
        &self.blocks[list * self.length..][..self.length]
    }
}

/// Counts pairs into the strips of a band without overflow.
pub(super) struct ExactCounts<'a> {
    pub(super) wide: &'a mut WideStrips,
    /// A byte below this has not saturated.
    pub(super) limit: u8,
}

/// Returns a number of records that cannot make a byte saturate: each adds at most 8 a plane.
fn safe_records(planes: usize) -> usize {
    usize::from(u8::MAX - 1) / (8 * planes)
}

const _: () = assert!(8 * MOST_BLOCKS < u8::MAX as usize);

impl Consumer for ExactCounts<'_> {
    fn take<K: Kernel>(
        &mut self,
        kernel: K,
        list: usize,
        first_chunk: usize,
        tables: &Tables,
        records: &[ProbeRecord],
        _ends: [usize; TIE_GROUPS],
    ) {
        let WideStrips { width, length, blocks, bytes } = &mut *self.wide;
        let (width, blocks) = (*width, &mut blocks[list * *length..][..*length]);
        let scatter = |records: &[ProbeRecord], bytes: &mut [Block]| {
            kernel.scatter(tables, records, StripMut { blocks: bytes, width, first: first_chunk });
        };
        scatter(records, bytes);
        let of = |records: &[ProbeRecord]| records[0].rank() * width..(records[records.len() - 1].rank() + 1) * width;
        let saturated = |block: &Block| block.0.iter().any(|&byte| byte >= self.limit);
        if !bytes[of(records)].iter().any(saturated) {
            drain(&mut bytes[of(records)], &mut blocks[of(records)]);
            return;
        }
        bytes[of(records)].fill(Block::ZERO);
        for records in records.chunks(safe_records(tables.shape.planes)) {
            scatter(records, bytes);
            drain(&mut bytes[of(records)], &mut blocks[of(records)]);
        }
    }
}

/// Adds bytes to entries and clears them.
fn drain(bytes: &mut [Block], entries: &mut [WideBlock]) {
    for (bytes, entries) in bytes.iter_mut().zip(entries) {
        for (entry, byte) in entries.0.iter_mut().zip(bytes.0) {
            *entry += u32::from(byte);
        }
        *bytes = Block::ZERO;
    }
}

#[cfg(test)]
impl WideBlock {
    /// The same entry everywhere.
    pub(super) fn all(entry: u32) -> Self {
        Self([entry; SLOTS])
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::Shape;
    use super::super::tuples::Rank;
    use super::*;
    use crate::engine::kernel::Portable;

    #[test]
    fn entries_do_not_saturate_and_are_written_in_digits() {
        for (chunks, planes) in [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (3, 1)] {
            for count in [1, 7, 8, 31, 32, 1000] {
                let mut tables = Tables { shape: Shape { chunks, planes }, ..Tables::default() };
                tables.blocks.fill(Block([255; 64]));
                let (band, height, first) = (0..3, 3, 3 - chunks);
                let mut wide = WideStrips::default();
                wide.clear(2, band.len(), height);
                let records = vec![ProbeRecord::new(0, 0, 0, Rank::new(2)); count];
                // Twice: what the first segment leaves behind must not count again.
                for _ in 0..2 {
                    let mut exact = ExactCounts { wide: &mut wide, limit: u8::MAX };
                    exact.take(Portable, 1, first, &tables, &records, [0; TIE_GROUPS]);
                }
                let expected = |block: usize| {
                    let counted = block / band.len() == 2 && block % band.len() >= first;
                    if counted { (2 * 8 * planes * count) as u32 } else { 0 }
                };
                assert!(wide.strip(0).iter().all(|block| block.0[5] == 0));
                let mut matrices = CountMatrices::default();
                matrices.clear(&[true, true], band.len(), height);
                matrices.write(2, 1, &band, wide.strip(1), 8);
                for block in 0..height * band.len() {
                    assert_eq!(wide.strip(1)[block].0[5], expected(block));
                    let strips = (0..matrices.digits()).map(|digit| matrices.strip(digit, 1, &band, 0).unwrap());
                    let digits =
                        strips.enumerate().map(|(digit, strip)| u32::from(strip.blocks[block].0[5]) << (8 * digit));
                    assert_eq!(digits.sum::<u32>(), expected(block));
                }
            }
        }
    }

    #[test]
    fn digits_that_do_not_fit_are_noticed() {
        let mut matrices = CountMatrices::default();
        matrices.clear(&[true, false], 1, 2);
        matrices.write(2, 0, &(0..1), &[WideBlock::all(7), WideBlock::all(3)], 3);
        assert!(
            matrices.fit(&[true, false], 3) && !matrices.fit(&[true, false], 2) && matrices.fit(&[false, false], 2)
        );
    }
}
