//! A prepared count whose units are timed.

use nqueens::Cancel;
use nqueens::engine::{Counter, Worker};
use nqueens::machine::most_shared;
use std::collections::{BTreeMap, HashMap};

#[cfg(unix)]
fn cpu_seconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    std::time::Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock")).as_secs_f64()
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Returns the result of `work`, and the CPU time that it took.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = cpu_seconds();
    let done = work();
    (done, cpu_seconds() - start)
}

/// A prepared count, and the worker that counts its units.
pub(crate) struct Build<'a> {
    worker: Box<dyn Worker + 'a>,
    threads: usize,
    /// The units in the order in which a run begins them.
    pub(crate) order: Vec<usize>,
    /// For each unit, the unit before it in `order`.
    before: HashMap<usize, usize>,
    /// The units of each part, in this order. A part is named by the number of its queens on EE.
    pub(crate) parts: BTreeMap<usize, Vec<usize>>,
    last: Option<usize>,
    pub(crate) table_seconds: f64,
}

impl<'a> Build<'a> {
    /// Makes the tables that a count by `threads` threads shares.
    pub(crate) fn new(counter: &'a Counter, threads: usize) -> Self {
        let order = counter.plan.longest_first();
        let share = || counter.units.tables(&order, most_shared(threads)).make(&Cancel::new()).expect("nobody cancels");
        let ((), table_seconds) = timed(share);
        let before = order.windows(2).map(|units| (units[1], units[0])).collect();
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &unit in &order {
            parts.entry(counter.units.part(unit)).or_default().push(unit);
        }
        let mut worker = counter.units.worker().unwrap();
        // These units make the worker's memory grow.
        for units in parts.values() {
            worker.count(units[units.len() - 1], &Cancel::new()).expect("nobody cancels");
        }
        Self { worker, threads, order, before, parts, last: None, table_seconds }
    }

    /// Counts a unit. Returns the time.
    pub(crate) fn count(&mut self, unit: usize) -> f64 {
        let mut count = |unit| self.worker.count(unit, &Cancel::new()).expect("nobody cancels");
        let before = self.before.get(&unit).copied().filter(|_| self.threads == 1);
        if before != self.last {
            before.map(&mut count);
        }
        let (_, seconds) = timed(|| count(unit));
        self.last = Some(unit);
        seconds
    }
}
