//! The vectors of CPUs with AVX-512 as of Ice Lake and Zen 4: 32 lanes of 16 bits, or 16 of 32.

// A vector operation is fast only where it is inlined into a function that is compiled for its instruction set.
#![allow(unsafe_code, clippy::inline_always)]

use super::super::node::Node;
use super::super::rows::Rows;
use super::lanes::Lanes;
#[cfg(test)]
use super::lanes::Word as _;
use super::search::Scratch;
use super::{Search, VectorKernel};
use crate::cancel::{Cancel, Cancelled};
use crate::engine::kernel::Avx512;
use std::arch::x86_64::{
    __m512i, __mmask16, __mmask32, _mm512_and_si512, _mm512_loadu_si512, _mm512_mask_blend_epi16,
    _mm512_mask_blend_epi32, _mm512_mask_expand_epi16, _mm512_mask_expand_epi32, _mm512_maskz_compress_epi16,
    _mm512_maskz_compress_epi32, _mm512_min_epu16, _mm512_min_epu32, _mm512_or_si512, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi16, _mm512_slli_epi32, _mm512_sllv_epi16,
    _mm512_sllv_epi32, _mm512_srli_epi16, _mm512_srli_epi32, _mm512_srlv_epi16, _mm512_srlv_epi32, _mm512_storeu_si512,
    _mm512_sub_epi16, _mm512_sub_epi32, _mm512_test_epi16_mask, _mm512_test_epi32_mask, _mm512_testn_epi16_mask,
    _mm512_testn_epi32_mask, _mm512_xor_si512,
};

/// Evaluates intrinsics that work on registers alone.
macro_rules! in_registers {
    ($intrinsics:expr) => {
        // SAFETY: the operands exist only where a token proved that the CPU has
        // AVX-512, and no memory is accessed.
        unsafe { $intrinsics }
    };
}

macro_rules! lanes {
    (
        $(#[$doc:meta])*
        $name:ident: $lanes:literal lanes of $word:ty, mask: $mask:ty,
        splat: $splat:ident,
        sub: $sub:ident,
        up: $up:ident,
        down: $down:ident,
        up_by: $up_by:ident,
        down_by: $down_by:ident,
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

        // SAFETY: memory is accessed as the trait says, and a mask has no bit but those of the lanes.
        unsafe impl Lanes for $name {
            type Token = Avx512;
            type Word = $word;
            type Mask = $mask;
            type Shift = Self;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(_: Avx512, word: $word) -> Self {
                Self(in_registers!($splat(word.cast_signed())))
            }

            #[inline(always)]
            unsafe fn load(_: Avx512, from: *const $word) -> Self {
                // SAFETY: the token proves the instructions, and the caller says that a vector can be read.
                Self(unsafe { _mm512_loadu_si512(from.cast()) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: `self` proves the instructions, and the caller says that a vector can be written.
                unsafe { _mm512_storeu_si512(to.cast(), self.0) }
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(in_registers!(_mm512_and_si512(self.0, other.0)))
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(in_registers!(_mm512_or_si512(self.0, other.0)))
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(in_registers!(_mm512_xor_si512(self.0, other.0)))
            }

            #[inline(always)]
            fn not(self) -> Self {
                Self(in_registers!(_mm512_xor_si512(self.0, _mm512_set1_epi32(-1))))
            }

            #[inline(always)]
            fn lowest(self) -> Self {
                Self(in_registers!(_mm512_and_si512(self.0, $sub(_mm512_setzero_si512(), self.0))))
            }

            #[inline(always)]
            fn up<const BITS: u32>(self) -> Self {
                Self(in_registers!($up::<BITS>(self.0)))
            }

            #[inline(always)]
            fn down<const BITS: u32>(self) -> Self {
                Self(in_registers!($down::<BITS>(self.0)))
            }

            #[inline(always)]
            fn shift(token: Avx512, columns: u32) -> Self {
                Self::splat(token, columns as $word)
            }

            #[inline(always)]
            fn up_by(self, shift: Self) -> Self {
                Self(in_registers!($up_by(self.0, shift.0)))
            }

            #[inline(always)]
            fn down_by(self, shift: Self) -> Self {
                Self(in_registers!($down_by(self.0, shift.0)))
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(in_registers!($min(self.0, other.0)))
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
            fn first(_: Avx512, lanes: usize) -> $mask {
                ((1_u64 << lanes) - 1) as $mask
            }

            #[inline(always)]
            fn both(one: $mask, other: $mask) -> $mask {
                one & other
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
    up: _mm512_slli_epi16,
    down: _mm512_srli_epi16,
    up_by: _mm512_sllv_epi16,
    down_by: _mm512_srlv_epi16,
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
    up: _mm512_slli_epi32,
    down: _mm512_srli_epi32,
    up_by: _mm512_sllv_epi32,
    down_by: _mm512_srlv_epi32,
    min: _mm512_min_epu32,
    test: _mm512_test_epi32_mask,
    testn: _mm512_testn_epi32_mask,
    compress: _mm512_maskz_compress_epi32,
    expand: _mm512_mask_expand_epi32,
    blend: _mm512_mask_blend_epi32,
}

impl VectorKernel for Avx512 {
    const VECTOR_BYTES: usize = 64;

    fn search(self, columns: usize) -> Box<dyn Search> {
        if columns <= 16 {
            Box::new(Avx512Search(Scratch::<Narrow>::new(self, columns)))
        } else {
            Box::new(Avx512Search(Scratch::<Wide>::new(self, columns)))
        }
    }
}

/// A search in vectors of this instruction set.
struct Avx512Search<L: Lanes<Token = Avx512>>(Scratch<L>);

impl<L: Lanes<Token = Avx512>> Search for Avx512Search<L> {
    fn count(&mut self, node: Node, rows: &Rows, cancel: &Cancel) -> Result<u128, Cancelled> {
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt,bmi1,bmi2")]
        fn compiled<L: Lanes>(
            scratch: &mut Scratch<L>,
            node: Node,
            rows: &Rows,
            cancel: &Cancel,
        ) -> Result<u128, Cancelled> {
            scratch.count(node, rows, cancel)
        }
        // SAFETY: the scratch was made from the token, which proves that the CPU has these features.
        unsafe { compiled(&mut self.0, node, rows, cancel) }
    }

    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    #[cfg(test)]
    fn word_columns(&self) -> u32 {
        L::Word::COLUMNS
    }
}
