//! Faulty engines and a closed pipe, for tests of how commands handle errors.

use crate::app::output::Sink;
use nqueens::cancel::Cancelled;
use nqueens::engine::{Counter, CountingEngine, ENGINES, Engine, Kernel, Plan, PrepareError, Settings, Worker};
use nqueens::{Board, Cancel};
use std::io::{self, Write};

/// The fault of an otherwise correct engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Wrong,
    Panics,
    Boundless,
    Refuses,
}

macro_rules! engine_with_a_fault {
    ($(#[$what:meta])* $engine:ident, $name:literal, $fault:ident) => {
        $(#[$what])*
        #[derive(Debug)]
        pub(crate) struct $engine;

        impl CountingEngine for $engine {
            fn engine(&self) -> Engine {
                ENGINES[0].engine()
            }
            fn name(&self) -> &'static str {
                $name
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
            fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
                if Fault::$fault == Fault::Refuses {
                    return Err(PrepareError::NoSecondRoute { engine: self.engine() });
                }
                // The fastest kernel counts; the scalar one would take seconds.
                let settings = Settings { kernel: None, ..*settings };
                Ok(Box::new(FaultyCounter(ENGINES[0].prepare(board, &settings, cancel)?, Fault::$fault)))
            }
        }
    };
}

engine_with_a_fault! {
    /// Has no fault.
    Sound, "sound", None
}

engine_with_a_fault! {
    /// On boards of ten or more rows its first unit has an orbit of eight solutions too many.
    Faulty, "faulty", Wrong
}

engine_with_a_fault! {
    /// On boards of ten or more rows its first unit panics.
    PanickingAtOnce, "panicking", Panics
}

engine_with_a_fault! {
    /// Needs more memory than any machine has.
    Boundless, "boundless", Boundless
}

engine_with_a_fault! {
    /// Cannot count any board.
    Refusing, "refusing", Refuses
}

#[derive(Debug)]
struct FaultyCounter(Box<dyn Counter>, Fault);

impl Counter for FaultyCounter {
    fn plan(&self) -> &Plan {
        self.0.plan()
    }
    fn kernel(&self) -> Kernel {
        Kernel::Scalar
    }
    fn scratch_bytes(&self) -> u64 {
        if self.1 == Fault::Boundless { u64::MAX } else { self.0.scratch_bytes() }
    }
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(FaultyWorker(self.0.worker(), Some(self.1).filter(|_| self.plan().board().size() >= 10)))
    }
}

struct FaultyWorker<'a>(Box<dyn Worker + 'a>, Option<Fault>);

impl Worker for FaultyWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let fault = self.1.filter(|_| unit == 0);
        assert!(fault != Some(Fault::Panics), "on purpose");
        Ok(self.0.count(unit, cancel)? + if fault == Some(Fault::Wrong) { 8 } else { 0 })
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
