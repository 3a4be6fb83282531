//! The vectors of ARM64 CPUs: 8 lanes of 16 bits, or 4 of 32. Lanes are packed and spread as bytes; tables say how.

// A vector operation is fast only if it is inlined into a function that is compiled for its instruction set.
#![allow(unsafe_code, clippy::inline_always)]
#![allow(clippy::wildcard_imports, reason = "every intrinsic is named by its instruction set")]

use super::Vectors;
use super::lanes::Lanes;
use crate::engine::kernel::Neon;
use crate::engine::registers::{binary_methods, in_registers, permutations};
use std::arch::aarch64::*;
use std::ops::BitAnd;

/// A set of lanes of a register: all bits of a lane are set if the set contains the lane.
#[derive(Clone, Copy)]
pub(super) struct Mask<R>(R);

macro_rules! lanes {
    (
        $(#[$doc:meta])*
        $name:ident: $lanes:literal lanes of $word:ty = $register:ty,
        from_bytes: $from_bytes:ident,
        to_bytes: $to_bytes:ident,
        and: $and:ident,
        or: $or:ident,
        xor: $xor:ident,
        not: $not:ident,
        sub: $sub:ident,
        splat: $splat:ident,
        up: $up:ident,
        down: $down:ident,
        min: $min:ident,
        test: $test:ident,
        is_zero: $is_zero:ident,
        sum: $sum:ident,
        select: $select:ident,
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name($register);

        impl BitAnd for Mask<$register> {
            type Output = Self;

            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(in_registers!($and(self.0, other.0)))
            }
        }

        impl $name {
            const TO_FRONT: &[[u8; 16]; 1 << $lanes] = &permutations(size_of::<$word>(), false);
            const SPREAD: &[[u8; 16]; 1 << $lanes] = &permutations(size_of::<$word>(), true);

            /// One sum that holds the lanes of a mask as bits and, above these, the number of lanes.
            #[inline(always)]
            fn bits_and_count(mask: Mask<$register>) -> usize {
                const LANE_BITS: [$word; $lanes] = {
                    let mut words = [0; $lanes];
                    let mut lane = 0;
                    while lane < $lanes {
                        words[lane] = 1 << $lanes | 1 << lane;
                        lane += 1;
                    }
                    words
                };
                // SAFETY: the mask proves the instructions, and the words are a register.
                let lane_bits = unsafe { LANE_BITS.as_ptr().cast::<$register>().read_unaligned() };
                in_registers!($sum(in_registers!($and(mask.0, lane_bits)))) as usize
            }

            /// Returns the entry of a table for a mask.
            #[inline(always)]
            fn entry(table: &'static [[u8; 16]; 1 << $lanes], mask: Mask<$register>) -> uint8x16_t {
                let entry = &table[Self::bits_and_count(mask) % (1 << $lanes)];
                // SAFETY: the mask proves the instructions, and an entry has the 16 bytes that are read.
                unsafe { vld1q_u8(entry.as_ptr()) }
            }
        }

        // SAFETY: a register is its lanes, memory is accessed as the trait says, and a mask has only the bits of its
        // lanes.
        unsafe impl Lanes for $name {
            type Token = Neon;
            type Word = $word;
            type Mask = Mask<$register>;
            const LANES: usize = $lanes;

            binary_methods! {
                and: $and,
                or: $or,
                xor: $xor,
                min: $min,
            }

            #[inline(always)]
            fn splat(_: Neon, word: $word) -> Self {
                Self(in_registers!($splat(word)))
            }

            #[inline(always)]
            fn not(self) -> Self {
                Self(in_registers!($not(self.0)))
            }

            #[inline(always)]
            fn lowest(self) -> Self {
                let negative = in_registers!($sub(in_registers!($splat(0)), self.0));
                Self(in_registers!($and(self.0, negative)))
            }

            #[inline(always)]
            fn up<const COLUMNS: i32>(self) -> Self {
                Self(in_registers!($up::<COLUMNS>(self.0)))
            }

            #[inline(always)]
            fn down<const COLUMNS: i32>(self) -> Self {
                Self(in_registers!($down::<COLUMNS>(self.0)))
            }

            #[inline(always)]
            fn meets(self, other: Self) -> Mask<$register> {
                Mask(in_registers!($test(self.0, other.0)))
            }

            #[inline(always)]
            fn is_zero(self) -> Mask<$register> {
                Mask(in_registers!($is_zero(self.0)))
            }

            #[inline(always)]
            fn count(mask: Mask<$register>) -> usize {
                Self::bits_and_count(mask) >> $lanes
            }

            #[inline(always)]
            unsafe fn compress(self, mask: Mask<$register>, to: *mut $word) {
                let bytes = Self::entry(Self::TO_FRONT, mask);
                let packed = in_registers!(vqtbl1q_u8(in_registers!($to_bytes(self.0)), bytes));
                let packed = Self(in_registers!($from_bytes(packed)));
                // SAFETY: the caller says that a vector can be written.
                unsafe { packed.store(to) }
            }

            #[inline(always)]
            unsafe fn expand(self, mask: Mask<$register>, from: *const $word) -> Self {
                let bytes = Self::entry(Self::SPREAD, mask);
                // SAFETY: `self` proves the instructions, and the caller says that a vector can be read.
                let words = unsafe { from.cast::<uint8x16_t>().read_unaligned() };
                let spread = in_registers!(vqtbx1q_u8(in_registers!($to_bytes(self.0)), words, bytes));
                Self(in_registers!($from_bytes(spread)))
            }

            #[inline(always)]
            fn blend(self, mask: Mask<$register>, other: Self) -> Self {
                Self(in_registers!($select(mask.0, other.0, self.0)))
            }
        }
    };
}

lanes! {
    /// 8 lanes of 16 bits.
    Narrow: 8 lanes of u16 = uint16x8_t,
    from_bytes: vreinterpretq_u16_u8,
    to_bytes: vreinterpretq_u8_u16,
    and: vandq_u16,
    or: vorrq_u16,
    xor: veorq_u16,
    not: vmvnq_u16,
    sub: vsubq_u16,
    splat: vdupq_n_u16,
    up: vshlq_n_u16,
    down: vshrq_n_u16,
    min: vminq_u16,
    test: vtstq_u16,
    is_zero: vceqzq_u16,
    sum: vaddvq_u16,
    select: vbslq_u16,
}
lanes! {
    /// 4 lanes of 32 bits.
    Wide: 4 lanes of u32 = uint32x4_t,
    from_bytes: vreinterpretq_u32_u8,
    to_bytes: vreinterpretq_u8_u32,
    and: vandq_u32,
    or: vorrq_u32,
    xor: veorq_u32,
    not: vmvnq_u32,
    sub: vsubq_u32,
    splat: vdupq_n_u32,
    up: vshlq_n_u32,
    down: vshrq_n_u32,
    min: vminq_u32,
    test: vtstq_u32,
    is_zero: vceqzq_u32,
    sum: vaddvq_u32,
    select: vbslq_u32,
}

impl Vectors for Neon {
    type Narrow = Narrow;
    type Wide = Wide;
}
