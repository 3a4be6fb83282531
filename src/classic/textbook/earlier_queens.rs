//! Backtracking with a list of the queens placed: a new queen is tested against each of them.

use crate::classic::textbook::{Method, Notes, Visits, expected_nodes};
use std::ops::ControlFlow::{self, Continue};

/// Queens are placed row by row. A square is free when it shares no column with an earlier queen, and when its distance
/// from each in rows differs from that in columns.
pub(super) const METHOD: Method = Method {
    name: "earlier-queens",
    summary: "backtracking, a square tested against each earlier queen",
    visits: Visits::Nodes,
    tests: true,
    expected_visits: expected_nodes,
    run: |board, notes| fill_next_row(&mut Vec::new(), board.size(), notes),
    run_from_random: None,
};

/// Tries every column of the first row without a queen. `columns` are those of the queens placed, from row 0 on.
fn fill_next_row(columns: &mut Vec<usize>, size: usize, notes: &mut Notes<'_>) -> ControlFlow<()> {
    notes.visit()?;
    if columns.len() == size {
        return notes.solution(columns);
    }
    for column in 0..size {
        if is_free(columns, column, notes) {
            columns.push(column);
            fill_next_row(columns, size, notes)?;
            columns.pop();
        }
    }
    Continue(())
}

/// Whether no earlier queen attacks the square of the next row in this column.
fn is_free(columns: &[usize], column: usize, notes: &mut Notes<'_>) -> bool {
    let row = columns.len();
    columns.iter().enumerate().all(|(earlier, &other)| {
        notes.test();
        other != column && row - earlier != column.abs_diff(other)
    })
}
