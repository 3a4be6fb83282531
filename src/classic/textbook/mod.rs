//! The methods of a course on backtracking, each in a file of its own that is written to be read.
//!
//! Each method knows more than the one before and visits less. The first three try all choices of squares, of one queen
//! in each row, and of one in each row and column. The others backtrack: they give a placement up as soon as two queens
//! attack each other, with three ways to notice it. `docs/methods.md` compares the costs.

mod bit_masks;
mod brute_force;
mod earlier_queens;
pub(super) mod flag_arrays;
mod one_per_row;
mod permutations;

use crate::board::{Board, Line, Solution};
use crate::cancel::{Cancel, Cancelled};
use crate::names::named;
use crate::random::SplitMix64;
use crate::tree::{Node, nodes_below};
use std::ops::ControlFlow::{self, Break, Continue};

/// Makes from one list the enum of the methods, the list of all, and the function that finds the definition of each.
macro_rules! methods {
    ($(#[$about:meta])* { $($(#[$words:meta])* $method:ident: $file:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$words])* $method,)+
        }

        impl Method {
            /// Every method, from the one that visits most to the ones that visit least.
            pub const ALL: &[Method] = &[$(Method::$method),+];

            fn definition(self) -> &'static Definition {
                match self {
                    $(Method::$method => &$file::METHOD,)+
                }
            }
        }
    };
}

methods! {
    /// A textbook method of finding all solutions of a board in lexicographic order.
    ///
    /// `Display` and `FromStr` use the [name](Self::name) that the command line has for it.
    ///
    /// ```
    /// use nqueens::{Board, classic::Method};
    /// use std::ops::ControlFlow::Continue;
    ///
    /// let board = Board::new(6)?;
    /// let method: Method = "flag-arrays".parse()?;
    /// let mut found = Vec::new();
    /// let effort = method.search(board, |solution| {
    ///     found.push(solution.to_string());
    ///     Continue(())
    /// });
    /// assert_eq!(found[0], "[1, 3, 5, 0, 2, 4]");
    /// assert_eq!((effort.visited, effort.tests, effort.solutions), (153, 894, 4));
    ///
    /// // Brute force visits 12,731 times as much.
    /// assert_eq!(Method::BruteForce.expected_visits(board), 1_947_792.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    {
        /// Every choice of N of the N² squares, tested when it is complete.
        BruteForce: brute_force,
        /// Every choice of a column for each row, tested when it is complete.
        OnePerRow: one_per_row,
        /// Every choice of a different column for each row, tested when it is complete.
        Permutations: permutations,
        /// Backtracking that tests a square against each queen placed earlier.
        EarlierQueens: earlier_queens,
        /// Backtracking with a flag for each column, diagonal and anti-diagonal.
        FlagArrays: flag_arrays,
        /// Backtracking with bit masks, which give all free squares of a row at once.
        BitMasks: bit_masks,
    }
}

/// The definition of a method, in a file for each.
struct Definition {
    name: &'static str,
    summary: &'static str,
    /// Returns the number of candidates that the method visits: complete sets of N queens, tested one after another. A
    /// method without candidates visits nodes of the backtracking tree: placements of the first rows in which no queen
    /// attacks another.
    candidates: Option<fn(Board) -> f64>,
    /// True if the method tests queens or squares one by one, and counts these tests.
    counts_tests: bool,
    /// Searches the whole board.
    run: fn(Board, &mut Search<'_>) -> ControlFlow<()>,
}

impl Method {
    /// Returns the name of the method, such as `brute-force`.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// Returns a few words on the choices that the method makes.
    pub fn summary(self) -> &'static str {
        self.definition().summary
    }

    /// Returns true if the method visits nodes of the backtracking tree, and false if it visits complete candidates.
    pub fn is_backtracking(self) -> bool {
        self.definition().candidates.is_none()
    }

    /// Returns true if the method tests queens or squares one by one, and counts these tests.
    pub(super) fn counts_tests(self) -> bool {
        self.definition().counts_tests
    }

    /// Returns the number of candidates or nodes that the method visits on `board`. The number of candidates is exact
    /// below 2⁵³; the number of nodes is an estimate, off by a few percent.
    pub fn expected_visits(self, board: Board) -> f64 {
        const PATHS: u32 = 20_000;
        let mut random = SplitMix64::new(board.size() as u64);
        self.definition().candidates.map_or_else(
            || nodes_below(Node::root(board), &[u32::MAX; Board::MAX_SIZE], PATHS, &mut random),
            |number| number(board),
        )
    }

    /// Calls `found` with each solution of `board` in lexicographic order, until it returns `Break` or there are no
    /// more. Returns the effort of the search up to there.
    pub fn search(self, board: Board, mut found: impl FnMut(&Solution) -> ControlFlow<()>) -> Effort {
        self.search_with(board, &mut found, &mut |_| Continue(())).0
    }

    /// Searches the whole of `board` and returns the effort.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// ```
    /// use nqueens::{Board, Cancel, classic::Method};
    ///
    /// let effort = Method::BitMasks.effort(Board::new(8)?, &Cancel::new())?;
    /// assert_eq!((effort.visited, effort.solutions), (2_057, 92));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn effort(self, board: Board, cancel: &Cancel) -> Result<Effort, Cancelled> {
        let mut beat = |_| if cancel.is_cancelled() { Break(()) } else { Continue(()) };
        match self.search_with(board, &mut |_| Continue(()), &mut beat) {
            (effort, Continue(())) => Ok(effort),
            (_, Break(())) => Err(Cancelled),
        }
    }

    /// Searches as [`search`](Self::search) does, and also calls `beat` with the effort so far many times a second. Either
    /// function can end the search. Returns the effort, and whether one of them did.
    pub(super) fn search_with(
        self,
        board: Board,
        found: &mut dyn FnMut(&Solution) -> ControlFlow<()>,
        beat: &mut dyn FnMut(Effort) -> ControlFlow<()>,
    ) -> (Effort, ControlFlow<()>) {
        let mut search = Search { effort: Effort::default(), found, beat };
        let end = (self.definition().run)(board, &mut search);
        (search.effort, end)
    }
}

named!(Method, "method");

/// The effort of a search: the numbers of its steps.
///
/// ```
/// use nqueens::{Board, Cancel, classic::Method};
///
/// let effort = Method::FlagArrays.effort(Board::new(8)?, &Cancel::new())?;
/// assert_eq!((effort.visited, effort.solutions), (2057, 92));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effort {
    /// The candidates or nodes visited; the empty board is a node.
    pub visited: u64,
    /// The number of tests: whether two queens attack each other, or whether a square is attacked. The number is 0 for
    /// a method that tests nothing one by one, such as bit masks.
    pub tests: u64,
    /// The solutions found.
    pub solutions: u64,
}

/// The candidates or nodes between two beats.
const CANCEL_CHECK: u64 = 1 << 14;

/// A search that is going on: it counts its steps and passes its solutions on.
struct Search<'a> {
    effort: Effort,
    found: &'a mut dyn FnMut(&Solution) -> ControlFlow<()>,
    beat: &'a mut dyn FnMut(Effort) -> ControlFlow<()>,
}

impl Search<'_> {
    #[inline]
    fn visit(&mut self) -> ControlFlow<()> {
        self.effort.visited += 1;
        if self.effort.visited.is_multiple_of(CANCEL_CHECK) { (self.beat)(self.effort) } else { Continue(()) }
    }

    #[inline]
    fn test(&mut self) {
        self.effort.tests += 1;
    }

    /// Tests the queens of a candidate pair by pair, and returns true at the first two that attack each other.
    #[inline]
    fn any_attack(&mut self, candidate: &[usize], square: impl Fn((usize, usize)) -> (usize, usize)) -> bool {
        let mut queens = candidate.iter().enumerate();
        while let Some((index, &number)) = queens.next() {
            let queen = square((index, number));
            for (index, &number) in queens.clone() {
                self.test();
                if Line::between(queen, square((index, number))).is_some() {
                    return true;
                }
            }
        }
        false
    }

    /// Passes on the solution whose queens stand in these columns, from row 0 on.
    fn solution(&mut self, columns: &[usize]) -> ControlFlow<()> {
        self.effort.solutions += 1;
        (self.found)(&Solution::new(columns).expect("no two of the queens attack each other"))
    }

    /// Tests one candidate after another, from the given one to the last. A candidate is a number for every queen, and
    /// `square` returns the row and the column of a queen from its index and its number. `advance` turns a candidate
    /// into the next one, or returns false at the last.
    fn test_in_turn(
        &mut self,
        mut candidate: Vec<usize>,
        square: impl Fn((usize, usize)) -> (usize, usize) + Copy,
        advance: impl Fn(&mut [usize]) -> bool,
    ) -> ControlFlow<()> {
        loop {
            self.visit()?;
            if !self.any_attack(&candidate, square) {
                // There is one queen in each row, in the order of the rows.
                let columns: Vec<usize> = candidate.iter().copied().enumerate().map(|queen| square(queen).1).collect();
                self.solution(&columns)?;
            }
            if !advance(&mut candidate) {
                return Continue(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::board;
    use crate::tree::tests::nodes_by_depth;
    use crate::{published, solutions};

    /// Returns the largest board on which a test can run a method.
    fn reach(method: Method) -> usize {
        match method {
            Method::BruteForce => 6,
            Method::OnePerRow => 7,
            Method::Permutations => 9,
            _ => 10,
        }
    }

    fn found(method: Method, board: Board) -> (Vec<Solution>, Effort) {
        let mut all = Vec::new();
        let mut keep = |solution: &Solution| {
            all.push(*solution);
            Continue(())
        };
        let (effort, end) = method.search_with(board, &mut keep, &mut |_| Continue(()));
        assert_eq!(end, Continue(()));
        (all, effort)
    }

    #[test]
    fn every_method_finds_every_solution_in_order() {
        for &method in Method::ALL {
            for board in (1..=reach(method)).map(board) {
                let (all, effort) = found(method, board);
                assert_eq!(Some(all.len() as u128), published::total(board), "{method}, N = {board}");
                assert_eq!(effort.solutions, all.len() as u64);
                assert!(all.is_sorted_by(|a, b| a < b), "{method}, N = {board}");
                assert!(all.into_iter().eq(solutions(board)), "{method}, N = {board}");
            }
        }
    }

    #[test]
    fn the_effort_is_that_of_a_whole_search() {
        for &method in Method::ALL {
            assert_eq!(method.effort(board(6), &Cancel::new()), Ok(found(method, board(6)).1), "{method}");
        }
    }

    #[test]
    fn a_method_visits_as_many_candidates_as_its_formula_says() {
        for method in Method::ALL.iter().copied().filter(|method| !method.is_backtracking()) {
            for board in (1..=reach(method)).map(board) {
                let visited = found(method, board).1.visited as f64;
                assert!((visited - method.expected_visits(board)).abs() < 0.5, "{method}, N = {board}");
            }
        }
    }

    #[test]
    fn backtracking_methods_visit_the_nodes_of_the_profile() {
        for method in Method::ALL.iter().copied().filter(|method| method.is_backtracking()) {
            for board in (1..=reach(method)).map(board) {
                let nodes: u64 = nodes_by_depth(board).iter().sum();
                assert_eq!(found(method, board).1.visited, nodes, "{method}, N = {board}");
                let expected = method.expected_visits(board);
                assert!((expected / nodes as f64 - 1.0).abs() < 0.1, "N = {board}: about {expected} of {nodes}");
            }
        }
    }

    #[test]
    fn each_beat_and_each_solution_may_end_a_search() {
        for &method in Method::ALL {
            let mut beaten = 0;
            let mut beat = |effort: Effort| {
                beaten = effort.visited;
                Break(())
            };
            let (effort, end) = method.search_with(board(14), &mut |_| Continue(()), &mut beat);
            assert_eq!((effort.visited, beaten, end), (CANCEL_CHECK, CANCEL_CHECK, Break(())), "{method}");
            let (effort, end) = method.search_with(board(4), &mut |_| Break(()), &mut |_| Continue(()));
            assert_eq!((effort.solutions, end), (1, Break(())), "{method}");
        }
    }
}
