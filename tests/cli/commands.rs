//! Every command, every format, and the error messages for bad input.

use crate::common;
use crate::run::{json, nqueens, refusal, stdout};
use assert_cmd::Command;
use nqueens::engine::Kernel;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;

/// All commands.
pub(crate) const COMMANDS: [&str; 12] = [
    "count", "table", "solve", "status", "merge", "recheck", "trace", "methods", "estimate", "verify", "bench",
    "compare",
];

#[test]
fn count_prints_the_number_alone_and_a_line_for_people() {
    let assert = nqueens("count 8 --threads 2").assert().success();
    let output = assert.get_output();
    assert_eq!(output.stdout, b"92\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("N = 8: "), "{stderr}");
    assert!(stderr.ends_with("s on 2 threads; matches the published count (OEIS A000170)\n"), "{stderr}");
    assert!(stderr.len() <= 80, "it fits on a line of a terminal: {stderr}");
}

#[test]
fn boards_without_solutions_have_a_count_too() {
    for (size, total) in [(1, "1\n"), (2, "0\n"), (3, "0\n"), (4, "2\n")] {
        assert_eq!(stdout(&format!("count {size}")), total);
        assert_eq!(stdout(&format!("count {size} --threads 7 --split-rows 3")), total);
    }
}

#[test]
fn every_way_to_count_gives_the_same_number() {
    for split in ["", "--split-rows 1", "--split-rows 2", "--split-rows 3"] {
        for engine in ["", "--engine auto", "--engine backtrack"] {
            for kernel in ["", "--kernel auto", "--kernel scalar"] {
                for threads in [1, 2, 7] {
                    let arguments = format!("count 9 {split} {engine} {kernel} -j {threads}");
                    assert_eq!(stdout(&arguments), "352\n", "{arguments}");
                }
            }
        }
    }
}

#[test]
fn quiet_says_nothing() {
    nqueens("count 8 --quiet").assert().success().stdout("92\n").stderr("");
    nqueens("table --to 3 --quiet").assert().success().stderr("");
}

#[test]
fn fundamental_is_the_second_line() {
    assert_eq!(stdout("count 8 --fundamental"), "92\n12\n");
    assert_eq!(stdout("count 1 --fundamental"), "1\n1\n");
}

#[test]
fn the_engine_is_chosen_by_the_board_and_by_what_is_asked() {
    for (arguments, engine) in [
        ("count 11", "backtrack"),
        ("count 16", "two-color"),
        ("count 12 --kernel portable", "two-color"),
        ("count 12 --split-rows 1", "backtrack"),
        ("count 12 --kernel scalar", "backtrack"),
        ("count 8 --kernel portable", "backtrack"),
        ("count 8 --engine two-color", "two-color"),
    ] {
        assert_eq!(json(&format!("{arguments} --format json"))["engine"], engine, "{arguments}");
    }
    let count = json("count 13 --threads 2 --kernel portable --format json");
    for (key, value) in [
        ("total", json!("73712")),
        ("verdict", json!("matches")),
        ("kernel", json!("portable")),
        ("plan", json!("row-sets-2")),
        ("threads", json!(2)),
    ] {
        assert_eq!(count[key], value, "{key}");
    }
}

#[test]
fn count_in_json_has_all_particulars() {
    let count = json("count 12 --fundamental --threads 2 --split-rows 2 --kernel scalar --format json");
    for (key, value) in [
        ("schema", json!("nqueens/count/1")),
        ("board", json!(12)),
        ("total", json!("14200")),
        ("fundamental", json!("1787")),
        ("verdict", json!("matches")),
        ("published", json!("14200")),
        ("half_turn", json!("80")),
        ("quarter_turn", json!("8")),
        ("engine", json!("backtrack")),
        ("kernel", json!("scalar")),
        ("plan", json!("mirror-2")),
        ("units", json!(55)),
        ("threads", json!(2)),
    ] {
        assert_eq!(count[key], value, "{key}");
    }
    assert!(count["seconds"].as_f64().unwrap() > 0.0);
    assert!(count["logical_cpus"].as_u64().unwrap() > 0);
    assert!(count["physical_cores"].as_u64().unwrap() > 0);
    assert!(!count["cpu"].as_str().unwrap().is_empty());
    assert!(count["program_version"].as_str().unwrap().starts_with(env!("CARGO_PKG_VERSION")));
    assert_eq!(json("count 6 --format json")["fundamental"], Value::Null);
}

#[test]
fn a_count_is_made_again_by_another_route() {
    for (arguments, engine) in [
        ("count 8", "two-color"),
        ("count 9 --fundamental --split-rows 2 --kernel scalar", "two-color"),
        ("count 12 --engine two-color", "backtrack"),
        ("count 14 --engine two-color --kernel portable -j 3", "backtrack"),
    ] {
        let count = json(&format!("{arguments} --double-check --format json"));
        let by = count["double_check"].as_str().unwrap();
        assert!(by.starts_with(&format!("{engine}, ")) && by.ends_with(" kernel"), "{arguments}: {by}");
        assert_eq!(count["verdict"], "matches", "{arguments}");
        assert_eq!(json(&format!("{arguments} --format json"))["double_check"], Value::Null, "{arguments}");
    }
    let assert = nqueens("count 10 --double-check").assert().success().stdout("724\n");
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("(OEIS A000170); double-checked by two-color, "), "{stderr}");
    nqueens("count 8 --double-check --quiet").assert().success().stdout("92\n").stderr("");
    assert_eq!(json("table --from 4 --to 4 --format json")["rows"][0]["double_check"], Value::Null);
}

/// If the board is too large for the backtracker, the same units are counted again and each is compared.
#[test]
#[ignore = "slow"]
fn slow_a_large_count_is_made_again_unit_by_unit() {
    let count = json("count 19 --double-check --format json");
    assert_eq!((&count["total"], &count["engine"]), (&json!("4968057848"), &json!("two-color")));
    let by = count["double_check"].as_str().unwrap();
    assert!(by.starts_with("two-color, ") && by.ends_with(" kernel, sides exchanged, unit by unit"), "{by}");
}

#[test]
fn count_in_csv_has_the_fields_of_the_json() {
    let text = stdout("count 8 --format csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let row = reader.records().next().unwrap().unwrap();
    let Value::Object(mut fields) = json("count 8 --format json") else { panic!("not an object") };
    fields.remove("schema");
    assert_eq!(headers.iter().collect::<std::collections::BTreeSet<_>>(), fields.keys().collect());
    assert_eq!((&row[0], &row[1], &row[2]), ("8", "92", ""));
}

#[test]
fn count_in_markdown_is_a_table() {
    let text = stdout("count 8 --fundamental --format markdown");
    assert!(text.starts_with(
        "| N | total | fundamental | half turn | quarter turn | time | verdict |\n\
         |---|---|---|---|---|---|---|\n| 8 | 92 | 12 | 4 | 0 | "
    ));
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn the_table_reproduces_the_published_numbers_in_every_format() {
    let text = stdout("table --from 4 --to 10");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["N", "total", "fundamental", "half", "turn", "quarter", "turn", "time", "verdict"]);
    assert_eq!(rows.len(), 8);
    assert_eq!((&rows[7][..5], rows[7].last()), (&["10", "724", "92", "12", "0"][..], Some(&"matches")));

    let document = json("table --from 4 --to 10 --format json");
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/table/1"), &json!(true)));
    let totals: Vec<_> = document["rows"].as_array().unwrap().iter().map(|row| row["total"].clone()).collect();
    assert_eq!(totals, ["2", "10", "4", "40", "92", "352", "724"]);

    let text = stdout("table --from 4 --to 10 --format csv");
    let rows: Vec<_> = csv::Reader::from_reader(text.as_bytes()).into_records().map(Result::unwrap).collect();
    assert_eq!(rows.iter().map(|row| row[2].to_owned()).collect::<Vec<_>>(), ["1", "2", "1", "6", "12", "46", "92"]);

    assert_eq!(stdout("table --from 4 --to 10 --format markdown").lines().count(), 9);
}

#[test]
fn the_table_ends_at_14_or_where_it_begins() {
    let text = stdout("table");
    assert_eq!(text.lines().count(), 15);
    assert_eq!(text.lines().last().unwrap().split_whitespace().nth(1), Some("365596"));
    assert_eq!(stdout("table --from 15").lines().count(), 2);
    assert_eq!(stdout("table 3").lines().count(), 4);
}

#[test]
fn verify_passes_and_says_what_it_checked() {
    let assert = nqueens("verify --threads 3 --format json --duration 1ms").assert().success();
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(stderr.starts_with("all ") && stderr.contains(" checks passed on 3 threads; "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
    let document: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/verify/2"), &json!(true)));
    let rows = document["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["outcome"] == "ok" && row["computed"] == row["published"]));
    let counted: HashSet<(String, String, u64, u64)> = rows
        .iter()
        .filter(|row| row["engine"] == "backtrack")
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            (text("kernel"), text("plan"), row["threads"].as_u64().unwrap(), row["board"].as_u64().unwrap())
        })
        .collect();
    for sides in ["usual", "exchanged"] {
        let with_sides = json!(["two-color", "portable", "row-sets-2", 3, sides]);
        let means = |row: &Value| json!(["engine", "kernel", "plan", "threads", "sides"].map(|key| &row[key]));
        assert!(
            (1..=14).all(|board| rows.iter().any(|row| row["board"] == board && means(row) == with_sides)),
            "{sides}"
        );
    }
    let kernels = Kernel::ALL.iter().filter(|kernel| kernel.is_supported());
    for (kernel, threads) in kernels.flat_map(|kernel| [1, 2, 3].map(|threads| (kernel, threads))) {
        for plan in ["mirror-1", "mirror-2", "mirror-3"] {
            let has = |board| counted.contains(&(kernel.to_string(), plan.to_owned(), threads, board));
            assert!((1..=14).all(has), "{kernel}, {threads} threads, {plan}");
        }
    }
    assert!(rows.iter().any(|row| row["engine"] == "backtrack" && row["board"] == 16), "a larger board is counted too");
    let about = |subject: &str| rows.iter().filter(|row| row["subject"] == subject).count();
    assert_eq!(about("solutions listed one by one"), 11);
    assert_eq!(about("fundamental solutions"), 16);
    assert_eq!(about("invariant under a quarter turn"), 16);
}

#[test]
fn an_output_file_gets_what_standard_output_would() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("count.txt");
    fs::write(&file, "something much longer that was here before").unwrap();
    nqueens("count 8 --output").arg(&file).assert().success().stdout("");
    assert_eq!(fs::read_to_string(&file).unwrap(), "92\n");
    nqueens("table --to 4 --format csv -o").arg(&file).assert().success().stdout("");
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 5);
}

/// The ending of a file is the name of its format, in every command; another ending is an error, and none is text.
#[test]
fn the_ending_of_an_output_file_is_that_of_a_format_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let run = |line: &str| nqueens(line).current_dir(dir.path()).output().unwrap();
    assert!(run("count 6 --ledger 6.jsonl").status.success());
    assert!(run("bench --study --boards 6 --threads 1 --repetitions 1 --output study.json").status.success());
    let lines = [
        "count 6",
        "table --to 3",
        "solve 6",
        "status 6.jsonl",
        "merge 6.jsonl",
        "recheck --units 1 6.jsonl",
        "trace 4",
        "methods 4",
        "estimate 6 --threads 1",
        "estimate 6 --exact",
        "bench --study --boards 6 --threads 1 --repetitions 1",
        "compare study.json",
    ];
    let known = lines.map(|line| line.split(' ').next().unwrap());
    assert!(COMMANDS.iter().all(|command| known.contains(command) || *command == "verify"), "{COMMANDS:?}");
    for line in lines {
        for name in ["no.yaml", "no.Yaml", ".x.log", "json.", "x.json.gz"] {
            let output = run(&format!("{line} --output {name}"));
            if name == "json." {
                assert!(output.status.success(), "{line}: it has no ending");
                continue;
            }
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{line}: {message}");
            assert!(
                message.starts_with(&format!("error: the ending of '{name}' is no format of this command;")),
                "{message}"
            );
            assert!(!dir.path().join(name).exists());
        }
        let message = String::from_utf8(run(&format!("{line} --output x.yaml")).stderr).unwrap();
        let formats = message.trim().rsplit(": ").next().unwrap();
        assert!(formats.split(", ").count() >= 3, "{message}");
        for format in formats.split(", ") {
            let as_given = run(&format!("{line} --format {format} --output given")).status;
            assert!(
                as_given.success() && run(&format!("{line} --output out.{format}")).status.success(),
                "{line} {format}"
            );
        }
    }
    for (arguments, file, begins) in [
        ("count 8", "count.JSON", "{"),
        ("count 8", "count.md", "| N |"),
        ("count 8", "count", "92\n"),
        ("count 8", "count.txt", "92\n"),
        ("count 8", ".hidden", "92\n"),
        ("count 8 --format text", "count.html", "92\n"),
        ("count 8 --format json", "count.yaml", "{"),
        ("solve 8", "solve.txt", "Q . ."),
        ("solve 8", "solve.list", "[0, 4, 7, 5, 2, 6, 1, 3]\n"),
        ("solve 8 --format list", "solve.csv", "[0, 4"),
        ("trace 4", "trace.TXT", "   1  "),
    ] {
        assert!(run(&format!("{arguments} --output {file}")).status.success(), "{arguments} {file}");
        let written = fs::read_to_string(dir.path().join(file)).unwrap();
        assert!(written.starts_with(begins), "{file}: {written}");
    }
    for (arguments, ending, formats) in [
        ("count 30", "svg", "text, json, csv, markdown"),
        ("merge --archive a.gz 6.jsonl", "html", "text, json, csv, markdown"),
        ("status 6.jsonl", "svg", "text, json, csv, markdown"),
        ("solve 30", "CSV", "board, list, json, svg"),
        ("solve 30", "md", "board, list, json, svg"),
        ("trace 30", "svg", "text, json, html"),
        ("verify", "svg", "text, json, csv, markdown"),
        ("bench", "svg", "text, json, csv, markdown"),
        ("compare 6.json", "html", "text, json, csv, markdown"),
    ] {
        let message = String::from_utf8(run(&format!("{arguments} --output no.{ending}")).stderr).unwrap();
        assert!(message.contains(&format!("'no.{ending}'")) && message.trim().ends_with(formats), "{message}");
    }
}

#[test]
fn an_unwritable_path_is_refused_before_any_work() {
    for command in [
        "count 30",
        "table --from 30",
        "verify",
        "solve 30",
        "trace 30",
        "methods 30",
        "estimate 30",
        "bench",
        "bench --study",
    ] {
        let (message, code) = refusal(nqueens(command).args(["--output", "/nonexistent/directory/file"]));
        assert_eq!(code, 2, "{command}");
        assert!(message.contains("/nonexistent/directory/file") && message.contains("--output"), "{message}");
    }
}

#[test]
fn bad_input_gets_one_line_that_says_what_is_wrong_and_what_would_be_right() {
    refused_in_words(&[
        ("", ["say what to do", "nqueens --help"]),
        ("count", ["<N>", "nqueens count <N>"]),
        ("count 0", ["'0' for '<N>'", "from 1 to 32"]),
        ("count 33", ["'33' for '<N>'", "from 1 to 32"]),
        ("count -5", ["'-5' for '<N>'", "from 1 to 32"]),
        ("count eight", ["'eight' for '<N>'", "from 1 to 32"]),
        ("count 8 9", ["'9'", "usage: nqueens count [OPTIONS] <N>"]),
        ("count 99999999999999999999999999999999999999999", ["out of range", "from 1 to 32"]),
        ("count 8 --threads 0", ["'0' for '--threads <", "from 1 to 1024"]),
        ("count 8 --threads 1025", ["'1025' for '--threads <", "from 1 to 1024"]),
        ("count 8 --threads two", ["'two' for '--threads <", "from 1 to 1024"]),
        ("count 8 --threads 1.5", ["'1.5' for '--threads <", "from 1 to 1024"]),
        ("count 8 --threads 99999999999999999999", ["'99999999999999999999' for", "from 1 to 1024"]),
        ("count 8 --threads -1", ["'-1' for '--threads <", "from 1 to 1024"]),
        ("count 8 -j -1", ["'-1' for '--threads <", "from 1 to 1024"]),
        ("count 8 --ledger a.jsonl --shard -1/4", ["'-1/4' for '--shard <", "0/16"]),
        ("count 8 --split-rows 4", ["'4' for '--split-rows <", "from 1 to 3"]),
        ("count 8 --split-rows -1", ["'-1' for '--split-rows <", "from 1 to 3"]),
        ("count 8 --engine abacus", ["'abacus' for '--engine <", "backtrack"]),
        ("count 8 --kernel quantum", ["'quantum' for '--kernel <", "scalar"]),
        ("count 8 --engine two-color --kernel scalar", ["kernel scalar", "portable"]),
        ("count 8 --engine two-color --split-rows 1", ["--split-rows", "backtrack"]),
        ("count 29 --engine two-color", ["at most 28", "backtrack"]),
        ("count 29", ["N = 29 takes centuries", "at most 28, or --engine backtrack"]),
        ("count 32 --threads 3 --shard 1/64 --ledger a.jsonl", ["N = 32 takes centuries", "--engine backtrack"]),
        ("count 30 --ledger a.jsonl", ["N = 30 takes centuries", "--engine backtrack"]),
        ("count 29 --split-rows 2 --ledger a.jsonl", ["N = 29 takes centuries", "--engine backtrack"]),
        ("count 30 --double-check --kernel portable", ["N = 30 takes centuries", "--engine backtrack"]),
        ("count 31 --split-rows 2 --fundamental", ["N = 31 takes centuries", "--engine backtrack"]),
        ("estimate 27 --exact", ["N = 27 takes centuries", "give a board of at most 26"]),
        ("estimate 32 --exact --engine backtrack", ["N = 32 takes centuries", "give a board of at most 26"]),
        ("count 29 --engine two-color --double-check", ["at most 28", "backtrack"]),
        ("table 29", ["N = 29 takes centuries", "of at most 28, or --engine backtrack"]),
        ("table --from 3 --to 32", ["N = 32 takes centuries", "of at most 28, or --engine backtrack"]),
        ("table --from 30", ["N = 30 takes centuries", "of at most 28, or --engine backtrack"]),
        ("table 29 --engine two-color", ["at most 28", "backtrack"]),
        ("count 8 --double-check=yes", ["--double-check", "'yes'"]),
        ("table --double-check", ["--double-check", "nqueens table"]),
        ("count 8 --format xml", ["'xml' for '--format <", "markdown"]),
        ("count 8 --format jsn", ["'jsn' for '--format <", "similar value exists: 'json'"]),
        ("count 8 --all", ["'--all'", "usage: nqueens count <N>"]),
        ("8", ["`nqueens count 8` counts", "`nqueens solve 8` shows"]),
        ("help 8", ["`nqueens count 8` counts", "`nqueens solve 8` shows"]),
        ("--verison", ["'--verison'", "exists: '--version'"]),
        ("-v", ["'-v'", "`nqueens --version`"]),
        ("version", ["'version'", "`nqueens --version`"]),
        ("count 8 --version", ["'--version'", "`nqueens --version`"]),
        ("-q count 8", ["'-q'", "usage: nqueens <COMMAND> [OPTIONS]"]),
        ("--threads 4 count 8", ["'--threads'", "'count --threads' exists"]),
        ("--verison", ["'--verison'", "'--version'"]),
        ("-v", ["'-v'", "--version"]),
        ("version", ["'version'", "--version"]),
        ("verify 8", ["'8'", "usage: nqueens verify"]),
        ("count 8 --no-progress", ["'--no-progress'", "usage: nqueens count"]),
        ("cuont 8", ["'cuont'", "'count'"]),
        ("table --from 9 --to 5", ["--from 9", "give a smaller one"]),
        ("table 8 9", ["'9'", "usage: nqueens table [OPTIONS] [N]"]),
        ("table --to 33", ["'33' for '--to <", "from 1 to 32"]),
    ]);
}

#[test]
fn bad_input_of_the_other_commands_too() {
    refused_in_words(&[
        ("solve", ["<N>", "nqueens solve <N>"]),
        ("solve 0", ["'0' for '<N>'", "from 1 to 32"]),
        ("solve -1", ["'-1' for '<N>'", "1000000 with --any"]),
        ("solve 33", ["too large to search", "--any"]),
        ("solve 1000001 --any", ["'1000001' for '<N>'", "1000000 with --any"]),
        ("solve 8 --any --all", ["--any", "--all"]),
        ("solve 8 --format text", ["'text' for '--format <", "board"]),
        ("solve 20000 --any --format board", ["too large to draw", "--format list"]),
        ("solve 201 --any --format svg", ["too large to draw", "--format list"]),
        ("solve 11 --all --format svg", ["1000 boards", "--format list"]),
        ("trace 0", ["'0' for '<N>'", "from 1 to 32"]),
        ("trace 4 --until never", ["'never' for '--until <", "first"]),
        ("trace 4 --limit 0", ["'0' for '--limit <", "at least 1"]),
        ("trace 4 --limit -1", ["'-1' for '--limit <", "at least 1"]),
        ("trace 4 --limit abc", ["'abc' for '--limit <", "at least 1"]),
        ("trace 9 --until all --limit 1000001 --output a.html", ["1000001 steps", "--limit 1000000"]),
        ("solve 300 --format svg", ["too large to search", "--any"]),
        ("trace 4 --boards --output no/x.csv", ["--boards", "x.txt"]),
        ("trace 4 --boards --output no/x.json", ["--boards", "x.txt"]),
        ("trace 4 --format csv", ["'csv' for '--format <", "json"]),
        ("methods 33", ["'33' for '<N>'", "from 1 to 32"]),
        ("methods 8 --method quantum", ["'quantum' for '--method <", "brute-force"]),
        ("methods 8 --time-limit 0", ["'0' for '--time-limit <", "90s, 1m30s, 2h or 250ms"]),
        ("methods 8 --time-limit -1", ["'-1' for '--time-limit <", "90s, 1m30s, 2h or 250ms"]),
        ("estimate 0", ["'0' for '<N>'", "from 1 to 32"]),
        ("estimate 8 --probes 9", ["'9' for '--probes <", "from 10 to 1000000"]),
        ("estimate 8 --kernel quantum", ["'quantum' for '--kernel <", "scalar"]),
        ("estimate 8 --engine abacus", ["'abacus' for '--engine <", "backtrack"]),
        ("estimate 8 --exact --probes 20", ["--exact", "--probes"]),
        ("estimate 8 --exact --threads 0", ["'0' for '--threads <", "from 1 to 1024"]),
        ("status --shards 100001 a.jsonl", ["'100001' for '--shards <", "from 1 to 100000"]),
        ("bench 8", ["'8'", "usage: nqueens bench"]),
        ("bench --study --boards 8,33", ["'33' for '--boards <", "from 1 to 32"]),
        ("bench --study --boards -3,8", ["'-3' for '--boards <", "from 1 to 32"]),
        ("bench --study --threads 1,0", ["'0' for '--threads <", "from 1 to 1024"]),
        ("bench --study --threads -1,2", ["'-1' for '--threads <", "from 1 to 1024"]),
        ("bench --study --time-limit -1s", ["'-1s' for '--time-limit <", "90s, 1m30s, 2h or 250ms"]),
        ("bench --study --repetitions 0", ["'0' for '--repetitions <", "from 1 to 1000"]),
        ("bench --study --engine abacus", ["'abacus' for '--engine <", "two-color"]),
        ("bench --study --engine two-color --kernel scalar", ["no engine", "backtrack has"]),
        ("bench --boards 8", ["required arguments", "--study"]),
        ("bench -o /nonexistent/directory/study.json", ["/nonexistent/directory/study.json", "--output"]),
        ("bench --study --format svg", ["'svg' for '--format <", "csv, markdown"]),
        ("compare", ["<[NAME=]FILE>", "usage: nqueens compare"]),
        ("compare /nonexistent/a.json", ["/nonexistent/a.json", "nqueens bench --output"]),
        ("compare Cargo.toml", ["'Cargo.toml' is not a study", "nqueens bench --output"]),
        ("verify --duration 5x", ["'5x' for '--duration <", "90s, 1m30s, 2h or 250ms"]),
        ("verify --duration 0", ["'0' for '--duration <", "90s, 1m30s, 2h or 250ms"]),
    ]);
}

/// A message repeats the two ends of an argument of 100 kB at most.
#[test]
fn a_long_argument_is_not_repeated_whole() {
    let long = "x".repeat(100_000);
    for (arguments, advice) in [
        ("", "usage: nqueens"),
        ("count", "from 1 to 32"),
        ("count 8 --engine", "auto, backtrack, two-color"),
        ("count 8 --shard", ""),
        ("count 8 --", "usage: nqueens count"),
        ("count 8 --output", "a file that can be written"),
        ("count 8 --ledger", "a file that can be written"),
        ("compare", "files that `nqueens bench --output` wrote, as JSON or CSV"),
        ("status", "folders with files that end in .jsonl or .jsonl.gz"),
        ("methods 8 --method", "brute-force"),
    ] {
        let (message, code) = refusal(nqueens(arguments).arg(&long));
        assert!(code == 2 && message.contains(advice) && message.len() < 1100, "{arguments}: {message}");
    }
}

/// Checks that each command line is refused with a one-line message that contains these parts.
fn refused_in_words(lines: &[(&str, [&str; 2])]) {
    for (arguments, parts) in lines {
        let (message, code) = refusal(&mut nqueens(arguments));
        assert_eq!(code, 2, "{arguments}");
        for part in parts {
            assert!(message.contains(part), "nqueens {arguments}: no {part} in {message}");
        }
    }
}

#[test]
fn environment_variables_stand_for_options() {
    let threads = |command: &mut Command| {
        let output = command.assert().success().get_output().stdout.clone();
        serde_json::from_slice::<Value>(&output).unwrap()["threads"].clone()
    };
    assert_eq!(threads(nqueens("count 10 -f json").env("NQUEENS_THREADS", "3")), 3);
    assert_eq!(threads(nqueens("count 10 -f json --threads 5").env("NQUEENS_THREADS", "3")), 5);
    let empty = ["NQUEENS_THREADS", "NQUEENS_ENGINE", "NQUEENS_KERNEL"].map(|name| (name, ""));
    nqueens("count 10").envs(empty).assert().success().stdout("724\n");
    for granted in
        ["SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "NSLOTS", "NCPUS", "PBS_NP", "PBS_NUM_PPN", "LSB_DJOB_NUMPROC"]
    {
        assert_eq!(threads(nqueens("count 10 -f json").env(granted, "1")), 1, "{granted}");
        assert_eq!(threads(nqueens("count 10 -f json --threads 3").env(granted, "1")), 3, "{granted}");
        let default = threads(&mut nqueens("count 10 -f json"));
        for nonsense in ["", "abc", "0", "4(x2)"] {
            assert_eq!(threads(nqueens("count 10 -f json").env(granted, nonsense)), default, "{granted}={nonsense}");
        }
    }
    for (arguments, variable, value, parts) in [
        ("count 6", "NQUEENS_THREADS", "none", ["'none' for '--threads <T>'", "(NQUEENS_THREADS is set)"]),
        ("count 6 --threads no", "NQUEENS_THREADS", "3", ["'no' for '--threads <T>'", "from 1 to 1024"]),
        ("count 6", "NQUEENS_ENGINE", "abacus", ["auto, backtrack, two-color", "(NQUEENS_ENGINE is set)"]),
    ] {
        let (message, code) = refusal(nqueens(arguments).env(variable, value));
        assert!(code == 2 && parts.iter().all(|part| message.contains(part)), "{message}");
    }
    // A valid value on the command line overrides an invalid one in the environment.
    assert_eq!(threads(nqueens("count 10 -f json --threads 2").env("NQUEENS_THREADS", "none")), 2);
}

/// The shell closes standard output. No file that the program opens may get its descriptor.
#[test]
#[cfg(unix)]
fn a_closed_standard_output_goes_to_no_file() {
    let run = |script: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script]).env("NQUEENS", common::nqueens().get_program()).output().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let [ledger, out] = ["8.jsonl", "out"].map(|name| folder.path().join(name).display().to_string());
    for arguments in [format!("count 8 --ledger {ledger}"), format!("merge {ledger} --archive {out}")] {
        for closed in [">&-", "<&- >&-"] {
            let output = run(&format!("$NQUEENS {arguments} {closed}"));
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && stderr.contains("matches the published count"), "{stderr}");
            std::fs::remove_file(&out).unwrap_or_default();
        }
    }
    let merged = run(&format!("$NQUEENS merge {ledger} -o {out} 2>&-"));
    assert!(merged.status.success() && std::fs::read_to_string(&out).unwrap() == "92\n", "{merged:?}");
    let status = run(&format!("$NQUEENS status {ledger}"));
    assert!(status.status.success() && !String::from_utf8_lossy(&status.stdout).contains("damaged"), "{status:?}");
}

/// This process cannot run on a machine with fewer logical CPUs than cores.
#[test]
#[cfg(target_os = "linux")]
fn cpus_and_cores_are_those_that_the_process_may_use() {
    use nix::sched::{CpuSet, sched_getaffinity};

    if !common::needs::all_installed(&["taskset"]) {
        return;
    }
    let allowed = sched_getaffinity(nix::unistd::Pid::from_raw(0)).unwrap();
    let cpu = (0..CpuSet::count()).find(|&cpu| allowed.is_set(cpu).unwrap()).expect("a CPU that runs this");
    let mut taskset = std::process::Command::new("taskset");
    let program = common::nqueens();
    let output = taskset.args(["-c", &cpu.to_string()]).arg(program.get_program()).args(["count", "8", "-f", "json"]);
    let count: Value = serde_json::from_slice(&output.output().unwrap().stdout).unwrap();
    assert_eq!((&count["logical_cpus"], &count["physical_cores"]), (&json!(1), &json!(1)));
}

#[test]
fn one_thing_is_not_told_as_many() {
    for (arguments, said) in [
        ("solve 1 --all", "1 solution, which is the only one: as many as published\n"),
        ("solve 6 --fundamental", "1 fundamental solution, which is the only one: as many as published\n"),
        ("solve 1 --any", "constructed (Pauls 1874), and checked: no queen attacks another\n"),
        ("trace 4 --limit 1", "1 step, cut there: the search goes on (--limit)\n"),
    ] {
        nqueens(arguments).assert().success().stderr(said);
    }
    let assert = nqueens("table --from 8 --to 8").assert().success();
    assert!(
        String::from_utf8_lossy(&assert.get_output().stderr)
            .starts_with("1 of 1 row as published: total OEIS A000170, ")
    );
}

#[test]
fn a_time_is_written_in_the_same_way_everywhere() {
    for time in ["0.5", "1.5s", "0m2s", "2000ms", "1m", "1h"] {
        nqueens(&format!("methods 4 --time-limit {time} --quiet")).assert().success();
        nqueens(&format!("bench --study --boards 4 --threads 1 --repetitions 1 --time-limit {time} --quiet"))
            .assert()
            .success();
    }
}

#[test]
fn help_can_be_acted_on() {
    let help = stdout("--help");
    for part in ["Examples:", "nqueens count 8", "exit code", "verify", "solve 8", "estimate 20", "128 plus"] {
        assert!(help.contains(part), "{part}");
    }
    assert!(help.lines().count() <= 60 && COMMANDS.iter().all(|command| help.contains(command)), "{help}");
    assert!(stdout("count -h").lines().count() <= 40);
    let help = stdout("help count");
    assert!(help.contains("--double-check") && help.contains("Count again by another route, and compare"), "{help}");
    for command in COMMANDS {
        assert_eq!(stdout(&format!("help {command}")), stdout(&format!("{command} --help")));
    }
}

#[test]
fn version_names_the_package_and_in_a_checkout_the_commit() {
    let version = stdout("-V");
    let (first, kernels) = stdout("--version").split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(first, version.trim_end());
    assert!(kernels.starts_with("kernels of this CPU: scalar, portable") && kernels.lines().count() == 1, "{kernels}");
    let rest = version.trim_end().strip_prefix(concat!("nqueens ", env!("CARGO_PKG_VERSION"))).expect("the version");
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        output.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if git(&["rev-parse", "--show-toplevel"]) == env!("CARGO_MANIFEST_DIR") {
        let commit = git(&["rev-parse", "--short=10", "HEAD"]);
        assert_eq!(rest, format!(" ({commit})"));
    }
}

#[test]
#[cfg(feature = "packaging")]
fn completions_and_manual_pages_know_every_command() {
    refused_in_words(&[
        ("--generate complete-tcsh", ["'complete-tcsh'", "complete-bash"]),
        ("--generate man-nothing", ["'man-nothing'", "man-count"]),
        ("--generate", ["a value is required", "man-count"]),
    ]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&format!("--generate complete-{shell}"));
        let options = ["split-rows", "repetitions", "duration"];
        assert!(COMMANDS.iter().chain(&options).all(|word| script.contains(word)), "{shell}");
    }
    let script = stdout("--generate complete-bash");
    assert!(script.contains("complete -F _nqueens -o nosort -o bashdefault -o default nqueens"));
    let page = stdout("--generate man");
    assert!(page.contains(".TH nqueens 1") && !page.contains("this CPU:"), "the same on every machine: {page}");
    let page = stdout("--generate man-count");
    for section in ["EXAMPLES", "\"EXIT STATUS\"", "ENVIRONMENT", "\"SEE ALSO\""] {
        assert!(page.contains(&format!("\n.SH {section}\n")), "{page}");
    }
    assert!(page.contains("nqueens count\\fR [OPTIONS] <N>") && !page.contains("EXTRA"), "{page}");
    for part in ["split\\-rows", "NQUEENS_THREADS", concat!("\"nqueens ", env!("CARGO_PKG_VERSION"), "\"")] {
        assert!(page.contains(part), "{part}");
    }
    let tree = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/release/tree.sh")).unwrap();
    let list = tree.lines().find_map(|line| line.strip_prefix("for command in ")).unwrap();
    let mut packaged: Vec<&str> = list.trim_end_matches("; do").split(' ').collect();
    packaged.sort_unstable();
    let mut commands = COMMANDS;
    commands.sort_unstable();
    assert_eq!(packaged, commands);
    for command in COMMANDS {
        assert!(
            stdout(&format!("--generate man-{command}")).contains(&format!(".TH nqueens-{command} 1")),
            "{command}"
        );
    }
}

/// Writing to `/dev/full` fails. The result is then printed in the error message.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_fails_but_loses_no_number() {
    for arguments in ["count 8 --output /dev/full", "count 8 -f json -o /dev/full", "table --from 8 -o /dev/full"] {
        let assert = nqueens(arguments).assert().failure().code(1);
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(stderr.contains("N = 8: 92 solutions"), "{arguments}: {stderr}");
    }
    for arguments in [
        "solve 8",
        "solve 12 --all",
        "trace 4",
        "trace 8 -f json",
        "methods 5",
        "estimate 8 --exact",
        "estimate 5",
        "solve 40 --any",
    ] {
        let (message, code) = refusal(nqueens(arguments).args(["--output", "/dev/full"]));
        assert!(code == 1 && message.contains("cannot write the output"), "{arguments}: {message}");
    }
    let (message, code) = refusal(&mut nqueens("trace 6 --format html --output /dev/full"));
    assert!(code == 1 && message.contains("cannot write the output"), "{message}");
}

#[test]
fn a_shard_of_very_many_is_shown_with_its_share_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("12.jsonl");
    nqueens("count 12 --split-rows 3 --shard 5/1000 --quiet --ledger").arg(&ledger).assert().success();
    let output = nqueens("status").arg(&ledger).output().unwrap();
    let rows = String::from_utf8(output.stdout).unwrap();
    assert_eq!(rows.lines().count(), 3, "{rows}");
    let summary = rows.lines().last().unwrap();
    for part in [" of 1000 shards and 1 of ", "% of the work, ", " of CPU time; "] {
        assert!(summary.contains(part), "{summary}");
    }
    assert!(summary.contains("not done: shards 0-4,6-"), "{summary}");
    let json = nqueens("status --format json").arg(&ledger).output().unwrap().stdout;
    let total = &serde_json::from_slice::<serde_json::Value>(&json).unwrap()["rows"];
    let total = total.as_array().unwrap().last().unwrap();
    assert!(total["core_hours"].as_f64().is_some() && total["percent"].as_f64().unwrap() > 0.0, "{total}");
    assert!(total["shard"] == "all" && total["units_done"] == 1 && total["done_at"].is_null(), "{total}");
    // A program gets a row for each shard that is not done.
    let rows = nqueens("status --format csv").arg(&ledger).output().unwrap().stdout;
    assert!(rows.split(|&byte| byte == b'\n').count() > 100);

    // Only what differs is named.
    let (message, code) = refusal(nqueens("count 12 --ledger").arg(&ledger));
    assert_eq!(code, 2);
    let (theirs, ours) = ("is the ledger of shard 5/1000", "not of all units, N = 12; give another file");
    assert!(message.contains(theirs) && message.contains(ours), "{message}");
}
