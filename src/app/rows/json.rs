//! JSON: one document whose `schema` names its kind and version.

use super::{Column, Format, Kind, fields};
use crate::app::output::document::Json;
use crate::app::output::printable_json;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

pub(super) const FORMAT: Format = Format {
    names: &["json"],
    help: "One JSON document; counts are strings, because they can exceed 2^53",
    document: |schema, kind| match kind {
        Kind::One => Box::new(move |row: &[Column]| document(schema, row)),
        // The document is an object with an array `rows`, one row a line, and `complete`, which is true if no row is
        // missing.
        Kind::Many => Box::new(Json::new(&format!("\"schema\": \"{schema}\""), "rows", object)),
    },
};

/// Returns one row as a document.
fn document(schema: &str, row: &[Column]) -> String {
    let fields = std::iter::once(("schema", Cow::Owned(schema.into()))).chain(fields(row)).collect();
    let text = serde_json::to_string_pretty(&Fields(fields)).expect("fields have names");
    printable_json(&text).into_owned() + "\n"
}

/// Returns a row as an object in one line.
fn object(row: &[Column]) -> serde_json::Result<String> {
    serde_json::to_string(&Fields(fields(row).collect()))
}

/// Fields in their order.
struct Fields<'a>(Vec<(&'a str, Cow<'a, Value>)>);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
