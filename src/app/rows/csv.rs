//! Comma-separated values for spreadsheets and scripts.

use super::{Column, Format, fields, text_of};
use crate::app::output::document::DocumentFormat;
use crate::app::output::printable;

pub(crate) const FORMAT: Format =
    Format { names: &["csv"], help: "A header and one line for each row", document: |_, _| Box::new(Csv) };

/// A report as CSV. Without rows, nothing is written.
struct Csv;

impl DocumentFormat<[Column]> for Csv {
    fn head(&self, first: Option<&[Column]>) -> String {
        first.map_or(String::new(), |row| line(fields(row).map(|(name, _)| name.to_owned())))
    }

    fn item(&mut self, row: &[Column]) -> String {
        line(fields(row).map(|(_, value)| text_of(&value).unwrap_or_default()))
    }
}

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
