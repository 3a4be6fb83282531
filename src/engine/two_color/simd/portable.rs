//! The kernel of every CPU: plain code that the compiler makes vectors of as far as it can.

use super::super::planes::{Plane, Planes};
use super::{Block, FULL, Loops, SLOTS, Survivors, Vector};
use crate::engine::kernel::Portable;

impl Loops for Portable {
    const PACKED: usize = 0;
    /// As with AVX2.
    const ONE_BY_ONE: f64 = 0.6;
    type Vector = Bytes;
}

#[derive(Clone, Copy, Debug)]
pub struct Bytes([u8; 64]);

impl Bytes {
    /// Neighbouring bytes together.
    #[inline(always)]
    fn pairs(self) -> [u16; 32] {
        let mut pairs = [0; 32];
        for (pair, bytes) in pairs.iter_mut().zip(self.0.as_chunks::<2>().0) {
            *pair = u16::from_le_bytes(*bytes);
        }
        pairs
    }

    /// Combines words of 64 bits: where results are stored at once, the compiler takes single bytes one by one.
    #[inline(always)]
    fn combine_words(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        let mut bytes = self.0;
        for (to, other) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(other.0.as_chunks::<8>().0) {
            *to = with(u64::from_le_bytes(*to), u64::from_le_bytes(*other)).to_le_bytes();
        }
        Self(bytes)
    }

    #[inline(always)]
    fn combine(self, other: Self, with: impl Fn(u8, u8) -> u8) -> Self {
        let mut combined = [0; 64];
        for ((combined, a), b) in combined.iter_mut().zip(self.0).zip(other.0) {
            *combined = with(a, b);
        }
        Self(combined)
    }
}

impl Vector for Bytes {
    type Token = Portable;
    type Products = [u16; 32];
    type Sums = [i32; 32];

    /// Two neighbours to 16 bits, each at most 255 times a count of at most 8 a plane.
    const ROOM: usize = u16::MAX as usize / (2 * 255 * 8);
    const CHAINS: usize = 1;

    #[inline(always)]
    fn load(_: Portable, from: &Block) -> Self {
        Self(from.0)
    }

    #[inline(always)]
    fn store(self, to: &mut Block) {
        to.0 = self.0;
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.combine_words(other, |a, b| a & b)
    }

    #[inline(always)]
    fn nor(self, other: Self) -> Self {
        self.combine_words(other, |a, b| !(a | b))
    }

    #[inline(always)]
    fn gather<const C: usize>(_: [Self; C], _: Self) -> Self {
        unreachable!("this kernel packs nothing")
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        let mut counts = self.0;
        for byte in &mut counts {
            *byte = byte.count_ones() as u8;
        }
        Self(counts)
    }

    #[inline(always)]
    fn add_bytes(self, other: Self) -> Self {
        self.combine(other, u8::wrapping_add)
    }

    #[inline(always)]
    fn add_bytes_saturating(self, other: Self) -> Self {
        self.combine(other, u8::saturating_add)
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        self.0.iter().fold(0, |all, byte| all | byte) > FULL
    }

    #[inline(always)]
    fn nonzero_words(self) -> u8 {
        let words = self.0.as_chunks::<8>().0.iter().enumerate();
        words.fold(0, |bits, (word, bytes)| bits | u8::from(u64::from_le_bytes(*bytes) != 0) << word)
    }

    #[inline(always)]
    fn no_products(_: Portable) -> [u16; 32] {
        [0; 32]
    }

    #[inline(always)]
    fn add_products(self, counts: Self, mut products: [u16; 32]) -> [u16; 32] {
        let (bytes, counts) = (self.pairs(), counts.pairs());
        for i in 0..32 {
            products[i] += (bytes[i] & 0xff) * (counts[i] & 0xff) + (bytes[i] >> 8) * (counts[i] >> 8);
        }
        products
    }

    #[inline(always)]
    fn no_sums(_: Portable) -> [i32; 32] {
        [0; 32]
    }

    #[inline(always)]
    fn sum_up(products: [u16; 32], mut sums: [i32; 32]) -> [i32; 32] {
        for i in 0..32 {
            sums[i] += i32::from(products[i]);
        }
        sums
    }

    #[inline(always)]
    fn add_sums(sums: [i32; 32], to: &mut [i32; 16]) {
        for (to, [a, b]) in to.iter_mut().zip(sums.as_chunks::<2>().0) {
            *to += a + b;
        }
    }

    #[inline(always)]
    fn filter(_: Portable, parent: &Survivors, diagonals: u64, child: &mut Survivors) {
        filter(parent, diagonals, child);
    }

    #[inline(always)]
    fn slice(_: Portable, survivors: &[Survivors], planes: &Planes, plane: Plane, bits: &mut [Block; 64]) {
        slice(survivors, planes, plane, bits);
    }

    #[inline(always)]
    fn transpose(_: Portable, from: &[Block; 64], to: &mut [Block; 64]) {
        transpose(from, to);
    }
}

/// A placement at a time.
#[inline(always)]
pub(super) fn filter(parent: &Survivors, diagonals: u64, child: &mut Survivors) {
    child.reserve(parent.len());
    let mut end = 0;
    for slot in 0..SLOTS {
        child.starts[slot] = end as u32;
        for &placement in &parent.placements[parent.starts[slot] as usize..parent.starts[slot + 1] as usize] {
            child.placements[end] = placement;
            end += usize::from(placement & diagonals == 0);
        }
    }
    child.starts[SLOTS] = end as u32;
}

/// Eight square matrices of bits side by side, one for every eight slots.
#[inline(always)]
pub(super) fn slice(survivors: &[Survivors], planes: &Planes, plane: Plane, bits: &mut [Block; 64]) {
    // By slot of the eight and place: the masks. Then bit by bit of a byte, and byte by byte.
    let mut rows = [[[0; 8]; 8]; 8];
    for slot in 0..SLOTS {
        let (masks, count) = planes.at(survivors, slot, plane);
        for place in 0..8 {
            rows[slot % 8][place][slot / 8] = if place < count { masks[place] } else { u64::MAX };
        }
    }
    for places in &mut rows {
        transpose_words::<1>(places);
    }
    for bit in 0..8 {
        let mut bytes = [[0; 8]; 8];
        for (slot, bytes) in bytes.iter_mut().enumerate() {
            *bytes = rows[slot][bit];
        }
        transpose_words::<8>(&mut bytes);
        for (byte, words) in bytes.into_iter().enumerate() {
            for (to, word) in bits[8 * byte + bit].0.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *to = word.to_le_bytes();
            }
        }
    }
}

/// Eight by eight bytes at a time.
#[inline(always)]
pub(super) fn transpose(from: &[Block; 64], to: &mut [Block; 64]) {
    for (eight, rows) in from.as_chunks::<8>().0.iter().enumerate() {
        let mut words = [[0; 8]; 8];
        for (words, row) in words.iter_mut().zip(rows) {
            for (word, bytes) in words.iter_mut().zip(row.0.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
        transpose_words::<8>(&mut words);
        for (byte, words) in words.into_iter().enumerate() {
            for (word, bytes) in words.into_iter().enumerate() {
                to[8 * word + byte].0.as_chunks_mut::<8>().0[eight] = bytes.to_le_bytes();
            }
        }
    }
}

/// Eight words of 64 bits, as wide as a block.
type Words = [u64; 8];

/// Transposes eight square matrices side by side, each of a word of every row: entries have `BITS` bits, and each
/// matrix is of the entries that are as far from the start of their bytes or words (H. S. Warren, *Hacker's Delight*,
/// 7-3).
#[inline(always)]
fn transpose_words<const BITS: u32>(rows: &mut [Words; 8]) {
    for word in 0..8 {
        let mut column = [0; 8];
        for (row, column) in rows.iter().zip(&mut column) {
            *column = row[word];
        }
        exchange::<4>(&mut column, 4 * BITS);
        exchange::<2>(&mut column, 2 * BITS);
        exchange::<1>(&mut column, BITS);
        for (row, column) in rows.iter_mut().zip(column) {
            row[word] = column;
        }
    }
}

/// Exchanges bits of rows that are `DISTANCE` apart: those in the upper half of every two `bits` of the first, and
/// those in the lower half of the second.
#[inline(always)]
fn exchange<const DISTANCE: usize>(rows: &mut [u64; 8], bits: u32) {
    let lower = u64::MAX / ((1 << bits) + 1);
    for first in 0..8 {
        if first & DISTANCE == 0 {
            let swapped = (rows[first] >> bits ^ rows[first + DISTANCE]) & lower;
            rows[first] ^= swapped << bits;
            rows[first + DISTANCE] ^= swapped;
        }
    }
}
