//! Text for people, and for shells that need only the result.

use super::{Cell, Kind, Report, Row};
use crate::app::output::words::wrapped;
use crate::app::output::{Sink, printable};
use std::io::{self, Write};

/// The length of a line of a terminal, in characters.
const LINE: usize = 80;
/// The gap between two columns.
const GAP: &str = "  ";

/// A report as text. One row prints its results, one a line. Many rows are columns under headings.
pub(super) struct Text<W> {
    kind: Kind,
    out: W,
    has_headings: bool,
}

impl<W: Sink> Text<W> {
    pub(super) fn new(kind: Kind, out: W) -> Self {
        Self { kind, out, has_headings: false }
    }

    /// Writes a line with the text of each cell: words left-aligned, numbers right-aligned.
    fn line(&mut self, cells: &[Cell], text: impl Fn(&Cell) -> String) -> io::Result<()> {
        let padded = cells.iter().filter(|cell| cell.is_in_text).map(|cell| cell.padded(&text(cell), cell.width));
        let line = padded.collect::<Vec<_>>().join(GAP);
        writeln!(self.out, "{}", line.trim_end())
    }
}

impl Cell {
    /// Returns a text as wide as the column: words left-aligned, numbers right-aligned.
    fn padded(&self, text: &str, width: usize) -> String {
        if self.is_number { format!("{text:>width$}") } else { format!("{text:<width$}") }
    }
}

/// Writes rows with any number of columns as tables whose lines fit a terminal, with an empty line between them. The
/// first `known` columns are in each table; a row is left out of tables in which it has nothing but them. Columns are as
/// wide as they need be, and their headings are broken between words.
pub(crate) fn write_wide(rows: &[Vec<Cell>], known: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let heading = |column: usize| printable(first[column].heading()).into_owned();
    let length = |text: &str| text.chars().count();
    let width = |column: usize| {
        let texts = rows.iter().map(|row| length(row[column].text())).max().unwrap_or(0);
        let words = heading(column).split_whitespace().map(length).max().unwrap_or(0);
        (column, texts.max(words).min(LINE / 2))
    };
    let columns: Vec<(usize, usize)> = (0..first.len()).filter(|&column| first[column].is_in_text).map(width).collect();
    let (known, others) = columns.split_at(known.min(columns.len()));
    let taken = |columns: &[(usize, usize)]| columns.iter().map(|(_, width)| width + GAP.len()).sum::<usize>();
    let mut rest = others;
    let mut is_first = true;
    while is_first || !rest.is_empty() {
        let fit = (1..=rest.len()).rev().find(|&some| taken(known) + taken(&rest[..some]) <= LINE + GAP.len());
        let (these, after) = rest.split_at(fit.unwrap_or(1).min(rest.len()));
        rest = after;
        if !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        let columns = [known, these].concat();
        let headings: Vec<Vec<String>> =
            columns.iter().map(|&(column, width)| wrapped(&heading(column), width)).collect();
        let lines = headings.iter().map(Vec::len).max().unwrap_or(0);
        let mut line = |text: &dyn Fn(usize) -> String| {
            let cells =
                columns.iter().enumerate().map(|(place, &(column, width))| first[column].padded(&text(place), width));
            writeln!(out, "{}", cells.collect::<Vec<_>>().join(GAP).trim_end())
        };
        for number in 0..lines {
            // Short headings stand next to the rows.
            line(&|place| {
                let above = lines - headings[place].len();
                number.checked_sub(above).map_or(String::new(), |number| headings[place][number].clone())
            })?;
        }
        for row in rows {
            if these.is_empty() || these.iter().any(|&(column, _)| row[column].text.is_some()) {
                line(&|place| row[columns[place].0].text().to_owned())?;
            }
        }
    }
    Ok(())
}

impl<R: Row, W: Sink> Report<R> for Text<W> {
    fn row(&mut self, row: &R) -> io::Result<()> {
        let cells = row.cells();
        match self.kind {
            Kind::Many => {
                if !self.has_headings {
                    self.line(&cells, |cell| printable(&cell.heading).into_owned())?;
                    self.has_headings = true;
                }
                self.line(&cells, |cell| cell.text().to_owned())?;
            }
            Kind::One => {
                let results = cells.iter().filter(|cell| cell.is_result);
                results.filter_map(|cell| cell.text.as_deref()).try_for_each(|text| writeln!(self.out, "{text}"))?;
            }
        }
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.out.finish(complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(rows: &[Vec<Cell>], known: usize) -> String {
        let mut out = Vec::new();
        write_wide(rows, known, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_that_do_not_fit_are_in_another_table() {
        let row = |board: usize, numbers: [Option<usize>; 3]| {
            let columns = numbers.map(|number| {
                Cell::optional("the same words ".repeat(3), 9, number.map(|number| format!("{number:>40}")))
            });
            [vec![Cell::number("N", 2, board)], columns.to_vec()].concat()
        };
        let rows = [row(8, [Some(1), None, None]), row(9, [Some(1), Some(2), Some(3)])];
        let tables: Vec<Vec<String>> = written(&rows, 1)
            .split("\n\n")
            .map(|table| table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect())
            .collect();
        assert_eq!(tables.len(), 3, "{tables:?}");
        assert_eq!(tables[0], ["the same words the same words the same", "N words", "8 1", "9 1"]);
        assert_eq!((&*tables[1][2], tables[1].len(), tables[2].len()), ("9 2", 3, 3));
        assert_eq!(written(&[], 0), "");
        assert_eq!(written(&[vec![Cell::word("a", 1, "x"), Cell::word("b", 1, "y").except_in_text()]], 1), "a\nx\n");
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_a_terminal_and_nothing_is_lost(
            headings in proptest::collection::vec("[a-z]{1,9}( [a-z]{1,9}){0,3}", 1..12),
            texts in proptest::collection::vec("[0-9]{1,15}", 24),
        ) {
            let cells = |row: usize| {
                let cell = |(column, heading): (usize, &String)| Cell::number(heading.clone(), 1, &texts[12 * row + column]);
                headings.iter().enumerate().map(cell).collect::<Vec<_>>()
            };
            let text = written(&[cells(0), cells(1)], 1);
            prop_assert!(text.lines().all(|line| line.len() <= LINE), "{}", text);
            let words: Vec<&str> = text.split_whitespace().collect();
            for column in 0..headings.len() {
                prop_assert!(words.contains(&&*texts[column]) && words.contains(&&*texts[12 + column]));
                prop_assert!(headings[column].split(' ').all(|word| words.contains(&word)));
            }
        }
    }
}
