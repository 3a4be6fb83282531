//! Counts a board on a Slurm cluster with scripts/slurm, although one task is killed and one is requeued.

use crate::cluster;
use crate::cluster::Cluster;
use crate::common;
use nqueens::engine::two_color::TwoColor;
use nqueens::engine::{CountingEngine, Settings};
use nqueens::run::memory::{bytes_in_words, most_shared};
use nqueens::{Board, Cancel};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_nqueens");
const SUBMIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/slurm/submit.sh");
const SHARDS: u32 = 16;

/// Returns the command that submits a board in a number of shards.
fn submit_command(cluster: &Cluster, size: u32, shards: u32, dir: &Path) -> Command {
    let mut command = cluster.command(SUBMIT);
    command.args([size, shards].map(|number| number.to_string())).arg(dir).args(["--cpus-per-task", "1", "--mem=100M"]);
    command.env("NQUEENS_PROGRAM", PROGRAM).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Submits the missing shards of N = 16 with the slowest kernel, so that a task runs long enough to be halted.
fn submit(cluster: &Cluster, dir: &Path, engine: &str) -> Output {
    let mut command = submit_command(cluster, 16, SHARDS, dir);
    command.env("NQUEENS_ENGINE", engine).env("NQUEENS_KERNEL", "scalar").output().unwrap()
}

/// Neither needs a cluster.
#[test]
fn a_board_that_the_program_refuses_is_not_submitted() {
    let dir = tempfile::tempdir().unwrap();
    let submit = |size: usize, engine: &str| {
        let mut command = Command::new("bash");
        // Without Slurm, whatever is installed.
        command.args(["-c", r#"PATH= ; source "$0" "$@""#, SUBMIT, &size.to_string(), "4"]).arg(dir.path().join("new"));
        command.env("NQUEENS_ENGINE", engine).env("NQUEENS_PROGRAM", PROGRAM);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let largest = TwoColor.largest_board();
    for size in [largest + 1, 32] {
        for engine in ["auto", "", "two-color"] {
            let (code, message) = submit(size, engine);
            let said = format!("N = {size} takes centuries of CPU time; give at most {largest}, or");
            assert!(code == Some(2) && message.contains(&said), "{message}");
        }
        assert!(!submit(size, "backtrack").1.contains("years"));
    }
    assert!(!submit(largest, "auto").1.contains("years"));
    assert!(!dir.path().join("new").exists());
}

/// Submits, which must succeed, and returns the first line of the output.
fn submitted(cluster: &Cluster, dir: &Path) -> String {
    let output = submit(cluster, dir, "backtrack");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()
}

/// Returns the shards that are not complete, as listed by `status`.
fn missing(cluster: &Cluster, dir: &Path) -> String {
    let mut command = cluster.command(PROGRAM);
    let output = command.args(["status", "--missing", "--shards", &SHARDS.to_string()]).arg(dir).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Returns the number of starts of each shard, from its log.
fn starts(dir: &Path) -> Vec<usize> {
    let log = |shard| fs::read_to_string(dir.join(format!("shard-{shard}-of-{SHARDS}.log"))).unwrap();
    (0..SHARDS).map(|shard| log(shard).matches(&format!(": shard {shard}/{SHARDS} on ")).count()).collect()
}

#[test]
fn a_killed_task_is_submitted_again_and_a_requeued_one_goes_on_and_the_total_is_right() {
    let Some(cluster) = Cluster::start() else { return };
    let dir = cluster.path().join("16 queens");
    assert!(submitted(&cluster, &dir).ends_with(": shards 0-15 of 16"));

    // Two tasks that have started, but not finished.
    let is_halfway = |task: &cluster::Task| {
        let ledger = dir.join(format!("shard-{}-of-{SHARDS}.jsonl", task.shard));
        ledger.metadata().is_ok_and(|ledger| ledger.len() > 0) && expand(&missing(&cluster, &dir)).contains(&task.shard)
    };
    let halted = cluster.halt(2, is_halfway);
    let (killed, requeued) = (halted[0], halted[1]);

    let refused = submit(&cluster, &dir, "backtrack");
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    let jobs = message.split("running: ").nth(1).unwrap_or_default().split(';').next().unwrap_or_default();
    assert!(jobs.split(' ').any(|job| job == killed.job.to_string()), "{message}");

    cluster.output("scontrol", &["requeue", &requeued.id()]);
    killed.kill();
    cluster.wait_until_empty();
    let left = killed.shard.to_string();
    assert_eq!(missing(&cluster, &dir), left);
    let total = dir.join("total.json");
    assert!(!total.exists(), "what is not whole has no total");
    let log = fs::read_to_string(dir.join("merge.log")).unwrap();
    assert!(log.contains("error: "), "the merge job says what is missing: {log}");

    assert!(submitted(&cluster, &dir).ends_with(&format!(": shards {left} of 16")));
    cluster.wait_until_empty();
    assert_eq!(missing(&cluster, &dir), "");
    let merged: Value = serde_json::from_str(&fs::read_to_string(&total).unwrap()).unwrap();
    assert_eq!(merged["total"], "14772512", "{merged}");
    let twice = [killed.shard, requeued.shard];
    let expected: Vec<_> = (0..SHARDS).map(|shard| if twice.contains(&shard) { 2 } else { 1 }).collect();
    assert_eq!(starts(&dir), expected);

    // The engine is that of the ledgers, and no variable changes it.
    let refused = submit(&cluster, &dir, "two-color");
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("is of engine backtrack, not of NQUEENS_ENGINE=two-color"), "{message}");

    // If no shard is missing, only the total is written again.
    fs::remove_file(&total).unwrap();
    assert_eq!(submitted(&cluster, &dir), "no shard is missing");
    cluster.wait_until_empty();
    assert!(total.exists());
    assert_eq!(starts(&dir), expected);
}

#[test]
fn of_submits_at_the_same_moment_one_goes_through_and_one_that_is_killed_is_found() {
    let Some(cluster) = Cluster::start() else { return };
    let mut totals = 0;
    for round in 0..4 {
        let dir = cluster.path().join(format!("{round}"));
        let begin = |shards: u32| submit_command(&cluster, 14, shards, &dir).spawn().unwrap();
        // This also holds if they disagree on the number of shards.
        let submits = [begin(2), begin(2), begin(2 + round % 2)];
        let outputs = submits.map(|submit| submit.wait_with_output().unwrap());
        let through = outputs.iter().filter(|output| output.status.success()).count();
        assert_eq!(through, 1, "{outputs:?}");
        cluster.wait_until_empty();
        totals += usize::from(dir.join("total.json").exists());
    }
    assert_eq!(totals, 4);

    // Kill the submit when the array is in the queue, but the merge job is still held.
    let killing = cluster.path().join("killing");
    fs::create_dir(&killing).unwrap();
    let script = "case $1 in update) kill -9 $PPID ;; *) exec env PATH=\"${PATH#*:}\" scontrol \"$@\" ;; esac";
    common::program(&killing, "scontrol", script);
    let dir = cluster.path().join("killed");
    let mut command = submit_command(&cluster, 14, 2, &dir);
    command.env("PATH", format!("{}:{}", killing.display(), std::env::var("PATH").unwrap()));
    assert_eq!(command.output().unwrap().status.code(), None);
    cluster::wait("only the held job is left", || {
        cluster.output("squeue", &["--noheader", "--format=%T"]) == "PENDING\n"
    });
    let refused = submit_command(&cluster, 14, 2, &dir).output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    let left = cluster.output("squeue", &["--noheader", "--format=%i"]);
    assert!(message.trim_end().ends_with(&format!("scancel {}", left.trim_end())), "{message}");
    cluster.output("scancel", &[left.trim_end()]);
    cluster.wait_until_empty();
    let output = submit_command(&cluster, 14, 2, &dir).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("no shard is missing\n"), "{output:?}");
    cluster.wait_until_empty();
    assert!(dir.join("total.json").exists());
}

#[test]
fn names_of_directories_are_only_names_and_a_ledger_of_another_version_stops_a_submit() {
    let Some(cluster) = Cluster::start() else { return };
    for name in ["a b", "50%a%j", "quote\"'", "$HOME `id`", "new\nline"] {
        let dir = cluster.path().join(name);
        let output = submit_command(&cluster, 14, 2, &dir).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        cluster.wait_until_empty();
        let names = ["shard-0-of-2.log", "shard-1-of-2.jsonl", "merge.log", "total.json"];
        assert!(names.iter().all(|file| dir.join(file).exists()), "{name:?}");
    }

    // Nothing is submitted for a ledger that the program refuses.
    let dir = cluster.path().join("newer");
    fs::create_dir(&dir).unwrap();
    let ledger = dir.join("shard-0-of-2.jsonl");
    fs::write(&ledger, crate::forge::sealed("{\"schema\":\"nqueens/ledger/9\",\"board\":14", "")).unwrap();
    let output = submit_command(&cluster, 14, 2, &dir).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("nqueens/ledger/9") && message.lines().count() == 1, "{message}");
    assert_eq!(cluster.output("squeue", &["--noheader"]), "");
}

/// Returns the numbers of a list such as `2,5-7`.
fn expand(list: &str) -> Vec<u32> {
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let ranges = list.split(',').filter(|range| !range.is_empty());
    ranges
        .map(|range| range.split_once('-').unwrap_or((range, range)))
        .flat_map(|(a, b)| number(a)..=number(b))
        .collect()
}

#[test]
fn a_bad_argument_is_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("new");
    let path = dir.to_str().unwrap();
    let backslash = &format!("{path}\\a/b");
    for (arguments, named) in [
        (vec!["16", "4"], "N, M and DIR"),
        (vec!["0", "4", path], "N is a number from 1 to 32"),
        (vec!["33", "4", path], "N is a number from 1 to 32"),
        (vec!["many", "4", path], "N is a number from 1 to 32"),
        (vec!["16", "0", path], "M is the number of shards"),
        (vec!["16", "-4", path], "M is the number of shards"),
        (vec!["16", "4", "--partition=long"], "DIR is a directory"),
        (vec!["16", "4", backslash], "a backslash is in the path"),
        (vec!["16", "4", path, "long"], "'long' is not an option"),
        (vec!["16", "4", path, "--array=0-3"], "--array=0-3 is not for you to give"),
    ] {
        let output = Command::new("bash").arg(SUBMIT).args(&arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.starts_with("error: ") && message.contains(named), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!dir.exists(), "{arguments:?}");
    }
}

/// The table of docs/cluster.md is what the program says, and the script asks for enough: for what four threads need, with
/// room for the program itself, and for twice that and what they share.
#[test]
fn the_memory_that_is_asked_for_is_what_a_count_needs() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [script, page] =
        ["scripts/slurm/submit.sh", "docs/cluster.md"].map(|path| fs::read_to_string(repository.join(path)).unwrap());
    let default = script.split("*) mib=").nth(1).unwrap();
    for size in 16..=28 {
        let counter = TwoColor.prepare(Board::new(size).unwrap(), &Settings::default(), &Cancel::new()).unwrap();
        let of_thread = counter.scratch_bytes();
        let units = counter.plan().longest_first();
        let [shared, by_many] = [4, 64].map(|threads| counter.shared_bytes(&units, most_shared(threads)));
        let asked = script.split(&format!(" {size}) mib=")).nth(1).unwrap_or(default).split(' ').next().unwrap();
        let row = format!(
            "\n| {size} | {} | {} | {} | {asked}M |\n",
            bytes_in_words(of_thread),
            bytes_in_words(shared),
            bytes_in_words(by_many)
        );
        assert!(size < 20 || page.contains(&row), "docs/cluster.md lacks {row}");
        let asked = asked.parse::<u64>().unwrap() << 20;
        let enough = (of_thread + (10 << 20)).max(if shared > 0 { 2 * of_thread + shared / 2 } else { 0 });
        assert!((enough..=4 * enough.max(128 << 20)).contains(&asked), "N = {size}: {asked} bytes for {enough}");
    }
}
