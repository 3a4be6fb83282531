//! The vectors of every CPU: arrays of 8 words of 32 bits, for which the compiler takes what vectors the architecture has.
// What is compiled for an instruction set must be inlined into a function that is.
#![allow(unsafe_code, clippy::inline_always)]

use super::super::node::Node;
use super::super::rows::Rows;
use super::Search;
use super::lanes::Lanes;
use super::search::Scratch;
use crate::cancel::{Cancel, Cancelled};

const LANES: usize = 8;

/// Words of 32 bits. A mask has a bit for each.
#[derive(Clone, Copy)]
pub(super) struct Words([u32; LANES]);

impl Words {
    #[inline(always)]
    fn each(self, word: impl Fn(u32) -> u32) -> Self {
        Self(self.0.map(word))
    }

    #[inline(always)]
    fn pairs(self, other: Self, word: impl Fn(u32, u32) -> u32) -> Self {
        Self(std::array::from_fn(|lane| word(self.0[lane], other.0[lane])))
    }

    #[inline(always)]
    fn lanes(self, has: impl Fn(u32) -> bool) -> u32 {
        (0..LANES).fold(0, |mask, lane| mask | u32::from(has(self.0[lane])) << lane)
    }
}

// SAFETY: every method does what the trait says; the caller vouches for the pointers. Every CPU will do.
unsafe impl Lanes for Words {
    type Word = u32;
    type Mask = u32;
    type Shift = u32;
    const LANES: usize = LANES;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        Self([word; LANES])
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller vouches for a whole vector.
        Self(unsafe { from.cast::<[u32; LANES]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: the caller vouches for a whole vector.
        unsafe { to.cast::<[u32; LANES]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        self.pairs(other, |a, b| a & b)
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        self.pairs(other, |a, b| a | b)
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        self.pairs(other, |a, b| a ^ b)
    }
    #[inline(always)]
    unsafe fn not(self) -> Self {
        self.each(|word| !word)
    }
    #[inline(always)]
    unsafe fn lowest(self) -> Self {
        self.each(|word| word & word.wrapping_neg())
    }
    #[inline(always)]
    unsafe fn up<const BITS: u32>(self) -> Self {
        self.each(|word| word << BITS)
    }
    #[inline(always)]
    unsafe fn down<const BITS: u32>(self) -> Self {
        self.each(|word| word >> BITS)
    }
    #[inline(always)]
    unsafe fn shift(columns: u32) -> u32 {
        columns
    }
    #[inline(always)]
    unsafe fn up_by(self, shift: u32) -> Self {
        self.each(|word| word << shift)
    }
    #[inline(always)]
    unsafe fn down_by(self, shift: u32) -> Self {
        self.each(|word| word >> shift)
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        self.pairs(other, u32::min)
    }
    #[inline(always)]
    unsafe fn meets(self, other: Self) -> u32 {
        self.pairs(other, |a, b| a & b).lanes(|word| word != 0)
    }
    #[inline(always)]
    unsafe fn is_zero(self) -> u32 {
        self.lanes(|word| word == 0)
    }
    #[inline(always)]
    unsafe fn first(lanes: usize) -> u32 {
        (1 << lanes) - 1
    }
    #[inline(always)]
    unsafe fn both(one: u32, other: u32) -> u32 {
        one & other
    }
    #[inline(always)]
    unsafe fn count(mask: u32) -> usize {
        mask.count_ones() as usize
    }
    #[inline(always)]
    unsafe fn compress(self, mask: u32, to: *mut u32) {
        let mut packed = [0; LANES];
        let mut next = 0;
        for lane in 0..LANES {
            packed[next % LANES] = self.0[lane];
            next += (mask >> lane & 1) as usize;
        }
        // SAFETY: the caller vouches for a whole vector.
        unsafe { Self(packed).store(to) }
    }
    #[inline(always)]
    unsafe fn expand(self, mask: u32, from: *const u32) -> Self {
        let mut words = self.0;
        let mut next = 0;
        for (lane, word) in words.iter_mut().enumerate() {
            let taken = mask >> lane & 1 == 1;
            // SAFETY: the caller vouches for a whole vector.
            let read = unsafe { from.add(next).read() };
            *word = if taken { read } else { *word };
            next += usize::from(taken);
        }
        Self(words)
    }
    #[inline(always)]
    unsafe fn blend(self, mask: u32, other: Self) -> Self {
        Self(std::array::from_fn(|lane| if mask >> lane & 1 == 1 { other.0[lane] } else { self.0[lane] }))
    }
}

/// A search for nodes with up to so many columns, on any CPU.
pub(super) struct Portable(Scratch<Words>);

impl Portable {
    pub(super) fn new(columns: usize) -> Self {
        // SAFETY: every CPU supports these lanes.
        Self(unsafe { Scratch::new(columns) })
    }
}

impl Search for Portable {
    fn count(&mut self, node: Node, rows: &Rows, cancel: &Cancel) -> Result<u128, Cancelled> {
        // SAFETY: every CPU supports these lanes.
        unsafe { self.0.count(node, rows, cancel) }
    }

    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    #[cfg(test)]
    fn word_columns(&self) -> u32 {
        u32::BITS
    }
}
