//! Archives, which are ledgers joined and compressed: they add up to what their ledgers do, and their damage is found.

use crate::forge;
use crate::run::{json, nqueens, refusal, refused, stdout};
use nqueens::ledger::{merge, read};
use std::fs;
use std::path::Path;

const RECORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/records");

/// Returns a folder with ledgers of two shards of N = 12.
fn folder_of_shards() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    for index in [0, 1] {
        stdout(&format!("count 12 --engine backtrack --split-rows 2 --shard {index}/2 --ledger {path}/{index}.jsonl"));
    }
    (folder, path)
}

/// Several ledgers may be joined and compressed in either order.
#[test]
fn joined_and_compressed_ledgers_are_read_like_the_ledgers() {
    let (folder, path) = folder_of_shards();
    let merged = json(&format!("merge {path} --format json"));
    let [first, second] = ["0.jsonl", "1.jsonl"].map(|name| fs::read(folder.path().join(name)).unwrap());
    let joined = [&first[..], &second].concat();
    for bytes in [&joined, &forge::gzip(&joined), &[forge::gzip(&second), forge::gzip(&first)].concat()] {
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path().join("12.jsonl.gz").display().to_string();
        fs::write(&all, bytes).unwrap();
        assert_eq!(stdout(&format!("merge {all} --fundamental")), "14200\n1787\n");
        let again = json(&format!("merge {all} --format json"));
        for key in ["total", "core_hours"] {
            assert_eq!(again[key], merged[key], "{key}");
        }
        assert!(stdout(&format!("recheck {all} --units 3")).contains(" agree "));
        assert_eq!(stdout(&format!("status --missing {all}")), "");
        // An archive adds nothing to its own ledgers.
        assert_eq!(json(&format!("merge {path} {all} --format json"))["core_hours"], merged["core_hours"]);
        let status = json(&format!("status {path} {all} --format json"));
        let shards: Vec<&str> =
            status["rows"].as_array().unwrap().iter().map(|row| row["shard"].as_str().unwrap()).collect();
        assert_eq!(shards, ["0/2", "0/2", "1/2", "1/2", "all"]);
    }
}

/// The ledger of a two-color count has a divisor, which finds a wrong partial count with a valid CRC.
#[test]
fn a_complete_count_that_makes_no_total_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("14.jsonl");
    stdout(&format!("count 14 --engine two-color --ledger {} --quiet", ledger.display()));
    forge::forge(&ledger, |number, object| {
        Some(if number == 9 { object.replacen("\"partial\":\"", "\"partial\":\"1000", 1) } else { object.to_owned() })
    });
    let (message, code) = refusal(&mut nqueens(&format!("merge {}", ledger.display())));
    assert!(code == 1 && message.contains("not a multiple of the plan's divisor"), "{message}");
    assert!(message.contains(&format!("`nqueens recheck --all {}`", ledger.display())), "{message}");
}

#[test]
fn a_part_may_be_a_compressed_ledger() {
    let (folder, path) = folder_of_shards();
    let part = folder.path().join("1.jsonl");
    fs::write(format!("{path}/1.jsonl.gz"), forge::gzip(fs::read(&part).unwrap())).unwrap();
    fs::remove_file(part).unwrap();
    assert_eq!(stdout(&format!("status --missing {path}/1.jsonl.gz")), "0\n");
    let (message, code) = refusal(&mut nqueens(&format!("merge {path}/1.jsonl.gz")));
    assert!(code == 1 && message.contains("units are missing, of shard 0 of 2"), "{message}");
    assert_eq!(stdout(&format!("merge {path}")), "14200\n");
    // A ledger of the whole plan can be used with any number of shards.
    let whole = format!("{path}/whole.jsonl");
    stdout(&format!("count 12 --engine backtrack --split-rows 2 --ledger {whole}"));
    assert_eq!(stdout(&format!("merge {path}/0.jsonl {whole}")), "14200\n");
}

#[test]
fn what_cannot_be_done_with_an_archive_is_refused_in_one_line() {
    let (folder, path) = folder_of_shards();
    let parts = ["0.jsonl", "1.jsonl"].map(|name| fs::read(folder.path().join(name)).unwrap());
    let before = forge::gzip(parts.concat());
    fs::write(folder.path().join("12.jsonl.gz"), &before).unwrap();
    let damaged = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = before.clone();
        change(&mut bytes);
        fs::write(folder.path().join(name), bytes).unwrap();
    };
    damaged("flipped.gz", &|bytes| bytes[200] ^= 1);
    damaged("cut.gz", &|bytes| bytes.truncate(300));
    damaged("longer.gz", &|bytes| bytes.extend(&parts[0]));
    fs::write(folder.path().join("joined.jsonl"), parts.concat()).unwrap();
    refused(
        &folder,
        2,
        &[
            ("count 12 --ledger flipped.gz", ["is an archive, and a count cannot continue one", "a new file"]),
            (
                "count 12 --shard 0/2 --ledger joined.jsonl",
                ["is several ledgers in one file, which `nqueens merge`", "of its own"],
            ),
            ("count 12 -o 12.jsonl.gz", ["is a ledger, which the result would overwrite", "another file"]),
        ],
    );
    refused(
        &folder,
        1,
        &[
            ("merge 0.jsonl 1.jsonl flipped.gz", ["flipped.gz' is damaged", "again"]),
            ("status flipped.gz", ["flipped.gz' is damaged", "again"]),
            ("merge longer.gz", ["longer.gz' is damaged", "again"]),
            ("merge cut.gz", ["cut.gz' is damaged: ", "get it from its source again"]),
            ("merge 0.jsonl -o new", ["units are missing", "of shard 1 of 2"]),
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
    assert!(code != 0 && message.contains("nqueens 0.2.0 (d64ec37606), which began it"), "{message}");
    assert_eq!(fs::read_to_string(&ledger).unwrap(), header);
}

#[test]
fn the_ledgers_of_several_counts_are_told_apart() {
    let (folder, path) = folder_of_shards();
    fs::copy(Path::new(RECORDS).join("23.jsonl.gz"), folder.path().join("0.jsonl.gz")).unwrap();
    let (message, code) = refusal(&mut nqueens(&format!("status {path}")));
    let parts = ["is of N = 23, but ", " is of N = 12; give the ledgers of one count"];
    assert!(code == 2 && parts.iter().all(|part| message.contains(part)), "{message}");
}

/// The commands of the page for a smaller board, except those that have tests of their own and take long.
#[test]
#[cfg(unix)]
fn the_commands_for_a_record_make_an_archive_that_adds_up() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/records.md")).unwrap();
    let blocks = page.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
    let is_short = |line: &&&str| !["nqueens verify", "nqueens estimate"].iter().any(|long| line.starts_with(long));
    let commands = lines.iter().filter(is_short).copied().collect::<Vec<_>>().join("\n").replace("28", "16");
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_nqueens")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut bash = crate::common::command("bash");
    let output = bash.args(["-euc", &commands]).env("PATH", path).current_dir(&folder).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.matches("14772512\n").count() == 3, "{output:?}");
    assert!(folder.path().join("16.jsonl.gz").exists() && folder.path().join("SHA256SUMS").exists());
}
