//! The textbook methods and the engines side by side, on one thread: what each visits, tests and takes, or would take.

use super::{RunError, Sum, memory, on_threads};
use crate::board::{Board, Solution};
use crate::cancel::{Cancel, Cancelled};
use crate::engine::{ENGINES, Engine, Kernel, Settings};
use crate::estimate::SplitMix64;
use crate::search::textbook::{Listener, METHODS, Method, Steps};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// When the speed of a search is known well enough to foretell its end.
const TRIAL: Duration = Duration::from_millis(500);

/// A search that is over sooner is made again, and again, until all of them together have taken as long ...
const ENOUGH: Duration = Duration::from_millis(20);

/// ... or there have been so many of them.
const MOST_REPETITIONS: usize = 101;

/// How often a count by an engine is looked after.
const BEAT: Duration = Duration::from_millis(20);

/// Who takes part in a comparison.
#[derive(Clone, Copy)]
pub enum Contestant {
    /// A textbook method.
    Method(&'static Method),
    /// An engine with one of its kernels.
    Engine(&'static dyn Engine, Kernel),
}

impl Contestant {
    /// The textbook methods, then the engines: each with its best kernel, and with the scalar one where that is another.
    pub fn all() -> Vec<Self> {
        let methods = METHODS.iter().map(Contestant::Method);
        let engines = ENGINES.iter().flat_map(|&engine| {
            let kernels = engine.kernels().into_iter().enumerate();
            kernels
                .filter(|&(rank, kernel)| rank == 0 || kernel == Kernel::Scalar)
                .map(move |(_, kernel)| Contestant::Engine(engine, kernel))
        });
        methods.chain(engines).collect()
    }

    /// The name of the method or of the engine.
    pub fn name(&self) -> &'static str {
        match self {
            Contestant::Method(method) => method.name,
            Contestant::Engine(engine, _) => engine.name(),
        }
    }

    /// Searches `board` for all solutions, or measures how fast it would: the search is broken off when it is foreseen to
    /// take longer than `limit`. One that is over in a moment is made several times, and the median time is taken.
    /// `progress` is told what share of the work is done. It is also broken off when `cancel` is set.
    ///
    /// # Errors
    /// When the thread cannot be had, or the partial counts of an engine do not make up a total.
    pub fn measure(
        &self,
        board: Board,
        limit: Option<Duration>,
        cancel: &Cancel,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Measured, RunError> {
        let watch = Watch { limit, cancel, progress };
        on_threads(1, || {
            let mut measured = self.once(board, &watch)?;
            let mut times = Vec::new();
            while let Outcome::Finished { elapsed, .. } = measured.outcome {
                times.push(elapsed);
                if times.len() == MOST_REPETITIONS || times.iter().sum::<Duration>() >= ENOUGH {
                    break;
                }
                measured = self.once(board, &watch)?;
            }
            if let Outcome::Finished { elapsed, .. } = &mut measured.outcome {
                times.sort_unstable();
                *elapsed = times[times.len() / 2];
            }
            Ok(measured)
        })?
    }

    /// Searches once.
    fn once(&self, board: Board, watch: &Watch<'_>) -> Result<Measured, RunError> {
        match *self {
            Contestant::Method(method) => Ok(search(method, board, watch)),
            Contestant::Engine(engine, kernel) => count(engine, kernel, board, watch),
        }
    }
}

/// What came of a contestant's search.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The candidates or nodes it has visited, where it visits any.
    pub visited: Option<u64>,
    /// The attack tests it has made, where it makes any.
    pub tests: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a contestant's search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// With all solutions found.
    Finished {
        /// Their number.
        solutions: u128,
        /// The time it took.
        elapsed: Duration,
    },
    /// Broken off, because it would take too long or was asked to stop.
    BrokenOff {
        /// The time it ran.
        elapsed: Duration,
        /// The seconds the whole search would take at the speed measured; `None` where nothing was done by then.
        seconds: Option<f64>,
    },
    /// Not begun, because it cannot be.
    Refused(
        /// Why.
        String,
    ),
}

/// Who decides whether a search goes on.
struct Watch<'a> {
    limit: Option<Duration>,
    cancel: &'a Cancel,
    progress: &'a (dyn Fn(f64) + Sync),
}

impl Watch<'_> {
    /// Whether a search that has done this share of its work in this time goes on.
    fn goes_on(&self, elapsed: Duration, share: f64) -> bool {
        (self.progress)(share.min(1.0));
        let in_time = self.limit.is_none_or(|limit| {
            let foreseen = in_all(elapsed, share).filter(|_| elapsed >= TRIAL);
            elapsed < limit && foreseen.is_none_or(|seconds| seconds <= limit.as_secs_f64())
        });
        in_time && !self.cancel.is_cancelled()
    }
}

/// The seconds that the whole work takes, if the rest goes at the speed of what has been done.
fn in_all(elapsed: Duration, share: f64) -> Option<f64> {
    (share > 0.0).then(|| elapsed.as_secs_f64() / share)
}

/// A search by a textbook method.
fn search(method: &Method, board: Board, watch: &Watch<'_>) -> Measured {
    struct Watched<'a> {
        watch: &'a Watch<'a>,
        start: Instant,
        /// What the method visits in all; known when it is asked for.
        expected: Option<f64>,
        method: &'a Method,
        board: Board,
    }
    impl Watched<'_> {
        fn share(&mut self, steps: Steps) -> f64 {
            let expected = self.expected.get_or_insert_with(|| self.method.expected_visits(self.board));
            steps.visited as f64 / *expected
        }
    }
    impl Listener for Watched<'_> {
        fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
            Continue(())
        }
        fn beat(&mut self, steps: Steps) -> ControlFlow<()> {
            let share = self.share(steps);
            if self.watch.goes_on(self.start.elapsed(), share) { Continue(()) } else { Break(()) }
        }
    }

    let mut listener = Watched { watch, start: Instant::now(), expected: None, method, board };
    let (steps, end) = method.search(board, &mut listener);
    let elapsed = listener.start.elapsed();
    let outcome = match end {
        Continue(()) => Outcome::Finished { solutions: u128::from(steps.solutions), elapsed },
        Break(()) => {
            let seconds = sampled_seconds(method, board, watch).or_else(|| in_all(elapsed, listener.share(steps)));
            Outcome::BrokenOff { elapsed, seconds }
        }
    };
    Measured { visited: Some(steps.visited), tests: (steps.tests > 0).then_some(steps.tests), outcome }
}

/// The seconds that a search of candidates takes, from samples all over them: the first are tested faster than most.
fn sampled_seconds(method: &Method, board: Board, watch: &Watch<'_>) -> Option<f64> {
    let mut random = SplitMix64::new(board.size() as u64);
    let mut visited = 0;
    let mut elapsed = Duration::ZERO;
    while elapsed < TRIAL && !watch.cancel.is_cancelled() {
        let start = Instant::now();
        visited += method.sample(board, &mut random)?.visited;
        elapsed += start.elapsed();
    }
    in_all(elapsed, visited as f64 / method.expected_visits(board))
}

/// A count by an engine, on the current thread.
fn count(engine: &dyn Engine, kernel: Kernel, board: Board, watch: &Watch<'_>) -> Result<Measured, RunError> {
    let refused = |reason: String| Measured { visited: None, tests: None, outcome: Outcome::Refused(reason) };
    let settings = Settings { kernel: Some(kernel), count_nodes: true, ..Settings::default() };
    let start = Instant::now();
    let counter = match engine.prepare(board, &settings) {
        Ok(counter) => counter,
        Err(error) => return Ok(refused(error.to_string())),
    };
    let prepared = start.elapsed();
    if let Err(error) = memory::suffices(&*counter, 1) {
        return Ok(refused(error.to_string()));
    }
    let plan = counter.plan();
    let all = plan.total_weight() as f64;
    let done = AtomicU64::new(0);
    let share = || done.load(Ordering::Relaxed) as f64 / all;
    // The count looks at this request to stop; the thread that makes it looks at the clock.
    let stop = Cancel::new();
    thread::scope(|scope| {
        let (_ended, end) = mpsc::channel::<()>();
        let (stop, share) = (&stop, &share);
        let beats = move || {
            let start = Instant::now();
            while end.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                if !watch.goes_on(prepared + start.elapsed(), share()) {
                    stop.cancel();
                }
            }
        };
        scope.spawn(beats);
        let start = Instant::now();
        let mut sum = Sum::new(plan);
        let mut worker = counter.worker();
        // The lightest first, so that the speed is soon known.
        let stopped = plan.heaviest_first().into_iter().rev().try_for_each(|unit| {
            if stop.is_cancelled() || watch.cancel.is_cancelled() {
                return Err(None);
            }
            let partial = worker.count(unit, stop).map_err(|Cancelled| None)?;
            done.fetch_add(plan.weight(unit), Ordering::Relaxed);
            sum.add(unit, partial).map_err(Some)
        });
        let elapsed = prepared + start.elapsed();
        let visited = worker.nodes();
        let outcome = match stopped {
            Ok(()) => Outcome::Finished { solutions: sum.total()?, elapsed },
            Err(None) => {
                // Where not even one unit was finished, nodes tell how far it came.
                let of_nodes = || in_all(elapsed, visited? as f64 / counter.expected_nodes()?);
                Outcome::BrokenOff { elapsed, seconds: in_all(elapsed, share()).or_else(of_nodes) }
            }
            Err(Some(error)) => return Err(error.into()),
        };
        Ok(Measured { visited, tests: None, outcome })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    fn measure(contestant: Contestant, size: usize, limit: Option<Duration>) -> Measured {
        contestant.measure(board(size), limit, &Cancel::new(), &|_| ()).unwrap()
    }

    #[test]
    fn everybody_takes_part_and_finds_all_solutions() {
        let contestants = Contestant::all();
        for name in METHODS.iter().map(|method| method.name).chain(ENGINES.iter().map(|engine| engine.name())) {
            assert!(contestants.iter().any(|contestant| contestant.name() == name), "{name}");
        }
        for contestant in contestants {
            for size in 1..=6 {
                let measured = measure(contestant, size, None);
                let Outcome::Finished { solutions, .. } = measured.outcome else { panic!("{measured:?}") };
                assert_eq!(Some(solutions), published::total(board(size)), "{}, N = {size}", contestant.name());
            }
        }
    }

    #[test]
    fn what_is_visited_and_tested_is_told_where_there_is_any() {
        for (contestant, steps) in
            Contestant::all().into_iter().map(|contestant| (contestant, measure(contestant, 6, None)))
        {
            let expected = match contestant.name() {
                "brute-force" => (Some(1_947_792), true),
                "one-per-row" => (Some(46_656), true),
                "permutations" => (Some(720), true),
                "earlier-queens" | "flag-arrays" => (Some(153), true),
                "bit-masks" => (Some(153), false),
                // Mirror images are not visited, nor is the empty board.
                "backtrack" => (Some(76), false),
                _ => (None, false),
            };
            assert_eq!((steps.visited, steps.tests.is_some()), expected, "{}", contestant.name());
        }
    }

    #[test]
    fn what_would_take_too_long_is_broken_off_and_foretold() {
        let limit = Some(Duration::from_millis(50));
        for contestant in Contestant::all() {
            let measured = measure(contestant, 20, limit);
            let Outcome::BrokenOff { elapsed, seconds } = measured.outcome else { panic!("{measured:?}") };
            assert!(elapsed >= Duration::from_millis(50), "{}: {elapsed:?}", contestant.name());
            // An engine that visits no nodes may not have finished a unit by then.
            assert!(
                seconds.map_or(contestant.name() == "two-color", |seconds| seconds > elapsed.as_secs_f64()),
                "{}",
                contestant.name()
            );
        }
    }

    /// The time that is foretold from samples is that of a search that comes to its end, to within what a busy machine does.
    #[test]
    fn what_is_foretold_comes_true() {
        let one_per_row = Contestant::Method(&METHODS[1]);
        let Outcome::Finished { elapsed, .. } = measure(one_per_row, 8, None).outcome else {
            panic!("it has no limit")
        };
        let broken_off = measure(one_per_row, 8, Some(Duration::from_millis(1))).outcome;
        let Outcome::BrokenOff { seconds: Some(seconds), .. } = broken_off else { panic!("{broken_off:?}") };
        assert!((0.2..5.0).contains(&(seconds / elapsed.as_secs_f64())), "{seconds} for {elapsed:?}");
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let two_color = Contestant::all().into_iter().find(|contestant| contestant.name() == "two-color").unwrap();
        let Outcome::Refused(reason) = measure(two_color, 32, None).outcome else { panic!("beyond its boards") };
        assert!(reason.contains("at most 28"), "{reason}");
    }

    #[test]
    fn a_measurement_stops_when_asked() {
        for contestant in Contestant::all() {
            let cancel = Cancel::new();
            cancel.cancel();
            let measured = contestant.measure(board(16), None, &cancel, &|_| ()).unwrap();
            assert!(matches!(measured.outcome, Outcome::BrokenOff { .. }), "{}", contestant.name());
        }
    }

    #[test]
    fn progress_grows() {
        for contestant in Contestant::all() {
            let shares = std::sync::Mutex::new(Vec::new());
            let limit = Some(Duration::from_millis(300));
            contestant.measure(board(15), limit, &Cancel::new(), &|share| shares.lock().unwrap().push(share)).unwrap();
            let shares = shares.into_inner().unwrap();
            assert!(
                shares.is_sorted() && shares.iter().all(|share| (0.0..=1.0).contains(share)),
                "{}",
                contestant.name()
            );
            assert!(shares.len() > 1 || contestant.name() == "two-color", "{}: {shares:?}", contestant.name());
        }
    }
}
