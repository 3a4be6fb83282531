//! A scaling study: the same counts with several numbers of threads, in turn, so that drift hits all of them alike.

use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::{Engine, Kernel, Settings};
use crate::published::{self, Verdict};
use crate::run::{BeginThread, Count, Job, RunError, watched};
use std::time::{Duration, Instant};

/// How often a count with a limit is asked whether it may go on.
const GLANCE: Duration = Duration::from_millis(10);

/// A study to be made.
pub(crate) struct Study {
    /// The counts to be timed.
    pub jobs: Vec<Job>,
    /// How many times each is timed, after one count that is not.
    pub repetitions: usize,
    /// What takes longer than this to warm up is left out, and so are larger boards with the same engine, settings and
    /// threads; with a limit also what takes more memory than is free, which else is an error.
    pub limit: Option<Duration>,
    /// What every thread does before it counts.
    pub begin_thread: Option<BeginThread>,
    /// The time that all CPUs have given this process, where that is known.
    pub cpu_time: fn() -> Option<Duration>,
}

/// One count, timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// The time from the start to the total.
    pub seconds: f64,
    /// The time that all CPUs gave it together, where that is known.
    pub cpu_seconds: Option<f64>,
}

/// A count that was timed several times.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// The number of threads that were asked for; there may have been fewer units.
    pub threads: usize,
    /// The count that warmed up.
    pub count: Count,
    /// The nodes visited, where there are any.
    pub nodes: Option<u64>,
    /// The times, in the order in which they were taken.
    pub samples: Vec<Sample>,
}

/// Why a study came to no end.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A count failed.
    #[error("N = {board}, engine {engine}: {error}")]
    Run {
        /// The board.
        board: Board,
        /// The engine's name.
        engine: &'static str,
        /// What happened.
        error: RunError,
    },
    /// No count was over in time.
    #[error("no count was over within {} s", limit.as_secs_f64())]
    Limit {
        /// The time that there was for each.
        limit: Duration,
    },
    /// A count came out wrong.
    #[error("{engine}, kernel {kernel}: {computed} solutions for N = {board}, but {published} is published")]
    Contradiction {
        /// The engine's name.
        engine: &'static str,
        /// Its kernel.
        kernel: Kernel,
        /// The board.
        board: Board,
        /// What it counted.
        computed: u128,
        /// What is published.
        published: u128,
    },
    /// The request to stop came before the end.
    #[error("stopped after {done} of {all} count{}", if *all == 1 { "" } else { "s" })]
    Cancelled {
        /// The counts that were finished.
        done: usize,
        /// Those of the whole study.
        all: usize,
    },
}

/// A finished count whose total is not the published one is an error.
///
/// # Errors
/// When it contradicts.
pub(crate) fn check(engine: &dyn Engine, count: &Count) -> Result<(), BenchError> {
    let Count { kernel, board, total: computed, .. } = *count;
    let engine = engine.name();
    match published::total(board) {
        Some(published) if count.verdict() == Verdict::Contradicts => {
            Err(BenchError::Contradiction { engine, kernel, board, computed, published })
        }
        _ => Ok(()),
    }
}

impl Study {
    /// Makes every count once to warm up, its nodes counted where there are any, and then all of them in turn as often as they
    /// are to be timed; every other round goes backwards, so that none always follows the same one. `progress` is told how
    /// many counts are done, and of how many. The first count that contradicts the published one ends the study. What takes
    /// longer than the limit to warm up is not in the result.
    ///
    /// # Errors
    /// When a count fails or is wrong, when none is over within the limit, and when `cancel` is set before the end.
    pub(crate) fn run(&self, cancel: &Cancel, progress: &dyn Fn(usize, usize)) -> Result<Vec<Measured>, BenchError> {
        let rounds = self.repetitions + 1;
        let (mut done, mut all) = (0, self.jobs.len() * rounds);
        let mut measured: Vec<(&Job, Measured)> = Vec::new();
        let mut left_out: Vec<&Job> = Vec::new();
        for job in &self.jobs {
            let smaller = |other: &&Job| differs_in_board_alone(other, job) && other.board < job.board;
            let warmed_up = match self.limit {
                _ if left_out.iter().any(smaller) => Ok(None),
                None => self.count(job, true, (done, all), cancel).map(Some),
                Some(limit) => self.count_within(limit, job, (done, all), cancel),
            };
            if let Some((count, nodes, _)) = warmed_up? {
                done += 1;
                measured.push((job, Measured { threads: job.threads, count, nodes, samples: Vec::new() }));
            } else {
                all -= rounds;
                left_out.push(job);
            }
            progress(done, all);
        }
        if let (Some(limit), true) = (self.limit, measured.is_empty()) {
            return Err(BenchError::Limit { limit });
        }
        for round in 0..self.repetitions {
            for turn in 0..measured.len() {
                let index = if round % 2 == 0 { turn } else { measured.len() - 1 - turn };
                let (job, measured) = &mut measured[index];
                let (.., sample) = self.count(job, false, (done, all), cancel)?;
                done += 1;
                measured.samples.push(sample);
                progress(done, all);
            }
        }
        Ok(measured.into_iter().map(|(_, measured)| measured).collect())
    }

    /// Makes one count, when so many are done of all.
    fn count(
        &self,
        job: &Job,
        count_nodes: bool,
        (done, all): (usize, usize),
        cancel: &Cancel,
    ) -> Result<Timed, BenchError> {
        let before = (self.cpu_time)();
        let settings = Settings { count_nodes, ..job.settings };
        let job = &Job { settings, begin_thread: self.begin_thread.clone(), ..job.clone() };
        let count = job.run(cancel, &()).map_err(|error| match error {
            RunError::Cancelled { .. } => BenchError::Cancelled { done, all },
            error => BenchError::Run { board: job.board, engine: job.engine.name(), error },
        })?;
        let cpu_seconds = (self.cpu_time)().zip(before);
        let cpu_seconds = cpu_seconds.map(|(after, before)| after.saturating_sub(before).as_secs_f64());
        check(job.engine, &count)?;
        let sample = Sample { seconds: count.elapsed.as_secs_f64(), cpu_seconds };
        let nodes = count.nodes;
        Ok((count, nodes, sample))
    }

    /// Makes a count to warm up; `None` when it is not over within `limit`, or takes more memory than is free.
    fn count_within(
        &self,
        limit: Duration,
        job: &Job,
        done_of_all: (usize, usize),
        cancel: &Cancel,
    ) -> Result<Option<Timed>, BenchError> {
        let (stop, begun) = (cancel.child(), Instant::now());
        let look = || {
            if begun.elapsed() >= limit {
                stop.cancel();
            }
        };
        let made = watched(GLANCE, look, || self.count(job, true, done_of_all, &stop));
        let failed = |error| BenchError::Run { board: job.board, engine: job.engine.name(), error };
        match made.unwrap_or_else(|error| Err(failed(error))) {
            Err(BenchError::Cancelled { .. }) if !cancel.is_cancelled() => Ok(None),
            Err(BenchError::Run { error: RunError::Memory { .. }, .. }) => Ok(None),
            made => made.map(Some),
        }
    }
}

/// A count, its nodes, and its time.
type Timed = (Count, Option<u64>, Sample);

fn differs_in_board_alone(one: &Job, other: &Job) -> bool {
    let of = |job: &Job| (job.engine.name(), job.settings, job.threads);
    of(one) == of(other)
}

impl Measured {
    /// The times, summed up.
    ///
    /// # Panics
    /// When there are none.
    pub(crate) fn times(&self) -> Times {
        let seconds: Vec<f64> = self.samples.iter().map(|sample| sample.seconds).collect();
        Times::of(&seconds)
    }
}

/// What several times come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    /// The shortest.
    pub fastest: f64,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The longest.
    pub slowest: f64,
    /// The middle half of the times, from its shortest to its longest, as a share of the median: one time that went wrong
    /// does not make it large.
    pub spread: f64,
}

impl Times {
    /// Sums up.
    ///
    /// # Panics
    /// When there is no time.
    pub(crate) fn of(seconds: &[f64]) -> Self {
        let mut sorted = seconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let median = quantile(&sorted, 0.5);
        let between = quantile(&sorted, 0.75) - quantile(&sorted, 0.25);
        Self { fastest: sorted[0], median, slowest: sorted[sorted.len() - 1], spread: between / median }
    }
}

/// The value below which this share of the values lies, between two of them in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// The share of the work that does not get faster with more threads, from the times that so many threads took: the *s* of
/// Amdahl's law, T(p) = T(1)·(s + (1 − s)/p), that fits them best. `None` with fewer than two numbers of threads.
///
/// The law is a line over 1/p (G. M. Amdahl, AFIPS 1967), fitted by least squares of the *relative* errors, since noise grows
/// with the time. With two numbers of threads, one of which is 1, it is the metric of A. H. Karp and H. P. Flatt (*Measuring
/// parallel processor performance*, CACM 33(5), 1990). It is not cut off below 0, where more threads gained more than their
/// share.
pub(crate) fn serial_fraction(times: &[(usize, f64)]) -> Option<f64> {
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(threads, seconds) in times {
        let (weight, inverse) = ((seconds * seconds).recip(), (threads as f64).recip());
        w += weight;
        x += weight * inverse;
        y += weight * seconds;
        xx += weight * inverse * inverse;
        xy += weight * inverse * seconds;
    }
    if times.iter().all(|(threads, _)| *threads == times[0].0) {
        return None;
    }
    // The two normal equations solved, but for the determinant, which cancels.
    let (serial, parallel) = (y * xx - x * xy, w * xy - x * y);
    Some(serial / (serial + parallel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::two_color::TwoColor;
    use crate::run::tests::Panicking;
    use std::cell::RefCell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn the_median_is_in_the_middle_and_the_spread_is_of_the_middle_half() {
        let times = Times::of(&[3.0, 1.0, 2.0, 100.0, 4.0]);
        assert_eq!(times, Times { fastest: 1.0, median: 3.0, slowest: 100.0, spread: 2.0 / 3.0 });
        let times = Times::of(&[1.0, 2.0]);
        assert!(close(times.median, 1.5) && close(times.spread, 0.5 / 1.5), "{times:?}");
        assert_eq!(Times::of(&[2.5]), Times { fastest: 2.5, median: 2.5, slowest: 2.5, spread: 0.0 });
    }

    #[test]
    fn the_serial_fraction_of_made_up_times_is_what_they_were_made_with() {
        for serial in [0.0, 0.03, 0.5, 1.0, -0.02] {
            let time = |threads: usize| (threads, 7.0 * (serial + (1.0 - serial) / threads as f64));
            for threads in [vec![1, 2], vec![1, 2, 4, 8], vec![2, 3, 64]] {
                let times: Vec<_> = threads.into_iter().map(time).collect();
                let fitted = serial_fraction(&times).unwrap();
                assert!(close(fitted, serial), "{times:?}: {fitted}, not {serial}");
            }
        }
    }

    #[test]
    fn with_two_numbers_of_threads_it_is_the_metric_of_karp_and_flatt() {
        let (one, eight) = (10.0, 1.7);
        let karp_flatt = (eight / one - 1.0 / 8.0) / (1.0 - 1.0 / 8.0);
        assert!(close(serial_fraction(&[(1, one), (8, eight)]).unwrap(), karp_flatt));
    }

    /// T = (80 + 160/p) / 17 makes the sum of the squared relative errors least; of the absolute ones, another line would.
    #[test]
    fn long_times_have_no_more_weight_than_short_ones() {
        assert!(close(serial_fraction(&[(1, 16.0), (2, 8.0), (4, 8.0)]).unwrap(), 1.0 / 3.0));
    }

    #[test]
    fn noise_moves_the_serial_fraction_a_little() {
        let times = [(1, 10.1), (2, 5.45), (4, 3.27), (8, 2.11), (16, 1.59)];
        let fitted = serial_fraction(&times).unwrap();
        assert!((fitted - 0.1).abs() < 0.01, "{fitted}");
    }

    #[test]
    fn one_number_of_threads_says_nothing_of_the_serial_fraction() {
        assert_eq!(serial_fraction(&[]), None);
        assert_eq!(serial_fraction(&[(4, 1.0)]), None);
        assert_eq!(serial_fraction(&[(4, 1.0), (4, 2.0)]), None);
    }

    fn study(repetitions: usize) -> Study {
        let job = |engine: &'static dyn Engine, threads| {
            let settings = Settings::default();
            Job::new(Board::new(10).unwrap()).engine(engine).threads(threads).settings(settings)
        };
        let jobs = vec![job(&Backtrack, 1), job(&Backtrack, 3), job(&TwoColor, 2)];
        Study { jobs, repetitions, limit: None, begin_thread: None, cpu_time: || None }
    }

    #[test]
    fn every_count_is_timed_as_often_as_asked_for() {
        let told = RefCell::new(Vec::new());
        let progress = |done, all| told.borrow_mut().push((done, all));
        let measured = study(4).run(&Cancel::new(), &progress).unwrap();
        assert_eq!(told.into_inner(), (1..=15).map(|done| (done, 15)).collect::<Vec<_>>());
        let seen: Vec<_> = measured.iter().map(|one| (one.count.engine, one.threads, one.samples.len())).collect();
        assert_eq!(seen, [("backtrack", 1, 4), ("backtrack", 3, 4), ("two-color", 2, 4)]);
        assert!(measured.iter().all(|one| one.count.total == 724 && one.samples.iter().all(|one| one.seconds > 0.0)));
        let nodes: Vec<_> = measured.iter().map(|one| one.nodes.is_some()).collect();
        assert_eq!(nodes, [true, true, false], "the two-color engine visits no nodes");
    }

    #[test]
    fn what_takes_too_long_is_left_out_with_all_larger_boards() {
        let job = |engine: &'static dyn Engine, size| Job::new(Board::new(size).unwrap()).engine(engine).threads(1);
        let jobs = vec![job(&Backtrack, 8), job(&Backtrack, 31), job(&TwoColor, 8), job(&Backtrack, 32)];
        let started = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&started);
        let begin: BeginThread = Arc::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let limit = Some(Duration::from_secs(1));
        let study = Study { jobs, limit, begin_thread: Some(begin), ..study(2) };
        let told = RefCell::new(Vec::new());
        let measured = study.run(&Cancel::new(), &|done, all| told.borrow_mut().push((done, all))).unwrap();
        assert_eq!(started.load(Ordering::Relaxed), 3 + 2 * 2, "the larger board is not even started");
        let seen: Vec<_> = measured.iter().map(|one| (one.count.engine, one.count.board.size())).collect();
        assert_eq!(seen, [("backtrack", 8), ("two-color", 8)]);
        assert_eq!(told.into_inner(), [(1, 12), (1, 9), (2, 9), (2, 6), (3, 6), (4, 6), (5, 6), (6, 6)]);

        let hopeless = Study { jobs: vec![job(&Backtrack, 31)], ..study };
        let limit = Duration::from_secs(1);
        assert!(matches!(hopeless.run(&Cancel::new(), &|_, _| ()), Err(BenchError::Limit { limit: l }) if l == limit));
        let cancel = Cancel::new();
        cancel.cancel();
        let stopped = hopeless.run(&cancel, &|_, _| ()).unwrap_err();
        assert!(matches!(stopped, BenchError::Cancelled { done: 0, all: 3 }), "a request to stop is not the limit");
    }

    #[test]
    fn a_panic_ends_the_study() {
        for limit in [None, Some(Duration::from_secs(60))] {
            let (engine, start) = (Panicking::after(1, true), Instant::now());
            let jobs = vec![Job::new(Board::new(8).unwrap()).engine(engine).threads(2)];
            let error = Study { jobs, limit, ..study(1) }.run(&Cancel::new(), &|_, _| ()).unwrap_err();
            let BenchError::Run { engine: "panicking", error, .. } = error else { panic!("{error}") };
            assert!(matches!(error, RunError::Panicked { .. }), "{error}");
            assert!(start.elapsed() < Panicking::PATIENCE / 2, "{:?}", start.elapsed());
        }
    }

    #[test]
    fn threads_begin_as_they_are_told_to() {
        let told = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&told);
        let begin: BeginThread = Arc::new(move |index| {
            counter.fetch_add(1 + 100 * index, Ordering::Relaxed);
        });
        let all = study(0);
        let study = Study { jobs: all.jobs[..1].to_vec(), begin_thread: Some(begin), ..all };
        study.run(&Cancel::new(), &|_, _| ()).unwrap();
        assert_eq!(told.load(Ordering::Relaxed), 1, "one thread, with number 0");
    }

    #[test]
    fn a_study_that_is_stopped_says_how_far_it_came() {
        let cancel = Cancel::new();
        let stop = |done, _| {
            if done == 4 {
                cancel.cancel();
            }
        };
        assert!(matches!(study(2).run(&cancel, &stop), Err(BenchError::Cancelled { done: 4, all: 9 })));
    }
}
