//! Rows: the output of most commands.
//!
//! A row is a struct. Its fields are what programs read in JSON and CSV, and docs/formats.md lists them. Its
//! [cells](Row::cells) are what people read.

mod csv;
mod fields;
mod text;

use crate::app::failure::Failure;
use crate::app::output::document::{DocumentFormat, Json};
use crate::app::output::{Sink, printable, printable_json};
use clap::ValueEnum;
pub(crate) use fields::*;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Display;
use std::io;

/// A row of a document.
pub(crate) trait Row: Serialize {
    /// Returns what people read. All rows of a document have the same headings.
    fn cells(&self) -> Vec<Cell>;
}

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
        Self { format, kind, json: Json::new(&head(schema), "rows"), out, has_rows: false }
    }

    /// Writes a row. It is flushed, so that a reader gets it at once.
    pub(crate) fn row(&mut self, row: &impl Row) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_rows, true);
        let text = match (self.format, self.kind) {
            (Format::Text, Kind::One(_)) => text::results(&row.cells()),
            (Format::Text, Kind::Many(_)) => text::line(&row.cells(), is_first),
            (Format::Json, Kind::One(schema)) => object(schema, row),
            (Format::Json, Kind::Many(_)) => self.json.item(row),
            (Format::Csv, _) => csv::line(row, is_first),
        };
        self.out.write_all(text.as_bytes())?;
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

    /// Writes a line for people after the rows of a text.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.out.write_all(format!("{}\n", printable(line)).as_bytes())
    }

    /// Writes the end. `complete` is false if rows are missing because the command was stopped or failed.
    pub(crate) fn finish(&mut self, complete: bool) -> io::Result<()> {
        let end = match (self.format, self.kind) {
            (Format::Json, Kind::Many(_)) => DocumentFormat::<()>::end(&mut self.json, complete),
            _ => String::new(),
        };
        self.out.finish(&end, complete)
    }
}

/// Returns the fields with which a JSON document begins.
fn head(schema: &str) -> Map<String, Value> {
    [("schema", schema), ("program_version", VERSION)]
        .map(|(name, text)| (name.to_owned(), text.into()))
        .into_iter()
        .collect()
}

/// Returns the fields of a row.
fn fields_of(row: &impl Row) -> Map<String, Value> {
    let Ok(Value::Object(fields)) = serde_json::to_value(row) else { unreachable!("a row is a struct") };
    fields
}

/// Returns the JSON document of one row.
fn object(schema: &str, row: &impl Row) -> String {
    let object: Map<String, Value> = head(schema).into_iter().chain(fields_of(row)).collect();
    printable_json(&format!("{:#}\n", Value::Object(object))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fuzz::{fuzz, text};
    use crate::app::output::printable::tests::is_harmless;
    use serde_json::Value;

    #[derive(Serialize)]
    struct Sample<'a> {
        board: u64,
        total: Solutions,
        fundamental: Option<Solutions>,
        seconds: Seconds,
        file: &'a str,
    }

    impl Row for Sample<'_> {
        fn cells(&self) -> Vec<Cell> {
            vec![
                Cell::number("N", 3, Some(self.board)),
                Cell::number("total", 8, Some(self.total)).result(),
                Cell::number("fundamental", 11, self.fundamental).result(),
                Cell::word("file", 0, Some(self.file)),
            ]
        }
    }

    const ONE: Kind = Kind::One("nqueens/test/1");
    const MANY: Kind = Kind::Many("nqueens/test/1");

    /// Returns two rows, in which `file` is the name of a file.
    fn samples(file: &str) -> [Sample<'_>; 2] {
        let (total, seconds) = (Solutions(234_907_967_154_122_528), Seconds(0.000_000_678));
        let large = Sample { board: 27, total, fundamental: None, seconds, file };
        [Sample { board: 8, total: Solutions(92), fundamental: Some(Solutions(12)), seconds, file }, large]
    }

    fn written(format: Format, kind: Kind, rows: &[Sample<'_>], complete: bool) -> String {
        let mut out = Vec::new();
        let mut report = Report::open(format, kind, &mut out);
        rows.iter().try_for_each(|row| report.row(row)).and_then(|()| report.finish(complete)).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn parsed(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn fuzz_no_text_is_more_than_a_text_in_any_format() {
        fuzz(500, |random| {
            let text = text(random);
            let rows = samples(&text);
            for &format in Format::value_variants() {
                for (kind, rows) in [(ONE, &rows[..1]), (MANY, &rows)] {
                    let written = written(format, kind, rows, true);
                    assert!(is_harmless(&written), "{written:?}");
                }
            }
            assert_eq!(written(Format::Text, MANY, &rows, true).lines().count(), 3);
            let csv = written(Format::Csv, MANY, &rows, true);
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
            for record in reader.records() {
                let record = record.unwrap();
                let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
                assert!(record.len() == 6 && !record.iter().any(is_formula), "{csv}");
            }
            assert_eq!(&parsed(&written(Format::Json, MANY, &rows, true))["rows"][0]["file"], &text);
        });
    }

    #[test]
    fn a_cell_that_a_spreadsheet_would_compute_begins_with_an_apostrophe_and_numbers_stay() {
        let ends_with = |text: &str, cell: &str| {
            let csv = written(Format::Csv, MANY, &samples(text), true);
            assert!(csv.ends_with(&format!(",{cell},{VERSION}\n")), "{csv}");
        };
        for text in ["=1+1", "+1+1", "-1+1", "@SUM(A1)"] {
            ends_with(text, &format!("'{text}"));
        }
        for text in ["-5", "+2.5e3", "a=b"] {
            ends_with(text, text);
        }
        ends_with("\t=1", "\\t=1");
    }

    #[test]
    fn text_is_the_bare_result_or_columns() {
        let rows = samples("a");
        assert_eq!(written(Format::Text, ONE, &rows[..1], true), "92\n12\n");
        let narrow = "  N     total  fundamental  file\n  \
                        8        92           12  a\n \
                       27  234907967154122528            -  a\n";
        assert_eq!(written(Format::Text, MANY, &rows, true), narrow);
    }

    #[test]
    fn json_is_closed_and_says_whether_it_is_complete() {
        let rows = samples("a");
        let row = r#""board": 8, "total": "92", "fundamental": "12", "seconds": 0.000000678, "file": "a""#;
        let head = format!(r#""schema": "nqueens/test/1", "program_version": "{VERSION}""#);
        assert_eq!(parsed(&written(Format::Json, ONE, &rows[..1], true)), parsed(&format!("{{{head}, {row}}}")));
        for (rows, list) in [(&rows[..0], "[]".to_owned()), (&rows[..1], format!("[{{{row}}}]"))] {
            for complete in [true, false] {
                let document = format!("{{{head}, \"rows\": {list}, \"complete\": {complete}}}");
                assert_eq!(parsed(&written(Format::Json, MANY, rows, complete)), parsed(&document));
            }
        }
    }

    #[test]
    fn csv_has_every_field_and_quotes_what_needs_it() {
        let header = "board,total,fundamental,seconds,file,program_version";
        let [one, other] = ["8,92,12", "27,234907967154122528,"]
            .map(|numbers| format!(r#"{numbers},0.000000678,"a, ""b""",{VERSION}"#));
        let written = written(Format::Csv, MANY, &samples("a, \"b\""), true);
        assert_eq!(written, format!("{header}\n{one}\n{other}\n"));
    }

    #[test]
    fn an_empty_table_is_empty() {
        assert_eq!([Format::Text, Format::Csv].map(|format| written(format, MANY, &[], false)), ["", ""]);
    }
}
