//! Setups: boards with given queens and blocked squares.

use crate::board::{Board, Line};
use crate::names::{InputError, stored_as_text};
use crate::symmetry::Symmetry;
use std::fmt;
use std::str::FromStr;

/// A board with given queens and blocked squares. Its solutions have a queen on each given square, and none on a
/// blocked square.
///
/// The text of a setup is a board as `nqueens solve` prints it, a line for each row: `.`, `_`, `-` or `0` is a free
/// square, `Q`, `♛` or `1` a given queen, `*` or `#` a blocked square. Spaces between squares, blank lines and the size
/// of the board above it do not matter. The rows may be quoted texts in a list, `[".Q..", "...Q", "Q...", "..Q."]`, or lists
/// of squares, `[[0, 1, 0, 0], …]`. A line with the columns of all queens is a board too: `1 3 0 2`, numbered from 0, and
/// `2 4 1 3` or `2413` from 1.
///
/// ```
/// use nqueens::{Board, Job, Setup};
///
/// let setup: Setup = ". . Q .\n....\n....\n....".parse()?;
/// assert_eq!(Job::new(setup).run()?.total, 1);
/// let setup = Setup::new(Board::new(4)?).with_blocked(0, 2)?;
/// assert_eq!(Job::new(setup).run()?.total, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// When the square is not on the board or is blocked, or a queen was given there or attacks it.
    pub fn with_queen(mut self, row: usize, column: usize) -> Result<Self, InputError> {
        self.check_square(row, column)?;
        if self.rows[row] >> column & 1 == 1 {
            let twice = format!("the queen on {} is given twice; give it once", square(row, column));
            return Err(if self.is_given(row) { InputError::new(twice) } else { blocked(row, column) });
        }
        for queen in self.queens() {
            if let Some(line) = Line::between(queen, (row, column)) {
                let (other, this) = (square(queen.0, queen.1), square(row, column));
                let message = format!("the queens on {other} and {this} attack each other along the same {line}");
                return Err(InputError::new(message));
            }
        }
        self.given |= 1 << row;
        self.rows[row] = 1 << column;
        Ok(self)
    }

    /// Blocks a square. In the row of a given queen that changes nothing.
    ///
    /// # Errors
    /// When the square is not on the board, or a queen was given there.
    pub fn with_blocked(mut self, row: usize, column: usize) -> Result<Self, InputError> {
        self.check_square(row, column)?;
        if !self.is_given(row) {
            self.rows[row] |= 1 << column;
        } else if self.rows[row] == 1 << column {
            return Err(blocked(row, column));
        }
        Ok(self)
    }

    fn is_given(&self, row: usize) -> bool {
        self.given >> row & 1 == 1
    }

    /// Returns true if the queen of the row may stand in this column: on a given queen's square or, in a row without a
    /// given queen, on any square that is not blocked.
    pub(crate) fn allows(&self, row: usize, column: usize) -> bool {
        self.is_given(row) == (self.rows[row] >> column & 1 == 1)
    }

    fn check_square(&self, row: usize, column: usize) -> Result<(), InputError> {
        let last = self.board.size() - 1;
        if row <= last && column <= last {
            return Ok(());
        }
        let square = square(row, column);
        let message = format!("{square} is not on the board; rows and columns are numbered from 0 to {last}");
        Err(InputError::new(message))
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

    /// Returns the blocked squares (row, column) of the rows without a given queen, row by row.
    pub fn blocked(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let squares = self.board.size() * self.board.size();
        let squares = (0..squares).map(|square| (square / self.board.size(), square % self.board.size()));
        squares.filter(|&(row, column)| !self.is_given(row) && self.rows[row] >> column & 1 == 1)
    }

    /// Returns true if no queen is given and no square is blocked.
    pub fn is_free(&self) -> bool {
        *self == Self::new(self.board)
    }

    /// Returns for each row the columns in which its queen may stand. A given queen has its own column. In any other
    /// row a column counts if it is not blocked and no queen attacks the square: neither a given queen nor the queen of
    /// a row or column that has one square left. If a row or a column has no square, then no row has a column.
    pub(crate) fn open(&self) -> [u32; Board::MAX_SIZE] {
        let (size, columns) = (self.board.size(), self.board.columns());
        let mut open = self.rows.map(|blocked| columns & !blocked);
        self.queens().for_each(|(row, column)| open[row] = 1 << column);
        loop {
            let before = open;
            for row in (0..size).filter(|&row| before[row].is_power_of_two()) {
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
        for (row, column) in self.blocked().map(|square| symmetry.square(self.board, square)) {
            image = image.with_blocked(row, column).expect("the image is on the board");
        }
        for (row, column) in self.queens().map(|square| symmetry.square(self.board, square)) {
            image = image.with_queen(row, column).expect("a symmetry keeps what attacks what");
        }
        image
    }
}

impl From<Board> for Setup {
    fn from(board: Board) -> Self {
        Self::new(board)
    }
}

/// The setup if there is one, or else the whole board.
impl From<(Board, Option<Self>)> for Setup {
    fn from((board, setup): (Board, Option<Self>)) -> Self {
        setup.unwrap_or(board.into())
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

stored_as_text!(Setup);

impl FromStr for Setup {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        // A size or a heading may be above a list.
        let is_above = |line: &str| is_heading(line.trim()) || line.trim().chars().all(|c| c.is_ascii_digit());
        let begin = text.find('[').filter(|&begin| text[..begin].lines().all(is_above));
        let (above, list) = text.split_at(begin.unwrap_or(text.len()));
        let quoted = || list.split(['"', '\'']).skip(1).step_by(2);
        let rows: Vec<&str> = if quoted().any(|row| squares(row).len() > 1) {
            quoted().collect()
        } else {
            let gap = |character: char| character.is_whitespace() || character == ',';
            list.split(['[', ']']).map(|row| row.trim_matches(gap)).collect()
        };
        let is_read = |line: &&str| !squares(line).is_empty() && !is_heading(line.trim());
        let mut lines: Vec<&str> = above.lines().chain(rows).filter(is_read).collect();
        // A board, or a list, may have its size above it.
        if let [size, first, ..] = lines[..] {
            let is_size = |number: usize| size.trim() == number.to_string();
            if is_size(lines.len() - 1) || columns(first.trim()).is_some_and(|columns| is_size(columns.len())) {
                lines.remove(0);
            }
        }
        let lists: Option<Vec<Vec<usize>>> = lines.iter().map(|line| columns(line.trim())).collect();
        match lists.as_deref() {
            Some([]) => Err(InputError::new(
                "there is no board; give a row of . (free), Q (a queen) and * (blocked) for each row",
            )),
            Some([columns]) => Self::of_columns(columns),
            Some(lists) => Err(several(lists.len())),
            // In a list for one queen, 0 is a column and no free square.
            None if list.starts_with("[0]") && lines == ["0"] => Self::of_columns(&[0]),
            None => Self::of_squares(&lines.iter().map(|line| squares(line)).collect::<Vec<_>>()),
        }
    }
}

impl Setup {
    /// Returns the board with a queen in each row. A list without a 0 numbers the columns from 1.
    fn of_columns(columns: &[usize]) -> Result<Self, InputError> {
        let (size, first) = (columns.len(), usize::from(!columns.contains(&0)));
        let board = Board::new(size)?;
        columns.iter().enumerate().try_fold(Self::new(board), |setup, (row, &column)| match column {
            _ if first == 1 && column > size => Err(InputError::new(format!(
                "row {row} of the list has column {column}; without a 0, columns are numbered from 1 to {size}"
            ))),
            _ => setup.with_queen(row, column - first),
        })
    }

    fn of_squares(rows: &[Vec<char>]) -> Result<Self, InputError> {
        let size = rows.len();
        for (row, squares) in rows.iter().enumerate() {
            if let Some(column) = squares.iter().position(|square| !".0_-Qq1\u{265b}\u{2655}*#".contains(*square)) {
                return Err(InputError::new(format!(
                    "{} is '{}'; give . (free), Q (a queen) or * (blocked), or columns such as 2 4 1 3",
                    square(row, column),
                    squares[column].escape_debug()
                )));
            }
        }
        let columns = rows[0].len();
        if size > columns && size.is_multiple_of(columns) && rows.iter().all(|squares| squares.len() == columns) {
            return Err(several(size / columns));
        }
        if let Some(row) = rows.iter().position(|squares| squares.len() != size) {
            let there = if size == 1 { "is 1 row".to_owned() } else { format!("are {size} rows") };
            let last = rows[row].len() - 1;
            return Err(InputError::new(format!(
                "row {row} ends after column {last}, but there {there}; give as many rows as columns"
            )));
        }
        let mut setup = Self::new(Board::new(size)?);
        for (row, squares) in rows.iter().enumerate() {
            for (column, square) in squares.iter().enumerate() {
                setup = match square {
                    '.' | '0' | '_' | '-' => setup,
                    '*' | '#' => setup.with_blocked(row, column)?,
                    _ => setup.with_queen(row, column)?,
                };
            }
        }
        Ok(setup)
    }
}

/// Returns true for what `nqueens solve` writes beside a board or a list: `Solution 3 (orbit of 8)`, `orbit of 8`.
fn is_heading(line: &str) -> bool {
    let number = line.strip_prefix("Solution ").or_else(|| line.strip_prefix("orbit of "));
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the squares of a line, without what stands beside them: spaces, commas, quotation marks, and marks that choose
/// a glyph.
fn squares(line: &str) -> Vec<char> {
    let all = line.chars().filter(|square| !"\u{fe0e}\u{fe0f}\"'".contains(*square));
    let squares: Vec<char> = all.clone().filter(|square| !square.is_whitespace() && *square != ',').collect();
    // Several blanks beside one square, or alone, may be meant as free squares, and are refused.
    if squares.len() < 2 && all.clone().count() > squares.len() + 1 { all.collect() } else { squares }
}

/// Returns the columns in a line such as `1, 3, 0, 2` or `2413`; `None` for a row of squares. 0 and 1 alone are a row: no
/// solution of several rows has its queens in two columns.
fn columns(line: &str) -> Option<Vec<usize>> {
    if squares(line).iter().all(|square| "01".contains(*square)) {
        return None;
    }
    let mut words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == ',').collect();
    // More columns have numbers of two digits.
    if let [digits] = words[..]
        && digits.len() <= 10
    {
        words = digits.split("").collect();
    }
    words.into_iter().filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
}

fn square(row: usize, column: usize) -> String {
    format!("row {row}, column {column}")
}

fn blocked(row: usize, column: usize) -> InputError {
    let square = square(row, column);
    InputError::new(format!("{square} is blocked, but a queen is given there; give one of the two"))
}

fn several(boards: usize) -> InputError {
    InputError::new(format!("there are {boards} boards; give one"))
}
