//! Rows: the output of most commands.
//!
//! A row is a list of [columns](Column). Each has its name and value for programs, its heading and text for people, or
//! both.

pub(crate) mod csv;
mod json;
pub(crate) mod markdown;
#[cfg(test)]
mod semicolons;
mod text;

use crate::app::output::document::{Document, DocumentFormat};
use crate::app::output::{Sink, printable, words};
use crate::app::terminal;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::Value;
use std::borrow::Cow;
use std::io::{self, stdout};

/// A column with its value in one row. All rows of a report have the same columns.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The name in JSON and CSV; `None` if the column is for people only.
    name: Option<Cow<'static, str>>,
    value: Value,
    /// The function that makes the value when it is written.
    later: Option<fn() -> Value>,
    /// The text for people; `None` if there is no value.
    text: Option<String>,
    /// The heading for people; `None` if the column is for programs only.
    heading: Option<Heading>,
}

/// The heading of a column in tables for people.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) text: Cow<'static, str>,
    /// The width of the column in characters. It is fixed, because a row is printed before later rows are known.
    width: usize,
    /// True if the texts are right-aligned, as numbers are.
    pub(crate) is_number: bool,
    is_result: bool,
    is_in_text: bool,
}

impl Column {
    /// Creates a column for programs.
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        Self { name: Some(name.into()), ..Self::for_people(value) }
    }

    /// Creates a column that only people see.
    pub(crate) fn for_people(value: impl Into<Value>) -> Self {
        let value = value.into();
        Self { name: None, text: text_of(&value), value, later: None, heading: None }
    }

    /// Creates a column for programs whose value takes time to find. Text for people does without it.
    pub(crate) fn later(name: &'static str, value: fn() -> Value) -> Self {
        Self { later: Some(value), ..Self::new(name, Value::Null) }
    }

    /// Creates a column for a number of solutions. It is a string in JSON, because it can exceed 2⁵³.
    pub(crate) fn solutions(name: &'static str, number: impl Into<Option<u128>>) -> Self {
        Self::new(name, number.into().map(|number| number.to_string()))
    }

    /// Creates a column for a time in seconds.
    pub(crate) fn seconds(name: &'static str, seconds: impl Into<Option<f64>>) -> Self {
        Self::rounded(name, seconds.into(), 9, words::time)
    }

    /// Creates a column for the time of cores, given in seconds.
    pub(crate) fn core_hours(seconds: impl Into<Option<f64>>) -> Self {
        Self::hours("core_hours", seconds.into())
    }

    /// Creates a column for the time of devices, given in seconds.
    pub(crate) fn device_hours(seconds: Option<f64>) -> Self {
        Self::hours("device_hours", seconds)
    }

    fn hours(name: &'static str, seconds: Option<f64>) -> Self {
        Self::rounded(name, seconds.map(|seconds| seconds / 3600.0), 9, words::ratio)
    }

    /// Creates a column for a ratio of two measured values.
    pub(crate) fn ratio(name: &'static str, ratio: impl Into<Option<f64>>) -> Self {
        Self::rounded(name, ratio.into(), 3, words::ratio)
    }

    /// Creates a column for a large number that is only known approximately.
    pub(crate) fn estimate(name: &'static str, number: impl Into<Option<f64>>) -> Self {
        Self::rounded(name, number.into(), 0, words::about)
    }

    /// Creates a column for a number. Programs see `digits` digits after the point, and people see the words. A zero
    /// has no sign.
    fn rounded(name: &'static str, number: Option<f64>, digits: i32, in_words: fn(f64) -> String) -> Self {
        let unit = 10_f64.powi(digits);
        Self::new(name, number.map(|number| (number * unit).round() / unit + 0.0)).shown(number.map(in_words))
    }

    /// Shows people another text than the value, or none.
    pub(crate) fn shown(self, text: impl Into<Option<String>>) -> Self {
        let text = text.into().map(|text| printable(&text).into_owned());
        Self { text, ..self }
    }

    /// Shows the column to people as a right-aligned number.
    pub(crate) fn number(self, heading: impl Into<Cow<'static, str>>, width: usize) -> Self {
        self.headed(heading, width, true)
    }

    /// Shows the column to people as a left-aligned word.
    pub(crate) fn word(self, heading: impl Into<Cow<'static, str>>, width: usize) -> Self {
        self.headed(heading, width, false)
    }

    fn headed(self, heading: impl Into<Cow<'static, str>>, width: usize, is_number: bool) -> Self {
        let heading = Heading { text: heading.into(), width, is_number, is_result: false, is_in_text: true };
        Self { heading: Some(heading), ..self }
    }

    /// Marks the column as a result. In text, a report of one row prints only its results.
    pub(crate) fn result(self) -> Self {
        Self { heading: self.heading.map(|heading| Heading { is_result: true, ..heading }), ..self }
    }

    /// Leaves the column out of text, because it would make lines too long for a terminal.
    pub(crate) fn except_in_text(self) -> Self {
        Self { heading: self.heading.map(|heading| Heading { is_in_text: false, ..heading }), ..self }
    }
}

/// A column that people see: its heading, and its text if it has a value.
pub(crate) type Cell<'a> = (&'a Heading, Option<&'a str>);

/// Returns the columns of a row that people see.
pub(crate) fn cells(row: &[Column]) -> impl Iterator<Item = Cell<'_>> {
    row.iter().filter_map(|column| Some((column.heading.as_ref()?, column.text.as_deref())))
}

/// Makes each column as wide as its longest text. All rows of the table must be known.
pub(crate) fn fit(rows: &mut [Vec<Column>]) {
    for place in 0..rows.first().map_or(0, Vec::len) {
        let text = |row: &Vec<Column>| row[place].text.as_ref().map_or(1, |text| text.chars().count());
        let longest = rows.iter().map(text).max().unwrap_or(0);
        for heading in rows.iter_mut().filter_map(|row| row[place].heading.as_mut()) {
            heading.width = longest.max(heading.text.chars().count());
        }
    }
}

/// Returns the fields of a row that programs see.
fn fields(row: &[Column]) -> impl Iterator<Item = (&str, Cow<'_, Value>)> {
    row.iter().filter_map(|column| {
        let value = column.later.map_or(Cow::Borrowed(&column.value), |later| Cow::Owned(later()));
        Some((column.name.as_deref()?, value))
    })
}

/// Returns the text of a value; `None` if there is none. All elements of a list are in one text.
fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        // This text has no exponent, and no `.0` as JSON has.
        Value::Number(number) if number.is_f64() => number.as_f64()?.to_string(),
        Value::Array(values) => values.iter().filter_map(text_of).collect::<Vec<_>>().join(" | "),
        other => other.to_string(),
    };
    Some(printable(&text).into_owned())
}

/// The kind of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One row: an object in JSON, its results in text.
    One,
    /// Any number of rows: an array `rows` in JSON, a table in text.
    Many,
}

/// The formats. To add one, add a file beside this one that defines it, and its line here.
static FORMATS: &[Format] = &[
    text::FORMAT,
    json::FORMAT,
    csv::FORMAT,
    markdown::FORMAT,
    #[cfg(test)]
    semicolons::FORMAT,
];

/// A format of reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// The names of the format, which are the endings of files too. The first is in the help.
    names: &'static [&'static str],
    help: &'static str,
    /// Makes documents of a schema and kind.
    document: fn(&'static str, Kind) -> Box<dyn DocumentFormat<[Column]>>,
}

impl Format {
    pub(crate) const TEXT: Format = text::FORMAT;
    pub(crate) const JSON: Format = json::FORMAT;
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        FORMATS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.names[0]).aliases(&self.names[1..]).help(self.help))
    }
}

/// Opens a report in `format` that is written to `out`. `schema` is the name and the version of its JSON documents. The
/// version changes if existing readers would fail.
pub(crate) fn open<W: Sink>(format: Format, schema: &'static str, kind: Kind, out: W) -> Document<[Column], W> {
    Document::new((format.document)(schema, kind), out)
}

impl<W: Sink> Document<[Column], W> {
    /// Writes a row. It is flushed, so that a reader gets it at once.
    pub(crate) fn row(&mut self, row: &[Column]) -> io::Result<()> {
        self.item(row)?;
        self.flush()
    }

    /// Writes a line for people after the rows of a text, in lines that fit a terminal.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.text(&(words::folded(&printable(line), terminal::width(stdout())) + "\n"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::app::output::printable;

    /// Returns the value that programs see under a name.
    pub(crate) fn value(row: &[Column], name: &str) -> Value {
        fields(row).find(|(other, _)| *other == name).map(|(_, value)| value.into_owned()).unwrap()
    }

    /// Returns the texts that people see.
    pub(crate) fn texts(row: &[Column]) -> Vec<&str> {
        cells(row).map(|(_, text)| text.unwrap_or("-")).collect()
    }

    fn sample(board: u64, total: u128, fundamental: Option<u128>) -> Vec<Column> {
        vec![
            Column::new("board", board).number("N", 3),
            Column::solutions("total", total).number("total", 8).result(),
            Column::solutions("fundamental", fundamental).number("fundamental", 11).result(),
            Column::seconds("seconds", 0.012_345_678).number("time", 8),
            Column::new("cpu", "a | b, \"c\""),
        ]
    }

    fn opened(
        format: Format,
        kind: Kind,
        write: impl FnOnce(&mut Document<[Column], &mut Vec<u8>>) -> io::Result<()>,
    ) -> String {
        let mut out = Vec::new();
        write(&mut open(format, "nqueens/test/1", kind, &mut out)).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn written(format: Format, kind: Kind, complete: bool) -> String {
        opened(format, kind, |report| {
            report.row(&sample(8, 92, Some(12)))?;
            if kind == Kind::Many {
                report.row(&sample(27, 234_907_967_154_122_528, None))?;
            }
            report.finish(complete)
        })
    }

    /// Returns a report with `text` in its cells and headings.
    fn with(text: &str, format: Format, kind: Kind) -> String {
        // The names of fields differ, whatever the text is.
        let other = if text == "b" { "c" } else { "b" };
        let row = [
            Column::new(text.to_owned(), text).word(text.to_owned(), 3).result(),
            Column::new(other, text).number("b", 3).result(),
        ];
        opened(format, kind, |report| report.row(&row).and_then(|()| report.finish(true)))
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_more_than_a_text_in_any_format(text in "\\PC*|[\\x00-\\x{9f}]*|[=+@|`<&\\\\\t\n-].*|.*") {
            for &format in Format::value_variants() {
                for rows in [Kind::One, Kind::Many] {
                    let written = with(&text, format, rows);
                    assert!(printable::tests::is_harmless(&written), "{written:?}");
                }
            }
            assert_eq!(with(&text, Format::TEXT, Kind::Many).lines().count(), 2);
            let markdown = with(&text, markdown::FORMAT, Kind::Many);
            // Escaped characters are not checked.
            let bare = unescaped(&markdown);
            assert!(bare.lines().all(|line| line.matches('|').count() == 3) && bare.lines().count() == 3, "{markdown}");
            assert!(!bare.contains(['<', '>', '`', '[', ']']), "{markdown}");
            let csv = with(&text, csv::FORMAT, Kind::Many);
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
            for record in reader.records() {
                let record = record.unwrap();
                let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
                assert!(record.len() == 2 && !record.iter().any(is_formula), "{csv}");
            }
            let json: serde_json::Value = serde_json::from_str(&with(&text, Format::JSON, Kind::Many)).unwrap();
            assert_eq!(&json["rows"][0][&text], &text);
        }
    }

    /// Returns Markdown without the escaped characters.
    fn unescaped(markdown: &str) -> String {
        let mut characters = markdown.chars();
        let mut bare = String::new();
        while let Some(character) = characters.next() {
            if character == '\\' {
                characters.next();
            } else {
                bare.push(character);
            }
        }
        bare
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
            assert_eq!(with(text, csv::FORMAT, Kind::One).lines().nth(1), Some(&*format!("{cell},{cell}")));
        }
    }

    #[test]
    fn text_is_the_bare_result_or_columns() {
        assert_eq!(written(Format::TEXT, Kind::One, true), "92\n12\n");
        assert_eq!(
            written(Format::TEXT, Kind::Many, true),
            "  N     total  fundamental      time\n  \
             8        92           12   12.3 ms\n \
             27  234907967154122528            -   12.3 ms\n"
        );
    }

    #[test]
    fn json_is_a_document_with_counts_as_strings() {
        let one: serde_json::Value = serde_json::from_str(&written(Format::JSON, Kind::One, true)).unwrap();
        assert_eq!(
            one,
            serde_json::json!({
                "schema": "nqueens/test/1", "board": 8, "total": "92", "fundamental": "12", "seconds": 0.012_345_678,
                "cpu": "a | b, \"c\"",
            })
        );
        for complete in [true, false] {
            let many: serde_json::Value = serde_json::from_str(&written(Format::JSON, Kind::Many, complete)).unwrap();
            assert_eq!(many["schema"], "nqueens/test/1");
            assert_eq!(many["complete"], complete);
            assert_eq!(many["rows"].as_array().unwrap().len(), 2);
            assert_eq!(many["rows"][1]["total"], "234907967154122528");
            assert_eq!(many["rows"][1]["fundamental"], serde_json::Value::Null);
        }
    }

    #[test]
    fn an_empty_table_is_empty() {
        for format in [Format::TEXT, csv::FORMAT, markdown::FORMAT] {
            assert_eq!(opened(format, Kind::Many, |report| report.finish(false)), "");
        }
    }

    #[test]
    fn csv_has_every_column_and_quotes_what_needs_it() {
        assert_eq!(
            written(csv::FORMAT, Kind::Many, true),
            "board,total,fundamental,seconds,cpu\n\
             8,92,12,0.012345678,\"a | b, \"\"c\"\"\"\n\
             27,234907967154122528,,0.012345678,\"a | b, \"\"c\"\"\"\n"
        );
    }

    #[test]
    fn markdown_is_a_table() {
        assert_eq!(
            written(markdown::FORMAT, Kind::Many, true),
            "| N | total | fundamental | time |\n\
             |---|---|---|---|\n\
             | 8 | 92 | 12 | 12.3 ms |\n\
             | 27 | 234907967154122528 | - | 12.3 ms |\n"
        );
    }
}
