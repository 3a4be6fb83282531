//! Markdown tables.

use super::{Report, Row};
use crate::app::output::{Sink, printable};
use std::io;

/// A report as a Markdown table. Without rows, nothing is written.
pub(super) struct Markdown<W> {
    out: W,
    has_headings: bool,
}

impl<W: Sink> Markdown<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, has_headings: false }
    }
}

impl<R: Row, W: Sink> Report<R> for Markdown<W> {
    fn row(&mut self, row: &R) -> io::Result<()> {
        let cells = row.cells();
        if !self.has_headings {
            let headings: Vec<_> = cells.iter().map(|cell| escaped(cell.heading())).collect();
            writeln!(self.out, "| {} |\n|{}", headings.join(" | "), "---|".repeat(headings.len()))?;
            self.has_headings = true;
        }
        let texts: Vec<_> = cells.iter().map(|cell| escaped(cell.text())).collect();
        writeln!(self.out, "| {} |", texts.join(" | "))?;
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.out.finish(complete)
    }
}

/// Returns text with escapes, so that no part of it is read as the end of a cell, code, a link, a picture or HTML.
pub(crate) fn escaped(text: &str) -> String {
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
