//! The ways in which a command ends before its end, and what the caller is told.

use super::progress;
use super::session::Signal;
use clap::error::ErrorKind;
use nqueens::Board;
use nqueens::cancel::Cancelled;
use nqueens::run::RunError;
use nqueens::run::ledger::LedgerError;
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
    /// What clap has to say: help and versions are output, errors become one line.
    pub(crate) fn from_parsing(error: &clap::Error) -> Result<(), Failure> {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                error.print().map_err(|error| Failure::writing(&error))
            }
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Err(Failure::Usage(
                "say what to do: `nqueens count 8` counts the solutions for 8 queens, `nqueens --help` explains all"
                    .to_owned(),
            )),
            _ => Err(Failure::Usage(one_line(&error.to_string()))),
        }
    }

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
    progress::say(message);
    ExitCode::from(code)
}

/// Folds what clap says in several lines into one: the message, its tips, and where to read on.
fn one_line(message: &str) -> String {
    let mut parts = Vec::new();
    let mut usage = None;
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(line) = line.strip_prefix("Usage: ") {
            usage = Some(line);
        } else if !line.starts_with("For more information") && usage.is_none() {
            parts.push(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    let message = parts.join(" ");
    match usage {
        Some(usage) => format!("{message}; usage: {usage}"),
        None => message,
    }
}

impl Failure {
    /// Why a count has none.
    pub(crate) fn of_count(board: Board, error: RunError) -> Self {
        match Failure::from(error) {
            Failure::Cancelled(message) => Failure::Cancelled(format!("N = {board}: {message}")),
            failure => failure,
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Prepare(_)
            | RunError::Threads { .. }
            | RunError::Ledger(
                LedgerError::Other { .. } | LedgerError::NotALedger { .. } | LedgerError::System { what: "open", .. },
            ) => Failure::Usage(error.to_string()),
            RunError::Cancelled { .. } => Failure::Cancelled(error.to_string()),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<Cancelled> for Failure {
    fn from(cancelled: Cancelled) -> Self {
        Failure::Cancelled(cancelled.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_errors_are_folded_into_a_line_that_says_what_would_be_right() {
        let clap = "error: the following required arguments were not provided:\n  <N>\n\n\
                    Usage: nqueens count <N>\n\nFor more information, try '--help'.\n";
        assert_eq!(one_line(clap), "the following required arguments were not provided: <N>; usage: nqueens count <N>");
        let clap = "error: invalid value 'x' for '--format <FORMAT>'\n  [possible values: text, json]\n\n\
                    For more information, try '--help'.\n";
        assert_eq!(one_line(clap), "invalid value 'x' for '--format <FORMAT>' [possible values: text, json]");
    }
}
