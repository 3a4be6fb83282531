//! Random attacks on the program: command lines that nobody means, and kills of counts that are continued.
//! `common/fuzz.rs` says how to choose the seed and the number of cases.

use crate::commands::COMMANDS;
use crate::common;
use crate::forge::Known;
use crate::fuzz::{at, fuzz, one_of, word};
use nqueens::ledger::read;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;

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
        let output = run(folder.path(), "ulimit -v 6000000; \"$@\"", 0.5, &line);
        judge(&output, &[INTERRUPTED]).unwrap_or_else(|fault| panic!("{line:?}: {fault}"));
    });
}

/// The slower counts are killed before they are done.
#[test]
fn fuzz_kills() {
    let slow = ("count 15 --engine backtrack --kernel scalar --split-rows 3", 2_279_184);
    let quick = ("count 13 --engine backtrack --split-rows 3", 73_712);
    let counts = [quick, ("count 14 --engine two-color", 365_596), slow, slow];
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
