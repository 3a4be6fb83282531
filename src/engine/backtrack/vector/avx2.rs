//! The vectors of CPUs with AVX2: 16 lanes of 16 bits, or 8 of 32. AVX2 has no instruction that packs or spreads lanes,
//! but some that permute them; tables say how.

// A vector operation is fast only where it is inlined into a function that is compiled for its instruction set.
#![allow(unsafe_code, clippy::inline_always)]
#![allow(clippy::wildcard_imports, reason = "every intrinsic is named by its instruction set")]

use super::Loops;
use super::lanes::Lanes;
use super::x86::register_methods;
use crate::engine::kernel::Avx2;
use crate::engine::x86::{PACKED, SPREAD, in_registers};
use std::arch::x86_64::*;
use std::ops::BitAnd;

static PACKED_NARROW: [[u8; 16]; 256] = as_bytes(&PACKED);
static SPREAD_NARROW: [[u8; 16]; 256] = as_bytes(&SPREAD);

/// The two bytes of each lane.
const fn as_bytes(permutations: &[[u8; 8]; 256]) -> [[u8; 16]; 256] {
    let mut table = [[0; 16]; 256];
    let mut at = 0;
    while at < 256 * 16 {
        table[at / 16][at % 16] = 2 * permutations[at / 16][at % 16 / 2] + (at % 2) as u8;
        at += 1;
    }
    table
}

/// A set of lanes: all bits of those in it.
#[derive(Clone, Copy)]
pub(super) struct Mask(__m256i);

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(in_registers!(_mm256_and_si256(self.0, other.0)))
    }
}

macro_rules! lanes {
    (
        $(#[$doc:meta])*
        $name:ident: $lanes:literal lanes of $word:ty,
        splat: $splat:ident,
        sub: $sub:ident,
        up: $up:ident,
        down: $down:ident,
        min: $min:ident,
        equal: $equal:ident,
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(__m256i);

        // SAFETY: a register is its lanes, memory is accessed as the trait says, and a mask has no bit but those of the
        // lanes.
        unsafe impl Lanes for $name {
            type Token = Avx2;
            type Word = $word;
            type Mask = Mask;
            type Shift = __m128i;
            const LANES: usize = $lanes;

            register_methods! {
                Avx2, $word,
                splat: $splat,
                and: _mm256_and_si256,
                or: _mm256_or_si256,
                xor: _mm256_xor_si256,
                sub: $sub,
                min: $min,
            }

            // The compiler turns a constant into the operand of the instruction.
            // The compiler turns a constant into the operand of the instruction.
            #[inline(always)]
            fn shift(_: Avx2, columns: u32) -> __m128i {
                in_registers!(_mm_cvtsi32_si128(columns.cast_signed()))
            }

            #[inline(always)]
            fn up(self, shift: __m128i) -> Self {
                Self(in_registers!($up(self.0, shift)))
            }

            #[inline(always)]
            fn down(self, shift: __m128i) -> Self {
                Self(in_registers!($down(self.0, shift)))
            }

            #[inline(always)]
            fn meets(self, other: Self) -> Mask {
                let apart = self.and(other).is_zero();
                Mask(in_registers!(_mm256_xor_si256(apart.0, _mm256_set1_epi32(-1))))
            }

            #[inline(always)]
            fn is_zero(self) -> Mask {
                Mask(in_registers!($equal(self.0, _mm256_setzero_si256())))
            }

            #[inline(always)]
            fn first(_: Avx2, lanes: usize) -> Mask {
                let mut words = [0; $lanes];
                words[..lanes].fill(<$word>::MAX);
                // SAFETY: the token proves the instructions, and the words are 32 bytes.
                Mask(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
            }

            #[inline(always)]
            fn count(mask: Mask) -> usize {
                // There is a bit for each byte.
                in_registers!(_mm256_movemask_epi8(mask.0)).count_ones() as usize * $lanes / 32
            }

            #[inline(always)]
            unsafe fn compress(self, mask: Mask, to: *mut $word) {
                // SAFETY: the caller says that a vector can be written.
                unsafe { self.pack(mask, to) }
            }

            #[inline(always)]
            unsafe fn expand(self, mask: Mask, from: *const $word) -> Self {
                // SAFETY: the caller says that a vector can be read.
                let words = unsafe { Self::spread(mask, from) };
                self.blend(mask, words)
            }

            #[inline(always)]
            fn blend(self, mask: Mask, other: Self) -> Self {
                Self(in_registers!(_mm256_blendv_epi8(self.0, other.0, mask.0)))
            }
        }
    };
}

lanes! {
    /// 16 lanes of 16 bits.
    Narrow: 16 lanes of u16,
    splat: _mm256_set1_epi16,
    sub: _mm256_sub_epi16,
    up: _mm256_sll_epi16,
    down: _mm256_srl_epi16,
    min: _mm256_min_epu16,
    equal: _mm256_cmpeq_epi16,
}
lanes! {
    /// 8 lanes of 32 bits.
    Wide: 8 lanes of u32,
    splat: _mm256_set1_epi32,
    sub: _mm256_sub_epi32,
    up: _mm256_sll_epi32,
    down: _mm256_srl_epi32,
    min: _mm256_min_epu32,
    equal: _mm256_cmpeq_epi32,
}

impl Wide {
    /// The lanes of a mask, a bit for each.
    #[inline(always)]
    fn bits(mask: Mask) -> usize {
        in_registers!(_mm256_movemask_ps(_mm256_castsi256_ps(mask.0))) as usize & 0xFF
    }

    /// [`Lanes::compress`].
    ///
    /// # Safety
    /// A vector can be written to `to`.
    #[inline(always)]
    unsafe fn pack(self, mask: Mask, to: *mut u32) {
        // SAFETY: `self` proves the instructions, an entry of the table has the eight bytes that are read, and the
        // caller says that a vector can be written.
        unsafe {
            let lanes = _mm256_cvtepu8_epi32(_mm_loadu_si64(PACKED[Self::bits(mask)].as_ptr()));
            Self(_mm256_permutevar8x32_epi32(self.0, lanes)).store(to);
        }
    }

    /// The words that [`Lanes::expand`] takes, in their lanes.
    ///
    /// # Safety
    /// A vector can be read from `from`.
    #[inline(always)]
    unsafe fn spread(mask: Mask, from: *const u32) -> Self {
        // SAFETY: the mask proves the instructions, an entry of the table has the eight bytes that are read, and the
        // caller says that a vector can be read.
        unsafe {
            let lanes = _mm256_cvtepu8_epi32(_mm_loadu_si64(SPREAD[Self::bits(mask)].as_ptr()));
            Self(_mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.cast()), lanes))
        }
    }
}

impl Narrow {
    /// The lanes of the two halves of a mask, a bit for each.
    #[inline(always)]
    fn bits(mask: Mask) -> (usize, usize) {
        let bytes = in_registers!(_mm256_movemask_epi8(_mm256_packs_epi16(mask.0, _mm256_setzero_si256())));
        (bytes as usize & 0xFF, bytes as usize >> 16 & 0xFF)
    }

    /// The permutations of both halves.
    #[inline(always)]
    fn permutation(_: Mask, table: &'static [[u8; 16]; 256], (low, high): (usize, usize)) -> __m256i {
        // SAFETY: the mask proves the instructions, and an entry of the table has 16 bytes.
        unsafe {
            let half = |lanes: usize| _mm_loadu_si128(table[lanes].as_ptr().cast());
            _mm256_set_m128i(half(high), half(low))
        }
    }

    /// [`Lanes::compress`]: the words of the lower half, and those of the upper half where they end.
    ///
    /// # Safety
    /// A vector can be written to `to`.
    #[inline(always)]
    unsafe fn pack(self, mask: Mask, to: *mut u16) {
        let halves = Self::bits(mask);
        // SAFETY: `self` proves the instructions. The caller says that a vector can be written, and the words of the
        // lower half end in its middle at the latest.
        unsafe {
            let packed = _mm256_shuffle_epi8(self.0, Self::permutation(mask, &PACKED_NARROW, halves));
            _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(packed));
            let rest = to.add(halves.0.count_ones() as usize);
            _mm_storeu_si128(rest.cast(), _mm256_extracti128_si256::<1>(packed));
        }
    }

    /// The words that [`Lanes::expand`] takes, in their lanes.
    ///
    /// # Safety
    /// A vector can be read from `from`.
    #[inline(always)]
    unsafe fn spread(mask: Mask, from: *const u16) -> Self {
        let halves = Self::bits(mask);
        // SAFETY: the mask proves the instructions. The caller says that a vector can be read, and the words of the
        // upper half begin in its middle at the latest.
        unsafe {
            let rest = from.add(halves.0.count_ones() as usize);
            let words = _mm256_set_m128i(_mm_loadu_si128(rest.cast()), _mm_loadu_si128(from.cast()));
            Self(_mm256_shuffle_epi8(words, Self::permutation(mask, &SPREAD_NARROW, halves)))
        }
    }
}

impl Loops for Avx2 {
    type Narrow = Narrow;
    type Wide = Wide;
}
