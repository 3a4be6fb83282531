//! Functions for the story of the page: the attacks on a row, the placements of one colour, tables of bits, and images.

use crate::list;
use nqueens::board::attack;
use nqueens::classic::Line;
use nqueens::symmetry::{Symmetry, is_fundamental, orbit_size};
use nqueens::{Board, Setup, solutions};
use std::collections::BTreeMap;

/// Queens, each with its row and its column, row by row.
type Placement = Vec<(usize, usize)>;

/// Returns for each row of a board what the given queens attack there: along columns, anti-diagonals, diagonals and any
/// of these lines, and at last what they do not attack. Column *j* is bit *j*.
pub(crate) fn attacks(setup: Setup) -> Vec<[u32; 5]> {
    let size = setup.board().size();
    let row = |row: usize| {
        let along = |wanted: Line| -> u32 {
            let is_attacked = |column| setup.queens().any(|queen| attack(queen, (row, column)) == Some(wanted));
            (0..size).filter(|&column| is_attacked(column)).map(|column| 1 << column).sum()
        };
        let [columns, antidiagonals, diagonals] = [Line::Column, Line::AntiDiagonal, Line::Diagonal].map(along);
        let any = columns | antidiagonals | diagonals;
        [columns, antidiagonals, diagonals, any, setup.board().columns() & !any]
    };
    (0..size).map(row).collect()
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

fn placements(board: Board, is_open: &dyn Fn(usize, usize) -> bool) -> Vec<Placement> {
    let mut all = Vec::new();
    let rows: Vec<usize> = (0..board.size()).collect();
    place(board, &rows, is_open, &mut Vec::new(), &mut |queens| all.push(queens.clone()));
    all.sort();
    all
}

/// Returns the rows and the columns that queens fill, as bits.
fn lines_of(queens: &Placement) -> [u32; 2] {
    queens.iter().fold([0, 0], |[rows, columns], &(row, column)| [rows | 1 << row, columns | 1 << column])
}

/// Returns the placements of the white queens that fill these rows and columns, and those of the black queens that fill
/// the others.
pub(crate) fn halves(board: Board, rows: u32, columns: u32) -> [Vec<Placement>; 2] {
    let every = board.columns();
    [(0, [rows, columns]), (1, [every ^ rows, every ^ columns])].map(|(colour, lines)| {
        let mut found = placements(board, &|row, column| {
            (row + column) % 2 == colour && lines[0] >> row & 1 == 1 && lines[1] >> column & 1 == 1
        });
        found.retain(|queens| lines_of(queens) == lines);
        found
    })
}

/// Returns the placements of so many queens on the squares in even rows and even columns, a bit for each of them that
/// says whether all given queens leave it alone, and such bits for each given queen.
pub(crate) fn table(queens: usize, setup: Setup) -> String {
    let mut found = placements(setup.board(), &|row, column| row % 2 == 0 && column % 2 == 0);
    found.retain(|placement| placement.len() == queens);
    let fits = |placement: &Placement, probe| placement.iter().all(|&queen| attack(queen, probe).is_none());
    let row = |probe| -> Vec<u8> { found.iter().map(|placement| fits(placement, probe).into()).collect() };
    let rows: Vec<Vec<u8>> = setup.queens().map(row).collect();
    let both = found.iter().map(|placement| setup.queens().all(|probe| fits(placement, probe)).into());
    let both: Vec<u8> = both.collect();
    format!(r#"{{"rows":{rows:?},"both":{both:?},"placements":{}}}"#, list(&found))
}

/// Returns the choices of rows and columns for the white queens whose product is not 0: each is the rows and the columns
/// as bits, the number of white placements and that of black ones.
pub(crate) fn choices(board: Board) -> Vec<(u32, u32, u64, u64)> {
    let tally = |colour| {
        let mut tally: BTreeMap<[u32; 2], u64> = BTreeMap::new();
        for queens in placements(board, &|row, column| (row + column) % 2 == colour) {
            *tally.entry(lines_of(&queens)).or_default() += 1;
        }
        tally
    };
    let (white, black) = (tally(0), tally(1));
    let choice = |(&[rows, columns], &white): (&[u32; 2], &u64)| {
        let black = black.get(&[rows, columns].map(|lines| board.columns() ^ lines))?;
        Some((rows, columns, white, *black))
    };
    white.iter().filter_map(choice).collect()
}

/// Returns the columns of the eight images of a solution.
pub(crate) fn images(setup: Setup) -> Vec<Vec<usize>> {
    let columns = |&symmetry| setup.image(symmetry).queens().map(|queen| queen.1).collect();
    Symmetry::ALL.iter().map(columns).collect()
}

/// Returns how many orbits have 8, 4, 2 and 1 solutions, with these numbers.
pub(crate) fn orbits(board: Board) -> [(usize, usize); 4] {
    let fundamental: Vec<_> = solutions(board).filter(is_fundamental).collect();
    [8, 4, 2, 1].map(|size| (size, fundamental.iter().filter(|solution| orbit_size(solution) == size).count()))
}
