//! The settings of a count, and the reasons why an engine refuses them.

use super::device::DeviceSet;
use super::kernel::{Kernel, SupportedKernel};
use super::kind::Engine;
use crate::board::Board;
use crate::cancel::Cancelled;
use crate::setup::Setup;
use std::ops::RangeInclusive;

/// The numbers of rows at which a plan of the backtracker may be split.
pub const SPLIT_ROWS: RangeInclusive<usize> = 1..=3;

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
    /// For the backtracker, the number of rows that are filled to make the units; `None` for the number that suits the
    /// board. Other engines refuse it.
    pub split_rows: Option<usize>,
    /// For the backtracker, true to count the nodes that its scalar kernel visits, which takes some time. Other engines
    /// ignore it.
    pub count_nodes: bool,
    /// For the two-color engine, true to count the same units by its second route, with build side and probe side
    /// exchanged. The plan is the same, and so is every partial count. Other engines refuse it.
    pub exchanged: bool,
    /// For the backtracker, the given queens and blocked squares; `None` if the board has none. Other engines refuse
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
/// # Ok::<(), nqueens::InputError>(())
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
    #[error("N = {board} takes years of CPU time; give a board of at most {largest}")]
    TooLong {
        /// The board.
        board: Board,
        /// The size of the largest board that is begun, whichever of its squares are open.
        largest: usize,
    },
    /// The [`Cancel`](crate::Cancel) was set before the count was prepared.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn no_kernel(engine: Engine, kernel: Kernel, available: &[Kernel]) -> String {
    if kernel == Kernel::Gpu {
        return format!("engine {engine} does not count on GPUs, only two-color does");
    }
    let names = available.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", ");
    if kernel.detect().is_none() {
        return format!("this CPU cannot execute kernel {kernel}; give one of {names}");
    }
    format!("engine {engine} has no kernel {kernel}; give one of {names}")
}

impl Engine {
    /// Checks that the board is not too large for the engine.
    ///
    /// # Errors
    /// When the board is too large.
    pub(crate) fn check_board(self, board: Board) -> Result<(), PrepareError> {
        let largest = self.largest_board();
        if board.size() <= largest { Ok(()) } else { Err(PrepareError::Board { engine: self, board, largest }) }
    }

    /// Returns the given kernel, or else the engine's best, with the proof that this CPU has the kernel.
    pub(super) fn choose_kernel(self, given: Option<Kernel>) -> Result<SupportedKernel, PrepareError> {
        let available = self.kernels();
        let kernel = given.unwrap_or(available[0]);
        match kernel.detect() {
            Some(supported) if available.contains(&kernel) => Ok(supported),
            _ => Err(PrepareError::Kernel { engine: self, kernel, available }),
        }
    }
}
