//! Every command, every format, and the error messages for bad input.

use crate::common;
use crate::run::{ended, has, json, nqueens, ran, refusal, refused, remarks, stdout};
use nqueens::engine::{Engine, Kernel};
use nqueens::machine::logical_cpus;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::process::Stdio;

pub(crate) const COMMANDS: [&str; 12] = [
    "count", "table", "solve", "status", "merge", "recheck", "trace", "methods", "estimate", "verify", "bench",
    "devices",
];

#[test]
fn count_prints_the_number_alone_and_a_line_for_people() {
    let (_, text, said) = ran("count 12 --fundamental");
    let both = "; both match the published counts (OEIS A000170, A002562)\n";
    assert!(text == "14200\n1787\n" && said.ends_with(both), "{text}{said}");
    for (arguments, printed, said) in [
        ("count 12 --threads 2", "14200\n", "s on 2 threads; matches the published count (OEIS A000170)\n"),
        ("count 8 --threads 2", "92\n", "s on 1 thread; matches the published count (OEIS A000170)\n"),
        ("count 2 --threads 7 --split-rows 3", "0\n", "s on 1 thread; matches the published count (OEIS A000170)\n"),
        ("count 1 --fundamental --quiet", "1\n1\n", ""),
        ("count 8 --fundamental --quiet", "92\n12\n", ""),
        ("count 8 --double-check --quiet", "92\n", ""),
        ("table 8 --from 8 --quiet", " N  ", ""),
        ("solve 1 --all", "Solution 1\nQ\n", "1 solution, which is the only one: as many as published\n"),
        (
            "solve 6 --fundamental",
            "Solution 1 (",
            "1 fundamental solution, which is the only one: as many as published\n",
        ),
    ] {
        let (code, stdout, stderr) = ran(arguments);
        assert!(code == 0 && stdout.starts_with(printed), "{arguments}: {stdout}");
        assert!(stderr.ends_with(said) && stderr.is_empty() == said.is_empty(), "{arguments}: {stderr}");
        assert!(stderr.lines().count() <= 1 && stderr.len() <= 80, "it fits on a line of a terminal: {stderr}");
    }
}

#[test]
fn count_in_json_has_all_particulars() {
    let count = json("count 12 --fundamental --threads 2 --split-rows 2 --kernel scalar --format json");
    let counted = json!({"schema": "nqueens/count/1", "board": 12, "total": "14200", "fundamental": "1787"});
    let compared = json!({"verdict": "matches", "half_turn": "80", "quarter_turn": "8"});
    let means = json!({"engine": "backtrack", "kernel": "scalar", "plan": "mirror-2", "threads": 2});
    for members in [counted, compared, means] {
        has(&count, &members);
    }
    assert!(count["seconds"].as_f64().unwrap() > 0.0);
    assert!(!count["cpu"].as_str().unwrap().is_empty());
    assert!(count["program_version"].as_str().unwrap().starts_with(env!("CARGO_PKG_VERSION")));
    assert_eq!(json("count 6 --format json")["fundamental"], Value::Null);
}

#[test]
fn a_count_is_made_again_by_another_route() {
    for arguments in [
        "count 8",
        "count 9 --fundamental --split-rows 2 --kernel scalar",
        "count 12 --engine two-color",
        "count 14 --engine two-color --kernel portable -j 3",
    ] {
        let count = json(&format!("{arguments} --double-check --format json"));
        let (engine, kernel) = (count["engine"].as_str().unwrap(), count["kernel"].as_str().unwrap());
        let kernels = engine.parse::<Engine>().unwrap().kernels();
        let by = count["double_check"].as_str().unwrap();
        let is_other = kernels.len() == 1 || by.split(&[' ', ','][..]).all(|word| word != kernel);
        assert!(by.starts_with(&format!("{engine}, ")) && is_other, "{arguments}: {by} after {kernel}");
        assert_eq!(by.ends_with(" kernel, sides exchanged"), engine == "two-color", "{arguments}: {by}");
        assert_eq!(count["verdict"], "matches", "{arguments}");
        assert_eq!(json(&format!("{arguments} --format json"))["double_check"], Value::Null, "{arguments}");
    }
    let said = remarks("count 10 --double-check");
    assert!(said.lines().count() == 1 && said.contains("(OEIS A000170); double-checked by backtrack, "), "{said}");
}

#[test]
fn the_table_reproduces_the_published_numbers() {
    let text = stdout("table 10 --from 4");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["N", "total", "fundamental", "half", "turn", "quarter", "turn", "time", "verdict"]);
    assert_eq!((rows.len(), &rows[7][..5], rows[7].last()), (8, &["10", "724", "92", "12", "0"][..], Some(&"matches")));
    let document = json("table 10 --from 4 --format json");
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/table/1"), &json!(true)));
    let totals: Vec<_> = document["rows"].as_array().unwrap().iter().map(|row| row["total"].clone()).collect();
    assert_eq!(totals, ["2", "10", "4", "40", "92", "352", "724"]);
    // The table ends at 14, or where it begins.
    assert_eq!(["table --quiet", "table --from 15", "table 3"].map(|line| stdout(line).lines().count()), [15, 2, 4]);
}

#[test]
fn verify_passes_and_says_what_it_checked() {
    #[cfg(target_os = "linux")]
    let has_device = *crate::gpu::ARE_THERE;
    #[cfg(not(target_os = "linux"))]
    let has_device = false;
    let mut verify = nqueens("verify --threads 2 --format json --duration 1ms");
    if has_device {
        verify.args(["--device", "*"]);
    }
    let (code, stdout, stderr) = ended(verify.output().unwrap());
    // The burn-in has one thread for each CPU at most.
    let on = if logical_cpus() == 1 { " checks passed on 1 thread" } else { " checks passed on 2 threads" };
    assert!(stderr.starts_with("all ") && stderr.contains(on), "{stderr}");
    assert_eq!((code, stderr.lines().count()), (0, 1));
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/verify/3"), &json!(true)));
    let rows = document["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["outcome"] == "ok" && row["computed"] == row["published"]));
    // Boards below N = 5 may have one unit or none, which one thread counts.
    let has_counted = |from: u64, by: &str| {
        let boards: HashSet<u64> =
            rows.iter().filter(|row| row["counted_by"] == by).map(|row| row["board"].as_u64().unwrap()).collect();
        assert!((from..=14).all(|board| boards.contains(&board)), "{by}: {boards:?}");
    };
    for sides in ["", " with sides exchanged"] {
        has_counted(5, &format!("two-color, portable kernel, row-sets-3{sides}, 2 threads"));
    }
    for kernel in Kernel::ALL.iter().filter(|kernel| kernel.is_supported()) {
        for plan in ["mirror-1", "mirror-2", "mirror-3"] {
            has_counted(1, &format!("backtrack, {kernel} kernel, {plan}, 1 thread"));
            has_counted(5, &format!("backtrack, {kernel} kernel, {plan}, 2 threads"));
        }
    }
    let is_by = |row: &Value, begin: &str| row["counted_by"].as_str().unwrap().starts_with(begin);
    assert!(!has_device || rows.iter().any(|row| is_by(row, "two-color, gpu kernel, ")));
    assert!(rows.iter().any(|row| is_by(row, "backtrack, ") && row["board"] == 16), "a larger board is counted too");
}

/// In every command, the ending of an output file is the name of its format. Another ending is an error; without an
/// ending, the file is text.
#[test]
fn the_ending_of_an_output_file_is_that_of_a_format_of_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let run = |line: &str| nqueens(line).current_dir(dir.path()).output().unwrap();
    assert!(run("count 6 --ledger 6.jsonl").status.success());
    let lines = [
        "count 6",
        "table 3",
        "solve 6",
        "status 6.jsonl",
        "merge 6.jsonl",
        "recheck --units 1 6.jsonl",
        "trace 4",
        "methods 4",
        "estimate 6 --threads 1",
        "bench 6 --threads 1 --duration 1ms",
    ];
    let known = lines.map(|line| line.split(' ').next().unwrap());
    // One takes long, and one fails without a device.
    let left_out = ["verify", "devices"];
    assert!(COMMANDS.iter().all(|command| known.contains(command) || left_out.contains(command)), "{COMMANDS:?}");
    for line in lines {
        for name in ["no.None", ".x.log", "x.json.gz"] {
            let output = run(&format!("{line} --output {name}"));
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{line}: {message}");
            assert!(
                message.starts_with(&format!("error: the ending of '{name}' is no format of this command;")),
                "{message}"
            );
            assert!(!dir.path().join(name).exists());
        }
        let message = String::from_utf8(run(&format!("{line} --output x.none")).stderr).unwrap();
        let formats = message.trim().rsplit(": ").next().unwrap();
        assert!(formats.split(", ").count() >= 3, "{message}");
        for format in formats.split(", ") {
            assert!(run(&format!("{line} --output out.{format}")).status.success(), "{line} {format}");
        }
    }
    for (arguments, file, begins) in [
        ("count 8", "count.JSON", "{"),
        // Windows has no names that end in a dot.
        ("count 8", if cfg!(windows) { "json" } else { "json." }, "92\n"),
        ("count 8", "count.txt", "92\n"),
        ("count 8", ".hidden", "92\n"),
        ("count 8 --format text", "count.html", "92\n"),
        ("count 8 --format json", "count.yaml", "{"),
        ("solve 8", "solve.txt", "Q . ."),
        ("solve 8 --format list", "solve.csv", "[0, 4"),
        ("trace 4", "trace.TXT", "   1  "),
    ] {
        assert!(run(&format!("{arguments} --output {file}")).status.success(), "{arguments} {file}");
        let written = fs::read_to_string(dir.path().join(file)).unwrap();
        assert!(written.starts_with(begins), "{file}: {written}");
    }
}

#[test]
fn an_unwritable_path_is_refused_before_any_work() {
    let commands = "count 30, table --from 30, verify, solve 30, trace 30, methods 30, estimate 30, bench";
    for command in commands.split(", ") {
        refused(".", 2, &[(&format!("{command} --output /no/directory/file"), ["/no/directory/file", "--output"])]);
    }
}

/// `src/app/numbers.rs` tests which numbers and times are accepted. One option of each kind stands for all.
#[test]
fn bad_input_gets_one_line_that_says_what_is_wrong_and_what_would_be_right() {
    refused(
        ".",
        2,
        &[
            ("", ["say what to do", "nqueens --help"]),
            ("8", ["`nqueens count 8` counts", "`nqueens solve 8` shows"]),
            ("--verison", ["'--verison'", "exists: '--version'"]),
            ("-v", ["'-v'", "`nqueens --help` shows the usage"]),
            ("cuont 8", ["'cuont'", "'count'"]),
            ("-q count 8", ["'-q'", "`nqueens --help` shows the usage"]),
            ("--threads 4 count 8", ["'--threads'", "'count --threads' exists"]),
            ("count", ["there is no board", "give its size N, or --board FILE"]),
            ("trace", ["there is no board", "give its size N, or --board FILE"]),
            ("estimate", ["<N>", "`nqueens estimate --help` shows the usage"]),
            ("count 33", ["'33' for '[N]'", "from 1 to 32"]),
            ("count 8 9", ["'9'", "`nqueens count --help` shows the usage"]),
            ("count 8 --threads 1025", ["'1025' for '--threads <", "from 1 to 1024"]),
            ("count 8 --ledger a.jsonl --shard -1/4", ["'-1/4' for '--shard <", "0/16"]),
            ("count 8 --split-rows 4", ["'4' for '--split-rows <", "from 1 to 3"]),
            ("count 8 --engine abacus", ["'abacus' for '--engine <", "backtrack"]),
            ("count 8 --engine two-color --kernel scalar", ["kernel scalar", "portable"]),
            (
                "count 8 --engine two-color --split-rows 1",
                ["with --split-rows, and on no GPU; ", "give --engine backtrack"],
            ),
            ("count 8 --format jsn", ["'jsn' for '--format <", "similar value exists: 'json'"]),
            ("count 8 --all", ["'--all'", "`nqueens count --help` shows the usage"]),
            ("count 8 --thread 2", ["'--thread'", "exists: '--threads'"]),
            ("estimate 20 --price 3", ["'--price' found; ", "nqueens estimate --help"]),
            ("table 5 --from 9", ["--from 9", "give a smaller one"]),
            ("table --double-check", ["--double-check", "nqueens table"]),
            ("solve -1", ["'-1' for '[N]'", "from 1 to 1000000"]),
            ("solve 33 --all", ["N = 33 has too many solutions", "at most 32"]),
            ("solve 33 --fundamental", ["N = 33 has too many solutions", "at most 32"]),
            ("solve 1000001", ["'1000001' for '[N]'", "from 1 to 1000000"]),
            ("solve 20000 --format board", ["too large to draw", "--format list"]),
            ("solve 201 --format svg", ["too large to draw", "--format list"]),
            ("solve 4 --format csv", ["'csv' for '--format <", "list"]),
            ("solve 11 --all --format svg", ["1000 boards", "--format list"]),
            ("trace 4 --limit -1", ["'-1' for '--limit <", "from 1 to"]),
            ("trace 4 --format csv", ["'csv' for '--format <", "json"]),
            (
                "trace 4 --method permutations",
                ["'permutations' for '--method <", "earlier-queens, flag-arrays, bit-masks"],
            ),
            ("methods 8 --method quantum", ["'quantum' for '--method <", "brute-force"]),
            ("recheck --all --units 3 a.jsonl", ["--all", "--units"]),
            ("recheck --unit 3 --units 3 a.jsonl", ["--unit <I>", "--units"]),
            ("recheck --seed -1 a.jsonl", ["'-1' for '--seed <", "from 0 to"]),
            ("bench 3", ["N = 3 has too few solutions", "from 4 to 20"]),
            ("bench 30", ["or takes too long", "from 4 to 20"]),
            ("bench 8 --kernel gpu", ["only CPUs are measured", "--kernel gpu"]),
            ("count 29 --engine two-color", ["at most 28", "backtrack"]),
            ("count 29", ["N = 29 takes years", "at most 28, or --engine backtrack"]),
            ("table 32 --from 3", ["N = 32 takes years", "of at most 28, or --engine backtrack"]),
        ],
    );
}

#[test]
fn environment_variables_stand_for_options() {
    let threads = |options: &str, variable: &str, value: &str| {
        let mut command = nqueens(&format!("count 12 -f json {options}"));
        let output = command.env(variable, value).assert().success().get_output().stdout.clone();
        serde_json::from_slice::<Value>(&output).unwrap()["threads"].clone()
    };
    assert_eq!(threads("", "NQUEENS_THREADS", "3"), 3);
    assert_eq!(threads("--threads 5", "NQUEENS_THREADS", "3"), 5);
    // A valid value on the command line overrides an invalid one in the environment.
    assert_eq!(threads("--threads 2", "NQUEENS_THREADS", "none"), 2);
    // `src/app/machine.rs` tests the variables of other batch systems.
    assert_eq!(threads("", "SLURM_CPUS_PER_TASK", "1"), 1);
    assert_eq!(threads("--threads 3", "SLURM_CPUS_PER_TASK", "1"), 3);
    for (arguments, variable, value, parts) in [
        ("count 6", "NQUEENS_THREADS", "none", ["'none' for '--threads <T>'", "(NQUEENS_THREADS is set)"]),
        ("count 6 --threads no", "NQUEENS_THREADS", "3", ["'no' for '--threads <T>'", "from 1 to 1024"]),
    ] {
        let (message, code) = refusal(nqueens(arguments).env(variable, value));
        assert!(code == 2 && parts.iter().all(|part| message.contains(part)), "{message}");
    }
}

/// The shell closes standard output. No file that the program opens may get its descriptor.
#[test]
#[cfg(unix)]
fn a_closed_standard_output_goes_to_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = |script: &str| crate::run::bash(&folder, script);
    for closed in [">&-", "<&- >&-"] {
        let (code, _, stderr) = run(&format!("$0 count 8 --ledger 8.jsonl {closed}"));
        assert!(code == 0 && stderr.contains("matches the published count"), "{stderr}");
    }
    assert_eq!(run("$0 merge 8.jsonl -o out 2>&-; cat out"), (0, "92\n".into(), String::new()));
    // The reader of a pipe ends before the count does.
    let (code, _, stderr) = run("exec 3> >(true); wait $!; $0 count 8 --quiet >&3");
    assert_eq!((code, &*stderr), (0, "nobody reads the result: N = 8: 92 solutions\n"));
    let (code, status, _) = run("$0 status 8.jsonl");
    assert!(code == 0 && !status.contains("damaged"), "{status}");
}

/// A program that may use one CPU must not count with the cores of the whole machine.
#[test]
#[cfg(target_os = "linux")]
fn cpus_are_those_that_the_process_may_use() {
    use nix::sched::{CpuSet, sched_getaffinity};

    if !common::needs::all_installed(&["taskset"]) {
        return;
    }
    let allowed = sched_getaffinity(nix::unistd::Pid::from_raw(0)).unwrap();
    let cpu = (0..CpuSet::count()).find(|&cpu| allowed.is_set(cpu).unwrap()).expect("a CPU that runs this");
    let mut taskset = common::command("taskset");
    let program = common::nqueens();
    let output = taskset.args(["-c", &cpu.to_string()]).arg(program.get_program()).args(["count", "12", "-f", "json"]);
    let count: Value = serde_json::from_slice(&output.output().unwrap().stdout).unwrap();
    assert_eq!(count["threads"], 1, "{count}");
}

#[test]
fn help_can_be_acted_on() {
    let help = stdout("--help");
    assert!(!help.contains("\n\n\n"), "{help}");
    for part in ["Examples:", "nqueens count 8", "exit code", "verify", "solve 8", "estimate 20", "128 plus"] {
        assert!(help.contains(part), "{part}");
    }
    assert!(help.lines().count() <= 60 && COMMANDS.iter().all(|command| help.contains(command)), "{help}");
    assert!(stdout("count -h").lines().count() <= 40, "`hide_short_help` keeps an option out of the short help");
    let help = stdout("help count");
    assert!(
        help.contains("--double-check") && help.contains("Count every unit again by another route, and compare"),
        "{help}"
    );
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
        let output = common::command("git").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
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
    refused(".", 2, &[("--generate", ["a value is required", "PREFIX"])]);
    let folder = tempfile::tempdir().unwrap();
    if cfg!(unix) {
        refused(".", 1, &[("--generate /dev/null", ["cannot write '/dev/null/share/", "Not a directory"])]);
    }
    let generated = common::nqueens().arg("--generate").arg(folder.path()).output().unwrap();
    assert!(generated.status.success() && generated.stdout.is_empty() && generated.stderr.is_empty());
    let text = |file: &str| fs::read_to_string(folder.path().join("share").join(file)).expect(file);
    for file in [
        "bash-completion/completions/nqueens",
        "elvish/lib/nqueens.elv",
        "fish/vendor_completions.d/nqueens.fish",
        "powershell/nqueens.ps1",
        "zsh/site-functions/_nqueens",
    ] {
        let (script, options) = (text(file), ["split-rows", "duration"]);
        assert!(COMMANDS.iter().chain(&options).all(|word| script.contains(word)), "{file}");
        let is_sorted = file.contains("bash") && !script.contains("complete -F _nqueens -o nosort");
        assert!(!is_sorted, "options keep their order: {script}");
    }
    let page = text("man/man1/nqueens.1");
    assert!(page.contains(".TH nqueens 1") && !page.contains("this CPU:"), "the same on every machine: {page}");
    let page = text("man/man1/nqueens-count.1");
    for section in ["EXAMPLES", "\"EXIT STATUS\"", "ENVIRONMENT", "\"SEE ALSO\""] {
        assert!(page.contains(&format!("\n.SH {section}\n")), "{page}");
    }
    assert!(page.contains("nqueens count\\fR [OPTIONS] [N]") && !page.contains("EXTRA"), "{page}");
    for part in ["split\\-rows", "NQUEENS_THREADS", concat!("\"nqueens ", env!("CARGO_PKG_VERSION"), "\"")] {
        assert!(page.contains(part), "{part}");
    }
    for command in COMMANDS {
        assert!(
            text(&format!("man/man1/nqueens-{command}.1")).contains(&format!(".TH nqueens-{command} 1")),
            "{command}"
        );
    }
}

/// The reader closes the pipe at once or after the first bytes, like `head -n 1`.
#[test]
fn a_pipe_that_closes_early_is_not_an_error() {
    for (arguments, bytes) in [
        ("table 13", 0),
        ("--help", 0),
        ("solve 20 --all", 10),
        ("solve 20 --all --format json", 10),
        ("trace 12 --until all", 10),
    ] {
        let mut command = common::nqueens();
        command.args(arguments.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut vec![0; bytes]).unwrap();
        let (code, _, said) = ended(common::output_of(child));
        assert_eq!(code, 0, "{arguments}: {said}");
        assert!(!said.contains("error") && !said.contains("panicked"), "{arguments}: {said}");
    }
}

/// Writing to `/dev/full` fails. The result of a count is then printed in the error message.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_fails_but_loses_no_number() {
    for (arguments, said) in [
        ("count 8", "N = 8: 92 solutions"),
        ("table --from 8", "N = 8: 92 solutions"),
        ("solve 12 --all", "cannot write the output"),
        ("trace 8 -f json", "cannot write the output"),
        ("methods 5", "cannot write the output"),
        ("estimate 8", "cannot write the output"),
        ("solve 40", "cannot write the output"),
    ] {
        let (code, stdout, stderr) = ran(&format!("{arguments} --output /dev/full"));
        assert!(code == 1 && stdout.is_empty() && stderr.contains(said), "{arguments}: {stderr}");
    }
}

#[test]
fn a_shard_of_very_many_is_shown_with_its_share_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("12.jsonl").display().to_string();
    stdout(&format!("count 12 --split-rows 3 --shard 5/1000 --quiet --ledger {ledger}"));
    let rows = stdout(&format!("status {ledger}"));
    assert_eq!(rows.lines().count(), 3, "{rows}");
    for part in [" of 1,000 shards and 1 of ", "% of the work, ", " of CPU time; ", "not done: shards 0-4,6-"] {
        assert!(rows.lines().last().unwrap().contains(part), "{rows}");
    }
    let rows = json(&format!("status --format json {ledger}"))["rows"].clone();
    let total = rows.as_array().unwrap().last().unwrap();
    assert!(total["core_hours"].as_f64().is_some() && total["percent"].as_f64().unwrap() > 0.0, "{total}");
    assert!(total["shard"] == "all" && total["units_done"] == 1 && total["seconds_left"].is_null(), "{total}");
    // A program gets a row for each shard that is not done.
    assert!(stdout(&format!("status --format csv {ledger}")).lines().count() > 100);
    let parts = ["is the ledger of shard 5/1000, not of shard 0/1", "; give another file"];
    refused(".", 2, &[(&format!("count 12 --ledger {ledger}"), parts)]);
}
