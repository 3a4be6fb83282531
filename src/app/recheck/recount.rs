//! Counts finished units of ledgers again, by the route that shares least with the one that recorded them.

use crate::app::count::double_check::{Each, Route, means, unit_differs};
use crate::app::failure::Failure;
use nqueens::Cancel;
use nqueens::engine::{Kernel, Plan};
use nqueens::ledger::{Contents, Gathered};
use nqueens::run::{Job, Observer, PreparedJob, RunError, Start, UnitResult};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Ledgers of one count, and the job that counts their units again.
pub(crate) struct Recount<'a> {
    /// The finished units, each with its partial count and its ledger.
    pub(crate) finished: BTreeMap<usize, (u128, &'a Contents)>,
    job: PreparedJob,
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
        let engine = plan.engine().counting();
        let settings = engine.settings_of_plan(plan.name()).expect("the plan was made again");
        let runs = ledgers.iter().flat_map(|ledger| &ledger.runs);
        let mut used: Vec<Kernel> = runs.filter_map(|run| run.kernel.parse().ok()).collect();
        if used.is_empty() {
            // Not recorded: probably the best.
            used.push(engine.kernels()[0]);
        }
        let Route { engine, settings, .. } = Route::of_units(engine, settings, &used);
        let job = Job::new(board).with_engine(engine).threads(threads).settings(settings);
        let job = PreparedJob::new(&job, cancel).map_err(|error| Failure::of_count(board, error))?;
        assert_eq!(job.counter.plan().fingerprint(), plan.fingerprint(), "the same plan is made again");
        Ok(Self { finished, job, exchanged: settings.exchanged })
    }

    /// Returns the plan.
    pub(crate) fn plan(&self) -> &Plan {
        self.job.counter.plan()
    }

    /// Returns the route of the second count in words.
    pub(crate) fn route(&self) -> String {
        means(self.plan().engine().name(), self.job.counter.kernel(), self.exchanged)
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
        unit_differs(self.plan(), unit.unit, [unit.recorded, unit.again], &[recorded_by, self.route()])
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
        let run = self.ledger.units.get(&self.unit).and_then(|(run, _)| self.ledger.runs.get(*run));
        run.map_or_else(|| engine.clone(), |run| means(engine, &run.kernel, false))
    }
}
