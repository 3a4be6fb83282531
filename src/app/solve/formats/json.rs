//! JSON: one document, a line for each solution.

use crate::app::solve::formats::{Found, Layout, Report, Sink};
use std::io;

pub(super) struct Json<W> {
    layout: Layout,
    out: W,
    begun: bool,
}

impl<W: Sink> Json<W> {
    pub(super) fn new(layout: Layout, out: W) -> Self {
        Self { layout, out, begun: false }
    }

    fn begin(&mut self) -> io::Result<()> {
        write!(self.out, "{{\"schema\": \"nqueens/solutions/1\", \"board\": {}, \"solutions\": [", self.layout.size)?;
        self.begun = true;
        Ok(())
    }
}

impl<W: Sink> Report for Json<W> {
    fn solution(&mut self, found: Found<'_>) -> io::Result<()> {
        if self.begun {
            write!(self.out, ",")?;
        } else {
            self.begin()?;
        }
        self.out.keep();
        let orbit = found.orbit_size.map_or(String::new(), |size| format!("\"orbit_size\": {size}, "));
        write!(self.out, "\n{{\"number\": {}, {orbit}\"columns\": {:?}}}", found.number, found.columns)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        if !self.begun {
            self.begin()?;
        }
        writeln!(self.out, "\n], \"complete\": {complete}}}")?;
        self.out.finish(complete)
    }
}
