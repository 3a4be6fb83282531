//! `scripts/record.sh`, which counts a board for the record.

use crate::common;
use crate::run::nqueens;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use nqueens::ledger::read;
use nqueens::random::SplitMix64;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn record(arguments: &[&str]) -> Command {
    let mut command = common::command("bash");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/record.sh")).args(arguments);
    command.env("NQUEENS_PROGRAM", env!("CARGO_BIN_EXE_nqueens"));
    command
}

/// Returns the only line on standard error, and the exit code.
fn refused(output: &Output) -> (String, Option<i32>) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("error: ") && said.lines().count() == 1 && output.stdout.is_empty(), "{said}");
    (said, output.status.code())
}

#[test]
fn what_cannot_be_a_record_is_refused_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let (folder, file) = (dir.path().join("q"), file.to_str().unwrap());
    let q = folder.to_str().unwrap();
    for (arguments, part) in [
        (&[][..], "give N from 16 to 28"),
        (&["15", q], "not '15'"),
        (&["29", q], "not '29'"),
        (&["18"], "give a folder"),
        (&["18", file], "is not a folder"),
        (&["18", q, "more"], "'more' is one argument too many"),
        (&["18", q, "--threads", "0"], "--threads needs a number"),
        (&["18", q, "--fast"], "unknown option '--fast'"),
        (&["18", q, "--shards", "/no/such"], "--shards needs a folder"),
        (&["18", q, "--shards", "/", "--plan"], "--plan is for a count on this machine"),
    ] {
        let (said, code) = refused(&record(arguments).output().unwrap());
        assert!(code == Some(2) && said.contains(part), "{arguments:?}: {said}");
    }
    let (said, code) = refused(&record(&["18", q]).env("NQUEENS_PROGRAM", "/no/such").output().unwrap());
    assert!(code == Some(2) && said.contains("there is no program '/no/such'"), "{said}");
    for program in ["/bin/true", "/bin/false"] {
        let (said, code) = refused(&record(&["18", q]).env("NQUEENS_PROGRAM", program).output().unwrap());
        assert!(code == Some(2) && said.contains("is not nqueens"), "{said}");
    }
    assert!(!folder.exists());
}

/// Returns a program that says its name and makes an estimate with this outcome. Everything else fails.
fn estimating(folder: &Path, outcome: &str) -> String {
    let csv = format!(
        "board,quantity,estimate,low,high,threads,core_hours,thread_memory,shared_memory,outcome,kernel\n\
         20,time,5600000,3000,4.1e8,64,99512.3,1,1,{outcome},avx2"
    );
    common::program(
        folder,
        "estimating",
        &format!("case $1 in --version) echo nqueens 9 ;; estimate) echo '{csv}' ;; *) exit 1 ;; esac"),
    )
}

#[test]
fn a_machine_that_is_too_small_or_wrong_and_a_folder_in_use_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let with = |program: &str, n: &str, q: &str| record(&[n, q]).env("NQUEENS_PROGRAM", program).output().unwrap();
    let small = estimating(dir.path(), "it needs 9 GiB");
    for _ in 0..2 {
        let (said, code) = refused(&with(&small, "20", &at("small")));
        assert_eq!((&*said, code), ("error: it needs 9 GiB\n", Some(1)));
    }
    let wrong = estimating(dir.path(), "estimated");
    let output = with(&wrong, "20", &at("wrong"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = "N = 20: about 64.8 days (0.833 h to 13 years) on 64 threads, 99512 core-hours, ";
    assert!(said.contains(expected), "{said}");
    assert!(
        said.ends_with("error: this machine computes wrong numbers\n") && output.status.code() == Some(1),
        "{said}"
    );
    // The fault is not forgotten, although another check might find nothing.
    let (said, code) = refused(&with(&wrong, "20", &at("wrong")));
    assert!(code == Some(1) && said.contains("computes wrong numbers; remove '"), "{said}");
    fs::remove_file(at("wrong/fault")).unwrap();
    // The copy of the program is used again.
    let (said, code) = refused(&with("/no/such", "21", &at("wrong")));
    assert!(code == Some(2) && said.contains("is of N = 20"), "{said}");

    let mut lock = common::command("flock");
    lock.arg("--no-fork").arg(at("wrong/lock")).args(["sh", "-c", "echo; exec sleep 60"]);
    let mut lock = lock.stdout(Stdio::piped()).spawn().unwrap();
    std::io::Read::read_exact(lock.stdout.as_mut().unwrap(), &mut [0]).unwrap();
    let (said, code) = refused(&with(&wrong, "20", &at("wrong")));
    assert!(code == Some(1) && said.contains("another record.sh is at work"), "{said}");
    let by_cron = record(&["20", &at("wrong"), "--cron"]).output().unwrap();
    assert!(by_cron.status.success() && by_cron.stderr.is_empty(), "cron's log stays short");
    lock.kill().unwrap();
    lock.wait().unwrap();
}

/// Returns a program that finds no fault in the machine, and does everything else as the real one does.
fn hasty(folder: &Path) -> String {
    let real = env!("CARGO_BIN_EXE_nqueens");
    common::program(folder, "hasty", &format!("[ $1 != verify ] || exec echo fine\nexec {real} \"$@\""))
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// Asserts that a folder to publish has its files, that the checksum is right, and that the archive adds up to a total.
fn assert_whole(publish: &Path, archive: &str, total: &str) {
    let names: Vec<String> = files(publish).into_keys().collect();
    assert_eq!(names, [archive, "README.md", "SHA256SUMS", "recheck.csv", "total.csv"]);
    let mut sum = common::command("sha256sum");
    assert!(sum.args(["--check", "--strict", "SHA256SUMS"]).current_dir(publish).output().unwrap().status.success());
    let mut merge = common::nqueens();
    merge.arg("merge").arg(publish.join(archive)).arg("--quiet");
    assert_eq!(String::from_utf8_lossy(&merge.output().unwrap().stdout), format!("{total}\n"));
}

/// A crash of the machine may leave files empty or cut, and people replace them.
#[test]
fn a_file_that_is_not_as_it_was_made_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("q16");
    let publish = folder.join("publish");
    let program = hasty(dir.path());
    let run = || {
        let mut record = record(&["16", folder.to_str().unwrap(), "--threads", "1", "--recheck", "2"]);
        record.env("NQUEENS_PROGRAM", &program).output().unwrap()
    };
    let whole = |output: &Output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert_whole(&publish, "16.jsonl.gz", "14772512");
        let published = files(&publish);
        assert_eq!(published["README.md"], output.stdout);
        assert!(output.stdout.starts_with(b"# Q(16) = 14,772,512\n"));
        assert_eq!(String::from_utf8_lossy(&published["recheck.csv"]).matches(",true,").count(), 2);
        let total = String::from_utf8_lossy(&published["total.csv"]).into_owned();
        assert!(total.contains("\n16,14772512,1846955,matches,"), "{total}");
        said
    };
    whole(&run());
    let (inner, outer) = (files(&publish), files(&folder));
    let again = run();
    assert!(whole(&again).lines().count() == 1 && files(&publish) == inner, "nothing is made twice");

    let paths = inner.keys().map(|name| publish.join(name)).chain(outer.keys().map(|name| folder.join(name)));
    for (index, path) in paths.filter(|path| !path.ends_with("lock")).enumerate() {
        let good = fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = good.split_inclusive(|&byte| byte == b'\n').collect();
        let bad = [lines[..lines.len() - 1].concat(), good[..good.len() / 2].to_vec(), b"something else\n".to_vec()];
        // The script reads the ledger and the list of checksums line by line, and of other files only the checksum.
        let is_read = path.ends_with("16.jsonl") || path.ends_with("made");
        let kinds = if is_read { 0..3 } else { index % 3..index % 3 + 1 };
        for bad in &bad[kinds] {
            fs::write(&path, bad).unwrap();
            let said = whole(&run());
            assert_eq!(files(&publish).get("16.jsonl.gz"), inner.get("16.jsonl.gz"), "{}: {said}", path.display());
        }
        // The archive was used instead of the ledger.
        if path.ends_with("16.jsonl") {
            fs::write(&path, good).unwrap();
        }
    }
    // All files are empty at once, except the ledger. Then a folder is in the way of a file.
    for path in inner.keys().map(|name| publish.join(name)) {
        fs::write(path, "").unwrap();
    }
    whole(&run());
    fs::remove_file(publish.join("total.csv")).unwrap();
    fs::create_dir(publish.join("total.csv")).unwrap();
    let output = run();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("'total.csv' cannot be written")
    );
    fs::remove_dir(publish.join("total.csv")).unwrap();
    let (said, code) = refused(&record(&["17", folder.to_str().unwrap()]).output().unwrap());
    assert!(code == Some(2) && said.contains("is of N = 16; give another folder"), "{said}");
}

/// The machines have different kernels, and their folder has a shard twice. `NQUEENS_KERNEL` is heeded, and named.
#[test]
fn the_shards_of_many_machines_are_published() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, ledgers) = (dir.path().join("q16"), dir.path().join("ledgers"));
    fs::create_dir(&ledgers).unwrap();
    let count = |shard: &str, kernel: &str, name: &str| {
        let count = format!("count 16 --engine two-color --quiet --shard {shard} --kernel {kernel} --ledger");
        nqueens(&count).arg(ledgers.join(name)).assert().success();
    };
    count("0/2", "portable", "a.jsonl");
    let program = hasty(dir.path());
    let publish = |n: &str| {
        let mut record =
            record(&[n, folder.to_str().unwrap(), "--recheck", "2", "--shards", ledgers.to_str().unwrap()]);
        record.env("NQUEENS_PROGRAM", &program).env("NQUEENS_KERNEL", "portable").output().unwrap()
    };
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let output = publish("16");
    assert!(!output.status.success() && said(&output).contains("units are missing, of shard 1 of 2"), "{output:?}");
    count("1/2", "auto", "b.jsonl");
    count("1/2", "portable", "c.jsonl");
    let output = publish("17");
    assert!(output.status.code() == Some(2) && said(&output).contains("is of N = 16, not of 17"), "{output:?}");

    let output = publish("16");
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).contains("record: counts with kernel portable (NQUEENS_KERNEL is set)\n"), "{output:?}");
    let publish = folder.join("publish");
    assert_whole(&publish, "16.jsonl.gz", "14772512");
    let page = fs::read_to_string(publish.join("README.md")).unwrap();
    let fast = &read(ledgers.join("b.jsonl")).unwrap().runs[0].kernel;
    for (kernel, units) in [("portable", 45), (fast, 44)] {
        let part = format!(", kernel {kernel} | {units} units |\n");
        assert!(fast == "portable" || page.contains(&part), "{part}: {page}");
    }
}

#[test]
fn what_a_terminal_obeys_is_not_printed() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("publish")).unwrap();
    fs::write(dir.path().join("fault"), "\u{1b}[31mred\u{7}\n\u{1b}c\u{9b}31mred\r\0\u{8}\u{7f}").unwrap();
    let (said, code) = refused(&record(&["16", dir.path().to_str().unwrap()]).output().unwrap());
    assert!(code == Some(1) && said.trim_end().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{said:?}");
}

/// Returns the processes that run the program of this folder with this command.
fn running(folder: &Path, command: &str) -> Vec<Pid> {
    let program = folder.join("nqueens");
    let is_it = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut words = line.split(|&byte| byte == 0);
        words.next() == program.to_str().map(str::as_bytes) && words.next() == Some(command.as_bytes())
    };
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(is_it).map(Pid::from_raw).collect()
}

fn kill_all(folder: &Path, command: &str) {
    for pid in running(folder, command) {
        kill(pid, Signal::SIGKILL).unwrap();
    }
}

/// Waits for an event while the script runs; for ten minutes, because the machine is checked twice.
fn wait_until(script: &mut Child, mut happens: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happens() {
        if let Some(status) = script.try_wait().unwrap() {
            let said = std::io::read_to_string(script.stderr.take().unwrap()).unwrap();
            panic!("the script does not go on, {status}: {said}");
        }
        assert!(start.elapsed() < Duration::from_secs(600), "it does not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The script is killed while it checks the machine, counts, and counts again; the program is killed while it counts.
#[test]
#[ignore = "slow"]
fn a_record_that_is_killed_at_every_step_is_counted_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(dir.path()).unwrap().join("q20");
    let ledger = folder.join("20.jsonl");
    let arguments = ["20", folder.to_str().unwrap(), "--threads", "1", "--recheck", "10"];
    let start = || record(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let end = |mut script: Child| {
        script.kill().unwrap();
        script.wait().unwrap();
    };
    let mut random = SplitMix64::new(std::process::id().into());
    let units = || read(&ledger).map_or(0, |contents| contents.units.len());

    let mut script = start();
    wait_until(&mut script, || !running(&folder, "verify").is_empty());
    end(script);
    kill_all(&folder, "verify");
    for round in 0..6 {
        let mut script = start();
        let wanted = units() + 1 + random.below(150) as usize;
        wait_until(&mut script, || units() >= wanted);
        // The script goes on when the program is killed, and the program when the script is killed.
        if round % 2 == 0 {
            kill_all(&folder, "count");
            wait_until(&mut script, || units() > wanted);
        }
        end(script);
        if round % 3 == 0 {
            kill_all(&folder, "count");
        }
    }
    let mut script = start();
    wait_until(&mut script, || !running(&folder, "recheck").is_empty());
    end(script);

    let output = start().wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = fs::read_to_string(&ledger).unwrap();
    assert_eq!(lines.matches("{\"unit\":{").count(), read(&ledger).unwrap().units.len(), "no unit was counted twice");
    assert_whole(&folder.join("publish"), "20.jsonl.gz", "39029188884");
    let page = fs::read_to_string(folder.join("publish/README.md")).unwrap();
    for part in ["# Q(20) = 39,029,188,884\n", "| 4,878,666,808 |", "| matches |", "| 10 units, which agree "] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains(folder.to_str().unwrap()), "{page}");
    // Published files stay, and a file that a killed program left behind does not.
    let left = folder.join("publish/20.jsonl.gz.new.partial");
    fs::write(&left, "").unwrap();
    let again = record(&["20", arguments[1], "--recheck", "11"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&again.stdout), page);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("10 units are counted again already"), "{said}");
    assert!(!left.exists());
}
