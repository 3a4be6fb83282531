//! Units that are counted again by another route, and compared one by one: those of a count that has just ended, or of
//! ledgers.
//!
//! Each unit is counted again by a kernel that did not count it, if this CPU has another one for the engine, and with
//! build side and probe side exchanged if the engine has sides. This holds for every board. Both routes have the same
//! plan, and what makes it.

use super::count::Count;
use super::counting::PreparedJob;
use super::error::RunError;
use super::job::Job;
use super::observer::{EachUnit, Observer, UnitResult, part_of};
use super::route::{Route, route_in_words};
use crate::cancel::Cancel;
#[cfg(feature = "ledger")]
use crate::engine::Device;
use crate::engine::{Engine, Kernel, Settings};
use std::collections::HashSet;
use std::sync::OnceLock;

impl Count {
    /// Counts every unit again by another [`Route`] on `threads` threads, until `cancel` is set, and compares each as
    /// soon as it is counted. Returns the routes of the second count: one, unless runs with different kernels have
    /// counted for the first.
    ///
    /// A kernel counts that did not count the unit before, if this CPU has another one for the engine. The backtracker
    /// takes the scalar kernel, which shares no code with its others. The two-color engine exchanges build side and probe
    /// side. So this takes longer than the first count: with two-color several times as long, with the backtracker up to
    /// a hundred times.
    ///
    /// ```
    /// use nqueens::{Board, Cancel, Job, Route};
    ///
    /// let count = Job::new(Board::new(11)?).threads(2).run()?;
    /// let routes = count.double_check(2, &Cancel::new(), &|share: f64| eprintln!("{:.0}%", 100.0 * share))?;
    /// println!("{}, double-checked by {}", count.total, Route::in_words(&routes));
    /// assert_ne!(routes[0].kernel, count.kernel);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`RunError::Differs`] with the first difference, or if the second count fails, the error that
    /// [`Job::run`] would return.
    pub fn double_check(
        &self,
        threads: usize,
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<Vec<Route>, RunError> {
        let settings = self.engine.settings_of_plan(&self.plan).unwrap_or_default();
        let job = Job::new(self.board).engine(self.engine).settings(settings).threads(threads);
        let recount = Recount::new(&job, self.routes.iter().copied().enumerate(), cancel)?;
        let difference = OnceLock::new();
        let stop = cancel.child();
        let compare = EachUnit(|again: &UnitResult| {
            let (unit, first) = (again.unit, self.partials[again.unit]);
            if first == again.partial {
                return observer.unit_done(again);
            }
            let unknown = || route_in_words(self.engine.name(), "unknown", false);
            let first_route = self.routes[unit].map_or_else(unknown, |route| route.to_string());
            let (board, plan, second, second_route) = (self.board, &self.plan, again.partial, again.route);
            let message = format!(
                "unit {unit} of plan {plan} for N = {board} came out as {first} by {first_route}, but as {second} by \
                 {second_route}"
            );
            // Only the first difference is kept.
            let _ = difference.set(RunError::Differs { unit, counts: [first, second], message });
            stop.cancel();
        });
        let counted = recount.count(&recount.longest_first(), &stop, &compare);
        if let Some(difference) = difference.into_inner() {
            return Err(difference);
        }
        let mut routes = Vec::new();
        for UnitResult { route, .. } in counted? {
            if !routes.contains(&route) {
                routes.push(route);
            }
        }
        Ok(routes)
    }
}

/// Units of one plan that are ready to be counted again.
#[derive(Debug)]
pub(crate) struct Recount {
    /// For each route by which units are counted again, the job and its units.
    jobs: Vec<(PreparedJob, HashSet<usize>)>,
}

impl Recount {
    /// Prepares to count units again that were `counted` by these routes: `None` for a kernel that this version does not
    /// know.
    /// If `job` has the kernel of devices, these count what the CPU has counted by the two-color engine.
    ///
    /// # Errors
    /// Returns an error if the job cannot be prepared with another kernel.
    pub(crate) fn new(
        job: &Job,
        counted: impl IntoIterator<Item = (usize, Option<Route>)>,
        cancel: &Cancel,
    ) -> Result<Self, RunError> {
        let engine = job.chosen_engine()?;
        let is_on_devices = job.settings.kernel == Some(Kernel::Gpu) && engine == Engine::TwoColor;
        let has_sides = engine.variants().iter().any(|variant| variant.exchanged);
        let mut routes: Vec<(Route, HashSet<usize>)> = Vec::new();
        for (unit, route) in counted {
            let used = route.map(|route| route.kernel);
            let by_device = is_on_devices && used != Some(Kernel::Gpu);
            let kernel = if by_device { Kernel::Gpu } else { other_kernel(engine, used) };
            let exchanged = has_sides && kernel != Kernel::Gpu && !route.is_some_and(|route| route.exchanged);
            let route = Route { engine, kernel, exchanged };
            match routes.iter_mut().find(|(other, _)| *other == route) {
                Some((_, units)) => drop(units.insert(unit)),
                None => routes.push((route, HashSet::from([unit]))),
            }
        }
        let prepared = routes.into_iter().map(|(Route { kernel, exchanged, .. }, units)| {
            let settings = Settings { kernel: Some(kernel), exchanged, ..job.settings };
            job.clone().settings(settings).prepare(cancel).map(|job| (job, units))
        });
        Ok(Self { jobs: prepared.collect::<Result<_, _>>()? })
    }

    /// Returns the units, longest first: in this order few threads are idle at the end.
    pub(crate) fn longest_first(&self) -> Vec<usize> {
        let mut units = self.jobs.first().map_or_else(Vec::new, |(job, _)| job.units());
        units.retain(|unit| self.jobs.iter().any(|(_, own)| own.contains(unit)));
        units
    }

    /// Returns the devices that count some of the units, and those that are left out.
    #[cfg(feature = "ledger")]
    pub(crate) fn devices(&self) -> &[Device] {
        self.jobs.iter().map(|(job, _)| job.devices()).find(|devices| !devices.is_empty()).unwrap_or_default()
    }

    /// Counts `units` again, those of one route after those of another.
    ///
    /// # Errors
    /// Returns an error if the units cannot be counted, or `cancel` is set.
    pub(crate) fn count(
        &self,
        units: &[usize],
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<Vec<UnitResult>, RunError> {
        let (mut results, mut before) = (Vec::new(), 0.0);
        for (job, own) in &self.jobs {
            let work = |units: &[usize]| job.plan().work_of(units.iter().copied()) as f64;
            let own: Vec<usize> = units.iter().copied().filter(|unit| own.contains(unit)).collect();
            let share = work(&own) / work(units);
            let counted = job.count_while(&own, &|| true, cancel, &part_of(observer, before, share))?;
            let is_whole = counted.len() == own.len();
            results.extend(counted);
            if !is_whole {
                return Err(RunError::Cancelled { done: results.len(), units: units.len() });
            }
            before += share;
        }
        Ok(results)
    }
}

/// Returns the kernel that counts again what the kernel `used` has counted: another one, if this CPU has one. The
/// scalar kernel is preferred, because it shares no code with the other kernels, which share their search.
fn other_kernel(engine: Engine, used: Option<Kernel>) -> Kernel {
    let kernels = engine.kernels().into_iter();
    kernels.min_by_key(|&kernel| (Some(kernel) == used, kernel != Kernel::Scalar)).expect("an engine has a kernel")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use std::sync::Mutex;

    fn job(engine: Engine, size: usize, settings: Settings) -> Job {
        Job::new(Board::new(size).unwrap()).engine(engine).threads(2).settings(settings)
    }

    /// The units are of runs with all kernels, as in the ledger of a count that several machines continued.
    #[test]
    fn each_unit_is_counted_again_by_another_kernel_and_with_sides_exchanged() {
        let cancel = Cancel::new();
        for (size, &engine) in
            [1, 2, 8, 12].into_iter().flat_map(|size| Engine::ALL.iter().map(move |engine| (size, engine)))
        {
            let kernels = engine.kernels();
            for settings in engine.variants() {
                let job = job(engine, size, settings);
                let first = job.run().unwrap();
                let used = |unit: usize| {
                    let route = first.routes[unit].unwrap();
                    Route { kernel: kernels[unit % kernels.len()], ..route }
                };
                let counted = (0..first.units).map(|unit| (unit, Some(used(unit))));
                let recount = Recount::new(&job, counted, &cancel).unwrap();
                let shares = Mutex::new(vec![0.0_f64]);
                let show = |share: f64| shares.lock().unwrap().push(share);
                let again = recount.count(&recount.longest_first(), &cancel, &show).unwrap();
                assert_eq!(again.len(), first.units);
                for UnitResult { unit, partial, route, .. } in again {
                    assert_eq!(first.partials[unit], partial, "unit {unit}");
                    assert!(route.kernel != used(unit).kernel || kernels.len() == 1, "unit {unit}: {route}");
                    let is_opposite = engine == Engine::TwoColor && !settings.exchanged;
                    assert_eq!((route.engine, route.exchanged), (engine, is_opposite));
                }
                let most = shares.into_inner().unwrap().into_iter().fold(0.0, f64::max);
                assert!(first.units == 0 || (most - 1.0).abs() < 1e-9, "{most}");
            }
        }
    }

    #[test]
    fn a_count_is_confirmed_by_the_routes_that_are_named() {
        for &engine in Engine::ALL {
            for kernel in engine.kernels() {
                let first = job(engine, 12, Settings { kernel: Some(kernel), ..Settings::default() }).run().unwrap();
                let routes = first.double_check(2, &Cancel::new(), &()).unwrap();
                let by = other_kernel(engine, Some(kernel));
                let sides = if engine == Engine::TwoColor { ", sides exchanged" } else { "" };
                assert_eq!(Route::in_words(&routes), format!("{engine}, {by} kernel{sides}"));
            }
        }
        let exchanged = Settings { exchanged: true, ..Settings::default() };
        let routes = job(Engine::TwoColor, 12, exchanged).run().unwrap().double_check(2, &Cancel::new(), &()).unwrap();
        assert!(routes.iter().all(|route| !route.exchanged), "{routes:?}");
        // The scalar kernel shares no code with the others.
        assert_eq!(other_kernel(Engine::Backtrack, Some(Kernel::Portable)), Kernel::Scalar);
        assert_eq!(other_kernel(Engine::TwoColor, Some(Kernel::Gpu)), Engine::TwoColor.kernels()[0]);
        let routes = [Kernel::Portable, Kernel::Avx2, Kernel::Portable].map(|kernel| Route {
            engine: Engine::TwoColor,
            kernel,
            exchanged: true,
        });
        assert_eq!(Route::in_words(&routes), "two-color, avx2 or portable kernel, sides exchanged");
    }

    /// If two units are wrong by opposite amounts, the total is right. Comparing units still finds the fault.
    #[test]
    fn a_wrong_unit_is_named_with_both_numbers() {
        let portable = Settings { kernel: Some(Kernel::Portable), ..Settings::default() };
        let mut first = job(Engine::TwoColor, 12, portable).run().unwrap();
        let unit = (0..first.units - 1).find(|&unit| first.partials[unit] > 1).unwrap();
        let right = first.partials[unit];
        first.partials[unit] -= 1;
        first.partials[unit + 1] += 1;
        let check = |first: &Count| first.double_check(2, &Cancel::new(), &()).unwrap_err().to_string();
        let difference = check(&first);
        assert!(
            [unit, unit + 1].iter().any(|unit| difference.starts_with(&format!("unit {unit} of "))),
            "{difference}"
        );
        first.partials[unit + 1] -= 1;
        first.routes[unit] = None;
        let unknown = format!("came out as {} by two-color, unknown kernel, but as {right} by two-color, ", right - 1);
        assert!(check(&first).contains(&unknown), "{}", check(&first));
        first.routes[unit] = first.routes[unit + 1];
        let by = other_kernel(Engine::TwoColor, Some(Kernel::Portable));
        let expected = format!(
            "unit {unit} of plan row-sets-3 for N = 12 came out as {} by two-color, portable kernel, but as {right} by \
             two-color, {by} kernel, sides exchanged",
            right - 1
        );
        assert_eq!(check(&first), expected);
    }

    #[test]
    fn a_second_count_is_cancelled_as_the_first_is() {
        let first = job(Engine::Backtrack, 8, Settings::default()).run().unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let error = first.double_check(1, &cancel, &()).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 0, .. }), "{error}");
    }
}
