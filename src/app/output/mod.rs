//! The output of the program in each of its formats. A format is one file and one line in [`open`].

pub(crate) mod chart;
mod csv;
pub(crate) mod document;
pub(crate) mod file;
mod json;
pub(crate) mod markdown;
pub(crate) mod printable;
mod text;
pub(crate) mod words;

pub(crate) use printable::{printable, printable_json};
use std::io::{self, BufWriter, Write};

/// The output formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people: results alone, or a table
    #[default]
    Text,
    /// One JSON document; counts are strings, because they can exceed 2^53
    Json,
    /// A header and one line for each row
    Csv,
    /// A Markdown table
    Markdown,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    /// A number of solutions, which may be beyond what a JSON number can hold.
    Count(u128),
    /// The same, in a table for people rather than to be taken up by a program.
    Grouped(u128),
    Integer(u64),
    Seconds(f64),
    /// Seconds, where they may be very few: people read them with a unit.
    Time(f64),
    /// How many times as much as something else.
    Ratio(f64),
    /// About so many.
    Estimate(f64),
    /// A number in words, which stands where numbers stand.
    Number(String),
    /// Some texts.
    List(Vec<String>),
    /// Nothing: not published, or not asked for.
    Missing,
}

impl Cell {
    pub(crate) fn count(count: Option<u128>) -> Self {
        count.map_or(Cell::Missing, Cell::Count)
    }

    /// A ratio to three digits after the point: the rest is noise.
    fn rounded(ratio: f64) -> f64 {
        (ratio * 1000.0).round() / 1000.0
    }

    /// The value as people read it, on a line and without what cannot be seen; `missing` where there is none.
    pub(crate) fn display(&self, missing: &str) -> String {
        match self {
            Cell::Text(text) | Cell::Number(text) => printable(text).into_owned(),
            Cell::Count(count) => count.to_string(),
            Cell::Grouped(count) => words::grouped(*count),
            Cell::Integer(integer) => integer.to_string(),
            Cell::Seconds(seconds) => format!("{seconds:.3}"),
            Cell::Time(seconds) => words::time(*seconds),
            Cell::Ratio(ratio) => words::ratio(*ratio),
            Cell::Estimate(number) => words::about(*number),
            Cell::List(texts) => printable(&texts.join(" | ")).into_owned(),
            Cell::Missing => missing.to_owned(),
        }
    }
}

/// How much a reader wants to know before a column is worth showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// The result itself.
    Result,
    /// What a table for people shows besides.
    Table,
    /// What only a program or a record needs.
    Record,
    /// What only a person looks at.
    Screen,
}

impl Detail {
    /// Whether a column of the other level is worth showing at this one.
    fn includes(self, other: Detail) -> bool {
        match self {
            Detail::Screen => other != Detail::Record,
            _ => other <= self,
        }
    }
}

/// A column of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    /// Its name in JSON and CSV.
    pub(crate) key: &'a str,
    /// Its heading in tables.
    pub(crate) heading: &'a str,
    /// The characters it takes in text. It is fixed, because rows are printed before later ones are known.
    pub(crate) width: usize,
    pub(crate) detail: Detail,
}

impl<'a> Column<'a> {
    /// A column that only a program or a record needs: it is named by its key, and never shown in text.
    pub(crate) const fn of_record(key: &'a str) -> Self {
        Self { key, heading: key, width: 0, detail: Detail::Record }
    }
}

/// What is reported: how many rows, of which columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    /// The name and version of the JSON documents of this kind. The version changes when a reader would have to.
    pub(crate) schema: &'static str,
    pub(crate) rows: Rows,
    pub(crate) columns: &'a [Column<'a>],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// Exactly one.
    One,
    /// Any number, each put out when it is known.
    Many,
}

impl<'a> Layout<'a> {
    /// The columns worth showing at this level of detail, with the cells of a row.
    fn shown<'b>(&self, detail: Detail, row: &'b [Cell]) -> impl Iterator<Item = (&'a Column<'a>, &'b Cell)> {
        assert_eq!(row.len(), self.columns.len(), "a row has a cell for each column");
        self.columns.iter().zip(row).filter(move |(column, _)| detail.includes(column.detail))
    }

    /// The columns worth showing at this level of detail.
    fn headings(&self, detail: Detail) -> impl Iterator<Item = &'a Column<'a>> + use<'a> {
        self.columns.iter().filter(move |column| detail.includes(column.detail))
    }
}

/// A destination of a document. A file gets its name only when the document is complete.
pub(crate) trait Sink: Write {
    /// Marks the part written so far as worth keeping, even if the document is never completed.
    fn keep(&mut self) {}

    /// Ends a complete document.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// Ends the document. `complete` is false if a part of it is missing.
    fn finish(&mut self, complete: bool) -> io::Result<()> {
        if complete { self.end() } else { self.flush() }
    }
}

impl<S: Sink> Sink for &mut S {
    fn keep(&mut self) {
        (**self).keep();
    }
    fn end(&mut self) -> io::Result<()> {
        (**self).end()
    }
}

impl<S: Sink> Sink for BufWriter<S> {
    fn keep(&mut self) {
        self.get_mut().keep();
    }
    fn end(&mut self) -> io::Result<()> {
        self.flush()?;
        self.get_mut().end()
    }
}

/// A part of a document. Its end is not the end of the document.
impl Sink for &mut dyn Write {}

#[cfg(test)]
impl Sink for Vec<u8> {}

/// A report being written. Every row is flushed, so that a reader has it at once.
pub(crate) trait Report {
    /// Writes a row: a cell for each column of the layout.
    fn row(&mut self, row: &[Cell]) -> io::Result<()>;

    /// Ends the report; `complete` says whether all rows came that were to come.
    fn finish(&mut self, complete: bool) -> io::Result<()>;
}

/// A report in `format`, written to `out`.
pub(crate) fn open<'a, W: Sink + 'a>(format: Format, layout: Layout<'a>, out: W) -> Box<dyn Report + 'a> {
    match format {
        Format::Text => Box::new(text::Text::new(layout, out)),
        Format::Json => Box::new(json::Json::new(layout, out)),
        Format::Csv => Box::new(csv::Csv::new(layout, out)),
        Format::Markdown => Box::new(markdown::Markdown::new(layout, out)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column { key: "board", heading: "N", width: 3, detail: Detail::Table },
        Column { key: "total", heading: "total", width: 8, detail: Detail::Result },
        Column { key: "fundamental", heading: "fundamental", width: 11, detail: Detail::Result },
        Column { key: "seconds", heading: "seconds", width: 8, detail: Detail::Table },
        Column::of_record("cpu"),
    ];

    fn row(board: u64, total: u128, fundamental: Option<u128>) -> Vec<Cell> {
        let cpu = Cell::Text("a | b, \"c\"".into());
        vec![Cell::Integer(board), Cell::Count(total), Cell::count(fundamental), Cell::Seconds(0.012_345_678), cpu]
    }

    fn written(format: Format, rows: Rows, complete: bool) -> String {
        let layout = Layout { schema: "nqueens/test/1", rows, columns: COLUMNS };
        let mut out = Vec::new();
        let mut report = open(format, layout, &mut out);
        report.row(&row(8, 92, Some(12))).unwrap();
        if rows == Rows::Many {
            report.row(&row(27, 234_907_967_154_122_528, None)).unwrap();
        }
        report.finish(complete).unwrap();
        drop(report);
        String::from_utf8(out).unwrap()
    }

    const FORMATS: [Format; 4] = [Format::Text, Format::Json, Format::Csv, Format::Markdown];

    /// A report whose cells and headings have a text in them.
    fn with(text: &str, format: Format, rows: Rows) -> String {
        let columns = [
            Column { key: text, heading: text, width: 3, detail: Detail::Result },
            Column { key: "b", heading: "b", width: 3, detail: Detail::Result },
        ];
        let layout = Layout { schema: "nqueens/test/1", rows, columns: &columns };
        let mut out = Vec::new();
        let mut report = open(format, layout, &mut out);
        report.row(&[Cell::Text(text.to_owned()), Cell::Number(text.to_owned())]).unwrap();
        report.finish(true).unwrap();
        drop(report);
        String::from_utf8(out).unwrap()
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_more_than_a_text_in_any_format(text in "\\PC*|[\\x00-\\x{9f}]*|[=+@|`<&\\\\\t\n-].*|.*") {
            for format in FORMATS {
                for rows in [Rows::One, Rows::Many] {
                    let written = with(&text, format, rows);
                    assert!(printable::tests::is_harmless(&written), "{written:?}");
                }
            }
            assert_eq!(with(&text, Format::Text, Rows::Many).lines().count(), 2);
            let markdown = with(&text, Format::Markdown, Rows::Many);
            // What is escaped is not looked at.
            let bare = unescaped(&markdown);
            assert!(bare.lines().all(|line| line.matches('|').count() == 3) && bare.lines().count() == 3, "{markdown}");
            assert!(!bare.contains(['<', '>', '`', '[', ']']), "{markdown}");
            let csv = with(&text, Format::Csv, Rows::Many);
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
            for record in reader.records() {
                let record = record.unwrap();
                let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
                assert!(record.len() == 2 && !record.iter().any(is_formula), "{csv}");
            }
            let json: serde_json::Value = serde_json::from_str(&with(&text, Format::Json, Rows::Many)).unwrap();
            assert_eq!(&json["rows"][0]["b"], &text);
        }
    }

    /// Markdown without what a backslash stands before.
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
            assert_eq!(with(text, Format::Csv, Rows::One).lines().nth(1), Some(&*format!("{cell},{cell}")));
        }
    }

    #[test]
    fn what_is_for_people_is_not_in_files_for_programs() {
        const COLUMNS: &[Column] = &[
            Column { key: "nodes", heading: "nodes", width: 5, detail: Detail::Table },
            Column { key: "bar", heading: "", width: 0, detail: Detail::Screen },
            Column::of_record("cpu"),
        ];
        let written = |format| {
            let layout = Layout { schema: "nqueens/test/1", rows: Rows::Many, columns: COLUMNS };
            let mut out = Vec::new();
            let row = [Cell::Integer(8), Cell::Text("###".into()), Cell::Text("X".into())];
            open(format, layout, &mut out).row(&row).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(Format::Text), "nodes\n    8  ###\n");
        assert_eq!(written(Format::Markdown), "| nodes |  |\n|---|---|\n| 8 | ### |\n");
        assert_eq!(written(Format::Csv), "nodes,cpu\n8,X\n");
    }

    #[test]
    fn text_is_the_bare_result_or_columns() {
        assert_eq!(written(Format::Text, Rows::One, true), "92\n12\n");
        assert_eq!(
            written(Format::Text, Rows::Many, true),
            "  N     total  fundamental   seconds\n  \
             8        92           12     0.012\n \
             27  234907967154122528            -     0.012\n"
        );
    }

    #[test]
    fn json_is_a_document_with_counts_as_strings() {
        let one: serde_json::Value = serde_json::from_str(&written(Format::Json, Rows::One, true)).unwrap();
        assert_eq!(
            one,
            serde_json::json!({
                "schema": "nqueens/test/1", "board": 8, "total": "92", "fundamental": "12", "seconds": 0.012_346,
                "cpu": "a | b, \"c\"",
            })
        );
        for complete in [true, false] {
            let many: serde_json::Value = serde_json::from_str(&written(Format::Json, Rows::Many, complete)).unwrap();
            assert_eq!(many["schema"], "nqueens/test/1");
            assert_eq!(many["complete"], complete);
            assert_eq!(many["rows"].as_array().unwrap().len(), 2);
            assert_eq!(many["rows"][1]["total"], "234907967154122528");
            assert_eq!(many["rows"][1]["fundamental"], serde_json::Value::Null);
        }
    }

    #[test]
    fn an_empty_csv_report_has_its_header() {
        let layout = Layout { schema: "nqueens/test/1", rows: Rows::Many, columns: COLUMNS };
        let mut out = Vec::new();
        open(Format::Csv, layout, &mut out).finish(false).unwrap();
        assert_eq!(out, b"board,total,fundamental,seconds,cpu\n");
    }

    #[test]
    fn an_empty_json_report_is_a_document_too() {
        let layout = Layout { schema: "nqueens/test/1", rows: Rows::Many, columns: COLUMNS };
        let mut out = Vec::new();
        open(Format::Json, layout, &mut out).finish(false).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(document["rows"], serde_json::json!([]));
    }

    #[test]
    fn csv_has_every_column_and_quotes_what_needs_it() {
        assert_eq!(
            written(Format::Csv, Rows::Many, true),
            "board,total,fundamental,seconds,cpu\n\
             8,92,12,0.012346,\"a | b, \"\"c\"\"\"\n\
             27,234907967154122528,,0.012346,\"a | b, \"\"c\"\"\"\n"
        );
    }

    #[test]
    fn markdown_is_a_table() {
        assert_eq!(
            written(Format::Markdown, Rows::Many, true),
            "| N | total | fundamental | seconds |\n\
             |---|---|---|---|\n\
             | 8 | 92 | 12 | 0.012 |\n\
             | 27 | 234907967154122528 | - | 0.012 |\n"
        );
    }
}
