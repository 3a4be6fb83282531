//! A study as rows of cells.

use crate::app::bench::view::{Record, Row};
use crate::app::output::{Cell, Column, Detail};

/// What the JSON document is.
pub(crate) const SCHEMA: &str = "nqueens/bench/1";

/// The columns of [`cells`].
pub(crate) const COLUMNS: &[Column<'_>] = &[
    Column { key: "engine", heading: "engine", width: 9, detail: Detail::Table },
    Column { key: "kernel", heading: "kernel", width: 8, detail: Detail::Table },
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "threads", heading: "threads", width: 7, detail: Detail::Table },
    Column { key: "seconds", heading: "median", width: 8, detail: Detail::Table },
    Column { key: "spread", heading: "spread", width: 6, detail: Detail::Table },
    Column { key: "speed_up", heading: "speed-up", width: 8, detail: Detail::Table },
    Column { key: "efficiency", heading: "efficiency", width: 10, detail: Detail::Table },
    Column { key: "solutions_per_second", heading: "solutions/s", width: 15, detail: Detail::Table },
    Column { key: "nodes_per_second", heading: "nodes/s", width: 13, detail: Detail::Table },
    Column::of_record("fastest"),
    Column::of_record("slowest"),
    Column::of_record("cpu_seconds"),
    Column::of_record("plan"),
    Column::of_record("units"),
    Column::of_record("total"),
    Column::of_record("verdict"),
    Column::of_record("nodes"),
    Column::of_record("pinned"),
    Column::of_record("date"),
    Column::of_record("cpu"),
    Column::of_record("program_version"),
    Column::of_record("warnings"),
];

/// A cell for each of [`COLUMNS`].
pub(crate) fn cells(record: &Record, row: &Row) -> Vec<Cell> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let ratio = |ratio: Option<f64>| ratio.map_or(Cell::Missing, Cell::Ratio);
    let seconds = |seconds: Option<f64>| seconds.map_or(Cell::Missing, Cell::Time);
    vec![
        text(&row.engine),
        text(&row.kernel),
        Cell::Integer(row.board as u64),
        Cell::Integer(row.threads as u64),
        Cell::Time(row.seconds),
        Cell::Ratio(row.spread),
        ratio(row.speed_up),
        ratio(row.efficiency),
        Cell::Estimate(row.solutions_per_second.round()),
        row.nodes_per_second.map_or(Cell::Missing, |nodes| Cell::Estimate(nodes.round())),
        Cell::Time(row.fastest),
        Cell::Time(row.slowest),
        seconds(row.cpu_seconds),
        text(&row.plan),
        Cell::Integer(row.units as u64),
        text(&row.total),
        text(&row.verdict),
        row.nodes.map_or(Cell::Missing, Cell::Integer),
        text(record.pinned_of(row)),
        text(&record.date),
        text(&record.machine.cpu),
        text(&record.program.version),
        Cell::List(record.warnings.clone()),
    ]
}
