//! The row that `count` and `table` print for a finished count.

use super::double_check::{Difference, DoubleCheck};
use crate::app::assessment::Assessment;
use crate::app::machine::{Cpu, LogicalCpus, PhysicalCores};
use crate::app::rows::values::{Seconds, Solutions};
use crate::app::rows::{Cell, Row};
use crate::published;
use crate::run::Count;
use serde::Serialize;

/// A finished count.
#[derive(Debug, Default, Serialize)]
pub(crate) struct CountRow {
    board: usize,
    total: Solutions,
    fundamental: Option<Solutions>,
    seconds: Seconds,
    verdict: String,
    published: Option<Solutions>,
    half_turn: Option<Solutions>,
    quarter_turn: Option<Solutions>,
    engine: &'static str,
    kernel: &'static str,
    plan: String,
    units: usize,
    threads: usize,
    double_check: Option<String>,
    logical_cpus: LogicalCpus,
    physical_cores: PhysicalCores,
    cpu: Cpu,
    program_version: &'static str,
}

impl CountRow {
    pub(crate) fn new(
        count: &Count,
        assessment: &Assessment,
        double_check: Option<&Result<DoubleCheck, Difference>>,
    ) -> Self {
        let symmetric = assessment.fundamental();
        Self {
            board: count.board.size(),
            total: Solutions(count.total),
            fundamental: symmetric.map(|counted| Solutions(counted.fundamental)),
            seconds: Seconds(count.elapsed.as_secs_f64()),
            verdict: assessment.verdict().to_string(),
            published: published::total(count.board).map(Solutions),
            half_turn: symmetric.map(|counted| Solutions(counted.half_turn)),
            quarter_turn: symmetric.map(|counted| Solutions(counted.quarter_turn)),
            engine: count.engine,
            kernel: count.kernel.name(),
            plan: count.plan.clone(),
            units: count.units,
            threads: count.threads,
            double_check: double_check.map(|double_check| match double_check {
                Ok(confirmed) => confirmed.to_string(),
                Err(difference) => format!("DIFFERS: {difference}"),
            }),
            logical_cpus: LogicalCpus,
            physical_cores: PhysicalCores,
            cpu: Cpu,
            program_version: env!("NQUEENS_VERSION"),
        }
    }
}

impl Row for CountRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("N", 2, self.board),
            Cell::number("total", 18, self.total).result(),
            Cell::optional("fundamental", 17, self.fundamental).result(),
            Cell::number("seconds", 10, self.seconds),
            Cell::word("verdict", 13, &self.verdict),
        ]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Board;
    use crate::app::count::double_check::{Compared, Group};
    use crate::engine::Kernel;
    use std::time::Duration;

    /// Returns a count as an engine might report it.
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
            nodes: None,
        }
    }

    #[test]
    fn a_second_count_stands_in_the_row_whatever_its_outcome() {
        let board = Board::new(8).unwrap();
        let assessment = Assessment::of_total(board, 92);
        let double_check = |outcome: Option<&_>| CountRow::new(&count(8, 92), &assessment, outcome).double_check;
        assert_eq!(double_check(None), None);

        let confirmed =
            DoubleCheck { engine: "test", kernel: Kernel::Scalar, exchanged: false, compared: Compared::Totals };
        assert_eq!(double_check(Some(&Ok(confirmed))).as_deref(), Some("test, scalar kernel"));

        let by = ["one".to_owned(), "another".to_owned()];
        let difference = Difference { board, group: Group::Total, counted: [92, 93], by };
        let words = "DIFFERS: the total for N = 8 came out as 92 by one, but as 93 by another";
        assert_eq!(double_check(Some(&Err(difference))).as_deref(), Some(words));
    }
}
