//! Random attacks on the program: command lines that nobody means, limits of the system, and kills of counts that are
//! continued. `common/fuzz.rs` says how to choose the seed and the number of cases.

use crate::commands::COMMANDS;
use crate::common;
use crate::forge::Known;
use crate::fuzz::{at, fuzz, one_of, word};
use nqueens::ledger::read;
use nqueens::random::SplitMix64;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;

/// Counts of a tenth of a second or less, with their totals: of both engines, in few units and in many.
const COUNTS: [(&str, u128); 4] = [
    ("count 12 --engine backtrack --split-rows 2", 14_200),
    ("count 13 --engine backtrack --split-rows 3", 73_712),
    ("count 13 --engine two-color", 73_712),
    ("count 14 --engine two-color", 365_596),
];

/// Runs a bash script that ends by `"$@"`, the program with these arguments. After `seconds` it gets SIGINT.
fn run(folder: &Path, script: &str, seconds: f64, arguments: &[String]) -> Output {
    let mut command = common::command("timeout");
    command.args(["--signal=INT", "--kill-after=20", &seconds.to_string(), "bash", "-c", script, "bash"]);
    let output = command.arg(env!("CARGO_BIN_EXE_nqueens")).args(arguments).current_dir(folder).output();
    output.expect("timeout and bash are installed")
}

pub(crate) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Returns a description of the first fault that no command may have. `stopped` are the exit codes that this case
/// allows besides those of the program.
pub(crate) fn judge(output: &Output, stopped: &[i32]) -> Result<(), String> {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let ensure = |holds: bool, fault: &str| if holds { Ok(()) } else { Err(format!("{fault}: {output:?}")) };
    ensure(!err.contains("panicked"), "it panics")?;
    // This is the code that a shell shows.
    let code = output.status.code().or_else(|| output.status.signal().map(|signal| 128 + signal)).unwrap_or(-1);
    ensure((0..=2).contains(&code) || stopped.contains(&code), "it ends as no document says")?;
    let is_control = |text: &str| text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    ensure(!is_control(&out) && !is_control(&err), "a control character passes")?;
    ensure(!err.contains("do not trust"), "it finds its own count wrong")?;
    ensure(code != 2 || out.is_empty() && err.lines().count() == 1, "a bad command line is not refused in one line")
}

/// The exit code of `timeout` if it had to end the program.
const INTERRUPTED: i32 = 124;

/// Returns the options of each command, with the values that its help names.
fn options() -> BTreeMap<&'static str, Vec<(String, Vec<String>)>> {
    let of = |command: &str| {
        let output = common::nqueens().args([command, "--help"]).output().unwrap();
        let mut options: Vec<(String, Vec<String>)> = Vec::new();
        for line in String::from_utf8(output.stdout).unwrap().lines().map(str::trim_start) {
            if line.starts_with('-') && !line.starts_with("- ") {
                let mut words = line.split([' ', ',', '=', '[']);
                options.extend(words.find(|word| word.starts_with("--")).map(|name| (name.to_owned(), Vec::new())));
            }
            if let (Some((_, values)), Some((_, listed))) = (options.last_mut(), line.split_once("[possible values: "))
            {
                values.extend(listed.trim_end_matches(']').split(", ").map(str::to_owned));
            }
        }
        options
    };
    COMMANDS.into_iter().map(|command| (command, of(command))).filter(|(_, options)| options.len() > 2).collect()
}

#[test]
fn fuzz_command_lines() {
    let commands: Vec<_> = options().into_iter().collect();
    assert!(commands.len() >= 11, "{commands:?}");
    fuzz(100, |random| {
        let folder = tempfile::tempdir().unwrap();
        let (command, options) = one_of(random, &commands);
        let mut line = vec![(*command).to_owned()];
        if random.below(4) > 0 {
            line.push(one_of(random, &["1", "4", "8", "11", "0", "33", "-1", "abc", "", "8.0"]).to_string());
        }
        for _ in 0..random.below(5) {
            let (option, listed) = one_of(random, options);
            line.push(option.clone());
            if random.below(8) > 0 {
                let value = (random.below(2) == 0).then(|| listed.get(at(random, listed.len().max(1)))).flatten();
                line.push(value.map_or_else(|| word(random).to_owned(), String::clone));
            }
        }
        // The program takes no more memory than this, whatever the arguments ask of it.
        let output = run(folder.path(), "ulimit -v 6000000; \"$@\"", 1.5, &line);
        judge(&output, &[INTERRUPTED]).unwrap_or_else(|fault| panic!("{line:?}: {fault}"));
    });
}

/// Returns a script that sets a limit of the system or takes something away, and the exit codes that this explains.
/// With lower limits the system cannot load the program.
fn limit(random: &mut SplitMix64) -> (String, &'static [i32]) {
    // Without memory or time, the program ends by SIGABRT, SIGSEGV or SIGXCPU. Bash ends with 126 or 127 if the program
    // cannot be loaded.
    match random.below(7) {
        0 => (format!("ulimit -n {}", 4 + random.below(10)), &[126, 127]),
        1 => (format!("ulimit -v {}", 12_000 << random.below(6)), &[134, 139, 126, 127]),
        2 => (format!("ulimit -s {}", 128 << random.below(4)), &[134, 139, 126, 127]),
        3 => (format!("ulimit -Sf {}; trap '' XFSZ", random.below(20)), &[]),
        4 => ("ulimit -St 1".to_owned(), &[152]),
        5 => {
            let closed = ["exec 0<&-", "exec 1>&-", "exec 2>&-", "exec 0<&- 2>&-", "exec 0<&- 1>&-"];
            (one_of(random, &closed).to_string(), &[])
        }
        _ => (format!("trap '' {}", one_of(random, &["INT", "HUP", "PIPE"])), &[]),
    }
}

#[test]
fn fuzz_limits() {
    fuzz(30, |random| {
        let folder = tempfile::tempdir().unwrap();
        let (count, total) = one_of(random, &COUNTS);
        let others = ["table 9", "solve 8", "methods 6", "estimate 12", "trace 5", "status --shards 3 none"];
        let counts = random.below(3) > 0;
        let line = if counts { *count } else { *one_of(random, &others) };
        let threads = if line.starts_with("count") { " --threads 3" } else { "" };
        let ledger = if counts && random.below(2) == 0 { " --ledger l.jsonl" } else { "" };
        let output = *one_of(random, &["", "", " -o /dev/stdout", " -o /dev/fd/1"]);
        let output = if line.starts_with("count") { output } else { "" };
        let line = words(&format!("{line}{threads}{ledger}{output}"));
        let (limit, explained) = limit(random);
        let output = run(folder.path(), &format!("{limit}; \"$@\""), 60.0, &line);
        judge(&output, explained).unwrap_or_else(|fault| panic!("{limit}; {line:?}: {fault}"));
        let printed = String::from_utf8(output.stdout).unwrap();
        let right = printed.trim() == total.to_string();
        let is_closed = limit.contains("1>&-");
        assert!(!counts || right || is_closed || output.status.code() != Some(0), "{limit}; {line:?}: {printed}");
        if !ledger.is_empty() {
            let again = run(folder.path(), "\"$@\"", 60.0, &line);
            assert_eq!(String::from_utf8(again.stdout).unwrap().trim(), total.to_string(), "after {limit}; {line:?}");
        }
    });
}

/// The slower counts are killed before they are done.
#[test]
fn fuzz_kills() {
    let slow = ("count 15 --engine backtrack --kernel scalar --split-rows 3", 2_279_184);
    let counts = [COUNTS[1], COUNTS[3], slow, slow];
    let unfinished = Cell::new(0);
    fuzz(8, |random| {
        let folder = tempfile::tempdir().unwrap();
        let (count, total) = one_of(random, &counts);
        let shards = *one_of(random, &[1, 1, 2, 3]);
        let mut paths = Vec::new();
        for shard in 0..shards {
            let path = folder.path().join(format!("{shard}.jsonl"));
            let of = if shards == 1 { String::new() } else { format!("--shard {shard}/{shards}") };
            let mut before = BTreeSet::new();
            for _ in 0..random.below(6) {
                let line = format!("{count} {of} --threads {} --ledger {shard}.jsonl", 1 + random.below(4));
                let signal = *one_of(random, &["INT", "TERM", "HUP", "KILL", "KILL"]);
                let script = format!("\"$@\" & sleep 0.{:03}; kill -{signal} $!; wait $!", random.below(150));
                let output = run(folder.path(), &script, 60.0, &words(&line));
                // 1 if `kill` came too late, and the exit codes of the signals as a shell shows them.
                judge(&output, &[1, 128 + 1, 128 + 2, 128 + 9, 128 + 15])
                    .unwrap_or_else(|fault| panic!("{line}: {fault}"));
                before = judge_ledger(&path, &before);
                if !before.is_empty() {
                    let contents = read(&path).unwrap();
                    assert!(contents.damage.is_none() && contents.contradiction.is_none(), "{line}: {contents:?}");
                    unfinished.set(unfinished.get() + usize::from(!contents.is_complete()));
                }
            }
            let line = format!("{count} {of} --ledger {shard}.jsonl");
            let output = run(folder.path(), "\"$@\"", 60.0, &words(&line));
            assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
            judge_ledger(&path, &before);
            paths.push(format!("{shard}.jsonl"));
        }
        let merged = run(folder.path(), "\"$@\"", 60.0, &words(&format!("merge {}", paths.join(" "))));
        assert_eq!(String::from_utf8_lossy(&merged.stdout).trim(), total.to_string(), "{merged:?}");
    });
    assert!(unfinished.get() > 0, "no kill came in time");
}

/// Checks that a ledger has lost no unit, and has each once. Returns its units.
pub(crate) fn judge_ledger(path: &Path, before: &BTreeSet<usize>) -> BTreeSet<usize> {
    let bytes = fs::read(path).unwrap_or_default();
    let Some(known) = Known::in_ledger(&bytes) else {
        assert!(before.is_empty(), "a ledger is gone");
        return BTreeSet::new();
    };
    assert!(known.sound.values().all(|partials| partials.len() == 1), "a unit is there twice");
    let units: BTreeSet<usize> = known.sound.keys().copied().collect();
    assert!(units.is_superset(before), "units are lost");
    units
}
