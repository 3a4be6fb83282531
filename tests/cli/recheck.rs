//! `nqueens recheck`: it finds a wrong partial count, and if it finds none, what it says is true.

use crate::forge;
use crate::run::{ended, nqueens, refused};
use nqueens::ledger::read;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Counts with a ledger, and returns its folder and its path.
fn counted(arguments: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    nqueens(&format!("count {arguments} --quiet --ledger")).arg(&path).assert().success();
    (folder, path)
}

/// Changes the partial count of a unit by the solutions of an orbit, with a valid checksum.
fn falsify(path: &Path, unit: usize) {
    let partial = read(path).unwrap().units[&unit].1.partial;
    let [right, wrong] = [partial, partial + 8].map(|partial| format!("{{\"unit\":{unit},\"partial\":\"{partial}\""));
    forge::forge(path, |_, object| Some(object.replace(&right, &wrong)));
}

fn keep_below(path: &Path, most: usize) {
    let unit = |object: &str| serde_json::from_str::<Value>(&format!("{object}}}")).unwrap()["unit"]["unit"].as_u64();
    forge::forge(path, |_, object| unit(object).is_none_or(|unit| (unit as usize) < most).then(|| object.to_owned()));
}

/// Counts again. Returns the rows, standard error and the exit code.
fn rechecked(path: &Path, arguments: &str) -> (Vec<Value>, String, i32) {
    let (code, out, stderr) = ended(nqueens(&format!("recheck {arguments} --format json")).arg(path).output().unwrap());
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/recheck/1"), &json!(true)));
    (document["rows"].as_array().unwrap().clone(), stderr, code)
}

fn units(rows: &[Value]) -> BTreeSet<usize> {
    rows.iter().map(|row| row["unit"].as_u64().unwrap() as usize).collect()
}

#[test]
fn a_wrong_partial_is_named_with_both_numbers_and_routes() {
    for (arguments, by, again) in [
        ("12 --engine two-color --kernel portable", "two-color, portable kernel", "two-color, "),
        ("10 --engine backtrack --kernel portable", "backtrack, portable kernel", "backtrack, scalar kernel"),
        ("10 --engine backtrack --kernel scalar --split-rows 2", "backtrack, scalar kernel", "backtrack, "),
    ] {
        let (_folder, path) = counted(arguments);
        let ledger = read(&path).unwrap();
        let (rows, stderr, code) = rechecked(&path, "--all");
        assert_eq!((code, rows.len()), (0, ledger.units.len()), "{stderr}");
        assert!(stderr.contains(&format!("all {} units agree ({again}", rows.len())), "{stderr}");

        let (&unit, (_, line)) = ledger.units.iter().find(|(_, (_, line))| line.partial > 0).unwrap();
        falsify(&path, unit);
        let (rows, stderr, code) = rechecked(&path, "--all --threads 3");
        assert_eq!((code, rows.len()), (1, ledger.units.len()), "the others are counted all the same");
        let wrong: Vec<&Value> = rows.iter().filter(|row| row["agrees"] == false).collect();
        let row = wrong[0];
        assert_eq!((wrong.len(), &row["unit"]), (1, &json!(unit)));
        assert_eq!(row["recorded"], json!((line.partial + 8).to_string()));
        assert_eq!(row["recounted"], json!(line.partial.to_string()));
        let (recorded_by, recounted_by) = (row["recorded_by"].as_str().unwrap(), row["recounted_by"].as_str().unwrap());
        assert!(recorded_by == by && recounted_by.starts_with(again), "{row}");
        assert_eq!(recounted_by.ends_with(", sides exchanged"), by.starts_with("two-color"), "{row}");
        let said = format!(
            "came out as {} by {by} ('{}'), but as {} by {recounted_by}",
            line.partial + 8,
            path.display(),
            line.partial
        );
        let number = format!("1 of {} units differs: unit {unit} of plan ", rows.len());
        assert!(stderr.contains(&said) && stderr.contains(&number), "{stderr}");
    }
}

/// The runs of this ledger had different kernels. Each unit is counted with the fastest of the other kernels, and a
/// wrong unit of either run is found.
#[test]
fn each_unit_is_counted_with_another_kernel_than_its_own() {
    let engine = nqueens::engine::Engine::ALL.iter().find(|engine| engine.name() == "two-color").unwrap();
    let [best, next, ..] = engine.kernels()[..] else { return };
    let (folder, path) = counted(&format!("12 --engine two-color --kernel {best}"));
    let all = read(&path).unwrap().units.len();
    keep_below(&path, all / 2);
    nqueens(&format!("count 12 --kernel {next} --quiet --ledger")).arg(&path).assert().success();
    let archive = folder.path().join("12.jsonl.gz");
    fs::write(&archive, forge::gzip(fs::read(&path).unwrap())).unwrap();
    for (path, options) in [(&path, "--all --threads 3"), (&archive, "--all --threads 1"), (&path, "--units 10")] {
        let (rows, stderr, code) = rechecked(path, options);
        assert_eq!(code, 0, "{stderr}");
        for row in &rows {
            let unit = row["unit"].as_u64().unwrap() as usize;
            let [by, again] = if unit < all / 2 { [best, next] } else { [next, best] };
            assert_eq!(row["recorded_by"], format!("two-color, {by} kernel"));
            assert_eq!(row["recounted_by"], format!("two-color, {again} kernel, sides exchanged"));
        }
        assert!(!options.contains("--all") || rows.len() == all, "{stderr}");
    }
    falsify(&path, all / 2 - 1);
    falsify(&path, all - 1);
    let (rows, stderr, code) = rechecked(&path, "--all --threads 2");
    assert!(code == 1 && rows.len() == all && stderr.contains(&format!("2 of {all} units differ")), "{stderr}");
}

#[test]
fn a_seed_chooses_the_same_units_again() {
    let (_folder, path) = counted("12 --engine two-color");
    let chosen = |seed: &str, threads: usize| {
        let (rows, stderr, _) = rechecked(&path, &format!("--units 5 -j {threads} {seed}"));
        assert_eq!(stderr.contains("chooses the same units again"), seed.is_empty(), "{stderr}");
        (units(&rows), stderr)
    };
    assert_eq!(chosen("--seed 7", 1).0, chosen("--seed 7", 3).0);
    assert_ne!(chosen("--seed 7", 2).0, chosen("--seed 8", 2).0);
    let (units, stderr) = chosen("", 2);
    let option = &stderr[stderr.find("--seed ").unwrap()..stderr.find(" chooses").unwrap()];
    assert_eq!(chosen(option, 2).0, units);
}

#[test]
fn the_last_line_says_what_was_shown() {
    let (_folder, path) = counted("12 --engine two-color");
    let all = read(&path).unwrap().units.len();
    let wrong = all.div_ceil(20);
    let missed: f64 = (0..5).map(|drawn| (all - wrong - drawn) as f64 / (all - drawn) as f64).product();
    let (_, stderr, _) = rechecked(&path, "--units 5 --seed 1");
    let (begin, end) =
        (format!("N = 12: 5 of {all} units, "), format!("probability {:.0}%\n", 100.0 - (100.0 * missed).ceil()));
    assert!(stderr.starts_with(&begin) && stderr.contains("% of the work, agree (two-color, "), "{stderr}");
    let found = "; if 5% of the units were wrong, one of them would have been found with";
    assert!(stderr.ends_with(&format!("{found} {end}")), "{stderr}");
    let (rows, stderr, _) = rechecked(&path, "--unit 3 --unit 1 --unit 3");
    assert_eq!(units(&rows), BTreeSet::from([1, 3]));
    assert!(stderr.ends_with("; this says nothing of the others, because none was chosen at random\n"), "{stderr}");
    // Each of these options chooses all units.
    for arguments in ["--all", "--units 1000000 --seed 1", "--seed 1"] {
        let (rows, stderr, _) = rechecked(&path, arguments);
        assert_eq!(units(&rows), (0..all).collect());
        assert!(stderr.contains(&format!(": all {all} units agree (")) && stderr.ends_with("s)\n"), "{stderr}");
    }
    let (_large, large) = counted("13 --engine backtrack");
    assert_eq!(rechecked(&large, "").0.len(), 60);

    keep_below(&path, 9);
    let (_, stderr, _) = rechecked(&path, "--all");
    let left = all - 9;
    assert!(stderr.starts_with("N = 12: all 9 finished units agree ("), "{stderr}");
    assert!(stderr.ends_with(&format!("; {left} units of the plan not finished\n")), "{stderr}");
    let (_, stderr, _) = rechecked(&path, "--units 4 --seed 1");
    assert!(stderr.starts_with("N = 12: 4 of 9 finished units, "), "{stderr}");
}

/// Hundreds of equal rows would hide the one that differs.
#[test]
fn text_has_what_differs_and_what_was_shown() {
    let (_folder, path) = counted("12 --engine two-color");
    let all = read(&path).unwrap().units.len();
    let rows = |arguments: &str| {
        let (code, out, said) = ended(nqueens(&format!("recheck {arguments}")).arg(&path).output().unwrap());
        (code, out.lines().map(str::to_owned).collect::<Vec<_>>(), said)
    };
    let (code, out, said) = rows("--all");
    assert!(code == 0 && out.len() == 1 && said.is_empty(), "{out:?} {said}");
    assert!(out[0].starts_with(&format!("N = 12: all {all} units agree (")), "{out:?}");
    let (_, out, _) = rows("--unit 3 --unit 5 --format text");
    assert!(out.len() == 4 && out[1].contains(" agree "), "{out:?}");
    let (_, csv, said) = rows("--all --format csv");
    assert!(csv.len() == all + 1 && said.contains(" agree ("), "{said}");
    falsify(&path, 3);
    let (code, out, said) = rows("--all");
    assert!(code == 1 && out.len() == 2 && out[1].contains(" DIFFER "), "{out:?}");
    assert!(said.contains(&format!("`nqueens recheck --unit 3 {}` on another machine", path.display())), "{said}");
}

#[test]
fn the_ledger_of_a_shard_has_only_its_units() {
    let folder = tempfile::tempdir().unwrap();
    let ledgers = ["0.jsonl", "1.jsonl"].map(|name| folder.path().join(name));
    for (index, path) in ledgers.iter().enumerate() {
        nqueens(&format!("count 12 --engine two-color --shard {index}/2 --ledger")).arg(path).assert().success();
    }
    let (rows, _, _) = rechecked(&ledgers[1], "--all");
    assert!(!rows.is_empty() && units(&rows).iter().all(|unit| unit % 2 == 1));
    let said = "unit 2 is none of the 9 finished ones; give another";
    refused(&folder, 2, &[("recheck --unit 2 1.jsonl", [said])]);
    // The ledgers of the folder have all units together.
    let (rows, _, _) = rechecked(folder.path(), "--unit 2");
    assert_eq!(units(&rows), BTreeSet::from([2]));
    assert_eq!(rows[0]["file"], json!(ledgers[0].display().to_string()));
}

#[test]
fn what_cannot_be_counted_again_is_refused_in_one_line() {
    let (folder, path) = counted("10 --engine two-color");
    keep_below(&path, 0);
    let said = "' has no finished unit of N = 10 that could be counted again; ";
    refused(&folder, 2, &[("recheck ledger.jsonl", [said])]);
}

#[test]
fn a_damaged_unit_is_not_counted_again() {
    let (_folder, path) = counted("10 --engine two-color");
    let text = fs::read_to_string(&path).unwrap();
    let all = read(&path).unwrap().units.len();
    fs::write(&path, text.replacen("\"partial\":\"", "\"partial\":\"1", 1)).unwrap();
    let (rows, stderr, code) = rechecked(&path, "--all");
    assert!(code == 0 && rows.len() == all - 1 && stderr.starts_with("warning: "), "{stderr}");
    assert!(stderr.contains("line 3 is damaged") && stderr.contains("1 unit of the plan not finished"), "{stderr}");
    // No disk makes a right checksum.
    forge::forge(&path, |line, object| {
        let (before, after) = object.split_once("\"partial\":\"").filter(|_| line == 3).unzip();
        let after = after.and_then(|after: &str| Some(&after[after.find('"')?..]));
        Some(before.zip(after).map_or(object.to_owned(), |(before, after)| format!("{before}\"partial\":\"1{after}")))
    });
    let (rows, stderr, code) = rechecked(&path, "--all");
    assert!(code == 1 && rows.len() < all, "{stderr}");
    let error = stderr.lines().last().unwrap();
    let said = "a faulty machine or a forger wrote it";
    assert!(error.contains(": unit ") && error.ends_with(said), "{error}");
    // The exit code is the same if nobody reads the rows.
    let mut command = crate::common::nqueens();
    command.args(["recheck", "--all", "--quiet"]).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut unread = command.spawn().unwrap();
    drop(unread.stdout.take());
    let (code, _, stderr) = ended(unread.wait_with_output().unwrap());
    assert!(code == 1 && stderr.contains(said), "{code}: {stderr}");
}
