//! The size of the backtracking tree, and the number of its solutions, estimated by random probes.

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::backtrack::node::Node;
use crate::estimate::{Interval, SplitMix64, levels};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The paths that a probe follows at once. With fewer paths, few of them reach the last rows, where most nodes are;
/// more paths give no better estimate for the same time.
pub const PATHS: u32 = 1024;

/// An estimate of the backtracking tree of a board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeEstimate {
    /// The nodes of the tree: the placements of the first *k* rows, none attacking another, for *k* = 0 to N.
    pub nodes: Interval,
    /// The solutions: the nodes of the last row.
    pub solutions: Interval,
}

impl TreeEstimate {
    /// Estimates the tree of `board` from `probes` random probes, each on 1024 paths, on the threads of the current
    /// `rayon` pool. The same seed gives the same estimate for any number of threads. `progress` gets the share of the
    /// probes that is done, from 0 to 1.
    ///
    /// The estimates are unbiased, and each interval holds the true number in about 95 of 100 cases. Trees that have at
    /// most 1024 nodes in every row (N ≤ 8) are known exactly.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When `probes` is less than 2: one probe does not show how far probes differ.
    ///
    /// ```
    /// use nqueens::{Board, Cancel, classic::TreeEstimate};
    ///
    /// let estimate = TreeEstimate::probe(Board::new(14)?, 50, 1, &Cancel::new(), &|_share| ())?;
    /// assert!((300_000.0..450_000.0).contains(&estimate.solutions.estimate), "there are 365,596");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn probe(
        board: Board,
        probes: usize,
        seed: u64,
        cancel: &Cancel,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Self, Cancelled> {
        assert!(probes >= 2, "one probe does not show how far probes differ");
        let mut random = SplitMix64::new(seed);
        let seeds: Vec<u64> = (0..probes).map(|_| random.next_u64()).collect();
        let done = AtomicUsize::new(0);
        let stop = cancel.child();
        let sums = seeds.par_iter().map(|&seed| {
            let _guard = stop.on_panic();
            stop.check()?;
            let levels = levels(Node::root(board), PATHS, &mut SplitMix64::new(seed));
            progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / probes as f64);
            Ok((levels.iter().sum::<f64>(), levels.get(board.size()).copied().unwrap_or(0.0)))
        });
        let (nodes, solutions): (Vec<f64>, Vec<f64>) = sums.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        Ok(Self { nodes: Interval::of_sum([(1.0, nodes)]), solutions: Interval::of_sum([(1.0, solutions)]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic::nodes_per_row;
    use crate::published;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    fn probed(size: usize, probes: usize, seed: u64) -> TreeEstimate {
        TreeEstimate::probe(board(size), probes, seed, &Cancel::new(), &|_| ()).unwrap()
    }

    #[test]
    fn narrow_trees_are_known_exactly() {
        for size in 1..=8 {
            let nodes: u64 = nodes_per_row(board(size), &Cancel::new(), &|_| ()).unwrap().iter().sum();
            let exact = |number: f64| Interval { estimate: number, low: number, high: number };
            let solutions = published::total(board(size)).unwrap() as f64;
            let expected = TreeEstimate { nodes: exact(nodes as f64), solutions: exact(solutions) };
            assert_eq!(probed(size, 2, 1), expected, "N = {size}");
        }
    }

    /// Each interval misses one time in 20. Of 80, more than 12 would be missed by good intervals once in 800 times,
    /// and the seeds are always the same.
    #[test]
    fn intervals_hold_the_true_numbers() {
        const SEEDS: u64 = 80;
        for (size, probes) in [(9, 10), (10, 10), (11, 20), (12, 10), (13, 20), (14, 10)] {
            let nodes: u64 = nodes_per_row(board(size), &Cancel::new(), &|_| ()).unwrap().iter().sum();
            let truth = [nodes as f64, published::total(board(size)).unwrap() as f64];
            let mut held = [0; 2];
            for seed in 0..SEEDS {
                let TreeEstimate { nodes, solutions } = probed(size, probes, seed);
                for ((held, interval), truth) in held.iter_mut().zip([nodes, solutions]).zip(truth) {
                    *held += u64::from((interval.low..=interval.high).contains(&truth));
                }
            }
            assert!(held.iter().all(|&held| (SEEDS - 12..).contains(&held)), "N = {size}: {held:?} of {SEEDS}");
        }
    }

    /// `docs/estimate.md` and `nqueens estimate --help` rely on it.
    #[test]
    fn large_boards_are_known_to_some_hundredths() {
        for size in [15, 20, 25, 27] {
            let TreeEstimate { solutions, .. } = probed(size, 200, 1);
            let published = published::total(board(size)).unwrap() as f64;
            assert!((solutions.estimate / published - 1.0).abs() < 0.06, "N = {size}: {solutions:?}");
            assert!(solutions.high - solutions.low < 0.1 * published, "N = {size}: {solutions:?}");
        }
    }

    #[test]
    fn the_seed_decides_and_the_threads_do_not() {
        let on = |threads, seed| crate::run::on_threads(threads, || probed(12, 20, seed)).unwrap();
        assert_eq!(on(1, 5), on(3, 5));
        assert_ne!(on(1, 5), on(1, 6));
    }
}
