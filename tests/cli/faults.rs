//! System calls that fail one by one, and clocks that are wrong. In every case, no total is wrong, no exit code 0 is
//! returned without the whole result, and no unit is lost that was in a ledger.

use crate::attack::{judge, judge_ledger, words};
use crate::common;
use crate::common::needs::{all_installed, left_out};
use crate::forge::Known;
use crate::fuzz::{fuzz, one_of};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::Output;

const TOTAL: &str = "14200\n";

/// Returns the command line that counts in a ledger, on one thread so that its system calls come in order.
fn counting(ledger: &str) -> String {
    format!("count 12 --engine two-color --threads 1 --ledger {ledger}")
}

/// Commands that write files or read ledgers, and the file with their result: `out` is standard output.
fn scenarios() -> Vec<(String, &'static str)> {
    let counts = ["new", "half", "torn", "damaged"].map(|name| (counting(&format!("{name}.jsonl")), "out"));
    let others = [
        ("merge 0.jsonl 1.jsonl", "out"),
        ("merge done.jsonl --format json --output old", "old"),
        ("status half.jsonl --format csv", "out"),
        ("status damaged.jsonl torn.jsonl", "out"),
        ("recheck done.jsonl --units 2 --seed 1 --threads 1 --format json", "out"),
        ("count 10 --fundamental --output old", "old"),
        ("count 10 --format json --output new", "new"),
        ("bench 8 --threads 1 --duration 1ms --output speed.json", "speed.json"),
    ];
    counts.into_iter().chain(others.map(|(line, file)| (line.to_owned(), file))).collect()
}

fn prepare(folder: &Path) {
    let count = |line: &str| assert!(run(folder, &[], line).status.success());
    count(&counting("done.jsonl"));
    count("count 12 --engine two-color --ledger 0.jsonl --shard 0/2");
    count("count 12 --engine two-color --ledger 1.jsonl --shard 1/2");
    let done = fs::read_to_string(folder.join("done.jsonl")).unwrap();
    let lines: Vec<&str> = done.split_inclusive('\n').collect();
    let half = lines[..10].concat();
    for (name, text) in [
        ("half.jsonl", half.clone()),
        ("torn.jsonl", format!("{half}{}", &lines[10][..50])),
        ("damaged.jsonl", half.replacen("\"partial\":\"", "\"partial\":\"9", 3)),
        ("old", "what was there\n".to_owned()),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// Runs the program in a folder, with the words of another command before it. Standard output goes to the file `out`
/// there.
fn run(folder: &Path, before: &[String], line: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_nqueens").to_owned();
    let arguments: Vec<String> = before.iter().cloned().chain([program]).chain(words(line)).collect();
    let mut command = common::command(&arguments[0]);
    command.args(&arguments[1..]).current_dir(folder);
    command.stdout(File::create(folder.join("out")).unwrap()).output().unwrap()
}

fn strace(options: &str) -> Vec<String> {
    words(&format!("timeout 60 strace -f -qq --seccomp-bpf {options}"))
}

const CALLS: &str = "openat,read,write,fsync,fdatasync,rename,renameat,renameat2,linkat,unlink,unlinkat,statx,flock,fchmod,\
                     fchown,lseek,getdents64,ftruncate,copy_file_range,readlink";

/// Returns the system calls of a command on files in its folder: their names and, from 1, their numbers among the calls
/// of this name by the same thread.
fn calls(folder: &Path, line: &str) -> Vec<(String, Vec<usize>)> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let traced = run(folder, &strace(&format!("-y -e trace={CALLS} -o {}", log.path().display())), line);
    assert!(traced.status.success(), "{line}: {traced:?}");
    let folder = folder.display().to_string();
    let mut numbers = BTreeMap::new();
    let mut calls: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in fs::read_to_string(log.path()).unwrap().lines() {
        let Some((thread, (name, arguments))) =
            line.split_once(' ').and_then(|(thread, call)| Some((thread, call.trim_start().split_once('(')?)))
        else {
            continue;
        };
        let number = numbers.entry((thread.to_owned(), name.to_owned())).or_insert(0);
        *number += 1;
        let is_elsewhere = arguments.contains(", \"/") && !arguments.contains(&format!(", \"{folder}"));
        if arguments.contains(&folder) && !is_elsewhere {
            calls.entry(name.to_owned()).or_default().push(*number);
        }
    }
    calls.into_iter().collect()
}

/// Returns true if `strace` is installed and the system lets it work.
fn can_trace() -> bool {
    if !all_installed(&["strace"]) {
        return false;
    }
    let folder = tempfile::tempdir().unwrap();
    let can = run(folder.path(), &strace("-e trace=flock -o /dev/null"), "count 8").status.success();
    if !can {
        left_out("the system does not let a process trace another");
    }
    can
}

/// Returns true if a result is as without a fault: equal, or a JSON document with the same numbers except for times.
fn is_whole(result: &[u8], expected: &[u8]) -> bool {
    let json = |bytes| serde_json::from_slice::<Value>(bytes).ok();
    let what = |document: Value| (document["schema"].clone(), document["total"].clone(), document["complete"].clone());
    result == expected || json(expected).is_some_and(|expected| json(result).map(what) == Some(what(expected)))
}

fn units(ledger: &Path) -> BTreeSet<usize> {
    let bytes = fs::read(ledger).unwrap_or_default();
    Known::in_ledger(&bytes).map_or_else(BTreeSet::new, |known| known.sound.keys().copied().collect())
}

#[test]
fn fuzz_failing_system_calls() {
    if !can_trace() {
        return;
    }
    let files = tempfile::tempdir().unwrap();
    prepare(files.path());
    let files: Vec<_> = fs::read_dir(files.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .map(|name| (name.clone(), fs::read(files.path().join(name)).unwrap()))
        .collect();
    let folder = || {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in &files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    };
    let scenarios: Vec<_> = scenarios()
        .into_iter()
        .map(|(line, file)| {
            let folder = folder();
            let calls = calls(folder.path(), &line);
            assert!(calls.len() > 3, "{line}: {calls:?}");
            (line, file, calls, fs::read(folder.path().join(file)).unwrap())
        })
        .collect();
    fuzz(30, |random| {
        let (line, file, calls, expected) = one_of(random, &scenarios);
        let (call, numbers) = one_of(random, calls);
        let number = one_of(random, numbers);
        // One call fails, or this one and all that follow. A call that is always interrupted is repeated for ever, and
        // so is a read of a file of the system that always fails.
        let faults = ["EIO:when=N", "ENOSPC:when=N", "EINTR:when=N", "EIO:when=N+", "ENOSPC:when=N+"];
        let fault = *one_of(random, if call == "read" { &faults[..3] } else { &faults[..] });
        let fault = format!("-e trace={call} -e inject={call}:error={}", fault.replace("=N", &format!("={number}")));
        let folder = folder();
        let path = |name: &str| folder.path().join(name);
        let before: BTreeMap<_, _> = files.iter().map(|(name, bytes)| (folder.path().join(name), bytes)).collect();
        let ledger = line.split_once("--ledger ").map(|(_, name)| path(name));
        let counted = ledger.as_deref().map(units);

        let log = tempfile::NamedTempFile::new().unwrap();
        let output = run(folder.path(), &strace(&format!("-o {} {fault}", log.path().display())), line);
        let told = format!("{line}, {fault}: {output:?}");
        // Another thread's call of this number failed: the one that loads the program.
        if told.contains("error while loading shared libraries") {
            return;
        }
        judge(&output, &[]).unwrap_or_else(|fault| panic!("{told}: {fault}"));
        // The error message may be among the writes that fail, which are numbered for each thread.
        let log = fs::read_to_string(log.path()).unwrap();
        let is_silent = log.lines().any(|call| call.contains("write(2, \"error: ") && call.ends_with("(INJECTED)"));
        assert!(output.status.success() != told.contains("error: ") || is_silent, "{told}");
        let result = fs::read(path(file)).ok();
        let is_old = result.as_ref() == before.get(&path(file)).copied() || file == &"out";
        let right = result.as_ref().is_some_and(|result| is_whole(result, expected));
        let shown = result.as_deref().map(String::from_utf8_lossy);
        assert!(right || (!output.status.success() && is_old), "{told}: {shown:?}");
        if !right && file == &"out" && !line.contains("json") {
            assert!(result.is_some_and(|result| expected.starts_with(&result)), "{told}: a wrong result");
        }
        for (name, bytes) in &before {
            let is_written = [Some(name), Some(&path("out"))].contains(&ledger.as_ref())
                || *name == path(file)
                || *name == path("out");
            assert!(is_written || fs::read(name).ok().as_ref() == Some(*bytes), "{told}: {} changes", name.display());
        }
        if let (Some(ledger), Some(counted)) = (ledger, counted) {
            let counted = judge_ledger(&ledger, &counted);
            assert!(counted.len() == 18 || !output.status.success(), "{told}: only {}", counted.len());
            let again = run(folder.path(), &[], line);
            assert!(
                again.status.success() && fs::read_to_string(path("out")).unwrap() == TOTAL,
                "{told}, then {again:?}"
            );
            judge_ledger(&ledger, &counted);
        }
    });
}

/// A count of more than a second syncs its ledger. Here a write takes a second.
#[test]
fn a_ledger_that_cannot_be_synced_ends_the_count_and_keeps_its_units() {
    if !can_trace() {
        return;
    }
    let counted = |call: &str, error: &str| {
        let folder = tempfile::tempdir().unwrap();
        let slow = format!("-e trace=write,{call} -e inject=write:delay_exit=1100000:when=1 -o /dev/null");
        let fault = format!("{slow} -e inject={call}:error={error}");
        let output = run(folder.path(), &strace(&fault), &counting("new.jsonl"));
        judge(&output, &[]).unwrap_or_else(|fault| panic!("{call}, {error}: {fault}"));
        assert_eq!(units(&folder.path().join("new.jsonl")).len(), 18, "{call}, {error}: {output:?}");
        assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap().is_empty(), !output.status.success());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    std::thread::scope(|scope| {
        for error in ["EIO", "ENOSPC", "EDQUOT", "EINTR:when=1"] {
            scope.spawn(move || {
                let (code, said) = counted("fdatasync", error);
                let of_ledger = said.contains("error: cannot sync 'new.jsonl': ");
                assert!(
                    (code, of_ledger) == if error.contains("EINTR") { (Some(0), false) } else { (Some(1), true) },
                    "{said}"
                );
                // The units are in the ledger all the same, but a crash of the machine could lose the ledger's name.
                let (code, said) = counted("fsync", error);
                assert!(code == Some(0), "{said}");
            });
        }
    });
}

/// Some network file systems cannot sync, lock or append to a file, or give it another number at each look.
#[test]
fn a_count_goes_on_where_files_lack_something() {
    if !all_installed(&["cc"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = common::shared_library(folder.path(), "poor_files");
    for (lack, warning) in [
        ("fdatasync", "this file system cannot flush the ledger to a disk; "),
        ("flock", "' cannot be locked on this file system; "),
        ("append", ""),
        ("number", ""),
    ] {
        let poor = words(&format!("env LD_PRELOAD={} FILES_LACK={lack}", library.display()));
        for expected in [warning, if lack == "flock" { warning } else { "" }] {
            let output = run(folder.path(), &poor, &counting(&format!("{lack}.jsonl --quiet")));
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success() && said.contains(expected), "{lack}: {said}");
            assert_eq!(said.lines().count(), usize::from(!expected.is_empty()), "{lack}: {said}");
            assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), TOTAL, "{lack}");
        }
        assert_eq!(units(&folder.path().join(format!("{lack}.jsonl"))).len(), 18, "{lack}");
    }
}

/// Some network file systems cannot sync or rename a file.
#[test]
fn an_output_is_written_where_a_file_cannot_be_synced_or_renamed() {
    if !can_trace() {
        return;
    }
    for fault in ["fsync:error=EINVAL", "fsync:error=EOPNOTSUPP", "rename:error=EPERM"] {
        let folder = tempfile::tempdir().unwrap();
        let call = fault.split(':').next().unwrap();
        let output = run(
            folder.path(),
            &strace(&format!("-e trace={call} -e inject={fault} -o /dev/null")),
            "count 8 -q -o new",
        );
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.is_empty(), "{fault}: {said}");
        assert_eq!(fs::read_to_string(folder.path().join("new")).unwrap(), "92\n");
        assert!(!folder.path().join("new.partial").exists());
    }
}
