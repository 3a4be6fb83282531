//! Markdown: a table to paste.

use crate::app::output::{Cell, Detail, Layout, Report, Sink, printable};
use std::io;

pub(super) struct Markdown<'a, W> {
    layout: Layout<'a>,
    out: W,
    begun: bool,
}

impl<'a, W: Sink> Markdown<'a, W> {
    pub(super) fn new(layout: Layout<'a>, out: W) -> Self {
        Self { layout, out, begun: false }
    }
}

impl<W: Sink> Report for Markdown<'_, W> {
    fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        if !self.begun {
            let headings: Vec<_> = self.layout.headings(Detail::Screen).map(|column| plain(column.heading)).collect();
            writeln!(self.out, "| {} |", headings.join(" | "))?;
            writeln!(self.out, "|{}", "---|".repeat(headings.len()))?;
            self.begun = true;
        }
        let cells = self.layout.shown(Detail::Screen, row).map(|(_, cell)| plain(&cell.display("-")));
        writeln!(self.out, "| {} |", cells.collect::<Vec<_>>().join(" | "))?;
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.out.finish(complete)
    }
}

/// Text as it stands in a cell or a line: nothing in it is taken for the end of the cell, for code, a link, a picture or HTML.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::new();
    for character in printable(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '|' | '`' | '[' | ']' => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    out
}
