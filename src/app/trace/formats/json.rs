//! JSON: one document, a line for each step.

use crate::Board;
use crate::app::trace::formats::{Report, Sink};
use crate::classic::trace::{Step, Until};
use std::io;

pub(super) struct Json<W> {
    board: Board,
    until: Until,
    out: W,
    steps: u64,
}

impl<W: Sink> Json<W> {
    pub(super) fn new(board: Board, until: Until, out: W) -> Self {
        Self { board, until, out, steps: 0 }
    }

    fn begin(&mut self) -> io::Result<()> {
        let (schema, board, until) = ("nqueens/trace/1", self.board, until(self.until));
        write!(self.out, "{{\"schema\": \"{schema}\", \"board\": {board}, \"until\": \"{until}\", \"steps\": [")
    }
}

fn until(until: Until) -> &'static str {
    match until {
        Until::First => "first",
        Until::All => "all",
    }
}

impl<W: Sink> Report for Json<W> {
    fn step(&mut self, step: &Step) -> io::Result<()> {
        if self.steps == 0 {
            self.begin()?;
        } else {
            write!(self.out, ",")?;
        }
        self.out.keep();
        self.steps += 1;
        write!(self.out, "\n{{\"step\": {}, \"kind\": \"{}\"", self.steps, step.kind())?;
        match step {
            Step::Conflict { row, column, queen, line } => {
                write!(self.out, ", \"row\": {row}, \"column\": {column}, \"queen\": {queen}, \"line\": \"{line}\"")?;
            }
            Step::Place { row, column } | Step::Mark { row, column } | Step::Unmark { row, column } => {
                write!(self.out, ", \"row\": {row}, \"column\": {column}")?;
            }
            Step::Backtrack { row } => write!(self.out, ", \"row\": {row}")?,
            Step::Solution { number } => write!(self.out, ", \"number\": {number}")?,
        }
        write!(self.out, "}}")
    }

    fn finish(&mut self, complete: bool, whole: bool) -> io::Result<()> {
        if self.steps == 0 {
            self.begin()?;
        }
        writeln!(self.out, "\n], \"complete\": {complete}}}")?;
        self.out.finish(whole)
    }
}
