//! The innermost loops for every instruction set, and the data that they work on.
//!
//! Each build placement is one bit. A *slot* is a byte with room for eight build placements of one bucket, and a
//! *chunk* is 64 slots side by side. A *plane* has one byte for each slot of a chunk, in the slot's place. In a
//! *packed* plane, bytes of one chunk or two may stand in other slots' places ([`Planes`]). A *slice* is up to
//! [`MOST_BLOCKS`] planes of one chunk or two. In a *tight* slice, build placements stand one after another, regardless
//! of their slots.
//!
//! The *one-row table* of a slice has, for every square of the probe side, the build placements that do not attack it.
//! A *two-row table* has the AND for every two squares of two rows. Each *index* of a probe record names an entry of
//! one of these tables. The AND over the entries leaves the build placements compatible with the record, and a
//! population count of the bytes gives their number in each bucket.
//!
//! The loops are written once, in `loops`, over the operations of a [`Vector`]. The files `portable`, `avx2`, `avx512`
//! and `neon` have these operations; `plain` has the operations that some of them lack.

// A vector operation is fast only if it is inlined into a function that is compiled for its instruction set.
#![allow(clippy::inline_always)]
// The program is built without LTO. Then `zip`, `fill`, and `from_fn` and `map` of arrays are calls, because they are
// generic and not marked for inlining. Loops with indexes are not.
#![allow(clippy::needless_range_loop)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod loops;
#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
mod planes;
mod portable;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use crate::engine::StopReason;
use crate::engine::growth::{grow_to, reserve};
pub use loops::{
    Dot, Drain, Filter, Largest, Loops, OneRowTable, RecordRemainders, Recount, Scatter, SlicePlane, SumEntries,
    Transpose, TwoRowTable, Vector,
};
pub use planes::*;
pub use record::*;
use std::fmt::Debug;

/// 64 bytes, as wide as the widest vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [u8; 64]);

impl Block {
    pub const ZERO: Block = Block([0; 64]);
}

/// A block of a matrix in entries of 32 bits. They cannot overflow: an entry counts pairs of placements with given rows
/// and columns of at most 7 queens each, so it is at most 7! · 7! < 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideBlock(pub [u32; SLOTS]);

impl WideBlock {
    pub const ZERO: WideBlock = WideBlock([0; SLOTS]);
}

/// The number of build placements of a block, a bit each.
pub(crate) const PLACEMENTS_PER_BLOCK: usize = 8 * size_of::<Block>();

/// The number of slots of a plane: one byte of a [`Block`] each.
pub const SLOTS: usize = 64;

/// The number of neighbouring slots whose products make one sum.
pub(crate) const SUMMED: usize = 4;

/// The number of sums of a chunk.
pub const SUMS: usize = SLOTS / SUMMED;

/// The number of neighbouring slots within which the shuffles of all kernels move bytes.
pub(crate) const LANE: usize = 16;

/// The most planes of all chunks of a slice together.
pub(crate) const MOST_BLOCKS: usize = 6;

/// The most packed planes of a slice.
pub(crate) const MOST_PACKED: usize = 2;

/// The most blocks of a tight slice.
pub(crate) const MOST_TIGHT_BLOCKS: usize = 4;

/// The number of entries of a table: one for each value of a byte.
pub(crate) const ENTRIES: usize = 256;

/// The bit of a diagonal mask that marks a place without a placement.
pub(crate) const NO_PLACEMENT: u32 = 63;

/// The build placements of 64 buckets that no queen of a prefix attacks, as diagonal masks, slot by slot.
#[derive(Clone, Debug)]
pub struct Survivors {
    /// The diagonal masks, and [`Survivors::PADDING`] words after them that mean nothing.
    placements: Vec<u64>,
    /// Where the placements of each slot begin, and where those of the last end.
    pub starts: [u32; SLOTS + 1],
    /// Scratch memory of [`Filter`]: which placements of the parent survive, 64 to a word, and how many survivors come
    /// before each word.
    kept: Vec<(u64, u32)>,
}

impl Default for Survivors {
    fn default() -> Self {
        Self { placements: vec![0; Survivors::PADDING], starts: [0; _], kept: Vec::new() }
    }
}

impl Survivors {
    const PADDING: usize = 64;

    /// Makes room for the survivors of `parent`, which [`Filter`] finds.
    ///
    /// # Errors
    /// When the system refuses memory.
    #[inline]
    pub fn reserve(&mut self, parent: &Self) -> Result<(), StopReason> {
        grow_to(&mut self.placements, parent.len() + Self::PADDING, 0)
    }

    /// Fills the slots in turn, each with its placements. Slots beyond those that are given stay empty.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub fn fill<'a>(&mut self, mut slots: impl Iterator<Item = &'a [u64]>) -> Result<(), StopReason> {
        self.placements.clear();
        for slot in 0..SLOTS {
            let placements = slots.next().unwrap_or_default();
            reserve(&mut self.placements, placements.len() + Self::PADDING)?;
            self.placements.extend_from_slice(placements);
            self.starts[slot + 1] = self.placements.len() as u32;
        }
        grow_to(&mut self.placements, self.starts[SLOTS] as usize + Self::PADDING, 0)
    }

    /// Fills the slots in turn with up to [`PLACEMENTS_PER_BLOCK`] placements, eight to a slot.
    pub(crate) fn fill_in_turn(&mut self, placements: &[u64]) {
        self.placements.clear();
        self.placements.extend_from_slice(placements);
        self.placements.resize(placements.len() + Self::PADDING, 0);
        for (slot, start) in self.starts.iter_mut().enumerate() {
            *start = (8 * slot).min(placements.len()) as u32;
        }
    }

    /// Returns the placements, slot by slot.
    pub(crate) fn placements(&self) -> &[u64] {
        &self.placements[..self.len()]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts[SLOTS] as usize
    }

    /// Returns eight words: the placements from this index on, and after the last one words that mean nothing.
    #[inline(always)]
    pub(crate) fn eight_from(&self, start: usize) -> &[u64; 8] {
        self.placements[start..].first_chunk().expect("more follow the placements")
    }

    /// Returns the number of bytes of the fullest slot.
    pub(crate) fn bytes_of_fullest(&self) -> usize {
        let mut most = 0;
        for slot in 0..SLOTS {
            most = most.max(self.starts[slot + 1] - self.starts[slot]);
        }
        most.div_ceil(8) as usize
    }

    /// Sets the starts of the slots from `kept`, which has the placements of `parent` that survive.
    #[inline(always)]
    fn find_starts(&mut self, parent: &Survivors) {
        self.kept.push((0, 0));
        let mut before = 0;
        for (word, rank) in &mut self.kept {
            *rank = before;
            before += word.count_ones();
        }
        for slot in 0..=SLOTS {
            let start = parent.starts[slot];
            let (word, rank) = self.kept[start as usize / 64];
            self.starts[slot] = rank + (word & ((1 << (start % 64)) - 1)).count_ones();
        }
    }
}

/// The numbers of chunks of a slice, of planes in place of each chunk, and of packed planes of all: together at most
/// [`MOST_BLOCKS`] blocks. Each block of a tight slice counts as a chunk of one plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub chunks: usize,
    pub planes: usize,
    pub packed: usize,
}

impl Shape {
    /// Returns a shape without packed planes.
    pub(crate) const fn in_place(chunks: usize, planes: usize) -> Self {
        Self { chunks, planes, packed: 0 }
    }

    /// Returns the number of planes of all chunks together, a block each.
    pub(crate) const fn blocks(self) -> usize {
        self.chunks * self.planes + self.packed
    }
}

/// Where the survivors of a bucket stand in slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The survivors stand in the bytes of their slot.
    InPlace,
    /// The survivors stand there or, in a packed plane, in bytes of other slots.
    Packed,
    /// The survivors stand one after another; [`Tables::slots`] has their slots.
    Tight,
}

/// The tables in which the indexes of a record are looked up, for one slice.
///
/// If the slice has *n* blocks, entry *i* of a table begins at block *i* · *n* of the table: a block for each plane,
/// chunk by chunk, then the packed planes.
#[derive(Clone, Debug)]
pub struct Tables {
    pub shape: Shape,
    /// The one-row table and two two-row tables, of [`ENTRIES`] entries each.
    pub blocks: Vec<Block>,
    /// Where the tables of the three indexes begin in `blocks`. Each is a two-row table, or a row of the one-row table.
    pub starts: [usize; 3],
    /// True if records have a third index.
    pub has_third: bool,
    /// By packed plane and place, the slot whose byte stands there. Slots of the second chunk are numbered after those
    /// of the first.
    pub from: [Block; MOST_PACKED],
    /// If survivors are tight, their slots, by place in the slice.
    pub slots: Box<[u16; PLACEMENTS_PER_BLOCK * MOST_TIGHT_BLOCKS]>,
}

/// The number of blocks of a table.
const TABLE: usize = ENTRIES * MOST_BLOCKS;

impl Default for Tables {
    fn default() -> Self {
        let blocks = vec![Block::ZERO; 3 * TABLE];
        let (from, slots) = ([Block::ZERO; _], Box::new([0; _]));
        Self { shape: Shape::in_place(1, 1), blocks, starts: [0; 3], has_third: false, from, slots }
    }
}

impl Tables {
    /// Returns where two-row table 0 or 1 begins.
    pub(crate) fn start_of_two_rows(table: usize) -> usize {
        (1 + table) * TABLE
    }

    /// Returns the one-row table.
    #[inline]
    pub(crate) fn squares_mut(&mut self) -> &mut [Block] {
        &mut self.blocks[..TABLE]
    }

    /// Returns the one-row table, and a two-row table to be made from it.
    #[inline]
    pub fn squares_and_table(&mut self, table: usize) -> (&[Block], &mut [Block]) {
        let (squares, tables) = self.blocks.split_at_mut(TABLE);
        (squares, &mut tables[table * TABLE..][..TABLE])
    }

    /// Returns the table in which an index of a record is looked up, and all blocks after it.
    #[inline(always)]
    fn entries_of(&self, index: usize) -> &[Block] {
        &self.blocks[self.starts[index]..]
    }
}

/// The chunks of matrix rows that belong to a slice: the blocks from `first` on, in a row of `width` blocks.
#[derive(Clone, Copy, Debug)]
pub struct Strip<'a> {
    pub blocks: &'a [Block],
    pub width: u16,
    pub first: usize,
}

/// A [`Strip`] that is written to.
#[derive(Debug)]
pub struct StripMut<'a> {
    pub blocks: &'a mut [Block],
    /// If the strip is counted without overflow, the part of its entries for which bytes have no room, block by block.
    pub wide: Option<&'a mut [WideBlock]>,
    pub width: u16,
    pub first: usize,
}

impl StripMut<'_> {
    /// Returns the same strip, for a use before another one.
    pub fn reborrow(&mut self) -> StripMut<'_> {
        let wide = self.wide.as_deref_mut();
        StripMut { blocks: &mut *self.blocks, wide, width: self.width, first: self.first }
    }
}

/// The largest byte of a strip that is counted without overflow. Larger bytes have the highest bit.
pub(crate) const FULL: u8 = 127;

/// The most records that [`Dot`] adds up without overflow: each adds at most 4 · 255 · 8 · [`MOST_BLOCKS`] to a
/// sum.
pub(crate) const MOST_RECORDS: usize = i32::MAX as usize / (4 * 255 * 8 * MOST_BLOCKS);
