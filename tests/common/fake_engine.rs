//! Stand-ins for engines whose units count what a function says, panic or sleep, for the tests of the library and of the program.
#![allow(dead_code, reason = "not every test needs all")]

use nqueens::engine::{Counter, CounterMaker, Plan, Settings, StopReason, Units, Worker};
use nqueens::{Board, Cancel, Cancelled, Engine, Kernel, PrepareError};
use std::fmt;
use std::panic::RefUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A stand-in for an engine, whose plan has 50 units of equal work for 8 queens. A function says what each unit counts.
#[derive(Debug)]
pub(crate) struct FakeEngine(&'static FakeUnits);

type Count = dyn Fn(usize, &Cancel) -> Result<u128, StopReason> + Send + Sync;

struct FakeUnits {
    plan: Plan,
    scratch: u64,
    /// The time that a worker takes before its first unit.
    busy: Duration,
    workers: AtomicUsize,
    count: Box<Count>,
}

impl FakeEngine {
    /// The longest time that the other threads wait.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

    /// Returns an engine that panics in the unit after the first `units` ones. If `others_wait`, the other units wait
    /// for a stop request.
    pub(crate) fn after(units: usize, others_wait: bool) -> &'static Self {
        let begun = AtomicUsize::new(0);
        let count = move |unit: usize, cancel: &Cancel| {
            assert!(begun.fetch_add(1, Ordering::Relaxed) != units, "on purpose, in unit {unit}");
            let start = Instant::now();
            while others_wait && !cancel.is_cancelled() {
                assert!(start.elapsed() < Self::PATIENCE, "nobody stops this unit");
                thread::sleep(Duration::from_millis(1));
            }
            if others_wait { Err(Cancelled.into()) } else { Ok(1) }
        };
        Self::with(1, Vec::new(), 0, Duration::ZERO, count)
    }

    /// Returns an engine that does not panic. Each thread is busy before its first unit, and sleeps in every one.
    pub(crate) fn sleeping(time: Duration) -> &'static Self {
        let count = move |_: usize, _: &Cancel| {
            thread::sleep(time);
            Ok(1)
        };
        Self::with(1, Vec::new(), 0, time, count)
    }

    /// Returns an engine with a divisor of 3, symmetry factors, and bytes of scratch memory for each thread.
    pub(crate) fn counting(factors: Vec<u8>, scratch: u64, count: fn(usize) -> u128) -> &'static Self {
        Self::with(3, factors, scratch, Duration::ZERO, move |unit, _| Ok(count(unit)))
    }

    /// Returns an engine whose units all end early.
    pub(crate) fn stopped(by: StopReason) -> &'static Self {
        Self::with(1, Vec::new(), 0, Duration::ZERO, move |_, _| Err(by.clone()))
    }

    fn with(
        divisor: u64,
        factors: Vec<u8>,
        scratch: u64,
        busy: Duration,
        count: impl Fn(usize, &Cancel) -> Result<u128, StopReason> + Send + Sync + 'static,
    ) -> &'static Self {
        let plan = Plan::new(Engine::Backtrack, Board::new(8).unwrap(), "fake".into(), vec![1; 50], divisor);
        let plan = plan.with_units(std::iter::empty(), factors);
        let units = FakeUnits { plan, scratch, busy, workers: AtomicUsize::new(0), count: Box::new(count) };
        Box::leak(Box::new(Self(Box::leak(Box::new(units)))))
    }

    pub(crate) fn workers(&self) -> usize {
        self.0.workers.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for FakeUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt(f)
    }
}

/// A unit that panics leaves nothing behind.
impl RefUnwindSafe for FakeEngine {}

impl CounterMaker for FakeEngine {
    fn prepare(&self, _board: Board, _settings: &Settings, _cancel: &Cancel) -> Result<Counter, PrepareError> {
        let FakeUnits { plan, scratch, .. } = self.0;
        let (plan, units) = (plan.clone(), Box::new(self.0));
        let (kernel, scratch_bytes, devices) = (Kernel::Scalar, *scratch, Vec::new());
        Ok(Counter { plan, kernel, scratch_bytes, expected_seconds: 50e-9, devices, device_room: None, units })
    }
}

impl Units for &'static FakeUnits {
    fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason> {
        self.workers.fetch_add(1, Ordering::Relaxed);
        let start = Instant::now();
        while start.elapsed() < self.busy {}
        Ok(Box::new(FakeWorker(self)))
    }
}

struct FakeWorker<'a>(&'a FakeUnits);

impl Worker for FakeWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        (self.0.count)(unit, cancel)
    }

    fn kernel(&self) -> Kernel {
        Kernel::Scalar
    }
}
