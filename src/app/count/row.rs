//! The row that `count` and `table` print for a finished count.

use super::counting::CheckedCount;
use crate::app::assessment::Assessment;
use crate::app::machine::MACHINE;
use crate::app::rows::Column;
use nqueens::published;
use nqueens::run::Count;

pub(crate) fn count_row(count: &Count, assessment: &Assessment, double_check: Option<&CheckedCount>) -> Vec<Column> {
    let symmetric = assessment.fundamental;
    let double_check = double_check.map(|double_check| match double_check {
        Ok(route) => route.clone(),
        Err(difference) => format!("DIFFERS: {difference}"),
    });
    vec![
        Column::new("board", count.board.size()).number("N", 2),
        Column::solutions("total", count.total).number("total", 14).result(),
        Column::solutions("fundamental", symmetric.map(|counted| counted.fundamental))
            .number("fundamental", 13)
            .result(),
        Column::solutions("half_turn", symmetric.map(|counted| counted.half_turn)).number("half turn", 9),
        Column::solutions("quarter_turn", symmetric.map(|counted| counted.quarter_turn)).number("quarter turn", 12),
        Column::seconds("seconds", count.elapsed.as_secs_f64()).number("time", 9),
        Column::new("verdict", assessment.verdict().to_string()).word("verdict", 13),
        Column::solutions("published", published::total(count.board).filter(|_| count.setup.is_none())),
        Column::new("engine", count.engine.name()),
        Column::new("kernel", count.kernel.name()),
        Column::new("device", count.device.as_deref()),
        Column::seconds("device_seconds", count.device_time.map(|time| time.as_secs_f64())),
        Column::new("plan", &*count.plan),
        Column::new("units", count.units),
        Column::new("threads", count.threads),
        Column::new("double_check", double_check),
        Column::later("logical_cpus", || MACHINE.logical_cpus.into()),
        Column::later("physical_cores", || MACHINE.physical_cores.into()),
        Column::later("cpu", || MACHINE.cpu.clone().into()),
        Column::new("program_version", env!("NQUEENS_VERSION")),
    ]
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
