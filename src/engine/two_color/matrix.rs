//! The count matrices of the sparse colour: for one *Re* and one *Ro*, the number of compatible pairs of a probe and a
//! build placement, by the column sets of both.
//!
//! Entries are written in digits of a byte. Nearly all of them have one: while pairs are counted, bytes saturate, and a
//! matrix in which one may have done so is counted again, in pieces that cannot.

use super::build_side::SlotLayout;
use super::probe_side::ProbeRecord;
use super::simd::{Block, Kernel, MOST_PLANES, SLOTS, Tables};
use super::sweep::Consumer;
use super::tuples::TIE_GROUPS;

/// One count matrix for each of some probe lists, digit by digit: by list, chunk of slots and matrix row, 64 entries to
/// a block. A matrix row is of the probe placements with one column set, a slot of a build group.
#[derive(Debug, Default)]
pub(super) struct CountMatrices {
    /// The number of rows of a matrix.
    height: usize,
    chunks: usize,
    digits: Vec<Digit>,
}

/// One digit of all entries.
#[derive(Debug, Default)]
struct Digit {
    blocks: Vec<Block>,
    /// By list and chunk, false if the digit is 0 throughout.
    used: Vec<bool>,
}

impl CountMatrices {
    /// Makes room for the matrices of `active.len()` lists, and clears those that are active.
    pub(super) fn clear(&mut self, active: &[bool], chunks: usize, height: usize) {
        self.height = height;
        self.chunks = chunks;
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

    /// One digit of a chunk of a matrix, row by row; `None` if it is 0 throughout.
    pub(super) fn chunk(&self, digit: usize, list: usize, chunk: usize) -> Option<&[Block]> {
        let Digit { blocks, used } = &self.digits[digit];
        let index = list * self.chunks + chunk;
        used[index].then(|| &blocks[index * self.height..][..self.height])
    }

    fn chunk_mut(&mut self, digit: usize, list: usize, chunk: usize) -> &mut [Block] {
        let index = list * self.chunks + chunk;
        &mut self.digits[digit].blocks[index * self.height..][..self.height]
    }

    /// Writes a chunk of the matrix of one of `lists` lists, as digits of `bits` bits.
    pub(super) fn write(&mut self, lists: usize, list: usize, chunk: usize, rows: &[WideRow], bits: u32) {
        let largest = rows.iter().flat_map(|row| row.0).max().unwrap_or(0);
        let digits = (32 - largest.leading_zeros()).div_ceil(bits).max(1) as usize;
        self.reach(digits, lists);
        for digit in 0..digits {
            let shift = digit as u32 * bits;
            for (block, row) in self.chunk_mut(digit, list, chunk).iter_mut().zip(rows) {
                block.0 = row.0.map(|entry| (entry >> shift & ((1 << bits) - 1)) as u8);
            }
            self.digits[digit].used[list * self.chunks + chunk] = true;
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
                if (0..from_slots.chunks()).all(|chunk| from.chunk(digit, list, chunk).is_none()) {
                    continue;
                }
                for chunk in 0..slots.chunks() {
                    let to = self.chunk_mut(digit, list, chunk);
                    to.fill(Block::ZERO);
                    for from_chunk in 0..from_slots.chunks() {
                        let Some(from) = from.chunk(digit, list, from_chunk) else { continue };
                        let (mut rows, mut transposed) = ([Block::ZERO; SLOTS], [Block::ZERO; SLOTS]);
                        for (slot, group) in slots.slots(chunk) {
                            rows[slot] = from[group.index()];
                        }
                        kernel.transpose(&rows, &mut transposed);
                        for (slot, group) in from_slots.slots(from_chunk) {
                            to[group.index()] = transposed[slot];
                        }
                    }
                    let used = to.iter().any(|block| *block != Block::ZERO);
                    self.digits[digit].used[list * slots.chunks() + chunk] = used;
                }
            }
        }
    }

    /// Returns true if a byte of the first digit of a chunk has reached `limit`.
    pub(super) fn reaches(&self, list: usize, chunk: usize, limit: u8) -> bool {
        let rows = self.chunk(0, list, chunk).unwrap_or(&[]);
        rows.iter().any(|block| block.0.iter().fold(0, |most, &byte| most.max(byte)) >= limit)
    }

    /// Returns true if all digits of the active lists are below 2^`bits`.
    pub(super) fn fit(&self, active: &[bool], bits: u32) -> bool {
        let fits = |block: &Block| block.0.iter().all(|&byte| u32::from(byte) >> bits == 0);
        let fit = |digit: usize, list: usize| {
            (0..self.chunks).filter_map(|chunk| self.chunk(digit, list, chunk)).flatten().all(fits)
        };
        let mut lists = (0..active.len()).filter(|&list| active[list]);
        bits == u8::BITS || lists.all(|list| (0..self.digits()).all(|digit| fit(digit, list)))
    }
}

/// Counts pairs into one chunk of the matrices, in bytes that saturate.
pub(super) struct SaturatingCounts<'a> {
    pub(super) matrices: &'a mut CountMatrices,
    pub(super) chunk: usize,
}

impl Consumer for SaturatingCounts<'_> {
    fn take<K: Kernel>(
        &mut self,
        kernel: K,
        list: usize,
        tables: &Tables,
        records: &[ProbeRecord],
        _ends: [usize; TIE_GROUPS],
    ) {
        kernel.scatter(tables, records, self.matrices.chunk_mut(0, list, self.chunk));
    }
}

/// One matrix row of a chunk in entries of 32 bits. They cannot overflow: an entry counts pairs of placements with
/// given rows and columns of at most 7 queens each, so at most 7! · 7! < 2³².
#[derive(Clone, Copy, Debug)]
pub(super) struct WideRow([u32; SLOTS]);

/// The memory to count pairs into one chunk of some matrices without overflow.
#[derive(Debug, Default)]
pub(super) struct WideChunk {
    /// The number of rows of a matrix.
    height: usize,
    /// By list and row.
    rows: Vec<WideRow>,
    /// By row; zero between segments.
    bytes: Vec<Block>,
}

impl WideChunk {
    /// Makes room for the matrices of a number of lists, and clears them.
    pub(super) fn clear(&mut self, lists: usize, height: usize) {
        self.height = height;
        self.rows.clear();
        self.rows.resize(lists * height, WideRow([0; SLOTS]));
        self.bytes.resize(height.max(self.bytes.len()), Block::ZERO);
    }

    /// The rows of the matrix of a list.
    pub(super) fn rows(&self, list: usize) -> &[WideRow] {
        &self.rows[list * self.height..][..self.height]
    }
}

/// Counts pairs into one chunk of the matrices without overflow.
pub(super) struct ExactCounts<'a> {
    pub(super) wide: &'a mut WideChunk,
    /// A byte below this has not saturated.
    pub(super) limit: u8,
}

/// Returns a number of records that cannot make a byte saturate: each adds at most 8 a plane.
fn safe_records(planes: usize) -> usize {
    usize::from(u8::MAX - 1) / (8 * planes)
}

const _: () = assert!(8 * MOST_PLANES < u8::MAX as usize);

impl Consumer for ExactCounts<'_> {
    fn take<K: Kernel>(
        &mut self,
        kernel: K,
        list: usize,
        tables: &Tables,
        records: &[ProbeRecord],
        _ends: [usize; TIE_GROUPS],
    ) {
        let WideChunk { height, rows, bytes } = &mut *self.wide;
        let rows = &mut rows[list * *height..][..*height];
        kernel.scatter(tables, records, bytes);
        let ranks = |records: &[ProbeRecord]| records[0].rank()..records[records.len() - 1].rank() + 1;
        let saturated = |block: &Block| block.0.iter().any(|&byte| byte >= self.limit);
        if !bytes[ranks(records)].iter().any(saturated) {
            drain(&mut bytes[ranks(records)], &mut rows[ranks(records)]);
            return;
        }
        bytes[ranks(records)].fill(Block::ZERO);
        for records in records.chunks(safe_records(tables.planes)) {
            kernel.scatter(tables, records, bytes);
            drain(&mut bytes[ranks(records)], &mut rows[ranks(records)]);
        }
    }
}

/// Adds bytes to entries and clears them.
fn drain(bytes: &mut [Block], rows: &mut [WideRow]) {
    for (bytes, row) in bytes.iter_mut().zip(rows) {
        for (entry, byte) in row.0.iter_mut().zip(bytes.0) {
            *entry += u32::from(byte);
        }
        *bytes = Block::ZERO;
    }
}

#[cfg(test)]
impl WideRow {
    /// The same entry everywhere.
    pub(super) fn all(entry: u32) -> Self {
        Self([entry; SLOTS])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tuples::Rank;
    use super::*;
    use crate::engine::kernel::Portable;

    #[test]
    fn entries_do_not_saturate_and_are_written_in_digits() {
        for planes in 1..=MOST_PLANES {
            for count in [1, 7, 8, 31, 32, 1000] {
                let mut tables = Tables { planes, ..Tables::default() };
                tables.first.fill(Block([255; 64]));
                tables.second.fill(Block([255; 64]));
                let mut wide = WideChunk::default();
                wide.clear(2, 3);
                let records = vec![ProbeRecord::new(0, 0, 0, Rank::new(2)); count];
                // Twice: what the first segment leaves behind must not count again.
                for _ in 0..2 {
                    let mut exact = ExactCounts { wide: &mut wide, limit: u8::MAX };
                    exact.take(Portable, 1, &tables, &records, [0; TIE_GROUPS]);
                }
                let expected = (2 * 8 * planes * count) as u32;
                assert_eq!(wide.rows(0).iter().map(|row| row.0[5]).collect::<Vec<_>>(), [0, 0, 0]);
                assert_eq!(wide.rows(1).iter().map(|row| row.0[5]).collect::<Vec<_>>(), [0, 0, expected]);

                let mut matrices = CountMatrices::default();
                matrices.clear(&[true, true], 1, 3);
                matrices.write(2, 1, 0, wide.rows(1), 8);
                let digits = (0..matrices.digits()).map(|digit| matrices.chunk(digit, 1, 0).unwrap()[2].0[5]);
                let read = digits.enumerate().map(|(digit, byte)| u32::from(byte) << (8 * digit)).sum::<u32>();
                assert_eq!(read, expected);
            }
        }
    }

    #[test]
    fn digits_that_do_not_fit_are_noticed() {
        let mut matrices = CountMatrices::default();
        matrices.clear(&[true, false], 1, 2);
        matrices.write(2, 0, 0, &[WideRow::all(7), WideRow::all(3)], 3);
        assert!(
            matrices.fit(&[true, false], 3) && !matrices.fit(&[true, false], 2) && matrices.fit(&[false, false], 2)
        );
    }
}
