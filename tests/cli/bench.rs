//! `nqueens bench` and `nqueens compare`: what they print, what they write, and how they end.

use crate::common::keeper::patience;
use crate::run::{ended, json, nqueens, ran, refusal, remarks, stdout};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A study that is over in a moment.
const SMALL: &str = "bench --study --boards 8,9 --threads 1,2 --repetitions 2 --quiet";

/// The document of that study, which is made once for all tests.
static STUDY: LazyLock<String> = LazyLock::new(|| stdout(&format!("{SMALL} --format json")));

#[test]
fn the_table_has_every_engine_board_and_number_of_threads() {
    let text = stdout(SMALL);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["engine", "kernel", "N", "threads", "median", "min", "max", "speed-up", "serial"]);
    let what: Vec<(&str, &str, &str)> = rows[1..9].iter().map(|row| (row[0], row[2], row[3])).collect();
    let of =
        |board| ["backtrack", "two-color"].into_iter().flat_map(move |engine| ["1", "2"].map(|t| (engine, board, t)));
    assert_eq!(what, of("8").chain(of("9")).collect::<Vec<_>>());
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// A score, which is only an impression on a busy machine: what was said, and the files in three formats.
struct Measured {
    said: String,
    files: [String; 3],
}

/// A score takes seconds, and is measured once for all tests.
static MEASURED: LazyLock<Measured> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.json");
    let (code, out, said) = ran(&format!("bench --duration 1s --output {}", file.display()));
    assert_eq!((code, &*out), (0, ""), "{said}");
    let shown = |format: &str| stdout(&format!("compare --quiet --format {format} {}", file.display()));
    Measured { said, files: [fs::read_to_string(&file).unwrap(), shown("csv"), shown("text")] }
});

#[test]
fn a_score_is_one_number_with_its_quality_and_a_line_to_copy() {
    let Measured { said, files: [json, csv, text] } = &*MEASURED;
    assert!(text.starts_with(concat!("nqueens ", env!("CARGO_PKG_VERSION"), " score: ")), "{text}");
    assert!(text.contains(" million solutions/s on ") && text.contains(" kernel, only an impression; "), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("score.json");
    fs::write(&file, json).unwrap();
    assert!(said.contains(" score: ") && said.contains("warning: it was measured for 1.00 s only\n"), "{said}");
    let document: Value = serde_json::from_str(json).unwrap();
    assert_eq!(document["schema"], "nqueens/bench/2");
    let (score, rows) = (&document["score"], document["rows"].as_array().unwrap());
    assert!(score["solutions_per_second"].as_f64().unwrap() > 0.0 && score["one_thread"].as_f64().unwrap() > 0.0);
    let quality = score["quality"].as_str().unwrap();
    assert_eq!(quality, "only an impression");
    assert!(score["reasons"].as_array().unwrap().contains(&json!("it was measured for 1.00 s only")), "{score}");
    for row in rows {
        assert_eq!(
            (&row["board"], &row["total"], &row["verdict"]),
            (&json!(18), &json!("666090624"), &json!("matches"))
        );
    }
    assert!(
        csv.starts_with("score,times_as_fast,one_thread,threads,kernel,quality,") && csv.lines().count() == 2,
        "{csv}"
    );
    assert_eq!(stdout(&format!("compare --format csv {0} {0}", file.display())).lines().count(), 3);
    let study = study(dir.path(), "study.json", "avx2", [4.0, 2.0]);
    let (message, code) = refusal(nqueens("compare").arg(&file).arg(study));
    assert!(code == 2 && message.contains("scores do not compare with studies"), "{message}");
}

#[test]
fn a_strict_run_refuses_a_score_that_is_not_quotable_with_the_reasons() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("score.json");
    let (message, code) = refusal(nqueens("bench --strict --duration 1s --quiet --output").arg(&file));
    assert!(code == 1 && message.starts_with("the score is not quotable: "), "{message}");
    assert!(message.contains("it was measured for 1.00 s only"), "{message}");
    assert!(fs::read_to_string(file).unwrap().contains("only an impression"), "what was measured is not lost");
}

/// A file name that is no text must not lose a measurement, and a path is private.
#[test]
#[cfg(target_os = "linux")]
fn the_command_of_a_study_has_names_of_files_without_their_folders() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(std::ffi::OsStr::from_bytes(b"st\xffudy.json"));
    nqueens("bench --study --boards 6 --threads 1 --repetitions 1 --quiet -o").arg(&file).assert().success();
    let record: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let command = "nqueens bench --study --boards 6 --threads 1 --repetitions 1 --quiet -o st\u{fffd}udy.json";
    assert_eq!(record["command"], command);
}

#[test]
fn the_record_says_what_was_measured_where_and_how() {
    let record = json(&format!("{SMALL} --format json --engine backtrack --kernel scalar"));
    assert_eq!((&record["schema"], &record["repetitions"]), (&json!("nqueens/bench/2"), &json!(2)));
    let command = record["command"].as_str().unwrap();
    assert!(command.starts_with("nqueens bench --study --boards 8,9 "), "{command}");
    let date = record["date"].as_str().unwrap();
    assert!(date.len() == 20 && date.starts_with("20") && date.ends_with('Z'), "{date}");
    assert!(record["program"]["version"].as_str().unwrap().starts_with(env!("CARGO_PKG_VERSION")));
    assert!(record["program"]["compiler"].as_str().unwrap().starts_with("rustc "));
    for key in ["cpu", "architecture", "logical_cpus", "physical_cores"] {
        assert!(!record["machine"][key].is_null(), "{key}: {}", record["machine"]);
    }
    for key in ["all_cpus", "cpu_quota", "system"] {
        assert!(record["machine"].get(key).is_some(), "{key}");
    }
    let rows = record["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for (row, (board, threads, total)) in rows.iter().zip([(8, 1, "92"), (8, 2, "92"), (9, 1, "352"), (9, 2, "352")]) {
        assert_eq!((&row["board"], &row["threads"], &row["total"]), (&json!(board), &json!(threads), &json!(total)));
        assert_eq!((&row["verdict"], &row["kernel"]), (&json!("matches"), &json!("scalar")));
        let times: Vec<f64> = row["times"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
        let median = f64::midpoint(times[0], times[1]);
        assert!((row["seconds"].as_f64().unwrap() / median - 1.0).abs() < 1e-9, "{row}");
        assert!(!cfg!(unix) || row["cpu_seconds"].as_f64().unwrap() > 0.0, "{row}");
    }
    let (one, two) = (&rows[0]["seconds"], &rows[1]["seconds"]);
    let speed_up = one.as_f64().unwrap() / two.as_f64().unwrap();
    assert!((rows[1]["speed_up"].as_f64().unwrap() / speed_up - 1.0).abs() < 1e-9);
    // Two threads on one CPU say nothing about the work.
    assert_eq!(rows[1]["serial_fraction"].is_number(), nqueens::run::logical_cpus() > 1);
    assert_eq!(record.get("score"), Some(&json!(null)));
}

#[test]
fn without_one_thread_there_is_no_speed_up() {
    let record = json("bench --study --boards 8 --threads 2 --repetitions 1 --engine two-color --quiet --format json");
    let row = &record["rows"][0];
    assert!(row["speed_up"].is_null() && row["seconds"].as_f64().unwrap() > 0.0, "{row}");
}

#[test]
fn compare_writes_a_study_in_other_formats() {
    let dir = tempfile::tempdir().unwrap();
    let [json, csv] = ["a.json", "a.csv"].map(|name| dir.path().join(name));
    fs::write(&json, &*STUDY).unwrap();
    nqueens("compare").arg(&json).arg("--output").arg(&csv).assert().success().stdout("");
    assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 1 + 8);
    assert_eq!(
        STUDY.lines().filter(|line| line.starts_with("{\"engine\":")).count(),
        8,
        "a row has a line: {}",
        *STUDY
    );
}

#[test]
fn what_makes_numbers_doubtful_is_said() {
    let stderr = remarks("bench --study --boards 6 --threads 1,1024 --repetitions 1 --engine backtrack");
    for part in ["1024 threads shared ", "too short to be timed well; give larger --boards", "all counts match"] {
        assert!(stderr.contains(part), "{part} is missing: {stderr}");
    }
}

/// Returns a study with made-up times, written to a file.
fn study(dir: &Path, name: &str, kernel: &str, seconds: [f64; 2]) -> String {
    let mut record: Value = serde_json::from_str(&STUDY).unwrap();
    record["machine"]["cpu"] = json!("Some(R) CPU @ 3 GHz");
    record["machine"]["logical_cpus"] = json!(2);
    let rows: Vec<Value> = record["rows"].as_array().unwrap()[..2].to_vec();
    record["rows"] = rows
        .into_iter()
        .zip(seconds)
        .map(|(mut row, seconds)| {
            (row["times"], row["kernel"]) = (json!([seconds]), json!(kernel));
            row["cpu_seconds"] = json!(null);
            row
        })
        .collect();
    let path = dir.join(name);
    fs::write(&path, record.to_string()).unwrap();
    path.display().to_string()
}

#[test]
fn studies_stand_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let old = study(dir.path(), "old.json", "avx2", [4.0, 2.0]);
    let new = study(dir.path(), "new.json", "avx512", [2.0, 0.5]);
    let document = json(&format!("compare {old} {new} --format json --quiet"));
    assert_eq!(document["schema"], "nqueens/compare/1");
    let rows: Vec<_> = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (row["study"].as_str().unwrap(), row["threads"].as_u64().unwrap(), row["times_as_fast"].as_f64().unwrap())
        })
        .collect();
    let (a, b) = ("old", "new");
    assert_eq!(rows, [(a, 1, 1.0), (b, 1, 2.0), (a, 2, 1.0), (b, 2, 4.0)]);
    let means: Vec<_> = document["rows"].as_array().unwrap().iter().map(|row| &row["mean_times_as_fast"]).collect();
    assert_eq!(json!(means), json!([1.0, 2.828, 1.0, 2.828]));
    let text = stdout(&format!("compare {old} {new} --quiet"));
    let lines: Vec<String> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "study engine kernel N threads median x first", "{text}");
    assert!(lines[4].starts_with("new backtrack avx512 8 2 500") && lines[4].ends_with(" 4.00"), "{text}");
    assert_eq!(lines[5..], ["", "geometric mean of 2 counts, x first", "2.83 new", "1.00 old"]);
}

/// Files of the same name are told apart by their folders.
#[test]
fn machines_are_told_apart_in_lines_that_fit_a_terminal() {
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/results");
    let files = ["amd-zen5-2-cpus-0.2.0", "amd-zen4-2-cpus-0.2.0", "intel-emerald-rapids-16-cpus-02551f2"]
        .map(|name| format!("{results}/{name}/scaling.json"));
    let (code, out, err) = ended(nqueens("compare").args(&files).output().unwrap());
    assert_eq!(code, 0, "{err}");
    for name in ["amd-zen5-2-cpus-0.2.0", "amd-zen4-2-cpus-0.2.0", "intel-emera\u{2026}cpus-02551f2"] {
        assert!(out.contains(name) && err.contains(name), "{name} is missing: {out}{err}");
    }
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
}

/// A file that would take much memory or time is refused before it does. A pipe or a device might never end, or never
/// begin.
#[test]
fn what_is_no_study_and_absurd_ones_are_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let good = study(dir.path(), "good.json", "avx2", [4.0, 2.0]);
    let changed_in = |document: &str, place: &str, value: &str| {
        let mut record: Value = serde_json::from_str(document).unwrap();
        *record.pointer_mut(place).unwrap() = json!("HERE");
        record.to_string().replacen("\"HERE\"", value, 1)
    };
    let text = fs::read_to_string(&good).unwrap();
    let changed = |place: &str, value: &str| changed_in(&text, place, value);
    let score = |field: &str, value: &str| changed_in(&MEASURED.files[0], &format!("/score/{field}"), value);
    let path = dir.path().join("bad.json");
    let refused = |path: &Path, reason: &str| {
        let mut compare = nqueens(&format!("compare {good}"));
        let (message, code) = refusal(compare.arg(path).timeout(patience()));
        assert!(code == 2 && message.contains("' is not a study") && message.contains(reason), "{message}");
        assert!(message.len() < 2000, "{message}");
    };
    for (text, reason) in [
        ("{\n\"schema\":".into(), "EOF while parsing a value at line 2"),
        ("{}".into(), "its schema is null, not"),
        ("{\"schema\": \"nqueens/count/1\"}".into(), "its schema is \"nqueens/count/1\", not"),
        ("{\"schema\": \"nqueens/bench/2\"}".into(), "missing field"),
        (changed("/rows/1/times/0", "1e308"), "times is 1e308, and must be from 1e-9 to 1000000000.0"),
        (changed("/rows/1/times", "[]"), "a row has none"),
        (changed("/rows", "[]"), "it has no times"),
        (changed("/rows/1/threads", "0"), "threads is 0.0, and must be from 1.0 to 1048576.0"),
        (changed("/rows/1/board", "33"), "33"),
        (changed("/machine/cpu_quota", "-1e308"), "cpu_quota is -1e308, and must be from 0.001 to 1048576.0"),
        (changed("/rows/1/cpu_seconds", "-2"), "cpu_seconds is -2.0, "),
        (changed("/rows/1/total", "\"many\""), "a total is not a number"),
        (changed("/rows/0/times", &"[".repeat(4 << 20)), " at line 1"),
        (changed("/rows/0/times", &format!("\"{}\"", "x".repeat(4 << 20))), "expected a sequence"),
        ("0,".repeat(16 << 20), "not a regular file of at most 8388608 bytes"),
        (score("solutions_per_second", "0"), "bad.json' is not a study: solutions_per_second is "),
        (score("one_thread", "1e308"), "bad.json' is not a study: one_thread is "),
        (score("threads", "0"), "bad.json' is not a study: threads is "),
        (score("error", "-0.5"), "bad.json' is not a study: error is "),
    ] {
        fs::write(&path, text).unwrap();
        refused(&path, reason);
    }
    #[cfg(unix)]
    {
        let pipe = dir.path().join("pipe.json");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for path in [&pipe, Path::new("/dev/zero"), dir.path()] {
            refused(path, "it is not a regular file");
        }
    }
    // A study may have more rows than anybody measures, and long names.
    let row = serde_json::from_str::<Value>(&text).unwrap()["rows"][0].to_string();
    let many: Vec<String> =
        (1..=4000).map(|threads| row.replace("\"threads\":1,", &format!("\"threads\":{threads},"))).collect();
    fs::write(&path, changed("/rows", &format!("[{}]", many.join(",")))).unwrap();
    for form in ["csv", "json", "text"] {
        nqueens(&format!("compare {good} --quiet --format {form}")).arg(&path).timeout(patience()).assert().success();
    }
    fs::write(&path, changed("/machine/cpu", &format!("\"{}\"", "x".repeat(4 << 20)))).unwrap();
    nqueens(&format!("compare {good} --quiet")).arg(&path).assert().success();
}

/// The warnings of every study are said in every format, under its name, and written for programs.
#[test]
fn a_comparison_says_what_makes_each_study_doubtful() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|name| {
        let path = study(dir.path(), &format!("{name}.json"), "avx2", [4.0, 2.0]);
        let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        record["warnings"] = json!([format!("{name} was busy: its load average is 2.0; end other programs")]);
        record["date"] = json!("2026-11-22T23:37:57Z");
        fs::write(&path, record.to_string()).unwrap();
        path
    });
    for (studies, names) in [(&paths[..1], &[""][..]), (&paths[..], &["one: ", "two: "])] {
        for format in ["text", "csv", "json"] {
            let (code, shown, stderr) = ran(&format!("compare --quiet --format {format} {}", studies.join(" ")));
            assert_eq!((code, stderr.matches("warning: ").count()), (0, names.len()), "{stderr}");
            for (prefix, name) in names.iter().zip(["one", "two"]) {
                let warning = format!("{name} was busy: its load average is 2.0; end other programs");
                assert!(stderr.contains(&format!("warning: {prefix}measured on 2026-11-22: {warning}\n")), "{stderr}");
                // Tables for people have no warnings, because those on standard error are enough.
                assert_eq!(shown.contains(&warning), ["csv", "json"].contains(&format), "{format}: {shown}");
            }
        }
    }
}

#[test]
fn a_count_beyond_the_time_limit_is_skipped_and_named() {
    let command =
        "bench --study --boards 8,30 --engine backtrack --threads 1 --repetitions 1 --time-limit 1 --format csv";
    let (code, out, stderr) = ran(command);
    assert_eq!((code, out.lines().count()), (0, 2), "{stderr}");
    assert!(stderr.contains("skipped, because it takes longer than 1 s or too much memory: backtrack "), "{stderr}");
    assert!(stderr.contains(" from N = 30 on, 1 thread"), "{stderr}");
}

/// A study says what it counted, and the published table says whether that is right.
#[test]
fn a_study_with_a_wrong_total_is_a_contradiction() {
    let dir = tempfile::tempdir().unwrap();
    let path = study(dir.path(), "wrong.json", "avx2", [4.0, 2.0]);
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    record["rows"][1]["total"] = json!("93");
    let board = record["rows"][1]["board"].to_string();
    fs::write(&path, record.to_string()).unwrap();
    let (message, code) = refusal(nqueens("compare").arg(&path));
    assert!(code == 1 && message.contains(&format!("N = {board} came out as 93, but ")), "{message}");
}

/// The profile for the Phoronix Test Suite finds both figures, and shows the reason if there are none.
#[test]
#[cfg(unix)]
fn the_phoronix_profile_finds_the_figures_or_shows_the_reason() {
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/phoronix/nqueens-1.0.0");
    let install = fs::read_to_string(profile.join("install.sh")).unwrap();
    let script = install.split_once("<<'SCRIPT'\n").unwrap().1.split_once("\nSCRIPT\n").unwrap().0;
    // A script prints this in place of the program, and ends with this code.
    let run = |print: &str, status: u8| {
        let dir = tempfile::tempdir().unwrap();
        let command = "./nqueens-source/target/release/nqueens bench --strict --format csv";
        assert!(script.contains(command));
        let printing = crate::common::program(dir.path(), "printing", &format!("{print}; exit {status}"));
        fs::write(dir.path().join("score"), &MEASURED.files[1]).unwrap();
        let script = script.replace(command, &printing);
        let output = crate::common::command("sh")
            .args(["-c", &script])
            .current_dir(dir.path())
            .env("HOME", dir.path())
            .env("LOG_FILE", dir.path().join("log"))
            .output()
            .unwrap();
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        (read("log"), read("test-exit-status"), String::from_utf8(output.stderr).unwrap())
    };
    let (log, status, _) = run("cat score", 0);
    assert_eq!(status, "0\n", "{log}");
    let definition = fs::read_to_string(profile.join("results-definition.xml")).unwrap();
    let hints: Vec<&str> = definition.split("<LineHint>").skip(1).map(|part| part.split_once('<').unwrap().0).collect();
    assert_eq!(hints.len(), 2);
    for hint in &hints {
        let figure = log.lines().find_map(|line| line.strip_prefix(*hint)).unwrap_or_else(|| panic!("{hint}: {log}"));
        assert!(figure.parse::<f64>().unwrap() > 0.0, "{log}");
    }
    assert_eq!(run("sed s/^/another,/ score", 0).0, log, "the columns are found by their names");
    let (log, status, said) = run("cat score; echo 'error: the score is not quotable: busy' >&2", 1);
    let has_figure = log.lines().any(|line| hints.iter().any(|hint| line.starts_with(hint)));
    assert!(status == "1\n" && !has_figure, "{log}");
    assert!([&log, &said].iter().all(|text| text.contains("error: the score is not quotable: ")), "{said}");
}
