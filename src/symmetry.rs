//! The eight symmetries of the square, the orbits of solutions under them, and the number of fundamental solutions.
//!
//! A symmetry maps solutions to solutions, so the solutions of a board fall into orbits of 1, 2, 4 or 8. The first
//! solution of an orbit in lexicographic order stands for it and is called *fundamental*. Burnside's lemma gives the
//! number of orbits: the mean, over the eight symmetries, of the number of solutions that a symmetry leaves unchanged.
//! No reflection leaves a solution unchanged when N ≥ 2: a queen beside the axis would attack its image, and the axis
//! has room for one queen only. So
//!
//! > fundamental = (Q + P + 2·R) / 8
//!
//! where Q is the number of all solutions, P that of the solutions unchanged by a half turn, and R that of the
//! solutions unchanged by a quarter turn. [`FundamentalCount::from_total`] finds P and R by placing whole orbits of
//! queens; that takes a tiny part of the time for Q.

use crate::board::{Board, Line, Solution};
use crate::cancel::{Cancel, Cancelled};

/// One of the eight symmetries of the square.
///
/// ```
/// use nqueens::{Solution, symmetry::Symmetry};
///
/// let solution = Solution::new(&[1, 3, 0, 2])?;
/// assert_eq!(Symmetry::MirrorRows.apply(&solution).to_string(), "[2, 0, 3, 1]");
/// assert_eq!(Symmetry::QuarterTurn.apply(&solution), solution);
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// Every square stays.
    Identity,
    /// A quarter turn clockwise: the top row becomes the rightmost column.
    QuarterTurn,
    /// A half turn about the centre.
    HalfTurn,
    /// A quarter turn counter-clockwise.
    ThreeQuarterTurn,
    /// Left and right change places.
    MirrorColumns,
    /// Top and bottom change places.
    MirrorRows,
    /// Rows become columns and columns rows.
    Transpose,
    /// Rows become columns and columns rows, each numbered from the far end.
    AntiTranspose,
}

impl Symmetry {
    /// All eight symmetries.
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

    /// Returns the square (row, column) that a square of `board` is mapped to.
    ///
    /// # Panics
    /// May panic when the square is not on the board.
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

    /// Returns the image of a solution, which is a solution.
    // This panics only if the image is no solution.
    #[expect(clippy::missing_panics_doc, reason = "the image of a solution is a solution")]
    pub fn apply(self, solution: &Solution) -> Solution {
        let board = solution.board();
        let mut image = [0; Board::MAX_SIZE];
        for square in solution.columns().enumerate() {
            let (row, column) = self.square(board, square);
            image[row] = column;
        }
        Solution::new(&image[..board.size()]).expect("a symmetry maps solutions to solutions")
    }
}

impl Solution {
    /// Returns the number of different solutions among the eight images of this one: 1, 2, 4 or 8.
    ///
    /// ```
    /// use nqueens::Solution;
    ///
    /// assert_eq!(Solution::new(&[1, 3, 0, 2])?.orbit_size(), 2);
    /// # Ok::<(), nqueens::InputError>(())
    /// ```
    pub fn orbit_size(&self) -> usize {
        let images = Symmetry::ALL.map(|symmetry| symmetry.apply(self));
        let kept = images.iter().filter(|&image| image == self).count();
        images.len() / kept
    }

    /// Returns true if this solution is the first of its orbit in lexicographic order. Each orbit has exactly one such
    /// solution.
    ///
    /// ```
    /// use nqueens::{Board, Solution, solutions};
    ///
    /// assert_eq!(solutions(Board::new(8)?).filter(Solution::is_fundamental).count(), 12);
    /// # Ok::<(), nqueens::InputError>(())
    /// ```
    pub fn is_fundamental(&self) -> bool {
        Symmetry::ALL.iter().all(|symmetry| symmetry.apply(self) >= *self)
    }
}

/// Returns a number that divides the number of solutions of a board of `size` rows.
///
/// An orbit has 8 solutions, or 4, or 2 that a quarter turn leaves unchanged. In a solution of the last kind, all
/// queens except one in the centre form ⌊N/4⌋ sets of four, each of which the turn maps to itself. Each set can be
/// replaced by its mirror image at a diagonal of the board, which occupies the same rows, columns and diagonals. So the
/// number of such solutions is a multiple of 2^⌊N/4⌋.
pub(crate) fn common_divisor(size: usize) -> u8 {
    match size {
        1 => 1,
        4 | 5 => 2,
        _ => 4,
    }
}

/// The number of fundamental solutions of a board, and the two numbers of symmetric solutions that it is computed from.
///
/// ```
/// use nqueens::{Board, Cancel, symmetry::FundamentalCount};
///
/// let counted = |total| FundamentalCount::from_total(Board::new(8).unwrap(), total, &Cancel::new());
/// let counts = counted(92)?.expect("92 is right");
/// assert_eq!((counts.fundamental, counts.half_turn, counts.quarter_turn), (12, 4, 0));
/// assert_eq!(counted(93)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FundamentalCount {
    /// The number of orbits under the eight symmetries (OEIS A002562).
    pub fundamental: u128,
    /// The number of solutions that a half turn leaves unchanged (OEIS A032522).
    pub half_turn: u128,
    /// The number of solutions that a quarter turn leaves unchanged (OEIS A033148).
    pub quarter_turn: u128,
}

impl FundamentalCount {
    /// Counts the fundamental solutions of a board that has `total` solutions, searching for the symmetric ones. Returns
    /// `None` if `total` is wrong, so that it leaves a fraction of an orbit.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub fn from_total(board: Board, total: u128, cancel: &Cancel) -> Result<Option<Self>, Cancelled> {
        let half_turn = count_invariant(board, Symmetry::HalfTurn, cancel)?;
        let quarter_turn = count_invariant(board, Symmetry::QuarterTurn, cancel)?;
        // Reflections leave the one solution of the one-square board unchanged, and no other.
        let fixed = if board.size() == 1 { 8 * total } else { total + half_turn + 2 * quarter_turn };
        Ok(fixed.is_multiple_of(8).then_some(Self { fundamental: fixed / 8, half_turn, quarter_turn }))
    }
}

/// Counts the solutions that `symmetry` leaves unchanged.
///
/// # Errors
/// When `cancel` is set.
///
/// ```
/// use nqueens::symmetry::{Symmetry, count_invariant};
/// use nqueens::{Board, Cancel};
///
/// assert_eq!(count_invariant(Board::new(16)?, Symmetry::QuarterTurn, &Cancel::new())?, 64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_invariant(board: Board, symmetry: Symmetry, cancel: &Cancel) -> Result<u128, Cancelled> {
    InvariantSearch::new(board, symmetry).extend([0; 4], cancel)
}

/// The lines that some queens occupy, a bit for each: the rows, the columns, the diagonals by *column − row + N − 1* and
/// the anti-diagonals by *row + column*.
type Occupied = [u64; 4];

/// Returns the lines that some queens and some others occupy.
fn together(some: Occupied, others: Occupied) -> Occupied {
    [some[0] | others[0], some[1] | others[1], some[2] | others[2], some[3] | others[3]]
}

/// A search that places each queen together with its images under a symmetry and the powers of it. The queens placed
/// are always invariant, so a square is free exactly if its images are, and only the first of them is looked at.
struct InvariantSearch {
    board: Board,
    /// For each row, the columns of the squares whose images do not attack each other.
    peaceful: [u64; Board::MAX_SIZE],
    /// For each square, row by row, the lines that it and its images occupy.
    orbits: Vec<Occupied>,
}

impl InvariantSearch {
    fn new(board: Board, symmetry: Symmetry) -> Self {
        let size = board.size();
        let mut search = Self { board, peaceful: [0; Board::MAX_SIZE], orbits: Vec::with_capacity(size * size) };
        for square in (0..size * size).map(|index| (index / size, index % size)) {
            let mut orbit = vec![square];
            let mut image = symmetry.square(board, square);
            while image != square {
                orbit.push(image);
                image = symmetry.square(board, image);
            }
            let attacked = |(index, &a): (usize, &_)| orbit[..index].iter().any(|&b| Line::between(a, b).is_some());
            if !orbit.iter().enumerate().any(attacked) {
                search.peaceful[square.0] |= 1 << square.1;
            }
            let lines = |&(row, column): &(usize, usize)| [row, column, column + size - 1 - row, row + column];
            let occupied = orbit.iter().map(|square| lines(square).map(|line| 1 << line));
            search.orbits.push(occupied.fold([0; 4], together));
        }
        search
    }

    /// Counts the invariant solutions that contain the queens placed, which occupy `lines`.
    fn extend(&self, lines: Occupied, cancel: &Cancel) -> Result<u128, Cancelled> {
        let size = self.board.size();
        let [rows, columns, diagonals, antidiagonals] = lines;
        let row = rows.trailing_ones() as usize;
        if row == size {
            return Ok(1);
        }
        cancel.check()?;
        let mut free = self.peaceful[row] & !(columns | diagonals >> (size - 1 - row) | antidiagonals >> row);
        let mut count = 0;
        while free != 0 {
            let column = free.trailing_zeros() as usize;
            free &= free - 1;
            count += self.extend(together(lines, self.orbits[row * size + column]), cancel)?;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::board;
    use crate::solutions;

    #[test]
    fn the_eight_images_of_a_solution_are_solutions_and_share_its_orbit() {
        for size in 1..=8 {
            for solution in solutions(board(size)) {
                // `apply` panics unless the image is a solution.
                let images = Symmetry::ALL.map(|symmetry| symmetry.apply(&solution));
                let mut different = images.to_vec();
                different.sort();
                different.dedup();
                assert_eq!(different.len(), solution.orbit_size());
                assert_eq!(images.iter().filter(|image| image.is_fundamental()).count(), 8 / different.len());
            }
        }
    }

    #[test]
    fn invariant_solutions_are_those_that_the_symmetry_keeps() {
        for board in (1..=9).map(board) {
            for symmetry in Symmetry::ALL {
                let kept = solutions(board).filter(|solution| symmetry.apply(solution) == *solution).count();
                let counted = count_invariant(board, symmetry, &Cancel::new());
                assert_eq!(counted, Ok(kept as u128), "N = {board}, {symmetry:?}");
            }
        }
    }
}
