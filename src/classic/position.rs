//! The board and the arrays of flags between two steps of a search.

use super::step::Step;
use super::textbook::flag_arrays::Flags;
use crate::board::{Board, Line};

/// The state of a search between two [steps](Step): the queens placed and, in the search with three arrays of flags, the
/// lines marked.
///
/// ```
/// use nqueens::{Board, classic::{Line, Position, Step}};
///
/// let mut position = Position::new(Board::new(4)?);
/// position.apply(&Step::Place { row: 0, column: 1 });
/// position.apply(&Step::Mark { row: 0, column: 1 });
/// assert_eq!(position.queens(), [1]);
/// assert!(position.is_attacked(1, 2));
/// assert_eq!(position.flags(Line::Column), [false, true, false, false]);
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    board: Board,
    queens: Vec<usize>,
    pub(super) flags: Flags,
}

impl Position {
    /// Returns the position before the first step: no queen, nothing marked.
    pub fn new(board: Board) -> Self {
        Self { board, queens: Vec::with_capacity(board.size()), flags: Flags::new(board) }
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the columns of the queens placed, from row 0 on. The lines of the last one are not marked yet between
    /// its `Place` and its `Mark`.
    pub fn queens(&self) -> &[usize] {
        &self.queens
    }

    /// Returns the flags of the lines of one kind, each at its [index](Line::index). Rows have no flags: the slice is
    /// empty.
    pub fn flags(&self, line: Line) -> &[bool] {
        match line {
            Line::Row => &[],
            Line::Column => &self.flags.columns,
            Line::Diagonal => &self.flags.diagonals,
            Line::AntiDiagonal => &self.flags.antidiagonals,
        }
    }

    /// Returns true if a line of the square is marked.
    ///
    /// # Panics
    /// When the square is not on the board.
    pub fn is_attacked(&self, row: usize, column: usize) -> bool {
        self.flags.marked_line(row, column).is_some()
    }

    /// Makes a step.
    ///
    /// # Panics
    /// When the square of the step is not on the board.
    pub fn apply(&mut self, step: &Step) {
        match *step {
            Step::Place { column, .. } => self.queens.push(column),
            Step::Mark { row, column } => self.flags.set_lines(row, column, true),
            Step::Unmark { row, column } => {
                self.flags.set_lines(row, column, false);
                self.queens.pop();
            }
            Step::Remove { .. } => {
                self.queens.pop();
            }
            _ => {}
        }
    }
}
