//! The steps of a search, in each of their formats. One format is one file.

pub(crate) mod html;
mod json;
mod text;

use crate::Board;
use crate::app::output::Sink;
use crate::classic::trace::{Step, Until};
use std::io;

/// The formats of a trace, but for the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A numbered line for each step
    Text,
    /// One JSON document
    Json,
}

/// Steps being written.
pub(crate) trait Report {
    /// Writes the next step.
    fn step(&mut self, step: &Step) -> io::Result<()>;

    /// Ends the report; `complete` says whether the search came to its end, and `whole` whether all steps came that were to
    /// come.
    fn finish(&mut self, complete: bool, whole: bool) -> io::Result<()>;
}

/// A report in `format`, written to `out`.
pub(crate) fn open<'a, W: Sink + 'a>(format: Format, board: Board, until: Until, out: W) -> Box<dyn Report + 'a> {
    match format {
        Format::Text => Box::new(text::Text::new(board, out)),
        Format::Json => Box::new(json::Json::new(board, until, out)),
    }
}
