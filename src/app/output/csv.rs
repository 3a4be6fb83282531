//! Comma-separated values: every column, for spreadsheets and scripts.

use crate::app::output::{Cell, Detail, Layout, Report, Sink, printable};
use std::io::{self, Write};

pub(super) struct Csv<'a, W> {
    layout: Layout<'a>,
    out: W,
    begun: bool,
}

impl<'a, W: Sink> Csv<'a, W> {
    pub(super) fn new(layout: Layout<'a>, out: W) -> Self {
        Self { layout, out, begun: false }
    }

    fn begin(&mut self) -> io::Result<()> {
        if !self.begun {
            let keys = self.layout.headings(Detail::Record).map(|column| column.key);
            record(&mut self.out, keys)?;
            self.begun = true;
        }
        Ok(())
    }
}

impl<W: Sink> Report for Csv<'_, W> {
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
        record(&mut self.out, cells)?;
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        // A table without rows still says what its columns are.
        self.begin()?;
        self.out.finish(complete)
    }
}

/// Writes a line.
fn record(out: &mut impl Write, cells: impl Iterator<Item: AsRef<str>>) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    cells.into_iter().try_for_each(|cell| writer.write_field(defused(cell.as_ref())))?;
    writer.write_record(None::<&[u8]>)?;
    writer.flush()
}

/// The text of a cell that a spreadsheet shows and does not compute: what would be a formula there begins with an apostrophe.
fn defused(text: &str) -> String {
    let text = printable(text);
    let is_formula = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text.into_owned() }
}
