//! Counts that are kept in ledgers: begun, continued, watched and added up.

use crate::arguments::{merge_error, value_error};
use crate::count::{CountArguments, CountFields, job_of};
use crate::watch::{Execution, watched};
use nqueens::ledger::{Contents, GatheredUnits, LedgerError, MergeError, Progress, Run, read_all};
use nqueens::{Cancel, Shard, Verdict};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Counts the units that a ledger lacks. Returns the fields of a `Count`; `None` for a shard.
#[pyfunction]
pub(crate) fn count_in_ledger(
    py: Python<'_>,
    arguments: CountArguments,
    ledger: PathBuf,
    shard: (usize, usize),
    execution: Execution<'_>,
) -> PyResult<Option<CountFields>> {
    let (job, shard) = (job_of(py, arguments, &execution)?, Shard::try_from(shard).map_err(value_error)?);
    let counted = watched(py, execution.progress(), |cancel, share| {
        Run::open(&job, &ledger, shard, cancel)?.count(cancel, &|done: f64| share.raise_to(done))
    })?;
    let counted = counted.map_err(|error| merge_error(MergeError::Ledger(error)))?;
    Ok(counted.count.map(|count| CountFields::new(count, None)))
}

/// Reads ledgers.
///
/// # Errors
/// When a file cannot be read or is no ledger.
pub(crate) fn read(paths: Vec<PathBuf>, cancel: &Cancel) -> Result<Vec<Contents>, LedgerError> {
    let (mut contents, mut last) = (Vec::new(), None);
    for path in paths {
        contents.append(&mut read_all(&path, &mut last, cancel)?);
    }
    Ok(contents)
}

/// The fields of a `Status`.
#[derive(IntoPyObject)]
pub(crate) struct StatusFields {
    size: usize,
    engine: &'static str,
    plan: String,
    state: String,
    shards: usize,
    missing: Vec<usize>,
    units_done: usize,
    units: usize,
    share: f64,
    seconds_left: Option<f64>,
    core_seconds: f64,
}

/// Returns the progress of ledgers together. `shards` is the number of shards if no ledger of a shard tells it.
#[pyfunction]
pub(crate) fn status(py: Python<'_>, ledgers: Vec<PathBuf>, shards: usize) -> PyResult<StatusFields> {
    watched(py, None, |cancel, _| {
        let contents = read(ledgers, cancel).map_err(MergeError::from)?;
        let gathered = GatheredUnits::new(&contents)?.in_shards(shards);
        gathered.without_contradiction()?;
        let plan = gathered.plan();
        let each: Vec<Progress> = contents.iter().map(|ledger| Progress::new(ledger, plan)).collect();
        let all = Progress::gathered(&gathered, &each);
        Ok(StatusFields {
            size: plan.board().size(),
            engine: plan.engine().name(),
            plan: plan.name().to_owned(),
            state: all.state.to_string(),
            shards: gathered.shards(),
            missing: gathered.missing_shards(),
            units_done: all.units_done,
            units: all.units,
            share: if all.work == 0 { 1.0 } else { all.work_done as f64 / all.work as f64 },
            seconds_left: all.seconds_left,
            core_seconds: all.core_seconds,
        })
    })?
    .map_err(merge_error)
}

/// The fields of a `Merged`.
#[derive(IntoPyObject)]
pub(crate) struct MergedFields {
    size: usize,
    total: u128,
    engine: &'static str,
    plan: String,
    units: usize,
    shards: usize,
    core_seconds: f64,
    device: Option<String>,
    verdict: String,
}

/// Adds up ledgers.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, ledgers: Vec<PathBuf>) -> PyResult<MergedFields> {
    let merged = watched(py, None, |cancel, _| {
        let contents = read(ledgers, cancel).map_err(MergeError::from)?;
        GatheredUnits::new(&contents)?.merged()
    })?
    .map_err(merge_error)?;
    let verdict = match merged.setup {
        None => Verdict::new(merged.board, merged.total),
        Some(_) => Verdict::NotPublished,
    };
    Ok(MergedFields {
        size: merged.board.size(),
        total: merged.total,
        engine: merged.engine.name(),
        plan: merged.plan,
        units: merged.units,
        shards: merged.shards,
        core_seconds: merged.core_seconds,
        device: merged.device,
        verdict: verdict.to_string(),
    })
}
