//! Markdown tables.

use super::{Cell, Line, Table};
use crate::app::output::printable;

/// A report as a Markdown table.
pub(super) const MARKDOWN: Table = Table {
    head: |Line { cells, .. }| {
        format!("{}|{}\n", line(cells.iter().map(|cell| &*cell.heading)), "---|".repeat(cells.len()))
    },
    row: |row| line(row.cells.iter().map(Cell::text)),
};

fn line<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(escaped).collect();
    format!("| {} |\n", texts.join(" | "))
}

/// Returns text with escapes, so that no part of it is read as the end of a cell, code, a link, a picture or HTML.
fn escaped(text: &str) -> String {
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
