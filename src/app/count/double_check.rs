//! Counts a second time by another route and compares the results.
//!
//! The two routes share no kernel, so both cannot make the same mistake in a kernel. If the other engine can count the
//! board in reasonable time, it does, and the totals are compared. Otherwise, the engine's other route or a kernel that
//! shares no code with the first counts the same units, and these are compared one by one.

use crate::engine::backtrack::Backtrack;
use crate::engine::two_color::{LARGEST_BOARD, TwoColor};
use crate::engine::{CountingEngine, Kernel, Settings};
use crate::ledger::Contents;
use crate::run::{Count, Job, Observer, RunError, Start, UnitResult};
use crate::{Board, Cancel};
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Returns the largest board for which the backtracker, with this kernel, checks a count of the two-color engine.
///
/// Seconds of whole counts on one thread of an Intel Xeon, family 6 model 207, for two-color, the backtracker, and
/// two-color with exchanged roles and the next kernel:
///
/// | N | avx512, avx512, avx2 |
/// |---:|---:|
/// | 18 | 0.26, 2.19, 0.91 |
/// | 19 | 1.42, 31.8, 6.79 |
///
/// In portable code, the backtracker takes 18 times as long as two-color at N = 16.
fn backtrack_up_to(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Avx512 | Kernel::Avx2 => 18,
        Kernel::Portable | Kernel::Scalar => 15,
    }
}

/// The partial counts of units. As an observer it collects them during a count.
#[derive(Debug, Default)]
pub(super) struct Partials {
    units: Mutex<HashMap<usize, u128>>,
    /// The kernels of the runs of a ledger.
    kernels: Vec<Kernel>,
}

impl Partials {
    /// Returns the partial counts in a ledger.
    pub(super) fn of(contents: &Contents) -> Self {
        let units = contents.units.values().map(|(_, line)| (line.unit, line.partial)).collect();
        let kernels = contents.runs.iter().filter_map(|run| run.kernel.parse().ok()).collect();
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

/// The engine and the settings of a second count, and the numbers to compare.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// The engine of the second count.
    pub engine: &'static dyn CountingEngine,
    /// The settings of the second count.
    pub settings: Settings,
    /// The numbers to compare.
    pub compared: Compared,
}

/// The kind of numbers that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// The totals, because the plans differ.
    Totals,
    /// The partial counts of each unit, because the plans are equal.
    Units,
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
        let best = |engine: &'static dyn CountingEngine| Route {
            engine,
            settings: Settings { kernel: Some(engine.kernels()[0]), ..Settings::default() },
            compared: Compared::Totals,
        };
        let size = count.board.size();
        let (engine, other, largest): (&'static dyn CountingEngine, &'static dyn CountingEngine, _) =
            if count.engine == TwoColor.name() {
                (&TwoColor, &Backtrack, backtrack_up_to(Backtrack.kernels()[0]))
            } else {
                (&Backtrack, &TwoColor, LARGEST_BOARD)
            };
        if size <= largest {
            return best(other);
        }
        let plan = engine.settings_of_plan(&count.plan).unwrap_or_default();
        Self::of_units(engine, plan, &[&[count.kernel], &*partials.kernels].concat())
    }

    /// Returns the route that counts units again which were counted with the kernels `used`: that of the engine's routes
    /// and kernels which shares least with those. `plan` are the settings of their plan.
    ///
    /// The sides are exchanged if the engine has sides. The kernel is none of `used` if this CPU has such a kernel, else
    /// not the first of them. The scalar kernel is preferred: it shares no code with the others, which share their search.
    pub(crate) fn of_units(engine: &'static dyn CountingEngine, plan: Settings, used: &[Kernel]) -> Self {
        let mut kernels = engine.kernels();
        kernels.sort_by_key(|&kernel| kernel != Kernel::Scalar);
        let fresh = kernels.iter().find(|kernel| !used.contains(kernel));
        let other = || kernels.iter().find(|&kernel| Some(kernel) != used.first());
        let kernel = fresh.or_else(other).or(used.first()).copied();
        let exchanged = engine.variants().iter().any(|variant| variant.exchanged);
        Route { engine, settings: Settings { kernel, exchanged, ..plan }, compared: Compared::Units }
    }

    /// Counts again by this route on `threads` threads and compares the result with the first count and its partial
    /// counts. Each unit is compared as soon as it is counted.
    ///
    /// # Errors
    /// Returns an error if the two counts differ, or [`Job::run`] returns one.
    pub(super) fn check(
        &self,
        count: &Count,
        partials: &Partials,
        threads: usize,
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<DoubleCheck, DoubleCheckError> {
        let Route { engine, settings, compared } = *self;
        let job = Job::new(count.board).with_engine(engine).threads(threads).settings(settings);
        let exchanged = settings.exchanged;
        let comparison = Comparison { count, partials, exchanged, again: OnceLock::new(), fault: OnceLock::new() };
        let again = match compared {
            Compared::Totals => job.run(cancel, observer),
            Compared::Units => job.run(cancel, &(&comparison, observer)),
        };
        match comparison.fault.into_inner() {
            None => {}
            Some(Fault::Plan) => return Err(DoubleCheckError::Plan { plan: count.plan.clone() }),
            Some(Fault::Differs(difference)) => return Err(DoubleCheckError::Differs(difference)),
        }
        let again = again?;
        if again.total != count.total {
            let by = [means(count.engine, count.kernel, false), means(again.engine, again.kernel, exchanged)];
            let counted = [count.total, again.total];
            let difference = Difference { board: count.board, group: Group::Total, counted, by };
            return Err(DoubleCheckError::Differs(Box::new(difference)));
        }
        Ok(DoubleCheck { engine: again.engine, kernel: again.kernel, exchanged, compared })
    }
}

/// Compares each unit of a second count with the first count, and stops the second count if they differ.
struct Comparison<'a> {
    count: &'a Count,
    partials: &'a Partials,
    exchanged: bool,
    /// The engine and kernel of the second count, in words; empty if its plan differs from the first.
    again: OnceLock<String>,
    fault: OnceLock<Fault>,
}

/// The first fault that a comparison found.
enum Fault {
    /// The second count has other units.
    Plan,
    Differs(Box<Difference>),
}

impl Observer for Comparison<'_> {
    fn ready(&self, start: &Start<'_>) {
        let Start { plan, kernel, .. } = start;
        if (plan.engine(), plan.name(), plan.units()) == (self.count.engine, &*self.count.plan, self.count.units) {
            self.again.get_or_init(|| means(plan.engine(), *kernel, self.exchanged));
        }
    }

    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        let Count { board, engine, kernel, plan, .. } = self.count;
        let first = self.partials.lock().get(&unit.unit).copied();
        let fault = match first.zip(self.again.get()) {
            Some((partial, _)) if partial == unit.partial => return ControlFlow::Continue(()),
            Some((partial, again)) => Fault::Differs(Box::new(Difference {
                board: *board,
                group: Group::Unit { unit: unit.unit, plan: plan.clone() },
                counted: [partial, unit.partial],
                by: [means(engine, *kernel, false), again.clone()],
            })),
            None => Fault::Plan,
        };
        // Only the first fault is reported.
        let _ = self.fault.set(fault);
        ControlFlow::Break(())
    }
}

/// Returns an engine and a kernel in words.
pub(crate) fn means(engine: &str, kernel: impl fmt::Display, exchanged: bool) -> String {
    format!("{engine}, {kernel} kernel{}", if exchanged { ", sides exchanged" } else { "" })
}

/// A confirmed count, with the route of the second count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DoubleCheck {
    /// The engine of the second count.
    pub engine: &'static str,
    /// The kernel of the second count.
    pub kernel: Kernel,
    /// True if build side and probe side were exchanged: [`Settings::exchanged`].
    pub exchanged: bool,
    /// The numbers that were compared.
    pub compared: Compared,
}

impl fmt::Display for DoubleCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&means(self.engine, self.kernel, self.exchanged))?;
        match self.compared {
            Compared::Totals => Ok(()),
            Compared::Units => f.write_str(", unit by unit"),
        }
    }
}

/// A difference between two counts of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The board.
    pub board: Board,
    /// The solutions that were counted.
    pub group: Group,
    /// The results of the first and the second count.
    pub counted: [u128; 2],
    /// The engine and kernel of the first and the second count, in words.
    pub by: [String; 2],
}

/// A group of solutions that both counts have counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// All solutions of the board.
    Total,
    /// The solutions of a unit of a plan; its partial count.
    Unit {
        /// The number of the unit.
        unit: usize,
        /// The name of the plan.
        plan: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { board, group, counted, by } = self;
        match group {
            Group::Total => write!(f, "the total for N = {board}")?,
            Group::Unit { unit, plan } => write!(f, "unit {unit} of plan {plan} for N = {board}")?,
        }
        write!(f, " came out as {} by {}, but as {} by {}", counted[0], by[0], counted[1], by[1])
    }
}

/// Error returned when a count is not confirmed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum DoubleCheckError {
    /// The two counts differ, so at least one of them is wrong.
    #[error("{0}")]
    Differs(Box<Difference>),
    /// The second count has other units than the first.
    #[error("the units of plan {plan} cannot be counted again")]
    Plan {
        /// The name of the first count's plan.
        plan: String,
    },
    /// The second count failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SymmetryReduction;
    use std::time::Duration;

    fn job(engine: &'static dyn CountingEngine, size: usize, settings: Settings) -> Job {
        Job::new(Board::new(size).unwrap()).with_engine(engine).threads(2).settings(settings)
    }

    fn counted(job: &Job) -> (Count, Partials) {
        let partials = Partials::default();
        (job.run(&Cancel::new(), &partials).unwrap(), partials)
    }

    /// A route that compares units, on a board that is small enough for a test.
    fn by_units(engine: &'static dyn CountingEngine, settings: Settings) -> Route {
        Route { engine, settings, compared: Compared::Units }
    }

    fn check(route: &Route, first: &(Count, Partials)) -> Result<DoubleCheck, DoubleCheckError> {
        route.check(&first.0, &first.1, 2, &Cancel::new(), &())
    }

    fn exchanged() -> Settings {
        Settings { kernel: Some(Kernel::Portable), exchanged: true, ..Settings::default() }
    }

    /// Returns a count as a job would report it, without counting.
    fn reported(size: usize, engine: &'static str, kernel: Kernel, plan: &str) -> Count {
        let board = Board::new(size).unwrap();
        let (plan, elapsed) = (plan.to_owned(), Duration::from_secs(1));
        Count { board, total: 0, engine, kernel, plan, units: 0, threads: 1, elapsed, nodes: None }
    }

    #[test]
    fn the_route_shares_no_kernel_with_the_first_count() {
        for engine in crate::engine::ENGINES {
            for kernel in engine.kernels() {
                for size in 1..=32 {
                    let plan = if engine.name() == "two-color" { "row-sets-2" } else { "edges-2" };
                    let route = Route::after(&reported(size, engine.name(), kernel, plan), &Partials::default());
                    let again = route.settings.kernel.expect("a route names its kernel");
                    let lone = engine.kernels().len() == 1;
                    assert!(route.engine.kernels().contains(&again));
                    assert_eq!(route.engine.name() == engine.name(), route.compared == Compared::Units);
                    if route.compared == Compared::Units {
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
            let Route { engine, settings, compared } =
                Route::after(&reported(size, engine, kernel, plan), &Partials::default());
            (engine.name(), settings.symmetry, settings.split_rows, compared)
        };
        let two_color = |size| route(size, "two-color", Kernel::Portable, "row-sets-2");
        let largest = backtrack_up_to(Backtrack.kernels()[0]);
        assert_eq!(two_color(largest), ("backtrack", None, None, Compared::Totals));
        assert_eq!(two_color(largest + 1), ("two-color", None, None, Compared::Units));
        let backtrack = |size, kernel| route(size, "backtrack", kernel, "edges-2");
        assert_eq!(backtrack(28, Kernel::Scalar), ("two-color", None, None, Compared::Totals));
        let same_plan = ("backtrack", Some(SymmetryReduction::Edges), Some(2), Compared::Units);
        assert_eq!(backtrack(29, Kernel::Scalar), same_plan);
        assert_eq!(backtrack(29, Kernel::Portable), same_plan);
    }

    #[test]
    fn the_route_avoids_the_kernels_of_all_runs_of_a_ledger() {
        let kernels = TwoColor.kernels();
        let [.., before, last] = kernels[..] else { return };
        let partials = Partials { kernels: vec![before, last], ..Partials::default() };
        let route = Route::after(&reported(28, "two-color", last, "row-sets-2"), &partials);
        assert_eq!(route.settings.kernel, Some(if kernels.len() > 2 { kernels[0] } else { before }));
    }

    #[test]
    fn engines_confirm_each_other_and_say_by_what_means() {
        for size in 1..=11 {
            for &engine in crate::engine::ENGINES {
                let first = counted(&job(engine, size, Settings::default()));
                let confirmed = check(&Route::after(&first.0, &first.1), &first).unwrap();
                assert_ne!(confirmed.engine, engine.name());
                let words = format!("{}, {} kernel", confirmed.engine, confirmed.kernel);
                assert_eq!(confirmed.to_string(), words);
            }
        }
    }

    #[test]
    fn the_same_units_are_confirmed_by_other_routes() {
        for size in [1, 2, 8, 11, 12] {
            let first = counted(&job(&TwoColor, size, Settings::default()));
            let confirmed = check(&by_units(&TwoColor, exchanged()), &first).unwrap();
            assert_eq!(confirmed.to_string(), "two-color, portable kernel, sides exchanged, unit by unit");

            for kernel in Backtrack.kernels() {
                for variant in Backtrack.variants() {
                    let first = counted(&job(&Backtrack, size, Settings { kernel: Some(kernel), ..variant }));
                    let large = Count { board: Board::new(29).unwrap(), ..first.0.clone() };
                    let confirmed = check(&Route::after(&large, &first.1), &first).unwrap();
                    assert_ne!(confirmed.kernel, kernel);
                    assert_eq!(confirmed.compared, Compared::Units);
                }
            }
        }
    }

    #[test]
    fn a_wrong_total_is_named_with_both_numbers() {
        let mut first = counted(&job(&Backtrack, 8, Settings { kernel: Some(Kernel::Scalar), ..Settings::default() }));
        first.0.total += 1;
        let settings = Settings { kernel: Some(Kernel::Portable), ..Settings::default() };
        let route = Route { engine: &TwoColor, settings, compared: Compared::Totals };
        let message = check(&route, &first).unwrap_err().to_string();
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
        let route = by_units(&TwoColor, exchanged());
        let Err(DoubleCheckError::Differs(difference)) = route.check(&first.0, &first.1, 1, &Cancel::new(), &()) else {
            panic!("it must be found")
        };
        assert!(matches!(difference.group, Group::Unit { unit: named, .. } if named == unit || named == unit + 1));
        *first.1.lock().get_mut(&(unit + 1)).unwrap() -= 1;
        let message = check(&route, &first).unwrap_err().to_string();
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
        let route = by_units(&Backtrack, Settings { split_rows: Some(2), ..Settings::default() });
        let plan = first.0.plan.clone();
        let error = check(&route, &first).unwrap_err();
        assert!(matches!(&error, DoubleCheckError::Plan { plan: named } if *named == plan), "{error}");
    }

    #[test]
    fn a_second_count_is_cancelled_as_the_first_is() {
        let first = counted(&job(&Backtrack, 8, Settings::default()));
        let cancel = Cancel::new();
        cancel.cancel();
        let error = Route::after(&first.0, &first.1).check(&first.0, &first.1, 1, &cancel, &()).unwrap_err();
        assert!(matches!(error, DoubleCheckError::Run(RunError::Cancelled { done: 0, .. })), "{error}");
    }
}
