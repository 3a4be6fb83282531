//! The row that `count` and `table` print for a finished count.

use super::counting::CheckedCount;
use crate::app::assessment::Assessment;
use crate::app::rows::fields::{
    CPU, Cpu, LOGICAL_CPUS, LogicalCpus, PHYSICAL_CORES, PhysicalCores, Seconds, Solutions, VERSION, Version,
};
use crate::app::rows::{Cell, Row, row};
use nqueens::{Board, Count, Verdict};

row! {
    /// A finished count.
    pub(crate) struct CountRow<'a>(count: &'a Count, assessment: &Assessment, second: Option<&CheckedCount>) {
        board: Board = count.board,
        /// The number of solutions.
        total: Solutions = Solutions(count.total),
        /// The number of solutions up to rotation and reflection (OEIS A002562); null if it was not asked for, or if
        /// the total is wrong and does not make up whole orbits.
        fundamental: Option<Solutions> = assessment.fundamental.map(|found| Solutions(found.fundamental)),
        /// The number of solutions that a half turn does not change (OEIS A032522); null without `fundamental`.
        half_turn: Option<Solutions> = assessment.fundamental.map(|found| Solutions(found.half_turn)),
        /// The number of solutions that a quarter turn does not change (OEIS A033148); null without `fundamental`.
        quarter_turn: Option<Solutions> = assessment.fundamental.map(|found| Solutions(found.quarter_turn)),
        /// The time in seconds from the start of the count to the total, without the search for symmetric solutions and
        /// without the double check; with a ledger, the sum over all runs.
        seconds: Seconds = Seconds::of(count.elapsed),
        verdict: Verdict = assessment.verdict(),
        /// The published number of solutions (OEIS A000170); null if there is none.
        published: Option<Solutions> = assessment.published().map(Solutions),
        /// The engine.
        engine: &'static str = count.engine.name(),
        /// The kernel: the implementation of the engine's inner loop.
        kernel: &'static str = count.kernel.name(),
        /// The devices that counted with kernel gpu, in any run: names, platforms and drivers; null if only CPUs
        /// counted.
        device: Option<&'a str> = count.device.as_deref(),
        /// The time that the commands of devices took, added up over all threads; null if the CPU counted.
        device_seconds: Option<Seconds> = count.device_time.map(Seconds::of),
        /// The name of the plan, which cuts the count into units: `mirror-R`, `whole-R` or `row-sets-3`, and after a
        /// colon the rows of a board with given queens or blocked squares.
        plan: &'a str = &count.plan,
        /// The number of units of the plan; it can be 0 for N = 2 and 3.
        units: usize = count.units,
        /// The number of threads that counted: those asked for, or one for each unit if there are fewer units; 1 if the
        /// count was over sooner than threads are started.
        threads: usize = count.threads,
        /// With `--double-check`, the second route; if the two counts differ, `DIFFERS: ` and both results. Always null
        /// for `nqueens table`.
        double_check: Option<String> = second.map(|second| match second {
            Ok(route) => route.clone(),
            Err(difference) => format!("DIFFERS: {difference}"),
        }),
        logical_cpus: LogicalCpus = LOGICAL_CPUS,
        physical_cores: PhysicalCores = PHYSICAL_CORES,
        cpu: Cpu = CPU,
        program_version: Version = VERSION,
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
    use nqueens::{Board, Engine, Kernel};
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
