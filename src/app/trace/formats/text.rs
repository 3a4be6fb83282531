//! A numbered line for each step.

use crate::Board;
use crate::app::trace::formats::{Report, Sink};
use crate::classic::trace::Step;
use std::io;

pub(super) struct Text<W> {
    board: Board,
    out: W,
    steps: u64,
}

impl<W: Sink> Text<W> {
    pub(super) fn new(board: Board, out: W) -> Self {
        Self { board, out, steps: 0 }
    }
}

impl<W: Sink> Report for Text<W> {
    fn step(&mut self, step: &Step) -> io::Result<()> {
        self.out.keep();
        self.steps += 1;
        writeln!(self.out, "{:>4}  {:<9}  {}", self.steps, step.kind(), step.describe(self.board))
    }

    fn finish(&mut self, _complete: bool, whole: bool) -> io::Result<()> {
        self.out.finish(whole)
    }
}
