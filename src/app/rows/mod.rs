//! Rows: the output of most commands, in four formats.
//!
//! A row is a struct. Its serialized fields are the columns of JSON and CSV; its [cells](Row::cells) are the columns of
//! tables for people. To add a format, add a file beside this one and a line in [`open`].

mod csv;
mod json;
pub(crate) mod markdown;
pub(crate) mod text;
pub(crate) mod values;

use crate::app::output::{Format, Sink, printable};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Display;
use std::io;

/// A row of a report. CSV takes its header from the `Default` row if a report has no rows.
pub(crate) trait Row: Serialize + Default {
    /// Returns the cells of tables for people, from left to right. All rows of a report have the same headings.
    fn cells(&self) -> Vec<Cell>;
}

/// A cell of a table for people, with the heading of its column.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    heading: Cow<'static, str>,
    /// The width of the column in characters. It is fixed, because a row is printed before later rows are known.
    width: usize,
    text: Option<String>,
    is_number: bool,
    is_result: bool,
    is_in_text: bool,
}

impl Cell {
    /// Creates a left-aligned cell for a word.
    pub(crate) fn word(heading: impl Into<Cow<'static, str>>, width: usize, word: impl Display) -> Self {
        Self { is_number: false, ..Self::optional(heading, width, Some(word)) }
    }

    /// Creates a right-aligned cell for a number.
    pub(crate) fn number(heading: impl Into<Cow<'static, str>>, width: usize, number: impl Display) -> Self {
        Self::optional(heading, width, Some(number))
    }

    /// Creates a right-aligned cell for a number, or `-` if there is none.
    pub(crate) fn optional(heading: impl Into<Cow<'static, str>>, width: usize, number: Option<impl Display>) -> Self {
        let text = number.map(|number| printable(&number.to_string()).into_owned());
        Self { heading: heading.into(), width, text, is_number: true, is_result: false, is_in_text: true }
    }

    /// Marks the cell as a result. In text, a report of one row prints only its results.
    pub(crate) fn result(self) -> Self {
        Self { is_result: true, ..self }
    }

    /// Leaves the column out of text, where it would make lines too long for a terminal.
    pub(crate) fn except_in_text(self) -> Self {
        Self { is_in_text: false, ..self }
    }

    /// Returns the heading of the column.
    pub(crate) fn heading(&self) -> &str {
        &self.heading
    }

    /// Returns the text of the cell; `-` if it has no value.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("-")
    }

    /// Returns true if the text is right-aligned, as numbers are.
    pub(crate) fn is_number(&self) -> bool {
        self.is_number
    }
}

/// The kind of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One row: an object in JSON, its results in text.
    One,
    /// Any number of rows: an array `rows` in JSON, a table in text.
    Many,
}

/// A report that is being written. Every row is flushed, so that a reader gets it at once.
pub(crate) trait Report<R> {
    /// Writes a row.
    fn row(&mut self, row: &R) -> io::Result<()>;

    /// Ends the report. `complete` is false if rows are missing because the command was stopped or failed.
    fn finish(&mut self, complete: bool) -> io::Result<()>;
}

/// Opens a report in `format` that is written to `out`. `schema` is the name and the version of its JSON documents. The
/// version changes if existing readers would fail.
pub(crate) fn open<'a, R: Row + 'a, W: Sink + 'a>(
    format: Format,
    schema: &'static str,
    kind: Kind,
    out: W,
) -> Box<dyn Report<R> + 'a> {
    match format {
        Format::Text => Box::new(text::Text::new(kind, out)),
        Format::Json => Box::new(json::Json::new(schema, kind, out)),
        Format::Csv => Box::new(csv::Csv::new(out)),
        Format::Markdown => Box::new(markdown::Markdown::new(out)),
    }
}

#[cfg(test)]
mod tests {
    use super::values::{Seconds, Solutions};
    use super::*;
    use crate::app::output::printable;

    #[derive(Default, Serialize)]
    struct Sample {
        board: u64,
        total: Solutions,
        fundamental: Option<Solutions>,
        seconds: Seconds,
        cpu: String,
    }

    impl Row for Sample {
        fn cells(&self) -> Vec<Cell> {
            vec![
                Cell::number("N", 3, self.board),
                Cell::number("total", 8, self.total).result(),
                Cell::optional("fundamental", 11, self.fundamental).result(),
                Cell::number("seconds", 8, self.seconds),
            ]
        }
    }

    fn sample(board: u64, total: u128, fundamental: Option<u128>) -> Sample {
        let fundamental = fundamental.map(Solutions);
        Sample {
            board,
            total: Solutions(total),
            fundamental,
            seconds: Seconds(0.012_345_678),
            cpu: "a | b, \"c\"".into(),
        }
    }

    fn opened(format: Format, kind: Kind, write: impl FnOnce(&mut dyn Report<Sample>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut *open(format, "nqueens/test/1", kind, &mut out)).unwrap();
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

    const FORMATS: [Format; 4] = [Format::Text, Format::Json, Format::Csv, Format::Markdown];

    #[derive(Default)]
    struct Hostile(String);

    impl Serialize for Hostile {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            // The names of fields differ, whatever the text is.
            let other = if self.0 == "b" { "c" } else { "b" };
            serializer.collect_map([(&*self.0, &self.0), (other, &self.0)])
        }
    }

    impl Row for Hostile {
        fn cells(&self) -> Vec<Cell> {
            vec![Cell::word(self.0.clone(), 3, &self.0).result(), Cell::number("b", 3, &self.0).result()]
        }
    }

    /// Returns a report with `text` in its cells and headings.
    fn with(text: &str, format: Format, kind: Kind) -> String {
        let mut out = Vec::new();
        let mut report = open(format, "nqueens/test/1", kind, &mut out);
        report.row(&Hostile(text.to_owned())).unwrap();
        report.finish(true).unwrap();
        drop(report);
        String::from_utf8(out).unwrap()
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_more_than_a_text_in_any_format(text in "\\PC*|[\\x00-\\x{9f}]*|[=+@|`<&\\\\\t\n-].*|.*") {
            for format in FORMATS {
                for rows in [Kind::One, Kind::Many] {
                    let written = with(&text, format, rows);
                    assert!(printable::tests::is_harmless(&written), "{written:?}");
                }
            }
            assert_eq!(with(&text, Format::Text, Kind::Many).lines().count(), 2);
            let markdown = with(&text, Format::Markdown, Kind::Many);
            // Escaped characters are not checked.
            let bare = unescaped(&markdown);
            assert!(bare.lines().all(|line| line.matches('|').count() == 3) && bare.lines().count() == 3, "{markdown}");
            assert!(!bare.contains(['<', '>', '`', '[', ']']), "{markdown}");
            let csv = with(&text, Format::Csv, Kind::Many);
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
            for record in reader.records() {
                let record = record.unwrap();
                let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
                assert!(record.len() == 2 && !record.iter().any(is_formula), "{csv}");
            }
            let json: serde_json::Value = serde_json::from_str(&with(&text, Format::Json, Kind::Many)).unwrap();
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
            assert_eq!(with(text, Format::Csv, Kind::One).lines().nth(1), Some(&*format!("{cell},{cell}")));
        }
    }

    #[test]
    fn text_is_the_bare_result_or_columns() {
        assert_eq!(written(Format::Text, Kind::One, true), "92\n12\n");
        assert_eq!(
            written(Format::Text, Kind::Many, true),
            "  N     total  fundamental   seconds\n  \
             8        92           12     0.012\n \
             27  234907967154122528            -     0.012\n"
        );
    }

    #[test]
    fn json_is_a_document_with_counts_as_strings() {
        let one: serde_json::Value = serde_json::from_str(&written(Format::Json, Kind::One, true)).unwrap();
        assert_eq!(
            one,
            serde_json::json!({
                "schema": "nqueens/test/1", "board": 8, "total": "92", "fundamental": "12", "seconds": 0.012_346,
                "cpu": "a | b, \"c\"",
            })
        );
        for complete in [true, false] {
            let many: serde_json::Value = serde_json::from_str(&written(Format::Json, Kind::Many, complete)).unwrap();
            assert_eq!(many["schema"], "nqueens/test/1");
            assert_eq!(many["complete"], complete);
            assert_eq!(many["rows"].as_array().unwrap().len(), 2);
            assert_eq!(many["rows"][1]["total"], "234907967154122528");
            assert_eq!(many["rows"][1]["fundamental"], serde_json::Value::Null);
        }
    }

    #[test]
    fn an_empty_csv_report_has_its_header() {
        let out = opened(Format::Csv, Kind::Many, |report| report.finish(false));
        assert_eq!(out, "board,total,fundamental,seconds,cpu\n");
    }

    #[test]
    fn an_empty_json_report_is_a_document_too() {
        let out = opened(Format::Json, Kind::Many, |report| report.finish(false));
        let document: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(document["rows"], serde_json::json!([]));
    }

    #[test]
    fn csv_has_every_column_and_quotes_what_needs_it() {
        assert_eq!(
            written(Format::Csv, Kind::Many, true),
            "board,total,fundamental,seconds,cpu\n\
             8,92,12,0.012346,\"a | b, \"\"c\"\"\"\n\
             27,234907967154122528,,0.012346,\"a | b, \"\"c\"\"\"\n"
        );
    }

    #[test]
    fn markdown_is_a_table() {
        assert_eq!(
            written(Format::Markdown, Kind::Many, true),
            "| N | total | fundamental | seconds |\n\
             |---|---|---|---|\n\
             | 8 | 92 | 12 | 0.012 |\n\
             | 27 | 234907967154122528 | - | 0.012 |\n"
        );
    }
}
