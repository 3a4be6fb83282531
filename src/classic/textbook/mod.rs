//! The classic methods of a course on backtracking, each in a file of its own, written to be read, and each counting its
//! own steps.
//!
//! From the first to the last they know more and visit less: all choices of squares; one queen in each row; one in each
//! row and column; then backtracking, which gives up a placement as soon as two queens attack each other, with three ways
//! to notice it. `docs/methods.md` says what each costs. All of them find the same solutions, in lexicographic order.

mod bit_masks;
mod brute_force;
mod earlier_queens;
pub(super) mod flag_arrays;
mod one_per_row;
mod permutations;

pub use flag_arrays::Flags;

use crate::board::{Board, Solution, attack};
use crate::engine::backtrack::node::Tree;
use crate::estimate::{self, SplitMix64};
use std::fmt;
use std::ops::ControlFlow::{self, Break, Continue};

/// Every textbook method there is, from the one that visits most to the one that visits least.
pub static METHODS: [Method; 6] = [
    brute_force::METHOD,
    one_per_row::METHOD,
    permutations::METHOD,
    earlier_queens::METHOD,
    flag_arrays::METHOD,
    bit_masks::METHOD,
];

/// The method with this name.
pub fn by_name(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

/// A way to find all solutions of a board, one after another.
#[derive(Debug)]
pub struct Method {
    /// Its name on the command line and in files.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// What it visits.
    pub visits: Visits,
    /// Whether it tests pairs of queens, or squares, one by one.
    pub tests: bool,
    expected_visits: fn(Board) -> f64,
    run: fn(Board, &mut Notes<'_>) -> ControlFlow<()>,
    run_from_random: Option<RunFromRandom>,
}

/// Visits candidates from a random one on.
type RunFromRandom = fn(Board, &mut SplitMix64, &mut Notes<'_>) -> ControlFlow<()>;

impl Method {
    /// How many candidates or nodes it visits on `board` in all. The number of candidates has a formula, and is exact
    /// below 2⁵³; that of nodes is an estimate, a few percent off.
    pub fn expected_visits(&self, board: Board) -> f64 {
        (self.expected_visits)(board)
    }

    /// Finds all solutions in lexicographic order, unless `listener` breaks it off. Returns what it has done, and whether
    /// it came to its end.
    pub fn search(&self, board: Board, listener: &mut dyn Listener) -> (Steps, ControlFlow<()>) {
        let mut notes = Notes { steps: Steps::default(), listener };
        let end = (self.run)(board, &mut notes);
        (notes.steps, end)
    }

    /// Visits 16,384 candidates (or as many as there are), from a random one on, and returns what it has done. The first candidates of all are
    /// alike and soon tested; these say how fast the method is on the whole. `None` for a method that visits nodes.
    pub fn sample(&self, board: Board, random: &mut SplitMix64) -> Option<Steps> {
        struct OneBeat;
        impl Listener for OneBeat {
            fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
                Continue(())
            }
            fn beat(&mut self, _steps: Steps) -> ControlFlow<()> {
                Break(())
            }
        }
        let mut notes = Notes { steps: Steps::default(), listener: &mut OneBeat };
        let _ = (self.run_from_random?)(board, random, &mut notes);
        Some(notes.steps)
    }
}

/// What a method visits on its way to the solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visits {
    /// Whole sets of N squares, to be tested when they are complete.
    Candidates,
    /// Placements of the first rows in which no queen attacks another.
    Nodes,
}

impl fmt::Display for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Visits::Candidates => "candidates",
            Visits::Nodes => "nodes",
        })
    }
}

/// What a search has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The candidates or nodes it has visited; the empty board is a node.
    pub visited: u64,
    /// The tests it has made: of two queens that may attack each other, or of a square that may be attacked.
    pub tests: u64,
    /// The solutions it has found.
    pub solutions: u64,
}

/// Who is told what a search finds and how far it is, and can break it off.
pub trait Listener {
    /// A solution was found.
    fn solution(&mut self, solution: &Solution) -> ControlFlow<()>;

    /// The search goes on; called many times a second.
    fn beat(&mut self, steps: Steps) -> ControlFlow<()>;
}

/// A search tells its listener how far it is whenever it has visited as many candidates or nodes.
const BEAT: u64 = 1 << 14;

/// Counts the steps of a search and passes on what it finds.
struct Notes<'a> {
    steps: Steps,
    listener: &'a mut dyn Listener,
}

impl Notes<'_> {
    /// A candidate or a node is visited.
    #[inline]
    fn visit(&mut self) -> ControlFlow<()> {
        self.steps.visited += 1;
        if self.steps.visited.is_multiple_of(BEAT) { self.listener.beat(self.steps) } else { Continue(()) }
    }

    /// A test is made.
    #[inline]
    fn test(&mut self) {
        self.steps.tests += 1;
    }

    /// Whether two queens attack each other: a test.
    #[inline]
    fn attack(&mut self, a: (usize, usize), b: (usize, usize)) -> bool {
        self.test();
        attack(a, b).is_some()
    }

    /// Whether two of these queens attack each other: tests of pairs, up to the first that does.
    #[inline]
    fn any_attack(&mut self, queens: impl Iterator<Item = (usize, usize)> + Clone) -> bool {
        let mut later = queens.clone();
        for queen in queens {
            later.next();
            for other in later.clone() {
                if self.attack(queen, other) {
                    return true;
                }
            }
        }
        false
    }

    /// The queens of a solution stand in these columns, from row 0 on.
    fn solution(&mut self, columns: &[usize]) -> ControlFlow<()> {
        self.steps.solutions += 1;
        self.listener.solution(&Solution::new(columns).expect("no two of the queens attack each other"))
    }
}

/// Tests one candidate after another, each a column for every row, from the given one to the last: `advance` turns one into
/// the next, as long as there is one.
fn test_in_turn(
    mut columns: Vec<usize>,
    advance: impl Fn(&mut [usize]) -> bool,
    notes: &mut Notes<'_>,
) -> ControlFlow<()> {
    loop {
        notes.visit()?;
        if !notes.any_attack(columns.iter().copied().enumerate()) {
            notes.solution(&columns)?;
        }
        if !advance(&mut columns) {
            return Continue(());
        }
    }
}

/// The nodes of the backtracking tree, the empty board among them, from random paths down it; always the same for a
/// board. With so many paths it is a few percent off.
fn expected_nodes(board: Board) -> f64 {
    const PATHS: u32 = 20_000;
    estimate::nodes(Tree::root(board), PATHS, &mut SplitMix64::new(board.size() as u64))
}

/// Listens to solutions alone.
impl<F: FnMut(&Solution) -> ControlFlow<()>> Listener for F {
    fn solution(&mut self, solution: &Solution) -> ControlFlow<()> {
        self(solution)
    }

    fn beat(&mut self, _steps: Steps) -> ControlFlow<()> {
        Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cancel;
    use crate::classic::{nodes_per_row, solutions};
    use crate::published;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    /// The largest board that a method can be run on in a test.
    fn reach(method: &Method) -> usize {
        match method.name {
            "brute-force" => 6,
            "one-per-row" => 7,
            "permutations" => 9,
            _ => 10,
        }
    }

    fn found(method: &Method, board: Board) -> (Vec<Solution>, Steps) {
        let mut all = Vec::new();
        let (steps, end) = method.search(board, &mut |solution: &Solution| {
            all.push(*solution);
            Continue(())
        });
        assert_eq!(end, Continue(()));
        (all, steps)
    }

    /// Whichever way they are found, they are the same solutions in the same order, as many as published.
    #[test]
    fn every_method_finds_every_solution_in_order() {
        for method in &METHODS {
            for board in (1..=reach(method)).map(board) {
                let (all, steps) = found(method, board);
                assert_eq!(Some(all.len() as u128), published::total(board), "{}, N = {board}", method.name);
                assert_eq!(steps.solutions, all.len() as u64);
                assert!(all.is_sorted_by(|a, b| a < b), "{}, N = {board}", method.name);
                assert!(all.into_iter().eq(solutions(board)), "{}, N = {board}", method.name);
            }
        }
    }

    #[test]
    fn a_method_visits_as_many_candidates_as_its_formula_says() {
        for method in METHODS.iter().filter(|method| method.visits == Visits::Candidates) {
            for board in (1..=reach(method)).map(board) {
                let visited = found(method, board).1.visited as f64;
                assert!((visited - method.expected_visits(board)).abs() < 0.5, "{}, N = {board}", method.name);
            }
        }
    }

    /// The figures of the textbooks for eight queens.
    #[test]
    fn eight_queens_have_the_candidates_of_the_textbook() {
        let expected = |name| by_name(name).unwrap().expected_visits(board(8));
        // Exact: they are whole numbers below 2⁵³.
        assert_eq!(expected("brute-force").to_string(), "4426165368");
        assert_eq!(
            (1..=8).fold(expected("brute-force"), |product, k| product * f64::from(k)).to_string(),
            "178462987637760"
        );
        assert_eq!(expected("one-per-row").to_string(), "16777216");
        assert_eq!(expected("permutations").to_string(), "40320");
    }

    #[test]
    fn eight_queens_have_the_nodes_and_tests_of_the_textbook() {
        for name in ["earlier-queens", "flag-arrays", "bit-masks"] {
            assert_eq!(found(by_name(name).unwrap(), board(8)).1.visited, 2057, "{name}");
        }
        // 8 squares of the next row for each of the 1965 placements of fewer than 8 queens.
        assert_eq!(found(by_name("flag-arrays").unwrap(), board(8)).1.tests, 15_720);
        assert_eq!(found(by_name("bit-masks").unwrap(), board(8)).1.tests, 0);
    }

    #[test]
    fn backtracking_methods_visit_the_nodes_of_the_profile() {
        for method in METHODS.iter().filter(|method| method.visits == Visits::Nodes) {
            for board in (1..=reach(method)).map(board) {
                let nodes: u64 = nodes_per_row(board, &Cancel::new(), &|_| ()).unwrap().iter().sum();
                assert_eq!(found(method, board).1.visited, nodes, "{}, N = {board}", method.name);
                let expected = method.expected_visits(board);
                assert!((expected / nodes as f64 - 1.0).abs() < 0.1, "N = {board}: about {expected} of {nodes}");
            }
        }
    }

    /// The tests of a pair of queens, counted by hand for two queens on four squares: all pairs attack each other.
    #[test]
    fn tests_are_counted_up_to_the_first_attack() {
        let tests = |name, size| found(by_name(name).unwrap(), board(size)).1.tests;
        assert_eq!(tests("brute-force", 2), 6);
        assert_eq!(tests("one-per-row", 2), 4);
        assert_eq!(tests("permutations", 2), 2);
        // Both squares of the second row for either of the first.
        assert_eq!(tests("earlier-queens", 2), 4);
        assert_eq!(tests("flag-arrays", 2), 6);
    }

    /// The tests for a candidate, of samples and of all candidates.
    #[test]
    fn samples_are_like_the_whole() {
        let per_candidate = |steps: Steps| steps.tests as f64 / steps.visited as f64;
        for method in &METHODS {
            let board = board(reach(method));
            let mut random = SplitMix64::new(1);
            let mut sum = Steps::default();
            for _ in 0..500 {
                let Some(steps) = method.sample(board, &mut random) else { break };
                assert!((1..=BEAT).contains(&steps.visited));
                sum.visited += steps.visited;
                sum.tests += steps.tests;
            }
            assert_eq!(sum.visited > 0, method.visits == Visits::Candidates, "{}", method.name);
            if sum.visited > 0 {
                let ratio = per_candidate(sum) / per_candidate(found(method, board).1);
                assert!((ratio - 1.0).abs() < 0.1, "{}: {ratio}", method.name);
            }
        }
    }

    #[test]
    fn a_listener_breaks_a_search_off() {
        struct Impatient(u64);
        impl Listener for Impatient {
            fn solution(&mut self, _solution: &Solution) -> ControlFlow<()> {
                Continue(())
            }
            fn beat(&mut self, steps: Steps) -> ControlFlow<()> {
                self.0 = steps.visited;
                Break(())
            }
        }
        for method in &METHODS {
            let mut listener = Impatient(0);
            let (steps, end) = method.search(board(14), &mut listener);
            assert_eq!((steps.visited, listener.0, end), (BEAT, BEAT, Break(())), "{}", method.name);
            let (steps, end) = method.search(board(4), &mut |_: &Solution| Break(()));
            assert_eq!((steps.solutions, end), (1, Break(())), "{}", method.name);
        }
    }
}
