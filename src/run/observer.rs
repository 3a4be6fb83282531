//! Callbacks that follow a count.

use super::route::Route;
use crate::cancel::Cancel;
use crate::engine::{Device, Kernel, Plan};
use std::ops::ControlFlow;
use std::time::Duration;

/// Callbacks during a count, or another long computation. Methods may be called from any thread, and every method has a
/// default. `()` observes nothing, and a function is an observer that is called with the share that is done.
///
/// ```
/// use nqueens::{Board, Cancel, Job};
///
/// let show = |share: f64| eprintln!("{:.0}%", 100.0 * share);
/// assert_eq!(Job::new(Board::new(12)?).run_with(&Cancel::new(), &show)?.total, 14_200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```
/// use nqueens::{Board, Cancel, Job, Observer, UnitResult};
/// use std::ops::ControlFlow;
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// #[derive(Default)]
/// struct Units(AtomicUsize);
///
/// impl Observer for Units {
///     fn unit_done(&self, _unit: &UnitResult) -> ControlFlow<()> {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         ControlFlow::Continue(())
///     }
/// }
///
/// let units = Units::default();
/// let count = Job::new(Board::new(10)?).run_with(&Cancel::new(), &units)?;
/// assert_eq!(units.0.into_inner(), count.units);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Sync {
    /// Called once, before the first unit is counted. The time spent here is not part of the count's time.
    fn ready(&self, _start: &Start<'_>) {}

    /// Called after each finished unit by the thread that counted it. `Break` stops the count, as
    /// [`Cancel`](crate::Cancel) does. The default tells [`progress`](Self::progress) the [share](UnitResult::share)
    /// that is done.
    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        self.progress(unit.share)
    }

    /// Called with the share that is done, from 0 to 1, by a computation that does not count the units of one plan,
    /// such as [`by_square`](crate::by_square). `Break` stops the computation.
    fn progress(&self, _share: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called once if the file system cannot flush the ledger of the count to a disk, so that the last lines may be lost
    /// if the machine fails. Called after a second, from a thread of its own.
    fn ledger_is_unsynced(&self) {}

    /// Returns true if this observer wants the [CPU time](UnitResult::cpu_time) of units, which makes short units
    /// longer.
    fn takes_cpu_time(&self) -> bool {
        false
    }
}

impl dyn Observer + '_ {
    /// Tells the share that is done. If the observer stops the computation, `stop` is set.
    pub(crate) fn tell(&self, share: f64, stop: &Cancel) {
        if self.progress(share).is_break() {
            stop.cancel();
        }
    }
}

/// An observer that ignores every call.
impl Observer for () {}

/// A function is called with the share that is done, from 0 to 1.
impl<F: Fn(f64) + Sync> Observer for F {
    fn progress(&self, share: f64) -> ControlFlow<()> {
        self(share);
        ControlFlow::Continue(())
    }
}

/// An observer that calls a function with each finished unit.
#[derive(Debug)]
pub struct EachUnit<F>(pub F);

impl<F: Fn(&UnitResult) -> ControlFlow<()> + Sync> Observer for EachUnit<F> {
    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        self.0(unit)
    }
}

/// Passes each call to all observers of a count, in order. If one stops the count, those after it are not called.
impl<const N: usize> Observer for [&dyn Observer; N] {
    fn ready(&self, start: &Start<'_>) {
        for observer in self {
            observer.ready(start);
        }
    }
    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        self.iter().try_for_each(|observer| observer.unit_done(unit))
    }
    fn progress(&self, share: f64) -> ControlFlow<()> {
        self.iter().try_for_each(|observer| observer.progress(share))
    }
    fn ledger_is_unsynced(&self) {
        for observer in self {
            observer.ledger_is_unsynced();
        }
    }
    fn takes_cpu_time(&self) -> bool {
        self.iter().any(|observer| observer.takes_cpu_time())
    }
}

/// A count that is about to begin.
///
/// ```
/// use nqueens::{Board, Cancel, Job, Observer, Start};
///
/// struct Announce;
///
/// impl Observer for Announce {
///     fn ready(&self, start: &Start<'_>) {
///         eprintln!("{} units on {} threads, kernel {}", start.unfinished.len(), start.threads, start.kernel);
///     }
/// }
///
/// Job::new(Board::new(10)?).run_with(&Cancel::new(), &Announce)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Start<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The kernel.
    pub kernel: Kernel,
    /// The devices that will count, and those that are left out, with the reason; empty if the CPU counts.
    pub devices: &'a [Device],
    /// The number of threads that will count.
    pub threads: usize,
    /// The units of the count: all units of the plan, or the units of a shard.
    pub units: &'a [usize],
    /// The units not counted yet, in the order in which they are started.
    pub unfinished: &'a [usize],
}

/// A finished unit.
///
/// ```
/// use nqueens::{Board, Cancel, Job, Observer, UnitResult};
/// use std::ops::ControlFlow;
///
/// struct Slow;
///
/// impl Observer for Slow {
///     fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
///         if unit.elapsed.as_secs() > 60 {
///             eprintln!("unit {} counts {}, and took {:?}", unit.unit, unit.partial, unit.elapsed);
///         }
///         ControlFlow::Continue(())
///     }
/// }
///
/// Job::new(Board::new(10)?).run_with(&Cancel::new(), &Slow)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnitResult {
    /// The number of the unit in its plan.
    pub unit: usize,
    /// The partial count, in which symmetry weights are multiplied in.
    pub partial: u128,
    /// The route by which the unit was counted.
    pub route: Route,
    /// The work expected of the unit, as returned by [`Plan::work`].
    pub work: u64,
    /// The number of nodes visited, if nodes are counted.
    pub nodes: Option<u64>,
    /// The time that the thread took to count the unit.
    pub elapsed: Duration,
    /// The thread's CPU time for the unit; `None` if no observer [takes it](Observer::takes_cpu_time), a device counts,
    /// or the system does not report it. Only a crate with feature `ledger` takes it, on Unix.
    pub cpu_time: Option<Duration>,
    /// The share of the count's expected work that is done with this unit, from 0 to 1. If two units end at about the
    /// same time, the smaller share may be reported later.
    pub share: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::run::Job;
    use std::sync::OnceLock;

    /// An observer that takes CPU time or not, and may be told once that a count is ready.
    struct Told(bool, OnceLock<()>);

    impl Observer for Told {
        fn ready(&self, _start: &Start<'_>) {
            self.1.set(()).unwrap();
        }
        fn takes_cpu_time(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn several_observers_are_told_each_and_one_that_takes_cpu_time_is_enough() {
        let [one, other] = [false, true].map(|takes_cpu_time| Told(takes_cpu_time, OnceLock::new()));
        let both = [&one as &dyn Observer, &other];
        assert!(both.takes_cpu_time() && ![&one as &dyn Observer, &()].takes_cpu_time());
        Job::new(Board::new(6).unwrap()).threads(1).run_with(&Cancel::new(), &both).unwrap();
        assert!([&one, &other].iter().all(|told| told.1.get().is_some()));
    }
}
