//! The self-test: what this machine counts, against the published numbers.

use super::{Job, RunError};
use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::{Engine, Kernel, Settings};
use crate::published;
use crate::search::solutions;
use crate::symmetry::{Fundamental, FundamentalError};
use std::fmt;

/// Every engine, kernel and plan counts the boards up to this size, with each number of threads.
const COUNTED_THROUGHOUT: usize = 14;
/// Every engine and kernel counts the boards up to this size once, with all threads.
const COUNTED_ONCE: usize = 16;
/// The solutions of the boards up to this size are listed one by one.
const LISTED: usize = 11;

/// One number, computed and published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was computed, and how.
    pub subject: Subject,
    /// For which board.
    pub board: Board,
    /// The number that came out.
    pub computed: u128,
    /// The number that is published.
    pub published: u128,
}

impl Check {
    /// Whether the two are equal.
    pub fn passed(&self) -> bool {
        self.computed == self.published
    }
}

/// What a check computes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All solutions, counted by an engine.
    Count {
        /// The engine's name.
        engine: &'static str,
        /// Its kernel.
        kernel: Kernel,
        /// The name of its plan.
        plan: String,
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
            Subject::Count { engine, kernel, plan, threads } => {
                let plural = if *threads == 1 { "" } else { "s" };
                write!(f, "{engine}, {kernel} kernel, {plan}, {threads} thread{plural}")
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
/// # Errors
/// When a count could not be made at all, or `report` returns an error.
pub fn verify<E>(
    engines: &[&dyn Engine],
    threads: usize,
    cancel: &Cancel,
    mut report: impl FnMut(Check) -> Result<(), E>,
) -> Result<(), E>
where
    E: From<RunError> + From<FundamentalError>,
{
    let mut thread_counts = vec![1, 2, threads];
    thread_counts.sort_unstable();
    thread_counts.dedup();

    for (board, published) in (1..=COUNTED_ONCE).filter_map(published_total) {
        let throughout = board.size() <= COUNTED_THROUGHOUT;
        if board.size() <= LISTED {
            let computed = solutions(board).count() as u128;
            report(Check { subject: Subject::Listing, board, computed, published })?;
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
                    let count = Job { board, engine, threads, settings }.run(cancel, &())?;
                    let subject = Subject::Count { engine: engine.name(), kernel, plan: count.plan, threads };
                    report(Check { subject, board, computed: count.total, published })?;
                }
            }
        }
        if let (Some(fundamental), Some(quarter_turn)) = (published::fundamental(board), published::quarter_turn(board))
        {
            let computed = Fundamental::count(board, published, cancel)?;
            let pairs = [
                (Subject::Fundamental, computed.fundamental, fundamental),
                (Subject::QuarterTurn, computed.quarter_turn, quarter_turn),
            ];
            for (subject, computed, published) in pairs {
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
