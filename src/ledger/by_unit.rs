//! A counter that counts each unit by a route of its own.

use crate::cancel::Cancel;
use crate::engine::{Counter, SharedTables, StopReason, Units, Worker};

/// Combines counters of one plan that have different kernels: `counter_of_unit[unit]` is the index of the counter for a
/// unit. The first counter stands for all where only one can, as for the plan.
pub(super) fn by_unit(counters: Vec<Counter>, counter_of_unit: Vec<usize>) -> Counter {
    let (plan, kernel) = (counters[0].plan.clone(), counters[0].kernel);
    let scratch_bytes = counters.iter().map(|counter| counter.scratch_bytes).max().unwrap_or(0);
    let expected_seconds = counters[0].expected_seconds;
    let on_devices = counters.iter().find(|counter| !counter.devices.is_empty());
    Counter {
        plan,
        kernel,
        scratch_bytes,
        expected_seconds,
        devices: on_devices.map_or_else(Vec::new, |counter| counter.devices.clone()),
        device_room: on_devices.and_then(|counter| counter.device_room),
        units: Box::new(ByUnit { counters, counter_of_unit }),
    }
}

/// Counters of one plan with different kernels.
#[derive(Debug)]
struct ByUnit {
    counters: Vec<Counter>,
    counter_of_unit: Vec<usize>,
}

impl Units for ByUnit {
    fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason> {
        Ok(Box::new(WorkerByUnit { of: self, now: None }))
    }

    fn tables(&self, units: &[usize], bytes: u64) -> SharedTables<'_> {
        let each = bytes / self.counters.len() as u64;
        let own = |index| units.iter().copied().filter(|&unit| self.counter_of_unit[unit] == index).collect::<Vec<_>>();
        let tables = self.counters.iter().enumerate().map(|(index, counter)| counter.tables(&own(index), each));
        let tables: Vec<_> = tables.collect();
        let bytes = tables.iter().map(|tables| tables.bytes).sum();
        let seconds = tables.iter().map(|tables| tables.seconds).sum();
        SharedTables::new(bytes, seconds, |cancel| tables.into_iter().try_for_each(|tables| tables.make(cancel)))
    }
}

/// A worker of one of the counters at a time. Its memory is given back before the next worker takes any.
struct WorkerByUnit<'a> {
    of: &'a ByUnit,
    now: Option<(usize, Box<dyn Worker + 'a>)>,
}

impl Worker for WorkerByUnit<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        let ByUnit { counters, counter_of_unit } = self.of;
        let index = counter_of_unit[unit];
        self.now.take_if(|(now, _)| *now != index);
        let (_, worker) = match &mut self.now {
            Some(now) => now,
            none => none.insert((index, counters[index].worker()?)),
        };
        worker.count(unit, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::{Engine, Settings};
    use crate::fake_engine::FakeEngine;

    fn prepared(engine: Engine, size: usize) -> Counter {
        engine.prepare(Board::new(size).unwrap(), &Settings::default(), &Cancel::new()).unwrap()
    }

    /// A worker has the memory of one counter at a time.
    #[test]
    fn a_worker_takes_as_much_memory_as_the_counter_that_takes_most() {
        let counters = [3, 7, 5].map(|scratch| prepared(FakeEngine::counting(Vec::new(), scratch, |_| 3).engine(), 8));
        assert_eq!(by_unit(counters.into(), vec![0; 50]).scratch_bytes, 7);
    }

    #[test]
    fn the_counters_divide_the_memory_that_they_may_share() {
        let alone = prepared(Engine::TwoColor, 12);
        let units: Vec<usize> = (0..alone.plan.units()).collect();
        let (even, odd): (Vec<usize>, Vec<usize>) = units.iter().partition(|&unit| unit % 2 == 0);
        let counter_of_unit = units.iter().map(|unit| unit % 2).collect();
        let both = by_unit(vec![prepared(Engine::TwoColor, 12), prepared(Engine::TwoColor, 12)], counter_of_unit);
        let bytes = alone.tables(&even, u64::MAX).bytes + alone.tables(&odd, u64::MAX).bytes;
        let seconds = |each: u64| alone.tables(&even, each).seconds + alone.tables(&odd, each).seconds;
        assert!(seconds(bytes / 4) > seconds(bytes));
        assert!((both.tables(&units, bytes / 2).seconds / seconds(bytes / 4) - 1.0).abs() < 1e-9);
        assert!((both.expected_seconds / alone.expected_seconds - 1.0).abs() < 1e-9);
    }
}
