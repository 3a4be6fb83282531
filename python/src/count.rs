//! Counts, and the estimate of a count.

use crate::arguments::{Squares, board, count_error, run_error, setup, value_error};
use crate::watch::{Execution, watched, watched_unless};
use nqueens::estimate::{Interval, TreeEstimate};
use nqueens::machine::on_threads;
use nqueens::symmetry::{FundamentalCount, Symmetry, count_invariant};
use nqueens::{Board, Count, Engine, Job, Kernel, Route, RunError, published as table};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::time::Duration;

/// The fields of a `Count` but the size of the board.
#[derive(IntoPyObject)]
pub(crate) struct CountFields {
    total: u128,
    engine: &'static str,
    kernel: &'static str,
    plan: String,
    units: usize,
    threads: usize,
    seconds: f64,
    nodes: Option<u64>,
    verdict: String,
    double_check: Option<String>,
}

impl CountFields {
    pub(crate) fn new(count: Count, double_check: Option<String>) -> Self {
        let verdict = count.verdict().to_string();
        let Count { total, engine, kernel, plan, units, threads, elapsed, nodes, .. } = count;
        let (engine, kernel, seconds) = (engine.name(), kernel.name(), elapsed.as_secs_f64());
        Self { total, engine, kernel, plan, units, threads, seconds, nodes, verdict, double_check }
    }
}

/// The arguments that say what is counted, and how: size, queens, blocked squares, engine, kernel, nodes.
pub(crate) type CountArguments = (usize, Squares, Squares, String, Option<String>, bool);

/// Returns the job that the arguments describe.
pub(crate) fn job_of(arguments: CountArguments, execution: &Execution<'_>) -> PyResult<Job> {
    let (size, queens, blocked, engine, kernel, nodes) = arguments;
    let engine: Option<Engine> = (engine != "auto").then(|| engine.parse()).transpose().map_err(value_error)?;
    let mut job = Job::new(setup(size, queens, blocked)?).engine(engine);
    if let Some(threads) = execution.named_threads() {
        job = job.threads(threads);
    }
    if let Some(kernel) = kernel {
        job = job.kernel(kernel.parse::<Kernel>().map_err(value_error)?);
    }
    Ok(if nodes { job.count_nodes() } else { job })
}

/// Counts the solutions.
#[pyfunction]
pub(crate) fn count(
    py: Python<'_>,
    arguments: CountArguments,
    double_check: bool,
    execution: Execution<'_>,
) -> PyResult<CountFields> {
    let job = job_of(arguments, &execution)?;
    let (count, check) = watched_unless(job.is_quick() && !double_check, py, execution.progress(), |cancel, share| {
        let count = job.run_with(cancel, &|done: f64| share.raise_to(if double_check { done / 2.0 } else { done }))?;
        let again = |done: f64| share.raise_to(f64::midpoint(1.0, done));
        let check = double_check.then(|| count.double_check(job.thread_count(), cancel, &again));
        Ok((count, check))
    })?
    .map_err(count_error)?;
    let double_check =
        check.map(|check| check.map(|routes| Route::in_words(&routes))).transpose().map_err(|error| {
            // The message keeps the first total.
            let difference = match &error {
                RunError::Differs { message, .. } => message.clone(),
                error => format!("not double-checked: {error}"),
            };
            let (board, total) = (count.board, count.total);
            PyRuntimeError::new_err(format!("N = {board}: {total} solutions; {difference}"))
        })?;
    Ok(CountFields::new(count, double_check))
}

/// Counts the solutions with a queen on each square, row by row.
#[pyfunction]
pub(crate) fn by_square(
    py: Python<'_>,
    size: usize,
    queens: Squares,
    blocked: Squares,
    execution: Execution<'_>,
) -> PyResult<Vec<Vec<u128>>> {
    let job = Job::new(setup(size, queens, blocked)?).threads(execution.threads());
    watched(py, execution.progress(), |cancel, share| job.by_square(cancel, &|done: f64| share.raise_to(done)))?
        .map_err(run_error)
}

/// Counts the orbits of solutions.
#[pyfunction]
pub(crate) fn fundamental(py: Python<'_>, size: usize, execution: Execution<'_>) -> PyResult<u128> {
    let (board, threads) = (board(size)?, execution.threads());
    let counted = watched(py, execution.progress(), |cancel, share| {
        let job = Job::new(board).threads(threads);
        let total = job.run_with(cancel, &|done: f64| share.raise_to(done)).map_err(run_error)?.total;
        let counted = FundamentalCount::from_total(board, total, cancel).map_err(value_error)?;
        counted.ok_or_else(|| PyRuntimeError::new_err(format!("N = {board}: {total} solutions are no whole orbits")))
    })??;
    Ok(counted.fundamental)
}

/// Counts the solutions that a half turn, or a quarter turn, leaves unchanged.
#[pyfunction]
pub(crate) fn symmetric(py: Python<'_>, size: usize, quarter: bool) -> PyResult<u128> {
    let (board, turn) = (board(size)?, if quarter { Symmetry::QuarterTurn } else { Symmetry::HalfTurn });
    // Only an exception stops it, and has been raised already.
    watched(py, None, |cancel, _share| count_invariant(board, turn, cancel))?.map_err(value_error)
}

/// Returns the published numbers of solutions and of fundamental solutions.
#[pyfunction]
pub(crate) fn published(size: usize) -> PyResult<(Option<u128>, Option<u128>)> {
    let board: Board = board(size)?;
    Ok((table::total(board), table::fundamental(board)))
}

/// The fields of an `Interval`, in their order.
type IntervalFields = (f64, f64, f64);

/// The time for which units are counted to estimate the time of all.
const BUDGET: Duration = Duration::from_secs(2);

/// Estimates the nodes of the tree, the solutions and, if asked for, the seconds of a count.
#[pyfunction]
pub(crate) fn estimate(
    py: Python<'_>,
    size: usize,
    probes: usize,
    seed: u64,
    is_timed: bool,
    execution: Execution<'_>,
) -> PyResult<(IntervalFields, IntervalFields, Option<IntervalFields>)> {
    let (board, threads) = (board(size)?, execution.threads());
    let (estimated, time) = watched(py, execution.progress(), |cancel, share| {
        let job = Job::new(board).threads(threads);
        let timed = |done: f64| share.raise_to(done / 2.0);
        let time = is_timed.then(|| job.estimate(BUDGET, cancel, &timed)).transpose()?;
        let done_before = if is_timed { 0.5 } else { 0.0 };
        let told = |done: f64| share.raise_to(done_before + (1.0 - done_before) * done);
        let tree = on_threads(threads, || TreeEstimate::probe(board, probes, seed, cancel, &told))?;
        Ok((tree, time))
    })?
    .map_err(run_error)?;
    // Only an exception stops the estimate, and has been raised already.
    let TreeEstimate { nodes, solutions, .. } = estimated.map_err(value_error)?;
    let fields = |Interval { estimate, low, high }| (estimate, low, high);
    Ok((fields(nodes), fields(solutions), time.map(|time| fields(time.seconds))))
}
