//! What is different on Windows: paths, files that other programs have open.

use crate::common;
use crate::run::{ended, nqueens, refusal, refused, stdout};
use std::fs::{self, File};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Child;

/// Runs the program in a folder, where it must succeed, and returns its standard output.
fn total(folder: &Path, arguments: &str) -> String {
    let (code, stdout, stderr) = ended(nqueens(arguments).current_dir(folder).output().unwrap());
    assert_eq!(code, 0, "{arguments}: {stderr}");
    stdout
}

#[test]
fn paths_have_backslashes_and_drives() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a b")).unwrap();
    let absolute = folder.path().join(r"a b\0.jsonl");
    assert!(absolute.to_str().unwrap().contains(r":\"), "it begins with a drive");
    let mut command = nqueens("count 12 --quiet --shard 0/2 --ledger");
    assert!(command.arg(&absolute).ok().is_ok());
    fs::create_dir(folder.path().join("c")).unwrap();
    total(folder.path(), r"count 12 --quiet --shard 1/2 --ledger c\.\1.jsonl");
    let mut merge = nqueens(r"merge --quiet c\1.jsonl");
    let merged = merge.arg(&absolute).arg("--output").arg(folder.path().join(r"c\..\total.csv"));
    assert!(merged.current_dir(folder.path()).ok().is_ok());
    assert!(fs::read_to_string(folder.path().join("total.csv")).unwrap().contains("14200"));
    refused(
        folder.path(),
        2,
        &[
            (r"count 8 --output c\..\C\1.jsonl", ["is a ledger", r"c\..\C\1.jsonl"]),
            (r"count 8 --output nowhere\x.csv", [r"nowhere\x.csv", "give --output a file that can be written"]),
        ],
    );
    assert_eq!(total(folder.path(), "count 8 --quiet --output NUL"), "");
    for arguments in [r"merge Q:\x.jsonl", r"count 8 --ledger nowhere\x.jsonl"] {
        let (message, _) = refusal(nqueens(arguments).current_dir(folder.path()));
        assert!(message.contains(arguments.rsplit(' ').next().unwrap()), "{message}");
    }
}

/// A program that ends with its test, even if the test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn a_ledger_can_be_read_while_a_count_appends_to_it_and_by_no_second_count() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.jsonl");
    let mut count = common::nqueens();
    let running = Running(count.args(["count", "21", "--threads", "1", "--ledger"]).arg(&ledger).spawn().unwrap());
    let has_unit = || fs::read_to_string(&ledger).is_ok_and(|text| text.contains("\"unit\":{"));
    common::wait(|| "a unit is finished", has_unit);
    let (message, code) = refusal(nqueens("count 21 --ledger").arg(&ledger));
    assert_eq!(code, 1);
    assert!(message.contains(&format!("in use by process {}", running.0.id())), "{message}");
    let state = || stdout(&format!("status {} --format csv", ledger.display()));
    assert!(state().lines().nth(1).unwrap().contains(",0/1,running,"));
    assert!(fs::rename(&ledger, folder.path().join("moved")).is_err(), "units would be lost");
    assert!(fs::remove_file(&ledger).is_err(), "units would be lost");
    drop(running);
    assert!(state().lines().nth(1).unwrap().contains(",0/1,stopped,"));
}

#[test]
fn a_file_that_another_program_has_open_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out.csv"), "old\n").unwrap();
    let open = File::options().write(true).share_mode(0).open(folder.path().join("out.csv")).unwrap();
    refused(folder.path(), 2, &[("count 8 --output out.csv", ["cannot write to 'out.csv': ", "give --output a file"])]);
    drop(open);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // If others may read the open file, it is written in place.
    let open = File::options().read(true).share_mode(1 | 2).open(folder.path().join("out.csv")).unwrap();
    total(folder.path(), "count 8 --output out.csv");
    drop(open);
    assert!(fs::read_to_string(folder.path().join("out.csv")).unwrap().contains(",92,"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
