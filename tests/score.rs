//! `nqueens score`: its formats, and when there is no score. Scores themselves depend on the machine: how they are made
//! of measurements is tested beside the source.
#![cfg(feature = "cli")]

mod common;
#[path = "common/run.rs"]
mod run;

use run::{json, nqueens, refusal, stdout};
use serde_json::{Value, json};
use std::path::Path;

/// A run that is over in a moment, and never a score.
const TEST: &str = "score --size test --disturbed --quiet";

#[test]
fn a_run_on_small_boards_is_refused_before_any_work() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("score.json");
    let (message, code) = refusal(nqueens("score --size test --output").arg(&file));
    assert_eq!(code, 1);
    assert!(message.starts_with("no score, because this run is disturbed: "), "{message}");
    assert!(message.contains("its boards are too small") && message.contains("--disturbed"), "{message}");
    assert!(!file.exists());
    let (message, code) = refusal(&mut nqueens("score --size huge"));
    assert!(code == 2 && message.contains("--size huge: not one of small, medium, large"), "{message}");
}

#[test]
fn the_document_says_what_was_measured_where_and_how() {
    let document = json(&format!("{TEST} --format json"));
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/score/1"), &json!(true)));
    let rows = document["rows"].as_array().unwrap();
    let threads = rows[0]["threads"].as_u64().unwrap();
    let parts: Vec<_> = rows.iter().map(|row| (&row["on"], &row["figure"], &row["threads"])).collect();
    let figures = ["counting", "portable", "branches"].map(Value::from);
    let expected = |on: &str, threads: u64| figures.clone().map(|figure| (json!(on), figure, json!(threads)));
    let expected: Vec<_> = expected("all", threads).into_iter().chain(expected("one", 1)).collect();
    assert_eq!(parts, expected.iter().map(|(on, figure, threads)| (on, figure, threads)).collect::<Vec<_>>());
    for row in rows {
        for (key, value) in [
            ("size", json!("test")),
            ("board", json!(8)),
            ("total", json!("92")),
            ("verdict", json!("matches")),
            ("score", json!(null)),
            ("repetitions", json!(11)),
        ] {
            assert_eq!(row[key], value, "{key}");
        }
        assert!(env!("CARGO_PKG_VERSION").starts_with(row["work"].as_str().unwrap()), "{row}");
        assert!(row["disturbed"].as_str().unwrap().contains("its boards are too small"), "{row}");
        let (seconds, speed) = (row["seconds"].as_f64().unwrap(), row["solutions_per_second"].as_f64().unwrap());
        assert!((speed * seconds / 92.0 - 1.0).abs() < 0.01, "{row}");
        for key in ["spread", "cpu_share", "units", "others", "stolen", "date", "cpu", "system", "program_version"] {
            assert!(row.get(key).is_some(), "{key}");
        }
        let frozen = (row["engine"].as_str().unwrap(), row["plan"].as_str().unwrap());
        let is_branches = row["figure"] == "branches";
        assert_eq!(frozen, if is_branches { ("backtrack", "mirror-3") } else { ("two-color", "row-sets-2") });
    }
    let kernels: Vec<_> = rows[1..3].iter().map(|row| &row["kernel"]).collect();
    assert_eq!(kernels, ["portable", "scalar"]);
}

#[test]
fn people_get_a_line_to_quote_and_a_table() {
    let text = stdout(TEST);
    let lines: Vec<&str> = text.lines().collect();
    let version = env!("CARGO_PKG_VERSION");
    let line = format!("nqueens {version} disturbed run, not comparable, test: counting ");
    assert!(lines[0].starts_with(&line), "{text}");
    assert!(!text.contains("score"), "a disturbed run has none: {text}");
    let headings: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(headings, ["figure", "threads", "N", "kernel", "median", "spread", "million", "solutions/s"]);
    assert_eq!((lines[1], lines.len()), ("", 9));
    assert!(lines[2..].iter().all(|line| line.len() <= 80), "{text}");
    let markdown = stdout(&format!("{TEST} --format markdown"));
    assert!(markdown.contains("\n\n| figure | threads | N |") && markdown.lines().count() == 10, "{markdown}");
}

#[test]
fn warnings_say_why_it_is_no_score() {
    let assert = nqueens("score --size test --disturbed").assert().success();
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(stderr.contains("warning: no score: its boards are too small\n"), "{stderr}");
    assert!(stderr.contains("all counts match the published ones"), "{stderr}");
}

/// `results/scores.csv` collects the rows that `--format csv` prints on many machines.
#[test]
fn collected_scores_have_the_columns_of_a_score() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/scores.csv");
    let fresh = stdout(&format!("{TEST} --format csv"));
    let header = fresh.lines().next().unwrap();
    let Ok(collected) = std::fs::read_to_string(&path) else { return };
    assert_eq!(collected.lines().next(), Some(header), "a score of this version cannot be added");
    let mut rows = csv::Reader::from_reader(collected.as_bytes());
    let names = rows.headers().unwrap().clone();
    let mut parts = Vec::new();
    for row in rows.records() {
        let row = row.unwrap();
        let field = |name: &str| &row[names.iter().position(|other| other == name).unwrap()];
        assert!(field("score").parse::<f64>().unwrap() > 0.0, "{row:?}");
        assert_eq!((field("verdict"), field("disturbed")), ("matches", ""), "{row:?}");
        assert_ne!(field("size"), "test");
        let run = ["date", "cpu", "size", "work"].map(|name| field(name).to_owned());
        parts.push((run, field("figure").to_owned(), field("on").to_owned()));
    }
    for run in parts.chunks(6) {
        assert!(run.iter().all(|(of, ..)| *of == run[0].0), "{run:?}");
        let mut six: Vec<_> = run.iter().map(|(_, figure, on)| (&**figure, &**on)).collect();
        six.sort_unstable();
        let figures = ["branches", "counting", "portable"];
        assert!(six.into_iter().eq(figures.into_iter().flat_map(|figure| [(figure, "all"), (figure, "one")])));
    }
}
