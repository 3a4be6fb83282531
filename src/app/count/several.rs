//! Counts several boards, one after another, a row for each.

use super::counting::{count, second_count};
use super::row::CountRow;
use crate::app::assessment::Assessment;
use crate::app::failure::Failure;
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::rows::{Kind, Report};
use nqueens::run::Job;
use nqueens::{Cancel, Verdict};

/// The outcome of several counts.
#[derive(Debug)]
pub(crate) struct SeveralCounts {
    /// The number of totals that are as published.
    pub(crate) matching: usize,
    /// The contradictions, each with the place of its job.
    pub(crate) contradictions: Vec<(usize, String)>,
    /// The error that ended the counts or the output.
    pub(crate) ended: Result<(), Failure>,
}

/// Counts every board and writes its row to `output`. On request, also counts up to symmetry or by two routes.
pub(crate) fn count_all(
    printing: &OutputOptions,
    jobs: &[Job],
    [fundamental, double_check]: [bool; 2],
    kind: fn(&'static str) -> Kind,
    output: impl Sink,
    cancel: &Cancel,
) -> SeveralCounts {
    let mut report = Report::open(printing.format(), kind("nqueens/table/1"), output);
    let (mut contradictions, mut matching) = (Vec::new(), 0);
    let mut row = |(place, job): (usize, &Job)| {
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
    let written = jobs.iter().enumerate().try_for_each(|at| row(at).map_err(|failure| named(at.0, failure)));
    // The document is finished even after a failure, so that it is well formed and says that it is incomplete.
    let finished = report.finish(written.is_ok()).map_err(Failure::from);
    SeveralCounts { matching, contradictions, ended: written.and(finished) }
}
