//! JSON: one document whose `schema` names its kind and version.

use super::{Kind, Line};
use crate::app::output::document::{ChosenFormat, Json};
use crate::app::output::printable_json;
use serde_json::{Map, Value, json};

/// Returns the format of documents. One row is an object. Many rows are an object with an array `rows`, one row a line,
/// and `complete`, which is true if no row is missing.
pub(super) fn document(kind: Kind) -> ChosenFormat<Line> {
    match kind {
        Kind::One(schema) => Box::new(move |line: &Line| object(schema, &line.fields)),
        Kind::Many(schema) => {
            Box::new(Json::new(&json!({ "schema": schema }), "rows", |line: &Line| serde_json::to_string(&line.fields)))
        }
    }
}

fn object(schema: &str, fields: &Map<String, Value>) -> String {
    let mut object = Map::from_iter([("schema".to_owned(), schema.into())]);
    object.extend(fields.clone());
    let text = serde_json::to_string_pretty(&object).expect("its keys are texts");
    printable_json(&text).into_owned() + "\n"
}
