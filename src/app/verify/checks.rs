//! The checks of the self-test: this machine's counts are compared with the published ones.

use crate::app::output::words::plural;
use crate::app::rows::Column;
use nqueens::board::Board;
use nqueens::cancel::{Cancel, Cancelled};
use nqueens::engine::{CountingEngine, Settings};
use nqueens::published;
use nqueens::run::{Job, RunError};
use nqueens::solutions;
use nqueens::symmetry::{FundamentalCount, FundamentalError};
use std::fmt;
use std::time::{Duration, Instant};

/// The largest board that every engine counts with every kernel, plan and number of threads.
const COUNTED_THROUGHOUT: usize = 14;
/// The largest board that every engine counts with every kernel, once, with all threads.
const COUNTED_ONCE: usize = 16;
/// The largest board whose solutions are listed one by one.
const LISTED: usize = 11;

/// What holds for every board that is checked.
const PUBLISHED: &str = "all its numbers are published";

/// A number to compute and to compare with the published one.
pub(super) struct Check {
    pub(super) board: Board,
    pub(super) subject: Subject,
}

/// The kind of number that a check computes, and the method.
pub(super) enum Subject {
    /// The number of all solutions, counted by an engine.
    Count(Job),
    /// The number of all solutions. They are listed one by one and checked against the rules.
    Listing,
    /// The number of fundamental solutions, from the published total and a search for the symmetric solutions.
    Fundamental,
}

/// A check that was made.
pub(super) struct Made {
    check: Check,
    /// The name of the plan, if an engine counted.
    plan: Option<String>,
    /// The computed number, or the reason that there is none.
    computed: Result<u128, String>,
    pub(super) outcome: CheckOutcome,
    pub(super) elapsed: Duration,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    /// The two numbers are equal.
    Passed,
    /// The two numbers differ, or the computation failed.
    Failed,
    /// Threads or memory were not available. This does not show a fault.
    NotMade,
}

impl Check {
    /// Computes the number and compares it.
    pub(super) fn make(self, cancel: &Cancel) -> Result<Made, Cancelled> {
        let board = self.board;
        let start = Instant::now();
        let mut plan = None;
        let mut outcome = CheckOutcome::Failed;
        let computed = match &self.subject {
            Subject::Count(job) => match job.run_with(cancel, &()) {
                Ok(count) => {
                    plan = Some(count.plan);
                    Ok(count.total)
                }
                Err(RunError::Cancelled { .. }) => return Err(Cancelled),
                Err(error) => {
                    if matches!(error, RunError::Pool { .. } | RunError::Memory { .. }) {
                        outcome = CheckOutcome::NotMade;
                    }
                    Err(error.to_string())
                }
            },
            Subject::Listing => Ok(solutions(board).count() as u128),
            Subject::Fundamental => {
                match FundamentalCount::of_total(board, published::total(board).expect(PUBLISHED), cancel) {
                    Ok(counted) => Ok(counted.fundamental),
                    Err(FundamentalError::Cancelled(cancelled)) => return Err(cancelled),
                    Err(error) => Err(error.to_string()),
                }
            }
        };
        if computed == Ok(self.published()) {
            outcome = CheckOutcome::Passed;
        }
        Ok(Made { check: self, plan, computed, outcome, elapsed: start.elapsed() })
    }

    fn published(&self) -> u128 {
        let published = match self.subject {
            Subject::Count(_) | Subject::Listing => published::total,
            Subject::Fundamental => published::fundamental,
        };
        published(self.board).expect(PUBLISHED)
    }
}

impl Made {
    pub(super) fn row(&self) -> Vec<Column> {
        let outcome = match self.outcome {
            CheckOutcome::Passed => "ok",
            CheckOutcome::Failed => "FAILED",
            CheckOutcome::NotMade => "not made",
        };
        let job = if let Subject::Count(job) = &self.check.subject { Some(job) } else { None };
        let sides = |job: &Job| if job.settings.exchanged { "exchanged" } else { "usual" };
        vec![
            Column::new("board", self.check.board.size()).number("N", 2),
            Column::solutions("computed", self.computed.clone().ok()).number("computed", 12),
            Column::solutions("published", self.check.published()).number("published", 12),
            Column::new("outcome", outcome).word("", 8),
            Column::new("subject", self.subject()).word("what was computed", 0),
            Column::new("engine", job.map(Job::engine_name)),
            Column::new("kernel", job.and_then(|job| Some(job.settings.kernel?.name()))),
            Column::new("plan", self.plan.as_deref()),
            Column::new("threads", job.map(|job| job.threads)),
            // Build side and probe side of the two-color engine.
            Column::new("sides", job.map(sides)),
        ]
    }

    fn subject(&self) -> String {
        match &self.check.subject {
            Subject::Count(job @ Job { settings, threads, .. }) => {
                let kernel = settings.kernel.map_or("auto", |kernel| kernel.name());
                let plan = self.plan.as_deref().unwrap_or("no plan");
                let sides = if settings.exchanged { " with sides exchanged" } else { "" };
                format!("{}, {kernel} kernel, {plan}{sides}, {}", job.engine_name(), plural(*threads, "thread"))
            }
            Subject::Listing => "solutions listed one by one".to_owned(),
            Subject::Fundamental => "fundamental solutions".to_owned(),
        }
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "N = {}, {}: ", self.check.board, self.subject())?;
        match &self.computed {
            Ok(computed) => write!(f, "computed {computed}, published {}", self.check.published()),
            Err(error) => f.write_str(error),
        }
    }
}

/// Returns all checks, from small boards to large. Each of `engines` counts with every kernel of this CPU and every
/// plan, with 1, 2 and `threads` threads.
pub(super) fn all(engines: &[&'static dyn CountingEngine], threads: usize) -> Vec<Check> {
    let mut thread_counts = vec![1, 2, threads];
    thread_counts.sort_unstable();
    thread_counts.dedup();
    let mut checks = Vec::new();
    for board in (1..=COUNTED_ONCE).filter_map(|size| Board::new(size).ok()) {
        let mut add = |subject| checks.push(Check { board, subject });
        if board.size() <= LISTED {
            add(Subject::Listing);
        }
        let is_large = board.size() > COUNTED_THROUGHOUT;
        let thread_counts = if is_large { &[threads][..] } else { &thread_counts };
        for &engine in engines {
            for kernel in engine.kernels() {
                for settings in if is_large { vec![Settings::default()] } else { engine.variants() } {
                    let settings = Settings { kernel: Some(kernel), ..settings };
                    let job = Job::new(board).with_engine(engine).settings(settings);
                    for &threads in thread_counts {
                        add(Subject::Count(job.clone().threads(threads)));
                    }
                }
            }
        }
        add(Subject::Fundamental);
    }
    checks
}
