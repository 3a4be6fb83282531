//! The matrices of the sparse colour: how many placements have a column set, for every pair of an even and an odd one.
//!
//! Entries are written in digits of a byte. Nearly all of them have one: while the placements are counted, bytes saturate,
//! and a matrix in which one may have done so is counted again, in pieces that cannot.

use super::kernel::{Block, Kernel, MOST_PLANES, SLOTS, Tables};
use super::layout::Layout;
use super::lists::Record;
use super::part::CLASSES;
use super::sweep::Sink;

/// One matrix for each of some lists, digit by digit: by list, chunk of slots and row, 64 entries to a block.
#[derive(Debug, Default)]
pub(super) struct Matrices {
    rows: usize,
    chunks: usize,
    digits: Vec<Digit>,
}

/// One digit of all entries.
#[derive(Debug, Default)]
struct Digit {
    blocks: Vec<Block>,
    /// By list and chunk, whether the digit may be other than 0.
    used: Vec<bool>,
}

impl Matrices {
    /// Makes room for the matrices of as many lists, and clears those that are active.
    pub(super) fn clear(&mut self, active: &[bool], chunks: usize, rows: usize) {
        self.rows = rows;
        self.chunks = chunks;
        self.reach(1, active.len());
        for digit in &mut self.digits {
            digit.used.fill(false);
        }
        let stride = chunks * rows;
        for list in (0..active.len()).filter(|&list| active[list]) {
            self.digits[0].used[list * chunks..][..chunks].fill(true);
            self.digits[0].blocks[list * stride..][..stride].fill(Block::ZERO);
        }
    }

    /// Makes room for a number of digits.
    fn reach(&mut self, digits: usize, lists: usize) {
        self.digits.resize_with(self.digits.len().max(digits), Digit::default);
        for digit in &mut self.digits {
            digit.blocks.resize(digit.blocks.len().max(lists * self.chunks * self.rows), Block::ZERO);
            digit.used.resize(digit.used.len().max(lists * self.chunks), false);
        }
    }

    /// The number of digits that some entry may have.
    pub(super) fn digits(&self) -> usize {
        self.digits.len()
    }

    /// The rows of a chunk of a matrix: one digit of the entries. Nothing if they are all 0.
    pub(super) fn chunk(&self, digit: usize, list: usize, chunk: usize) -> Option<&[Block]> {
        let Digit { blocks, used } = &self.digits[digit];
        let index = list * self.chunks + chunk;
        used[index].then(|| &blocks[index * self.rows..][..self.rows])
    }

    /// The rows of a chunk of a matrix, to be written.
    fn chunk_mut(&mut self, digit: usize, list: usize, chunk: usize) -> &mut [Block] {
        let index = list * self.chunks + chunk;
        &mut self.digits[digit].blocks[index * self.rows..][..self.rows]
    }

    /// Writes a chunk of a matrix as digits of as many bits.
    pub(super) fn write(&mut self, lists: usize, list: usize, chunk: usize, entries: &[Entries], bits: u32) {
        let largest = entries.iter().flat_map(|entries| entries.0).max().unwrap_or(0);
        let digits = (32 - largest.leading_zeros()).div_ceil(bits).max(1) as usize;
        self.reach(digits, lists);
        for digit in 0..digits {
            let shift = digit as u32 * bits;
            for (block, entries) in self.chunk_mut(digit, list, chunk).iter_mut().zip(entries) {
                block.0 = entries.0.map(|entry| (entry >> shift & ((1 << bits) - 1)) as u8);
            }
            self.digits[digit].used[list * self.chunks + chunk] = true;
        }
    }

    /// Makes it the matrices of `from` with rows and slots exchanged. The slots of `from` are laid out as `rows`, which
    /// become the rows by group; its rows become slots, laid out as `columns`.
    pub(super) fn turn<K: Kernel>(
        &mut self,
        kernel: K,
        from: &Matrices,
        active: &[bool],
        rows: (&Layout, usize),
        columns: &Layout,
    ) {
        let (rows, height) = rows;
        self.clear(active, columns.chunks(), height);
        self.reach(from.digits(), active.len());
        for digit in 0..from.digits() {
            for list in (0..active.len()).filter(|&list| active[list]) {
                if (0..rows.chunks()).all(|chunk| from.chunk(digit, list, chunk).is_none()) {
                    continue;
                }
                for chunk in 0..columns.chunks() {
                    let to = self.chunk_mut(digit, list, chunk);
                    to.fill(Block::ZERO);
                    for row_chunk in 0..rows.chunks() {
                        let Some(from) = from.chunk(digit, list, row_chunk) else { continue };
                        let (mut by_column, mut by_row) = ([Block::ZERO; SLOTS], [Block::ZERO; SLOTS]);
                        for (slot, group) in columns.slots(chunk) {
                            by_column[slot] = from[group];
                        }
                        kernel.transpose(&by_column, &mut by_row);
                        for (slot, group) in rows.slots(row_chunk) {
                            to[group] = by_row[slot];
                        }
                    }
                    let used = to.iter().any(|block| *block != Block::ZERO);
                    self.digits[digit].used[list * columns.chunks() + chunk] = used;
                }
            }
        }
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

    /// Whether a byte of the first digit of a chunk has reached `limit`.
    pub(super) fn reaches(&self, list: usize, chunk: usize, limit: u8) -> bool {
        let rows = self.chunk(0, list, chunk).unwrap_or(&[]);
        rows.iter().any(|block| block.0.iter().fold(0, |most, &byte| most.max(byte)) >= limit)
    }
}

/// Adds up one chunk of the matrices in bytes, which saturate.
pub(super) struct InBytes<'a> {
    pub(super) matrices: &'a mut Matrices,
    pub(super) chunk: usize,
}

impl Sink for InBytes<'_> {
    fn take<K: Kernel>(
        &mut self,
        kernel: K,
        list: usize,
        tables: &Tables,
        records: &[Record],
        _ends: [usize; CLASSES],
    ) {
        kernel.scatter(tables, records, self.matrices.chunk_mut(0, list, self.chunk));
    }
}

/// Entries of one row and 64 slots. They cannot overflow: an entry counts pairs of placements with given rows and columns of
/// at most 7 queens each, so at most 7! · 7! < 2³².
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries([u32; SLOTS]);

/// The memory to add up one chunk of some matrices without overflow.
#[derive(Debug, Default)]
pub(super) struct Wide {
    rows: usize,
    /// By list and row.
    entries: Vec<Entries>,
    /// By row; zero between sublists.
    bytes: Vec<Block>,
}

impl Wide {
    pub(super) fn clear(&mut self, lists: usize, rows: usize) {
        self.rows = rows;
        self.entries.clear();
        self.entries.resize(lists * rows, Entries([0; SLOTS]));
        self.bytes.resize(rows.max(self.bytes.len()), Block::ZERO);
    }

    pub(super) fn entries(&self, list: usize) -> &[Entries] {
        &self.entries[list * self.rows..][..self.rows]
    }
}

/// Adds up one chunk of the matrices without overflow.
pub(super) struct InEntries<'a> {
    pub(super) wide: &'a mut Wide,
    /// A byte below this has not saturated.
    pub(super) limit: u8,
}

/// So many records cannot make a byte saturate.
fn safe_records(planes: usize) -> usize {
    usize::from(u8::MAX - 1) / (8 * planes)
}

const _: () = assert!(8 * MOST_PLANES < u8::MAX as usize);

impl Sink for InEntries<'_> {
    fn take<K: Kernel>(
        &mut self,
        kernel: K,
        list: usize,
        tables: &Tables,
        records: &[Record],
        _ends: [usize; CLASSES],
    ) {
        let Wide { rows, entries, bytes } = &mut *self.wide;
        let entries = &mut entries[list * *rows..][..*rows];
        kernel.scatter(tables, records, bytes);
        let rows_of = |records: &[Record]| records[0].rank()..records[records.len() - 1].rank() + 1;
        let saturated = |block: &Block| block.0.iter().any(|&byte| byte >= self.limit);
        if !bytes[rows_of(records)].iter().any(saturated) {
            drain(&mut bytes[rows_of(records)], &mut entries[rows_of(records)]);
            return;
        }
        bytes[rows_of(records)].fill(Block::ZERO);
        for records in records.chunks(safe_records(tables.planes)) {
            kernel.scatter(tables, records, bytes);
            drain(&mut bytes[rows_of(records)], &mut entries[rows_of(records)]);
        }
    }
}

/// Adds bytes to entries and clears them.
fn drain(bytes: &mut [Block], entries: &mut [Entries]) {
    for (bytes, entries) in bytes.iter_mut().zip(entries) {
        for (entry, byte) in entries.0.iter_mut().zip(bytes.0) {
            *entry += u32::from(byte);
        }
        *bytes = Block::ZERO;
    }
}

#[cfg(test)]
impl Entries {
    /// The same entry everywhere.
    pub(super) fn all(entry: u32) -> Self {
        Self([entry; SLOTS])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::kernel::Portable;

    #[test]
    fn entries_do_not_saturate_and_are_written_in_digits() {
        for planes in 1..=MOST_PLANES {
            for count in [1, 7, 8, 31, 32, 1000] {
                let mut tables = Tables { planes, ..Tables::default() };
                tables.first.fill(Block([255; 64]));
                tables.second.fill(Block([255; 64]));
                let mut wide = Wide::default();
                wide.clear(2, 3);
                let records = vec![Record::new(0, 0, 0, 2); count];
                // Twice: what the first sublist leaves behind must not count again.
                for _ in 0..2 {
                    InEntries { wide: &mut wide, limit: u8::MAX }.take(Portable, 1, &tables, &records, [0; CLASSES]);
                }
                let expected = (2 * 8 * planes * count) as u32;
                assert_eq!(wide.entries(0).iter().map(|entries| entries.0[5]).collect::<Vec<_>>(), [0, 0, 0]);
                assert_eq!(wide.entries(1).iter().map(|entries| entries.0[5]).collect::<Vec<_>>(), [0, 0, expected]);

                let mut matrices = Matrices::default();
                matrices.clear(&[true, true], 1, 3);
                matrices.write(2, 1, 0, wide.entries(1), 8);
                let digits = (0..matrices.digits()).map(|digit| matrices.chunk(digit, 1, 0).unwrap()[2].0[5]);
                let read = digits.enumerate().map(|(digit, byte)| u32::from(byte) << (8 * digit)).sum::<u32>();
                assert_eq!(read, expected);
            }
        }
    }
}
