//! An engine that panics, for the tests of the library and of the program.

use nqueens::Board;
use nqueens::cancel::{Cancel, Cancelled};
use nqueens::engine::{Counter, CountingEngine, Engine, Kernel, Plan, PrepareError, Settings, Worker};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// An engine that panics in the unit after the first `after` ones. The other threads wait for a stop request or
/// finish after a time.
#[derive(Debug)]
pub(crate) struct Panicking {
    counter: Arc<PanickingCounter>,
}

impl Panicking {
    /// The longest time that the other threads wait.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

    pub(crate) fn after(units: usize, others_wait: bool) -> &'static Self {
        Self::new(units, others_wait, Duration::ZERO)
    }

    /// An engine that does not panic. Each thread is busy before its first unit, and sleeps in every one.
    #[allow(dead_code, reason = "not every test needs it")]
    pub(crate) fn sleeping(time: Duration) -> &'static Self {
        Self::new(usize::MAX, false, time)
    }

    fn new(units: usize, others_wait: bool, time: Duration) -> &'static Self {
        let plan = Plan::new(Engine::Backtrack, Board::new(8).unwrap(), "panicking".into(), vec![1; 50], 1);
        let counter = PanickingCounter { after: units, others_wait, time, begun: AtomicUsize::new(0), plan };
        Box::leak(Box::new(Self { counter: Arc::new(counter) }))
    }
}

#[derive(Debug)]
struct PanickingCounter {
    after: usize,
    others_wait: bool,
    time: Duration,
    begun: AtomicUsize,
    plan: Plan,
}

impl CountingEngine for Panicking {
    fn engine(&self) -> Engine {
        Engine::Backtrack
    }
    fn kernels(&self) -> Vec<Kernel> {
        vec![Kernel::Scalar]
    }
    fn variants(&self) -> Vec<Settings> {
        vec![Settings::default()]
    }
    fn settings_of_plan(&self, _name: &str) -> Option<Settings> {
        None
    }
    fn prepare(&self, _board: Board, _settings: &Settings, _cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
        Ok(Box::new(Shared(Arc::clone(&self.counter))))
    }
}

#[derive(Debug)]
struct Shared(Arc<PanickingCounter>);

impl Counter for Shared {
    fn plan(&self) -> &Plan {
        &self.0.plan
    }
    fn kernel(&self) -> Kernel {
        Kernel::Scalar
    }
    fn worker(&self) -> Box<dyn Worker + '_> {
        let start = Instant::now();
        while start.elapsed() < self.0.time {}
        Box::new(PanickingWorker(&self.0))
    }
}

struct PanickingWorker<'a>(&'a PanickingCounter);

impl Worker for PanickingWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let begun = self.0.begun.fetch_add(1, Ordering::Relaxed);
        assert!(begun != self.0.after, "on purpose, in unit {unit}");
        let start = Instant::now();
        thread::sleep(self.0.time);
        while self.0.others_wait && !cancel.is_cancelled() {
            assert!(start.elapsed() < Panicking::PATIENCE, "nobody stops this unit");
            thread::sleep(Duration::from_millis(1));
        }
        if self.0.others_wait { Err(Cancelled) } else { Ok(1) }
    }
}
