//! The vectors of CPUs with AVX-512 as of Ice Lake and Zen 4: 32 lanes of 16 bits, or 16 of 32.

// A vector operation is fast only if it is inlined into a function that is compiled for its instruction set.
#![allow(unsafe_code, clippy::inline_always)]
#![allow(clippy::wildcard_imports, reason = "every intrinsic is named by its instruction set")]

use super::Vectors;
use super::lanes::Lanes;
use crate::engine::kernel::Avx512;
use crate::engine::registers::{binary_methods, in_registers};
use std::arch::x86_64::*;

macro_rules! lanes {
    (
        $(#[$doc:meta])*
        $name:ident: $lanes:literal lanes of $word:ty, mask: $mask:ty,
        splat: $splat:ident,
        sub: $sub:ident,
        up: $up:ident,
        down: $down:ident,
        min: $min:ident,
        test: $test:ident,
        testn: $testn:ident,
        compress: $compress:ident,
        expand: $expand:ident,
        blend: $blend:ident,
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(__m512i);

        // SAFETY: a register is its lanes, memory is accessed as the trait says, and a mask has only the bits of its
        // lanes.
        unsafe impl Lanes for $name {
            type Token = Avx512;
            type Word = $word;
            type Mask = $mask;
            const LANES: usize = $lanes;

            binary_methods! {
                and: _mm512_and_si512,
                or: _mm512_or_si512,
                xor: _mm512_xor_si512,
                min: $min,
            }

            #[inline(always)]
            fn splat(_: Avx512, word: $word) -> Self {
                Self(in_registers!($splat(word.cast_signed())))
            }

            #[inline(always)]
            fn not(self) -> Self {
                Self(in_registers!(_mm512_xor_si512(self.0, in_registers!($splat(-1)))))
            }

            #[inline(always)]
            fn lowest(self) -> Self {
                let negative = in_registers!($sub(in_registers!($splat(0)), self.0));
                Self(in_registers!(_mm512_and_si512(self.0, negative)))
            }

            // The compiler turns the constant into the operand of the instruction.
            #[inline(always)]
            fn up<const COLUMNS: i32>(self) -> Self {
                Self(in_registers!($up(self.0, in_registers!($splat((COLUMNS as $word).cast_signed())))))
            }

            #[inline(always)]
            fn down<const COLUMNS: i32>(self) -> Self {
                Self(in_registers!($down(self.0, in_registers!($splat((COLUMNS as $word).cast_signed())))))
            }

            #[inline(always)]
            fn meets(self, other: Self) -> $mask {
                in_registers!($test(self.0, other.0))
            }

            #[inline(always)]
            fn is_zero(self) -> $mask {
                in_registers!($testn(self.0, self.0))
            }

            #[inline(always)]
            fn count(mask: $mask) -> usize {
                mask.count_ones() as usize
            }

            #[inline(always)]
            unsafe fn compress(self, mask: $mask, to: *mut $word) {
                // The instruction that compresses into memory is slower.
                let packed = Self(in_registers!($compress(mask, self.0)));
                // SAFETY: the caller says that a vector can be written.
                unsafe { packed.store(to) }
            }

            #[inline(always)]
            unsafe fn expand(self, mask: $mask, from: *const $word) -> Self {
                // SAFETY: `self` proves the instructions, and the caller says that a vector can be read.
                Self(unsafe { $expand(self.0, mask, _mm512_loadu_si512(from.cast())) })
            }

            #[inline(always)]
            fn blend(self, mask: $mask, other: Self) -> Self {
                Self(in_registers!($blend(mask, self.0, other.0)))
            }
        }
    };
}

lanes! {
    /// 32 lanes of 16 bits.
    Narrow: 32 lanes of u16, mask: __mmask32,
    splat: _mm512_set1_epi16,
    sub: _mm512_sub_epi16,
    up: _mm512_sllv_epi16,
    down: _mm512_srlv_epi16,
    min: _mm512_min_epu16,
    test: _mm512_test_epi16_mask,
    testn: _mm512_testn_epi16_mask,
    compress: _mm512_maskz_compress_epi16,
    expand: _mm512_mask_expand_epi16,
    blend: _mm512_mask_blend_epi16,
}
lanes! {
    /// 16 lanes of 32 bits.
    Wide: 16 lanes of u32, mask: __mmask16,
    splat: _mm512_set1_epi32,
    sub: _mm512_sub_epi32,
    up: _mm512_sllv_epi32,
    down: _mm512_srlv_epi32,
    min: _mm512_min_epu32,
    test: _mm512_test_epi32_mask,
    testn: _mm512_testn_epi32_mask,
    compress: _mm512_maskz_compress_epi32,
    expand: _mm512_mask_expand_epi32,
    blend: _mm512_mask_blend_epi32,
}

impl Vectors for Avx512 {
    type Narrow = Narrow;
    type Wide = Wide;
}
