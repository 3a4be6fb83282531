//! Functions for the story of the page: the attacks on a row, the placements of one colour, and what is joined.

use nqueens::classic::Line;
use nqueens::{Board, Setup};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Queens, each with its row and its column, row by row.
type Placement = Vec<(usize, usize)>;

/// Returns for each row of a board what the given queens attack there: along columns, anti-diagonals, diagonals and any
/// of these lines, and at last what they do not attack. Column *j* is bit *j*.
pub(crate) fn attacks(setup: Setup) -> Vec<[u32; 5]> {
    let size = setup.board().size();
    let row = |row: usize| {
        let along = |wanted: Line| -> u32 {
            let is_attacked = |column| setup.queens().any(|queen| Line::between(queen, (row, column)) == Some(wanted));
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
        let is_free = is_open(row, column) && queens.iter().all(|&queen| Line::between(queen, (row, column)).is_none());
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

/// Returns the placements that fill these rows with queens on the squares for which `is_open` is true, by their columns.
fn by_columns(board: Board, rows: u32, is_open: &dyn Fn(usize, usize) -> bool) -> BTreeMap<u32, Vec<Placement>> {
    let mut groups: BTreeMap<u32, Vec<Placement>> = BTreeMap::new();
    for queens in placements(board, is_open) {
        let [its, columns] = lines_of(&queens);
        if its == rows {
            groups.entry(columns).or_default().push(queens);
        }
    }
    groups
}

/// Returns the placements of the white queens that fill these rows and columns, and those of the black queens that fill
/// the others.
pub(crate) fn halves(board: Board, rows: u32, columns: u32) -> [Vec<Placement>; 2] {
    let every = board.columns();
    [(0, [rows, columns]), (1, [every ^ rows, every ^ columns])].map(|(colour, [rows, columns])| {
        let of_colour = |row, column| (row + column) % 2 == colour;
        by_columns(board, rows, &of_colour).remove(&columns).unwrap_or_default()
    })
}

/// Returns what the fast method joins for these rows of the white queens: the placements in the even rows by their
/// columns; each placement in the odd rows, with its columns and, for each of its queens, a bit for each placement in
/// the even rows, which is 1 if she does not attack it; and how many placements of black queens fill the other rows, by
/// the columns that they leave to white.
pub(crate) fn join(board: Board, rows: u32) -> impl Debug {
    let [even, odd] = [0, 1].map(|parity| {
        let lines: u32 = (parity..board.size()).step_by(2).map(|line| 1 << line).sum();
        by_columns(board, rows & lines, &|row, column| row % 2 == parity && column % 2 == parity)
    });
    let every = board.columns();
    let black = by_columns(board, every ^ rows, &|row, column| (row + column) % 2 == 1);
    let black: Vec<_> = black.iter().map(|(columns, found)| (every ^ columns, found.len())).collect();
    let bits = |probe| -> Vec<u8> {
        let fits = |placement: &Placement| placement.iter().all(|&queen| Line::between(queen, probe).is_none());
        even.values().flatten().map(|placement| fits(placement).into()).collect()
    };
    let probe = |(columns, queens): (u32, Placement)| {
        let bits: Vec<_> = queens.iter().map(|&queen| bits(queen)).collect();
        (columns, queens, bits)
    };
    let odd = odd.into_iter().flat_map(|(columns, found)| found.into_iter().map(move |queens| (columns, queens)));
    let odd: Vec<_> = odd.map(probe).collect();
    (even.into_iter().collect::<Vec<_>>(), odd, black)
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
