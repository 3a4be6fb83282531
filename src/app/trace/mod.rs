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
use crate::app::trace::formats::NumberedStep;
pub(crate) use crate::app::trace::formats::TraceFormat;
use nqueens::classic::{Step, Trace};
use nqueens::{Board, Cancel};
use std::io::{self, IsTerminal, stdin};

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

/// The end of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Until {
    /// The first solution
    First,
    /// The end of the search
    All,
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
    let limit = if format == TraceFormat::Html { Some(arguments.limit_to_play()?) } else { limit };
    write(arguments, format, limit, output, cancel)
}

/// The end of a search that was followed.
struct End {
    /// The number of steps.
    steps: u64,
    last: Option<Step>,
    /// False if the search goes on.
    is_complete: bool,
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

    /// Follows the search, and calls `show` with each step, at most `limit` of them.
    fn follow(
        &self,
        limit: Option<u64>,
        cancel: &Cancel,
        mut show: impl FnMut(NumberedStep) -> io::Result<()>,
    ) -> io::Result<End> {
        let mut trace = Trace::new(self.board);
        let (mut steps, mut last) = (0, None);
        loop {
            let is_found = self.until == Until::First && matches!(last, Some(Step::Solution { .. }));
            let next = if is_found { None } else { trace.next() };
            let Some(step) = next else { return Ok(End { steps, last, is_complete: true }) };
            if limit == Some(steps) || cancel.is_cancelled() {
                return Ok(End { steps, last, is_complete: false });
            }
            steps += 1;
            last = next;
            show(NumberedStep { number: steps, step })?;
        }
    }
}

fn stopped(steps: u64) -> Failure {
    Failure::Cancelled(format!("stopped after {}", many(steps, "step")))
}

/// Plays the steps on the terminal.
fn play(arguments: &Arguments, limit: u64, cancel: &Cancel) -> Result<(), Failure> {
    let mut steps = Vec::new();
    let show = |NumberedStep { step, .. }| {
        steps.push(step);
        Ok(())
    };
    let end = arguments.follow(Some(limit), cancel, show).map_err(|error| Failure::writing(&error))?;
    if cancel.is_cancelled() {
        return Err(stopped(end.steps));
    }
    player::play(arguments.board, &steps, end.is_complete, cancel)
}

/// Writes each step as the search goes on, and says at last where it ended.
fn write(
    arguments: &Arguments,
    format: TraceFormat,
    limit: Option<u64>,
    output: Output,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let format = formats::open(format, arguments.board, arguments.until);
    let mut document = Document::new(format, output);
    let followed = arguments.follow(limit, cancel, |step| document.item(&step));
    let written = followed.and_then(|end| {
        let is_whole = end.is_complete || !cancel.is_cancelled();
        document.finish_part(end.is_complete, is_whole).map(|()| (end, is_whole))
    });
    let (End { steps, last, is_complete }, is_whole) = written.map_err(|error| Failure::writing(&error))?;
    if !is_whole {
        return Err(stopped(steps));
    }
    let end = match (is_complete, last) {
        (false, _) => "cut there: the search goes on (--limit)",
        (true, Some(Step::Solution { .. })) => "to the first solution",
        (true, _) if arguments.until == Until::First => "the whole search: there is no solution",
        (true, _) => "the whole search",
    };
    arguments.destination.remark(format_args!("{}, {end}", many(steps, "step")));
    Ok(())
}
