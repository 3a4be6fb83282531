//! Counts finished units of ledgers again, each by the route that shares least with the route that recorded it.

use crate::cancel::Cancel;
use crate::engine::{DeviceSet, Engine, Kernel, Plan, Settings};
use crate::ledger::by_unit::by_unit;
use crate::ledger::draw::{all_right, shuffled};
use crate::ledger::merge::{GatheredUnits, UnitRecord};
use crate::ledger::{Contents, LedgerError, MergeError, RunLine};
use crate::run::route::other_route;
use crate::run::{Job, Observer, PreparedJob, Route, RunError, Start, UnitResult, route_in_words};
use std::time::Duration;

/// Ledgers of one count, whose finished units can be counted again by another route.
///
/// ```
/// use nqueens::{Cancel, ledger};
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let (ledgers, cancel) = ([ledger::read(path)?], Cancel::new());
/// let recheck = ledger::Recheck::new(&ledgers, 2, &cancel)?;
/// let mut units = recheck.shuffled(7);
/// units.truncate(20);
/// for unit in recheck.count(&units, &cancel, &())? {
///     println!("unit {} counts {}, {} by {}", unit.unit, unit.recorded, unit.recounted, unit.route);
///     assert!(unit.agrees());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recheck<'a> {
    gathered: GatheredUnits<'a>,
    /// The job that counts each unit by its route.
    job: PreparedJob,
    /// The route of each unit.
    routes: Vec<Route>,
}

/// A unit that was counted again.
///
/// ```
/// use nqueens::{Cancel, ledger};
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let (ledgers, cancel) = ([ledger::read(path)?], Cancel::new());
/// let unit = ledger::Recheck::new(&ledgers, 1, &cancel)?.count(&[0], &cancel, &())?[0];
/// println!("{} by {}, {} by {}", unit.recorded, unit.recorded_by(), unit.recounted, unit.route);
/// # assert!(unit.agrees());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RecountedUnit<'a> {
    /// The number of the unit.
    pub unit: usize,
    /// The partial count in the ledger.
    pub recorded: u128,
    /// The partial count that was counted now.
    pub recounted: u128,
    /// The time that one thread took.
    pub elapsed: Duration,
    /// The route by which the unit was counted now.
    pub route: Route,
    /// The run that recorded the unit.
    pub run: &'a RunLine,
    /// The ledger.
    pub ledger: &'a Contents,
}

impl RecountedUnit<'_> {
    /// Returns true if both counts are equal.
    pub fn agrees(&self) -> bool {
        self.recorded == self.recounted
    }

    /// Returns, in words, the engine, the kernel and the devices that recorded the unit.
    pub fn recorded_by(&self) -> String {
        let route = route_in_words(&self.ledger.header.engine, &self.run.kernel, false);
        self.run.device.as_ref().map_or_else(|| route.clone(), |device| format!("{route}, {device}"))
    }
}

impl<'a> Recheck<'a> {
    /// Makes the plan of ledgers again, to count on `threads` threads.
    ///
    /// # Errors
    /// Returns an error if the ledgers belong to several plans or contradict each other, no unit is finished, this
    /// version cannot count such units, the threads cannot be started, or `cancel` is set.
    pub fn new(ledgers: &'a [Contents], threads: usize, cancel: &Cancel) -> Result<Self, MergeError> {
        Self::on_devices(ledgers, DeviceSet::default(), threads, cancel)
    }

    /// Makes the plan again, as [`new`](Self::new) does. Units of the two-color engine that a CPU has recorded are
    /// counted by these devices, if there are any.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and an error if no device can be used.
    #[doc(hidden)]
    pub fn on_devices(
        ledgers: &'a [Contents],
        devices: DeviceSet,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Self, MergeError> {
        let gathered = GatheredUnits::new(ledgers)?;
        gathered.without_contradiction()?;
        let plan = gathered.plan();
        let (board, engine) = (plan.board(), plan.engine());
        let settings = engine.settings_of_plan(plan.name()).expect("the plan was made before");
        let (mut kinds, mut kind_of_unit) = (Vec::new(), vec![0; plan.units()]);
        for (&unit, recorded) in &gathered.units {
            // A kernel that is unknown, or that this kind of CPU lacks, was probably as good as the best kernel here. A
            // GPU shares no code with any CPU kernel.
            let used = recorded.run.kernel.parse().ok();
            let used = used.filter(|kernel| *kernel == Kernel::Gpu || engine.kernels().contains(kernel));
            let used = used.unwrap_or(engine.kernels()[0]);
            let by_device = !devices.is_empty() && engine == Engine::TwoColor && used != Kernel::Gpu;
            let kind = if by_device {
                Settings { kernel: Some(Kernel::Gpu), devices, ..settings }
            } else {
                other_route(engine, settings, &[used])
            };
            kind_of_unit[unit] = kinds.iter().position(|other| *other == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
        }
        if plan.units() == 0 {
            // If the board has no unit to count again, the list still needs a counter.
            kinds.push(settings);
        }
        let job = |settings: &Settings| Job::new(board).engine(engine).most_threads(threads).settings(*settings);
        let prepared = kinds.iter().map(|settings| PreparedJob::new(&job(settings), cancel));
        let mut prepared = prepared.collect::<Result<Vec<_>, _>>().map_err(LedgerError::from)?.into_iter();
        let none = || {
            let path = ledgers[0].path.display();
            MergeError::Unusable(format!(
                "'{path}' has no finished unit of N = {board} that could be counted again; give a ledger that has some"
            ))
        };
        let mut job = prepared.next().ok_or_else(none)?;
        assert_eq!(job.counter.plan.fingerprint(), plan.fingerprint(), "the same plan is made again");
        let counters: Vec<_> = std::iter::once(job.counter).chain(prepared.map(|job| job.counter)).collect();
        let routes = kind_of_unit.iter().map(|&kind: &usize| Route::new(&counters[kind], &kinds[kind])).collect();
        job.counter = by_unit(counters, kind_of_unit);
        Ok(Self { gathered, job, routes })
    }

    /// Names the devices that count some of the units; `None` if the CPU counts all.
    #[doc(hidden)]
    pub fn device(&self) -> Option<String> {
        self.job.counter.device_in_words(usize::MAX)
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.job.counter.plan
    }

    /// Returns the finished units, longest first: in this order few threads are idle at the end.
    pub fn finished(&self) -> Vec<usize> {
        let mut units = self.plan().longest_first();
        units.retain(|unit| self.gathered.units.contains_key(unit));
        units
    }

    /// Returns the finished units in random order. A seed gives the same order on every machine.
    pub fn shuffled(&self, seed: u64) -> Vec<usize> {
        shuffled(self.gathered.units.keys().copied().collect(), seed)
    }

    /// Returns the probability, from 0 to 1, that the first `drawn` units in random order all agree although one in
    /// `one_in` of the finished units is wrong. The number of wrong units is rounded up.
    pub fn all_right(&self, drawn: usize, one_in: usize) -> f64 {
        all_right(self.gathered.units.len(), drawn, one_in)
    }

    /// Counts again the finished ones of `units`, in this order. Returns them in the order of their numbers.
    ///
    /// The [share](UnitResult::share) that an observer gets refers to the work of all of `units`.
    ///
    /// # Errors
    /// Returns an error if the units cannot be counted, `cancel` is set, or the observer breaks off.
    pub fn count(
        &self,
        units: &[usize],
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<Vec<RecountedUnit<'a>>, RunError> {
        let job = &self.job;
        let units: Vec<usize> = units.iter().copied().filter(|unit| self.gathered.units.contains_key(unit)).collect();
        let (plan, kernel, threads) = (self.plan(), job.counter.kernel, job.threads_for(units.len()));
        let devices = &job.counter.devices;
        observer.ready(&Start { plan, kernel, devices, threads, units: &units, unfinished: &units, forecast: job });
        let mut counted = job.count_in_order(&units, 0, &|| false, cancel, observer)?;
        if counted.len() < units.len() {
            return Err(RunError::Cancelled { done: counted.len(), units: units.len() });
        }
        counted.sort_by_key(|result| result.unit);
        Ok(counted.iter().map(|result| self.recounted(result)).collect())
    }

    /// Combines a result of [`count`](Self::count), as an observer gets it, with the unit's record in the ledger.
    ///
    /// # Panics
    /// If the unit is not finished in these ledgers.
    pub fn recounted(&self, result: &UnitResult) -> RecountedUnit<'a> {
        let &UnitResult { unit, partial: recounted, elapsed, .. } = result;
        let UnitRecord { ledger, run, line } = self.gathered.units[&unit];
        RecountedUnit { unit, recorded: line.partial, recounted, elapsed, route: self.routes[unit], run, ledger }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::ledger::merge::tests::counted;
    use crate::run::EachUnit;
    use std::ops::ControlFlow;

    /// An unknown kernel, or one that this CPU lacks, may have been as good as the best kernel here.
    #[test]
    fn a_unit_of_another_kind_of_cpu_is_not_counted_again_by_the_best_kernel() {
        let (mut ledgers, cancel) = ([counted(12, "0/1")], Cancel::new());
        let kernels = ledgers[0].header.engine.parse::<Engine>().unwrap().kernels();
        let route_after = |ledgers: &[Contents]| {
            let units = Recheck::new(ledgers, 1, &cancel).unwrap().count(&[0], &cancel, &()).unwrap();
            units[0].route.kernel
        };
        for other in ["neon", "avx512", "unknown"] {
            other.clone_into(&mut ledgers[0].runs[0].kernel);
            if !kernels.iter().any(|kernel| kernel.name() == other) && kernels.len() > 1 {
                assert_ne!(route_after(&ledgers), kernels[0], "after {other}");
            }
        }
        for kernel in kernels.iter().filter(|_| kernels.len() > 1) {
            kernel.name().clone_into(&mut ledgers[0].runs[0].kernel);
            assert_ne!(route_after(&ledgers), *kernel);
        }
    }

    #[test]
    fn the_chosen_units_are_counted_unless_the_observer_breaks_off() {
        let (ledgers, cancel) = ([counted(12, "0/1")], Cancel::new());
        let recheck = Recheck::new(&ledgers, 1, &cancel).unwrap();
        let units = recheck.finished();
        let first = recheck.count(&units[..1], &cancel, &()).unwrap();
        assert!(first.len() == 1 && first[0].agrees() && units.len() > 4);
        assert!(!RecountedUnit { recounted: first[0].recorded + 1, ..first[0] }.agrees());
        assert_eq!(recheck.count(&units, &cancel, &()).unwrap().len(), units.len());
        let one = EachUnit(|_: &UnitResult| ControlFlow::Break(()));
        let stopped = recheck.count(&units, &cancel, &one).unwrap_err();
        assert!(matches!(stopped, RunError::Cancelled { done: 1, .. }), "{stopped}");
    }
}
