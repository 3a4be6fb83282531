//! Archives: they add up to what their ledgers do, and every change of one is found.
#![cfg(feature = "cli")]

mod common;
#[path = "common/forge.rs"]
mod forge;
#[path = "common/run.rs"]
mod run;

use nqueens::engine::Kernel;
use nqueens::engine::backtrack::Backtrack;
use nqueens::ledger::{Contents, LedgerError, MergeError, Run, archive, merge, read};
use nqueens::{Board, Cancel, Job, Shard};
use run::{json, nqueens, refusal, stdout};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// The ledgers that version 0.1.0 wrote.
const OLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/0.1.0");

const TOTAL: u128 = 724;

/// A job with N = 10 and 182 units.
fn job() -> Job {
    Job::new(Board::new(10).unwrap()).with_engine(&Backtrack).split_rows(3).kernel(Kernel::Scalar).threads(2)
}

/// Returns a folder with the ledgers of all shards of a count, and their contents.
fn shards(count: usize) -> (tempfile::TempDir, Vec<PathBuf>, Vec<Contents>) {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..count).map(|index| folder.path().join(format!("{index}.jsonl"))).collect();
    for (index, path) in paths.iter().enumerate() {
        let run = Run::open(&job(), path, Shard::new(index, count).unwrap(), &Cancel::new()).unwrap();
        run.count(&Cancel::new(), &()).unwrap();
    }
    let ledgers = paths.iter().map(|path| read(path).unwrap()).collect();
    (folder, paths, ledgers)
}

/// Writes bytes to a file and reads it.
fn read_bytes(folder: &tempfile::TempDir, bytes: &[u8]) -> Result<Contents, LedgerError> {
    let path = folder.path().join("bytes.nqa");
    fs::write(&path, bytes).unwrap();
    read(&path)
}

#[test]
fn shards_in_any_order_make_one_archive_that_adds_up_to_their_total() {
    for count in [1, 2, 3] {
        let (folder, _, ledgers) = shards(count);
        let bytes = archive(&ledgers).unwrap();
        let reversed: Vec<Contents> = ledgers.iter().rev().cloned().collect();
        let twice: Vec<Contents> = ledgers.iter().chain(&ledgers).cloned().collect();
        assert!([reversed, twice].iter().all(|ledgers| archive(ledgers).unwrap() == bytes));

        let contents = read_bytes(&folder, &bytes).unwrap();
        assert!(contents.is_archive() && contents.is_complete());
        // Runs that this process began within a second are one.
        assert!((1..=count).contains(&contents.runs.len()));
        for (&unit, (run, line)) in &contents.units {
            let (of, ours) = &ledgers[unit % count].units[&unit];
            assert_eq!((line.unit, line.partial), (unit, ours.partial));
            assert_eq!(contents.runs[*run], ledgers[unit % count].runs[*of]);
            assert_eq!((line.seconds, line.at, line.weight), (None, None, None));
        }
        let seconds: f64 = ledgers.iter().map(Contents::seconds).sum();
        assert!(contents.seconds() > 0.0 && contents.seconds() < seconds + 1e-6 * count as f64);
        assert!(count > 1 || (contents.seconds() - seconds).abs() < 1e-6);
        let (of_ledgers, of_archive) = (merge(&ledgers).unwrap(), merge(std::slice::from_ref(&contents)).unwrap());
        assert_eq!((of_archive.total, of_archive.units, of_archive.shards), (TOTAL, of_ledgers.units, 1));
        assert!((of_archive.thread_seconds - of_ledgers.thread_seconds).abs() < 1e-6 * count as f64);
        assert_eq!(of_archive.slowest, None, "the archive does not say");
        // An archive beside its ledgers adds nothing.
        let both: Vec<Contents> = [vec![contents], ledgers].concat();
        assert_eq!(merge(&both).unwrap(), of_ledgers);
        assert_eq!(archive(&both).unwrap(), bytes);
    }
}

#[test]
fn every_changed_byte_and_every_truncation_is_found() {
    let (folder, _, ledgers) = shards(2);
    for bytes in [archive(&ledgers).unwrap(), archive(&ledgers[..1]).unwrap()] {
        assert!(read_bytes(&folder, &bytes).is_ok());
        for at in 0..bytes.len() {
            for flips in [1 << (at % 8), 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flips;
                let error = read_bytes(&folder, &damaged).expect_err("the damage is found");
                let is_version = matches!(error, LedgerError::OtherArchive { .. }) && (8..12).contains(&at);
                let is_damage = matches!(error, LedgerError::DamagedArchive { .. });
                assert!(is_damage || is_version, "byte {at}, {flips:08b}: {error}");
            }
        }
        for length in 0..bytes.len() {
            let error = read_bytes(&folder, &bytes[..length]).unwrap_err();
            let (damaged, other) =
                (matches!(error, LedgerError::DamagedArchive { .. }), matches!(error, LedgerError::NotALedger { .. }));
            assert!(damaged || length < 5 && other, "{length}: {error}");
        }
        let longer = read_bytes(&folder, &[&bytes[..], &[0]].concat()).unwrap_err();
        assert!(matches!(longer, LedgerError::DamagedArchive { .. }), "{longer}");
        assert!(
            longer.to_string().contains(&format!("it should have {} bytes by its header, and has more", bytes.len())),
            "{longer}"
        );
        let twice = read_bytes(&folder, &bytes.repeat(2)).unwrap_err();
        assert!(matches!(twice, LedgerError::DamagedArchive { .. }), "{twice}");
    }
}

#[test]
fn a_part_of_a_count_is_archived_and_joined_with_the_rest() {
    let (folder, _, ledgers) = shards(4);
    let part = read_bytes(&folder, &archive(&ledgers[1..3]).unwrap()).unwrap();
    assert!(!part.is_complete());
    let error = merge(std::slice::from_ref(&part)).unwrap_err().to_string();
    assert!(
        error.contains("91 of 182 units are missing: '") && error.contains("is an archive of 91 of 182 units"),
        "{error}"
    );
    let with_first = [part.clone(), ledgers[0].clone()];
    let error = merge(&with_first).unwrap_err().to_string();
    assert!(error.contains("there is no ledger of shard 3 of 4"), "{error}");
    let all = [part.clone(), ledgers[3].clone(), ledgers[0].clone()];
    assert_eq!(merge(&all).unwrap().total, TOTAL);
    assert_eq!(archive(&all).unwrap(), archive(&ledgers).unwrap());
    // The rest may be in other shards.
    let (_other, _, halves) = shards(2);
    assert_eq!(merge(&[part, halves[0].clone(), halves[1].clone()]).unwrap().total, TOTAL);
}

#[test]
fn contradictions_mixtures_and_damage_are_refused() {
    let (folder, paths, ledgers) = shards(2);
    let archived = |ledgers: &[Contents]| read_bytes(&folder, &archive(ledgers).unwrap()).unwrap();
    assert!(matches!(archive(&[]), Err(MergeError::Nothing)));
    let other = {
        let job = job().split_rows(2);
        let path = folder.path().join("other");
        Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).unwrap().count(&Cancel::new(), &()).unwrap();
        read(&path).unwrap()
    };
    for mixed in [[other.clone(), ledgers[0].clone()], [archived(&[other]), archived(&ledgers)]] {
        assert!(matches!(archive(&mixed), Err(MergeError::Mixed { .. })));
    }

    let mut wrong = ledgers[0].clone();
    wrong.units.get_mut(&6).unwrap().1.partial += 1;
    let differing = [vec![wrong.clone(), archived(&ledgers)], vec![archived(&[wrong.clone()]), archived(&ledgers)]];
    for differing in &differing {
        let error = archive(differing).unwrap_err();
        assert!(matches!(error, MergeError::Differ { unit: 6, .. }), "{error}");
        assert!(matches!(merge(differing), Err(MergeError::Differ { unit: 6, .. })));
    }

    // A damaged line that costs a unit is refused, and one that costs nothing is not.
    let text = fs::read_to_string(&paths[1]).unwrap();
    fs::write(&paths[1], text.replacen("\"partial\":\"", "\"partial\":\"9", 1)).unwrap();
    let damaged = read(&paths[1]).unwrap();
    let error = archive(&[ledgers[0].clone(), damaged.clone()]).unwrap_err();
    assert!(matches!(error, MergeError::Damaged { missing: 1, units: 182, .. }), "{error}");
    let all = [ledgers[0].clone(), damaged, ledgers[1].clone()];
    assert_eq!(archive(&all).unwrap(), archive(&ledgers).unwrap());
}

/// The ledger of a two-color count has a divisor. A wrong partial count with a valid CRC is found by it.
#[test]
fn a_complete_count_that_makes_no_total_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("14.jsonl");
    stdout(&format!("count 14 --engine two-color --ledger {} --quiet", ledger.display()));
    forge::forge(&ledger, |number, object| {
        Some(if number == 9 { object.replacen("\"partial\":\"", "\"partial\":\"1", 1) } else { object.to_owned() })
    });
    let (message, code) = refusal(&mut nqueens(&format!("archive {}", ledger.display())));
    assert!(code == 1 && message.contains("not a multiple of the plan's divisor"), "{message}");
    assert!(message.contains("`nqueens recheck --all`"), "{message}");
}

#[test]
fn ledgers_of_earlier_versions_are_archived_and_added_up() {
    let folder = tempfile::tempdir().unwrap();
    for (ledgers, total) in [
        (vec!["whole.jsonl"], None),
        (vec!["shard-0-of-2.jsonl", "shard-1-of-2.jsonl"], None),
        (vec!["two-color-whole.jsonl"], None),
        (vec!["two-color-shard-1-of-2.jsonl", "two-color-shard-0-of-2.jsonl"], None),
        (vec!["two-color-shard-1-of-2.jsonl"], Some("units are missing")),
    ] {
        let paths: Vec<String> = ledgers.iter().map(|name| format!("{OLD}/{name}")).collect();
        let file = folder.path().join(format!("{}-{}.nqa", ledgers.len(), ledgers[0]));
        let file = file.display();
        nqueens(&format!("archive {} -o {file}", paths.join(" "))).assert().success().stdout("");
        if let Some(part) = total {
            let (message, code) = refusal(&mut nqueens(&format!("merge {file}")));
            assert!(code == 1 && message.contains(part), "{message}");
            continue;
        }
        assert_eq!(stdout(&format!("merge {file}")), stdout(&format!("merge {}", paths.join(" "))));
        assert_eq!(stdout(&format!("status --missing {file}")), "");
        let status = json(&format!("status {file} --format json"));
        assert_eq!((&status["rows"][0]["state"], &status["rows"][0]["percent"]), (&json!("done"), &json!(100.0)));
    }
}

/// Returns a folder with ledgers of two shards of N = 12.
fn folder_of_shards() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    for index in [0, 1] {
        stdout(&format!("count 12 --engine backtrack --split-rows 2 --shard {index}/2 --ledger {path}/{index}.jsonl"));
    }
    (folder, path)
}

fn bytes_of(path: &str) -> Vec<u8> {
    fs::read(path).unwrap()
}

#[test]
fn the_command_writes_an_archive_that_every_command_reads() {
    let (folder, path) = folder_of_shards();
    let core_hours = json(&format!("merge {path} --format json"))["core_hours"].as_f64().unwrap();
    let assert = nqueens(&format!("archive {path} -o {path}/12.nqa")).assert().success().stdout("");
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.starts_with("N = 12: ") && said.lines().count() == 1, "{said}");
    for part in ["from 2 ledgers", " bytes; matches the published count"] {
        assert!(said.contains(part), "{said}");
    }
    let printed = nqueens(&format!("archive {path}/1.jsonl {path}/0.jsonl --quiet")).assert().success().stderr("");
    assert_eq!(printed.get_output().stdout, bytes_of(&format!("{path}/12.nqa")));

    assert_eq!(stdout(&format!("merge {path}/12.nqa --fundamental")), "14200\n1787\n");
    let merged = json(&format!("merge {path}/12.nqa --format json"));
    assert_eq!((&merged["slowest_unit"], &merged["slowest_unit_seconds"]), (&json!(null), &json!(null)));
    assert!((merged["core_hours"].as_f64().unwrap() - core_hours).abs() < 2e-6);
    // The archive and its ledgers are in one folder.
    assert_eq!(stdout(&format!("merge {path}")), "14200\n");
    assert_eq!(stdout(&format!("status --missing {path}")), "");
    let status = json(&format!("status {path} --format json"));
    let shards: Vec<&str> =
        status["rows"].as_array().unwrap().iter().map(|row| row["shard"].as_str().unwrap()).collect();
    assert_eq!(shards, ["0/2", "0/1", "1/2"]);
    let row = &json(&format!("status {path}/12.nqa --format json"))["rows"][0];
    for (key, value) in [
        ("shard", json!("0/1")),
        ("state", json!("done")),
        ("units_left", json!(0)),
        ("percent", json!(100.0)),
        ("percent_per_hour", json!(null)),
        ("runs", json!(2)),
        ("engine", json!("backtrack")),
        ("plan", json!("mirror-2")),
    ] {
        assert_eq!(row[key], value, "{key}");
    }
    drop(folder);
}

#[test]
fn a_part_is_said_to_be_one_and_status_tells_the_shards_that_are_left() {
    let (_folder, path) = folder_of_shards();
    let assert = nqueens(&format!("archive {path}/1.jsonl -o {path}/part.nqa --quiet")).assert().success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.starts_with("warning: ") && said.contains("; the count is not finished"), "{said}");
    let part = format!("{path}/part.nqa");
    let rows = json(&format!("status {part} --format json"));
    assert_eq!((&rows["rows"][0]["state"], &rows["rows"][0]["shard"]), (&json!("stopped"), &json!("0/1")));
    assert_eq!(stdout(&format!("status --missing {part}")), "0\n");
    assert_eq!(stdout(&format!("status --missing --shards 2 {part}")), "0\n");
    assert_eq!(stdout(&format!("status --missing --shards 4 {part}")), "0,2\n");
    let (message, code) = refusal(&mut nqueens(&format!("merge {part}")));
    assert!(code == 1 && message.contains("units are missing"), "{message}");
    assert_eq!(stdout(&format!("status --missing {part} {path}/0.jsonl")), "");
    let rows = json(&format!("status {part} {path}/0.jsonl --format json"));
    assert_eq!(rows["rows"].as_array().unwrap().len(), 2, "no shard is missing: {rows}");
    assert_eq!(stdout(&format!("merge {part} {path}/0.jsonl")), "14200\n");
    nqueens(&format!("archive {part} {path}/0.jsonl -o {path}/whole.nqa")).assert().success();
    nqueens(&format!("archive {path}/0.jsonl {path}/1.jsonl -o {path}/same.nqa")).assert().success();
    assert_eq!(bytes_of(&format!("{path}/whole.nqa")), bytes_of(&format!("{path}/same.nqa")));
}

#[test]
fn what_cannot_be_done_with_an_archive_is_refused_in_one_line() {
    let (folder, path) = folder_of_shards();
    nqueens(&format!("archive {path} -o {path}/12.nqa")).assert().success();
    let before = bytes_of(&format!("{path}/12.nqa"));
    let damaged = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = before.clone();
        change(&mut bytes);
        fs::write(folder.path().join(name), bytes).unwrap();
    };
    damaged("flipped.nqa", &|bytes| bytes[200] ^= 1);
    damaged("first.nqa", &|bytes| bytes[0] ^= 1);
    damaged("cut.nqa", &|bytes| bytes.truncate(300));
    damaged("later.nqa", &|bytes| bytes[8] = 2);
    fs::write(folder.path().join("none.nqa"), "no archive\n").unwrap();
    for (arguments, parts, code) in [
        ("count 12 --ledger P/12.nqa", ["is an archive, and a count cannot continue one", "a new file"], 2),
        ("count 12 --ledger P/flipped.nqa", ["is an archive, and a count cannot continue one", "a new file"], 2),
        ("count 12 --ledger P/first.nqa", ["is an archive, and a count cannot continue one", "a new file"], 2),
        ("count 12 -o P/first.nqa", ["is an archive, which the result would overwrite", "another file"], 2),
        ("count 12 -o P/12.nqa", ["is an archive, which the result would overwrite", "another file"], 2),
        ("archive P/0.jsonl P/1.jsonl -o P/12.nqa", ["is an archive, which the result", "another file"], 2),
        ("archive P/12.nqa -o P/12.nqa", ["--output", "the same file as the ledger"], 2),
        ("archive P/0.jsonl -o P/1.jsonl", ["is a ledger, which the result would overwrite", "another file"], 2),
        ("merge P/flipped.nqa", ["flipped.nqa' is damaged: its CRC-32 is wrong", "again"], 1),
        ("merge P/0.jsonl P/1.jsonl P/flipped.nqa", ["flipped.nqa' is damaged", "again"], 1),
        ("status P/flipped.nqa", ["flipped.nqa' is damaged", "again"], 1),
        ("archive P/flipped.nqa", ["flipped.nqa' is damaged", "again"], 1),
        ("merge P/cut.nqa", ["cut.nqa' is damaged: it should have ", "and has only 300; get it"], 1),
        ("merge P/later.nqa", ["later.nqa' is an archive in version 2", "a later version of nqueens"], 2),
        ("merge P/none.nqa", ["none.nqa' is not a ledger", "give ledgers"], 2),
        ("archive P/none.nqa P/0.jsonl", ["none.nqa' is not a ledger", "leave it out"], 2),
        ("archive P/nowhere", ["cannot read", "folders with files that end in .jsonl or .nqa"], 2),
        ("archive", ["<PATH>", "nqueens archive"], 2),
    ] {
        let arguments = arguments.replace("P/", &format!("{path}/"));
        let (message, found) = refusal(&mut nqueens(&arguments));
        assert_eq!(found, code, "{arguments}: {message}");
        for part in parts {
            assert!(message.contains(part), "{arguments}: {message}");
        }
    }
    assert_eq!(bytes_of(&format!("{path}/12.nqa")), before);
    assert!(!Path::new(&format!("{path}/12.nqa.bad")).exists());
}

/// The bytes of an archive are no text for a terminal.
#[test]
#[cfg(unix)]
fn a_terminal_gets_no_archive() {
    use nix::pty::openpty;
    use std::io::Read;
    use std::process::Stdio;
    let (_folder, path) = folder_of_shards();
    let pty = openpty(None, None).unwrap();
    let mut command = common::nqueens();
    command.args(["archive", &path]).stdout(Stdio::from(pty.slave)).stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    drop(command);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("standard output is a terminal; give --output a file"), "{said}");
    let mut printed = Vec::new();
    // An error is ignored: Linux reports one at the end of a terminal without processes.
    let _ = fs::File::from(pty.master).read_to_end(&mut printed);
    assert_eq!(printed, b"");
}
