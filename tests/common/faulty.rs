//! Faulty engines and a closed pipe, for tests of how commands handle errors.

use crate::app::output::Sink;
use nqueens::cancel::Cancelled;
use nqueens::engine::{Counter, CountingEngine, Engine, Kernel, Plan, PrepareError, Settings, TestEngine, Worker};
use nqueens::{Board, Cancel};
use std::io::{self, Write};

/// An otherwise correct engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultyEngine {
    /// Has no fault.
    Sound,
    /// On boards of ten or more rows its first unit has an orbit of eight solutions too many.
    Faulty,
    /// On boards of ten or more rows its first unit panics.
    PanickingAtOnce,
    /// Needs more memory than any machine has.
    Boundless,
    /// Cannot count any board.
    Refusing,
}

pub(crate) const SOUND: Engine = Engine::Test(TestEngine(&FaultyEngine::Sound));
pub(crate) const FAULTY: Engine = Engine::Test(TestEngine(&FaultyEngine::Faulty));
pub(crate) const PANICKING_AT_ONCE: Engine = Engine::Test(TestEngine(&FaultyEngine::PanickingAtOnce));
pub(crate) const BOUNDLESS: Engine = Engine::Test(TestEngine(&FaultyEngine::Boundless));
pub(crate) const REFUSING: Engine = Engine::Test(TestEngine(&FaultyEngine::Refusing));

use FaultyEngine::{Boundless, Faulty, PanickingAtOnce, Refusing, Sound};

impl CountingEngine for FaultyEngine {
    fn name(&self) -> &'static str {
        match self {
            Sound => "sound",
            Faulty => "faulty",
            PanickingAtOnce => "panicking",
            Boundless => "boundless",
            Refusing => "refusing",
        }
    }
    fn kernels(&self) -> Vec<Kernel> {
        vec![Kernel::Scalar]
    }
    fn variants(&self) -> Vec<Settings> {
        vec![Settings::default()]
    }
    fn settings_of_plan(&self, name: &str) -> Option<Settings> {
        Engine::Backtrack.settings_of_plan(name)
    }
    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
        if *self == Refusing {
            return Err(PrepareError::NoSecondRoute { engine: Engine::Backtrack });
        }
        // The fastest kernel counts; the scalar one would take seconds.
        let settings = Settings { kernel: None, ..*settings };
        Ok(Box::new(FaultyCounter(Engine::Backtrack.prepare(board, &settings, cancel)?, *self)))
    }
}

#[derive(Debug)]
struct FaultyCounter(Box<dyn Counter>, FaultyEngine);

impl Counter for FaultyCounter {
    fn plan(&self) -> &Plan {
        self.0.plan()
    }
    fn kernel(&self) -> Kernel {
        Kernel::Scalar
    }
    fn scratch_bytes(&self) -> u64 {
        if self.1 == Boundless { u64::MAX } else { self.0.scratch_bytes() }
    }
    fn worker(&self) -> Box<dyn Worker + '_> {
        let engine = if self.plan().board().size() < 10 { Sound } else { self.1 };
        Box::new(FaultyWorker(self.0.worker(), engine))
    }
}

struct FaultyWorker<'a>(Box<dyn Worker + 'a>, FaultyEngine);

impl Worker for FaultyWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        assert!((unit, self.1) != (0, PanickingAtOnce), "on purpose");
        Ok(self.0.count(unit, cancel)? + if (unit, self.1) == (0, Faulty) { 8 } else { 0 })
    }
}

/// A pipe whose reader has closed it.
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
