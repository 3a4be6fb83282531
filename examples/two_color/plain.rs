//! The two-color method in its plainest form: how many ways are there to place N queens on an N × N board so that none
//! attacks another?
//!
//! Rows and columns are numbered from 0, and a square is white if its row and its column have an even sum, else black.
//! A diagonal never leaves its colour, as on any chessboard. So a queen on a white square and a queen on a black square
//! can attack each other along a row or along a column, but never along a diagonal.
//!
//! The white queens of a solution fill a set R of rows and an equally large set C of columns, and the black queens fill
//! all other rows R̄ and columns C̄. Any white placement on R and C goes with any black placement on R̄ and C̄. If
//! w(R, C) and b(R̄, C̄) are their numbers, then the number of solutions is
//!
//! > the sum of w(R, C) · b(R̄, C̄) over all R and C.
//!
//! `docs/two-color.md` explains this, with a picture. In its example N = 7, R = {0, 3, 6} and C = {2, 3, 4}:
//!
//! ```text
//!       0 1 2 3 4 5 6        white queens                black queens
//!    0  . . w . w . .        row 0: column 2 or 4        row 1: column 0 or 6
//!    1  b . . . . . b        row 3: column 3             row 2: column 1 or 5
//!    2  . b . . . b .        row 6: column 2 or 4        row 4: column 1 or 5
//!    3  . . . w . . .                                    row 5: column 0 or 6
//!    4  . b . . . b .
//!    5  b . . . . . b        w(R, C) = 2                 b(R̄, C̄) = 2
//!    6  . . w . w . .
//! ```

use std::collections::HashMap;

/// The numbers of placements by the columns that they fill. `columns[j]` says whether a queen stands in column j.
pub(crate) type Tally = HashMap<Vec<bool>, u64>;

/// The colour of a square.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Colour {
    White,
    Black,
}

/// Returns the number of solutions of a board with `size` rows.
pub(crate) fn count(size: usize) -> u64 {
    let mut solutions = 0;
    // Each number below 2^size stands for a set of rows: bit i says whether row i is in the set.
    for set in 0..1_u32 << size {
        let (white_rows, black_rows): (Vec<usize>, Vec<usize>) = (0..size).partition(|&row| set >> row & 1 == 1);
        if can_be_filled(size, &white_rows) {
            solutions += solutions_with(size, &white_rows, &black_rows);
        }
    }
    solutions
}

/// Returns false if no solution has its white queens in these rows.
///
/// A column of even number is filled either by a white queen, which then stands in an even row, or by a black queen,
/// which then stands in an odd row. So there are as many even columns as white queens in even rows and black queens in
/// odd rows together:
///
/// > even columns = white even rows + (odd rows − white odd rows).
///
/// There are as many even columns as even rows. So the white even rows outnumber the white odd rows as the even rows of
/// the board outnumber the odd ones: not at all if the board has an even size, and by 1 if it has an odd size.
fn can_be_filled(size: usize, white_rows: &[usize]) -> bool {
    let even = white_rows.iter().filter(|&row| row % 2 == 0).count();
    let odd = white_rows.len() - even;
    even == odd + size % 2
}

/// Returns the number of solutions with white queens in some rows and black queens in all others: the sum of the
/// products over all sets of columns. This is a hash join: each white column set looks for the black one that completes
/// it.
fn solutions_with(size: usize, white_rows: &[usize], black_rows: &[usize]) -> u64 {
    let white = placements(size, Colour::White, white_rows);
    let black = placements(size, Colour::Black, black_rows);
    let mut solutions = 0;
    for (columns, white_placements) in white {
        let other_columns: Vec<bool> = columns.iter().map(|is_taken| !is_taken).collect();
        if let Some(black_placements) = black.get(&other_columns) {
            solutions += white_placements * black_placements;
        }
    }
    solutions
}

/// Returns the number of ways to place a queen in each of `rows` on a square of one colour so that none attacks
/// another, by the columns of the queens.
pub(crate) fn placements(size: usize, colour: Colour, rows: &[usize]) -> Tally {
    let mut tally = Tally::new();
    place(colour, rows, &mut Vec::new(), &mut vec![false; size], &mut tally);
    tally
}

/// Places the queens of the remaining rows in all possible ways. `queens` has the rows and columns of those that stand
/// already, and `columns` says which columns are taken.
fn place(colour: Colour, rows: &[usize], queens: &mut Vec<(usize, usize)>, columns: &mut Vec<bool>, tally: &mut Tally) {
    let Some((&row, other_rows)) = rows.split_first() else {
        match tally.get_mut(columns) {
            Some(placements) => *placements += 1,
            None => drop(tally.insert(columns.clone(), 1)),
        }
        return;
    };
    for column in 0..columns.len() {
        let is_free = colour_of(row, column) == colour
            && !columns[column]
            && queens.iter().all(|&queen| !share_a_diagonal(queen, (row, column)));
        if is_free {
            queens.push((row, column));
            columns[column] = true;
            place(colour, other_rows, queens, columns, tally);
            columns[column] = false;
            queens.pop();
        }
    }
}

/// Returns the colour of a square.
fn colour_of(row: usize, column: usize) -> Colour {
    if (row + column).is_multiple_of(2) { Colour::White } else { Colour::Black }
}

/// Returns true if two squares are on one diagonal or anti-diagonal: as many rows apart as columns.
fn share_a_diagonal(one: (usize, usize), other: (usize, usize)) -> bool {
    one.0.abs_diff(other.0) == one.1.abs_diff(other.1)
}
