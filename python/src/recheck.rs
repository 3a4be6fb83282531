//! Units of ledgers, counted again by another route.

use crate::arguments::{merge_error, run_error, seconds, threads as number_of_threads};
use crate::watch::watched;
use nqueens::ledger::{Recheck, RecountedUnit, read_all};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

/// The result says how likely the recheck finds nothing if one unit in this number is wrong.
const ONE_IN: usize = 20;

type UnitFields = (usize, u128, u128, String, String, f64, OsString);
type RecheckFields = (usize, String, usize, Vec<UnitFields>, f64);

/// Counts units of ledgers again, chosen at random. Returns the size of the board, the plan, the number of finished
/// units, the recounted units, and the probability to find nothing wrong. A recounted unit has its number, the recorded
/// and the new partial count, the routes of both, the seconds and the ledger.
#[pyfunction]
#[pyo3(signature = (ledgers, *, units, duration, seed, threads, progress))]
pub(crate) fn recheck(
    py: Python<'_>,
    ledgers: Vec<PathBuf>,
    units: usize,
    duration: Option<f64>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<RecheckFields> {
    let (time, threads) = (seconds(duration)?, number_of_threads(threads));
    watched(py, progress, |cancel, share| {
        let (mut contents, mut last) = (Vec::new(), None);
        for path in ledgers {
            contents.append(&mut read_all(&path, &mut last, cancel).map_err(|error| merge_error(error.into()))?);
        }
        let recheck = Recheck::new(&contents, threads, cancel).map_err(merge_error)?;
        let mut order = recheck.shuffled(seed);
        let (finished, start) = (order.len(), Instant::now());
        order.truncate(units);
        let time_share = || time.map_or(0.0, |time| start.elapsed().as_secs_f64() / time.as_secs_f64());
        let counted = recheck.count(&order, time, cancel, &|done: f64| share.raise_to(done.max(time_share())));
        let units: Vec<_> = counted.map_err(run_error)?.iter().map(fields).collect();
        let (plan, missed) = (recheck.plan(), recheck.all_right(units.len(), ONE_IN));
        Ok((plan.board().size(), plan.name().to_owned(), finished, units, missed))
    })?
}

fn fields(unit: &RecountedUnit<'_>) -> UnitFields {
    let by = (unit.recorded_by(), unit.route.to_string());
    (unit.unit, unit.recorded, unit.recounted, by.0, by.1, unit.elapsed.as_secs_f64(), unit.ledger.path.clone().into())
}
