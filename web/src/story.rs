//! Functions for the story of the page: the attacks on a row, the placements of one colour, tables of bits, and images.

use crate::{NONE, setup};
use nqueens::board::attack;
use nqueens::classic::{Line, Method};
use nqueens::symmetry::{Symmetry, is_fundamental, orbit_size};
use nqueens::{Board, solutions};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Queens, each with its row and its column, row by row.
type Placement = Vec<(usize, usize)>;

/// Rows R and columns C of the white queens, with the numbers of white and of black placements.
type Choice = [u64; 4];

thread_local! {
    static PLACED: RefCell<Vec<Placement>> = const { RefCell::new(Vec::new()) };
    static CHOICES: RefCell<Vec<Choice>> = const { RefCell::new(Vec::new()) };
}

/// Returns the columns of a row that the given queens attack, as bits: along columns (kind 0), anti-diagonals (1) or
/// diagonals (2), along any of these lines (3), or the columns that they do not attack (4).
#[unsafe(no_mangle)]
pub extern "C" fn attacked(row: usize, kind: usize) -> u32 {
    let setup = setup();
    let along = |wanted: Line| -> u32 {
        let is_attacked = |column: &usize| setup.queens().any(|queen| attack(queen, (row, *column)) == Some(wanted));
        (0..setup.board().size()).filter(is_attacked).map(|column| 1 << column).sum()
    };
    let masks = [Line::Column, Line::AntiDiagonal, Line::Diagonal].map(along);
    let any = masks[0] | masks[1] | masks[2];
    match kind {
        3 => any,
        4 => setup.board().columns() & !any,
        _ => masks[kind],
    }
}

/// Calls `found` with each way to add queens, in some of these rows and on squares for which `is_open` is true, to
/// `queens`. No queen attacks another.
fn place(
    board: Board,
    rows: &[usize],
    is_open: &dyn Fn(usize, usize) -> bool,
    queens: &mut Placement,
    found: &mut dyn FnMut(&Placement),
) {
    let Some((&row, rest)) = rows.split_first() else { return found(queens) };
    place(board, rest, is_open, queens, found);
    for column in 0..board.size() {
        let is_free = is_open(row, column) && queens.iter().all(|&queen| attack(queen, (row, column)).is_none());
        if is_free {
            queens.push((row, column));
            place(board, rest, is_open, queens, found);
            queens.pop();
        }
    }
}

fn placements(size: usize, is_open: &dyn Fn(usize, usize) -> bool) -> Vec<Placement> {
    let mut all = Vec::new();
    let Ok(board) = Board::new(size) else { return all };
    let rows: Vec<usize> = (0..size).collect();
    place(board, &rows, is_open, &mut Vec::new(), &mut |queens| all.push(queens.clone()));
    all.sort();
    all
}

/// Returns the rows and the columns that queens fill, as bits.
fn lines_of(queens: &Placement) -> [u32; 2] {
    queens.iter().fold([0, 0], |[rows, columns], &(row, column)| [rows | 1 << row, columns | 1 << column])
}

fn placed(found: Vec<Placement>) -> usize {
    let number = found.len();
    PLACED.set(found);
    number
}

/// Finds the placements of queens on the squares of a colour (0 white, 1 black) that fill these rows and columns, and
/// returns their number.
#[unsafe(no_mangle)]
pub extern "C" fn place_colour(size: usize, colour: usize, rows: u32, columns: u32) -> usize {
    let is_open = |row, column| (row + column) % 2 == colour && rows >> row & 1 == 1 && columns >> column & 1 == 1;
    let mut found = placements(size, &is_open);
    found.retain(|queens| lines_of(queens) == [rows, columns]);
    placed(found)
}

/// Finds the placements of so many queens on the squares in even rows and even columns, and returns their number.
#[unsafe(no_mangle)]
pub extern "C" fn place_even(size: usize, queens: usize) -> usize {
    let mut found = placements(size, &|row, column| row % 2 == 0 && column % 2 == 0);
    found.retain(|placement| placement.len() == queens);
    placed(found)
}

/// Returns the square of a queen of a placement that was found: the row and, from bit 8 on, the column; -1 if the
/// placement has no further queen.
#[unsafe(no_mangle)]
pub extern "C" fn placed_queen(placement: usize, queen: usize) -> isize {
    let square = PLACED.with_borrow(|found| found[placement].get(queen).copied());
    square.map_or(-1, |(row, column)| (row | column << 8).cast_signed())
}

/// Returns a bit for each placement that was found: 1 if a queen on this square does not attack it.
#[unsafe(no_mangle)]
pub extern "C" fn fits(row: usize, column: usize) -> u64 {
    let is_left_alone = |queens: &Placement| queens.iter().all(|&queen| attack(queen, (row, column)).is_none());
    PLACED.with_borrow(|found| {
        found.iter().enumerate().map(|(bit, queens)| u64::from(is_left_alone(queens)) << bit).sum()
    })
}

/// Returns a bit for each placement that was found: 1 if no given queen attacks it.
#[unsafe(no_mangle)]
pub extern "C" fn fits_all() -> u64 {
    let number = PLACED.with_borrow(Vec::len);
    let every = if number == 0 { 0 } else { u64::MAX >> (64 - number) };
    setup().queens().fold(every, |both, (row, column)| both & fits(row, column))
}

/// Finds the choices of rows and columns for the white queens whose product is not 0, and returns their number.
#[unsafe(no_mangle)]
pub extern "C" fn choices(size: usize) -> usize {
    let tally = |colour| {
        let mut tally: BTreeMap<[u32; 2], u64> = BTreeMap::new();
        for queens in placements(size, &|row, column| (row + column) % 2 == colour) {
            *tally.entry(lines_of(&queens)).or_default() += 1;
        }
        tally
    };
    let (white, black) = (tally(0), tally(1));
    let every = (1 << size) - 1;
    let choice = |([rows, columns], &white): (&[u32; 2], &u64)| {
        let black = black.get(&[every ^ rows, every ^ columns])?;
        Some([u64::from(*rows), u64::from(*columns), white, *black])
    };
    let found: Vec<Choice> = white.iter().filter_map(choice).collect();
    let number = found.len();
    CHOICES.set(found);
    number
}

/// Returns a part of a choice that was found: its rows (0) or its columns (1) as bits, or the number of its white (2)
/// or of its black placements (3).
#[unsafe(no_mangle)]
pub extern "C" fn choice(choice: usize, part: usize) -> u64 {
    CHOICES.with_borrow(|found| found[choice][part])
}

/// Returns the column of the queen of a row after the board that was set up is turned or mirrored.
#[unsafe(no_mangle)]
pub extern "C" fn image_column(symmetry: usize, row: usize) -> isize {
    let image = setup().image(Symmetry::ALL[symmetry]);
    image.queens().find(|queen| queen.0 == row).map_or(-1, |queen| queen.1.cast_signed())
}

/// Returns the number of orbits with so many solutions.
#[unsafe(no_mangle)]
pub extern "C" fn orbits(size: usize, solutions_each: usize) -> u64 {
    let Ok(board) = Board::new(size) else { return NONE };
    let fundamental = solutions(board).filter(is_fundamental);
    fundamental.filter(|solution| orbit_size(solution) == solutions_each).count() as u64
}

/// Returns the estimated number of nodes of the backtracking tree.
#[unsafe(no_mangle)]
pub extern "C" fn expected_nodes(size: usize) -> f64 {
    Board::new(size).map_or(f64::NAN, |board| Method::BitMasks.expected_visits(board))
}
