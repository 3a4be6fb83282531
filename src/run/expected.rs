//! The time of a count, estimated from some of its units on this machine.

use super::counting::PreparedJob;
use super::error::RunError;
use super::job::Job;
use super::memory;
use super::observer::{Observer, UnitResult};
use super::pool::{check_number, watched};
use super::threads::{cpus, logical_cpus, process_cpu_time};
use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::{Counter, Device, Kernel, Plan};
use crate::interval::Interval;
use crate::platform::Instant;
use std::sync::OnceLock;
use std::time::Duration;

/// The fewest units per thread that must fit the budget for the units to be samples.
const FEWEST_UNITS: f64 = 4.0;

/// The relative difference between two runs of a count on a machine that does other work too.
const UNSTEADINESS: f64 = 0.1;

/// The relative uncertainty for each row that the sampled board is smaller.
const UNCERTAINTY_PER_ROW: f64 = 0.1;

/// The estimated time of a count.
///
/// ```
/// use nqueens::{Board, Cancel, Job};
/// use std::time::Duration;
///
/// let job = Job::new(Board::new(16)?).threads(2);
/// let time = job.estimate(Duration::from_millis(100), &Cancel::new(), &())?;
/// println!("{:.3} s, at most {:.3} s", time.seconds.estimate, time.seconds.high);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TimeEstimate {
    /// The kernel that would count.
    pub kernel: Kernel,
    /// The number of threads: the job's number, or the number of units if that is smaller.
    pub threads: usize,
    /// The time in seconds, on CPUs that do nothing else.
    pub seconds: Interval,
    /// The seconds that one CPU would take.
    pub core_seconds: f64,
    /// The bytes that each thread takes, and the bytes that all threads share if memory is plentiful.
    pub memory: [u64; 2],
    /// The devices that count; `None` if the CPU does.
    pub device: Option<String>,
    /// The lacking memory, if this machine has too little for the count.
    pub lacking: Option<RunError>,
    /// The number of units that were counted for the estimate.
    pub units: usize,
    /// The board of these units: the job's board, or a smaller one if its units take too long.
    pub sampled: Board,
}

impl Job {
    /// Estimates the time of a count. Counts units of all lengths on all threads until the `budget` is spent or all units
    /// are counted; a unit that takes twice the budget is stopped. The observer's `progress` gets the share of the budget
    /// that is spent.
    ///
    /// On Unix, with the feature `ledger`, the CPU time of the units counts, so that other programs do not matter. If
    /// there are more threads than CPUs, each CPU counts on one thread, and the estimate is for a machine with as many
    /// such CPUs as threads and enough memory.
    ///
    /// The interval covers the differences between the units, and the uncertainty of units of a smaller board. If there is
    /// too little memory for the count, the time is for a machine with enough.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn estimate(
        &self,
        budget: Duration,
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<TimeEstimate, RunError> {
        let cancel = &cancel.child();
        let asked = self.thread_count();
        check_number(asked)?;
        // The threads of a device mostly wait for it, and need no CPU each.
        let is_gpu = self.settings.kernel == Some(Kernel::Gpu);
        let (here, all) = if is_gpu { (asked, asked as f64) } else { (logical_cpus(), cpus()) };
        let here = self.pool.as_ref().map_or(here, |pool| pool.threads().min(here));
        let job = &self.clone().most_threads(asked.min(here));
        let cpu_before = process_cpu_time();
        let ready = job.prepare(cancel)?.with_cpu_time();
        let cpu_time = process_cpu_time().zip(cpu_before).map(|(after, before)| after.saturating_sub(before));
        let planning = ready.planning.min(cpu_time.unwrap_or(ready.planning)).as_secs_f64();
        let counter = &ready.counter;
        let plan = &counter.plan;
        let asked = if is_gpu { ready.threads_for(plan.units()) } else { asked };
        let threads = if ready.pool.is_none() { 1 } else { asked.min(plan.units()).max(1) };
        // More threads than this machine has CPUs mean another machine.
        let cpus = if threads > here { threads as f64 } else { all.min(threads as f64) };
        let order = plan.longest_first();
        let (to_share, lacking) = match memory::check(counter, threads, &order) {
            Ok(to_share) => (to_share, None),
            Err(error) => (memory::most_shared(threads), Some(error).filter(|_| threads <= here)),
        };
        // Tables that are not shared yet take this memory.
        let memory = [counter.scratch_bytes, counter.units.tables(&order, memory::most_shared(threads)).bytes];
        let mut longest_unit = budget.as_secs_f64() / FEWEST_UNITS;
        let (sample, sampled) = loop {
            let smaller = smaller_job(job, &ready, longest_unit, cancel)?;
            let sampled_job = smaller.as_ref().unwrap_or(&ready);
            let sample = UnitSample::take(sampled_job, budget, cancel, observer)?;
            if cancel.is_cancelled() {
                return Err(RunError::Cancelled { done: 0, units: plan.units() });
            }
            if sample.of == 0 || !sample.units.is_empty() {
                break (sample, sampled_job.counter.plan.board());
            }
            // All units took longer than expected, so those of a smaller board come next.
            longest_unit /= 8.0;
        };
        let (slowness, uncertainty) = sample.slowness();
        let rows_less = (job.board.size() - sampled.size()) as f64;
        let uncertainties = [uncertainty, UNSTEADINESS, UNCERTAINTY_PER_ROW * rows_less];
        let factor = 1.0 + uncertainties.iter().map(|uncertainty| uncertainty * uncertainty).sum::<f64>().sqrt();
        let estimate = planning + seconds_on_reference(counter, &order, threads, cpus, to_share) * slowness;
        let core_seconds = planning + seconds_on_reference(counter, &order, 1, 1.0, to_share) * slowness;
        Ok(TimeEstimate {
            kernel: sample.kernel.unwrap_or(counter.kernel),
            threads,
            core_seconds,
            seconds: Interval { estimate, low: estimate / factor, high: estimate * factor },
            memory,
            device: Device::in_words(&counter.devices, threads),
            lacking,
            units: sample.units.len(),
            sampled,
        })
    }
}

/// Returns the job of the largest smaller board whose units take at most `longest` seconds on average and for which
/// there is memory; `None` if the board itself has such units.
fn smaller_job(job: &Job, ready: &PreparedJob, longest: f64, cancel: &Cancel) -> Result<Option<PreparedJob>, RunError> {
    let mut smaller = None;
    for board in (1..job.board.size()).rev().filter_map(|size| Board::new(size).ok()) {
        if can_be_sampled(smaller.as_ref().unwrap_or(ready), FEWEST_UNITS * longest) {
            break;
        }
        let job = Job { board, pool: ready.pool.clone(), ..job.clone() };
        smaller = Some(job.prepare(cancel)?.with_cpu_time());
    }
    Ok(smaller)
}

/// Returns true if there is memory for the count, and `budget` seconds are enough for the tables and for the fewest
/// units that make a sample.
fn can_be_sampled(ready: &PreparedJob, budget: f64) -> bool {
    let (counter, plan) = (&ready.counter, &ready.counter.plan);
    let threads = ready.threads_for(plan.units());
    let unit = counter.expected_seconds / plan.units().max(1) as f64;
    let order = plan.longest_first();
    let tables = |to_share| counter.units.tables(&order, to_share).seconds / threads as f64;
    let is_short = |to_share| tables(to_share) <= budget;
    unit * FEWEST_UNITS <= budget && memory::check(counter, threads, &order).is_ok_and(is_short)
}

/// Returns the seconds that `threads` threads on `cpus` CPUs take for these units on the reference machine, where the
/// engine's costs were measured. The threads may share tables of `to_share` bytes. At the end, threads wait for the
/// thread that counts the last unit.
fn seconds_on_reference(counter: &Counter, units: &[usize], threads: usize, cpus: f64, to_share: u64) -> f64 {
    let plan = &counter.plan;
    let share = plan.work_and_idleness(units, threads) / plan.total_work().max(1) as f64;
    (counter.units.tables(units, to_share).seconds + counter.expected_seconds * share) / cpus
}

/// A sample of the units of a plan, counted and timed.
struct UnitSample {
    /// For each unit, the seconds expected on the reference machine, and the CPU seconds taken on this machine.
    units: Vec<(f64, f64)>,
    /// The number of units of the plan.
    of: usize,
    /// The kernel that counted.
    kernel: Option<Kernel>,
}

impl UnitSample {
    /// Counts units until the budget is spent. Units that take twice the budget are stopped.
    fn take(ready: &PreparedJob, budget: Duration, cancel: &Cancel, observer: &dyn Observer) -> Result<Self, RunError> {
        let (counter, plan) = (&ready.counter, &ready.counter.plan);
        let order = short_and_long(plan);
        let stop = cancel.child();
        // The clock starts with the first unit, after the tables are made.
        let begun = OnceLock::new();
        let goes_on = || begun.get_or_init(Instant::now).elapsed() < budget;
        let check_time = || {
            let elapsed = begun.get().map_or(Duration::ZERO, Instant::elapsed);
            observer.progress((elapsed.as_secs_f64() / budget.as_secs_f64()).min(1.0));
            if elapsed > 2 * budget {
                stop.cancel();
            }
        };
        let count = || ready.count_while(&order, &goes_on, &stop, &());
        let results = watched(&stop, check_time, count)??;
        let seconds_per_work = counter.expected_seconds / plan.total_work() as f64;
        // A unit that makes tables for itself takes their time as well.
        let expected = |unit| seconds_per_work * plan.work(unit) as f64 + counter.units.tables(&[unit], 0).seconds;
        let taken = |result: &UnitResult| result.cpu_time.unwrap_or(result.elapsed).as_secs_f64();
        let units = results.iter().map(|result| (expected(result.unit), taken(result))).collect();
        Ok(Self { units, of: plan.units(), kernel: results.first().map(|result| result.route.kernel) })
    }

    /// Returns the slowness of this machine, which is the sum of the times divided by the sum expected on the reference
    /// machine, and its relative uncertainty: 95% bounds by the spread of the units, or 0 if all were counted.
    fn slowness(&self) -> (f64, f64) {
        if self.units.is_empty() {
            return (1.0, 0.0);
        }
        let ratio = Interval::estimate_ratio(&self.units);
        if self.units.len() == 1 && self.of > 1 {
            return (ratio.estimate, 1.0);
        }
        let not_counted = 1.0 - self.units.len() as f64 / self.of as f64;
        (ratio.estimate, not_counted.sqrt() * (ratio.high / ratio.estimate - 1.0))
    }
}

/// Returns the units in an order whose every beginning resembles the whole. By work they are: the shortest, the middle
/// one, those at the quarters, the eighths and so on. The shortest is first, so that there is a result soon.
fn short_and_long(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = (0_u64..).zip(plan.longest_first().into_iter().rev()).collect();
    let digits = (plan.units().max(1) as u64).next_power_of_two().trailing_zeros();
    order.sort_unstable_by_key(|&(rank, _)| if digits == 0 { 0 } else { rank.reverse_bits() >> (64 - digits) });
    order.into_iter().map(|(_, unit)| unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::board;
    use crate::engine::{CounterMaker, Engine, PrepareError, Settings};
    use crate::run::EachUnit;
    use std::sync::Mutex;

    fn job(size: usize) -> Job {
        Job::new(board(size)).threads(1)
    }

    fn estimated(job: &Job, millis: u64) -> TimeEstimate {
        job.estimate(Duration::from_millis(millis), &Cancel::new(), &()).unwrap()
    }

    /// The test uses CPU time, so that the machine may do other work. Some of the units are counted, or all.
    #[test]
    fn what_is_expected_comes_true() {
        let scalar = Settings { kernel: Some(Kernel::Scalar), split_rows: Some(2), ..Settings::default() };
        for (job, millis) in [
            (Job { engine: Some(Engine::Backtrack), settings: scalar, ..job(14) }, 200),
            (Job { engine: Some(Engine::TwoColor), ..job(16) }, 2000),
            (Job { engine: Some(Engine::TwoColor), ..job(17).threads(2) }, 200),
        ] {
            let expected = estimated(&job, millis);
            let taken = Mutex::new(Duration::ZERO);
            let add = EachUnit(|unit: &UnitResult| *taken.lock().unwrap() += unit.cpu_time.unwrap_or(unit.elapsed));
            let prepared = job.prepare(&Cancel::new()).unwrap().with_cpu_time();
            let sum = prepared.count_units(&prepared.units(), &Cancel::new(), &add).unwrap();
            let count = sum.into_count().unwrap();
            let times = taken.lock().unwrap().as_secs_f64() / expected.core_seconds;
            assert!((0.3..3.0).contains(&times), "{times} times {expected:?}");
            let even = expected.core_seconds / job.thread_count() as f64;
            assert!((1.0..1.5).contains(&(expected.seconds.estimate / even)), "{expected:?}");
            assert_eq!((expected.kernel, expected.threads), (count.kernel, count.threads));
            assert_eq!(expected.sampled, job.board);
            assert!(expected.units > 0 && (millis < 2000 || expected.units == count.units), "{expected:?}");
        }
    }

    #[test]
    fn every_board_that_can_be_counted_has_a_time() {
        for engine in Engine::ALL {
            for size in [1, 2, 3, 8, 20, 28] {
                let Interval { estimate, low, high } =
                    estimated(&Job { engine: Some(*engine), ..job(size) }, 20).seconds;
                assert!(0.0 < low && low < estimate && estimate < high, "{}, N = {size}", engine.name());
                assert!(high.is_finite(), "{}, N = {size}", engine.name());
            }
        }
    }

    #[test]
    fn where_units_take_too_long_those_of_a_smaller_board_are_counted() {
        let expected = estimated(&Job { engine: Some(Engine::Backtrack), ..job(28) }, 400);
        assert!((16..28).contains(&expected.sampled.size()) && expected.units > 0, "{expected:?}");
        // With AVX-512 this count takes some hundred years.
        assert!((1e8..1e13).contains(&expected.seconds.estimate), "{expected:?}");
    }

    /// An engine that never finishes a unit of 8 queens, however short it expects the unit to be.
    #[derive(Debug)]
    struct Stuck;

    impl CounterMaker for Stuck {
        fn prepare(&self, board: Board, of: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError> {
            match board.size() {
                8.. => crate::fake_engine::FakeEngine::after(usize::MAX, true).prepare(board, of, cancel),
                _ => Engine::Backtrack.prepare(board, of, cancel),
            }
        }
    }

    #[test]
    fn where_no_unit_ends_as_expected_those_of_a_smaller_board_are_counted() {
        let expected = estimated(&job(8).counted_by(&Stuck), 10);
        assert!(expected.sampled.size() < 8 && expected.units > 0, "{expected:?}");
    }

    #[test]
    fn it_stops_when_asked_and_refuses_what_cannot_be_counted() {
        let cancel = Cancel::new();
        cancel.cancel();
        let error = job(20).estimate(Duration::from_secs(60), &cancel, &()).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 0, .. }), "{error}");
        let job = Job { engine: Some(Engine::TwoColor), ..job(29) };
        let error = job.estimate(Duration::from_secs(1), &Cancel::new(), &()).unwrap_err();
        assert!(matches!(error, RunError::Prepare(_)), "{error}");
    }

    #[test]
    fn a_sample_is_as_sure_as_its_units_agree() {
        let off = |units: &[(f64, f64)], of| {
            let (ratio, uncertainty) = UnitSample { units: units.to_vec(), of, kernel: None }.slowness();
            assert!((ratio - 2.0).abs() < 1e-12);
            uncertainty
        };
        let agreeing = [(1.0, 2.0), (3.0, 6.0)];
        let differing = [(1.0, 1.0), (3.0, 7.0)];
        assert!(off(&agreeing, 100) < 1e-12 && off(&differing, 100) > 0.5);
        assert!(off(&differing, 2) < 1e-12, "nothing is left to differ");
        assert!(off(&[(1.0, 2.0)], 2) > 0.9 && off(&[(1.0, 2.0)], 1) < 1e-12);
    }

    /// The time is the core time, shared by the threads, and the wait for the last units.
    #[test]
    fn an_estimate_for_other_machines_is_of_the_same_core_time() {
        let most = 4 * logical_cpus();
        let of = |threads: usize| estimated(&Job { engine: Some(Engine::TwoColor), ..job(18).threads(threads) }, 200);
        let (one, many) = (of(1), of(most));
        assert_eq!((one.threads, many.threads), (1, most));
        // Each estimate has a pace of its own: on a busy machine the two differ.
        assert!((0.2..5.0).contains(&(many.core_seconds / one.core_seconds)), "{one:?} {many:?}");
        let even = many.core_seconds / most as f64;
        // The plan is made by one thread, which a busy machine delays.
        assert!((even..many.core_seconds / 2.0).contains(&many.seconds.estimate), "{even} {many:?}");
        assert!((one.seconds.estimate / one.core_seconds - 1.0).abs() < 1e-9, "{one:?}");
        // This machine may lack all this memory.
        assert!(many.lacking.is_none() && many.memory[1] >= one.memory[1], "{many:?}");
    }

    #[test]
    fn units_are_taken_from_long_to_short() {
        let plan = Plan::new(Engine::Backtrack, board(8), "test".into(), vec![80, 10, 20, 70, 30, 60, 50, 40], 1);
        let work: Vec<u64> = short_and_long(&plan).into_iter().map(|unit| plan.work(unit)).collect();
        assert_eq!(work, [10, 50, 30, 70, 20, 60, 40, 80]);
        let plan = Plan::new(Engine::Backtrack, board(8), "test".into(), vec![3, 1, 2], 1);
        assert_eq!(short_and_long(&plan), [1, 0, 2]);
        assert_eq!(short_and_long(&Plan::new(Engine::Backtrack, board(8), "test".into(), vec![5], 1)), [0]);
    }
}
