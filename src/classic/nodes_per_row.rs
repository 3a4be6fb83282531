//! The number of nodes in each row of the backtracking tree.

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::backtrack::{ALL_OPEN, units};
use crate::engine::{PrepareError, check_search};
use crate::random::SplitMix64;
use crate::run::Observer;
use crate::tree::{Node, nodes_below};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// With this many rows left or fewer, the walk takes less than a second and no longer looks at its [`Cancel`].
const UNWATCHED_ROWS: u32 = 10;

/// The number of nodes by the number of rows left. The numbers fit 64 bits on any board that is searched.
type NodesByRowsLeft = [u64; Board::MAX_SIZE + 1];

/// Counts the nodes of the backtracking tree by rows: the placements of the first *k* rows, none attacking another, for
/// *k* = 0 to N (OEIS A319284; D. E. Knuth, *The Art of Computer Programming*, 7.2.2). The last number is that of the
/// solutions. Every node is visited, half of them as mirror images, on the threads of the current `rayon` pool. N = 16
/// takes a second or two on one thread, and each further row about seven times as long. The observer's
/// [`progress`](Observer::progress) gets the share of the work that is done.
///
/// # Errors
/// When `cancel` is set or the observer stops the count, or the search would take years, as it does from N = 25 on.
///
/// ```
/// use nqueens::{Board, Cancel, classic::nodes_per_row};
///
/// let nodes = nodes_per_row(Board::new(8)?, &Cancel::new(), &())?;
/// assert_eq!(nodes, [1, 8, 42, 140, 344, 568, 550, 312, 92]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nodes_per_row(board: Board, cancel: &Cancel, observer: &dyn Observer) -> Result<Vec<u64>, PrepareError> {
    let size = board.size();
    check_search(board, None)?;
    let pieces = pieces(board);
    let whole: u64 = pieces.iter().map(|&(_, work)| work).sum();
    let (done, stop) = (AtomicU64::new(0), cancel.child());
    let below = |&(piece, work): &(Node, u64)| -> Result<NodesByRowsLeft, Cancelled> {
        let mut nodes = [0; Board::MAX_SIZE + 1];
        nodes[piece.rows_left() as usize] = 2;
        stop.check()?;
        walk(piece, &mut nodes, &stop)?;
        let share = (done.fetch_add(work, Ordering::Relaxed) + work) as f64 / whole as f64;
        observer.tell(share, &stop);
        Ok(nodes)
    };
    let add = |mut sum: NodesByRowsLeft, nodes: NodesByRowsLeft| {
        sum.iter_mut().zip(nodes).for_each(|(sum, nodes)| *sum += nodes);
        Ok(sum)
    };
    let mut by_rows_left = pieces.par_iter().map(below).try_reduce(|| [0; Board::MAX_SIZE + 1], add)?;
    // The pieces lie below the empty board and the placements of one queen, except on the board with one square.
    by_rows_left[size] = 1;
    by_rows_left[size - 1] = size as u64;
    Ok((0..=size).rev().map(|rows_left| by_rows_left[rows_left]).collect())
}

/// Returns one placement of two queens of each mirrored pair, with its estimated work, which is the number of nodes
/// below it. Below a first queen in the corner are half as many nodes as below one in the middle.
fn pieces(board: Board) -> Vec<(Node, u64)> {
    const PATHS: u32 = 500;
    let mut random = SplitMix64::new(board.size() as u64);
    let with_work = |piece| (piece, nodes_below(piece, &ALL_OPEN, PATHS, &mut random) as u64);
    units(board, &ALL_OPEN, true, 2).into_iter().map(with_work).collect()
}

/// Counts the nodes below a node, each together with its mirror image.
fn walk(node: Node, nodes: &mut NodesByRowsLeft, cancel: &Cancel) -> Result<(), Cancelled> {
    if node.rows_left() > UNWATCHED_ROWS {
        cancel.check()?;
    }
    for (_, child) in node.children() {
        nodes[child.rows_left() as usize] += 2;
        if child.free() != 0 {
            walk(child, nodes, cancel)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_is_done_is_that_of_the_nodes() {
        let board = Board::new(12).unwrap();
        let nodes = |&(piece, _): &(Node, u64)| {
            let mut nodes = [0; Board::MAX_SIZE + 1];
            walk(piece, &mut nodes, &Cancel::new()).unwrap();
            nodes.iter().sum::<u64>() as f64
        };
        let pieces = pieces(board);
        let whole: f64 = pieces.iter().map(nodes).sum();
        let shares = std::sync::Mutex::new(Vec::new());
        let progress = |share| shares.lock().unwrap().push(share);
        crate::run::on_threads(1, || nodes_per_row(board, &Cancel::new(), &progress)).unwrap().unwrap();
        let mut done = 0.0;
        for (piece, share) in pieces.iter().zip(shares.into_inner().unwrap()) {
            done += nodes(piece);
            assert!((done / whole - share).abs() < 0.02, "{} of the nodes, but {share} is told", done / whole);
            assert!(done < whole || (share - 1.0).abs() < 1e-12, "the last share is the whole");
        }
    }

    fn profile(size: usize) -> Vec<u64> {
        nodes_per_row(Board::new(size).unwrap(), &Cancel::new(), &()).unwrap()
    }

    #[test]
    fn a_profile_that_nobody_sees_the_end_of_is_refused() {
        let refused = nodes_per_row(Board::new(25).unwrap(), &Cancel::new(), &()).unwrap_err().to_string();
        assert_eq!(refused, "N = 25 takes years of CPU time; give a board of at most 24");
    }

    /// The published numbers are OEIS A319236.
    #[test]
    #[ignore = "slow"]
    fn slow_sixteen_queens_have_the_published_profile() {
        let published = "1 16 210 2236 19688 141812 838816 3998456 15324708 46358876 108478966 193892860 260303408 \
                         253897632 171158018 72002088 14772512";
        assert_eq!(profile(16).iter().map(u64::to_string).collect::<Vec<_>>().join(" "), published);
    }
}
