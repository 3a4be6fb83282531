//! Comma-separated values: a line for each solution, a column for each row of the board.

use crate::app::solve::formats::{Found, Layout, Report, Sink};
use std::io;

pub(super) struct Csv<W> {
    layout: Layout,
    out: W,
    begun: bool,
}

impl<W: Sink> Csv<W> {
    pub(super) fn new(layout: Layout, out: W) -> Self {
        Self { layout, out, begun: false }
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.begun {
            let rows = (0..self.layout.size).map(|row| format!("row_{row}"));
            let orbit = self.layout.fundamental.then(|| "orbit_size".to_owned());
            self.line(std::iter::once("solution".to_owned()).chain(orbit).chain(rows))?;
            self.begun = true;
        }
        Ok(())
    }

    /// Writes numbers and names, which need no quotes.
    fn line(&mut self, cells: impl Iterator<Item = String>) -> io::Result<()> {
        writeln!(self.out, "{}", cells.collect::<Vec<_>>().join(","))
    }
}

impl<W: Sink> Report for Csv<W> {
    fn solution(&mut self, found: Found<'_>) -> io::Result<()> {
        self.begin()?;
        self.out.keep();
        let orbit = found.orbit_size.map(|size| size.to_string());
        let columns = found.columns.iter().map(ToString::to_string);
        self.line(std::iter::once(found.number.to_string()).chain(orbit).chain(columns))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        // A list without solutions still says what its columns are.
        self.begin()?;
        self.out.finish(complete)
    }
}
