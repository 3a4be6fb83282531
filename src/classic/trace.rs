//! A search step by step.

use super::position::Position;
use super::step::Step;
use super::textbook::Method;
use crate::board::{Board, Line};
use crate::setup::Setup;

/// An iterator over the [steps](Step) of a whole search: a textbook method in slow motion.
///
/// ```
/// use nqueens::{Board, classic::{Step, Trace}};
///
/// let mut trace = Trace::new(Board::new(4)?);
/// let board = trace.position().board();
/// let third = trace.nth(2).unwrap();
/// let sentence = "row 1, column 0 is attacked by the queen of row 0 along the column";
/// assert_eq!(third.describe(board), sentence);
///
/// // On to the first solution.
/// assert!(trace.any(|step| matches!(step, Step::Solution { .. })));
/// assert_eq!(trace.position().queens(), [1, 3, 0, 2]);
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    method: Method,
    setup: Setup,
    position: Position,
    last: Option<Step>,
    solutions: u64,
}

impl Trace {
    /// Returns the trace of the search for all solutions of `board` with three arrays of flags, before its first step.
    pub fn new(board: Board) -> Self {
        Self::start(Method::FlagArrays, board.into())
    }

    /// Returns the trace of a method's search for all solutions of a board, which may have given queens and blocked
    /// squares, before its first step. Returns `None` for a method that does not backtrack.
    ///
    /// ```
    /// use nqueens::{Setup, classic::{Method, Trace}};
    ///
    /// let setup: Setup = "..Q.\n....\n....\n....".parse()?;
    /// let trace = Trace::of(Method::BitMasks, setup).unwrap();
    /// let steps: Vec<String> = trace.map(|step| step.describe(setup.board())).collect();
    /// assert_eq!(steps[..2], ["row 0 is free in column 2", "row 0, column 2 is free: a queen is placed there"]);
    /// # Ok::<(), nqueens::InputError>(())
    /// ```
    pub fn of(method: Method, board: impl Into<Setup>) -> Option<Self> {
        method.is_backtracking().then(|| Self::start(method, board.into()))
    }

    fn start(method: Method, setup: Setup) -> Self {
        Self { method, setup, position: Position::new(setup.board()), last: None, solutions: 0 }
    }

    /// Returns the position that the last step led to.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Goes on in the first row without a queen, after a column.
    fn go_on_after(&self, column: usize) -> Step {
        let row = self.position.queens().len();
        match self.method {
            Method::BitMasks => self.place_first(self.free() & !((2_u32 << column).wrapping_sub(1))),
            _ if column + 1 < self.setup.board().size() => self.look_at(column + 1),
            _ => Step::Backtrack { row },
        }
    }

    /// Looks at a square of the first row without a queen.
    fn look_at(&self, column: usize) -> Step {
        let queens = self.position.queens();
        let row = queens.len();
        if !self.setup.allows(row, column) {
            return Step::Blocked { row, column };
        }
        if self.method == Method::EarlierQueens {
            return self.compare(column, 0);
        }
        let Some(line) = self.position.flags.marked_line(row, column) else { return Step::Place { row, column } };
        // The arrays do not say which queen has marked a line. At most one has.
        let marked_it = |&queen: &usize| Line::between((queen, queens[queen]), (row, column)) == Some(line);
        let queen = (0..row).find(marked_it).expect("a queen stands on each marked line");
        Step::Conflict { row, column, queen, line }
    }

    /// Compares a square of the first row without a queen with an earlier queen, if one is left.
    fn compare(&self, column: usize, queen: usize) -> Step {
        let queens = self.position.queens();
        let row = queens.len();
        if queen == row {
            return Step::Place { row, column };
        }
        match Line::between((queen, queens[queen]), (row, column)) {
            Some(line) => Step::Conflict { row, column, queen, line },
            None => Step::Compare { row, column, queen },
        }
    }

    /// Returns the free columns of the first row without a queen, as bits.
    fn free(&self) -> u32 {
        let queens = self.position.queens();
        let row = queens.len();
        let is_free = |&column: &usize| {
            let mut queens = queens.iter().copied().enumerate();
            self.setup.allows(row, column) && queens.all(|queen| Line::between(queen, (row, column)).is_none())
        };
        (0..self.setup.board().size()).filter(is_free).map(|column| 1 << column).sum()
    }

    /// Places a queen on the first of these free columns, if there is one.
    fn place_first(&self, free: u32) -> Step {
        let row = self.position.queens().len();
        match free {
            0 => Step::Backtrack { row },
            _ => Step::Place { row, column: free.trailing_zeros() as usize },
        }
    }
}

impl Iterator for Trace {
    type Item = Step;

    /// Makes the next step, which follows from the position and the last step.
    fn next(&mut self) -> Option<Step> {
        let is_full = self.position.queens().len() == self.setup.board().size();
        let step = match self.last {
            Some(Step::Place { row, column }) if self.method == Method::FlagArrays => Step::Mark { row, column },
            Some(Step::Place { .. } | Step::Mark { .. }) if is_full => {
                self.solutions += 1;
                Step::Solution { number: self.solutions }
            }
            None | Some(Step::Place { .. } | Step::Mark { .. }) => match self.method {
                Method::BitMasks => Step::Free { row: self.position.queens().len(), columns: self.free() },
                _ => self.look_at(0),
            },
            Some(Step::Compare { column, queen, .. }) => self.compare(column, queen + 1),
            Some(Step::Free { columns, .. }) => self.place_first(columns),
            Some(
                Step::Blocked { column, .. }
                | Step::Conflict { column, .. }
                | Step::Unmark { column, .. }
                | Step::Remove { column, .. },
            ) => self.go_on_after(column),
            Some(Step::Backtrack { .. } | Step::Solution { .. }) => {
                let (row, &column) = self.position.queens().iter().enumerate().next_back()?;
                match self.method {
                    Method::FlagArrays => Step::Unmark { row, column },
                    _ => Step::Remove { row, column },
                }
            }
        };
        self.position.apply(&step);
        self.last = Some(step);
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Line;
    use crate::board::Solution;
    use crate::board::tests::board;
    use crate::classic::Method;
    use crate::fuzz::{at, fuzz, list, within};

    /// The steps of each method are those that its search counts, on boards without given queens and blocked squares.
    #[test]
    fn the_trace_of_a_method_has_its_visits_and_tests() {
        for &method in Method::ALL {
            for size in 1..=7 {
                let trace = Trace::of(method, board(size));
                assert_eq!(trace.is_some(), method.is_backtracking(), "{method}");
                let Some(trace) = trace else { continue };
                let effort = method.search(board(size), |_| std::ops::ControlFlow::Continue(()));
                let (mut placed, mut tests, mut solutions) = (0, 0, 0);
                for step in trace {
                    placed += u64::from(matches!(step, Step::Place { .. }));
                    let is_test = match method {
                        Method::EarlierQueens => matches!(step, Step::Compare { .. } | Step::Conflict { .. }),
                        Method::FlagArrays => matches!(step, Step::Place { .. } | Step::Conflict { .. }),
                        _ => false,
                    };
                    tests += u64::from(is_test);
                    solutions += u64::from(matches!(step, Step::Solution { .. }));
                }
                let found = (placed + 1, tests, solutions);
                assert_eq!(found, (effort.visited, effort.tests, effort.solutions), "{method}, N = {size}");
            }
        }
    }

    /// Returns the flags of one kind of lines if only the lines of these queens are marked.
    fn flags_of(line: Line, board: Board, queens: &[usize]) -> Vec<bool> {
        let lines = if line == Line::Column { board.size() } else { 2 * board.size() - 1 };
        let mut flags = vec![false; lines];
        queens.iter().enumerate().for_each(|(row, &column)| flags[line.index(board, row, column)] = true);
        flags
    }

    /// Every method finds the solutions of a board with given queens and blocked squares. At each step a placed queen
    /// stands where the setup allows her and no other attacks her, a conflict names a queen that attacks, and the
    /// arrays agree with the board.
    #[test]
    fn fuzz_a_trace_keeps_to_its_setup() {
        fuzz(256, |random| {
            let size = within(random, 1..7);
            let squares = list(random, 0..6, |random| (at(random, 6), at(random, 6), random.below(2) > 0));
            let mut setup = Setup::new(board(size));
            for (row, column, is_queen) in squares {
                let next = if is_queen { setup.with_queen(row, column) } else { setup.with_blocked(row, column) };
                setup = next.unwrap_or(setup);
            }
            for method in [Method::EarlierQueens, Method::FlagArrays, Method::BitMasks] {
                let mut trace = Trace::of(method, setup).unwrap();
                let (mut found, mut last) = (Vec::new(), None);
                while let Some(step) = trace.next() {
                    let queens = trace.position().queens();
                    let is_free = |row: usize, column: usize| {
                        let mut earlier = queens[..row].iter().copied().enumerate();
                        setup.allows(row, column) && earlier.all(|queen| Line::between(queen, (row, column)).is_none())
                    };
                    match step {
                        Step::Solution { .. } => found.push(Solution::new(queens).unwrap()),
                        Step::Place { row, column } => assert!(row + 1 == queens.len() && is_free(row, column)),
                        Step::Blocked { row, column } => assert!(!setup.allows(row, column)),
                        Step::Free { row, columns } => {
                            let is_right =
                                |column| (columns >> column & 1 == 1) == (column < size && is_free(row, column));
                            assert!((0..32).all(is_right));
                        }
                        Step::Conflict { row, column, queen, line } => {
                            assert_eq!(row, queens.len());
                            assert_eq!(Line::between((queen, queens[queen]), (row, column)), Some(line));
                        }
                        Step::Unmark { row, .. } | Step::Backtrack { row } => assert_eq!(row, queens.len()),
                        _ => {}
                    }
                    let marked = match step {
                        _ if method != Method::FlagArrays => &[],
                        Step::Place { row, .. } => &queens[..row],
                        _ => queens,
                    };
                    for line in [Line::Column, Line::Diagonal, Line::AntiDiagonal] {
                        assert_eq!(trace.position().flags(line), flags_of(line, setup.board(), marked));
                    }
                    last = Some(step);
                }
                assert_eq!((last, trace.next()), (Some(Step::Backtrack { row: 0 }), None));
                assert!(setup.solutions().eq(found), "{method} {setup}");
            }
        });
    }

    #[test]
    fn steps_are_told_in_words() {
        let told = |step: Step| format!("{}: {}", step.kind(), step.describe(board(4)));
        let conflict = Step::Conflict { row: 2, column: 1, queen: 1, line: Line::AntiDiagonal };
        for (step, words) in [
            (conflict, "conflict: row 2, column 1 is attacked by the queen of row 1 along the anti-diagonal"),
            (
                Step::Unmark { row: 2, column: 0 },
                "unmark: the queen of row 2 is taken back: column 0, anti-diagonal 2 and diagonal 5 are unmarked",
            ),
            (Step::Backtrack { row: 3 }, "backtrack: no column of row 3 is left to try: back to row 2"),
            (Step::Free { row: 1, columns: 0b1010 }, "free: row 1 is free in columns 1, 3"),
            (Step::Free { row: 1, columns: 0b1000 }, "free: row 1 is free in column 3"),
            (Step::Free { row: 2, columns: 0 }, "free: row 2 has no free square"),
            (
                Step::Compare { row: 2, column: 0, queen: 1 },
                "compare: row 2, column 0 is not attacked by the queen of row 1",
            ),
            (
                Step::Blocked { row: 2, column: 0 },
                "blocked: row 2, column 0 is passed over: it is blocked, or its row has a given queen",
            ),
            (Step::Remove { row: 2, column: 0 }, "remove: the queen of row 2 is taken back"),
        ] {
            assert_eq!(told(step), words);
        }
    }
}
