//! Reads the ledgers of a file, without the lines whose checksum is wrong.

use crate::cancel::Cancel;
use crate::engine::{Plan, PrepareError};
use crate::ledger::LedgerError;
use crate::ledger::line::{Entry, Header, RunLine, SCHEMA, UnitLine, decode, looks_like_a_line};
use crate::ledger::text::Lines;
use crate::run::{Shard, on_threads};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The beginning of a ledger in every version of the format.
const BEGINNING: &[u8] = b"{\"schema\":\"nqueens/ledger/";

/// The contents of a ledger.
///
/// ```
/// use nqueens::ledger;
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let contents = ledger::read(path)?;
/// assert!(contents.is_complete() && contents.damage.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contents {
    /// The path of the ledger.
    pub path: PathBuf,
    /// The plan and the shard.
    pub header: Header,
    /// The runs, first to last. A run by several routes, one after another, is here once for each.
    pub runs: Vec<RunLine>,
    /// For each finished unit, the index in `runs` of the run that counted it, and its line.
    pub units: BTreeMap<usize, (usize, UnitLine)>,
    /// The damaged lines, if there are any.
    pub damage: Option<Damage>,
    /// The first line that contradicts an earlier one, if there is any, with both partial counts, in words. One of them is
    /// wrong, and the ledger does not show which.
    pub contradiction: Option<String>,
    /// The units whose lines contradict each other.
    pub(super) contradicted: BTreeSet<usize>,
    /// The plan, or the reason that this program does not make it.
    pub(super) plan: RemadePlan,
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
    /// The number of the first damaged line, from 1, or of the first one whose CRC is right.
    pub line: usize,
    /// A description of the damage in this line.
    pub reason: String,
    /// True if the CRC of this line is right, although it cannot be a line of this ledger: no disk has damaged it, but a
    /// faulty machine or a forger wrote it.
    pub is_written: bool,
    /// The number of damaged lines.
    pub lines: usize,
}

impl Contents {
    /// Returns the time in seconds that all runs took to count. The time of a run ends with its last finished unit.
    pub fn seconds(&self) -> f64 {
        let mut seconds = self.run_seconds().into_iter();
        self.whole_runs().map(|run| seconds.by_ref().take(run.len()).fold(0.0, f64::max)).sum()
    }

    /// Returns the elements of `runs` that are one run.
    pub(super) fn whole_runs(&self) -> impl DoubleEndedIterator<Item = &[RunLine]> {
        self.runs.chunk_by(|before, run| run.continues(before))
    }

    /// Returns, for each element of `runs`, the seconds from the start of the run to the last unit below it.
    fn run_seconds(&self) -> Vec<f64> {
        let mut last = vec![0_f64; self.runs.len()];
        for (run, unit) in self.units.values() {
            last[*run] = last[*run].max(unit.at);
        }
        last
    }

    /// Returns the core time that the finished units took, in seconds.
    pub fn core_seconds(&self) -> f64 {
        self.units.values().fold(0.0, |sum, (_, line)| sum + line.core_seconds())
    }

    /// Returns the expected work of the finished units and of all units of the shard, in the unit of the plan.
    /// `plan` must be the plan of the ledger.
    pub fn work(&self, plan: &Plan) -> (u64, u64) {
        let all = (0..plan.units()).filter(|&unit| self.header.shard.has(unit));
        (plan.work_of(self.units.keys().copied()), plan.work_of(all))
    }

    /// Describes the damage in words that warn a user; `None` if the ledger is undamaged.
    pub fn warning(&self) -> Option<String> {
        let Damage { line, reason, lines, .. } = self.damage.as_ref()?;
        let path = self.path.display();
        let others = if *lines > 1 { format!(", and {} more", lines - 1) } else { String::new() };
        Some(format!(
            "'{path}': line {line} is damaged: {reason}{others}; it is left out, and the same count counts its unit again \
             if no other line has it"
        ))
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
        self.contradiction.clone().map_or(Ok(()), |contradiction| Err(error(contradiction)))
    }
}

/// Reads the ledger at `path`, which may be compressed.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a ledger, has another version of the format, is several ledgers
/// joined, or is compressed and damaged.
pub fn read(path: impl AsRef<Path>) -> Result<Contents, LedgerError> {
    only(read_all(path.as_ref(), &mut None, &Cancel::new())?)
}

/// The plan of a header, or the reason that this program does not make it.
pub(super) type RemadePlan = Result<Arc<Plan>, String>;

/// Reads the ledgers that are joined in the file at `path`, at least one, each like [`read`]. `last` holds the header
/// and the plan of the last ledger read, before and after the call, so that the plan of several ledgers of one count is
/// made once.
///
/// # Errors
/// Returns an error if [`read`] would for one of the ledgers, or `cancel` is set.
pub fn read_all(
    path: &Path,
    last: &mut Option<(Header, RemadePlan)>,
    cancel: &Cancel,
) -> Result<Vec<Contents>, LedgerError> {
    check_is_regular(path)?;
    let file = File::open(path).map_err(|error| LedgerError::io("read", path, error))?;
    let mut lines = Lines::new(path, &file, cancel)?;
    let header = find_header(&mut lines)?.ok_or_else(|| LedgerError::not_a_ledger(path, "it is empty"))?;
    let plan_for = |header: &Header| match &mut *last {
        Some((of, plan)) if header.is_of_the_same_plan(of) => Ok(plan.clone()),
        last => Ok(last.insert((header.clone(), plan_of(header, cancel)?)).1.clone()),
    };
    parse(&mut lines, header, plan_for)
}

/// Makes the plan of a ledger again, or returns the reason that this program cannot: it has no such engine or plan, or
/// its plan of that name differs.
///
/// # Errors
/// Returns an error if no thread can be started, or `cancel` is set.
fn plan_of(header: &Header, cancel: &Cancel) -> Result<RemadePlan, LedgerError> {
    let unknown = |reason: &str| Ok(Err(reason.to_owned()));
    let Some(engine) = header.known_engine() else { return unknown("this program has no such engine") };
    let Some(settings) = engine.settings_of_plan(&header.plan) else { return unknown("this program has no such plan") };
    match on_threads(1, || engine.prepare(header.board, &settings, cancel))? {
        Ok(counter) if header.is_of_the_same_plan(&Header::new(&counter.plan, Shard::WHOLE)) => {
            Ok(Ok(Arc::new(counter.plan.clone())))
        }
        Ok(_) => unknown("this program makes other units of that name"),
        Err(PrepareError::Cancelled(cancelled)) => Err(cancelled.into()),
        Err(error) => unknown(&error.to_string()),
    }
}

/// Returns the ledger of a file that has only one.
///
/// # Errors
/// Returns an error if there are several ledgers.
pub(super) fn only(mut ledgers: Vec<Contents>) -> Result<Contents, LedgerError> {
    let Contents { path, .. } = ledgers.first().expect("a file that is read has a ledger");
    let reason = "several ledgers in one file, which `nqueens merge`, `status` and `recheck` read; \
                  a count needs a file of its own, with one of them";
    let joined = LedgerError::Other { path: path.clone(), reason: reason.to_owned() };
    ledgers.pop().filter(|_| ledgers.is_empty()).ok_or(joined)
}

/// Returns true if the file at `path`, which may be compressed, begins with lines of a ledger, right or wrong.
pub fn is_ledger(path: &Path) -> bool {
    let cancel = Cancel::new();
    let is_one = |file: &File| {
        let Ok(mut lines) = Lines::new(path, file, &cancel) else { return false };
        (0..100).any(|_| lines.next().is_ok_and(|is_line| is_line && is_of_a_ledger(lines.text())))
    };
    check_is_regular(path).is_ok() && File::open(path).is_ok_and(|file| is_one(&file))
}

/// Returns true if a line, which may be in UTF-16, has the beginning of a header or the end of any line.
fn is_of_a_ledger(line: &[u8]) -> bool {
    let line: Vec<u8> = line.iter().copied().filter(|byte| !b"\0\xFF\xFE".contains(byte)).collect();
    line.starts_with(BEGINNING) || looks_like_a_line(&line)
}

/// Refuses anything but a regular file. Opening another kind of file may block.
pub(super) fn check_is_regular(path: &Path) -> Result<(), LedgerError> {
    match path.metadata() {
        Ok(metadata) if !metadata.is_file() => Err(LedgerError::not_a_ledger(path, "it is not a regular file")),
        _ => Ok(()),
    }
}

/// Returns the line's header, if the line is a header.
///
/// # Errors
/// Returns an error if the header has another version of the format.
fn header_of(path: &Path, text: &[u8]) -> Result<Option<Header>, LedgerError> {
    let Ok(header) = decode::<serde_json::Value>(text, "") else { return Ok(None) };
    if header["schema"] != SCHEMA {
        return Err(LedgerError::other_version(path, &header));
    }
    Ok(serde_json::from_value(header).ok())
}

/// Returns the header of the first ledger in a file, which is the first line that is not blank; `None` if there is no
/// line.
///
/// # Errors
/// Returns an error if the line is no header or one of another version, or the file cannot be read.
pub(super) fn find_header(lines: &mut Lines<'_>) -> Result<Option<Header>, LedgerError> {
    while lines.next()? {
        let text = lines.text();
        if text.is_empty() {
            continue;
        }
        if let Some(header) = header_of(lines.path, text)? {
            return Ok(Some(header));
        }
        let reason = if is_of_a_ledger(text) {
            "its first line is damaged or missing, or its line ends are CR, or it is not in UTF-8; the same count with a \
             new file begins with this line, which can be put in its place"
        } else {
            "it has no header; a ledger is text in UTF-8, as it is or compressed with gzip"
        };
        // If the archive is damaged, the damage shows at its end.
        while lines.is_gzip && lines.next()? {}
        return Err(LedgerError::not_a_ledger(lines.path, reason));
    }
    Ok(None)
}

/// Returns true if the file has nothing but a part of a header, which was just read. It is not even a whole line.
pub(super) fn is_torn_header(lines: &Lines<'_>) -> bool {
    let text = lines.text();
    lines.number == 1 && lines.is_torn() && (text.starts_with(BEGINNING) || BEGINNING.starts_with(text))
}

/// A ledger that is being read.
struct Reading {
    contents: Contents,
    identity: String,
}

impl Reading {
    fn new(path: &Path, header: Header, plan: RemadePlan) -> Self {
        let contents = Contents {
            path: path.to_owned(),
            header,
            runs: Vec::new(),
            units: BTreeMap::new(),
            damage: None,
            contradiction: None,
            contradicted: BTreeSet::new(),
            plan,
        };
        Self { identity: contents.header.identity(), contents }
    }

    /// Returns a text as a line of this ledger, or a description of the problem, and whether the CRC is right.
    fn decoded(&self, text: &[u8]) -> Result<Entry, (String, bool)> {
        let Contents { header, plan, .. } = &self.contents;
        let line: Entry = decode(text, &self.identity).map_err(|reason| (reason, false))?;
        line.checked(header, plan.as_deref().ok()).map_err(|reason| (reason, true))
    }

    /// Adds a line, given with its number.
    fn add(&mut self, line: Entry, number: usize) {
        let Contents { header, runs, units, contradicted, contradiction, .. } = &mut self.contents;
        match line {
            Entry::Run(run) => runs.push(run),
            Entry::Unit(line) => {
                if runs.is_empty() {
                    runs.push(RunLine::lost(header));
                }
                let UnitLine { unit, partial, .. } = line;
                let (_, first) = units.entry(unit).or_insert((runs.len() - 1, line));
                let earlier = first.partial;
                if earlier != partial {
                    contradicted.insert(unit);
                    contradiction.get_or_insert_with(|| {
                        format!("in line {number} unit {unit} counts {partial}, but before that it counts {earlier}")
                    });
                }
            }
        }
    }
}

/// Reads the ledgers in a file, of which there is at least one. The first ledger has this header; each header of
/// another plan or shard begins another ledger. `plan_for` returns the plan of a header, or the reason that this
/// program does not make it.
pub(super) fn parse(
    lines: &mut Lines<'_>,
    header: Header,
    mut plan_for: impl FnMut(&Header) -> Result<RemadePlan, LedgerError>,
) -> Result<Vec<Contents>, LedgerError> {
    let plan = plan_for(&header)?;
    let (mut reading, mut ledgers) = (Reading::new(lines.path, header, plan), Vec::new());
    while lines.next()? {
        let text = lines.text();
        match reading.decoded(text) {
            Ok(line) => reading.add(line, lines.number),
            Err(_) if text.is_empty() => {}
            Err((reason, is_written)) => match header_of(lines.path, text)? {
                Some(header) if header.identity() == reading.identity => {}
                Some(header) => {
                    let plan = plan_for(&header)?;
                    let ended = std::mem::replace(&mut reading, Reading::new(lines.path, header, plan));
                    ledgers.push(ended.contents);
                }
                // A run is writing this line, or a killed machine left it incomplete: its unit is counted again.
                None if lines.is_torn() => {}
                None => {
                    let damage = &mut reading.contents.damage;
                    let all = damage.as_ref().map_or(1, |damage| damage.lines + 1);
                    match damage {
                        Some(damage) if damage.is_written || !is_written => damage.lines = all,
                        _ => *damage = Some(Damage { line: lines.number, reason, is_written, lines: all }),
                    }
                }
            },
        }
    }
    ledgers.push(reading.contents);
    Ok(ledgers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::line::encode;
    use crate::ledger::merge::tests::counted;

    #[test]
    fn a_ledger_is_complete_with_every_unit_of_its_shard_and_without_contradictions() {
        let ledger = counted(8, "1/3");
        assert!(ledger.is_complete());
        let mut lacking = ledger.clone();
        lacking.units.pop_first();
        assert!(!lacking.is_complete());
        let differs = Contents { contradiction: Some(String::new()), ..ledger };
        assert!(!differs.is_complete() && differs.without_contradiction().is_err());
    }

    #[test]
    fn the_time_of_a_run_ends_with_its_last_unit() {
        let mut ledger = counted(8, "0/1");
        ledger.runs.push(ledger.runs[0].clone());
        for (unit, (run, line)) in &mut ledger.units {
            (*run, line.at, line.seconds) = (unit % 2, [7.0, 3.0, 2.0, 5.0][unit % 4], 2.0);
            line.cpu_seconds = (unit % 2 == 0).then_some(0.5);
        }
        assert!(ledger.units.len() > 3 && (ledger.seconds() - 12.0).abs() < 1e-9);
        let units = ledger.units.len() as f64;
        assert!((ledger.core_seconds() - (units / 2.0).ceil() * 0.5 - (units / 2.0).floor() * 2.0).abs() < 1e-9);
    }

    /// Returns the ledgers in a file of these lines.
    fn in_file(lines: &[&str]) -> Vec<Contents> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        std::fs::write(&path, lines.concat()).unwrap();
        assert!(is_ledger(&path));
        read_all(&path, &mut None, &Cancel::new()).unwrap()
    }

    #[test]
    fn a_ledger_has_the_runs_that_finished_units_and_what_is_wrong_with_its_lines() {
        let ledger = counted(8, "0/1");
        let (header, identity) = (encode(&ledger.header, ""), ledger.header.identity());
        let run = |threads| encode(&Entry::Run(RunLine { threads, ..ledger.runs[0].clone() }), &identity);
        let unit = |unit: usize, more: u128| {
            let line = ledger.units[&unit].1.clone();
            encode(&Entry::Unit(UnitLine { partial: line.partial + more, ..line }), &identity)
        };
        let idle = [run(2), unit(0, 0), run(3), unit(1, 0), unit(0, 0), run(4), run(5)].concat();
        let [found] = &in_file(&[&header, &run(1), &idle])[..] else { panic!("one ledger") };
        assert_eq!(found.runs.iter().map(|run| run.threads).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(found.units.values().map(|(run, _)| *run).collect::<Vec<_>>(), [1, 2]);
        assert!(found.contradiction.is_none() && found.damage.is_none());
        // The line of the run is lost.
        let [found] = &in_file(&[&header, &unit(0, 0), "\n", "wrong\n", &unit(0, 8), "wrong\n", "torn"])[..] else {
            panic!("one ledger")
        };
        assert_eq!(found.runs.iter().map(|run| run.threads).collect::<Vec<_>>(), [0]);
        let earlier = ledger.units[&0].1.partial;
        let both = format!("in line 5 unit 0 counts {}, but before that it counts {earlier}", earlier + 8);
        assert_eq!(found.contradiction.as_ref(), Some(&both));
        assert_eq!(found.contradicted, BTreeSet::from([0]));
        assert_eq!(found.damage.as_ref().map(|damage| (damage.line, damage.lines)), Some((4, 2)));
        let other = encode(&counted(9, "0/1").header, "");
        let joined = in_file(&[&header, &run(1), &header, &other, &header, &unit(0, 0)]);
        assert_eq!(joined.iter().map(|ledger| ledger.units.len()).collect::<Vec<_>>(), [0, 0, 1]);
        assert!(joined.iter().all(|ledger| ledger.plan.as_ref().unwrap().board() == ledger.header.board));
        assert!(only(joined).is_err() && only(in_file(&[&header])).is_ok());
    }

    #[test]
    fn a_line_of_a_ledger_is_known_by_its_beginning_or_its_end() {
        let ledger = counted(8, "0/1");
        let header = encode(&ledger.header, "");
        let unit = encode(&Entry::Unit(ledger.units[&0].1.clone()), "another");
        let wide: Vec<u8> = header.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for line in [header.trim_end().as_bytes(), unit.trim_end().as_bytes(), &wide] {
            assert!(is_of_a_ledger(line));
        }
        for line in ["", "{}", "{\"schema\":\"nqueens/count/1\"}", &unit[..unit.len() - 4], &unit[unit.len() - 10..]] {
            assert!(!is_of_a_ledger(line.as_bytes()), "{line}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.jsonl");
        std::fs::write(&path, "{}\ntext\n").unwrap();
        assert!(!is_ledger(&path) && !is_ledger(folder.path()));
    }
}
