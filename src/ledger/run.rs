//! A run that works on a ledger: it counts the units that the ledger lacks, and records each unit when it is finished.

use crate::cancel::Cancel;
use crate::engine::{self, Engine, Kernel, Settings};
use crate::ledger::write::{Ledger, recording};
use crate::ledger::{Contents, Header, LedgerError};
use crate::platform::Instant;
use crate::run::{Count, EachUnit, Job, Observer, PreparedJob, RunError, Shard, UnitResult, part_of};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A job, a shard of its plan, and the ledger that records the finished units.
///
/// ```
/// use nqueens::ledger::Run;
/// use nqueens::{Board, Cancel, Job, Shard};
///
/// let path = std::env::temp_dir().join(format!("10-{}.jsonl", std::process::id()));
/// let (job, cancel) = (Job::new(Board::new(10)?), Cancel::new());
/// let counted = Run::open(&job, &path, Shard::WHOLE, &cancel)?.count(&cancel, &())?;
/// assert_eq!(counted.map(|count| count.total), Some(724));
///
/// // The next run finds all units in the ledger.
/// let run = Run::open(&job, &path, Shard::WHOLE, &cancel)?;
/// assert!(run.found().is_some_and(|contents| contents.is_complete()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a run counts when `count` is called"]
pub struct Run {
    job: PreparedJob,
    shard: Shard,
    /// The units of the shard, in the order in which they are counted.
    units: Vec<usize>,
    ledger: Ledger,
    found: Option<Contents>,
    /// The time that opening the ledger took.
    opened: Duration,
}

impl Run {
    /// Opens the ledger at `path` to count a shard of the job's plan, and records the start of a run in it, unless all
    /// units are there. If the file does not exist, it is created.
    ///
    /// If the job leaves engine and plan open, the ledger decides them. For a new ledger they follow from the board:
    /// every machine chooses the same, whichever kernels it has.
    ///
    /// # Errors
    /// Returns an error if the job cannot be prepared, the ledger cannot be used, or `cancel` is set.
    pub fn open(job: &Job, path: impl AsRef<Path>, shard: Shard, cancel: &Cancel) -> Result<Self, LedgerError> {
        // The ledger is opened before the plan is made, so that a bad path fails early.
        let mut ledger = Ledger::open(path.as_ref())?;
        let header = ledger.header(cancel)?;
        let job = with_plan(job, header.as_ref())?.prepare(cancel)?.with_cpu_time();
        let start = Instant::now();
        let units = shard.units(&job.counter.plan);
        let found = ledger.begin(header, &job.counter, shard, job.threads_for(units.len()), cancel)?;
        Ok(Self { job, shard, units, ledger, found, opened: start.elapsed() })
    }

    /// Returns the prepared job, which tells of the plan, the devices and the threads.
    pub fn prepared(&self) -> &PreparedJob {
        &self.job
    }

    /// Returns the units of the shard that are not in the ledger, in the order in which they are counted.
    pub fn missing(&self) -> Vec<usize> {
        let is_found = |unit: &usize| self.found.as_ref().is_some_and(|found| found.units.contains_key(unit));
        self.units.iter().copied().filter(|unit| !is_found(unit)).collect()
    }

    /// Returns the contents that the ledger had when it was opened; `None` if it is new.
    pub fn found(&self) -> Option<&Contents> {
        self.found.as_ref()
    }

    /// Counts the units that are not in the ledger, and adds up all units. Returns `None` if the shard is not the whole
    /// plan: [`merge`](crate::ledger::merge) adds up the ledgers of all shards. The observer gets warnings about the file.
    ///
    /// Finished units are written to the file within 50 ms, and synced to disk about once a second.
    ///
    /// # Errors
    /// Returns an error if the ledger cannot be written, or if [`Job::run`] would return one. Units already written
    /// stay in the ledger.
    pub fn count(mut self, cancel: &Cancel, observer: &dyn Observer) -> Result<Option<Count>, LedgerError> {
        let missing = self.missing();
        let Self { job, shard, units, ledger, found, opened } = &mut self;
        ledger.warnings().chain(found.iter().filter_map(Contents::warning)).for_each(|text| observer.warning(&text));
        let (plan, all) = (&job.counter.plan, units.len());
        let share = plan.work_of(missing.iter().copied()) as f64 / plan.work_of(units.iter().copied()) as f64;
        let told = part_of(observer, 1.0 - share, share);
        // An error of the ledger stops this count, but no other work of the caller.
        let stop = cancel.child();
        let counted = recording(ledger, &stop, observer, |recorder| {
            recorder.begin();
            let record = EachUnit(|unit: &UnitResult| {
                recorder.record(unit);
                told.unit_done(unit);
            });
            job.count_units(&missing, &stop, &record)
        })?;
        let mut sum = counted.map_err(|error| match error {
            RunError::Cancelled { done, .. } => RunError::Cancelled { done: all - missing.len() + done, units: all },
            error => error,
        })?;
        if let Some(found) = &found {
            for (run, line) in found.units.values() {
                let route = found.runs[*run].route(plan.engine());
                sum.add(line.unit, line.partial, route)?;
            }
        }
        if *shard != Shard::WHOLE {
            return Ok(None);
        }
        let mut count = sum.into_count()?;
        count.elapsed += *opened;
        if let Some(ledger) = &found {
            count.elapsed += Duration::from_secs_f64(ledger.seconds());
            let runs: BTreeSet<usize> = ledger.units.values().map(|&(run, _)| run).collect();
            let mut devices: Vec<String> = count.device.take().into_iter().collect();
            for run in runs.into_iter().map(|run| &ledger.runs[run]) {
                count.threads = count.threads.max(run.threads);
                devices.extend(run.device.clone().filter(|device| !devices.contains(device)));
            }
            count.device = Some(devices.join("; ")).filter(|devices| !devices.is_empty());
            // The ledger does not give the nodes of earlier runs.
            count.nodes = None;
        }
        Ok(Some(count))
    }
}

/// Returns the job with the plan of its ledger, whose header is given. If there is no ledger yet, the board, the engine
/// and the split choose the plan. Kernel and CPU do not, so that every machine chooses the same.
///
/// # Errors
/// Returns an error if [`engine::auto`] refuses the board.
fn with_plan(job: &Job, header: Option<&Header>) -> Result<Job, RunError> {
    let mut job = job.clone();
    if let Some((engine, plan)) = header.and_then(|header| plan_of(&job, header)) {
        job.engine = Some(engine);
        job.settings.split_rows = plan.split_rows;
    } else if job.engine.is_none() {
        // The choice assumes every kernel of a CPU, and ignores a given one. Only two-color has one for devices.
        let kernel = job.settings.kernel.filter(|&kernel| kernel == Kernel::Gpu).or(Some(Kernel::Avx512));
        let settings = Settings { kernel, ..job.settings };
        job.engine = Some(engine::auto(job.board, &settings)?);
    }
    Ok(job)
}

/// Returns the engine and the settings that make the plan of a ledger; `None` if the job has another plan.
fn plan_of(job: &Job, header: &Header) -> Option<(Engine, Settings)> {
    let engine = header.known_engine()?;
    if job.engine.is_some_and(|asked| asked != engine) || header.board != job.board {
        return None;
    }
    let (asked, plan) = (&job.settings, engine.settings_of_plan(&header.plan)?);
    let is_split = asked.split_rows.is_none() || asked.split_rows == plan.split_rows;
    (is_split && asked.setup == plan.setup).then_some((engine, plan))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::Engine;

    /// Only Unix reports the CPU time of a thread.
    #[cfg(unix)]
    #[test]
    fn the_cpu_time_of_a_unit_is_not_the_time_on_the_clock() {
        const SLEEP: Duration = Duration::from_millis(50);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sleeping.jsonl");
        let job =
            Job::new(Board::new(8).unwrap()).threads(8).counted_by(crate::fake_engine::FakeEngine::sleeping(SLEEP));
        Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).unwrap().count(&Cancel::new(), &()).unwrap();
        let contents = crate::ledger::read(&path).unwrap();
        assert!(contents.runs[0].begun > 1_700_000_000, "it is not 1970");
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        assert!(contents.header.host == host.trim_end() || cfg!(not(target_os = "linux")), "{host}");
        for (_, line) in contents.units.values() {
            assert!(line.seconds >= SLEEP.as_secs_f64() && line.cpu_seconds.unwrap() < line.seconds / 4.0, "{line:?}");
            assert!(line.at >= line.seconds, "{line:?}");
        }
    }

    /// When a count is continued, its share begins where the share before ended, and its total has all units.
    #[test]
    fn what_was_finished_before_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        let engine = crate::fake_engine::FakeEngine::counting(Vec::new(), 0, |_| 3);
        let job = Job::new(Board::new(8).unwrap()).threads(1).counted_by(engine);
        let run = || Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).unwrap();
        let (stop, shares) = (Cancel::new(), std::sync::Mutex::new(Vec::new()));
        let observer = |share: f64| {
            let mut shares = shares.lock().unwrap();
            shares.push(share);
            if shares.len() == 40 {
                stop.cancel();
            }
        };
        let stopped = run().count(&stop, &observer).unwrap_err();
        assert!(matches!(stopped, LedgerError::Run(RunError::Cancelled { done: 40, units: 50 })), "{stopped}");
        assert_eq!(run().missing().len(), 10);
        assert_eq!(run().count(&Cancel::new(), &observer).unwrap().unwrap().total, 50);
        let shares = shares.into_inner().unwrap();
        let is_even = |(unit, share): (i32, &f64)| (share - f64::from(unit) / 50.0).abs() < 1e-9;
        assert!(shares.len() == 50 && (1..).zip(&shares).all(is_even), "{shares:?}");
        let found = run().count(&Cancel::new(), &()).unwrap().unwrap();
        assert_eq!((found.total, found.nodes, found.device), (50, None, None));
    }

    /// A second count uses none of the kernels that counted units in any run.
    #[test]
    fn a_count_knows_the_kernels_of_earlier_runs_that_counted_units() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        let job = |kernel, threads| {
            Job::new(Board::new(12).unwrap()).engine(Engine::Backtrack).kernel(kernel).threads(threads)
        };
        let cancel = Cancel::new();
        let run = |kernel, threads| Run::open(&job(kernel, threads), &path, Shard::WHOLE, &cancel).unwrap();
        let stop = Cancel::new();
        run(Kernel::Scalar, 2).count(&stop, &EachUnit(|_: &UnitResult| stop.cancel())).unwrap_err();
        let count = run(Kernel::Portable, 1).count(&cancel, &()).unwrap().unwrap();
        assert_eq!((count.total, count.kernel), (14_200, Kernel::Portable));
        let by = |kernel| count.routes.iter().flatten().filter(|route| route.kernel == kernel).count();
        assert!(by(Kernel::Scalar) > 0 && by(Kernel::Scalar) + by(Kernel::Portable) == count.units);
        assert_eq!(count.threads, 2, "the most of all runs");
        let found = run(Kernel::Scalar, 1).count(&cancel, &()).unwrap().unwrap();
        assert_eq!((found.kernel, found.routes), (count.kernel, count.routes), "this run counted nothing");
    }

    #[test]
    fn a_job_takes_the_plan_of_its_ledger_unless_it_asks_for_another() {
        let board = |size| Board::new(size).unwrap();
        let split = |rows| Settings { split_rows: rows, ..Settings::default() };
        let of = |settings: Settings| {
            let job = Job::new(board(8)).engine(Engine::Backtrack).settings(settings);
            Header::new(job.prepare(&Cancel::new()).unwrap().plan(), Shard::WHOLE)
        };
        let header = of(split(Some(2)));
        let plan = |job: &Job| plan_of(job, &header).map(|(engine, settings)| (engine, settings.split_rows));
        let found = Some((Engine::Backtrack, Some(2)));
        assert_eq!(plan(&Job::new(board(8))), found);
        assert_eq!(plan(&Job::new(board(8)).engine(Engine::Backtrack).settings(split(Some(2)))), found);
        assert_eq!(plan(&Job::new(board(8)).engine(Engine::TwoColor)), None);
        assert_eq!(plan(&Job::new(board(9))), None);
        assert_eq!(plan(&Job::new(board(8)).settings(split(Some(1)))), None);
        let setup = crate::setup::Setup::new(board(8)).with_queen(0, 0).unwrap();
        assert_eq!(plan(&Job::new(board(8)).settings(Settings { setup: Some(setup), ..Settings::default() })), None);
        let job = with_plan(&Job::new(board(8)), Some(&header)).unwrap();
        assert_eq!(
            (job.engine, job.settings.split_rows),
            found.map_or((None, None), |(engine, rows)| (Some(engine), rows))
        );
        // A new ledger assumes every kernel.
        let auto = with_plan(&Job::new(board(17)), None).unwrap().engine.unwrap();
        assert_eq!(auto, Engine::TwoColor);
    }
}
