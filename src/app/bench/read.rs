//! Reads what `nqueens bench` wrote: a study or a score as JSON, or scores of several machines as CSV.

use crate::app::assessment::contradiction;
use crate::app::bench::study::{SCHEMA, Study, summarize};
use crate::app::failure::Failure;
use crate::app::rows::csv;
use nqueens::{Board, published};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 8 << 20;
/// More threads than any machine has.
const MOST_THREADS: f64 = 1_048_576.0;

/// Reads the studies of a file, computes again what follows from their times, and checks their totals against the
/// published ones. What was advice when they were measured is left out of their warnings.
///
/// # Errors
/// If the file is no study, or has numbers that no study can have; or if a total is wrong.
pub(crate) fn read(path: &Path) -> Result<Vec<Study>, Failure> {
    let shown = path.display();
    let studies = documents(path).and_then(|studies| studies.into_iter().map(checked).collect::<Result<Vec<_>, _>>());
    let studies = studies.map_err(|reason| {
        let right = "give files that `nqueens bench --output` wrote, as JSON or CSV";
        Failure::Usage(format!("'{shown}' is not a study: {reason}; {right}"))
    })?;
    for row in studies.iter().flat_map(|study| &study.rows) {
        let count = Board::new(row.board).ok().zip(row.total.parse().ok());
        if let Some(wrong) = count.and_then(|(board, total)| contradiction(board, total)) {
            return Err(Failure::Failed(format!("'{shown}': {wrong}")));
        }
    }
    Ok(studies)
}

/// The part of a document that says of which kind it is.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    schema: Value,
}

/// Returns the documents of a file.
fn documents(path: &Path) -> Result<Vec<Study>, String> {
    let bytes = regular_file(path)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if String::from_utf8_lossy(first).trim_end().split(',').any(|name| name == "program_version") {
        return of_csv(std::str::from_utf8(bytes).map_err(|error| error.to_string())?);
    }
    let Named { schema } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if schema != SCHEMA {
        return Err(format!("its schema is {schema}, not \"{SCHEMA}\""));
    }
    Ok(vec![serde_json::from_slice(bytes).map_err(|error| error.to_string())?])
}

/// Returns a study that was read with what follows from its times.
fn checked(mut study: Study) -> Result<Study, String> {
    if study.rows.is_empty() || study.score.is_none() && !study.has_times() {
        return Err("it has no times, or a row has none".to_owned());
    }
    check_numbers(&study)?;
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

/// Refuses numbers that no study can have, and of which nothing could be computed.
fn check_numbers(study: &Study) -> Result<(), String> {
    let whole = |name, number: usize| (name, number as f64, 1.0..=MOST_THREADS);
    // From the resolution of a clock to 32 years.
    let time = |&seconds: &f64| ("times", seconds, 1e-9..=1e9);
    let speed = |name, speed: f64| (name, speed, 1.0..=1e30);
    let mut numbers = vec![("cpu_quota", study.machine.cpu_quota.unwrap_or(1.0), 1e-3..=MOST_THREADS)];
    for row in &study.rows {
        Board::new(row.board).map_err(|error| error.to_string())?;
        row.total.parse::<u128>().map_err(|_| format!("a total is not a number: N = {}", row.board))?;
        numbers.extend([whole("threads", row.threads), ("cpu_seconds", row.cpu_seconds.unwrap_or(0.0), 0.0..=1e18)]);
        numbers.extend(row.times.iter().map(time));
    }
    if let Some(score) = &study.score {
        numbers.extend([whole("threads", score.threads), ("error", score.error, 0.0..=1e18)]);
        numbers
            .extend([speed("solutions_per_second", score.solutions_per_second), speed("one_thread", score.one_thread)]);
    }
    match numbers.into_iter().find(|(_, number, range)| !range.contains(number)) {
        Some((name, number, range)) => {
            Err(format!("{name} is {number:?}, and must be from {:?} to {:?}", range.start(), range.end()))
        }
        None => Ok(()),
    }
}

/// Returns the scores in a table.
fn of_csv(text: &str) -> Result<Vec<Study>, String> {
    let mut lines = csv::read(text).ok_or("a quotation mark in it is not closed")?.into_iter();
    let names = lines.next().unwrap_or_default();
    if !names.iter().any(|name| name == "one_thread") {
        return Err("it is another table than that of scores; the times of a study are read as JSON".to_owned());
    }
    let score = |(cells, line): (Vec<String>, usize)| {
        if cells.len() != names.len() {
            return Err(format!("line {line} has {} cells, not {}", cells.len(), names.len()));
        }
        let mut row: Map<String, Value> =
            names.iter().zip(cells).filter_map(|(name, cell)| value_of(name, cell)).collect();
        let board = row.get("board").and_then(Value::as_u64).and_then(|size| Board::new(size as usize).ok());
        let total = board.and_then(published::total).unwrap_or_default().to_string();
        row.insert("total".to_owned(), total.into());
        let document = json!({
            "schema": SCHEMA, "command": "", "date": row.get("date"), "warnings": [],
            "program": {"version": row.get("program_version")}, "score": row, "machine": row, "rows": [row],
        });
        Study::deserialize(document).map_err(|error| format!("line {line}: {error}"))
    };
    let scores = lines.zip(2..).map(score).collect::<Result<Vec<_>, _>>()?;
    if scores.is_empty() { Err("it has no line".to_owned()) } else { Ok(scores) }
}

/// Returns the name and the value of a cell of a column, if it has one.
fn value_of(name: &str, cell: String) -> Option<(String, Value)> {
    let name = if name == "score" { "solutions_per_second" } else { name };
    let value = match name {
        "reasons" => cell.split(" | ").filter(|part| !part.is_empty()).collect(),
        _ if cell.is_empty() => return None,
        _ => match (cell.parse::<u64>(), cell.parse::<f64>()) {
            (Ok(whole), _) => whole.into(),
            (_, Ok(number)) if number.is_finite() => number.into(),
            _ => cell.into(),
        },
    };
    Some((name.to_owned(), value))
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
