//! Reads a ledger, even a damaged one, and separates the valid lines from the damaged ones.
//!
//! The file is read line by line in bounded memory, because its contents can be anything.

use crate::engine::Plan;
use crate::ledger::LedgerError;
use crate::ledger::archive::{self, RunTime};
use crate::ledger::line::{CRC_BEGINS, CRC_LENGTH, Header, Line, OLD_SCHEMA, RunLine, SCHEMA, UnitLine, decode};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The longest valid line, in bytes. A header has a few hundred.
const LONGEST_LINE: usize = 4 << 10;
/// The largest number of damaged bytes. A file with more is refused.
const MOST_DAMAGED_BYTES: u64 = 16 << 20;
/// The largest number of damaged lines, three times the lines of the largest plan's ledger. A file with more is
/// refused.
const MOST_DAMAGED_LINES: usize = 1 << 20;
/// The number of runs from which runs without finished units are not kept.
const MANY_RUNS: usize = 10_000;

/// The beginning of a ledger's header in every version of the format.
const BEGINNING: &str = "{\"schema\":\"";
const FAMILY: &str = "nqueens/ledger/";

/// The contents of a ledger or an archive.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contents {
    /// The path of the ledger or the archive.
    pub path: PathBuf,
    /// The plan and the shard. They come from the first line or, if that is damaged, from the caller.
    pub header: Header,
    /// The runs that worked on the ledger, first to last. Of the runs after the first ten thousand, only the last and
    /// those with finished units are kept. An archive has only those with finished units.
    pub runs: Vec<RunLine>,
    /// For each finished unit, the index in `runs` of the run that counted it, and its line.
    pub units: BTreeMap<usize, (usize, UnitLine)>,
    /// The damaged lines, if there are any.
    pub damage: Option<Damage>,
    /// The first two lines that have different partial counts for a unit, if there are any.
    pub contradiction: Option<Contradiction>,
    /// The number of bytes of an incomplete last line.
    pub torn: u64,
    /// True if the last line lacks only its newline.
    pub(super) unended: bool,
    /// The length of the file in bytes.
    pub(super) length: u64,
    /// The times of the runs if this is an archive, otherwise `None`.
    pub(super) archived: Option<Vec<RunTime>>,
}

/// The damaged lines of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The number of the first damaged line, from 1.
    pub line: usize,
    /// A description of the damage in the first damaged line.
    pub reason: String,
    /// The number of damaged lines.
    pub lines: usize,
}

/// Two lines with different partial counts for one unit. One of them is wrong, and the ledger does not show which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The number of the unit.
    pub unit: usize,
    /// The number of the later line, from 1.
    pub line: usize,
    /// The partial count in the later line.
    pub partial: u128,
    /// The number of the earlier line, from 1.
    pub earlier: usize,
    /// The partial count in the earlier line.
    pub other: u128,
}

impl Contents {
    /// Returns true if this is an archive, which has no weights and no times of units.
    pub fn is_archive(&self) -> bool {
        self.archived.is_some()
    }

    /// Returns the time in seconds that all runs took to count. The time of a run ends with its last finished unit.
    pub fn seconds(&self) -> f64 {
        self.seconds_of_runs().iter().sum()
    }

    /// Returns a run, or one that stands for all runs if their lines were lost.
    pub(super) fn run(&self, index: usize) -> Cow<'_, RunLine> {
        self.runs.get(index).map_or_else(|| Cow::Owned(RunLine::lost(&self.header)), Cow::Borrowed)
    }

    /// Returns the time in seconds that each run took to count.
    pub(super) fn seconds_of_runs(&self) -> Vec<f64> {
        if let Some(times) = &self.archived {
            return times.iter().map(|time| time.seconds).collect();
        }
        // A ledger that lost the lines of its runs has units of run 0.
        let mut last = vec![0_f64; self.runs.len().max(1)];
        for (run, unit) in self.units.values() {
            last[*run] = last[*run].max(unit.at.unwrap_or(0.0));
        }
        last
    }

    /// Returns the expected work of the finished units and of all units of the shard, in the unit of the plan's weights,
    /// or of the weights that nqueens 0.1.0 wrote down. `plan` must be the plan of the ledger.
    pub fn work(&self, plan: &Plan) -> (u64, u64) {
        let Header { shard, .. } = self.header;
        let Some(all) = self.header.old_weight() else {
            let all = (0..plan.units()).filter(|&unit| shard.has(unit));
            return (plan.weight_of(self.units.keys().copied()), plan.weight_of(all));
        };
        // The units of such a shard or plan are not known, but each line holds a weight.
        (self.units.values().fold(0_u64, |sum, (_, unit)| sum.saturating_add(unit.weight.unwrap_or(0))).min(all), all)
    }

    /// Returns the work that the last run did per second, in the unit of [`work`](Self::work). Returns `None` if that
    /// run has finished no unit, and for an archive. `plan` must be the plan of the ledger.
    pub fn rate(&self, plan: &Plan) -> Option<f64> {
        let last = self.units.values().filter(|(run, _)| run + 1 == self.runs.len()).map(|(_, unit)| unit);
        let old = self.header.old_weight().is_some();
        let weight = |unit: &UnitLine| unit.weight.filter(|_| old).unwrap_or_else(|| plan.weight(unit.unit));
        let (done, at) =
            last.fold((0.0, 0_f64), |(done, at), unit| (done + weight(unit) as f64, at.max(unit.at.unwrap_or(0.0))));
        (at > 0.0).then(|| done / at)
    }

    /// Returns true if every unit of the shard is finished, without contradictions.
    ///
    /// For a shard in the old version of the format this is judged by the number of units alone. If its header is
    /// damaged, the shard is not complete.
    pub fn is_complete(&self) -> bool {
        let believed = !self.header.is_of_old_shard() || self.damage.as_ref().is_none_or(|damage| damage.line > 1);
        believed && self.contradiction.is_none() && self.units.len() >= self.header.shard_units()
    }

    /// Returns the contradiction as an error, if there is one.
    pub(crate) fn without_contradiction(&self) -> Result<(), LedgerError> {
        let error =
            |contradiction| LedgerError::Differ { path: self.path.clone(), contradiction: Box::new(contradiction) };
        self.contradiction.map_or(Ok(()), |contradiction| Err(error(contradiction)))
    }
}

/// Reads the ledger or the archive at `path`.
///
/// # Errors
/// Returns an error if the file cannot be read, is neither a ledger nor an archive, has another version of the format,
/// has a damaged first line and no other line that identifies the plan, or is a damaged archive.
pub fn read(path: &Path) -> Result<Contents, LedgerError> {
    check_is_regular(path)?;
    let cannot = |error| LedgerError::io("read", path, error);
    let file = File::open(path).map_err(cannot)?;
    let mut beginning = Vec::new();
    (&file).take(archive::MAGIC.len() as u64).read_to_end(&mut beginning).map_err(cannot)?;
    let whole = beginning.as_slice().chain(&file);
    if archive::is_likely(&beginning) { archive::parse(path, whole) } else { parse(path, whole, None) }
}

/// Refuses anything but a regular file. Opening another kind of file may block.
pub(super) fn check_is_regular(path: &Path) -> Result<(), LedgerError> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let reason = "it is not a regular file".to_owned();
        return Err(LedgerError::NotALedger { path: path.to_owned(), reason });
    }
    Ok(())
}

/// Reads the header of the ledger at `path`. Returns `None` if there is no file, or it is empty or too damaged.
///
/// # Errors
/// Returns an error if the file cannot be read, has another version of the format, or is an archive.
pub(crate) fn read_header(path: &Path) -> Result<Option<Header>, LedgerError> {
    check_is_regular(path)?;
    let cannot = |error| LedgerError::io("read", path, error);
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(cannot)?,
    };
    let mut line = Vec::new();
    BufReader::new(file).take(LONGEST_LINE as u64).read_until(b'\n', &mut line).map_err(cannot)?;
    if archive::is_likely(&line) {
        return Err(LedgerError::Archive { path: path.to_owned() });
    }
    refuse_other_version(path, line.strip_suffix(b"\n").unwrap_or(&line))?;
    match line.strip_suffix(b"\n").and_then(|line| decode_header(line).ok()) {
        Some(header) => Ok(Some(header)),
        // The first line is damaged, but later lines may identify the plan.
        None => Ok(read(path).ok().map(|contents| contents.header)),
    }
}

fn decode_header(line: &[u8]) -> Result<Header, String> {
    decode(line, "").and_then(Header::sound)
}

/// Refuses a first line that is a header of an unknown version, even a damaged one. Only that version can interpret
/// such a ledger. The line is given without its newline.
fn refuse_other_version(path: &Path, line: &[u8]) -> Result<(), LedgerError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        #[serde(default)]
        schema: String,
    }
    let schema = if let Ok(header) = decode::<Versioned>(line, "") {
        Some(header.schema)
    } else {
        // A damaged header may not be JSON any more, but still begin like one.
        let parsed = serde_json::from_slice::<Versioned>(line).ok().map(|header| header.schema);
        let beginning = line.strip_prefix(BEGINNING.as_bytes()).and_then(|rest| {
            // An incomplete version number may be the beginning of a known one.
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

/// Reads a header whose CRC is wrong. It is accepted only if a later line belongs to it.
fn doubtful_header(line: &[u8]) -> Option<Header> {
    serde_json::from_slice::<Header>(line).ok()?.sound().ok()
}

/// Returns true if an incomplete first line can be the beginning of a ledger.
fn begins_like_a_ledger(bytes: &[u8]) -> bool {
    [SCHEMA, OLD_SCHEMA].iter().any(|schema| {
        let beginning = format!("{BEGINNING}{schema}\"");
        let length = bytes.len().min(beginning.len());
        bytes[..length] == beginning.as_bytes()[..length]
    })
}

/// Returns true if the bytes of an incomplete line contain the end of an earlier line.
fn has_several_lines(bytes: &[u8]) -> bool {
    bytes
        .windows(CRC_BEGINS.len())
        .position(|window| window == CRC_BEGINS.as_bytes())
        .is_some_and(|at| at + CRC_LENGTH < bytes.len())
}

/// The lines of a file. At most the first bytes of one line are kept in memory.
struct Lines<R> {
    reader: R,
    /// The last line that was read, without its newline; only its first bytes if it is too long.
    line: Vec<u8>,
    /// The length of the line in bytes, without its newline.
    length: u64,
    /// True if the line's newline was read.
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R) -> Self {
        Self { reader, line: Vec::new(), length: 0, ended: true }
    }

    /// Reads the next line, or `most` bytes of a longer one. Returns false at the end of the file.
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

/// Reads the ledger at `path` from an open file. If `ours`, the expected header, is given, a damaged first line is
/// tolerated and an empty file is a new ledger.
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
            return Err(not_a_ledger(if empty { "it is empty" } else { "its first line is incomplete" }));
        }
    }
    if let (None, Some(ours)) = (&reading.found, ours) {
        // Both versions of our header are possible. The later lines show which one applies.
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

/// The state of reading a ledger.
struct Reading<'a> {
    path: &'a Path,
    /// The headers that the later lines may belong to, until a line shows which.
    headers: Vec<Header>,
    found: Option<Found>,
    damage: Option<Damage>,
    damaged_bytes: u64,
    /// The number of bytes read.
    length: u64,
}

/// A header and the lines that belong to it.
struct Found {
    header: Header,
    identity: String,
    runs: Vec<RunLine>,
    last_run_has_units: bool,
    units: BTreeMap<usize, (usize, UnitLine)>,
    /// The line number of each unit.
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
    /// Decodes a line. If the header is not known yet, also returns the header that the line belongs to.
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
        let mut last = Err("it belongs to another ledger".to_owned());
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

    /// Adds a line and, if the line identified it, the header.
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

    /// Records a damaged line.
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

    /// Returns the error for a file without any valid line.
    fn unbelievable(&self) -> LedgerError {
        let reason = self.damage.as_ref().map_or("", |damage| &damage.reason);
        let way_out = "if it is a ledger, count again with the engine, symmetry, split rows and shard that it was created with, \
             which repairs it";
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
            // The other fields of a damaged header cannot be trusted.
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
            archived: None,
        })
    }
}
