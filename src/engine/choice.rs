//! The choice of an engine for a board, and the way from an engine's name to its code.

use super::costs::two_color_from;
use super::counter::Counter;
use super::kind::Engine;
use super::settings::{PrepareError, Settings};
use super::{backtrack, two_color};
use crate::board::Board;
use crate::cancel::Cancel;
use crate::random::SplitMix64;
use crate::setup::Setup;
use crate::tree::{Node, nodes_below};
use std::fmt::Debug;
use std::panic::RefUnwindSafe;

// These are for the benchmarks, the page and the tests, which count without a job.
#[doc(hidden)]
impl Engine {
    /// Returns settings that together lead to every kind of plan of the engine, by every route, for tests and checks.
    pub fn variants(self) -> Vec<Settings> {
        match self {
            Engine::Backtrack => backtrack::variants(),
            Engine::TwoColor => two_color::variants(),
        }
    }

    /// Returns the settings that lead to the plan of this name; `None` if the engine has no such plan.
    pub fn settings_of_plan(self, name: &str) -> Option<Settings> {
        match self {
            Engine::Backtrack => backtrack::settings_of_plan(name),
            Engine::TwoColor => two_color::settings_of_plan(name),
        }
    }

    /// Cuts the count of `board` into units and makes the tables that counting them needs, on the threads of the
    /// current `rayon` pool.
    ///
    /// # Errors
    /// When the engine lacks what the settings ask for, the board is too large for the engine, or `cancel` is set.
    pub fn prepare(self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError> {
        self.check_board(board)?;
        match self {
            Engine::Backtrack => backtrack::prepare(board, settings, cancel),
            Engine::TwoColor => two_color::prepare(board, settings, cancel),
        }
    }
}

/// A maker of counters beside the engines, for tests of what follows a fault: see `Job::counted_by`.
pub trait CounterMaker: Debug + Sync + RefUnwindSafe {
    /// Makes a counter, as [`Engine::prepare`] does.
    ///
    /// # Errors
    /// A test decides on the error.
    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError>;
}

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
        return Err(PrepareError::TooLong { board, largest });
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
    Err(PrepareError::TooLong { board, largest: LARGEST_SEARCHED })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Kernel;

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
            let blocked = free.with_blocked(0, 0).unwrap();
            for setup in [None, Some(&free), Some(&blocked)] {
                assert_eq!(check_search(board, setup).unwrap_err().to_string(), message);
            }
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
