//! The kernel of ARM64 CPUs: a block is four registers.
#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports, reason = "every intrinsic is named by its instruction set")]

use super::{Block, LANE, Loops, SUMS, Vector};
use crate::engine::kernel::Neon as Token;
use crate::engine::registers::in_registers;
use std::arch::aarch64::*;
use std::arch::asm;

impl Loops for Token {
    /// This is the value of AVX2, which has a shuffle of the same kind.
    const PACKED_LIMIT: usize = 1;
    /// This is the value of AVX2.
    const ONE_BY_ONE: f64 = 0.6;
    type Vector = Quarters;
}

/// The number of registers of a block.
const QUARTERS: usize = 4;

/// The quarters of a block.
#[derive(Clone, Copy, Debug)]
pub struct Quarters([uint8x16_t; QUARTERS]);

/// Declares methods of two blocks that apply one intrinsic to each quarter.
macro_rules! for_quarters {
    ($($method:ident: $intrinsic:ident,)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            let mut quarters = self.0;
            for quarter in 0..QUARTERS {
                quarters[quarter] = in_registers!($intrinsic(quarters[quarter], other.0[quarter]));
            }
            Self(quarters)
        }
    )*};
}

impl Vector for Quarters {
    type Token = Token;
    /// Each register has the products of eight neighbours.
    type Products = [uint16x8_t; 2 * QUARTERS];

    /// A sum of 16 bits takes one byte, at most 255 times a count of at most 8 for each plane.
    const ROOM: usize = u16::MAX as usize / (255 * 8);
    const CHAINS: usize = 1;

    #[inline(always)]
    fn fetch(from: *const Block) {
        // SAFETY: every CPU of ARM64 has the instruction, which is a hint and reads nothing.
        unsafe { asm!("prfm pldl1keep, [{0}]", in(reg) from, options(nostack, preserves_flags, readonly)) }
    }

    #[inline(always)]
    fn load(_: Token, from: &Block) -> Self {
        // SAFETY: the token proves the instructions; a block is as large as four registers, and aligned to 64.
        Self(unsafe { std::ptr::from_ref(from).cast::<[uint8x16_t; QUARTERS]>().read() })
    }

    #[inline(always)]
    fn store(self, to: &mut Block) {
        // SAFETY: `self` proves the instructions; a block is as large as four registers, and aligned to 64.
        unsafe { std::ptr::from_mut(to).cast::<[uint8x16_t; QUARTERS]>().write(self.0) }
    }

    for_quarters! {
        and: vandq_u8,
        add_bytes: vaddq_u8,
        add_bytes_saturating: vqaddq_u8,
    }

    /// Only the first row is read, because chunks share no plane.
    #[inline(always)]
    fn gather<const C: usize>(rows: [Self; C], from: Self) -> Self {
        let mut bytes = rows[0].0;
        for quarter in 0..QUARTERS {
            let from = in_registers!(vandq_u8(from.0[quarter], in_registers!(vdupq_n_u8(LANE as u8 - 1))));
            bytes[quarter] = in_registers!(vqtbl1q_u8(bytes[quarter], from));
        }
        Self(bytes)
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        let mut quarters = self.0;
        for quarter in 0..QUARTERS {
            quarters[quarter] = in_registers!(vcntq_u8(quarters[quarter]));
        }
        Self(quarters)
    }

    #[inline(always)]
    fn nonzero_words(self) -> u8 {
        const WORDS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
        let [a, b, c, d] = self.0;
        // SAFETY: the eight words of the array are read; every ARM64 CPU has NEON.
        let places = unsafe { vld1q_u16(WORDS.as_ptr()) };
        // The largest part of a word is 0 only if the word is 0.
        let words = in_registers!(vpmaxq_u16(largest_parts(a, b), largest_parts(c, d)));
        let nonzero = in_registers!(vtstq_u16(words, words));
        in_registers!(vaddvq_u16(in_registers!(vandq_u16(nonzero, places)))) as u8
    }

    #[inline(always)]
    fn no_products(_: Token) -> Self::Products {
        [in_registers!(vdupq_n_u16(0)); _]
    }

    #[inline(always)]
    fn add_products(self, counts: Self, mut products: Self::Products) -> Self::Products {
        for quarter in 0..QUARTERS {
            let (bytes, counts) = (self.0[quarter], counts.0[quarter]);
            let [low, high] = [products[2 * quarter], products[2 * quarter + 1]];
            products[2 * quarter] =
                in_registers!(vmlal_u8(low, in_registers!(vget_low_u8(bytes)), in_registers!(vget_low_u8(counts))));
            products[2 * quarter + 1] = in_registers!(vmlal_high_u8(high, bytes, counts));
        }
        products
    }

    #[inline(always)]
    fn sum_up(products: Self::Products, sums: &mut [i32; SUMS]) {
        for quarter in 0..QUARTERS {
            let sums: *mut u32 = sums[4 * quarter..][..4].as_mut_ptr().cast();
            // SAFETY: the products prove the instructions; four numbers of 32 bits are read and written.
            unsafe {
                let [low, high] = [vpaddlq_u16(products[2 * quarter]), vpaddlq_u16(products[2 * quarter + 1])];
                vst1q_u32(sums, vaddq_u32(vld1q_u32(sums), vpaddq_u32(low, high)));
            }
        }
    }
}

/// Returns the larger half of each word of two registers.
#[inline(always)]
fn largest_parts(a: uint8x16_t, b: uint8x16_t) -> uint16x8_t {
    let [a, b] = [in_registers!(vreinterpretq_u32_u8(a)), in_registers!(vreinterpretq_u32_u8(b))];
    in_registers!(vreinterpretq_u16_u32(in_registers!(vpmaxq_u32(a, b))))
}
