//! Every time that was measured on some machine and is a constant of the source: what a count is expected to take, and
//! from which board on an engine pays. A new kernel has its three values here.
//!
//! No plan and no count depends on them. Ratios that only compare ways of counting the same unit stand beside them, in
//! `two_color/prepare/guess.rs` and with each kernel.

use super::kernel::Kernel;

/// Returns the seconds that all units of a board take one core by the two-color engine.
///
/// The times are from sampled units with AVX-512 on an Intel Emerald Rapids, November 2026. Those of N = 23 to 25 lie
/// between an Intel Granite Rapids and an AMD Zen 5; that of N = 27 is a guess. The times of small boards do not matter.
pub(super) fn two_color_seconds(size: usize, kernel: Kernel) -> f64 {
    let with_avx512 = match size {
        ..=15 => 0.003,
        16 => 0.008,
        17 => 0.066,
        18 => 0.16,
        19 => 0.98,
        20 => 3.3,
        21 => 24.5,
        22 => 104.0,
        23 => 510.0,
        24 => 3.44e3,
        25 => 2.1e4,
        26 => 1.66e5,
        27 => 1.38e6,
        _ => 8.4e6,
    };
    // These ratios were measured at N = 18 on an AMD EPYC, family 26 model 2, November 2026; the one of NEON is
    // estimated.
    let slower_by = match kernel {
        Kernel::Avx512 => 1.0,
        Kernel::Avx2 => 1.5,
        Kernel::Neon => 1.8,
        // One of 16 threads that share an NVIDIA H200 takes half as long, November 2026.
        Kernel::Gpu => 0.5,
        Kernel::Portable | Kernel::Scalar => 3.6,
    };
    with_avx512 * slower_by
}

/// Returns the nodes of the tree, skipped ones included, that the backtracker disposes of in a second on one thread of
/// an Intel Xeon, family 6 model 207, November 2026.
pub(super) fn nodes_per_second(kernel: Kernel) -> f64 {
    match kernel {
        Kernel::Scalar => 1.5e8,
        Kernel::Portable => 2.5e8,
        Kernel::Avx2 => 2e9,
        // This value is an estimate.
        Kernel::Neon => 1.5e9,
        // The backtracker has no kernel for a GPU.
        Kernel::Avx512 | Kernel::Gpu => 7.5e9,
    }
}

/// Returns the size of the smallest board that the two-color engine counts faster than the backtracker, both with this
/// kernel; `None` for a kernel that the two-color engine does not have.
///
/// The table has the program's CPU time for a count in milliseconds, backtracker and two-color, on one thread of an AMD
/// EPYC, family 26 model 2, November 2026: medians of 15 or 21. NEON is estimated like AVX2:
///
/// | N | avx512 | avx2 | portable |
/// |---:|---:|---:|---:|
/// | 11 | | | 4.10, 5.32 |
/// | 12 | 3.79, 4.69 | 3.88, 5.04 | 4.94, 4.70 |
/// | 13 | 4.04, 6.46 | 4.52, 6.62 | 11.5, 7.37 |
/// | 14 | 4.83, 6.76 | 8.03, 6.93 | |
/// | 15 | 9.61, 13.1 | 31.3, 14.5 | |
/// | 16 | 39.1, 17.3 | 179, 21.6 | |
pub(super) fn two_color_from(kernel: Kernel) -> Option<usize> {
    match kernel {
        Kernel::Avx512 => Some(16),
        // Only two-color has a GPU kernel, so it always wins.
        Kernel::Gpu => Some(0),
        Kernel::Avx2 | Kernel::Neon => Some(14),
        Kernel::Portable => Some(12),
        Kernel::Scalar => None,
    }
}
