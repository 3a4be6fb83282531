//! The squares of one class, and the placements of queens on them: none attacking another, one in each of given rows.

use super::geometry::{Colour, Geometry, Parity, prefix_key};
use super::part::Axis;
use crate::estimate::SplitMix64;

/// The most half-lines of a parity.
pub(super) const MOST_HALF_LINES: usize = 14;

/// The squares of a class: those of given parities of row and column.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Row by column, what a queen there does.
    squares: Vec<[Square; MOST_HALF_LINES]>,
    columns: usize,
    /// The half-lines of its rows, those nearest to the centre first.
    centre_first: Vec<u8>,
    /// Whether its row and column sets are the complements of those that name a tuple.
    complemented: bool,
}

/// What a queen on a square does.
#[derive(Clone, Copy, Debug, Default)]
struct Square {
    /// The mask of its two diagonals.
    diagonals: u64,
    /// The columns that it attacks in each row of the class.
    attacks: [u16; 16],
}

impl Class {
    /// The class of a colour that stands on rows of one parity.
    pub(super) fn new(geometry: Geometry, colour: Colour, rows: Parity) -> Self {
        let columns = colour.columns(rows);
        let diagonals = |row, column| geometry.diagonals((rows, row), (columns, column));
        let square = |row, column| {
            let attacks = |other_row, other_column| {
                other_column == column || diagonals(row, column) & diagonals(other_row, other_column) != 0
            };
            let attacked = |other_row| {
                let columns = (0..geometry.half(columns)).filter(|&other| attacks(other_row, other));
                columns.fold(0, |columns, column| columns | 1 << column)
            };
            let mut square = Square { diagonals: diagonals(row, column), attacks: [0; 16] };
            for (other_row, attacked_columns) in square.attacks.iter_mut().enumerate().take(geometry.half(rows)) {
                *attacked_columns = attacked(other_row);
            }
            square
        };
        let squares = (0..geometry.half(rows)).map(|row| {
            let mut of_row = [Square::default(); MOST_HALF_LINES];
            for (column, slot) in of_row.iter_mut().enumerate().take(geometry.half(columns)) {
                *slot = square(row, column);
            }
            of_row
        });
        Self {
            squares: squares.collect(),
            columns: geometry.half(columns),
            centre_first: geometry.centre_first(rows),
            complemented: colour == Colour::Black,
        }
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The diagonals of a square.
    pub(super) fn diagonals(&self, row: u8, column: u8) -> u64 {
        self.squares[usize::from(row)][usize::from(column)].diagonals
    }

    /// The bits of the two diagonals of a square in their mask.
    pub(super) fn diagonal_bits(&self, row: u8, column: u8) -> [u8; 2] {
        let diagonals = self.diagonals(row, column);
        [diagonals.trailing_zeros() as u8, 63 - diagonals.leading_zeros() as u8]
    }

    /// The rows that this class fills where a tuple names `set`, those nearest to the centre first.
    pub(super) fn rows(&self, set: u16) -> impl Iterator<Item = u8> + '_ {
        let wanted = u16::from(!self.complemented);
        self.centre_first.iter().copied().filter(move |&row| set >> row & 1 == wanted)
    }

    /// What row sets are to be sorted by so that those which share the rows nearest to the centre are neighbours.
    pub(super) fn prefix_key(&self, set: u16) -> u32 {
        prefix_key(&self.centre_first, set)
    }

    /// The place on `axis` of the column set that a tuple names where this class fills `columns`.
    #[inline]
    pub(super) fn rank(&self, axis: &Axis, columns: u16) -> u16 {
        axis.rank(if self.complemented { axis.full() ^ columns } else { columns })
    }

    /// Calls `found` with each column in which a queen can be added in `row`, and the placement with it.
    #[inline]
    pub(super) fn add(&self, row: u8, queens: &Queens, mut found: impl FnMut(u8, Queens)) {
        let row = usize::from(row);
        let squares = &self.squares[row];
        let mut free = !queens.attacked[row & 15] & ((1_u32 << self.columns) - 1) as u16;
        while free != 0 {
            let column = free.trailing_zeros() as usize;
            free &= free - 1;
            let square = &squares[column];
            let attacked = std::array::from_fn(|row| queens.attacked[row] | square.attacks[row]);
            let columns = queens.columns | 1 << column;
            found(column as u8, Queens { attacked, columns, diagonals: queens.diagonals | square.diagonals });
        }
    }

    /// Walks down to a random placement on the rows that a tuple names by `set`: `step` is told, row by row, from how many
    /// columns one was chosen and which diagonals are attacked then. Whether the walk came to the last row.
    pub(super) fn walk(&self, set: u16, random: &mut SplitMix64, mut step: impl FnMut(u32, u64)) -> bool {
        let mut queens = Queens::default();
        for row in self.rows(set) {
            let (mut choices, mut chosen) = (0, queens);
            self.add(row, &queens, |_, with_queen| {
                choices += 1;
                if random.below(choices) == 0 {
                    chosen = with_queen;
                }
            });
            if choices == 0 {
                return false;
            }
            queens = chosen;
            step(choices, queens.diagonals);
        }
        true
    }

    /// Calls `found` with every placement that fills `rows` and adds to the given queens.
    pub(super) fn fill(&self, rows: &[u8], queens: &Queens, found: &mut impl FnMut(&Queens)) {
        match rows {
            [] => found(queens),
            &[row] => self.add(row, queens, |_, queens| found(&queens)),
            &[row, ref rows @ ..] => self.add(row, queens, |_, queens| self.fill(rows, &queens, found)),
        }
    }
}

/// A placement of queens of one class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queens {
    /// The columns that are attacked in each row.
    attacked: [u16; 16],
    pub(super) columns: u16,
    pub(super) diagonals: u64,
}

/// Copies what an iterator yields to the front of an array.
pub(super) fn gather<T: Copy>(from: impl Iterator<Item = T>, to: &mut [T]) -> &[T] {
    let mut length = 0;
    for (slot, item) in to.iter_mut().zip(from) {
        *slot = item;
        length += 1;
    }
    &to[..length]
}
