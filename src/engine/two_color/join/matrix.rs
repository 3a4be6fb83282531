//! The count matrices of the sparse colour: for one *Re* and one *Ro*, the number of compatible pairs of a probe and a
//! build placement, by the column sets of both.
//!
//! Entries are written in digits of a byte each. On boards up to N = 22 no entry was seen to need a second digit. A
//! *strip* is all rows of a matrix, cut to the chunks of one panel. Each strip is counted in one of two ways
//! (`Join::make_matrices`):
//!
//! - *saturating*: the bytes stop at 255. If in the end no byte has reached the largest digit (255; less in tests,
//!   whose digits have fewer bits), all are right. Otherwise some may be too small: the strip is cleared and swept
//!   *again*, exactly.
//! - *exact*: 64 bytes are added to words of 32 bits as soon as one of them is 128 or more, and the words are written
//!   as digits in the end. A strip is counted exactly at once if the same strip of the previous matrices had large
//!   entries. This guess saves the first of two sweeps and changes no number.

use super::sweep::Consumer;
use crate::engine::StopReason;
use crate::engine::growth::grow_to;
use crate::engine::two_color::sides::{ProbeSide, SlotLayout, VisitedRecords};
use crate::engine::two_color::simd::{
    Block, Drain, Layout, Loops, PANEL, SLOTS, Scatter, SegmentRecords, Strip, StripMut, Tables, Transpose, WideBlock,
};
use std::ops::Range;

/// Returns the chunks of each panel. A panel has `size` chunks; the last may have fewer.
pub(crate) fn panels(chunks: usize, size: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    (0..chunks).step_by(size).map(move |first| first..(first + size).min(chunks))
}

/// One count matrix for each of some probe lists, digit by digit. Blocks of 64 entries are ordered by list, panel,
/// matrix row and chunk. A matrix row stands for the probe placements with one column set, a slot for a bucket.
#[derive(Debug, Default)]
pub(crate) struct CountMatrices {
    /// The number of rows of a matrix.
    height: usize,
    chunks: usize,
    digits: Vec<Digit>,
}

/// One digit of all entries.
#[derive(Debug, Default)]
struct Digit {
    blocks: Vec<Block>,
    /// By list and first chunk of a panel: false if this digit and all higher digits are 0 throughout the strip.
    used: Vec<bool>,
    /// By list and row of the last transposed strip: false if this digit and all higher digits are 0 throughout the
    /// row. Empty for the first digit.
    used_rows: Vec<bool>,
}

impl CountMatrices {
    /// Makes room for the matrices of `active.len()` lists, and clears those that are active.
    ///
    /// # Errors
    /// When the system refuses memory, as for all functions of this file that make room.
    pub(crate) fn clear(&mut self, active: &[bool], chunks: usize, height: usize) -> Result<(), StopReason> {
        self.height = height;
        self.chunks = chunks;
        self.grow_to(1, active.len())?;
        for digit in &mut self.digits {
            digit.used.fill(false);
        }
        let stride = chunks * height;
        for list in (0..active.len()).filter(|&list| active[list]) {
            self.digits[0].used[list * chunks..][..chunks].fill(true);
            self.digits[0].blocks[list * stride..][..stride].fill(Block::ZERO);
        }
        Ok(())
    }

    /// Returns the chunks of each panel.
    pub(crate) fn panels(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        panels(self.chunks, PANEL)
    }

    /// Makes room for a number of digits.
    fn grow_to(&mut self, digits: usize, lists: usize) -> Result<(), StopReason> {
        self.digits.resize_with(self.digits.len().max(digits), Digit::default);
        for digit in &mut self.digits {
            grow_to(&mut digit.blocks, lists * self.chunks * self.height, Block::ZERO)?;
            grow_to(&mut digit.used, lists * self.chunks, false)?;
        }
        Ok(())
    }

    /// Returns the largest number of digits that an entry may have.
    pub(crate) fn digits(&self) -> usize {
        self.digits.len()
    }

    /// Returns the place of a strip in [`Digit::used`], and the range of its blocks.
    fn place(&self, list: usize, panel: &Range<usize>) -> (usize, Range<usize>) {
        let index = list * self.chunks + panel.start;
        (index, index * self.height..(index + panel.len()) * self.height)
    }

    /// Returns one digit of a strip, row by row, for the chunks of the panel from `first` on. Returns `None` if this
    /// digit and all higher digits are 0 throughout.
    #[inline]
    pub(crate) fn strip(&self, digit: usize, list: usize, panel: &Range<usize>, first: usize) -> Option<Strip<'_>> {
        let Digit { blocks, used, .. } = &self.digits[digit];
        let (index, place) = self.place(list, panel);
        used[index].then(|| Strip { blocks: &blocks[place], width: panel.len() as u16, first })
    }

    /// Returns, for each row of the strip of a list, false if a digit and all higher digits are 0 throughout the row.
    /// The matrices were [transposed](Self::transpose), and the digit is not the first.
    pub(crate) fn used_rows(&self, digit: usize, list: usize) -> &[bool] {
        &self.digits[digit].used_rows[list * self.height..][..self.height]
    }

    /// Returns the blocks of one digit of a strip.
    #[inline]
    pub(crate) fn strip_mut(&mut self, digit: usize, list: usize, panel: &Range<usize>) -> &mut [Block] {
        let (_, place) = self.place(list, panel);
        &mut self.digits[digit].blocks[place]
    }

    /// Writes the strip of one of `lists` lists, which was counted without overflow, as digits of `bits` bits. Returns
    /// the number of digits.
    pub(crate) fn write<K: Loops>(
        &mut self,
        kernel: K,
        (lists, list): (usize, usize),
        panel: &Range<usize>,
        wide: &mut WideStrips,
        bits: u32,
    ) -> Result<usize, StopReason> {
        let rows = wide.strip_mut(list);
        kernel.run(Drain { bytes: self.strip_mut(0, list, panel), entries: rows });
        let mut largest = 0;
        for row in &*rows {
            for &entry in &row.0 {
                largest = entry.max(largest);
            }
        }
        let digits = (32 - largest.leading_zeros()).div_ceil(bits).max(1) as usize;
        self.grow_to(digits, lists)?;
        for digit in 0..digits {
            let shift = digit as u32 * bits;
            for (block, row) in self.strip_mut(digit, list, panel).iter_mut().zip(&*rows) {
                for (byte, entry) in row.0.iter().enumerate() {
                    block.0[byte] = (entry >> shift & ((1 << bits) - 1)) as u8;
                }
            }
            let (index, _) = self.place(list, panel);
            self.digits[digit].used[index] = true;
        }
        Ok(digits)
    }

    /// Replaces these matrices by one panel of `from` with rows and slots swapped: one strip for each active list.
    ///
    /// `from_slots` is the layout of the slots of `from`. The buckets of ranks below `height` become the rows. The rows
    /// of `from` become the slots that `slots` has in the chunks of `panel`.
    pub(crate) fn transpose<K: Loops>(
        &mut self,
        kernel: K,
        from: &CountMatrices,
        active: &[bool],
        (from_slots, height): (&SlotLayout, usize),
        (slots, panel): (&SlotLayout, &Range<usize>),
    ) -> Result<(), StopReason> {
        let width = panel.len();
        self.clear(active, width, height)?;
        self.grow_to(from.digits(), active.len())?;
        let mut transposed = [Block::ZERO; SLOTS];
        for digit in (0..from.digits()).rev() {
            for list in (0..active.len()).filter(|&list| active[list]) {
                let (index, place) = self.place(list, &(0..width));
                let (digits, above) = self.digits[..from.digits()].split_at_mut(digit + 1);
                let Digit { blocks, used, used_rows } = &mut digits[digit];
                let to = &mut blocks[place];
                // The first digit is clear already.
                if digit > 0 {
                    to.fill(Block::ZERO);
                }
                for (number, chunk) in panel.clone().enumerate() {
                    // Slots without a bucket stay clear.
                    let mut rows = [Block::ZERO; SLOTS];
                    for from_panel in from.panels() {
                        let Some(from) = from.strip(digit, list, &from_panel, 0) else { continue };
                        for (from_number, from_chunk) in from_panel.enumerate() {
                            for (slot, bucket) in slots.of_chunk(chunk).iter().enumerate() {
                                let Some(bucket) = bucket else { continue };
                                rows[slot] = from.blocks[bucket.index() * usize::from(from.width) + from_number];
                            }
                            kernel.run(Transpose { from: &rows, to: &mut transposed });
                            for (slot, bucket) in from_slots.of_chunk(from_chunk).iter().enumerate() {
                                let Some(bucket) = bucket else { continue };
                                to[bucket.index() * width + number] = transposed[slot];
                            }
                        }
                    }
                }
                if digit > 0 {
                    let place = list * height..(list + 1) * height;
                    grow_to(used_rows, place.end, false)?;
                    let above = above.first().map_or(&[][..], |above| &above.used_rows[place.clone()]);
                    for (row, is_used) in used_rows[place.clone()].iter_mut().enumerate() {
                        let has_digit = to[row * width..][..width].iter().any(|block| *block != Block::ZERO);
                        *is_used = has_digit || above.get(row) == Some(&true);
                    }
                    used[index] = used_rows[place].contains(&true);
                }
            }
        }
        Ok(())
    }
}

/// The part of the entries of a panel's strips for which bytes have no room, if pairs are counted without overflow.
#[derive(Debug, Default)]
pub(crate) struct WideStrips {
    /// The number of blocks of a strip.
    length: usize,
    /// The blocks by list, row and chunk.
    blocks: Vec<WideBlock>,
}

impl WideStrips {
    /// Makes room for the strips of some lists, of `length` blocks each, and clears them. Strips of the same length of
    /// other lists stay as they are.
    pub(crate) fn clear(&mut self, lists: &[bool], length: usize) -> Result<(), StopReason> {
        self.length = length;
        let reached = lists.iter().rposition(|&is_used| is_used).map_or(0, |last| last + 1);
        grow_to(&mut self.blocks, reached * length, WideBlock::ZERO)?;
        for list in (0..reached).filter(|&list| lists[list]) {
            self.strip_mut(list).fill(WideBlock::ZERO);
        }
        Ok(())
    }

    fn strip_mut(&mut self, list: usize) -> &mut [WideBlock] {
        &mut self.blocks[list * self.length..][..self.length]
    }
}

/// Counts compatible pairs of placements into the strips of a panel.
pub(crate) struct Counts<'a> {
    pub(crate) probe: &'a ProbeSide,
    pub(crate) visited: &'a VisitedRecords,
    pub(crate) matrices: &'a mut CountMatrices,
    pub(crate) panel: Range<usize>,
    /// By list, true if it is counted without overflow; otherwise its bytes saturate.
    pub(crate) exact: &'a [bool],
    pub(crate) wide: &'a mut WideStrips,
}

impl Consumer for Counts<'_> {
    const LAYOUT: Layout = Layout::InPlace;

    fn take<K: Loops>(&mut self, kernel: K, list: usize, segment: usize, first_chunk: usize, tables: &Tables) {
        let SegmentRecords { twins, single } = self.visited.all(self.probe, segment);
        let blocks = self.matrices.strip_mut(0, list, &self.panel);
        let wide = self.exact[list].then(|| self.wide.strip_mut(list));
        let mut strip = StripMut { blocks, wide, width: self.panel.len() as u16, first: first_chunk };
        kernel.run(Scatter { tables, records: twins, strip: strip.reborrow() });
        kernel.run(Scatter { tables, records: single, strip });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::cancel::Cancel;
    use crate::engine::kernel::{Portable, Token};
    use crate::engine::two_color::sides::BuildSide;
    use crate::engine::two_color::simd::tests::shapes_of;
    use crate::engine::two_color::simd::{Largest, ProbeRecord, Shape};
    use crate::engine::two_color::tuples::{Colour, Geometry, Parity, Part, Rank, SquareClass, WEIGHT_CLASSES};
    use crate::random::SplitMix64;

    #[test]
    fn entries_do_not_saturate_and_are_written_in_digits() {
        for Shape { chunks, planes, .. } in shapes_of::<Portable>().filter(|shape| shape.packed == 0) {
            for count in [1, 7, 8, 31, 32, 1000] {
                let mut tables = Tables { shape: Shape::in_place(chunks, planes), ..Tables::default() };
                tables.blocks.fill(Block([255; 64]));
                let (panel, height, first) = (0..3, 3, 3 - chunks);
                let mut matrices = CountMatrices::default();
                matrices.clear(&[true, true], panel.len(), height).unwrap();
                let mut wide = WideStrips::default();
                // Earlier counts, of other strips, must not count again.
                wide.clear(&[true, true], 4 * height).unwrap();
                wide.strip_mut(1).fill(WideBlock([7; SLOTS]));
                wide.clear(&[false, true], panel.len() * height).unwrap();
                let record = |rank| ProbeRecord::new(0, 0, 0, Rank::new(rank));
                let records = [vec![record(0); 2], vec![record(2); count]].concat();
                let probe = ProbeSide::from_records(2, &records, 2 + count / 2 * 2);
                let mut visited = VisitedRecords::default();
                visited.fill(&probe, &[true; 2], &[[height; WEIGHT_CLASSES]; 2]).unwrap();
                for _ in 0..2 {
                    let (matrices, wide) = (&mut matrices, &mut wide);
                    let (probe, visited, panel, exact) = (&probe, &visited, panel.clone(), &[false, true][..]);
                    let mut counts = Counts { probe, visited, matrices, panel, exact, wide };
                    for list in 0..2 {
                        counts.take(Portable, list, list, first, &tables);
                    }
                }
                let digits = matrices.write(Portable, (2, 1), &panel, &mut wide, 8).unwrap();
                let all_digits = |list: usize, block: usize| {
                    let strips = (0..digits).filter_map(|digit| Some((digit, matrices.strip(digit, list, &panel, 0)?)));
                    strips.map(|(digit, strip)| u32::from(strip.blocks[block].0[5]) << (8 * digit)).sum::<u32>()
                };
                for block in 0..height * panel.len() {
                    let records = [2, 0, count][block / panel.len()] * usize::from(block % panel.len() >= first);
                    let expected = (2 * 8 * planes * records) as u32;
                    assert_eq!(all_digits(0, block), expected.min(255), "saturated");
                    assert_eq!(all_digits(1, block), expected, "{chunks} x {planes}, {count}");
                }
                let most = (16 * planes * count.max(2)).min(255) as u32;
                assert_eq!(u32::from(Portable.run(Largest(matrices.strip_mut(0, 0, &panel)))), most);
            }
        }
    }

    #[test]
    fn transposed_panels_have_the_entries_of_the_matrices() {
        let part = Part::all(Geometry::new(Board::new(22).unwrap())).pop().unwrap();
        let [sparse, dense] = [(Colour::White, 300), (Colour::Black, 290)].map(|(colour, buckets)| {
            let class = SquareClass::new(part.geometry, colour, Parity::Even);
            let sets = part.column_sets(class.column_parity);
            let (mut build, mut slots) = (BuildSide::default(), SlotLayout::default());
            build.fill(&class, sets, part.re[100], buckets, &mut Vec::new(), &Cancel::new()).unwrap();
            slots.arrange(&build, &[buckets / 2, buckets]);
            slots
        });
        let (mut matrices, mut transposed) = (CountMatrices::default(), CountMatrices::default());
        let (active, mut random) = ([true, false, true], SplitMix64::new(1));
        matrices.clear(&active, sparse.chunks(), 290).unwrap();
        matrices.grow_to(3, active.len()).unwrap();
        // One of four slots has all digits, one the first alone, one lacks the second, and one the third.
        for (number, digit) in matrices.digits.iter_mut().enumerate() {
            let bytes = digit.blocks.iter_mut().flat_map(|block| block.0.iter_mut().enumerate());
            for (_, byte) in bytes.filter(|(slot, _)| number == 0 || ![0, number].contains(&(slot % 4))) {
                *byte = random.next_u64() as u8;
            }
        }
        // Two digits of one strip are 0 throughout.
        let last = matrices.panels().last().unwrap();
        let (index, _) = matrices.place(2, &last);
        for digit in 1..3 {
            matrices.strip_mut(digit, 2, &last).fill(Block::ZERO);
            matrices.digits[digit].used.fill(true);
            matrices.digits[digit].used[index] = false;
        }
        assert!(dense.chunks() == 5 && last.len() == 1);
        for to in panels(dense.chunks(), 2) {
            transposed.transpose(Portable, &matrices, &active, (&sparse, 300), (&dense, &to)).unwrap();
            assert!(transposed.digits[0].used_rows.is_empty());
            for (list, row) in [0, 2].into_iter().flat_map(|list| (0..300).map(move |row| (list, row))) {
                let is_used = |digit| {
                    let strip = transposed.strip(digit, list, &(0..to.len()), 0).unwrap();
                    strip.blocks[row * to.len()..][..to.len()].iter().any(|block| *block != Block::ZERO)
                };
                let used = [1, 2].map(|digit| transposed.used_rows(digit, list)[row]);
                assert_eq!(used, [is_used(1) || is_used(2), is_used(2)], "list {list}, row {row}");
            }
            for (digit, list, from) in (0..3)
                .flat_map(|digit| matrices.panels().map(move |panel| (digit, panel)))
                .flat_map(|(digit, panel)| [0, 2].map(|list| (digit, list, panel.clone())))
            {
                let strip = transposed.strip(digit, list, &(0..to.len()), 0).unwrap();
                let entry = |row: Rank, chunk: usize, slot: usize| {
                    let blocks = &matrices.digits[digit].blocks[matrices.place(list, &from).1];
                    blocks[row.index() * from.len() + chunk - from.start].0[slot]
                };
                for (chunk, from_chunk) in to.clone().flat_map(|to| from.clone().map(move |from| (to, from))) {
                    for (slot, row) in dense.of_chunk(chunk).iter().enumerate() {
                        for (from_slot, bucket) in sparse.of_chunk(from_chunk).iter().enumerate() {
                            let (Some(row), Some(bucket)) = (*row, *bucket) else { continue };
                            let found = strip.blocks[bucket.index() * to.len() + chunk - to.start].0[slot];
                            assert_eq!(found, entry(row, from_chunk, from_slot));
                        }
                    }
                }
            }
        }
    }
}
