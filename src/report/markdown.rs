//! Markdown: a table to paste.

use super::{Cell, Detail, Layout, Report};
use std::io::{self, Write};

pub(super) struct Markdown<'a, W> {
    layout: Layout<'a>,
    out: W,
    begun: bool,
}

impl<'a, W: Write> Markdown<'a, W> {
    pub(super) fn new(layout: Layout<'a>, out: W) -> Self {
        Self { layout, out, begun: false }
    }
}

impl<W: Write> Report for Markdown<'_, W> {
    fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        if !self.begun {
            let headings: Vec<_> = self.layout.headings(Detail::Screen).map(|column| column.heading).collect();
            writeln!(self.out, "| {} |", headings.join(" | "))?;
            writeln!(self.out, "|{}", "---|".repeat(headings.len()))?;
            self.begun = true;
        }
        let cells = self.layout.shown(Detail::Screen, row).map(|(_, cell)| cell.display("-").replace('|', "\\|"));
        writeln!(self.out, "| {} |", cells.collect::<Vec<_>>().join(" | "))?;
        self.out.flush()
    }

    fn finish(&mut self, _complete: bool) -> io::Result<()> {
        self.out.flush()
    }
}
