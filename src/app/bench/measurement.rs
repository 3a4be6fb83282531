//! Measurement of counts. Each count runs several times, and all take turns, so that a drift of the machine's speed
//! affects all alike.

use crate::app::assessment::{contradicted, contradiction};
use crate::app::bench::study::Timing;
use crate::app::failure::Failure;
use crate::app::output::words::plural;
use nqueens::run::{process_cpu_time, watched};
use nqueens::{Cancel, Count, Job, RunError};
use std::time::{Duration, Instant};

/// The interval at which a warm-up checks its time limit.
const CLOCK_CHECK: Duration = Duration::from_millis(10);

/// Measures counts. First each count runs once to warm up, then all are timed in turn, `repetitions` times. Every other
/// round goes backwards, so that no count always follows the same one. A count whose warm-up exceeds the time limit is
/// skipped, and so are larger boards with the same engine, settings and threads. With a limit, a count that needs more
/// memory than is free is skipped too; without one, it is an error.
///
/// Calls `progress` with the number of finished runs and the number of all runs. Returns a row for each count and, for
/// each engine, settings and number of threads, the skipped count of the smallest board.
///
/// # Errors
/// If a count fails or contradicts the published total, if every count is skipped, or if `cancel` is set.
pub(super) fn measure<'a>(
    jobs: &'a [Job],
    repetitions: usize,
    time_limit: Option<Duration>,
    cancel: &Cancel,
    progress: &dyn Fn(usize, usize),
) -> Result<(Vec<Timing>, Vec<&'a Job>), Failure> {
    let rounds = repetitions + 1;
    let (mut done, mut all) = (0, jobs.len() * rounds);
    let mut rows: Vec<(&Job, Timing)> = Vec::new();
    let mut skipped: Vec<&Job> = Vec::new();
    for job in jobs {
        let is_smaller = |other: &&Job| {
            is_of_same_kind(other, job) && other.thread_count() == job.thread_count() && other.board() < job.board()
        };
        if skipped.iter().any(is_smaller) {
            all -= rounds;
        } else if let Some(count) = warm_up(job, time_limit, cancel).map_err(|error| failure(job, error, done, all))? {
            check(job.engine_name(), &count)?;
            done += 1;
            rows.push((job, Timing::new(&count, job.thread_count())));
        } else {
            all -= rounds;
            skipped.push(job);
        }
        progress(done, all);
    }
    if let (Some(limit), true) = (time_limit, rows.is_empty()) {
        let limit = limit.as_secs_f64();
        return Err(Failure::Failed(format!(
            "no count finished within {limit} s; give smaller --boards, or a larger --time-limit"
        )));
    }
    for round in 0..repetitions {
        for turn in 0..rows.len() {
            let index = if round % 2 == 0 { turn } else { rows.len() - 1 - turn };
            let (job, row) = &mut rows[index];
            let before = process_cpu_time();
            let count = job.run_with(cancel, &()).map_err(|error| failure(job, error, done, all))?;
            let cpu_time = process_cpu_time().zip(before).map(|(after, before)| after.saturating_sub(before));
            check(job.engine_name(), &count)?;
            row.push(count.elapsed.as_secs_f64(), cpu_time.map(|time| time.as_secs_f64()));
            done += 1;
            progress(done, all);
        }
    }
    Ok((rows.into_iter().map(|(_, row)| row).collect(), skipped))
}

/// Runs a count once; returns `None` if the count must be skipped.
fn warm_up(job: &Job, time_limit: Option<Duration>, cancel: &Cancel) -> Result<Option<Count>, RunError> {
    let Some(limit) = time_limit else { return job.run_with(cancel, &()).map(Some) };
    let (stop, start) = (cancel.child(), Instant::now());
    let check_time = || {
        if start.elapsed() >= limit {
            stop.cancel();
        }
    };
    match watched(CLOCK_CHECK, &stop, check_time, || job.run_with(&stop, &()))? {
        Err(RunError::Cancelled { .. }) if !cancel.is_cancelled() => Ok(None),
        Err(RunError::Memory { .. }) => Ok(None),
        counted => counted.map(Some),
    }
}

pub(super) fn is_of_same_kind(one: &Job, other: &Job) -> bool {
    one.engine_name() == other.engine_name() && one.settings == other.settings
}

/// Returns the failure for a count that ended with `error` after `done` of `all` runs.
fn failure(job: &Job, error: RunError, done: usize, all: usize) -> Failure {
    match error {
        RunError::Cancelled { .. } => Failure::Cancelled(format!("stopped after {done} of {}", plural(all, "count"))),
        RunError::Prepare(_) | RunError::Threads { .. } => Failure::from(error),
        error => Failure::Failed(format!("N = {}, engine {}: {error}", job.board(), job.engine_name())),
    }
}

/// Checks a count against the published total.
///
/// # Errors
/// If the two differ. The message names the engine and its kernel.
pub(crate) fn check(engine: &str, count: &Count) -> Result<(), Failure> {
    let named = |wrong| format!("{engine}, kernel {}: {wrong}", count.kernel);
    let advice = "`nqueens verify` tests the kernels of this CPU";
    contradicted(contradiction(count.board, count.total).map(named), advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fake_engine::FakeEngine;
    use nqueens::{Board, Engine};
    use std::cell::RefCell;

    fn jobs() -> [Job; 3] {
        let job = |(engine, threads)| Job::new(Board::new(10).unwrap()).engine(engine).threads(threads);
        [(Engine::Backtrack, 1), (Engine::Backtrack, 3), (Engine::TwoColor, 2)].map(job)
    }

    #[test]
    fn every_count_is_timed_as_often_as_asked_for() {
        let calls = RefCell::new(Vec::new());
        let progress = |done, all| calls.borrow_mut().push((done, all));
        let jobs = jobs();
        let (rows, _) = measure(&jobs, 4, None, &Cancel::new(), &progress).unwrap();
        assert_eq!(calls.into_inner(), (1..=15).map(|done| (done, 15)).collect::<Vec<_>>());
        let seen: Vec<_> = rows.iter().map(|row| (&*row.engine, row.threads, row.times.len())).collect();
        assert_eq!(seen, [("backtrack", 1, 4), ("backtrack", 3, 4), ("two-color", 2, 4)]);
        for row in &rows {
            assert_eq!(row.total, "724");
            assert!(row.times.iter().all(|seconds| *seconds > 0.0));
            assert!(!cfg!(unix) || row.cpu_times.len() == 4);
        }
    }

    #[test]
    fn a_count_beyond_the_time_limit_is_skipped_with_all_larger_boards() {
        let job = |engine: Engine, size| Job::new(Board::new(size).unwrap()).engine(engine).threads(1);
        let jobs = [
            job(Engine::Backtrack, 8),
            job(Engine::Backtrack, 31),
            job(Engine::TwoColor, 8),
            job(Engine::Backtrack, 32),
        ];
        let limit = Some(Duration::from_secs(1));
        let calls = RefCell::new(Vec::new());
        let progress = |done, all| calls.borrow_mut().push((done, all));
        let (rows, skipped) = measure(&jobs, 2, limit, &Cancel::new(), &progress).unwrap();
        let boards: Vec<_> = skipped.iter().map(|job| job.board().size()).collect();
        assert_eq!(boards, [31], "the larger board is not even started");
        assert_eq!(calls.into_inner(), [(1, 12), (1, 9), (2, 9), (2, 6), (3, 6), (4, 6), (5, 6), (6, 6)]);
        let seen: Vec<_> = rows.iter().map(|row| (&*row.engine, row.board)).collect();
        assert_eq!(seen, [("backtrack", 8), ("two-color", 8)]);

        let hopeless = [job(Engine::Backtrack, 31)];
        let failure = measure(&hopeless, 2, limit, &Cancel::new(), &|_, _| ()).err().unwrap();
        assert!(matches!(&failure, Failure::Failed(message) if message.contains("within 1 s")), "{failure:?}");
        let cancel = Cancel::new();
        cancel.cancel();
        let failure = measure(&hopeless, 2, limit, &cancel, &|_, _| ()).err().unwrap();
        assert!(matches!(&failure, Failure::Cancelled(message) if message.contains("after 0 of 3")), "{failure:?}");
    }

    #[test]
    fn a_panic_ends_the_measurement() {
        for time_limit in [None, Some(Duration::from_secs(60))] {
            let (engine, start) = (FakeEngine::after(1, true), Instant::now());
            let jobs = [Job::new(Board::new(8).unwrap()).engine(engine.engine()).threads(2)];
            let failure = measure(&jobs, 1, time_limit, &Cancel::new(), &|_, _| ()).err().unwrap();
            let named = "N = 8, engine fake: unit ";
            assert!(matches!(&failure, Failure::Failed(message) if message.starts_with(named)), "{failure:?}");
            assert!(start.elapsed() < FakeEngine::PATIENCE / 2, "{:?}", start.elapsed());
        }
    }

    #[test]
    fn a_measurement_that_is_stopped_says_how_far_it_came() {
        let cancel = Cancel::new();
        let stop = |done, _| {
            if done == 4 {
                cancel.cancel();
            }
        };
        let failure = measure(&jobs(), 2, None, &cancel, &stop).err().unwrap();
        assert!(matches!(&failure, Failure::Cancelled(message) if message == "stopped after 4 of 9 counts"));
    }
}
