//! The formats of a trace. A format is a line in [`open`].

use crate::app::output::document::{DocumentFormat, Json};
use crate::app::trace::picture::{TextLine, TextPicture};
use clap::ValueEnum;
use nqueens::Board;
use nqueens::classic::{Position, Step, player_page};
use serde::Serialize;

/// A format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// A numbered line for each step
    Text,
    /// A numbered line for each step, with the board and the arrays below it; `--boards` asks for it
    #[value(skip)]
    Boards,
    /// One JSON document
    Json,
    /// A page that plays the steps in a browser; it needs no network
    Html,
}

/// The end of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Until {
    /// The first solution
    First,
    /// The end of the search
    All,
}

/// A step with its number.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct NumberedStep {
    /// The number, from 1.
    #[serde(rename = "step")]
    pub(crate) number: u64,
    #[serde(flatten)]
    pub(crate) step: Step,
}

/// Returns the format of a document.
pub(crate) fn open(format: TraceFormat, board: Board, until: Until) -> Box<dyn DocumentFormat<NumberedStep>> {
    match format {
        TraceFormat::Text => Box::new(move |step: &NumberedStep| line(board, step)),
        TraceFormat::Boards => Box::new(boards(board)),
        TraceFormat::Json => Box::new(json(board, until)),
        // Nothing in the document can end the script element that it stands in: it has no `<`.
        TraceFormat::Html => Box::new(json(board, until).between(player_page(board))),
    }
}

fn line(board: Board, &NumberedStep { number, step }: &NumberedStep) -> String {
    format!("{number:>4}  {:<9}  {}\n", step.kind(), step.describe(board))
}

/// Returns the format of a line for each step, and below it the board and the three arrays.
fn boards(board: Board) -> impl FnMut(&NumberedStep) -> String {
    /// The width of the arrays, in characters.
    const WIDTH: usize = 80;
    let mut position = Position::new(board);
    move |step| {
        position.apply(&step.step);
        let picture = TextPicture { position: &position, step: Some(&step.step) };
        let lines = picture.board().chain([TextLine::default()]).chain(picture.arrays(WIDTH));
        let lines: Vec<String> = lines.map(|line| line.text()).collect();
        format!("{}{}\n\n", line(board, step), lines.join("\n"))
    }
}

fn json(board: Board, until: Until) -> Json<NumberedStep> {
    let until = until.to_possible_value().expect("no value is skipped");
    let until = until.get_name();
    let fields = format!("\"schema\": \"nqueens/trace/1\", \"board\": {board}, \"until\": \"{until}\"");
    Json::new(&fields, "steps", serde_json::to_string)
}
