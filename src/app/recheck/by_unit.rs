//! A counter that counts each unit with the kernel that suits it.

use nqueens::Cancel;
use nqueens::cancel::Cancelled;
use nqueens::engine::{Counter, Kernel, Plan, Worker};

/// Counters of one plan with different kernels.
#[derive(Debug)]
pub(super) struct ByUnit {
    pub(super) counters: Vec<Box<dyn Counter>>,
    /// The index of the counter of each unit.
    pub(super) of_unit: Vec<usize>,
}

impl ByUnit {
    /// Returns what a counter says of its units, among these, and of its part of the bytes. All counters are asked.
    fn parts<'a, R>(
        &'a self,
        units: &'a [usize],
        bytes: u64,
        ask: impl Fn(&dyn Counter, &[usize], u64) -> R + 'a,
    ) -> impl Iterator<Item = R> + 'a {
        self.counters.iter().enumerate().map(move |(index, counter)| {
            let own: Vec<usize> = units.iter().copied().filter(|&unit| self.of_unit[unit] == index).collect();
            ask(&**counter, &own, bytes / self.counters.len() as u64)
        })
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

    fn shared_bytes(&self, units: &[usize], bytes: u64) -> u64 {
        self.parts(units, bytes, |counter, units, bytes| counter.shared_bytes(units, bytes)).sum()
    }

    fn expected_seconds(&self) -> f64 {
        let all = self.plan().longest_first();
        let share =
            |units: &[usize]| self.plan().work_of(units.iter().copied()) as f64 / self.plan().total_work() as f64;
        self.parts(&all, 0, |counter, units, _| counter.expected_seconds() * share(units)).sum()
    }

    fn table_seconds(&self, units: &[usize], bytes: u64) -> f64 {
        self.parts(units, bytes, |counter, units, bytes| counter.table_seconds(units, bytes)).sum()
    }

    fn share(&self, units: &[usize], bytes: u64, cancel: &Cancel) -> Result<(), Cancelled> {
        self.parts(units, bytes, |counter, units, bytes| counter.share(units, bytes, cancel)).collect()
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
