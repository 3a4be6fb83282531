//! Runs the program without resources that it normally has: system files, threads, file descriptors, memory. It must
//! fail with a one-line error and never panic.

use crate::common;
use crate::common::needs::left_out;
use crate::run::bash;
use nix::unistd::Uid;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

/// Commands that count, each in less than a second.
const COUNTING: [&str; 7] = [
    "count 12",
    "count 12 --double-check",
    "table 12 --from 10",
    "verify --threads 1",
    "methods 6",
    "estimate 8",
    "bench 8 --duration 1ms",
];

/// Returns the error message in the last line of standard error, if the program has failed.
fn error((code, _, stderr): &(i32, String, String)) -> Option<&str> {
    assert!((0..=2).contains(code) && !stderr.contains("panicked"), "{code}: {stderr}");
    (*code != 0).then(|| stderr.lines().last().unwrap_or_default())
}

/// Returns true if this process may change its own view of the file systems, which requires root.
fn can_mount(folder: &Path) -> bool {
    let can = Uid::effective().is_root() && bash(folder, "unshare -m true").0 == 0;
    if !can {
        left_out("it takes root and mount namespaces");
    }
    can
}

#[test]
fn every_command_works_where_there_is_no_proc() {
    let folder = tempfile::tempdir().unwrap();
    if !can_mount(folder.path()) {
        return;
    }
    // The self-test takes long and needs no other system resources than these commands.
    for command in COUNTING.iter().filter(|command| !command.starts_with("verify")) {
        let output = bash(&folder, &format!("unshare -m sh -c 'umount -l /proc && exec \"$0\" {command}' \"$0\""));
        assert_eq!(error(&output), None, "{command}");
    }
}

/// Slurm and systemd limit a group above that of the process, without a namespace.
#[test]
fn the_limit_of_a_control_group_above_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    if !can_mount(folder.path()) {
        return;
    }
    let step = folder.path().join("groups/slurmstepd.scope/job_7/step_0");
    std::fs::create_dir_all(&step).unwrap();
    std::fs::write(step.join("memory.max"), "max\n").unwrap();
    let job = step.parent().unwrap();
    std::fs::write(job.join("memory.max"), format!("{}\n", 50 << 20)).unwrap();
    std::fs::write(job.join("memory.current"), format!("{}\n", 40 << 20)).unwrap();
    std::fs::write(job.join("memory.stat"), "active_file 0\ninactive_file 10485760\n").unwrap();
    std::fs::write(folder.path().join("self"), "0::/slurmstepd.scope/job_7/step_0\n").unwrap();
    let faked = "mount --bind groups /sys/fs/cgroup && mount --bind self /proc/$$/cgroup";
    let command = "exec \"$0\" count 24 --engine two-color --threads 4";
    let output = bash(&folder, &format!("exec timeout 30 unshare -m sh -c '{faked} && {command}' \"$0\""));
    let error = error(&output).expect("there is not enough memory");
    assert!(error.starts_with("error: N = 24 on 4 threads needs about "), "{error}");
    assert!(error.ends_with(" and 20.0 MiB are free; give fewer threads or free some"), "{error}");
}

/// A container may have one file of another file system. If that is full, the result stays beside the file.
#[test]
fn a_mount_point_is_written_in_place_and_if_it_is_full_the_result_is_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    if !can_mount(folder.path()) {
        return;
    }
    let count = |mount: &str, file: &str| {
        let line = format!("{mount}; echo old > {file}; \"$0\" count 8 -q -o {file}; echo $?; cat {file}");
        bash(&folder, &format!("unshare -m sh -c 'mkdir -p inner; touch a b; {line}' \"$0\"")).1
    };
    assert_eq!(count("mount --bind a b", "b"), "0\n92\n");
    // The file system has two inodes, for its root and the file.
    assert_eq!(count("mount -t tmpfs -o nr_inodes=2 none inner", "inner/b"), "0\n92\n");
    // The file system has room for 8 kB of the 14 kB; all 724 lines stay beside the file.
    let line = "mount -t tmpfs -o size=8k none inner; echo old > inner/f; mount --bind inner/f b; \
                \"$0\" solve 10 --all --format list -q -o b; echo $?; wc -l < b.partial; tail -n 1 b.partial";
    let (_, out, _) = bash(&folder, &format!("unshare -m sh -c 'mkdir -p inner; touch b; {line}' \"$0\""));
    assert_eq!(out, "1\n724\n[9, 7, 4, 2, 0, 5, 1, 8, 6, 3]\n");
}

/// Batch systems set such limits. The program counts or says what it needs; it is never aborted.
#[test]
fn a_limit_of_address_space_or_data_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut refused = 0;
    for kib in [30_000, 100_000, 200_000, 600_000] {
        for limit in ["-v", "-d"] {
            for count in [
                "16 --threads 1",
                "20 --threads 4 --shard 0/400 --ledger 20.jsonl",
                "22 --threads 1 --shard 0/4000 --ledger 22.jsonl",
                "24 --threads 4",
                "28 --threads 1",
            ] {
                let command = format!("ulimit {limit} {kib}; exec \"$0\" count {count} --quiet");
                let output = bash(&folder, &command);
                if let Some(error) = error(&output) {
                    assert_eq!(output.2.lines().count(), 1, "{command}: {error}");
                    assert!(error.contains("iB of memory, ") || error.contains("cannot start"), "{command}: {error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 8 && refused < 40, "{refused}");
    // These limits are between what the program and what the plan takes. Allocators have reserved some for each thread.
    for kib in [70_000, 100_000, 160_000, 230_000] {
        for threads in [1, 3, 64] {
            let command = format!("ulimit -v {kib}; exec \"$0\" count 28 --threads {threads} --quiet");
            let output = bash(&folder, &command);
            let error = error(&output).unwrap_or_else(|| panic!("{command}"));
            // What its own threads have reserved is not missing for the plan.
            assert!(kib < 230_000 || !error.contains("the plan of"), "{command}: {error}");
        }
    }
}

/// The system may need more to load the program.
#[test]
fn few_files_and_little_stack_give_the_right_count_or_an_error() {
    for limit in ["-n 4", "-n 5", "-n 7", "-s 128", "-s 1024"] {
        let folder = tempfile::tempdir().unwrap();
        let limited = |command: &str| {
            let output = bash(&folder, &format!("ulimit {limit}; exec \"$0\" {command}"));
            (output.0 != 127 && error(&output).is_none()).then_some(output.1)
        };
        let count = "count 13 --engine backtrack --split-rows 3 --threads 3 --ledger l.jsonl --quiet";
        assert!(limited(count).is_none_or(|total| total == "73712\n"), "{limit}");
        for command in ["table 9", "solve 8", "methods 6", "estimate 12", "trace 5"] {
            assert!(limited(command).is_none_or(|printed| !printed.is_empty()), "{limit}: {command}");
        }
        assert_eq!(bash(&folder, &format!("\"$0\" {count}")).1, "73712\n", "{limit}");
    }
}

/// A pool for each check or row would take more and more address space.
#[test]
fn many_counts_take_no_more_address_space_than_one() {
    let folder = tempfile::tempdir().unwrap();
    // With a queen on a square, this thread counts the other 11 rows.
    for command in
        ["table 13 --from 10 --threads 7", "count 13 --by-square --threads 7", "count 12 --by-square --threads 16"]
    {
        let output = bash(&folder, &format!("ulimit -v 1000000; exec \"$0\" {command} --quiet"));
        assert_eq!((error(&output), &*output.2), (None, ""), "{command}");
    }
    assert_eq!(said_after_300_checks(1_000_000, 4), "");
    // Where there is no room for all threads, no command counts on fewer.
    for (kib, command) in [
        (100_000, "count 16 --threads 4"),
        (1_000_000, "table 13 --from 10 --threads 16"),
        (120_000, "count 13 --by-square --threads 4"),
        (300_000, "verify --threads 5"),
        (120_000, "bench 8 --threads 4 --duration 1ms"),
    ] {
        let output = bash(&folder, &format!("ulimit -v {kib}; exec \"$0\" {command} --quiet"));
        let advice = "out of memory; give a smaller --threads or a higher limit";
        assert!(error(&output).is_some_and(|error| error.ends_with(advice)), "{command}: {output:?}");
    }
}

/// Returns what the self-test says in so much address space until it has made 300 checks. They are of small boards, and
/// all others take much longer.
fn said_after_300_checks(kib: u32, threads: usize) -> String {
    let mut limited = common::command("bash");
    let line = format!("ulimit -v {kib}; exec \"$0\" verify --threads {threads} --format csv --quiet");
    limited.args(["-c", &line, env!("CARGO_BIN_EXE_nqueens")]);
    let mut verify = limited.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let rows = BufReader::new(verify.stdout.take().unwrap()).lines().skip(1).take(300).map(Result::unwrap);
    assert_eq!(rows.filter(|row| row.contains(",ok,")).count(), 300, "{line}");
    verify.kill().unwrap();
    String::from_utf8(verify.wait_with_output().unwrap().stderr).unwrap()
}

/// Somebody may rent a larger machine by the estimate of a small one, so it has a time and says what is missing.
#[test]
fn a_count_for_which_there_is_no_memory_is_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let command = "ulimit -v 1500000; exec \"$0\" estimate 27 --threads 1 --engine two-color --quiet";
    let (code, together, _) = bash(&folder, &format!("{command} 2>&1"));
    let (text, stderr) = together.split_once("\nwarning: ").expect("there is a warning");
    assert!(stderr.lines().skip(1).all(|line| line.starts_with("warning: ")), "{together}");
    let time = text.lines().last().unwrap();
    assert!(code == 0 && time.starts_with("time, two-color ") && !time.contains("cannot"), "{text}");
    assert!(stderr.contains("two-color: N = 27 on 1 thread needs about "), "{stderr}");
    assert!(stderr.contains("iB are free"), "{stderr}");
}

#[test]
fn a_command_that_gets_no_thread_says_so() {
    if !Uid::effective().is_root() {
        left_out("it takes root to become a user who has no other process");
        return;
    }
    // The program must be readable for that user.
    let folder = tempfile::tempdir().unwrap();
    common::copied_program(folder.path());
    bash(&folder, "chmod 755 . nqueens");
    let starved = |command: &str| {
        let user = "setpriv --reuid=54320 --regid=54320 --clear-groups";
        bash(&folder, &format!("ulimit -u 1; exec {user} ./nqueens {command}"))
    };
    for command in COUNTING {
        let output = starved(command);
        let error = error(&output).unwrap_or_else(|| panic!("{command}: there is no thread that could count"));
        assert!(error.starts_with("error: ") && error.contains("cannot start "), "{command}: {error}");
        assert!(!error.contains(" 1 threads") && !error.contains("do not trust"), "{command}: {error}");
        assert_ne!(error.contains("cannot start 1 thread"), error.contains("--threads"), "{command}: {error}");
    }
    let several = starved("bench 8 --threads 2 --duration 1ms");
    assert!(error(&several).is_some_and(|error| error.contains("cannot start 2 threads: ")), "{several:?}");
    bash(&folder, "./nqueens count 12 --engine two-color --quiet --ledger l.jsonl; chmod 644 l.jsonl");
    for command in
        ["merge l.jsonl", "status l.jsonl", "status --missing l.jsonl", "recheck l.jsonl", "verify --threads 1"]
    {
        let output = starved(command);
        let is_right = |error: &str| error.contains("cannot start 1 thread") && !error.contains("--threads");
        assert!(error(&output).is_some_and(is_right), "{command}: {output:?}");
    }
    // A command that does not count needs no thread, not even to answer requests for the progress.
    assert_eq!(error(&starved("solve 8")), None);
    assert_eq!(error(&starved("trace 4")), None);
}
