//! `nqueens bench`: what it prints, what it writes, and how it ends.

use crate::run::{json, nqueens, ran};
use serde_json::{Value, json};
use std::fs;

/// A measurement that is over in a moment.
const SMALL: &str = "bench 8 --engine two-color --kernel portable --duration 1ms";

#[test]
fn the_table_has_a_row_for_each_number_of_threads_and_then_the_score() {
    let (code, text, _) = ran(&format!("{SMALL} -j 3"));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((code, &rows[0][..]), (0, &["threads", "million/s", "±", "speed-up"][..]));
    let first: Vec<&str> = rows[1..4].iter().map(|row| row[0]).collect();
    assert_eq!((first, rows[1][3]), (vec!["1", "2", "3"], "1.00"), "{text}");
    assert!(text.lines().take(4).all(|line| line.chars().count() <= 40 && !line.ends_with(' ')), "{text}");
    let score = text.split_once("\n\n").unwrap().1;
    assert!(score.starts_with(concat!("nqueens ", env!("CARGO_PKG_VERSION"), " score: ")), "{score}");
    assert!(score.contains(" million solutions/s on 3 threads (") && score.lines().count() == 1, "{score}");
    assert!(score.contains(" on one), N = 8, two-color, portable kernel; "), "{score}");
}

#[test]
fn programs_get_the_speeds_with_their_intervals_and_warnings() {
    let document = json(&format!("{SMALL} -j 2 --format json"));
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/bench/3"), &json!(true)));
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, threads) in rows.iter().zip(1..) {
        let number = |name: &str| row[name].as_f64().unwrap();
        assert!(number("low") <= number("solutions_per_second") && number("solutions_per_second") <= number("high"));
        assert!(number("low") > 0.0 && number("speed_up") > 0.0 && number("rounds") >= 6.0, "{row}");
        assert_eq!((&row["threads"], &row["pinned_to"], &row["board"]), (&json!(threads), &Value::Null, &json!(8)));
        assert_eq!((&row["engine"], &row["kernel"]), (&json!("two-color"), &json!("portable")));
        assert!(row["warnings"].is_array() && row["cpu"].is_string(), "{row}");
    }
    let (code, csv, said) = ran(&format!("{SMALL} -j 1 --format csv"));
    assert_eq!((code, csv.lines().count()), (0, 2), "{csv}");
    assert!(
        csv.starts_with(
            "threads,pinned_to,solutions_per_second,low,high,speed_up,rounds,warnings,board,engine,kernel,cpu,"
        ),
        "{csv}"
    );
    assert!(said.contains(" million solutions/s on 1 thread, N = 8, "), "{said}");
}

/// On a busy machine there are warnings, and on another one there are none.
#[test]
fn a_strict_measurement_fails_with_the_warnings_and_writes_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("speed.json");
    let output = nqueens(&format!("{SMALL} --strict --quiet -o")).arg(&file).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let document: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let warned =
        |row: &Value| row["warnings"].as_array().unwrap().iter().any(|one| said.contains(one.as_str().unwrap()));
    let has_warnings = document["rows"].as_array().unwrap().iter().any(warned);
    assert_eq!(output.status.code(), Some(i32::from(has_warnings)), "{said}");
    assert_eq!(said.starts_with("error: the speeds may be wrong: "), has_warnings, "{said}");
    assert_eq!(said.lines().count(), usize::from(has_warnings), "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn each_cpu_is_measured_by_itself() {
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;
    let own = sched_getaffinity(Pid::from_raw(0)).unwrap();
    let cpus: Vec<usize> = (0..CpuSet::count()).filter(|&cpu| own.is_set(cpu).unwrap()).collect();
    let document = json(&format!("{SMALL} --each-core --threads 2 --format json"));
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["pinned_to"].clone()).collect::<Vec<_>>(), cpus);
    assert!(rows.iter().all(|row| row["threads"] == 1));
    assert!(rows.iter().any(|row| row["speed_up"] == 1.0), "one is the fastest: {document}");

    let (code, text, _) = ran(&format!("{SMALL} --each-core"));
    let words: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!((code, words), (0, vec!["CPU", "million/s", "±", "of", "fastest"]));
    let last = text.lines().last().unwrap();
    assert!(last.contains("slower than 95% of the fastest"), "{last}");
}

/// A terminal shows both.
#[test]
fn messages_follow_the_end_of_a_document() {
    let folder = tempfile::tempdir().unwrap();
    for line in [format!("{SMALL} -j 1 --format json"), "estimate 8 --format json".to_owned()] {
        let both = fs::File::options().append(true).create(true).open(folder.path().join("both")).unwrap();
        let mut command = crate::common::nqueens();
        command.args(line.split(' ')).stdout(both.try_clone().unwrap()).stderr(both);
        assert!(command.status().unwrap().success(), "{line}");
        let text = fs::read_to_string(folder.path().join("both")).unwrap();
        let (_, said) = text.split_once("], \"complete\": true}\n").unwrap();
        assert!(!said.is_empty(), "{line}: {text}");
        fs::remove_file(folder.path().join("both")).unwrap();
    }
}
