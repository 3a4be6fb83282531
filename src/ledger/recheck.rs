//! Counts finished units of ledgers again, by the routes of [`run::recount`](crate::run::recount).

use crate::cancel::Cancel;
use crate::engine::{Device, DeviceSet, Kernel, Plan, Settings};
use crate::ledger::draw::{all_right, shuffled};
use crate::ledger::merge::{GatheredUnits, UnitRecord};
use crate::ledger::{Contents, LedgerError, MergeError, RunLine};
use crate::run::recount::Recount;
use crate::run::{Job, Observer, Route, RunError, UnitResult, route_in_words};
use std::time::Duration;

/// Ledgers of one count, whose finished units can be counted again by another route.
///
/// ```
/// use nqueens::{Cancel, ledger};
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let (ledgers, cancel) = ([ledger::read(path)?], Cancel::new());
/// let recheck = ledger::Recheck::new(&ledgers, None, 2, &cancel)?;
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
    recount: Recount,
}

/// A unit that was counted again.
///
/// ```
/// use nqueens::{Cancel, ledger};
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let (ledgers, cancel) = ([ledger::read(path)?], Cancel::new());
/// let unit = ledger::Recheck::new(&ledgers, None, 1, &cancel)?.count(&[0], &cancel, &())?[0];
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
        let route = route_in_words(&self.ledger.header.engine, &self.run.kernel, self.run.exchanged);
        self.run.device.as_ref().map_or_else(|| route.clone(), |device| format!("{route}, {device}"))
    }
}

impl<'a> Recheck<'a> {
    /// Makes the plan of ledgers again, to count on `threads` threads. Devices, if any are given, count the units of
    /// the two-color engine that a CPU has recorded; the empty set is all GPUs.
    ///
    /// # Errors
    /// Returns an error if the ledgers belong to several plans or contradict each other, no unit is finished, this
    /// version cannot count such units, the threads cannot be started, no device can be used, or `cancel` is set.
    #[expect(clippy::missing_panics_doc, reason = "the plan was made before")]
    pub fn new(
        ledgers: &'a [Contents],
        devices: Option<DeviceSet>,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Self, MergeError> {
        let gathered = GatheredUnits::new(ledgers)?;
        gathered.without_contradiction()?;
        let plan = gathered.plan();
        let (board, engine) = (plan.board(), plan.engine());
        if gathered.units.is_empty() && plan.units() > 0 {
            let path = ledgers[0].path.display();
            return Err(MergeError::Unusable(format!(
                "'{path}' has no finished unit of N = {board} that could be counted again; give a ledger that has some"
            )));
        }
        let settings = engine.settings_of_plan(plan.name()).expect("the plan was made before");
        let job = Job::new(board).engine(engine).most_threads(threads).settings(Settings {
            kernel: devices.map(|_| Kernel::Gpu),
            devices: devices.unwrap_or_default(),
            ..settings
        });
        let counted = gathered.units.iter().map(|(&unit, recorded)| (unit, recorded.run.route(engine)));
        let recount = Recount::new(&job, counted, cancel).map_err(LedgerError::from)?;
        Ok(Self { gathered, recount })
    }

    /// Returns the devices that count some of the units, and those that are left out, with the reason; none if the CPU
    /// counts all.
    pub fn devices(&self) -> &[Device] {
        self.recount.devices()
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        self.gathered.plan()
    }

    /// Returns the finished units, longest first: in this order few threads are idle at the end.
    pub fn finished(&self) -> Vec<usize> {
        self.recount.longest_first()
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

    /// Counts again the finished ones of `units`, those of one kernel after those of another. Returns them in the order of their numbers.
    ///
    /// The [share](UnitResult::share) that an observer gets refers to the work of all of `units`.
    ///
    /// # Errors
    /// Returns an error if the units cannot be counted, or `cancel` is set.
    pub fn count(
        &self,
        units: &[usize],
        cancel: &Cancel,
        observer: &dyn Observer,
    ) -> Result<Vec<RecountedUnit<'a>>, RunError> {
        let units: Vec<usize> = units.iter().copied().filter(|unit| self.gathered.units.contains_key(unit)).collect();
        let mut counted = self.recount.count(&units, cancel, observer)?;
        counted.sort_by_key(|result| result.unit);
        Ok(counted.iter().map(|result| self.recounted(result)).collect())
    }

    /// Combines a result of [`count`](Self::count), as an observer gets it, with the unit's record in the ledger.
    ///
    /// # Panics
    /// If the unit is not finished in these ledgers.
    pub fn recounted(&self, result: &UnitResult) -> RecountedUnit<'a> {
        let &UnitResult { unit, partial: recounted, elapsed, route, .. } = result;
        let UnitRecord { ledger, run, line } = self.gathered.units[&unit];
        RecountedUnit { unit, recorded: line.partial, recounted, elapsed, route, run, ledger }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::Engine;
    use crate::ledger::merge::tests::{counted, counted_by};
    use crate::run::EachUnit;

    #[test]
    fn a_unit_is_counted_again_by_another_kernel_than_its_run_had() {
        let (mut ledgers, cancel) = ([counted(12, "0/1")], Cancel::new());
        let kernels = ledgers[0].header.engine.parse::<Engine>().unwrap().kernels();
        let mut names: Vec<&str> = kernels.iter().map(|kernel| kernel.name()).collect();
        names.push("unknown");
        for name in names {
            name.clone_into(&mut ledgers[0].runs[0].kernel);
            let units = Recheck::new(&ledgers, None, 1, &cancel).unwrap().count(&[0], &cancel, &()).unwrap();
            assert!(units[0].route.kernel.name() != name || kernels.len() == 1, "after {name}");
        }
    }

    /// Without a usable GPU there is an error.
    #[test]
    fn an_empty_set_of_devices_is_all_gpus() {
        let job = Job::new(Board::new(12).unwrap()).engine(Engine::TwoColor).threads(1);
        let (ledgers, cancel) = ([counted_by(&job, "0/1")], Cancel::new());
        assert!(Recheck::new(&ledgers, None, 1, &cancel).is_ok_and(|recheck| recheck.devices().is_empty()));
        let recheck = Recheck::new(&ledgers, Some(DeviceSet::default()), 1, &cancel);
        assert!(recheck.is_err() || !recheck.unwrap().devices().is_empty());
    }

    #[test]
    fn the_chosen_units_are_counted_until_a_stop() {
        let (ledgers, cancel) = ([counted(12, "0/1")], Cancel::new());
        let recheck = Recheck::new(&ledgers, None, 1, &cancel).unwrap();
        let units = recheck.finished();
        let first = recheck.count(&units[..1], &cancel, &()).unwrap();
        assert!(first.len() == 1 && first[0].agrees() && units.len() > 4);
        assert_eq!(first[0].recorded_by(), format!("backtrack, {} kernel", ledgers[0].runs[0].kernel));
        assert_eq!(recheck.shuffled(1), shuffled((0..units.len()).collect(), 1));
        assert!((recheck.all_right(1, units.len()) - (1.0 - 1.0 / units.len() as f64)).abs() < 1e-9);
        assert!(!RecountedUnit { recounted: first[0].recorded + 1, ..first[0] }.agrees());
        assert_eq!(recheck.count(&units, &cancel, &()).unwrap().len(), units.len());
        let one = EachUnit(|_: &UnitResult| cancel.cancel());
        let stopped = recheck.count(&units, &cancel, &one).unwrap_err();
        assert!(matches!(stopped, RunError::Cancelled { done: 1, .. }), "{stopped}");
    }
}
