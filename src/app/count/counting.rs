//! Runs jobs under a progress bar: plainly, with a ledger, a second time by another route, or one after another.

use super::reporter::{Reporter, report_found};
use super::row::CountRow;
use crate::app::assessment::{Assessment, find_wrong_units};
use crate::app::failure::Failure;
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::output::words::plural;
use crate::app::rows::{Kind, Report};
use nqueens::ledger::{LedgerError, Run};
use nqueens::{Cancel, Count, Job, Observer, RunError, Shard, Verdict};
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

/// Counts every board and writes its row to `output`. On request, also counts up to symmetry or by two routes. Returns
/// the number of totals that are as published, or the error that ended the counts or the output; and the
/// contradictions, each with the place of its job.
pub(crate) fn count_all(
    printing: &OutputOptions,
    jobs: &[Job],
    [fundamental, double_check]: [bool; 2],
    kind: fn(&'static str) -> Kind,
    output: impl Sink,
    cancel: &Cancel,
) -> (Result<usize, Failure>, Vec<(usize, String)>) {
    let report = Report::open(printing.format(), kind("nqueens/table/1"), output);
    let (mut contradictions, mut matching) = (Vec::new(), 0);
    let mut row = |report: &mut Report<_>, (place, job): (usize, &Job)| {
        let count = count(printing, job, cancel)?;
        let mut assessment = Assessment::new(count.board, count.total, count.setup.is_some());
        if fundamental {
            assessment = assessment.with_fundamental(cancel)?;
        }
        let second = double_check.then(|| second_count(printing, &count, job.thread_count(), cancel)).transpose()?;
        let difference = second.as_ref().and_then(|second| second.as_ref().err());
        let wrong = assessment.contradictions.iter().chain(difference);
        contradictions.extend(wrong.map(|wrong| (place, wrong.clone())));
        matching += usize::from(assessment.verdict() == Verdict::Matches);
        let row = CountRow::new(&count, &assessment, second.as_ref());
        report.row(&row).map_err(|error| Failure::with_result(error, &assessment.in_words()))
    };
    // Only a table has fundamental solutions; each of its boards has another N, so that failures need no number of the
    // board.
    let named = |place, failure: Failure| if fundamental { failure } else { failure.with_board(place + 1) };
    let written = report.written_by(|report| {
        let mut jobs = jobs.iter().enumerate();
        jobs.try_for_each(|at| row(report, at).map_err(|failure| named(at.0, failure)))
    });
    (written.map(|()| matching), contradictions)
}
