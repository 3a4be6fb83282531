//! The textbook methods and the engines side by side, on one thread: what each visits, tests and takes, or would take.

use crate::app::bench::statistics;
use crate::app::estimate::expected::light_and_heavy;
use crate::board::{Board, Solution};
use crate::cancel::{Cancel, Cancelled};
use crate::classic::textbook::{Listener, METHODS, Method, Steps};
use crate::engine::{ENGINES, Engine, Kernel, Plan, Settings};
use crate::estimate::SplitMix64;
use crate::run::panics::Panics;
use crate::run::{RunError, Sum, memory, on_threads, watched};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// When the speed of a textbook method is known well enough to foretell its end.
const TRIAL: Duration = Duration::from_millis(500);

/// When that of an engine is: its units are large, and take more or less time than their weights say.
const TRIAL_OF_UNITS: Duration = Duration::from_secs(2);

/// How long samples are taken where the beginning of a search says little of its speed.
const SAMPLING: Duration = Duration::from_millis(250);

/// A search that is over sooner is made again, and again, until all of them together have taken as long ...
const ENOUGH: Duration = Duration::from_millis(20);

/// ... or there have been so many of them.
const MOST_REPETITIONS: usize = 101;

/// How often a count by an engine is looked after, and how soon a search by a method.
const BEAT: Duration = Duration::from_millis(20);

/// Who takes part in a comparison.
#[derive(Clone, Copy)]
pub(crate) enum Contestant {
    /// A textbook method.
    Method(&'static Method),
    /// An engine with one of its kernels.
    Engine(&'static dyn Engine, Kernel),
}

impl Contestant {
    /// The textbook methods, then the engines: each with the scalar kernel, if it has that, and with its best.
    pub(crate) fn all() -> Vec<Self> {
        let methods = METHODS.iter().map(Contestant::Method);
        let engines = ENGINES.iter().flat_map(|&engine| {
            let kernels = engine.kernels();
            let scalar = kernels.iter().copied().filter(|&kernel| kernel == Kernel::Scalar);
            let others = kernels.iter().copied().find(|&kernel| kernel != Kernel::Scalar);
            let both: Vec<Kernel> = scalar.chain(others).collect();
            both.into_iter().map(move |kernel| Contestant::Engine(engine, kernel))
        });
        methods.chain(engines).collect()
    }

    /// The name of the method or of the engine.
    pub(crate) fn name(&self) -> &'static str {
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
    /// When the threads cannot be had, one of them panics, or the partial counts of an engine do not make up a total.
    pub(crate) fn measure(
        &self,
        board: Board,
        limit: Option<Duration>,
        cancel: &Cancel,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Measured, RunError> {
        let terms = Terms { limit, cancel, progress };
        on_threads(1, || {
            let mut measured = self.once(board, &terms)?;
            let Outcome::Finished { elapsed, .. } = &mut measured.outcome else { return Ok(measured) };
            let mut times = vec![*elapsed];
            while times.len() < MOST_REPETITIONS && times.iter().sum::<Duration>() < ENOUGH {
                // One that is broken off now says nothing of its time, and takes nothing from what was found before.
                let Outcome::Finished { elapsed, .. } = self.once(board, &terms)?.outcome else { break };
                times.push(elapsed);
            }
            *elapsed = median(&times);
            Ok(measured)
        })?
    }

    /// Searches once.
    fn once(&self, board: Board, terms: &Terms<'_>) -> Result<Measured, RunError> {
        match *self {
            Contestant::Method(method) => Ok(search(method, board, terms)),
            Contestant::Engine(engine, kernel) => count(engine, kernel, board, terms, Patience::Short),
        }
    }
}

/// The median of some times.
fn median(times: &[Duration]) -> Duration {
    let seconds: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
    Duration::from_secs_f64(statistics::median(&seconds))
}

/// What came of a contestant's search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// The candidates or nodes it has visited, where it visits any.
    pub visited: Option<u64>,
    /// The attack tests it has made, where it makes any.
    pub tests: Option<u64>,
    /// The candidates or nodes that it visits in all, where there are any: exactly where there is a formula, or about.
    pub expected_visits: Option<f64>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a contestant's search ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
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

/// On what terms a search is made.
struct Terms<'a> {
    limit: Option<Duration>,
    cancel: &'a Cancel,
    progress: &'a (dyn Fn(f64) + Sync),
}

impl Terms<'_> {
    /// Whether a search that has run for some time, and is foreseen to take as many seconds in all, goes on. The forecast
    /// counts after a `trial`; to have the search broken off it must exceed the limit by the factor `doubt`.
    fn goes_on(&self, elapsed: Duration, seconds: Option<f64>, (trial, doubt): (Duration, f64)) -> bool {
        if let Some(seconds) = seconds {
            (self.progress)((elapsed.as_secs_f64() / seconds).min(1.0));
        }
        let in_time = self.limit.is_none_or(|limit| {
            let foreseen = seconds.filter(|_| elapsed >= trial);
            elapsed < limit && foreseen.is_none_or(|seconds| seconds <= doubt * limit.as_secs_f64())
        });
        in_time && !self.cancel.is_cancelled()
    }
}

/// The seconds that the whole work takes, if the rest goes at the speed of what has been done.
fn in_all(elapsed: Duration, share: f64) -> Option<f64> {
    (share > 0.0).then(|| elapsed.as_secs_f64() / share)
}

/// A search by a textbook method.
fn search(method: &Method, board: Board, terms: &Terms<'_>) -> Measured {
    let mut timed = Timed {
        method,
        board,
        terms,
        start: Instant::now(),
        aside: Duration::ZERO,
        expected: None,
        sampled: false,
        foretold: None,
    };
    let (steps, end) = method.search(board, &mut timed);
    let elapsed = timed.elapsed();
    let outcome = match end {
        Continue(()) => Outcome::Finished { solutions: u128::from(steps.solutions), elapsed },
        Break(()) => {
            timed.sample();
            Outcome::BrokenOff { elapsed, seconds: timed.seconds(steps, elapsed) }
        }
    };
    Measured {
        visited: Some(steps.visited),
        tests: method.tests.then_some(steps.tests),
        expected_visits: Some(timed.expected()),
        outcome,
    }
}

/// A search against the clock.
struct Timed<'a> {
    method: &'a Method,
    board: Board,
    terms: &'a Terms<'a>,
    start: Instant,
    /// The time that was spent on forecasts, and not on the search.
    aside: Duration,
    /// What the method visits in all, once it has been asked for.
    expected: Option<f64>,
    /// Whether samples have been taken, and the seconds of the whole search that they foretell, where there are any.
    sampled: bool,
    foretold: Option<f64>,
}

impl Timed<'_> {
    fn elapsed(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.aside)
    }

    fn expected(&mut self) -> f64 {
        self.expected.unwrap_or_else(|| {
            let start = Instant::now();
            let expected = *self.expected.insert(self.method.expected_visits(self.board));
            self.aside += start.elapsed();
            expected
        })
    }

    /// Takes samples from all over the candidates, unless it has been done: the first are tested faster than most.
    fn sample(&mut self) {
        if std::mem::replace(&mut self.sampled, true) {
            return;
        }
        let start = Instant::now();
        let mut random = SplitMix64::new(self.board.size() as u64);
        let mut visited = 0;
        while let Some(steps) = self.method.sample(self.board, &mut random) {
            visited += steps.visited;
            if start.elapsed() >= SAMPLING || self.terms.cancel.is_cancelled() {
                break;
            }
        }
        let elapsed = start.elapsed();
        self.aside += elapsed;
        self.foretold = in_all(elapsed, visited as f64 / self.expected());
    }

    /// The seconds that the search is foreseen to take, after so many steps in this time.
    fn seconds(&mut self, steps: Steps, elapsed: Duration) -> Option<f64> {
        self.foretold.or_else(|| in_all(elapsed, steps.visited as f64 / self.expected()))
    }
}

impl Listener for Timed<'_> {
    fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
        Continue(())
    }

    fn beat(&mut self, steps: Steps) -> ControlFlow<()> {
        // Who is about to end need not know when.
        let elapsed = self.elapsed();
        if elapsed < BEAT {
            return Continue(());
        }
        if elapsed >= TRIAL {
            self.sample();
        }
        let seconds = self.seconds(steps, elapsed);
        if self.terms.goes_on(elapsed, seconds, (TRIAL, 1.0)) { Continue(()) } else { Break(()) }
    }
}

/// What is done where not one unit is finished when the end is to be foretold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// If the engine counts nodes, they are looked at, for which the count must stop.
    Short,
    /// It is waited for.
    Long,
}

/// A count by an engine, on the current thread.
fn count(
    engine: &dyn Engine,
    kernel: Kernel,
    board: Board,
    terms: &Terms<'_>,
    patience: Patience,
) -> Result<Measured, RunError> {
    let refused = |reason: String| Measured {
        visited: None,
        tests: None,
        expected_visits: None,
        outcome: Outcome::Refused(reason),
    };
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
    let done = Done { weight: AtomicU64::new(0), nanoseconds: AtomicU64::new(0) };
    let seconds = || done.seconds(plan).map(|seconds| prepared.as_secs_f64() + seconds);
    // Kernels that look ahead visit fewer nodes than there are.
    let expected_visits = counter.expected_nodes().filter(|_| kernel == Kernel::Scalar);
    let impatient = patience == Patience::Short && expected_visits.is_some() && terms.limit.is_some();
    // The count looks at this request to stop; the thread that makes it looks at the clock.
    let stop = terms.cancel.child();
    let start = Instant::now();
    let look = || {
        let elapsed = prepared + start.elapsed();
        // The weights of units are rough, the more so the fewer have been counted.
        let doubt = 1.0 + TRIAL_OF_UNITS.as_secs_f64() / elapsed.as_secs_f64();
        let foreseen = seconds();
        let in_the_dark = foreseen.is_none() && impatient && elapsed >= TRIAL_OF_UNITS;
        if in_the_dark || !terms.goes_on(elapsed, foreseen, (TRIAL_OF_UNITS, doubt)) {
            stop.cancel();
        }
    };
    let panics = Panics::new(board, &stop);
    let count_units = |at: &mut Option<usize>| {
        let mut sum = Sum::new(plan);
        let mut worker = counter.worker();
        let stopped = light_and_heavy(plan).into_iter().try_for_each(|unit| {
            if stop.is_cancelled() {
                return Err(None);
            }
            *at = Some(unit);
            let partial = worker.count(unit, &stop).map_err(|Cancelled| None)?;
            done.add(plan.weight(unit), start.elapsed());
            sum.add(unit, partial).map_err(Some)
        });
        let elapsed = prepared + start.elapsed();
        let visited = worker.nodes();
        let outcome = match stopped {
            Ok(()) => Outcome::Finished { solutions: sum.total()?, elapsed },
            Err(None) => {
                // Nodes tell better than units how far it came, where there are any.
                let of_nodes =
                    visited.zip(expected_visits).and_then(|(visited, all)| in_all(elapsed, visited as f64 / all));
                Outcome::BrokenOff { elapsed, seconds: of_nodes.or_else(&seconds) }
            }
            Err(Some(error)) => return Err(error.into()),
        };
        Ok::<_, RunError>(Measured { visited, tests: None, expected_visits, outcome })
    };
    let measured = watched(BEAT, look, || panics.catch(count_units))?;
    panics.none()?;
    let measured = measured.expect("nothing panicked")?;
    match measured.outcome {
        Outcome::BrokenOff { seconds: Some(foreseen), .. }
            if impatient && seconds().is_none() && terms.goes_on(TRIAL, Some(foreseen), (TRIAL, 1.0)) =>
        {
            count(engine, kernel, board, terms, Patience::Long)
        }
        _ => Ok(measured),
    }
}

/// The units that have been counted.
struct Done {
    weight: AtomicU64,
    /// When the last of them was finished.
    nanoseconds: AtomicU64,
}

impl Done {
    fn add(&self, weight: u64, at: Duration) {
        self.weight.fetch_add(weight, Ordering::Relaxed);
        self.nanoseconds.store(at.as_nanos() as u64, Ordering::Relaxed);
    }

    /// The seconds that all units take, if the others go at the speed of these.
    fn seconds(&self, plan: &Plan) -> Option<f64> {
        let share = self.weight.load(Ordering::Relaxed) as f64 / plan.total_weight() as f64;
        in_all(Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)), share)
    }
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
    fn a_panic_in_a_unit_is_an_error() {
        let engine = Box::leak(Box::new(crate::run::tests::Panicking::after(0, true)));
        let measured =
            Contestant::Engine(engine, Kernel::Scalar).measure(board(8), None, &Cancel::new(), &|_| ()).unwrap_err();
        assert!(matches!(measured, RunError::Panicked { unit: Some(_), .. }), "{measured}");
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
                // Mirror images are not visited, nor is the empty board; the vector kernels look ahead.
                "backtrack" => match contestant {
                    Contestant::Engine(_, Kernel::Scalar) => (Some(76), false),
                    _ => (Some(steps.visited.filter(|&nodes| nodes < 76).expect("fewer nodes")), false),
                },
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
            // Only finished units tell how far an engine is, unless it visits all nodes, and there may be none by then.
            let by_units = matches!(contestant, Contestant::Engine(_, kernel) if kernel != Kernel::Scalar);
            assert!(seconds.map_or(by_units, |seconds| seconds > elapsed.as_secs_f64()), "{}", contestant.name());
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

    /// The first choices of squares have two queens in one row side by side, and are soon tested: the time of the beginning
    /// tells too little of the rest. By tests, because times depend on what else the machine does.
    #[test]
    fn samples_have_more_to_test_than_the_beginning() {
        /// It breaks a search off after this many candidates.
        struct First(u64);

        impl Listener for First {
            fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
                Continue(())
            }
            fn beat(&mut self, steps: Steps) -> ControlFlow<()> {
                if steps.visited < self.0 { Continue(()) } else { Break(()) }
            }
        }

        let (method, board) = (&METHODS[0], board(8));
        let (beginning, _) = method.search(board, &mut First(1_000_000));
        let mut random = SplitMix64::new(1);
        let samples: Vec<Steps> = (0..10).filter_map(|_| method.sample(board, &mut random)).collect();
        let sum = |number: fn(&Steps) -> u64| samples.iter().map(number).sum::<u64>() as f64;
        let [first, all] =
            [beginning.tests as f64 / beginning.visited as f64, sum(|steps| steps.tests) / sum(|steps| steps.visited)];
        assert!(all > 1.2 * first, "{all} tests for each candidate, {first} in the beginning");
    }

    #[test]
    fn what_will_take_too_long_is_broken_off_long_before_the_limit() {
        for (contestant, size) in [(Contestant::Method(&METHODS[0]), 10), (Contestant::all()[6], 24)] {
            let measured = measure(contestant, size, Some(Duration::from_secs(600)));
            let Outcome::BrokenOff { elapsed, seconds: Some(seconds) } = measured.outcome else {
                panic!("{measured:?}")
            };
            assert!(elapsed < Duration::from_secs(60) && seconds > 600.0, "{elapsed:?} for {seconds}");
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let times = |millis: &[u64]| median(&millis.iter().copied().map(Duration::from_millis).collect::<Vec<_>>());
        assert_eq!([times(&[7]), times(&[9, 1, 2]), times(&[4, 3])].map(|time| time.as_micros()), [7000, 2000, 3500]);
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
            // An engine's speed is known by its last unit, and then seen in another light.
            let steady = matches!(contestant, Contestant::Method(_));
            assert!(
                (!steady || shares.is_sorted_by(|a, b| *a <= b + 1e-9))
                    && shares.iter().all(|share| (0.0..=1.0).contains(share)),
                "{}",
                contestant.name()
            );
            assert!(shares.len() > 1 || !steady, "{}: {shares:?}", contestant.name());
        }
    }
}
