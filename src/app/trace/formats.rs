//! The formats of a trace. A format is a line in [`open`].

use crate::app::output::document::{DocumentFormat, Json};
use crate::app::rows::fields::{VERSION, Version};
use crate::app::rows::row;
use crate::app::setup;
use clap::ValueEnum;
use nqueens::board::attack;
use nqueens::classic::{Line, Method, Position, Step, player_page};
use nqueens::{Board, Setup};
use serde::Serialize;
use std::fmt::Display;

/// A format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Until {
    /// The first solution
    First,
    /// The end of the search
    All,
}

/// A step with its number.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
pub(crate) struct NumberedStep {
    /// The number of the step, from 1.
    #[serde(rename = "step")]
    pub(crate) number: u64,
    #[serde(flatten)]
    pub(crate) step: Step,
}

/// The search that is traced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    pub(crate) method: Method,
    pub(crate) setup: Setup,
    pub(crate) until: Until,
}

pub(crate) fn open(format: TraceFormat, search: Search) -> Box<dyn DocumentFormat<NumberedStep>> {
    let board = search.setup.board();
    match format {
        TraceFormat::Text => Box::new(move |step: &NumberedStep| line(board, step)),
        TraceFormat::Boards => {
            let mut position = Position::new(board);
            Box::new(move |step: &NumberedStep| {
                position.apply(&step.step);
                let board = format!("{}{}\n", line(board, step), squares(&position, search));
                if search.method == Method::FlagArrays { format!("{board}{}\n", arrays(&position)) } else { board }
            })
        }
        TraceFormat::Json => Box::new(json(search)),
        // The document has no `<`, so nothing in it can end the script element around it.
        TraceFormat::Html => Box::new(json(search).between(player_page(board))),
    }
}

fn line(board: Board, &NumberedStep { number, step }: &NumberedStep) -> String {
    format!("{number:>4}  {:<9}  {}\n", step.kind(), step.describe(board))
}

/// Returns the board with the queens, the squares that they attack, and the squares that are passed over.
fn squares(position: &Position, Search { method, setup, .. }: Search) -> String {
    let size = position.board().size();
    let width = if size > 10 { 3 } else { 2 };
    let is_attacked = |square: (usize, usize)| match method {
        Method::FlagArrays => position.is_attacked(square.0, square.1),
        _ => position
            .queens()
            .iter()
            .copied()
            .enumerate()
            .any(|queen| attack(queen, square).is_some_and(|line| line != Line::Row)),
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

/// Returns the three arrays, each with the indices above the flags (1 is marked), in lines of at most 80 characters.
fn arrays(position: &Position) -> String {
    const NAMES: usize = 18;
    let last = position.board().size() - 1;
    let width = (2 * last).to_string().len() + 1;
    let in_a_line = (80 - NAMES) / width;
    let mut lines = String::new();
    for (name, array) in [
        ("column", Line::Column),
        ("row + column", Line::AntiDiagonal),
        (&*format!("row - column + {last}"), Line::Diagonal),
    ] {
        for (part, flags) in position.flags(array).chunks(in_a_line).enumerate() {
            let name = if part == 0 { name } else { "" };
            lines += &cells(&" ".repeat(NAMES), (part * in_a_line..).take(flags.len()), width);
            lines += &cells(&format!("{name:NAMES$}"), flags.iter().map(|&flag| if flag { "1" } else { "." }), width);
        }
    }
    lines
}

/// Returns a line of cells of this width after a heading.
fn cells(heading: &str, cells: impl Iterator<Item = impl Display>, width: usize) -> String {
    cells.fold(heading.to_owned(), |line, cell| format!("{line}{cell:>width$}")) + "\n"
}

row! {
    /// The beginning of a trace as JSON.
    pub(crate) struct TraceHead(search: Search) {
        schema: &'static str = "nqueens/trace/1",
        board: Board = search.setup.board(),
        /// The textbook method whose steps these are.
        #[cfg_attr(feature = "packaging", schemars(with = "String"))]
        method: Method = search.method,
        /// The given queens and blocked squares of the board: its rows, from the first on, with `/` between two; null
        /// if it has none.
        setup: Option<String> = Some(search.setup).filter(|setup| !setup.is_free()).as_ref().map(setup::in_line),
        until: Until = search.until,
        program_version: Version = VERSION,
    }
}

fn json(search: Search) -> Json<NumberedStep> {
    Json::new(&TraceHead::new(search), "steps", serde_json::to_string)
}
