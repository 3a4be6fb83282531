//! The backtracking tree: queens are placed row by row, and no two attack each other. Its nodes, and its size,
//! estimated from random paths down it.
//!
//! `nodes_below` is the method of D. E. Knuth, *Estimating the efficiency of backtrack programs*, Mathematics of
//! Computation 29 (1975): walk from the root to a leaf, choose each of the *d* children of a node with equal
//! probability, and multiply the *d* on the way. The expected value of the product at depth *k* is the number of nodes
//! at depth *k*.
//!
//! In a tree that narrows, few paths reach the lower depths, and their products vary widely. `levels_below` follows
//! many paths together: R. Vaisman and D. P. Kroese, *Stochastic enumeration method for counting trees*, Methodology
//! and Computing in Applied Probability 19 (2017). With one path it is Knuth's method.

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::interval::Interval;
use crate::random::SplitMix64;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A node of the backtracking tree: queens in the first rows, none attacking another, seen from the next row to fill.
///
/// Bit *j* of each mask is column *j*. To go down one row, the diagonals attacked move one column to the left in
/// `falling` and to the right in `rising`: in bits, `falling` is shifted up and `rising` down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The columns without a queen; there are as many as rows left.
    pub(crate) columns: u32,
    /// The squares of the next row attacked along diagonals on which the column grows with the row.
    pub(crate) falling: u32,
    /// The squares of the next row attacked along diagonals on which the column shrinks as the row grows.
    pub(crate) rising: u32,
}

impl Node {
    /// The empty board.
    pub(crate) fn root(board: Board) -> Self {
        Self { columns: board.columns(), falling: 0, rising: 0 }
    }

    /// Returns the number of rows without a queen.
    #[inline]
    pub(crate) fn rows_left(self) -> u32 {
        self.columns.count_ones()
    }

    /// Returns the free squares of the next row, a bit for each column.
    #[inline]
    pub(crate) fn free(self) -> u32 {
        self.columns & !(self.falling | self.rising)
    }

    /// Returns the node with a queen more, in the next row and the column whose bit is `queen`.
    #[inline]
    pub(crate) fn place(self, queen: u32) -> Self {
        Self { columns: self.columns ^ queen, falling: (self.falling | queen) << 1, rising: (self.rising | queen) >> 1 }
    }

    /// The child whose queen is on the one of these free squares that has this index, from the lowest column on.
    pub(crate) fn child(self, free: u32, index: u32) -> Self {
        let higher = (0..index).fold(free, |free, _| free & (free - 1));
        self.place(higher & higher.wrapping_neg())
    }

    /// Returns the children, a queen more each, with the columns of their queens, from column 0 on.
    pub(crate) fn children(self) -> impl Iterator<Item = (usize, Self)> {
        self.children_on(u32::MAX)
    }

    /// Returns the [children](Self::children) whose queens are in one of these columns.
    pub(crate) fn children_on(self, open: u32) -> impl Iterator<Item = (usize, Self)> {
        let mut free = self.free() & open;
        std::iter::from_fn(move || {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            (queen != 0).then(|| (queen.trailing_zeros() as usize, self.place(queen)))
        })
    }
}

/// Estimates the number of nodes below a node, itself included, as the mean of `probes` random paths. The queens of the
/// rows left stand in `open` columns. The estimate is unbiased; its error is inversely proportional to the square root
/// of the number of probes.
///
/// # Panics
/// If `probes` is 0, or there are more rows left than in `open`.
pub(crate) fn nodes_below(root: Node, open: &[u32], probes: u32, random: &mut SplitMix64) -> f64 {
    assert!(probes > 0, "an estimate needs a probe");
    let mut sum = 0.0;
    for _ in 0..probes {
        let mut node = root;
        let mut product = 1.0;
        loop {
            sum += product;
            let free = node.free();
            let free = if free == 0 { 0 } else { free & open[open.len() - node.rows_left() as usize] };
            let children = free.count_ones();
            if children == 0 {
                break;
            }
            product *= f64::from(children);
            node = node.child(free, random.below(children));
        }
    }
    sum / f64::from(probes)
}

/// Estimates the number of nodes at each depth below a node, from 0 to the last depth reached, by one probe of `width`
/// paths: at each depth it examines all children of its nodes and keeps at most `width` of them.
///
/// The estimate is unbiased at every depth, where depths that are not reached count as 0. It is exact down to the first
/// depth with more than `width` nodes. The kept children are equally spaced from a random one on, so that each is kept
/// with the same probability and no part of the tree gets more than its share.
///
/// # Panics
/// If `width` is 0, or the nodes of one depth have more than `u32::MAX` children.
fn levels_below(root: Node, width: u32, random: &mut SplitMix64) -> Vec<f64> {
    assert!(width > 0, "a probe needs a path");
    let mut nodes = vec![root];
    let mut each_stands_for = 1.0;
    let mut levels = vec![1.0];
    let mut next = Vec::new();
    loop {
        let children: u64 = nodes.iter().map(|node| u64::from(node.free().count_ones())).sum();
        if children == 0 {
            return levels;
        }
        levels.push(each_stands_for * children as f64);
        let kept = children.min(u64::from(width));
        // Each child owns `kept` consecutive numbers of the range 0..children · kept. One number of every `children` is
        // drawn, at the same random offset, so a child is kept with probability kept / children.
        let bound = u32::try_from(children).expect("fewer than 2^32 children at one depth");
        let mut place = u64::from(random.below(bound));
        let mut before = 0;
        for node in &nodes {
            let end = before + u64::from(node.free().count_ones());
            while place / kept < end {
                next.push(node.child(node.free(), (place / kept - before) as u32));
                place += children;
            }
            before = end;
        }
        each_stands_for *= children as f64 / kept as f64;
        std::mem::swap(&mut nodes, &mut next);
        next.clear();
    }
}

/// An estimate of the backtracking tree of a board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeEstimate {
    /// The nodes of the tree: the placements of the first *k* rows, none attacking another, for *k* = 0 to N.
    pub nodes: Interval,
    /// The solutions: the nodes of the last row.
    pub solutions: Interval,
}

impl TreeEstimate {
    /// The paths that a probe follows at once. With fewer paths, few of them reach the last rows, where most nodes are;
    /// more paths give no better estimate for the same time.
    pub const PATHS: u32 = 1024;

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
    /// use nqueens::{Board, Cancel, estimate::TreeEstimate};
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
        let sums = seeds.par_iter().map(|&seed| {
            cancel.check()?;
            let levels = levels_below(Node::root(board), Self::PATHS, &mut SplitMix64::new(seed));
            progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / probes as f64);
            Ok((levels.iter().sum::<f64>(), levels.get(board.size()).copied().unwrap_or(0.0)))
        });
        let (nodes, solutions): (Vec<f64>, Vec<f64>) = sums.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        Ok(Self {
            nodes: Interval::estimate_sum([(1.0, nodes)]),
            solutions: Interval::estimate_sum([(1.0, solutions)]),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board::Line;
    use crate::board::tests::board;
    use crate::fuzz::{at, fuzz, within};
    use crate::published;

    /// Returns the number of nodes at each depth of the tree, which is visited whole.
    pub(crate) fn nodes_by_depth(board: Board) -> Vec<u64> {
        fn visit(node: Node, levels: &mut [u64]) {
            levels[0] += 1;
            node.children().for_each(|(_, child)| visit(child, &mut levels[1..]));
        }
        let mut levels = vec![0; board.size() + 1];
        visit(Node::root(board), &mut levels);
        levels
    }

    /// OEIS A319284.
    #[test]
    fn the_tree_of_eight_queens_has_the_published_profile() {
        assert_eq!(nodes_by_depth(board(8)), [1, 8, 42, 140, 344, 568, 550, 312, 92]);
    }

    /// A square is free exactly when no queen placed attacks it.
    #[test]
    fn fuzz_free_squares_are_those_that_no_queen_attacks() {
        fuzz(256, |random| {
            let size = within(random, 1..33);
            let mut node = Node::root(Board::new(size).unwrap());
            let mut queens = Vec::new();
            for row in 0..size {
                let is_free =
                    |&column: &usize| queens.iter().all(|&queen| Line::between(queen, (row, column)).is_none());
                let free: Vec<usize> = (0..size).filter(is_free).collect();
                assert!(node.children().map(|(column, _)| column).eq(free.iter().copied()));
                assert_eq!(node.rows_left() as usize, size - row);
                if free.is_empty() {
                    break;
                }
                let column = free[at(random, free.len())];
                node = node.place(1 << column);
                queens.push((row, column));
            }
        });
    }

    /// Depth by depth and in all, for any number of paths. One path is Knuth's method.
    #[test]
    fn estimates_are_unbiased() {
        let root = Node::root(board(6));
        let nodes = nodes_by_depth(board(6));
        let probes = 50_000;
        for width in [1, 2, 3, 7, 50] {
            let mut mean = [0.0; 7];
            for seed in 0..probes {
                let found = levels_below(root, width, &mut SplitMix64::new(seed));
                mean.iter_mut().zip(found).for_each(|(mean, nodes)| *mean += nodes / probes as f64);
            }
            for (mean, &nodes) in mean.iter().zip(&nodes) {
                assert!((mean / nodes as f64 - 1.0).abs() < 0.1, "{width} paths: {mean} for {nodes}");
            }
        }
        let (estimate, all) =
            (nodes_below(root, &[u32::MAX; 6], 50_000, &mut SplitMix64::new(1)), nodes.iter().sum::<u64>() as f64);
        assert!((estimate / all - 1.0).abs() < 0.02, "{estimate} for {all}");
    }

    fn probed(size: usize, probes: usize, seed: u64) -> TreeEstimate {
        TreeEstimate::probe(board(size), probes, seed, &Cancel::new(), &|_| ()).unwrap()
    }

    #[test]
    fn narrow_trees_are_known_exactly() {
        for size in 1..=8 {
            let nodes: u64 = nodes_by_depth(board(size)).iter().sum();
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
            let nodes: u64 = nodes_by_depth(board(size)).iter().sum();
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
