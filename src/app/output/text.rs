//! Text: for people, and for shells that want the number alone.

use crate::app::output::{Cell, Column, Detail, Layout, Report, Rows, Sink, printable};
use std::io;

/// One row: its results, a line each, and nothing else. Many rows: columns under headings.
pub(super) struct Text<'a, W> {
    layout: Layout<'a>,
    out: W,
    begun: bool,
}

impl<'a, W: Sink> Text<'a, W> {
    pub(super) fn new(layout: Layout<'a>, out: W) -> Self {
        Self { layout, out, begun: false }
    }

    fn columns(&mut self, row: &[Cell]) -> io::Result<()> {
        if !self.begun {
            self.line(row, |column, _| printable(column.heading).into_owned())?;
            self.begun = true;
        }
        self.line(row, |_, cell| cell.display("-"))
    }

    /// Writes a line with a word under or over each cell of `row`: text to the left, numbers to the right.
    fn line(&mut self, row: &[Cell], word: impl Fn(&Column<'_>, &Cell) -> String) -> io::Result<()> {
        let words = self.layout.shown(Detail::Screen, row).map(|(column, cell)| {
            let (word, width) = (word(column, cell), column.width);
            if matches!(cell, Cell::Text(_)) { format!("{word:<width$}") } else { format!("{word:>width$}") }
        });
        let line = words.collect::<Vec<_>>().join("  ");
        writeln!(self.out, "{}", line.trim_end())
    }
}

impl<W: Sink> Report for Text<'_, W> {
    fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        match self.layout.rows {
            Rows::Many => self.columns(row)?,
            Rows::One => {
                for (_, cell) in self.layout.shown(Detail::Result, row) {
                    if *cell != Cell::Missing {
                        writeln!(self.out, "{}", cell.display(""))?;
                    }
                }
            }
        }
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.out.finish(complete)
    }
}
