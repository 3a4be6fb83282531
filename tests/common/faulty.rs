//! Faulty engines and a closed pipe, for tests of how commands handle errors.

use crate::app::output::Sink;
use nqueens::engine::{Counter, CounterMaker, Settings, StopReason, Units, Worker};
use nqueens::{Board, Cancel, Engine, Kernel, PrepareError};
use std::io::{self, Write};

/// A stand-in for the backtracker that is correct except for one fault.
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

use FaultyEngine::{Boundless, Faulty, PanickingAtOnce, Refusing, Sound};

pub(crate) type Fault = &'static dyn CounterMaker;

pub(crate) const SOUND: Fault = &Sound;
pub(crate) const FAULTY: Fault = &Faulty;
pub(crate) const PANICKING_AT_ONCE: Fault = &PanickingAtOnce;
pub(crate) const BOUNDLESS: Fault = &Boundless;
pub(crate) const REFUSING: Fault = &Refusing;

impl CounterMaker for FaultyEngine {
    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError> {
        if *self == Refusing {
            return Err(PrepareError::Setting { engine: Engine::Backtrack, lack: "has no second route" });
        }
        // The fastest kernel counts; the scalar one would take seconds.
        let mut counter =
            Engine::Backtrack.prepare(board, &Settings { kernel: None, exchanged: false, ..*settings }, cancel)?;
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
