//! The solutions of a board, one after another.

use crate::board::{Board, Solution};
use crate::cancel::Cancelled;
use crate::setup::Setup;

/// Returns the solutions of `board` in lexicographic order. Each is searched for when it is asked for; memory does not
/// grow with their number.
///
/// ```
/// use nqueens::{Board, solutions};
///
/// let mut eight = solutions(Board::new(8)?);
/// assert_eq!(eight.next().unwrap().to_string(), "[0, 4, 7, 5, 2, 6, 1, 3]");
/// assert_eq!(eight.count(), 91);
/// # Ok::<(), nqueens::BoardError>(())
/// ```
pub fn solutions(board: Board) -> Solutions {
    Solutions {
        board,
        placed: Vec::with_capacity(board.size()),
        next_column: 0,
        columns: 0,
        diagonals: 0,
        antidiagonals: 0,
        open: [u32::MAX; Board::MAX_SIZE],
    }
}

impl Setup {
    /// Returns the solutions in lexicographic order, as [`solutions`] does for a board.
    ///
    /// ```
    /// use nqueens::Setup;
    ///
    /// let setup: Setup = "..Q.\n....\n....\n....".parse()?;
    /// assert_eq!(setup.solutions().next().unwrap().to_string(), "[2, 0, 3, 1]");
    /// # Ok::<(), nqueens::SetupError>(())
    /// ```
    pub fn solutions(&self) -> Solutions {
        Solutions { open: self.open(), ..solutions(self.board()) }
    }
}

/// An iterator over the solutions of a board in lexicographic order, made by [`solutions`].
///
/// ```
/// use nqueens::{Board, solutions};
///
/// assert_eq!(solutions(Board::new(8)?).count(), 92);
/// # Ok::<(), nqueens::BoardError>(())
/// ```
// It shares no code with the engines, so that they can be checked against it.
#[derive(Clone, Debug)]
pub struct Solutions {
    board: Board,
    /// The columns of the queens placed, from row 0 on.
    placed: Vec<usize>,
    /// The first column not yet tried in the next row.
    next_column: usize,
    /// Bit *j* is set if column *j* has a queen.
    columns: u32,
    /// Bit *row + N − 1 − column*.
    diagonals: u64,
    /// Bit *row + column*.
    antidiagonals: u64,
    /// For each row, the columns in which its queen may stand.
    open: [u32; Board::MAX_SIZE],
}

impl Solutions {
    /// Sets the bits of a queen's lines, or clears them again.
    fn toggle(&mut self, row: usize, column: usize) {
        self.columns ^= 1 << column;
        self.diagonals ^= 1 << (row + self.board.size() - 1 - column);
        self.antidiagonals ^= 1 << (row + column);
    }

    fn is_free(&self, row: usize, column: usize) -> bool {
        self.open[row] >> column & 1 == 1
            && self.columns >> column & 1 == 0
            && self.diagonals >> (row + self.board.size() - 1 - column) & 1 == 0
            && self.antidiagonals >> (row + column) & 1 == 0
    }

    /// Searches for the next solution, as `next` does. The search asks `stop` whenever it enters or leaves a row, and a
    /// later call continues it where it stopped.
    ///
    /// # Errors
    /// When `stop` returns true.
    #[doc(hidden)]
    pub fn next_unless(&mut self, mut stop: impl FnMut() -> bool) -> Result<Option<Solution>, Cancelled> {
        let size = self.board.size();
        loop {
            if stop() {
                return Err(Cancelled);
            }
            let row = self.placed.len();
            let free =
                if row == size { None } else { (self.next_column..size).find(|&column| self.is_free(row, column)) };
            if let Some(column) = free {
                self.toggle(row, column);
                self.placed.push(column);
                self.next_column = 0;
                if row + 1 == size {
                    let solution = Solution::new(&self.placed).expect("queens are placed on free squares only");
                    return Ok(Some(solution));
                }
            } else {
                let Some(column) = self.placed.pop() else { return Ok(None) };
                self.toggle(row - 1, column);
                self.next_column = column + 1;
            }
        }
    }
}

impl std::iter::FusedIterator for Solutions {}

impl Iterator for Solutions {
    type Item = Solution;

    fn next(&mut self) -> Option<Solution> {
        self.next_unless(|| false).expect("it is never stopped")
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
            let mut search = solutions(board);
            let all: Vec<_> = search.by_ref().collect();
            assert_eq!(search.next(), None, "it stays exhausted");
            assert_eq!(Some(all.len() as u128), published::total(board), "N = {board}");
            assert!(all.is_sorted_by(|a, b| a < b), "N = {board}");
        }
    }

    #[test]
    fn a_search_that_is_stopped_anywhere_is_continued() {
        let board = Board::new(6).unwrap();
        let mut stopped = 0;
        for patience in 1..50 {
            let mut search = solutions(board);
            let mut all = Vec::new();
            loop {
                let mut looks = 0;
                let found = search.next_unless(|| {
                    looks += 1;
                    looks > patience
                });
                match found {
                    Ok(Some(solution)) => all.push(solution),
                    Ok(None) => break,
                    Err(Cancelled) => stopped += 1,
                }
            }
            assert!(all.into_iter().eq(solutions(board)), "stopped every {patience} looks");
        }
        assert!(stopped > 100);
    }
}
