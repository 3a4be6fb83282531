//! Counts that are kept in ledgers: begun, continued and added up.

use crate::arguments::{merge_error, value_error};
use crate::count::{CountArguments, CountFields, job_of};
use crate::watch::{Execution, watched};
use nqueens::Shard;
use nqueens::ledger::{GatheredUnits, MergeError, Run, read_all};
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
    let (job, shard) = (job_of(arguments, &execution)?, Shard::new(shard.0, shard.1).map_err(value_error)?);
    let counted = watched(py, execution.progress(), |cancel, share| {
        Run::open(&job, &ledger, shard, cancel)?.count(cancel, &|done: f64| share.raise_to(done))
    })?;
    let counted = counted.map_err(|error| merge_error(MergeError::Ledger(error)))?;
    Ok(counted.count.map(|count| CountFields::new(count, None)))
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
    verdict: String,
}

/// Adds up ledgers.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, ledgers: Vec<PathBuf>) -> PyResult<MergedFields> {
    let merged = watched(py, None, |cancel, _| {
        let (mut contents, mut last) = (Vec::new(), None);
        for ledger in ledgers {
            contents.append(&mut read_all(&ledger, &mut last, cancel)?);
        }
        GatheredUnits::new(&contents)?.merged()
    })?
    .map_err(merge_error)?;
    let verdict = merged.verdict().to_string();
    Ok(MergedFields {
        size: merged.board.size(),
        total: merged.total,
        engine: merged.engine.name(),
        plan: merged.plan,
        units: merged.units,
        shards: merged.shards,
        core_seconds: merged.core_seconds,
        verdict,
    })
}
