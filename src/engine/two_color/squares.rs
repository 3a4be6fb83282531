//! The squares of a board by colour and square class, and the placements of queens on one class.
//!
//! A square is white where its row and column have the same parity, else black; a diagonal meets squares of one colour
//! only. The squares fall into four *square classes* by the parities of row and column: EE and OO are white, EO and OE
//! are black. The two classes of a colour share its diagonals.

use super::lines::{HalfLine, LineSet, MOST_HALF_LINES, Parity};
use super::tuples::{Rank, RankedSets};
use crate::board::Board;
use crate::cancel::Cancel;
use crate::random::SplitMix64;

/// The colour of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// Row and column have the same parity.
    White,
    /// Row and column have different parities.
    Black,
}

impl Colour {
    /// The parity of the columns of the colour's squares on rows of one parity.
    pub(super) fn columns(self, rows: Parity) -> Parity {
        match self {
            Colour::White => rows,
            Colour::Black => rows.other(),
        }
    }
}

/// The bits of a diagonal mask that stand for diagonals, from bit 0 on. As many for anti-diagonals follow.
const DIAGONALS: usize = 28;

/// The size of the largest board: each of its colours has at most 28 diagonals and 28 anti-diagonals, for which a
/// diagonal mask has room.
pub(super) const LARGEST: usize = 28;

/// The half-lines of a board, and the diagonals of the squares where they meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    /// The number of rows of the board.
    pub(super) size: usize,
}

impl Geometry {
    /// The geometry of a board.
    ///
    /// # Panics
    /// When the board has more than [`LARGEST`] rows.
    pub(super) fn new(board: Board) -> Self {
        assert!(board.size() <= LARGEST);
        Self { size: board.size() }
    }

    /// True if the number of rows is even.
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

    /// The line of the board, from 0 to *N* − 1, that a half-line stands for.
    pub(super) fn line(self, parity: Parity, half_line: HalfLine) -> usize {
        match parity {
            Parity::Even => 2 * half_line.index(),
            Parity::Odd if self.is_even() => self.size - 1 - 2 * half_line.index(),
            Parity::Odd => 2 * half_line.index() + 1,
        }
    }

    /// The half-lines of one parity.
    pub(super) fn half_lines(self, parity: Parity) -> impl Iterator<Item = HalfLine> {
        (0..self.half(parity)).map(HalfLine::new)
    }

    /// The half-lines of one parity, those nearest to the centre of the board first. A queen attacks more of the other
    /// squares the nearer it is to the centre.
    pub(super) fn centre_first(self, parity: Parity) -> Vec<HalfLine> {
        let mut order: Vec<HalfLine> = self.half_lines(parity).collect();
        order.sort_by_key(|&line| (2 * self.line(parity, line)).abs_diff(self.size - 1));
        order
    }

    /// The diagonal mask of a square: one bit for its diagonal, in bits 0..28, and one for its anti-diagonal, in bits
    /// 28..56. Two queens of one colour attack each other along a diagonal exactly when their masks meet.
    pub(super) fn diagonals(self, row: (Parity, HalfLine), column: (Parity, HalfLine)) -> u64 {
        let (i, j) = (self.line(row.0, row.1), self.line(column.0, column.1));
        // Either sum has one parity for all squares of a colour, so halving it loses nothing; both stay below N.
        let diagonal = (i + self.size - j) / 2;
        let anti_diagonal = usize::midpoint(i, j);
        1 << diagonal | 1 << (DIAGONALS + anti_diagonal)
    }
}

/// Returns the key by which row sets are sorted so that those which share the rows nearest to the centre are
/// neighbours. The rows are given as [`Geometry::centre_first`] has them.
pub(super) fn prefix_key(centre_first: &[HalfLine], set: LineSet) -> u32 {
    centre_first.iter().fold(0, |key, &row| key << 1 | u32::from(!set.contains(row)))
}

/// The squares of given row and column parity.
#[derive(Clone, Debug)]
pub(super) struct SquareClass {
    /// By row and column, the squares that a queen there attacks.
    attacks: Vec<[Attack; MOST_HALF_LINES]>,
    /// The parity of the columns.
    pub(super) column_parity: Parity,
    /// All columns.
    pub(super) columns: LineSet,
    /// The rows, those nearest to the centre first.
    pub(super) centre_first: Vec<HalfLine>,
    /// True for black classes: their row and column sets are the complements of those that name a tuple.
    complemented: bool,
}

/// The squares that a queen on one square attacks.
#[derive(Clone, Copy, Debug, Default)]
struct Attack {
    /// The diagonal mask of the square.
    diagonals: u64,
    /// The columns attacked in each row of the class.
    columns: [LineSet; 16],
}

impl SquareClass {
    /// The class of a colour that stands on rows of one parity.
    pub(super) fn new(geometry: Geometry, colour: Colour, rows: Parity) -> Self {
        let column_parity = colour.columns(rows);
        let diagonals = |row, column| geometry.diagonals((rows, row), (column_parity, column));
        let attack = |row: HalfLine, column: HalfLine| {
            let attacks = |other_row, other_column| {
                other_column == column || diagonals(row, column) & diagonals(other_row, other_column) != 0
            };
            let mut attack = Attack { diagonals: diagonals(row, column), ..Attack::default() };
            for (other, columns) in geometry.half_lines(rows).zip(&mut attack.columns) {
                *columns = geometry.half_lines(column_parity).filter(|&column| attacks(other, column)).collect();
            }
            attack
        };
        let attacks = geometry.half_lines(rows).map(|row| {
            let mut of_row = [Attack::default(); MOST_HALF_LINES];
            for column in geometry.half_lines(column_parity) {
                of_row[column.index()] = attack(row, column);
            }
            of_row
        });
        Self {
            attacks: attacks.collect(),
            column_parity,
            columns: LineSet::first(geometry.half(column_parity)),
            centre_first: geometry.centre_first(rows),
            complemented: colour == Colour::Black,
        }
    }

    /// The diagonal mask of a square.
    pub(super) fn diagonals(&self, [row, column]: [HalfLine; 2]) -> u64 {
        self.attacks[row.index()][column.index()].diagonals
    }

    /// The numbers of the two bits in the diagonal mask of a square.
    pub(super) fn diagonal_bits(&self, square: [HalfLine; 2]) -> [u8; 2] {
        let diagonals = self.diagonals(square);
        [diagonals.trailing_zeros() as u8, 63 - diagonals.leading_zeros() as u8]
    }

    /// The rows of a set, those nearest to the centre first.
    pub(super) fn in_order(&self, rows: LineSet) -> impl Iterator<Item = HalfLine> + '_ {
        self.centre_first.iter().copied().filter(move |&row| rows.contains(row))
    }

    /// A key that sorts row sets so that those which share the rows nearest to the centre are neighbours.
    pub(super) fn order_key(&self, rows: LineSet) -> u32 {
        prefix_key(&self.centre_first, rows)
    }

    /// The rows that this class fills where a tuple names `set`, those nearest to the centre first.
    pub(super) fn rows(&self, set: LineSet) -> impl Iterator<Item = HalfLine> + '_ {
        self.centre_first.iter().copied().filter(move |&row| set.contains(row) != self.complemented)
    }

    /// The rank of the column set that a tuple names where this class fills `columns`; `None` if the part has no such
    /// set.
    #[inline]
    pub(super) fn rank(&self, sets: &RankedSets, columns: LineSet) -> Option<Rank> {
        sets.rank(if self.complemented { self.columns.minus(columns) } else { columns })
    }

    /// Calls `found` with each column in which a queen can be added in `row`, and the placement with it.
    #[inline]
    pub(super) fn add(&self, row: HalfLine, placement: &Placement, mut found: impl FnMut(HalfLine, Placement)) {
        let attacks = &self.attacks[row.index()];
        for column in self.free(row, placement).iter() {
            let attack = &attacks[column.index()];
            let mut attacked = placement.attacked;
            for (attacked, &columns) in attacked.iter_mut().zip(&attack.columns) {
                *attacked |= columns;
            }
            let (columns, diagonals) = (placement.columns.with(column), placement.diagonals | attack.diagonals);
            found(column, Placement { attacked, columns, diagonals });
        }
    }

    /// The columns of a row that no queen of a placement attacks.
    #[inline]
    pub(super) fn free(&self, row: HalfLine, placement: &Placement) -> LineSet {
        self.columns.minus(placement.attacked[row.index() & 15])
    }

    /// The columns of a row that no queen on these squares attacks.
    pub(super) fn free_of(&self, row: HalfLine, queens: &[[HalfLine; 2]]) -> LineSet {
        let attacks = queens.iter().map(|&[row, column]| &self.attacks[row.index()][column.index()]);
        attacks.fold(self.columns, |free, attack| free.minus(attack.columns[row.index()]))
    }

    /// By two rows, the share of the pairs of columns in which queens on these rows do not attack each other.
    pub(super) fn free_pairs(&self) -> Vec<[f64; MOST_HALF_LINES]> {
        let pairs = (self.columns.len() * self.columns.len().saturating_sub(1)).max(1);
        let free = |row: usize, other: HalfLine| {
            let columns = self.columns.iter().map(|column| self.attacks[row][column.index()].columns[other.index()]);
            columns.map(|attacked| self.columns.minus(attacked).len()).sum::<usize>()
        };
        let of_row = |row| {
            let mut shares = [0.0; MOST_HALF_LINES];
            for other in (0..self.attacks.len()).map(HalfLine::new) {
                shares[other.index()] = free(row, other) as f64 / pairs as f64;
            }
            shares
        };
        (0..self.attacks.len()).map(of_row).collect()
    }

    /// Walks down to a random placement on the rows that a tuple names by `set`. After each row, `step` gets the number
    /// of columns that one was chosen from and the diagonal mask of the queens so far. Returns true if the last row was
    /// reached.
    pub(super) fn walk(&self, set: LineSet, random: &mut SplitMix64, mut step: impl FnMut(u32, u64)) -> bool {
        let mut placement = Placement::default();
        for row in self.rows(set) {
            let (mut choices, mut chosen) = (0, placement);
            self.add(row, &placement, |_, with_queen| {
                choices += 1;
                if random.below(choices) == 0 {
                    chosen = with_queen;
                }
            });
            if choices == 0 {
                return false;
            }
            placement = chosen;
            step(choices, placement.diagonals);
        }
        true
    }

    /// Calls `found` with every placement that fills `rows` and adds to the given one. Once `cancel` is set, it leaves
    /// out most.
    pub(super) fn fill(
        &self,
        rows: &[HalfLine],
        placement: &Placement,
        cancel: &Cancel,
        found: &mut impl FnMut(&Placement),
    ) {
        match rows {
            [] => found(placement),
            &[row] => self.add(row, placement, |_, placement| found(&placement)),
            // Four rows take less than a millisecond.
            [_, rows @ ..] if rows.len() == 4 && cancel.is_cancelled() => {}
            &[row, ref rows @ ..] => {
                self.add(row, placement, |_, placement| self.fill(rows, &placement, cancel, found));
            }
        }
    }
}

/// Queens of one square class, none attacking another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placement {
    /// The columns that are attacked in each row of the class.
    attacked: [LineSet; 16],
    /// The columns of the queens.
    pub(super) columns: LineSet,
    /// The diagonal masks of the queens together.
    pub(super) diagonals: u64,
}

/// Copies the items of an iterator to the front of an array, and returns them.
pub(super) fn gather<T: Copy>(from: impl Iterator<Item = T>, to: &mut [T]) -> &[T] {
    let mut length = 0;
    for (slot, item) in to.iter_mut().zip(from) {
        *slot = item;
        length += 1;
    }
    &to[..length]
}
