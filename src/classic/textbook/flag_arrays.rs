//! Backtracking with three arrays of flags: a flag for each column, each diagonal and each anti-diagonal.

use crate::board::{Board, Line};
use crate::classic::textbook::{Method, Notes, Visits, expected_nodes};
use std::ops::ControlFlow::{self, Continue};

/// Queens are placed row by row. A queen marks its column, its diagonal and its anti-diagonal, and they are unmarked when
/// it is taken back; a square is free when none of its three lines is marked.
pub(super) const METHOD: Method = Method {
    name: "flag-arrays",
    summary: "backtracking, a flag for each column and diagonal",
    visits: Visits::Nodes,
    tests: true,
    expected_visits: expected_nodes,
    run: |board, notes| fill_next_row(&mut Vec::new(), &mut Flags::new(board), notes),
    run_from_random: None,
};

/// The three arrays, for the lines of a board that hold a queen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    board: Board,
    /// By column: N of them.
    columns: Vec<bool>,
    /// By row + column: the 2N − 1 values 0 to 2N − 2.
    antidiagonals: Vec<bool>,
    /// By row − column + N − 1: the 2N − 1 values 0 to 2N − 2.
    diagonals: Vec<bool>,
}

impl Flags {
    /// The arrays of the empty board.
    pub fn new(board: Board) -> Self {
        let size = board.size();
        Self {
            board,
            columns: vec![false; size],
            antidiagonals: vec![false; 2 * size - 1],
            diagonals: vec![false; 2 * size - 1],
        }
    }

    /// Marks the lines of a queen on this square.
    pub fn mark(&mut self, row: usize, column: usize) {
        self.set(row, column, true);
    }

    /// Unmarks the lines of a queen on this square.
    pub fn unmark(&mut self, row: usize, column: usize) {
        self.set(row, column, false);
    }

    fn set(&mut self, row: usize, column: usize, flag: bool) {
        let diagonal = Self::diagonal(self.board, row, column);
        self.columns[column] = flag;
        self.antidiagonals[row + column] = flag;
        self.diagonals[diagonal] = flag;
    }

    /// The first of a square's lines that is marked: its column, its anti-diagonal or its diagonal. Its row is no
    /// question: no queen has been placed there.
    pub fn marked(&self, row: usize, column: usize) -> Option<Line> {
        if self.columns[column] {
            Some(Line::Column)
        } else if self.antidiagonals[row + column] {
            Some(Line::AntiDiagonal)
        } else if self.diagonals[Self::diagonal(self.board, row, column)] {
            Some(Line::Diagonal)
        } else {
            None
        }
    }

    /// The index of a square's diagonal: row − column runs from −(N − 1) to N − 1, so that with N − 1 added it is an index.
    pub fn diagonal(board: Board, row: usize, column: usize) -> usize {
        row + board.size() - 1 - column
    }

    /// The flags of the columns.
    pub fn columns(&self) -> &[bool] {
        &self.columns
    }

    /// The flags of the anti-diagonals, by row + column.
    pub fn antidiagonals(&self) -> &[bool] {
        &self.antidiagonals
    }

    /// The flags of the diagonals, by row − column + N − 1.
    pub fn diagonals(&self) -> &[bool] {
        &self.diagonals
    }
}

/// What the search does, step by step. Who does not care for a step does nothing, at no cost.
pub(in crate::classic) trait Watch {
    /// A node is visited.
    fn visit(&mut self) -> ControlFlow<()> {
        Continue(())
    }
    /// The square's lines are looked up.
    fn test(&mut self) {}
    /// This line of the square is marked.
    fn conflict(&mut self, _queens: &[usize], _square: (usize, usize), _line: Line) -> ControlFlow<()> {
        Continue(())
    }
    /// The square is free and gets a queen.
    fn place(&mut self, _square: (usize, usize)) -> ControlFlow<()> {
        Continue(())
    }
    /// The queen's lines have been marked.
    fn mark(&mut self, _square: (usize, usize)) -> ControlFlow<()> {
        Continue(())
    }
    /// The queen's lines have been unmarked and the queen is taken back.
    fn unmark(&mut self, _square: (usize, usize)) -> ControlFlow<()> {
        Continue(())
    }
    /// No column of this row is left to try.
    fn backtrack(&mut self, _row: usize) -> ControlFlow<()> {
        Continue(())
    }
    /// Every row has a queen: the queens' columns.
    fn solution(&mut self, queens: &[usize]) -> ControlFlow<()>;
}

impl Watch for Notes<'_> {
    fn visit(&mut self) -> ControlFlow<()> {
        self.visit()
    }
    fn test(&mut self) {
        self.test();
    }
    fn solution(&mut self, queens: &[usize]) -> ControlFlow<()> {
        self.solution(queens)
    }
}

/// Tries every column of the first row without a queen. `queens` are the columns of the queens placed, from row 0 on.
pub(in crate::classic) fn fill_next_row<W: Watch>(
    queens: &mut Vec<usize>,
    flags: &mut Flags,
    watch: &mut W,
) -> ControlFlow<()> {
    watch.visit()?;
    let row = queens.len();
    if row == flags.board.size() {
        return watch.solution(queens);
    }
    for column in 0..flags.board.size() {
        watch.test();
        if let Some(line) = flags.marked(row, column) {
            watch.conflict(queens, (row, column), line)?;
            continue;
        }
        watch.place((row, column))?;
        queens.push(column);
        flags.mark(row, column);
        watch.mark((row, column))?;

        fill_next_row(queens, flags, watch)?;

        queens.pop();
        flags.unmark(row, column);
        watch.unmark((row, column))?;
    }
    watch.backtrack(row)
}
