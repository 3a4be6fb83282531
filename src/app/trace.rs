//! `nqueens trace`: a backtracking search, step by step.

use crate::app::failure::Failure;
use crate::app::numbers;
use crate::app::options::{OutputOptions, size_of_board};
use crate::app::output::Sink;
use crate::app::output::document::{DocumentFormat, Json};
use crate::app::output::words::many;
use crate::app::rows::VERSION;
use crate::app::setup::{self, GivenBoard};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nqueens::classic::{Line, Method, Position, Step, Trace, player_page};
use nqueens::{Board, Cancel, Setup};
use serde::Serialize;
use serde_json::json;
use std::fmt::Display;
use std::io::Write as _;

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
  nqueens trace 4 --format boards > report.txt
  nqueens trace 6 --output trace.html              a page for the browser, which needs no network
  nqueens trace 6 --method bit-masks --output masks.html
  nqueens trace --board FILE                       with given queens and blocked squares")]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true, help = size_of_board())]
    board: Option<Board>,

    /// Search the board in this file, with its given queens and blocked squares; `-` is standard input
    ///
    /// `nqueens help count` says how a board is written.
    #[arg(id = "setup", long = "board", value_name = "FILE", value_parser = setup::parser(), conflicts_with = "board")]
    setup: Option<GivenBoard>,

    /// Trace this method
    #[arg(long, value_name = "METHOD", default_value = "flag-arrays", value_parser = method_parser())]
    method: Method,

    /// Follow the search up to here
    #[arg(long, value_name = "WHEN", default_value = "first")]
    until: Until,

    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, value_parser = numbers::whole(1..=u64::MAX),
        help = format!("Show at most this many steps [default: all, or {PLAYED} in a page]"))]
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

/// Writes each step as the search goes on, and says at last where it ended.
pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { board, setup: ref file, method, until, limit, ref printing } = *arguments;
    let format = printing.chosen_format()?.unwrap_or(TraceFormat::Text);
    let setup = setup::chosen(board, file.as_ref())?;
    let mut output = printing.open(setup::named(file.as_ref()).as_slice())?;
    let limit = limit.unwrap_or(if format == TraceFormat::Html { PLAYED } else { u64::MAX });
    let mut document = chosen(format, method, setup, until);
    let is_found = |last| until == Until::First && matches!(last, Some(Step::Solution { .. }));
    let mut trace = Trace::of(method, setup).expect("the method backtracks").peekable();
    let (mut number, mut last) = (0, None);
    while number < limit
        && !is_found(last)
        && !cancel.is_cancelled()
        && let Some(step) = trace.next()
    {
        number += 1;
        output.write_all(document.item(&NumberedStep { number, step }).as_bytes())?;
        last = Some(step);
    }
    let is_complete = is_found(last) || trace.peek().is_none();
    let is_whole = is_complete || !cancel.is_cancelled();
    output.finish(&document.end(is_complete), is_whole)?;
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
    printing.remark(format_args!("{steps}, {end}"));
    Ok(())
}

/// A format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TraceFormat {
    /// A numbered line for each step
    Text,
    /// A numbered line for each step, with the board and the three arrays below it
    Boards,
    /// One JSON document
    Json,
    /// A page that plays the steps in a browser; it needs no network
    Html,
}

/// The end of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Until {
    /// The first solution
    First,
    /// The end of the search
    All,
}

/// A step with its number.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct NumberedStep {
    /// The number of the step, from 1.
    #[serde(rename = "step")]
    pub(crate) number: u64,
    #[serde(flatten)]
    pub(crate) step: Step,
}

/// Returns the format of the steps of a search.
fn chosen(format: TraceFormat, method: Method, setup: Setup, until: Until) -> Box<dyn DocumentFormat<NumberedStep>> {
    let board = setup.board();
    let marked = Some(setup).filter(|setup| !setup.is_free()).as_ref().map(setup::in_line);
    let head = json!({
        "schema": "nqueens/trace/1", "program_version": VERSION,
        "board": board, "method": method, "setup": marked, "until": until,
    });
    let json = Json::new(&head, "steps");
    match format {
        TraceFormat::Text => Box::new(move |step: &NumberedStep| line(board, step)),
        TraceFormat::Boards => {
            let mut position = Position::new(board);
            Box::new(move |step: &NumberedStep| {
                position.apply(&step.step);
                let board = format!("{}{}\n", line(board, step), squares(&position, method, &setup));
                if method == Method::FlagArrays { format!("{board}{}\n", arrays(&position)) } else { board }
            })
        }
        TraceFormat::Json => Box::new(json),
        // The document has no `<`, so nothing in it can end the script element around it.
        TraceFormat::Html => Box::new(json.between(player_page(board))),
    }
}

fn line(board: Board, &NumberedStep { number, step }: &NumberedStep) -> String {
    format!("{number:>4}  {:<9}  {}\n", step.kind(), step.describe(board))
}

/// Returns the board with the queens, the squares that they attack, and the squares that are passed over.
fn squares(position: &Position, method: Method, setup: &Setup) -> String {
    let size = position.board().size();
    let width = if size > 10 { 3 } else { 2 };
    let is_attacked = |square: (usize, usize)| {
        let attacks = |queen| Line::between(queen, square).is_some_and(|line| line != Line::Row);
        let mut queens = position.queens().iter().copied().enumerate();
        if method == Method::FlagArrays { position.is_attacked(square.0, square.1) } else { queens.any(attacks) }
    };
    let square = |row: usize, column: usize| match position.queens().get(row) {
        Some(&queen) if queen == column => "Q",
        _ if setup.queens().any(|queen| queen == (row, column)) => "q",
        _ if setup.blocked().any(|square| square == (row, column)) => "*",
        _ if is_attacked((row, column)) => "x",
        _ => ".",
    };
    let row = |row: usize| cells(&format!("{row:>3}"), (0..size).map(|column| square(row, column)), width);
    cells("   ", 0..size, width) + &(0..size).map(row).collect::<String>()
}

/// Returns the three arrays, each with the indices above the flags (1 is marked).
fn arrays(position: &Position) -> String {
    const NAMES: usize = 18;
    let last = position.board().size() - 1;
    let width = (2 * last).to_string().len() + 1;
    let mut lines = String::new();
    for (name, array) in [
        ("column", Line::Column),
        ("row + column", Line::AntiDiagonal),
        (&*format!("row - column + {last}"), Line::Diagonal),
    ] {
        let flags = position.flags(array);
        lines += &cells(&" ".repeat(NAMES), 0..flags.len(), width);
        lines += &cells(&format!("{name:NAMES$}"), flags.iter().map(|&flag| if flag { "1" } else { "." }), width);
    }
    lines
}

/// Returns a line of cells of this width after a heading.
fn cells(heading: &str, cells: impl Iterator<Item = impl Display>, width: usize) -> String {
    cells.fold(heading.to_owned(), |line, cell| format!("{line}{cell:>width$}")) + "\n"
}
