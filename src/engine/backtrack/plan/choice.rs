//! The choice of the symmetry and the split that suit a kernel: rules, and the measurements behind them.

use super::Cut;
use crate::board::Board;
use crate::cancel::Cancelled;
use crate::engine::{Kernel, SymmetryReduction};

/// A plan is fine enough when this share of the workers is sure to be busy.
const BUSY_ENOUGH: f64 = 0.95;

/// A plan is fine enough when no unit is expected to take more seconds than this: then the progress bar moves.
const LONGEST_UNIT: f64 = 1.0;

/// The speed of a kernel on one thread.
pub(super) struct Speed {
    /// The nodes of the tree that the kernel is done with in a second, those it need not visit included.
    pub(super) nodes_per_second: f64,
    /// The seconds that a unit takes besides its nodes, for stacks that are filled and emptied.
    pub(super) seconds_per_unit: f64,
}

/// Returns the speed of a kernel on one thread of an Intel Xeon, family 6 model 207.
///
/// At N = 16 the units of `edges-0` and `edges-1` and those of `edges-2` take 44, 47 and 69 ms with AVX-512, 108, 111
/// and 136 ms with AVX2.
pub(super) fn speed(kernel: Kernel) -> Speed {
    match kernel {
        Kernel::Scalar => Speed { nodes_per_second: 1.5e8, seconds_per_unit: 0.0 },
        Kernel::Portable => Speed { nodes_per_second: 2.5e8, seconds_per_unit: 3e-6 },
        Kernel::Avx2 => Speed { nodes_per_second: 3e9, seconds_per_unit: 3.5e-6 },
        Kernel::Avx512 => Speed { nodes_per_second: 7.5e9, seconds_per_unit: 3.5e-6 },
    }
}

/// Returns the symmetry with which a kernel counts a board fastest. The scalar kernel, the baseline, keeps the classic
/// one.
///
/// Milliseconds on one thread of the same CPU, all units of `mirror-1` and of `edges-0`:
///
/// | N | avx512 | avx2 | portable |
/// |---:|---:|---:|---:|
/// | 10 | 0.009, 0.015 | 0.014, 0.022 | 0.085, 0.084 |
/// | 11 | 0.026, 0.038 | 0.049, 0.064 | 0.372, 0.324 |
/// | 12 | 0.072, 0.109 | 0.164, 0.176 | 1.76, 1.53 |
/// | 13 | 0.331, 0.324 | 0.838, 0.627 | 8.81, 7.19 |
/// | 14 | 1.76, 1.39 | 4.31, 2.94 | 53.7, 39.8 |
/// | 15 | 10.5, 7.06 | 24.8, 16.0 | |
/// | 16 | 67.0, 44.3 | 161, 108 | 2020, 1330 |
/// | 17 | 914, 302 | 1953, 727 | |
pub(super) fn symmetry(board: Board, kernel: Kernel) -> SymmetryReduction {
    let edges_from = match kernel {
        Kernel::Scalar => return SymmetryReduction::Mirror,
        Kernel::Portable => 11,
        Kernel::Avx2 | Kernel::Avx512 => 13,
    };
    if board.size() < edges_from { SymmetryReduction::Mirror } else { SymmetryReduction::Edges }
}

/// Returns the cut that `workers` workers are expected to count soonest, from several, each finer than the one before.
///
/// A cut with a unit that is longer than [`LONGEST_UNIT`] gives way to any finer one. The search ends at the first cut
/// that has no such unit and keeps the workers busy.
pub(super) fn split(
    cuts: impl Iterator<Item = Result<Cut, Cancelled>>,
    workers: usize,
    kernel: Kernel,
) -> Result<Cut, Cancelled> {
    let nodes_per_second = speed(kernel).nodes_per_second;
    let mut best: Option<(f64, bool, Cut)> = None;
    for cut in cuts {
        let cut = cut?;
        let busy = cut.plan.busy_share(workers);
        let seconds = cut.expected_seconds(kernel) / busy;
        let short = cut.most_nodes() / nodes_per_second <= LONGEST_UNIT;
        let better = best.as_ref().is_none_or(|&(least, best_is_short, _)| !best_is_short || seconds < least);
        if better {
            best = Some((seconds, short, cut));
        }
        if busy >= BUSY_ENOUGH && short {
            break;
        }
    }
    Ok(best.expect("there is a split").2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::engine::Settings;

    fn name(size: usize, kernel: Kernel, workers: usize) -> String {
        let settings = Settings { workers, ..Settings::default() };
        let cut = Cut::new(Board::new(size).unwrap(), &settings, kernel, &Cancel::new());
        cut.ok().unwrap().plan.name().to_owned()
    }

    #[test]
    fn a_lone_worker_gets_the_coarsest_plan_and_many_get_a_finer_one() {
        let names = |kernel| [1, 2, 64].map(|workers| name(16, kernel, workers));
        assert_eq!(names(Kernel::Scalar), ["mirror-1", "mirror-2", "mirror-3"]);
        assert_eq!(names(Kernel::Avx512), ["edges-0", "edges-0", "edges-1"]);
    }

    #[test]
    fn edges_are_for_vectors_and_boards_that_are_large_enough() {
        for (kernel, from) in [(Kernel::Portable, 11), (Kernel::Avx2, 13), (Kernel::Avx512, 13), (Kernel::Scalar, 33)] {
            for size in 1..=Board::MAX_SIZE {
                let edges = symmetry(Board::new(size).unwrap(), kernel) == SymmetryReduction::Edges;
                assert_eq!(edges, size >= from, "{kernel}, N = {size}");
            }
        }
    }

    #[test]
    fn units_that_would_take_long_are_split_further() {
        let names = |kernel, sizes: [usize; 4]| sizes.map(|size| name(size, kernel, 1));
        assert_eq!(names(Kernel::Scalar, [16, 17, 18, 32]), ["mirror-1", "mirror-2", "mirror-3", "mirror-3"]);
        assert_eq!(names(Kernel::Avx2, [17, 20, 22, 32]), ["edges-0", "edges-1", "edges-2", "edges-2"]);
    }

    /// The cost of a unit besides its nodes keeps the units of a small board large, even for many workers.
    #[test]
    fn units_do_not_get_so_small_that_they_cost_more_than_they_gain() {
        for (size, kernel) in [(8, Kernel::Avx512), (12, Kernel::Avx512), (13, Kernel::Avx2), (10, Kernel::Portable)] {
            let settings = Settings { workers: 64, ..Settings::default() };
            let board = Board::new(size).unwrap();
            let chosen = Cut::new(board, &settings, kernel, &Cancel::new()).ok().unwrap();
            let most = *symmetry(board, kernel).splits().end();
            let finest = Settings { split_rows: Some(most), ..settings };
            let finest = Cut::new(board, &finest, kernel, &Cancel::new()).ok().unwrap();
            assert!(chosen.units.len() < finest.units.len(), "N = {size}, {kernel}: {}", chosen.plan.name());
        }
    }
}
