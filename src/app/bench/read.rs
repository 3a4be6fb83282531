//! Reads what `nqueens bench` wrote: a study or a score as JSON, or scores of several machines as CSV.

use crate::app::bench::study::{SCHEMA, Study, summarize};
use crate::app::rows::csv;
use nqueens::{Board, published};
use serde::Deserialize;
use serde_json::{Map, Number, Value, json};
use std::fs;
use std::path::Path;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 8 << 20;
/// More threads than any machine has.
const MOST_THREADS: f64 = 1_048_576.0;

/// The numbers of a study: their names, the least and the largest value, and true if they are whole.
const NUMBERS: [Limits; 9] = [
    ("board", 1.0, Board::MAX_SIZE as f64, true),
    ("threads logical_cpus physical_cores all_cpus", 1.0, MOST_THREADS, true),
    ("cpu_quota", 1e-3, MOST_THREADS, false),
    ("repetitions", 1.0, 1e6, true),
    // From the resolution of a clock to 32 years.
    ("times seconds fastest slowest", 1e-9, 1e9, false),
    ("cpu_seconds spread error", 0.0, 1e18, false),
    ("speed_up", 1e-18, 1e18, false),
    ("serial_fraction", -1e18, 1e18, false),
    ("one_thread", 1.0, 1e30, false),
];
type Limits = (&'static str, f64, f64, bool);
/// The speed of a score, in solutions per second. A count may have no solutions.
const SCORE: Limits = ("solutions_per_second", 1.0, 1e30, false);

/// Reads the studies of a file, and computes again what follows from their times. What was advice when they were
/// measured is left out of their warnings.
///
/// # Errors
/// If the file is no study, or has numbers that no study can have; the reason in one line.
pub(crate) fn read(path: &Path) -> Result<Vec<Study>, String> {
    let bytes = regular_file(path)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_csv = String::from_utf8_lossy(first).trim_end().split(',').any(|name| name == "program_version");
    let documents = if is_csv {
        of_csv(std::str::from_utf8(bytes).map_err(|error| error.to_string())?)?
    } else {
        vec![serde_json::from_slice(bytes).map_err(|error| error.to_string())?]
    };
    documents.into_iter().map(study).collect()
}

/// Returns the study of a document.
fn study(mut document: Value) -> Result<Study, String> {
    if document["schema"] != SCHEMA {
        return Err(format!("its schema is {}, not \"{SCHEMA}\"", document["schema"]));
    }
    check_numbers(&mut document)?;
    if let Some(speed) = document["score"].get(SCORE.0) {
        check(SCORE.0, speed, SCORE)?;
    }
    let mut study = Study::deserialize(document).map_err(|error| error.to_string())?;
    if study.rows.is_empty() || study.score.is_none() && !study.has_times() {
        return Err("it has no times, or a row has none".to_owned());
    }
    for row in &study.rows {
        if row.board.min(row.threads) == 0 {
            return Err("a row has no board or no threads".to_owned());
        }
        row.total.parse::<u128>().map_err(|_| format!("a total is not a number: N = {}", row.board))?;
    }
    if study.has_times() {
        summarize(&mut study.rows, &study.machine);
    }
    let reasons = study.score.iter_mut().flat_map(|score| &mut score.reasons);
    for warning in study.warnings.iter_mut().chain(reasons) {
        if let Some((fact, _)) = warning.rsplit_once("; ") {
            *warning = fact.to_owned();
        }
    }
    Ok(study)
}

/// Returns the limits of the number of a name, if it is one.
fn limits(name: &str) -> Option<Limits> {
    NUMBERS.into_iter().find(|(names, ..)| names.split(' ').any(|other| other == name))
}

/// Checks the numbers of a document, and removes the members that have no value, so that the name of one that must have
/// it is in the message.
fn check_numbers(value: &mut Value) -> Result<(), String> {
    match value {
        Value::Array(values) => values.iter_mut().try_for_each(check_numbers),
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.iter_mut().try_for_each(|(name, value)| match (limits(name), value) {
                (None, value) => check_numbers(value),
                (Some(limits), Value::Array(values)) => values.iter().try_for_each(|value| check(name, value, limits)),
                (Some(_), _) if name == "times" => Err("times is no list of numbers".to_owned()),
                (Some(limits), value) => check(name, value, limits),
            })
        }
        _ => Ok(()),
    }
}

/// Checks a number. A negative zero is none.
fn check(name: &str, value: &Value, (_, least, most, is_whole): Limits) -> Result<(), String> {
    let is_good = |number: f64| {
        let has_no_sign = least < 0.0 || number.is_sign_positive();
        (least..=most).contains(&number) && has_no_sign && !(is_whole && number.fract() > 0.0)
    };
    if value.as_f64().is_some_and(is_good) {
        return Ok(());
    }
    let plain = |number: f64| format!("{number:?}").trim_end_matches(".0").to_owned();
    let shown = value.as_f64().map_or("no number".to_owned(), plain);
    let kind = if is_whole { "a whole number" } else { "a number" };
    Err(format!("{name} is {shown}, and must be {kind} from {} to {}", plain(least), plain(most)))
}

/// Returns the documents of the scores in a table.
fn of_csv(text: &str) -> Result<Vec<Value>, String> {
    let mut lines = csv::read(text).ok_or("a quotation mark in it is not closed")?.into_iter();
    let names = lines.next().unwrap_or_default();
    if !names.iter().any(|name| name == "one_thread") {
        return Err("it is another table than that of scores; the times of a study are read as JSON".to_owned());
    }
    let score = |(cells, line): (Vec<String>, usize)| {
        if cells.len() != names.len() {
            return Err(format!("line {line} has {} cells, not {}", cells.len(), names.len()));
        }
        let mut row: Map<String, Value> = names.iter().zip(cells).map(|(name, cell)| value_of(name, cell)).collect();
        let board = row.get("board").and_then(Value::as_u64).and_then(|size| Board::new(size as usize).ok());
        let total = board.and_then(published::total).unwrap_or_default().to_string();
        row.insert("total".to_owned(), total.into());
        Ok(json!({
            "schema": SCHEMA, "command": "", "date": row.get("date"), "warnings": [],
            "program": {"version": row.get("program_version")}, "score": row, "machine": row, "rows": [row],
        }))
    };
    let scores = lines.zip(2..).map(score).collect::<Result<Vec<_>, _>>()?;
    if scores.is_empty() { Err("it has no line".to_owned()) } else { Ok(scores) }
}

/// Returns the name and the value of a cell of a column.
fn value_of(name: &str, cell: String) -> (String, Value) {
    let name = if name == "score" { SCORE.0 } else { name };
    let value = match name {
        "reasons" => cell.split(" | ").filter(|part| !part.is_empty()).collect(),
        _ if cell.is_empty() => Value::Null,
        _ if name == SCORE.0 || limits(name).is_some() => {
            let whole = cell.parse().ok().map(Number::from_u128);
            let number = whole.unwrap_or_else(|| Number::from_f64(cell.parse().ok()?));
            number.map_or(cell.into(), Value::from)
        }
        _ => cell.into(),
    };
    (name.to_owned(), value)
}

/// Reads a regular file that is not too large. A pipe or a device, which may never begin or end, is refused.
fn regular_file(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(format!("it is not a regular file of at most {MOST_BYTES} bytes"));
    }
    fs::read(path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::scored;

    #[test]
    fn a_study_that_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.json");
        let written = scored();
        fs::write(&path, serde_json::to_string(&written).unwrap()).unwrap();
        // The last digit of a float may differ.
        assert_eq!(format!("{:.6?}", read(&path).unwrap()[0]), format!("{written:.6?}"));
    }
}
