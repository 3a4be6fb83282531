//! The cost of finding all solutions on one thread: measured, or estimated where that takes too long.

use crate::app::bench::statistics::median;
use crate::app::estimate::expected::estimate_time;
use crate::cancel::Cancel;
use crate::classic::{Effort, Listener, Method};
use crate::engine::{CountingEngine, ENGINES, Kernel};
use crate::estimate::SplitMix64;
use crate::run::{Job, Observer, RunError, Start, UnitResult, watched};
use crate::{Board, Solution};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The time after which a search is stopped if it is expected to take more than twice its limit.
const TRIAL: Duration = Duration::from_secs(1);

/// The time for which a search that was stopped is sampled, to estimate how long it would take.
const SAMPLING: Duration = Duration::from_millis(500);

/// Searches that are shorter are repeated until they have taken this many seconds together ...
const ENOUGH: f64 = 0.02;

/// ... or have been made this often.
const MOST_REPETITIONS: usize = 101;

/// The time between two looks at the clock during a count by an engine.
const BEAT: Duration = Duration::from_millis(20);

/// A textbook method, or an engine with one of its kernels.
#[derive(Clone, Copy)]
pub(super) enum Contestant {
    Method(Method),
    Engine(&'static dyn CountingEngine, Kernel),
}

/// The cost of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measurement {
    /// The candidates or nodes visited, if any are.
    pub(super) visited: Option<u64>,
    /// The attack tests made, if any are.
    pub(super) tests: Option<u64>,
    /// The candidates or nodes that the whole search visits, exactly or about, if that is known.
    pub(super) expected_visits: Option<f64>,
    pub(super) outcome: Outcome,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It found all solutions.
    Finished { solutions: u128, seconds: f64 },
    /// It was stopped, after `seconds`. `expected` are the seconds of the whole search, if they could be estimated.
    Stopped { seconds: f64, expected: Option<f64> },
    /// It cannot be made, for this reason.
    Refused(String),
}

/// The clock that a search is stopped by.
#[derive(Clone, Copy)]
struct Clock<'a> {
    start: Instant,
    limit: Option<Duration>,
    cancel: &'a Cancel,
    progress: &'a (dyn Fn(f64) + Sync),
}

impl Clock<'_> {
    /// Returns true if a search that has done this share of its work may go on.
    fn lets_go_on(&self, share: f64) -> bool {
        (self.progress)(share.min(1.0));
        let elapsed = self.start.elapsed();
        let in_time = self.limit.is_none_or(|limit| {
            let takes_too_long = share > 0.0 && elapsed.as_secs_f64() / share > 2.0 * limit.as_secs_f64();
            elapsed < limit && !(elapsed >= TRIAL && takes_too_long)
        });
        in_time && !self.cancel.is_cancelled()
    }
}

impl Contestant {
    /// Returns the textbook methods, then the engines: each with the scalar kernel, if it has that, and with its best.
    pub(super) fn all() -> Vec<Self> {
        let engines = ENGINES.iter().flat_map(|&engine| {
            let kernels = engine.kernels();
            let scalar = kernels.iter().copied().find(|&kernel| kernel == Kernel::Scalar);
            let best = kernels.iter().copied().find(|&kernel| kernel != Kernel::Scalar);
            scalar.into_iter().chain(best).map(move |kernel| Contestant::Engine(engine, kernel))
        });
        Method::ALL.into_iter().map(Contestant::Method).chain(engines).collect()
    }

    /// Returns the name of the method or of the engine.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Contestant::Method(method) => method.name(),
            Contestant::Engine(engine, _) => engine.name(),
        }
    }

    /// Searches `board` for all solutions on one thread, until `limit` or `cancel` stops the search. A search that is
    /// over in a moment is repeated, and the median time is taken. `progress` gets the share of the work that is done.
    ///
    /// # Errors
    /// When the threads cannot be had, one of them panics, or the partial counts of an engine do not make up a total.
    pub(super) fn measure(
        &self,
        board: Board,
        limit: Option<Duration>,
        cancel: &Cancel,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Measurement, RunError> {
        let search = || {
            let clock = Clock { start: Instant::now(), limit, cancel, progress };
            match *self {
                Contestant::Method(method) => Ok(search(method, board, clock)),
                Contestant::Engine(engine, kernel) => count(engine, kernel, board, &clock),
            }
        };
        let mut measurement = search()?;
        if let Outcome::Finished { seconds, .. } = &mut measurement.outcome {
            let mut times = vec![*seconds];
            while times.len() < MOST_REPETITIONS && times.iter().sum::<f64>() < ENOUGH {
                let Outcome::Finished { seconds, .. } = search()?.outcome else { break };
                times.push(seconds);
            }
            *seconds = median(&times);
        }
        Ok(measurement)
    }
}

/// Searches by a textbook method.
fn search(method: Method, board: Board, clock: Clock<'_>) -> Measurement {
    struct Watch<'a>(Clock<'a>, f64);

    impl Listener for Watch<'_> {
        fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
            Continue(())
        }
        fn beat(&mut self, effort: Effort) -> ControlFlow<()> {
            if self.0.lets_go_on(effort.visited as f64 / self.1) { Continue(()) } else { Break(()) }
        }
    }

    let expected_visits = method.expected_visits(board);
    let start = Instant::now();
    let (effort, end) = method.search_with(board, &mut Watch(Clock { start, ..clock }, expected_visits));
    let seconds = start.elapsed().as_secs_f64();
    let outcome = match end {
        Continue(()) => Outcome::Finished { solutions: u128::from(effort.solutions), seconds },
        Break(()) => {
            let rate = sampled_rate(method, board, clock.cancel).unwrap_or(effort.visited as f64 / seconds);
            Outcome::Stopped { seconds, expected: Some((expected_visits / rate).max(seconds)) }
        }
    };
    Measurement {
        visited: Some(effort.visited),
        tests: (method != Method::BitMasks).then_some(effort.tests),
        expected_visits: Some(expected_visits),
        outcome,
    }
}

/// Measures how many candidates a method visits in a second, on samples from anywhere among them: the first ones are
/// tested faster than most. Returns `None` for a method that visits nodes, or when `cancel` is set.
fn sampled_rate(method: Method, board: Board, cancel: &Cancel) -> Option<f64> {
    let mut random = SplitMix64::new(board.size() as u64);
    let mut visited = 0;
    let start = Instant::now();
    while start.elapsed() < SAMPLING && !cancel.is_cancelled() {
        visited += method.sample(board, &mut random)?.visited;
    }
    (visited > 0).then(|| visited as f64 / start.elapsed().as_secs_f64())
}

/// Counts by an engine.
fn count(
    engine: &'static dyn CountingEngine,
    kernel: Kernel,
    board: Board,
    clock: &Clock<'_>,
) -> Result<Measurement, RunError> {
    let tally = Tally::default();
    let job = Job::new(board).with_engine(engine).kernel(kernel).threads(1).count_nodes();
    let stop = clock.cancel.child();
    let look = || {
        if !clock.lets_go_on(tally.sums().share()) {
            stop.cancel();
        }
    };
    let counted = watched(BEAT, look, || job.run(&stop, &tally))?;
    let seconds = clock.start.elapsed().as_secs_f64();
    let sums = *tally.sums();
    let outcome = match counted {
        Ok(count) => Outcome::Finished { solutions: count.total, seconds: sums.time.as_secs_f64() },
        Err(RunError::Cancelled { .. }) => {
            let expected = estimate_time(&job, SAMPLING, clock.cancel, &|_| ()).ok();
            Outcome::Stopped { seconds, expected: expected.map(|expected| expected.seconds.estimate.max(seconds)) }
        }
        Err(error @ (RunError::Prepare(_) | RunError::Memory { .. })) => Outcome::Refused(error.to_string()),
        Err(error) => return Err(error),
    };
    // Kernels that look ahead visit fewer nodes than there are.
    let expected_visits = sums.expected_nodes.filter(|_| kernel == Kernel::Scalar);
    Ok(Measurement { visited: sums.nodes, tests: None, expected_visits, outcome })
}

/// The observer of a count by an engine.
#[derive(Default)]
struct Tally(Mutex<Sums>);

/// The parts of a count that are finished.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// The time of preparing and of counting units. It is less than that of the whole count, which also starts a thread
    /// and asks the system how much memory is free: on a small board that takes longer than all the rest.
    time: Duration,
    nodes: Option<u64>,
    weight: u64,
    /// The weight of all units.
    whole_weight: u64,
    expected_nodes: Option<f64>,
}

impl Sums {
    /// Returns the share of the work that is done.
    fn share(&self) -> f64 {
        self.weight as f64 / self.whole_weight.max(1) as f64
    }
}

impl Tally {
    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.0.lock().expect("adding does not panic")
    }
}

impl Observer for Tally {
    fn ready(&self, start: &Start<'_>) {
        let mut sums = self.sums();
        sums.time = start.job.planning;
        sums.whole_weight = start.plan.total_weight();
        sums.expected_nodes = start.job.counter.expected_nodes();
    }

    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        let mut sums = self.sums();
        sums.time += unit.elapsed;
        sums.nodes = unit.nodes.map(|nodes| nodes + sums.nodes.unwrap_or(0));
        sums.weight += unit.weight;
        Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    fn measure(contestant: Contestant, size: usize, limit: Option<Duration>) -> Measurement {
        contestant.measure(board(size), limit, &Cancel::new(), &|_| ()).unwrap()
    }

    #[test]
    fn a_panic_in_a_unit_is_an_error() {
        let contestant = Contestant::Engine(crate::run::tests::Panicking::after(0, true), Kernel::Scalar);
        let error = contestant.measure(board(8), None, &Cancel::new(), &|_| ()).unwrap_err();
        assert!(matches!(error, RunError::Panicked { unit: Some(_), .. }), "{error}");
    }

    #[test]
    fn all_methods_and_engines_take_part_and_find_all_solutions() {
        let contestants = Contestant::all();
        for name in Method::ALL.map(Method::name).into_iter().chain(ENGINES.iter().map(|engine| engine.name())) {
            assert!(contestants.iter().any(|contestant| contestant.name() == name), "{name}");
        }
        for contestant in contestants {
            for size in 1..=6 {
                let measurement = measure(contestant, size, None);
                let Outcome::Finished { solutions, .. } = measurement.outcome else { panic!("{measurement:?}") };
                assert_eq!(Some(solutions), published::total(board(size)), "{}, N = {size}", contestant.name());
            }
        }
    }

    #[test]
    fn visits_and_tests_are_counted_where_there_are_any() {
        for contestant in Contestant::all() {
            let measurement = measure(contestant, 6, None);
            let expected = match contestant.name() {
                "brute-force" => (Some(1_947_792), true),
                "one-per-row" => (Some(46_656), true),
                "permutations" => (Some(720), true),
                "earlier-queens" | "flag-arrays" => (Some(153), true),
                "bit-masks" => (Some(153), false),
                // Mirror images are not visited, nor is the empty board; the vector kernels look ahead.
                "backtrack" => match contestant {
                    Contestant::Engine(_, Kernel::Scalar) => (Some(76), false),
                    _ => (Some(measurement.visited.filter(|&nodes| nodes < 76).expect("fewer nodes")), false),
                },
                _ => (None, false),
            };
            assert_eq!((measurement.visited, measurement.tests.is_some()), expected, "{}", contestant.name());
        }
    }

    #[test]
    fn a_search_is_stopped_at_the_limit_and_its_time_estimated() {
        for contestant in Contestant::all() {
            let measurement = measure(contestant, 20, Some(Duration::from_millis(50)));
            let Outcome::Stopped { seconds, expected } = measurement.outcome else { panic!("{measurement:?}") };
            assert!(seconds >= 0.05 && expected >= Some(seconds), "{}: {measurement:?}", contestant.name());
        }
    }

    /// To within what a busy machine does.
    #[test]
    fn an_estimate_comes_true() {
        let one_per_row = Contestant::Method(Method::OnePerRow);
        let Outcome::Finished { seconds, .. } = measure(one_per_row, 8, None).outcome else {
            panic!("it has no limit")
        };
        let stopped = measure(one_per_row, 8, Some(Duration::from_millis(1))).outcome;
        let Outcome::Stopped { expected: Some(expected), .. } = stopped else { panic!("{stopped:?}") };
        assert!((0.2..5.0).contains(&(expected / seconds)), "{expected} for {seconds}");
    }

    /// By tests, because times depend on what else the machine does.
    #[test]
    fn samples_have_more_to_test_than_the_first_candidates() {
        /// It ends a search after this many candidates.
        struct First(u64);

        impl Listener for First {
            fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
                Continue(())
            }
            fn beat(&mut self, effort: Effort) -> ControlFlow<()> {
                if effort.visited < self.0 { Continue(()) } else { Break(()) }
            }
        }

        let (method, board) = (Method::BruteForce, board(8));
        let (first, _) = method.search_with(board, &mut First(1_000_000));
        let mut random = SplitMix64::new(1);
        let samples: Vec<Effort> = (0..10).filter_map(|_| method.sample(board, &mut random)).collect();
        let sum = |number: fn(&Effort) -> u64| samples.iter().map(number).sum::<u64>() as f64;
        let per_candidate =
            [first.tests as f64 / first.visited as f64, sum(|effort| effort.tests) / sum(|effort| effort.visited)];
        assert!(per_candidate[1] > 1.2 * per_candidate[0], "{per_candidate:?} tests for each candidate");
    }

    #[test]
    fn a_search_that_takes_far_too_long_is_stopped_long_before_the_limit() {
        for (contestant, size) in [(Contestant::Method(Method::BruteForce), 10), (Contestant::all()[6], 20)] {
            let outcome = measure(contestant, size, Some(Duration::from_secs(600))).outcome;
            let Outcome::Stopped { seconds, expected: Some(expected) } = outcome else { panic!("{outcome:?}") };
            assert!(seconds < 300.0 && expected > 600.0, "{}: {outcome:?}", contestant.name());
        }
    }

    #[test]
    fn a_board_beyond_an_engine_is_refused() {
        let two_color = Contestant::all().into_iter().find(|contestant| contestant.name() == "two-color").unwrap();
        let Outcome::Refused(reason) = measure(two_color, 32, None).outcome else { panic!("beyond its boards") };
        assert!(reason.contains("at most 28"), "{reason}");
    }

    #[test]
    fn a_measurement_stops_when_asked() {
        for contestant in Contestant::all() {
            let cancel = Cancel::new();
            cancel.cancel();
            let measurement = contestant.measure(board(16), None, &cancel, &|_| ()).unwrap();
            assert!(matches!(measurement.outcome, Outcome::Stopped { .. }), "{}", contestant.name());
        }
    }

    #[test]
    fn progress_grows() {
        for contestant in Contestant::all() {
            let shares = std::sync::Mutex::new(Vec::new());
            let limit = Some(Duration::from_millis(300));
            contestant.measure(board(15), limit, &Cancel::new(), &|share| shares.lock().unwrap().push(share)).unwrap();
            let shares = shares.into_inner().unwrap();
            let in_range = shares.iter().all(|share| (0.0..=1.0).contains(share));
            // A search that is over within a beat is repeated, and begins anew.
            let is_engine = matches!(contestant, Contestant::Engine(..));
            assert!(in_range && (is_engine || shares.is_sorted()), "{}: {shares:?}", contestant.name());
            assert!(shares.len() > 1 || is_engine, "{}: {shares:?}", contestant.name());
        }
    }
}
