//! `nqueens trace`: the search with three arrays of flags, step by step.

mod formats;
mod picture;
mod player;
mod screen;

use crate::app::failure::Failure;
use crate::app::numbers::whole;
use crate::app::options::{OutputOptions, size_of_board};
use crate::app::output::document::Document;
use crate::app::output::file::Output;
use crate::app::output::words::many;
use crate::app::terminal;
pub(crate) use crate::app::trace::formats::TraceFormat;
use crate::app::trace::formats::{NumberedStep, Until};
use nqueens::classic::{Step, Trace};
use nqueens::{Board, Cancel};
use std::io::{IsTerminal, stdin};
use std::iter::Peekable;

/// Watch a backtracking search, step by step
///
/// Queens are placed row by row. Three arrays hold a flag for each column, each anti-diagonal (row + column) and each
/// diagonal (row - column + N - 1). A queen marks its three lines, and unmarks them when it is taken back. On a
/// terminal the search is played: keys step forward and back, play and pause, and jump to the next solution, to the
/// next backtrack or to a step by its number. Elsewhere every step is a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens trace 4
  nqueens trace 4 --until all | less
  nqueens trace 4 --boards > report.txt
  nqueens trace 6 --output trace.html              a page for the browser, which needs no network
  nqueens trace 5 --format json")]
#[command(mut_arg("format", |format| format.help("\
Print the steps in this format instead of playing them [default: that of the ending of FILE, else text]")))]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true, help = size_of_board())]
    board: Board,

    /// Follow the search up to here
    #[arg(long, value_name = "WHEN", default_value = "first")]
    until: Until,

    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, value_parser = whole(1..=u64::MAX),
        help = format!("Show at most this many steps [default: all, or {PLAYED} where they are played]"),
        long_help = format!(
            "Show at most this many steps [default: all]\n\nSteps are played on a terminal and by a page: {PLAYED} by \
             default, and at most {MOST_PLAYED}."
        ))]
    limit: Option<u64>,

    #[command(flatten)]
    destination: OutputOptions<TraceFormat>,

    /// Print the board and the three arrays after each step, too
    #[arg(long, help_heading = "Output options", conflicts_with = "format")]
    boards: bool,
}

/// The most steps that are played by default.
const PLAYED: u64 = 100_000;
/// The most steps that can be played.
pub(super) const MOST_PLAYED: u64 = 1_000_000;

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { boards, limit, ref destination, .. } = *arguments;
    let format = match destination.chosen_format() {
        Ok(None | Some(TraceFormat::Text)) if boards => Some(TraceFormat::Boards),
        _ if boards => return Err(Failure::Usage("--boards prints text; give --output a name such as x.txt".into())),
        chosen => chosen?,
    };
    let output = destination.open(&[])?;
    if format.is_none() && output.is_terminal() && stdin().is_terminal() && !terminal::is_dumb() {
        return play(arguments, arguments.limit_to_play()?, cancel);
    }
    let format = format.unwrap_or(TraceFormat::Text);
    let limit = if format == TraceFormat::Html { arguments.limit_to_play()? } else { limit.unwrap_or(u64::MAX) };
    write(arguments, format, limit, output, cancel)
}

impl Arguments {
    /// Returns the most steps to play.
    fn limit_to_play(&self) -> Result<u64, Failure> {
        match self.limit.unwrap_or(PLAYED) {
            limit if limit > MOST_PLAYED => Err(Failure::Usage(format!(
                "{limit} steps are too many to be played; give --limit {MOST_PLAYED} or less, or --format json"
            ))),
            limit => Ok(limit),
        }
    }

    /// Returns the steps of the search, as far as it is followed.
    fn steps(&self) -> Peekable<impl Iterator<Item = NumberedStep>> {
        let (until, mut is_found) = (self.until, false);
        let steps = Trace::new(self.board).take_while(move |step| {
            let goes_on = !is_found;
            is_found = until == Until::First && matches!(step, Step::Solution { .. });
            goes_on
        });
        (1..).zip(steps).map(|(number, step)| NumberedStep { number, step }).peekable()
    }
}

fn stopped(steps: u64) -> Failure {
    Failure::Cancelled(format!("stopped after {}", many(steps, "step")))
}

/// Plays the steps on the terminal.
fn play(arguments: &Arguments, limit: u64, cancel: &Cancel) -> Result<(), Failure> {
    let (mut search, mut steps) = (arguments.steps(), Vec::new());
    while let Some(NumberedStep { step, .. }) = search.next_if(|step| step.number <= limit && !cancel.is_cancelled()) {
        steps.push(step);
    }
    if cancel.is_cancelled() {
        return Err(stopped(steps.len() as u64));
    }
    player::play(arguments.board, &steps, search.peek().is_none(), cancel)
}

/// Writes each step as the search goes on, and says at last where it ended.
fn write(
    arguments: &Arguments,
    format: TraceFormat,
    limit: u64,
    output: Output,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let mut document = Document::new(formats::open(format, arguments.board, arguments.until), output);
    let (mut search, mut last) = (arguments.steps(), None);
    while let Some(step) = search.next_if(|step| step.number <= limit && !cancel.is_cancelled()) {
        document.item(&step).map_err(|error| Failure::writing(&error))?;
        last = Some(step);
    }
    let is_complete = search.peek().is_none();
    let is_whole = is_complete || !cancel.is_cancelled();
    document.finish_part(is_complete, is_whole).map_err(|error| Failure::writing(&error))?;
    let steps = last.map_or(0, |last| last.number);
    if !is_whole {
        return Err(stopped(steps));
    }
    let end = match last.map(|last| last.step) {
        _ if !is_complete => "cut there: the search goes on (--limit)",
        Some(Step::Solution { .. }) => "to the first solution",
        _ if arguments.until == Until::First => "the whole search: there is no solution",
        _ => "the whole search",
    };
    arguments.destination.remark(format_args!("{}, {end}", many(steps, "step")));
    Ok(())
}
