//! The choice of an engine, by name or for a board.

use super::costs::two_color_from;
use super::kernel::SupportedKernel;
use super::{Counter, Kernel, PrepareError, Settings, backtrack, two_color};
use crate::board::Board;
use crate::cancel::Cancel;
use crate::names::named;
use crate::random::SplitMix64;
use crate::setup::Setup;
use crate::tree::{Node, nodes_below};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::panic::RefUnwindSafe;

/// An engine: a way of counting the solutions of a board.
///
/// `Display` and `FromStr` use the [name](Self::name) that the command line has for it.
///
/// ```
/// use nqueens::{Board, Engine, Job};
///
/// let engine: Engine = "backtrack".parse()?;
/// let count = Job::new(Board::new(12)?).engine(engine).run()?;
/// assert_eq!((count.total, count.engine), (14_200, Engine::Backtrack));
/// assert_eq!(Engine::TwoColor.largest_board(), 28);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Backtracking with bit masks, many placements at a time. This engine begins to count every board, but boards
    /// above N = 24 take years, and each further row ten times as long.
    Backtrack,
    /// Multiplies numbers of placements on white and on black squares, without enumerating the solutions.
    TwoColor,
    /// An engine that a test makes.
    #[doc(hidden)]
    Test(&'static &'static dyn TestEngine),
}

/// A test's engine: the backtracker's plans for the scalar kernel, made in another way. Engines of the same name are
/// equal.
#[doc(hidden)]
pub trait TestEngine: Debug + Sync + RefUnwindSafe {
    fn name(&self) -> &'static str;
    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError>;
}

impl PartialEq for dyn TestEngine {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn TestEngine {}

impl Hash for dyn TestEngine {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Engine {
    /// All engines. An engine added here is known to every command.
    pub const ALL: &[Engine] = &[Engine::Backtrack, Engine::TwoColor];

    /// Returns the name: `backtrack` or `two-color`.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Backtrack => "backtrack",
            Engine::TwoColor => "two-color",
            Engine::Test(engine) => engine.name(),
        }
    }

    /// Returns the kernels of the engine that this CPU can execute, best first. There is at least one on every CPU.
    pub fn kernels(self) -> Vec<Kernel> {
        let has = |kernel| match self {
            Engine::Backtrack => true,
            Engine::TwoColor => kernel != Kernel::Scalar,
            Engine::Test(_) => kernel == Kernel::Scalar,
        };
        Kernel::ALL.iter().rev().copied().filter(|&kernel| has(kernel) && kernel.is_supported()).collect()
    }

    /// Returns the size of the largest board that the engine can count.
    pub fn largest_board(self) -> usize {
        if self == Engine::TwoColor { two_color::LARGEST_BOARD } else { Board::MAX_SIZE }
    }

    /// Returns settings that together lead to every kind of plan of the engine, by every route, for tests and checks.
    #[doc(hidden)]
    pub fn variants(self) -> Vec<Settings> {
        match self {
            Engine::Backtrack => backtrack::variants(),
            Engine::TwoColor => two_color::variants(),
            Engine::Test(_) => vec![Settings::default()],
        }
    }

    /// Returns the settings that lead to the plan of this name; `None` if the engine has no such plan.
    #[doc(hidden)]
    pub fn settings_of_plan(self, name: &str) -> Option<Settings> {
        match self {
            Engine::Backtrack | Engine::Test(_) => backtrack::settings_of_plan(name),
            Engine::TwoColor => two_color::settings_of_plan(name),
        }
    }

    /// Cuts the count of `board` into units and makes the tables that counting them needs, on the threads of the
    /// current `rayon` pool.
    ///
    /// # Errors
    /// When the engine lacks what the settings ask for, the board is too large for the engine, or `cancel` is set.
    #[doc(hidden)]
    pub fn prepare(self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError> {
        self.check_board(board)?;
        match self {
            Engine::Backtrack => backtrack::prepare(board, settings, cancel),
            Engine::TwoColor => two_color::prepare(board, settings, cancel),
            Engine::Test(engine) => engine.prepare(board, settings, cancel),
        }
    }

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

named!(Engine, ParseEngineError, "no engine is named {0:?}; the engines are {names}", ", ");

/// Returns the engine that is expected to count `board` fastest on this machine, among the engines that satisfy the
/// settings. For a new ledger, which other machines may continue, `ledger::Run` asks for AVX-512.
///
/// # Errors
/// When the count would take the backtracker years, and the two-color engine cannot count the board.
pub fn auto(board: Board, settings: &Settings) -> Result<Engine, PrepareError> {
    let from = two_color_from(settings.kernel.unwrap_or_else(|| Engine::TwoColor.kernels()[0]));
    // Only the two-color engine has a second route.
    let is_faster = from.is_some_and(|from| board.size() >= from || settings.exchanged);
    if is_faster && settings.split_rows.is_none() && settings.setup.is_none() {
        let largest = Engine::TwoColor.largest_board();
        if board.size() <= largest {
            return Ok(Engine::TwoColor);
        }
        return Err(PrepareError::TooLong { board, largest, has_setup: false });
    }
    check_search(board, settings.setup.as_ref())?;
    Ok(Engine::Backtrack)
}

/// The size of the largest board whose whole tree is searched. The 2.6 · 10¹⁶ nodes take a core some months to a year;
/// each further row multiplies them by ten.
const LARGEST_SEARCHED: usize = 24;

/// The most nodes that the tree of a larger board may have.
const MOST_NODES: f64 = 1e17;

/// The random paths that estimate these nodes, in a thousandth of a second.
const PROBES: u32 = 1000;

/// Checks that a search of the backtracking tree does not take years, as far as random paths can tell. Every method
/// that searches the tree of a whole board obeys this rule.
///
/// # Errors
/// When the search takes longer.
fn check_search(board: Board, setup: Option<&Setup>) -> Result<(), PrepareError> {
    let setup = setup.filter(|setup| !setup.is_free());
    let nodes =
        |setup: &Setup| nodes_below(Node::root(board), &setup.open()[..board.size()], PROBES, &mut SplitMix64::new(1));
    if board.size() <= LARGEST_SEARCHED || setup.is_some_and(|setup| nodes(setup) <= MOST_NODES) {
        return Ok(());
    }
    Err(PrepareError::TooLong { board, largest: LARGEST_SEARCHED, has_setup: setup.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_a_name_that_is_parsed_and_kernels_of_this_cpu() {
        for (index, &engine) in Engine::ALL.iter().enumerate() {
            assert!(Engine::ALL[..index].iter().all(|earlier| earlier.name() != engine.name()));
            assert_eq!(engine.to_string().parse(), Ok(engine));
            let kernels = engine.kernels();
            assert!(kernels.is_sorted_by(|&one, &next| one as u8 > next as u8), "best first");
            assert!(!kernels.is_empty() && kernels.iter().all(|kernel| kernel.is_supported()));
        }
        assert_eq!("abacus".parse::<Engine>(), Err(ParseEngineError("abacus".to_owned())));
    }

    #[test]
    fn auto_takes_an_engine_that_can_do_what_is_asked() {
        let name = |size, settings: Settings| auto(Board::new(size).unwrap(), &settings).unwrap().name();
        let split = Settings { split_rows: Some(1), ..Settings::default() };
        let with = |kernel| Settings { kernel: Some(kernel), ..Settings::default() };
        // The last board of the backtracker and the first of two-color do not depend on this CPU.
        for (kernel, last, first) in
            [(Kernel::Avx512, 15, 16), (Kernel::Avx2, 13, 14), (Kernel::Neon, 13, 14), (Kernel::Portable, 11, 12)]
        {
            let names = [1, last, first, 28].map(|size| name(size, with(kernel)));
            assert_eq!(names, ["backtrack", "backtrack", "two-color", "two-color"], "{kernel}");
        }
        let best = Engine::TwoColor.kernels()[0];
        for size in 1..=28 {
            assert_eq!(name(size, Settings::default()), name(size, with(best)), "N = {size}");
        }
        assert_eq!(name(18, with(Kernel::Scalar)), "backtrack");
        assert_eq!(name(18, split), "backtrack");
        let exchanged = Settings { exchanged: true, ..Settings::default() };
        assert_eq!([4, 8, 28].map(|size| name(size, exchanged)), ["two-color"; 3]);
        for board in (1..=32).map(|size| Board::new(size).unwrap()) {
            for kernel in Engine::ALL.iter().flat_map(|engine| engine.kernels()) {
                let chosen = auto(board, &with(kernel));
                let largest = if kernel == Kernel::Scalar { 24 } else { 28 };
                assert_eq!(chosen.is_err(), board.size() > largest, "N = {board}");
                let is_able = chosen.is_ok_and(|engine| engine.kernels().contains(&kernel));
                assert!(is_able || board.size() > largest, "N = {board}, kernel {kernel}");
            }
        }
    }

    /// Open squares decide, not only given queens.
    #[test]
    fn a_search_of_years_is_refused_whatever_makes_it_long() {
        let mut random = SplitMix64::new(67);
        for size in 25..=32 {
            let board = Board::new(size).unwrap();
            let free = Setup::new(board);
            let message = format!("N = {size} takes years of CPU time; give a board of at most 24");
            for setup in [None, Some(&free)] {
                assert_eq!(check_search(board, setup).unwrap_err().to_string(), message);
            }
            let blocked = free.with_blocked(0, 0).unwrap();
            let refused = check_search(board, Some(&blocked)).unwrap_err().to_string();
            assert_eq!(refused, message + " rows, or one with fewer open squares");
            for open in 1..=5 {
                let mut setup = free;
                for row in 0..size {
                    let columns: Vec<u32> = (0..open).map(|_| random.below(size as u32)).collect();
                    for column in (0..size).filter(|&column| !columns.contains(&(column as u32))) {
                        setup = setup.with_blocked(row, column).unwrap();
                    }
                }
                assert_eq!(check_search(board, Some(&setup)), Ok(()), "{setup}");
            }
        }
    }
}
