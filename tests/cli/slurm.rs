//! Counts a board on a Slurm cluster with scripts/slurm, although one task is killed and one is requeued.

use crate::cluster::Cluster;
use crate::common::{self, wait};
use nqueens::engine::{Engine, Settings};
use nqueens::run::{bytes_in_words, memory::most_shared};
use nqueens::{Board, Cancel};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_nqueens");
const SUBMIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/slurm/submit.sh");
const TOTAL: &str = "365596";

/// Returns the command that submits N = 14 in a number of shards.
fn submit_command(cluster: &Cluster, shards: u32, dir: &Path) -> Command {
    let mut command = cluster.command(SUBMIT);
    command.args(["14", &shards.to_string()]).arg(dir).args(["--cpus-per-task", "1", "--mem=100M"]);
    command.env("NQUEENS_PROGRAM", PROGRAM).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn submitted(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the message of a submit that is refused.
fn refused(output: &Output, code: i32) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(code) && message.starts_with("error: "), "{output:?}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// A program whose first tasks of shards 3 and 5 leave half of the units in their ledgers and go on for ever. The task
/// of shard 3 is killed when there is a file `go`.
const STUMBLING: &str = r#"
real=PROGRAM at=$0-$SLURM_ARRAY_TASK_ID
case $1-$SLURM_ARRAY_TASK_ID in count-3 | count-5) ;; *) exec $real "$@" ;; esac
mkdir "$at" 2> /dev/null || exec $real "$@"
$real "$@"
for ledger; do :; done
half=$(head -n 4 "$ledger")
printf '%s\n' "$half" > "$ledger"
touch "$at/halfway"
until [ -e "$at/go" ]; do sleep 0.05; done
kill -9 $$
"#;

#[test]
fn a_killed_task_is_submitted_again_and_a_requeued_one_goes_on_and_the_total_is_right() {
    let Some(cluster) = Cluster::start() else { return };
    let dir = cluster.path().join("14 queens");
    let program = common::program(cluster.path(), "stumbling", &STUMBLING.replace("PROGRAM", PROGRAM));
    let submit = |engine: &str| {
        let mut command = submit_command(&cluster, 8, &dir);
        command.env("NQUEENS_ENGINE", engine).env("NQUEENS_PROGRAM", &program).output().unwrap()
    };
    let missing = || {
        let output =
            cluster.command(PROGRAM).args(["status", "--missing", "--shards", "8"]).arg(&dir).output().unwrap();
        submitted(&output).trim_end().to_owned()
    };
    // The number of starts of each shard, from its log.
    let starts = || {
        let log = |shard| fs::read_to_string(dir.join(format!("shard-{shard}-of-8.log"))).unwrap();
        [0, 1, 2, 3, 4, 5, 6, 7].map(|shard| log(shard).matches(&format!(": shard {shard}/8 on ")).count())
    };
    let first = submitted(&submit("backtrack"));
    let array = first.strip_prefix("array job ").and_then(|rest| rest.split_once(": shards 0-7 of 8\n")).unwrap().0;
    let of_task = |shard: u32, name: &str| Path::new(&format!("{program}-{shard}")).join(name);
    wait(|| "two tasks are halfway", || [3, 5].iter().all(|&shard| of_task(shard, "halfway").exists()));

    let message = refused(&submit("backtrack"), 1);
    let jobs = message.split("running: ").nth(1).unwrap_or_default().split(';').next().unwrap_or_default();
    assert!(jobs.split(' ').any(|job| job == array), "{message}");

    cluster.output("scontrol", &["requeue", &format!("{array}_5")]);
    fs::write(of_task(3, "go"), "").unwrap();
    cluster.wait_until_empty();
    assert_eq!(missing(), "3");
    let total = dir.join("total.json");
    assert!(!total.exists(), "what is not whole has no total");
    let log = fs::read_to_string(dir.join("merge.log")).unwrap();
    assert!(log.contains("error: "), "the merge job says what is missing: {log}");

    assert!(submitted(&submit("backtrack")).contains(": shards 3 of 8\n"));
    cluster.wait_until_empty();
    assert_eq!(missing(), "");
    let merged: Value = serde_json::from_str(&fs::read_to_string(&total).unwrap()).unwrap();
    assert_eq!(merged["total"], TOTAL, "{merged}");
    assert_eq!(starts(), [1, 1, 1, 2, 1, 2, 1, 1]);

    // The engine is that of the ledgers, and no variable changes it.
    let message = refused(&submit("two-color"), 1);
    assert!(message.contains("is of engine backtrack, not of NQUEENS_ENGINE=two-color"), "{message}");

    // If no shard is missing, only the total is written again.
    fs::remove_file(&total).unwrap();
    assert!(submitted(&submit("backtrack")).starts_with("no shard is missing\n"));
    cluster.wait_until_empty();
    assert!(total.exists());
    assert_eq!(starts(), [1, 1, 1, 2, 1, 2, 1, 1]);
}

/// The directory's name has characters that a shell or sbatch would interpret. A ledger that the program refuses stops
/// a submit.
#[test]
fn of_submits_at_the_same_moment_one_goes_through_and_one_that_is_killed_is_found() {
    let Some(cluster) = Cluster::start() else { return };
    for round in 0..2 {
        let dir = cluster.path().join(format!("{round} 50%a%j quote\"' $HOME `id` new\nline"));
        let begin = |shards: u32| submit_command(&cluster, shards, &dir).spawn().unwrap();
        // This also holds if they disagree on the number of shards.
        let submits = [begin(2), begin(2), begin(2 + round)];
        let outputs = submits.map(common::output_of);
        let through = outputs.iter().filter(|output| output.status.success()).count();
        assert_eq!(through, 1, "{outputs:?}");
        cluster.wait_until_empty();
        assert!(["merge.log", "total.json"].iter().all(|file| dir.join(file).exists()), "{outputs:?}");
    }

    // Kill the submit when the array is in the queue, but the merge job is still held.
    let killing = cluster.path().join("killing");
    fs::create_dir(&killing).unwrap();
    let script = "case $1 in update) kill -9 $PPID ;; *) exec env PATH=\"${PATH#*:}\" scontrol \"$@\" ;; esac";
    common::program(&killing, "scontrol", script);
    let dir = cluster.path().join("killed");
    let mut command = submit_command(&cluster, 2, &dir);
    command.env("PATH", format!("{}:{}", killing.display(), std::env::var("PATH").unwrap()));
    assert_eq!(command.output().unwrap().status.code(), None);
    let queue = |format: &str| cluster.output("squeue", &["--noheader", format]);
    wait(|| "only the held job is left", || queue("--format=%T") == "PENDING\n");
    let message = refused(&submit_command(&cluster, 2, &dir).output().unwrap(), 1);
    let left = queue("--format=%i");
    assert!(message.ends_with(&format!("scancel {left}")), "{message}");
    cluster.output("scancel", &[left.trim_end()]);
    cluster.wait_until_empty();
    let output = submit_command(&cluster, 2, &dir).output().unwrap();
    assert!(submitted(&output).starts_with("no shard is missing\n"), "{output:?}");
    cluster.wait_until_empty();
    assert!(dir.join("total.json").exists());

    let newer = crate::forge::sealed("{\"schema\":\"nqueens/ledger/9\",\"board\":14", "");
    fs::write(dir.join("shard-0-of-2.jsonl"), newer).unwrap();
    let message = refused(&submit_command(&cluster, 2, &dir).output().unwrap(), 1);
    assert!(message.contains("nqueens/ledger/9"), "{message}");
    assert_eq!(queue("--format=%i"), "");
}

/// The script is called as Slurm calls it. The program is told how long units at hand have, and counts the shard.
#[test]
fn a_task_counts_its_shard() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let task = |program: &str| {
        let mut command = common::command(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/slurm/array.sh"));
        command.args(["14", "2", path]).envs([("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_JOB_ID", "7")]);
        command.env("NQUEENS_PROGRAM", program).output().unwrap()
    };
    assert!(submitted(&task("echo")).contains(" --shard 1/2 --grace 10m --ledger "));
    submitted(&task(PROGRAM));
    let missing = common::nqueens().args(["status", "--missing", "--shards", "2", path]).output().unwrap();
    assert_eq!(submitted(&missing), "0\n");
}

/// A bad argument is refused before anything is asked of Slurm, so the test needs no Slurm.
#[test]
fn a_bad_argument_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("new");
    let path = dir.to_str().unwrap();
    let submit = |arguments: &[&str]| {
        let mut command = common::command("bash");
        command.arg(SUBMIT).args(arguments).env("NQUEENS_ENGINE", "auto").output().unwrap()
    };
    let backslash = &format!("{path}\\a/b");
    for (arguments, named) in [
        (&["16", "4"][..], "N, M and DIR"),
        (&["29", "4", path], "N is a number from 1 to 28"),
        (&["16", "-4", path], "M is the number of shards"),
        (&["16", "4", "--partition=long"], "DIR is a directory"),
        (&["16", "4", backslash], "a backslash is in the path"),
        (&["16", "4", path, "long"], "'long' is not an option"),
    ] {
        let message = refused(&submit(arguments), 2);
        assert!(message.contains(named) && !dir.exists(), "{arguments:?}: {message}");
    }
    // getopt takes the beginnings of long options, and several short ones in one word.
    let refused_options = "--export=NONE --exp=NONE --export-file=x --jobid=3 --nodes=2 --part=long -n2 -I --array=0-3 \
        --arr=0-3 --arr --a=1 --depend=x --job=x --pars --wai --wra=x --test --vers -a0-3 -a -d -Jx -W -Ha1 -HQa1 -vW";
    for option in refused_options.split_whitespace() {
        let message = refused(&submit(&["16", "4", path, "--time=1:00", option]), 2);
        assert!(message.contains(&format!("{option} is not for you to give")), "{message}");
    }
    for (options, named) in [
        (&["--hold", "long"][..], "'long' is not an option"),
        (&["-H", "long"], "'long' is not an option"),
        (&["--partition", "long", "more"], "'more' is not an option"),
        (&["-p", "long", "--"], "'--' is not an option"),
        (&["--exclusive", "--partition"], "--partition needs a value"),
        (&["-Hp"], "-Hp needs a value"),
    ] {
        let message = refused(&submit(&[&["16", "4", path], options].concat()), 2);
        assert!(message.contains(named) && !dir.exists(), "{options:?}: {message}");
    }
    assert_eq!(Engine::TwoColor.largest_board(), 28);
    let mut command = common::command("bash");
    let output = command.args(["-c", r#"PATH= ; source "$0" "$@""#, SUBMIT, "28", "4", path]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("sbatch is not installed") && !dir.exists(), "{said}");
}

/// Other programs stand in for Slurm's, and record what reaches sbatch. A program that is not nqueens is refused.
#[test]
fn options_and_no_variables_of_other_jobs_reach_sbatch() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    common::program(
        folder.path(),
        "sbatch",
        &format!("echo \"$SBATCH_ARRAY_INX$SBATCH_EXPORT$SBATCH_WAIT $*\" >> {path}/said; echo 7"),
    );
    for name in ["squeue", "scontrol", "scancel"] {
        common::program(folder.path(), name, "");
    }
    let submit = |program: &str, options: &[&str]| {
        let mut command = common::command(SUBMIT);
        command.args(["14", "2", &format!("{path}/q")]).args(options).env("NQUEENS_PROGRAM", program);
        command.env("SBATCH_ARRAY_INX", "0-3").env("SBATCH_WAIT", "1").env("SBATCH_EXPORT", "NONE");
        command.env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap())).output().unwrap()
    };
    for program in ["/bin/true", "/bin/false", "/bin/echo"] {
        assert!(refused(&submit(program, &[]), 1).contains("is not nqueens"));
    }
    let options =
        ["--partition", "long", "-Hc", "2", "--exclusive", "-Q", "--wait-all-nodes=1", "-plong", "--mem-bind=local"];
    let of_gpus = ["--gpus-per-task", "1", "--gres=gpu:h200:1"];
    submitted(&submit(PROGRAM, &[&options[..4], &of_gpus, &options[4..]].concat()));
    let said = fs::read_to_string(folder.path().join("said")).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.starts_with(" --output=")), "{said}");
    assert!(lines.iter().all(|line| line.contains(&format!(" --mem-per-cpu=512M {} ", options.join(" ")))), "{said}");
    assert!(!lines[0].contains("--array") && lines[1].contains(" --array=0-1 "), "{said}");
    let asks_for_gpus = |line: &&str| line.contains(&of_gpus.join(" "));
    assert!(!lines[0].contains("gpu") && asks_for_gpus(&lines[1]), "no GPU is needed to add up: {said}");
}

/// The table of docs/cluster.md is what the program says, and the script asks for enough. Four threads get what they
/// need with room for the program itself, and if they share tables, twice what they need with the tables.
#[test]
fn the_memory_that_is_asked_for_is_what_a_count_needs() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [script, page] =
        ["scripts/slurm/submit.sh", "docs/cluster.md"].map(|path| fs::read_to_string(repository.join(path)).unwrap());
    let default = script.split("*) mib=").nth(1).unwrap();
    let mut lacking = String::new();
    for size in 16..=28 {
        let counter =
            Engine::TwoColor.prepare(Board::new(size).unwrap(), &Settings::default(), &Cancel::new()).unwrap();
        let of_thread = counter.scratch_bytes;
        let units = counter.plan.longest_first();
        let [shared, by_many] = [4, 64].map(|threads| counter.tables(&units, most_shared(threads)).bytes);
        let asked = script.split(&format!(" {size}) mib=")).nth(1).unwrap_or(default).split(' ').next().unwrap();
        let row = format!(
            "\n| {size} | {} | {} | {} | {asked}M |\n",
            bytes_in_words(of_thread),
            bytes_in_words(shared),
            bytes_in_words(by_many)
        );
        if size >= 20 && !page.contains(&row) {
            lacking += row.trim_start();
        }
        let asked = asked.parse::<u64>().unwrap() << 20;
        let enough = (of_thread + (10 << 20)).max(if shared > 0 { 2 * of_thread + shared / 2 } else { 0 });
        assert!((enough..=4 * enough.max(128 << 20)).contains(&asked), "N = {size}: {asked} bytes for {enough}");
    }
    assert_eq!(lacking, "", "docs/cluster.md lacks these rows");
}
