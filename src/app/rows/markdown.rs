//! Markdown tables.

use super::{Cell, Line};
use crate::app::output::document::DocumentFormat;
use crate::app::output::printable;

/// A report as a Markdown table. Without rows, nothing is written.
pub(crate) struct Markdown;

impl DocumentFormat<Line> for Markdown {
    fn head(&self, first: Option<&Line>) -> String {
        let Some(Line { cells, .. }) = first else { return String::new() };
        format!("{}|{}\n", line(cells.iter().map(|cell| &*cell.heading)), "---|".repeat(cells.len()))
    }

    fn item(&mut self, row: &Line) -> String {
        line(row.cells.iter().map(Cell::text))
    }
}

fn line<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(escaped).collect();
    format!("| {} |\n", texts.join(" | "))
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
