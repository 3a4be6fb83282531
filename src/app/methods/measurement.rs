//! The cost of finding all solutions on one thread.

use crate::app::terminal::progress::Bar;
use nqueens::cancel::Cancel;
use nqueens::classic::{Effort, Listener, Method};
use nqueens::engine::{CountingEngine, ENGINES, Kernel};
use nqueens::run::{Job, RunError, watched};
use nqueens::{Board, Solution};
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::{Duration, Instant};

/// The time between two looks at the clock during a count by an engine.
const BEAT: Duration = Duration::from_millis(20);

/// A textbook method, or an engine with one of its kernels.
#[derive(Clone, Copy)]
pub(super) enum Contestant {
    Method(Method),
    Engine(&'static dyn CountingEngine, Kernel),
}

/// The cost of a search, up to where it was stopped.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measurement {
    /// The candidates or nodes visited, if any are.
    pub(super) visited: Option<u64>,
    /// The attack tests made, if any are.
    pub(super) tests: Option<u64>,
    pub(super) seconds: f64,
    pub(super) outcome: Outcome,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It found this number of solutions, which are all.
    Finished(u128),
    /// It was stopped.
    Stopped,
    /// It cannot be made, for this reason.
    Refused(String),
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

    /// Searches `board` for all solutions on one thread, until `limit` or `cancel` stops the search.
    ///
    /// # Errors
    /// When the threads cannot be had, one of them panics, or the partial counts of an engine do not make up a total.
    pub(super) fn measure(
        &self,
        board: Board,
        limit: Option<Duration>,
        cancel: &Cancel,
        bar: &Bar,
    ) -> Result<Measurement, RunError> {
        let start = Instant::now();
        let is_over = || cancel.is_cancelled() || limit.is_some_and(|limit| start.elapsed() >= limit);
        match *self {
            Contestant::Method(method) => {
                let candidates = (!method.is_backtracking()).then(|| method.expected_visits(board));
                let (effort, end) = method.search_with(board, &mut Watch { is_over: &is_over, candidates, bar });
                Ok(Measurement {
                    visited: Some(effort.visited),
                    tests: (method != Method::BitMasks).then_some(effort.tests),
                    seconds: start.elapsed().as_secs_f64(),
                    outcome: match end {
                        Continue(()) => Outcome::Finished(effort.solutions.into()),
                        Break(()) => Outcome::Stopped,
                    },
                })
            }
            Contestant::Engine(engine, kernel) => {
                let stop = cancel.child();
                let look = || {
                    if is_over() {
                        stop.cancel();
                    }
                };
                let job = Job::new(board).with_engine(engine).kernel(kernel).threads(1).count_nodes();
                let counted = watched(BEAT, look, || job.run_with(&stop, bar))?;
                let seconds = start.elapsed().as_secs_f64();
                let (visited, seconds, outcome) = match counted {
                    Ok(count) => (count.nodes, count.elapsed.as_secs_f64(), Outcome::Finished(count.total)),
                    Err(RunError::Cancelled { .. }) => (None, seconds, Outcome::Stopped),
                    Err(error @ (RunError::Prepare(_) | RunError::Memory { .. })) => {
                        (None, seconds, Outcome::Refused(error.to_string()))
                    }
                    Err(error) => return Err(error),
                };
                Ok(Measurement { visited, tests: None, seconds, outcome })
            }
        }
    }
}

/// The listener of a textbook method.
struct Watch<'a> {
    is_over: &'a dyn Fn() -> bool,
    /// The number of candidates, if the method visits candidates.
    candidates: Option<f64>,
    bar: &'a Bar,
}

impl Listener for Watch<'_> {
    fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
        Continue(())
    }
    fn beat(&mut self, effort: Effort) -> ControlFlow<()> {
        self.candidates.iter().for_each(|all| self.bar.share(effort.visited as f64 / all));
        if (self.is_over)() { Break(()) } else { Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::published;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    fn measure(contestant: Contestant, size: usize, limit: Option<Duration>) -> Measurement {
        contestant.measure(board(size), limit, &Cancel::new(), &Bar::new(String::new(), false)).unwrap()
    }

    #[test]
    fn a_panic_in_a_unit_is_an_error() {
        let contestant = Contestant::Engine(crate::app::panicking::Panicking::after(0, true), Kernel::Scalar);
        let error = contestant.measure(board(8), None, &Cancel::new(), &Bar::new(String::new(), false)).unwrap_err();
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
                let Outcome::Finished(solutions) = measurement.outcome else { panic!("{measurement:?}") };
                assert_eq!(Some(solutions), published::total(board(size)), "{}, N = {size}", contestant.name());
            }
        }
    }

    #[test]
    fn a_search_is_stopped_at_the_limit() {
        for contestant in Contestant::all() {
            let measurement = measure(contestant, 20, Some(Duration::from_millis(50)));
            assert_eq!(measurement.outcome, Outcome::Stopped, "{}", contestant.name());
            assert!(measurement.seconds >= 0.05, "{}: {measurement:?}", contestant.name());
        }
    }
}
