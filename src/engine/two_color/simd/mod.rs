//! The innermost loops, for every instruction set: what they work on, and what they do.
//!
//! One placement of the build side is one bit. A *slot* is a byte with room for eight build placements of one build
//! group, a *plane* is 64 slots side by side, one for each of 64 groups, and a *slice* is up to [`MOST_PLANES`] planes
//! of the same groups. For every square of the probe side a slice has the build placements that do not attack it, a bit
//! each. The AND over the squares of a probe placement leaves the build placements compatible with it, and a population
//! count of the bytes gives their number for each group.
//!
//! The loops are written once, in `generic`, over the operations of a [`generic::Vector`]; `portable`, `avx2` and
//! `avx512` have those, and the entry points compiled for an instruction set.

// A vector operation is fast only where it is inlined into a function that is compiled for its instruction set.
#![allow(clippy::inline_always)]

/// Implements methods of [`Kernel`] for a token, each a loop that is compiled for the named features of the CPU, which
/// the token proves.
#[cfg(target_arch = "x86_64")]
macro_rules! with_features {
    ($features:literal, $(fn $name:ident($token:ident, $($argument:ident: $kind:ty),*) { $body:expr })*) => {
        $(fn $name(self, $($argument: $kind),*) {
            #[target_feature(enable = $features)]
            fn compiled($token: Token, $($argument: $kind),*) {
                $body;
            }
            // SAFETY: `self` exists only where detection found that this CPU has the features.
            unsafe { compiled(self, $($argument),*) }
        })*
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod generic;
mod portable;
#[cfg(test)]
mod tests;

use super::probe_side::ProbeRecord;
use std::fmt::Debug;

/// 64 bytes, as wide as the widest vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Block(pub(super) [u8; 64]);

impl Block {
    pub(super) const ZERO: Block = Block([0; 64]);
}

/// The number of slots of a plane: one byte of a [`Block`] each.
pub(super) const SLOTS: usize = 64;

/// The most planes of a slice.
pub(super) const MOST_PLANES: usize = 4;

/// The entries of a pair table: the values of a byte.
pub(super) const PAIRS: usize = 256;

/// The entries of a table of one row, and of one row of a pair table.
pub(super) const COLUMNS: usize = 16;

/// The bit of a diagonal mask that marks a place without a placement.
pub(super) const NO_PLACEMENT: u32 = 63;

/// The build placements of 64 groups that no queen of a prefix attacks, as diagonal masks, slot by slot.
#[derive(Clone, Debug)]
pub(super) struct Survivors {
    /// The diagonal masks, and [`Survivors::PADDING`] more that mean nothing.
    placements: Vec<u64>,
    /// Where the placements of each slot begin, and where those of the last end.
    starts: [u32; SLOTS + 1],
    /// Scratch memory of `filter`: which placements of the parent are left, 64 to a word, and how many come before each
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
        if self.placements.len() < count + Self::PADDING {
            self.placements.resize(count + Self::PADDING, 0);
        }
    }

    /// Fills it with the placements of some slots: pairs of a slot and its placements, the slots ascending.
    pub(super) fn fill<'a>(&mut self, slots: impl Iterator<Item = (usize, &'a [u64])>) {
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

    /// The number of placements.
    pub(super) fn len(&self) -> usize {
        self.starts[SLOTS] as usize
    }

    /// The number of planes in which every placement has a bit of its slot.
    pub(super) fn planes(&self) -> usize {
        let most = self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        most.div_ceil(8) as usize
    }

    /// The index of the first placement of a slot in a plane, and their number, at most 8.
    #[inline(always)]
    fn of_slot(&self, slot: usize, plane: usize) -> (usize, usize) {
        let start = self.starts[slot] as usize + 8 * plane;
        let end = self.starts[slot + 1] as usize;
        (start, end.saturating_sub(start).min(8))
    }
}

/// The tables that the queens of a record are looked up in, for one slice: pair tables of two pairs of rows, and a
/// table of a fifth row. Entry *i* of a table begins at block *i* · planes.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) planes: usize,
    pub(super) first: Vec<Block>,
    pub(super) second: Vec<Block>,
    pub(super) third: Vec<Block>,
    /// True if records have a fifth row.
    pub(super) has_third: bool,
}

impl Default for Tables {
    fn default() -> Self {
        let table = vec![Block::ZERO; PAIRS * MOST_PLANES];
        Self {
            planes: 1,
            first: table.clone(),
            second: table,
            third: vec![Block::ZERO; COLUMNS * MOST_PLANES],
            has_third: false,
        }
    }
}

/// A square of the probe side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeSquare {
    /// Its entry in the table of single squares: [`pair_index`](super::probe_side::pair_index) of row and column.
    pub(super) index: u8,
    /// The bits of its diagonal and its anti-diagonal.
    pub(super) diagonals: [u8; 2],
}

/// The innermost loops of the engine for one instruction set. They are methods of its token, which proves that the CPU
/// has the instructions.
pub(super) trait Kernel: Copy + Debug + 'static {
    /// Adds, for every record, the number of compatible build placements of each slot to the matrix row that the
    /// record's rank names. A byte that would exceed 255 stays at 255.
    fn scatter(self, tables: &Tables, records: &[ProbeRecord], matrix: &mut [Block]);

    /// Adds, for every record, the number of compatible build placements of each slot times that slot's byte of the
    /// matrix row that the record's rank names: four neighbouring slots to one sum. At most [`MOST_RECORDS`] records.
    fn dot(self, tables: &Tables, records: &[ProbeRecord], matrix: &[Block], sums: &mut [i32; 16]);

    /// Puts the placements of `parent` whose diagonal masks do not meet `diagonals` into `child`.
    fn filter(self, parent: &Survivors, diagonals: u64, child: &mut Survivors);

    /// Turns a plane of diagonal masks into sets of placements: block *b* gets the placements that have bit *b*. A
    /// place without a placement counts as one that has every bit, [`NO_PLACEMENT`] among them.
    fn slice(self, survivors: &Survivors, plane: usize, bits: &mut [Block; 64]);

    /// Makes the table of single squares: for each square the placements of every plane that do not attack it.
    fn unattacked(self, bits: &[[Block; 64]], squares: &[ProbeSquare], table: &mut [Block]);

    /// Makes the pair table of two rows from the table of single squares: for each pair of the first `columns` columns
    /// the placements that attack neither square.
    fn pair_table(self, squares: &[Block], planes: usize, rows: [usize; 2], columns: usize, table: &mut [Block]);

    /// Byte *i* of row *j* becomes byte *j* of row *i*.
    fn transpose(self, from: &[Block; 64], to: &mut [Block; 64]);
}

/// The most records that [`Kernel::dot`] adds up without overflow: each adds at most 4 · 255 · 8 · [`MOST_PLANES`] to a
/// sum.
pub(super) const MOST_RECORDS: usize = i32::MAX as usize / (4 * 255 * 8 * MOST_PLANES);
