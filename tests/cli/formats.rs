//! The fields that docs/formats.md lists are those that the commands write.

use crate::common::{self, needs::missing};
use crate::run::{ended, nqueens};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

const PAGE: &str = include_str!("../../docs/formats.md");

/// Commands that write every document with every field. Later ones read the ledger of the first.
const COMMANDS: &[&str] = &[
    "count 12 --ledger 12.jsonl",
    "table 4",
    "count 6 --by-square",
    "solve 6 --fundamental",
    "status 12.jsonl",
    "merge 12.jsonl",
    "recheck 12.jsonl --units 2",
    "trace 4",
    "trace 4 --method bit-masks",
    "methods 5",
    "estimate 8",
    "bench 8 --duration 50ms --threads 1",
    "devices",
];

/// Returns the words in backticks.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the items of the list below a heading.
fn items(heading: &str) -> impl Iterator<Item = &'static str> {
    let section = PAGE.split(heading).nth(1).expect("the page has this heading").split("\n#").next().unwrap();
    section.split("\n- ").skip(1).map(|item| item.split("\n\n").next().unwrap())
}

/// Returns the fields of each document as the page lists them.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let mut documented = BTreeMap::new();
    for item in items("### JSON\n") {
        let (names, fields) = item.split_once("): ").expect("the fields stand behind the commands");
        for name in words(names).filter(|name| name.starts_with("nqueens/")) {
            documented.insert(name.to_owned(), words(fields).map(str::to_owned).collect());
        }
    }
    documented
}

/// Adds the names of the fields of an object, and of the objects in its lists. By square, columns have numbers as names.
fn add_names(object: &Value, names: &mut BTreeSet<String>) {
    for (name, value) in object.as_object().expect("it is an object") {
        if !["schema", "program_version", "rows", "complete"].contains(&&**name) && name.parse::<u32>().is_err() {
            names.insert(name.clone());
        }
        let items = value.as_array().into_iter().flatten();
        items.filter(|item| item.is_object()).for_each(|item| add_names(item, names));
    }
}

fn parsed(document: &str) -> Value {
    serde_json::from_str(document).expect("it is JSON")
}

/// Returns the document of `verify` with one row. The command takes long, so it is ended after this row.
fn first_row_of_verify() -> Value {
    let mut verify = common::nqueens();
    let mut child = verify.args(["verify", "--format", "json"]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let document: String = lines.take(2).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    parsed(&(document.trim_end_matches(',').to_owned() + "]}"))
}

#[test]
fn the_page_lists_the_fields_of_every_document() {
    let folder = tempfile::tempdir().unwrap();
    let output = |command: &str, format: &str| {
        let (code, stdout, stderr) =
            ended(nqueens(&format!("{command} --format {format}")).current_dir(&folder).output().unwrap());
        assert!(code == 0 || command == "devices", "{command}: {stderr}");
        stdout
    };
    let mut written: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for command in COMMANDS {
        let document = parsed(&output(command, "json"));
        let names = written.entry(document["schema"].as_str().unwrap().to_owned()).or_default();
        add_names(&document, names);
        assert!(document["program_version"].as_str().unwrap().starts_with(env!("CARGO_PKG_VERSION")), "{command}");
        if !["solve", "trace", "devices"].contains(&command.split(' ').next().unwrap()) {
            let csv = output(command, "csv");
            let header = csv.lines().next().unwrap_or_default().split(',');
            let header = header.filter(|name| name.parse::<u32>().is_err()).map(str::to_owned).collect();
            let with_version = names.iter().cloned().chain((!names.is_empty()).then(|| "program_version".to_owned()));
            assert_eq!(with_version.collect::<BTreeSet<_>>(), header, "{command}");
        }
    }
    let verify = first_row_of_verify();
    add_names(&verify, written.entry(verify["schema"].as_str().unwrap().to_owned()).or_default());

    let mut documented = documented();
    if written["nqueens/devices/1"].is_empty() {
        missing("OpenCL has no device");
        documented.insert("nqueens/devices/1".to_owned(), BTreeSet::new());
    }
    for (document, names) in &written {
        assert_eq!(Some(names), documented.get(document), "{document}");
    }
    assert_eq!(written.len(), documented.len(), "{:?}", documented.keys());
}

#[test]
fn the_page_explains_every_field_once() {
    let mut explained: Vec<String> = Vec::new();
    for item in items("### Fields\n") {
        let (names, _) = item.split_once(": ").expect("the meaning stands behind the names");
        explained.extend(words(names).map(str::to_owned));
    }
    explained.sort_unstable();
    let listed: BTreeSet<String> = documented().into_values().flatten().collect();
    assert_eq!(explained, listed.into_iter().collect::<Vec<_>>());
}
