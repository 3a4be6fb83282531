//! Boards of `Q` and `.`, a line for each row.

use crate::app::solve::formats::{Found, Layout, Report, Sink};
use std::io;

pub(super) struct Boards<W> {
    layout: Layout,
    out: W,
}

impl<W: Sink> Boards<W> {
    pub(super) fn new(layout: Layout, out: W) -> Self {
        Self { layout, out }
    }
}

impl<W: Sink> Report for Boards<W> {
    fn solution(&mut self, found: Found<'_>) -> io::Result<()> {
        if self.layout.many {
            let orbit = found.orbit_size.map_or(String::new(), |size| format!(" (orbit of {size})"));
            let blank = if found.number > 1 { "\n" } else { "" };
            writeln!(self.out, "{blank}Solution {}{orbit}", found.number)?;
        }
        self.out.keep();
        self.out.write_all(board(found.columns).as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.out.finish(complete)
    }
}

/// One board: a queen is a `Q`, an empty square a `.`.
fn board(columns: &[usize]) -> String {
    let size = columns.len();
    let mut text = String::with_capacity(size * 2 * size);
    for &queen in columns {
        for column in 0..size {
            text.push(if column == queen { 'Q' } else { '.' });
            text.push(if column + 1 == size { '\n' } else { ' ' });
        }
    }
    text
}
