//! The kernel of CPUs with AVX2: a block is two registers.
#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports, reason = "every intrinsic is named by its instruction set")]

use super::planes::{Plane, Planes};
use super::{Block, Loops, SUMS, Survivors, Vector};
use crate::engine::kernel::Avx2 as Token;
use crate::engine::registers::{in_registers, permutations};
use std::arch::x86_64::*;

impl Loops for Token {
    /// With two packed planes, or if chunks share one, N = 20 took 1.02 to 1.05 times as long.
    const PACKED_LIMIT: usize = 1;
    /// N = 22, *k* = 4, gained as a whole, with row sets up to 0.53. Larger values were not measured.
    const ONE_BY_ONE: f64 = 0.6;
    type Vector = Ymm;
}

/// Declares methods of two blocks that apply one intrinsic to either half.
macro_rules! for_halves {
    ($($method:ident: $intrinsic:ident,)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            let (Self([a, b]), Self([c, d])) = (self, other);
            Self([in_registers!($intrinsic(a, c)), in_registers!($intrinsic(b, d))])
        }
    )*};
}

/// The two halves of a block.
#[derive(Clone, Copy, Debug)]
pub struct Ymm([__m256i; 2]);

impl Ymm {
    /// Half a block of zeros.
    #[inline(always)]
    fn zero(_: Token) -> __m256i {
        in_registers!(_mm256_setzero_si256())
    }
}

impl Vector for Ymm {
    type Token = Token;
    type Products = Ymm;

    /// A sum of 16 bits takes two neighbours, each at most 255 times a count of at most 8 for each plane. Sums begin at
    /// the least number.
    const ROOM: usize = u16::MAX as usize / (2 * 255 * 8);

    #[inline(always)]
    fn fetch(from: *const Block) {
        // SAFETY: every CPU of x86-64 has the instruction, which is a hint and reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) }
    }

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

    for_halves! {
        and: _mm256_and_si256,
        add_bytes: _mm256_add_epi8,
        add_bytes_saturating: _mm256_adds_epu8,
    }

    /// Only the first row is read, because chunks share no plane. Bytes move within 16 neighbours, so only four bits of
    /// a slot are read.
    #[inline(always)]
    fn gather<const C: usize>(rows: [Self; C], from: Self) -> Self {
        let (Self([a, b]), Self([c, d])) = (rows[0], from);
        Self([in_registers!(_mm256_shuffle_epi8(a, c)), in_registers!(_mm256_shuffle_epi8(b, d))])
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        let Self([a, b]) = self;
        Self([count_ones(a), count_ones(b)])
    }

    #[inline(always)]
    fn nonzero_words(self) -> u8 {
        let Self([a, b]) = self;
        !(zero_words(a) | zero_words(b) << 4) as u8
    }

    #[inline(always)]
    fn no_products(_: Token) -> Ymm {
        Self([in_registers!(_mm256_set1_epi16(i16::MIN)); 2])
    }

    #[inline(always)]
    fn add_products(self, counts: Self, products: Ymm) -> Ymm {
        let (Self([a, b]), Self([c, d]), Self([e, f])) = (self, counts, products);
        let [g, h] = [in_registers!(_mm256_maddubs_epi16(a, c)), in_registers!(_mm256_maddubs_epi16(b, d))];
        Self([in_registers!(_mm256_add_epi16(e, g)), in_registers!(_mm256_add_epi16(f, h))])
    }

    #[inline(always)]
    fn sum_up(products: Ymm, sums: &mut [i32; SUMS]) {
        for half in 0..2 {
            let sums: *mut __m256i = sums[8 * half..][..8].as_mut_ptr().cast();
            // SAFETY: the products prove the instructions; eight numbers of 32 bits are 32 bytes, which need no
            // alignment here.
            unsafe {
                let (ones, least) = (_mm256_set1_epi16(1), _mm256_set1_epi32(2 * i32::from(i16::MIN)));
                let sum = _mm256_sub_epi32(_mm256_loadu_si256(sums), least);
                _mm256_storeu_si256(sums, _mm256_add_epi32(sum, _mm256_madd_epi16(products.0[half], ones)));
            }
        }
    }

    /// Filters four placements at a time.
    #[inline(always)]
    fn keep(_: Token, masks: &[u64; 8], diagonals: u64, to: &mut [u64; 8]) -> u8 {
        let (mut kept, mut end) = (0, 0);
        for (half, masks) in masks.as_chunks::<4>().0.iter().enumerate() {
            // SAFETY: the token proves the instructions. Four placements are read at a time, and written after at most
            // four others. Each set of `KEPT_HALVES` has eight bytes.
            let keep = unsafe {
                let masks = _mm256_loadu_si256(masks.as_ptr().cast());
                let met = _mm256_and_si256(masks, _mm256_set1_epi64x(diagonals.cast_signed()));
                let keep = zero_words(met) as usize;
                let halves = _mm256_cvtepu8_epi32(_mm_loadu_si64(KEPT_HALVES[keep].as_ptr()));
                _mm256_storeu_si256(to.as_mut_ptr().add(end).cast(), _mm256_permutevar8x32_epi32(masks, halves));
                keep
            };
            kept |= keep << (4 * half);
            end += keep.count_ones() as usize;
        }
        kept as u8
    }

    /// Slices 32 slots at a time: first the bits of every byte, four slots at a time, then the bytes.
    #[inline(always)]
    fn slice(token: Token, survivors: &[Survivors], planes: &Planes, plane: Plane, bits: &mut [Block; 64]) {
        for half in 0..2 {
            // By bit of a byte and pair of slots: the bytes of the pair and of the pair 16 slots on, side by side.
            let mut by_bit = [[Ymm::zero(token); 8]; 8];
            for pair in 0..8 {
                let by_place = places(token, survivors, planes, plane, 32 * half + 2 * pair);
                let registers = transpose_bits(by_place);
                for bit in 0..8 {
                    by_bit[bit][pair] = registers[bit];
                }
            }
            for (bit, pairs) in by_bit.into_iter().enumerate() {
                for (byte, slots) in transpose_pairs(pairs).into_iter().enumerate() {
                    store_half(slots, &mut bits[8 * byte + bit], half);
                }
            }
        }
    }

    /// Transposes 32 rows and 16 columns at a time.
    #[inline(always)]
    fn transpose(token: Token, from: &[Block; 64], to: &mut [Block; 64]) {
        for half in 0..2 {
            for quarter in 0..4 {
                // By pair of rows: the bytes of the pair and of the pair 16 rows on, side by side, of eight columns
                // each.
                let (mut low, mut high) = ([Ymm::zero(token); 8], [Ymm::zero(token); 8]);
                for pair in 0..8 {
                    let row = 32 * half + 2 * pair;
                    let a = load_quarters(token, (&from[row], &from[row + 16]), quarter);
                    let b = load_quarters(token, (&from[row + 1], &from[row + 17]), quarter);
                    [low[pair], high[pair]] = in_turns_8(a, b);
                }
                for (column, pairs) in [(16 * quarter, low), (16 * quarter + 8, high)] {
                    for (next, rows) in transpose_pairs(pairs).into_iter().enumerate() {
                        store_half(rows, &mut to[column + next], half);
                    }
                }
            }
        }
    }
}

/// Returns the number of ones of every byte, whose halves are looked up (W. Muła, N. Kurz and D. Lemire, *Faster
/// population counts using AVX2 instructions*, 2018).
#[inline(always)]
fn count_ones(bytes: __m256i) -> __m256i {
    let ones = in_registers!(_mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4
    ));
    let half = in_registers!(_mm256_set1_epi8(0x0f));
    let low = in_registers!(_mm256_and_si256(bytes, half));
    let high = in_registers!(_mm256_and_si256(in_registers!(_mm256_srli_epi16::<4>(bytes)), half));
    let [low, high] = [in_registers!(_mm256_shuffle_epi8(ones, low)), in_registers!(_mm256_shuffle_epi8(ones, high))];
    in_registers!(_mm256_add_epi8(low, high))
}

/// Returns which of four words are zero, a bit each.
#[inline(always)]
fn zero_words(words: __m256i) -> i32 {
    let zero = in_registers!(_mm256_cmpeq_epi64(words, in_registers!(_mm256_setzero_si256())));
    in_registers!(_mm256_movemask_pd(in_registers!(_mm256_castsi256_pd(zero))))
}

/// Declares functions that return the parts of two registers in turns: in each half of the registers, the first half's
/// parts, then the others. `in_turns_128` returns the first halves, then the others.
macro_rules! in_turns {
    ($($name:ident: [$($low:tt)*] [$($high:tt)*],)*) => {$(
        #[inline(always)]
        fn $name(a: __m256i, b: __m256i) -> [__m256i; 2] {
            [in_registers!($($low)*(a, b)), in_registers!($($high)*(a, b))]
        }
    )*};
}
in_turns! {
    in_turns_8: [_mm256_unpacklo_epi8] [_mm256_unpackhi_epi8],
    in_turns_16: [_mm256_unpacklo_epi16] [_mm256_unpackhi_epi16],
    in_turns_32: [_mm256_unpacklo_epi32] [_mm256_unpackhi_epi32],
    in_turns_64: [_mm256_unpacklo_epi64] [_mm256_unpackhi_epi64],
    in_turns_128: [_mm256_permute2x128_si256::<0x20>] [_mm256_permute2x128_si256::<0x31>],
}

/// For each set of kept masks among four, the halves of the kept masks, first to last. The other numbers are
/// taken modulo 8, and nobody reads what they move.
static KEPT_HALVES: [[u8; 8]; 16] = permutations(2, false);

/// Returns the masks of the placements of four slots, place by place: the bytes of `slot` and its neighbour in turns,
/// then those of the two slots 16 on.
#[inline(always)]
fn places(token: Token, survivors: &[Survivors], planes: &Planes, plane: Plane, slot: usize) -> [__m256i; 8] {
    let [a, b] = [masks(token, survivors, planes, plane, slot), masks(token, survivors, planes, plane, slot + 1)];
    let [c, d] = [masks(token, survivors, planes, plane, slot + 16), masks(token, survivors, planes, plane, slot + 17)];
    let mut by_place = [Ymm::zero(token); 8];
    for half in 0..2 {
        let [[ac_01, ac_23], [bd_01, bd_23]] = [in_turns_128(a[half], c[half]), in_turns_128(b[half], d[half])];
        let bytes = [in_turns_8(ac_01, bd_01), in_turns_8(ac_23, bd_23)];
        by_place[4 * half..][..4].copy_from_slice(bytes.as_flattened());
    }
    by_place
}

/// Returns the masks of the placements of a slot in a plane. A place without a placement has every bit.
#[inline(always)]
fn masks(_: Token, survivors: &[Survivors], planes: &Planes, plane: Plane, slot: usize) -> [__m256i; 2] {
    const MISSING: [u64; 16] = {
        let mut bits = [0; 16];
        bits.split_at_mut(8).1.copy_from_slice(&[u64::MAX; 8]);
        bits
    };
    let (masks, count) = planes.at(survivors, slot, plane);
    let missing = &MISSING[8 - count..][..8];
    // SAFETY: the token proves the instructions; four numbers of 64 bits each are read.
    unsafe {
        [
            _mm256_or_si256(
                _mm256_loadu_si256(masks[..4].as_ptr().cast()),
                _mm256_loadu_si256(missing[..4].as_ptr().cast()),
            ),
            _mm256_or_si256(
                _mm256_loadu_si256(masks[4..].as_ptr().cast()),
                _mm256_loadu_si256(missing[4..].as_ptr().cast()),
            ),
        ]
    }
}

/// Bit *i* of each byte of register *j* becomes bit *j* of that byte of register *i*.
#[inline(always)]
fn transpose_bits(registers: [__m256i; 8]) -> [__m256i; 8] {
    swap_bits::<1>(swap_bits::<2>(swap_bits::<4>(registers, 0x0f), 0x33), 0x55)
}

/// Exchanges bits of registers whose numbers differ by `BY`: the bits that `mask` has in every byte of the second, and
/// the bits `BY` places higher in the first.
#[inline(always)]
fn swap_bits<const BY: i32>(mut registers: [__m256i; 8], mask: i8) -> [__m256i; 8] {
    for first in 0..8 {
        let second = first + BY as usize;
        if first & BY as usize == 0 {
            let [a, b] = [registers[first], registers[second]];
            let differing = in_registers!(_mm256_xor_si256(in_registers!(_mm256_srli_epi64::<BY>(a)), b));
            let swapped = in_registers!(_mm256_and_si256(differing, in_registers!(_mm256_set1_epi8(mask))));
            registers[first] = in_registers!(_mm256_xor_si256(a, in_registers!(_mm256_slli_epi64::<BY>(swapped))));
            registers[second] = in_registers!(_mm256_xor_si256(b, swapped));
        }
    }
    registers
}

/// In each half of the registers, pair *i* of the bytes of register *j* becomes pair *j* of register *i*.
#[inline(always)]
fn transpose_pairs([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    let [[ab_low, ab_high], [cd_low, cd_high]] = [in_turns_16(a, b), in_turns_16(c, d)];
    let [[ef_low, ef_high], [gh_low, gh_high]] = [in_turns_16(e, f), in_turns_16(g, h)];
    let [[ad_01, ad_23], [ad_45, ad_67]] = [in_turns_32(ab_low, cd_low), in_turns_32(ab_high, cd_high)];
    let [[eh_01, eh_23], [eh_45, eh_67]] = [in_turns_32(ef_low, gh_low), in_turns_32(ef_high, gh_high)];
    let [[r0, r1], [r2, r3]] = [in_turns_64(ad_01, eh_01), in_turns_64(ad_23, eh_23)];
    let [[r4, r5], [r6, r7]] = [in_turns_64(ad_45, eh_45), in_turns_64(ad_67, eh_67)];
    [r0, r1, r2, r3, r4, r5, r6, r7]
}

/// Loads the same quarter of two blocks.
#[inline(always)]
fn load_quarters(_: Token, (low, high): (&Block, &Block), quarter: usize) -> __m256i {
    let low = low.0.as_chunks::<16>().0[quarter].as_ptr().cast();
    let high = high.0.as_chunks::<16>().0[quarter].as_ptr().cast();
    // SAFETY: the token proves the instructions; a quarter of a block has 16 bytes.
    unsafe { _mm256_loadu2_m128i(high, low) }
}

/// Writes one half of a block.
#[inline(always)]
fn store_half(register: __m256i, to: &mut Block, half: usize) {
    let to = to.0.as_chunks_mut::<32>().0[half].as_mut_ptr().cast();
    // SAFETY: the register exists only if a token proved the instruction; half a block has 32 bytes.
    unsafe { _mm256_storeu_si256(to, register) }
}
