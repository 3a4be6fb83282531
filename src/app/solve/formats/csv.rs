//! Comma-separated values: a line for each solution, a column for each row of the board.

use super::{Found, Layout};
use crate::app::output::document::Format;

pub(super) struct Csv(pub(super) Layout);

/// Returns a line of numbers or names, which need no quotes.
fn line(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\n"
}

impl Format<Found> for Csv {
    fn head(&self) -> String {
        let orbit = self.0.fundamental.then(|| "orbit_size".to_owned());
        let rows = (0..self.0.size).map(|row| format!("row_{row}"));
        line(std::iter::once("solution".to_owned()).chain(orbit).chain(rows))
    }

    fn item(&mut self, found: &Found) -> String {
        let orbit = found.orbit_size.map(|size| size.to_string());
        let columns = found.columns.iter().map(ToString::to_string);
        line(std::iter::once(found.number.to_string()).chain(orbit).chain(columns))
    }
}
