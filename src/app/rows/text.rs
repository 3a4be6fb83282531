//! Text for people, and for shells that need only the result.

use super::Cell;
use crate::app::output::printable;

/// The gap between two columns.
const GAP: &str = "  ";

/// Returns the results of a row, one a line.
pub(super) fn results(cells: &[Cell]) -> String {
    let results = cells.iter().filter(|cell| cell.is_result);
    results.filter_map(|cell| Some(cell.text.clone()? + "\n")).collect()
}

/// Returns the line of a row, under headings if it is the first.
pub(super) fn line(cells: &[Cell], is_first: bool) -> String {
    let headings = if is_first { padded(cells, |cell| printable(&cell.heading).into_owned()) } else { String::new() };
    headings + &padded(cells, |cell| cell.text().to_owned())
}

/// Returns a line with a text for each cell: words left-aligned, numbers right-aligned.
fn padded(cells: &[Cell], text: impl Fn(&Cell) -> String) -> String {
    let padded = cells.iter().map(|cell| {
        let (width, text) = (cell.width, text(cell));
        if cell.is_number { format!("{text:>width$}") } else { format!("{text:<width$}") }
    });
    padded.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
}
