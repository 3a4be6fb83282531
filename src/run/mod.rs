//! From a plan to a total: the units are spread over threads, and their partial counts are added up.

pub mod bench;
pub mod compare;
pub mod double_check;
mod expected;
pub mod ledger;
mod memory;
pub mod merge;
mod panics;
mod recorded;
mod shard;
mod sum;
mod threads;
pub mod verify;

pub use expected::Expected;
pub use recorded::Recorded;
pub use shard::{MOST_SHARDS, Shard, ShardError};
pub use sum::{Sum, SumError};
pub use threads::{MOST_THREADS, logical_cpus, physical_cores};

use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::{self, Counter, Engine, Kernel, Plan, PrepareError, Settings};
use crate::published::{self, Verdict};
use panics::{Panics, caught};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// A count to be made: the board, and by what means.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The board whose solutions are to be counted.
    pub board: Board,
    /// The engine that counts; [`engine::Auto`] leaves the choice to the board and the settings.
    pub engine: &'a dyn Engine,
    /// The number of threads, from 1 to [`MOST_THREADS`].
    pub threads: usize,
    /// What the engine is asked for. [`Settings::workers`] is set to `threads`, unless the plan is to be
    /// [the same everywhere](Settings::same_everywhere).
    pub settings: Settings,
}

/// Told of a count while it is made, by whichever thread has something to tell.
pub trait Progress: Sync {
    /// The count goes on with a ledger in which these units are finished.
    fn resumed(&self, _plan: &Plan, _found: &ledger::Found) {}
    /// These units are going to be counted; what is done now is no part of the count's time.
    fn ready(&self, _ready: &Ready, _left: &[usize]) {}
    /// The count of some units begins, all of a plan or of a shard; of them these are left to be counted.
    fn begin(&self, _plan: &Plan, _units: &[usize], _left: &[usize]) {}
    /// The system does not bring the name of the ledger at this path to the disk.
    fn unnamed(&self, _path: &Path, _reason: &str) {}
    /// One more unit has been counted.
    fn unit_done(&self, _plan: &Plan, _unit: usize) {}
}

/// Progress that nobody follows.
impl Progress for () {}

/// What every thread does before it counts, told its number from 0 on: to pin itself to a CPU, for instance.
pub type BeginThread = Arc<dyn Fn(usize) + Send + Sync>;

impl Job<'static> {
    /// The count of `board` with the engine that is fastest for it and for the settings, which may be changed until it runs;
    /// on all CPUs that this process may use.
    pub fn new(board: Board) -> Self {
        Self { board, engine: &engine::Auto, threads: logical_cpus(), settings: Settings::default() }
    }
}

impl Job<'_> {
    /// Counts. Each of the threads takes the heaviest unit left whenever it is free; there are no more threads than units.
    ///
    /// # Errors
    /// When the engine cannot count the board as it is asked to, the threads cannot be had, one of them panics, `cancel` is set,
    /// or the partial counts do not make up a total.
    pub fn run(&self, cancel: &Cancel, progress: &dyn Progress) -> Result<Count, RunError> {
        self.run_noting(None, cancel, progress, &|_, _| ControlFlow::Continue(()))
    }

    /// Counts on threads that begin as they are told to. Also gives the nodes visited, where they are counted.
    fn run_on(
        &self,
        begin: Option<&BeginThread>,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<(Count, Option<u64>), RunError> {
        let nodes = AtomicU64::new(0);
        let count = self.run_noting(begin, cancel, progress, &|_, counted| {
            nodes.fetch_add(counted.nodes.unwrap_or(0), Ordering::Relaxed);
            ControlFlow::Continue(())
        })?;
        Ok((count, Some(nodes.into_inner()).filter(|&nodes| nodes > 0)))
    }

    /// Counts as [`Job::run`] does, and tells every finished unit to `note`, on the thread that counted it. That may stop the
    /// count, as `cancel` does.
    fn run_noting(
        &self,
        begin: Option<&BeginThread>,
        cancel: &Cancel,
        progress: &dyn Progress,
        note: &(dyn Fn(&Plan, &Counted) -> ControlFlow<()> + Sync),
    ) -> Result<Count, RunError> {
        let ready = Ready::on(self, begin, cancel)?;
        let plan = ready.counter.plan();
        let units = plan.heaviest_first();
        progress.ready(&ready, &units);
        let start = Instant::now();
        progress.begin(plan, &units, &units);
        let (partials, threads) = ready.count(&units, cancel, &|counted| {
            progress.unit_done(plan, counted.unit);
            note(plan, counted)
        })?;
        let mut sum = Sum::new(plan);
        for (unit, partial) in partials {
            sum.add(unit, partial)?;
        }
        Ok(ready.counted(sum.total()?, threads, ready.took + start.elapsed()))
    }

    fn prepare(&self, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
        let workers = if self.settings.same_everywhere { self.settings.workers } else { self.threads };
        self.engine.prepare(self.board, &Settings { workers, ..self.settings }, cancel)
    }
}

/// A plan that is ready to be counted.
pub struct Ready {
    counter: Box<dyn Counter>,
    /// The threads that it was made on, and how many were asked for.
    pool: rayon::ThreadPool,
    threads: usize,
    begin: Option<BeginThread>,
    /// The time that it took.
    took: Duration,
}

/// A unit that has been counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) unit: usize,
    pub(crate) partial: u128,
    /// The nodes visited, where they are counted.
    pub(crate) nodes: Option<u64>,
    /// The time it took its thread.
    pub(crate) elapsed: Duration,
}

impl Ready {
    fn new(job: &Job<'_>, cancel: &Cancel) -> Result<Self, RunError> {
        Self::on(job, None, cancel)
    }

    /// Ready on threads that begin as they are told to.
    fn on(job: &Job<'_>, begin: Option<&BeginThread>, cancel: &Cancel) -> Result<Self, RunError> {
        let start = Instant::now();
        let threads = job.threads;
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(RunError::Threads { given: threads, most: MOST_THREADS });
        }
        // What is shared is made on as many threads as can be of use; the threads that count may be more, or fewer.
        let pool = pool(threads.min(logical_cpus()), begin)?;
        let counter = caught(|| pool.install(|| job.prepare(cancel)))??;
        Ok(Self { counter, pool, threads, begin: begin.cloned(), took: start.elapsed() })
    }

    /// What counts the plan.
    pub fn counter(&self) -> &dyn Counter {
        &*self.counter
    }

    /// The threads that count so many units: no more than there are.
    pub fn threads_for(&self, units: usize) -> usize {
        threads_for(self.threads, units)
    }

    /// Counts some units, those first that come first. Each is told to `done`, which may say that it is enough. Returns them
    /// with their partial counts, and the number of threads.
    ///
    /// # Errors
    /// When there is not enough memory, the threads cannot be had, one of them panics, or it is stopped before the end.
    fn count(
        &self,
        units: &[usize],
        cancel: &Cancel,
        done: &(dyn Fn(&Counted) -> ControlFlow<()> + Sync),
    ) -> Result<(Vec<(usize, u128)>, usize), RunError> {
        let threads = self.threads_for(units.len());
        memory::suffices(&*self.counter, threads)?;
        let other =
            (self.pool.current_num_threads() != threads).then(|| pool(threads, self.begin.as_ref())).transpose()?;
        let pool = other.as_ref().unwrap_or(&self.pool);

        let begun = AtomicUsize::new(0);
        let stop = cancel.child();
        let panics = Panics::new(self.counter.plan().board(), &stop);
        // What a thread has counted: units and their partial counts. It stops early when it is asked to.
        let count_units = |at: &mut Option<usize>| {
            let mut worker = self.counter.worker();
            let mut partials = Vec::new();
            while let Some(&unit) = units.get(begun.fetch_add(1, Ordering::Relaxed)) {
                if stop.is_cancelled() {
                    break;
                }
                *at = Some(unit);
                let (start, before) = (Instant::now(), worker.nodes());
                let Ok(partial) = worker.count(unit, &stop) else { break };
                partials.push((unit, partial));
                let nodes = worker.nodes().zip(before).map(|(after, before)| after - before);
                if done(&Counted { unit, partial, nodes, elapsed: start.elapsed() }).is_break() {
                    begun.store(units.len(), Ordering::Relaxed);
                }
            }
            partials
        };
        let partials = pool.broadcast(|_| panics.catch(count_units));
        panics.none()?;
        let partials: Vec<_> = partials.into_iter().flatten().flatten().collect();
        if partials.len() < units.len() {
            return Err(RunError::Cancelled { done: partials.len(), units: units.len() });
        }
        Ok((partials, threads))
    }

    /// The finished count.
    fn counted(&self, total: u128, threads: usize, elapsed: Duration) -> Count {
        let plan = self.counter.plan();
        Count {
            board: plan.board(),
            total,
            engine: plan.engine(),
            kernel: self.counter.kernel(),
            plan: plan.name().to_owned(),
            units: plan.units(),
            threads,
            elapsed,
        }
    }
}

/// Does some work on so many threads: they are the current `rayon` pool while it is done.
///
/// # Errors
/// When there are no threads or too many, when they cannot be had, and when one of them panics.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(RunError::Threads { given: threads, most: MOST_THREADS });
    }
    let pool = pool(threads, None)?;
    caught(|| pool.install(work))
}

/// How many of some threads count so many units.
fn threads_for(threads: usize, units: usize) -> usize {
    threads.min(units).max(1)
}

/// Starts threads.
fn pool(threads: usize, begin: Option<&BeginThread>) -> Result<rayon::ThreadPool, RunError> {
    let mut builder =
        rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("count-{index}"));
    if let Some(begin) = begin.cloned() {
        builder = builder.start_handler(move |index| begin(index));
    }
    builder.build().map_err(|error| RunError::Pool { threads, reason: error.to_string() })
}

/// Does some work, and calls `look` on another thread whenever a beat has passed, until the work is over.
///
/// # Errors
/// When there is no other thread to be had.
fn watched<R>(beat: Duration, mut look: impl FnMut() + Send, work: impl FnOnce() -> R) -> Result<R, RunError> {
    // The sender is dropped when the work is over or panics, which ends the wait at once.
    let (over, is_over) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watch = move || {
            while is_over.recv_timeout(beat) == Err(RecvTimeoutError::Timeout) {
                look();
            }
        };
        let started = thread::Builder::new().spawn_scoped(scope, watch);
        started.map_err(|error| RunError::Pool { threads: 1, reason: error.to_string() })?;
        let done = work();
        drop(over);
        Ok(done)
    })
}

/// A number of threads.
fn in_words(threads: usize) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

/// Numbers, from small to large, as a job array takes them: `2,5-7`.
pub fn words_of_numbers(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let word = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        run => run.iter().map(usize::to_string).collect(),
    };
    runs.map(word).collect::<Vec<_>>().join(",")
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
    /// The number of threads they were spread over: those asked for, or one for each unit where there are fewer units.
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
    Prepare(PrepareError),
    /// Too few threads, or too many.
    #[error("cannot count with {given} threads; give a number from 1 to {most}")]
    Threads {
        /// The number given.
        given: usize,
        /// The largest number.
        most: usize,
    },
    /// The machine has not enough memory.
    #[error(
        "N = {board} on {} needs about {} MiB of memory and {} MiB are free; give fewer threads or free some",
        in_words(*threads),
        needed >> 20,
        available >> 20
    )]
    Memory {
        /// The board.
        board: Board,
        /// The number of threads.
        threads: usize,
        /// The bytes that all threads take together, about.
        needed: u64,
        /// The bytes that are free.
        available: u64,
    },
    /// The operating system did not give the threads.
    #[error("cannot start {}: {reason}", in_words(*threads))]
    Pool {
        /// The number of threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// A thread panicked: a fault of the program, or of the machine. The others stopped at once.
    #[error("{} panicked: {message}", unit.map_or("a thread".to_owned(), |(board, unit)| format!("unit {unit} of N = {board}")))]
    Panicked {
        /// The unit that the thread was counting, and of which board, where it was counting one.
        unit: Option<(Board, usize)>,
        /// The message of the panic.
        message: String,
    },
    /// The request to stop came before the end.
    #[error("{}", stopped(*done, *units))]
    Cancelled {
        /// The units counted.
        done: usize,
        /// The units of the plan; 0 where there was none yet.
        units: usize,
    },
    /// The partial counts do not make up a total.
    #[error(transparent)]
    Sum(#[from] SumError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] ledger::LedgerError),
}

impl From<PrepareError> for RunError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Cancelled(_) => RunError::Cancelled { done: 0, units: 0 },
            error => RunError::Prepare(error),
        }
    }
}

fn stopped(done: usize, units: usize) -> String {
    match units {
        0 => "stopped before the first unit".to_owned(),
        1 => format!("stopped after {done} of 1 unit"),
        _ => format!("stopped after {done} of {units} units"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancelled;
    use crate::engine::Worker;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::two_color::TwoColor;
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

    /// Remembers the units in the order in which they were done.
    #[derive(Default)]
    struct Seen(Mutex<Vec<usize>>);

    impl Progress for Seen {
        fn unit_done(&self, _plan: &Plan, unit: usize) {
            self.0.lock().unwrap().push(unit);
        }
    }

    #[test]
    fn progress_is_told_of_every_unit_once() {
        let seen = Seen::default();
        let count = Job { threads: 7, ..job(10) }.run(&Cancel::new(), &seen).unwrap();
        let mut seen = seen.0.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..count.units).collect::<Vec<_>>());
    }

    #[test]
    fn units_are_begun_heaviest_first() {
        let settings = Settings { split_rows: Some(2), ..Settings::default() };
        let seen = Seen::default();
        let job = Job { engine: &Backtrack, threads: 1, settings, ..job(13) };
        job.run(&Cancel::new(), &seen).unwrap();
        let order = Ready::new(&job, &Cancel::new()).unwrap().counter.plan().heaviest_first();
        assert_ne!(order, (0..order.len()).collect::<Vec<_>>(), "the order is not the trivial one");
        assert_eq!(seen.0.into_inner().unwrap(), order);
    }

    #[test]
    fn a_board_without_units_takes_one_thread() {
        let count = Job { threads: 7, ..job(2) }.run(&Cancel::new(), &()).unwrap();
        assert_eq!((count.total, count.units, count.threads), (0, 0, 1));
    }

    #[test]
    fn as_many_threads_as_may_be_asked_for_can_be_had() {
        let count = Job { threads: MOST_THREADS, ..job(8) }.run(&Cancel::new(), &()).unwrap();
        assert_eq!((count.total, count.threads), (92, count.units));
    }

    /// An engine that has no kernel at all, and makes a worker for whoever asks.
    #[derive(Debug, Default)]
    struct Idle {
        workers: Arc<AtomicUsize>,
        scratch: u64,
    }

    #[derive(Debug)]
    struct IdleCounter {
        workers: Arc<AtomicUsize>,
        scratch: u64,
        plan: Plan,
    }

    impl Engine for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }
        fn kernels(&self) -> Vec<Kernel> {
            Vec::new()
        }
        fn variants(&self) -> Vec<Settings> {
            Vec::new()
        }
        fn settings_of_plan(&self, _name: &str) -> Option<Settings> {
            None
        }
        fn prepare(
            &self,
            board: Board,
            _settings: &Settings,
            _cancel: &Cancel,
        ) -> Result<Box<dyn Counter>, PrepareError> {
            let plan = Plan::new("idle", board, "idle".into(), vec![1; 50], 3);
            Ok(Box::new(IdleCounter { workers: Arc::clone(&self.workers), scratch: self.scratch, plan }))
        }
    }

    impl Counter for IdleCounter {
        fn plan(&self) -> &Plan {
            &self.plan
        }
        fn scratch_bytes(&self) -> u64 {
            self.scratch
        }
        fn kernel(&self) -> Kernel {
            Kernel::Scalar
        }
        fn worker(&self) -> Box<dyn Worker + '_> {
            self.workers.fetch_add(1, Ordering::Relaxed);
            Box::new(IdleWorker)
        }
    }

    struct IdleWorker;

    impl Worker for IdleWorker {
        fn count(&mut self, unit: usize, _cancel: &Cancel) -> Result<u128, Cancelled> {
            Ok(unit as u128)
        }
    }

    /// An engine that panics in the unit it is asked for after so many, while the others wait to be stopped or are counted at once.
    #[derive(Debug)]
    pub(super) struct Panicking {
        counter: Arc<PanickingCounter>,
    }

    impl Panicking {
        /// The longest time that the others wait.
        pub(super) const PATIENCE: Duration = Duration::from_secs(30);

        pub(super) fn after(units: usize, others_wait: bool) -> Self {
            let plan = Plan::new("panicking", Board::new(8).unwrap(), "panicking".into(), vec![1; 50], 1);
            Self { counter: Arc::new(PanickingCounter { after: units, others_wait, begun: AtomicUsize::new(0), plan }) }
        }
    }

    #[derive(Debug)]
    struct PanickingCounter {
        after: usize,
        others_wait: bool,
        begun: AtomicUsize,
        plan: Plan,
    }

    impl Engine for Panicking {
        fn name(&self) -> &'static str {
            "panicking"
        }
        fn kernels(&self) -> Vec<Kernel> {
            vec![Kernel::Scalar]
        }
        fn variants(&self) -> Vec<Settings> {
            vec![Settings::default()]
        }
        fn settings_of_plan(&self, _name: &str) -> Option<Settings> {
            None
        }
        fn prepare(
            &self,
            _board: Board,
            _settings: &Settings,
            _cancel: &Cancel,
        ) -> Result<Box<dyn Counter>, PrepareError> {
            Ok(Box::new(Arc::clone(&self.counter)))
        }
    }

    impl Counter for Arc<PanickingCounter> {
        fn plan(&self) -> &Plan {
            &self.plan
        }
        fn kernel(&self) -> Kernel {
            Kernel::Scalar
        }
        fn worker(&self) -> Box<dyn Worker + '_> {
            Box::new(PanickingWorker(self))
        }
    }

    struct PanickingWorker<'a>(&'a PanickingCounter);

    impl Worker for PanickingWorker<'_> {
        fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
            let begun = self.0.begun.fetch_add(1, Ordering::Relaxed);
            assert!(begun != self.0.after, "on purpose, in unit {unit}");
            let start = Instant::now();
            while self.0.others_wait && !cancel.is_cancelled() {
                assert!(start.elapsed() < Panicking::PATIENCE, "nobody stops this unit");
                thread::sleep(Duration::from_millis(1));
            }
            if self.0.others_wait { Err(Cancelled) } else { Ok(1) }
        }
    }

    #[test]
    fn a_panic_in_a_unit_stops_the_other_threads_within_theirs_and_is_an_error() {
        for threads in [1, 2, 7] {
            let (engine, cancel, start) = (Panicking::after(threads - 1, true), Cancel::new(), Instant::now());
            let error = Job { threads, engine: &engine, ..job(8) }.run(&cancel, &()).unwrap_err();
            let RunError::Panicked { unit: Some((board, unit)), message } = &error else { panic!("{error}") };
            assert_eq!((board.size(), &**message), (8, &*format!("on purpose, in unit {unit}")));
            assert_eq!(error.to_string(), format!("unit {unit} of N = 8 panicked: on purpose, in unit {unit}"));
            assert!(start.elapsed() < Panicking::PATIENCE / 2, "{:?}", start.elapsed());
            assert!(!cancel.is_cancelled(), "only this count ends");
        }
    }

    #[test]
    fn a_panic_leaves_what_is_in_the_ledger() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("panic.jsonl");
        let engine = Panicking::after(3, false);
        let job = Job { threads: 1, engine: &engine, ..job(8) };
        let error = job.run_recorded(&path, Shard::WHOLE, &Cancel::new(), &()).unwrap_err();
        assert!(matches!(error, RunError::Panicked { .. }), "{error}");
        assert_eq!(ledger::read(&path).unwrap().units.len(), 3);
        let recorded = job.run_recorded(&path, Shard::WHOLE, &Cancel::new(), &()).unwrap();
        assert_eq!(recorded.count.map(|count| count.total), Some(50), "the next run goes on from there");
    }

    #[test]
    fn a_panic_of_any_other_work_is_an_error_too() {
        let error = on_threads(2, || panic!("on purpose")).unwrap_err();
        assert_eq!(error.to_string(), "a thread panicked: on purpose");
    }

    #[test]
    fn numbers_of_threads_are_good_english() {
        let pool = |threads| RunError::Pool { threads, reason: "no".to_owned() }.to_string();
        assert_eq!([pool(1), pool(2)], ["cannot start 1 thread: no", "cannot start 2 threads: no"]);
    }

    #[test]
    fn there_is_one_worker_for_each_thread_and_the_sum_is_divided() {
        for threads in [1, 2, 7] {
            let engine = Idle::default();
            let count = Job { threads, engine: &engine, ..job(8) }.run(&Cancel::new(), &());
            // 0 + 1 + … + 49 = 1225 is not a multiple of 3.
            assert_eq!(count, Err(RunError::Sum(SumError::Remainder { sum: 1225, divisor: 3 })));
            assert_eq!(engine.workers.load(Ordering::Relaxed), threads);
        }
    }

    #[test]
    fn a_count_that_takes_more_memory_than_there_is_is_refused() {
        let available = memory::available().expect("this system says how much memory there is");
        let engine = Idle { scratch: available / 2, ..Idle::default() };
        let error = Job { threads: 3, engine: &engine, ..job(8) }.run(&Cancel::new(), &()).unwrap_err();
        assert!(matches!(error, RunError::Memory { threads: 3, needed, .. } if needed == available / 2 * 3), "{error}");
        let message = error.to_string();
        assert!(message.contains(&format!("needs about {} MiB", (available / 2 * 3) >> 20)), "{message}");
        assert!(message.ends_with("give fewer threads or free some"), "{message}");
        assert_eq!(engine.workers.load(Ordering::Relaxed), 0, "nothing was begun");
    }

    #[test]
    fn a_kernel_that_the_engine_does_not_have_is_refused() {
        let settings = Settings { kernel: Some(Kernel::Scalar), ..Settings::default() };
        let error = Job { engine: &TwoColor, settings, ..job(8) }.run(&Cancel::new(), &()).unwrap_err();
        assert!(matches!(error, RunError::Prepare(PrepareError::Kernel { engine: "two-color", .. })), "{error}");
    }

    #[test]
    fn the_engine_follows_from_the_settings_when_the_count_runs() {
        let with = |settings| {
            let mut job = job(16);
            job.settings = settings;
            let ready = Ready::new(&job, &Cancel::new()).unwrap();
            (ready.counter.plan().engine(), ready.counter.kernel())
        };
        assert_eq!(with(Settings::default()).0, "two-color");
        let scalar = Settings { kernel: Some(Kernel::Scalar), ..Settings::default() };
        assert_eq!(with(scalar), ("backtrack", Kernel::Scalar));
        assert_eq!(with(Settings { split_rows: Some(1), ..Settings::default() }).0, "backtrack");
    }

    #[test]
    fn a_count_that_is_cancelled_before_it_begins_counts_nothing() {
        let cancel = Cancel::new();
        cancel.cancel();
        let error = job(8).run(&cancel, &()).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 0, .. }), "{error}");
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
        let job = Job { engine: &Backtrack, threads: 1, settings, ..job(14) };
        let error = job.run(&cancel, &StopAfterThree(&cancel, AtomicUsize::new(0))).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 3, .. }), "{error}");
    }
}
