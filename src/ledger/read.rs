//! Reads a ledger, whatever has happened to it: what can be believed, and what cannot.
//!
//! A file is read line by line in bounded memory, because it may be anything.

use crate::engine::Plan;
use crate::ledger::LedgerError;
use crate::ledger::line::{CRC_BEGINS, CRC_LENGTH, Header, Line, OLD_SCHEMA, RunLine, SCHEMA, UnitLine, decode};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The longest line, in bytes: a header is a few hundred long. What is longer is damaged.
const LONGEST_LINE: usize = 4 << 10;
/// A file of which more bytes than these are damaged is refused.
const MOST_DAMAGED_BYTES: u64 = 16 << 20;
/// A file of which more lines than these are damaged is refused: three times as many as a ledger of the largest plan has.
const MOST_DAMAGED_LINES: usize = 1 << 20;
/// From so many runs on, those that finished no unit are forgotten.
const MANY_RUNS: usize = 10_000;

/// The beginning of a ledger's header, whatever its version.
const BEGINNING: &str = "{\"schema\":\"";
const FAMILY: &str = "nqueens/ledger/";

/// The contents of a ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The file.
    pub path: PathBuf,
    /// The plan and the shard. It comes from the first line or, where that is damaged, from whoever knows it.
    pub header: Header,
    /// The runs that worked on it, first to last: the first ten thousand of them, and of the others those that finished units and the
    /// last.
    pub runs: Vec<RunLine>,
    /// The finished units, each once: the run it was counted in (an index of `runs`) and its line.
    pub units: BTreeMap<usize, (usize, UnitLine)>,
    /// The damaged lines, where there are any.
    pub damage: Option<Damage>,
    /// The first two lines that differ in what a unit counts, where there are any.
    pub contradiction: Option<Contradiction>,
    /// The number of bytes at the end that are a line that was not written to its end.
    pub torn: u64,
    /// Whether the last line is whole but for its end.
    pub(super) unended: bool,
    /// The length of the file in bytes.
    pub(super) length: u64,
}

/// The lines that are not as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first of them, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
    /// The number of damaged lines.
    pub lines: usize,
}

/// Two lines that say different things of a unit: one of them is wrong, and nothing tells which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The unit.
    pub unit: usize,
    /// The line that differs from an earlier one, from 1.
    pub line: usize,
    /// Its partial count.
    pub partial: u128,
    /// The earlier line.
    pub earlier: usize,
    /// The partial count of that.
    pub other: u128,
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

    /// The work expected of the finished units, and of all units of the shard, in the unit of the plan's weights. The plan must be
    /// that of the ledger.
    pub fn work(&self, plan: &Plan) -> (u64, u64) {
        let Header { shard, .. } = self.header;
        let Some(all) = self.header.old_shard_weight() else {
            let of = |units: &mut dyn Iterator<Item = usize>| units.map(|unit| plan.weight(unit)).sum();
            return (
                of(&mut self.units.keys().copied()),
                of(&mut (shard.index()..plan.units()).step_by(shard.count())),
            );
        };
        // Which units such a shard has is not known, but each says its weight.
        (self.units.values().fold(0_u64, |sum, (_, unit)| sum.saturating_add(unit.weight)).min(all), all)
    }

    /// The work done in a second by its last run, in the unit of the plan's weights, as far as finished units tell. The plan must
    /// be that of the ledger.
    pub fn rate(&self, plan: &Plan) -> Option<f64> {
        let last = self.units.values().filter(|(run, _)| run + 1 == self.runs.len()).map(|(_, unit)| unit);
        let (done, at) =
            last.fold((0.0, 0_f64), |(done, at), unit| (done + plan.weight(unit.unit) as f64, at.max(unit.at)));
        (at > 0.0).then(|| done / at)
    }

    /// Returns true if every unit of its shard is finished, and none with two values.
    ///
    /// In the old version of the format only the number of units tells; it is not believed where the header is damaged.
    pub fn is_complete(&self) -> bool {
        let believed = !self.header.is_of_old_shard() || self.damage.as_ref().is_none_or(|damage| damage.line > 1);
        believed && self.contradiction.is_none() && self.units.len() >= self.header.shard_units()
    }

    /// The contradiction as an error, where there is one.
    pub(crate) fn without_contradiction(&self) -> Result<(), LedgerError> {
        let error =
            |contradiction| LedgerError::Differ { path: self.path.clone(), contradiction: Box::new(contradiction) };
        self.contradiction.map_or(Ok(()), |contradiction| Err(error(contradiction)))
    }
}

/// Reads the ledger at `path`.
///
/// # Errors
/// When it cannot be read, is not a ledger, is of another version of the format, or its first line is damaged and no other
/// line tells which ledger it is.
pub fn read(path: &Path) -> Result<Contents, LedgerError> {
    is_regular(path)?;
    let file = File::open(path).map_err(|error| LedgerError::io("read", path, error))?;
    parse(path, file, None)
}

/// Refuses anything but a regular file: others may not even let themselves be opened.
pub(super) fn is_regular(path: &Path) -> Result<(), LedgerError> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let reason = "it is not a regular file".to_owned();
        return Err(LedgerError::NotALedger { path: path.to_owned(), reason });
    }
    Ok(())
}

/// Reads the header of the ledger at `path`, if that can be believed; `None` where there is no file, an empty one, or one that
/// is damaged too much.
///
/// # Errors
/// When the file cannot be read, or is of another version of the format.
pub(crate) fn read_header(path: &Path) -> Result<Option<Header>, LedgerError> {
    is_regular(path)?;
    let cannot = |error| LedgerError::io("read", path, error);
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(cannot)?,
    };
    let mut line = Vec::new();
    BufReader::new(file).take(LONGEST_LINE as u64).read_until(b'\n', &mut line).map_err(cannot)?;
    refuse_other_version(path, line.strip_suffix(b"\n").unwrap_or(&line))?;
    match line.strip_suffix(b"\n").and_then(|line| decode_header(line).ok()) {
        Some(header) => Ok(Some(header)),
        // Where the line is damaged, those that follow may tell.
        None => Ok(read(path).ok().map(|contents| contents.header)),
    }
}

fn decode_header(line: &[u8]) -> Result<Header, String> {
    decode(line, "").and_then(Header::sound)
}

/// Refuses a first line that is a header of a version that this program does not know, damaged or not: what such a ledger says,
/// only its own version can tell. The line is given without its end.
fn refuse_other_version(path: &Path, line: &[u8]) -> Result<(), LedgerError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        #[serde(default)]
        schema: String,
    }
    let schema = if let Ok(header) = decode::<Versioned>(line, "") {
        Some(header.schema)
    } else {
        // Damaged, it may be no JSON any more, but begin like a header.
        let parsed = serde_json::from_slice::<Versioned>(line).ok().map(|header| header.schema);
        let beginning = line.strip_prefix(BEGINNING.as_bytes()).and_then(|rest| {
            // What was not written to its end may still become a version that is known.
            let end = rest.iter().position(|&byte| byte == b'"')?;
            Some(String::from_utf8_lossy(&rest[..end]).into_owned())
        });
        parsed.or(beginning).filter(|schema| schema.starts_with(FAMILY))
    };
    match schema {
        Some(schema) if ![SCHEMA, OLD_SCHEMA].contains(&&*schema) => {
            Err(LedgerError::OtherVersion { path: path.to_owned(), schema })
        }
        _ => Ok(()),
    }
}

/// A header whose CRC is wrong, as far as it can be read. Whether it is right shows when a line below belongs to it.
fn doubtful_header(line: &[u8]) -> Option<Header> {
    serde_json::from_slice::<Header>(line).ok()?.sound().ok()
}

/// Whether what was not written to its end, and has no line before it, can be the beginning of a ledger.
fn begins_like_a_ledger(bytes: &[u8]) -> bool {
    [SCHEMA, OLD_SCHEMA].iter().any(|schema| {
        let beginning = format!("{BEGINNING}{schema}\"");
        let length = bytes.len().min(beginning.len());
        bytes[..length] == beginning.as_bytes()[..length]
    })
}

/// Whether there is more than one line in what should be a part of one.
fn has_several_lines(bytes: &[u8]) -> bool {
    bytes
        .windows(CRC_BEGINS.len())
        .position(|window| window == CRC_BEGINS.as_bytes())
        .is_some_and(|at| at + CRC_LENGTH < bytes.len())
}

/// The lines of a file, of which no more is in memory than the beginning of one.
struct Lines<R> {
    reader: R,
    /// The last line read, without its end, or its first bytes where it is longer than any line of a ledger.
    line: Vec<u8>,
    /// The length of the line in bytes, without its end.
    length: u64,
    /// True once its end was read.
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R) -> Self {
        Self { reader, line: Vec::new(), length: 0, ended: true }
    }

    /// Reads the next line, or of one that is too long no more than `most` bytes. Returns whether there was anything left.
    fn next(&mut self, most: u64) -> io::Result<bool> {
        self.line.clear();
        (self.length, self.ended) = (0, false);
        while !self.ended && self.length <= most {
            let bytes = match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            if bytes.is_empty() {
                break;
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            self.line.extend_from_slice(&part[..part.len().min(LONGEST_LINE + 1 - self.line.len())]);
            self.length += part.len() as u64;
            self.ended = end.is_some();
            let used = part.len() + usize::from(self.ended);
            self.reader.consume(used);
        }
        Ok(self.ended || self.length > 0)
    }

    fn is_too_long(&self) -> bool {
        self.length > LONGEST_LINE as u64
    }
}

/// Reads the ledger at `path` from an open file. With `ours` the caller says what it should be the ledger of: then a damaged
/// first line does no harm, and an empty file is a new ledger.
pub(super) fn parse(path: &Path, file: impl Read, ours: Option<&Header>) -> Result<Contents, LedgerError> {
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file));
    let not_a_ledger = |reason: &str| LedgerError::NotALedger { path: path.to_owned(), reason: reason.to_owned() };
    let cannot = |error| LedgerError::io("read", path, error);
    lines.next(MOST_DAMAGED_BYTES).map_err(cannot)?;
    refuse_other_version(path, &lines.line)?;
    let length = lines.length + u64::from(lines.ended);
    let mut reading = Reading { path, headers: Vec::new(), found: None, damage: None, damaged_bytes: 0, length };
    if lines.ended {
        match decode_header(&lines.line) {
            Ok(header) => {
                reading.is_ours(&header, ours)?;
                reading.found = Some(Found::new(header));
            }
            Err(reason) => {
                reading.damaged(1, if lines.is_too_long() { "it is too long".to_owned() } else { reason }, &lines)?;
                reading.headers.extend(doubtful_header(&lines.line));
            }
        }
    } else {
        if !begins_like_a_ledger(&lines.line) {
            return Err(not_a_ledger("it does not begin like one"));
        }
        if lines.is_too_long() || has_several_lines(&lines.line) {
            return Err(not_a_ledger("its lines have no ends"));
        }
        if ours.is_none() {
            let empty = lines.length == 0;
            return Err(not_a_ledger(if empty { "it is empty" } else { "its first line was not written to its end" }));
        }
    }
    if let (None, Some(ours)) = (&reading.found, ours) {
        // Either version of ours will do, if the lines below belong to it.
        reading.headers.extend([ours.clone(), ours.in_old_version()]);
    }
    if reading.found.is_none() && reading.headers.is_empty() {
        return Err(reading.unbelievable());
    }

    let (mut torn, mut unended) = (if lines.ended { 0 } else { lines.length }, false);
    let mut number = 1;
    while lines.ended && lines.next(MOST_DAMAGED_BYTES).map_err(cannot)? {
        number += 1;
        reading.length += lines.length + u64::from(lines.ended);
        let whole = if lines.is_too_long() { Err("it is too long".to_owned()) } else { reading.decode(&lines.line) };
        match whole {
            Ok((header, line)) => {
                unended = !lines.ended;
                reading.add(number, header, line, ours)?;
            }
            Err(_) if !lines.ended => torn = lines.length,
            Err(reason) => reading.damaged(number, reason, &lines)?,
        }
        if !lines.ended && lines.length > MOST_DAMAGED_BYTES {
            return Err(reading.too_damaged(number));
        }
    }
    reading.ended(torn, unended, ours)
}

/// A ledger while it is read.
struct Reading<'a> {
    path: &'a Path,
    /// The headers that the lines below may belong to, while nothing has shown which.
    headers: Vec<Header>,
    found: Option<Found>,
    damage: Option<Damage>,
    damaged_bytes: u64,
    /// The length of what was read in bytes.
    length: u64,
}

/// The header that lines belong to, and those lines.
struct Found {
    header: Header,
    identity: String,
    runs: Vec<RunLine>,
    last_run_has_units: bool,
    units: BTreeMap<usize, (usize, UnitLine)>,
    /// For each unit the number of its line.
    numbers: BTreeMap<usize, usize>,
    contradiction: Option<Contradiction>,
}

impl Found {
    fn new(header: Header) -> Self {
        let (runs, units, numbers) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let last_run_has_units = false;
        Self { identity: header.identity(), header, runs, last_run_has_units, units, numbers, contradiction: None }
    }
}

impl Reading<'_> {
    /// Decodes a line, and finds the header that it belongs to where that is not known yet.
    fn decode(&self, line: &[u8]) -> Result<(Option<Header>, Line), String> {
        if let Some(found) = &self.found {
            return decode(line, &found.identity)
                .and_then(|line: Line| line.sound(&found.header))
                .map(|line| (None, line));
        }
        let of = |header: &Header| {
            let line = decode(line, &header.identity()).and_then(|line: Line| line.sound(header));
            line.map(|line| (Some(header.clone()), line))
        };
        let mut last = Err("it is of another ledger".to_owned());
        for header in &self.headers {
            last = of(header);
            if last.is_ok() {
                break;
            }
        }
        last
    }

    fn is_ours(&self, header: &Header, ours: Option<&Header>) -> Result<(), LedgerError> {
        match ours {
            Some(ours) if !header.is_of_the_same_plan(ours) || header.shard != ours.shard => {
                Err(LedgerError::other(self.path, header, ours))
            }
            Some(_) if header.is_of_old_shard() => Err(LedgerError::OldShard {
                path: self.path.to_owned(),
                what: header.in_words(),
                version: header.program_version.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Takes in a line, and with the first one the header that it belongs to.
    fn add(
        &mut self,
        number: usize,
        header: Option<Header>,
        line: Line,
        ours: Option<&Header>,
    ) -> Result<(), LedgerError> {
        if let Some(header) = header {
            self.is_ours(&header, ours)?;
            self.found = Some(Found::new(header));
        }
        let Some(found) = &mut self.found else { return Ok(()) };
        match line {
            Line::Run(run) => {
                if found.runs.len() >= MANY_RUNS && !found.last_run_has_units {
                    found.runs.pop();
                }
                found.runs.push(run);
                found.last_run_has_units = false;
            }
            Line::Unit(unit) => match found.units.entry(unit.unit) {
                Entry::Vacant(vacant) => {
                    found.last_run_has_units = true;
                    found.numbers.insert(unit.unit, number);
                    vacant.insert((found.runs.len().saturating_sub(1), unit));
                }
                Entry::Occupied(first) if first.get().1.partial == unit.partial => {}
                Entry::Occupied(first) => {
                    found.contradiction.get_or_insert(Contradiction {
                        unit: unit.unit,
                        line: number,
                        partial: unit.partial,
                        earlier: found.numbers[&unit.unit],
                        other: first.get().1.partial,
                    });
                }
            },
        }
        Ok(())
    }

    /// Notes a damaged line.
    fn damaged<R>(&mut self, number: usize, reason: String, lines: &Lines<R>) -> Result<(), LedgerError> {
        self.damaged_bytes += lines.length;
        let damage = self.damage.get_or_insert(Damage { line: number, reason, lines: 0 });
        damage.lines += 1;
        if damage.lines > MOST_DAMAGED_LINES || self.damaged_bytes > MOST_DAMAGED_BYTES {
            return Err(self.too_damaged(number));
        }
        Ok(())
    }

    fn too_damaged(&self, number: usize) -> LedgerError {
        let first = self.damage.as_ref().map_or(number, |damage| damage.line);
        let reason = format!("from line {first} on too much of it is damaged");
        LedgerError::NotALedger { path: self.path.to_owned(), reason }
    }

    /// The error where nothing in the file can be believed, so that it may be anything.
    fn unbelievable(&self) -> LedgerError {
        let reason = self.damage.as_ref().map_or("", |damage| &damage.reason);
        let way_out = "if it is one, say how it was begun: engine, symmetry, split rows, shard";
        LedgerError::NotALedger { path: self.path.to_owned(), reason: format!("line 1: {reason}; {way_out}") }
    }

    fn ended(self, torn: u64, unended: bool, ours: Option<&Header>) -> Result<Contents, LedgerError> {
        let damaged_header = self.damage.as_ref().is_some_and(|damage| damage.line == 1);
        let found = match (self.found, ours) {
            (Some(found), _) => found,
            (None, Some(ours)) if !damaged_header => Found::new(ours.clone()),
            (None, _) => return Err(Reading { found: None, ..self }.unbelievable()),
        };
        let mut header = found.header;
        if let (true, Some(ours)) = (damaged_header, ours) {
            // What it says besides is not to be believed where it is damaged.
            header = if header.identity() == ours.identity() { ours.clone() } else { ours.in_old_version() };
        }
        Ok(Contents {
            path: self.path.to_owned(),
            header,
            runs: found.runs,
            units: found.units,
            damage: self.damage,
            contradiction: found.contradiction,
            torn,
            unended,
            length: self.length,
        })
    }
}
