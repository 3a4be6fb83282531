//! Setups: boards with given queens and blocked squares.

use crate::board::{Board, Line, attack};
use crate::symmetry::Symmetry;
use std::fmt;
use std::str::FromStr;

/// A board with given queens and blocked squares. Its solutions have a queen on each of the first, and none on the
/// others.
///
/// The text of a setup is a board as `nqueens solve` prints it, a line for each row: `.` is a free square, `Q` a given
/// queen, `*` or `#` a blocked square. Spaces between squares and blank lines do not matter.
///
/// ```
/// use nqueens::{Board, Job, Setup};
///
/// let setup: Setup = ". . Q .\n....\n....\n....".parse()?;
/// assert_eq!(Job::of_setup(setup).run()?.total, 1);
/// let setup = Setup::new(Board::new(4)?).with_blocked(0, 2)?;
/// assert_eq!(Job::of_setup(setup).run()?.total, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    board: Board,
    /// The rows with a given queen.
    given: u32,
    /// For each row the column of its given queen or, where there is none, the blocked columns.
    rows: [u32; Board::MAX_SIZE],
}

impl Setup {
    /// Returns the board without given queens and blocked squares.
    pub fn new(board: Board) -> Self {
        Self { board, given: 0, rows: [0; Board::MAX_SIZE] }
    }

    /// Gives a queen.
    ///
    /// # Errors
    /// When the square is not on the board or is blocked, or a queen that was given attacks it.
    pub fn with_queen(mut self, row: usize, column: usize) -> Result<Self, SetupError> {
        self.check_square(row, column)?;
        if !self.is_given(row) && self.rows[row] >> column & 1 == 1 {
            return Err(SetupError::Blocked { row, column });
        }
        let attacked = self.queens().find_map(|queen| Some((queen, attack(queen, (row, column))?)));
        if let Some((first, line)) = attacked {
            return Err(SetupError::Attack { first, second: (row, column), line });
        }
        self.given |= 1 << row;
        self.rows[row] = 1 << column;
        Ok(self)
    }

    /// Blocks a square. In the row of a given queen that changes nothing.
    ///
    /// # Errors
    /// When the square is not on the board, or a queen was given there.
    pub fn with_blocked(mut self, row: usize, column: usize) -> Result<Self, SetupError> {
        self.check_square(row, column)?;
        match self.is_given(row) {
            true if self.rows[row] == 1 << column => return Err(SetupError::Blocked { row, column }),
            true => {}
            false => self.rows[row] |= 1 << column,
        }
        Ok(self)
    }

    fn is_given(&self, row: usize) -> bool {
        self.given >> row & 1 == 1
    }

    fn check_square(&self, row: usize, column: usize) -> Result<(), SetupError> {
        let size = self.board.size();
        if row < size && column < size { Ok(()) } else { Err(SetupError::OffBoard { row, column, size }) }
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the squares (row, column) of the given queens, row by row.
    pub fn queens(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = (0..self.board.size()).filter(|&row| self.is_given(row));
        rows.map(|row| (row, self.rows[row].trailing_zeros() as usize))
    }

    /// Returns true if no queen is given and no square is blocked.
    pub fn is_free(&self) -> bool {
        *self == Self::new(self.board)
    }

    /// Returns for each row the columns in which its queen may stand: that of a given queen, or else those that are
    /// neither blocked nor attacked by a given queen, or by the queen of a row or column that has one square left. There
    /// are none at all where a row or a column has none.
    pub(crate) fn open(&self) -> [u32; Board::MAX_SIZE] {
        let (size, columns) = (self.board.size(), self.board.columns());
        let mut open = self.rows.map(|blocked| columns & !blocked);
        self.queens().for_each(|(row, column)| open[row] = 1 << column);
        loop {
            let before = open;
            for row in (0..size).filter(|&row| before[row].count_ones() == 1) {
                for other in (0..size).filter(|&other| other != row) {
                    let [queen, distance] = [before[row], row.abs_diff(other) as u32];
                    open[other] &= !(queen | queen << distance | queen >> distance);
                }
            }
            let (all, twice) = open[..size].iter().fold((0, 0), |(all, twice), row| (all | row, twice | all & row));
            let once = all & !twice;
            open[..size].iter_mut().filter(|row| **row & once != 0).for_each(|row| *row &= once);
            // A row whose queen two columns need has two squares left, and one of the columns none.
            let is_possible =
                all == columns && open[..size].iter().all(|row| *row != 0 && (row & once).count_ones() < 2);
            match is_possible {
                false => return [0; Board::MAX_SIZE],
                true if open == before => return open,
                true => {}
            }
        }
    }

    /// Returns the setup with every square where a symmetry maps it.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "a symmetry keeps what attacks what")]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let mut image = Self::new(self.board);
        let size = self.board.size();
        let squares = (0..size * size).map(|square| (square / size, square % size));
        for (row, column) in squares.filter(|&(row, column)| self.rows[row] >> column & 1 == 1) {
            let (to, at) = symmetry.square(self.board, (row, column));
            let set = if self.is_given(row) { Self::with_queen } else { Self::with_blocked };
            image = set(image, to, at).expect("the image is a setup");
        }
        image
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..self.board.size() {
            if row > 0 {
                writeln!(f)?;
            }
            for column in 0..self.board.size() {
                let is_marked = self.rows[row] >> column & 1 == 1;
                f.write_str(match (is_marked, self.is_given(row)) {
                    (false, _) => ".",
                    (true, true) => "Q",
                    (true, false) => "*",
                })?;
            }
        }
        Ok(())
    }
}

impl FromStr for Setup {
    type Err = SetupError;

    fn from_str(text: &str) -> Result<Self, SetupError> {
        let squares = |line: &str| line.chars().filter(|square| !square.is_whitespace()).collect();
        let mut rows: Vec<Vec<char>> = text.lines().map(squares).collect();
        rows.retain(|row| !row.is_empty());
        let size = rows.len();
        if size == 0 {
            return Err(SetupError::Empty);
        }
        for (row, squares) in rows.iter().enumerate() {
            if let Some(column) = squares.iter().position(|square| !"Qq.*#".contains(*square)) {
                return Err(SetupError::Square { row, column, square: squares[column] });
            }
        }
        if let Some(row) = rows.iter().position(|squares| squares.len() != size) {
            return Err(SetupError::Ragged { row, columns: rows[row].len(), rows: size });
        }
        let mut setup = Self::new(Board::new(size).map_err(|_| SetupError::Size(size))?);
        for (row, squares) in rows.iter().enumerate() {
            for (column, square) in squares.iter().enumerate() {
                setup = match square {
                    'Q' | 'q' => setup.with_queen(row, column)?,
                    '.' => setup,
                    _ => setup.with_blocked(row, column)?,
                };
            }
        }
        Ok(setup)
    }
}

/// The error for what is no [`Setup`]. Rows and columns are numbered from 0.
///
/// ```
/// use nqueens::Setup;
///
/// let error = "Q.\n.Q".parse::<Setup>().unwrap_err();
/// let said = "the queens on row 0, column 0 and row 1, column 1 attack each other along the same diagonal";
/// assert_eq!(error.to_string(), said);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There is no row.
    #[error("there is no board; give a row of . (free), Q (a queen) and * (blocked) for each row")]
    Empty,
    /// This is no square.
    #[error("row {row}, column {column} is '{}'; give . (free), Q (a queen) or * (blocked)", square.escape_debug())]
    Square {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The character in its place.
        square: char,
    },
    /// There are not as many squares in a row as there are rows.
    #[error("row {row} ends after column {}, but there are {rows} rows; give one board, a square one", columns.saturating_sub(1))]
    Ragged {
        /// The row.
        row: usize,
        /// The number of its squares.
        columns: usize,
        /// The number of rows.
        rows: usize,
    },
    /// No board has that many rows.
    #[error("there are {0} rows; give a board of 1 to 32 rows")]
    Size(usize),
    /// There is no such square.
    #[error("row {row}, column {column} is not on the board; rows and columns are 0 to {}", size - 1)]
    OffBoard {
        /// The row given.
        row: usize,
        /// The column given.
        column: usize,
        /// The size of the board.
        size: usize,
    },
    /// A square is both.
    #[error("row {row}, column {column} is blocked, but a queen is given there; give one of the two")]
    Blocked {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// Two given queens attack each other.
    #[error("the queens on {} and {} attack each other along the same {line}", square(first), square(second))]
    Attack {
        /// The square of one queen: its row and column.
        first: (usize, usize),
        /// The square of the other.
        second: (usize, usize),
        /// The line they share.
        line: Line,
    },
}

fn square((row, column): &(usize, usize)) -> String {
    format!("row {row}, column {column}")
}
