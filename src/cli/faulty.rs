//! Engines with a fault and a reader that has gone, for the tests of what a command makes of them.

use crate::report::Sink;
use nqueens::cancel::Cancelled;
use nqueens::engine::{Counter, ENGINES, Engine, Kernel, Plan, PrepareError, Settings, Worker};
use nqueens::{Board, Cancel};
use std::io::{self, Write};

/// It counts like the first engine, but on boards of ten rows and more its first unit has one solution too many.
pub(crate) struct Faulty;

impl Engine for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn kernels(&self) -> Vec<Kernel> {
        vec![Kernel::Scalar]
    }
    fn variants(&self) -> Vec<Settings> {
        vec![Settings::default()]
    }
    fn settings_of_plan(&self, name: &str) -> Option<Settings> {
        ENGINES[0].settings_of_plan(name)
    }
    fn prepare(&self, board: Board, settings: &Settings) -> Result<Box<dyn Counter>, PrepareError> {
        Ok(Box::new(FaultyCounter(ENGINES[0].prepare(board, &Settings { kernel: Some(Kernel::Scalar), ..*settings })?)))
    }
}

struct FaultyCounter(Box<dyn Counter>);

impl Counter for FaultyCounter {
    fn plan(&self) -> &Plan {
        self.0.plan()
    }
    fn kernel(&self) -> Kernel {
        self.0.kernel()
    }
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(FaultyWorker(self.0.worker(), self.plan().board().size() >= 10))
    }
}

struct FaultyWorker<'a>(Box<dyn Worker + 'a>, bool);

impl Worker for FaultyWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let error = u128::from(self.1 && unit == 0);
        Ok(self.0.count(unit, cancel)? + error)
    }
}

/// An engine that cannot count at all.
pub(crate) struct Refusing;

impl Engine for Refusing {
    fn name(&self) -> &'static str {
        "refusing"
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
    fn prepare(&self, _board: Board, _settings: &Settings) -> Result<Box<dyn Counter>, PrepareError> {
        Err(PrepareError::NoSymmetry { engine: self.name() })
    }
}

/// A pipe that nobody reads any more.
pub(crate) struct Gone;

impl Write for Gone {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Gone {}
