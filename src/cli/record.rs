//! A finished count as the row that `count` and `table` report.

use super::machine::cpu_name;
use crate::report::{Cell, Column, Detail};
use nqueens::run::{Count, logical_cpus, physical_cores};
use nqueens::symmetry::Fundamental;
use nqueens::{Verdict, published};

/// The columns of [`Record::row`].
pub(crate) const COLUMNS: &[Column] = &[
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "total", heading: "total", width: 18, detail: Detail::Result },
    Column { key: "fundamental", heading: "fundamental", width: 17, detail: Detail::Result },
    Column { key: "seconds", heading: "seconds", width: 10, detail: Detail::Table },
    Column { key: "verdict", heading: "verdict", width: 13, detail: Detail::Table },
    Column { key: "published", heading: "published", width: 18, detail: Detail::Record },
    Column { key: "half_turn", heading: "half turn", width: 18, detail: Detail::Record },
    Column { key: "quarter_turn", heading: "quarter turn", width: 18, detail: Detail::Record },
    Column { key: "engine", heading: "engine", width: 10, detail: Detail::Record },
    Column { key: "kernel", heading: "kernel", width: 10, detail: Detail::Record },
    Column { key: "plan", heading: "plan", width: 10, detail: Detail::Record },
    Column { key: "units", heading: "units", width: 10, detail: Detail::Record },
    Column { key: "threads", heading: "threads", width: 7, detail: Detail::Record },
    Column { key: "logical_cpus", heading: "logical CPUs", width: 12, detail: Detail::Record },
    Column { key: "physical_cores", heading: "physical cores", width: 14, detail: Detail::Record },
    Column { key: "cpu", heading: "CPU", width: 40, detail: Detail::Record },
    Column { key: "program_version", heading: "version", width: 20, detail: Detail::Record },
];

/// A finished count, and what it comes to.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) count: Count,
    /// The count up to symmetry, where it was asked for.
    pub(crate) fundamental: Option<Fundamental>,
}

impl Record {
    /// How the counts compare with the published ones: all of them, where there are several.
    pub(crate) fn verdict(&self) -> Verdict {
        let board = self.count.board;
        let total = self.count.verdict();
        self.fundamental.map_or(total, |counted| {
            total
                .and(Verdict::of(counted.fundamental, published::fundamental(board)))
                .and(Verdict::of(counted.quarter_turn, published::quarter_turn(board)))
        })
    }

    /// Both numbers, where one contradicts the published one.
    pub(crate) fn contradiction(&self) -> Option<String> {
        let board = self.count.board;
        let mut counts = vec![("total", self.count.total, published::total(board))];
        if let Some(counted) = self.fundamental {
            counts.push(("fundamental", counted.fundamental, published::fundamental(board)));
            counts.push(("quarter-turn", counted.quarter_turn, published::quarter_turn(board)));
        }
        counts
            .into_iter()
            .find(|&(_, computed, published)| Verdict::of(computed, published) == Verdict::Contradicts)
            .map(|(name, computed, published)| {
                let published = published.unwrap_or_default();
                format!("the {name} count for N = {board} came out as {computed}, but {published} is published")
            })
    }

    /// The numbers, in words: what must not be lost when they cannot be written.
    pub(crate) fn in_words(&self) -> String {
        let fundamental =
            self.fundamental.map_or(String::new(), |counted| format!(", {} fundamental", counted.fundamental));
        format!("N = {}: {} solutions{fundamental}", self.count.board, self.count.total)
    }

    /// A cell for each of [`COLUMNS`].
    pub(crate) fn row(&self) -> Vec<Cell> {
        let Count { board, total, engine, kernel, ref plan, units, threads, elapsed } = self.count;
        let fundamental = self.fundamental;
        vec![
            Cell::Integer(board.size() as u64),
            Cell::Count(total),
            Cell::count(fundamental.map(|counted| counted.fundamental)),
            Cell::Seconds(elapsed.as_secs_f64()),
            Cell::Text(self.verdict().to_string()),
            Cell::count(published::total(board)),
            Cell::count(fundamental.map(|counted| counted.half_turn)),
            Cell::count(fundamental.map(|counted| counted.quarter_turn)),
            Cell::Text(engine.to_owned()),
            Cell::Text(kernel.to_string()),
            Cell::Text(plan.clone()),
            Cell::Integer(units as u64),
            Cell::Integer(threads as u64),
            Cell::Integer(logical_cpus() as u64),
            Cell::Integer(physical_cores() as u64),
            Cell::Text(cpu_name()),
            Cell::Text(env!("NQUEENS_VERSION").to_owned()),
        ]
    }
}
