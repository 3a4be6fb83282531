//! Output files: they are complete or unchanged, and are never files that the program reads.

use crate::common;
use crate::run::{bash, ended, nqueens, stdout};
use nix::sys::signal::Signal;
use nix::unistd::geteuid;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = common::nqueens();
    command.args(arguments.split_whitespace()).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program in a folder. Returns its exit code and its standard error.
fn run(folder: &Path, arguments: &str) -> (i32, String) {
    let (code, _, stderr) = ended(command(folder, arguments).output().unwrap());
    (code, stderr)
}

/// Sends a signal to the program and waits until it ends. Returns what it says.
fn end(child: Child, signal: Signal) -> String {
    common::send(&child, signal);
    let (code, _, stderr) = ended(common::output_of(child));
    assert_ne!(code, 0, "{stderr}");
    stderr
}

/// Commands that fail although they were given an output file.
const FAILING: [&str; 7] = [
    "merge nowhere.jsonl -o out",
    "status nowhere.jsonl -o out",
    "count 29 --engine two-color -o out",
    "count 8 --ledger text -o out",
    "count 8 --ledger /nonexistent/ledger -o out",
    "solve 12 --all --format svg -o out",
    "solve 2 --all --format json -o out",
];

#[test]
fn a_command_that_fails_leaves_no_file_and_the_old_one_as_it_was() {
    for arguments in FAILING {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("text"), "no ledger, no study\n").unwrap();
        let (code, said) = run(folder.path(), arguments);
        assert!(matches!(code, 1 | 2), "{arguments}: {said}");
        assert_eq!(names(folder.path()), ["text"], "{arguments}");
        fs::write(at("out"), "old\n").unwrap();
        assert_ne!(run(folder.path(), arguments).0, 0);
        assert_eq!(names(folder.path()), ["out", "text"], "{arguments}");
        assert_eq!(fs::read_to_string(at("out")).unwrap(), "old\n", "{arguments}");
    }
}

#[test]
fn a_shard_that_is_missing_leaves_no_total() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &str| run(folder.path(), arguments).0;
    assert_eq!(run("count 12 --shard 0/2 --ledger 0.jsonl"), 0);
    assert_eq!(run("merge 0.jsonl -o out"), 1);
    assert_eq!(names(folder.path()), ["0.jsonl"]);
    // The list is complete although the count is not, and it replaces an old one.
    assert_eq!(run("status --missing 0.jsonl -o missing"), 0);
    assert_eq!(fs::read_to_string(folder.path().join("missing")).unwrap(), "1\n");
    assert_eq!(run("count 12 --shard 1/2 --ledger 1.jsonl"), 0);
    assert_eq!(run("status --missing . -o missing"), 0);
    assert_eq!(fs::read_to_string(folder.path().join("missing")).unwrap(), "");
}

#[test]
fn a_long_command_has_no_file_until_it_is_done_whatever_ends_it() {
    for arguments in [
        "count 27 --threads 1 -o old",
        "count 27 --threads 1 -f json -o out",
        "table 24 --from 24 --threads 1 -o out",
        "bench -o out.json",
    ] {
        for signal in [Signal::SIGINT, Signal::SIGKILL] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("old"), "old\n").unwrap();
            let child = command(folder.path(), arguments).spawn().unwrap();
            sleep(Duration::from_millis(200));
            assert_eq!(names(folder.path()), ["old"], "{arguments}");
            let stderr = end(child, signal);
            assert_eq!(names(folder.path()), ["old"], "{arguments}: {stderr}");
            assert_eq!(fs::read_to_string(folder.path().join("old")).unwrap(), "old\n");
        }
    }
}

#[test]
fn rows_that_are_finished_are_kept_beside_the_old_file() {
    for (format, line) in [("text", "  92  "), ("csv", "8,92,12,"), ("json", "\"complete\": false}")] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("out"), "old\n").unwrap();
        let child = command(folder.path(), &format!("table 26 --from 8 -f {format} -o out")).spawn().unwrap();
        let has_row = || fs::read_to_string(at("out.partial")).is_ok_and(|text| text.contains("92"));
        common::wait(|| format!("{format}: a row in out.partial"), has_row);
        assert_eq!(fs::read_to_string(at("out")).unwrap(), "old\n");
        let stderr = end(child, Signal::SIGINT);
        assert!(stderr.contains("out.partial'"), "{stderr}");
        assert!(fs::read_to_string(at("out.partial")).unwrap().contains(line), "{format}");
        assert_eq!(names(folder.path()), ["out", "out.partial"]);
        assert_eq!(fs::read_to_string(at("out")).unwrap(), "old\n");
        // What was kept stays until a person has seen it, and so does the old file.
        let (code, stderr) = run(folder.path(), "count 8 -o out");
        assert!(
            code == 2 && stderr.contains("cannot write to 'out': '") && stderr.contains("out.partial' exists; "),
            "{stderr}"
        );
        assert_eq!(fs::read_to_string(at("out")).unwrap(), "old\n");
        assert!(fs::read_to_string(at("out.partial")).unwrap().contains(line), "{format}");
    }
}

#[test]
fn what_was_found_before_the_disk_was_full_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out"), "old\n").unwrap();
    // Files are limited to one block of 1024 bytes, and the signal for this limit is ignored.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" table 12 --from 4 -f json -o out";
    let (code, _, stderr) = bash(folder.path(), script);
    assert!(code == 1 && stderr.contains("the result was: N = ") && stderr.contains("out.partial'"), "{stderr}");
    assert!(fs::read_to_string(folder.path().join("out.partial")).unwrap().contains("{\"board\":4,\"total\":\"2\""));
    assert_eq!(names(folder.path()), ["out", "out.partial"]);
    assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), "old\n");
}

#[test]
fn permissions_and_links_stay() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "a result that was much longer than this one is\n").unwrap();
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file", at("link")).unwrap();
    for name in ["link", "new"] {
        assert_eq!(run(folder.path(), &format!("count 8 -o {name}")).0, 0);
    }
    for name in ["file", "new"] {
        assert_eq!(fs::read_to_string(at(name)).unwrap(), "92\n");
    }
    assert!(at("link").is_symlink());
    // Such a name has no room for an ending.
    let long = "n".repeat(255);
    for _ in 0..2 {
        assert_eq!(run(folder.path(), &format!("count 8 -o {long}")).0, 0);
        assert_eq!(fs::read_to_string(at(&long)).unwrap(), "92\n");
    }
    fs::remove_file(at(&long)).unwrap();
    assert_eq!(fs::metadata(at("file")).unwrap().mode() & 0o777, 0o640);
    assert_eq!(names(folder.path()), ["file", "link", "new"]);
    // A new file has the permissions of any other.
    fs::write(at("usual"), "").unwrap();
    assert_eq!(fs::metadata(at("new")).unwrap().mode(), fs::metadata(at("usual")).unwrap().mode());
}

#[test]
fn pipes_and_devices_are_written_directly() {
    let folder = tempfile::tempdir().unwrap();
    for (script, expected) in [
        ("$0 count 8 -q -o /dev/stdout", "92\n"),
        ("$0 count 8 -q -o /dev/stdout | cat", "92\n"),
        ("$0 count 8 -q -o /proc/self/fd/1 | cat", "92\n"),
        ("$0 count 8 -q -o >(cat) | cat", "92\n"),
        ("$0 count 8 -q -o /dev/null", ""),
        ("mkfifo pipe; cat pipe & $0 count 8 -q -o pipe; wait; rm pipe", "92\n"),
        ("echo before > log; $0 count 8 -q -o /dev/stdout >> log; cat log; rm log", "before\n92\n"),
        ("$0 solve 3 --all -f list -o /dev/stdout || true", ""),
    ] {
        let (code, stdout, stderr) = bash(folder.path(), script);
        assert_eq!((code, &*stdout), (0, expected), "{script}: {stderr}");
    }
    assert_eq!(names(folder.path()), [""; 0]);
    assert!(fs::metadata("/dev/null").unwrap().mode() & 0o170_000 == 0o020_000, "it is a device still");
}

/// Runs the program as an unprivileged user, because permissions do not restrict root.
fn unprivileged(folder: &Path, arguments: &str) -> (i32, String, String) {
    let tools = tempfile::tempdir().unwrap();
    fs::set_permissions(tools.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = common::command(common::copied_program(tools.path()));
    command.args(arguments.split_whitespace()).current_dir(folder);
    if geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    ended(command.output().unwrap())
}

#[test]
fn what_cannot_be_replaced_is_refused_before_anything_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, mode) in [("open", 0o666), ("blind", 0o222), ("closed", 0o444)] {
        fs::write(at(name), "old\n").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let refuses = |name: &str| {
        let (code, _, stderr) = unprivileged(folder.path(), &format!("count 30 -o {name}"));
        let named = format!("cannot write to '{name}': Permission denied (os error 13); ");
        assert!(code == 2 && stderr.contains(&named), "{stderr}");
    };
    // If a folder accepts no new file, an old one is written in place.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    ["closed", "new"].into_iter().for_each(refuses);
    for name in ["open", "blind"] {
        let (code, _, stderr) = unprivileged(folder.path(), &format!("count 5 -o {name}"));
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(fs::read_to_string(at(name)).unwrap(), "10\n");
    }
    // A write-protected file is not replaced even if the folder accepts a new file in its place.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    refuses("closed");
    assert_eq!(unprivileged(folder.path(), "count 8 -o open").0, 0);
    assert_eq!(fs::read_to_string(at("open")).unwrap(), "92\n");
    assert_eq!(fs::metadata(at("open")).unwrap().mode() & 0o777, 0o666);
    assert_eq!(fs::read_to_string(at("closed")).unwrap(), "old\n");
    assert_eq!(names(folder.path()), ["blind", "closed", "open"]);
    let _ = fs::create_dir(at("folder"));
    symlink("round", at("round")).unwrap();
    for name in ["folder", "folder/", "round", "folder/.."] {
        let (code, stderr) = run(folder.path(), &format!("count 8 -o {name}"));
        assert!(code == 2 && stderr.contains("cannot write to '"), "{name}: {stderr}");
    }
}

#[test]
fn an_input_is_never_an_output_and_no_file_is_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |arguments: &str| run(folder.path(), arguments);
    assert_eq!(run("count 10 --ledger ledger.jsonl").0, 0);
    symlink("ledger.jsonl", at("soft.jsonl")).unwrap();
    fs::hard_link(at("ledger.jsonl"), at("hard.jsonl")).unwrap();
    let files = || -> Vec<(String, Vec<u8>)> {
        names(folder.path()).into_iter().map(|name| (name.clone(), fs::read(at(&name)).unwrap())).collect()
    };
    let before = files();
    for (arguments, output, input) in [
        ("count 10 --ledger ledger.jsonl -o soft.jsonl", "--output 'soft.jsonl'", "--ledger 'ledger.jsonl'"),
        ("count 10 --ledger new --output ./new", "--output './new'", "--ledger 'new'"),
        ("merge ledger.jsonl -o soft.jsonl", "--output 'soft.jsonl'", "the ledger 'ledger.jsonl'"),
        ("status . -o soft.jsonl", "--output 'soft.jsonl'", "the ledger './"),
        ("recheck ledger.jsonl -o soft.jsonl", "--output 'soft.jsonl'", "the ledger 'ledger.jsonl'"),
    ] {
        let (code, stderr) = run(arguments);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{arguments}: {stderr}");
        assert!(stderr.contains(&format!("{output} is the same file as {input}")), "{arguments}: {stderr}");
        let option = output.split(' ').next().unwrap();
        assert!(stderr.ends_with(&format!("; give {option} another file\n")), "{stderr}");
    }
    assert!(before == files(), "nothing is written: {:?}", names(folder.path()));
    // A ledger is not accepted as output, even if it is not read.
    let (code, stderr) = run("count 8 -o hard.jsonl");
    assert!(code == 2 && stderr.contains("is a ledger"), "{stderr}");
}

/// Text with terminal commands and a line with a false statement.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\nN = 8: matches the published count\r\u{9b}31m\u{202e}";

/// Returns true if a text has no terminal commands, and the false statement does not begin a line.
fn is_harmless(text: &str) -> bool {
    text.chars().all(|character| character == '\n' || !character.is_control() && character != '\u{202e}')
        && !text.lines().any(|line| line.starts_with("N = 8: matches"))
}

#[test]
fn file_names_and_arguments_are_shown_and_not_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    // A file name cannot contain a slash.
    let name = HOSTILE.replace('/', "");
    for arguments in [
        vec!["count", &name],
        vec!["count", "8", "--engine", &name],
        vec!["count", "8", &format!("--{name}")],
        vec!["bench", &name],
        vec!["merge", &name],
        vec!["count", "8", "-o", &format!("{name}/x")],
        vec!["count", "8", "--ledger", &format!("{name}/x")],
    ] {
        let (code, _, stderr) = ended(common::nqueens().args(&arguments).current_dir(folder.path()).output().unwrap());
        assert!(code == 2 && is_harmless(&stderr) && stderr.lines().count() == 1, "{arguments:?}: {stderr:?}");
    }
}

#[test]
fn names_of_ledgers_are_shown_and_not_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join(format!("{}.jsonl", HOSTILE.replace('/', "")));
    let run = |arguments: &[&str]| {
        let (_, stdout, stderr) = ended(common::nqueens().args(arguments).arg(&ledger).output().unwrap());
        (stdout, stderr)
    };
    run(&["count", "10", "--ledger"]);
    for format in ["text", "json", "csv"] {
        for command in ["status", "merge", "recheck"] {
            let (stdout, stderr) = run(&[command, "--format", format]);
            assert!(is_harmless(&stdout) && is_harmless(&stderr), "{command} {format}: {stdout:?} {stderr:?}");
        }
    }
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replace("\"partial\":\"", "\"partial\":\"1")).unwrap();
    for command in [&["status"][..], &["merge"], &["count", "10", "--ledger"], &["count", "11", "--ledger"]] {
        let (stdout, stderr) = run(command);
        assert!(!stderr.is_empty() && is_harmless(&stdout) && is_harmless(&stderr), "{command:?}: {stderr:?}");
    }
}

#[test]
fn a_written_page_is_the_one_that_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    for arguments in
        ["count 8 --fundamental", "solve 6 --all --format svg --fundamental", "trace 5 --limit 10 --format json"]
    {
        nqueens(arguments).arg("-o").arg(&file).assert().success().stdout("");
        let written = fs::read_to_string(&file).unwrap();
        assert!(written == stdout(arguments), "{arguments}: {written}");
    }
    assert_eq!(names(folder.path()), ["out"]);
}
