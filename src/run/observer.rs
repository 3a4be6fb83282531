//! Callbacks that follow a count.

use super::counting::PreparedJob;
use super::route::Route;
use std::time::Duration;

/// Callbacks during a count, or another long computation. They only look: a [`Cancel`](crate::Cancel) is what stops it.
/// Methods may be called from any thread, and every method has a default. `()` observes nothing, and a function is an
/// observer that is called with the share that is done.
///
/// ```
/// use nqueens::{Board, Cancel, Job};
///
/// let show = |share: f64| eprintln!("{:.0}%", 100.0 * share);
/// assert_eq!(Job::new(Board::new(12)?).run_with(&Cancel::new(), &show)?.total, 14_200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Sync {
    /// Called by [`Job::run_with`](crate::Job::run_with) when the plan is made, before the first unit.
    fn prepared(&self, _job: &PreparedJob) {}

    /// Called after each finished unit by the thread that counted it. The default tells [`progress`](Self::progress) the
    /// [share](UnitResult::share) that is done.
    fn unit_done(&self, unit: &UnitResult) {
        self.progress(unit.share);
    }

    /// Called with the share that is done, from 0 to 1, by a computation that does not count the units of one plan,
    /// such as [`Job::by_square`](crate::Job::by_square).
    fn progress(&self, _share: f64) {}

    /// Called with each warning about the ledger of the count, in words: when the count begins or, if the file system
    /// cannot flush the file to a disk, when that shows.
    fn warning(&self, _text: &str) {}
}

/// An observer that ignores every call.
impl Observer for () {}

/// A function is called with the share that is done, from 0 to 1.
impl<F: Fn(f64) + Sync> Observer for F {
    fn progress(&self, share: f64) {
        self(share);
    }
}

/// An observer that calls a function with each finished unit.
///
/// ```
/// use nqueens::{Board, Cancel, EachUnit, Job, UnitResult};
///
/// let slow = EachUnit(|unit: &UnitResult| {
///     if unit.elapsed.as_secs() > 60 {
///         eprintln!("unit {} counts {}, and took {:?}", unit.unit, unit.partial, unit.elapsed);
///     }
/// });
/// Job::new(Board::new(10)?).run_with(&Cancel::new(), &slow)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct EachUnit<F>(pub F);

impl<F: Fn(&UnitResult) + Sync> Observer for EachUnit<F> {
    fn unit_done(&self, unit: &UnitResult) {
        self.0(unit);
    }
}

/// Returns an observer of a part of a count, which tells another one the share of the whole: `before` was done before the
/// part, and its own `share` of the whole.
pub(crate) fn part_of(observer: &dyn Observer, before: f64, share: f64) -> EachUnit<impl Fn(&UnitResult) + Sync> {
    EachUnit(move |unit: &UnitResult| {
        observer.unit_done(&UnitResult { share: before + share * unit.share, ..*unit });
    })
}

/// A finished unit. An [`Observer`] hears of each.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnitResult {
    /// The number of the unit in its plan.
    pub unit: usize,
    /// The partial count, in which symmetry weights are multiplied in.
    pub partial: u128,
    /// The route by which the unit was counted.
    pub route: Route,
    /// The work expected of the unit, as returned by [`Plan::work`](crate::Plan::work).
    pub work: u64,
    /// The number of nodes visited, if nodes are counted.
    pub nodes: Option<u64>,
    /// The time that the thread took to count the unit.
    pub elapsed: Duration,
    /// The thread's CPU time for the unit. Only a count with a ledger takes it, if the CPU counts, and on Unix.
    pub cpu_time: Option<Duration>,
    /// The share of the count's expected work that is done with this unit, from 0 to 1. If two units end at about the
    /// same time, the smaller share may be reported later.
    pub share: f64,
}
