//! A finished count as the row that `count` and `table` report.

use super::failure::Failure;
use super::judged::Judged;
use super::machine::cpu_name;
use crate::report::{Cell, Column, Detail};
use nqueens::run::{Count, logical_cpus, physical_cores};
use nqueens::{Cancel, published};

/// The columns of [`Record::row`].
pub(crate) const COLUMNS: &[Column] = &[
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "total", heading: "total", width: 18, detail: Detail::Result },
    Column { key: "fundamental", heading: "fundamental", width: 17, detail: Detail::Result },
    Column { key: "seconds", heading: "seconds", width: 10, detail: Detail::Table },
    Column { key: "verdict", heading: "verdict", width: 13, detail: Detail::Table },
    Column::of_record("published"),
    Column::of_record("half_turn"),
    Column::of_record("quarter_turn"),
    Column::of_record("engine"),
    Column::of_record("kernel"),
    Column::of_record("plan"),
    Column::of_record("units"),
    Column::of_record("threads"),
    Column::of_record("logical_cpus"),
    Column::of_record("physical_cores"),
    Column::of_record("cpu"),
    Column::of_record("program_version"),
];

/// A finished count, and what it comes to.
#[derive(Debug)]
pub(crate) struct Record {
    count: Count,
    judged: Judged,
}

impl Record {
    /// Judges a count without the count up to symmetry.
    pub(crate) fn of_total(count: Count) -> Self {
        Self { judged: Judged::of_total(count.board, count.total), count }
    }

    /// Judges a count together with the count up to symmetry, for which it searches.
    pub(crate) fn with_fundamental(count: Count, cancel: &Cancel) -> Result<Self, Failure> {
        Ok(Self { judged: Judged::with_fundamental(count.board, count.total, cancel)?, count })
    }

    pub(crate) fn count(&self) -> &Count {
        &self.count
    }

    pub(crate) fn judged(&self) -> &Judged {
        &self.judged
    }

    /// A cell for each of [`COLUMNS`].
    pub(crate) fn row(&self) -> Vec<Cell> {
        let Count { board, total, engine, kernel, ref plan, units, threads, elapsed } = self.count;
        let [fundamental, half_turn, quarter_turn] = self.judged.symmetric();
        vec![
            Cell::Integer(board.size() as u64),
            Cell::Count(total),
            fundamental,
            Cell::Seconds(elapsed.as_secs_f64()),
            Cell::Text(self.judged.verdict().to_string()),
            Cell::count(published::total(board)),
            half_turn,
            quarter_turn,
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use nqueens::Board;
    use nqueens::engine::Kernel;
    use std::time::Duration;

    /// What an engine might come up with.
    pub(crate) fn count(size: usize, total: u128) -> Count {
        Count {
            board: Board::new(size).unwrap(),
            total,
            engine: "test",
            kernel: Kernel::Scalar,
            plan: "test-1".into(),
            units: 4,
            threads: 1,
            elapsed: Duration::from_millis(1500),
        }
    }
}
