//! Long counts that are killed, interrupted, resumed, split into shards, or out of disk space.

use crate::common::{self, send, wait};
use crate::forge;
use crate::run::{bash, ended, has, json, nqueens, ran, refusal, refused, stdout};
use nix::sys::signal::Signal;
use nqueens::engine::Engine;
use nqueens::ledger::{Header, read};
use nqueens::{Board, Cancel, Shard};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

/// A count of some seconds with a thousand units.
const LONG: &str = "count 16 --engine backtrack --kernel scalar --split-rows 3";
const LONG_TOTAL: &str = "14772512\n";
/// A count of some minutes.
const ENDLESS: &str = "count 18 --engine backtrack --kernel scalar --split-rows 3";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn start(arguments: &str, ledger: &Path) -> Child {
    let mut command = common::nqueens();
    command.args(arguments.split_whitespace()).arg("--ledger").arg(ledger);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_for_units(ledger: &Path, units: usize) {
    let has_units = || read(ledger).is_ok_and(|contents| contents.units.len() >= units);
    wait(|| format!("{units} units are finished"), has_units);
}

/// `src/app/verify/mod.rs` tests the burn-in that follows.
#[test]
fn a_self_test_that_is_interrupted_has_printed_what_was_right() {
    let mut command = common::nqueens();
    command.args(["verify", "--duration", "1h", "--threads", "2", "--format", "csv"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut checks = 0;
    for row in BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).skip(1) {
        assert!(row.contains(",ok,"), "{row}");
        checks += 1;
        if checks == 20 {
            send(&child, Signal::SIGINT);
        }
    }
    let (code, _, said) = ended(common::output_of(child));
    assert_eq!(code, 130);
    assert!(said.starts_with(&format!("stopped after {checks} checks")) && checks < 200, "{said}");
}

#[test]
fn signals_keep_what_is_finished_and_are_seen_by_the_caller() {
    for (signal, expected) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let dir = folder();
        let ledger = dir.path().join("ledger.jsonl");
        let child = start(&format!("{LONG} --threads 2"), &ledger);
        wait_for_units(&ledger, 10);
        send(&child, signal);
        let (code, _, said) = ended(common::output_of(child));
        assert_eq!(code, expected);
        let kept = read(&ledger).unwrap();
        assert!(!kept.is_complete(), "it was stopped before the end");
        let done = format!("stopped after {} of 1118 units; the same command goes on", kept.units.len());
        assert!(said.contains(&done), "{done}: {said}");
        assert_eq!(kept.damage, None);
        let (_, total, said) = ended(common::output_of(start("count 16 --threads 7 --quiet", &ledger)));
        assert_eq!((&*total, &*said), (LONG_TOTAL, ""));
        let progress = stdout(&format!("status {}", ledger.display()));
        assert_eq!(progress.matches("1,118").count(), 3, "{progress}");
    }
}

#[test]
fn a_second_run_on_a_ledger_is_refused_and_told_who_has_it() {
    let dir = folder();
    let ledger = dir.path().join("ledger.jsonl");
    let mut child = start(&format!("{ENDLESS} --threads 1"), &ledger);
    wait_for_units(&ledger, 1);
    let mut second = nqueens(&format!("count 18 --ledger {}", ledger.display()));
    let (message, code) = refusal(&mut second);
    assert_eq!(code, 1);
    assert!(message.contains(&format!("in use by process {}", child.id())), "{message}");
    let text = stdout(&format!("status {}", ledger.display()));
    assert!(text.contains("0/1") && text.contains(" running "), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
    let text = stdout(&format!("status {}", ledger.display()));
    assert!(text.contains(" stopped "), "{text}");
}

/// The file may not exceed 8 KiB, and the signal for this limit may be ignored. The count stops with an error, and the
/// units written so far can be used.
#[test]
fn a_full_disk_ends_the_count_and_not_the_ledger() {
    let limited = |folder: &Path, limit: &str, count: &str| {
        let (code, out, said) = bash(folder, &format!("{limit}; exec \"$0\" {count} --threads 2 --ledger l.jsonl"));
        assert_eq!((code, out.is_empty(), said.lines().count()), (1, true, 1), "{said}");
        assert!(said.starts_with("error: cannot write to '"), "{said}");
    };
    for limit in ["trap '' XFSZ; ulimit -f 8", "ulimit -f 8"] {
        let dir = folder();
        let ledger = dir.path().join("l.jsonl");
        limited(dir.path(), limit, LONG);
        let size = fs::metadata(&ledger).unwrap().len();
        assert!(8192 - size < 200, "{size}: the lines that had room are there");
        let kept = read(&ledger).unwrap();
        assert!(kept.units.len() > 20 && kept.damage.is_none(), "{}", kept.units.len());
        let (_, total, said) = ended(common::output_of(start("count 16 --threads 2", &ledger)));
        assert_eq!(total, LONG_TOTAL);
        assert!(said.contains(&format!("{} of 1,118 units are finished", kept.units.len())), "{said}");
        assert!(read(&ledger).unwrap().is_complete());
    }
    // If no line can be written, no empty ledger is left behind.
    let dir = folder();
    limited(dir.path(), "trap '' XFSZ; ulimit -f 0", "count 12");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Counts a shard of N = 14, which has 42 units, with a ledger in `dir`.
fn count_shard(dir: &Path, index: usize, shards: usize) -> String {
    let ledger = dir.join(format!("{index}.jsonl"));
    stdout(&format!("count 14 --engine two-color --ledger {} --shard {index}/{shards} --quiet", ledger.display()))
}

#[test]
fn shards_are_told_apart_by_status_and_added_up_by_merge() {
    let dir = folder();
    let path = dir.path().display().to_string();
    assert!(count_shard(dir.path(), 1, 8).contains("1/8"));
    // `kill -9` leaves such a ledger before the first line is written.
    fs::write(dir.path().join("0.jsonl"), "").unwrap();
    let (code, out, said) = ran(&format!("status --missing {path}"));
    assert_eq!((code, &*out), (0, "0,2-7\n"), "{said}");
    assert!(said.starts_with("warning: '") && said.contains("it is empty"), "{said}");
    for index in [0, 3, 4, 7] {
        let said = count_shard(dir.path(), index, 8);
        assert!(said.contains(&format!("{index}/8")) && said.contains("done"), "{said}");
    }
    assert_eq!(stdout(&format!("status --missing {path}")), "2,5-6\n");
    let status: Value = json(&format!("status {path} --format json"));
    assert_eq!(status["schema"], "nqueens/status/1");
    let all: Vec<&Value> = status["rows"].as_array().unwrap().iter().map(|row| &row["state"]).collect();
    assert_eq!(all, ["done", "done", "missing", "done", "done", "missing", "missing", "done", "stopped"]);
    assert_eq!((&status["rows"][0]["percent"], &status["rows"][0]["units_left"]), (&json!(100.0), &json!(0)));
    has(&status["rows"][2], &json!({"shard": "2/8", "board": 14, "engine": "two-color", "percent": null}));

    let (message, code) = refusal(&mut nqueens(&format!("merge {path}")));
    assert_eq!(code, 1);
    assert!(message.contains("units are missing, of shards 2,5-6 of 8"), "{message}");
    for index in [2, 5, 6] {
        count_shard(dir.path(), index, 8);
    }
    assert_eq!(stdout(&format!("status --missing {path}")), "");
    let merged: Value = json(&format!("merge {path} --fundamental --format json"));
    has(&merged, &json!({"schema": "nqueens/merge/1", "board": 14, "total": "365596", "fundamental": "45752"}));
    has(&merged, &json!({"verdict": "matches", "engine": "two-color", "plan": "row-sets-3"}));
    let text = stdout(&format!("status {path}"));
    assert!(text.contains("8 of 8 shards and 42 of 42 units done, 100% of the work, "), "{text}");
    // Counting a shard again, as after a requeue, changes nothing.
    count_shard(dir.path(), 3, 8);
    assert_eq!(stdout(&format!("merge {path}")), "365596\n");
}

#[test]
fn what_does_not_fit_a_ledger_is_refused() {
    let dir = folder();
    count_shard(dir.path(), 1, 2);
    nqueens("count 9 --ledger 9.jsonl").current_dir(&dir).assert().success().stdout("352\n");
    fs::create_dir(dir.path().join("empty")).unwrap();
    refused(
        &dir,
        2,
        &[
            ("count 14 --ledger 1.jsonl", ["the ledger of shard 1/2, not of shard 0/1", "another file"]),
            ("count 14 --ledger 1.jsonl --shard 1/3", ["the ledger of shard 1/2, not of", "another file"]),
            ("count 10 --ledger 9.jsonl", ["N = 9", "N = 10"]),
            ("count 9 --ledger 9.jsonl --engine two-color", ["engine backtrack", "engine two-color"]),
            ("count 9 --ledger 9.jsonl --split-rows 2", ["plan mirror-1", "plan mirror-2"]),
            ("count 9 --shard 1/2", ["not provided: --ledger <FILE>", "`nqueens count --help`"]),
            ("count 9 --ledger x.jsonl --shard 0/2 --fundamental", ["--shard", "--fundamental"]),
            ("count 9 --double-check --shard 0/2 --ledger x.jsonl", ["--double-check", "--shard"]),
            ("merge .", ["1.jsonl' is of", "one count"]),
            ("merge empty", ["empty", "jsonl"]),
            ("status --missing .", ["is of", "one count"]),
            ("merge none", ["cannot read", "none"]),
            ("count 27 --ledger none/ledger.jsonl", ["the folder 'none' does not exist", "none/ledger.jsonl"]),
            ("status 1.jsonl -o 9.jsonl", ["9.jsonl' is a ledger", "another file"]),
        ],
    );
}

/// Nobody would notice in time: the total is right, but the ledger lacks units.
#[test]
fn a_ledger_that_is_taken_away_or_cut_ends_the_count() {
    let ended_by = |change: fn(&Path), part: &str| {
        let dir = folder();
        let ledger = dir.path().join("ledger.jsonl");
        let child = start(&format!("{ENDLESS} --threads 1"), &ledger);
        wait_for_units(&ledger, 1);
        change(&ledger);
        let (code, out, said) = ended(common::output_of(child));
        assert!(code == 1 && out.is_empty() && said.contains(part), "{said}");
    };
    ended_by(|ledger| fs::remove_file(ledger).unwrap(), "cannot go on with '");
    let cut = |ledger: &Path| fs::File::options().write(true).open(ledger).unwrap().set_len(9).unwrap();
    ended_by(cut, "': another program has changed it from ");
}

/// Two lines with valid CRCs have different partial counts for a unit. A copy with one of them must not hide that.
#[test]
fn a_ledger_with_two_values_for_a_unit_fails_every_command() {
    let dir = folder();
    let path = dir.path().display().to_string();
    for index in [0, 1] {
        count_shard(dir.path(), index, 2);
    }
    let bad = dir.path().join("0.jsonl");
    fs::copy(&bad, dir.path().join("copy.jsonl")).unwrap();
    let text = fs::read_to_string(&bad).unwrap();
    fs::write(&bad, text.clone() + &forge::contradicting(&text, text.lines().last().unwrap())).unwrap();
    for (command, printed) in [
        (format!("merge {path}"), ""),
        (format!("recheck --all {path}"), ""),
        (format!("status {path} --quiet"), "0/2"),
        (format!("status {path} --format csv"), "\n14,two-color,row-sets-3,0/2,differs,"),
        (format!("status --missing {path}"), "0\n"),
        (format!("count 14 --shard 0/2 --ledger {path}/0.jsonl"), ""),
    ] {
        let (code, out, said) = ran(&command);
        assert_eq!(code, 1, "{command}: {said}");
        assert!(said.starts_with("error: ") && said.contains("one of them is wrong"), "{command}: {said}");
        assert!(out.contains(printed) && out.is_empty() == printed.is_empty(), "{command}: {out}");
    }
}

#[test]
fn a_ledger_of_any_size_is_read_in_bounded_memory() {
    use std::os::unix::fs::FileExt;
    let dir = folder();
    let ledger = dir.path().join("0.jsonl");
    count_shard(dir.path(), 0, 1);
    let good = fs::read(&ledger).unwrap();
    let newlines = |file: &fs::File| {
        let block = vec![b'\n'; 1 << 20];
        (0..16).for_each(|number| file.write_all_at(&block, good.len() as u64 + number * (1 << 20)).unwrap());
    };
    let sparse = |file: &fs::File| file.set_len(128 << 20).unwrap();
    let sparse_alone = |file: &fs::File| {
        file.set_len(0).unwrap();
        sparse(file);
    };
    for (write, expected, part) in [
        (&newlines as &dyn Fn(&fs::File), 0, "matches the published count"),
        (&sparse, 0, "is damaged"),
        (&sparse_alone, 2, "it has no header"),
    ] {
        fs::write(&ledger, &good).unwrap();
        write(&fs::File::options().write(true).open(&ledger).unwrap());
        let size = fs::metadata(&ledger).unwrap().len();
        for command in ["merge", "count 14 --engine two-color --ledger"] {
            // This limit leaves 100 MB of address space for data, apart from threads and libraries.
            let (code, _, said) = bash(&dir, &format!("ulimit -v 700000; exec \"$0\" {command} 0.jsonl"));
            assert_eq!(code, expected, "{command}: {said}");
            assert!(said.contains(part), "{command}: {said}");
        }
        assert!(fs::metadata(&ledger).unwrap().len() >= size, "no line is lost");
    }
}

/// Ledgers of N = 28 with valid CRCs. There is no published count, but no board has such totals; `src/published.rs`
/// tests others.
#[test]
fn what_cannot_be_is_refused_where_no_count_is_published() {
    let settings = Engine::Backtrack.settings_of_plan("mirror-2").unwrap();
    let counter = Engine::Backtrack.prepare(Board::new(28).unwrap(), &settings, &Cancel::new()).unwrap();
    let header = serde_json::to_string(&Header::new(&counter.plan, Shard::WHOLE)).unwrap();
    let dir = folder();
    let path = dir.path().join("28.jsonl").display().to_string();
    let merging = format!("merge {path}");
    let counting = format!("count 28 --engine backtrack --ledger {path}");
    let (right, advice) = (7_312_000_000_000_000, format!("`nqueens recheck --all {path}` "));
    for (first, code, said) in [
        (right + 2, 1, "; IMPOSSIBLE\nerror: "),
        (u128::MAX - 7, 1, "more than 128 bits can hold"),
        (right, 0, "no published count to compare with; the symmetry of all"),
    ] {
        let partials = (0..351).map(|unit| if unit == 0 { first } else { right + 8 * unit });
        fs::write(&path, forge::ledger(header.strip_suffix('}').unwrap(), partials)).unwrap();
        for command in [&merging, &counting] {
            let (found, _, told) = ran(command);
            assert!(found == code && told.contains(said), "{command}: {told}");
            assert!(told.contains(&advice), "{command}: {told}");
        }
    }
}
