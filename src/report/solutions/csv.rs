//! Comma-separated values: a line for each solution, a column for each row of the board.

use super::{Found, Layout, Report};
use std::io::{self, Write};

pub(super) struct Csv<W: Write> {
    layout: Layout,
    out: csv::Writer<W>,
    begun: bool,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(layout: Layout, out: W) -> Self {
        Self { layout, out: csv::Writer::from_writer(out), begun: false }
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.begun {
            let rows = (0..self.layout.size).map(|row| format!("row_{row}"));
            let orbit = self.layout.fundamental.then(|| "orbit_size".to_owned());
            self.out.write_record(std::iter::once("solution".to_owned()).chain(orbit).chain(rows))?;
            self.begun = true;
        }
        Ok(())
    }
}

impl<W: Write> Report for Csv<W> {
    fn solution(&mut self, found: Found<'_>) -> io::Result<()> {
        self.begin()?;
        let orbit = found.orbit_size.map(|size| size.to_string());
        let columns = found.columns.iter().map(ToString::to_string);
        self.out.write_record(std::iter::once(found.number.to_string()).chain(orbit).chain(columns))?;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self, _complete: bool) -> io::Result<()> {
        // A list without solutions still says what its columns are.
        self.begin()?;
        self.out.flush()
    }
}
