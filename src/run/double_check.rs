//! Counts a second time by another route and compares the results.
//!
//! The two routes share no kernel, so both cannot make the same mistake in a kernel. If the other engine can count the
//! board in reasonable time, it does, and the totals are compared. Otherwise, the engine's other route or a kernel that
//! shares no code with the first counts the same units, and these are compared one by one.

use super::count::Count;
use super::error::RunError;
use super::job::Job;
use super::observer::{Each, Observer, UnitResult};
use super::prepared::{CountedUnits, PreparedJob};
use super::route::{Route, second_job};
use crate::board::Board;
use crate::cancel::Cancel;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// A second count that confirmed the first.
///
/// ```
/// use nqueens::{Board, Cancel, Engine, Job};
///
/// let count = Job::new(Board::new(10)?).engine(Engine::Backtrack).run()?;
/// let check = count.double_check(2, &Cancel::new(), &())?;
/// println!("{}, double-checked by {check}", count.total);
/// assert!(!check.by_units, "the other engine has other units");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DoubleCheck {
    /// The route of the second count.
    pub route: Route,
    /// True if the partial counts of every unit were compared, false if the totals were.
    pub by_units: bool,
}

impl fmt::Display for DoubleCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.route, if self.by_units { ", unit by unit" } else { "" })
    }
}

/// Error returned when two routes count different numbers of the same solutions. One of them is wrong.
///
/// ```
/// use nqueens::{Board, Cancel, Job, RunError};
///
/// let count = Job::new(Board::new(10)?).run()?;
/// match count.double_check(2, &Cancel::new(), &()) {
///     Err(RunError::Differs(two)) => eprintln!("unit {:?}: {:?} by {:?}", two.unit, two.counts, two.routes),
///     checked => println!("double-checked by {}", checked?),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "{} for N = {board} came out as {} by {}, but as {} by {}",
    unit.as_ref().map_or_else(|| "the total".to_owned(), |(unit, plan)| format!("unit {unit} of plan {plan}")),
    counts[0], routes[0], counts[1], routes[1]
)]
pub struct Difference {
    /// The board.
    pub board: Board,
    /// The unit that differs and the name of its plan; `None` if the totals do.
    pub unit: Option<(usize, String)>,
    /// The two numbers.
    pub counts: [u128; 2],
    /// The routes by which they were counted.
    pub routes: [Route; 2],
}

impl Count {
    /// Counts again by another route on `threads` threads, until `cancel` is set, and compares.
    ///
    /// The other engine counts, and the totals are compared. Where that would take too long, the same engine counts the
    /// same units by its other [`Route`], and each is compared as soon as it is counted. This takes several times as long
    /// as the first count, and much longer if the CPU has no other kernel with vectors.
    ///
    /// ```
    /// use nqueens::{Board, Cancel, Job};
    ///
    /// let count = Job::new(Board::new(11)?).threads(2).run()?;
    /// let check = count.double_check(2, &Cancel::new(), &|share: f64| eprintln!("{:.0}%", 100.0 * share))?;
    /// assert_ne!(check.route.engine, count.engine);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`RunError::Differs`] with the first difference, or if the second count fails, the error that
    /// [`Job::run`](crate::Job::run) would return.
    pub fn double_check(
        &self,
        threads: usize,
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<DoubleCheck, RunError> {
        self.compare_with(&second_job(self).threads(threads), cancel, observer)
    }

    /// Compares this count with that of another job: the units if both have the same, else the totals.
    fn compare_with(&self, again: &Job, cancel: &Cancel, observer: &dyn Observer) -> Result<DoubleCheck, RunError> {
        let job = PreparedJob::new(again, cancel)?;
        let plan = job.counter.plan();
        let by_units = (plan.engine(), plan.name(), plan.units()) == (self.engine, &*self.plan, self.units);
        let route = Route::of(&*job.counter, &again.settings);
        let differs = OnceLock::new();
        let compare = Each(|again: &UnitResult| {
            let first = self.sum.partial(again.unit).filter(|&first| by_units && first != again.partial);
            let Some(first) = first else { return ControlFlow::Continue(()) };
            // The first difference is kept.
            let _ = differs.set((again.unit, [first, again.partial]));
            ControlFlow::Break(())
        });
        let observers = [&compare as &dyn Observer, observer];
        let counted = job.count_units(&plan.longest_first(), [], cancel, &observers).and_then(CountedUnits::count);
        let (unit, counts) = match differs.into_inner() {
            Some((unit, counts)) => (Some((unit, self.plan.clone())), counts),
            None => (None, [self.total, counted?.total]),
        };
        if counts[0] == counts[1] {
            return Ok(DoubleCheck { route, by_units });
        }
        let first = Route { engine: self.engine, kernel: self.kernel, exchanged: false };
        Err(RunError::Differs(Difference { board: self.board, unit, counts, routes: [first, route] }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::two_color::TwoColor;
    use crate::engine::{CountingEngine, ENGINES, Kernel, Settings};
    use crate::run::route::other_route;

    fn job(engine: &'static dyn CountingEngine, size: usize, settings: Settings) -> Job {
        Job::new(Board::new(size).unwrap()).with_engine(engine).threads(2).settings(settings)
    }

    fn portable(exchanged: bool) -> Settings {
        Settings { kernel: Some(Kernel::Portable), exchanged, ..Settings::default() }
    }

    /// Returns the outcome of the check by another job in words.
    fn compared(first: &Count, again: &Job) -> Result<String, String> {
        match first.compare_with(again, &Cancel::new(), &()) {
            Err(RunError::Differs(difference)) => Err(difference.to_string()),
            checked => Ok(checked.unwrap().to_string()),
        }
    }

    #[test]
    fn engines_confirm_each_other_and_say_by_what_means() {
        for size in 1..=11 {
            for (engine, other) in [(ENGINES[0], ENGINES[1]), (ENGINES[1], ENGINES[0])] {
                let first = job(engine, size, Settings::default()).run().unwrap();
                let check = first.double_check(2, &Cancel::new(), &()).unwrap();
                assert_eq!(check.to_string(), format!("{}, {} kernel", other.name(), other.kernels()[0]));
            }
        }
    }

    #[test]
    fn the_same_units_are_confirmed_by_other_routes() {
        for size in [1, 2, 8, 11, 12] {
            let first = job(&TwoColor, size, Settings::default()).run().unwrap();
            let confirmed = compared(&first, &job(&TwoColor, size, portable(true)));
            assert_eq!(confirmed, Ok("two-color, portable kernel, sides exchanged, unit by unit".to_owned()));

            for kernel in Backtrack.kernels() {
                for variant in Backtrack.variants() {
                    let first = job(&Backtrack, size, Settings { kernel: Some(kernel), ..variant }).run().unwrap();
                    let again = job(&Backtrack, size, other_route(&Backtrack, variant, &[kernel]));
                    assert_ne!(again.settings.kernel, Some(kernel));
                    assert!(compared(&first, &again).unwrap().ends_with(" kernel, unit by unit"));
                }
            }
        }
    }

    #[test]
    fn a_wrong_total_is_named_with_both_numbers_also_where_the_units_are_others() {
        let settings = Settings { kernel: Some(Kernel::Scalar), split_rows: Some(1), ..Settings::default() };
        let mut first = job(&Backtrack, 8, settings).run().unwrap();
        first.total += 1;
        let begin = "the total for N = 8 came out as 93 by backtrack, scalar kernel, but as 92 by ";
        let other_units = Settings { split_rows: Some(2), ..portable(false) };
        for (again, by) in
            [(job(&TwoColor, 8, portable(false)), "two-color"), (job(&Backtrack, 8, other_units), "backtrack")]
        {
            assert_eq!(compared(&first, &again), Err(format!("{begin}{by}, portable kernel")));
        }
    }

    /// If two units are wrong by opposite amounts, the total is right. The comparison of units still finds the fault.
    #[test]
    fn a_wrong_unit_is_named_with_both_numbers() {
        let mut first = job(&TwoColor, 12, portable(false)).run().unwrap();
        let unit = (0..first.units - 1).find(|&unit| first.sum.partial(unit) > Some(1)).unwrap();
        let right = first.sum.partial(unit).unwrap();
        *first.sum.partial_mut(unit) -= 1;
        *first.sum.partial_mut(unit + 1) += 1;
        let again = job(&TwoColor, 12, portable(true));
        let difference = compared(&first, &again.clone().threads(1)).unwrap_err();
        assert!(
            [unit, unit + 1].iter().any(|unit| difference.starts_with(&format!("unit {unit} of "))),
            "{difference}"
        );
        *first.sum.partial_mut(unit + 1) -= 1;
        let expected = format!(
            "unit {unit} of plan row-sets-2 for N = 12 came out as {} by two-color, portable kernel, but as {right} by \
             two-color, portable kernel, sides exchanged",
            right - 1
        );
        assert_eq!(compared(&first, &again), Err(expected));
    }

    #[test]
    fn a_second_count_is_cancelled_as_the_first_is() {
        let first = job(&Backtrack, 8, Settings::default()).run().unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let error = first.double_check(1, &cancel, &()).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 0, .. }), "{error}");
    }
}
