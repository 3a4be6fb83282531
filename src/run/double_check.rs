//! Counts a second time by another route and compares the results.
//!
//! The two routes share no kernel if the CPU has two, so that both cannot make the same mistake in a kernel. If the
//! other engine can count the board in reasonable time, it counts, and the totals are compared. Otherwise the engine's
//! other route, or a kernel that shares no code with the first, counts the same units; they are compared one by one.

use super::count::Count;
use super::counting::{CountedUnits, PreparedJob};
use super::error::{Difference, RunError};
use super::job::Job;
use super::observer::{EachUnit, Observer, UnitResult};
use super::route::{Route, other_route};
use crate::cancel::Cancel;
use crate::engine::{Engine, Kernel};
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

impl Count {
    /// Counts again by another route on `threads` threads, until `cancel` is set, and compares.
    ///
    /// The other engine counts, and the totals are compared. If that would take too long, the same engine counts the
    /// same units by its other [`Route`], and each unit is compared as soon as it is counted. This takes several times
    /// as long as the first count, and much longer if the CPU has no other kernel with vectors.
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

    /// Compares this count with the count of another job: unit by unit if both have the same units, else by the totals.
    fn compare_with(&self, again: &Job, cancel: &Cancel, observer: &dyn Observer) -> Result<DoubleCheck, RunError> {
        let job = PreparedJob::new(again, cancel)?;
        let plan = &job.counter.plan;
        let by_units = (plan.engine(), plan.name(), plan.units()) == (self.engine, &*self.plan, self.units);
        let route = Route::new(&job.counter, &again.settings);
        let differs = OnceLock::new();
        let compare = EachUnit(|again: &UnitResult| {
            let first = self.sum.partial(again.unit).filter(|&first| by_units && first != again.partial);
            let Some(first) = first else { return ControlFlow::Continue(()) };
            // Only the first difference is kept.
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
        Err(RunError::Differs(Box::new(Difference { board: self.board, unit, counts, routes: [first, route] })))
    }
}

/// Returns the largest board for which the backtracker, with this kernel, checks a count of the two-color engine.
///
/// The table shows seconds of whole counts, backtracker and two-color, on one thread of an AMD EPYC, family 26 model 2.
/// NEON is estimated for a Neoverse V2 of 3 GHz:
///
/// | N | avx512 | avx2 | neon | portable |
/// |---:|---:|---:|---:|---:|
/// | 15 | | | | 0.28, 0.02 |
/// | 16 | | | 0.21, 0.02 | 1.8, 0.04 |
/// | 17 | 0.50, 0.06 | 1.2, 0.07 | | |
/// | 18 | 3.6, 0.15 | 8.7, 0.22 | | |
fn backtrack_up_to(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Avx512 | Kernel::Avx2 => 18,
        Kernel::Neon => 16,
        _ => 15,
    }
}

/// Returns the job that counts again by another route:
///
/// | first | then |
/// |---|---|
/// | two-color, N ≤ 18 (16 with NEON; 15 on other CPUs without AVX2) | backtrack with its best kernel: totals |
/// | two-color, larger N | two-color with exchanged sides, and another kernel if the CPU has one: units |
/// | backtrack, N ≤ 28 | two-color with its best kernel: totals |
/// | backtrack, larger N, and setups | backtrack with the scalar kernel, or with the best if the first was scalar: units |
///
/// The kernel of this job counted no unit of the first count, if the CPU has such a kernel.
fn second_job(first: &Count) -> Job {
    let (other, largest) = match first.engine {
        Engine::TwoColor => (Engine::Backtrack, backtrack_up_to(Engine::Backtrack.kernels()[0])),
        _ => (Engine::TwoColor, Engine::TwoColor.largest_board()),
    };
    let job = Job::new(first.board);
    if first.board.size() <= largest && first.setup.is_none() {
        return job.engine(other).kernel(other.kernels()[0]);
    }
    let plan = first.engine.settings_of_plan(&first.plan).unwrap_or_default();
    let used = [&[first.kernel], &*first.earlier_kernels].concat();
    job.engine(first.engine).settings(other_route(first.engine, plan, &used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::{Engine, Settings};

    fn job(engine: Engine, size: usize, settings: Settings) -> Job {
        Job::new(Board::new(size).unwrap()).engine(engine).threads(2).settings(settings)
    }

    fn portable(exchanged: bool) -> Settings {
        Settings { kernel: Some(Kernel::Portable), exchanged, ..Settings::default() }
    }

    /// Returns, in words, the outcome of the check by another job.
    fn compared(first: &Count, again: &Job) -> Result<String, String> {
        match first.compare_with(again, &Cancel::new(), &()) {
            Err(RunError::Differs(difference)) => Err(difference.to_string()),
            checked => Ok(checked.unwrap().to_string()),
        }
    }

    #[test]
    fn engines_confirm_each_other_and_say_by_what_means() {
        for size in 1..=11 {
            for (engine, other) in [(Engine::ALL[0], Engine::ALL[1]), (Engine::ALL[1], Engine::ALL[0])] {
                let first = job(engine, size, Settings::default()).run().unwrap();
                let check = first.double_check(2, &Cancel::new(), &()).unwrap();
                assert_eq!(check.to_string(), format!("{}, {} kernel", other.name(), other.kernels()[0]));
            }
        }
    }

    #[test]
    fn the_same_units_are_confirmed_by_other_routes() {
        for size in [1, 2, 8, 11, 12] {
            let first = job(Engine::TwoColor, size, Settings::default()).run().unwrap();
            let confirmed = compared(&first, &job(Engine::TwoColor, size, portable(true)));
            assert_eq!(confirmed, Ok("two-color, portable kernel, sides exchanged, unit by unit".to_owned()));

            for kernel in Engine::Backtrack.kernels() {
                for variant in Engine::Backtrack.variants() {
                    let first =
                        job(Engine::Backtrack, size, Settings { kernel: Some(kernel), ..variant }).run().unwrap();
                    let again = job(Engine::Backtrack, size, other_route(Engine::Backtrack, variant, &[kernel]));
                    assert_ne!(again.settings.kernel, Some(kernel));
                    assert!(compared(&first, &again).unwrap().ends_with(" kernel, unit by unit"));
                }
            }
        }
    }

    #[test]
    fn a_wrong_total_is_named_with_both_numbers_also_where_the_units_are_others() {
        let settings = Settings { kernel: Some(Kernel::Scalar), split_rows: Some(1), ..Settings::default() };
        let mut first = job(Engine::Backtrack, 8, settings).run().unwrap();
        first.total += 1;
        let begin = "the total for N = 8 came out as 93 by backtrack, scalar kernel, but as 92 by ";
        let other_units = Settings { split_rows: Some(2), ..portable(false) };
        for (again, by) in [
            (job(Engine::TwoColor, 8, portable(false)), "two-color"),
            (job(Engine::Backtrack, 8, other_units), "backtrack"),
        ] {
            assert_eq!(compared(&first, &again), Err(format!("{begin}{by}, portable kernel")));
        }
    }

    /// If two units are wrong by opposite amounts, the total is right. Comparing units still finds the fault.
    #[test]
    fn a_wrong_unit_is_named_with_both_numbers() {
        let mut first = job(Engine::TwoColor, 12, portable(false)).run().unwrap();
        let unit = (0..first.units - 1).find(|&unit| first.sum.partial(unit) > Some(1)).unwrap();
        let right = first.sum.partial(unit).unwrap();
        *first.sum.partial_mut(unit) -= 1;
        *first.sum.partial_mut(unit + 1) += 1;
        let again = job(Engine::TwoColor, 12, portable(true));
        let difference = compared(&first, &again.clone().threads(1)).unwrap_err();
        assert!(
            [unit, unit + 1].iter().any(|unit| difference.starts_with(&format!("unit {unit} of "))),
            "{difference}"
        );
        *first.sum.partial_mut(unit + 1) -= 1;
        let expected = format!(
            "unit {unit} of plan row-sets-3 for N = 12 came out as {} by two-color, portable kernel, but as {right} by \
             two-color, portable kernel, sides exchanged",
            right - 1
        );
        assert_eq!(compared(&first, &again), Err(expected));
    }

    #[test]
    fn a_second_count_is_cancelled_as_the_first_is() {
        let first = job(Engine::Backtrack, 8, Settings::default()).run().unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let error = first.double_check(1, &cancel, &()).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 0, .. }), "{error}");
    }

    /// Returns the job that would check such a count, without counting.
    fn after(size: usize, engine: Engine, kernel: Kernel, plan: &str, earlier_kernels: &[Kernel]) -> Job {
        let mut count = Job::new(Board::new(1).unwrap()).run().unwrap();
        (count.board, count.engine, count.kernel) = (Board::new(size).unwrap(), engine, kernel);
        (count.plan, count.earlier_kernels) = (plan.to_owned(), earlier_kernels.to_vec());
        second_job(&count)
    }

    /// If all kernels were used, the last run's is avoided.
    #[test]
    fn the_route_shares_no_kernel_with_any_run_of_the_first_count() {
        for &engine in Engine::ALL {
            let kernels = engine.kernels();
            let plan = if engine == Engine::TwoColor { "row-sets-3" } else { "mirror-2" };
            for (size, &last) in (1..=32).flat_map(|size| kernels.iter().map(move |last| (size, last))) {
                for earlier in kernels.chunks(1).chain([&kernels[..]]) {
                    let again = after(size, engine, last, plan, earlier);
                    let by = again.settings.kernel.expect("a route names its kernel");
                    let second = again.engine.expect("a route names its engine");
                    assert!(second.kernels().contains(&by));
                    if second == engine {
                        let is_used = |kernel: &Kernel| *kernel == last || earlier.contains(kernel);
                        let is_free = !is_used(&by) || kernels.iter().all(is_used);
                        assert!(
                            is_free && (by != last || kernels.len() == 1),
                            "{engine}: {by} after {earlier:?}, {last}"
                        );
                        assert_eq!(again.settings.exchanged, engine == Engine::TwoColor);
                    }
                }
            }
        }
    }

    #[test]
    fn the_route_is_chosen_by_what_can_be_afforded() {
        let route = |size, engine, kernel, plan| {
            let job = after(size, engine, kernel, plan, &[]);
            (job.engine.expect("a route names its engine"), job.settings.split_rows)
        };
        let two_color = |size| route(size, Engine::TwoColor, Kernel::Portable, "row-sets-3");
        let largest = backtrack_up_to(Engine::Backtrack.kernels()[0]);
        assert_eq!(two_color(largest), (Engine::Backtrack, None));
        assert_eq!(two_color(largest + 1), (Engine::TwoColor, None));
        let backtrack = |size, kernel| route(size, Engine::Backtrack, kernel, "mirror-2");
        assert_eq!(backtrack(28, Kernel::Scalar), (Engine::TwoColor, None));
        let same_plan = (Engine::Backtrack, Some(2));
        assert_eq!(backtrack(29, Kernel::Scalar), same_plan);
        assert_eq!(backtrack(29, Kernel::Portable), same_plan);
        // The scalar kernel shares no code with the other kernels.
        let scalar = after(29, Engine::Backtrack, Kernel::Portable, "mirror-2", &[]).settings.kernel;
        assert_eq!(scalar, Some(Kernel::Scalar));
    }
}
