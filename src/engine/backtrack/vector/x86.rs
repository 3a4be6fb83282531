//! The operations of a vector that differ between the instruction sets of x86-64 by the names of their intrinsics
//! alone.

/// Declares methods of [`Lanes`](super::lanes::Lanes) for a vector of words in one register.
macro_rules! register_methods {
    (
        $token:ty, $word:ty,
        splat: $splat:ident,
        and: $and:ident,
        or: $or:ident,
        xor: $xor:ident,
        sub: $sub:ident,
        min: $min:ident,
    ) => {
        $crate::engine::x86::binary_methods! {
            and: $and,
            or: $or,
            xor: $xor,
            min: $min,
        }

        #[inline(always)]
        fn splat(_: $token, word: $word) -> Self {
            Self($crate::engine::x86::in_registers!($splat(word.cast_signed())))
        }

        #[inline(always)]
        fn not(self) -> Self {
            Self($crate::engine::x86::in_registers!($xor(self.0, $splat(-1))))
        }

        #[inline(always)]
        fn lowest(self) -> Self {
            Self($crate::engine::x86::in_registers!($and(self.0, $sub($splat(0), self.0))))
        }
    };
}
pub(super) use register_methods;
