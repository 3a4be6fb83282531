//! A finished count as the row that `count` and `table` report.

use crate::app::double_check::{Difference, DoubleCheck};
use crate::app::failure::Failure;
use crate::app::judged::Judged;
use crate::app::machine::HOST;
use crate::app::output::{Cell, Column, Detail};
use crate::run::Count;
use crate::{Cancel, published};

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
    Column::of_record("double_check"),
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
    /// By what means the count was made again, or how the two differ, where it was made again.
    double_check: Option<Result<DoubleCheck, Difference>>,
}

impl Record {
    /// Judges a count without the count up to symmetry.
    pub(crate) fn of_total(count: Count) -> Self {
        Self { judged: Judged::of_total(count.board, count.total), count, double_check: None }
    }

    /// Judges a count together with the count up to symmetry, for which it searches.
    pub(crate) fn with_fundamental(count: Count, cancel: &Cancel) -> Result<Self, Failure> {
        Ok(Self { judged: Judged::with_fundamental(count.board, count.total, cancel)?, count, double_check: None })
    }

    /// The same with what a second count has shown.
    pub(crate) fn double_checked(self, double_check: Option<Result<DoubleCheck, Difference>>) -> Self {
        Self { double_check, ..self }
    }

    pub(crate) fn count(&self) -> &Count {
        &self.count
    }

    pub(crate) fn judged(&self) -> &Judged {
        &self.judged
    }

    /// What a second count has shown, in words.
    pub(crate) fn double_check(&self) -> Option<String> {
        self.double_check.as_ref().map(|double_check| match double_check {
            Ok(confirmed) => confirmed.to_string(),
            Err(difference) => format!("DIFFERS: {difference}"),
        })
    }

    /// Whether a second count came to another number.
    pub(crate) fn differs(&self) -> bool {
        matches!(self.double_check, Some(Err(_)))
    }

    /// All that is wrong with the counts, where they contradict the published ones or each other.
    pub(crate) fn faults(&self) -> Vec<String> {
        let difference = self.double_check.as_ref().and_then(|double_check| double_check.as_ref().err());
        self.judged.contradictions().iter().cloned().chain(difference.map(Difference::to_string)).collect()
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
            self.double_check().map_or(Cell::Missing, Cell::Text),
            Cell::Integer(HOST.logical_cpus as u64),
            Cell::Integer(HOST.physical_cores as u64),
            Cell::Text(HOST.cpu.clone()),
            Cell::Text(env!("NQUEENS_VERSION").to_owned()),
        ]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Board;
    use crate::engine::Kernel;
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

    #[test]
    fn a_second_count_is_told_of_and_a_difference_is_a_fault() {
        use crate::app::double_check::{Compared, Group};
        let column = COLUMNS.iter().position(|column| column.key == "double_check").unwrap();
        let cell = |record: &Record| record.row()[column].clone();
        let record = Record::of_total(count(8, 92));
        assert_eq!((cell(&record), record.faults()), (Cell::Missing, vec![]));

        let confirmed =
            DoubleCheck { engine: "test", kernel: Kernel::Scalar, exchanged: false, compared: Compared::Totals };
        let record = record.double_checked(Some(Ok(confirmed)));
        assert_eq!((cell(&record), record.faults()), (Cell::Text("test, scalar kernel".into()), vec![]));

        let by = ["one".to_owned(), "another".to_owned()];
        let board = Board::new(8).unwrap();
        let record = record.double_checked(Some(Err(Difference { board, group: Group::Total, counted: [92, 93], by })));
        let words = "the total for N = 8 came out as 92 by one, but as 93 by another";
        assert_eq!((cell(&record), record.faults()), (Cell::Text(format!("DIFFERS: {words}")), vec![words.to_owned()]));
        assert_eq!(record.judged().verdict(), crate::Verdict::Matches);
    }
}
