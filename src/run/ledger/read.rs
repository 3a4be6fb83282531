//! Reads a ledger, whatever has happened to it: what can be believed, and what cannot.

use super::LedgerError;
use super::line::{CRC_BEGINS, CRC_LENGTH, Header, Line, RunLine, SCHEMA, UnitLine, decode};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What a ledger says.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The file.
    pub path: PathBuf,
    /// What is counted. It comes from the first line, or from whoever knows it where that is damaged.
    pub header: Header,
    /// The runs that worked on it, first to last.
    pub runs: Vec<RunLine>,
    /// The finished units, each once: the run it was counted in (an index of `runs`) and its line.
    pub units: BTreeMap<usize, (usize, UnitLine)>,
    /// The lines that are damaged.
    pub damaged: Vec<Damaged>,
    /// How many bytes at the end are a line that was not written to its end.
    pub torn: usize,
    /// Whether the last line is whole but for its end.
    pub(super) unended: bool,
    /// How long the file is.
    pub(super) length: usize,
}

/// A line that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl Contents {
    /// The seconds that its runs counted, as far as finished units tell.
    pub fn seconds(&self) -> f64 {
        let mut last = vec![0_f64; self.runs.len() + 1];
        for (run, unit) in self.units.values() {
            last[*run] = last[*run].max(unit.at);
        }
        last.iter().sum()
    }

    /// The work expected of the finished units.
    pub fn weight(&self) -> u64 {
        self.units.values().fold(0, |sum, (_, unit)| sum.saturating_add(unit.weight))
    }

    /// The work done in a second by its last run, as far as finished units tell.
    pub fn rate(&self) -> Option<f64> {
        let last = self.units.values().filter(|(run, _)| run + 1 == self.runs.len()).map(|(_, unit)| unit);
        let (weight, at) = last.fold((0.0, 0_f64), |(weight, at), unit| (weight + unit.weight as f64, at.max(unit.at)));
        (at > 0.0).then(|| weight / at)
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        // What a damaged header says of its shard cannot be believed.
        let believed = self.damaged.first().is_none_or(|damaged| damaged.line > 1);
        believed && self.units.len() >= self.header.shard_units
    }
}

/// Reads the ledger at `path`.
///
/// # Errors
/// When it cannot be read, is not a ledger, its first line is damaged, or two lines differ in what a unit counts.
pub fn read(path: &Path) -> Result<Contents, LedgerError> {
    is_regular(path)?;
    let bytes = std::fs::read(path).map_err(|error| LedgerError::system("read", path, &error))?;
    parse(path, &bytes, None)
}

/// Nothing but a regular file can be a ledger; others may not even let themselves be opened.
pub(super) fn is_regular(path: &Path) -> Result<(), LedgerError> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let reason = "it is not a regular file".to_owned();
        return Err(LedgerError::NotALedger { path: path.to_owned(), reason });
    }
    Ok(())
}

/// What the ledger at `path` is of, if that can be believed; `None` where there is no file, an empty one, or one that is
/// damaged too much.
///
/// # Errors
/// When the file cannot be read.
pub fn read_header(path: &Path) -> Result<Option<Header>, LedgerError> {
    // A header is a few hundred bytes long.
    const ENOUGH: u64 = 16 << 10;
    is_regular(path)?;
    let cannot = |error| LedgerError::system("read", path, &error);
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(cannot)?,
    };
    let mut bytes = Vec::new();
    file.take(ENOUGH).read_to_end(&mut bytes).map_err(cannot)?;
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    // Where the line is damaged, those that follow may tell.
    Ok(decode_header(line).ok().or_else(|| read(path).ok().map(|contents| contents.header)))
}

fn decode_header(line: &[u8]) -> Result<Header, String> {
    // What begins like a header of another version is one.
    let begins = |schema: &str| line.starts_with(format!("{{\"schema\":\"{schema}\"").as_bytes());
    if !begins(SCHEMA) && line.starts_with(b"{\"schema\":\"nqueens/ledger/") {
        return Err(format!("it is in another version of the format than {SCHEMA}, which this program reads"));
    }
    decode(line, "").and_then(Header::sound)
}

/// A header with a CRC that is wrong, but to whose plan some of the following lines belong: so what the plan is recognised by is
/// as it was written.
fn believed_header(lines: &[&[u8]]) -> Option<Header> {
    let object = std::str::from_utf8(lines.first()?).ok()?;
    let header = serde_json::from_str::<Header>(object).ok()?.sound().ok()?;
    let identity = header.identity();
    lines[1..].iter().any(|line| decode::<Line>(line, &identity).is_ok()).then_some(header)
}

/// Whether what was not written to its end, and has no line before it, can be the beginning of a ledger.
fn begins_like_a_ledger(bytes: &[u8]) -> bool {
    let beginning = format!("{{\"schema\":\"{SCHEMA}\"");
    let length = bytes.len().min(beginning.len());
    bytes[..length] == beginning.as_bytes()[..length]
}

/// Whether there is more than one line in what should be a part of one.
fn has_several_lines(bytes: &[u8]) -> bool {
    bytes
        .windows(CRC_BEGINS.len())
        .position(|window| window == CRC_BEGINS.as_bytes())
        .is_some_and(|at| at + CRC_LENGTH < bytes.len())
}

/// What the bytes of the ledger at `path` say. With `ours` the caller says what it should be the ledger of: then a damaged
/// first line does no harm, and an empty file is a new ledger.
pub(super) fn parse(path: &Path, bytes: &[u8], ours: Option<&Header>) -> Result<Contents, LedgerError> {
    let not_a_ledger = |reason: &str| LedgerError::NotALedger { path: path.to_owned(), reason: reason.to_owned() };
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    // What follows the last end of a line.
    let rest = lines.pop().unwrap_or_default();
    let mut damaged = Vec::new();
    let header = match lines.first().map(|line| decode_header(line)) {
        Some(Ok(header)) => Some(header),
        Some(Err(reason)) => {
            damaged.push(Damaged { line: 1, reason });
            believed_header(&lines)
        }
        None if !begins_like_a_ledger(rest) => return Err(not_a_ledger("it does not begin like one")),
        None if has_several_lines(rest) => return Err(not_a_ledger("its lines have no ends")),
        None => None,
    };
    let header = match (header, ours) {
        (Some(header), None) => header,
        (Some(header), Some(ours)) if header.identity() == ours.identity() => {
            // What it says besides is not to be believed where it is damaged.
            if damaged.is_empty() { header } else { ours.clone() }
        }
        (Some(header), Some(ours)) => {
            let (theirs, ours) = (header.in_words(), ours.in_words());
            return Err(LedgerError::Other { path: path.to_owned(), theirs, ours });
        }
        (None, Some(ours)) => ours.clone(),
        (None, None) => {
            let reason = match damaged.first() {
                Some(line) => format!("line 1: {}", line.reason),
                None if bytes.is_empty() => "it is empty".to_owned(),
                None => "its first line was not written to its end".to_owned(),
            };
            return Err(not_a_ledger(&reason));
        }
    };

    let mut contents = Contents {
        path: path.to_owned(),
        header,
        runs: Vec::new(),
        units: BTreeMap::new(),
        damaged,
        torn: rest.len(),
        unended: false,
        length: bytes.len(),
    };
    let identity = contents.header.identity();
    let mut numbers = BTreeMap::new();
    for (index, line) in lines.iter().enumerate().skip(1) {
        match decode(line, &identity) {
            Ok(line) => contents.add(index + 1, line, &mut numbers)?,
            Err(reason) => contents.damaged.push(Damaged { line: index + 1, reason }),
        }
    }
    if let (false, Ok(line)) = (lines.is_empty(), decode(rest, &identity)) {
        contents.add(lines.len() + 1, line, &mut numbers)?;
        (contents.torn, contents.unended) = (0, true);
    }
    if contents.damaged.first().is_some_and(|damaged| damaged.line == 1)
        && contents.units.is_empty()
        && contents.runs.is_empty()
    {
        // Nothing in it can be believed, so it may be anything.
        let reason = &contents.damaged[0].reason;
        let way_out = "if it is one, say how it was begun: engine, symmetry, split rows, shard";
        return Err(not_a_ledger(&format!("line 1: {reason}; {way_out}")));
    }
    Ok(contents)
}

impl Contents {
    /// Takes in a line; `numbers` says for each unit which line it comes from.
    fn add(&mut self, number: usize, line: Line, numbers: &mut BTreeMap<usize, usize>) -> Result<(), LedgerError> {
        match line {
            Line::Run(run) => self.runs.push(run),
            Line::Unit(unit) if unit.unit >= self.header.units => {
                let reason = format!("unit {} does not exist, there are {}", unit.unit, self.header.units);
                self.damaged.push(Damaged { line: number, reason });
            }
            Line::Unit(unit) if ![unit.at, unit.seconds].iter().all(|time| (0.0..1e12).contains(time)) => {
                self.damaged.push(Damaged { line: number, reason: "its times cannot be".to_owned() });
            }
            Line::Unit(unit) => match self.units.entry(unit.unit) {
                Entry::Vacant(vacant) => {
                    numbers.insert(unit.unit, number);
                    vacant.insert((self.runs.len().saturating_sub(1), unit));
                }
                Entry::Occupied(found) if found.get().1.partial == unit.partial => {}
                Entry::Occupied(found) => {
                    return Err(LedgerError::Differ {
                        path: self.path.clone(),
                        unit: unit.unit,
                        line: number,
                        partial: unit.partial,
                        earlier: numbers[&unit.unit],
                        other: found.get().1.partial,
                    });
                }
            },
        }
        Ok(())
    }
}
