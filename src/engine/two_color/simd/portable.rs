//! The kernel of every CPU: plain code that the compiler vectorizes as far as it can.

use super::{Block, Loops, SUMS, Vector};
use crate::engine::kernel::Portable;

impl Loops for Portable {
    const PACKED_LIMIT: usize = 0;
    /// This is the value of AVX2.
    const ONE_BY_ONE: f64 = 0.6;
    type Vector = Bytes;
}

#[derive(Clone, Copy, Debug)]
pub struct Bytes([u8; 64]);

impl Bytes {
    /// Returns neighbouring bytes as one number.
    #[inline(always)]
    fn pairs(self) -> [u16; 32] {
        let mut pairs = [0; 32];
        for i in 0..32 {
            pairs[i] = u16::from_le_bytes([self.0[2 * i], self.0[2 * i + 1]]);
        }
        pairs
    }

    #[inline(always)]
    fn combine(self, other: Self, with: impl Fn(u8, u8) -> u8) -> Self {
        let mut combined = [0; 64];
        for byte in 0..64 {
            combined[byte] = with(self.0[byte], other.0[byte]);
        }
        Self(combined)
    }
}

impl Vector for Bytes {
    type Token = Portable;
    type Products = [u16; 32];

    /// A sum of 16 bits takes two neighbours, each at most 255 times a count of at most 8 for each plane.
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
        // These are words of 64 bits, because the compiler takes bytes one by one if results are stored at once.
        let mut bytes = self.0;
        let (words, other) = (bytes.as_chunks_mut::<8>().0, other.0.as_chunks::<8>().0);
        for word in 0..8 {
            words[word] = (u64::from_le_bytes(words[word]) & u64::from_le_bytes(other[word])).to_le_bytes();
        }
        Self(bytes)
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
    fn sum_up(products: [u16; 32], sums: &mut [i32; SUMS]) {
        for sum in 0..SUMS {
            sums[sum] += i32::from(products[2 * sum]) + i32::from(products[2 * sum + 1]);
        }
    }
}
