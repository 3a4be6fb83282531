//! The loops, written once over the operations of a vector.
//!
//! A record is counted in a few steps: for each chunk of the slice and each of its planes,
//!
//! ```text
//! bits   = first table[record.first] & second table[record.second]  (& third table[record.third])
//! counts = counts + ones of every byte of bits
//! ```
//!
//! Then [`Scatter`] adds the 64 counts of a chunk to a block of a matrix row, those of twins together. [`Dot`]
//! multiplies the counts with the block, byte by byte.

mod dot;
mod scatter;
mod sum_entries;
mod tables;

use super::planes::{PANEL, Plane, Planes};
use super::record::ProbeRecord;
use super::{
    Block, ENTRIES, LANE, Layout, MOST_BLOCKS, MOST_PACKED, MOST_TIGHT_BLOCKS, SUMS, Shape, Survivors, Tables, plain,
};
use crate::engine::kernel::Token;
pub use dot::{Dot, Recount};
pub use scatter::{Drain, Largest, Scatter};
use std::ops::Range;
pub use sum_entries::{RecordRemainders, SumEntries};
pub use tables::{Filter, OneRowTable, SlicePlane, Transpose, TwoRowTable};

/// For each index of a record, the table in which it is looked up, for a slice of `B` blocks.
type Entries<'a, const B: usize> = [&'a [[Block; B]; ENTRIES]; 3];

#[inline(always)]
fn entries_of<const B: usize>(tables: &Tables) -> Entries<'_, B> {
    [entries(tables.entries_of(0)), entries(tables.entries_of(1)), entries(tables.entries_of(2))]
}

/// Returns the entries of a table, of `B` blocks each. If a table has fewer, the blocks after it are returned as well.
#[inline(always)]
fn entries<const B: usize>(blocks: &[Block]) -> &[[Block; B]; ENTRIES] {
    blocks.as_chunks().0.first_chunk().expect("the length fits")
}

/// The innermost loops of the engine, compiled for one instruction set. The token of the set proves that the CPU has
/// it.
pub trait Loops: Token {
    /// The number of packed planes of a slice up to which [`Dot`] gains, at most [`MOST_PACKED`].
    const PACKED_LIMIT: usize;
    /// True if [`Dot`] gains from packed planes that two chunks share.
    const SHARES: bool = false;
    /// The number of neighbouring slots within which a shuffle moves bytes.
    const LANE: usize = LANE;
    /// The number of blocks of a slice up to which loops gain, at most [`MOST_BLOCKS`]. With 8 blocks, a unit of N = 26
    /// took 1.08 times as long on AVX2.
    const BLOCKS: usize = 4;
    /// Compatible pairs are multiplied one by one if this is estimated to take less than this share of the time of a
    /// sweep in slots.
    const ONE_BY_ONE: f64;
    type Vector: Vector<Token = Self>;
}

/// A vector of 64 bytes.
///
/// Vectors are made from the [`Token`](Self::Token) of their instruction set and from other vectors, so that a vector
/// is itself the proof that the CPU has the instructions its methods use. All methods are `#[inline(always)]`: a loop
/// over them is fast in a function that is compiled for the instruction set, and merely slow in any other. So methods
/// should not be called in closures, which are functions of their own.
#[allow(clippy::return_self_not_must_use, reason = "a result that is not used is an operation too many, and no fault")]
pub trait Vector: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Loops;
    /// Sums of products, with room for the products of few records.
    type Products: Copy;

    /// The most planes for whose counts, multiplied with bytes, `Products` have room.
    const ROOM: usize;
    /// The number of independent chains of additions, 1 or 2, for a slice of one chunk. Two hide the latency of
    /// additions if a record takes no longer than one.
    const CHAINS: usize = 2;

    /// Prefetches a block that will be loaded soon. This changes only the time of the load, and the pointer may be
    /// invalid.
    fn fetch(_from: *const Block) {}
    fn load(token: Self::Token, from: &Block) -> Self;
    fn store(self, to: &mut Block);
    fn and(self, other: Self) -> Self;
    /// Returns the byte that each byte of `from` names, within its [`Loops::LANE`]. The bytes of the first row are
    /// numbered from 0, those of the second row from 64.
    fn gather<const C: usize>(rows: [Self; C], from: Self) -> Self;
    /// Returns the number of ones of every byte.
    fn count_ones(self) -> Self;
    fn add_bytes(self, other: Self) -> Self;
    fn add_bytes_saturating(self, other: Self) -> Self;
    /// Returns a bit for each word of 64 bits: 1 if the word is not 0.
    fn nonzero_words(self) -> u8;
    fn no_products(token: Self::Token) -> Self::Products;
    /// Adds the products of all bytes of `self` and `counts`. The counts are below 128.
    fn add_products(self, counts: Self, products: Self::Products) -> Self::Products;
    /// Adds the products of `SUMMED` neighbours to each sum.
    fn sum_up(products: Self::Products, sums: &mut [i32; SUMS]);

    /// Writes the masks that have no bit of `diagonals` one after another; the words after them mean nothing. Returns a
    /// bit for each of the eight masks: 1 if it was written.
    #[inline(always)]
    fn keep(_: Self::Token, masks: &[u64; 8], diagonals: u64, to: &mut [u64; 8]) -> u8 {
        plain::keep(masks, diagonals, to)
    }
    /// See [`SlicePlane`].
    #[inline(always)]
    fn slice(_: Self::Token, survivors: &[Survivors], planes: &Planes, plane: Plane, bits: &mut [Block; 64]) {
        plain::slice(survivors, planes, plane, bits);
    }
    /// See [`Transpose`].
    #[inline(always)]
    fn transpose(_: Self::Token, from: &[Block; 64], to: &mut [Block; 64]) {
        plain::transpose(from, to);
    }
}

/// Returns for every place the number of build placements, in some blocks of the slice, that are compatible with a
/// record.
#[inline(always)]
fn compatible<V: Vector, const B: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<B>,
    record: ProbeRecord,
    blocks: Range<usize>,
) -> V {
    let mut counts = compatible_bits::<V, B, THIRD>(token, entries, record, blocks.start).count_ones();
    for block in blocks.start + 1..blocks.end {
        counts = counts.add_bytes(compatible_bits::<V, B, THIRD>(token, entries, record, block).count_ones());
    }
    counts
}

#[inline(always)]
fn compatible_bits<V: Vector, const B: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<B>,
    record: ProbeRecord,
    block: usize,
) -> V {
    let [first, second, third] = entries;
    let both = V::load(token, &first[record.first()][block]).and(V::load(token, &second[record.second()][block]));
    if THIRD { both.and(V::load(token, &third[record.third()][block])) } else { both }
}

/// Calls `run_for` of a task, compiled for the shape of its slice and the indexes of its records. Shapes are written as
/// chunks x planes + packed planes.
macro_rules! run_for_shape {
    ($layout:ident, $task:expr, $token:expr) => {
        run_for_shape!(
            $layout, $task, $token,
            1 x 1 + 0, 1 x 2 + 0, 1 x 3 + 0, 1 x 4 + 0, 1 x 5 + 0, 1 x 6 + 0,
            1 x 0 + 1, 1 x 1 + 1, 1 x 2 + 1, 1 x 3 + 1, 1 x 4 + 1, 1 x 5 + 1,
            1 x 0 + 2, 1 x 1 + 2, 1 x 2 + 2, 1 x 3 + 2, 1 x 4 + 2,
            2 x 1 + 0, 2 x 2 + 0, 2 x 3 + 0, 2 x 0 + 1, 2 x 1 + 1, 2 x 2 + 1, 2 x 0 + 2, 2 x 1 + 2, 2 x 2 + 2,
            3 x 1 + 0, 4 x 1 + 0
        )
    };
    ($layout:ident, $task:expr, $token:expr, $($chunks:literal x $planes:literal + $packed:literal),*) => {
        match $task.tables.shape {
            $(Shape { chunks: $chunks, planes: $planes, packed: $packed }
                if const { has_shape::<K>(Layout::$layout, Shape { chunks: $chunks, planes: $planes, packed: $packed }) } =>
            {
                const BLOCKS: usize = $chunks * $planes + $packed;
                if $task.tables.has_third {
                    $task.run_for::<K::Vector, $chunks, $planes, $packed, BLOCKS, true>($token)
                } else {
                    $task.run_for::<K::Vector, $chunks, $planes, $packed, BLOCKS, false>($token)
                }
            })*
            shape => panic!("there is no loop for {shape:?}"),
        }
    };
}
use run_for_shape;

/// Returns whether slices of a kernel can have this shape. Loops for other shapes are not compiled.
pub(crate) const fn has_shape<K: Loops>(layout: Layout, shape: Shape) -> bool {
    let Shape { chunks, planes, packed } = shape;
    let has_room = chunks <= PANEL && shape.blocks() <= K::BLOCKS;
    match layout {
        Layout::InPlace => has_room && packed == 0,
        Layout::Packed => has_room && packed <= K::PACKED_LIMIT && (chunks == 1 || packed == 0 || K::SHARES),
        Layout::Tight => chunks <= MOST_TIGHT_BLOCKS && planes == 1 && packed == 0,
    }
}

const _: () =
    assert!(PANEL == 2 && MOST_BLOCKS == 6 && MOST_PACKED == 2 && MOST_TIGHT_BLOCKS == 4, "each shape has a loop");
