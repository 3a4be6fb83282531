//! JSON: one document, whose `schema` says what it is.

use crate::app::output::{Cell, Column, Detail, Layout, Report, Rows, Sink, printable_json};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::io;

/// One row: an object of its columns. Many rows: an object whose `rows` are such objects, a line each.
pub(super) struct Json<'a, W> {
    layout: Layout<'a>,
    out: W,
    rows: usize,
}

impl<'a, W: Sink> Json<'a, W> {
    pub(super) fn new(layout: Layout<'a>, out: W) -> Self {
        Self { layout, out, rows: 0 }
    }

    fn begin(&mut self) -> io::Result<()> {
        write!(self.out, "{{\"schema\": \"{}\", \"rows\": [", self.layout.schema)
    }
}

impl<W: Sink> Report for Json<'_, W> {
    fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        let columns = self.layout.shown(Detail::Record, row).collect();
        match self.layout.rows {
            Rows::One => {
                let object = Object { schema: Some(self.layout.schema), columns };
                writeln!(self.out, "{}", printable_json(&serde_json::to_string_pretty(&object)?))?;
            }
            Rows::Many => {
                if self.rows == 0 {
                    self.begin()?;
                }
                let row = serde_json::to_string(&Object { schema: None, columns })?;
                write!(self.out, "{}{}", if self.rows == 0 { "\n" } else { ",\n" }, printable_json(&row))?;
            }
        }
        self.rows += 1;
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        if self.layout.rows == Rows::Many {
            if self.rows == 0 {
                self.begin()?;
            }
            writeln!(self.out, "\n], \"complete\": {complete}}}")?;
        }
        self.out.finish(complete)
    }
}

struct Object<'a> {
    schema: Option<&'static str>,
    columns: Vec<(&'a Column<'a>, &'a Cell)>,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(schema) = &self.schema {
            map.serialize_entry("schema", schema)?;
        }
        for (column, cell) in &self.columns {
            map.serialize_entry(column.key, cell)?;
        }
        map.end()
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text) | Cell::Number(text) => serializer.serialize_str(text),
            Cell::Count(count) | Cell::Grouped(count) => serializer.collect_str(count),
            Cell::Integer(integer) => serializer.serialize_u64(*integer),
            Cell::Seconds(seconds) => serializer.serialize_f64((seconds * 1e6).round() / 1e6),
            Cell::Time(seconds) => serializer.serialize_f64((seconds * 1e9).round() / 1e9),
            Cell::Ratio(number) => serializer.serialize_f64(Cell::rounded(*number)),
            Cell::Estimate(number) => serializer.serialize_f64(*number),
            Cell::List(texts) => texts.serialize(serializer),
            Cell::Missing => serializer.serialize_none(),
        }
    }
}
