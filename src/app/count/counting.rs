//! Runs a job under a progress bar: plainly, with a ledger, or a second time by another route.

use super::reporter::{Reporter, report_found};
use crate::app::assessment::find_wrong_units;
use crate::app::failure::Failure;
use crate::app::options::OutputOptions;
use crate::app::output::words::plural;
use nqueens::Cancel;
use nqueens::ledger::{LedgerError, Run};
use nqueens::run::{Count, Job, Observer, RunError, Shard};
use std::path::Path;

/// Counts without a ledger.
pub(crate) fn count(printing: &OutputOptions, job: &Job, cancel: &Cancel) -> Result<Count, Failure> {
    let bar = printing.bar(format!("N = {}", job.board()));
    let reporter = Reporter { printing, has_ledger: false, cancel };
    job.run_with(cancel, &[&reporter as &dyn Observer, &bar]).map_err(|error| Failure::from_count(job.board(), error))
}

/// Counts with a ledger. Returns `None` for a shard.
pub(super) fn count_in_ledger(
    printing: &OutputOptions,
    job: &Job,
    path: &Path,
    shard: Shard,
    cancel: &Cancel,
) -> Result<Option<Count>, Failure> {
    let board = job.board();
    let of_shard = if shard == Shard::WHOLE { String::new() } else { format!(", shard {shard}") };
    let bar = printing.bar(format!("N = {board}{of_shard}"));
    let counted = Run::open(job, path, shard, cancel).and_then(|run| {
        report_found(printing, path, run.found(), run.plan());
        let reporter = Reporter { printing, has_ledger: true, cancel };
        run.count(cancel, &[&reporter as &dyn Observer, &bar])
    });
    if let Err(LedgerError::Run(error @ (RunError::Sum(_) | RunError::Device { is_wrong: true, .. }))) = &counted {
        return Err(Failure::Failed(format!("{error}; {}", find_wrong_units(&[path]))));
    }
    counted.map(|counted| counted.count).map_err(|error| match Failure::from_count(board, error) {
        Failure::Cancelled(message) => Failure::Cancelled(message + "; the same command goes on"),
        failure => failure,
    })
}

/// The outcome of a second count: the route that confirms the first count, or the difference. Both are in words.
pub(crate) type CheckedCount = Result<String, String>;

/// Counts again by another route and compares the results. If the second count fails, the error contains the first
/// total.
pub(super) fn second_count(
    printing: &OutputOptions,
    count: &Count,
    threads: usize,
    cancel: &Cancel,
) -> Result<CheckedCount, Failure> {
    let &Count { board, total, .. } = count;
    let bar = printing.bar(format!("N = {board} again"));
    let failure = |error: &RunError| format!("N = {board}: {}; not double-checked: {error}", plural(total, "solution"));
    match count.double_check(threads, cancel, &bar) {
        Ok(check) => Ok(Ok(check.to_string())),
        Err(RunError::Differs(difference)) => Ok(Err(difference.to_string())),
        Err(error @ RunError::Cancelled { .. }) => Err(Failure::Cancelled(failure(&error))),
        Err(error) => Err(Failure::Failed(failure(&error))),
    }
}
