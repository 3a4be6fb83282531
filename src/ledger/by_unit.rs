//! A counter that counts each unit by a route of its own.

use crate::cancel::{Cancel, Cancelled};
use crate::engine::{Counter, Kernel, Plan, Worker};

/// Counters of one plan with different kernels.
#[derive(Debug)]
pub(super) struct ByUnit {
    pub(super) counters: Vec<Box<dyn Counter>>,
    /// The index of the counter of each unit.
    pub(super) of_unit: Vec<usize>,
}

impl ByUnit {
    /// Returns the counters, each with its units among these.
    fn parts(&self, units: &[usize]) -> Vec<(&dyn Counter, Vec<usize>)> {
        let own = |index| units.iter().copied().filter(|&unit| self.of_unit[unit] == index).collect();
        self.counters.iter().enumerate().map(|(index, counter)| (&**counter, own(index))).collect()
    }
}

impl Counter for ByUnit {
    fn plan(&self) -> &Plan {
        self.counters[0].plan()
    }

    fn kernel(&self) -> Kernel {
        self.counters[0].kernel()
    }

    fn scratch_bytes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.scratch_bytes()).max().unwrap_or(0)
    }

    fn expected_seconds(&self) -> f64 {
        self.counters[0].expected_seconds()
    }

    fn table_seconds(&self, units: &[usize], bytes: u64) -> f64 {
        let each = bytes / self.counters.len() as u64;
        self.parts(units).iter().map(|(counter, units)| counter.table_seconds(units, each)).sum()
    }

    fn share(&self, units: &[usize], bytes: u64, cancel: &Cancel) -> Result<(), Cancelled> {
        let each = bytes / self.counters.len() as u64;
        self.parts(units).iter().try_for_each(|(counter, units)| counter.share(units, each, cancel))
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(OneOf { of: self, now: None })
    }
}

/// A worker of one of the counters at a time, whose memory is given back before that of another is taken.
struct OneOf<'a> {
    of: &'a ByUnit,
    now: Option<(usize, Box<dyn Worker + 'a>)>,
}

impl Worker for OneOf<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let ByUnit { counters, of_unit } = self.of;
        let index = of_unit[unit];
        self.now.take_if(|(now, _)| *now != index);
        let (_, worker) = self.now.get_or_insert_with(|| (index, counters[index].worker()));
        worker.count(unit, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::{Engine, Settings};
    use crate::panicking::Panicking;

    fn prepared(engine: Engine, size: usize) -> Box<dyn Counter> {
        engine.prepare(Board::new(size).unwrap(), &Settings::default(), &Cancel::new()).unwrap()
    }

    /// A worker has the memory of one counter at a time.
    #[test]
    fn a_worker_takes_as_much_memory_as_the_counter_that_takes_most() {
        let counters = [3, 7, 5].map(|scratch| prepared(Panicking::counting(Vec::new(), scratch, |_| 3).engine(), 8));
        assert_eq!(ByUnit { counters: counters.into(), of_unit: vec![0; 50] }.scratch_bytes(), 7);
    }

    #[test]
    fn the_counters_divide_the_memory_that_they_may_share() {
        let alone = prepared(Engine::TwoColor, 12);
        let units: Vec<usize> = (0..alone.plan().units()).collect();
        let (even, odd): (Vec<usize>, Vec<usize>) = units.iter().partition(|&unit| unit % 2 == 0);
        let of_unit = units.iter().map(|unit| unit % 2).collect();
        let both = ByUnit { counters: vec![prepared(Engine::TwoColor, 12), prepared(Engine::TwoColor, 12)], of_unit };
        let bytes = alone.shared_bytes(&even, u64::MAX) + alone.shared_bytes(&odd, u64::MAX);
        let seconds = |each: u64| alone.table_seconds(&even, each) + alone.table_seconds(&odd, each);
        assert!(seconds(bytes / 4) > seconds(bytes));
        assert!((both.table_seconds(&units, bytes / 2) / seconds(bytes / 4) - 1.0).abs() < 1e-9);
        assert!((both.expected_seconds() / alone.expected_seconds() - 1.0).abs() < 1e-9);
    }
}
