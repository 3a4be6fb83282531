//! Code that the kernels for the instruction sets of x86-64 share.

/// Evaluates intrinsics that work on registers alone.
macro_rules! in_registers {
    ($intrinsics:expr) => {
        // SAFETY: the operands exist only where a token proved that the CPU has the instructions, and no memory is
        // accessed.
        unsafe { $intrinsics }
    };
}
pub(crate) use in_registers;

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

/// For each set of eight lanes, those in it one after another.
pub(super) static PACKED: [[u8; 8]; 256] = permutations(false);
/// For each set of eight lanes, how many lanes of it come before each.
pub(super) static SPREAD: [[u8; 8]; 256] = permutations(true);

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
