//! Comma-separated values for spreadsheets and scripts.

use super::{Column, Format, fields, text_of};
use crate::app::output::document::DocumentFormat;
use crate::app::output::printable;
use std::mem::take;

pub(crate) const FORMAT: Format =
    Format { names: &["csv"], help: "A header and one line for each row", document: |_, _| Box::new(Csv) };

/// A report as CSV. Without rows, nothing is written.
struct Csv;

impl DocumentFormat<[Column]> for Csv {
    fn head(&self, first: Option<&[Column]>) -> String {
        first.map_or(String::new(), |row| line(fields(row).map(|(name, _)| name.to_owned())))
    }

    fn item(&mut self, row: &[Column]) -> String {
        line(fields(row).map(|(_, value)| text_of(value).unwrap_or_default()))
    }
}

/// Returns the lines of a text that has some, each with its cells; `None` if a quotation mark is not closed.
pub(crate) fn read(text: &str) -> Option<Vec<Vec<String>>> {
    let (mut lines, mut line, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.trim_end().chars().chain(['\n']).peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => line.push(take(&mut cell)),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => {
                line.push(take(&mut cell));
                lines.push(take(&mut line));
            }
            _ => cell.push(character),
        }
    }
    (!is_quoted).then_some(lines)
}

/// Returns a line.
fn line(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| quoted(&harmless(&cell))).collect::<Vec<_>>().join(",") + "\n"
}

/// Returns a cell, in quotes if it has characters that separate cells or lines (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Returns text that a spreadsheet does not evaluate: an apostrophe is put before a formula.
fn harmless(text: &str) -> String {
    let text = printable(text);
    let is_formula = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let cells = ["", "a, b", "\"quoted\"", "two\nlines", " x "].map(str::to_owned);
        let text = cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
        let lines = read(&format!("{text}\r\na,b\n\n")).unwrap();
        assert_eq!(lines, [&cells[..], &["a".to_owned(), "b".to_owned()]]);
        assert_eq!(read("a,b").unwrap(), [["a", "b"]]);
        assert_eq!(read("a\nb,\"c\n"), None);
    }
}
