//! The counting engines. An engine cuts the count of a board into independent units and counts any one of them.
//!
//! An engine knows nothing of files, progress or signals; [`crate::run`] does. Each engine is a folder beside this file
//! and a variant of [`Engine`].

pub mod backtrack;
mod choice;
mod kernel;
pub(crate) mod memory;
mod plan;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;
pub mod two_color;

pub use choice::{Engine, ParseEngineError};
#[doc(hidden)]
pub use choice::{TestEngine, auto, check_search};
pub use kernel::{Kernel, ParseKernelError};
pub use plan::Plan;

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::setup::Setup;
use backtrack::SPLIT_ROWS;
use kernel::SupportedKernel;
use std::fmt::Debug;

/// What an engine is made of: the interface between a folder beside this file and [`Engine`], which has the same methods.
#[doc(hidden)]
pub trait CountingEngine: Debug + Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// The kernels of the engine that this CPU can execute, best first. There is at least one on every CPU.
    fn kernels(&self) -> Vec<Kernel>;

    /// The size of the largest board that the engine can count.
    fn largest_board(&self) -> usize {
        Board::MAX_SIZE
    }

    /// Settings that together lead to every kind of plan of the engine, by every route: for tests and checks.
    fn variants(&self) -> Vec<Settings>;

    /// Returns the settings that lead to the plan of this name; `None` if the engine has no such plan.
    fn settings_of_plan(&self, name: &str) -> Option<Settings>;

    /// Cuts the count of `board` into units and makes the tables that counting them needs, on the threads of the
    /// current `rayon` pool.
    ///
    /// # Errors
    /// When the settings ask for what the engine does not have, the board is too large for it, or `cancel` is set.
    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError>;
}

/// The settings of a count: the kernel, and what one engine alone knows. The default leaves every choice to the engine.
///
/// More fields may come: name those that matter and take the others from the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The kernel; `None` for the best that this CPU has.
    pub kernel: Option<Kernel>,
    /// For [`backtrack`], the number of rows that are filled to make the units; `None` for the number that suits the
    /// board. Others refuse any other value.
    pub split_rows: Option<usize>,
    /// For [`backtrack`], true to count the nodes that its scalar kernel visits, which takes some time. Others ignore it.
    pub count_nodes: bool,
    /// For [`two_color`], true to count the same units by its second route, with build side and probe side exchanged. The
    /// plan is the same, and so is every partial count. Others refuse it.
    pub exchanged: bool,
    /// For [`backtrack`], given queens and blocked squares of the board; `None` where there are none. Others refuse it.
    pub setup: Option<Setup>,
}

/// Error returned when an engine cannot count a board with the settings of a [`Job`](crate::Job).
///
/// ```
/// use nqueens::{Board, Engine, Job, PrepareError, RunError};
///
/// let job = Job::new(Board::new(12)?).engine(Engine::TwoColor).split_rows(2);
/// assert!(matches!(job.run(), Err(RunError::Prepare(PrepareError::NoSplitRows { .. }))));
/// # Ok::<(), nqueens::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The engine does not have the kernel, or this CPU cannot execute it.
    #[error("engine {engine} has no kernel {kernel} that this CPU can execute; give one of {}", names(available))]
    Kernel {
        /// The engine.
        engine: Engine,
        /// The kernel asked for.
        kernel: Kernel,
        /// The kernels that the engine has on this CPU.
        available: Vec<Kernel>,
    },
    /// There is no GPU that counts.
    #[error("kernel gpu cannot be used: {reason}")]
    Gpu {
        /// Why, and what would be right.
        reason: String,
    },
    /// No plan is split at this number of rows.
    #[error("cannot split at {given} rows; give a number of rows from {} to {}", SPLIT_ROWS.start(), SPLIT_ROWS.end())]
    SplitRows {
        /// The number of rows given.
        given: usize,
    },
    /// The units of the engine are not placements of rows.
    #[error("engine {engine} does not split rows")]
    NoSplitRows {
        /// The engine.
        engine: Engine,
    },
    /// The engine has one route only, and the second was asked for.
    #[error("engine {engine} has no second route")]
    NoSecondRoute {
        /// The engine.
        engine: Engine,
    },
    /// The engine counts boards without given queens and blocked squares only.
    #[error("engine {engine} does not count boards with given queens or blocked squares")]
    NoSetup {
        /// The engine.
        engine: Engine,
    },
    /// The [`Setup`] is of another board.
    #[error("the board has another size than its given queens and blocked squares; give those of the board")]
    OtherSetup,
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
    /// The board takes longer than anybody waits. [`Engine::Backtrack`] begins to count it all the same, if it is named.
    #[error(
        "N = {board} takes years of CPU time; give a board of at most {largest}{}",
        if *has_setup { " rows, or one with fewer open squares" } else { "" }
    )]
    TooLong {
        /// The board.
        board: Board,
        /// The size of the largest board that is begun, whatever its squares are.
        largest: usize,
        /// True if the board has given queens or blocked squares, but not enough of them.
        has_setup: bool,
    },
    /// The [`Cancel`] was set before the count was prepared.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Returns the kernel that is given, or else the engine's best, with the proof that this CPU has it.
fn choose_kernel(engine: Engine, given: Option<Kernel>) -> Result<(Kernel, SupportedKernel), PrepareError> {
    let available = engine.kernels();
    let kernel = given.unwrap_or(available[0]);
    match kernel.detect() {
        Some(supported) if available.contains(&kernel) => Ok((kernel, supported)),
        _ => Err(PrepareError::Kernel { engine, kernel, available }),
    }
}

/// What a thread unwinds with, without a message, when a device other than the CPU fails. [`crate::run`] makes an error of
/// it.
#[derive(Debug)]
pub(crate) struct DeviceFailed(pub(crate) String);

/// Returns the kernels that this CPU can execute, best first.
fn supported_kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.iter().rev().copied().filter(|kernel| kernel.is_supported())
}

/// Checks that the board is not too large for the engine.
///
/// # Errors
/// When it is.
pub(crate) fn check_board(engine: Engine, board: Board) -> Result<(), PrepareError> {
    let largest = engine.largest_board();
    if board.size() <= largest { Ok(()) } else { Err(PrepareError::Board { engine, board, largest }) }
}

fn names(kernels: &[Kernel]) -> String {
    kernels.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", ")
}

/// A plan that is ready to be counted with one kernel. All threads of a run share it.
///
/// The trait may get new methods in any release: other crates should use it, and not implement it.
pub trait Counter: Debug + Send + Sync {
    /// The plan.
    fn plan(&self) -> &Plan;

    /// The kernel that counts.
    fn kernel(&self) -> Kernel;

    /// The memory that one worker takes at most, in bytes, estimated.
    fn scratch_bytes(&self) -> u64 {
        0
    }

    /// The memory that [`share`](Self::share) takes with these arguments, in bytes, estimated.
    fn shared_bytes(&self, _units: &[usize], _bytes: u64) -> u64 {
        0
    }

    /// The seconds that one thread takes for all units together, estimated for the machine that the engine's constants
    /// were measured on. It serves to compare units and boards, once some have been counted here. By default the
    /// units of work are taken for nanoseconds.
    fn expected_seconds(&self) -> f64 {
        self.plan().total_work() as f64 * 1e-9
    }

    /// The seconds that one thread takes to make the tables of `units`, estimated as for
    /// [`expected_seconds`](Self::expected_seconds): those once that [`share`](Self::share) makes of `bytes` bytes at
    /// most, and the others for each unit. Tables that are shared already take no time. 0 for an engine without tables.
    fn table_seconds(&self, _units: &[usize], _bytes: u64) -> f64 {
        0.0
    }

    /// Makes tables that several of `units` need, once for all workers, on the threads of the current `rayon` pool.
    /// They take about `bytes` bytes of memory at most, and are kept as long as the counter. Units count the same with
    /// and without them; workers that lack a table make it for each unit.
    ///
    /// # Errors
    /// When `cancel` is set.
    fn share(&self, _units: &[usize], _bytes: u64, _cancel: &Cancel) -> Result<(), Cancelled> {
        Ok(())
    }

    /// The number of queens on white squares, those of an even sum of row and column, that the solutions of a unit or
    /// their mirror images have; `None` if the units of the engine have no such number.
    fn white_queens(&self, _unit: usize) -> Option<usize> {
        None
    }

    /// Makes the worker of one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// The counting of one thread, with its scratch memory, which grows to the largest unit and is then used again.
///
/// As for [`Counter`], other crates should not implement it.
pub trait Worker {
    /// Returns the partial count of one unit, symmetry weight included.
    ///
    /// # Errors
    /// When `cancel` is set and the unit takes long: it is looked at before the unit has taken a second of CPU time, and
    /// again before each further second. A unit that is finished sooner need not look at it at all.
    ///
    /// # Panics
    /// When the plan has no such unit.
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled>;

    /// Returns the number of nodes visited in all units so far; `None` if the engine visits none, or the kernel counts
    /// them only if [`Settings::count_nodes`] asks for it.
    fn nodes(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_expects_no_time_has_nanoseconds_of_work() {
        let engine = crate::panicking::Panicking::sleeping(std::time::Duration::ZERO);
        let counter = engine.prepare(Board::new(8).unwrap(), &Settings::default(), &Cancel::new()).unwrap();
        assert!((counter.expected_seconds() - 50e-9).abs() < 1e-15);
    }

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
}
