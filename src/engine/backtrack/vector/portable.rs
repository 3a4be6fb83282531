//! The vectors of every CPU: arrays of 8 words of 32 bits, which the compiler puts into the vectors of the
//! architecture.

#![allow(unsafe_code, clippy::inline_always)]
// Loops with indexes are no calls without LTO (`two_color/simd/mod.rs`).
#![allow(clippy::needless_range_loop)]

use super::Vectors;
use super::lanes::Lanes;
use crate::engine::kernel::Portable;

const LANES: usize = 8;

/// Words of 32 bits. A mask has one bit for each word.
#[derive(Clone, Copy)]
pub(super) struct Words([u32; LANES]);

impl Words {
    #[inline(always)]
    fn each(self, word: impl Fn(u32) -> u32) -> Self {
        let mut words = self.0;
        for lane in &mut words {
            *lane = word(*lane);
        }
        Self(words)
    }

    #[inline(always)]
    fn pairs(self, other: Self, word: impl Fn(u32, u32) -> u32) -> Self {
        let mut words = self.0;
        for lane in 0..LANES {
            words[lane] = word(words[lane], other.0[lane]);
        }
        Self(words)
    }

    #[inline(always)]
    fn lanes(self, has: impl Fn(u32) -> bool) -> u32 {
        let mut mask = 0;
        for lane in 0..LANES {
            mask |= u32::from(has(self.0[lane])) << lane;
        }
        mask
    }
}

// SAFETY: the words lie side by side, memory is accessed as the trait says, and a mask has only the bits of its lanes.
unsafe impl Lanes for Words {
    type Token = Portable;
    type Word = u32;
    type Mask = u32;
    const LANES: usize = LANES;

    #[inline(always)]
    fn splat(_: Portable, word: u32) -> Self {
        Self([word; LANES])
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.pairs(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.pairs(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.pairs(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn not(self) -> Self {
        self.each(|word| !word)
    }

    #[inline(always)]
    fn lowest(self) -> Self {
        self.each(|word| word & word.wrapping_neg())
    }

    #[inline(always)]
    fn up<const COLUMNS: i32>(self) -> Self {
        self.each(|word| word << COLUMNS)
    }

    #[inline(always)]
    fn down<const COLUMNS: i32>(self) -> Self {
        self.each(|word| word >> COLUMNS)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.pairs(other, u32::min)
    }

    #[inline(always)]
    fn meets(self, other: Self) -> u32 {
        self.pairs(other, |a, b| a & b).lanes(|word| word != 0)
    }

    #[inline(always)]
    fn is_zero(self) -> u32 {
        self.lanes(|word| word == 0)
    }

    #[inline(always)]
    fn count(mask: u32) -> usize {
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
        // SAFETY: the caller says that a vector can be written.
        unsafe { Self(packed).store(to) }
    }

    #[inline(always)]
    unsafe fn expand(self, mask: u32, from: *const u32) -> Self {
        let mut words = self.0;
        let mut next = 0;
        for (lane, word) in words.iter_mut().enumerate() {
            let taken = mask >> lane & 1 == 1;
            // SAFETY: `next` is below the number of lanes, and the caller says that so many words can be read.
            let read = unsafe { from.add(next).read() };
            *word = if taken { read } else { *word };
            next += usize::from(taken);
        }
        Self(words)
    }

    #[inline(always)]
    fn blend(self, mask: u32, other: Self) -> Self {
        let mut words = self.0;
        for lane in 0..LANES {
            words[lane] = if mask >> lane & 1 == 1 { other.0[lane] } else { words[lane] };
        }
        Self(words)
    }
}

impl Vectors for Portable {
    type Narrow = Words;
    type Wide = Words;
}
