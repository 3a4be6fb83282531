//! Python's arguments, made the library's, and the library's errors, made Python's.

use nqueens::symmetry::FundamentalError;
use nqueens::{Board, BoardError, RunError, Solution};
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::time::Duration;

/// Returns a `ValueError` with the message of an error.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception for an error of a count.
pub(crate) fn run_error(error: RunError) -> PyErr {
    match error {
        RunError::Board(_) | RunError::Prepare(_) | RunError::Threads { .. } => value_error(error),
        RunError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        error => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Returns the exception for fundamental solutions that cannot be counted.
pub(crate) fn fundamental_error(error: FundamentalError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Returns an integer, or `None` if it is negative or too large for a size.
fn unsigned(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    match value.extract() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the board of `size` rows.
pub(crate) fn board(size: &Bound<'_, PyAny>) -> PyResult<Board> {
    unsigned(size)?.map_or(Err(BoardError::OutOfRange), Board::new).map_err(value_error)
}

/// Returns the number of threads: by default, one for each CPU that this process may use.
pub(crate) fn threads(threads: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(given) = threads else { return Ok(nqueens::run::logical_cpus()) };
    let most = nqueens::run::MOST_THREADS;
    let number = unsigned(given)?.filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| value_error(format!("cannot count with {given} threads; give a number from 1 to {most}")))
}

/// Returns a time limit that is given in seconds.
pub(crate) fn limit(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    seconds.map(|seconds| Duration::try_from_secs_f64(seconds).map_err(value_error)).transpose()
}

/// Returns the columns of queens, or a sentence about the first that no board has.
pub(crate) fn columns(columns: &Bound<'_, PyAny>) -> PyResult<Result<Vec<usize>, String>> {
    let mut numbers = Vec::new();
    for (row, column) in columns.try_iter()?.enumerate() {
        let column = column?;
        match unsigned(&column)? {
            Some(number) => numbers.push(number),
            None => return Ok(Err(format!("the queen of row {row} is in column {column}, which no board has"))),
        }
    }
    Ok(Ok(numbers))
}

/// Returns the solution whose queens stand in these columns.
pub(crate) fn solution(given: &Bound<'_, PyAny>) -> PyResult<Solution> {
    let columns = columns(given)?.map_err(value_error)?;
    Solution::new(&columns).map_err(value_error)
}
