//! The errors of a count.

use crate::board::Board;
use crate::engine::PrepareError;
use crate::names::InputError;
use std::sync::Arc;

/// Error returned when a count cannot begin or does not reach its total.
///
/// ```
/// use nqueens::RunError;
///
/// assert!(matches!(nqueens::count(0), Err(RunError::Input(_))));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no board of this size.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The engine cannot count the board with these settings.
    #[error(transparent)]
    Prepare(PrepareError),
    /// The number of threads is out of range.
    #[error("cannot count with {given} threads; give a number from 1 to {most}")]
    Threads {
        /// The number given.
        given: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// There is not enough memory, of the machine or of a device.
    #[error("{message}")]
    Memory {
        /// The memory that is needed and the memory that is free, and advice, in words.
        message: String,
        /// The bytes that the count needs at least.
        needed: u64,
    },
    /// The operating system did not start the threads.
    #[error("cannot start {}: {source}", in_words(*threads))]
    Pool {
        /// The number of threads asked for.
        threads: usize,
        /// The error of the system or of the thread pool.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// A partial count is impossible, because of a bug in the program or a fault of the machine. The other threads
    /// stopped at once.
    #[error("unit {unit} of N = {board} counted {partial}, which is not a multiple of {factor}")]
    Impossible {
        /// The board.
        board: Board,
        /// The unit.
        unit: usize,
        /// The partial count.
        partial: u128,
        /// The number that divides every partial count of the unit.
        factor: u64,
    },
    /// A thread panicked, because of a bug in the program or a fault of the machine. The other threads stopped at once.
    #[error(
        "{} panicked: {message}",
        unit.map_or("a thread".to_owned(), |(board, unit)| format!("unit {unit} of N = {board}"))
    )]
    Panicked {
        /// The unit that the thread was counting, and its board; `None` if it was not counting a unit.
        unit: Option<(Board, usize)>,
        /// The message of the panic.
        message: String,
    },
    /// A GPU failed, was lost, or counted wrong. The other threads stopped at once, and nothing that the GPU had not
    /// finished was counted.
    #[error("{message}")]
    Device {
        /// The failure, and what may help.
        message: String,
        /// True if the GPU counted wrong. What it counted before, perhaps into a ledger, cannot be trusted.
        is_wrong: bool,
    },
    /// The count was cancelled.
    #[error("{}", stopped(*done, *units))]
    Cancelled {
        /// The number of finished units.
        done: usize,
        /// The number of units to count; 0 if the plan was not made yet.
        units: usize,
    },
    /// The partial counts, or the counts [by square](crate::Job::by_square), do not make up a total.
    #[error("{0}")]
    Sum(String),
    /// The total contradicts the published count or is impossible, because of a bug in the program or a fault of the
    /// machine.
    #[error("{message}")]
    WrongTotal {
        /// The board.
        board: Board,
        /// The total.
        total: u128,
        /// The total and the published count, or why the total is impossible, in words.
        message: String,
    },
    /// The [second count](crate::Count::double_check) differs from the first, so one of them is wrong.
    #[error("{message}")]
    Differs {
        /// The unit that differs.
        unit: usize,
        /// The two numbers.
        counts: [u128; 2],
        /// The unit, the numbers and the routes by which they were counted, in words.
        message: String,
    },
}

impl RunError {
    /// Returns the error for threads that could not be started.
    pub fn pool(threads: usize, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Pool { threads, source: Arc::new(source) }
    }
}

impl From<PrepareError> for RunError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Cancelled(_) => RunError::Cancelled { done: 0, units: 0 },
            error => RunError::Prepare(error),
        }
    }
}

/// Returns the progress of a count that was cancelled, in words.
fn stopped(done: usize, units: usize) -> String {
    match units {
        0 => "stopped before the first unit".to_owned(),
        1 => format!("stopped after {done} of 1 unit"),
        _ => format!("stopped after {done} of {units} units"),
    }
}

/// Returns a number of threads in words.
pub(super) fn in_words(threads: usize) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

/// Returns a number of bytes in words: three digits, in the unit that suits it.
pub fn bytes_in_words(bytes: u64) -> String {
    let in_unit = |shift: u32| bytes as f64 / f64::from(1 << shift);
    let (number, unit) = match bytes {
        0 => return "0 KiB".to_owned(),
        // The bounds are 999.5 KiB and 999.5 MiB.
        1..1_023_488 => (in_unit(10), "KiB"),
        1_023_488..1_048_051_712 => (in_unit(20), "MiB"),
        _ => (in_unit(30), "GiB"),
    };
    let places = if number < 9.995 { 2 } else { usize::from(number < 99.95) };
    format!("{number:.places$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_three_digits_and_the_unit_that_suits_them() {
        for (bytes, words) in [
            (0, "0 KiB"),
            (1, "0.00 KiB"),
            (1_023_487, "999 KiB"),
            (1_023_488, "0.98 MiB"),
            (1664 << 20, "1.62 GiB"),
            (60 << 30, "60.0 GiB"),
        ] {
            assert_eq!(bytes_in_words(bytes), words);
        }
    }
}
