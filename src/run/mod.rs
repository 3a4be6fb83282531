//! From a plan to a total: the units are spread over threads, and their partial counts are added up.

mod sum;
mod threads;
pub mod verify;

pub use sum::{Sum, SumError};
pub use threads::{MOST_THREADS, logical_cpus, physical_cores};

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::{self, Engine, Kernel, Plan, PrepareError, Settings};
use crate::published::{self, Verdict};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A count to be made: the board, and by what means.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The board whose solutions are to be counted.
    pub board: Board,
    /// The engine that counts.
    pub engine: &'a dyn Engine,
    /// The number of threads, from 1 to [`MOST_THREADS`].
    pub threads: usize,
    /// What the engine is asked for. [`Settings::workers`] is set to `threads` by [`Job::run`].
    pub settings: Settings,
}

/// Told of a count while it is made, by whichever thread has something to tell.
pub trait Progress: Sync {
    /// The count begins.
    fn begin(&self, _plan: &Plan) {}
    /// One more unit has been counted.
    fn unit_done(&self, _plan: &Plan, _unit: usize) {}
}

/// Progress that nobody follows.
impl Progress for () {}

impl Job<'static> {
    /// The count of `board` with the engine that is fastest for it, on all CPUs that this process may use.
    pub fn new(board: Board) -> Self {
        Self { board, engine: engine::auto(board), threads: logical_cpus(), settings: Settings::default() }
    }
}

impl Job<'_> {
    /// Counts. Each of the threads takes the heaviest unit left whenever it is free.
    ///
    /// # Errors
    /// When the engine cannot meet the settings, the threads cannot be had, `cancel` is set, or the partial counts do
    /// not make up a total.
    pub fn run(&self, cancel: &Cancel, progress: &dyn Progress) -> Result<Count, RunError> {
        if !(1..=MOST_THREADS).contains(&self.threads) {
            return Err(RunError::Threads { given: self.threads, most: MOST_THREADS });
        }
        let start = Instant::now();
        let settings = Settings { workers: self.threads, ..self.settings };
        let counter = self.engine.prepare(self.board, &settings)?;
        let plan = counter.plan();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .thread_name(|index| format!("count-{index}"))
            .build()
            .map_err(|error| RunError::Pool { threads: self.threads, reason: error.to_string() })?;

        progress.begin(plan);
        let done = AtomicUsize::new(0);
        // `par_bridge` hands the units out in this order, one at a time, to whichever thread asks next.
        let units = plan.heaviest_first().into_iter().par_bridge();
        let partials: Result<Vec<(usize, u128)>, Cancelled> = pool.install(|| {
            units
                .map_init(
                    || counter.worker(),
                    |worker, unit| {
                        let partial = worker.count(unit, cancel)?;
                        done.fetch_add(1, Ordering::Relaxed);
                        progress.unit_done(plan, unit);
                        Ok((unit, partial))
                    },
                )
                .collect()
        });
        let partials =
            partials.map_err(|Cancelled| RunError::Cancelled { done: done.into_inner(), units: plan.units() })?;

        let mut sum = Sum::new(plan);
        for (unit, partial) in partials {
            sum.add(unit, partial)?;
        }
        Ok(Count {
            board: self.board,
            total: sum.total()?,
            engine: plan.engine(),
            kernel: counter.kernel(),
            plan: plan.name().to_owned(),
            units: plan.units(),
            threads: self.threads,
            elapsed: start.elapsed(),
        })
    }
}

/// A finished count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The board.
    pub board: Board,
    /// The number of its solutions.
    pub total: u128,
    /// The name of the engine that counted them.
    pub engine: &'static str,
    /// The kernel it used.
    pub kernel: Kernel,
    /// The name of the plan: how the count was cut into units.
    pub plan: String,
    /// The number of units.
    pub units: usize,
    /// The number of threads they were spread over.
    pub threads: usize,
    /// The time from the start to the total.
    pub elapsed: Duration,
}

impl Count {
    /// How the total compares with the published one.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.total, published::total(self.board))
    }
}

/// Why there is no count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The engine cannot count the board as it is asked to.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// Too few threads, or too many.
    #[error("cannot count with {given} threads; give a number from 1 to {most}")]
    Threads {
        /// The number given.
        given: usize,
        /// The largest number.
        most: usize,
    },
    /// The operating system did not give the threads.
    #[error("cannot start {threads} threads: {reason}")]
    Pool {
        /// The number of threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The request to stop came before the end.
    #[error("stopped after {done} of {units} units")]
    Cancelled {
        /// The units counted.
        done: usize,
        /// The units of the plan.
        units: usize,
    },
    /// The partial counts do not make up a total.
    #[error(transparent)]
    Sum(#[from] SumError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Mutex;

    fn job(size: usize) -> Job<'static> {
        Job::new(Board::new(size).unwrap())
    }

    #[test]
    fn thread_numbers_out_of_range_are_refused() {
        for threads in [0, MOST_THREADS + 1] {
            let error = Job { threads, ..job(4) }.run(&Cancel::new(), &()).unwrap_err();
            assert_eq!(error, RunError::Threads { given: threads, most: MOST_THREADS });
        }
    }

    #[test]
    fn progress_is_told_of_every_unit_once() {
        #[derive(Default)]
        struct Seen(Mutex<Vec<usize>>);
        impl Progress for Seen {
            fn unit_done(&self, _plan: &Plan, unit: usize) {
                self.0.lock().unwrap().push(unit);
            }
        }
        let seen = Seen::default();
        let count = Job { threads: 7, ..job(10) }.run(&Cancel::new(), &seen).unwrap();
        let seen = seen.0.into_inner().unwrap();
        assert_eq!(seen.len(), count.units);
        assert_eq!(seen.into_iter().collect::<HashSet<_>>(), (0..count.units).collect());
    }

    #[test]
    fn a_cancelled_count_says_how_far_it_came() {
        struct StopAfterThree<'a>(&'a Cancel, AtomicUsize);
        impl Progress for StopAfterThree<'_> {
            fn unit_done(&self, _plan: &Plan, _unit: usize) {
                if self.1.fetch_add(1, Ordering::Relaxed) == 2 {
                    self.0.cancel();
                }
            }
        }
        let cancel = Cancel::new();
        let settings = Settings { split_rows: Some(2), ..Settings::default() };
        let job = Job { threads: 1, settings, ..job(14) };
        let error = job.run(&cancel, &StopAfterThree(&cancel, AtomicUsize::new(0))).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 3, .. }), "{error}");
    }
}
