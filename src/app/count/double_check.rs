//! Counts a second time by another route and compares the results.
//!
//! The two routes share no kernel, so both cannot make the same mistake in a kernel. If the other engine can count the
//! board in reasonable time, it does, and the totals are compared. Otherwise, the engine's other route or a kernel that
//! shares no code with the first counts the same units, and these are compared one by one.

use nqueens::Cancel;
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::two_color::{LARGEST_BOARD, TwoColor};
use nqueens::engine::{CountingEngine, Engine, Kernel, Plan, Settings};
use nqueens::ledger::Contents;
use nqueens::run::{Count, Job, Observer, PreparedJob, RunError, UnitResult};
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Returns the largest board for which the backtracker, with this kernel, checks a count of the two-color engine.
///
/// Seconds of whole counts on one thread of an AMD EPYC, family 26 model 2, for the backtracker and two-color:
///
/// | N | avx512 | avx2 | portable |
/// |---:|---:|---:|---:|
/// | 15 | | | 0.28, 0.02 |
/// | 16 | | | 1.8, 0.04 |
/// | 17 | 0.50, 0.06 | 1.2, 0.07 | |
/// | 18 | 3.6, 0.15 | 8.7, 0.22 | |
fn backtrack_up_to(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Avx512 | Kernel::Avx2 => 18,
        _ => 15,
    }
}

/// The partial counts of units. As an observer it collects them during a count.
#[derive(Debug, Default)]
pub(super) struct Partials {
    units: Mutex<HashMap<usize, u128>>,
    /// The kernels that counted units of a ledger.
    kernels: Vec<Kernel>,
}

impl Partials {
    /// Returns the partial counts in a ledger.
    pub(super) fn of(contents: &Contents) -> Self {
        let units = contents.units.values().map(|(_, line)| (line.unit, line.partial)).collect();
        let counted = contents.units.values().map(|&(run, _)| &contents.runs[run]);
        let mut kernels: Vec<_> = counted.filter_map(|run| run.kernel.parse().ok()).collect();
        kernels.dedup();
        Self { units: Mutex::new(units), kernels }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, u128>> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Partials {
    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        self.lock().insert(unit.unit, unit.partial);
        ControlFlow::Continue(())
    }
}

/// The engine and the settings of a second count. If the engine is that of the first count, the partial counts of each
/// unit are compared, else the totals.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) engine: &'static dyn CountingEngine,
    pub(crate) settings: Settings,
}

impl Route {
    /// Returns the route of the second count:
    ///
    /// | first | then |
    /// |---|---|
    /// | two-color, N ≤ 18, on CPUs without AVX2 N ≤ 15 | backtrack with its best kernel: totals |
    /// | two-color, larger N | two-color with exchanged sides, and another kernel if the CPU has one: units |
    /// | backtrack, N ≤ 28 | two-color with its best kernel: totals |
    /// | backtrack, larger N | backtrack with the scalar kernel, or with the best if the first was scalar: units |
    ///
    /// The kernel is none of those that `partials` came from, if the CPU has such a kernel.
    pub(super) fn after(count: &Count, partials: &Partials) -> Self {
        let size = count.board.size();
        let (engine, other, largest): (&'static dyn CountingEngine, &'static dyn CountingEngine, _) =
            if count.engine == Engine::TwoColor {
                (&TwoColor, &Backtrack, backtrack_up_to(Backtrack.kernels()[0]))
            } else {
                (&Backtrack, &TwoColor, LARGEST_BOARD)
            };
        if size <= largest {
            let settings = Settings { kernel: Some(other.kernels()[0]), ..Settings::default() };
            return Route { engine: other, settings };
        }
        let plan = engine.settings_of_plan(&count.plan).unwrap_or_default();
        Self::of_units(engine, plan, &[&[count.kernel], &*partials.kernels].concat())
    }

    /// Returns the route that counts units again which were counted with the kernels `used`: that of the engine's
    /// routes and kernels which shares least with those. `plan` are the settings of their plan.
    ///
    /// The sides are exchanged if the engine has sides. The kernel is none of `used` if this CPU has such a kernel,
    /// else not the first of them. The scalar kernel is preferred: it shares no code with the others, which share their
    /// search.
    pub(crate) fn of_units(engine: &'static dyn CountingEngine, plan: Settings, used: &[Kernel]) -> Self {
        let mut kernels = engine.kernels();
        kernels.sort_by_key(|&kernel| kernel != Kernel::Scalar);
        let fresh = kernels.iter().find(|kernel| !used.contains(kernel));
        let other = || kernels.iter().find(|&kernel| Some(kernel) != used.first());
        let kernel = fresh.or_else(other).or(used.first()).copied();
        let exchanged = engine.variants().iter().any(|variant| variant.exchanged);
        Route { engine, settings: Settings { kernel, exchanged, ..plan } }
    }

    /// Counts again by this route on `threads` threads and compares the result with the first count and its partial
    /// counts. Each unit is compared as soon as it is counted. Returns the route in words, or a sentence about the
    /// difference.
    ///
    /// # Errors
    /// Returns an error if the second count fails.
    pub(super) fn check(
        &self,
        count: &Count,
        partials: &Partials,
        threads: usize,
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<DoubleCheck, RunError> {
        let Route { engine, settings } = *self;
        let job = Job::new(count.board).with_engine(engine).threads(threads).settings(settings);
        let job = PreparedJob::new(&job, cancel)?;
        let plan = job.counter.plan();
        let by_units = engine.engine() == count.engine;
        let other_units = || format!("the units of plan {} cannot be counted again", count.plan);
        if by_units && (plan.name(), plan.units()) != (&*count.plan, count.units) {
            return Ok(Err(other_units()));
        }
        let by = [
            means(count.engine.name(), count.kernel, false),
            means(engine.name(), job.counter.kernel(), settings.exchanged),
        ];
        // Only the first unit that differs is reported.
        let differs = OnceLock::new();
        let compare = Each(|unit: &UnitResult| {
            let first = partials.lock().get(&unit.unit).copied();
            if !by_units || first == Some(unit.partial) {
                return ControlFlow::Continue(());
            }
            let differ = |first| unit_differs(plan, unit.unit, [first, unit.partial], &by);
            let _ = differs.set(first.map_or_else(other_units, differ));
            ControlFlow::Break(())
        });
        let again = job
            .count_units(&plan.longest_first(), [], cancel, &[&compare as &dyn Observer, observer])
            .and_then(|units| units.count());
        if let Some(difference) = differs.into_inner() {
            return Ok(Err(difference));
        }
        let again = again?.total;
        if again != count.total {
            return Ok(Err(differ(&format!("the total for N = {}", count.board), [count.total, again], &by)));
        }
        let [_, by] = by;
        Ok(Ok(if by_units { by + ", unit by unit" } else { by }))
    }
}

/// The outcome of a second count: the route that confirms the first count, or the difference. Both are in words.
pub(crate) type DoubleCheck = Result<String, String>;

/// Returns a sentence about a unit whose partial count differs between the first and the second count.
pub(crate) fn unit_differs(plan: &Plan, unit: usize, counted: [u128; 2], by: &[String; 2]) -> String {
    differ(&format!("unit {unit} of plan {} for N = {}", plan.name(), plan.board()), counted, by)
}

/// Returns a sentence about two counts of the same solutions, by these engines and kernels.
fn differ(solutions: &str, counted: [u128; 2], by: &[String; 2]) -> String {
    format!("{solutions} came out as {} by {}, but as {} by {}", counted[0], by[0], counted[1], by[1])
}

/// An observer that calls a function with each finished unit.
pub(crate) struct Each<F>(pub(crate) F);

impl<F: Fn(&UnitResult) -> ControlFlow<()> + Sync> Observer for Each<F> {
    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        self.0(unit)
    }
}

/// Returns an engine and a kernel in words.
pub(crate) fn means(engine: &str, kernel: impl fmt::Display, exchanged: bool) -> String {
    format!("{engine}, {kernel} kernel{}", if exchanged { ", sides exchanged" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::Board;

    fn job(engine: &'static dyn CountingEngine, size: usize, settings: Settings) -> Job {
        Job::new(Board::new(size).unwrap()).with_engine(engine).threads(2).settings(settings)
    }

    fn counted(job: &Job) -> (Count, Partials) {
        let partials = Partials::default();
        (job.run_with(&Cancel::new(), &partials).unwrap(), partials)
    }

    fn check(route: &Route, first: &(Count, Partials)) -> DoubleCheck {
        route.check(&first.0, &first.1, 2, &Cancel::new(), &()).unwrap()
    }

    fn exchanged() -> Settings {
        Settings { kernel: Some(Kernel::Portable), exchanged: true, ..Settings::default() }
    }

    /// Returns a count as a job would report it, without counting.
    fn reported(size: usize, engine: Engine, kernel: Kernel, plan: &str) -> Count {
        let mut count = crate::app::count::row::tests::count(size, 0);
        (count.engine, count.kernel, count.plan) = (engine, kernel, plan.to_owned());
        count
    }

    #[test]
    fn the_route_shares_no_kernel_with_the_first_count() {
        for engine in nqueens::engine::ENGINES {
            for kernel in engine.kernels() {
                for size in 1..=32 {
                    let plan = if engine.name() == "two-color" { "row-sets-2" } else { "mirror-2" };
                    let route = Route::after(&reported(size, engine.engine(), kernel, plan), &Partials::default());
                    let again = route.settings.kernel.expect("a route names its kernel");
                    let lone = engine.kernels().len() == 1;
                    assert!(route.engine.kernels().contains(&again));
                    if route.engine.name() == engine.name() {
                        assert!(again != kernel || lone, "N = {size}, {}, {kernel}", engine.name());
                        assert_eq!(route.settings.exchanged, engine.name() == "two-color");
                    }
                }
            }
        }
    }

    #[test]
    fn the_route_is_chosen_by_what_can_be_afforded() {
        let route = |size, engine, kernel, plan| {
            let Route { engine, settings } = Route::after(&reported(size, engine, kernel, plan), &Partials::default());
            (engine.engine(), settings.split_rows)
        };
        let two_color = |size| route(size, Engine::TwoColor, Kernel::Portable, "row-sets-2");
        let largest = backtrack_up_to(Backtrack.kernels()[0]);
        assert_eq!(two_color(largest), (Engine::Backtrack, None));
        assert_eq!(two_color(largest + 1), (Engine::TwoColor, None));
        let backtrack = |size, kernel| route(size, Engine::Backtrack, kernel, "mirror-2");
        assert_eq!(backtrack(28, Kernel::Scalar), (Engine::TwoColor, None));
        let same_plan = (Engine::Backtrack, Some(2));
        assert_eq!(backtrack(29, Kernel::Scalar), same_plan);
        assert_eq!(backtrack(29, Kernel::Portable), same_plan);
    }

    #[test]
    fn the_route_avoids_the_kernels_of_all_runs_of_a_ledger() {
        let kernels = TwoColor.kernels();
        let [.., before, last] = kernels[..] else { return };
        let partials = Partials { kernels: vec![before, last], ..Partials::default() };
        let route = Route::after(&reported(28, Engine::TwoColor, last, "row-sets-2"), &partials);
        assert_eq!(route.settings.kernel, Some(if kernels.len() > 2 { kernels[0] } else { before }));
    }

    #[test]
    fn engines_confirm_each_other_and_say_by_what_means() {
        for size in 1..=11 {
            for &engine in nqueens::engine::ENGINES {
                let first = counted(&job(engine, size, Settings::default()));
                let route = Route::after(&first.0, &first.1);
                assert_ne!(route.engine.name(), engine.name());
                let words = format!("{}, {} kernel", route.engine.name(), route.settings.kernel.unwrap());
                assert_eq!(check(&route, &first), Ok(words));
            }
        }
    }

    #[test]
    fn the_same_units_are_confirmed_by_other_routes() {
        for size in [1, 2, 8, 11, 12] {
            let first = counted(&job(&TwoColor, size, Settings::default()));
            let confirmed = check(&Route { engine: &TwoColor, settings: exchanged() }, &first);
            assert_eq!(confirmed, Ok("two-color, portable kernel, sides exchanged, unit by unit".to_owned()));

            for kernel in Backtrack.kernels() {
                for variant in Backtrack.variants() {
                    let first = counted(&job(&Backtrack, size, Settings { kernel: Some(kernel), ..variant }));
                    let mut large = first.0.clone();
                    large.board = Board::new(29).unwrap();
                    let route = Route::after(&large, &first.1);
                    assert_ne!(route.settings.kernel, Some(kernel));
                    assert!(check(&route, &first).unwrap().ends_with(" kernel, unit by unit"));
                }
            }
        }
    }

    #[test]
    fn a_wrong_total_is_named_with_both_numbers() {
        let mut first = counted(&job(&Backtrack, 8, Settings { kernel: Some(Kernel::Scalar), ..Settings::default() }));
        first.0.total += 1;
        let settings = Settings { kernel: Some(Kernel::Portable), ..Settings::default() };
        let route = Route { engine: &TwoColor, settings };
        let message = check(&route, &first).unwrap_err();
        let expected =
            "the total for N = 8 came out as 93 by backtrack, scalar kernel, but as 92 by two-color, portable kernel";
        assert_eq!(message, expected);
    }

    /// If two units are wrong by opposite amounts, the total is right. The comparison of units still finds the fault.
    #[test]
    fn a_wrong_unit_is_named_with_both_numbers() {
        let settings = Settings { kernel: Some(Kernel::Portable), ..Settings::default() };
        let first = counted(&job(&TwoColor, 12, settings));
        let unit = (0..first.0.units - 1).find(|unit| first.1.lock()[unit] > 1).unwrap();
        let right = first.1.lock()[&unit];
        *first.1.lock().get_mut(&unit).unwrap() -= 1;
        *first.1.lock().get_mut(&(unit + 1)).unwrap() += 1;
        let route = Route { engine: &TwoColor, settings: exchanged() };
        let difference = route.check(&first.0, &first.1, 1, &Cancel::new(), &()).unwrap().unwrap_err();
        assert!(
            [unit, unit + 1].iter().any(|unit| difference.starts_with(&format!("unit {unit} of "))),
            "{difference}"
        );
        *first.1.lock().get_mut(&(unit + 1)).unwrap() -= 1;
        let message = check(&route, &first).unwrap_err();
        let expected = format!(
            "unit {unit} of plan row-sets-2 for N = 12 came out as {} by two-color, portable kernel, but as {right} by \
             two-color, portable kernel, sides exchanged",
            right - 1
        );
        assert_eq!(message, expected);
    }

    #[test]
    fn units_of_different_plans_are_not_compared() {
        let first = counted(&job(&Backtrack, 8, Settings { split_rows: Some(1), ..Settings::default() }));
        let settings = Settings { split_rows: Some(2), ..Settings::default() };
        let route = Route { engine: &Backtrack, settings };
        let expected = format!("the units of plan {} cannot be counted again", first.0.plan);
        assert_eq!(check(&route, &first), Err(expected));
    }

    #[test]
    fn a_second_count_is_cancelled_as_the_first_is() {
        let first = counted(&job(&Backtrack, 8, Settings::default()));
        let cancel = Cancel::new();
        cancel.cancel();
        let error = Route::after(&first.0, &first.1).check(&first.0, &first.1, 1, &cancel, &()).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 0, .. }), "{error}");
    }
}
