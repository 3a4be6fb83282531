//! Faulty engines and a closed pipe, for tests of how commands handle errors.

use crate::app::output::Sink;
use nqueens::engine::{Counter, Engine, Kernel, PrepareError, Settings, StopReason, TestEngine, Units, Worker};
use nqueens::{Board, Cancel};
use std::io::{self, Write};

/// An engine that is correct except for one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultyEngine {
    Sound,
    /// On boards of ten or more rows its first unit has an orbit of eight solutions too many.
    Faulty,
    /// On boards of ten or more rows its first unit panics.
    PanickingAtOnce,
    /// The engine needs more memory than any machine has.
    Boundless,
    /// The engine cannot count any board.
    Refusing,
}

pub(crate) const SOUND: Engine = Engine::Test(&(&FaultyEngine::Sound as &dyn TestEngine));
pub(crate) const FAULTY: Engine = Engine::Test(&(&FaultyEngine::Faulty as &dyn TestEngine));
pub(crate) const PANICKING_AT_ONCE: Engine = Engine::Test(&(&FaultyEngine::PanickingAtOnce as &dyn TestEngine));
pub(crate) const BOUNDLESS: Engine = Engine::Test(&(&FaultyEngine::Boundless as &dyn TestEngine));
pub(crate) const REFUSING: Engine = Engine::Test(&(&FaultyEngine::Refusing as &dyn TestEngine));

use FaultyEngine::{Boundless, Faulty, PanickingAtOnce, Refusing, Sound};

impl TestEngine for FaultyEngine {
    fn name(&self) -> &'static str {
        match self {
            Sound => "sound",
            Faulty => "faulty",
            PanickingAtOnce => "panicking",
            Boundless => "boundless",
            Refusing => "refusing",
        }
    }
    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError> {
        if *self == Refusing {
            return Err(PrepareError::Setting { engine: Engine::Backtrack, lack: "has no second route" });
        }
        // The fastest kernel counts; the scalar one would take seconds.
        let mut counter = Engine::Backtrack.prepare(board, &Settings { kernel: None, ..*settings }, cancel)?;
        let engine = if board.size() < 10 { Sound } else { *self };
        counter.kernel = Kernel::Scalar;
        if *self == Boundless {
            counter.scratch_bytes = u64::MAX;
        }
        counter.units = Box::new(FaultyUnits(counter.units, engine));
        Ok(counter)
    }
}

#[derive(Debug)]
struct FaultyUnits(Box<dyn Units>, FaultyEngine);

impl Units for FaultyUnits {
    fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason> {
        Ok(Box::new(FaultyWorker(self.0.worker()?, self.1)))
    }
}

struct FaultyWorker<'a>(Box<dyn Worker + 'a>, FaultyEngine);

impl Worker for FaultyWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        assert!((unit, self.1) != (0, PanickingAtOnce), "on purpose");
        Ok(self.0.count(unit, cancel)? + if (unit, self.1) == (0, Faulty) { 8 } else { 0 })
    }

    fn kernel(&self) -> Kernel {
        Kernel::Scalar
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
