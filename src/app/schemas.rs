//! The JSON schemas in `docs/schemas`, which are made from the types that are written.

use crate::app::{bench, count, devices, estimate, merge, methods, recheck, solve, status, trace, verify};
use nqueens::ledger::{Header, RunLine, UnitLine};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A document of rows begins with nothing but the name of its schema.
#[derive(JsonSchema)]
struct RowsHead {}

/// A line of a ledger: the header, a run, or a unit.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is needed")]
enum LedgerLine {
    /// The first line: what is counted.
    Header {
        #[serde(flatten)]
        header: Header,
        crc32: Crc32,
    },
    /// A run: the program began to work on the ledger.
    Run { run: RunLine, crc32: Crc32 },
    /// A unit that is finished.
    Unit { unit: UnitLine, crc32: Crc32 },
}

/// The CRC-32 (IEEE 802.3) of the line up to the comma before this field; for runs and units with the identity of the
/// count before it (see docs/ledger.md, Format).
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is needed")]
struct Crc32(#[schemars(regex(pattern = "^[0-9a-f]{8}$"))] String);

/// Returns the schema of a type.
fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().into()
}

/// Returns the schema of documents with this name and version, whose fields `T` has. `command` writes them.
fn document<T: JsonSchema>(name: &str, command: &str) -> Value {
    let mut schema = schema_of::<T>();
    schema["title"] = name.into();
    schema["description"] = format!("The result of `nqueens {command} --format json`.").into();
    let mut fields = Map::from_iter([("schema".to_owned(), Value::Null)]);
    fields.extend(schema["properties"].as_object().cloned().unwrap_or_default());
    fields["schema"] = json!({ "const": name });
    let required: Value = fields.keys().cloned().collect();
    (schema["properties"], schema["required"]) = (fields.into(), required);
    schema
}

/// Returns the schema of documents that begin with the fields of `H` and have a list of `I`.
fn list<H: JsonSchema, I: JsonSchema>(name: &str, items: &str, command: &str) -> Value {
    let mut schema = document::<H>(name, command);
    let mut item = schema_of::<I>();
    for (name, definition) in item["$defs"].take().as_object().into_iter().flatten() {
        schema["$defs"][name] = definition.clone();
    }
    (item["$schema"], item["title"]) = (Value::Null, Value::Null);
    schema["properties"][items] = json!({ "type": "array", "description": item["description"].take(), "items": item });
    schema["properties"]["complete"] = json!({
        "type": "boolean",
        "description": "False if items are missing because the command was interrupted, was limited, or failed; those \
            that it has are right even then.",
    });
    schema["required"].as_array_mut().unwrap().extend([items.into(), "complete".into()]);
    schema
}

fn rows<R: JsonSchema>(name: &str, command: &str) -> Value {
    list::<RowsHead, R>(name, "rows", command)
}

/// Returns all schemas.
fn all() -> Vec<Value> {
    let mut ledger = schema_of::<LedgerLine>();
    ledger["title"] = "nqueens/ledger/3".into();
    ledger["anyOf"][0]["properties"]["schema"] = json!({ "const": ledger["title"] });
    vec![
        document::<count::counting::CountRow>("nqueens/count/1", "count"),
        rows::<count::counting::CountRow>("nqueens/table/1", "table"),
        rows::<count::by::ByRow>("nqueens/by/1", "count --by"),
        list::<solve::SolutionsHead, solve::FoundSolution>("nqueens/solutions/1", "solutions", "solve"),
        rows::<status::StatusRow>("nqueens/status/1", "status"),
        document::<merge::MergeRow>("nqueens/merge/1", "merge"),
        rows::<recheck::RecheckRow>("nqueens/recheck/1", "recheck"),
        // The page of `--format html` has the same document.
        list::<trace::TraceHead, trace::NumberedStep>("nqueens/trace/1", "steps", "trace"),
        rows::<methods::MethodRow>("nqueens/methods/1", "methods"),
        rows::<estimate::EstimateRow>("nqueens/estimate/1", "estimate"),
        rows::<estimate::exact::NodesRow>("nqueens/nodes/1", "estimate --exact"),
        rows::<verify::checks::CheckRow>("nqueens/verify/2", "verify"),
        rows::<devices::DeviceRow>("nqueens/devices/1", "devices"),
        document::<bench::study::Study>("nqueens/bench/2", "bench"),
        rows::<bench::tables::StudyRow>("nqueens/compare/1", "compare"),
        ledger,
    ]
}

/// Makes descriptions of comments for readers of Rust, and refuses unknown fields, unless the object is `open`.
fn finish(schema: &mut Value, open: bool) {
    match schema {
        Value::Object(object) => {
            object.retain(|key, value| key != "format" && !value.is_null());
            if let Some(Value::String(text)) = object.get_mut("description") {
                let first = text.split("\n\n").next().unwrap_or_default();
                *text = first.replace('\n', " ").replace("`None`", "null or absent");
            }
            let is_object = object.contains_key("properties");
            // The fields of these are fields of the same object.
            let parts = ["oneOf", "anyOf", "allOf"];
            object.iter_mut().for_each(|(key, child)| finish(child, is_object && parts.contains(&&**key)));
            if is_object && !open {
                object.insert("unevaluatedProperties".to_owned(), false.into());
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| finish(value, open)),
        _ => (),
    }
}

/// Returns a value as text: what has no objects in it, such as the schema of a field, is on one line.
fn text(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    let (inner, gap) = (indent + 2, " ".repeat(indent + 2));
    let parts: Vec<String> = match value {
        _ if indent + line.chars().count() <= 100 || !line[1..].contains('{') => return line,
        Value::Object(object) => {
            object.iter().map(|(key, value)| format!("{gap}{}: {}", json!(key), text(value, inner))).collect()
        }
        Value::Array(values) => values.iter().map(|value| format!("{gap}{}", text(value, inner))).collect(),
        _ => return line,
    };
    let [open, close] = if value.is_object() { ['{', '}'] } else { ['[', ']'] };
    format!("{open}\n{}\n{}{close}", parts.join(",\n"), " ".repeat(indent))
}

/// With `NQUEENS_UPDATE` in the environment, the files are written.
#[test]
fn the_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    let mut files = BTreeMap::new();
    for mut schema in all() {
        finish(&mut schema, false);
        let first = ["$schema", "title", "description"].map(|key| (key.to_owned(), schema[key].take()));
        let Value::Object(others) = schema else { unreachable!("a schema is an object") };
        let rest = others.into_iter().filter(|(_, value)| !value.is_null());
        let schema = Value::Object(first.into_iter().chain(rest).collect());
        let name = schema["title"].as_str().unwrap().replacen("nqueens/", "", 1).replace('/', "-") + ".json";
        files.insert(name, text(&schema, 0) + "\n");
    }
    if std::env::var_os("NQUEENS_UPDATE").is_some() {
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::create_dir(&folder).unwrap();
        for (name, text) in &files {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
    let found = folder.read_dir().unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(found.collect::<BTreeSet<_>>(), files.keys().cloned().collect());
    for (name, text) in files {
        let stored = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(stored == text, "{name} is stale: `NQUEENS_UPDATE=1 cargo test --all-features schemas` writes it anew");
    }
}
