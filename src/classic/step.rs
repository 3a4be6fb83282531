//! The steps of a search.

use crate::board::{Board, Line};

/// A step of a search. The method decides which kinds of steps there are: only
/// [`FlagArrays`](super::Method::FlagArrays) marks lines, only [`EarlierQueens`](super::Method::EarlierQueens) compares
/// queens, and only [`BitMasks`](super::Method::BitMasks) finds all free squares of a row at once.
///
/// ```
/// use nqueens::{Board, classic::{Step, Trace}};
///
/// let steps = Trace::new(Board::new(4)?);
/// let placed = steps.filter(|step| matches!(step, Step::Place { .. })).count();
/// assert_eq!(placed, 16);
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(tag = "kind", rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Step {
    /// A square is passed over: it is blocked, or another queen is given in its row.
    Blocked {
        /// The row of the square.
        row: usize,
        /// The column of the square.
        column: usize,
    },
    /// A square is compared with an earlier queen, which does not attack it.
    Compare {
        /// The row of the square.
        row: usize,
        /// The column of the square.
        column: usize,
        /// The row of the queen.
        queen: usize,
    },
    /// All free squares of a row are found.
    Free {
        /// The row.
        row: usize,
        /// The columns of the free squares: bit *j* is column *j*.
        columns: u32,
    },
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
    /// The last queen is taken back. Nothing was marked for it.
    Remove {
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
            Step::Blocked { .. } => "blocked",
            Step::Compare { .. } => "compare",
            Step::Free { .. } => "free",
            Step::Conflict { .. } => "conflict",
            Step::Place { .. } => "place",
            Step::Mark { .. } => "mark",
            Step::Unmark { .. } => "unmark",
            Step::Remove { .. } => "remove",
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
            Step::Blocked { row, column } => {
                format!("row {row}, column {column} is passed over: it is blocked, or its row has a given queen")
            }
            Step::Compare { row, column, queen } => {
                format!("row {row}, column {column} is not attacked by the queen of row {queen}")
            }
            Step::Free { row, columns: 0 } => format!("row {row} has no free square"),
            Step::Free { row, columns } => {
                let free = (0..board.size()).filter(|column| columns >> column & 1 == 1);
                let free: Vec<String> = free.map(|column| column.to_string()).collect();
                let word = if free.len() == 1 { "column" } else { "columns" };
                format!("row {row} is free in {word} {}", free.join(", "))
            }
            Step::Conflict { row, column, queen, line } => {
                format!("row {row}, column {column} is attacked by the queen of row {queen} along the {line}")
            }
            Step::Place { row, column } => format!("row {row}, column {column} is free: a queen is placed there"),
            Step::Mark { row, column } => format!("{} are marked", lines(row, column)),
            Step::Unmark { row, column } => {
                format!("the queen of row {row} is taken back: {} are unmarked", lines(row, column))
            }
            Step::Remove { row, .. } => format!("the queen of row {row} is taken back"),
            Step::Backtrack { row: 0 } => "no column of row 0 is left to try: the search is over".to_owned(),
            Step::Backtrack { row } => format!("no column of row {row} is left to try: back to row {}", row - 1),
            Step::Solution { number } => format!("every row has a queen: solution {number}"),
        }
    }
}
