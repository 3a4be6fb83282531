//! The kernel of CPUs with AVX2: a block is two registers.
#![allow(unsafe_code)]

use super::super::lists::Record;
use super::{Block, Kernel, Level, Square, Tables, Vector};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi32, _mm256_adds_epu8, _mm256_and_si256, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_store_si256,
    _mm256_storeu_si256, _mm256_xor_si256,
};

/// The AVX2 kernel. It must not be used where the CPU does not support it.
pub(in super::super) struct Avx2;

impl Kernel for Avx2 {
    super::with_features! {
        "avx2,popcnt,bmi1,bmi2",
        fn scatter(tables: &Tables, records: &[Record], rows: &mut [Block]) {
            super::scatter::<Ymm>(tables, records, rows)
        }

        fn dot(tables: &Tables, records: &[Record], rows: &[Block], sums: &mut [i32; 16]) {
            super::dot::<Ymm>(tables, records, rows, sums)
        }

        fn filter(parent: &Level, mask: u64, child: &mut Level) {
            super::filter(parent, mask, child)
        }

        fn slice(level: &Level, plane: usize, bits: &mut [Block; 64]) {
            super::slice(level, plane, bits)
        }

        fn free(bits: &[[Block; 64]], squares: &[Square], free: &mut [Block]) {
            super::free::<Ymm>(bits, squares, free)
        }

        fn pairs(free: &[Block], planes: usize, rows: [usize; 2], columns: usize, table: &mut [Block]) {
            super::pairs::<Ymm>(free, planes, rows, columns, table)
        }

        fn transpose(from: &[Block; 64], to: &mut [Block; 64]) {
            super::transpose(from, to)
        }
    }
}

/// Used only within functions that are compiled for AVX2.
#[derive(Clone, Copy)]
struct Ymm([__m256i; 2]);

impl Vector for Ymm {
    type Sums = [__m256i; 2];

    #[inline(always)]
    fn load(from: &Block) -> Self {
        let from: *const __m256i = std::ptr::from_ref(from).cast();
        // SAFETY: a block has 64 bytes and is aligned to as many; the caller is compiled for AVX2.
        Self(unsafe { [_mm256_load_si256(from), _mm256_load_si256(from.add(1))] })
    }

    #[inline(always)]
    fn store(self, to: &mut Block) {
        let to: *mut __m256i = std::ptr::from_mut(to).cast();
        // SAFETY: a block has 64 bytes and is aligned to as many; the caller is compiled for AVX2.
        unsafe {
            _mm256_store_si256(to, self.0[0]);
            _mm256_store_si256(to.add(1), self.0[1]);
        }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: the caller is compiled for AVX2.
        Self(unsafe { [_mm256_and_si256(a, c), _mm256_and_si256(b, d)] })
    }

    #[inline(always)]
    fn nor(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: the caller is compiled for AVX2.
        unsafe {
            let ones = _mm256_set1_epi8(-1);
            Self([_mm256_xor_si256(_mm256_or_si256(a, c), ones), _mm256_xor_si256(_mm256_or_si256(b, d), ones)])
        }
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        Self([count_ones(self.0[0]), count_ones(self.0[1])])
    }

    #[inline(always)]
    fn add_bytes(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: the caller is compiled for AVX2.
        Self(unsafe { [_mm256_add_epi8(a, c), _mm256_add_epi8(b, d)] })
    }

    #[inline(always)]
    fn add_bytes_saturating(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: the caller is compiled for AVX2.
        Self(unsafe { [_mm256_adds_epu8(a, c), _mm256_adds_epu8(b, d)] })
    }

    #[inline(always)]
    fn no_sums() -> [__m256i; 2] {
        // SAFETY: the caller is compiled for AVX2.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn add_products(self, counts: Self, sums: [__m256i; 2]) -> [__m256i; 2] {
        [add_products(self.0[0], counts.0[0], sums[0]), add_products(self.0[1], counts.0[1], sums[1])]
    }

    #[inline(always)]
    fn add_sums(sums: [__m256i; 2], to: &mut [i32; 16]) {
        let to: *mut __m256i = to.as_mut_ptr().cast();
        // SAFETY: sixteen numbers of 32 bits are two times 32 bytes, which need no alignment here.
        unsafe {
            _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), sums[0]));
            _mm256_storeu_si256(to.add(1), _mm256_add_epi32(_mm256_loadu_si256(to.add(1)), sums[1]));
        }
    }
}

/// The number of ones of every byte: of its halves, looked up (W. Muła, N. Kurz and D. Lemire, *Faster population counts using
/// AVX2 instructions*, 2018).
#[inline(always)]
fn count_ones(bytes: __m256i) -> __m256i {
    // SAFETY: the caller is compiled for AVX2.
    unsafe {
        let ones = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let half = _mm256_set1_epi8(0x0f);
        let low = _mm256_and_si256(bytes, half);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
        _mm256_add_epi8(_mm256_shuffle_epi8(ones, low), _mm256_shuffle_epi8(ones, high))
    }
}

/// Products of neighbours, at most 2 · 255 · 8 · [`super::MOST_PLANES`], fit 16 bits.
#[inline(always)]
fn add_products(bytes: __m256i, counts: __m256i, sums: __m256i) -> __m256i {
    // SAFETY: the caller is compiled for AVX2.
    unsafe {
        let of_two = _mm256_maddubs_epi16(bytes, counts);
        _mm256_add_epi32(sums, _mm256_madd_epi16(of_two, _mm256_set1_epi16(1)))
    }
}
