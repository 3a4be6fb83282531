//! Boards and solutions. Every value of these types is valid: it is checked when it is made.

use crate::names::InputError;
use std::fmt;
use std::str::FromStr;

/// An N × N chess board, N from [`Board::MIN_SIZE`] to [`Board::MAX_SIZE`].
///
/// Rows and columns are numbered from 0. The square in row *i* and column *j* lies on the diagonal *i* − *j* and on
/// the anti-diagonal *i* + *j*.
///
/// ```
/// use nqueens::Board;
///
/// let board = Board::new(8)?;
/// assert_eq!(board.size(), 8);
/// assert_eq!("8".parse(), Ok(board));
/// assert!(Board::try_from(33).is_err());
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "usize", into = "usize"))]
pub struct Board(u8);

impl Board {
    /// The smallest size: one square.
    pub const MIN_SIZE: usize = 1;
    /// The largest size: the columns of a row are the bits of a `u32`.
    pub const MAX_SIZE: usize = 32;

    /// Returns the board of `size` rows and columns.
    ///
    /// # Errors
    /// When `size` is not in 1..=32.
    pub fn new(size: usize) -> Result<Self, InputError> {
        Self::of(size).ok_or_else(|| Self::refused(size))
    }

    fn of(size: usize) -> Option<Self> {
        (Self::MIN_SIZE..=Self::MAX_SIZE).contains(&size).then_some(Self(size as u8))
    }

    fn refused(given: impl fmt::Display) -> InputError {
        let right = format_args!("a whole number from {} to {}", Self::MIN_SIZE, Self::MAX_SIZE);
        InputError::no("board size", given, right)
    }

    /// Returns the number of rows, which is the number of columns and of queens.
    pub fn size(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the columns as a set of bits: bit *j* is column *j*.
    pub fn columns(self) -> u32 {
        u32::MAX >> (Self::MAX_SIZE - self.size())
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<usize> for Board {
    type Error = InputError;

    fn try_from(size: usize) -> Result<Self, InputError> {
        Self::new(size)
    }
}

impl From<Board> for usize {
    fn from(board: Board) -> usize {
        board.size()
    }
}

impl FromStr for Board {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        text.parse().ok().and_then(Self::of).ok_or_else(|| Self::refused(text))
    }
}

/// The kinds of lines along which two queens attack each other.
///
/// ```
/// use nqueens::{Board, classic::Line};
///
/// // The long diagonal, and a corner.
/// assert_eq!(Line::Diagonal.index(Board::new(8)?, 3, 3), 7);
/// assert_eq!(Line::AntiDiagonal.index(Board::new(8)?, 0, 0), 0);
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Line {
    /// The same row.
    Row,
    /// The same column.
    Column,
    /// The same *row − column*.
    Diagonal,
    /// The same *row + column*.
    AntiDiagonal,
}

impl Line {
    /// Returns the line along which queens on the squares `a` and `b` (row, column) attack each other, if they do. Two
    /// queens on one square share a row.
    pub fn between(a: (usize, usize), b: (usize, usize)) -> Option<Self> {
        if a.0 == b.0 {
            Some(Line::Row)
        } else if a.1 == b.1 {
            Some(Line::Column)
        } else if a.0 + b.1 == b.0 + a.1 {
            Some(Line::Diagonal)
        } else if a.0 + a.1 == b.0 + b.1 {
            Some(Line::AntiDiagonal)
        } else {
            None
        }
    }

    /// Returns the number of the line of this kind through the square, from 0: *row*, *column*, *row + column* for the
    /// 2N − 1 anti-diagonals and *row − column + N − 1* for the 2N − 1 diagonals.
    ///
    /// # Panics
    /// May panic when the square is not on the board.
    pub fn index(self, board: Board, row: usize, column: usize) -> usize {
        match self {
            Line::Row => row,
            Line::Column => column,
            Line::Diagonal => row + board.size() - 1 - column,
            Line::AntiDiagonal => row + column,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Line::Row => "row",
            Line::Column => "column",
            Line::Diagonal => "diagonal",
            Line::AntiDiagonal => "anti-diagonal",
        })
    }
}

/// N queens on an N × N board, none attacking another: the column of the queen of each row. Solutions of one board are
/// ordered lexicographically.
///
/// ```
/// use nqueens::Solution;
///
/// let solution = Solution::new(&[1, 3, 0, 2])?;
/// assert_eq!((solution.to_string(), solution.columns().nth(1)), ("[1, 3, 0, 2]".to_owned(), Some(3)));
/// assert!(Solution::new(&[0, 1, 2, 3]).is_err(), "two queens attack each other");
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<usize>", into = "Vec<usize>"))]
pub struct Solution {
    columns: [u8; Board::MAX_SIZE],
    board: Board,
}

impl Solution {
    /// Returns the solution whose queen of row *i* stands in column `columns[i]`.
    ///
    /// # Errors
    /// When there are fewer than 1 or more than 32 rows, a column is not on the board, or two queens attack each other.
    pub fn new(columns: &[usize]) -> Result<Self, InputError> {
        let size = columns.len();
        let board = Board::new(size)?;
        let mut stored = [0; Board::MAX_SIZE];
        for (row, &column) in columns.iter().enumerate() {
            if column >= size {
                let last = size - 1;
                return Err(InputError::new(format!(
                    "the queen of row {row} is in column {column}, but columns are numbered from 0 to {last}"
                )));
            }
            for (earlier, &other) in columns[..row].iter().enumerate() {
                if let Some(line) = Line::between((earlier, other), (row, column)) {
                    return Err(InputError::new(format!(
                        "the queens of rows {earlier} and {row} attack each other along the same {line}"
                    )));
                }
            }
            stored[row] = column as u8;
        }
        Ok(Self { columns: stored, board })
    }

    /// Returns the board of the solution.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the column of the queen of each row, from row 0 on.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.as_ref().iter().map(|&column| usize::from(column))
    }
}

/// The columns of [`Solution::columns`].
impl AsRef<[u8]> for Solution {
    fn as_ref(&self) -> &[u8] {
        &self.columns[..self.board.size()]
    }
}

/// The column of the queen of a row.
impl TryFrom<Vec<usize>> for Solution {
    type Error = InputError;

    fn try_from(columns: Vec<usize>) -> Result<Self, InputError> {
        Self::new(&columns)
    }
}

impl From<Solution> for Vec<usize> {
    fn from(solution: Solution) -> Self {
        solution.columns().collect()
    }
}

impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.columns()).finish()
    }
}

impl fmt::Debug for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Solution({self})")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a board for a test.
    pub(crate) fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    #[test]
    fn sizes_1_to_32_are_boards_and_no_others() {
        for size in 0..100 {
            assert_eq!(Board::new(size).is_ok(), (1..=32).contains(&size), "{size}");
        }
        assert!(Board::new(usize::MAX).is_err());
    }

    #[test]
    fn text_is_read_as_a_board_or_refused_with_the_reason() {
        assert_eq!("8".parse(), Board::new(8));
        assert_eq!("032".parse(), Board::new(32));
        for text in ["0", "33", "-5", "99999999999999999999999", "", "eight", "8.0", "8 ", "0x8"] {
            let refused = format!("'{text}' is no board size; give a whole number from 1 to 32");
            assert_eq!(text.parse::<Board>().unwrap_err().to_string(), refused);
        }
    }

    #[test]
    fn what_is_no_solution_is_refused_with_the_reason() {
        let refused = |columns: &[usize]| Solution::new(columns).unwrap_err().to_string();
        assert_eq!(refused(&[]), "'0' is no board size; give a whole number from 1 to 32");
        assert_eq!(refused(&[0; 33]), "'33' is no board size; give a whole number from 1 to 32");
        assert_eq!(refused(&[1, 3, 0, 4]), "the queen of row 3 is in column 4, but columns are numbered from 0 to 3");
        assert_eq!(refused(&[1, 3, 1, 2]), "the queens of rows 0 and 2 attack each other along the same column");
        assert_eq!(refused(&[0, 1, 3, 2]), "the queens of rows 0 and 1 attack each other along the same diagonal");
        assert_eq!(refused(&[1, 3, 2, 0]), "the queens of rows 1 and 2 attack each other along the same anti-diagonal");
    }

    /// A queen moves any number of steps in one of eight directions.
    #[test]
    fn queens_attack_exactly_the_squares_they_can_move_to() {
        let directions = [(0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)];
        let squares = || (0..12).flat_map(|row| (0..12).map(move |column| (row, column)));
        for (a, b) in squares().flat_map(|a: (usize, usize)| squares().map(move |b: (usize, usize)| (a, b))) {
            let reachable = directions.iter().any(|&(down, right)| {
                (0..12).any(|steps| {
                    let reached = (a.0.checked_add_signed(down * steps), a.1.checked_add_signed(right * steps));
                    reached == (Some(b.0), Some(b.1))
                })
            });
            assert_eq!(Line::between(a, b).is_some(), reachable, "{a:?} {b:?}");
            assert_eq!(Line::between(a, b), Line::between(b, a));
        }
    }
}
