//! Counts by the square of a queen.

use super::count::checked;
use super::error::RunError;
use super::job::Job;
use super::observer::Observer;
use super::pool::Pool;
use crate::cancel::Cancel;
use crate::engine::Settings;
use crate::platform::HAS_THREADS;
use crate::setup::Setup;
use crate::symmetry::Symmetry;
use std::collections::BTreeMap;

impl Job {
    /// Returns the number of solutions that have a queen on each square, row by row. Each row and each column adds up to
    /// all solutions.
    ///
    /// The backtracker counts the squares one after another. If symmetries of the board or setup map squares to each other,
    /// only one is counted. The whole takes several times as long as a count by the backtracker. The observer's
    /// [`progress`](Observer::progress) gets the share of the squares that is done.
    ///
    /// # Errors
    /// The errors of [`run_with`](Self::run_with) for a board with a given queen, and an error when the numbers do not add
    /// up or add up to a wrong total.
    ///
    /// ```
    /// use nqueens::{Board, Cancel, Job};
    ///
    /// let counts = Job::new(Board::new(4)?).by_square(&Cancel::new(), &())?;
    /// assert_eq!(counts, [[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn by_square(&self, cancel: &Cancel, observer: &dyn Observer) -> Result<Vec<Vec<u128>>, RunError> {
        let (board, size) = (self.board, self.board.size());
        let setup = Setup::from((board, self.settings.setup));
        let job = self.clone().settings(Settings { setup: Some(setup), ..self.settings });
        // The board as a whole is refused if it takes too long, but no part of it is.
        let job = job.clone().engine(job.chosen_engine()?);
        let open = setup.open();
        let symmetries: Vec<Symmetry> =
            Symmetry::ALL.into_iter().filter(|&symmetry| setup.image(symmetry).open() == open).collect();
        // The first of the squares that are mapped to each other stands for all.
        let first = |square| symmetries.iter().map(|symmetry| symmetry.square(board, square)).min().unwrap_or(square);
        let squares = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
        let mut counts: BTreeMap<(usize, usize), u128> =
            squares.filter(|&(row, column)| open[row] >> column & 1 == 1).map(|square| (first(square), 0)).collect();
        let with_queen = |job: &Job, square: (usize, usize)| {
            // The square is open, so that only a queen given there is refused.
            let setup = setup.with_queen(square.0, square.1).unwrap_or(setup);
            job.clone().settings(Settings { setup: Some(setup), ..job.settings })
        };
        // Each start of threads would take address space, which the system may have limited.
        let needs_pool =
            HAS_THREADS && job.pool.is_none() && counts.keys().any(|&square| !with_queen(&job, square).is_quick());
        let job = if needs_pool { job.clone().pool(&Pool::new(job.thread_count())?) } else { job };
        let all = counts.len() as f64;
        for (done, (&square, count)) in counts.iter_mut().enumerate() {
            let progress = |share: f64| observer.progress((done as f64 + share) / all);
            *count = with_queen(&job, square).run_with(cancel, &progress)?.total;
        }
        let count_at = |square| counts.get(&first(square)).copied().unwrap_or(0);
        even(setup, (0..size).map(|row| (0..size).map(|column| count_at((row, column))).collect()).collect())
    }
}

/// Checks that the numbers of every row and of every column add up to the same, and to a total that may be right.
///
/// # Errors
/// Returns an error with two sums that differ, or with a wrong total.
fn even(setup: Setup, counts: Vec<Vec<u128>>) -> Result<Vec<Vec<u128>>, RunError> {
    let board = setup.board();
    let row_sums = counts.iter().map(|row| row.iter().sum::<u128>());
    let column_sums = (0..board.size()).map(|column| counts.iter().map(|row| row[column]).sum::<u128>());
    let sums: Vec<u128> = row_sums.chain(column_sums).collect();
    match sums.iter().find(|&sum| *sum != sums[0]) {
        None => checked(setup, sums[0]).map(|_| counts),
        Some(other) => Err(RunError::Sum(format!("the counts for N = {board} do not add up: {} and {other}", sums[0]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn squares_whose_rows_and_columns_do_not_add_up_to_the_same_or_to_a_wrong_total_are_an_error() {
        let checked = |counts: [[u128; 2]; 2]| even(Board::new(2).unwrap().into(), counts.map(Vec::from).to_vec());
        assert_eq!(checked([[0; 2]; 2]).unwrap(), [[0; 2]; 2]);
        assert!(matches!(checked([[1, 2], [2, 1]]), Err(RunError::WrongTotal { total: 3, .. })));
        for (counts, sums) in [([[1, 2], [1, 2]], "add up: 3 and 2"), ([[1, 2], [2, 2]], "add up: 3 and 4")] {
            assert!(matches!(checked(counts), Err(RunError::Sum(message)) if message.ends_with(sums)));
        }
    }

    #[test]
    fn squares_have_the_numbers_of_their_setup() {
        let setup = Setup::new(Board::new(4).unwrap()).with_queen(0, 1).unwrap();
        let job = Job::new(Board::new(4).unwrap()).settings(Settings { setup: Some(setup), ..Settings::default() });
        let (shares, cancel) = (std::sync::Mutex::new(Vec::new()), Cancel::new());
        let counts = job.by_square(&cancel, &|share: f64| shares.lock().unwrap().push(share)).unwrap();
        assert_eq!(counts, [[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]]);
        let shares = shares.into_inner().unwrap();
        assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{shares:?}");
        let other = job.engine(crate::Engine::TwoColor).by_square(&cancel, &());
        assert!(matches!(other, Err(RunError::Prepare(crate::PrepareError::Setting { .. }))), "{other:?}");
    }
}
