//! Archives: they add up to what their ledgers do, and their damage is found.

use crate::forge;
use crate::run::{has, json, nqueens, refusal, refused, stdout};
use nqueens::engine::Kernel;
use nqueens::ledger::{Contents, LedgerError, MergeError, Run, archive, merge, read};
use nqueens::{Board, Cancel, Engine, Job, Shard};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const RECORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/records");

const TOTAL: u128 = 724;

/// Returns a job with N = 10 and 182 units.
fn job() -> Job {
    Job::new(Board::new(10).unwrap()).engine(Engine::Backtrack).split_rows(3).kernel(Kernel::Scalar).threads(2)
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

fn read_bytes(folder: &tempfile::TempDir, bytes: &[u8]) -> Result<Contents, LedgerError> {
    let path = folder.path().join("bytes.jsonl.gz");
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
        assert!(contents.is_complete() && contents.damage.is_none());
        assert_eq!((contents.header.shard, &*contents.header.host), (Shard::WHOLE, ""));
        // Runs that this process began within a second count as one.
        assert!((1..=count).contains(&contents.runs.len()));
        for (&unit, (run, line)) in &contents.units {
            let (of, ours) = &ledgers[unit % count].units[&unit];
            let (run, theirs) = (&contents.runs[*run], &ledgers[unit % count].runs[*of]);
            assert_eq!((line, &run.cpu, run.begun, &run.kernel), (ours, &theirs.cpu, theirs.begun, &theirs.kernel));
            assert!(run.host.is_empty() && (1..=count as u32).contains(&run.pid), "private: {run:?}");
            assert!(line.cpu_seconds.map_or(cfg!(windows), |seconds| seconds <= line.seconds), "{line:?}");
        }
        let (of_ledgers, of_archive) = (merge(&ledgers).unwrap(), merge(std::slice::from_ref(&contents)).unwrap());
        assert_eq!((of_archive.total, of_archive.shards), (TOTAL, 1));
        assert!((of_archive.core_seconds - of_ledgers.core_seconds).abs() < 1e-9);
        // An archive adds nothing to its own ledgers.
        let both: Vec<Contents> = [vec![contents.clone()], ledgers].concat();
        assert_eq!(merge(&both).unwrap(), of_ledgers);
        assert_eq!(archive(&both).unwrap(), bytes);
        assert_eq!(archive(&[contents]).unwrap(), bytes);
    }
}

/// The checksum of gzip covers none of the ten bytes at the beginning, which hold no content. `fuzz_damaged_archives`
/// tests other damage.
#[test]
fn damage_of_an_archive_is_told_as_such() {
    let (folder, _, ledgers) = shards(2);
    let bytes = archive(&ledgers).unwrap();
    let whole = read_bytes(&folder, &bytes).unwrap();
    let is_damage = |error: &LedgerError| matches!(error, LedgerError::DamagedArchive { .. });
    for at in (0..30).chain(bytes.len() - 8..bytes.len()) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        match read_bytes(&folder, &damaged) {
            Ok(contents) => assert!(contents == whole, "byte {at}"),
            Err(error) => assert!(is_damage(&error) || at < 2, "byte {at}: {error}"),
        }
        let error = read_bytes(&folder, &bytes[..at]).unwrap_err();
        assert!(is_damage(&error) || at < 2, "{at}: {error}");
    }
    let longer = read_bytes(&folder, &[&bytes[..], b"more"].concat()).unwrap_err();
    assert!(is_damage(&longer), "{longer}");
    // gzip itself reads such a file as the content of both.
    assert_eq!(read_bytes(&folder, &bytes.repeat(2)).unwrap().units, whole.units);
}

#[test]
fn contradictions_mixtures_and_gaps_are_refused() {
    let (folder, _, ledgers) = shards(2);
    let archived = |ledgers: &[Contents]| read_bytes(&folder, &archive(ledgers).unwrap()).unwrap();
    assert!(matches!(archive(&[]), Err(MergeError::Nothing)));
    assert!(matches!(archive(&ledgers[..1]), Err(MergeError::Missing { missing: 91, .. })));
    let other = {
        let job = job().split_rows(2);
        let path = folder.path().join("other");
        Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).unwrap().count(&Cancel::new(), &()).unwrap();
        read(&path).unwrap()
    };
    for mixed in [[other.clone(), ledgers[0].clone()], [archived(&[other]), archived(&ledgers)]] {
        assert!(matches!(archive(&mixed), Err(MergeError::Unusable(_))));
    }
    let mut wrong = ledgers[0].clone();
    wrong.units.get_mut(&6).unwrap().1.partial += 1;
    let differing = [wrong, archived(&ledgers)];
    let error = archive(&differing).unwrap_err();
    assert!(matches!(error, MergeError::Differ { unit: 6, .. }), "{error}");
    assert!(matches!(merge(&differing), Err(MergeError::Differ { unit: 6, .. })));
}

/// The ledger of a two-color count has a divisor, which finds a wrong partial count with a valid CRC.
#[test]
fn a_complete_count_that_makes_no_total_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, file) = (folder.path().join("14.jsonl"), folder.path().join("14.jsonl.gz"));
    stdout(&format!("count 14 --engine two-color --ledger {} --quiet", ledger.display()));
    forge::forge(&ledger, |number, object| {
        Some(if number == 9 { object.replacen("\"partial\":\"", "\"partial\":\"1000", 1) } else { object.to_owned() })
    });
    let (message, code) = refusal(&mut nqueens(&format!("merge {} --archive {}", ledger.display(), file.display())));
    assert!(code == 1 && message.contains("not a multiple of the plan's divisor"), "{message}");
    assert!(message.contains(&format!("`nqueens recheck --all {}`", ledger.display())) && !file.exists(), "{message}");
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

#[test]
fn the_command_writes_an_archive_that_every_command_reads() {
    let (_folder, path) = folder_of_shards();
    let merged = json(&format!("merge {path} --format json"));
    nqueens(&format!("merge {path} --archive {path}/12.jsonl.gz")).assert().success().stdout("14200\n");
    nqueens(&format!("merge {path}/1.jsonl {path}/0.jsonl --archive {path}/other --quiet"))
        .assert()
        .success()
        .stderr("");
    assert_eq!(fs::read(format!("{path}/other")).unwrap(), fs::read(format!("{path}/12.jsonl.gz")).unwrap());

    assert_eq!(stdout(&format!("merge {path}/12.jsonl.gz --fundamental")), "14200\n1787\n");
    let again = json(&format!("merge {path}/12.jsonl.gz --format json"));
    for key in ["total", "core_hours"] {
        assert_eq!(again[key], merged[key], "{key}");
    }
    assert!(stdout(&format!("recheck {path}/12.jsonl.gz --units 3")).contains(" agree "));
    // The archive and its ledgers are in one folder.
    assert_eq!(stdout(&format!("merge {path}")), "14200\n");
    assert_eq!(stdout(&format!("status --missing {path}")), "");
    let status = json(&format!("status {path} --format json"));
    let shards: Vec<&str> =
        status["rows"].as_array().unwrap().iter().map(|row| row["shard"].as_str().unwrap()).collect();
    assert_eq!(shards, ["0/1", "0/2", "1/2", "all"]);
    let row = &json(&format!("status {path}/12.jsonl.gz --format json"))["rows"][0];
    has(row, &json!({"shard": "0/1", "state": "done", "units_left": 0, "percent": 100.0}));
    has(row, &json!({"engine": "backtrack", "plan": "mirror-2"}));
}

/// Any ledger may be compressed, by `gzip` for instance.
#[test]
#[cfg(unix)]
fn a_part_is_a_compressed_ledger_and_archives_are_text_for_zcat() {
    let (_folder, path) = folder_of_shards();
    let gzip = |arguments: &[&str]| {
        let output = crate::common::command("gzip").args(arguments).output().expect("gzip is installed");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    gzip(&[&format!("{path}/1.jsonl")]);
    let part = format!("{path}/1.jsonl.gz");
    assert_eq!(stdout(&format!("status --missing {part}")), "0\n");
    let (message, code) = refusal(&mut nqueens(&format!("merge {part}")));
    assert!(code == 1 && message.contains("units are missing, of shard 0 of 2"), "{message}");
    let archive = format!("{path}/all.jsonl.gz");
    assert_eq!(stdout(&format!("merge {path} --archive {archive}")), "14200\n");
    let text = gzip(&["-dc", &archive]);
    assert!(text.starts_with("{\"schema\":\"nqueens/ledger/3\",\"board\":12,"), "{text}");
    fs::write(format!("{path}/plain"), text).unwrap();
    assert_eq!(stdout(&format!("merge {path}/plain")), "14200\n");
    // A ledger of the whole plan can be used with any number of shards.
    fs::remove_file(part).unwrap();
    assert_eq!(stdout(&format!("status --missing --shards 4 {archive}")), "");
    assert_eq!(stdout(&format!("merge {path}/0.jsonl {archive}")), "14200\n");
}

#[test]
fn what_cannot_be_done_with_an_archive_is_refused_in_one_line() {
    let (folder, path) = folder_of_shards();
    nqueens(&format!("merge {path} --archive {path}/12.jsonl.gz")).assert().success();
    let before = fs::read(folder.path().join("12.jsonl.gz")).unwrap();
    let damaged = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = before.clone();
        change(&mut bytes);
        fs::write(folder.path().join(name), bytes).unwrap();
    };
    damaged("flipped.gz", &|bytes| bytes[200] ^= 1);
    damaged("cut.gz", &|bytes| bytes.truncate(300));
    refused(
        &folder,
        2,
        &[
            ("count 12 --ledger flipped.gz", ["is an archive, and a count cannot continue one", "a new file"]),
            ("count 12 -o 12.jsonl.gz", ["is a ledger, which the result would overwrite", "another file"]),
            ("merge 0.jsonl 1.jsonl --archive 12.jsonl.gz", ["is a ledger, which the result", "another file"]),
            ("merge 0.jsonl 1.jsonl --archive x -o x", ["--archive", "the same file as --output"]),
            ("merge 0.jsonl --archive 1.jsonl", ["is a ledger, which the result would overwrite", "another file"]),
        ],
    );
    refused(
        &folder,
        1,
        &[
            ("merge 0.jsonl 1.jsonl flipped.gz", ["flipped.gz' is damaged", "again"]),
            ("status flipped.gz", ["flipped.gz' is damaged", "again"]),
            ("merge flipped.gz --archive new", ["flipped.gz' is damaged", "again"]),
            ("merge cut.gz", ["cut.gz' is damaged: ", "get it from its source again"]),
            ("merge 0.jsonl --archive new", ["units are missing", "of shard 1 of 2"]),
        ],
    );
    assert_eq!(fs::read(folder.path().join("12.jsonl.gz")).unwrap(), before);
    assert!(!Path::new(&format!("{path}/new")).exists());
}

#[test]
fn the_records_have_the_published_totals() {
    for (record, total) in [("23", 24_233_937_684_440), ("24", 227_514_171_973_736)] {
        let merged = merge(&[read(Path::new(RECORDS).join(record).with_extension("jsonl.gz")).unwrap()]).unwrap();
        assert!(merged.total == total && merged.core_seconds > 1000.0, "N = {record}");
    }
}

/// The earlier plan cut the same counts into other units, and the earlier format had another name for the work of a
/// unit.
#[test]
fn a_ledger_of_an_earlier_plan_or_format_is_left_to_the_version_that_made_it() {
    let folder = tempfile::tempdir().unwrap();
    let earlier = folder.path().join("25.jsonl.gz");
    let header = "{\"schema\":\"nqueens/ledger/2\",\"board\":25,\"engine\":\"two-color\",\"plan\":\"row-sets-2\",\
        \"fingerprint\":\"4cb099d8d8e638e6\",\"divisor\":1,\"units\":15801,\"shard\":\"0/1\",\
        \"program_version\":\"0.2.0 (315352cbf6)\",\"host\":\"\",\"begun\":1795559798";
    fs::write(&earlier, forge::gzip(forge::sealed(header, "") + "\n")).unwrap();
    let version = "use the version of nqueens that began it, 0.2.0 (315352cbf6)";
    for command in ["merge", "status", "recheck --unit 3"] {
        let (message, code) = refusal(&mut nqueens(&format!("{command} {}", earlier.display())));
        assert!(code == 2 && message.contains("nqueens/ledger/2") && message.contains(version), "{message}");
    }
    let ledger = folder.path().join("12.jsonl");
    let header = "{\"schema\":\"nqueens/ledger/3\",\"board\":12,\"engine\":\"two-color\",\"plan\":\"row-sets-2\",\
        \"fingerprint\":\"90de5f6f5893ea9e\",\"divisor\":3,\"units\":81,\"shard\":\"0/2\",\
        \"program_version\":\"0.2.0 (d64ec37606)\",\"host\":\"vm\",\"begun\":1795413569,\"crc32\":\"51c1012f\"}\n";
    fs::write(&ledger, header).unwrap();
    let line = format!("count 12 --engine two-color --shard 0/2 --ledger {}", ledger.display());
    let (message, code) = refusal(&mut nqueens(&line));
    assert!(code != 0 && message.contains("finish it with nqueens 0.2.0 (d64ec37606), which began it"), "{message}");
    assert_eq!(fs::read_to_string(&ledger).unwrap(), header);
}

#[test]
fn the_ledgers_of_several_counts_are_listed_apart() {
    let (folder, path) = folder_of_shards();
    fs::copy(Path::new(RECORDS).join("23.jsonl.gz"), folder.path().join("0.jsonl.gz")).unwrap();
    let rows = json(&format!("status {path} --format json"))["rows"].clone();
    let of = |row: &Value| (row["board"].clone(), row["shard"].clone(), row["state"].clone());
    let rows: Vec<_> = rows.as_array().unwrap().iter().map(of).collect();
    let row = |board: u64, shard: &str, state: &str| (json!(board), json!(shard), json!(state));
    assert_eq!(rows.len(), 5, "{rows:?}");
    assert_eq!(rows[2..], [row(12, "all", "done"), row(23, "0/1", "done"), row(23, "all", "done")]);
    let text = stdout(&format!("status {path}"));
    let all: Vec<_> = text.lines().filter(|line| line.starts_with("N = ")).collect();
    assert!(matches!(all[..], [first, last] if first.starts_with("N = 12,") && last.starts_with("N = 23,")), "{text}");
}
