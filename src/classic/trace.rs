//! Every step of the search with three arrays of flags, to be looked at one by one, forwards and backwards.

use crate::board::{Board, Line, attack};
use crate::classic::textbook::Flags;
use crate::classic::textbook::flag_arrays::{Watch, fill_next_row};
use std::fmt;
use std::ops::ControlFlow::{self, Break, Continue};

/// A step of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A square is looked at, and one of its lines is marked: the first of its column, its anti-diagonal and its diagonal.
    Conflict {
        /// The square's row.
        row: usize,
        /// The square's column.
        column: usize,
        /// The row of the queen that has marked the line.
        queen: usize,
        /// The line.
        line: Line,
    },
    /// A square is looked at, and it is free: a queen is placed on it. Its lines are marked in the next step.
    Place {
        /// The queen's row.
        row: usize,
        /// The queen's column.
        column: usize,
    },
    /// The column, the anti-diagonal and the diagonal of the queen placed are marked.
    Mark {
        /// The queen's row.
        row: usize,
        /// The queen's column.
        column: usize,
    },
    /// The last queen is taken back, and its column, its anti-diagonal and its diagonal are unmarked.
    Unmark {
        /// The queen's row.
        row: usize,
        /// The queen's column.
        column: usize,
    },
    /// No column of a row is left to try: the search goes back to the row above. From row 0 there is nowhere to go back to:
    /// it is over.
    Backtrack {
        /// The row.
        row: usize,
    },
    /// Every row has a queen.
    Solution {
        /// How many solutions have been found with this one.
        number: u64,
    },
}

impl Step {
    /// The word for it.
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

    /// What happens, in words, on a board of this size.
    pub fn describe(&self, board: Board) -> impl fmt::Display {
        Described { step: *self, board }
    }
}

struct Described {
    step: Step,
    board: Board,
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |row: usize, column: usize| {
            let (antidiagonal, diagonal) = (row + column, Flags::diagonal(self.board, row, column));
            format!("column {column}, anti-diagonal {antidiagonal} and diagonal {diagonal}")
        };
        match self.step {
            Step::Conflict { row, column, queen, line } => {
                write!(f, "row {row}, column {column} is attacked by the queen of row {queen} along the {line}")
            }
            Step::Place { row, column } => write!(f, "row {row}, column {column} is free: a queen is placed there"),
            Step::Mark { row, column } => write!(f, "{} are marked", lines(row, column)),
            Step::Unmark { row, column } => {
                write!(f, "the queen of row {row} is taken back: {} are unmarked", lines(row, column))
            }
            Step::Backtrack { row: 0 } => write!(f, "no column of row 0 is left to try: the search is over"),
            Step::Backtrack { row } => write!(f, "no column of row {row} is left to try: back to row {}", row - 1),
            Step::Solution { number } => write!(f, "every row has a queen: solution {number}"),
        }
    }
}

/// How far a search is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To the first solution.
    First,
    /// Through the whole tree.
    All,
}

/// Searches `board`, and passes each step to `follow`, who breaks the search off instead of taking a step. Returns whether
/// the search came to its end: to the first solution, or through the whole tree.
pub fn trace(board: Board, until: Until, follow: &mut dyn FnMut(Step) -> ControlFlow<()>) -> bool {
    let mut tracer = Tracer { until, follow, solutions: 0, satisfied: false };
    let end = fill_next_row(&mut Vec::new(), &mut Flags::new(board), &mut tracer);
    end.is_continue() || tracer.satisfied
}

struct Tracer<'a> {
    until: Until,
    follow: &'a mut dyn FnMut(Step) -> ControlFlow<()>,
    solutions: u64,
    /// Whether all has been seen that was asked for.
    satisfied: bool,
}

impl Watch for Tracer<'_> {
    fn conflict(&mut self, queens: &[usize], square: (usize, usize), line: Line) -> ControlFlow<()> {
        let (row, column) = square;
        // The arrays do not know which queen has marked a line; on a line there is one at most.
        let marked = |&(row, column): &(usize, &usize)| attack((row, *column), square) == Some(line);
        let (queen, _) = queens.iter().enumerate().find(marked).expect("a line is marked by a queen on it");
        (self.follow)(Step::Conflict { row, column, queen, line })
    }
    fn place(&mut self, (row, column): (usize, usize)) -> ControlFlow<()> {
        (self.follow)(Step::Place { row, column })
    }
    fn mark(&mut self, (row, column): (usize, usize)) -> ControlFlow<()> {
        (self.follow)(Step::Mark { row, column })
    }
    fn unmark(&mut self, (row, column): (usize, usize)) -> ControlFlow<()> {
        (self.follow)(Step::Unmark { row, column })
    }
    fn backtrack(&mut self, row: usize) -> ControlFlow<()> {
        (self.follow)(Step::Backtrack { row })
    }
    fn solution(&mut self, _queens: &[usize]) -> ControlFlow<()> {
        self.solutions += 1;
        (self.follow)(Step::Solution { number: self.solutions })?;
        self.satisfied = self.until == Until::First;
        if self.satisfied { Break(()) } else { Continue(()) }
    }
}

/// The board and the arrays between two steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    board: Board,
    queens: Vec<usize>,
    flags: Flags,
}

impl Position {
    /// Before the first step: no queen, nothing marked.
    pub fn start(board: Board) -> Self {
        Self { board, queens: Vec::new(), flags: Flags::new(board) }
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The columns of the queens placed, from row 0 on. The lines of the last one are not marked yet between its `Place`
    /// and its `Mark`.
    pub fn queens(&self) -> &[usize] {
        &self.queens
    }

    /// The arrays.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Whether a line of the square is marked.
    pub fn is_attacked(&self, row: usize, column: usize) -> bool {
        self.flags.marked(row, column).is_some()
    }

    /// Goes a step on: the step that comes next in the trace.
    pub fn apply(&mut self, step: &Step) {
        match *step {
            Step::Place { column, .. } => self.queens.push(column),
            Step::Mark { row, column } => self.flags.mark(row, column),
            Step::Unmark { row, column } => {
                self.flags.unmark(row, column);
                self.queens.pop();
            }
            Step::Conflict { .. } | Step::Backtrack { .. } | Step::Solution { .. } => {}
        }
    }

    /// Goes a step back: the step that came last in the trace.
    pub fn undo(&mut self, step: &Step) {
        match *step {
            Step::Place { .. } => {
                self.queens.pop();
            }
            Step::Mark { row, column } => self.flags.unmark(row, column),
            Step::Unmark { row, column } => {
                self.queens.push(column);
                self.flags.mark(row, column);
            }
            Step::Conflict { .. } | Step::Backtrack { .. } | Step::Solution { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Solution;
    use crate::classic::solutions;
    use crate::published;
    use proptest::prelude::*;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    /// The steps of a search, no more than `limit`, and whether it came to its end.
    fn steps(size: usize, until: Until, limit: usize) -> (Vec<Step>, bool) {
        let mut steps = Vec::new();
        let complete = trace(board(size), until, &mut |step| {
            if steps.len() == limit {
                return Break(());
            }
            steps.push(step);
            Continue(())
        });
        (steps, complete)
    }

    /// What a student writes down for the smallest board that takes a step back.
    #[test]
    fn two_queens_by_hand() {
        use Step::{Backtrack, Conflict, Mark, Place, Unmark};
        let (steps, complete) = steps(2, Until::First, usize::MAX);
        let conflict = |column, line| Conflict { row: 1, column, queen: 0, line };
        let by_hand = [
            Place { row: 0, column: 0 },
            Mark { row: 0, column: 0 },
            conflict(0, Line::Column),
            conflict(1, Line::Diagonal),
            Backtrack { row: 1 },
            Unmark { row: 0, column: 0 },
            Place { row: 0, column: 1 },
            Mark { row: 0, column: 1 },
            conflict(0, Line::AntiDiagonal),
            conflict(1, Line::Column),
            Backtrack { row: 1 },
            Unmark { row: 0, column: 1 },
            Backtrack { row: 0 },
        ];
        assert_eq!((steps.as_slice(), complete), (&by_hand[..], true));
    }

    #[test]
    fn a_trace_ends_at_the_first_solution_or_after_all() {
        for size in 1..=8 {
            let total = published::total(board(size)).unwrap();
            let (first, complete) = steps(size, Until::First, usize::MAX);
            assert!(complete);
            assert_eq!(first.last() == Some(&Step::Solution { number: 1 }), total > 0, "N = {size}");
            let (all, complete) = steps(size, Until::All, usize::MAX);
            assert!(complete && all.last() == Some(&Step::Backtrack { row: 0 }), "N = {size}");
            assert!(all.starts_with(&first), "N = {size}");
            let found = all.iter().filter(|step| matches!(step, Step::Solution { .. })).count();
            assert_eq!(found as u128, total, "N = {size}");
        }
    }

    #[test]
    fn a_trace_that_is_broken_off_is_not_complete() {
        let (all, _) = steps(5, Until::First, usize::MAX);
        for limit in 0..all.len() {
            assert_eq!(steps(5, Until::First, limit), (all[..limit].to_vec(), false));
        }
        assert_eq!(steps(5, Until::First, all.len()), (all, true));
    }

    #[test]
    fn the_queens_of_a_solution_step_are_the_solution() {
        for size in 1..=7 {
            let mut position = Position::start(board(size));
            let mut found = Vec::new();
            for step in steps(size, Until::All, usize::MAX).0 {
                position.apply(&step);
                if let Step::Solution { .. } = step {
                    found.push(Solution::new(position.queens()).unwrap());
                }
            }
            assert!(solutions(board(size)).eq(found), "N = {size}");
            assert_eq!(position, Position::start(board(size)), "every mark has been unmarked");
        }
    }

    /// The arrays that these queens, and no others, have marked.
    fn flags_of(board: Board, queens: &[usize]) -> [Vec<bool>; 3] {
        let (size, last) = (board.size(), board.size() - 1);
        let any = |index: usize, line: &dyn Fn((usize, usize)) -> usize| {
            queens.iter().copied().enumerate().any(|queen| line(queen) == index)
        };
        [
            (0..size).map(|index| any(index, &|(_, column)| column)).collect(),
            (0..=2 * last).map(|index| any(index, &|(row, column)| row + column)).collect(),
            (0..=2 * last).map(|index| any(index, &|(row, column)| row + last - column)).collect(),
        ]
    }

    proptest! {
        /// At every step the arrays say what the board says, a conflict names a queen that attacks, a placed queen is
        /// attacked by none, marks and unmarks balance, and going back restores what was before.
        #[test]
        fn the_arrays_match_the_board_at_every_step(size in 1_usize..=12, skipped in 0_usize..40_000) {
            let board = board(size);
            let all = steps(size, Until::All, skipped + 2_000).0;
            let skipped = skipped.min(all.len().saturating_sub(2_000));
            let mut position = Position::start(board);
            all[..skipped].iter().for_each(|step| position.apply(step));
            let mut marks = position.flags().columns().iter().filter(|&&flag| flag).count();
            for step in &all[skipped..] {
                let before = position.clone();
                position.apply(step);
                let mut marked = position.queens();
                match *step {
                    Step::Place { row, column } => {
                        prop_assert_eq!(row, before.queens().len());
                        prop_assert!(before.queens().iter().enumerate().all(|(r, &c)| attack((r, c), (row, column)).is_none()));
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
                let flags = position.flags();
                let arrays = [flags.columns(), flags.antidiagonals(), flags.diagonals()].map(<[bool]>::to_vec);
                prop_assert_eq!(arrays, flags_of(board, marked));
                prop_assert_eq!(marks, marked.len());
                let mut back = position.clone();
                back.undo(step);
                prop_assert_eq!(back, before);
            }
        }
    }

    #[test]
    fn steps_are_told_in_words() {
        let told = |step: Step| format!("{}: {}", step.kind(), step.describe(board(4)));
        let conflict = Step::Conflict { row: 2, column: 1, queen: 1, line: Line::AntiDiagonal };
        for (step, words) in [
            (conflict, "conflict: row 2, column 1 is attacked by the queen of row 1 along the anti-diagonal"),
            (Step::Place { row: 0, column: 3 }, "place: row 0, column 3 is free: a queen is placed there"),
            (Step::Mark { row: 0, column: 3 }, "mark: column 3, anti-diagonal 3 and diagonal 0 are marked"),
            (
                Step::Unmark { row: 2, column: 0 },
                "unmark: the queen of row 2 is taken back: column 0, anti-diagonal 2 and diagonal 5 are unmarked",
            ),
            (Step::Backtrack { row: 3 }, "backtrack: no column of row 3 is left to try: back to row 2"),
            (Step::Backtrack { row: 0 }, "backtrack: no column of row 0 is left to try: the search is over"),
            (Step::Solution { number: 2 }, "solution: every row has a queen: solution 2"),
        ] {
            assert_eq!(told(step), words);
        }
    }
}
