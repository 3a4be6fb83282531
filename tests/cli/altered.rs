//! Files that were changed on their way: damaged ledgers, joined ledgers, and files of other kinds. The program reads
//! them, or says what they are.

use crate::common::{self, wait_until_it_heeds_signals};
use crate::forge::{self, gzip};
use crate::run::{ended, nqueens, ran, refusal, stdout};
use nix::sys::signal::Signal;
use std::fs;
use std::process::Stdio;

const TOTAL: &str = "14200\n";

/// Counts N = 12 in shards, and returns the folder and the text of each ledger. Each has a few lines.
fn shards(count: usize) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let ledgers = (0..count).map(|index| {
        let path = folder.path().join("ledger");
        let shard = if count > 1 { format!("--shard {index}/{count}") } else { String::new() };
        stdout(&format!("count 12 --engine two-color --quiet --ledger {} {shard}", path.display()));
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(path).unwrap();
        text
    });
    let ledgers = ledgers.collect();
    (folder, ledgers)
}

/// The message has the line number that an editor shows. A line that only begins like compressed data is damaged too.
#[test]
fn a_damaged_line_is_named_and_counted_again() {
    let (folder, ledgers) = shards(1);
    let path = folder.path().join("12.jsonl");
    let name = path.display();
    let lines: Vec<&[u8]> = ledgers[0].as_bytes().split_inclusive(|&byte| byte == b'\n').collect();
    let wrong = String::from_utf8_lossy(lines[4]).replace("\"partial\":\"", "\"partial\":\"1");
    for (fifth, reason) in [
        (wrong.as_bytes(), "line 5 is damaged: its CRC-32 is wrong;"),
        (b"\x1f\x8b\x08\x00 garbage \xff\xff\n", "line 5 is damaged: "),
    ] {
        fs::write(&path, [&lines[..4], &[fifth], &lines[5..]].concat().concat()).unwrap();
        let (code, out, said) = ran(&format!("merge {name}"));
        assert!(code == 1 && out.is_empty() && said.contains(reason) && said.contains("1 of "), "{said}");
        let (_, _, said) = ran(&format!("status {name}"));
        assert_eq!(said.matches("line 5 is damaged").count(), 1, "{said}");
        let (code, total, said) = ran(&format!("count 12 --quiet --ledger {name}"));
        assert!(said.starts_with("warning: ") && said.contains("line 5 is damaged"), "{said}");
        assert_eq!((code, &*total), (0, TOTAL));
        assert_eq!(stdout(&format!("merge {name}")), TOTAL);
    }
}

/// Joined ledgers are checked like separate ones.
#[test]
fn joined_ledgers_hide_no_contradiction_no_damage_and_no_other_count() {
    let (folder, ledgers) = shards(3);
    let path = folder.path().join("all.jsonl");
    let name = path.display();
    let [a, b, c] = &ledgers[..] else { panic!("three shards") };
    let wrong = |text: &str| {
        let last = text.lines().last().unwrap();
        text.replace(&format!("{last}\n"), &forge::contradicting(text, last))
    };
    let failed = |parts: &[&str], code: i32, part: &str| {
        fs::write(&path, parts.concat()).unwrap();
        let (found, out, said) = ran(&format!("merge {name}"));
        assert!(out.is_empty() && found == code && said.contains(part), "{said}");
    };
    // The wrong ledger follows the right one of its shard, and then stands apart from it.
    failed(&[a, b, c, &wrong(c)], 1, "delete the lines of this unit");
    let advice = "of each ledger by itself, from its line with \"schema\" on, tells which";
    failed(&[a, b, c, &wrong(a)], 1, &format!(" in '{name}': one of them is wrong"));
    failed(&[a, b, c, &wrong(a)], 1, advice);
    let part = folder.path().join("part.jsonl");
    fs::write(&part, wrong(a)).unwrap();
    let (_, _, said) = ran(&format!("recheck --all --quiet {}", part.display()));
    assert!(said.contains(" differs: unit "), "{said}");
    fs::write(&path, a).unwrap();
    let (_, _, said) = ran(&format!("merge {name} {}", part.display()));
    assert!(said.contains("; `nqueens recheck --unit ") && said.contains(advice), "{said}");
    // These are the lines of another shard, below this header.
    failed(&[a, b.split_once('\n').unwrap().1, c], 1, "is damaged: its CRC-32 is wrong");
    let (_folder, two) = shards(2);
    failed(&[a, b, c, &two[1]], 2, "give the ledgers of one count");
    let (header, units) = b.split_once('\n').unwrap();
    let header = forge::forged(header, "", |object| object.replacen("nqueens/ledger/3", "nqueens/ledger/9", 1));
    let version = format!("{header}\n{units}");
    failed(&[a, &version, c], 2, "in version 'nqueens/ledger/9' of the format");
}

/// `tests/library/ledger.rs` tests other files.
#[test]
fn a_file_that_is_no_ledger_is_refused_alone_and_left_out_among_ledgers() {
    let (folder, ledgers) = shards(2);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [good, rest, other] = ["good.jsonl", "rest.jsonl", "other.jsonl"].map(path);
    fs::write(&good, &ledgers[0]).unwrap();
    fs::write(&rest, &ledgers[1]).unwrap();
    fs::write(&other, "board,total\n8,92\n").unwrap();
    for command in ["merge", "status", "status --missing", "recheck", "count 12 --engine backtrack --ledger"] {
        let (message, code) = refusal(&mut nqueens(&format!("{command} {other}")));
        assert!(code == 2 && message.contains("it has no header"), "{command}: {message}");
    }
    let (_, out, said) = ran(&format!("merge {good} {other} {rest}"));
    assert!(out == TOTAL && said.contains("it has no header") && said.matches("warning").count() == 1, "{said}");
    // An empty file is no ledger yet.
    fs::write(&other, "").unwrap();
    let (message, code) = refusal(&mut nqueens(&format!("merge {other}")));
    assert!(code == 2 && message.contains("it is empty"), "{message}");
    assert_eq!(stdout(&format!("count 12 --ledger {other}")), TOTAL);
}

/// Without the signal these commands would go on for minutes: they read eight gigabytes of lines, or make a plan for
/// each of many headers, of which two neighbours are never of one plan.
#[test]
fn a_stop_is_heeded_while_a_hostile_ledger_is_read() {
    let (folder, ledgers) = shards(1);
    let run = ledgers[0].lines().nth(1).unwrap();
    let lines = gzip(format!("{run}\n").repeat(40_000));
    let grows = [gzip(&ledgers[0]), lines.repeat(1000)].concat();
    let header = ledgers[0].lines().next().unwrap();
    let headers: String = (0..1000)
        .map(|number| {
            forge::forged(header, "", |object| {
                let board = format!("\"board\":{}", 27 + number % 2);
                let shard = format!("\"shard\":\"{number}/1000\"");
                object.replacen("\"board\":12", &board, 1).replacen("\"shard\":\"0/1\"", &shard, 1)
            }) + "\n"
        })
        .collect();
    for (bytes, commands) in
        [(grows, &["merge", "status", "status --missing", "recheck"][..]), (headers.into_bytes(), &["merge", "status"])]
    {
        let path = folder.path().join("hostile.jsonl.gz");
        fs::write(&path, bytes).unwrap();
        for command in commands {
            let mut started = common::nqueens();
            started.args(command.split(' ')).arg(&path).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = started.spawn().unwrap();
            wait_until_it_heeds_signals(&child);
            let has_computed = || {
                assert!(child.try_wait().unwrap().is_none(), "it reads for long");
                common::cpu_ticks(child.id()) >= 20
            };
            common::wait(|| "it reads for long", has_computed);
            common::send(&child, Signal::SIGTERM);
            let (code, _, said) = ended(common::output_of(child));
            assert_eq!((code, &*said), (143, "stopped before it was finished\n"), "{command}");
        }
    }
}
