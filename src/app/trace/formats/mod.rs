//! The formats of a trace. A format is one file and one line in [`open`].

mod boards;
mod html;
mod text;

use crate::Board;
use crate::app::output::document::{self, Json};
use crate::app::trace::Until;
use crate::classic::Step;
use clap::ValueEnum;
use serde::Serialize;

/// A format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A numbered line for each step
    Text,
    /// One JSON document
    Json,
    /// A numbered line for each step, with the board and the arrays below it; `--boards` asks for it
    #[value(skip)]
    Boards,
    /// A page that plays the steps; `--html` asks for it
    #[value(skip)]
    Html,
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
pub(crate) fn open(format: Format, board: Board, until: Until) -> Box<dyn document::Format<NumberedStep>> {
    match format {
        Format::Text => Box::new(text::Text(board)),
        Format::Boards => Box::new(boards::Boards::new(board)),
        Format::Json => Box::new(json(board, until)),
        Format::Html => Box::new(html::Page::new(board, json(board, until))),
    }
}

fn json(board: Board, until: Until) -> Json {
    let until = until.to_possible_value().expect("no value is skipped");
    let until = until.get_name();
    let fields = format!("\"schema\": \"nqueens/trace/1\", \"board\": {board}, \"until\": \"{until}\"");
    Json::new(&fields, "steps")
}
