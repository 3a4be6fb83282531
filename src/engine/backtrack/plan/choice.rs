//! The choice of the split: a rule, and the measurements behind it.
//!
//! The kernel does not enter it, so that a board has one plan for a number of workers.

use super::Cut;
use crate::cancel::Cancelled;
use crate::engine::Kernel;

/// A plan is fine enough when this share of the workers is sure to be busy.
const BUSY_ENOUGH: f64 = 0.95;

/// A plan is fine enough when no unit is expected to have more nodes than this, which the scalar kernel visits in about
/// two seconds: then the progress bar moves.
const LONGEST_UNIT: f64 = 3e8;

/// The nodes that AVX-512 is done with in the time that a unit takes besides its nodes, for stacks that are filled and
/// emptied: 3.5 µs. Other kernels lose less.
const NODES_WORTH_OF_A_UNIT: f64 = 26_000.0;

/// Returns the nodes of the tree that a kernel is done with in a second, those it need not visit included, on one
/// thread of an Intel Xeon, family 6 model 207.
pub(super) fn nodes_per_second(kernel: Kernel) -> f64 {
    match kernel {
        Kernel::Scalar => 1.5e8,
        Kernel::Portable => 2.5e8,
        Kernel::Avx2 => 2e9,
        Kernel::Avx512 => 7.5e9,
    }
}

/// Returns the cut that `workers` workers are expected to count soonest, from several, each finer than the one before.
///
/// A cut with a unit that is longer than [`LONGEST_UNIT`] gives way to any finer one. The search ends at the first cut
/// that has no such unit and keeps the workers busy.
pub(super) fn split(cuts: impl Iterator<Item = Result<Cut, Cancelled>>, workers: usize) -> Result<Cut, Cancelled> {
    let mut best: Option<(f64, bool, Cut)> = None;
    for cut in cuts {
        let cut = cut?;
        let busy = cut.plan.busy_share(workers);
        let time = (cut.all_nodes() + cut.units.len() as f64 * NODES_WORTH_OF_A_UNIT) / busy;
        let short = cut.most_nodes() <= LONGEST_UNIT;
        let better = best.as_ref().is_none_or(|&(least, best_is_short, _)| !best_is_short || time < least);
        if better {
            best = Some((time, short, cut));
        }
        if busy >= BUSY_ENOUGH && short {
            break;
        }
    }
    Ok(best.expect("there is a split").2)
}

#[cfg(test)]
mod tests {
    use crate::board::Board;
    use crate::cancel::Cancel;
    use crate::engine::Settings;
    use crate::engine::backtrack::plan::Cut;

    fn name(size: usize, workers: usize) -> String {
        let settings = Settings { workers, ..Settings::default() };
        let cut = Cut::new(Board::new(size).unwrap(), &settings, &Cancel::new());
        cut.ok().unwrap().plan.name().to_owned()
    }

    #[test]
    fn a_lone_worker_gets_the_coarsest_plan_and_many_get_a_finer_one() {
        assert_eq!([1, 2, 64].map(|workers| name(16, workers)), ["mirror-1", "mirror-2", "mirror-3"]);
    }

    #[test]
    fn units_that_would_take_long_are_split_further() {
        assert_eq!([16, 17, 18, 32].map(|size| name(size, 1)), ["mirror-1", "mirror-2", "mirror-3", "mirror-3"]);
    }

    /// The cost of a unit besides its nodes keeps the units of a small board large, even for many workers.
    #[test]
    fn units_do_not_get_so_small_that_they_cost_more_than_they_gain() {
        assert_eq!([8, 10, 12].map(|size| name(size, 64)), ["mirror-1", "mirror-1", "mirror-2"]);
    }
}
