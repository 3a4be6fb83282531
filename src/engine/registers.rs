//! Code that the kernels for instruction sets share.

/// Evaluates intrinsics that work on registers alone.
macro_rules! in_registers {
    ($intrinsics:expr) => {
        // SAFETY: the operands exist only if a token proved that the CPU has the instructions, and no memory is
        // accessed.
        unsafe { $intrinsics }
    };
}
pub(crate) use in_registers;

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
pub(crate) static PACKED: [[u8; 8]; 256] = permutations(1, false);

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
