//! Markdown tables.

use super::{Column, Format, cells};
use crate::app::output::document::DocumentFormat;
use crate::app::output::printable;

pub(crate) const FORMAT: Format =
    Format { names: &["markdown", "md"], help: "A Markdown table", document: |_, _| Box::new(Markdown) };

/// A report as a Markdown table. Without rows, nothing is written.
struct Markdown;

impl DocumentFormat<[Column]> for Markdown {
    fn head(&self, first: Option<&[Column]>) -> String {
        let Some(row) = first else { return String::new() };
        let rule = "---|".repeat(cells(row).count());
        format!("{}|{rule}\n", line(cells(row).map(|(heading, _)| &*heading.text)))
    }

    fn item(&mut self, row: &[Column]) -> String {
        line(cells(row).map(|(_, text)| text.unwrap_or("-")))
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
