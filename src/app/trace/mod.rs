//! `nqueens trace`: a backtracking search, step by step.

pub(crate) mod formats;

use crate::app::failure::Failure;
use crate::app::numbers::whole;
use crate::app::options::{OutputOptions, size_of_board};
use crate::app::output::document::Document;
use crate::app::output::words::many;
use crate::app::setup;
pub(crate) use crate::app::trace::formats::TraceFormat;
use crate::app::trace::formats::{NumberedStep, Search, Until};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nqueens::classic::{Method, Step, Trace};
use nqueens::{Board, Cancel, Setup};
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;

/// Watch a backtracking search, step by step
///
/// Queens are placed row by row. In the method `flag-arrays`, three arrays hold a flag for each column, each
/// anti-diagonal (row + column) and each diagonal (row - column + N - 1). A queen marks its three lines, and unmarks
/// them when it is taken back. `earlier-queens` compares a square with each queen placed before, and `bit-masks` finds
/// all free squares of a row at once. The page that `--output FILE.html` writes plays the steps, forward and back,
/// beside the program whose lines they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens trace 4
  nqueens trace 4 --until all | less
  nqueens trace 4 --format boards > report.txt
  nqueens trace 6 --output trace.html              a page for the browser, which needs no network
  nqueens trace 6 --method bit-masks --output masks.html
  nqueens trace --board FILE                       with given queens and blocked squares
  nqueens trace 5 --format json")]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true, help = size_of_board(), required_unless_present = "setup")]
    board: Option<Board>,

    /// Search the board in this file, with its given queens and blocked squares; `-` is standard input
    ///
    /// `nqueens help count` says how a board is written.
    #[arg(id = "setup", long = "board", value_name = "FILE", conflicts_with = "board")]
    setup: Option<PathBuf>,

    /// Trace this method
    #[arg(long, value_name = "METHOD", default_value = "flag-arrays", value_parser = method_parser())]
    method: Method,

    /// Follow the search up to here
    #[arg(long, value_name = "WHEN", default_value = "first")]
    until: Until,

    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, value_parser = whole(1..=u64::MAX),
        help = format!(
            "Show at most this many steps [default: all, or {PLAYED} in a page, which plays {MOST_PLAYED} at most]"
        ))]
    limit: Option<u64>,

    #[command(flatten)]
    printing: OutputOptions<TraceFormat>,
}

fn method_parser() -> impl TypedValueParser<Value = Method> {
    let methods = Method::ALL.iter().filter(|method| method.is_backtracking());
    let values = methods.map(|method| PossibleValue::new(method.name()).help(method.summary()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Method>())
}

/// The most steps in a page by default.
const PLAYED: u64 = 100_000;
/// The most steps that a page can play.
const MOST_PLAYED: u64 = 1_000_000;

/// Writes each step as the search goes on, and says at last where it ended.
pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { board, setup: ref file, method, until, limit, ref printing } = *arguments;
    let format = printing.chosen_format()?.unwrap_or(TraceFormat::Text);
    let read = file.as_deref().map(|path| setup::read_all(path, cancel)).transpose()?;
    let setup = match &read {
        Some(boards) => *setup::only(boards, "trace")?,
        None => Setup::new(board.expect("clap asks for one of them")),
    };
    let output = printing.open(setup::named(file.as_deref()).as_slice())?;
    let limit = match limit {
        Some(limit) if format == TraceFormat::Html && limit > MOST_PLAYED => {
            return Err(Failure::Usage(format!(
                "{limit} steps are too many to be played; give --limit {MOST_PLAYED} or less, or --format json"
            )));
        }
        None if format == TraceFormat::Html => PLAYED,
        limit => limit.unwrap_or(u64::MAX),
    };
    let mut document = Document::new(formats::open(format, Search { method, setup, until }), output);
    let is_found = |last| until == Until::First && matches!(last, Some(Step::Solution { .. }));
    let mut trace = Trace::of(method, setup).expect("the method backtracks").peekable();
    let (mut number, mut last) = (0, None);
    while number < limit
        && !is_found(last)
        && !cancel.is_cancelled()
        && let Some(step) = trace.next()
    {
        number += 1;
        document.item(&NumberedStep { number, step })?;
        last = Some(step);
    }
    let is_complete = is_found(last) || trace.peek().is_none();
    let is_whole = is_complete || !cancel.is_cancelled();
    document.finish_part(is_complete, is_whole)?;
    let steps = many(number, "step");
    if !is_whole {
        return Err(Failure::Cancelled(format!("stopped after {steps}")));
    }
    let end = match last {
        _ if !is_complete => "cut there: the search goes on (--limit)",
        Some(Step::Solution { .. }) => "to the first solution",
        _ if until == Until::First => "the whole search: there is no solution",
        _ => "the whole search",
    };
    let is_shown = printing.output.is_none() && stdout().is_terminal();
    let hint = if is_shown { "; --output trace.html plays them" } else { "" };
    printing.remark(format_args!("{steps}, {end}{hint}"));
    Ok(())
}
