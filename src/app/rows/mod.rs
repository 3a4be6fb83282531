//! Rows: the output of most commands.
//!
//! A row is a struct that [`row!`] declares. Its fields are what programs read in JSON and CSV. Its
//! [cells](Row::cells) are what people read.

mod csv;
mod fields;
mod text;

use crate::app::failure::Failure;
use crate::app::output::document::Json;
use crate::app::output::{Sink, printable, printable_json, words};
use crate::app::terminal;
use clap::ValueEnum;
pub(crate) use fields::*;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, stdout};

/// A row of a document.
pub(crate) trait Row: Serialize {
    /// Returns what people read. All rows of a document have the same headings.
    fn cells(&self) -> Vec<Cell>;
}

/// Declares a row, and the function `new` that makes it. The parameters of `new` stand behind the name of the row, and
/// the value of each field behind its type: `struct Sum(one: u64, other: u64) { total: u64 = one + other, }`.
macro_rules! row {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident $(<$life:lifetime>)? ($($argument:ident: $given:ty),* $(,)?) {
            $($(#[$comment:meta])* $field:ident: $type:ty = $value:expr,)*
        }
    ) => {
        $(#[$about])*
        #[derive(serde::Serialize)]
        $visible struct $name $(<$life>)? {
            $($(#[$comment])* $field: $type,)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            $visible fn new($($argument: $given),*) -> Self {
                Self { $($field: $value),* }
            }
        }
    };
}
pub(crate) use row;

/// A column of a row, as people read it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    heading: Cow<'static, str>,
    /// The width of the column in characters. It is fixed, because a row is printed before later rows are known.
    width: usize,
    /// True if the texts are right-aligned, as numbers are.
    is_number: bool,
    is_result: bool,
    /// The text; `None` if there is no value.
    text: Option<String>,
}

impl Cell {
    /// Creates a cell of a right-aligned number.
    pub(crate) fn number(heading: impl Into<Cow<'static, str>>, width: usize, value: Option<impl Display>) -> Self {
        Self { is_number: true, ..Self::word(heading, width, value) }
    }

    /// Creates a cell of a left-aligned word.
    pub(crate) fn word(heading: impl Into<Cow<'static, str>>, width: usize, value: Option<impl Display>) -> Self {
        let text = value.map(|value| printable(&value.to_string()).into_owned());
        Self { heading: heading.into(), width, is_number: false, is_result: false, text }
    }

    /// Marks the cell as a result. In text, a report of one row prints only its results.
    pub(crate) fn result(self) -> Self {
        Self { is_result: true, ..self }
    }

    /// Returns the text, or a dash if there is no value.
    fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("-")
    }
}

/// The kind of a report, with the name and the version of its JSON documents. The version changes if existing readers
/// would fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One row: an object in JSON, its results in text.
    One(&'static str),
    /// Any number of rows: an array `rows` in JSON, a table in text.
    Many(&'static str),
}

/// A format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: results alone, or a table
    Text,
    /// One JSON document; counts are strings, because they can exceed 2^53
    Json,
    /// A header and one line for each row
    Csv,
}

/// A report that is being written.
pub(crate) struct Report<W> {
    format: Format,
    kind: Kind,
    json: Json,
    out: W,
    has_rows: bool,
}

impl<W: Sink> Report<W> {
    pub(crate) fn open(format: Format, kind: Kind, out: W) -> Self {
        let (Kind::One(schema) | Kind::Many(schema)) = kind;
        Self { format, kind, json: Json::new(&Head::new(schema), "rows"), out, has_rows: false }
    }

    /// Writes a row. It is flushed, so that a reader gets it at once.
    pub(crate) fn row(&mut self, row: &impl Row) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_rows, true);
        let text = match (self.format, self.kind) {
            (Format::Text, Kind::One(_)) => text::results(&row.cells()),
            (Format::Text, Kind::Many(_)) => text::line(&row.cells(), is_first),
            (Format::Json, Kind::One(schema)) => object(schema, row),
            (Format::Json, Kind::Many(_)) => self.json.next(row),
            (Format::Csv, _) => csv::line(row, is_first),
        };
        self.out.item(&text)?;
        self.out.flush()
    }

    /// Lets `work` write rows. The document is finished even after a failure, so that it is well formed and says that
    /// it is incomplete.
    pub(crate) fn written_by<T>(mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let done = work(&mut self);
        let finished = self.finish(done.is_ok());
        done.and_then(|done| Ok(finished.map(|()| done)?))
    }

    /// Writes all rows of a document, and its end.
    pub(crate) fn all(mut self, rows: &[impl Row]) -> io::Result<()> {
        rows.iter().try_for_each(|row| self.row(row))?;
        self.finish(true)
    }

    /// Writes all rows, with columns that are as wide as their longest text.
    pub(crate) fn fitted(&mut self, rows: &[impl Row]) -> io::Result<()> {
        if self.format != Format::Text {
            return rows.iter().try_for_each(|row| self.row(row));
        }
        let mut table: Vec<Vec<Cell>> = rows.iter().map(Row::cells).collect();
        text::fit(&mut table);
        table.iter().enumerate().try_for_each(|(place, cells)| self.out.item(&text::line(cells, place == 0)))
    }

    /// Writes a text for people as it is.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Writes a line for people after the rows of a text, in lines that fit a terminal.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.text(&(words::folded(&printable(line), terminal::width(stdout())) + "\n"))
    }

    /// Writes the end. `complete` is false if rows are missing because the command was stopped or failed.
    pub(crate) fn finish(&mut self, complete: bool) -> io::Result<()> {
        let end = match (self.format, self.kind) {
            (Format::Json, Kind::Many(_)) => self.json.close(complete),
            _ => String::new(),
        };
        self.out.finish(&end, complete)
    }
}

/// The fields with which a JSON document begins.
#[derive(Serialize)]
struct Head {
    schema: &'static str,
    program_version: Version,
}

impl Head {
    fn new(schema: &'static str) -> Self {
        Self { schema, program_version: VERSION }
    }
}

/// Returns the JSON document of one row.
fn object(schema: &'static str, row: &impl Row) -> String {
    #[derive(Serialize)]
    struct Object<'a, R> {
        #[serde(flatten)]
        head: Head,
        #[serde(flatten)]
        row: &'a R,
    }
    let text = serde_json::to_string_pretty(&Object { head: Head::new(schema), row }).expect("its keys are texts");
    printable_json(&text).into_owned() + "\n"
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::app::fuzz::{fuzz, text};
    use crate::app::output::printable;
    use serde_json::Value;

    /// Returns the value that programs see under a name.
    pub(crate) fn value(row: &impl Row, name: &str) -> Value {
        serde_json::to_value(row).unwrap().get(name).expect("there is such a field").clone()
    }

    /// Returns the texts that people see.
    pub(crate) fn texts(row: &impl Row) -> Vec<String> {
        row.cells().iter().map(|cell| cell.text().to_owned()).collect()
    }

    #[derive(Serialize)]
    struct Sample {
        board: u64,
        total: Solutions,
        fundamental: Option<Solutions>,
        seconds: Seconds,
        cpu: &'static str,
    }

    impl Row for Sample {
        fn cells(&self) -> Vec<Cell> {
            vec![
                Cell::number("N", 3, Some(self.board)),
                Cell::number("total", 8, Some(self.total)).result(),
                Cell::number("fundamental", 11, self.fundamental).result(),
                Cell::number("time", 8, Some(self.seconds)),
            ]
        }
    }

    fn sample(board: u64, total: u128, fundamental: Option<u128>) -> Sample {
        let fundamental = fundamental.map(Solutions);
        Sample { board, total: Solutions(total), fundamental, seconds: Seconds(0.012_345_678), cpu: "a | b, \"c\"" }
    }

    fn opened(format: Format, kind: Kind, write: impl FnOnce(&mut Report<&mut Vec<u8>>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut Report::open(format, kind, &mut out)).unwrap();
        String::from_utf8(out).unwrap()
    }

    const ONE: Kind = Kind::One("nqueens/test/1");
    const MANY: Kind = Kind::Many("nqueens/test/1");

    fn written(format: Format, kind: Kind, complete: bool) -> String {
        opened(format, kind, |report| {
            report.row(&sample(8, 92, Some(12)))?;
            if kind == MANY {
                report.row(&sample(27, 234_907_967_154_122_528, None))?;
            }
            report.finish(complete)
        })
    }

    /// A row whose headings and texts are all alike.
    struct Alike<'a>(&'a str);

    impl Serialize for Alike<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            // The names of fields differ, whatever the text is.
            let other = if self.0 == "b" { "c" } else { "b" };
            serializer.collect_map([(self.0, self.0), (other, self.0)])
        }
    }

    impl Row for Alike<'_> {
        fn cells(&self) -> Vec<Cell> {
            let text = self.0.to_owned();
            vec![Cell::word(text.clone(), 3, Some(&text)).result(), Cell::number("b", 3, Some(&text)).result()]
        }
    }

    /// Returns a report with `text` in its cells and headings.
    fn with(text: &str, format: Format, kind: Kind) -> String {
        opened(format, kind, |report| report.row(&Alike(text)).and_then(|()| report.finish(true)))
    }

    #[test]
    fn fuzz_no_text_is_more_than_a_text_in_any_format() {
        fuzz(500, |random| {
            let text = text(random);
            for &format in Format::value_variants() {
                for kind in [ONE, MANY] {
                    let written = with(&text, format, kind);
                    assert!(printable::tests::is_harmless(&written), "{written:?}");
                }
            }
            assert_eq!(with(&text, Format::Text, MANY).lines().count(), 2);
            let csv = with(&text, Format::Csv, MANY);
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
            for record in reader.records() {
                let record = record.unwrap();
                let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
                assert!(record.len() == 3 && !record.iter().any(is_formula), "{csv}");
            }
            let json: serde_json::Value = serde_json::from_str(&with(&text, Format::Json, MANY)).unwrap();
            assert_eq!(&json["rows"][0][&text], &text);
        });
    }

    #[test]
    fn a_cell_that_a_spreadsheet_would_compute_begins_with_an_apostrophe_and_numbers_stay() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+1+1", "'+1+1"),
            ("-1+1", "'-1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "\\t=1"),
            ("\r=1", "\\r=1"),
            ("-5", "-5"),
            ("+2.5e3", "+2.5e3"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(with(text, Format::Csv, ONE).lines().nth(1), Some(&*format!("{cell},{cell},{VERSION}")));
        }
    }

    #[test]
    fn text_is_the_bare_result_or_columns() {
        assert_eq!(written(Format::Text, ONE, true), "92\n12\n");
        assert_eq!(
            written(Format::Text, MANY, true),
            "  N     total  fundamental      time\n  \
             8        92           12   12.3 ms\n \
             27  234907967154122528            -   12.3 ms\n"
        );
    }

    #[test]
    fn json_is_a_document_with_counts_as_strings() {
        let one: serde_json::Value = serde_json::from_str(&written(Format::Json, ONE, true)).unwrap();
        assert_eq!(
            one,
            serde_json::json!({
                "schema": "nqueens/test/1", "board": 8, "total": "92", "fundamental": "12", "seconds": 0.012_345_678,
                "cpu": "a | b, \"c\"", "program_version": VERSION,
            })
        );
        for complete in [true, false] {
            let many: serde_json::Value = serde_json::from_str(&written(Format::Json, MANY, complete)).unwrap();
            assert_eq!(many["schema"], "nqueens/test/1");
            assert_eq!(many["complete"], complete);
            assert_eq!(many["rows"].as_array().unwrap().len(), 2);
            assert_eq!(many["rows"][1]["total"], "234907967154122528");
            assert_eq!(many["rows"][1]["fundamental"], serde_json::Value::Null);
        }
    }

    #[test]
    fn an_empty_table_is_empty() {
        for format in [Format::Text, Format::Csv] {
            assert_eq!(opened(format, MANY, |report| report.finish(false)), "");
        }
    }

    #[test]
    fn csv_has_every_column_and_quotes_what_needs_it() {
        assert_eq!(
            written(Format::Csv, MANY, true),
            format!(
                "board,total,fundamental,seconds,cpu,program_version\n\
                 8,92,12,0.012345678,\"a | b, \"\"c\"\"\",{VERSION}\n\
                 27,234907967154122528,,0.012345678,\"a | b, \"\"c\"\"\",{VERSION}\n"
            )
        );
    }
}
