//! The checks of the self-test: this machine's counts are compared with the published ones.

use crate::app::machine::MACHINE;
use crate::app::output::words::threads_and_device;
use crate::app::rows::Column;
use nqueens::board::Board;
use nqueens::cancel::{Cancel, Cancelled};
use nqueens::engine::{Device, Engine, Kernel, Settings};
use nqueens::published;
use nqueens::run::{Count, Job, RunError};
use std::fmt;

/// The largest board that every engine counts with every kernel, plan and number of threads.
const COUNTED_THROUGHOUT: usize = 14;
/// The largest board that every engine counts with every kernel, once, with all threads.
const COUNTED_ONCE: usize = 16;

/// A count that was checked.
pub(super) struct Check {
    job: Job,
    /// The count, or the reason that there is none.
    pub(super) counted: Result<Count, RunError>,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    /// The two numbers are equal.
    Passed,
    /// The two numbers differ, or the computation failed.
    Failed,
    /// Threads or memory were not available. This does not show a fault.
    NotMade,
}

impl Check {
    /// Counts a board whose number of solutions is published.
    pub(super) fn make(job: Job, cancel: &Cancel) -> Result<Self, Cancelled> {
        match job.run_with(cancel, &()) {
            Err(RunError::Cancelled { .. }) => Err(Cancelled),
            counted => Ok(Self { job, counted }),
        }
    }

    fn published(&self) -> u128 {
        published::total(self.job.board()).expect("a board is checked only if its total is published")
    }

    pub(super) fn outcome(&self) -> CheckOutcome {
        match &self.counted {
            Ok(count) if count.total == self.published() => CheckOutcome::Passed,
            Err(RunError::Pool { .. } | RunError::Memory { .. } | RunError::DeviceMemory { .. }) => {
                CheckOutcome::NotMade
            }
            _ => CheckOutcome::Failed,
        }
    }

    pub(super) fn row(&self) -> Vec<Column> {
        let outcome = match self.outcome() {
            CheckOutcome::Passed => "ok",
            CheckOutcome::Failed => "FAILED",
            CheckOutcome::NotMade => "not made",
        };
        let (settings, threads) = (&self.job.settings, self.job.thread_count());
        let count = self.counted.as_ref().ok();
        vec![
            Column::new("board", self.job.board().size()).number("N", 2),
            Column::solutions("computed", count.map(|count| count.total)).number("computed", 12),
            Column::solutions("published", self.published()).number("published", 12),
            Column::new("outcome", outcome).word("", 8),
            Column::new("subject", self.settings_in_words()).word("what was computed", 0),
            Column::new("engine", self.job.engine_name()),
            Column::new("kernel", settings.kernel.map(Kernel::name)),
            Column::new("device", count.and_then(|count| count.device.as_deref())),
            Column::new("plan", count.map(|count| &*count.plan)),
            Column::new("threads", threads),
            // The two-color engine can exchange its build side and its probe side.
            Column::new("sides", if settings.exchanged { "exchanged" } else { "usual" }),
            Column::new("cpu", &*MACHINE.cpu),
            Column::new("program_version", env!("NQUEENS_VERSION")),
        ]
    }

    /// Returns the engine and its settings in words.
    fn settings_in_words(&self) -> String {
        let (settings, threads) = (&self.job.settings, self.job.thread_count());
        let kernel = settings.kernel.map_or("auto", Kernel::name);
        let plan = self.counted.as_ref().map_or("no plan", |count| &count.plan);
        let on = threads_and_device(threads, self.counted.as_ref().ok().and_then(|count| count.device.as_deref()));
        let sides = if settings.exchanged { " with sides exchanged" } else { "" };
        format!("{}, {kernel} kernel, {plan}{sides}, {on}", self.job.engine_name())
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "N = {}, {}: ", self.job.board(), self.settings_in_words())?;
        match &self.counted {
            Ok(count) => write!(f, "computed {}, published {}", count.total, self.published()),
            Err(error) => error.fmt(f),
        }
    }
}

/// Returns settings for each kernel that an engine has on this CPU, and for each of the devices if it counts on
/// devices.
pub(super) fn settings_of(engine: Engine, devices: &[Device]) -> Vec<Settings> {
    let kernels = engine.kernels().into_iter();
    let of_cpu = kernels.map(|kernel| Settings { kernel: Some(kernel), ..Settings::default() });
    let devices = devices.iter().filter(|_| engine == Engine::TwoColor).map(|device| {
        let devices = std::iter::once(device.number).collect();
        Settings { kernel: Some(Kernel::Gpu), devices, ..Settings::default() }
    });
    of_cpu.chain(devices).collect()
}

/// Returns the counts of the self-test, from small boards to large. Each of `engines` counts with every kernel of this
/// CPU, and on each device. It counts small boards in all its variants with 1, 2 and `threads` threads, and larger boards only as it does
/// by default.
pub(super) fn all(engines: &[Engine], devices: &[Device], threads: usize) -> Vec<Job> {
    let mut thread_counts = vec![1, 2, threads];
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
