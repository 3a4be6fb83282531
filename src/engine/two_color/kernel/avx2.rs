//! The kernel of CPUs with AVX2: a block is two registers.
#![allow(unsafe_code)]

use super::super::lists::Record;
use super::{Block, Kernel, Level, Square, Tables, Vector};
use crate::engine::kernel::Avx2 as Token;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi32, _mm256_adds_epu8, _mm256_and_si256, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_store_si256,
    _mm256_storeu_si256, _mm256_xor_si256,
};

impl Kernel for Token {
    super::with_features! {
        "avx2,popcnt,bmi1,bmi2",
        fn scatter(token, tables: &Tables, records: &[Record], rows: &mut [Block]) {
            super::scatter::<Ymm>(token, tables, records, rows)
        }

        fn dot(token, tables: &Tables, records: &[Record], rows: &[Block], sums: &mut [i32; 16]) {
            super::dot::<Ymm>(token, tables, records, rows, sums)
        }

        fn filter(_token, parent: &Level, mask: u64, child: &mut Level) {
            super::filter(parent, mask, child)
        }

        fn slice(_token, level: &Level, plane: usize, bits: &mut [Block; 64]) {
            super::slice(level, plane, bits)
        }

        fn free(token, bits: &[[Block; 64]], squares: &[Square], free: &mut [Block]) {
            super::free::<Ymm>(token, bits, squares, free)
        }

        fn pairs(token, free: &[Block], planes: usize, rows: [usize; 2], columns: usize, table: &mut [Block]) {
            super::pairs::<Ymm>(token, free, planes, rows, columns, table)
        }

        fn transpose(_token, from: &[Block; 64], to: &mut [Block; 64]) {
            super::transpose(from, to)
        }
    }
}

/// Evaluates intrinsics that work on registers alone.
macro_rules! in_registers {
    ($intrinsics:expr) => {
        // SAFETY: the operands exist only where a token proved that the CPU has AVX2, and no memory is accessed.
        unsafe { $intrinsics }
    };
}

/// The two halves of a block.
#[derive(Clone, Copy)]
struct Ymm([__m256i; 2]);

impl Ymm {
    #[inline(always)]
    fn each(self, operation: impl Fn(__m256i) -> __m256i) -> Self {
        Self([operation(self.0[0]), operation(self.0[1])])
    }

    #[inline(always)]
    fn with(self, other: Self, operation: impl Fn(__m256i, __m256i) -> __m256i) -> Self {
        Self([operation(self.0[0], other.0[0]), operation(self.0[1], other.0[1])])
    }
}

impl Vector for Ymm {
    type Token = Token;
    type Sums = Ymm;

    #[inline(always)]
    fn load(_: Token, from: &Block) -> Self {
        let from: *const __m256i = std::ptr::from_ref(from).cast();
        // SAFETY: the token proves the instructions; a block has 64 bytes and is aligned to as many.
        Self(unsafe { [_mm256_load_si256(from), _mm256_load_si256(from.add(1))] })
    }

    #[inline(always)]
    fn store(self, to: &mut Block) {
        let to: *mut __m256i = std::ptr::from_mut(to).cast();
        // SAFETY: `self` proves the instructions; a block has 64 bytes and is aligned to as many.
        unsafe {
            _mm256_store_si256(to, self.0[0]);
            _mm256_store_si256(to.add(1), self.0[1]);
        }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.with(other, |a, b| in_registers!(_mm256_and_si256(a, b)))
    }

    #[inline(always)]
    fn nor(self, other: Self) -> Self {
        self.with(other, |a, b| in_registers!(_mm256_xor_si256(_mm256_or_si256(a, b), _mm256_set1_epi8(-1))))
    }

    /// Looks up the number of ones of both halves of every byte (W. Muła, N. Kurz and D. Lemire, *Faster population counts
    /// using AVX2 instructions*, 2018).
    #[inline(always)]
    fn count_ones(self) -> Self {
        self.each(|bytes| {
            in_registers!({
                let ones = _mm256_setr_epi8(
                    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                );
                let half = _mm256_set1_epi8(0x0f);
                let low = _mm256_and_si256(bytes, half);
                let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
                _mm256_add_epi8(_mm256_shuffle_epi8(ones, low), _mm256_shuffle_epi8(ones, high))
            })
        })
    }

    #[inline(always)]
    fn add_bytes(self, other: Self) -> Self {
        self.with(other, |a, b| in_registers!(_mm256_add_epi8(a, b)))
    }

    #[inline(always)]
    fn add_bytes_saturating(self, other: Self) -> Self {
        self.with(other, |a, b| in_registers!(_mm256_adds_epu8(a, b)))
    }

    #[inline(always)]
    fn no_sums(_: Token) -> Ymm {
        // SAFETY: the token proves the instruction.
        Self([unsafe { _mm256_setzero_si256() }; 2])
    }

    /// Products of neighbours, at most 2 · 255 · 8 · [`super::MOST_PLANES`], fit 16 bits.
    #[inline(always)]
    fn add_products(self, counts: Self, sums: Ymm) -> Ymm {
        let of_four = self.with(counts, |bytes, counts| {
            in_registers!(_mm256_madd_epi16(_mm256_maddubs_epi16(bytes, counts), _mm256_set1_epi16(1)))
        });
        sums.with(of_four, |a, b| in_registers!(_mm256_add_epi32(a, b)))
    }

    #[inline(always)]
    fn add_sums(sums: Ymm, to: &mut [i32; 16]) {
        let to: *mut __m256i = to.as_mut_ptr().cast();
        // SAFETY: the sums prove the instructions; sixteen numbers of 32 bits are two times 32 bytes, which need no
        // alignment here.
        unsafe {
            _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), sums.0[0]));
            _mm256_storeu_si256(to.add(1), _mm256_add_epi32(_mm256_loadu_si256(to.add(1)), sums.0[1]));
        }
    }
}
