//! `nqueens bench` and `nqueens stress`: what they print, what they write, and how they end.
#![cfg(feature = "cli")]

mod common;
#[path = "common/run.rs"]
mod run;

use run::{json, nqueens, refusal, stdout};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A study that is over in a moment.
const SMALL: &str = "bench --boards 8,9 --threads 1,2 --repetitions 2 --quiet";

/// What a study writes to a file of this name.
fn exported(dir: &Path, name: &str) -> String {
    nqueens(SMALL).arg("--export").arg(dir.join(name)).assert().success();
    fs::read_to_string(dir.join(name)).unwrap()
}

#[test]
fn the_table_has_every_engine_board_and_number_of_threads() {
    let text = stdout(SMALL);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..6], ["engine", "kernel", "N", "threads", "median", "spread"]);
    let what: Vec<(&str, &str, &str)> = rows[1..9].iter().map(|row| (row[0], row[2], row[3])).collect();
    let of =
        |board| ["backtrack", "two-color"].into_iter().flat_map(move |engine| ["1", "2"].map(|t| (engine, board, t)));
    assert_eq!(what, of("8").chain(of("9")).collect::<Vec<_>>());
    // Two threads on one CPU say nothing of the work.
    let counts = if nqueens::run::logical_cpus() > 1 { 4 } else { 0 };
    assert_eq!(text.matches(": serial fraction ").count(), counts, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("2 threads ") && line.contains('#')).count(), 4, "{text}");
}

#[test]
fn the_record_says_what_was_measured_where_and_how() {
    let record = json(&format!("{SMALL} --format json --engine backtrack --kernel scalar"));
    assert_eq!((&record["schema"], &record["repetitions"]), (&json!("nqueens/bench/1"), &json!(2)));
    let command = record["command"].as_str().unwrap();
    assert!(command.starts_with("nqueens bench --boards 8,9 "), "{command}");
    let date = record["date"].as_str().unwrap();
    assert!(date.len() == 20 && date.starts_with("20") && date.ends_with('Z'), "{date}");
    assert!(record["program"]["version"].as_str().unwrap().starts_with(env!("CARGO_PKG_VERSION")));
    assert!(record["program"]["compiler"].as_str().unwrap().starts_with("rustc "));
    for key in ["cpu", "architecture", "features", "caches", "logical_cpus", "physical_cores", "memory_bytes"] {
        assert!(!record["machine"][key].is_null(), "{key}: {}", record["machine"]);
    }
    for key in ["megahertz", "system", "kernel"] {
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
        assert!(row["nodes"].as_u64().unwrap() > 0 && row["nodes_per_second"].as_f64().unwrap() > 0.0, "{row}");
        assert!(!cfg!(unix) || row["cpu_seconds"].as_f64().unwrap() > 0.0, "{row}");
    }
    let (one, two) = (&rows[0]["seconds"], &rows[1]["seconds"]);
    let speed_up = one.as_f64().unwrap() / two.as_f64().unwrap();
    assert!((rows[1]["speed_up"].as_f64().unwrap() / speed_up - 1.0).abs() < 1e-9);
    assert!((rows[1]["efficiency"].as_f64().unwrap() * 2.0 / speed_up - 1.0).abs() < 1e-9);
    assert_eq!(record["scaling"].as_array().unwrap().len(), if nqueens::run::logical_cpus() > 1 { 2 } else { 0 });
    assert_eq!((&record["pinned"], &record["pinning"]), (&json!(false), &json!("off")));
}

/// `--pin` says what was done: with more threads than CPUs not every one has its own.
#[test]
#[cfg(target_os = "linux")]
fn pinned_threads_are_said_to_share_where_they_do() {
    use nix::sched::{CpuSet, sched_getaffinity};

    let dir = tempfile::tempdir().unwrap();
    let mask = sched_getaffinity(nix::unistd::Pid::from_raw(0)).unwrap();
    let cpus = (0..CpuSet::count()).filter(|&cpu| mask.is_set(cpu).unwrap()).count();
    for (threads, pinned, pinning, words) in [
        (1, true, "own", "every thread on a CPU of its own"),
        (cpus + 1, false, "shared", "threads pinned, but some share a CPU"),
    ] {
        let (file, page) = (dir.path().join("study.json"), dir.path().join("study.html"));
        let mut command = nqueens(&format!("bench --boards 10 --threads {threads} --repetitions 1"));
        let assert = command.args(["--pin", "--export"]).arg(&file).arg("--export").arg(&page).assert().success();
        let record: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!((&record["pinned"], &record["pinning"]), (&json!(pinned), &json!(pinning)), "{threads}");
        assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains(words), "{words}");
        assert!(fs::read_to_string(&page).unwrap().contains(words), "{words}");
    }
}

#[test]
fn without_one_thread_there_is_no_speed_up() {
    let record = json("bench --boards 8 --threads 2 --repetitions 1 --engine two-color --quiet --format json");
    let row = &record["rows"][0];
    assert!(row["speed_up"].is_null() && row["nodes"].is_null() && row["seconds"].as_f64().unwrap() > 0.0, "{row}");
    assert_eq!(record["scaling"], json!([]));
}

#[test]
fn every_format_can_be_read_by_what_reads_such_files() {
    let dir = tempfile::tempdir().unwrap();
    let record: Value = serde_json::from_str(&exported(dir.path(), "study.json")).unwrap();
    assert_eq!(record["rows"].as_array().unwrap().len(), 8);
    let text = exported(dir.path(), "study.csv");
    let rows: Vec<_> = csv::Reader::from_reader(text.as_bytes()).into_records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(exported(dir.path(), "study.md").lines().filter(|line| line.starts_with("| ")).count(), 9);
    let picture = exported(dir.path(), "study.svg");
    assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && picture.ends_with("</svg>\n"));
    assert!(exported(dir.path(), "study.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn several_files_are_written_beside_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (dir.path().join("a.json"), dir.path().join("a.md"));
    let mut command = nqueens("bench --boards 8 --threads 1 --repetitions 1 --quiet --format csv --export -");
    let assert = command.arg("--export").arg(&one).arg("--export").arg(&other).assert().success();
    assert_eq!(String::from_utf8_lossy(&assert.get_output().stdout).lines().count(), 3);
    assert!(fs::metadata(one).unwrap().len() > 0 && fs::metadata(other).unwrap().len() > 0);
}

#[test]
fn a_bad_file_is_refused_before_any_work() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = nqueens("bench --boards 30 --export");
    let (message, code) = refusal(command.arg(dir.path().join("no").join("study.html")));
    assert!(code == 2 && message.contains("--export"), "{message}");
}

#[test]
fn what_makes_numbers_doubtful_is_said() {
    let assert = nqueens("bench --boards 6 --threads 1,1024 --repetitions 1 --engine backtrack").assert().success();
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    for part in ["warning: 1024 threads share ", "too short to be timed well; give larger --boards", "all counts match"]
    {
        assert!(stderr.contains(part), "{part} is missing: {stderr}");
    }
}

/// A study with made-up times, written to a file.
fn study(dir: &Path, name: &str, kernel: &str, seconds: [f64; 2]) -> String {
    let mut record: Value = serde_json::from_str(&exported(dir, "template.json")).unwrap();
    record["machine"]["cpu"] = json!("Some(R) CPU @ 3 GHz");
    let rows: Vec<Value> = record["rows"].as_array().unwrap()[..2].to_vec();
    record["rows"] = rows
        .into_iter()
        .zip(seconds)
        .map(|(mut row, seconds)| {
            (row["seconds"], row["kernel"]) = (json!(seconds), json!(kernel));
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
    let document = json(&format!("bench --compare {old} {new} --format json --quiet"));
    assert_eq!(document["schema"], "nqueens/bench-comparison/1");
    let rows: Vec<_> = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (row["study"].as_str().unwrap(), row["threads"].as_u64().unwrap(), row["times_as_fast"].as_f64().unwrap())
        })
        .collect();
    assert_eq!(rows, [("old", 1, 1.0), ("new", 1, 2.0), ("old", 2, 1.0), ("new", 2, 4.0)]);
    let text = stdout(&format!("bench --compare {old} {new} --quiet"));
    let lines: Vec<String> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        lines[..5],
        [
            "backtrack, N = 8: median, and times as fast as Some (old)",
            "Some (old) Some (new)",
            "threads avx2 avx512",
            "1 4.0 s 1.00 2.0 s 2.00",
            "2 2.0 s 1.00 500.0 ms 4.00",
        ],
        "{text}"
    );
    let bars = |length: usize| "#".repeat(length);
    let (one, all) = ("backtrack, N = 8, 1 thread: times as fast as Some (old)\n", "backtrack, N = 8, all threads: ");
    assert!(text.contains(&format!("{one}Some (old)  {}  1.00\nSome (new)  {}  2.00\n", bars(20), bars(40))), "{text}");
    assert!(text.contains(all) && text.contains(&format!("Some (new), 2 threads  {}  4.00\n", bars(40))), "{text}");
    let page = dir.path().join("both.html");
    nqueens(&format!("bench --compare {old} {new} --quiet --export")).arg(&page).assert().success();
    let page = fs::read_to_string(page).unwrap();
    for part in
        ["<h2>backtrack, N = 8</h2>", ">Some (new) avx512, N = 8</text>", "<rect class=\"mark\"", "<td>4.00</td>"]
    {
        assert!(page.contains(part), "{part} is missing: {page}");
    }
    // The same name from two folders.
    let text = stdout(&format!("bench --compare {old} {old} --quiet --format csv"));
    assert!(text.contains(",old,") && text.contains(",old (2),"), "{text}");
    // A variable stands for its option, here too.
    let shown = nqueens(&format!("bench --compare {old} --quiet --format csv")).env("NQUEENS_THREADS", "2").assert();
    assert_eq!(String::from_utf8_lossy(&shown.success().get_output().stdout).lines().count(), 2);
}

/// Studies of `machines` machines with 1, 2, 4, ..., 64 threads each, written to files.
fn machines(dir: &Path, machines: usize) -> String {
    let threads = (0..7).map(|power| 1 << power);
    let paths = (0..machines).map(|machine| {
        let path = study(dir, &format!("{machine}.json"), "avx2", [4.0, 2.0]);
        let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        record["machine"]["cpu"] = json!(format!("Manufacturer(R) Model {machine}000+ 64-Core Processor"));
        let row = record["rows"][0].clone();
        let rows =
            threads.clone().flat_map(|threads| [8, 9, 10].map(|board| (threads, board))).map(|(threads, board)| {
                let mut row = row.clone();
                (row["threads"], row["board"]) = (json!(threads), json!(board));
                row["total"] = json!(["92", "352", "724"][board - 8]);
                row["seconds"] = json!(900.0 / f64::from(threads));
                row
            });
        record["rows"] = rows.collect();
        record["warnings"] = json!([]);
        fs::write(&path, record.to_string()).unwrap();
        path
    });
    paths.collect::<Vec<_>>().join(" ")
}

/// Three machines with seven numbers of threads are a screen or two, and every line fits a terminal.
#[test]
fn comparisons_of_machines_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    for (number, lines) in [(2, 70), (3, 75), (9, 170)] {
        let files = machines(dir.path(), number);
        let text = stdout(&format!("bench --compare {files} --quiet"));
        assert!(text.lines().count() <= lines, "{} lines: {text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        for machine in 0..number {
            assert!(text.contains(&format!("\nManufacturer Model {machine}000+  ####")), "{text}");
        }
        let page = dir.path().join("page.html");
        nqueens(&format!("bench --compare {files} --quiet --export")).arg(&page).assert().success();
        let page = fs::read_to_string(page).unwrap();
        // With one thread and with all, for each of three counts.
        assert_eq!(page.matches("<rect class=\"mark\"").count(), 6 * number);
    }
}

/// Every table of text fits a terminal, whatever is compared.
#[test]
fn tables_fit_a_terminal() {
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/results");
    let (old, new) = (format!("{results}/xeon-6-167-2cpu"), format!("{results}/epyc-25-17-2cpu"));
    for command in [
        format!("{new}/scaling.json"),
        format!("{new}/engines.json --by board"),
        format!("{new}/engines.json --by board --peers {results}/peers.csv"),
        format!("{new}/engines.json {old}/engines.json"),
        format!("{new}/engines.json {old}/engines.json --by board"),
        format!("{new}/first.json {new}/second.json {old}/first.json"),
    ] {
        let text = stdout(&format!("bench --quiet --compare {command}"));
        for line in text.lines().filter(|line| !line.starts_with("warning: ")) {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
}

#[test]
fn pictures_and_markdown_say_where_and_how_they_were_measured() {
    let dir = tempfile::tempdir().unwrap();
    let record: Value = serde_json::from_str(&exported(dir.path(), "study.json")).unwrap();
    let machine = record["machine"]["cpu"].as_str().unwrap();
    for name in ["study.md", "study.svg"] {
        let text = exported(dir.path(), name).replace('\\', "");
        // A picture has short lines.
        let text = text.replace("</text>", "");
        let words = text.lines().map(|line| line.rsplit('>').next().unwrap()).collect::<Vec<_>>().join(" ");
        for part in [machine, ", nqueens ", "command: nqueens bench --boards 8,9 ", env!("CARGO_PKG_VERSION"), "Z"] {
            assert!(words.contains(part), "{part} is missing in {name}: {words}");
        }
    }
}

#[test]
fn what_is_no_study_is_refused_in_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let good = study(dir.path(), "good.json", "avx2", [4.0, 2.0]);
    for (text, reason) in [
        ("", "not a JSON object"),
        ("[1, 2]", "not a JSON object"),
        ("{\n\"schema\":", "EOF while parsing a value at line 2"),
        ("{}", "no schema"),
        ("{\"schema\": \"nqueens/count/1\"}", "'nqueens/count/1'"),
        ("{\"schema\": \"nqueens/bench/1\"}", "missing field"),
    ] {
        let path = dir.path().join("bad.json");
        fs::write(&path, text).unwrap();
        let (message, code) = refusal(nqueens(&format!("bench --compare {good}")).arg(&path));
        assert!(code == 2 && message.contains("bad.json' is not a study") && message.contains(reason), "{message}");
    }
}

/// A file that is made to take memory or time is refused before it does.
#[test]
fn absurd_studies_are_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let good = study(dir.path(), "good.json", "avx2", [4.0, 2.0]);
    let text = fs::read_to_string(&good).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    let changed = |place: &str, value: &str| {
        let mut record = record.clone();
        *record.pointer_mut(place).unwrap() = json!("HERE");
        record.to_string().replacen("\"HERE\"", value, 1)
    };
    let row = record["rows"][0].to_string();
    let path = dir.path().join("bad.json");
    for (text, reason) in [
        (changed("/rows/1/seconds", "1e308"), "1e308 seconds is out of range (1e-9 to 1e9) at line 1"),
        (changed("/rows/1/seconds", "5e-324"), "5e-324 seconds is out of range"),
        (changed("/rows/1/seconds", "NaN"), "at line 1"),
        (changed("/rows/1/seconds", "1e999"), "out of range at line 1"),
        (changed("/rows", &format!("[{}]", vec![row.as_str(); 6000].join(","))), "a list of more than 4096 at line 1"),
        (
            changed("/rows/0/times", &format!("[{}0]", "0,".repeat(3 << 20))),
            "0e0 seconds is out of range (1e-9 to 1e9) at line 1",
        ),
        (changed("/rows/0/times", &format!("[{}1]", "1,".repeat(3 << 20))), "a list of more than 1000 at line 1"),
        (changed("/rows/0/times", &"[".repeat(4 << 20)), "expected value at line 1"),
        (format!("{{\"deep\": {}", "[".repeat(4 << 20)), "EOF while parsing"),
        (changed("/rows/0/times", &format!("\"{}\"", "x".repeat(4 << 20))), "invalid type"),
        ("0,".repeat(16 << 20), "larger than 8,388,608 bytes"),
        (changed("/machine/cpu", &format!("\"{}\"", "x".repeat(4 << 20))), "a text of 4194304 bytes"),
    ] {
        fs::write(&path, text).unwrap();
        let start = std::time::Instant::now();
        let (message, code) = refusal(nqueens(&format!("bench --compare {good}")).arg(&path));
        assert!(code == 2 && message.contains("bad.json' is not a study") && message.contains(reason), "{message}");
        assert!(message.len() < 2000, "{message}");
        assert!(start.elapsed().as_secs() < 5, "{reason}: {:?}", start.elapsed());
    }
    // What a study can be, it may be: more rows than anybody measures.
    let many: Vec<String> =
        (1..=4000).map(|threads| row.replace("\"threads\":1,", &format!("\"threads\":{threads},"))).collect();
    fs::write(&path, changed("/rows", &format!("[{}]", many.join(",")))).unwrap();
    for by in ["threads", "board"] {
        let start = std::time::Instant::now();
        let mut command = nqueens(&format!("bench --compare {good} --by {by} --quiet --format csv"));
        command.arg("--compare").arg(&path).assert().success();
        assert!(start.elapsed().as_secs() < 5, "{by}: {:?}", start.elapsed());
    }
}

/// A pipe or a device might never end, or never begin.
#[test]
#[cfg(unix)]
fn pipes_and_devices_are_no_studies() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe.json");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    for option in ["--compare", "--boards 4 --peers"] {
        for path in [&pipe, Path::new("/dev/zero"), dir.path()] {
            let mut command = nqueens(&format!("bench {option}"));
            let (message, code) = refusal(command.timeout(std::time::Duration::from_secs(20)).arg(path));
            assert!(code == 2 && message.contains("it is not a regular file"), "{message}");
        }
    }
}

/// The warnings of every study are in every format, under its name.
#[test]
fn a_comparison_says_what_makes_each_study_doubtful() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|name| {
        let path = study(dir.path(), &format!("{name}.json"), "avx2", [4.0, 2.0]);
        let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        record["warnings"] = json!([format!("{name} was busy")]);
        fs::write(&path, record.to_string()).unwrap();
        path
    });
    let [one, two] = &paths;
    for (studies, names) in [(one.clone(), &["one"][..]), (format!("{one} {two}"), &["one", "two"][..])] {
        for by in ["threads", "board"] {
            for format in ["text", "markdown", "csv", "json", "svg", "html"] {
                let shown = if ["svg", "html"].contains(&format) {
                    let file = dir.path().join(format!("out.{format}"));
                    let mut command = nqueens(&format!("bench --compare {studies} --by {by} --quiet --export"));
                    command.arg(&file).assert().success();
                    fs::read_to_string(file).unwrap()
                } else {
                    let mut command =
                        nqueens(&format!("bench --compare {studies} --by {by} --quiet --format {format}"));
                    let output = command.assert().success().get_output().clone();
                    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                    assert_eq!(stderr.matches("warning: ").count(), names.len(), "{stderr}");
                    String::from_utf8(output.stdout).unwrap()
                };
                for name in names {
                    assert!(shown.contains(&format!("{name} was busy")), "{format}, by {by}: {shown}");
                }
            }
        }
    }
}

/// A file of times of other programs.
fn peers(dir: &Path, text: &str) -> String {
    let path = dir.join("peers.csv");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn a_study_can_be_shown_by_board_with_other_programs_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("study.json").display().to_string();
    let measure = "bench --boards 6-8,10 --threads 1,2 --repetitions 1 --kernel portable --quiet --export";
    nqueens(&format!("{measure} {file}")).assert().success();
    let peers = peers(dir.path(), "program,machine,threads,board,seconds,source\nP,M,,12,90000,\"a, b\"\n");

    let text = stdout(&format!("bench --compare {file} --by board --peers {peers} --quiet --format markdown"));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows[0][1..6], ["N", "solutions", "threads", "backtrack portable", "two-color portable"]);
    let boards: Vec<&[&str]> = rows[2..6].iter().map(|row| &row[1..4]).collect();
    assert_eq!(boards, [["6", "4", "2"], ["7", "40", "2"], ["8", "92", "2"], ["10", "724", "2"]]);
    assert_eq!(rows[9][1..6], ["P", "M", "-", "25.0 h", "a, b"], "{text}");

    let none =
        stdout(&format!("bench --compare {file} --by board --boards 6-11 --peers {peers} --quiet --format markdown"));
    assert!(!none.contains("25.0 h"), "--boards chooses among other programs too: {none}");
    let threads = stdout(&format!("bench --compare {file} --boards 10-12 --peers {peers} --quiet"));
    assert!(threads.contains("solutions/s") && threads.contains(": serial fraction ") && threads.contains("25.0 h"));
    let again = json(&format!("bench --compare {file} --by board --quiet --format json"));
    let first: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(again, first, "one study alone is what it was");

    let csv =
        stdout(&format!("bench --compare {file} --by board --boards 8-32 --engine two-color --quiet --format csv"));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines[0], lines.len()), ("board,total,threads,two-color portable,warnings", 3), "{csv}");
    assert!(lines[1].starts_with("8,92,2,0.") && lines[2].starts_with("10,724,2,0."), "{csv}");

    let (picture, page) = (dir.path().join("a.svg"), dir.path().join("a.html"));
    let mut command = nqueens(&format!("bench --compare {file} --threads 1 --by board --peers {peers} --quiet"));
    command.arg("--export").arg(&picture).arg("--export").arg(&page).assert().success();
    for path in [picture, page] {
        let text = fs::read_to_string(path).unwrap();
        for part in [">two-color portable, 1 thread</text>", ">P</text>", ">M</text>", "by the size of the board"] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
        assert!(!text.contains("Times as fast as one thread"), "{text}");
    }
}

#[test]
fn studies_are_shown_by_board_together() {
    let dir = tempfile::tempdir().unwrap();
    let slow = study(dir.path(), "slow.json", "avx2", [4.0, 2.0]);
    let fast = study(dir.path(), "fast.json", "avx512", [2.0, 0.5]);
    // They have no number of threads in common, and need none.
    for (path, kept) in [(&slow, 1), (&fast, 2)] {
        let mut record: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        record["rows"].as_array_mut().unwrap().retain(|row| row["threads"] == kept);
        fs::write(path, record.to_string()).unwrap();
    }
    let text = stdout(&format!("bench --compare {slow} {fast} --by board --quiet --format csv"));
    let lines: Vec<&str> = text.lines().collect();
    let header = "board,total,threads,Some (slow): backtrack avx2,Some (fast): backtrack avx512,warnings";
    assert_eq!((lines[0], lines.len()), (header, 3));
    assert!(lines[1].starts_with("8,92,1,4,,") && lines[2].starts_with("8,92,2,,0.5,"), "{text}");
    let (message, code) = refusal(&mut nqueens(&format!("bench --compare {slow} {fast}")));
    assert!(code == 2 && message.contains("no count in common"), "{message}");
    // One that has nothing to show is named and left away.
    let assert = nqueens(&format!("bench --compare {slow} {fast} --by board --threads 2")).assert().success();
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(stderr.contains("slow: it has no such count"), "{stderr}");
}

#[test]
fn a_count_beyond_the_time_limit_is_skipped_and_named() {
    let command = "bench --boards 8,30 --engine backtrack --threads 1 --repetitions 1 --time-limit 1 --format csv";
    let assert = nqueens(command).assert().success();
    let output = assert.get_output();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("skipped, because it takes longer than 1 s or too much memory: backtrack "), "{stderr}");
    assert!(stderr.contains(" from N = 30 on, 1 thread"), "{stderr}");
    nqueens("bench --boards 6 --threads 1 --repetitions 1 --time-limit 87840h --quiet").assert().success();
    // Before it there may be a warning that the machine is busy.
    // The name of the option in version 0.1.0.
    for option in ["--time-limit", "--limit"] {
        let command = format!("bench --boards 30 --engine backtrack --threads 1 {option} 100ms");
        let assert = nqueens(&command).assert().code(1);
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(stderr.contains("error: no count finished within 0.1 s; give smaller --boards"), "{stderr}");
    }
}

#[test]
fn bad_boards_limits_and_choices_are_refused_in_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let good = study(dir.path(), "good.json", "avx2", [4.0, 2.0]);
    let empty = peers(dir.path(), "program,machine,threads,board,seconds,source\n");
    for (arguments, said) in [
        ("--boards 12-8".to_owned(), "12 is beyond 8"),
        ("--boards 8-40".to_owned(), "from 1 to 32"),
        ("--boards 30 --engine two-color".to_owned(), "a board of at most 28"),
        ("--time-limit 0".to_owned(), "--time-limit 0: too short"),
        ("--by size".to_owned(), "threads, board"),
        (format!("--boards 8 --peers {empty}"), "it has no times"),
        ("--boards 8 --peers missing.csv".to_owned(), "'missing.csv' has no times of other programs"),
        (format!("--compare {good} --time-limit 3"), "--time-limit"),
        (format!("--compare {good} --boards 11"), "this study has no such count; ask for other"),
    ] {
        let (message, code) = refusal(&mut nqueens(&format!("bench {arguments}")));
        assert!(code == 2 && message.contains(said), "{arguments}: {message}");
    }
}

#[test]
fn a_burn_in_ends_when_its_time_is_up() {
    let start = std::time::Instant::now();
    let assert = nqueens("stress --duration 1s --threads 1").assert().success();
    assert!(start.elapsed().as_secs_f64() >= 1.0);
    let output = assert.get_output();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["engine", "kernel", "counts", "largest", "N", "seconds", "solutions"]);
    assert_eq!(rows[1][0], "backtrack");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains(" counts in ") && stderr.contains("all right; on 1 thread"), "{stderr}");
}

/// Ctrl-C ends a burn-in as a shell expects, with what was counted.
#[test]
#[cfg(unix)]
fn a_burn_in_that_is_stopped_says_what_was_right() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;

    let mut command = common::nqueens();
    let child =
        command.args(["stress", "--threads", "1"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::SIGINT as i32));
    assert!(String::from_utf8_lossy(&output.stdout).contains("backtrack"), "the table is written all the same");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.starts_with("stopped: ") && stderr.contains("all right"), "{stderr}");
}

/// A study says what it counted, and the published table whether that is so.
#[test]
fn a_study_with_a_wrong_total_is_a_contradiction() {
    let dir = tempfile::tempdir().unwrap();
    let path = study(dir.path(), "wrong.json", "avx2", [4.0, 2.0]);
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    record["rows"][1]["total"] = json!("93");
    let board = record["rows"][1]["board"].to_string();
    fs::write(&path, record.to_string()).unwrap();
    let (message, code) = refusal(nqueens("bench").args(["--compare", &path]));
    assert!(code == 1 && message.contains(&format!("N = {board} came out as 93, but ")), "{message}");
}
