//! Text for people, and for shells that need only the result.

use super::{Cell, Column, Format, Kind, cells};
use crate::app::output::document::DocumentFormat;
use crate::app::output::printable;

pub(super) const FORMAT: Format = Format {
    names: &["text"],
    help: "For people: results alone, or a table",
    document: |_, kind| match kind {
        Kind::One => Box::new(results),
        Kind::Many => Box::new(Table),
    },
};

/// The gap between two columns.
const GAP: &str = "  ";

/// Returns the results of a row, one a line.
fn results(row: &[Column]) -> String {
    let results = cells(row).filter(|(heading, _)| heading.is_result);
    results.filter_map(|(_, text)| Some(text?.to_owned() + "\n")).collect()
}

/// Many rows: columns under headings.
struct Table;

impl DocumentFormat<[Column]> for Table {
    fn head(&self, first: Option<&[Column]>) -> String {
        first.map_or(String::new(), |row| line(row, |(heading, _)| printable(&heading.text).into_owned()))
    }

    fn item(&mut self, row: &[Column]) -> String {
        line(row, |(_, text)| text.unwrap_or("-").to_owned())
    }
}

/// Returns a line with the text of each cell: words left-aligned, numbers right-aligned.
fn line(row: &[Column], text: impl Fn(Cell<'_>) -> String) -> String {
    let in_text = cells(row).filter(|(heading, _)| heading.is_in_text);
    let padded = in_text.map(|cell| {
        let (width, text) = (cell.0.width, text(cell));
        if cell.0.is_number { format!("{text:>width$}") } else { format!("{text:<width$}") }
    });
    padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
}
