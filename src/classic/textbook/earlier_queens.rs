//! Backtracking with a list of the queens placed: a new queen is tested against each of them.

use crate::classic::textbook::{Definition, Search};
use std::ops::ControlFlow::{self, Continue};

/// Places queens row by row. A square is free if it shares no column with an earlier queen, and if its distance in rows
/// from each earlier queen differs from its distance in columns.
pub(super) static METHOD: Definition = Definition {
    name: "earlier-queens",
    summary: "backtracking, a square tested against each earlier queen",
    candidates: None,
    counts_tests: true,
    run: |board, search| fill_next_row(&mut Vec::new(), board.size(), search),
};

/// Tries every column of the first row without a queen. `columns` are the columns of the queens placed, from row 0 on.
fn fill_next_row(columns: &mut Vec<usize>, size: usize, search: &mut Search<'_>) -> ControlFlow<()> {
    search.visit()?;
    if columns.len() == size {
        return search.solution(columns);
    }
    for column in 0..size {
        if is_free(columns, column, search) {
            columns.push(column);
            fill_next_row(columns, size, search)?;
            columns.pop();
        }
    }
    Continue(())
}

/// Returns true if no earlier queen attacks the square in this column of the next row.
fn is_free(columns: &[usize], column: usize, search: &mut Search<'_>) -> bool {
    let row = columns.len();
    columns.iter().enumerate().all(|(earlier, &other)| {
        search.test();
        other != column && row - earlier != column.abs_diff(other)
    })
}
