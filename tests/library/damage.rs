//! Ledgers that are damaged or forged in any way. The library reads, merges and counts them, and the results are
//! compared with those of a reader that follows `docs/ledger.md` and shares no code with the library.

use crate::forge;
use crate::forge::Known;
use crate::fuzz::{at, damage, fuzz, one_of};
use nqueens::ledger::{Contents, Run, is_ledger, merge, read, read_all};
use nqueens::random::SplitMix64;
use nqueens::{Board, Cancel, Engine, Job, Shard};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The published number for N = 8.
const TOTAL: u128 = 92;

/// Returns a job with N = 8 and 68 units.
fn job() -> Job {
    Job::new(Board::new(8).unwrap()).engine(Engine::Backtrack).split_rows(3).threads(1)
}

fn count(path: &Path, shard: Shard) -> Result<Option<u128>, String> {
    let run = Run::open(&job(), path, shard, &Cancel::new()).map_err(|error| error.to_string())?;
    let count = run.count(&Cancel::new(), &()).map_err(|error| error.to_string())?;
    Ok(count.map(|count| count.total))
}

/// Returns the ledger of an undisturbed count.
fn undisturbed(shard: Shard) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    count(&path, shard).unwrap();
    fs::read_to_string(path).unwrap()
}

/// The outcome of reading a ledger by the library.
#[derive(Clone)]
struct Outcome {
    /// The units that the library reads and their partial counts, and true if it sees a contradiction.
    read: Result<(BTreeMap<usize, u128>, bool), String>,
    /// The total that the library computes.
    merged: Result<u128, String>,
    /// The total of a count that continues the ledger, and the ledger after the count.
    counted: Result<u128, String>,
    after: Vec<u8>,
}

impl Outcome {
    fn new(path: &Path) -> Self {
        let contents = read(path).map_err(|error| error.to_string());
        let merged = contents.clone().and_then(|contents| merge(&[contents]).map_err(|error| error.to_string()));
        Self {
            read: contents.map(|contents| (partials(&contents), contents.contradiction.is_some())),
            merged: merged.map(|merged| merged.total),
            counted: count(path, Shard::WHOLE).map(|total| total.expect("the whole plan was counted")),
            after: fs::read(path).unwrap(),
        }
    }
}

fn partials(contents: &Contents) -> BTreeMap<usize, u128> {
    contents.units.iter().map(|(&unit, (_, line))| (unit, line.partial)).collect()
}

fn ensure(holds: bool, fault: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault.to_owned()) }
}

/// Returns a description of the first fault in the library's results for a ledger, if there is one. `truth` is the
/// undisturbed ledger of the same count.
fn judge(before: &[u8], truth: &str, outcome: &Outcome) -> Result<(), String> {
    let ours = Known::new(forge::header(truth.as_bytes()).unwrap(), before);
    let theirs = forge::header(before).map(|header| Known::new(header, before));
    let is_ours = theirs.as_ref().is_some_and(|known| known.identity == ours.identity);
    let known = theirs.as_ref().unwrap_or(&ours);
    let is_contradictory = known.contradicts_itself();
    if let Ok((read, contradiction)) = &outcome.read {
        let may_be = known.may_contradict_itself();
        ensure(
            is_contradictory <= *contradiction && *contradiction <= may_be,
            "a contradiction is not seen, or is none",
        )?;
        let is_there = |(unit, partial): (&usize, &u128)| known.all.get(unit).is_some_and(|all| all.contains(partial));
        ensure(read.iter().all(is_there), "a unit is read that is not there, or has another partial count")?;
        ensure(known.sound.keys().all(|unit| read.contains_key(unit)), "a sound unit is not read")?;
        let is_possible = |(&unit, &partial): (&usize, &u128)| known.is_possible(unit, partial);
        ensure(!is_ours || read.iter().all(is_possible), "an impossible partial count is read")?;
        let total = if *contradiction { None } else { known.total_of(read.values()) };
        match &outcome.merged {
            Ok(merged) => ensure(Some(*merged) == total, "the total is not that of the units")?,
            Err(_) => ensure(!is_ours || total.is_none(), "there is no total of all units")?,
        }
    } else {
        ensure(!is_ours, "a ledger of this count cannot be read")?;
        ensure(outcome.merged.is_err(), "there is a total of what cannot be read")?;
    }

    // Such a file is emptied.
    let (begun, text) = (b"{\"schema\":\"nqueens/ledger/", before.trim_ascii());
    let is_torn = !before.contains(&b'\n') && !text.is_empty() && (text.starts_with(begun) || begun.starts_with(text));
    ensure(is_torn || outcome.after.starts_with(before), "bytes of the ledger are lost")?;
    let is_of_another_count = theirs.is_some() && !is_ours;
    let may_be_of_another = is_of_another_count || forge::has_other_version(before);
    let is_headless = theirs.is_none() && !is_torn && !before.trim_ascii().is_empty();
    let Ok(total) = outcome.counted else {
        ensure(outcome.after == before, "a ledger that is refused is written to")?;
        return ensure(
            may_be_of_another || ours.may_contradict_itself() || is_headless || is_torn,
            "a good ledger is refused",
        );
    };
    ensure(!is_of_another_count && !is_headless, "a file that is no ledger of this count is continued")?;
    ensure(!ours.contradicts_itself(), "a ledger that contradicts itself is continued")?;
    let after = Known::in_ledger(&outcome.after).ok_or("a finished ledger has no header")?;
    let partial = |(unit, all): (&usize, &'_ Vec<u128>)| after.sound.get(unit).unwrap_or(all)[0];
    let partials: Vec<u128> = after.all.iter().map(|(unit, all)| partial((unit, all))).collect();
    ensure(after.total_of(partials.iter()) == Some(total), "the total is not that of the finished ledger")?;
    let truth = Known::in_ledger(truth.as_bytes()).unwrap();
    let is_forged = ours.all.iter().any(|(unit, all)| all.iter().any(|partial| !truth.all[unit].contains(partial)));
    ensure(is_forged || total == TOTAL, "the total is wrong")?;
    let again = |(unit, before): (&usize, &Vec<u128>)| after.sound[unit].len() > before.len();
    ensure(!ours.sound.iter().any(again), "a unit that was in the ledger is counted again")
}

/// Damages or forges a ledger in one of many ways. All forged lines have valid CRCs.
fn damaged(random: &mut SplitMix64, truth: &str) -> Vec<u8> {
    let mut lines: Vec<&str> = truth.split_inclusive('\n').collect();
    let (from, to) = (at(random, lines.len()), at(random, lines.len()));
    let line;
    let identity = forge::identity(lines[0]);
    match random.below(13) {
        12 => return (0..random.below(400)).map(|_| random.below(256) as u8).collect(),
        0..4 => {
            let mut bytes = truth.as_bytes().to_vec();
            for _ in 0..=random.below(3) {
                damage(random, &mut bytes);
            }
            return bytes;
        }
        // The lost units are counted again.
        4 => drop(lines.drain(from.min(to)..from.max(to))),
        5 => lines.swap(from, to),
        6 => lines.insert(from, lines[to]),
        7 => lines[from] = lines[from].trim_end(),
        8 => return with_other_line_ends(random, truth).into_bytes(),
        9 => return forged_header(random, &lines),
        _ => {
            let original = lines[2 + at(random, lines.len() - 2)];
            line = forged_line(random, original, &identity);
            if random.below(2) == 0 {
                lines[from] = &line;
            } else {
                lines.insert(from, &line);
            }
        }
    }
    lines.concat().into_bytes()
}

/// Numbers and texts that a field of a ledger does not have.
fn absurd(random: &mut SplitMix64) -> Value {
    let values = [
        json!([0, -1, 1, 33, 1.5, 1e308, u64::MAX, 1_u64 << 28, [], {}, null, true]),
        json!(["0", "7", "+7", "1/2", "\u{1b}[31m\u{202e}", "x".repeat(5000)]),
        json!([u128::MAX.to_string(), "340282366920938463463374607431768211456"]),
    ];
    one_of(random, &values.map(|values| values.as_array().unwrap().clone()).concat()).clone()
}

/// Changes some fields of a line, but not its CRC.
fn changed(random: &mut SplitMix64, line: &str) -> String {
    let mut object: Value = serde_json::from_str(line).unwrap();
    object.as_object_mut().unwrap().remove("crc32");
    let is_header = object.get("schema").is_some();
    for _ in 0..=random.below(2) {
        let fields = if is_header { &mut object } else { object.as_object_mut().unwrap().values_mut().next().unwrap() };
        let Some(fields) = fields.as_object_mut() else { break };
        let names: Vec<String> = fields.keys().cloned().collect();
        let Some(name) = names.get(at(random, names.len() + 1)) else { break };
        if random.below(8) == 0 {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), absurd(random));
        }
    }
    let object = match random.below(8) {
        0 => json!({"unit": absurd(random)}),
        1 => json!({"note": object}),
        _ => object,
    };
    let text = object.to_string();
    text.strip_suffix('}').unwrap().to_owned()
}

fn forged_line(random: &mut SplitMix64, line: &str, identity: &str) -> String {
    let object = match random.below(4) {
        0 => format!("{{\"unit\":{}", "[".repeat(1 << random.below(15))),
        _ => changed(random, line),
    };
    forge::sealed(&object, identity) + "\n"
}

/// Forges the header, and sometimes the other lines, as if they belonged to it.
fn forged_header(random: &mut SplitMix64, lines: &[&str]) -> Vec<u8> {
    let header = forge::sealed(&changed(random, lines[0]), "");
    let identity = forge::identity(&header);
    let belong = random.below(2) == 0;
    let others = lines[1..].iter().map(|line| {
        if belong { forge::forged(line.trim_end(), &identity, str::to_owned) + "\n" } else { (*line).to_owned() }
    });
    std::iter::once(header + "\n").chain(others).collect::<String>().into_bytes()
}

#[test]
fn fuzz_damaged_ledgers() {
    let text = undisturbed(Shard::WHOLE);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    fuzz(300, |random| {
        let before = damaged(random, &text);
        fs::write(&path, &before).unwrap();
        let outcome = Outcome::new(&path);
        judge(&before, &text, &outcome)
            .unwrap_or_else(|fault| panic!("{fault}: {:?} of {}", outcome.counted, String::from_utf8_lossy(&before)));
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left, ["ledger"]);
    });
}

/// Changes the line ends in one of the ways in which mail, editors and version control do. A mark is only before a line.
fn with_other_line_ends(random: &mut SplitMix64, text: &str) -> String {
    let ends = ["\n", "\r\n", "\n\n", " \n", "\n\u{feff}"];
    let end = *one_of(random, &ends);
    let begin = *one_of(random, &["", "", "\u{feff}", "\n\r\n"]);
    let lines = match random.below(4) {
        0 => text.to_owned(),
        1 => text.split_inclusive('\n').map(|line| line.trim_end().to_owned() + *one_of(random, &ends)).collect(),
        _ => text.replace('\n', end),
    };
    begin.to_owned() + lines.trim_end_matches('\u{feff}')
}

/// Ledgers joined in one file are read like single ledgers, and add up to the right total or to none.
#[test]
fn fuzz_joined_ledgers() {
    let shard = |index| undisturbed(Shard::new(index, 3).unwrap());
    let texts = [shard(0), shard(1), shard(2), undisturbed(Shard::WHOLE)];
    let units = Known::in_ledger(texts[3].as_bytes()).unwrap().sound.len();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("joined");
    fuzz(300, |random| {
        let (is_damaged, is_compressed) = (random.below(3) == 0, random.below(3));
        let (mut plain, mut bytes) = (Vec::new(), Vec::new());
        for _ in 0..=random.below(5) {
            let text: &String = one_of(random, &texts);
            let mut part = with_other_line_ends(random, text).into_bytes();
            if is_damaged && random.below(3) == 0 {
                part.truncate(part.len() - at(random, 200));
            }
            if is_damaged && random.below(2) == 0 {
                damage(random, &mut part);
            }
            bytes.extend(if is_compressed == 1 { forge::gzip(&part) } else { part.clone() });
            plain.extend(part);
        }
        if is_compressed == 2 {
            let (first, rest) = plain.split_at(at(random, plain.len()));
            bytes = [first, rest].map(forge::gzip).concat();
        }
        fs::write(&path, &bytes).unwrap();
        let text = || String::from_utf8_lossy(&plain).into_owned();
        let known = forge::joined(&plain);
        let ledgers = match read_all(&path, &mut None, &Cancel::new()) {
            Ok(ledgers) => ledgers,
            Err(error) => return assert!(known.is_empty(), "{error}: {}", text()),
        };
        assert!(ledgers.len() == known.len() && is_ledger(&path), "{}", text());
        for (ledger, known) in ledgers.iter().zip(&known) {
            assert_eq!(ledger.header.identity(), known.identity);
            assert!(partials(ledger).iter().all(|(unit, partial)| known.all[unit].contains(partial)), "{}", text());
            assert!(known.sound.keys().all(|unit| ledger.units.contains_key(unit)), "{}", text());
            assert!(is_damaged || ledger.damage.is_none(), "{:?}: {}", ledger.damage, text());
        }
        let found: BTreeMap<usize, u128> = ledgers.iter().flat_map(partials).collect();
        match merge(&ledgers) {
            Ok(merged) => assert!(merged.total == TOTAL && found.len() == units, "{}", text()),
            Err(error) => assert!(found.len() < units, "{error}: {}", text()),
        }
        if ledgers.len() > 1 {
            assert!(read(&path).is_err() && count(&path, ledgers[0].header.shard).is_err(), "{}", text());
            assert_eq!(fs::read(&path).unwrap(), bytes, "it is left alone");
        }
    });
}

/// A compressed ledger has a CRC over its whole content, so that it is read as a whole or not at all.
#[test]
fn fuzz_damaged_archives() {
    let text = undisturbed(Shard::WHOLE);
    let units = Known::in_ledger(text.as_bytes()).unwrap().sound;
    let archive = forge::gzip(&text);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.gz");
    fuzz(300, |random| {
        let mut bytes = archive.clone();
        damage(random, &mut bytes);
        fs::write(&path, &bytes).unwrap();
        if let Ok(contents) = read(&path) {
            let partials: Vec<_> =
                partials(&contents).into_iter().map(|(unit, partial)| (unit, vec![partial])).collect();
            assert!(partials.into_iter().eq(units.clone()), "units of a damaged archive are read");
            assert_eq!(merge(&[contents]).map(|merged| merged.total).ok(), Some(TOTAL));
        }
        assert!(count(&path, Shard::WHOLE).is_err() || !bytes.starts_with(&[0x1f, 0x8b]), "an archive is continued");
    });
}
