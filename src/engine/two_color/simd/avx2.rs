//! The kernel of CPUs with AVX2: a block is two registers.
#![allow(unsafe_code)]

use super::super::probe_side::ProbeRecord;
use super::generic::{self, Vector};
use super::{Block, Kernel, ProbeSquare, Strip, StripMut, Survivors, Tables};
use crate::engine::kernel::Avx2 as Token;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi32, _mm256_adds_epu8, _mm256_and_si256, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_store_si256,
    _mm256_storeu_si256, _mm256_xor_si256,
};

impl Kernel for Token {
    with_features! {
        "avx2,popcnt,bmi1,bmi2",
        fn scatter(token, tables: &Tables, records: &[ProbeRecord], strip: StripMut) {
            generic::scatter::<Ymm>(token, tables, records, strip)
        }

        fn dot(token, tables: &Tables, records: &[ProbeRecord], strip: Strip, sums: &mut [[i32; 16]]) {
            generic::dot::<Ymm>(token, tables, records, strip, sums)
        }

        fn filter(_token, parent: &Survivors, diagonals: u64, child: &mut Survivors) {
            generic::filter(parent, diagonals, child)
        }

        fn slice(_token, survivors: &Survivors, plane: usize, bits: &mut [Block; 64]) {
            generic::slice(survivors, plane, bits)
        }

        fn unattacked(token, bits: &[[Block; 64]], squares: &[ProbeSquare], table: &mut [Block]) {
            generic::unattacked::<Ymm>(token, bits, squares, table)
        }

        fn pair_table(token, squares: &[Block], blocks: usize, rows: [usize; 2], columns: usize, table: &mut [Block]) {
            generic::pair_table::<Ymm>(token, squares, blocks, rows, columns, table)
        }

        fn transpose(_token, from: &[Block; 64], to: &mut [Block; 64]) {
            generic::transpose(from, to)
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

impl Vector for Ymm {
    type Token = Token;
    type Sums = Ymm;

    #[inline(always)]
    fn load(_: Token, from: &Block) -> Self {
        let from: *const __m256i = std::ptr::from_ref(from).cast();
        // SAFETY: the token proves the instructions; a block has 64 bytes and is aligned to 64.
        Self(unsafe { [_mm256_load_si256(from), _mm256_load_si256(from.add(1))] })
    }

    #[inline(always)]
    fn store(self, to: &mut Block) {
        let to: *mut __m256i = std::ptr::from_mut(to).cast();
        // SAFETY: `self` proves the instructions; a block has 64 bytes and is aligned to 64.
        unsafe {
            _mm256_store_si256(to, self.0[0]);
            _mm256_store_si256(to.add(1), self.0[1]);
        }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        Self(in_registers!([_mm256_and_si256(a, c), _mm256_and_si256(b, d)]))
    }

    #[inline(always)]
    fn nor(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        Self(in_registers!({
            let ones = _mm256_set1_epi8(-1);
            [_mm256_xor_si256(_mm256_or_si256(a, c), ones), _mm256_xor_si256(_mm256_or_si256(b, d), ones)]
        }))
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        let Self([a, b]) = self;
        Self([count_ones(a), count_ones(b)])
    }

    #[inline(always)]
    fn add_bytes(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        Self(in_registers!([_mm256_add_epi8(a, c), _mm256_add_epi8(b, d)]))
    }

    #[inline(always)]
    fn add_bytes_saturating(self, other: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (self, other);
        Self(in_registers!([_mm256_adds_epu8(a, c), _mm256_adds_epu8(b, d)]))
    }

    #[inline(always)]
    fn no_sums(_: Token) -> Ymm {
        // SAFETY: the token proves the instruction.
        Self([unsafe { _mm256_setzero_si256() }; 2])
    }

    #[inline(always)]
    fn add_products(self, counts: Self, sums: Ymm) -> Ymm {
        let (Self([a, b]), Self([c, d]), Self([e, f])) = (self, counts, sums);
        Self([add_products(a, c, e), add_products(b, d, f)])
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

/// The number of ones of every byte: of its halves, looked up (W. Muła, N. Kurz and D. Lemire, *Faster population
/// counts using AVX2 instructions*, 2018).
#[inline(always)]
fn count_ones(bytes: __m256i) -> __m256i {
    in_registers!({
        let ones = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let half = _mm256_set1_epi8(0x0f);
        let low = _mm256_and_si256(bytes, half);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
        _mm256_add_epi8(_mm256_shuffle_epi8(ones, low), _mm256_shuffle_epi8(ones, high))
    })
}

/// Adds the products of bytes and counts to sums. Those of two neighbours, at most 2 · 255 · 8 ·
/// [`super::MOST_BLOCKS`], fit 16 bits.
#[inline(always)]
fn add_products(bytes: __m256i, counts: __m256i, sums: __m256i) -> __m256i {
    in_registers!({
        let of_two = _mm256_maddubs_epi16(bytes, counts);
        _mm256_add_epi32(sums, _mm256_madd_epi16(of_two, _mm256_set1_epi16(1)))
    })
}
