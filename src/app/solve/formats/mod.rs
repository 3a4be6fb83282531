//! The formats of solutions. A format is one file and one line in [`open`].

mod board;
mod csv;
mod list;
mod svg;

use crate::app::output::document::{self, Json};
use serde::Serialize;

/// A format of solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A board of Q and . for each
    Board,
    /// A line for each: the column of the queen of each row
    List,
    /// One JSON document
    Json,
    /// A header and a line for each
    Csv,
    /// One picture of at most 1000 boards
    Svg,
}

/// A solution to be written.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Found {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// The number of different solutions among its images, if it stands for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) orbit_size: Option<usize>,
    /// The column of the queen of each row.
    pub(crate) columns: Vec<usize>,
}

impl Found {
    /// Returns the heading of a board: its number and its orbit.
    fn heading(&self) -> String {
        let orbit = self.orbit_size.map_or(String::new(), |size| format!(" (orbit of {size})"));
        format!("Solution {}{orbit}", self.number)
    }
}

/// The properties that all solutions of a document share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The number of rows of the board.
    pub(crate) size: usize,
    /// True if there may be more than one solution.
    pub(crate) many: bool,
    /// True if each stands for its orbit.
    pub(crate) fundamental: bool,
}

/// Returns the format of a document.
pub(crate) fn open(format: Format, layout: Layout) -> Box<dyn document::Format<Found>> {
    match format {
        Format::Board => Box::new(board::Boards(layout)),
        Format::List => Box::new(list::Lists),
        Format::Json => {
            let fields = format!("\"schema\": \"nqueens/solutions/1\", \"board\": {}", layout.size);
            Box::new(Json::new(&fields, "solutions"))
        }
        Format::Csv => Box::new(csv::Csv(layout)),
        Format::Svg => Box::new(svg::Svg::new(layout)),
    }
}
