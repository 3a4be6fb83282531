//! The kernels: the innermost loops, named by how they use the CPU.

use std::fmt;

/// How an engine's innermost loop uses the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// One node at a time, in general registers: the plain form that every ratio in this project is taken against.
    /// Every CPU has it.
    Scalar,
}

impl Kernel {
    /// All kernels, plainest first. Not every engine has every one.
    pub const ALL: &[Kernel] = &[Kernel::Scalar];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Scalar => "scalar",
        }
    }

    /// Whether the CPU this runs on can execute it.
    pub fn is_supported(self) -> bool {
        match self {
            Kernel::Scalar => true,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
