//! Counts by a property in which solutions differ: the square of a queen, or the colours of all queens.

use super::counting::PreparedJob;
use super::error::RunError;
use super::job::Job;
use super::observer::Observer;
use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::{Engine, Settings};
use crate::setup::Setup;
use crate::symmetry::Symmetry;
use std::collections::BTreeMap;

/// Returns the number of solutions that have a queen on each square, row by row. Each row and each column adds up to
/// all solutions.
///
/// The backtracker counts the squares one after another. If symmetries of the board or setup map squares to each other,
/// only one is counted. The whole takes several times as long as a count by the backtracker. The observer's
/// [`progress`](Observer::progress) gets the share of the squares that is done.
///
/// # Errors
/// The errors of [`Job::run_with`], an error when the numbers do not add up, and one for a job that names another
/// engine.
///
/// ```
/// use nqueens::{Board, Cancel, Job, by_square};
///
/// let counts = by_square(&Job::new(Board::new(4)?), &Cancel::new(), &())?;
/// assert_eq!(counts, [[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn by_square(job: &Job, cancel: &Cancel, observer: &dyn Observer) -> Result<Vec<Vec<u128>>, RunError> {
    even(job.board, rows(job, job.board.size(), cancel, observer)?)
}

/// Checks that the job names no other engine than the one that counts.
///
/// # Errors
/// Returns an error that names both.
fn check_engine(job: &Job, engine: Engine) -> Result<(), RunError> {
    match job.engine {
        Some(named) if named != engine => Err(RunError::OtherEngine { named, engine }),
        _ => Ok(()),
    }
}

/// Checks that the numbers of every row and of every column add up to the same.
///
/// # Errors
/// Returns an error with two sums that differ.
fn even(board: Board, counts: Vec<Vec<u128>>) -> Result<Vec<Vec<u128>>, RunError> {
    let row_sums = counts.iter().map(|row| row.iter().sum::<u128>());
    let column_sums = (0..board.size()).map(|column| counts.iter().map(|row| row[column]).sum::<u128>());
    let sums: Vec<u128> = row_sums.chain(column_sums).collect();
    match sums.iter().find(|&sum| *sum != sums[0]) {
        None => Ok(counts),
        Some(&other) => Err(RunError::Uneven { board, sums: [sums[0], other] }),
    }
}

/// Returns the number of solutions by the column of the queen in the first row, as [`by_square`] does. The sum is the
/// number of all solutions. OEIS A059963 has these numbers for the board without a setup.
///
/// # Errors
/// The errors of [`Job::run_with`], and an error for a job that names another engine than the backtracker.
///
/// ```
/// use nqueens::{Board, Cancel, Job, by_column};
///
/// let counts = by_column(&Job::new(Board::new(8)?), &Cancel::new(), &())?;
/// assert_eq!(counts, [4, 8, 16, 18, 18, 16, 8, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn by_column(job: &Job, cancel: &Cancel, observer: &dyn Observer) -> Result<Vec<u128>, RunError> {
    Ok(rows(job, 1, cancel, observer)?.swap_remove(0))
}

/// Returns the first rows of the numbers of [`by_square`].
fn rows(job: &Job, rows: usize, cancel: &Cancel, observer: &dyn Observer) -> Result<Vec<Vec<u128>>, RunError> {
    check_engine(job, Engine::Backtrack)?;
    let (board, size) = (job.board, job.board.size());
    let setup = job.settings.setup.unwrap_or_else(|| Setup::new(board));
    let settings = Settings { setup: Some(setup), ..job.settings };
    let job = job.clone().settings(settings);
    // The board as a whole is refused if it takes too long, but no part of it is.
    let job = job.clone().engine(job.chosen_engine()?);
    let open = setup.open();
    let symmetries: Vec<Symmetry> =
        Symmetry::ALL.into_iter().filter(|&symmetry| setup.image(symmetry).open() == open).collect();
    // The first of the squares that are mapped to each other stands for all.
    let first = |square| symmetries.iter().map(|symmetry| symmetry.square(board, square)).min().expect("one is kept");
    let squares = (0..rows).flat_map(|row| (0..size).map(move |column| (row, column)));
    let mut counts: BTreeMap<(usize, usize), u128> =
        squares.filter(|&(row, column)| open[row] >> column & 1 == 1).map(|square| (first(square), 0)).collect();
    let (all, stop) = (counts.len() as f64, cancel.child());
    for (done, (&square, count)) in counts.iter_mut().enumerate() {
        let with_queen = if setup.queens().any(|queen| queen == square) {
            setup
        } else {
            setup.with_queen(square.0, square.1).expect("the square is open")
        };
        let settings = Settings { setup: Some(with_queen), ..job.settings };
        let job = Job { settings, ..job.clone() };
        *count = job.run_with(&stop, &|share: f64| observer.tell((done as f64 + share) / all, &stop))?.total;
    }
    let count_at = |square| counts.get(&first(square)).copied().unwrap_or(0);
    Ok((0..rows).map(|row| (0..size).map(|column| count_at((row, column))).collect()).collect())
}

/// Returns the number of solutions by the number of queens on white squares, whose row and column have an even sum.
/// Only numbers that solutions have are listed. The two-color engine counts, and takes no longer than for the total.
///
/// # Errors
/// The errors of [`Job::run_with`], and an error for a job with a setup or one that names another engine.
///
/// ```
/// use nqueens::{Board, Cancel, Job, by_color};
///
/// let counts = by_color(&Job::new(Board::new(9)?), &Cancel::new(), &())?;
/// assert_eq!(Vec::from_iter(counts), [(3, 48), (5, 304)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn by_color(job: &Job, cancel: &Cancel, observer: &dyn Observer) -> Result<BTreeMap<usize, u128>, RunError> {
    check_engine(job, Engine::TwoColor)?;
    let job = PreparedJob::new(&job.clone().engine(Engine::TwoColor), cancel)?;
    let plan = &job.counter.plan;
    let counted = job.count_units(&plan.longest_first(), [], cancel, observer)?;
    let mut sums: BTreeMap<usize, u128> = BTreeMap::new();
    for unit in 0..plan.units() {
        let white = job.counter.units.white_queens(unit).expect("a unit of two-color has a number of white queens");
        *sums.entry(white).or_default() += counted.sum.partial(unit).expect("all units are counted");
    }
    divided(plan.board(), plan.divisor(), sums)
}

/// Returns the numbers of solutions, given the sums of the units by their number of white queens.
///
/// # Errors
/// Returns an error if a sum is not a multiple of its divisor.
fn divided(board: Board, divisor: u64, sums: BTreeMap<usize, u128>) -> Result<BTreeMap<usize, u128>, RunError> {
    let (size, mut counts) = (board.size(), BTreeMap::new());
    for (white, sum) in sums.into_iter().filter(|&(_, sum)| sum > 0) {
        // The mirror image of an even board exchanges the colours, so that units of one number stand for two numbers.
        let numbers = if size % 2 == 0 && 2 * white != size { vec![white, size - white] } else { vec![white] };
        let divisor = u128::from(divisor) * numbers.len() as u128;
        if !sum.is_multiple_of(divisor) {
            return Err(RunError::Uneven { board, sums: [sum, divisor] });
        }
        counts.extend(numbers.into_iter().map(|white| (white, sum / divisor)));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_whose_rows_and_columns_do_not_add_up_to_the_same_are_an_error() {
        let checked = |counts: [[u128; 2]; 2]| even(Board::new(2).unwrap(), counts.map(Vec::from).to_vec());
        assert_eq!(checked([[1, 2], [2, 1]]).unwrap(), [[1, 2], [2, 1]]);
        for (counts, sums) in [([[1, 2], [1, 2]], [3, 2]), ([[1, 2], [2, 2]], [3, 4])] {
            assert!(matches!(checked(counts), Err(RunError::Uneven { sums: found, .. }) if found == sums));
        }
    }

    #[test]
    fn squares_have_the_numbers_of_their_setup() {
        let setup = Setup::new(Board::new(4).unwrap()).with_queen(0, 1).unwrap();
        let job = Job::new(Board::new(4).unwrap()).settings(Settings { setup: Some(setup), ..Settings::default() });
        let (shares, cancel) = (std::sync::Mutex::new(Vec::new()), Cancel::new());
        let counts = by_square(&job, &cancel, &|share: f64| shares.lock().unwrap().push(share)).unwrap();
        assert_eq!(counts, [[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]]);
        let shares = shares.into_inner().unwrap();
        assert!(shares.is_sorted() && shares.last() <= Some(&1.0), "{shares:?}");
        assert_eq!(by_column(&job, &cancel, &()).unwrap(), [0, 1, 0, 0]);
        assert_eq!(by_color(&Job::new(Board::new(8).unwrap()), &cancel, &()).unwrap().values().sum::<u128>(), 92);
    }

    #[test]
    fn a_sum_by_color_that_is_no_multiple_of_its_divisor_is_an_error() {
        let counts = |size, sums: &[(usize, u128)]| {
            divided(Board::new(size).unwrap(), 8, sums.iter().copied().collect()).map(Vec::from_iter)
        };
        assert_eq!(counts(9, &[(3, 384), (4, 0), (5, 2432)]).unwrap(), [(3, 48), (5, 304)]);
        // On an even board the divisor is 16 for two numbers of queens.
        assert_eq!(counts(8, &[(2, 160), (4, 8)]).unwrap(), [(2, 10), (4, 1), (6, 10)]);
        for (size, sums) in [(9, (3, 385)), (9, (3, 388)), (8, (2, 168)), (8, (4, 4))] {
            assert!(matches!(counts(size, &[sums]), Err(RunError::Uneven { sums: [sum, _], .. }) if sum == sums.1));
        }
    }
}
