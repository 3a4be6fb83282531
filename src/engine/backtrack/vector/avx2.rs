//! The vectors of CPUs with AVX2: 8 lanes of 32 bits. AVX2 permutes lanes, but does not pack or spread them; tables
//! make permutations of both.

// A vector operation is fast only if it is inlined into a function that is compiled for its instruction set.
#![allow(unsafe_code, clippy::inline_always)]
#![allow(clippy::wildcard_imports, reason = "every intrinsic is named by its instruction set")]

use super::Vectors;
use super::lanes::Lanes;
use crate::engine::kernel::Avx2;
use crate::engine::registers::{TO_FRONT, binary_methods, in_registers, permutations};
use std::arch::x86_64::*;
use std::ops::BitAnd;

/// Spreads packed words. For each set of lanes, the number of lanes of the set that come before each lane.
static SPREAD: [[u8; 8]; 256] = permutations(1, true);

/// A set of lanes: all bits of a lane are set if the set contains the lane.
#[derive(Clone, Copy)]
pub(super) struct Mask(__m256i);

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(in_registers!(_mm256_and_si256(self.0, other.0)))
    }
}

/// 8 lanes of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Words(__m256i);

impl Words {
    /// Returns the table's permutation for a mask.
    #[inline(always)]
    fn permutation(table: &'static [[u8; 8]; 256], mask: Mask) -> __m256i {
        let lanes = in_registers!(_mm256_movemask_ps(in_registers!(_mm256_castsi256_ps(mask.0)))) as usize & 0xFF;
        // SAFETY: the mask proves the instructions, and an entry of the table has the eight bytes that are read.
        unsafe { _mm256_cvtepu8_epi32(_mm_loadu_si64(table[lanes].as_ptr())) }
    }
}

// SAFETY: a register is its lanes, memory is accessed as the trait says, and a mask has only the bits of its lanes.
unsafe impl Lanes for Words {
    type Token = Avx2;
    type Word = u32;
    type Mask = Mask;
    const LANES: usize = 8;

    binary_methods! {
        and: _mm256_and_si256,
        or: _mm256_or_si256,
        xor: _mm256_xor_si256,
        min: _mm256_min_epu32,
    }

    #[inline(always)]
    fn splat(_: Avx2, word: u32) -> Self {
        Self(in_registers!(_mm256_set1_epi32(word.cast_signed())))
    }

    #[inline(always)]
    fn not(self) -> Self {
        Self(in_registers!(_mm256_xor_si256(self.0, in_registers!(_mm256_set1_epi32(-1)))))
    }

    #[inline(always)]
    fn lowest(self) -> Self {
        let negative = in_registers!(_mm256_sub_epi32(in_registers!(_mm256_setzero_si256()), self.0));
        Self(in_registers!(_mm256_and_si256(self.0, negative)))
    }

    #[inline(always)]
    fn up<const COLUMNS: i32>(self) -> Self {
        Self(in_registers!(_mm256_slli_epi32::<COLUMNS>(self.0)))
    }

    #[inline(always)]
    fn down<const COLUMNS: i32>(self) -> Self {
        Self(in_registers!(_mm256_srli_epi32::<COLUMNS>(self.0)))
    }

    #[inline(always)]
    fn meets(self, other: Self) -> Mask {
        let apart = self.and(other).is_zero();
        Mask(in_registers!(_mm256_xor_si256(apart.0, in_registers!(_mm256_set1_epi32(-1)))))
    }

    #[inline(always)]
    fn is_zero(self) -> Mask {
        Mask(in_registers!(_mm256_cmpeq_epi32(self.0, in_registers!(_mm256_setzero_si256()))))
    }

    #[inline(always)]
    fn count(mask: Mask) -> usize {
        // Each byte of a lane has a bit.
        in_registers!(_mm256_movemask_epi8(mask.0)).count_ones() as usize / 4
    }

    #[inline(always)]
    unsafe fn compress(self, mask: Mask, to: *mut u32) {
        let lanes = Self::permutation(&TO_FRONT, mask);
        // SAFETY: `self` proves the instructions, and the caller says that a vector can be written.
        unsafe { Self(_mm256_permutevar8x32_epi32(self.0, lanes)).store(to) }
    }

    #[inline(always)]
    unsafe fn expand(self, mask: Mask, from: *const u32) -> Self {
        let lanes = Self::permutation(&SPREAD, mask);
        // SAFETY: `self` proves the instructions, and the caller says that a vector can be read.
        let words = Self(unsafe { _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.cast()), lanes) });
        self.blend(mask, words)
    }

    #[inline(always)]
    fn blend(self, mask: Mask, other: Self) -> Self {
        Self(in_registers!(_mm256_blendv_epi8(self.0, other.0, mask.0)))
    }
}

impl Vectors for Avx2 {
    type Narrow = Words;
    type Wide = Words;
}
