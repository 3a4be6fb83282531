//! The innermost loops, for every instruction set: what they work on, and what they do.
//!
//! One placement of the build side is one bit. A *slot* is a byte with room for eight build placements of one build
//! bucket, a *chunk* is 64 slots side by side, one for each of 64 buckets, and a *plane* is one byte for each of them, in
//! its place; in a *packed* plane bytes of one chunk or two may stand in each other's places
//! ([`Planes`](Planes)). A *slice* is up to [`MOST_BLOCKS`] planes of one chunk or two. For every
//! square of the probe side a slice has the build placements that do not attack it, a bit each: the *one-row table*. A
//! *two-row table* has the AND for every two squares of two rows. Each *index* of a probe record names an entry of one of
//! them. The AND over these entries leaves the build placements compatible with the record, and a population count of the
//! bytes gives how many there are in each bucket. In a *tight* slice build placements stand one after another, whatever
//! their slots.
//!
//! The loops are written once, in `loops`, over the operations of a [`Vector`]; `portable`, `avx2`, `avx512` and `neon`
//! have those, and what they lack is in `plain`.

// A vector operation is fast only where it is inlined into a function that is compiled for its instruction set.
#![allow(clippy::inline_always)]
// Without LTO, `zip`, `from_fn` and `map` of arrays are calls: they are generic and not marked for inlining. The portable
// vectors have them all the same, because with LTO they take 5% less time than loops with indexes.
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

use crate::engine::kernel::Token;
use crate::engine::memory::grow_to;
pub use loops::{
    Dot, Drain, Filter, Largest, OneRowTable, RecordRemainders, Recount, Scatter, SlicePlane, SumEntries, Transpose,
    TwoRowTable, Vector,
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

/// A block of a matrix in entries of 32 bits. They cannot overflow: an entry counts pairs of placements with
/// given rows and columns of at most 7 queens each, so at most 7! · 7! < 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideBlock(pub [u32; SLOTS]);

impl WideBlock {
    pub const ZERO: WideBlock = WideBlock([0; SLOTS]);
}

/// The number of build placements of a block, a bit each.
pub(crate) const OF_BLOCK: usize = 8 * size_of::<Block>();

/// The number of slots of a plane: one byte of a [`Block`] each.
pub const SLOTS: usize = 64;

/// The number of neighbouring slots whose products make one sum.
pub(crate) const SUMMED: usize = 4;

/// The number of sums of a chunk.
pub const SUMS: usize = SLOTS / SUMMED;

/// The neighbouring slots within which a shuffle of every kernel moves bytes.
pub(crate) const LANE: usize = 16;

/// The most planes of all chunks of a slice together.
pub(crate) const MOST_BLOCKS: usize = 6;

/// The most packed planes of a slice.
pub(crate) const MOST_PACKED: usize = 2;

/// The most blocks of a tight slice.
pub(crate) const MOST_TIGHT_BLOCKS: usize = 4;

/// The entries of a two-row table: the values of a byte.
pub(crate) const ENTRIES: usize = 256;

/// The bit of a diagonal mask that marks a place without a placement.
pub(crate) const NO_PLACEMENT: u32 = 63;

/// The build placements of 64 buckets that no queen of a prefix attacks, as diagonal masks, slot by slot.
#[derive(Clone, Debug)]
pub struct Survivors {
    /// The diagonal masks, and [`Survivors::PADDING`] more that mean nothing.
    placements: Vec<u64>,
    /// Where the placements of each slot begin, and where those of the last end.
    pub starts: [u32; SLOTS + 1],
    /// Scratch memory of [`Filter`]: which placements of the parent are left, 64 to a word, and how many come before each
    /// word.
    kept: Vec<(u64, u32)>,
}

impl Default for Survivors {
    fn default() -> Self {
        Self { placements: vec![0; Survivors::PADDING], starts: [0; _], kept: Vec::new() }
    }
}

impl Survivors {
    const PADDING: usize = 64;

    /// Makes room for `count` placements.
    fn reserve(&mut self, count: usize) {
        grow_to(&mut self.placements, count + Self::PADDING, 0);
    }

    /// Fills it with the placements of some slots: each a slot with its placements, the slots ascending.
    pub fn fill<'a>(&mut self, slots: impl Iterator<Item = (usize, &'a [u64])>) {
        self.placements.clear();
        let mut next = 0;
        for (slot, placements) in slots {
            self.starts[next..=slot].fill(self.placements.len() as u32);
            next = slot + 1;
            self.placements.extend_from_slice(placements);
        }
        self.starts[next..].fill(self.placements.len() as u32);
        self.placements.resize(self.placements.len() + Self::PADDING, 0);
    }

    /// Fills it with up to [`OF_BLOCK`] placements in turn, eight to a slot.
    pub(crate) fn fill_in_turn(&mut self, placements: &[u64]) {
        self.placements.clear();
        self.placements.extend_from_slice(placements);
        self.placements.resize(placements.len() + Self::PADDING, 0);
        self.starts = std::array::from_fn(|slot| (8 * slot).min(placements.len()) as u32);
    }

    /// The placements, slot by slot.
    pub(crate) fn placements(&self) -> &[u64] {
        &self.placements[..self.len()]
    }

    /// The number of placements.
    pub(crate) fn len(&self) -> usize {
        self.starts[SLOTS] as usize
    }

    /// Eight words: the placements from this index on, and after the last some that mean nothing.
    #[inline(always)]
    pub(crate) fn eight_from(&self, start: usize) -> &[u64; 8] {
        self.placements[start..].first_chunk().expect("more follow the placements")
    }

    /// The number of bytes of the slot that has most placements.
    pub(crate) fn bytes_of_fullest(&self) -> usize {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0).div_ceil(8) as usize
    }

    /// Sets the starts of the slots, when `kept` says which placements of `parent` are left.
    #[inline(always)]
    fn find_starts(&mut self, parent: &Survivors) {
        self.kept.push((0, 0));
        let mut before = 0;
        for (word, rank) in &mut self.kept {
            *rank = before;
            before += word.count_ones();
        }
        for (start, of_parent) in self.starts.iter_mut().zip(parent.starts) {
            let (word, rank) = self.kept[of_parent as usize / 64];
            *start = rank + (word & ((1 << (of_parent % 64)) - 1)).count_ones();
        }
    }
}

/// The chunks of a slice, the planes that each has for itself, and the packed planes of all: together at most
/// [`MOST_BLOCKS`] blocks. A tight slice counts as a chunk of one plane for each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub chunks: usize,
    pub planes: usize,
    pub packed: usize,
}

impl Shape {
    /// Planes in place, and none that are packed.
    pub(crate) const fn in_place(chunks: usize, planes: usize) -> Self {
        Self { chunks, planes, packed: 0 }
    }

    /// The number of planes of all chunks together, a block each.
    pub(crate) const fn blocks(self) -> usize {
        self.chunks * self.planes + self.packed
    }
}

/// Where the survivors of a bucket stand in slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In the bytes of its slot.
    InPlace,
    /// The same, or in those of other slots of a packed plane.
    Packed,
    /// One after another, with their slots written down in [`Tables::slots`].
    Tight,
}

/// The tables in which the indexes of a record are looked up, for one slice.
///
/// Entry *i* of a table has the blocks of the slice, chunk by chunk and then the packed ones, from block *i* · blocks of
/// the table on.
#[derive(Clone, Debug)]
pub struct Tables {
    pub shape: Shape,
    /// The one-row table, [`ENTRIES`] entries, and two two-row tables with as many.
    pub blocks: Vec<Block>,
    /// Where the tables of the three indexes begin: a two-row table, or a row of the one-row table.
    pub starts: [usize; 3],
    /// True if records have a third index.
    pub has_third: bool,
    /// By packed plane and place, the slot whose byte stands there, those of the second chunk after those of the first.
    pub from: [Block; MOST_PACKED],
    /// Where survivors are tight, by place in the slice, their slots.
    pub slots: Box<[u16; OF_BLOCK * MOST_TIGHT_BLOCKS]>,
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
    /// Where a two-row table begins, 0 or 1.
    pub(crate) fn start_of_two_rows(table: usize) -> usize {
        (1 + table) * TABLE
    }

    /// The one-row table.
    pub(crate) fn squares_mut(&mut self) -> &mut [Block] {
        &mut self.blocks[..TABLE]
    }

    /// The one-row table, and a two-row table to be made of it.
    pub fn squares_and_table(&mut self, table: usize) -> (&[Block], &mut [Block]) {
        let (squares, tables) = self.blocks.split_at_mut(TABLE);
        (squares, &mut tables[table * TABLE..][..TABLE])
    }

    /// The entries of the table in which an index of a record is looked up, and what follows them.
    #[inline(always)]
    fn entries_of(&self, index: usize) -> &[Block] {
        &self.blocks[self.starts[index]..]
    }
}

/// The chunks of matrix rows that belong to a slice: in a row of `width` blocks, those from `first` on.
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
    /// Where it is to be counted without overflow, the part of its entries that bytes have no room for, block by block.
    pub wide: Option<&'a mut [WideBlock]>,
    pub width: u16,
    pub first: usize,
}

impl StripMut<'_> {
    /// The same strip, for a use before another.
    pub fn again(&mut self) -> StripMut<'_> {
        let wide = self.wide.as_deref_mut();
        StripMut { blocks: &mut *self.blocks, wide, width: self.width, first: self.first }
    }
}

/// The innermost loops of the engine, compiled for one instruction set. The token of the set proves that the CPU has it.
pub trait Loops: Token {
    /// The most packed planes of a slice with which [`Dot`] gains, up to [`MOST_PACKED`].
    const PACKED: usize;
    /// True if [`Dot`] gains by packed planes that two chunks share.
    const SHARES: bool = false;
    /// The neighbouring slots within which a shuffle moves bytes.
    const LANE: usize = LANE;
    /// The most blocks of a slice with which loops gain, up to [`MOST_BLOCKS`]. With 8 a unit of N = 26 took 1.08 times as
    /// long with AVX2.
    const BLOCKS: usize = 4;
    /// Compatible pairs are multiplied one by one where that is estimated to take less than this,
    /// relative to a sweep in slots.
    const ONE_BY_ONE: f64;
    /// The vectors of the loops.
    type Vector: Vector<Token = Self>;
}

/// The largest byte of a strip that is counted without overflow: those above it have the highest bit.
pub(crate) const FULL: u8 = 127;

/// The most records that [`Dot`] adds up without overflow: each adds at most 4 · 255 · 8 · [`MOST_BLOCKS`] to a
/// sum.
pub(crate) const MOST_RECORDS: usize = i32::MAX as usize / (4 * 255 * 8 * MOST_BLOCKS);
