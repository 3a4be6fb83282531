//! The vectors of CPUs with AVX2: 16 lanes of 16 bits, or 8 of 32. It has no instruction that packs or spreads lanes, but some
//! that permute them; tables say how.
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
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_storeu_si128, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_cmpeq_epi32, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_min_epu16, _mm256_min_epu32, _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_si256,
    _mm256_packs_epi16, _mm256_permutevar8x32_epi32, _mm256_set_m128i, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sll_epi16, _mm256_sll_epi32, _mm256_slli_epi16,
    _mm256_slli_epi32, _mm256_srl_epi16, _mm256_srl_epi32, _mm256_srli_epi16, _mm256_srli_epi32, _mm256_storeu_si256,
    _mm256_sub_epi16, _mm256_sub_epi32, _mm256_xor_si256,
};

/// For each set of eight lanes, those in it one after another.
const PACKED: [[u8; 8]; 256] = permutations(false);
/// For each set of eight lanes, how many lanes of it come before each.
const SPREAD: [[u8; 8]; 256] = permutations(true);

const fn permutations(spread: bool) -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut before) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                if spread {
                    table[mask][lane] = before as u8;
                } else {
                    table[mask][before] = lane as u8;
                }
                before += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

static PACKED_WIDE: [[u32; 8]; 256] = as_words(&PACKED);
static SPREAD_WIDE: [[u32; 8]; 256] = as_words(&SPREAD);

const fn as_words(permutations: &[[u8; 8]; 256]) -> [[u32; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        table[at / 8][at % 8] = permutations[at / 8][at % 8] as u32;
        at += 1;
    }
    table
}

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

macro_rules! lanes {
    ($name:ident, $doc:literal, $word:ty, $lanes:literal, $splat:ident, $sub:ident, $slli:ident, $srli:ident, $sll:ident, $srl:ident, $min:ident, $equal:ident) => {
        #[doc = $doc]
        /// A mask is as wide: all bits of a lane or none.
        #[derive(Clone, Copy)]
        pub(super) struct $name(__m256i);

        // SAFETY: every method does what the trait says; the caller vouches for the CPU and for the pointers.
        unsafe impl Lanes for $name {
            type Word = $word;
            type Mask = __m256i;
            type Shift = __m128i;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                // SAFETY: as the caller vouches, here and below.
                unsafe { Self($splat(word.cast_signed())) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm256_loadu_si256(from.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
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
                unsafe { Self(_mm256_and_si256(self.0, $sub(_mm256_setzero_si256(), self.0))) }
            }
            #[inline(always)]
            unsafe fn up<const BITS: u32>(self) -> Self {
                // The instruction's constant is signed here.
                // SAFETY: as above.
                unsafe {
                    Self(match BITS {
                        1 => $slli::<1>(self.0),
                        2 => $slli::<2>(self.0),
                        3 => $slli::<3>(self.0),
                        _ => $slli::<4>(self.0),
                    })
                }
            }
            #[inline(always)]
            unsafe fn down<const BITS: u32>(self) -> Self {
                // SAFETY: as above.
                unsafe {
                    Self(match BITS {
                        1 => $srli::<1>(self.0),
                        2 => $srli::<2>(self.0),
                        3 => $srli::<3>(self.0),
                        _ => $srli::<4>(self.0),
                    })
                }
            }
            #[inline(always)]
            unsafe fn shift(columns: u32) -> __m128i {
                // SAFETY: as above.
                unsafe { _mm_cvtsi32_si128(columns.cast_signed()) }
            }
            #[inline(always)]
            unsafe fn up_by(self, shift: __m128i) -> Self {
                // SAFETY: as above.
                unsafe { Self($sll(self.0, shift)) }
            }
            #[inline(always)]
            unsafe fn down_by(self, shift: __m128i) -> Self {
                // SAFETY: as above.
                unsafe { Self($srl(self.0, shift)) }
            }
            #[inline(always)]
            unsafe fn min(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($min(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn meets(self, other: Self) -> __m256i {
                // SAFETY: as above.
                unsafe { _mm256_xor_si256(self.and(other).is_zero(), _mm256_set1_epi32(-1)) }
            }
            #[inline(always)]
            unsafe fn is_zero(self) -> __m256i {
                // SAFETY: as above.
                unsafe { $equal(self.0, _mm256_setzero_si256()) }
            }
            #[inline(always)]
            unsafe fn first(lanes: usize) -> __m256i {
                let mut words = [0; $lanes];
                words[..lanes].fill(<$word>::MAX);
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
                // SAFETY: as above. A bit for each byte.
                unsafe { _mm256_movemask_epi8(mask).count_ones() as usize * $lanes / 32 }
            }
            #[inline(always)]
            unsafe fn compress(self, mask: __m256i, to: *mut $word) {
                // SAFETY: as above.
                unsafe { self.pack(mask, to) }
            }
            #[inline(always)]
            unsafe fn expand(self, mask: __m256i, from: *const $word) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm256_blendv_epi8(self.0, Self::spread(mask, from), mask)) }
            }
            #[inline(always)]
            unsafe fn blend(self, mask: __m256i, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self(_mm256_blendv_epi8(self.0, other.0, mask)) }
            }
        }
    };
}

lanes!(
    Narrow,
    "16 lanes of 16 bits.",
    u16,
    16,
    _mm256_set1_epi16,
    _mm256_sub_epi16,
    _mm256_slli_epi16,
    _mm256_srli_epi16,
    _mm256_sll_epi16,
    _mm256_srl_epi16,
    _mm256_min_epu16,
    _mm256_cmpeq_epi16
);
lanes!(
    Wide,
    "8 lanes of 32 bits.",
    u32,
    8,
    _mm256_set1_epi32,
    _mm256_sub_epi32,
    _mm256_slli_epi32,
    _mm256_srli_epi32,
    _mm256_sll_epi32,
    _mm256_srl_epi32,
    _mm256_min_epu32,
    _mm256_cmpeq_epi32
);

impl Wide {
    /// The lanes of a mask, a bit for each.
    #[inline(always)]
    unsafe fn bits(mask: __m256i) -> usize {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(mask)) as usize }
    }

    #[inline(always)]
    unsafe fn pack(self, mask: __m256i, to: *mut u32) {
        // SAFETY: the caller vouches for a whole vector; a mask has eight lanes.
        unsafe {
            let lanes = _mm256_loadu_si256(PACKED_WIDE.get_unchecked(Self::bits(mask)).as_ptr().cast());
            Self(_mm256_permutevar8x32_epi32(self.0, lanes)).store(to);
        }
    }

    #[inline(always)]
    unsafe fn spread(mask: __m256i, from: *const u32) -> __m256i {
        // SAFETY: as above.
        unsafe {
            let lanes = _mm256_loadu_si256(SPREAD_WIDE.get_unchecked(Self::bits(mask)).as_ptr().cast());
            _mm256_permutevar8x32_epi32(Self::load(from).0, lanes)
        }
    }
}

impl Narrow {
    /// The lanes of the two halves of a mask, a bit for each.
    #[inline(always)]
    unsafe fn bits(mask: __m256i) -> (usize, usize) {
        // SAFETY: the caller vouches for the CPU.
        let bytes = unsafe { _mm256_movemask_epi8(_mm256_packs_epi16(mask, _mm256_setzero_si256())) };
        (bytes as usize & 0xFF, bytes as usize >> 16 & 0xFF)
    }

    /// The permutations of both halves.
    #[inline(always)]
    unsafe fn permutation(table: &'static [[u8; 16]; 256], (low, high): (usize, usize)) -> __m256i {
        // SAFETY: the caller vouches for the CPU; half a mask has eight lanes.
        unsafe {
            let half = |lanes: usize| _mm_loadu_si128(table.get_unchecked(lanes).as_ptr().cast());
            _mm256_set_m128i(half(high), half(low))
        }
    }

    /// The words of each half, the upper half where the lower one ends.
    #[inline(always)]
    unsafe fn pack(self, mask: __m256i, to: *mut u16) {
        // SAFETY: the caller vouches for a whole vector; the lower half ends in the middle of it at the latest.
        unsafe {
            let halves = Self::bits(mask);
            let packed = _mm256_shuffle_epi8(self.0, Self::permutation(&PACKED_NARROW, halves));
            _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(packed));
            let rest = to.add(halves.0.count_ones() as usize);
            _mm_storeu_si128(rest.cast(), _mm256_extracti128_si256::<1>(packed));
        }
    }

    #[inline(always)]
    unsafe fn spread(mask: __m256i, from: *const u16) -> __m256i {
        // SAFETY: as above.
        unsafe {
            let halves = Self::bits(mask);
            let rest = from.add(halves.0.count_ones() as usize);
            let words = _mm256_set_m128i(_mm_loadu_si128(rest.cast()), _mm_loadu_si128(from.cast()));
            _mm256_shuffle_epi8(words, Self::permutation(&SPREAD_NARROW, halves))
        }
    }
}

/// A search with AVX2 for nodes with up to so many columns: in words of 16 bits, if they fit.
///
/// # Safety
/// The CPU must support [`Kernel::Avx2`](crate::engine::Kernel::Avx2).
pub(super) unsafe fn search(columns: usize) -> Box<dyn Search> {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        if columns <= 16 {
            Box::new(Avx2(scratch::<Narrow>(columns)))
        } else {
            Box::new(Avx2(scratch::<Wide>(columns)))
        }
    }
}

/// A search that is made only where the CPU supports it.
struct Avx2<L: Lanes>(Scratch<L>);

impl<L: Lanes> Search for Avx2<L> {
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

#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
unsafe fn scratch<L: Lanes>(rows: usize) -> Scratch<L> {
    // SAFETY: this function is compiled for what `L` needs.
    unsafe { Scratch::new(rows) }
}

#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
unsafe fn count<L: Lanes>(
    scratch: &mut Scratch<L>,
    node: Node,
    rows: &Rows,
    cancel: &Cancel,
) -> Result<u128, Cancelled> {
    // SAFETY: this function is compiled for what `L` needs.
    unsafe { scratch.count(node, rows, cancel) }
}
