//! What the vector kernel asks of a vector of lanes: the operations of one instruction set, and nothing of the search.

#![allow(unsafe_code)]

use super::super::node::Node;

/// A vector of [`LANES`](Self::LANES) words; a word has one bit for each column.
///
/// # Safety
/// The methods are compiled for an instruction set. They may be called only where the CPU supports it, and from functions
/// into which they are inlined (all are `#[inline(always)]`) and that are compiled for it. What is read or written through
/// a pointer must be there: a whole vector, unless the method says otherwise.
pub(super) unsafe trait Lanes: Copy {
    /// A lane's word: `u16` or `u32`.
    type Word: Word;
    /// One bit for each lane.
    type Mask: Copy;
    /// How many lanes there are.
    const LANES: usize;

    /// The same word in every lane.
    unsafe fn splat(word: Self::Word) -> Self;
    /// The words at an address of any alignment.
    unsafe fn load(from: *const Self::Word) -> Self;
    /// Writes the words to an address of any alignment.
    unsafe fn store(self, to: *mut Self::Word);

    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn not(self) -> Self;
    /// The lowest bit of each word, nothing of a word without bits.
    unsafe fn lowest(self) -> Self;
    /// Each word shifted up; bits that leave it are lost.
    unsafe fn up<const BITS: u32>(self) -> Self;
    /// Each word shifted down; bits that leave it are lost.
    unsafe fn down<const BITS: u32>(self) -> Self;
    /// The smaller of two words without a sign, lane by lane.
    unsafe fn min(self, other: Self) -> Self;

    /// The lanes in which two words have a bit in common.
    unsafe fn meets(self, other: Self) -> Self::Mask;
    /// The lanes whose words have no bit.
    unsafe fn is_zero(self) -> Self::Mask;
    /// The first lanes, so many.
    unsafe fn first(lanes: usize) -> Self::Mask;
    unsafe fn both(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// How many lanes a mask has.
    unsafe fn count(mask: Self::Mask) -> usize;

    /// The words of the lanes in the mask, one after another, and then anything.
    unsafe fn compress(self, mask: Self::Mask) -> Self;
    /// The lanes in the mask get one word after another from an address, the others keep theirs.
    unsafe fn expand(self, mask: Self::Mask, from: *const Self::Word) -> Self;
    /// The other vector in the lanes of the mask, this one elsewhere.
    unsafe fn blend(self, mask: Self::Mask, other: Self) -> Self;
}

/// A word of a lane.
pub(super) trait Word: Copy + Default {
    /// The low bits of a mask; the columns of the board must fit.
    fn of(mask: u32) -> Self;
}

impl Word for u16 {
    fn of(mask: u32) -> Self {
        mask as u16
    }
}

impl Word for u32 {
    fn of(mask: u32) -> Self {
        mask
    }
}

/// A node as the lanes see it: the columns in use, those beyond the board among them, and the squares of the next row that
/// are attacked along diagonals from the left and from the right.
pub(super) fn words<W: Word>(node: Node) -> [W; 3] {
    [!node.columns, node.falling, node.rising].map(W::of)
}
