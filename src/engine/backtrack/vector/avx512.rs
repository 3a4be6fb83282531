//! The vectors of CPUs with AVX-512 as of Ice Lake and Zen 4: 32 lanes of 16 bits, or 16 of 32.

// What is compiled for an instruction set must be inlined into a function that is.
#![allow(unsafe_code, clippy::inline_always)]

use super::super::node::Node;
use super::super::rows::Rows;
use super::Search;
use super::lanes::Lanes;
#[cfg(test)]
use super::lanes::Word as _;
use super::search::Scratch;
use crate::cancel::{Cancel, Cancelled};
use std::arch::x86_64::{
    __m512i, __mmask16, __mmask32, _mm512_and_si512, _mm512_loadu_si512, _mm512_mask_blend_epi16,
    _mm512_mask_blend_epi32, _mm512_mask_expand_epi16, _mm512_mask_expand_epi32, _mm512_maskz_compress_epi16,
    _mm512_maskz_compress_epi32, _mm512_min_epu16, _mm512_min_epu32, _mm512_or_si512, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi16, _mm512_slli_epi32, _mm512_sllv_epi16,
    _mm512_sllv_epi32, _mm512_srli_epi16, _mm512_srli_epi32, _mm512_srlv_epi16, _mm512_srlv_epi32, _mm512_storeu_si512,
    _mm512_sub_epi16, _mm512_sub_epi32, _mm512_test_epi16_mask, _mm512_test_epi32_mask, _mm512_testn_epi16_mask,
    _mm512_testn_epi32_mask, _mm512_xor_si512,
};

macro_rules! lanes {
    ($name:ident, $doc:literal, $word:ty, $mask:ty, $lanes:literal, $splat:ident, $sub:ident, $up:ident, $down:ident, $up_by:ident, $down_by:ident, $min:ident, $test:ident, $testn:ident, $compress:ident, $expand:ident, $blend:ident) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub(super) struct $name(__m512i);

        // SAFETY: every method does what the trait says; the caller vouches for the CPU and for the pointers.
        unsafe impl Lanes for $name {
            type Word = $word;
            type Mask = $mask;
            type Shift = Self;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                // SAFETY: as the caller vouches, here and below.
                unsafe { Self($splat(word.cast_signed())) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm512_loadu_si512(from.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: as above.
                unsafe { _mm512_storeu_si512(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn and(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm512_and_si512(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn or(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm512_or_si512(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn not(self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm512_xor_si512(self.0, _mm512_set1_epi32(-1))) }
            }
            #[inline(always)]
            unsafe fn lowest(self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm512_and_si512(self.0, $sub(_mm512_setzero_si512(), self.0))) }
            }
            #[inline(always)]
            unsafe fn up<const BITS: u32>(self) -> Self {
                // SAFETY: as above.
                unsafe { Self($up::<BITS>(self.0)) }
            }
            #[inline(always)]
            unsafe fn down<const BITS: u32>(self) -> Self {
                // SAFETY: as above.
                unsafe { Self($down::<BITS>(self.0)) }
            }
            #[inline(always)]
            unsafe fn shift(columns: u32) -> Self {
                // SAFETY: as above.
                unsafe { Self::splat(columns as $word) }
            }
            #[inline(always)]
            unsafe fn up_by(self, shift: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($up_by(self.0, shift.0)) }
            }
            #[inline(always)]
            unsafe fn down_by(self, shift: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($down_by(self.0, shift.0)) }
            }
            #[inline(always)]
            unsafe fn min(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($min(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn meets(self, other: Self) -> $mask {
                // SAFETY: as above.
                unsafe { $test(self.0, other.0) }
            }
            #[inline(always)]
            unsafe fn is_zero(self) -> $mask {
                // SAFETY: as above.
                unsafe { $testn(self.0, self.0) }
            }
            #[inline(always)]
            unsafe fn first(lanes: usize) -> $mask {
                ((1_u64 << lanes) - 1) as $mask
            }
            #[inline(always)]
            unsafe fn both(one: $mask, other: $mask) -> $mask {
                one & other
            }
            #[inline(always)]
            unsafe fn count(mask: $mask) -> usize {
                mask.count_ones() as usize
            }
            #[inline(always)]
            unsafe fn compress(self, mask: $mask, to: *mut $word) {
                // The instruction that compresses into memory is slower.
                // SAFETY: as above.
                unsafe { Self($compress(mask, self.0)).store(to) }
            }
            #[inline(always)]
            unsafe fn expand(self, mask: $mask, from: *const $word) -> Self {
                // SAFETY: as above.
                unsafe { Self($expand(self.0, mask, _mm512_loadu_si512(from.cast()))) }
            }
            #[inline(always)]
            unsafe fn blend(self, mask: $mask, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($blend(mask, self.0, other.0)) }
            }
        }
    };
}

lanes!(
    Narrow,
    "32 lanes of 16 bits.",
    u16,
    __mmask32,
    32,
    _mm512_set1_epi16,
    _mm512_sub_epi16,
    _mm512_slli_epi16,
    _mm512_srli_epi16,
    _mm512_sllv_epi16,
    _mm512_srlv_epi16,
    _mm512_min_epu16,
    _mm512_test_epi16_mask,
    _mm512_testn_epi16_mask,
    _mm512_maskz_compress_epi16,
    _mm512_mask_expand_epi16,
    _mm512_mask_blend_epi16
);
lanes!(
    Wide,
    "16 lanes of 32 bits.",
    u32,
    __mmask16,
    16,
    _mm512_set1_epi32,
    _mm512_sub_epi32,
    _mm512_slli_epi32,
    _mm512_srli_epi32,
    _mm512_sllv_epi32,
    _mm512_srlv_epi32,
    _mm512_min_epu32,
    _mm512_test_epi32_mask,
    _mm512_testn_epi32_mask,
    _mm512_maskz_compress_epi32,
    _mm512_mask_expand_epi32,
    _mm512_mask_blend_epi32
);

/// A search with AVX-512 for nodes with up to so many columns: in words of 16 bits, if they fit.
///
/// # Safety
/// The CPU must support [`Kernel::Avx512`](crate::engine::Kernel::Avx512).
pub(super) unsafe fn search(columns: usize) -> Box<dyn Search> {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        if columns <= 16 {
            Box::new(Avx512(scratch::<Narrow>(columns)))
        } else {
            Box::new(Avx512(scratch::<Wide>(columns)))
        }
    }
}

/// A search that is made only where the CPU supports it.
struct Avx512<L: Lanes>(Scratch<L>);

impl<L: Lanes> Search for Avx512<L> {
    fn count(&mut self, node: Node, rows: &Rows, cancel: &Cancel) -> Result<u128, Cancelled> {
        // SAFETY: there is a search only where the CPU supports it.
        unsafe { count(&mut self.0, node, rows, cancel) }
    }

    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    #[cfg(test)]
    fn word_columns(&self) -> u32 {
        L::Word::COLUMNS
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt,bmi1,bmi2")]
unsafe fn scratch<L: Lanes>(rows: usize) -> Scratch<L> {
    // SAFETY: this function is compiled for what `L` needs.
    unsafe { Scratch::new(rows) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt,bmi1,bmi2")]
unsafe fn count<L: Lanes>(
    scratch: &mut Scratch<L>,
    node: Node,
    rows: &Rows,
    cancel: &Cancel,
) -> Result<u128, Cancelled> {
    // SAFETY: this function is compiled for what `L` needs.
    unsafe { scratch.count(node, rows, cancel) }
}
