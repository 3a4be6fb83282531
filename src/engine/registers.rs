//! Code that the kernels for instruction sets share.

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
