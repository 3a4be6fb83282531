//! Code that the kernels for instruction sets share.

#[cfg(target_arch = "aarch64")]
pub(crate) use std::arch::aarch64::{self as intrinsics, uint8x8_t, uint8x16_t, uint16x8_t, uint32x4_t};
#[cfg(target_arch = "x86_64")]
pub(crate) use std::arch::x86_64::{self as intrinsics, __m128i, __m256, __m256d, __m256i, __m512i};

/// Calls an intrinsic that works on registers alone: none of its operands may be an address. They are evaluated in safe
/// code, one after another; each `operand` is a variable of its own.
macro_rules! in_registers {
    ($intrinsic:ident $(::<$constant:tt>)? ($($operand:expr),* $(,)?)) => {
        in_registers!(@ [$intrinsic $(::<$constant>)?] [] $($operand,)*)
    };
    (@ $intrinsic:tt [$($ready:ident)*] $operand:expr, $($rest:tt)*) => {{
        let operand = $crate::engine::registers::Operand::operand($operand);
        in_registers!(@ $intrinsic [$($ready)* operand] $($rest)*)
    }};
    (@ [$($intrinsic:tt)*] [$($ready:ident)*]) => {
        // SAFETY: a token proved that the CPU has the instructions before a vector or a mask existed, and functions
        // that have none take the token. No operand says where memory is.
        unsafe { $crate::engine::registers::intrinsics::$($intrinsic)*($($ready),*) }
    };
}
pub(crate) use in_registers;

/// A register, a mask or a number, but no address.
pub(crate) trait Operand: Copy {
    #[allow(clippy::inline_always, reason = "a register is passed on")]
    #[inline(always)]
    fn operand(self) -> Self {
        self
    }
}

macro_rules! operands {
    ($($operand:ident)*) => { $(impl Operand for $operand {})* };
}
operands!(i8 i16 i32 u8 u16 u32 u64);
#[cfg(target_arch = "x86_64")]
operands!(__m128i __m256 __m256d __m256i __m512i);
#[cfg(target_arch = "aarch64")]
operands!(uint8x8_t uint8x16_t uint16x8_t uint32x4_t);

/// Byte-shuffle tables: for each set of lanes of `bytes` bytes, indexes that move these lanes to the front or, with
/// `spread`, back into place. All other indexes lie beyond any register.
pub(crate) const fn permutations<const SETS: usize, const WIDTH: usize>(
    bytes: usize,
    spread: bool,
) -> [[u8; WIDTH]; SETS] {
    let mut table = [[u8::MAX; WIDTH]; SETS];
    let mut set = 0;
    while set < SETS {
        let (mut lane, mut before) = (0, 0);
        while lane < WIDTH / bytes {
            if set >> lane & 1 == 1 {
                let (to, from) = if spread { (lane, before) } else { (before, lane) };
                let mut byte = 0;
                while byte < bytes {
                    table[set][to * bytes + byte] = (from * bytes + byte) as u8;
                    byte += 1;
                }
                before += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
}

/// For each set of eight lanes, a permutation that moves these lanes to the front. The CPU takes indexes modulo 8, so
/// that the other lanes mean nothing.
#[cfg(target_arch = "x86_64")]
pub(crate) static TO_FRONT: [[u8; 8]; 256] = permutations(1, false);

/// Declares methods of two vectors that are an intrinsic each.
macro_rules! binary_methods {
    ($($method:ident: $intrinsic:ident,)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Self(in_registers!($intrinsic(self.0, other.0)))
        }
    )*};
}
pub(crate) use binary_methods;
