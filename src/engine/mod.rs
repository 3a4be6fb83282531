//! The counting engines. An engine cuts the count of a board into independent units and counts any one of them.
//!
//! An engine knows nothing of files, progress or signals; `run` does. Each engine is a folder beside this file
//! and a variant of [`Engine`]. From below to above: `kernel` and `device`, `kind`, `costs`, `plan`, `settings` and
//! `counter` are what every engine uses; the engines; and `choice`, which chooses one.

mod backtrack;
mod choice;
mod costs;
mod counter;
mod device;
pub(crate) mod growth;
mod kernel;
mod kind;
mod plan;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;
mod settings;
pub mod two_color;

pub use choice::{CounterMaker, auto};
pub use counter::{Counter, SharedTables, StopReason, Units, Worker};
pub use device::{Device, DeviceRoom, DeviceSet};
pub use kernel::Kernel;
pub use kind::Engine;
pub use plan::Plan;
pub use settings::{PrepareError, SPLIT_ROWS, Settings};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::cancel::{Cancel, Cancelled};

    #[test]
    fn a_count_that_is_cancelled_is_not_prepared() {
        let cancel = Cancel::new();
        cancel.cancel();
        for (engine, size) in Engine::ALL.iter().flat_map(|engine| [(engine, 8), (engine, 20)]) {
            for settings in engine.variants() {
                let error = engine.prepare(Board::new(size).unwrap(), &settings, &cancel).unwrap_err();
                assert_eq!(error, PrepareError::Cancelled(Cancelled), "{}, N = {size}", engine.name());
            }
        }
    }

    /// Partial counts are the same whatever counts, so they cannot show it.
    #[test]
    fn the_kernel_and_the_sides_that_were_asked_for_are_those_of_the_worker() {
        for &engine in Engine::ALL {
            let variants = engine.variants();
            assert!(variants.len() > 1 && variants.windows(2).all(|pair| pair[0] != pair[1]), "{engine}");
            for kernel in engine.kernels() {
                for &settings in &variants {
                    let settings = Settings { kernel: Some(kernel), ..settings };
                    let counter = engine.prepare(Board::new(12).unwrap(), &settings, &Cancel::new()).unwrap();
                    let worker = counter.units.worker().unwrap();
                    assert_eq!((worker.kernel(), worker.is_exchanged()), (kernel, settings.exchanged), "{engine}");
                    assert_eq!(counter.kernel, kernel);
                }
            }
        }
    }
}
