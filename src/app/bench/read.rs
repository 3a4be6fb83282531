//! Reads what `nqueens bench` wrote as JSON: a study or a score.

use crate::app::assessment::contradiction;
use crate::app::bench::study::{SCHEMA, Study, summarize};
use crate::app::failure::Failure;
use nqueens::Board;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 8 << 20;
/// More threads than any machine has.
const MOST_THREADS: f64 = 1_048_576.0;

/// Reads the study of a file, computes again what follows from their times, and checks their totals against the
/// published ones. What was advice when they were measured is left out of their warnings.
///
/// # Errors
/// If the file is no study, or has numbers that no study can have; or if a total is wrong.
pub(crate) fn read(path: &Path) -> Result<Study, Failure> {
    let shown = path.display();
    let study = document(path).and_then(checked).map_err(|reason| {
        let right = "give files that `nqueens bench --output` wrote as JSON";
        Failure::Usage(format!("'{shown}' is not a study: {reason}; {right}"))
    })?;
    for row in &study.rows {
        let count = Board::new(row.board).ok().zip(row.total.parse().ok());
        if let Some(wrong) = count.and_then(|(board, total)| contradiction(board, total)) {
            return Err(Failure::Failed(format!("'{shown}': {wrong}")));
        }
    }
    Ok(study)
}

/// The part of a document that says of which kind it is.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    schema: Value,
}

/// Returns the document of a file.
fn document(path: &Path) -> Result<Study, String> {
    let bytes = regular_file(path)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let Named { schema } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if schema != SCHEMA {
        return Err(format!("its schema is {schema}, not \"{SCHEMA}\""));
    }
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Returns a study that was read with what follows from its times.
fn checked(mut study: Study) -> Result<Study, String> {
    if study.rows.is_empty() || study.rows.iter().any(|row| row.times.is_empty()) {
        return Err("it has no times, or a row has none".to_owned());
    }
    check_numbers(&study)?;
    summarize(&mut study.rows, &study.machine);
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
        assert_eq!(format!("{:.6?}", read(&path).unwrap()), format!("{written:.6?}"));
    }
}
