//! The eight symmetries of the square, the orbits of solutions under them, and the count of fundamental solutions.
//!
//! A symmetry carries solutions to solutions. The solutions of one board fall into orbits of 1, 2, 4 or 8; one solution
//! stands for each orbit and is called *fundamental*. Burnside's lemma counts the orbits: they number the mean, over the
//! eight symmetries, of the solutions that a symmetry leaves as they are. No reflection leaves a solution as it is when
//! N ≥ 2: a queen beside the axis would attack its image, and the axis has room for one queen only. So
//!
//! > fundamental = (Q + P + 2·R) / 8
//!
//! with Q all solutions, P those that a half turn leaves as they are, and R those that a quarter turn does. P and R are
//! found by a search that places whole orbits of queens and is tiny beside that for Q.

use crate::board::{Board, Solution, attack};
use crate::cancel::{Cancel, Cancelled};

/// One of the eight symmetries of the square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Every square stays.
    Identity,
    /// A quarter turn clockwise: the top row becomes the rightmost column.
    QuarterTurn,
    /// Half a turn about the centre.
    HalfTurn,
    /// A quarter turn counter-clockwise.
    ThreeQuarterTurn,
    /// Left and right change places.
    MirrorColumns,
    /// Top and bottom change places.
    MirrorRows,
    /// Rows and columns change roles.
    Transpose,
    /// Rows and columns change roles, each counted from the far end.
    AntiTranspose,
}

impl Symmetry {
    /// All eight.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::QuarterTurn,
        Symmetry::HalfTurn,
        Symmetry::ThreeQuarterTurn,
        Symmetry::MirrorColumns,
        Symmetry::MirrorRows,
        Symmetry::Transpose,
        Symmetry::AntiTranspose,
    ];

    /// Where the square (row, column) of a board goes.
    pub fn square(self, board: Board, (row, column): (usize, usize)) -> (usize, usize) {
        let last = board.size() - 1;
        match self {
            Symmetry::Identity => (row, column),
            Symmetry::QuarterTurn => (column, last - row),
            Symmetry::HalfTurn => (last - row, last - column),
            Symmetry::ThreeQuarterTurn => (last - column, row),
            Symmetry::MirrorColumns => (row, last - column),
            Symmetry::MirrorRows => (last - row, column),
            Symmetry::Transpose => (column, row),
            Symmetry::AntiTranspose => (last - column, last - row),
        }
    }

    /// The image of a solution.
    ///
    /// # Panics
    /// Never: the image of a solution is a solution.
    pub fn apply(self, solution: &Solution) -> Solution {
        let board = solution.board();
        let mut image = [0; Board::MAX_SIZE];
        for square in solution.columns().enumerate() {
            let (row, column) = self.square(board, square);
            image[row] = column;
        }
        Solution::new(&image[..board.size()]).expect("a symmetry carries solutions to solutions")
    }
}

/// The number of different solutions among the eight images of one: 1, 2, 4 or 8.
pub fn orbit_size(solution: &Solution) -> usize {
    let images = Symmetry::ALL.map(|symmetry| symmetry.apply(solution));
    let kept = images.iter().filter(|&image| image == solution).count();
    images.len() / kept
}

/// Whether a solution is the first of its orbit in lexicographic order. Each orbit has exactly one such solution.
pub fn is_fundamental(solution: &Solution) -> bool {
    Symmetry::ALL.iter().all(|symmetry| symmetry.apply(solution) >= *solution)
}

/// The solutions of a board up to symmetry, and the two counts they are computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fundamental {
    /// The number of orbits under the eight symmetries (OEIS A002562).
    pub fundamental: u128,
    /// The solutions that a half turn leaves as they are (OEIS A032522).
    pub half_turn: u128,
    /// The solutions that a quarter turn leaves as they are (OEIS A033148).
    pub quarter_turn: u128,
}

impl Fundamental {
    /// Counts the fundamental solutions of a board that has `total` solutions, searching for the symmetric ones.
    ///
    /// # Errors
    /// When `cancel` is set, and when no whole number of orbits makes up `total`: then `total` is wrong.
    pub fn count(board: Board, total: u128, cancel: &Cancel) -> Result<Self, FundamentalError> {
        let half_turn = invariant_solutions(board, Rotation::Half, cancel)?;
        let quarter_turn = invariant_solutions(board, Rotation::Quarter, cancel)?;
        // The one solution of the one-square board is the only one that reflections leave as it is.
        let fixed = if board.size() == 1 { 8 * total } else { total + half_turn + 2 * quarter_turn };
        if fixed.is_multiple_of(8) {
            Ok(Self { fundamental: fixed / 8, half_turn, quarter_turn })
        } else {
            Err(FundamentalError::NotWhole { board, total, half_turn, quarter_turn })
        }
    }
}

/// Why fundamental solutions could not be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FundamentalError {
    /// The request to stop came first.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The formula leaves a remainder, which it cannot for the true total.
    #[error(
        "{total} cannot be the number of solutions for N = {board}: with {half_turn} invariant under a half turn and \
         {quarter_turn} under a quarter turn, (Q + P + 2R) / 8 is not a whole number of orbits"
    )]
    NotWhole {
        /// The board.
        board: Board,
        /// The total that cannot be right.
        total: u128,
        /// The solutions found that are invariant under a half turn.
        half_turn: u128,
        /// The solutions found that are invariant under a quarter turn.
        quarter_turn: u128,
    },
}

/// The rotations whose invariant solutions are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Half a turn: queens come in pairs, but for one in the centre.
    Half,
    /// A quarter turn: queens come in fours, but for one in the centre.
    Quarter,
}

/// The number of solutions that `rotation` leaves as they are.
///
/// # Errors
/// When `cancel` is set.
pub fn invariant_solutions(board: Board, rotation: Rotation, cancel: &Cancel) -> Result<u128, Cancelled> {
    InvariantSearch::new(board, rotation).extend(Lines::default(), cancel)
}

/// The lines that some queens occupy, a bit for each.
#[derive(Clone, Copy, Default)]
struct Lines {
    rows: u32,
    columns: u32,
    /// Bit *column − row + N − 1*.
    diagonals: u64,
    /// Bit *row + column*.
    antidiagonals: u64,
}

impl Lines {
    fn with(self, other: &Lines) -> Lines {
        Lines {
            rows: self.rows | other.rows,
            columns: self.columns | other.columns,
            diagonals: self.diagonals | other.diagonals,
            antidiagonals: self.antidiagonals | other.antidiagonals,
        }
    }
}

/// A search that places, with a queen, all its images under a rotation. What it has placed is always invariant, so a
/// square is free exactly when its images are: only the first of them is looked at.
struct InvariantSearch {
    board: Board,
    /// For each row, the columns whose orbit does not attack itself.
    peaceful: [u32; Board::MAX_SIZE],
    /// For each square, row by row, the lines that its orbit occupies.
    orbits: Vec<Lines>,
}

impl InvariantSearch {
    fn new(board: Board, rotation: Rotation) -> Self {
        let size = board.size();
        let generator = match rotation {
            Rotation::Half => Symmetry::HalfTurn,
            Rotation::Quarter => Symmetry::QuarterTurn,
        };
        let mut search = Self { board, peaceful: [0; Board::MAX_SIZE], orbits: Vec::with_capacity(size * size) };
        for square in (0..size * size).map(|index| (index / size, index % size)) {
            let mut orbit = vec![square];
            let mut image = generator.square(board, square);
            while image != square {
                orbit.push(image);
                image = generator.square(board, image);
            }
            let attacked = |(index, &a): (usize, &_)| orbit[..index].iter().any(|&b| attack(a, b).is_some());
            if !orbit.iter().enumerate().any(attacked) {
                search.peaceful[square.0] |= 1 << square.1;
            }
            let occupied = orbit.iter().fold(Lines::default(), |lines, &(row, column)| {
                lines.with(&Lines {
                    rows: 1 << row,
                    columns: 1 << column,
                    diagonals: 1 << (column + size - 1 - row),
                    antidiagonals: 1 << (row + column),
                })
            });
            search.orbits.push(occupied);
        }
        search
    }

    /// The number of invariant solutions that contain the orbits placed already, which occupy `lines`.
    fn extend(&self, lines: Lines, cancel: &Cancel) -> Result<u128, Cancelled> {
        if lines.rows == self.board.columns() {
            return Ok(1);
        }
        if cancel.is_cancelled() {
            return Err(Cancelled);
        }
        let size = self.board.size();
        let row = lines.rows.trailing_ones() as usize;
        let attacked = (lines.diagonals >> (size - 1 - row)) as u32 | (lines.antidiagonals >> row) as u32;
        let mut free = self.peaceful[row] & !(lines.columns | attacked);
        let mut count = 0;
        while free != 0 {
            let column = free.trailing_zeros() as usize;
            free &= free - 1;
            count += self.extend(lines.with(&self.orbits[row * size + column]), cancel)?;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic::solutions;

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    #[test]
    fn the_symmetries_are_eight_different_one_to_one_maps_and_a_group() {
        for size in 2..=6 {
            let squares: Vec<_> = (0..size).flat_map(|row| (0..size).map(move |column| (row, column))).collect();
            let maps =
                Symmetry::ALL.map(|s| squares.iter().map(|&square| s.square(board(size), square)).collect::<Vec<_>>());
            for (index, map) in maps.iter().enumerate() {
                assert!(!maps[..index].contains(map), "{index} is an earlier one");
                let mut sorted = map.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, squares);
            }
            for first in Symmetry::ALL {
                for second in Symmetry::ALL {
                    let both = squares
                        .iter()
                        .map(|&square| second.square(board(size), first.square(board(size), square)))
                        .collect();
                    assert!(maps.contains(&both), "{second:?} after {first:?} is not one of the eight");
                }
            }
        }
    }

    #[test]
    fn the_eight_images_of_a_solution_are_solutions_and_share_its_orbit() {
        for size in 1..=8 {
            for solution in solutions(board(size)) {
                // `apply` panics unless the image is a solution.
                let images = Symmetry::ALL.map(|symmetry| symmetry.apply(&solution));
                let mut different = images.to_vec();
                different.sort();
                different.dedup();
                assert_eq!(different.len(), orbit_size(&solution));
                assert_eq!(images.iter().filter(|image| is_fundamental(image)).count(), 8 / different.len());
            }
        }
    }

    #[test]
    fn orbit_sizes_of_the_fundamental_solutions_add_up_to_all_solutions() {
        for size in 1..=10 {
            let all = solutions(board(size)).count();
            let fundamental: Vec<_> = solutions(board(size)).filter(is_fundamental).collect();
            assert_eq!(fundamental.iter().map(orbit_size).sum::<usize>(), all, "N = {size}");
            let counted = Fundamental::count(board(size), all as u128, &Cancel::new()).unwrap();
            assert_eq!(counted.fundamental, fundamental.len() as u128, "N = {size}");
        }
    }

    #[test]
    fn invariant_solutions_are_those_that_the_rotation_keeps() {
        for size in 1..=10 {
            for (rotation, symmetry) in
                [(Rotation::Half, Symmetry::HalfTurn), (Rotation::Quarter, Symmetry::QuarterTurn)]
            {
                let kept = solutions(board(size)).filter(|solution| symmetry.apply(solution) == *solution).count();
                let searched = invariant_solutions(board(size), rotation, &Cancel::new());
                assert_eq!(searched, Ok(kept as u128), "N = {size}, {rotation:?}");
            }
        }
    }

    #[test]
    fn no_reflection_keeps_a_solution_of_two_rows_or_more() {
        use Symmetry::{AntiTranspose, MirrorColumns, MirrorRows, Transpose};
        for solution in (2..=9).flat_map(|size| solutions(board(size))) {
            for reflection in [MirrorColumns, MirrorRows, Transpose, AntiTranspose] {
                assert_ne!(reflection.apply(&solution), solution);
            }
        }
    }

    #[test]
    fn a_total_that_is_no_whole_number_of_orbits_is_refused() {
        let error = Fundamental::count(board(8), 93, &Cancel::new()).unwrap_err();
        assert!(
            matches!(error, FundamentalError::NotWhole { total: 93, half_turn: 4, quarter_turn: 0, .. }),
            "{error}"
        );
    }

    #[test]
    fn a_search_stops_when_asked() {
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(invariant_solutions(board(32), Rotation::Half, &cancel), Err(Cancelled));
    }
}
