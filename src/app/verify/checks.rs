//! The checks of the self-test, and of the burn-in that goes on with it: this machine's counts are compared with the
//! published ones.

use crate::app::affinity::{self, on_each, pin};
use crate::app::failure::Failure;
use crate::app::output::words::threads_and_device;
use crate::app::rows::{Cell, Cpu, Row, Solutions};
use nqueens::engine::Settings;
use nqueens::{Board, Cancel, Cancelled, Count, Device, Engine, Job, Kernel, Pool, RunError, published};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// The largest board that every engine counts with every kernel, plan and number of threads.
const COUNTED_THROUGHOUT: usize = 14;
/// The largest board that every engine counts with every kernel, once, with all threads.
const COUNTED_ONCE: usize = 16;

/// A count that takes this time ends a turn. The time is shorter in tests, so that their turns are short.
const LONG_ENOUGH: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 1000 });

/// The first board of each turn. Smaller ones have too few solutions for a fault to show.
const SMALLEST: usize = 8;

/// A count that was checked.
pub(crate) struct Check {
    job: Job,
    /// The CPU to which the thread was pinned, if it was.
    cpu: Option<usize>,
    /// The count, or the reason that there is none.
    counted: Result<Count, RunError>,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    /// The two numbers are equal.
    Passed,
    /// The two numbers differ, or the computation failed.
    Failed,
    /// There was not enough memory, or a thread did not start. This does not show a fault.
    NotMade,
}

/// A check.
#[derive(Serialize)]
pub(super) struct CheckRow {
    board: Board,
    computed: Option<Solutions>,
    published: Solutions,
    outcome: &'static str,
    counted_by: String,
    cpu: Cpu,
}

impl CheckRow {
    pub(super) fn new(check: &Check) -> Self {
        Self {
            board: check.job.board(),
            computed: check.count().map(|count| Solutions(count.total)),
            published: Solutions(check.published()),
            outcome: match check.outcome() {
                CheckOutcome::Passed => "ok",
                CheckOutcome::Failed => "FAILED",
                CheckOutcome::NotMade => "not made",
            },
            counted_by: check.counted_by(),
            cpu: Cpu,
        }
    }
}

impl Row for CheckRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("N", 2, Some(self.board)),
            Cell::number("computed", 12, self.computed),
            Cell::number("published", 12, Some(self.published)),
            Cell::word("", 8, Some(self.outcome)),
            Cell::word("counted by", 0, Some(&self.counted_by)),
        ]
    }
}

impl Check {
    /// Counts a board whose number of solutions is published.
    pub(super) fn make(job: Job, cancel: &Cancel) -> Result<Self, Cancelled> {
        match job.run_with(cancel, &()) {
            Err(RunError::Cancelled { .. }) => Err(Cancelled),
            counted => Ok(Self { job, cpu: None, counted }),
        }
    }

    /// Returns the count, if there is one.
    fn count(&self) -> Option<&Count> {
        self.counted.as_ref().ok()
    }

    fn published(&self) -> u128 {
        published::total(self.job.board()).expect("a board is checked only if its total is published")
    }

    pub(super) fn outcome(&self) -> CheckOutcome {
        match &self.counted {
            Ok(count) if count.total == self.published() => CheckOutcome::Passed,
            Err(RunError::Pool { .. } | RunError::Memory { .. }) => CheckOutcome::NotMade,
            _ => CheckOutcome::Failed,
        }
    }

    /// Returns what counted in words or, if nothing did, what should have.
    fn counted_by(&self) -> String {
        let (count, settings) = (self.count(), self.job.all_settings());
        let threads = count.map_or_else(|| self.job.thread_count(), |count| count.threads);
        let route = count.and_then(|count| count.routes.first().copied().flatten());
        let (kernel, exchanged) =
            route.map_or((settings.kernel, settings.exchanged), |route| (Some(route.kernel), route.exchanged));
        let engine = self.job.chosen_engine().map_or("auto", Engine::name);
        let kernel = kernel.map_or("auto", Kernel::name);
        let plan = count.map_or("no plan", |count| &count.plan);
        let on = self.cpu.map_or_else(
            || threads_and_device(threads, count.and_then(|count| count.device.as_deref())),
            |cpu| format!("CPU {cpu}"),
        );
        let sides = if exchanged { " with sides exchanged" } else { "" };
        format!("{engine}, {kernel} kernel, {plan}{sides}, {on}")
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "N = {}, {}: ", self.job.board(), self.counted_by())?;
        match &self.counted {
            Ok(count) => write!(f, "computed {}, published {}", count.total, self.published()),
            Err(error) => error.fmt(f),
        }
    }
}

/// Returns settings for each kernel that an engine has on this CPU, and for each of the devices if it counts on
/// devices.
fn settings_of(engine: Engine, devices: &[Device]) -> Vec<Settings> {
    let kernels = engine.kernels().into_iter();
    let of_cpu = kernels.map(|kernel| Settings { kernel: Some(kernel), ..Settings::default() });
    let devices = devices.iter().filter(|_| engine == Engine::TwoColor).map(|device| {
        let devices = [device.number].into();
        Settings { kernel: Some(Kernel::Gpu), devices, ..Settings::default() }
    });
    of_cpu.chain(devices).collect()
}

/// Returns the counts of the self-test, from small boards to large. Each of `engines` counts with every kernel of this
/// CPU, and on each device. It counts small boards in all its variants, with 1 thread, with `threads` threads and, if
/// these are more, with 2. It counts larger boards only as it does by default.
pub(super) fn all(engines: &[Engine], devices: &[Device], threads: usize) -> Vec<Job> {
    let mut thread_counts = vec![1, 2.min(threads), threads];
    thread_counts.sort_unstable();
    thread_counts.dedup();
    let mut jobs = Vec::new();
    for board in (1..=COUNTED_ONCE).filter_map(|size| Board::new(size).ok()) {
        let is_large = board.size() > COUNTED_THROUGHOUT;
        for &engine in engines {
            for Settings { kernel, devices, .. } in settings_of(engine, devices) {
                // Devices have one plan.
                let is_plain = is_large || kernel == Some(Kernel::Gpu);
                let thread_counts = if is_plain { &[threads][..] } else { &thread_counts };
                for settings in if is_plain { vec![Settings::default()] } else { engine.variants() } {
                    let settings = Settings { kernel, devices, ..settings };
                    let job = Job::new(board).engine(engine).settings(settings);
                    jobs.extend(thread_counts.iter().map(|&threads| job.clone().most_threads(threads)));
                }
            }
        }
    }
    jobs
}

/// A burn-in.
pub(super) struct BurnIn<'a> {
    pub(super) threads: usize,
    /// Gives each job its pool.
    pub(super) ready: &'a (dyn Fn(Job, &Pool) -> Job + Sync),
    /// Returns true once the time is over.
    pub(super) is_over: &'a (dyn Fn() -> bool + Sync),
    pub(super) report: &'a (dyn Fn(&Check) -> Result<(), Failure> + Sync),
}

impl BurnIn<'_> {
    /// Counts until the time is over, and reports each check. Every thread counts by itself, pinned to one CPU after
    /// another, so that a wrong count is of one CPU. Returns the number of threads: at most one for each CPU.
    ///
    /// # Errors
    /// If the threads cannot be started, `cancel` is set, or `report` returns an error.
    pub(super) fn run(&self, cancel: &Cancel) -> Result<usize, Failure> {
        let (cpus, stop) = (affinity::cpus(), cancel.child());
        let workers = if cpus.is_empty() { self.threads } else { self.threads.min(cpus.len()) };
        let pools = Pool::singles(workers)?;
        let work = |worker: usize, pool: &Pool| -> Result<(), Failure> {
            for turn in 0.. {
                let cpu = cpus.get((worker + turn * workers) % cpus.len().max(1)).copied();
                let cpu = if let Some(cpu) = cpu { pin(pool, cpu)?.then_some(cpu) } else { None };
                if self.take_turn(turn, cpu, pool, &stop)? {
                    break;
                }
            }
            Ok(())
        };
        let ended = on_each(&pools, |worker, pool| work(worker, pool).inspect_err(|_| stop.cancel()))?;
        // The first failure stops the other threads.
        let is_first = |failure: &Failure| cancel.is_cancelled() || !matches!(failure, Failure::Cancelled(_));
        ended.into_iter().filter_map(Result::err).find(is_first).map_or(Ok(workers), Err)
    }

    /// Lets each engine count with each of its kernels and with one of its plans. The boards grow until a count takes
    /// about a second. Returns true once the time is over.
    fn take_turn(&self, turn: usize, cpu: Option<usize>, pool: &Pool, stop: &Cancel) -> Result<bool, Failure> {
        for &engine in Engine::ALL {
            let variants = engine.variants();
            for kernel in engine.kernels() {
                let settings = Settings { kernel: Some(kernel), ..variants[turn % variants.len()] };
                for board in boards(engine) {
                    if (self.is_over)() {
                        return Ok(true);
                    }
                    let job = (self.ready)(Job::new(board).engine(engine).settings(settings), pool);
                    let check = Check { cpu, ..Check::make(job, stop)? };
                    if check.outcome() == CheckOutcome::NotMade && board.size() > SMALLEST {
                        // A thread did not start, or there is not enough memory, and larger boards need more.
                        break;
                    }
                    (self.report)(&check)?;
                    if check.counted.as_ref().is_ok_and(|count| count.elapsed >= LONG_ENOUGH) {
                        break;
                    }
                }
            }
        }
        Ok(false)
    }
}

/// Returns the boards whose totals are published and that the engine can count, from small to large.
fn boards(engine: Engine) -> impl Iterator<Item = Board> {
    let boards = (SMALLEST..=engine.largest_board()).filter_map(|size| Board::new(size).ok());
    boards.take_while(|board| published::total(*board).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_does_not_start_says_nothing_of_the_machine() {
        let counted = Err(RunError::pool(1, std::io::Error::from(std::io::ErrorKind::WouldBlock)));
        let check = Check { job: Job::new(Board::new(8).unwrap()), cpu: None, counted };
        assert_eq!(check.outcome(), CheckOutcome::NotMade);
    }

    #[test]
    fn a_row_names_what_counted_rather_than_what_was_asked_for() {
        // A single unit is counted by one thread.
        let job = Job::new(Board::new(1).unwrap()).engine(Engine::Backtrack).most_threads(2);
        let check = Check::make(job, &Cancel::new()).unwrap();
        let row = CheckRow::new(&check);
        let kernel = check.count().unwrap().kernel;
        assert_eq!(row.counted_by, format!("backtrack, {kernel} kernel, mirror-1, 1 thread"));
    }
}
