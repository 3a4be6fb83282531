//! Units of ledgers, counted again by another route.

use crate::arguments::{merge_error, run_error, seconds};
use crate::ledger::read;
use crate::watch::{Execution, watched};
use nqueens::ledger::{Recheck, RecountedUnit};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

/// The result says how likely the recheck finds nothing if one unit in this number is wrong.
const ONE_IN: usize = 20;

/// The fields of a `Recheck` but its seed. The units are dictionaries too.
#[derive(IntoPyObject)]
pub(crate) struct RecheckFields {
    size: usize,
    plan: String,
    finished: usize,
    units: Vec<UnitFields>,
    missed: f64,
}

/// The fields of a `Recounted`.
#[derive(IntoPyObject)]
struct UnitFields {
    unit: usize,
    recorded: u128,
    recounted: u128,
    recorded_by: String,
    recounted_by: String,
    seconds: f64,
    ledger: OsString,
}

/// Counts units of ledgers again, chosen at random.
#[pyfunction]
pub(crate) fn recheck(
    py: Python<'_>,
    ledgers: Vec<PathBuf>,
    units: usize,
    duration: Option<f64>,
    seed: u64,
    execution: Execution<'_>,
) -> PyResult<RecheckFields> {
    let (time, threads) = (seconds(duration)?, execution.threads());
    watched(py, execution.progress(), |cancel, share| {
        let contents = read(ledgers, cancel).map_err(|error| merge_error(error.into()))?;
        let recheck = Recheck::new(&contents, threads, cancel).map_err(merge_error)?;
        let mut order = recheck.shuffled(seed);
        let (finished, start) = (order.len(), Instant::now());
        order.truncate(units);
        let time_share = || time.map_or(0.0, |time| start.elapsed().as_secs_f64() / time.as_secs_f64());
        let counted = recheck.count(&order, cancel, &|done: f64| share.raise_to(done.max(time_share())));
        let fields = |unit: &RecountedUnit<'_>| UnitFields {
            unit: unit.unit,
            recorded: unit.recorded,
            recounted: unit.recounted,
            recorded_by: unit.recorded_by(),
            recounted_by: unit.route.to_string(),
            seconds: unit.elapsed.as_secs_f64(),
            ledger: unit.ledger.path.clone().into(),
        };
        let units: Vec<UnitFields> = counted.map_err(run_error)?.iter().map(fields).collect();
        let (size, plan) = (recheck.plan().board().size(), recheck.plan().name().to_owned());
        let missed = recheck.all_right(units.len(), ONE_IN);
        Ok(RecheckFields { size, plan, finished, units, missed })
    })?
}
