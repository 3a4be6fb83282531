//! Reads a ledger, whatever has happened to it: what can be believed, and what cannot.

use super::LedgerError;
use super::line::{Header, Line, RunLine, SCHEMA, UnitLine, decode};
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
        self.units.values().map(|(_, unit)| unit.weight).sum()
    }

    /// The work done in a second by its last run, as far as finished units tell.
    pub fn rate(&self) -> Option<f64> {
        let last = self.units.values().filter(|(run, _)| run + 1 == self.runs.len()).map(|(_, unit)| unit);
        let (weight, at) = last.fold((0, 0_f64), |(weight, at), unit| (weight + unit.weight, at.max(unit.at)));
        (at > 0.0).then(|| weight as f64 / at)
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        self.units.len() >= self.header.shard_units
    }
}

/// Reads the ledger at `path`.
///
/// # Errors
/// When it cannot be read, is not a ledger, its first line is damaged, or two lines differ in what a unit counts.
pub fn read(path: &Path) -> Result<Contents, LedgerError> {
    let bytes = std::fs::read(path).map_err(|error| LedgerError::system("read", path, &error))?;
    parse(path, &bytes, None)
}

/// What the ledger at `path` is of, if its first line can be believed; `None` where there is no file, an empty one, or a
/// damaged first line.
///
/// # Errors
/// When the file cannot be read.
pub fn read_header(path: &Path) -> Result<Option<Header>, LedgerError> {
    // A header is a few hundred bytes long.
    const ENOUGH: u64 = 16 << 10;
    let cannot = |error| LedgerError::system("read", path, &error);
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(cannot)?,
    };
    let mut bytes = Vec::new();
    file.take(ENOUGH).read_to_end(&mut bytes).map_err(cannot)?;
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok(decode_header(line).ok())
}

fn decode_header(line: &[u8]) -> Result<Header, String> {
    // What begins like a header of another version is one.
    let begins = |schema: &str| line.starts_with(format!("{{\"schema\":\"{schema}\"").as_bytes());
    if !begins(SCHEMA) && line.starts_with(b"{\"schema\":\"nqueens/ledger/") {
        return Err(format!("it is in another version of the format than {SCHEMA}, which this program reads"));
    }
    decode(line, "")
}

/// Whether what was not written to its end, and has no line before it, can be the beginning of a ledger.
fn begins_like_a_ledger(bytes: &[u8]) -> bool {
    let beginning = format!("{{\"schema\":\"{SCHEMA}\"");
    let length = bytes.len().min(beginning.len());
    bytes[..length] == beginning.as_bytes()[..length]
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
            None
        }
        None if !begins_like_a_ledger(rest) => return Err(not_a_ledger("it does not begin like one")),
        None => None,
    };
    let header = match (header, ours) {
        (Some(header), None) => header,
        (Some(header), Some(ours)) if header.identity() == ours.identity() => header,
        (Some(header), Some(ours)) => {
            let (theirs, ours) = (header.in_words(), ours.in_words());
            return Err(LedgerError::Other { path: path.to_owned(), theirs, ours });
        }
        (None, Some(ours)) => ours.clone(),
        (None, None) => {
            let reason = damaged.first().map_or("it is empty".to_owned(), |line| format!("line 1: {}", line.reason));
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
        return Err(not_a_ledger(&format!("line 1: {}", contents.damaged[0].reason)));
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
