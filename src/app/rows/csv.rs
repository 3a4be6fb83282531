//! Comma-separated values for spreadsheets and scripts.

use super::{Report, Row};
use crate::app::output::{Sink, printable};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// A report as CSV: a header and one line for each row.
pub(super) struct Csv<W> {
    out: W,
    has_header: bool,
}

impl<W: Sink> Csv<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, has_header: false }
    }

    fn header(&mut self, fields: &Map<String, Value>) -> io::Result<()> {
        self.has_header = true;
        record(&mut self.out, fields.keys().cloned())
    }
}

impl<R: Row, W: Sink> Report<R> for Csv<W> {
    fn row(&mut self, row: &R) -> io::Result<()> {
        let fields = fields(row)?;
        if !self.has_header {
            self.header(&fields)?;
        }
        record(&mut self.out, fields.values().map(text))?;
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        if !self.has_header {
            self.header(&fields(&R::default())?)?;
        }
        self.out.finish(complete)
    }
}

/// Returns the names and values of the fields of a row.
fn fields(row: &impl Row) -> io::Result<Map<String, Value>> {
    match serde_json::to_value(row)? {
        Value::Object(fields) => Ok(fields),
        _ => unreachable!("a row is a struct"),
    }
}

/// Returns the text of a value. All elements of a list are in one cell.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // Without the `.0` of JSON, and without exponents.
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(String::new(), |number| number.to_string()),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(" | "),
        other => other.to_string(),
    }
}

/// Writes a line.
fn record(out: &mut impl Write, cells: impl Iterator<Item = String>) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(cells.map(|cell| harmless(&cell)))?;
    writer.flush()
}

/// Returns text that a spreadsheet does not evaluate: an apostrophe is put before a formula.
fn harmless(text: &str) -> String {
    let text = printable(text);
    let is_formula = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text.into_owned() }
}
