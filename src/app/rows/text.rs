//! Text for people, and for shells that need only the result.

use super::{Cell, Kind, Report, Row};
use crate::app::output::{Sink, printable};
use std::io;

/// A report as text. One row prints its results, one a line. Many rows are columns under headings.
pub(super) struct Text<W> {
    kind: Kind,
    out: W,
    has_headings: bool,
}

impl<W: Sink> Text<W> {
    pub(super) fn new(kind: Kind, out: W) -> Self {
        Self { kind, out, has_headings: false }
    }

    /// Writes a line with the text of each cell: words left-aligned, numbers right-aligned.
    fn line(&mut self, cells: &[Cell], text: impl Fn(&Cell) -> String) -> io::Result<()> {
        let padded = cells.iter().map(|cell| {
            let (text, width) = (text(cell), cell.width);
            if cell.is_number { format!("{text:>width$}") } else { format!("{text:<width$}") }
        });
        let line = padded.collect::<Vec<_>>().join("  ");
        writeln!(self.out, "{}", line.trim_end())
    }
}

impl<R: Row, W: Sink> Report<R> for Text<W> {
    fn row(&mut self, row: &R) -> io::Result<()> {
        let cells = row.cells();
        match self.kind {
            Kind::Many => {
                if !self.has_headings {
                    self.line(&cells, |cell| printable(&cell.heading).into_owned())?;
                    self.has_headings = true;
                }
                self.line(&cells, |cell| cell.text().to_owned())?;
            }
            Kind::One => {
                let results = cells.iter().filter(|cell| cell.is_result);
                results.filter_map(|cell| cell.text.as_deref()).try_for_each(|text| writeln!(self.out, "{text}"))?;
            }
        }
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.out.finish(complete)
    }
}
