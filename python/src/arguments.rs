//! The conversion of Python's arguments to the library's, and of the library's errors to Python's.

use nqueens::ledger::{LedgerError, MergeError};
use nqueens::{Board, PrepareError, RunError, Setup, Solution};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::time::Duration;

pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn run_error(error: RunError) -> PyErr {
    match error {
        RunError::Input(_) | RunError::Prepare(_) | RunError::Threads { .. } => value_error(error),
        RunError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        error => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Returns the exception for a count whose engine can be named.
pub(crate) fn count_error(error: RunError) -> PyErr {
    match error {
        RunError::Prepare(PrepareError::TooLong { .. }) => {
            value_error(format!("{error}, or name engine 'backtrack' to begin all the same"))
        }
        error => run_error(error),
    }
}

/// Returns the exception for ledgers that cannot be used.
pub(crate) fn merge_error(error: MergeError) -> PyErr {
    match error {
        MergeError::Ledger(LedgerError::Run(error)) => count_error(error),
        MergeError::Ledger(LedgerError::InUse { .. }) => PyRuntimeError::new_err(error.to_string()),
        MergeError::Ledger(LedgerError::Open { ref source, .. } | LedgerError::Io { ref source, .. }) => {
            std::io::Error::new(source.kind(), error.to_string()).into()
        }
        error => value_error(error),
    }
}

pub(crate) fn board(size: usize) -> PyResult<Board> {
    Board::new(size).map_err(value_error)
}

/// Squares: their rows and columns.
pub(crate) type Squares = Vec<(usize, usize)>;

/// Returns a board with queens on some squares and others blocked.
pub(crate) fn setup(size: usize, queens: Squares, blocked: Squares) -> PyResult<Setup> {
    let mut setup = Setup::new(board(size)?);
    for (row, column) in queens {
        setup = setup.with_queen(row, column).map_err(value_error)?;
    }
    for (row, column) in blocked {
        setup = setup.with_blocked(row, column).map_err(value_error)?;
    }
    Ok(setup)
}

/// Returns a time that is given in seconds.
pub(crate) fn seconds(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    seconds.map(|seconds| Duration::try_from_secs_f64(seconds).map_err(value_error)).transpose()
}

pub(crate) fn solution(columns: &[usize]) -> PyResult<Solution> {
    Solution::new(columns).map_err(value_error)
}
