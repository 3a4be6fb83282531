//! Runs a job: makes its plan, starts its threads, and counts units.

use super::count::Count;
use super::error::RunError;
use super::job::Job;
use super::memory;
use super::observer::{Observer, Start, UnitResult};
use super::panics::{FirstFailure, caught};
use super::pool::{Pool, check_number};
use super::route::Route;
use super::sum::Sum;
use super::threads::{logical_cpus, thread_cpu_time};
use crate::cancel::{Cancel, Cancelled};
use crate::engine::{Counter, PrepareError, StopReason};
use crate::platform::{HAS_THREADS, Instant};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

impl Job {
    /// Counts the solutions. Each free thread takes the longest unit that is left.
    ///
    /// The count has threads of its own, so the caller's stack may be small. A count with at most 11 rows to fill, by
    /// the backtracker, needs no threads: the calling thread makes it, as it makes every count in WebAssembly. A calling
    /// thread of a rayon pool waits, and takes no other job of its pool meanwhile.
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
    pub fn run_with(&self, cancel: &Cancel, observer: &dyn Observer) -> Result<Count, RunError> {
        let job = PreparedJob::new(self, cancel)?;
        let units = job.counter.plan.longest_first();
        job.count_units(&units, [], cancel, observer)?.count()
    }
}

/// The most threads that give commands to one device, if no exact number is asked for.
const DEVICE_THREADS: usize = 16;

/// A job that is ready to count units.
#[derive(Debug)]
pub struct PreparedJob {
    pub counter: Counter,
    /// The threads that count; `None` if the calling thread does.
    pub(super) pool: Option<Pool>,
    /// The number of threads asked for, or 1 if the calling thread counts.
    threads: usize,
    /// The time that the plan took, without the start of the threads.
    pub planning: Duration,
    /// The time that the preparation took.
    took: Duration,
}

impl PreparedJob {
    /// Starts the threads and makes the plan.
    ///
    /// # Errors
    /// Returns an error if the engine cannot count the board with the job's settings, the threads cannot be started, or
    /// `cancel` is set.
    pub fn new(job: &Job, cancel: &Cancel) -> Result<Self, RunError> {
        let start = Instant::now();
        job.threads.map_or(Ok(()), check_number)?;
        let engine = job.chosen_engine()?;
        let prepare = || {
            let start = Instant::now();
            engine.prepare(job.board, &job.settings, cancel).map(|counter| (counter, start.elapsed()))
        };
        let threads = if HAS_THREADS && !job.is_quick_with(engine) { Some(job.thread_count()) } else { None };
        let pool = match (threads, &job.pool) {
            (None, _) => None,
            (Some(threads), Some(pool)) => memory::threads_for_plan(job.board, threads).map(|_| Some(pool.clone()))?,
            (Some(threads), None) => {
                // More threads than CPUs would not make the plan sooner. A different number of threads may count.
                let threads = if job.threads.is_some() { threads.min(logical_cpus()) } else { threads };
                Some(Pool::for_one_count(memory::threads_for_plan(job.board, threads)?)?)
            }
        };
        let (counter, planning) = match &pool {
            Some(pool) => pool.turn(cancel)?.ok_or(PrepareError::Cancelled(Cancelled))?.install(prepare)??,
            None => caught(None, prepare)??,
        };
        let devices = counter.devices.iter().filter(|device| device.can_count()).count();
        let threads = match threads {
            None => 1,
            Some(threads) if devices == 0 || job.is_exact => threads,
            // More threads than keep the devices busy only take their memory.
            Some(threads) => {
                let room = counter.device_room.map_or(usize::MAX, |room| room.workers.max(1));
                threads.clamp(devices, DEVICE_THREADS * devices).min(room)
            }
        };
        Ok(Self { counter, pool, threads, planning, took: start.elapsed() })
    }

    /// Returns the number of threads that count `units` units, at most one for each unit.
    pub fn threads_for(&self, units: usize) -> usize {
        self.threads.min(units).max(1)
    }

    /// Counts the `units` that are not in `finished`, in this order, and adds up all of them. `finished` yields the
    /// numbers of finished units, their partial counts, and their routes as far as they are known.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, the threads cannot be started, one of them panics, a partial
    /// count is impossible, the count is stopped, or `finished` yields a unit twice.
    pub fn count_units(
        &self,
        units: &[usize],
        finished: impl IntoIterator<Item = (usize, u128, Option<Route>)>,
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<CountedUnits<'_>, RunError> {
        let plan = &self.counter.plan;
        let (mut sum, mut routes) = (Sum::new(plan), vec![None; plan.units()]);
        for (unit, partial, route) in finished {
            sum.add(unit, partial)?;
            routes[unit] = route;
        }
        let left: Vec<usize> = units.iter().copied().filter(|&unit| sum.partial(unit).is_none()).collect();
        let threads = self.threads_for(left.len());
        let Counter { kernel, devices, .. } = &self.counter;
        observer.ready(&Start { plan, kernel: *kernel, devices, threads, units, unfinished: &left });

        let start = Instant::now();
        let finished = plan.work_of(units.iter().copied()) - plan.work_of(left.iter().copied());
        let results = self.count_in_order(&left, finished, &|| false, cancel, observer)?;
        if results.len() < left.len() {
            let done = units.len() - left.len() + results.len();
            return Err(RunError::Cancelled { done, units: units.len() });
        }
        for result in &results {
            sum.add(result.unit, result.partial)?;
            routes[result.unit] = Some(result.route);
        }
        let nodes = results.iter().map(|result| result.nodes).sum::<Option<u64>>().filter(|&nodes| nodes > 0);
        let device = if results.is_empty() { None } else { self.counter.device_in_words(threads) };
        let elapsed = self.took + start.elapsed();
        Ok(CountedUnits { job: self, sum, routes, nodes, device, threads, elapsed })
    }

    /// Counts units in this order, without adding them up. Once `is_over` returns true, no unit is begun, and begun
    /// units are finished. The share that is done includes the work that was `finished` before. Returns fewer results
    /// than units if the count is stopped or over.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory, the threads cannot be started, one of them panics, or a partial
    /// count is impossible.
    ///
    /// # Panics
    /// When the observer panics.
    pub fn count_in_order(
        &self,
        units: &[usize],
        finished: u64,
        is_over: &(dyn Fn() -> bool + Sync),
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<Vec<UnitResult>, RunError> {
        let threads = self.threads_for(units.len());
        let pool = match &self.pool {
            Some(pool) if pool.threads() < threads => Some(&Pool::for_one_count(threads)?),
            pool => pool.as_ref(),
        };
        let stop = cancel.child();
        let turn = match pool {
            None => None,
            Some(pool) => match pool.turn(&stop)? {
                None => return Ok(Vec::new()),
                turn => turn,
            },
        };
        // The calling thread counts what takes next to no memory, or else shares it with no other thread.
        let to_share = if turn.is_some() { memory::check(&self.counter, threads, units)? } else { 0 };

        let plan = &self.counter.plan;
        let (begun, done) = (AtomicUsize::new(0), AtomicU64::new(finished));
        let whole = (finished + plan.work_of(units.iter().copied())) as f64;
        let tables = || self.counter.tables(units, to_share).make(&stop);
        match turn.as_ref().map_or_else(|| Ok(tables()), |turn| turn.install(tables))? {
            Ok(()) => {}
            Err(StopReason::Cancelled(_)) => return Ok(Vec::new()),
            Err(stopped) => return Err(self.error(stopped, threads)),
        }
        let failure = FirstFailure::new(&stop);
        // While a device counts, its thread waits.
        let takes_cpu_time = observer.takes_cpu_time() && self.counter.devices.is_empty();
        let cpu_time = || if takes_cpu_time { thread_cpu_time() } else { None };
        let count_units = || {
            let mut worker = self.counter.worker().map_err(|stopped| self.error(stopped, threads))?;
            let (kernel, exchanged) = (worker.kernel(), worker.is_exchanged());
            let route = Route { engine: plan.engine(), kernel, exchanged };
            let mut results = Vec::new();
            // A unit is begun as soon as it is taken, so that the counted units are the first ones.
            while !stop.is_cancelled() && !is_over() {
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
                if failure.call(|| observer.unit_done(&result)) == Some(ControlFlow::Break(())) {
                    stop.cancel();
                }
            }
            Ok(results)
        };
        let count_units = || failure.watch(count_units);
        let results = match turn {
            Some(turn) => turn.on_each(threads, count_units)?,
            None => vec![count_units()],
        };
        failure.check()?;
        Ok(results.into_iter().flatten().flatten().collect())
    }

    fn error(&self, stopped: StopReason, threads: usize) -> RunError {
        match stopped {
            StopReason::Memory => memory::lacking(&self.counter, threads, None),
            StopReason::Device { message, is_wrong } => RunError::Device { message, is_wrong },
            StopReason::Cancelled(_) => RunError::Cancelled { done: 0, units: self.counter.plan.units() },
        }
    }
}

/// The counted units of a plan: all units, or some of them.
#[derive(Debug)]
pub struct CountedUnits<'a> {
    job: &'a PreparedJob,
    /// The partial counts.
    pub sum: Sum,
    /// The known routes.
    routes: Vec<Option<Route>>,
    nodes: Option<u64>,
    device: Option<String>,
    threads: usize,
    /// The time that the preparation and the count took.
    elapsed: Duration,
}

impl CountedUnits<'_> {
    /// Returns the finished count.
    ///
    /// # Errors
    /// Returns an error if some units of the plan are missing, or their partial counts do not make up a total.
    pub fn count(self) -> Result<Count, RunError> {
        let plan = &self.job.counter.plan;
        Ok(Count {
            board: plan.board(),
            setup: plan.setup().copied(),
            total: self.sum.total()?,
            engine: plan.engine(),
            kernel: self.routes.iter().flatten().next().map_or(self.job.counter.kernel, |route| route.kernel),
            device: self.device,
            plan: plan.name().to_owned(),
            units: plan.units(),
            threads: self.threads,
            elapsed: self.elapsed,
            nodes: self.nodes,
            routes: self.routes,
            sum: self.sum,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::fake_engine::FakeEngine;
    use std::sync::Mutex;

    /// When a count is continued, its share begins where the share before ended.
    #[test]
    fn what_was_finished_before_is_done() {
        let engine = FakeEngine::counting(Vec::new(), 0, |_| 3);
        let job = Job::new(Board::new(8).unwrap()).threads(1).engine(engine.engine());
        let job = PreparedJob::new(&job, &Cancel::new()).unwrap();
        let units = job.counter.plan.longest_first();
        let shares = Mutex::new(Vec::new());
        let observer = |share: f64| shares.lock().unwrap().push(share);
        let finished = units.iter().take(40).map(|&unit| (unit, 3, None));
        let counted = job.count_units(&units, finished, &Cancel::new(), &observer).unwrap();
        let expected: Vec<f64> = (41..=50).map(|done| f64::from(done) / 50.0).collect();
        assert_eq!(shares.into_inner().unwrap(), expected);
        assert_eq!(counted.count().unwrap().total, 50);
        let finished = units.iter().map(|&unit| (unit, 3, None));
        let nothing = job.count_units(&units, finished, &Cancel::new(), &()).unwrap().count().unwrap();
        assert_eq!((nothing.total, nothing.nodes), (50, None));
        assert_eq!(nothing.routes, vec![None; 50], "unknown kernels counted");
    }
}
