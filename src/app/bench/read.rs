//! Reads what `nqueens bench` wrote as JSON: a study or a score.

use crate::app::bench::study::{SCHEMA, Study, summarize};
use crate::app::failure::Failure;
use crate::app::{assessment, text};
use nqueens::Board;
use serde_json::Value;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 8 << 20;
/// More threads than any machine has.
const MOST_THREADS: f64 = 1_048_576.0;

/// Reads the study in a file, computes its statistics again from its times, and checks its totals against the published
/// ones.
///
/// # Errors
/// If the file is no study, if it has numbers that no study can have, or if a total is wrong.
pub(crate) fn read(path: &Path) -> Result<Study, Failure> {
    let shown = path.display();
    let studied = document(path).and_then(|study| check_numbers(&study).map(|()| study));
    let mut study = studied.map_err(|reason| {
        let right = "give files that `nqueens bench --output` wrote as JSON";
        Failure::Usage(format!("'{shown}' is not a study: {reason}; {right}"))
    })?;
    for row in &study.rows {
        let count = Board::new(row.board).ok().zip(row.total.parse().ok());
        if let Some(wrong) = count.and_then(|(board, total)| assessment::contradiction(board, total)) {
            return Err(Failure::Failed(format!("'{shown}': {wrong}")));
        }
    }
    summarize(&mut study.rows, &study.machine);
    Ok(study)
}

fn document(path: &Path) -> Result<Study, String> {
    // A pipe or a device may never begin or end.
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(format!("it is not a regular file of at most {MOST_BYTES} bytes"));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let document: Value = serde_json::from_str(&text::text(&bytes)).map_err(|error| error.to_string())?;
    if document["schema"] != SCHEMA {
        return Err(format!("its schema is {}, not \"{SCHEMA}\"", document["schema"]));
    }
    serde_json::from_value(document).map_err(|error| error.to_string())
}

/// Refuses a study with numbers that no study can have, because its statistics could not be computed.
fn check_numbers(study: &Study) -> Result<(), String> {
    let check = |name: &str, number: f64, range: RangeInclusive<f64>| {
        let (least, most) = range.clone().into_inner();
        let refused = || format!("{name} is {number:?}, and must be from {least:?} to {most:?}");
        range.contains(&number).then_some(()).ok_or_else(refused)
    };
    if study.rows.is_empty() || study.rows.iter().any(|row| row.times.is_empty()) {
        return Err("it has no times, or a row has none".to_owned());
    }
    check("cpu_quota", study.machine.cpu_quota.unwrap_or(1.0), 1e-3..=MOST_THREADS)?;
    for row in &study.rows {
        Board::new(row.board).map_err(|error| error.to_string())?;
        row.total.parse::<u128>().map_err(|_| format!("a total is not a number: N = {}", row.board))?;
        check("threads", row.threads as f64, 1.0..=MOST_THREADS)?;
        check("cpu_seconds", row.cpu_seconds.unwrap_or(0.0), 0.0..=1e18)?;
        // The range goes from the resolution of a clock to 32 years.
        row.times.iter().try_for_each(|&seconds| check("times", seconds, 1e-9..=1e9))?;
    }
    if let Some(score) = &study.score {
        check("threads", score.threads as f64, 1.0..=MOST_THREADS)?;
        check("error", score.error, 0.0..=1e18)?;
        check("solutions_per_second", score.solutions_per_second, 1.0..=1e30)?;
        check("one_thread", score.one_thread, 1.0..=1e30)?;
    }
    Ok(())
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
