//! The kernels: implementations of the innermost loops, and the proof that this CPU can execute one.
//!
//! A kernel for an instruction set is reached through a *token*, a value without size that only detection hands out
//! ([`Avx2::detect`]). A kernel is a [`Task`] that a token runs, and the vectors of an instruction set are made from its
//! token. Holding a token or a vector proves that the CPU has the instructions, so that no safe code can execute one it
//! lacks. `CONTRIBUTING.md` says how to add a kernel.
//!
//! [`Kernel::Gpu`] is an exception: no CPU executes it, and it has no token. `two_color::gpu` opens devices.

#![allow(unsafe_code)]

use crate::names::named;
use std::fmt::Debug;

/// An implementation of an engine's innermost loop for an instruction set.
///
/// ```
/// use nqueens::Kernel;
///
/// assert_eq!("avx2".parse(), Ok(Kernel::Avx2));
/// assert!(Kernel::Scalar.is_supported() && Kernel::Portable.is_supported());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// This kernel visits one node at a time, in general registers. Every CPU has it, and every ratio of this project
    /// refers to it.
    Scalar,
    /// Many lanes at a time, in the vectors that the compiler finds for the architecture. Every CPU has it.
    Portable,
    /// Vectors of 256 bits, on x86-64 CPUs with AVX2 (Haswell and Zen, and later).
    Avx2,
    /// Vectors of 512 bits, on x86-64 CPUs with AVX-512 and its extensions for bytes, bit counts and products (Ice Lake
    /// and Zen 4, and later).
    Avx512,
    /// Vectors of 128 bits, on ARM64 CPUs, all of which have NEON.
    Neon,
    /// A GPU, through OpenCL: for the two-color engine, if the crate has the feature `gpu`. No CPU executes this
    /// kernel, so it is never chosen unless it is named.
    Gpu,
}

impl Kernel {
    /// All kernels. Of those that a CPU can execute, each is faster than those before it. Not every engine has every one.
    pub const ALL: &[Kernel] =
        &[Kernel::Scalar, Kernel::Portable, Kernel::Avx2, Kernel::Avx512, Kernel::Neon, Kernel::Gpu];

    /// Returns the name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Scalar => "scalar",
            Kernel::Portable => "portable",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
            Kernel::Neon => "neon",
            Kernel::Gpu => "gpu",
        }
    }

    /// Returns true if this CPU can execute the kernel.
    pub fn is_supported(self) -> bool {
        self.detect().is_some()
    }

    /// Returns the kernel with the proof that this CPU can execute it; `None` if it cannot.
    // Benchmarks run the loops of a kernel by its proof.
    #[doc(hidden)]
    pub fn detect(self) -> Option<SupportedKernel> {
        match self {
            Kernel::Scalar => Some(SupportedKernel::Scalar),
            Kernel::Portable => Some(SupportedKernel::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => Avx2::detect().map(SupportedKernel::Avx2),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => Avx512::detect().map(SupportedKernel::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx512 => None,
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => Neon::detect().map(SupportedKernel::Neon),
            #[cfg(not(target_arch = "aarch64"))]
            Kernel::Neon => None,
            Kernel::Gpu => None,
        }
    }
}

named!(Kernel, "kernel");

/// A kernel that this CPU can execute.
#[derive(Clone, Copy, Debug)]
pub enum SupportedKernel {
    /// See [`Kernel::Scalar`].
    Scalar,
    /// See [`Kernel::Portable`].
    Portable(Portable),
    /// See [`Kernel::Avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// See [`Kernel::Avx512`].
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// See [`Kernel::Neon`].
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

/// Evaluates one expression with the token of a [`SupportedKernel`] that has vectors, and another for the scalar
/// kernel.
macro_rules! match_kernel {
    ($kernel:expr, $token:ident => $vector:expr, scalar => $scalar:expr) => {
        match $kernel {
            $crate::engine::kernel::SupportedKernel::Scalar => $scalar,
            $crate::engine::kernel::SupportedKernel::Portable($token) => $vector,
            #[cfg(target_arch = "x86_64")]
            $crate::engine::kernel::SupportedKernel::Avx2($token) => $vector,
            #[cfg(target_arch = "x86_64")]
            $crate::engine::kernel::SupportedKernel::Avx512($token) => $vector,
            #[cfg(target_arch = "aarch64")]
            $crate::engine::kernel::SupportedKernel::Neon($token) => $vector,
        }
    };
}
pub(crate) use match_kernel;

/// Code that a [`Token`] runs; its fields are the data. `run` and all functions that must be compiled for the
/// instruction set with it are `#[inline(always)]`.
pub trait Task<K: Token> {
    /// The result.
    type Output;

    fn run(self, token: K) -> Self::Output;
}

impl SupportedKernel {
    /// Returns the kernel.
    pub fn kernel(self) -> Kernel {
        fn of<K: Token>(_: K) -> Kernel {
            K::KERNEL
        }
        match_kernel!(self, token => of(token), scalar => Kernel::Scalar)
    }
}

/// The proof that this CPU has an instruction set.
pub trait Token: Copy + Debug + 'static {
    /// The kernel that needs this proof.
    const KERNEL: Kernel;

    /// Runs a task, compiled for the instruction set.
    fn run<T: Task<Self>>(self, task: T) -> T::Output;
}

/// The code of a task for one instruction set. Because it is a method of the task, it is compiled with the module of the
/// task: a change of one task leaves the code of the others as it is.
trait Compiled<K: Token>: Task<K> {
    /// Runs the task.
    ///
    /// # Safety
    /// The CPU has the instruction set, which the token proves.
    unsafe fn run_compiled(self, token: K) -> Self::Output;
}

/// The token of the portable kernels, which need no proof.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Token for Portable {
    const KERNEL: Kernel = Kernel::Portable;

    fn run<T: Task<Self>>(self, task: T) -> T::Output {
        // SAFETY: every CPU has what the portable code needs.
        unsafe { task.run_compiled(self) }
    }
}

impl<T: Task<Portable>> Compiled<Portable> for T {
    unsafe fn run_compiled(self, token: Portable) -> T::Output {
        self.run(token)
    }
}

/// Declares the token of an instruction set of an architecture. The features are those that detection looks for and
/// that tasks are compiled for.
macro_rules! token {
    ($(#[$doc:meta])* $token:ident, $arch:literal by $detected:ident: $($feature:tt)*) => {
        #[cfg(target_arch = $arch)]
        impl<T: Task<$token>> Compiled<$token> for T {
            $(#[target_feature(enable = $feature)])*
            unsafe fn run_compiled(self, token: $token) -> T::Output {
                self.run(token)
            }
        }

        $(#[$doc])*
        #[cfg(target_arch = $arch)]
        #[derive(Clone, Copy, Debug)]
        pub struct $token(());

        #[cfg(target_arch = $arch)]
        impl $token {
            /// Asks the CPU. Big-endian CPUs are refused, because the vectors take bytes for little-endian.
            pub(crate) fn detect() -> Option<Self> {
                let supported = cfg!(target_endian = "little") $(&& std::arch::$detected!($feature))*;
                supported.then_some(Self(()))
            }
        }

        #[cfg(target_arch = $arch)]
        impl Token for $token {
            const KERNEL: Kernel = Kernel::$token;

            fn run<T: Task<Self>>(self, task: T) -> T::Output {
                // SAFETY: `self` exists only where detection found that this CPU has the features.
                unsafe { task.run_compiled(self) }
            }
        }
    };
}

token! {
    /// The proof that this CPU has AVX2 and the features that came with it.
    Avx2, "x86_64" by is_x86_feature_detected: "avx2" "bmi1" "bmi2" "popcnt"
}
token! {
    /// The proof that this CPU has AVX-512 as of Ice Lake and Zen 4, and the features of [`Avx2`].
    Avx512, "x86_64" by is_x86_feature_detected: "avx512f" "avx512bw" "avx512vbmi" "avx512vbmi2" "avx512bitalg" "avx512vnni" "gfni"
        "avx2" "bmi1" "bmi2" "popcnt"
}
token! {
    /// The proof that this CPU has NEON.
    Neon, "aarch64" by is_aarch64_feature_detected: "neon"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_others_refused() {
        for &kernel in Kernel::ALL {
            assert_eq!(kernel.to_string().parse(), Ok(kernel));
        }
        let error = "AVX2".parse::<Kernel>().unwrap_err();
        assert_eq!(error.to_string(), "'AVX2' is no kernel; give one of scalar, portable, avx2, avx512, neon, gpu");
    }
}
