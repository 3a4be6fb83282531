//! All solutions of a board, one after another.

use crate::board::{Board, Solution};

/// The solutions of `board` in lexicographic order, found as they are asked for. Memory does not grow with their number.
///
/// ```
/// use nqueens::{Board, search::solutions};
///
/// let first = solutions(Board::new(8)?).next().expect("8 queens can be placed");
/// assert_eq!(first.to_string(), "[0, 4, 7, 5, 2, 6, 1, 3]");
/// # Ok::<(), crate::BoardError>(())
/// ```
pub fn solutions(board: Board) -> Solutions {
    Solutions {
        board,
        placed: Vec::with_capacity(board.size()),
        next_column: 0,
        columns: 0,
        diagonals: 0,
        antidiagonals: 0,
    }
}

/// The iterator that [`solutions`] returns.
///
/// It shares no code with the counting engines, so that they can be checked against it: each column, each diagonal and
/// each anti-diagonal of the board has a bit of its own, set when a queen is placed and cleared when it is taken back.
#[derive(Clone, Debug)]
pub struct Solutions {
    board: Board,
    /// The columns of the queens placed, from row 0 on.
    placed: Vec<usize>,
    /// The first column not yet tried in the next row.
    next_column: usize,
    columns: u32,
    /// Bit *row + N − 1 − column*.
    diagonals: u64,
    /// Bit *row + column*.
    antidiagonals: u64,
}

impl Solutions {
    /// Places the next row's queen in `column`, or takes it back from there.
    fn toggle(&mut self, row: usize, column: usize) {
        self.columns ^= 1 << column;
        self.diagonals ^= 1 << (row + self.board.size() - 1 - column);
        self.antidiagonals ^= 1 << (row + column);
    }

    fn is_free(&self, row: usize, column: usize) -> bool {
        self.columns >> column & 1 == 0
            && self.diagonals >> (row + self.board.size() - 1 - column) & 1 == 0
            && self.antidiagonals >> (row + column) & 1 == 0
    }
}

impl Iterator for Solutions {
    type Item = Solution;

    fn next(&mut self) -> Option<Solution> {
        let size = self.board.size();
        loop {
            let row = self.placed.len();
            let free =
                if row == size { None } else { (self.next_column..size).find(|&column| self.is_free(row, column)) };
            if let Some(column) = free {
                self.toggle(row, column);
                self.placed.push(column);
                self.next_column = 0;
                if row + 1 == size {
                    return Some(Solution::new(&self.placed).expect("queens are placed on free squares only"));
                }
            } else {
                let column = self.placed.pop()?;
                self.toggle(row - 1, column);
                self.next_column = column + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;

    #[test]
    fn there_are_as_many_as_published_and_they_come_in_order() {
        // `Solution::new` has checked each of them against the rules.
        for board in (1..=10).map(|size| Board::new(size).unwrap()) {
            let all: Vec<_> = solutions(board).collect();
            assert_eq!(Some(all.len() as u128), published::total(board), "N = {board}");
            assert!(all.is_sorted_by(|a, b| a < b), "N = {board}");
        }
    }

    #[test]
    fn an_exhausted_iterator_stays_exhausted() {
        let mut all = solutions(Board::new(4).unwrap());
        assert_eq!(all.by_ref().count(), 2);
        assert_eq!(all.next(), None);
    }
}
