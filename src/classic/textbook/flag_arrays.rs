//! Backtracking with three arrays of flags: a flag for each column, each diagonal and each anti-diagonal.

use crate::board::{Board, Line};
use crate::classic::textbook::{Definition, Search};
use std::ops::ControlFlow::{self, Continue};

/// Places queens row by row. A queen marks its column, its diagonal and its anti-diagonal, and unmarks them when it is
/// taken back; a square is free if none of its three lines is marked.
pub(super) static METHOD: Definition = Definition {
    name: "flag-arrays",
    summary: "backtracking, a flag for each column and diagonal",
    candidates: None,
    counts_tests: true,
    run: |board, search| fill_next_row(&mut Vec::new(), &mut Flags::new(board), search),
};

/// Tries every column of the first row without a queen. `queens` are the columns of the queens placed, from row 0 on.
fn fill_next_row(queens: &mut Vec<usize>, flags: &mut Flags, search: &mut Search<'_>) -> ControlFlow<()> {
    search.visit()?;
    let row = queens.len();
    if row == flags.board.size() {
        return search.solution(queens);
    }
    for column in 0..flags.board.size() {
        search.test();
        if flags.marked_line(row, column).is_none() {
            queens.push(column);
            flags.set_lines(row, column, true);

            fill_next_row(queens, flags, search)?;

            flags.set_lines(row, column, false);
            queens.pop();
        }
    }
    Continue(())
}

/// The three arrays: a flag for each line of the board that may hold a queen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::classic) struct Flags {
    board: Board,
    /// The flags of the N columns.
    pub(in crate::classic) columns: Vec<bool>,
    /// The flags of the 2N − 1 anti-diagonals, by row + column, from 0 to 2N − 2.
    pub(in crate::classic) antidiagonals: Vec<bool>,
    /// The flags of the 2N − 1 diagonals, by row − column + N − 1, from 0 to 2N − 2.
    pub(in crate::classic) diagonals: Vec<bool>,
}

impl Flags {
    pub(in crate::classic) fn new(board: Board) -> Self {
        let size = board.size();
        let diagonals = vec![false; 2 * size - 1];
        Self { board, columns: vec![false; size], antidiagonals: diagonals.clone(), diagonals }
    }

    /// Marks the lines of a queen on this square, or unmarks them.
    pub(in crate::classic) fn set_lines(&mut self, row: usize, column: usize, flag: bool) {
        self.columns[column] = flag;
        self.antidiagonals[row + column] = flag;
        self.diagonals[row + self.board.size() - 1 - column] = flag;
    }

    /// Returns the first line of the square that is marked: its column, its anti-diagonal or its diagonal. Rows need no
    /// flags, because a row gets one queen.
    pub(in crate::classic) fn marked_line(&self, row: usize, column: usize) -> Option<Line> {
        if self.columns[column] {
            Some(Line::Column)
        } else if self.antidiagonals[row + column] {
            Some(Line::AntiDiagonal)
        } else if self.diagonals[row + self.board.size() - 1 - column] {
            Some(Line::Diagonal)
        } else {
            None
        }
    }
}
