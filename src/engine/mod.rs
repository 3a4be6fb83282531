//! The counting engines. An engine cuts the count of a board into independent units and counts any one of them.
//!
//! An engine knows nothing of files, progress or signals; [`crate::run`] does. Each engine is a folder beside this file
//! and a line in [`ENGINES`].

pub mod backtrack;
mod kernel;
mod plan;
pub mod two_color;

pub use backtrack::{ParseSymmetryReductionError, SymmetryReduction};
pub use kernel::{Kernel, ParseKernelError};
pub use plan::Plan;

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use kernel::SupportedKernel;
use std::fmt::Debug;

/// All engines. One that is added here is known to every command.
pub static ENGINES: &[&dyn Engine] = &[&backtrack::Backtrack, &two_color::TwoColor];

/// Returns the engine with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}

/// Returns the size of the smallest board that the two-color engine counts faster than the backtracker, both with this
/// kernel; `None` for a kernel that the two-color engine does not have.
///
/// Milliseconds for whole counts on one thread of an Intel Xeon, family 6 model 207, medians of 7 (backtracker and
/// two-color):
///
/// | N | avx512 | avx2 | portable |
/// |---:|---:|---:|---:|
/// | 10 | | | 0.645, 0.795 |
/// | 11 | | | 0.757, 1.66 |
/// | 12 | 0.525, 1.13 | 0.564, 1.47 | 1.99, 1.87 |
/// | 13 | 0.818, 2.36 | 1.12, 3.89 | 7.58, 5.51 |
/// | 14 | 1.95, 2.87 | 3.51, 4.63 | |
/// | 15 | 8.16, 9.58 | 17.1, 17.2 | |
/// | 16 | 46.7, 19.3 | 106, 31.2 | |
/// | 17 | 298, 85.8 | 702, 169 | |
fn two_color_from(kernel: Kernel) -> Option<usize> {
    match kernel {
        Kernel::Avx512 | Kernel::Avx2 => Some(16),
        Kernel::Portable => Some(12),
        Kernel::Scalar => None,
    }
}

/// Returns the engine that is expected to count `board` fastest on this machine, of those that have what the settings
/// ask for.
pub fn auto(board: Board, settings: &Settings) -> &'static dyn Engine {
    let two_color: &dyn Engine = &two_color::TwoColor;
    let for_rows = settings.split_rows.is_some() || settings.symmetry.is_some();
    let able = check_board(two_color, board).is_ok() && !for_rows;
    let kernel = settings.kernel_to_plan_for(two_color.kernels()[0]);
    match two_color_from(kernel) {
        // The backtracker has no second route.
        Some(from) if able && (board.size() >= from || settings.exchanged) => two_color,
        _ => &backtrack::Backtrack,
    }
}

/// The engine that [`auto`] returns for the board and the settings, chosen when a count is prepared.
#[derive(Clone, Copy, Debug)]
pub struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn kernels(&self) -> Vec<Kernel> {
        let has = |kernel: &Kernel| ENGINES.iter().any(|engine| engine.kernels().contains(kernel));
        Kernel::ALL.iter().copied().filter(has).collect()
    }

    fn variants(&self) -> Vec<Settings> {
        ENGINES.iter().flat_map(|engine| engine.variants()).collect()
    }

    fn settings_of_plan(&self, name: &str) -> Option<Settings> {
        ENGINES.iter().find_map(|engine| engine.settings_of_plan(name))
    }

    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
        auto(board, settings).prepare(board, settings, cancel)
    }
}

/// A way of counting the solutions of a board.
///
/// The engines of this crate are in [`ENGINES`]. The trait may get new methods in any release: other crates should use
/// it, and not implement it.
pub trait Engine: Debug + Sync {
    /// The name on the command line and in files.
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

/// The settings of a count. The default leaves every choice to the engine.
///
/// More fields may come: name those that matter and take the others from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The kernel; `None` for the best that this CPU has.
    pub kernel: Option<Kernel>,
    /// The mirror images that the backtracker leaves out; `None` for the reduction that suits the kernel. An engine
    /// with a symmetry of its own refuses any other value.
    pub symmetry: Option<SymmetryReduction>,
    /// The number of rows that are filled to make the units of the backtracker, not counting the edge columns that
    /// [`SymmetryReduction::Edges`] fills; `None` for the number that keeps `workers` busy. An engine whose units are
    /// not placements of rows refuses any other value.
    pub split_rows: Option<usize>,
    /// The number of units that are going to be counted at a time. It guides the choice of units and nothing else.
    pub workers: usize,
    /// True if the choice of units must be the same on every machine. Then board, `workers` and a scalar kernel that is
    /// asked for guide it, but not the kernels of this CPU.
    pub same_everywhere: bool,
    /// True to count the nodes visited, which takes some time. An engine that visits no nodes ignores it.
    pub count_nodes: bool,
    /// True to count the same units by the engine's second route: for [`two_color`], with build side and probe side
    /// exchanged. The plan is the same, and so is every partial count. An engine with one route refuses it.
    pub exchanged: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kernel: None,
            symmetry: None,
            split_rows: None,
            workers: 1,
            same_everywhere: false,
            count_nodes: false,
            exchanged: false,
        }
    }
}

impl Settings {
    /// Returns the kernel that guides the choice of units, where `best` is the best that this CPU has.
    fn kernel_to_plan_for(&self, best: Kernel) -> Kernel {
        match self.kernel {
            Some(Kernel::Scalar) => Kernel::Scalar,
            _ if self.same_everywhere => Kernel::Avx512,
            given => given.unwrap_or(best),
        }
    }
}

/// Error returned by [`Engine::prepare`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The engine does not have the kernel, or this CPU cannot execute it.
    #[error("engine {engine} has no kernel {kernel} that this CPU can execute; give one of {}", names(available))]
    Kernel {
        /// The engine's name.
        engine: &'static str,
        /// The kernel asked for.
        kernel: Kernel,
        /// The kernels that the engine has on this CPU.
        available: Vec<Kernel>,
    },
    /// The number of rows to split is out of the range of the symmetry reduction.
    #[error("cannot split at {given} rows with symmetry {symmetry}; give a number of rows from {least} to {most}")]
    SplitRows {
        /// The symmetry reduction.
        symmetry: SymmetryReduction,
        /// The number of rows given.
        given: usize,
        /// The smallest number of rows.
        least: usize,
        /// The largest number of rows.
        most: usize,
    },
    /// The units of the engine are not placements of rows.
    #[error("engine {engine} does not split rows; give no number of rows, or engine backtrack")]
    NoSplitRows {
        /// The engine's name.
        engine: &'static str,
    },
    /// The engine has a symmetry of its own.
    #[error("engine {engine} has a symmetry of its own; give no symmetry, or engine backtrack")]
    NoSymmetry {
        /// The engine's name.
        engine: &'static str,
    },
    /// The engine has one route only, and the second was asked for.
    #[error("engine {engine} has no second route")]
    NoSecondRoute {
        /// The engine's name.
        engine: &'static str,
    },
    /// The board is too large for the engine.
    #[error("engine {engine} cannot count N = {board}; give a board of at most {largest}, or engine backtrack")]
    Board {
        /// The engine's name.
        engine: &'static str,
        /// The board.
        board: Board,
        /// The size of the largest board that the engine can count.
        largest: usize,
    },
    /// The [`Cancel`] was set before the count was prepared.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Returns the kernel that the settings name, or else the engine's best, with the proof that this CPU has it.
fn choose_kernel(engine: &dyn Engine, settings: &Settings) -> Result<SupportedKernel, PrepareError> {
    let available = engine.kernels();
    let kernel = settings.kernel.unwrap_or(available[0]);
    let supported = kernel.detect().filter(|_| available.contains(&kernel));
    supported.ok_or(PrepareError::Kernel { engine: engine.name(), kernel, available })
}

/// Returns the kernels that this CPU can execute, best first.
fn supported_kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.iter().rev().copied().filter(|kernel| kernel.is_supported())
}

/// Checks that the board is not too large for the engine.
///
/// # Errors
/// When it is.
pub fn check_board(engine: &dyn Engine, board: Board) -> Result<(), PrepareError> {
    let largest = engine.largest_board();
    if board.size() <= largest { Ok(()) } else { Err(PrepareError::Board { engine: engine.name(), board, largest }) }
}

fn names(kernels: &[Kernel]) -> String {
    kernels.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", ")
}

/// A plan that is ready to be counted with one kernel. All threads of a run share it.
///
/// As for [`Engine`], other crates should not implement it.
pub trait Counter: Debug + Send + Sync {
    /// The plan.
    fn plan(&self) -> &Plan;

    /// The kernel that counts.
    fn kernel(&self) -> Kernel;

    /// The memory that one worker takes at most, in bytes, estimated.
    fn scratch_bytes(&self) -> u64 {
        0
    }

    /// The number of nodes of all units together, estimated; `None` for an engine that visits none. A kernel that looks
    /// ahead visits fewer.
    fn expected_nodes(&self) -> Option<f64> {
        None
    }

    /// The seconds that one thread takes for all units together, estimated for the machine that the engine's constants
    /// were measured on. It serves to compare units and boards, once some have been counted here. By default weights
    /// are taken for nanoseconds.
    fn expected_seconds(&self) -> f64 {
        self.plan().total_weight() as f64 * 1e-9
    }

    /// Makes the worker of one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// The counting of one thread, with its scratch memory, which grows to the largest unit and is then used again.
///
/// As for [`Engine`], other crates should not implement it.
pub trait Worker {
    /// Returns the partial count of one unit, symmetry weight included.
    ///
    /// # Errors
    /// When `cancel` is set and the unit takes long: it is looked at many times a second, but a unit that is finished
    /// sooner need not look at it at all.
    ///
    /// # Panics
    /// When the plan has no such unit.
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled>;

    /// Returns the number of nodes visited in all units so far; `None` unless [`Settings::count_nodes`] asked for it
    /// and the engine visits nodes.
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
        for (engine, size) in ENGINES.iter().flat_map(|engine| [(engine, 8), (engine, 20)]) {
            for settings in engine.variants() {
                let error = engine.prepare(Board::new(size).unwrap(), &settings, &cancel).unwrap_err();
                assert_eq!(error, PrepareError::Cancelled(Cancelled), "{}, N = {size}", engine.name());
            }
        }
    }

    #[test]
    fn auto_takes_an_engine_that_can_do_what_is_asked() {
        let name = |size, settings: Settings| auto(Board::new(size).unwrap(), &settings).name();
        let split = Settings { split_rows: Some(1), ..Settings::default() };
        let edges = Settings { symmetry: Some(SymmetryReduction::Edges), ..Settings::default() };
        let with = |kernel| Settings { kernel: Some(kernel), ..Settings::default() };
        assert_eq!(
            [8, 11, 16, 18, 28, 29].map(|size| name(size, Settings::default())),
            ["backtrack", "backtrack", "two-color", "two-color", "two-color", "backtrack"]
        );
        assert_eq!(
            [11, 12, 28, 29].map(|size| name(size, with(Kernel::Portable))),
            ["backtrack", "two-color", "two-color", "backtrack"]
        );
        assert_eq!(name(18, with(Kernel::Scalar)), "backtrack");
        assert_eq!([split, edges].map(|settings| name(18, settings)), ["backtrack"; 2]);
        let exchanged = Settings { exchanged: true, ..Settings::default() };
        assert_eq!([4, 8, 28].map(|size| name(size, exchanged)), ["two-color"; 3]);
        for board in (1..=32).map(|size| Board::new(size).unwrap()) {
            for kernel in ENGINES.iter().flat_map(|engine| engine.kernels()) {
                let settings = Settings { kernel: Some(kernel), ..Settings::default() };
                let able = auto(board, &settings).kernels().contains(&kernel);
                assert!(able || board.size() > two_color::LARGEST_BOARD, "N = {board}, kernel {kernel}");
            }
        }
    }

    #[test]
    fn engines_have_different_names_and_a_kernel_each() {
        for (index, engine) in ENGINES.iter().enumerate() {
            assert!(ENGINES[..index].iter().all(|earlier| earlier.name() != engine.name()));
            assert!(engine.kernels().iter().all(|kernel| kernel.is_supported()));
            assert!(!engine.kernels().is_empty());
            assert_eq!(by_name(engine.name()).map(Engine::name), Some(engine.name()));
        }
        assert!(by_name("abacus").is_none());
    }
}
