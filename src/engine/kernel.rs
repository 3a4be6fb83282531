//! The kernels: the innermost loops, named by how they use the CPU.

use std::fmt;

/// How an engine's innermost loop uses the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// One node at a time, in general registers: the plain form that every ratio in this project is taken against.
    /// Every CPU has it.
    Scalar,
    /// Many lanes at a time, in whatever vectors the compiler finds for the architecture. Every CPU has it.
    Portable,
    /// Vectors of 256 bits, on x86-64 CPUs with AVX2 (Haswell and Zen, and later).
    Avx2,
    /// Vectors of 512 bits, on x86-64 CPUs with AVX-512 and its extensions for bytes, bit counts and products (Ice Lake and
    /// Zen 4, and later).
    Avx512,
}

impl Kernel {
    /// All kernels, plainest first. Not every engine has every one.
    pub const ALL: &[Kernel] = &[Kernel::Scalar, Kernel::Portable, Kernel::Avx2, Kernel::Avx512];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Scalar => "scalar",
            Kernel::Portable => "portable",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
        }
    }

    /// Whether the CPU this runs on can execute it.
    pub fn is_supported(self) -> bool {
        match self {
            Kernel::Scalar | Kernel::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => {
                Kernel::Avx2.is_supported()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vnni")
                    && is_x86_feature_detected!("gfni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx512 => false,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
