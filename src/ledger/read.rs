//! Reads a ledger, also a compressed one, and leaves out the lines whose checksum is wrong.
//!
//! The file is read line by line in bounded memory, because its contents can be anything.

use crate::engine::Plan;
use crate::ledger::LedgerError;
use crate::ledger::line::{Header, Line, RunLine, SCHEMA, UnitLine, decode, looks_like_a_line};
use crate::ledger::merge::plan_of;
use crate::run::Pace;
use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest line, in bytes. A header has a few hundred. A longer line is read in pieces, which are damaged lines.
const LONGEST_LINE: u64 = 4 << 10;
/// The largest number of damaged bytes. A file with more is refused.
const MOST_DAMAGED_BYTES: usize = 16 << 20;
/// The beginning of a ledger in every version of the format.
const BEGINNING: &[u8] = b"{\"schema\":\"nqueens/ledger/";
/// The beginning of a file that is compressed with gzip.
const GZIP: &[u8] = &[0x1F, 0x8B];

/// The contents of a ledger.
///
/// ```
/// use nqueens::{Board, Cancel, Job, Shard, ledger};
///
/// # let path = std::env::temp_dir().join(format!("nqueens-{}-contents.jsonl", std::process::id()));
/// # let (job, cancel) = (Job::new(Board::new(8)?), Cancel::new());
/// # ledger::Run::open(&job, &path, Shard::WHOLE, &cancel)?.count(&cancel, &())?;
/// let contents = ledger::read(&path)?;
/// assert!(contents.is_complete() && contents.damage.is_none());
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contents {
    /// The path of the ledger.
    pub path: PathBuf,
    /// The plan and the shard.
    pub header: Header,
    /// The runs that finished units, first to last, and the last run.
    pub runs: Vec<RunLine>,
    /// For each finished unit, the index in `runs` of the run that counted it, and its line.
    pub units: BTreeMap<usize, (usize, UnitLine)>,
    /// The damaged lines, if there are any.
    pub damage: Option<Damage>,
    /// The first line that contradicts an earlier one, if there is any.
    pub contradiction: Option<Contradiction>,
    /// True if the last line is incomplete.
    pub torn: bool,
    /// The plan; `None` if this program does not make it, or it was not needed.
    pub(super) plan: Option<Arc<Plan>>,
    /// True if the header is in the file, undamaged.
    pub(super) has_header: bool,
    /// True if the last line has its newline, or there is none.
    pub(super) is_ended: bool,
}

/// The damaged lines of a ledger.
///
/// ```
/// use nqueens::{Board, Cancel, Job, Shard, ledger};
///
/// # let path = std::env::temp_dir().join(format!("nqueens-{}-damage.jsonl", std::process::id()));
/// # let (job, cancel) = (Job::new(Board::new(8)?), Cancel::new());
/// # ledger::Run::open(&job, &path, Shard::WHOLE, &cancel)?.count(&cancel, &())?;
/// std::fs::write(&path, std::fs::read_to_string(&path)? + "not a line of a ledger\n")?;
/// assert_eq!(ledger::read(&path)?.damage.map(|damage| damage.lines), Some(1));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use nqueens::{Board, Cancel, Job, Shard, ledger};
///
/// # let path = std::env::temp_dir().join(format!("nqueens-{}-contradiction.jsonl", std::process::id()));
/// # let (job, cancel) = (Job::new(Board::new(8)?), Cancel::new());
/// # ledger::Run::open(&job, &path, Shard::WHOLE, &cancel)?.count(&cancel, &())?;
/// if let Some(two) = ledger::read(&path)?.contradiction {
///     eprintln!("unit {} counts {} or {}", two.unit, two.earlier, two.partial);
/// #   unreachable!();
/// }
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The number of the unit.
    pub unit: usize,
    /// The number of the later line, from 1.
    pub line: usize,
    /// The partial count in the later line.
    pub partial: u128,
    /// The partial count in the earlier line.
    pub earlier: u128,
}

impl Contents {
    /// Returns true if no line of the file belongs to the header.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_header && self.runs.is_empty()
    }

    /// Returns the time in seconds that all runs took to count. The time of a run ends with its last finished unit.
    pub fn seconds(&self) -> f64 {
        let mut last = vec![0_f64; self.runs.len()];
        for (run, unit) in self.units.values() {
            last[*run] = last[*run].max(unit.at);
        }
        last.iter().sum()
    }

    /// Returns the time of cores that the finished units took, in seconds.
    pub fn core_seconds(&self) -> f64 {
        self.units.values().fold(0.0, |sum, (_, line)| sum + line.core_seconds())
    }

    /// Returns the expected work of the finished units and of all units of the shard, in the unit of the plan.
    /// `plan` must be the plan of the ledger.
    pub fn work(&self, plan: &Plan) -> (u64, u64) {
        let all = (0..plan.units()).filter(|&unit| self.header.shard.has(unit));
        (plan.work_of(self.units.keys().copied()), plan.work_of(all))
    }

    /// Returns the work that the last run did per second of counting, in the unit of [`work`](Self::work). The time of
    /// its tables, and any in which it was stopped, does not count. Returns `None` if that run has finished no unit.
    /// `plan` must be the plan of the ledger.
    pub fn rate(&self, plan: &Plan) -> Option<f64> {
        let (index, run) = self.runs.iter().enumerate().next_back()?;
        let mut lines: Vec<_> = self.units.values().filter(|(run, _)| *run == index).map(|(_, line)| line).collect();
        lines.sort_by(|one, other| one.at.total_cmp(&other.at));
        let mut pace = Pace::default();
        for line in lines {
            pace.add(plan.work(line.unit), line.seconds, line.cpu_seconds);
        }
        let seconds = pace.seconds(pace.work, run.threads)?;
        (seconds > 0.0).then(|| pace.work as f64 / seconds)
    }

    /// Returns true if every unit of the shard is finished, without contradictions.
    pub fn is_complete(&self) -> bool {
        self.contradiction.is_none() && self.units.len() == self.header.shard_units()
    }

    /// Checks that there is no contradiction.
    ///
    /// # Errors
    /// Returns an error that names the contradiction, if there is one.
    pub fn without_contradiction(&self) -> Result<(), LedgerError> {
        let error = |contradiction| LedgerError::Differ { path: self.path.clone(), contradiction };
        self.contradiction.map_or(Ok(()), |contradiction| Err(error(contradiction)))
    }
}

/// A header of any version of the format.
#[derive(Deserialize)]
struct Versioned {
    #[serde(default)]
    schema: String,
}

/// Reads the ledger at `path`, which may be compressed.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a ledger, has another version of the format, or is compressed
/// and damaged. A ledger with a damaged header is read if another line shows that the header can be believed.
pub fn read(path: &Path) -> Result<Contents, LedgerError> {
    read_next(path, &mut None)
}

/// Reads a ledger, as [`read`] does. `plan` is the plan of the ledger that was read before, and becomes that of this
/// one, so that the plan of several ledgers of one count is made once.
#[doc(hidden)]
pub fn read_next(path: &Path, plan: &mut Option<Arc<Plan>>) -> Result<Contents, LedgerError> {
    check_is_regular(path)?;
    let file = File::open(path).map_err(|error| LedgerError::io("read", path, error))?;
    let Some((header, _)) = find_header(path, &file)? else { return Err(without_header(path, &file)) };
    if !plan.as_ref().is_some_and(|plan| header.is_of(plan)) {
        *plan = plan_of(path, &header).ok().map(Arc::new);
    }
    let contents = Contents { plan: plan.clone(), ..parse(path, &file, header, plan.as_deref())? };
    if contents.is_empty() { Err(without_header(path, &file)) } else { Ok(contents) }
}

/// Returns true if the file at `path` begins like a ledger, also like a compressed one, or has lines of one.
pub fn is_ledger(path: &Path) -> bool {
    let begins = |file: &File| first_line(path, file).is_ok_and(|line| line.starts_with(BEGINNING));
    check_is_regular(path).is_ok() && File::open(path).is_ok_and(|file| begins(&file) || has_lines(path, &file))
}

/// Returns true if one of the first lines of a file looks like that of a ledger.
fn has_lines(path: &Path, file: &File) -> bool {
    let lines = Lines::of(path, file);
    lines.is_ok_and(|mut lines| (0..100).any(|_| lines.next().unwrap_or(false) && looks_like_a_line(&lines.line)))
}

/// Refuses anything but a regular file. Opening another kind of file may block.
pub(super) fn check_is_regular(path: &Path) -> Result<(), LedgerError> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let reason = "it is not a regular file".to_owned();
        return Err(LedgerError::NotALedger { path: path.to_owned(), reason });
    }
    Ok(())
}

/// Returns true if the file is compressed.
pub(super) fn is_compressed(path: &Path, file: &File) -> Result<bool, LedgerError> {
    Lines::of(path, file).map(|lines| lines.is_compressed)
}

/// Returns true if the file is empty, or has nothing but parts of headers, one for each run that was killed as it
/// began.
pub(super) fn is_begun(path: &Path, file: &File) -> Result<bool, LedgerError> {
    let mut lines = Lines::of(path, file)?;
    while lines.next()? {
        let line = &lines.line;
        let begins_like_one = BEGINNING.starts_with(&line[..line.len().min(BEGINNING.len())]);
        // What follows a brace is another line, whose newline was lost.
        if line.is_empty() || !begins_like_one || line.contains(&b'}') {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the error for a ledger that lacks its header, or a file that is no ledger.
pub(super) fn without_header(path: &Path, file: &File) -> LedgerError {
    let line = match first_line(path, file) {
        Err(error) => return error,
        Ok(line) => line,
    };
    // Another version may have other checksums.
    if let (true, Ok(Versioned { schema })) = (line.starts_with(BEGINNING), serde_json::from_slice(&line))
        && schema != SCHEMA
    {
        return LedgerError::other_version(path, &schema);
    }
    let reason = if line.is_empty() {
        "it is empty"
    } else if !has_lines(path, file) {
        "it has no header"
    } else {
        "it has no header; if its header is damaged, a count of the same plan and shard adds one"
    };
    LedgerError::NotALedger { path: path.to_owned(), reason: reason.to_owned() }
}

fn first_line(path: &Path, file: &File) -> Result<Vec<u8>, LedgerError> {
    let mut lines = Lines::of(path, file)?;
    lines.next()?;
    Ok(lines.line)
}

/// Finds the header of a ledger, and returns true with it if it is undamaged. Otherwise it may be wrong, unless another
/// line belongs to it.
///
/// The header is the first line. If that is damaged, a later run may have added another header.
pub(super) fn find_header(path: &Path, file: &File) -> Result<Option<(Header, bool)>, LedgerError> {
    let mut lines = Lines::of(path, file)?;
    let mut damaged = None;
    while lines.next()? {
        if let Ok(Versioned { schema }) = decode(&lines.line, "") {
            if schema != SCHEMA {
                return Err(LedgerError::other_version(path, &schema));
            }
            if let Ok(header) = decode(&lines.line, "") {
                return Ok(Some((header, true)));
            }
        }
        if lines.number == 1 {
            damaged = serde_json::from_slice(&lines.line).ok().map(|header| (header, false));
        }
        if !looks_like_a_line(&lines.line) {
            lines.skip()?;
        }
    }
    Ok(damaged)
}

/// Reads the lines of a ledger that belong to this header. `plan` is its plan, if it is known.
pub(super) fn parse(path: &Path, file: &File, header: Header, plan: Option<&Plan>) -> Result<Contents, LedgerError> {
    let identity = header.identity();
    let mut contents = Contents {
        path: path.to_owned(),
        header,
        runs: Vec::new(),
        units: BTreeMap::new(),
        damage: None,
        contradiction: None,
        torn: false,
        plan: None,
        has_header: false,
        is_ended: true,
    };
    let mut lines = Lines::of(path, file)?;
    let mut last_run_is_idle = false;
    while lines.next()? {
        let Contents { header, runs, units, .. } = &mut contents;
        match decode(&lines.line, &identity).and_then(|line: Line| line.sound(header, plan)) {
            Ok(Line::Run(run)) => {
                if last_run_is_idle {
                    runs.pop();
                }
                runs.push(run);
                last_run_is_idle = true;
            }
            Ok(Line::Unit(line)) => {
                if runs.is_empty() {
                    runs.push(RunLine::lost(header));
                }
                let UnitLine { unit, partial, .. } = line;
                let (_, first) = units.entry(unit).or_insert_with(|| {
                    last_run_is_idle = false;
                    (runs.len() - 1, line)
                });
                if first.partial != partial {
                    let (line, earlier) = (lines.number, first.partial);
                    contents.contradiction.get_or_insert(Contradiction { unit, line, partial, earlier });
                }
            }
            Err(_) if decode(&lines.line, "").is_ok_and(|header: Header| header.identity() == identity) => {
                contents.has_header = true;
            }
            Err(_) if lines.is_torn() => contents.torn = true,
            Err(reason) => {
                lines.skip()?;
                contents.damage.get_or_insert(Damage { line: lines.number, reason, lines: 0 }).lines += 1;
            }
        }
    }
    contents.is_ended = lines.is_ended;
    Ok(contents)
}

/// The lines of a ledger.
struct Lines<'a> {
    path: &'a Path,
    reader: Box<dyn BufRead + 'a>,
    is_compressed: bool,
    /// The last line that was read, without its newline, or a piece of a line that is too long.
    line: Vec<u8>,
    /// The number of the line, from 1.
    number: usize,
    /// True if the newline of the line was read.
    is_ended: bool,
    /// The number of bytes that were skipped.
    skipped: usize,
}

impl<'a> Lines<'a> {
    /// Begins with the first line of the file.
    fn of(path: &'a Path, mut file: &'a File) -> Result<Self, LedgerError> {
        let cannot = |error| LedgerError::io("read", path, error);
        file.rewind().map_err(cannot)?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let is_compressed = file.fill_buf().map_err(cannot)?.starts_with(GZIP);
        let reader: Box<dyn BufRead> = if is_compressed {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self { path, reader, is_compressed, line: Vec::new(), number: 0, is_ended: true, skipped: 0 })
    }

    /// Reads the next line. Returns false at the end of the file.
    fn next(&mut self) -> Result<bool, LedgerError> {
        self.line.clear();
        let length = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        let length = length.map_err(|error| {
            if self.is_compressed {
                LedgerError::DamagedArchive { path: self.path.to_owned(), reason: error.to_string() }
            } else {
                LedgerError::io("read", self.path, error)
            }
        })?;
        if length > 0 {
            self.number += usize::from(self.is_ended);
            self.is_ended = self.line.pop_if(|last| *last == b'\n').is_some();
        }
        Ok(length > 0)
    }

    /// Returns true if the file ends within this line.
    fn is_torn(&self) -> bool {
        !self.is_ended && self.line.len() < LONGEST_LINE as usize
    }

    /// Skips a damaged line.
    ///
    /// # Errors
    /// Returns an error if too many bytes were skipped.
    fn skip(&mut self) -> Result<(), LedgerError> {
        self.skipped += self.line.len() + 1;
        if self.skipped <= MOST_DAMAGED_BYTES {
            return Ok(());
        }
        let reason = format!("more than {} MiB of it are damaged", MOST_DAMAGED_BYTES >> 20);
        Err(LedgerError::NotALedger { path: self.path.to_owned(), reason })
    }
}
