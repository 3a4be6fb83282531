//! The counting engines. An engine cuts the count of a board into independent units and counts any one of them.
//!
//! An engine knows nothing of files, progress or signals; [`crate::run`] does. Each engine is a folder beside this file
//! and a variant of [`Engine`].

pub mod backtrack;
mod choice;
mod costs;
pub(crate) mod device;
pub(crate) mod growth;
mod kernel;
mod plan;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;
pub mod two_color;

pub use choice::{Engine, ParseEngineError};
pub use choice::{TestEngine, auto};
pub use device::{Device, DeviceRoom, DeviceSet, devices_in_words};
pub use kernel::{Kernel, ParseKernelError};
pub use plan::Plan;

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::setup::Setup;
use backtrack::SPLIT_ROWS;
use std::fmt::Debug;

/// The settings of a count: the kernel, and the settings of single engines. The default leaves every choice to the
/// engine.
///
/// More fields may come: name the fields that matter and take the rest from the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The kernel; `None` for the best that this CPU has.
    pub kernel: Option<Kernel>,
    /// For the kernel [`Gpu`](Kernel::Gpu), the devices that count. Other kernels ignore it.
    pub devices: DeviceSet,
    /// For [`backtrack`], the number of rows that are filled to make the units; `None` for the number that suits the
    /// board. Other engines refuse it.
    pub split_rows: Option<usize>,
    /// For [`backtrack`], true to count the nodes that its scalar kernel visits, which takes some time. Other engines
    /// ignore it.
    pub count_nodes: bool,
    /// For [`two_color`], true to count the same units by its second route, with build side and probe side exchanged.
    /// The plan is the same, and so is every partial count. Other engines refuse it.
    pub exchanged: bool,
    /// For [`backtrack`], the given queens and blocked squares; `None` if the board has none. Other engines refuse
    /// it.
    pub setup: Option<Setup>,
}

/// Error returned when an engine cannot count a board with the settings of a [`Job`](crate::Job).
///
/// ```
/// use nqueens::{Board, Engine, Job, PrepareError, RunError};
///
/// let job = Job::new(Board::new(12)?).engine(Engine::TwoColor).split_rows(2);
/// assert!(matches!(job.run(), Err(RunError::Prepare(PrepareError::Setting { .. }))));
/// # Ok::<(), nqueens::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The engine does not have the kernel, or this CPU cannot execute it.
    #[error("{}", no_kernel(*engine, *kernel, available))]
    Kernel {
        /// The engine.
        engine: Engine,
        /// The kernel asked for.
        kernel: Kernel,
        /// The kernels that the engine has on this CPU.
        available: Vec<Kernel>,
    },
    /// No GPU can count.
    #[error("kernel gpu cannot be used: {reason}")]
    Gpu {
        /// The reason, and what would be right.
        reason: String,
    },
    /// No device has the number or the name that was given.
    #[error("{reason}")]
    NoSuchDevice {
        /// The missing device, and the devices that are there.
        reason: String,
    },
    /// No plan is split at this number of rows.
    #[error("cannot split at {given} rows; give a number of rows from {} to {}", SPLIT_ROWS.start(), SPLIT_ROWS.end())]
    SplitRows {
        /// The number of rows given.
        given: usize,
    },
    /// The engine has nothing for one of the settings: its units are not placements of rows, it has no second route, or
    /// it counts only boards without given queens and blocked squares.
    #[error("engine {engine} {lack}")]
    Setting {
        /// The engine.
        engine: Engine,
        /// The setting that the engine lacks, in words.
        lack: &'static str,
    },
    /// The board is too large for the engine.
    #[error("engine {engine} cannot count N = {board}; give a board of at most {largest}")]
    Board {
        /// The engine.
        engine: Engine,
        /// The board.
        board: Board,
        /// The size of the largest board that the engine can count.
        largest: usize,
    },
    /// The count would take years. [`Engine::Backtrack`] begins it all the same if it is named.
    #[error(
        "N = {board} takes years of CPU time; give a board of at most {largest}{}",
        if *has_setup { " rows, or one with fewer open squares" } else { "" }
    )]
    TooLong {
        /// The board.
        board: Board,
        /// The size of the largest board that is begun, whichever of its squares are open.
        largest: usize,
        /// True if the board has given queens or blocked squares, but not enough of them.
        has_setup: bool,
    },
    /// The [`Cancel`] was set before the count was prepared.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Error returned when a worker, or the making of shared tables, ended before its work was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopReason {
    /// The [`Cancel`] was set.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The system refused memory.
    #[error("the system gives no more memory")]
    Memory,
    /// A device other than the CPU failed.
    #[error("{message}")]
    Device {
        /// The failure, and what may help.
        message: String,
        /// True if the device counted wrong, so that no count of it can be trusted.
        is_wrong: bool,
    },
}

fn no_kernel(engine: Engine, kernel: Kernel, available: &[Kernel]) -> String {
    if kernel == Kernel::Gpu {
        return format!("engine {engine} does not count on GPUs, only two-color does");
    }
    let names = available.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", ");
    format!("engine {engine} has no kernel {kernel} that this CPU can execute; give one of {names}")
}

/// A plan that is ready to be counted with one kernel. All threads of a run share it.
#[derive(Debug)]
pub struct Counter {
    /// The plan.
    pub plan: Plan,
    /// The kernel that counts.
    pub kernel: Kernel,
    /// The memory that one worker takes at most, in bytes; an estimate.
    pub scratch_bytes: u64,
    /// The seconds that one thread takes for all units together, estimated for the machine on which the engine's
    /// constants were measured. Once some units have been counted here, the value serves to compare units and boards.
    pub expected_seconds: f64,
    /// The devices that were chosen: those that count, and those that are left out, with the reason. Empty if only the
    /// CPU counts.
    pub devices: Vec<Device>,
    /// The workers for which the memory of the devices suffices; `None` if only the CPU counts, or no device tells its
    /// memory.
    pub device_room: Option<DeviceRoom>,
    /// The units in the engine's own form.
    pub units: Box<dyn Units>,
}

impl Counter {
    /// Makes the worker of one thread.
    ///
    /// # Errors
    /// When a device fails.
    pub fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason> {
        self.units.worker()
    }

    /// Names the devices to which `threads` threads give commands; `None` if only the CPU counts.
    pub fn device_in_words(&self, threads: usize) -> Option<String> {
        devices_in_words(&self.devices, threads)
    }

    /// Chooses which tables of `units` are worth making once for all workers, within `bytes` bytes.
    pub fn tables(&self, units: &[usize], bytes: u64) -> SharedTables<'_> {
        self.units.tables(units, bytes)
    }
}

/// The units of a plan in the engine's own form, with one kernel.
///
/// The trait may get new methods in any release: other crates should only use it, not implement it.
pub trait Units: Debug + Send + Sync {
    /// See [`Counter::worker`].
    fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason>;

    /// See [`Counter::tables`]. An engine without tables keeps this default.
    fn tables(&self, _units: &[usize], _bytes: u64) -> SharedTables<'_> {
        SharedTables::default()
    }

    /// Returns the part of the plan to which a unit belongs: the number of its queens on EE; 0 for an engine whose plan
    /// has no parts.
    fn part(&self, _unit: usize) -> usize {
        0
    }
}

/// Tables that several units need, chosen to be made once for all workers. Units count the same without them: a worker
/// that lacks a table makes it for each unit.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "a function has nothing to show")]
pub struct SharedTables<'a> {
    /// The memory of the tables in bytes, estimated.
    pub bytes: u64,
    /// The seconds that one thread takes to make these tables once and all other tables for each unit, estimated like
    /// [`Counter::expected_seconds`]. Existing tables take no time.
    pub seconds: f64,
    /// The function that makes the tables.
    make: Option<Box<MakeTables<'a>>>,
}

/// Makes tables on the threads of the current `rayon` pool.
type MakeTables<'a> = dyn FnOnce(&Cancel) -> Result<(), StopReason> + Send + 'a;

impl<'a> SharedTables<'a> {
    /// Wraps a function that makes tables.
    pub fn new(bytes: u64, seconds: f64, make: impl FnOnce(&Cancel) -> Result<(), StopReason> + Send + 'a) -> Self {
        Self { bytes, seconds, make: Some(Box::new(make)) }
    }

    /// Makes the tables, on the threads of the current `rayon` pool. The counter keeps them as long as it lives.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub fn make(self, cancel: &Cancel) -> Result<(), StopReason> {
        self.make.map_or(Ok(()), |make| make(cancel))
    }
}

/// The counting of one thread, with its scratch memory, which grows to the largest unit and is reused.
///
/// Other crates should not implement this trait either (see [`Units`]).
pub trait Worker {
    /// Returns the partial count of one unit, in which symmetry weights are multiplied in.
    ///
    /// # Errors
    /// When the system refuses memory, a device fails, or `cancel` is set and the unit takes long: a worker looks at
    /// `cancel` before each second of CPU time is over. A unit that is finished sooner need not look at all.
    ///
    /// # Panics
    /// When the plan has no such unit.
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason>;

    /// Returns the kernel that counts, which is the one of the token or the device that the worker has.
    fn kernel(&self) -> Kernel;

    /// Returns true if the worker counts with build side and probe side exchanged.
    fn is_exchanged(&self) -> bool {
        false
    }

    /// Returns the number of nodes visited in all units so far. `None` if the engine visits none, or if the kernel
    /// counts them only when [`Settings::count_nodes`] asks for it.
    fn nodes(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            for kernel in engine.kernels() {
                for settings in engine.variants() {
                    let settings = Settings { kernel: Some(kernel), ..settings };
                    let counter = engine.prepare(Board::new(12).unwrap(), &settings, &Cancel::new()).unwrap();
                    let worker = counter.worker().unwrap();
                    assert_eq!((worker.kernel(), worker.is_exchanged()), (kernel, settings.exchanged), "{engine}");
                    assert_eq!(counter.kernel, kernel);
                }
            }
        }
    }
}
