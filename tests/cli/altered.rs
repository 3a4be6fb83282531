//! Files that were changed on their way: ledgers with other line ends, joined ledgers, and files of other kinds. The
//! program reads them, or says what they are.

use crate::common::{self, wait_until_it_catches_signals};
use crate::forge::{self, gzip};
use crate::run::{ended, nqueens, ran, refusal, stdout};
use nix::sys::signal::Signal;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

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

/// Applies `f` to every line and its number, from 0.
fn each(text: &str, f: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(number, line)| f(number, line)).collect()
}

/// Runs a command, which must succeed and print nothing but remarks. Returns its standard output.
fn without_warning(arguments: &str) -> String {
    let (code, out, said) = ran(arguments);
    assert!(code == 0 && !said.contains("damaged") && !said.contains("warning"), "{arguments}: {said}");
    out
}

/// Returns the ways in which mail, editors and version control change the ends of lines.
fn other_line_ends(text: &str) -> Vec<String> {
    let crlf = |line: &str| format!("{line}\r\n");
    vec![
        each(text, |_, line| crlf(line)),
        each(text, |number, line| if number == 0 { crlf(line) } else { format!("{line}\n") }),
        text.replace('\n', " \n"),
        text.replace('\n', "\n\n"),
        each(text, |_, line| crlf(line)).trim_end_matches('\n').to_owned(),
        format!("{text}\n\n\r\n  \n"),
        format!("\n\r\n{text}"),
        format!("\u{feff}{}", text.replace('\n', "\r\n")),
    ]
}

#[test]
fn a_ledger_with_other_line_ends_is_read_and_gone_on_with() {
    let (folder, ledgers) = shards(1);
    let path = folder.path().join("12.jsonl");
    let name = path.display();
    let half: String = ledgers[0].split_inclusive('\n').take(40).collect();
    for (whole, half) in other_line_ends(&ledgers[0]).iter().zip(other_line_ends(&half)) {
        for bytes in [whole.clone().into_bytes(), gzip(whole)] {
            fs::write(&path, &bytes).unwrap();
            assert_eq!(without_warning(&format!("merge {name}")), TOTAL, "{whole:?}");
            assert_eq!(without_warning(&format!("status --missing {name}")), "");
        }
        assert!(without_warning(&format!("recheck {name} --units 2 --threads 1")).contains(" agree "));

        fs::write(&path, &half).unwrap();
        assert_eq!(without_warning(&format!("count 12 --ledger {name}")), TOTAL, "{half:?}");
        let after = fs::read_to_string(&path).unwrap();
        assert!(after.starts_with(&half), "it is only appended to");
        assert_eq!(after.matches("{\"unit\":{").count(), ledgers[0].matches("{\"unit\":{").count(), "{after}");
        assert_eq!(after.matches("\"schema\"").count(), 1, "{after}");
        assert_eq!(without_warning(&format!("merge {name}")), TOTAL);
        let (message, code) = refusal(&mut nqueens(&format!("count 12 -o {name}")));
        assert!(code == 2 && message.contains("is a ledger, which the result would overwrite"), "{message}");
    }
}

/// The message has the line number that an editor shows. A line that only begins like compressed data is damaged too.
#[test]
fn a_damaged_line_is_named_and_counted_again() {
    let (folder, ledgers) = shards(1);
    let path = folder.path().join("12.jsonl");
    let damaged = each(&ledgers[0], |number, line| {
        let line = if number == 4 { line.replace("\"partial\":\"", "\"partial\":\"1") } else { line.to_owned() };
        line + "\n"
    });
    let with_fifth = |fifth: &[u8]| {
        let mut lines: Vec<_> = ledgers[0].as_bytes().split_inclusive(|&byte| byte == b'\n').collect();
        lines[4] = fifth;
        lines.concat()
    };
    for bytes in [
        damaged.clone().into_bytes(),
        damaged.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{damaged}").into_bytes(),
        with_fifth(b"\x1f\x8b\x08\x00 garbage \xff\xff\n"),
    ] {
        fs::write(&path, &bytes).unwrap();
        let (code, out, said) = ran(&format!("merge {}", path.display()));
        let reason =
            if bytes.contains(&0x1f) { "line 5 is damaged: " } else { "line 5 is damaged: its CRC-32 is wrong;" };
        assert!(code == 1 && out.is_empty() && said.contains(reason) && said.contains("1 of "), "{said}");
        let (_, _, said) = ran(&format!("status {0} {0}", path.display()));
        assert_eq!(said.matches("line 5 is damaged").count(), 1, "{said}");
        let (code, total, said) = ran(&format!("count 12 --quiet --ledger {}", path.display()));
        assert!(said.starts_with("warning: ") && said.contains("line 5 is damaged"), "{said}");
        assert_eq!((code, &*total), (0, TOTAL));
        assert!(fs::read(&path).unwrap().starts_with(&bytes), "it is only appended to");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(stdout(&format!("merge {}", path.display())), TOTAL);
    }
}

#[test]
fn joined_ledgers_are_read_as_if_they_were_apart() {
    let (folder, ledgers) = shards(3);
    let path = folder.path().join("all.jsonl");
    let [a, b, c] = &ledgers[..] else { panic!("three shards") };
    let plain = |text: &str| text.as_bytes().to_vec();
    let marked = |text: &str| plain(&format!("\u{feff}{text}"));
    let wide = gzip(&a[..100]);
    for (parts, ledgers) in [
        (vec![plain(a), plain(b), plain(a), plain(c), plain(c)], 4),
        (vec![gzip(format!("{a}{b}{c}"))], 3),
        (vec![wide, gzip(&a[100..]), gzip(""), gzip(b), gzip(c)], 3),
        (vec![marked(&a.replace('\n', "\r\n")), marked(b), plain(c)], 3),
        (vec![plain("\n\n"), plain(a), plain("\r\n\n"), plain(b), plain("\n"), plain(c)], 3),
    ] {
        let bytes = parts.concat();
        fs::write(&path, &bytes).unwrap();
        let name = path.display();
        assert_eq!(without_warning(&format!("merge {name} --quiet")), TOTAL, "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(without_warning(&format!("status {name} --missing --quiet")), "");
        let rows = without_warning(&format!("status {name} --format csv"));
        assert_eq!(rows.lines().count(), 1 + ledgers + 1, "{rows}");
        assert!(without_warning(&format!("recheck {name} --units 2 --threads 1")).contains(" agree "));
        let archive = folder.path().join("archive.gz");
        let _ = fs::remove_file(&archive);
        without_warning(&format!("merge {name} --archive {}", archive.display()));
        assert_eq!(without_warning(&format!("merge {}", archive.display())), TOTAL);

        // A count appends to one ledger.
        for shard in 0..3 {
            let (message, code) = refusal(&mut nqueens(&format!("count 12 --shard {shard}/3 --ledger {name}")));
            assert!(code == 2 && !message.contains("damaged"), "{message}");
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "it is left alone");
    }
    fs::write(&path, [plain(a), plain(c)].concat()).unwrap();
    assert_eq!(stdout(&format!("status {} --missing", path.display())), "1\n");
    let (message, code) = refusal(&mut nqueens(&format!("merge {}", path.display())));
    assert!(code == 1 && message.contains("units are missing, of shard 1 of 3"), "{message}");
    let (message, code) = refusal(&mut nqueens(&format!("count 12 --shard 0/3 --ledger {}", path.display())));
    assert!(code == 2 && message.contains("is several ledgers in one file, which `nqueens merge`"), "{message}");
    // A part of this file is compressed, and is not taken for the whole.
    fs::write(&path, [gzip(a), plain(b), plain(c)].concat()).unwrap();
    let (message, code) = refusal(&mut nqueens(&format!("merge {}", path.display())));
    assert!(code == 1 && message.contains("' is damaged: "), "{message}");
}

/// Joined ledgers are checked like separate ones.
#[test]
fn joined_ledgers_hide_no_contradiction_no_damage_and_no_other_count() {
    let (folder, ledgers) = shards(3);
    let path = folder.path().join("all.jsonl");
    let name = path.display();
    let [a, b, c] = &ledgers[..] else { panic!("three shards") };
    let (_other, whole) = shards(1);
    let wrong = |text: &str| {
        let last = text.lines().last().unwrap();
        text.replace(&format!("{last}\n"), &forge::contradicting(text, last))
    };
    let failed = |parts: &[&str], code: i32, part: &str| {
        for bytes in [parts.concat().into_bytes(), parts.iter().flat_map(gzip).collect()] {
            fs::write(&path, bytes).unwrap();
            let (found, out, said) = ran(&format!("merge {name}"));
            assert!(out.is_empty() && found == code && said.contains(part), "{said}");
        }
    };
    // The wrong ledger follows the right one of its shard, then stands apart from it, then beside one of the whole
    // plan.
    failed(&[a, b, c, &wrong(c)], 1, "so this ledger cannot be used");
    failed(&[a, b, c, &wrong(a)], 1, "one of them is wrong");
    failed(&[&whole[0], &wrong(a)], 1, "one of them is wrong");
    // These are the lines of another shard, below this header.
    let others: String = b.split_inclusive('\n').skip(1).collect();
    failed(&[a, &others, c], 1, "is damaged: its CRC-32 is wrong");
    let (_folder, two) = shards(2);
    failed(&[a, b, c, &two[1]], 2, "give the ledgers of one count");
    let version = b.replacen("nqueens/ledger/3", "nqueens/ledger/9", 1);
    let version = each(&version, |number, line| {
        let line = if number == 0 { forge::forged(line, "", str::to_owned) } else { line.to_owned() };
        line + "\n"
    });
    failed(&[a, &version, c], 2, "in version 'nqueens/ledger/9' of the format");
    failed(&[a, &b.replacen("nqueens", "nquoins", 1), c], 1, "is damaged: its CRC-32 is wrong");
}

#[test]
fn a_file_that_is_no_ledger_is_refused_and_left_alone() {
    let (folder, ledgers) = shards(2);
    let path = |name: &str| folder.path().join(name);
    let text = &ledgers[0];
    let wide = |times| format!("\u{feff}{}", text.repeat(times)).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let json = stdout("count 8 --format json --quiet");
    let tar = |text: &str| {
        let mut header = vec![0; 512];
        header[..7].copy_from_slice(b"0.jsonl");
        header[257..262].copy_from_slice(b"ustar");
        [&header, text.as_bytes()].concat()
    };
    let headless = text.split_inclusive('\n').skip(1).collect::<String>();
    let flipped = text.replacen("nqueens", "nquoins", 1);
    // A count could use the lines in this tar archive, and must not add to it.
    let (_folder, whole) = shards(1);
    let cases = [
        (wide(1), "or it is not in UTF-8"),
        (wide(3000), "or it is not in UTF-8"),
        ([b"\x28\xB5\x2F\xFD", &vec![0xAA; 20 << 20][..]].concat(), "compressed with gzip"),
        (tar(text), "its first line is damaged or missing"),
        (tar(&whole[0]), "its first line is damaged or missing"),
        (gzip(tar(text)), "its first line is damaged or missing"),
        (text.replace('\n', ",\n").into_bytes(), "its first line is damaged or missing"),
        (text.replace('\n', "").into_bytes(), "its first line is damaged or missing"),
        (b"\n  <html>\n".to_vec(), "it has no header"),
        (json.into_bytes(), "it has no header"),
        (b"board,total\n8,92\n".to_vec(), "it has no header"),
        ("\u{e9}".repeat(5000).into_bytes(), "it has no header"),
        (b"\x7FELF\x02\x01\x01\x00\x00".to_vec(), "it has no header"),
        (vec![0; 100_000], "it has no header"),
        (headless.into_bytes(), "the same count with a new file begins with"),
        (flipped.into_bytes(), "the same count with a new file begins with"),
        (format!("{}\n", &text[..60]).into_bytes(), "its first line is damaged or missing"),
    ];
    fs::write(path("good.jsonl"), &ledgers[0]).unwrap();
    fs::write(path("rest.jsonl"), &ledgers[1]).unwrap();
    let [good, rest, other] = ["good.jsonl", "rest.jsonl", "other.jsonl"].map(|name| path(name).display().to_string());
    let check = |bytes: Option<&[u8]>, part: &str| {
        for command in ["merge", "status", "status --missing", "recheck", "count 12 --engine backtrack --ledger"] {
            let (message, code) = refusal(&mut nqueens(&format!("{command} {other}")));
            let is_refused_archive = bytes.is_some_and(|bytes| bytes.starts_with(b"\x1F\x8B"))
                && command.starts_with("count")
                && message.contains("is an archive, and a count cannot continue one");
            assert!(code == 2 && (message.contains(part) || is_refused_archive), "{command}: {part}: {message}");
            assert!(!message.contains("line 1 is damaged"), "{message}");
        }
        let (_, out, said) = ran(&format!("merge {good} {other} {rest}"));
        assert!(out == TOTAL && said.contains(part) && said.matches("warning").count() == 1, "{said}");
    };
    for (bytes, part) in &cases {
        fs::write(&other, bytes).unwrap();
        check(Some(bytes), part);
        assert_eq!(&fs::read(&other).unwrap(), bytes, "it is left alone");
    }
    fs::remove_file(&other).unwrap();
    nix::unistd::mkfifo(Path::new(&other), nix::sys::stat::Mode::S_IRWXU).unwrap();
    check(None, "it is not a regular file");
    fs::remove_file(&other).unwrap();
    std::os::unix::fs::symlink("/dev/null", &other).unwrap();
    check(None, "it is not a regular file");
    let (message, code) = refusal(&mut nqueens(&format!("count 12 --ledger {}", folder.path().display())));
    assert!(code == 2 && message.contains("it is not a regular file"), "{message}");
    // An empty file is no ledger yet.
    fs::remove_file(&other).unwrap();
    fs::write(&other, "").unwrap();
    let (message, code) = refusal(&mut nqueens(&format!("merge {other}")));
    assert!(code == 2 && message.contains("it is empty"), "{message}");
    assert_eq!(stdout(&format!("count 12 --ledger {other}")), TOTAL);
}

/// Starts a command that reads for a long time, and waits until it has used some CPU time.
fn reading(command: &str) -> Child {
    let mut started = common::nqueens();
    started.args(command.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = started.spawn().unwrap();
    wait_until_it_catches_signals(&child);
    let has_computed = || {
        assert!(child.try_wait().unwrap().is_none(), "it reads for long");
        common::cpu_ticks(child.id()) >= 20
    };
    common::wait(|| "it reads for long", has_computed);
    child
}

/// Without the signal these commands would go on for minutes: they read eight gigabytes of lines, or make a plan for
/// each of many headers.
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
                let of_28 = object.replacen("\"board\":12", "\"board\":28", 1);
                of_28.replacen("\"shard\":\"0/1\"", &format!("\"shard\":\"{number}/1000\""), 1)
            }) + "\n"
        })
        .collect();
    for (bytes, commands) in
        [(grows, &["merge", "status", "status --missing", "recheck"][..]), (headers.into_bytes(), &["merge", "status"])]
    {
        let path = folder.path().join("hostile.jsonl.gz");
        fs::write(&path, bytes).unwrap();
        for command in commands {
            let child = reading(&format!("{command} {}", path.display()));
            common::send(&child, Signal::SIGTERM);
            let (code, _, said) = ended(common::output_of(child));
            assert_eq!((code, &*said), (143, "stopped before it was finished\n"), "{command}");
        }
    }
}

/// Every shard whose ledger contradicts itself is named, not only the first.
#[test]
fn every_contradicted_shard_is_missing() {
    let (folder, ledgers) = shards(1);
    let path = folder.path().join("12.jsonl");
    let wrong = |unit: usize| {
        let line = ledgers[0].lines().find(|line| line.contains(&format!("{{\"unit\":{unit},"))).unwrap();
        forge::contradicting(&ledgers[0], line)
    };
    let [first, second] = [wrong(0) + &wrong(7), wrong(2) + &wrong(1)];
    // The contradictions are in one file, in each of two files, and between two files.
    let copy = folder.path().join("copy.jsonl");
    for (text, other) in [
        (format!("{}{first}{second}", ledgers[0]), None),
        (ledgers[0].clone() + &first, Some(ledgers[0].clone() + &second)),
        (ledgers[0].clone(), Some(format!("{}\n{first}{second}", ledgers[0].lines().next().unwrap()))),
    ] {
        fs::write(&path, text).unwrap();
        fs::write(&copy, other.unwrap_or_else(|| ledgers[0].clone())).unwrap();
        let (code, out, _) = ran(&format!("status --missing --shards 5 {} {}", path.display(), copy.display()));
        assert_eq!((code, &*out), (1, "0-2\n"));
    }
}
