//! The ways in which a command ends before its end, and what the caller is told.

use crate::Board;
use crate::app::messages::say;
use crate::app::session::Signal;
use crate::cancel::Cancelled;
use crate::engine::PrepareError;
use crate::ledger::{LedgerError, MergeError};
use crate::run::RunError;
use std::fmt;
use std::io;
use std::process::ExitCode;

/// Why a command did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for what cannot be: exit code 2.
    Usage(String),
    /// The work failed, or its result contradicts what is published: exit code 1.
    Failed(String),
    /// There is no solution to show: exit code 1, though nothing is wrong.
    NoSolution(String),
    /// The reader of the output has gone: nobody is left to tell, and nothing is wrong.
    ClosedPipe,
    /// The work was asked to stop; what had been done by then.
    Cancelled(String),
    /// A signal asked the program to stop, and the caller is to see that.
    Stopped(Signal, String),
}

impl Failure {
    /// A failed write to the output.
    pub(crate) fn writing(error: &io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::ClosedPipe
        } else {
            Failure::Failed(format!("cannot write the output: {error}"))
        }
    }

    /// A failed write of what has been computed, in words, and must not be lost.
    pub(crate) fn losing(error: &io::Error, computed: &str) -> Failure {
        match Failure::writing(error) {
            Failure::Failed(message) => Failure::Failed(format!("{message}; computed was: {computed}")),
            failure => failure,
        }
    }

    /// Says on standard error what happened, and gives the exit code for it.
    pub(crate) fn exit(self) -> ExitCode {
        match self {
            Failure::Usage(message) => complain(format_args!("error: {message}"), 2),
            Failure::Failed(message) | Failure::Cancelled(message) => complain(format_args!("error: {message}"), 1),
            Failure::NoSolution(message) => complain(format_args!("{message}"), 1),
            Failure::ClosedPipe => ExitCode::SUCCESS,
            Failure::Stopped(signal, message) => {
                let code = complain(format_args!("{message}"), 1);
                signal.raise();
                code
            }
        }
    }
}

fn complain(message: fmt::Arguments<'_>, code: u8) -> ExitCode {
    say(message);
    ExitCode::from(code)
}

impl Failure {
    /// Returns the failure of a count of `board`.
    pub(crate) fn of_count(board: Board, error: impl Into<Failure>) -> Self {
        match error.into() {
            Failure::Cancelled(message) => Failure::Cancelled(format!("N = {board}: {message}")),
            failure => failure,
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Prepare(error) => error.into(),
            RunError::Board(_) | RunError::Threads { .. } => Failure::Usage(error.to_string()),
            RunError::Cancelled { .. } => Failure::Cancelled(error.to_string()),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<PrepareError> for Failure {
    fn from(error: PrepareError) -> Self {
        let cure = match error {
            PrepareError::NoSplitRows { .. } => "; omit --split-rows (NQUEENS_SPLIT_ROWS), or give --engine backtrack",
            PrepareError::NoSymmetry { .. } => "; omit --symmetry (NQUEENS_SYMMETRY), or give --engine backtrack",
            _ => "",
        };
        Failure::Usage(format!("{error}{cure}"))
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Run(error) => error.into(),
            LedgerError::NotALedger { .. } => {
                Failure::Usage(format!("{error}; give a new file, or one that an earlier count began"))
            }
            LedgerError::Open { .. } => Failure::Usage(format!("{error}; give --ledger a file that can be written")),
            LedgerError::Other { .. } | LedgerError::OtherVersion { .. } | LedgerError::OldShard { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Nothing | MergeError::Mixed { .. } | MergeError::UnknownPlan { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<Cancelled> for Failure {
    fn from(cancelled: Cancelled) -> Self {
        Failure::Cancelled(cancelled.to_string())
    }
}
