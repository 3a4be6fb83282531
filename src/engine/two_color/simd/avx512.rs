//! The kernel of CPUs with AVX-512 as of Ice Lake and Zen 4: a block is one register.
#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports, reason = "every intrinsic is named by its instruction set")]

use super::planes::{Plane, Planes};
use super::{Block, Loops, MOST_BLOCKS, MOST_PACKED, MOST_RECORDS, SLOTS, SUMS, Survivors, Vector};
use crate::engine::kernel::Avx512 as Token;
use crate::engine::registers::{TO_FRONT, binary_methods, in_registers};
use std::arch::x86_64::*;

impl Loops for Token {
    const PACKED_LIMIT: usize = MOST_PACKED;
    const SHARES: bool = true;
    const LANE: usize = SLOTS;
    /// Compared with 4 blocks, units of N = 22 and 24 take 0.97 of the time. With 8 blocks, some units of N = 26 take
    /// 0.95 to 1.02 of it (Zen 5).
    const BLOCKS: usize = MOST_BLOCKS;
    /// At this value, units of N = 22 and 25 took about as long in both ways.
    const ONE_BY_ONE: f64 = 0.38;
    type Vector = Zmm;
}

/// A block in a register.
#[derive(Clone, Copy, Debug)]
pub struct Zmm(__m512i);

impl Vector for Zmm {
    type Token = Token;
    type Products = Zmm;

    const ROOM: usize = MOST_RECORDS;

    #[inline(always)]
    fn fetch(from: *const Block) {
        // SAFETY: every CPU of x86-64 has the instruction, which is a hint and reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) }
    }

    #[inline(always)]
    fn load(_: Token, from: &Block) -> Self {
        // SAFETY: the token proves the instruction; a block has 64 bytes and is aligned to 64.
        Self(unsafe { _mm512_load_si512(std::ptr::from_ref(from).cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut Block) {
        // SAFETY: `self` proves the instruction; a block has 64 bytes and is aligned to 64.
        unsafe { _mm512_store_si512(std::ptr::from_mut(to).cast(), self.0) }
    }

    binary_methods! {
        and: _mm512_and_si512,
        add_bytes: _mm512_add_epi8,
        add_bytes_saturating: _mm512_adds_epu8,
    }

    #[inline(always)]
    fn gather<const C: usize>(rows: [Self; C], from: Self) -> Self {
        let mut bytes = in_registers!(_mm512_permutexvar_epi8(from.0, rows[0].0));
        if let Some(second) = rows.get(1) {
            let is_second = in_registers!(_mm512_test_epi8_mask(from.0, in_registers!(_mm512_set1_epi8(SLOTS as i8))));
            bytes = in_registers!(_mm512_mask_permutexvar_epi8(bytes, is_second, from.0, second.0));
        }
        Self(bytes)
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        Self(in_registers!(_mm512_popcnt_epi8(self.0)))
    }

    #[inline(always)]
    fn nonzero_words(self) -> u8 {
        in_registers!(_mm512_test_epi64_mask(self.0, self.0))
    }

    #[inline(always)]
    fn no_products(_: Token) -> Zmm {
        Self(in_registers!(_mm512_setzero_si512()))
    }

    #[inline(always)]
    fn add_products(self, counts: Self, products: Zmm) -> Zmm {
        Self(in_registers!(_mm512_dpbusd_epi32(products.0, self.0, counts.0)))
    }

    #[inline(always)]
    fn sum_up(products: Zmm, sums: &mut [i32; SUMS]) {
        // SAFETY: the products prove the instructions; sixteen numbers of 32 bits are 64 bytes, which need no alignment
        // here.
        unsafe {
            let sum = _mm512_add_epi32(_mm512_loadu_si512(sums.as_ptr().cast()), products.0);
            _mm512_storeu_si512(sums.as_mut_ptr().cast(), sum);
        }
    }

    #[inline(always)]
    fn keep(_: Token, masks: &[u64; 8], diagonals: u64, to: &mut [u64; 8]) -> u8 {
        // SAFETY: the token proves the instructions. Eight placements are read and written, and each entry of `TO_FRONT`
        // has eight bytes.
        unsafe {
            let masks = _mm512_loadu_si512(masks.as_ptr().cast());
            let keep = _mm512_testn_epi64_mask(masks, _mm512_set1_epi64(diagonals.cast_signed()));
            let order = _mm512_cvtepu8_epi64(_mm_loadl_epi64(TO_FRONT[usize::from(keep)].as_ptr().cast()));
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_permutexvar_epi64(order, masks));
            keep
        }
    }

    /// Slices one slot at a time.
    #[inline(always)]
    fn slice(token: Token, survivors: &[Survivors], planes: &Planes, plane: Plane, bits: &mut [Block; 64]) {
        // Word j gets byte j of eight diagonal masks, that of the last mask in its lowest bits.
        const BY_BYTE: Block = by_byte(true);
        // Byte i has bit i.
        const IDENTITY: i64 = i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]);
        let mut by_slot = [Block::ZERO; 64];
        for (slot, block) in by_slot.iter_mut().enumerate() {
            let (masks, count) = planes.at(survivors, slot, plane);
            // SAFETY: the token proves the instructions; eight numbers of 64 bits are read.
            unsafe {
                let filled = ((1_u32 << count) - 1) as u8;
                let masks = _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), filled, masks.as_ptr().cast());
                let bytes = _mm512_permutexvar_epi8(Zmm::load(token, &BY_BYTE).0, masks);
                // Row b of the matrix times the column with bit i alone is bit i of row b.
                let transposed = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(IDENTITY), bytes);
                Zmm(transposed).store(block);
            }
        }
        Self::transpose(token, &by_slot, bits);
    }

    /// Transposes the words of eight rows, the bytes of words, then the words of eight times eight rows.
    #[inline(always)]
    fn transpose(token: Token, from: &[Block; 64], to: &mut [Block; 64]) {
        // Byte j of word i becomes byte i of word j.
        const SWAP: Block = by_byte(false);
        let mut words = [Block::ZERO; 64];
        for (eight, rows) in from.as_chunks::<8>().0.iter().enumerate() {
            for (word, row) in transpose_words(token, rows).into_iter().enumerate() {
                let bytes = in_registers!(_mm512_permutexvar_epi8(Zmm::load(token, &SWAP).0, row.0));
                Zmm(bytes).store(&mut words[8 * word + eight]);
            }
        }
        for (eight, words) in words.as_chunks::<8>().0.iter().enumerate() {
            for (row, words) in transpose_words(token, words).into_iter().enumerate() {
                words.store(&mut to[8 * eight + row]);
            }
        }
    }
}

/// Returns where the bytes of a block come from if word *j* gets byte *j* of each word, in the order of the words or with
/// that of the last word first.
const fn by_byte(last_first: bool) -> Block {
    let mut from = [0; 64];
    let mut to = 0;
    while to < 64 {
        let word = if last_first { 7 - to % 8 } else { to % 8 };
        from[to] = (8 * word + to / 8) as u8;
        to += 1;
    }
    Block(from)
}

/// Word *i* of block *j* becomes word *j* of block *i*.
#[inline(always)]
fn transpose_words(token: Token, from: &[Block; 8]) -> [Zmm; 8] {
    let [a, b, c, d, e, f, g, h] = from.each_ref();
    let [ab, cd, ef, gh] =
        [interleave(token, a, b), interleave(token, c, d), interleave(token, e, f), interleave(token, g, h)];
    let [w0, w2, w4, w6] = transpose_quarters([ab[0], cd[0], ef[0], gh[0]]);
    let [w1, w3, w5, w7] = transpose_quarters([ab[1], cd[1], ef[1], gh[1]]);
    [w0, w1, w2, w3, w4, w5, w6, w7]
}

/// Returns the even words of two blocks in turns, and the odd words.
#[inline(always)]
fn interleave(token: Token, a: &Block, b: &Block) -> [Zmm; 2] {
    let (a, b) = (Zmm::load(token, a).0, Zmm::load(token, b).0);
    [Zmm(in_registers!(_mm512_unpacklo_epi64(a, b))), Zmm(in_registers!(_mm512_unpackhi_epi64(a, b)))]
}

/// Quarter *i* of vector *j* becomes quarter *j* of vector *i*.
#[inline(always)]
fn transpose_quarters([a, b, c, d]: [Zmm; 4]) -> [Zmm; 4] {
    let even = [even_quarters(a, b), even_quarters(c, d)];
    let odd = [odd_quarters(a, b), odd_quarters(c, d)];
    [
        even_quarters(even[0], even[1]),
        even_quarters(odd[0], odd[1]),
        odd_quarters(even[0], even[1]),
        odd_quarters(odd[0], odd[1]),
    ]
}

/// Returns the even quarters of a vector, then those of another one.
#[inline(always)]
fn even_quarters(a: Zmm, b: Zmm) -> Zmm {
    Zmm(in_registers!(_mm512_shuffle_i64x2::<0b10_00_10_00>(a.0, b.0)))
}

/// Returns the odd quarters of a vector, then those of another one.
#[inline(always)]
fn odd_quarters(a: Zmm, b: Zmm) -> Zmm {
    Zmm(in_registers!(_mm512_shuffle_i64x2::<0b11_01_11_01>(a.0, b.0)))
}
