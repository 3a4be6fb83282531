//! The kernel of every CPU: plain code that the compiler makes vectors of as far as it can.

use super::super::probe_side::ProbeRecord;
use super::generic::{self, Vector};
use super::{Block, Kernel, ProbeSquare, Strip, StripMut, Survivors, Tables};
use crate::engine::kernel::Portable;

impl Kernel for Portable {
    fn scatter(self, tables: &Tables, records: &[ProbeRecord], strip: StripMut) {
        generic::scatter::<Bytes>(self, tables, records, strip);
    }

    fn dot(self, tables: &Tables, records: &[ProbeRecord], strip: Strip, sums: &mut [[i32; 16]]) {
        generic::dot::<Bytes>(self, tables, records, strip, sums);
    }

    fn filter(self, parent: &Survivors, diagonals: u64, child: &mut Survivors) {
        generic::filter(parent, diagonals, child);
    }

    fn slice(self, survivors: &Survivors, plane: usize, bits: &mut [Block; 64]) {
        generic::slice(survivors, plane, bits);
    }

    fn unattacked(self, bits: &[[Block; 64]], squares: &[ProbeSquare], table: &mut [Block]) {
        generic::unattacked::<Bytes>(self, bits, squares, table);
    }

    fn pair_table(self, squares: &[Block], blocks: usize, rows: [usize; 2], columns: usize, table: &mut [Block]) {
        generic::pair_table::<Bytes>(self, squares, blocks, rows, columns, table);
    }

    fn transpose(self, from: &[Block; 64], to: &mut [Block; 64]) {
        generic::transpose(from, to);
    }
}

#[derive(Clone, Copy)]
struct Bytes([u8; 64]);

impl Bytes {
    #[inline(always)]
    fn halves(self) -> [u16; 32] {
        std::array::from_fn(|i| u16::from_le_bytes([self.0[2 * i], self.0[2 * i + 1]]))
    }

    #[inline(always)]
    fn combine(self, other: Self, with: impl Fn(u8, u8) -> u8) -> Self {
        Self(std::array::from_fn(|i| with(self.0[i], other.0[i])))
    }
}

impl Vector for Bytes {
    type Token = Portable;
    type Sums = [i32; 16];

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
        self.combine(other, |a, b| a & b)
    }

    #[inline(always)]
    fn nor(self, other: Self) -> Self {
        self.combine(other, |a, b| !(a | b))
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        // In words of 64 bits, eight bytes at a time (H. S. Warren, Hacker's Delight, 5-1).
        let mut counts = [0; 64];
        for (bytes, counts) in self.0.as_chunks::<8>().0.iter().zip(counts.as_chunks_mut::<8>().0) {
            let x = u64::from_le_bytes(*bytes);
            let x = x - (x >> 1 & 0x5555_5555_5555_5555);
            let x = (x & 0x3333_3333_3333_3333) + (x >> 2 & 0x3333_3333_3333_3333);
            *counts = ((x + (x >> 4)) & 0x0F0F_0F0F_0F0F_0F0F).to_le_bytes();
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
    fn no_sums(_: Portable) -> [i32; 16] {
        [0; 16]
    }

    #[inline(always)]
    fn add_products(self, counts: Self, mut sums: [i32; 16]) -> [i32; 16] {
        // Two neighbours at a time, in 16 bits, which two products of at most 255 · 8 · 4 fit; most instruction sets
        // multiply those.
        let (bytes, counts) = (self.halves(), counts.halves());
        let of_two: [u16; 32] = std::array::from_fn(|i| {
            let (bytes, counts) = (bytes[i], counts[i]);
            (bytes & 0xff) * (counts & 0xff) + (bytes >> 8) * (counts >> 8)
        });
        for (sum, of_two) in sums.iter_mut().zip(of_two.as_chunks::<2>().0) {
            *sum += i32::from(of_two[0]) + i32::from(of_two[1]);
        }
        sums
    }

    #[inline(always)]
    fn add_sums(sums: [i32; 16], to: &mut [i32; 16]) {
        for (to, sum) in to.iter_mut().zip(sums) {
            *to += sum;
        }
    }
}
