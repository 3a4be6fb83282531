//! A count in three calls: a job is prepared, units are counted, and their sum becomes a count.

use super::count::Count;
use super::error::RunError;
use super::job::Job;
use super::memory;
use super::observer::{Observer, UnitResult};
use super::panics::{FirstFailure, caught};
use super::pool::{Pool, check_number};
use super::route::Route;
use super::sum::{Sum, unexpected};
use super::threads::{default_threads, logical_cpus, thread_cpu_time};
use crate::cancel::Cancel;
use crate::engine::{Counter, Device, Kernel, Plan, StopReason};
use crate::platform::{HAS_THREADS, Instant};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

impl Job {
    /// Counts the solutions. Each free thread takes one of the longest units that are left.
    ///
    /// The count has threads of its own, so the caller's stack may be small. A count with at most 11 rows to fill, by
    /// the backtracker, needs no threads: the calling thread makes it, as it makes every count in WebAssembly. A calling
    /// thread of another rayon pool waits, and takes no other job of its pool meanwhile.
    ///
    /// # Errors
    /// Returns an error if the engine cannot count the board with these settings, the threads cannot be started, there
    /// is not enough memory, a thread panics, or partial counts are impossible or do not make up a total.
    pub fn run(&self) -> Result<Count, RunError> {
        self.run_with(&Cancel::new(), &())
    }

    /// Counts like [`run`](Self::run), until `cancel` is set. The observer may be a function of the share that is done.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run), and an error when the count is cancelled.
    ///
    /// # Panics
    /// When the observer panics.
    pub fn run_with(&self, cancel: &Cancel, observer: &dyn Observer) -> Result<Count, RunError> {
        let start = Instant::now();
        let pool = self.start_threads()?;
        in_turn(pool.as_ref(), cancel, || {
            let prepared = self.prepare_on(pool.clone(), start, cancel)?;
            observer.prepared(&prepared);
            prepared.count_units(&prepared.units(), cancel, observer)?.into_count()
        })?
    }

    /// Starts the threads and makes the plan. What is returned tells of the count before it begins, and counts units.
    ///
    /// # Errors
    /// Returns an error if the engine cannot count the board with the job's settings, the threads cannot be started, or
    /// `cancel` is set.
    pub fn prepare(&self, cancel: &Cancel) -> Result<PreparedJob, RunError> {
        let start = Instant::now();
        self.prepare_on(self.start_threads()?, start, cancel)
    }

    /// Makes the plan on the threads of `pool`, or on the calling thread. The preparation began at `start`.
    fn prepare_on(&self, pool: Option<Pool>, start: Instant, cancel: &Cancel) -> Result<PreparedJob, RunError> {
        let engine = self.chosen_engine()?;
        let prepare = || {
            let start = Instant::now();
            let counter = match self.maker {
                None => engine.prepare(self.board, &self.settings, cancel),
                Some(maker) => maker.prepare(self.board, &self.settings, cancel),
            };
            counter.map(|counter| (counter, start.elapsed()))
        };
        let (counter, planning) = caught(None, || in_turn(pool.as_ref(), cancel, prepare))???;
        let mut threads = if pool.is_some() { self.thread_count() } else { 1 };
        let devices = counter.devices.iter().filter(|device| device.can_count()).count();
        if devices > 0 && !self.is_exact {
            // More threads than keep the devices busy only take their memory.
            let room = counter.device_room.map_or(usize::MAX, |room| room.workers.max(1));
            threads = threads.clamp(devices, DEVICE_THREADS * devices).min(room);
        }
        Ok(PreparedJob { counter, pool, threads, takes_cpu_time: false, planning, took: start.elapsed() })
    }

    /// Starts the threads that make the plan, or takes the job's pool if it has enough threads for the count. Returns
    /// `None` if the calling thread counts.
    fn start_threads(&self) -> Result<Option<Pool>, RunError> {
        self.threads.map_or(Ok(()), check_number)?;
        if !HAS_THREADS || self.is_quick_with(self.chosen_engine()?) {
            return Ok(None);
        }
        if let Some(pool) = self.pool.as_ref().filter(|pool| pool.threads() >= self.thread_count()) {
            return memory::threads_for_plan(self.board, pool.threads()).map(|_| Some(pool.clone()));
        }
        // More threads than CPUs would not make the plan sooner. A different number of threads may count.
        let threads = self.threads.map_or_else(default_threads, |threads| threads.min(logical_cpus()));
        Pool::for_one_count(memory::threads_for_plan(self.board, threads)?).map(Some)
    }
}

/// Does `work` in a turn of the threads, with all of them for what it does in parallel, or on the calling thread.
fn in_turn<R: Send>(pool: Option<&Pool>, cancel: &Cancel, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    let Some(pool) = pool else { return Ok(work()) };
    pool.turn(cancel)?.install(work)
}

/// The most threads that give commands to one device, if no exact number is asked for.
const DEVICE_THREADS: usize = 16;

/// A job whose plan is made and whose threads are started. It counts units: all of them, or some.
///
/// ```
/// use nqueens::{Board, Cancel, Job};
///
/// let cancel = Cancel::new();
/// let prepared = Job::new(Board::new(12)?).prepare(&cancel)?;
/// let (units, seconds) = (prepared.plan().units(), prepared.expected_seconds());
/// println!("{units} units by the {} kernel, in about {seconds:.1} seconds", prepared.kernel());
/// let sum = prepared.count_units(&prepared.units(), &cancel, &())?;
/// assert_eq!(sum.into_count()?.total, 14_200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a prepared job has not counted yet"]
pub struct PreparedJob {
    pub(crate) counter: Counter,
    /// The threads that count; `None` if the calling thread does.
    pub(super) pool: Option<Pool>,
    /// The number of threads asked for, or 1 if the calling thread counts.
    threads: usize,
    /// True if the CPU time of each unit is taken, which makes short units longer.
    takes_cpu_time: bool,
    /// The time that the plan took, without the start of the threads.
    pub(super) planning: Duration,
    /// The time that the preparation took.
    took: Duration,
}

impl PreparedJob {
    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.counter.plan
    }

    /// Returns all units, in the order in which a count should begin them: longest first.
    pub fn units(&self) -> Vec<usize> {
        self.counter.plan.longest_first()
    }

    /// Returns the kernel that counts.
    pub fn kernel(&self) -> Kernel {
        self.counter.kernel
    }

    /// Returns the devices that count, and those that are left out, with the reason; none if the CPU counts.
    pub fn devices(&self) -> &[Device] {
        &self.counter.devices
    }

    /// Returns the number of threads that count `units` units, at most one for each unit.
    pub fn threads_for(&self, units: usize) -> usize {
        self.threads.min(units).max(1)
    }

    /// Returns the seconds that the threads would take for all units on the CPU, or the GPU, on which this version was
    /// measured. Yours may take several times as long.
    pub fn expected_seconds(&self) -> f64 {
        self.counter.expected_seconds / self.threads_for(self.counter.plan.units()) as f64
    }

    /// Also takes the CPU time of each unit.
    pub(crate) fn with_cpu_time(self) -> Self {
        Self { takes_cpu_time: true, ..self }
    }

    /// Counts units in the given order, until `cancel` is set, and adds up their partial counts.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, the threads cannot be started, one of them panics, a partial
    /// count is impossible, the count is cancelled, or a unit is given twice or does not exist.
    ///
    /// # Panics
    /// When the observer panics.
    pub fn count_units(&self, units: &[usize], cancel: &Cancel, observer: &dyn Observer) -> Result<Sum<'_>, RunError> {
        let start = Instant::now();
        let Counter { plan, kernel, .. } = &self.counter;
        if let Some(&unit) = units.iter().find(|&&unit| unit >= plan.units()) {
            return Err(unexpected(unit));
        }
        let results = self.count_while(units, &|| true, cancel, observer)?;
        if results.len() < units.len() {
            return Err(RunError::Cancelled { done: results.len(), units: units.len() });
        }
        let mut sum = Sum::new(plan, *kernel);
        for result in &results {
            sum.add(result.unit, result.partial, Some(result.route))?;
        }
        sum.nodes = results.iter().map(|result| result.nodes).sum::<Option<u64>>().filter(|&nodes| nodes > 0);
        sum.threads = self.threads_for(units.len());
        sum.device = if units.is_empty() { None } else { Device::in_words(&self.counter.devices, sum.threads) };
        sum.elapsed = self.took + start.elapsed();
        Ok(sum)
    }

    /// Counts units in this order, without adding them up. Once `goes_on` returns false, no unit is begun, and begun
    /// units are finished. Returns fewer results than units if the count is cancelled or does not go on.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, the threads cannot be started, one of them panics, or a partial
    /// count is impossible.
    ///
    /// # Panics
    /// When the observer panics.
    pub(super) fn count_while(
        &self,
        units: &[usize],
        goes_on: &(dyn Fn() -> bool + Sync),
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<Vec<UnitResult>, RunError> {
        let threads = self.threads_for(units.len());
        let pool = match &self.pool {
            Some(pool) if pool.threads() < threads => Some(&Pool::for_one_count(threads)?),
            pool => pool.as_ref(),
        };
        let stop = cancel.child();
        let plan = &self.counter.plan;
        let (begun, done) = (AtomicUsize::new(0), AtomicU64::new(0));
        let whole = plan.work_of(units.iter().copied()) as f64;
        let failure = FirstFailure::new(&stop);
        // While a device counts, its thread waits.
        let takes_cpu_time = self.takes_cpu_time && self.counter.devices.is_empty();
        let cpu_time = || if takes_cpu_time { thread_cpu_time() } else { None };
        let count_units = || {
            let mut worker = self.counter.units.worker().map_err(|stopped| self.error(stopped, threads))?;
            let (kernel, exchanged) = (worker.kernel(), worker.is_exchanged());
            let route = Route { engine: plan.engine(), kernel, exchanged };
            let mut results = Vec::new();
            // A unit is begun as soon as it is taken, so that the counted units are the first ones.
            while !stop.is_cancelled() && goes_on() {
                let Some(&unit) = units.get(begun.fetch_add(1, Ordering::Relaxed)) else { break };
                let (start, cpu_before, before) = (Instant::now(), cpu_time(), worker.nodes());
                let partial = match caught(Some((plan.board(), unit)), || worker.count(unit, &stop))? {
                    Ok(partial) => partial,
                    Err(StopReason::Cancelled(_)) => break,
                    Err(stopped) => return Err(self.error(stopped, threads)),
                };
                let factor = plan.factor(unit);
                if !partial.is_multiple_of(factor.into()) {
                    return Err(RunError::Impossible { board: plan.board(), unit, partial, factor });
                }
                let nodes = worker.nodes().zip(before).map(|(after, before)| after - before);
                let (work, elapsed) = (plan.work(unit), start.elapsed());
                let cpu_time = cpu_time().zip(cpu_before).map(|(now, begun)| now.saturating_sub(begun).min(elapsed));
                let share = (done.fetch_add(work, Ordering::Relaxed) + work) as f64 / whole;
                let result = UnitResult { unit, partial, route, work, nodes, elapsed, cpu_time, share };
                results.push(result);
                failure.call(|| observer.unit_done(&result));
            }
            Ok(results)
        };
        let count_units = || failure.watch(count_units);
        let make_tables = || {
            // The calling thread counts what takes next to no memory, or else shares it with no other thread.
            let to_share = if pool.is_some() { memory::check(&self.counter, threads, units)? } else { 0 };
            let make = || self.counter.units.tables(units, to_share).make(&stop);
            caught(None, make)?.map_err(|stopped| self.error(stopped, threads))
        };
        let results = match pool {
            Some(pool) => pool.turn(&stop).and_then(|turn| turn.on_each(threads, make_tables, count_units)),
            None => make_tables().map(|()| vec![count_units()]),
        };
        failure.check()?;
        match results {
            Err(RunError::Cancelled { .. }) => Ok(Vec::new()),
            results => Ok(results?.into_iter().flatten().flatten().collect()),
        }
    }

    fn error(&self, stopped: StopReason, threads: usize) -> RunError {
        match stopped {
            StopReason::Memory => memory::lacking(&self.counter, threads, None),
            StopReason::Device { message, is_wrong } => RunError::Device { message, is_wrong },
            StopReason::Cancelled(_) => RunError::Cancelled { done: 0, units: self.counter.plan.units() },
        }
    }
}
