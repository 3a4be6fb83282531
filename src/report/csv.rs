//! Comma-separated values: every column, for spreadsheets and scripts.

use super::{Cell, Detail, Layout, Report};
use std::io::{self, Write};

pub(super) struct Csv<'a, W: Write> {
    layout: Layout<'a>,
    out: csv::Writer<W>,
    begun: bool,
}

impl<'a, W: Write> Csv<'a, W> {
    pub(super) fn new(layout: Layout<'a>, out: W) -> Self {
        Self { layout, out: csv::Writer::from_writer(out), begun: false }
    }
}

impl<W: Write> Csv<'_, W> {
    fn begin(&mut self) -> io::Result<()> {
        if !self.begun {
            self.out.write_record(self.layout.headings(Detail::Record).map(|column| column.key))?;
            self.begun = true;
        }
        Ok(())
    }
}

impl<W: Write> Report for Csv<'_, W> {
    fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        self.begin()?;
        let cells = self.layout.shown(Detail::Record, row).map(|(_, cell)| match cell {
            Cell::Grouped(count) => count.to_string(),
            Cell::Seconds(seconds) => format!("{seconds:.6}"),
            Cell::Time(seconds) => format!("{seconds:.9}"),
            Cell::Ratio(number) => Cell::rounded(*number).to_string(),
            Cell::Estimate(number) => number.to_string(),
            other => other.display(""),
        });
        self.out.write_record(cells)?;
        self.out.flush()
    }

    fn finish(&mut self, _complete: bool) -> io::Result<()> {
        // A table without rows still says what its columns are.
        self.begin()?;
        self.out.flush()
    }
}
