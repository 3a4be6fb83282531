//! The placements of queens on one square class.

use super::geometry::{Colour, Geometry, prefix_key};
use super::lines::{HalfLine, LineSet, MOST_HALF_LINES, Parity};
use super::part::{Rank, RankedSets};
use crate::cancel::Cancel;
use crate::random::SplitMix64;

/// The squares of given row and column parity.
#[derive(Clone, Debug)]
pub(crate) struct SquareClass {
    /// For each row and column, the squares that a queen there attacks.
    attacks: Vec<[Attack; MOST_HALF_LINES]>,
    /// The parity of the columns.
    pub(crate) column_parity: Parity,
    /// All columns.
    pub(crate) columns: LineSet,
    /// The rows, those nearest to the centre first.
    pub(crate) centre_first: Vec<HalfLine>,
    /// True for black classes, whose row and column sets are the complements of the sets that name a tuple.
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
    pub(crate) fn new(geometry: Geometry, colour: Colour, rows: Parity) -> Self {
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
            let mut row_attacks = [Attack::default(); MOST_HALF_LINES];
            for column in geometry.half_lines(column_parity) {
                row_attacks[column.index()] = attack(row, column);
            }
            row_attacks
        });
        Self {
            attacks: attacks.collect(),
            column_parity,
            columns: LineSet::first(geometry.half(column_parity)),
            centre_first: geometry.centre_first(rows),
            complemented: colour == Colour::Black,
        }
    }

    /// Returns the diagonal mask of a square.
    pub(crate) fn diagonals(&self, [row, column]: [HalfLine; 2]) -> u64 {
        self.attacks[row.index()][column.index()].diagonals
    }

    /// Returns the numbers of the two bits in the diagonal mask of a square.
    pub(crate) fn diagonal_bits(&self, square: [HalfLine; 2]) -> [u8; 2] {
        let diagonals = self.diagonals(square);
        [diagonals.trailing_zeros() as u8, 63 - diagonals.leading_zeros() as u8]
    }

    /// Returns the key that makes row sets with the same rows nearest to the centre neighbours.
    pub(crate) fn order_key(&self, rows: LineSet) -> u32 {
        prefix_key(&self.centre_first, rows)
    }

    /// Returns the rows that this class fills if a tuple names `set`, those nearest to the centre first.
    pub(crate) fn rows(&self, set: LineSet) -> impl Iterator<Item = HalfLine> + '_ {
        self.centre_first.iter().copied().filter(move |&row| set.contains(row) != self.complemented)
    }

    /// Returns the rows of a set, those nearest to the centre first, at the front of `room`.
    pub(crate) fn in_order<'a>(&self, rows: LineSet, room: &'a mut [HalfLine; MOST_HALF_LINES]) -> &'a [HalfLine] {
        let in_order = self.centre_first.iter().filter(|&&row| rows.contains(row));
        room.iter_mut().zip(in_order).for_each(|(place, &row)| *place = row);
        &room[..rows.len()]
    }

    /// Returns the rank of the column set that a tuple names if this class fills `columns`; `None` if the part has no
    /// such set.
    #[inline]
    pub(crate) fn rank(&self, sets: &RankedSets, columns: LineSet) -> Option<Rank> {
        sets.rank(if self.complemented { self.columns.minus(columns) } else { columns })
    }

    /// Calls `found` with each column in which a queen can be added in `row`, and with the placement that results.
    #[inline]
    pub(crate) fn add(&self, row: HalfLine, placement: &Placement, mut found: impl FnMut(HalfLine, Placement)) {
        let attacks = &self.attacks[row.index()];
        for column in self.free(row, placement).iter() {
            let attack = &attacks[column.index()];
            let mut attacked = placement.attacked;
            for (row, attacked) in attacked.iter_mut().enumerate() {
                *attacked |= attack.columns[row];
            }
            let (columns, diagonals) = (placement.columns.with(column), placement.diagonals | attack.diagonals);
            found(column, Placement { attacked, columns, diagonals });
        }
    }

    /// Returns the columns of a row that no queen of a placement attacks.
    #[inline]
    pub(crate) fn free(&self, row: HalfLine, placement: &Placement) -> LineSet {
        self.columns.minus(placement.attacked[row.index() & 15])
    }

    /// Returns the columns of a row that no queen on these squares attacks.
    #[inline]
    pub(crate) fn free_of(&self, row: HalfLine, queens: &[[HalfLine; 2]]) -> LineSet {
        let attacks = queens.iter().map(|&[row, column]| &self.attacks[row.index()][column.index()]);
        attacks.fold(self.columns, |free, attack| free.minus(attack.columns[row.index()]))
    }

    /// Walks down to a random placement on the rows that a tuple names by `set`. After each row, `step` gets the number
    /// of columns from which one was chosen, and the diagonal mask of the queens so far. Returns true if the walk
    /// reached the last row.
    pub(crate) fn walk(&self, set: LineSet, random: &mut SplitMix64, mut step: impl FnMut(u32, u64)) -> bool {
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

    /// Calls `found` with every placement that adds queens in all of `rows` to the given one. Once `cancel` is set,
    /// most placements are left out.
    pub(crate) fn fill(
        &self,
        rows: &[HalfLine],
        placement: &Placement,
        cancel: &Cancel,
        found: &mut impl FnMut(&Placement),
    ) {
        match rows {
            [] => found(placement),
            &[row] => self.add(row, placement, |_, placement| found(&placement)),
            // `cancel` is checked here alone, because four rows take less than a millisecond.
            [_, rows @ ..] if rows.len() == 4 && cancel.is_cancelled() => {}
            &[row, ref rows @ ..] => {
                self.add(row, placement, |_, placement| self.fill(rows, &placement, cancel, found));
            }
        }
    }
}

/// Queens on one square class, none attacking another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Placement {
    /// The columns that are attacked in each row of the class.
    attacked: [LineSet; 16],
    /// The columns of the queens.
    pub(crate) columns: LineSet,
    /// The diagonal masks of the queens together.
    pub(crate) diagonals: u64,
}
