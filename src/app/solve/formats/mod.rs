//! Solutions, in each of their formats. One format is one file, and one line in [`open`].

mod board;
mod csv;
mod json;
mod list;
mod svg;

use crate::app::output::Sink;
use std::io;

/// The formats of solutions.
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

/// A solution to be put out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    /// How many there are with this one.
    pub(crate) number: u64,
    /// The number of different solutions among its images, where it stands for all of them.
    pub(crate) orbit_size: Option<usize>,
    /// The column of the queen of each row.
    pub(crate) columns: &'a [usize],
}

/// What is put out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The number of rows of the board.
    pub(crate) size: usize,
    /// Whether there may be more than one solution.
    pub(crate) many: bool,
    /// Whether each stands for its orbit.
    pub(crate) fundamental: bool,
}

/// Solutions being written.
pub(crate) trait Report {
    /// Writes a solution.
    fn solution(&mut self, found: Found<'_>) -> io::Result<()>;

    /// Passes on what has been written so far, in formats that can.
    fn flush(&mut self) -> io::Result<()>;

    /// Ends the report; `complete` says whether all came that were to come.
    fn finish(&mut self, complete: bool) -> io::Result<()>;
}

/// A report in `format`, written to `out`.
pub(crate) fn open<'a, W: Sink + 'a>(format: Format, layout: Layout, out: W) -> Box<dyn Report + 'a> {
    match format {
        Format::Board => Box::new(board::Boards::new(layout, out)),
        Format::List => Box::new(list::Lists::new(out)),
        Format::Json => Box::new(json::Json::new(layout, out)),
        Format::Csv => Box::new(csv::Csv::new(layout, out)),
        Format::Svg => Box::new(svg::Svg::new(layout, out)),
    }
}
