//! JSON: one document whose `schema` names its kind and version.

use super::{Kind, Report, Row};
use crate::app::output::{Sink, printable_json};
use serde::Serialize;
use std::io;

/// A report as JSON. One row is an object. Many rows are an object with an array `rows`, one row a line, and
/// `complete`, which is true if no row is missing.
pub(super) struct Json<W> {
    schema: &'static str,
    kind: Kind,
    out: W,
    rows: usize,
}

impl<W: Sink> Json<W> {
    pub(super) fn new(schema: &'static str, kind: Kind, out: W) -> Self {
        Self { schema, kind, out, rows: 0 }
    }

    fn begin(&mut self) -> io::Result<()> {
        write!(self.out, "{{\"schema\": \"{}\", \"rows\": [", self.schema)
    }
}

impl<R: Row, W: Sink> Report<R> for Json<W> {
    fn row(&mut self, row: &R) -> io::Result<()> {
        match self.kind {
            Kind::One => {
                let object = Document { schema: self.schema, row };
                writeln!(self.out, "{}", printable_json(&serde_json::to_string_pretty(&object)?))?;
            }
            Kind::Many => {
                if self.rows == 0 {
                    self.begin()?;
                }
                let gap = if self.rows == 0 { "\n" } else { ",\n" };
                write!(self.out, "{gap}{}", printable_json(&serde_json::to_string(row)?))?;
            }
        }
        self.rows += 1;
        self.out.keep();
        self.out.flush()
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        if self.kind == Kind::Many {
            if self.rows == 0 {
                self.begin()?;
            }
            writeln!(self.out, "\n], \"complete\": {complete}}}")?;
        }
        self.out.finish(complete)
    }
}

#[derive(Serialize)]
struct Document<'a, R> {
    schema: &'static str,
    #[serde(flatten)]
    row: &'a R,
}
