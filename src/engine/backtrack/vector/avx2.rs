//! The vectors of CPUs with AVX2: 8 lanes of 32 bits. It has no instruction that packs or spreads lanes, but one that
//! permutes them; tables say how.
// What is compiled for an instruction set must be inlined into a function that is.
#![allow(unsafe_code, clippy::inline_always)]

use super::super::node::Node;
use super::Search;
use super::lanes::Lanes;
use super::search::Scratch;
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_loadu_si256,
    _mm256_min_epu32, _mm256_movemask_ps, _mm256_or_si256, _mm256_permutevar8x32_epi32, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_storeu_si256, _mm256_sub_epi32,
    _mm256_xor_si256,
};

/// 8 lanes of 32 bits. A mask is as wide: all bits of a lane or none.
#[derive(Clone, Copy)]
pub(super) struct Wide(__m256i);

/// For each set of lanes, those in it one after another.
static PACKED: [[u32; 8]; 256] = permutations(false);
/// For each set of lanes, how many lanes of it come before each.
static SPREAD: [[u32; 8]; 256] = permutations(true);

const fn permutations(spread: bool) -> [[u32; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut before) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                if spread {
                    table[mask][lane] = before as u32;
                } else {
                    table[mask][before] = lane as u32;
                }
                before += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// The lanes of a mask, a bit for each.
#[inline(always)]
unsafe fn bits(mask: __m256i) -> usize {
    // SAFETY: the caller vouches for the CPU.
    unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(mask)) as usize }
}

// SAFETY: every method does what the trait says; the caller vouches for the CPU and for the pointers.
unsafe impl Lanes for Wide {
    type Word = u32;
    type Mask = __m256i;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: as the caller vouches, here and below.
        unsafe { Self(_mm256_set1_epi32(word.cast_signed())) }
    }
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_and_si256(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_or_si256(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn not(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_xor_si256(self.0, _mm256_set1_epi32(-1))) }
    }
    #[inline(always)]
    unsafe fn lowest(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_and_si256(self.0, _mm256_sub_epi32(_mm256_setzero_si256(), self.0))) }
    }
    #[inline(always)]
    unsafe fn up<const BITS: u32>(self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(match BITS {
                1 => _mm256_slli_epi32::<1>(self.0),
                2 => _mm256_slli_epi32::<2>(self.0),
                3 => _mm256_slli_epi32::<3>(self.0),
                _ => _mm256_slli_epi32::<4>(self.0),
            })
        }
    }
    #[inline(always)]
    unsafe fn down<const BITS: u32>(self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(match BITS {
                1 => _mm256_srli_epi32::<1>(self.0),
                2 => _mm256_srli_epi32::<2>(self.0),
                3 => _mm256_srli_epi32::<3>(self.0),
                _ => _mm256_srli_epi32::<4>(self.0),
            })
        }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_min_epu32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn meets(self, other: Self) -> __m256i {
        // SAFETY: as above.
        unsafe { self.and(other).is_zero_not() }
    }
    #[inline(always)]
    unsafe fn is_zero(self) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_cmpeq_epi32(self.0, _mm256_setzero_si256()) }
    }
    #[inline(always)]
    unsafe fn first(lanes: usize) -> __m256i {
        let mut words = [0_u32; 8];
        words[..lanes].fill(u32::MAX);
        // SAFETY: as above; there are 32 bytes.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }
    #[inline(always)]
    unsafe fn both(one: __m256i, other: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_and_si256(one, other) }
    }
    #[inline(always)]
    unsafe fn count(mask: __m256i) -> usize {
        // SAFETY: as above.
        unsafe { bits(mask).count_ones() as usize }
    }
    #[inline(always)]
    unsafe fn compress(self, mask: __m256i) -> Self {
        // SAFETY: as above; a mask has eight lanes.
        unsafe {
            let lanes = _mm256_loadu_si256(PACKED.get_unchecked(bits(mask)).as_ptr().cast());
            Self(_mm256_permutevar8x32_epi32(self.0, lanes))
        }
    }
    #[inline(always)]
    unsafe fn expand(self, mask: __m256i, from: *const u32) -> Self {
        // SAFETY: as above; a mask has eight lanes.
        unsafe {
            let lanes = _mm256_loadu_si256(SPREAD.get_unchecked(bits(mask)).as_ptr().cast());
            let words = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from.cast()), lanes);
            Self(_mm256_blendv_epi8(self.0, words, mask))
        }
    }
    #[inline(always)]
    unsafe fn blend(self, mask: __m256i, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_blendv_epi8(self.0, other.0, mask)) }
    }
}

impl Wide {
    #[inline(always)]
    unsafe fn is_zero_not(self) -> __m256i {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm256_xor_si256(self.is_zero(), _mm256_set1_epi32(-1)) }
    }
}

/// A search with AVX2 for the nodes of a board.
///
/// # Safety
/// The CPU must support [`Kernel::Avx2`](crate::engine::Kernel::Avx2).
pub(super) unsafe fn search(board: Board) -> Box<dyn Search> {
    // SAFETY: the caller vouches for the CPU.
    unsafe { Box::new(Avx2(scratch(board.size()))) }
}

/// A search that is made only where the CPU supports it.
struct Avx2(Scratch<Wide>);

impl Search for Avx2 {
    fn count(&mut self, node: Node, cancel: &Cancel) -> Result<u128, Cancelled> {
        // SAFETY: there is a search only where the CPU supports it.
        unsafe { count(&mut self.0, node, cancel) }
    }

    fn nodes(&self) -> u64 {
        self.0.nodes
    }
}

#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
unsafe fn scratch(rows: usize) -> Scratch<Wide> {
    // SAFETY: this function is compiled for what the lanes need.
    unsafe { Scratch::new(rows) }
}

#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
unsafe fn count(scratch: &mut Scratch<Wide>, node: Node, cancel: &Cancel) -> Result<u128, Cancelled> {
    // SAFETY: this function is compiled for what the lanes need.
    unsafe { scratch.count(node, cancel) }
}
