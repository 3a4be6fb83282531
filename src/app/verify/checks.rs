//! The self-test: what this machine counts, against the published numbers.

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::classic::solutions;
use crate::engine::{Engine, Kernel, Settings};
use crate::published;
use crate::run::{Job, RunError};
use crate::symmetry::{FundamentalCount, FundamentalError};
use std::fmt;

/// Every engine, kernel and plan counts the boards up to this size, with each number of threads.
const COUNTED_THROUGHOUT: usize = 14;
/// Every engine and kernel counts the boards up to this size once, with all threads.
const COUNTED_ONCE: usize = 16;
/// The solutions of the boards up to this size are listed one by one.
const LISTED: usize = 11;

/// One number, computed and published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// What was computed, and how.
    pub subject: Subject,
    /// For which board.
    pub board: Board,
    /// The number that came out, or why none did.
    pub computed: Result<u128, NotComputed>,
    /// The number that is published.
    pub published: u128,
}

/// The reason why there is no number to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotComputed {
    /// It could not be computed: a fault.
    Failed(String),
    /// It was not begun, for want of threads or memory: that says nothing of what would have come out.
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

/// The end of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The two numbers are equal.
    Passed,
    /// They are not, or there was a fault on the way.
    Failed,
    /// It could not be made.
    NotMade,
}

impl Check {
    /// The end of the check.
    pub(crate) fn outcome(&self) -> Outcome {
        match &self.computed {
            Ok(computed) if *computed == self.published => Outcome::Passed,
            Ok(_) | Err(NotComputed::Failed(_)) => Outcome::Failed,
            Err(NotComputed::NotBegun(_)) => Outcome::NotMade,
        }
    }
}

/// What a check computes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// All solutions, counted by an engine.
    Count {
        /// The engine's name.
        engine: &'static str,
        /// Its kernel.
        kernel: Kernel,
        /// The name of its plan.
        plan: String,
        /// Whether roles were exchanged: [`Settings::exchanged`].
        exchanged: bool,
        /// The number of threads.
        threads: usize,
    },
    /// All solutions, listed one by one and each held against the rules.
    Listing,
    /// The fundamental solutions, from the published total and a search for the symmetric ones.
    Fundamental,
    /// The solutions that a quarter turn leaves as they are, searched for.
    QuarterTurn,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Count { engine, kernel, plan, exchanged, threads } => {
                let plural = if *threads == 1 { "" } else { "s" };
                let roles = if *exchanged { " with roles exchanged" } else { "" };
                write!(f, "{engine}, {kernel} kernel, {plan}{roles}, {threads} thread{plural}")
            }
            Subject::Listing => f.write_str("solutions listed one by one"),
            Subject::Fundamental => f.write_str("fundamental solutions"),
            Subject::QuarterTurn => f.write_str("invariant under a quarter turn"),
        }
    }
}

/// Makes every check, from small boards to large, and tells `report` of each; which passed is for `report` to see.
///
/// `engines` count with every kernel that this CPU has and in every plan, with 1, 2 and `threads` threads.
///
/// An engine that fails to count at all has failed the check; one that cannot begin for want of threads or memory has not.
///
/// # Errors
/// When `cancel` is set, or `report` returns an error.
pub(crate) fn verify<E>(
    engines: &[&'static dyn Engine],
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
                    let (plan, computed) =
                        match (Job::new(board).engine(engine).threads(threads).settings(settings)).run(cancel, &()) {
                            Ok(count) => (count.plan, Ok(count.total)),
                            Err(RunError::Cancelled { .. }) => return Err(Cancelled.into()),
                            Err(error) => ("no plan".to_owned(), Err(error.into())),
                        };
                    let exchanged = settings.exchanged;
                    let subject = Subject::Count { engine: engine.name(), kernel, plan, exchanged, threads };
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
