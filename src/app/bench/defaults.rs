//! The boards that are measured by default. They grow with the number of threads, so that every count lasts long enough
//! to be timed.

use crate::app::bench::quality;
use nqueens::Board;

/// The shortest expected time of a count that is measured by default, in seconds.
const SHORTEST: f64 = 2.0 * quality::SHORTEST;
/// The shortest expected time of the smallest board on one thread, in seconds.
const SHORTEST_ALONE: f64 = 0.1;

/// Returns boards, from small to large, each with those of `threads` with which it takes long enough on `cpus` CPUs: at
/// least two boards, and as many as it takes until one is long enough with all `threads`.
///
/// `seconds` returns the expected time of a board on one thread; `None` if it cannot be counted.
///
/// # Errors
/// Those of `seconds`.
pub(super) fn boards<E>(
    threads: &[usize],
    cpus: usize,
    mut seconds: impl FnMut(Board) -> Result<Option<f64>, E>,
) -> Result<Vec<(Board, Vec<usize>)>, E> {
    let mut boards: Vec<(Board, Vec<usize>)> = Vec::new();
    for board in (1..=Board::MAX_SIZE).filter_map(|size| Board::new(size).ok()) {
        let Some(seconds) = seconds(board)? else { break };
        if seconds < SHORTEST_ALONE {
            continue;
        }
        // Threads that share a CPU make no count shorter.
        let is_long = |threads: &usize| seconds / (*threads).min(cpus) as f64 >= SHORTEST;
        let long: Vec<usize> = threads.iter().copied().filter(is_long).collect();
        let is_last = !boards.is_empty() && long.len() == threads.len();
        if !long.is_empty() {
            boards.push((board, long));
        }
        if is_last {
            break;
        }
    }
    Ok(boards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Boards for a machine on which N = 10 takes `seconds`, and every larger board `growth` times as long.
    fn of(threads: &[usize], cpus: usize, seconds: f64, growth: f64) -> Vec<(usize, Vec<usize>)> {
        let time = |board: Board| Ok::<_, ()>(Some(seconds * growth.powf(board.size() as f64 - 10.0)));
        boards(threads, cpus, time).unwrap().into_iter().map(|(board, threads)| (board.size(), threads)).collect()
    }

    #[test]
    fn small_boards_are_for_few_threads() {
        assert_eq!(of(&[1, 2], 2, 0.02, 6.0), [(11, vec![1, 2]), (12, vec![1, 2])]);
        assert_eq!(of(&[1, 4, 8, 64], 64, 0.02, 6.0), [(11, vec![1, 4]), (12, vec![1, 4, 8]), (13, vec![1, 4, 8, 64])]);
        assert_eq!(of(&[64], 64, 0.02, 6.0), [(13, vec![64]), (14, vec![64])]);
        assert_eq!(of(&[64], 1, 0.02, 6.0), [(11, vec![64]), (12, vec![64])], "they share a CPU");
    }

    #[test]
    fn an_engine_that_counts_small_boards_only_counts_these() {
        let few = boards(&[1, 999], 999, |board| Ok::<_, ()>((board.size() < 3).then_some(1.0))).unwrap();
        assert_eq!(
            few.iter().map(|(board, threads)| (board.size(), threads.len())).collect::<Vec<_>>(),
            [(1, 1), (2, 1)]
        );
    }

    proptest! {
        #[test]
        fn every_count_is_long_enough_and_one_board_has_all_threads(
            cpus in 1..1025_usize, seconds in 1e-4..1.0, growth in 3.0..15.0,
        ) {
            let threads: Vec<usize> = (0..11).map(|power| 1 << power).filter(|&threads| threads <= cpus).collect();
            let boards = of(&threads, cpus, seconds, growth);
            prop_assert!(boards.len() >= 2);
            prop_assert_eq!(&boards[boards.len() - 1].1, &threads);
            for (board, threads) in &boards {
                let alone = seconds * growth.powf(*board as f64 - 10.0);
                prop_assert!(alone >= SHORTEST_ALONE && threads[0] == 1);
                prop_assert!(threads.iter().all(|&threads| alone / threads as f64 >= SHORTEST));
            }
            let larger = of(&threads, cpus, seconds / 2.0, growth);
            let last = |boards: &[(usize, Vec<usize>)]| boards[boards.len() - 1].0;
            prop_assert!(last(&larger) >= last(&boards), "a faster machine counts larger boards");
        }
    }
}
