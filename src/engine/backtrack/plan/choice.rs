//! Which symmetry and which split suit a kernel: rules, and the measurements behind them.

use super::Cut;
use crate::board::Board;
use crate::engine::{Kernel, Symmetry};

/// A plan is fine enough when this share of the workers is sure to be busy.
const BUSY_ENOUGH: f64 = 0.95;

/// A plan is fine enough when no unit is expected to take more seconds: then the progress bar moves.
const LONGEST_UNIT: f64 = 1.0;

/// The nodes of the tree that a kernel leaves behind in a second, those that it need not visit among them, and the seconds that
/// a unit takes beside its nodes, for stacks that are filled and emptied.
fn speed(kernel: Kernel) -> (f64, f64) {
    match kernel {
        Kernel::Scalar => (1.3e8, 0.0),
        Kernel::Portable => (1.9e8, 2e-6),
        Kernel::Avx2 => (1.8e9, 2e-6),
        Kernel::Avx512 => (6.5e9, 2e-6),
    }
}

/// The symmetry with which a kernel counts a board fastest.
pub(super) fn symmetry(_board: Board, kernel: Kernel) -> Symmetry {
    match kernel {
        Kernel::Scalar => Symmetry::Mirror,
        _ => Symmetry::Edges,
    }
}

/// Of several cuts, each finer than the one before, the one that is expected to be counted soonest by so many workers. The first
/// that is fine enough is the last that is looked at.
pub(super) fn split(cuts: impl Iterator<Item = Cut>, workers: usize, kernel: Kernel) -> Cut {
    let (nodes_per_second, seconds_per_unit) = speed(kernel);
    let mut best: Option<(f64, bool, Cut)> = None;
    for cut in cuts {
        let busy = cut.plan.busy_share(workers);
        let work = cut.expected_nodes() / nodes_per_second + cut.units.len() as f64 * seconds_per_unit;
        let seconds = work / busy;
        let short = cut.most_nodes() / nodes_per_second <= LONGEST_UNIT;
        let better = best.as_ref().is_none_or(|&(least, best_is_short, _)| !best_is_short || seconds < least);
        if better {
            best = Some((seconds, short, cut));
        }
        if busy >= BUSY_ENOUGH && short {
            break;
        }
    }
    best.expect("there is a split").2
}
