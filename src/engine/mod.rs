//! The counting engines: each cuts the count of a board into independent units and counts any one of them.
//!
//! An engine knows nothing of threads, files or progress; [`crate::run`] does. Each engine is a folder beside this
//! file and a line in [`ENGINES`].

pub mod backtrack;
mod kernel;
mod plan;
mod symmetry;
pub mod two_color;

pub use kernel::Kernel;
pub use plan::Plan;
pub use symmetry::Symmetry;

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};

/// Every engine there is. A new one is added here and is then known to every command.
pub static ENGINES: &[&dyn Engine] = &[&backtrack::Backtrack, &two_color::TwoColor];

/// The engine with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
}

/// The smallest board that the two-color engine counts faster than the backtracker, both with this kernel; `None` for a
/// kernel that the two-color engine does not have.
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

/// The engine that is expected to count `board` fastest on this machine, of those that can do what the settings ask for.
pub fn auto(board: Board, settings: &Settings) -> &'static dyn Engine {
    let two_color: &dyn Engine = &two_color::TwoColor;
    let for_rows = settings.split_rows.is_some() || settings.symmetry.is_some();
    let able = check_board(two_color, board).is_ok() && !for_rows;
    let kernel = settings.kernel_to_plan_for(two_color.kernels()[0]);
    match two_color_from(kernel) {
        // The backtracker has no roles to exchange.
        Some(from) if able && (board.size() >= from || settings.exchanged) => two_color,
        _ => &backtrack::Backtrack,
    }
}

/// The engine that [`auto`] names for the board and the settings, chosen when a count is prepared.
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

    fn prepare(&self, board: Board, settings: &Settings) -> Result<Box<dyn Counter>, PrepareError> {
        auto(board, settings).prepare(board, settings)
    }
}

/// A way of counting the solutions of a board.
pub trait Engine: Sync {
    /// Its name on the command line and in files.
    fn name(&self) -> &'static str;

    /// The kernels it has that this CPU can execute, best first. Every engine has at least one on every CPU.
    fn kernels(&self) -> Vec<Kernel>;

    /// The size of the largest board it can count.
    fn largest_board(&self) -> usize {
        Board::MAX_SIZE
    }

    /// Settings that between them lead to every kind of plan it has, and by every route, for whoever wants to try them all.
    fn variants(&self) -> Vec<Settings>;

    /// The settings that lead to the plan of this name; `None` where it has no such plan.
    fn settings_of_plan(&self, name: &str) -> Option<Settings>;

    /// Cuts the count of `board` into units and makes ready to count them, on the threads of the current `rayon` pool.
    ///
    /// # Errors
    /// When the settings ask for what the engine does not have, or the board is beyond it.
    fn prepare(&self, board: Board, settings: &Settings) -> Result<Box<dyn Counter>, PrepareError>;
}

/// What an engine is asked for. The default leaves every choice to the engine; name the fields that matter and take the
/// rest from it, because more may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The kernel; `None` for the best that this CPU has.
    pub kernel: Option<Kernel>,
    /// Which solutions the backtracker counts along with others; `None` for what suits the kernel. An engine that has a
    /// symmetry of its own refuses it.
    pub symmetry: Option<Symmetry>,
    /// How many rows are filled to make the units of the backtracker, beside the edge columns where [`Symmetry::Edges`]
    /// has those filled; `None` for as many as keep `workers` busy. An engine whose units are not placements of rows
    /// refuses it.
    pub split_rows: Option<usize>,
    /// How many units are going to be counted at a time. It guides the choice of units and nothing else.
    pub workers: usize,
    /// Whether the choice of units must come out alike on every machine: then board and `workers` guide it, and whether the
    /// kernel is to be the scalar one, but not what this CPU has.
    pub same_everywhere: bool,
    /// Whether to count the nodes visited, which takes some time; an engine that visits no nodes does not heed it.
    pub count_nodes: bool,
    /// Whether to count the same units by the engine's other route, if it has one: for [`two_color`], with the roles of
    /// lanes and lists exchanged. The plan is the same, and so is every partial count. An engine with one route refuses it.
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
    /// The kernel that guides the choice of units, where `best` is the best that this CPU has.
    fn kernel_to_plan_for(&self, best: Kernel) -> Kernel {
        match self.kernel {
            Some(Kernel::Scalar) => Kernel::Scalar,
            _ if self.same_everywhere => Kernel::Avx512,
            given => given.unwrap_or(best),
        }
    }
}

/// Why an engine cannot count a board as it is asked to.
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
        /// The kernels that there are.
        available: Vec<Kernel>,
    },
    /// The rows to split are too few for the symmetry, or too many.
    #[error("cannot split at {given} rows with symmetry {symmetry}; give a number of rows from {least} to {most}")]
    SplitRows {
        /// The symmetry.
        symmetry: Symmetry,
        /// The number of rows given.
        given: usize,
        /// The smallest number of rows.
        least: usize,
        /// The largest number of rows.
        most: usize,
    },
    /// The units of the engine are not placements of rows.
    #[error(
        "engine {engine} does not split rows; leave out --split-rows (NQUEENS_SPLIT_ROWS), or give engine backtrack"
    )]
    NoSplitRows {
        /// The engine's name.
        engine: &'static str,
    },
    /// The engine has a symmetry of its own.
    #[error(
        "engine {engine} has a symmetry of its own; leave out --symmetry (NQUEENS_SYMMETRY), or give engine backtrack"
    )]
    NoSymmetry {
        /// The engine's name.
        engine: &'static str,
    },
    /// The engine has one route only.
    #[error("engine {engine} has no roles to exchange")]
    NoRoles {
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
        /// The largest board it can count.
        largest: usize,
    },
}

/// The kernel that the settings name, if the engine has it on this CPU, or else its best.
fn choose_kernel(engine: &dyn Engine, settings: &Settings) -> Result<Kernel, PrepareError> {
    let available = engine.kernels();
    match settings.kernel {
        None => Ok(available[0]),
        Some(kernel) if available.contains(&kernel) => Ok(kernel),
        Some(kernel) => Err(PrepareError::Kernel { engine: engine.name(), kernel, available }),
    }
}

/// That the board is not too large for the engine.
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

/// A plan, ready to be counted with one kernel. It is shared by all threads of a run.
pub trait Counter: Send + Sync {
    /// The plan.
    fn plan(&self) -> &Plan;

    /// The kernel that counts.
    fn kernel(&self) -> Kernel;

    /// The bytes of memory that a worker comes to take, about.
    fn scratch_bytes(&self) -> u64 {
        0
    }

    /// About how many nodes all units have together, where they have any. A kernel that looks ahead visits fewer.
    fn expected_nodes(&self) -> Option<f64> {
        None
    }

    /// About how many seconds all units together take one thread, going by what was measured on some machine. It serves to
    /// compare units and boards, once some have been counted here. By default weights are taken for nanoseconds.
    fn expected_seconds(&self) -> f64 {
        self.plan().total_weight() as f64 * 1e-9
    }

    /// What one thread needs to count units: its scratch memory, which grows to the largest unit and is then used again.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// One thread's share of a [`Counter`].
pub trait Worker {
    /// The partial count of one unit, its symmetry weight already in it.
    ///
    /// # Errors
    /// When `cancel` is set and the unit takes long: it is looked at many times a second, but need not be at all in a unit
    /// that is finished sooner.
    ///
    /// # Panics
    /// When the plan has no such unit.
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled>;

    /// The nodes that it has visited in all its units, where [`Settings::count_nodes`] asked for them and there are any.
    fn nodes(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_takes_an_engine_that_can_do_what_is_asked() {
        let name = |size, settings: Settings| auto(Board::new(size).unwrap(), &settings).name();
        let split = Settings { split_rows: Some(1), ..Settings::default() };
        let edges = Settings { symmetry: Some(Symmetry::Edges), ..Settings::default() };
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
