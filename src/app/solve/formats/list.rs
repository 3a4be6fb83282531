//! A line for each solution: `[3, 6, 2, 7, 1, 4, 0, 5]`.

use crate::app::solve::formats::{Found, Report, Sink};
use std::io;

pub(super) struct Lists<W>(W);

impl<W: Sink> Lists<W> {
    pub(super) fn new(out: W) -> Self {
        Self(out)
    }
}

impl<W: Sink> Report for Lists<W> {
    fn solution(&mut self, found: Found<'_>) -> io::Result<()> {
        self.0.keep();
        match found.orbit_size {
            None => writeln!(self.0, "{:?}", found.columns),
            Some(size) => writeln!(self.0, "{:?} orbit of {size}", found.columns),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.0.finish(complete)
    }
}
