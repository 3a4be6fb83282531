//! The checks of the self-test: this machine's counts are compared with the published ones.

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::classic::solutions;
use crate::engine::{CountingEngine, Kernel, Settings};
use crate::published;
use crate::run::{Job, RunError};
use crate::symmetry::{FundamentalCount, FundamentalError};
use std::fmt;

/// The largest board that every engine counts with every kernel, plan and number of threads.
const COUNTED_THROUGHOUT: usize = 14;
/// The largest board that every engine counts with every kernel, once, with all threads.
const COUNTED_ONCE: usize = 16;
/// The largest board whose solutions are listed one by one.
const LISTED: usize = 11;

/// A computed number and the published one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// The kind of number that was computed, and the method.
    pub subject: Subject,
    /// The board.
    pub board: Board,
    /// The computed number, or the reason that there is none.
    pub computed: Result<u128, NotComputed>,
    /// The published number. For a unit, its partial count in the record.
    pub published: u128,
}

/// The reason that a number was not computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotComputed {
    /// The computation failed. This is a fault.
    Failed(String),
    /// The computation was not started, because threads or memory were not available. This does not show a fault.
    NotBegun(String),
}

impl From<RunError> for NotComputed {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Pool { .. } | RunError::Memory { .. } => NotComputed::NotBegun(error.to_string()),
            _ => NotComputed::Failed(error.to_string()),
        }
    }
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The two numbers are equal.
    Passed,
    /// The two numbers differ, or the computation failed.
    Failed,
    /// The check could not be made.
    NotMade,
}

impl Check {
    /// Returns the outcome of the check.
    pub(crate) fn outcome(&self) -> Outcome {
        match &self.computed {
            Ok(computed) if *computed == self.published => Outcome::Passed,
            Ok(_) | Err(NotComputed::Failed(_)) => Outcome::Failed,
            Err(NotComputed::NotBegun(_)) => Outcome::NotMade,
        }
    }
}

/// The kind of number that a check computes, and the method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The number of all solutions, or of those of a unit, counted by an engine.
    Count {
        /// The unit and its record in words; `None` if all solutions were counted.
        unit: Option<String>,
        /// The name of the engine.
        engine: &'static str,
        /// The kernel.
        kernel: Kernel,
        /// The name of the plan.
        plan: String,
        /// True if build side and probe side were exchanged: [`Settings::exchanged`].
        exchanged: bool,
        /// The number of threads.
        threads: usize,
    },
    /// The number of all solutions. They are listed one by one and checked against the rules.
    Listing,
    /// The number of fundamental solutions, from the published total and a search for the symmetric solutions.
    Fundamental,
    /// The number of solutions that a quarter turn maps to themselves, from a search.
    QuarterTurn,
}

impl Subject {
    /// Returns true for a unit of a record.
    pub(super) fn is_of_record(&self) -> bool {
        matches!(self, Subject::Count { unit: Some(_), .. })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Count { unit, engine, kernel, plan, exchanged, threads } => {
                if let Some(unit) = unit {
                    write!(f, "{unit}, ")?;
                }
                let plural = if *threads == 1 { "" } else { "s" };
                let roles = if *exchanged { " with sides exchanged" } else { "" };
                write!(f, "{engine}, {kernel} kernel, {plan}{roles}, {threads} thread{plural}")
            }
            Subject::Listing => f.write_str("solutions listed one by one"),
            Subject::Fundamental => f.write_str("fundamental solutions"),
            Subject::QuarterTurn => f.write_str("invariant under a quarter turn"),
        }
    }
}

/// Makes every check, from small boards to large, and calls `report` with each, passed or failed.
///
/// Each of `engines` counts with every kernel of this CPU and every plan, with 1, 2 and `threads` threads.
///
/// An engine that fails to count fails the check. An engine that cannot start, because threads or memory are not
/// available, does not.
///
/// # Errors
/// Returns an error if `cancel` is set, or `report` returns one.
pub(crate) fn verify<E>(
    engines: &[&'static dyn CountingEngine],
    threads: usize,
    cancel: &Cancel,
    mut report: impl FnMut(Check) -> Result<(), E>,
) -> Result<(), E>
where
    E: From<Cancelled>,
{
    let mut thread_counts = vec![1, 2, threads];
    thread_counts.sort_unstable();
    thread_counts.dedup();

    for (board, published) in (1..=COUNTED_ONCE).filter_map(published_total) {
        let throughout = board.size() <= COUNTED_THROUGHOUT;
        if board.size() <= LISTED {
            let computed = solutions(board).count() as u128;
            report(Check { subject: Subject::Listing, board, computed: Ok(computed), published })?;
        }
        for &engine in engines {
            for kernel in engine.kernels() {
                let counts: Vec<(Settings, usize)> = if throughout {
                    let with_threads = |settings| thread_counts.iter().map(move |&threads| (settings, threads));
                    engine.variants().into_iter().flat_map(with_threads).collect()
                } else {
                    vec![(Settings::default(), threads)]
                };
                for (settings, threads) in counts {
                    let settings = Settings { kernel: Some(kernel), ..settings };
                    let (plan, computed) = match (Job::new(board)
                        .with_engine(engine)
                        .threads(threads)
                        .settings(settings))
                    .run(cancel, &())
                    {
                        Ok(count) => (count.plan, Ok(count.total)),
                        Err(RunError::Cancelled { .. }) => return Err(Cancelled.into()),
                        Err(error) => ("no plan".to_owned(), Err(error.into())),
                    };
                    let exchanged = settings.exchanged;
                    let (unit, engine) = (None, engine.name());
                    let subject = Subject::Count { unit, engine, kernel, plan, exchanged, threads };
                    report(Check { subject, board, computed, published })?;
                }
            }
        }
        let computed = match FundamentalCount::of_total(board, published, cancel) {
            Ok(counted) => Ok(counted),
            Err(FundamentalError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => Err(NotComputed::Failed(error.to_string())),
        };
        let fundamental = computed.clone().map(|counted| counted.fundamental);
        let quarter_turn = computed.map(|counted| counted.quarter_turn);
        for (subject, computed, published) in [
            (Subject::Fundamental, fundamental, published::fundamental(board)),
            (Subject::QuarterTurn, quarter_turn, published::quarter_turn(board)),
        ] {
            if let Some(published) = published {
                report(Check { subject, board, computed, published })?;
            }
        }
    }
    Ok(())
}

fn published_total(size: usize) -> Option<(Board, u128)> {
    let board = Board::new(size).ok()?;
    Some((board, published::total(board)?))
}
