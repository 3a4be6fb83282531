//! The cost of finding all solutions on one thread, by a textbook method or an engine.

use super::textbook::{Effort, Method};
use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::{Engine, Kernel};
use crate::platform::Instant;
use crate::run::{Job, Observer, Pool, RunError, watched};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A search that takes less time is made again until all its runs together took this time. A pause of the thread could
/// be the greater part of a single run.
const ENOUGH: Duration = Duration::from_millis(50);

/// The most times that a short search is repeated for one measurement.
const MOST_SEARCHES: usize = 1000;

/// A textbook method, or an engine with one of its kernels.
#[derive(Clone, Copy, Debug)]
pub enum Contestant {
    /// A textbook method.
    Method(Method),
    /// An engine with a kernel.
    Engine(Engine, Kernel),
}

/// The cost of a search, until it ended or was stopped.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The number of candidates or nodes visited, if they are counted.
    pub visited: Option<u64>,
    /// The number of attack tests made, if they are counted.
    pub tests: Option<u64>,
    /// The time; for a short search, the least of several times. The time of an engine excludes the start of the
    /// thread, which says nothing about the method.
    pub seconds: f64,
    /// The end of the search.
    pub outcome: Outcome,
}

/// The end of a search.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The search found this number of solutions, which are all.
    Finished(u128),
    /// The search was stopped.
    Stopped,
    /// The search cannot be made, for this reason.
    Refused(RunError),
}

impl Contestant {
    /// Returns the textbook methods, then each engine with its scalar kernel, if it has one, and with its best kernel.
    pub fn all() -> Vec<Self> {
        let engines = Engine::ALL.iter().flat_map(|&engine| {
            let kernels = engine.kernels();
            let scalar = kernels.iter().copied().find(|&kernel| kernel == Kernel::Scalar);
            let best = kernels.iter().copied().find(|&kernel| kernel != Kernel::Scalar);
            scalar.into_iter().chain(best).map(move |kernel| Contestant::Engine(engine, kernel))
        });
        Method::ALL.iter().copied().map(Contestant::Method).chain(engines).collect()
    }

    /// Returns the name of the method or of the engine.
    pub fn name(&self) -> &'static str {
        match self {
            Contestant::Method(method) => method.name(),
            Contestant::Engine(engine, _) => engine.name(),
        }
    }

    /// Returns the number of candidates or nodes that a textbook method visits on `board`, as
    /// [`Method::expected_visits`] does.
    pub fn expected_visits(&self, board: Board) -> Option<f64> {
        match self {
            Contestant::Method(method) => Some(method.expected_visits(board)),
            Contestant::Engine(..) => None,
        }
    }

    /// Searches `board` for all solutions on one thread, until `limit` or `cancel` stops the search. The observer's
    /// `progress` gets the share that is done of the search or of the limit, whichever is greater.
    ///
    /// # Errors
    /// When the threads cannot be started, one of them panics, or the partial counts of an engine do not make up a
    /// total.
    pub fn measure(
        &self,
        board: Board,
        limit: Option<Duration>,
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<Measurement, RunError> {
        let expected = self.expected_visits(board).unwrap_or(f64::INFINITY);
        let (start, stop) = (Instant::now(), cancel.child());
        let most = Mutex::new(0.0_f64);
        let reach = |share: f64| {
            let mut most = most.lock().unwrap_or_else(PoisonError::into_inner);
            *most = most.max(share.min(1.0));
            observer.progress(*most);
        };
        let look = || {
            let passed = limit.map_or(0.0, |limit| start.elapsed().as_secs_f64() / limit.as_secs_f64());
            reach(passed);
            if passed >= 1.0 {
                stop.cancel();
            }
        };
        watched(&stop, look, || match *self {
            Contestant::Method(method) => {
                let beat = |effort: Effort| {
                    reach(effort.visited as f64 / expected);
                    if stop.is_cancelled() { Break(()) } else { Continue(()) }
                };
                Ok(searched(method, board, beat))
            }
            Contestant::Engine(engine, kernel) => counted(Job::new(board).engine(engine).kernel(kernel), &stop, &reach),
        })?
    }
}

/// Searches `board` by a textbook method, several times if the search is short, until `beat` ends the search.
fn searched(method: Method, board: Board, mut beat: impl FnMut(Effort) -> ControlFlow<()>) -> Measurement {
    let mut timed = || {
        let start = Instant::now();
        let (effort, end) = method.search_with(board, &mut |_| Continue(()), &mut beat);
        (start.elapsed(), effort, end)
    };
    let (first, effort, end) = timed();
    let again = || Some(timed()).filter(|(.., end)| end.is_continue()).map(|(time, ..)| time);
    Measurement {
        visited: Some(effort.visited),
        tests: method.counts_tests().then_some(effort.tests),
        seconds: if end.is_continue() { least(first, again) } else { first }.as_secs_f64(),
        outcome: if end.is_continue() { Outcome::Finished(effort.solutions.into()) } else { Outcome::Stopped },
    }
}

/// Counts by an engine and, if the search is short, several times.
fn counted(job: Job, stop: &Cancel, observer: &dyn Observer) -> Result<Measurement, RunError> {
    let start = Instant::now();
    let job = job.pool(&Pool::new(1)?);
    let (visited, first, outcome) = match job.clone().count_nodes().run_with(stop, observer) {
        Ok(count) => (count.nodes, count.elapsed, Outcome::Finished(count.total)),
        Err(RunError::Cancelled { .. }) => (None, start.elapsed(), Outcome::Stopped),
        Err(error @ (RunError::Prepare(_) | RunError::Memory { .. })) => {
            (None, start.elapsed(), Outcome::Refused(error))
        }
        Err(error) => return Err(error),
    };
    let again = || job.run_with(stop, &()).ok().map(|count| count.elapsed);
    let time = if matches!(outcome, Outcome::Finished(_)) { least(first, again) } else { first };
    Ok(Measurement { visited, tests: None, seconds: time.as_secs_f64(), outcome })
}

/// Returns the least time of a search that took the time `first`. If that was short, `again` repeats the search.
fn least(first: Duration, mut again: impl FnMut() -> Option<Duration>) -> Duration {
    let (mut spent, mut least) = (first, first);
    for _ in 0..MOST_SEARCHES {
        let Some(time) = (spent < ENOUGH).then(&mut again).flatten() else { break };
        spent += time;
        least = least.min(time);
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::board;
    use crate::fake_engine::FakeEngine;
    use crate::published;

    #[test]
    fn a_panic_in_a_unit_is_an_error() {
        let job = Job::new(board(8)).counted_by(FakeEngine::after(0, true));
        let error = counted(job, &Cancel::new(), &()).unwrap_err();
        assert!(matches!(error, RunError::Panicked { unit: Some(_), .. }), "{error}");
    }

    #[test]
    fn all_methods_and_engines_take_part_and_find_all_solutions() {
        let contestants = Contestant::all();
        for name in Method::ALL.iter().map(|method| method.name()).chain(Engine::ALL.iter().map(|engine| engine.name()))
        {
            assert!(contestants.iter().any(|contestant| contestant.name() == name), "{name}");
        }
        for contestant in contestants {
            for size in 1..=6 {
                let measurement = contestant.measure(board(size), None, &Cancel::new(), &()).unwrap();
                let Outcome::Finished(solutions) = measurement.outcome else { panic!("{measurement:?}") };
                assert_eq!(Some(solutions), published::total(board(size)), "{}, N = {size}", contestant.name());
            }
        }
    }

    #[test]
    fn a_short_search_is_made_again_and_its_least_time_counts() {
        let least_of = |first: u64, others: &[u64]| {
            let mut others = others.iter().map(|&ms| Duration::from_millis(ms));
            let least = least(Duration::from_millis(first), || others.next());
            (least.as_millis(), others.len())
        };
        assert_eq!(least_of(9, &[3, 20, 5]), (3, 0));
        assert_eq!(least_of(9, &[3, 20, 25, 1]), (3, 1), "what was spent is enough");
        assert_eq!(least_of(60, &[1]), (60, 1), "a long one is made once");
        assert_eq!(least_of(0, &[0; 2 * MOST_SEARCHES]), (0, MOST_SEARCHES));
    }

    #[test]
    fn the_share_grows_to_the_end_or_to_the_limit_which_stops_the_search() {
        for (size, limit) in [(5, None), (20, Some(Duration::from_millis(100)))] {
            for contestant in Contestant::all() {
                let shares = std::sync::Mutex::new(vec![0.0]);
                let progress = |share| shares.lock().unwrap().push(share);
                let measurement = contestant.measure(board(size), limit, &Cancel::new(), &progress).unwrap();
                let is_stopped = matches!(measurement.outcome, Outcome::Stopped);
                assert!(is_stopped == limit.is_some() && measurement.seconds > 0.0, "{measurement:?}");
                let shares = shares.into_inner().unwrap();
                assert!(shares.is_sorted() && limit.is_none_or(|_| shares.ends_with(&[1.0])), "{shares:?}");
            }
        }
    }
}
