//! `nqueens trace`: the search with three arrays of flags, step by step.

pub(crate) mod formats;
mod player;

use crate::app::failure::Failure;
use crate::app::numbers::whole;
use crate::app::options::Destination;
use crate::app::output::file::{self, Output};
use crate::app::output::words::many;
use crate::app::session::Session;
use crate::app::terminal;
use crate::app::trace::formats::Format;
use crate::classic::trace::{Step, Until};
use crate::{Board, Cancel};
use std::io::{self, BufWriter, IsTerminal, stdin};
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};

/// Watch a backtracking search, step by step
///
/// Queens are placed row by row. Three arrays hold a flag for each column, each anti-diagonal (row + column) and each
/// diagonal (row - column + N - 1); a queen marks its three lines, and they are unmarked when it is taken back. On a terminal
/// the search is played: keys step forward and back, play, pause and quit. Elsewhere every step is a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens trace 4
  nqueens trace 4 --until all | less
  nqueens trace 6 --html trace.html
  nqueens trace 5 --format json")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    board: Board,

    /// How far to follow the search
    #[arg(long, value_name = "WHEN", default_value = "first")]
    until: End,

    /// At most this many steps [default: all, or 100000 where they are played]
    ///
    /// They are played on a terminal and by --html; at most 1000000 can be.
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, value_parser = whole(1..=u64::MAX))]
    limit: Option<u64>,

    /// Print the steps in this format instead of playing them
    #[arg(long, short, value_name = "FORMAT", help_heading = "What to print")]
    format: Option<Format>,

    /// Write a page for the browser that plays the steps; it needs no network
    #[arg(long, value_name = "FILE", help_heading = "What to print", conflicts_with_all = ["format", "output"])]
    html: Option<PathBuf>,

    #[command(flatten)]
    destination: Destination,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum End {
    /// To the first solution
    First,
    /// Through the whole tree
    All,
}

/// The most steps that are played, unless more are asked for, and if they are. They are all kept.
const PLAYED: u64 = 100_000;
const MOST_PLAYED: u64 = 1_000_000;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    if let Some(path) = &arguments.html {
        arguments.check_played()?;
        let output = file::open(&[], None, &[(path, "--html")])?.1.remove(0);
        return session.run(|cancel| page(arguments, path, output, cancel));
    }
    let output = arguments.destination.open(&[])?;
    let play = arguments.format.is_none() && output.is_terminal() && stdin().is_terminal() && !terminal::is_dumb();
    if play {
        arguments.check_played()?;
    }
    session.run(|cancel| if play { self::play(arguments, cancel) } else { list(arguments, output, cancel) })
}

impl Arguments {
    fn until(&self) -> Until {
        match self.until {
            End::First => Until::First,
            End::All => Until::All,
        }
    }

    /// Refuses to play more than can be.
    fn check_played(&self) -> Result<(), Failure> {
        match self.limit.filter(|&limit| limit > MOST_PLAYED) {
            None => Ok(()),
            Some(limit) => Err(Failure::Usage(format!(
                "{limit} steps are too many to be played; give --limit {MOST_PLAYED} or less, or --format json"
            ))),
        }
    }

    /// The steps to be played, and whether the search came to its end with them.
    fn steps(&self, cancel: &Cancel) -> Result<(Vec<Step>, bool), Failure> {
        let limit = self.limit.unwrap_or(PLAYED);
        let mut steps = Vec::new();
        let complete = crate::classic::trace::trace(self.board, self.until(), &mut |step| {
            if steps.len() as u64 == limit || cancel.is_cancelled() {
                return Break(());
            }
            steps.push(step);
            Continue(())
        });
        if cancel.is_cancelled() { Err(stopped(steps.len() as u64)) } else { Ok((steps, complete)) }
    }

    /// Says how it went, where these steps are all that there were.
    fn remark(&self, before: &str, steps: u64, last: Option<Step>, complete: bool) {
        let end = match (complete, last) {
            (false, _) => "cut there: the search goes on (--limit)",
            (true, Some(Step::Solution { .. })) => "to the first solution",
            (true, _) if matches!(self.until, End::First) => "the whole search: there is no solution",
            (true, _) => "the whole search",
        };
        self.destination.remark(format_args!("{before}{}, {end}", many(steps, "step")));
    }
}

fn stopped(steps: u64) -> Failure {
    Failure::Cancelled(format!("stopped after {}", many(steps, "step")))
}

/// A page for the browser.
fn page(arguments: &Arguments, path: &Path, output: Output, cancel: &Cancel) -> Result<(), Failure> {
    let (steps, complete) = arguments.steps(cancel)?;
    let written = formats::html::write(arguments.board, arguments.until(), &steps, complete, BufWriter::new(output));
    written.map_err(|error| Failure::writing(&error))?;
    let path = path.display();
    arguments.remark(&format!("open '{path}' in a browser: "), steps.len() as u64, steps.last().copied(), complete);
    Ok(())
}

/// A film on the terminal.
fn play(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let (steps, complete) = arguments.steps(cancel)?;
    player::play(arguments.board, &steps, complete, cancel)
}

/// A line for each step, as the search goes on.
fn list(arguments: &Arguments, output: Output, cancel: &Cancel) -> Result<(), Failure> {
    let format = arguments.format.unwrap_or(Format::Text);
    let mut report = formats::open(format, arguments.board, arguments.until(), BufWriter::new(output));
    let (mut steps, mut last) = (0, None);
    let mut written: io::Result<()> = Ok(());
    let complete = crate::classic::trace::trace(arguments.board, arguments.until(), &mut |step| {
        if arguments.limit == Some(steps) || cancel.is_cancelled() {
            return Break(());
        }
        steps += 1;
        last = Some(step);
        written = report.step(&step);
        if written.is_ok() { Continue(()) } else { Break(()) }
    });
    let stopped_early = cancel.is_cancelled() && !complete;
    written.and_then(|()| report.finish(complete, !stopped_early)).map_err(|error| Failure::writing(&error))?;
    if stopped_early {
        return Err(stopped(steps));
    }
    arguments.remark("", steps, last, complete);
    Ok(())
}
