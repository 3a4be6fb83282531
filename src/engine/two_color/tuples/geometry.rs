//! The squares of a board by colour and square class, and their diagonals.
//!
//! A square is white if its row and column have the same parity, else black; a diagonal meets squares of one colour
//! only. The squares fall into four *square classes* by the parities of row and column: EE and OO are white, EO and OE
//! are black. The two classes of a colour share its diagonals.

use super::lines::{HalfLine, LineSet, Parity};
use crate::board::Board;
use crate::engine::Engine;

/// The colour of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Row and column have the same parity.
    White,
    /// Row and column have different parities.
    Black,
}

impl Colour {
    /// Returns the parity of the columns of the colour's squares on rows of one parity.
    pub(crate) fn columns(self, rows: Parity) -> Parity {
        match self {
            Colour::White => rows,
            Colour::Black => rows.other(),
        }
    }
}

/// The number of bits for diagonals in a diagonal mask, from bit 0 on. The same number for anti-diagonals follows.
const DIAGONALS: usize = 28;

/// The half-lines of a board, and the diagonals of the squares where they meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    /// The number of rows of the board.
    pub(crate) size: usize,
}

impl Geometry {
    /// # Panics
    /// When the board is too large for the engine: its colours have more diagonals than a mask has room for.
    pub(crate) fn new(board: Board) -> Self {
        assert!(board.size() <= Engine::TwoColor.largest_board());
        Self { size: board.size() }
    }

    pub(crate) fn is_even(self) -> bool {
        self.size.is_multiple_of(2)
    }

    /// Returns the number of lines of one parity.
    pub(crate) fn half(self, parity: Parity) -> usize {
        match parity {
            Parity::Even => self.size.div_ceil(2),
            Parity::Odd => self.size / 2,
        }
    }

    /// Returns the line of the board, from 0 to *N* − 1, that a half-line stands for.
    pub(crate) fn line(self, parity: Parity, half_line: HalfLine) -> usize {
        match parity {
            Parity::Even => 2 * half_line.index(),
            Parity::Odd if self.is_even() => self.size - 1 - 2 * half_line.index(),
            Parity::Odd => 2 * half_line.index() + 1,
        }
    }

    /// Returns the half-lines of one parity.
    pub(crate) fn half_lines(self, parity: Parity) -> impl Iterator<Item = HalfLine> {
        (0..self.half(parity)).map(HalfLine::new)
    }

    /// Returns the half-lines of one parity, those nearest to the centre of the board first. The nearer a queen is to
    /// the centre, the more squares it attacks.
    pub(crate) fn centre_first(self, parity: Parity) -> Vec<HalfLine> {
        let mut order: Vec<HalfLine> = self.half_lines(parity).collect();
        order.sort_by_key(|&line| (2 * self.line(parity, line)).abs_diff(self.size - 1));
        order
    }

    /// Returns the diagonal mask of a square: one bit for its diagonal, in bits 0..28, and one for its anti-diagonal,
    /// in bits 28..56. Two queens of one colour share a diagonal exactly when their masks share a bit.
    pub(crate) fn diagonals(self, row: (Parity, HalfLine), column: (Parity, HalfLine)) -> u64 {
        let (i, j) = (self.line(row.0, row.1), self.line(column.0, column.1));
        // All squares of a colour have i − j of one parity, and i + j too, so halving loses nothing. Both stay below N.
        let diagonal = (i + self.size - j) / 2;
        let anti_diagonal = usize::midpoint(i, j);
        1 << diagonal | 1 << (DIAGONALS + anti_diagonal)
    }
}

/// Returns the key by which row sets are sorted so that sets with the same rows nearest to the centre are neighbours.
/// The first argument is what [`Geometry::centre_first`] returns.
pub(crate) fn prefix_key(centre_first: &[HalfLine], set: LineSet) -> u32 {
    centre_first.iter().fold(0, |key, &row| key << 1 | u32::from(!set.contains(row)))
}
