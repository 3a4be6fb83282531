//! The row that `count` and `table` print for a finished count.

use super::counting::CheckedCount;
use crate::app::assessment::Assessment;
use crate::app::rows::fields::{
    CPU, Cpu, LOGICAL_CPUS, LogicalCpus, PHYSICAL_CORES, PhysicalCores, Seconds, Solutions, VERSION, Version,
};
use crate::app::rows::{Cell, Row};
use nqueens::run::Count;
use nqueens::{Board, Verdict};
use serde::Serialize;

/// A finished count.
#[derive(Serialize)]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
pub(crate) struct CountRow<'a> {
    board: Board,
    /// The number of solutions.
    total: Solutions,
    /// The number of solutions up to rotation and reflection (OEIS A002562); null if it was not asked for, or if the
    /// total is wrong and does not make up whole orbits.
    fundamental: Option<Solutions>,
    /// The number of solutions that a half turn does not change (OEIS A032522); null without `fundamental`.
    half_turn: Option<Solutions>,
    /// The number of solutions that a quarter turn does not change (OEIS A033148); null without `fundamental`.
    quarter_turn: Option<Solutions>,
    /// The time in seconds from the start of the count to the total, without the search for symmetric solutions and
    /// without the double check; with a ledger, the sum over all runs.
    seconds: Seconds,
    verdict: Verdict,
    /// The published number of solutions (OEIS A000170); null if there is none.
    published: Option<Solutions>,
    /// The engine.
    engine: &'static str,
    /// The kernel: the implementation of the engine's inner loop.
    kernel: &'static str,
    /// The devices that counted with kernel gpu, in any run: names, platforms and drivers; null if only CPUs counted.
    device: Option<&'a str>,
    /// The time that the commands of devices took, added up over all threads; null if the CPU counted.
    device_seconds: Option<Seconds>,
    /// The name of the plan, which cuts the count into units: `mirror-R`, `whole-R` or `row-sets-3`, and after a colon
    /// the rows of a board with given queens or blocked squares.
    plan: &'a str,
    /// The number of units of the plan; it can be 0 for N = 2 and 3.
    units: usize,
    /// The number of threads that counted: those asked for, or one for each unit if there are fewer units; 1 if the
    /// count was over sooner than threads are started.
    threads: usize,
    /// With `--double-check`, the second route; if the two counts differ, `DIFFERS: ` and both results. Always null for
    /// `nqueens table`.
    double_check: Option<String>,
    logical_cpus: LogicalCpus,
    physical_cores: PhysicalCores,
    cpu: Cpu,
    program_version: Version,
}

impl<'a> CountRow<'a> {
    pub(crate) fn new(count: &'a Count, assessment: &Assessment, double_check: Option<&CheckedCount>) -> Self {
        let symmetric = assessment.fundamental;
        let double_check = double_check.map(|double_check| match double_check {
            Ok(route) => route.clone(),
            Err(difference) => format!("DIFFERS: {difference}"),
        });
        Self {
            board: count.board,
            total: Solutions(count.total),
            fundamental: symmetric.map(|counted| Solutions(counted.fundamental)),
            half_turn: symmetric.map(|counted| Solutions(counted.half_turn)),
            quarter_turn: symmetric.map(|counted| Solutions(counted.quarter_turn)),
            seconds: Seconds::of(count.elapsed),
            verdict: assessment.verdict(),
            published: assessment.published().map(Solutions),
            engine: count.engine.name(),
            kernel: count.kernel.name(),
            device: count.device.as_deref(),
            device_seconds: count.device_time.map(Seconds::of),
            plan: &count.plan,
            units: count.units,
            threads: count.threads,
            double_check,
            logical_cpus: LOGICAL_CPUS,
            physical_cores: PHYSICAL_CORES,
            cpu: CPU,
            program_version: VERSION,
        }
    }
}

impl Row for CountRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("N", 2, Some(self.board)),
            Cell::number("total", 14, Some(self.total)).result(),
            Cell::number("fundamental", 13, self.fundamental).result(),
            Cell::number("half turn", 9, self.half_turn),
            Cell::number("quarter turn", 12, self.quarter_turn),
            Cell::number("time", 9, Some(self.seconds)),
            Cell::word("verdict", 13, Some(self.verdict)),
        ]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use nqueens::Board;
    use nqueens::engine::{Engine, Kernel};
    use std::time::Duration;

    /// Returns a count as an engine might report it.
    pub(crate) fn count(size: usize, total: u128) -> Count {
        let mut count = nqueens::Job::new(Board::new(1).unwrap()).run().unwrap();
        (count.board, count.total) = (Board::new(size).unwrap(), total);
        (count.engine, count.kernel, count.plan, count.units) = (Engine::Backtrack, Kernel::Scalar, "test-1".into(), 4);
        (count.threads, count.elapsed, count.nodes) = (1, Duration::from_millis(1500), None);
        count
    }
}
