//! Comma-separated values for spreadsheets and scripts.

use super::{Row, VERSION, fields_of};
use crate::app::output::printable;
use serde_json::Value;

/// Returns the line of a row, under a header if it is the first.
pub(super) fn line(row: &impl Row, is_first: bool) -> String {
    let mut fields = fields_of(row);
    fields.insert("program_version".to_owned(), VERSION.into());
    let header = if is_first { joined(fields.keys().cloned()) } else { String::new() };
    header + &joined(fields.values().map(text_of))
}

/// Returns the text of a value, which is empty if there is none. All elements of a list are in one text.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // This text has no exponent, and no `.0` as JSON has.
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(String::new(), |number| number.to_string()),
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(" | "),
        other => other.to_string(),
    }
}

fn joined(cells: impl Iterator<Item = String>) -> String {
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
