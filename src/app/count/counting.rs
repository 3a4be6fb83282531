//! Runs jobs under a progress bar: plainly, with a ledger, or a second time by another route. Their progress is reported
//! to people.

use crate::app::assessment::{Assessment, SecondCount, find_wrong_units};
use crate::app::bar::Bar;
use crate::app::failure::Failure;
use crate::app::messages;
use crate::app::options::OutputOptions;
use crate::app::output::words::{self, many, plural};
use crate::app::rows::{Cell, Cpu, Row, Seconds, Solutions};
use nqueens::ledger::{Contents, LedgerError, Run};
use nqueens::{Board, Cancel, Count, Job, Observer, Plan, PreparedJob, Route, RunError, Shard, UnitResult, Verdict};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The smallest board whose count may take minutes.
const LONG: usize = 22;

/// Suggests a ledger for a long count.
fn suggest_ledger(printing: &OutputOptions, plan: &Plan) {
    let board = plan.board();
    if board.size() >= LONG && plan.setup().is_none() && printing.is_watched() {
        printing.remark(format_args!(
            "`nqueens estimate {board}` tells how long this takes; `nqueens count {board} --ledger {board}.jsonl` would \
             keep what is counted if it stops"
        ));
    }
}

/// A bar of a count, with the messages about it.
struct CountBar<'a>(Bar, &'a OutputOptions);

impl Observer for CountBar<'_> {
    fn prepared(&self, job: &PreparedJob) {
        messages::warn_of_refused(job.devices(), "is left out");
        suggest_ledger(self.1, job.plan());
        let units = job.units();
        self.0.expect(job.plan(), job.threads_for(units.len()), &units, &units);
    }
    fn unit_done(&self, unit: &UnitResult) {
        self.0.unit_done(unit);
    }
    fn warning(&self, text: &str) {
        messages::warn(text);
    }
}

/// Reports what is finished in a ledger.
fn report_found(printing: &OutputOptions, contents: &Contents, plan: &Plan) {
    let Contents { path, header, runs, units, .. } = contents;
    let (done, all) = contents.work(plan);
    printing.remark(format_args!(
        "'{}': {} of {} are finished, {} of the work, from {}",
        path.display(),
        words::grouped(units.len() as u64),
        many(header.shard_units() as u64, "unit"),
        words::percent(done, all),
        plural(runs.len(), "run"),
    ));
}

/// Counts without a ledger.
pub(crate) fn count(printing: &OutputOptions, job: &Job, cancel: &Cancel) -> Result<Count, Failure> {
    let bar = printing.bar(format!("N = {}", job.board()));
    job.run_with(cancel, &CountBar(bar, printing)).map_err(|error| Failure::from_count(job.board(), error))
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
        let prepared = run.prepared();
        run.found().iter().for_each(|contents| report_found(printing, contents, prepared.plan()));
        messages::warn_of_refused(prepared.devices(), "is left out");
        let (units, missing) = (shard.units(prepared.plan()), run.missing());
        bar.expect(prepared.plan(), prepared.threads_for(missing.len()), &units, &missing);
        run.count(cancel, &CountBar(bar, printing))
    });
    if let Err(LedgerError::Run(error @ (RunError::Sum(_) | RunError::Device { is_wrong: true, .. }))) = &counted {
        return Err(Failure::Failed(format!("{error}; {}", find_wrong_units(&[path]))));
    }
    counted.map_err(|error| match Failure::from_count(board, error) {
        Failure::Cancelled(message) => Failure::Cancelled(message + "; the same command goes on"),
        failure => failure,
    })
}

/// Counts again by another route and compares the results. If the second count fails, the error contains the first
/// total.
pub(super) fn second_count(
    printing: &OutputOptions,
    count: &Count,
    threads: usize,
    cancel: &Cancel,
) -> Result<SecondCount, Failure> {
    let &Count { board, total, .. } = count;
    let bar = printing.bar(format!("N = {board} again"));
    let failure = |error: &RunError| format!("N = {board}: {}; not double-checked: {error}", plural(total, "solution"));
    match count.double_check(threads, cancel, &|share: f64| bar.share(share)) {
        Ok(routes) => Ok(SecondCount::Agrees(Route::in_words(&routes))),
        Err(RunError::Differs { message, .. }) => Ok(SecondCount::Differs(message)),
        Err(error @ RunError::Cancelled { .. }) => Err(Failure::Cancelled(failure(&error))),
        Err(error) => Err(Failure::Failed(failure(&error))),
    }
}

/// A finished count.
#[derive(Serialize)]
pub(crate) struct CountRow<'a> {
    board: Board,
    total: Solutions,
    fundamental: Option<Solutions>,
    half_turn: Option<Solutions>,
    quarter_turn: Option<Solutions>,
    verdict: Verdict,
    double_check: Option<String>,
    seconds: Seconds,
    engine: &'static str,
    kernel: String,
    device: Option<&'a str>,
    plan: &'a str,
    threads: usize,
    cpu: Cpu,
}

impl<'a> CountRow<'a> {
    pub(crate) fn new(count: &'a Count, assessment: &Assessment) -> Self {
        let found = assessment.fundamental;
        let kernel = |route: &Option<Route>| route.map_or("unknown", |route| route.kernel.name());
        let kernels: BTreeSet<&str> = count.routes.iter().map(kernel).collect();
        let kernels: Vec<&str> = kernels.into_iter().collect();
        Self {
            board: count.board,
            total: Solutions(count.total),
            fundamental: found.map(|found| Solutions(found.fundamental)),
            half_turn: found.map(|found| Solutions(found.half_turn)),
            quarter_turn: found.map(|found| Solutions(found.quarter_turn)),
            verdict: assessment.verdict(),
            double_check: assessment.second.as_ref().map(|second| match second {
                SecondCount::Agrees(route) => route.clone(),
                SecondCount::Differs(difference) => format!("DIFFERS: {difference}"),
            }),
            seconds: Seconds::of(count.elapsed),
            engine: count.engine.name(),
            // A board without a unit has no route.
            kernel: if kernels.is_empty() { count.kernel.to_string() } else { kernels.join(" and ") },
            device: count.device.as_deref(),
            plan: &count.plan,
            threads: count.threads,
            cpu: Cpu,
        }
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

    /// A count with a ledger names the kernels of all runs, not the one that this run would have used.
    #[test]
    fn a_row_names_the_kernels_that_counted_units() {
        let mut count = count(8, 92);
        let by = [Kernel::Scalar, Kernel::Portable]
            .map(|kernel| Job::new(Board::new(8).unwrap()).kernel(kernel).run().unwrap().routes[0]);
        let assessment = Assessment::new(count.board, count.total);
        for (routes, named) in [
            (vec![], "scalar"),
            (vec![by[1]; 4], "portable"),
            (vec![by[0], by[1], by[0], by[1]], "portable and scalar"),
            (vec![None, by[1]], "portable and unknown"),
        ] {
            count.routes = routes;
            assert_eq!(CountRow::new(&count, &assessment).kernel, named);
        }
    }

    /// Returns a count as an engine might report it.
    pub(crate) fn count(size: usize, total: u128) -> Count {
        let mut count = nqueens::Job::new(Board::new(1).unwrap()).run().unwrap();
        (count.board, count.total) = (Board::new(size).unwrap(), total);
        (count.engine, count.kernel, count.plan, count.units) = (Engine::Backtrack, Kernel::Scalar, "test-1".into(), 4);
        (count.threads, count.elapsed, count.nodes) = (1, Duration::from_millis(1500), None);
        count.routes.clear();
        count
    }
}
