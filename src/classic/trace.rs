//! The search with three arrays of flags, step by step.

use crate::board::{Board, Line, attack};
use crate::classic::Position;
use std::iter::FusedIterator;

/// A step of the search with three arrays of flags.
///
/// ```
/// use nqueens::{Board, classic::{Step, Trace}};
///
/// let steps = Trace::new(Board::new(4)?);
/// let placed = steps.filter(|step| matches!(step, Step::Place { .. })).count();
/// assert_eq!(placed, 16);
/// # Ok::<(), nqueens::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "kind", rename_all = "lowercase"))]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Step {
    /// A square is looked at and found attacked.
    Conflict {
        /// The row of the square.
        row: usize,
        /// The column of the square.
        column: usize,
        /// The row of the queen that attacks it.
        queen: usize,
        /// The line that is marked: the first of the square's column, anti-diagonal and diagonal.
        line: Line,
    },
    /// A square is looked at and found free, and a queen is placed on it.
    Place {
        /// The row of the queen.
        row: usize,
        /// The column of the queen.
        column: usize,
    },
    /// The column, the anti-diagonal and the diagonal of the queen just placed are marked.
    Mark {
        /// The row of the queen.
        row: usize,
        /// The column of the queen.
        column: usize,
    },
    /// The last queen is taken back, and its column, its anti-diagonal and its diagonal are unmarked.
    Unmark {
        /// The row of the queen.
        row: usize,
        /// The column of the queen.
        column: usize,
    },
    /// Every column of a row has been tried, so the search goes back to the row above. In row 0 the search is over.
    Backtrack {
        /// The row.
        row: usize,
    },
    /// Every row has a queen.
    Solution {
        /// The number of solutions found up to here.
        number: u64,
    },
}

impl Step {
    /// Returns the word for steps of this kind, such as `conflict`.
    pub fn kind(&self) -> &'static str {
        match self {
            Step::Conflict { .. } => "conflict",
            Step::Place { .. } => "place",
            Step::Mark { .. } => "mark",
            Step::Unmark { .. } => "unmark",
            Step::Backtrack { .. } => "backtrack",
            Step::Solution { .. } => "solution",
        }
    }

    /// Returns a sentence for the step on `board`.
    pub fn describe(&self, board: Board) -> String {
        let lines = |row: usize, column: usize| {
            let index = |line: Line| line.index(board, row, column);
            let (antidiagonal, diagonal) = (index(Line::AntiDiagonal), index(Line::Diagonal));
            format!("column {column}, anti-diagonal {antidiagonal} and diagonal {diagonal}")
        };
        match *self {
            Step::Conflict { row, column, queen, line } => {
                format!("row {row}, column {column} is attacked by the queen of row {queen} along the {line}")
            }
            Step::Place { row, column } => format!("row {row}, column {column} is free: a queen is placed there"),
            Step::Mark { row, column } => format!("{} are marked", lines(row, column)),
            Step::Unmark { row, column } => {
                format!("the queen of row {row} is taken back: {} are unmarked", lines(row, column))
            }
            Step::Backtrack { row: 0 } => "no column of row 0 is left to try: the search is over".to_owned(),
            Step::Backtrack { row } => format!("no column of row {row} is left to try: back to row {}", row - 1),
            Step::Solution { number } => format!("every row has a queen: solution {number}"),
        }
    }
}

/// An iterator over the [steps](Step) of a whole search: [`Method::FlagArrays`](crate::classic::Method::FlagArrays) in
/// slow motion.
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
/// # Ok::<(), nqueens::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    position: Position,
    last: Option<Step>,
    solutions: u64,
}

impl Trace {
    /// Returns the trace of the search for all solutions of `board`, before its first step.
    pub fn new(board: Board) -> Self {
        Self { position: Position::new(board), last: None, solutions: 0 }
    }

    /// Returns the position that the last step led to.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Looks at a square of the first row without a queen.
    fn look_at(&self, column: usize) -> Step {
        let queens = self.position.queens();
        let row = queens.len();
        let Some(line) = self.position.flags.marked_line(row, column) else { return Step::Place { row, column } };
        // The arrays do not say which queen has marked a line. At most one has.
        let marked_it = |&queen: &usize| attack((queen, queens[queen]), (row, column)) == Some(line);
        let queen = (0..row).find(marked_it).expect("a queen stands on each marked line");
        Step::Conflict { row, column, queen, line }
    }
}

impl Iterator for Trace {
    type Item = Step;

    /// Makes the next step, which follows from the position and the last step.
    fn next(&mut self) -> Option<Step> {
        let size = self.position.board().size();
        let queens = self.position.queens();
        let step = match self.last {
            Some(Step::Place { row, column }) => Step::Mark { row, column },
            Some(Step::Mark { .. }) if queens.len() == size => {
                self.solutions += 1;
                Step::Solution { number: self.solutions }
            }
            None | Some(Step::Mark { .. }) => self.look_at(0),
            Some(Step::Conflict { column, .. } | Step::Unmark { column, .. }) if column + 1 < size => {
                self.look_at(column + 1)
            }
            Some(Step::Conflict { .. } | Step::Unmark { .. }) => Step::Backtrack { row: queens.len() },
            Some(Step::Backtrack { .. } | Step::Solution { .. }) => {
                let (row, &column) = queens.iter().enumerate().next_back()?;
                Step::Unmark { row, column }
            }
        };
        self.position.apply(&step);
        self.last = Some(step);
        Some(step)
    }
}

impl FusedIterator for Trace {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Solution;
    use crate::classic::Method;
    use crate::solutions;
    use proptest::prelude::*;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    fn trace(size: usize) -> Trace {
        Trace::new(board(size))
    }

    /// A trace has a node for the empty board and for each queen placed, and a test for each square looked at.
    #[test]
    fn a_trace_has_the_steps_of_the_textbook_method() {
        for size in 1..=8 {
            let effort = Method::FlagArrays.search(board(size), |_| std::ops::ControlFlow::Continue(()));
            let (mut placed, mut conflicts) = (0, 0);
            for step in trace(size) {
                placed += u64::from(matches!(step, Step::Place { .. }));
                conflicts += u64::from(matches!(step, Step::Conflict { .. }));
            }
            assert_eq!((placed + 1, placed + conflicts), (effort.visited, effort.tests), "N = {size}");
        }
    }

    #[test]
    fn the_queens_of_a_solution_step_are_the_solution_and_a_trace_ends_in_row_0() {
        for size in 1..=8 {
            let mut trace = trace(size);
            let (mut found, mut last) = (Vec::new(), None);
            while let Some(step) = trace.next() {
                if let Step::Solution { .. } = step {
                    found.push(Solution::new(trace.position().queens()).unwrap());
                }
                last = Some(step);
            }
            assert_eq!(last, Some(Step::Backtrack { row: 0 }), "N = {size}");
            assert!(solutions(board(size)).eq(found), "N = {size}");
            assert_eq!(*trace.position(), Position::new(board(size)), "every mark has been unmarked");
            assert_eq!((last, trace.next()), (Some(Step::Backtrack { row: 0 }), None), "N = {size}");
        }
    }

    /// Returns the flags of one kind of lines if only the lines of these queens are marked.
    fn flags_of(line: Line, board: Board, queens: &[usize]) -> Vec<bool> {
        let lines = if line == Line::Column { board.size() } else { 2 * board.size() - 1 };
        let mut flags = vec![false; lines];
        queens.iter().enumerate().for_each(|(row, &column)| flags[line.index(board, row, column)] = true);
        flags
    }

    proptest! {
        /// At every step the arrays agree with the board, a conflict names a queen that attacks, a placed queen is
        /// attacked by none, and marks and unmarks balance.
        #[test]
        fn the_arrays_match_the_board_at_every_step(size in 1_usize..=12, skipped in 0_usize..40_000) {
            let board = board(size);
            let skipped = skipped % Trace::new(board).take(42_000).count().saturating_sub(2_000).max(1);
            let mut trace = Trace::new(board);
            if skipped > 0 {
                trace.nth(skipped - 1);
            }
            let mut marks = trace.position().flags(Line::Column).iter().filter(|&&flag| flag).count();
            for _ in 0..2_000 {
                let before = trace.position().clone();
                let Some(step) = trace.next() else { break };
                let position = trace.position();
                let mut marked = position.queens();
                match step {
                    Step::Place { row, column } => {
                        prop_assert_eq!(row, before.queens().len());
                        let mut queens = before.queens().iter().copied().enumerate();
                        prop_assert!(queens.all(|queen| attack(queen, (row, column)).is_none()));
                        marked = before.queens();
                    }
                    Step::Conflict { row, column, queen, line } => {
                        prop_assert_eq!(row, position.queens().len());
                        prop_assert_eq!(attack((queen, position.queens()[queen]), (row, column)), Some(line));
                    }
                    Step::Mark { .. } => marks += 1,
                    Step::Unmark { row, column } => {
                        marks -= 1;
                        prop_assert_eq!((row, column), (before.queens().len() - 1, *before.queens().last().unwrap()));
                    }
                    Step::Backtrack { row } => prop_assert_eq!(row, position.queens().len()),
                    Step::Solution { .. } => prop_assert_eq!(position.queens().len(), size),
                }
                for line in [Line::Column, Line::Diagonal, Line::AntiDiagonal] {
                    prop_assert_eq!(position.flags(line), flags_of(line, board, marked));
                }
                prop_assert_eq!(marks, marked.len());
            }
        }
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
        ] {
            assert_eq!(told(step), words);
        }
    }
}
