//! Text for people, and for shells that need only the result.

use super::{Cell, Line, Table};
use crate::app::output::printable;

/// The gap between two columns.
const GAP: &str = "  ";

/// Returns the results of a row, one a line.
pub(super) fn results(row: &Line) -> String {
    let results = row.cells.iter().filter(|cell| cell.is_result);
    results.filter_map(|cell| Some(cell.text.clone()? + "\n")).collect()
}

/// Many rows: columns under headings.
pub(super) const COLUMNS: Table = Table {
    head: |row| line(row, |cell| printable(&cell.heading).into_owned()),
    row: |row| line(row, |cell| cell.text().to_owned()),
};

/// Returns a line with a text for each cell: words left-aligned, numbers right-aligned.
fn line(row: &Line, text: impl Fn(&Cell) -> String) -> String {
    let in_text = row.cells.iter().filter(|cell| cell.is_in_text);
    let padded = in_text.map(|cell| {
        let (width, text) = (cell.width, text(cell));
        if cell.is_number { format!("{text:>width$}") } else { format!("{text:<width$}") }
    });
    padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
}
