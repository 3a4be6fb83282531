//! Reasons for a command to fail, with their messages and exit codes.

use crate::app::messages;
use nqueens::ledger::{LedgerError, MergeError};
use nqueens::{Board, Cancelled, Kernel, PrepareError, RunError};
use std::io;
use std::process::ExitCode;

/// The reason that a command did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is wrong: exit code 2.
    Usage(String),
    /// The work failed, or its result contradicts the published count: exit code 1.
    Failed(String),
    /// There is no solution to show: exit code 1, though this is not an error.
    NoSolution(String),
    /// The reader closed the pipe: exit code 0 and no message.
    ClosedPipe,
    /// The work was cancelled, with a message about its progress.
    Cancelled(String),
}

/// Refuses a command line, and says what would be right.
pub(crate) fn refused<T>(reason: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Usage(reason.into()))
}

impl Failure {
    /// Returns the failure for an error of writing a result. The message contains the result in words, so that it is
    /// not lost.
    pub(crate) fn with_result(error: io::Error, computed: &str) -> Failure {
        match Failure::from(error) {
            Failure::Failed(message) => Failure::Failed(format!("{message}; the result was: {computed}")),
            failure => failure,
        }
    }

    /// Returns the failure, if any, of writing the only result of a command. If its reader is gone, the result is
    /// printed on standard error.
    pub(crate) fn check_written(written: io::Result<()>, computed: &str) -> Result<(), Failure> {
        written.map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                messages::say(format_args!("nobody reads the result: {computed}"));
            }
            Failure::with_result(error, computed)
        })
    }

    /// Returns the failure of a count of `board`.
    pub(crate) fn from_count(board: Board, error: impl Into<Failure>) -> Self {
        match error.into() {
            Failure::Cancelled(message) => Failure::Cancelled(format!("N = {board}: {message}")),
            failure => failure,
        }
    }

    /// Prints the message on standard error and returns the exit code.
    pub(crate) fn exit(self) -> ExitCode {
        let (message, code) = match self {
            Failure::Usage(message) => (format!("error: {message}"), 2),
            Failure::Failed(message) | Failure::Cancelled(message) => (format!("error: {message}"), 1),
            Failure::NoSolution(message) => (message, 1),
            Failure::ClosedPipe => return ExitCode::SUCCESS,
        };
        messages::say(format_args!("{message}"));
        ExitCode::from(code)
    }
}

/// The error is taken for one of writing the output. After an error of reading, the command names the file itself.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Failed(format!("cannot write the output: {error}")),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Prepare(error) => error.into(),
            RunError::Input(_) | RunError::Threads { .. } => Failure::Usage(error.to_string()),
            RunError::Cancelled { .. } => Failure::Cancelled(error.to_string()),
            RunError::Pool { threads: 2.., .. } => {
                Failure::Failed(format!("{error}; give a smaller --threads or a higher limit"))
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<PrepareError> for Failure {
    fn from(error: PrepareError) -> Self {
        let advice = match &error {
            PrepareError::Cancelled(cancelled) => return (*cancelled).into(),
            PrepareError::Kernel { kernel: Kernel::Gpu, .. } => {
                "; give --engine two-color, or omit --kernel and --device"
            }
            PrepareError::Kernel { .. } => " with --kernel",
            // A machine without a usable GPU is no fault of the command line.
            PrepareError::Gpu { .. } => return Failure::Failed(error.to_string()),
            PrepareError::SplitRows { .. } => " with --split-rows",
            PrepareError::Board { .. } => ", or give --engine backtrack",
            PrepareError::TooLong { .. } => ", or --engine backtrack to begin all the same",
            _ => "",
        };
        Failure::Usage(format!("{error}{advice}"))
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Run(error) => error.into(),
            LedgerError::Cancelled(cancelled) => cancelled.into(),
            LedgerError::NotALedger { .. } => {
                Failure::Usage(format!("{error}; give a new file, or one that an earlier count began"))
            }
            LedgerError::Open { .. } => Failure::Usage(format!("{error}; give --ledger a file that can be written")),
            LedgerError::Other { .. } => Failure::Usage(error.to_string()),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Nothing | MergeError::Unusable(_) => Failure::Usage(error.to_string()),
            MergeError::Ledger(error) => error.into(),
            MergeError::Differ { unit, .. } => Failure::Failed(format!(
                "{error}; `nqueens recheck --unit {unit}` of each ledger by itself, from its line with \"schema\" on, tells which"
            )),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<Cancelled> for Failure {
    fn from(cancelled: Cancelled) -> Self {
        Failure::Cancelled(cancelled.to_string())
    }
}
