//! Counts finished units of ledgers again, each by the route that shares least with the one that recorded it.

use super::by_unit::ByUnit;
use crate::app::count::double_check::{Each, Route, means, unit_differs};
use crate::app::failure::Failure;
use nqueens::Cancel;
use nqueens::engine::{Kernel, Plan};
use nqueens::ledger::{Contents, Gathered, RunLine};
use nqueens::run::{Job, Observer, PreparedJob, RunError, Start, UnitResult, prepare};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Ledgers of one count, and the job that counts their units again.
pub(crate) struct Recount<'a> {
    /// The finished units, each with its partial count and its ledger.
    pub(crate) finished: BTreeMap<usize, (u128, &'a Contents)>,
    job: PreparedJob,
    /// The kernels that count again, and the index of that of each unit.
    kernels: Vec<Kernel>,
    of_unit: Vec<usize>,
    exchanged: bool,
}

/// A unit that was counted again.
pub(crate) struct Recounted<'a> {
    /// The number of the unit.
    pub(crate) unit: usize,
    /// The partial count in the ledger.
    pub(crate) recorded: u128,
    /// The partial count that was counted now.
    pub(crate) again: u128,
    /// The time that one thread took.
    pub(crate) elapsed: Duration,
    /// The ledger.
    pub(crate) ledger: &'a Contents,
}

impl<'a> Recount<'a> {
    /// Makes the plan of the ledgers again, to count on `threads` threads.
    ///
    /// # Errors
    /// Returns an error if the ledgers are not of one plan or contradict each other, no unit is finished, this version
    /// cannot count such units, the threads cannot be started, or `cancel` is set.
    pub(crate) fn prepare(ledgers: &'a [Contents], threads: usize, cancel: &Cancel) -> Result<Self, Failure> {
        let gathered = Gathered::of(ledgers)?;
        gathered.without_contradiction()?;
        let (plan, finished) = (gathered.plan(), gathered.finished());
        let board = plan.board();
        if finished.is_empty() {
            return Err(Failure::Usage(format!(
                "'{}' has no finished unit of N = {board} that could be counted again; give a ledger that has some",
                ledgers[0].path.display()
            )));
        }
        let engine = plan.engine().counting().expect("an engine made the plan");
        let settings = engine.settings_of_plan(plan.name()).expect("the plan was made again");
        let mut jobs: Vec<Job> = Vec::new();
        let mut of_unit = vec![0; plan.units()];
        for (&unit, (_, ledger)) in &finished {
            // A kernel that is not recorded, or of another kind of CPU, is probably as good as the best here.
            let used = run_of(ledger, unit).and_then(|run| run.kernel.parse().ok());
            let used = used.filter(|kernel| engine.kernels().contains(kernel)).unwrap_or(engine.kernels()[0]);
            let Route { engine, settings } = Route::of_units(engine, settings, &[used]);
            of_unit[unit] = jobs.iter().position(|job| job.settings == settings).unwrap_or_else(|| {
                jobs.push(Job::new(board).with_engine(engine).threads(threads).settings(settings));
                jobs.len() - 1
            });
        }
        let failure = |error| Failure::of_count(board, error);
        let mut job = PreparedJob::new(&jobs[0], cancel).map_err(failure)?;
        assert_eq!(job.counter.plan().fingerprint(), plan.fingerprint(), "the same plan is made again");
        let mut counters = Vec::new();
        for other in &jobs[1..] {
            counters.push(job.pool.install(|| prepare(other, cancel)).map_err(|error| failure(error.into()))?);
        }
        let kernels = std::iter::once(&job.counter).chain(&counters).map(|counter| counter.kernel()).collect();
        if !counters.is_empty() {
            counters.insert(0, job.counter);
            job.counter = Box::new(ByUnit { counters, of_unit: of_unit.clone() });
        }
        Ok(Self { finished, job, kernels, of_unit, exchanged: jobs[0].settings.exchanged })
    }

    /// Returns the plan.
    pub(crate) fn plan(&self) -> &Plan {
        self.job.counter.plan()
    }

    /// Returns the routes of the second counts of these units in words.
    pub(crate) fn route(&self, units: &[usize]) -> String {
        let of_units: BTreeSet<usize> = units.iter().map(|&unit| self.of_unit[unit]).collect();
        let kernels: Vec<_> = of_units.into_iter().map(|index| self.kernels[index].name()).collect();
        means(self.plan().engine().name(), kernels.join(" or "), self.exchanged)
    }

    /// Counts these units again in this order, and calls `each` with each as soon as it is counted. Once `time` has
    /// passed, no more are begun, and those in progress are finished; at least one unit is counted.
    ///
    /// # Errors
    /// Returns an error if the units cannot be counted, `cancel` is set, or `each` breaks off.
    pub(crate) fn count(
        &self,
        units: &[usize],
        time: Option<Duration>,
        cancel: &Cancel,
        observer: &dyn Observer,
        each: impl FnMut(&Recounted<'a>) -> ControlFlow<()> + Send,
    ) -> Result<(), RunError> {
        let Self { finished, job, .. } = self;
        let start = Instant::now();
        let (is_first, stop) = (AtomicBool::new(true), cancel.child());
        let is_over = || time.is_some_and(|time| !is_first.swap(false, Ordering::Relaxed) && start.elapsed() >= time);
        let expected = time.map_or(units.len(), |time| self.counted_in(time, units));
        let (plan, kernel) = (job.counter.plan(), job.counter.kernel());
        let each = Mutex::new(each);
        let compare = Each(|&UnitResult { unit, partial: again, elapsed, .. }: &UnitResult| {
            let (recorded, ledger) = finished[&unit];
            let mut each = each.lock().unwrap_or_else(PoisonError::into_inner);
            let next = each(&Recounted { unit, recorded, again, elapsed, ledger });
            if next.is_break() {
                stop.cancel();
            }
            next
        });
        observer.ready(&Start { plan, kernel, threads: job.threads_for(units.len()), units, left: units, job });
        let counted = job.count_in_order(units, expected, 0, &is_over, &stop, &[observer, &compare])?;
        if counted.len() < units.len() && stop.is_cancelled() {
            return Err(RunError::Cancelled { done: counted.len(), units: units.len() });
        }
        Ok(())
    }

    /// Returns the number of the first units that are expected to be begun within `time`.
    fn counted_in(&self, time: Duration, units: &[usize]) -> usize {
        let counter = &*self.job.counter;
        let threads = self.job.threads_for(units.len()) as f64;
        let mut left = time.as_secs_f64() * threads * self.plan().total_work() as f64 / counter.expected_seconds();
        let begun = units.iter().take_while(|&&unit| {
            let is_begun = left > 0.0;
            left -= self.plan().work(unit) as f64;
            is_begun
        });
        begun.count()
    }

    /// Returns a sentence about a unit whose two counts differ.
    pub(crate) fn difference(&self, unit: &Recounted<'_>) -> String {
        let recorded_by = format!("{} ('{}')", unit.recorded_by(), unit.ledger.path.display());
        unit_differs(self.plan(), unit.unit, [unit.recorded, unit.again], &[recorded_by, self.route(&[unit.unit])])
    }
}

impl Recounted<'_> {
    /// Returns true if both counts are equal.
    pub(crate) fn agrees(&self) -> bool {
        self.recorded == self.again
    }

    /// Returns the engine and, if it is known, the kernel that the unit was recorded with, in words.
    pub(crate) fn recorded_by(&self) -> String {
        let engine = &self.ledger.header.engine;
        let run = run_of(self.ledger, self.unit);
        run.map_or_else(|| engine.clone(), |run| means(engine, &run.kernel, false))
    }
}

/// Returns the run that counted a unit.
fn run_of(ledger: &Contents, unit: usize) -> Option<&RunLine> {
    ledger.units.get(&unit).and_then(|(run, _)| ledger.runs.get(*run))
}
