//! Counts that are kept in ledgers: begun, continued and added up.

use crate::arguments::{merge_error, value_error};
use crate::count::{CountArguments, CountFields, job_of};
use crate::watch::{Execution, Share, watched};
use nqueens::ledger::{Contents, MergeError, Run, merge as merge_ledgers, read_all};
use nqueens::{Observer, Shard};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Passes on the share that is done, and warnings.
struct Told<'a>(&'a Share);

impl Observer for Told<'_> {
    fn progress(&self, share: f64) {
        self.0.raise_to(share);
    }
    fn warning(&self, text: &str) {
        self.0.warn(text.to_owned());
    }
}

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
        Run::open(&job, &ledger, shard, cancel)?.count(cancel, &Told(share))
    })?;
    let counted = counted.map_err(|error| merge_error(MergeError::Ledger(error)))?;
    Ok(counted.map(|count| CountFields::new(count, None)))
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
    let merged = watched(py, None, |cancel, share| {
        let (mut contents, mut last) = (Vec::new(), None);
        for ledger in ledgers {
            contents.append(&mut read_all(&ledger, &mut last, cancel)?);
        }
        contents.iter().filter_map(Contents::warning).for_each(|text| share.warn(text));
        merge_ledgers(&contents)
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
