//! A study as a table of boards, with a column for each engine and kernel.

use crate::app::bench::view::{By, Series, View};
use crate::app::output::{Cell, Column, Detail};

/// The table: its headings, and for each board a row of as many cells.
pub(crate) struct Boards {
    headings: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// What stands in every row before the times.
const FIRST: [Column<'static>; 3] = [
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "total", heading: "solutions", width: 18, detail: Detail::Table },
    Column { key: "threads", heading: "threads", width: 7, detail: Detail::Table },
];

/// The warnings of all studies.
const LAST: Column<'static> = Column::of_record("warnings");

impl Boards {
    pub(crate) fn of(view: &View<'_>) -> Self {
        let series = view.series(By::Board);
        let rows = || series.iter().flat_map(|series| &series.rows);
        let mut boards: Vec<_> = rows().map(|row| (row.board, row.solutions(), row.threads)).collect();
        boards.sort_unstable();
        boards.dedup();
        let warnings = view.warnings();
        // Studies may differ in their threads: then a board has a row for each number of them.
        let row = |(board, total, threads): (usize, u128, usize)| {
            let time = |series: &Series<'_>| {
                let row = series.rows.iter().find(|row| (row.board, row.threads) == (board, threads));
                row.map_or(Cell::Missing, |row| Cell::Time(row.seconds))
            };
            let first = [Cell::Integer(board as u64), Cell::Grouped(total), Cell::Integer(threads as u64)];
            let last = Cell::List(warnings.clone());
            first.into_iter().chain(series.iter().map(time)).chain([last]).collect()
        };
        Self {
            headings: series.iter().map(|series| series.means.clone()).collect(),
            rows: boards.into_iter().map(row).collect(),
        }
    }

    pub(crate) fn columns<'a>(&'a self) -> Vec<Column<'a>> {
        let column = |heading: &'a String| Column {
            key: heading,
            heading,
            width: heading.chars().count().max(9),
            detail: Detail::Table,
        };
        FIRST.into_iter().chain(self.headings.iter().map(column)).chain([LAST]).collect()
    }
}
