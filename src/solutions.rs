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
/// # Ok::<(), nqueens::InputError>(())
/// ```
pub fn solutions(board: Board) -> Solutions {
    Setup::new(board).solutions()
}

impl Setup {
    /// Returns the solutions in lexicographic order, as [`solutions`] does for a board.
    ///
    /// ```
    /// use nqueens::Setup;
    ///
    /// let setup: Setup = "..Q.\n....\n....\n....".parse()?;
    /// assert_eq!(setup.solutions().next().unwrap().to_string(), "[2, 0, 3, 1]");
    /// # Ok::<(), nqueens::InputError>(())
    /// ```
    pub fn solutions(&self) -> Solutions {
        let (size, open) = (self.board().size(), self.open());
        let mut rows = Vec::with_capacity(size);
        rows.push(Row { left: open[0], ..Row::default() });
        Solutions { size, open, rows }
    }
}

/// An iterator over the solutions of a board in lexicographic order, made by [`solutions`].
///
/// ```
/// use nqueens::{Board, solutions};
///
/// assert_eq!(solutions(Board::new(8)?).count(), 92);
/// # Ok::<(), nqueens::InputError>(())
/// ```
// This search shares no code with the engines, so that they can be checked against it.
#[derive(Clone, Debug)]
pub struct Solutions {
    size: usize,
    /// For each row, a bit for each column in which its queen may stand.
    open: [u32; Board::MAX_SIZE],
    /// The rows that are entered.
    rows: Vec<Row>,
}

/// A row of the search. Bit *j* of each set is column *j*.
#[derive(Clone, Debug, Default)]
struct Row {
    /// The columns that are still to be tried.
    left: u32,
    /// The column that is tried.
    queen: u32,
    /// The columns that the queens of the rows above attack, along columns and the two diagonals.
    attacked: [u32; 3],
}

impl Solutions {
    /// Searches for the next solution, as `next` does. The search asks `stop` whenever it enters or leaves a row, and a
    /// later call continues it where it stopped.
    ///
    /// # Errors
    /// When `stop` returns true.
    #[expect(clippy::missing_panics_doc, reason = "queens are placed on free squares only")]
    pub fn next_unless(&mut self, mut stop: impl FnMut() -> bool) -> Result<Option<Solution>, Cancelled> {
        loop {
            if stop() {
                return Err(Cancelled);
            }
            let depth = self.rows.len();
            let Some(row) = self.rows.last_mut() else { return Ok(None) };
            row.queen = row.left & row.left.wrapping_neg();
            row.left ^= row.queen;
            if row.queen == 0 {
                self.rows.pop();
            } else if depth == self.size {
                let columns: Vec<usize> = self.rows.iter().map(|row| row.queen.trailing_zeros() as usize).collect();
                return Ok(Some(Solution::new(&columns).expect("queens are placed on free squares only")));
            } else {
                let [columns, right, left] = row.attacked;
                let attacked = [columns | row.queen, (right | row.queen) << 1, (left | row.queen) >> 1];
                let left = self.open[depth] & !(attacked[0] | attacked[1] | attacked[2]);
                self.rows.push(Row { left, queen: 0, attacked });
            }
        }
    }
}

impl Iterator for Solutions {
    type Item = Solution;

    fn next(&mut self) -> Option<Solution> {
        self.next_unless(|| false).expect("it is never stopped")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(search.next(), None, "it stays exhausted");
            assert!(all.into_iter().eq(solutions(board)), "stopped every {patience} looks");
        }
        assert!(stopped > 100);
    }
}
