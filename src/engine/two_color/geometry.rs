//! The squares of a board by colour and class, in half coordinates.
//!
//! Even lines are rows or columns 0, 2, 4, …, odd lines 1, 3, 5, …. A square is white where its row and column have the
//! same parity, else black; a diagonal meets squares of one colour only. So the squares fall into four *classes*, by the
//! parities of row and column, and two classes of one colour share its diagonals.
//!
//! Within its parity a line is named by its *half-line*, 0, 1, 2, …. On boards of even size the odd half-lines are counted
//! from the far side: then turning the board by 180° exchanges even half-line *a* with odd half-line *a*.

use crate::board::Board;

/// Whether a line is even or odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parity {
    Even,
    Odd,
}

impl Parity {
    fn other(self) -> Self {
        match self {
            Parity::Even => Parity::Odd,
            Parity::Odd => Parity::Even,
        }
    }
}

/// The colour of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// Row and column have the same parity.
    White,
    /// Row and column have different parities.
    Black,
}

impl Colour {
    /// The parity of the columns of its squares on rows of one parity.
    pub(super) fn columns(self, rows: Parity) -> Parity {
        match self {
            Colour::White => rows,
            Colour::Black => rows.other(),
        }
    }
}

/// The bits that name diagonals in a mask of lines: bit 0 and up.
const DIAGONALS: u32 = 28;

/// The largest board: each of its colours has at most 28 diagonals and 28 anti-diagonals, which a mask of lines has room
/// for.
pub(super) const LARGEST: usize = 28;

/// The half-lines of a board, and the squares where they meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    size: usize,
}

impl Geometry {
    /// The geometry of a board of at most [`LARGEST`] rows.
    pub(super) fn new(board: Board) -> Self {
        assert!(board.size() <= LARGEST);
        Self { size: board.size() }
    }

    pub(super) fn size(self) -> usize {
        self.size
    }

    pub(super) fn is_even(self) -> bool {
        self.size.is_multiple_of(2)
    }

    /// The number of lines of one parity.
    pub(super) fn half(self, parity: Parity) -> usize {
        match parity {
            Parity::Even => self.size.div_ceil(2),
            Parity::Odd => self.size / 2,
        }
    }

    /// The line, from 0 to *N* − 1, that a half-line stands for.
    pub(super) fn line(self, parity: Parity, half_line: usize) -> usize {
        match parity {
            Parity::Even => 2 * half_line,
            Parity::Odd if self.is_even() => self.size - 1 - 2 * half_line,
            Parity::Odd => 2 * half_line + 1,
        }
    }

    /// The half-lines of one parity as masks, those nearest to the centre of the board first. A queen attacks more of
    /// the other squares the nearer it is to the centre.
    pub(super) fn centre_first(self, parity: Parity) -> Vec<u8> {
        let mut order: Vec<u8> = (0..self.half(parity) as u8).collect();
        order.sort_by_key(|&a| (2 * self.line(parity, usize::from(a))).abs_diff(self.size - 1));
        order
    }

    /// The diagonal and the anti-diagonal of a square, as two bits of one mask: bits 0..28 are the diagonals of the
    /// square's colour, bits 28..56 its anti-diagonals. Two queens of one colour attack each other along a diagonal
    /// exactly when their masks meet.
    pub(super) fn diagonals(self, row: (Parity, usize), column: (Parity, usize)) -> u64 {
        let (i, j) = (self.line(row.0, row.1), self.line(column.0, column.1));
        // Either sum has one parity for all squares of a colour, so halving it loses nothing; both stay below N.
        let diagonal = (i + self.size - j) / 2;
        let anti_diagonal = usize::midpoint(i, j);
        1 << diagonal | 1 << (DIAGONALS as usize + anti_diagonal)
    }
}

/// What row sets are to be sorted by so that those which share the rows nearest to the centre are neighbours; the rows are
/// given as [`Geometry::centre_first`] has them.
pub(super) fn prefix_key(centre_first: &[u8], set: u16) -> u32 {
    centre_first.iter().fold(0, |key, &row| key << 1 | u32::from(set >> row & 1 == 0))
}
