//! The archive: the finished units of a count in a few bytes each, for publication.
//!
//! An archive is made from ledgers, or from other archives, and is read as a whole or not at all. It has the numbers
//! of the units, their partial counts and their runs. It lacks the weights and the times of units, and has the time of
//! each run instead.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`VERSION`] |
//! | 8 | the length of the file |
//! | 4 | the length of the header |
//! | | the header, in JSON: the header of a ledger, and the runs |
//! | | the ranges of units, then the run and the partial count of each unit |
//! | 4 | the CRC-32 of all bytes before |
//!
//! The lengths, the version and the CRC are little-endian; all numbers below the header are LEB128. A CRC detects every
//! change within 32 bits, and thus of any single byte, which a hash does only with high probability. It does not protect
//! against forgery; the recount of units does.
//!
//! The bytes depend on the headers of the ledgers, their finished units and the runs of these, not on the order of the
//! ledgers.

use crate::ledger::merge::{Gathered, Recorded, thread_nanoseconds};
use crate::ledger::{Contents, Header, LedgerError, MergeError, RunLine, UnitLine};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// The first bytes of an archive. The first byte is neither ASCII nor the beginning of a character in UTF-8.
pub(super) const MAGIC: &[u8; 8] = b"\x89nqueens";
/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// The length in bytes of the parts before the header.
const PREFIX: usize = 8 + 4 + 8 + 4;
/// The length in bytes from which an archive is refused. The largest plan's has a few million.
const MOST_BYTES: u64 = 1 << 26;
/// The length in bytes from which a header is refused. That of a thousand shards with ten runs each has two million.
const LONGEST_HEADER: usize = 1 << 23;
/// The number of units from which an archive is refused, before a short file makes the program take much memory. The
/// largest plan of the two-color engine has a quarter of a million.
const MOST_UNITS: usize = 1 << 20;
/// The longest reason for which a header is refused, in characters: it may quote the header.
const LONGEST_REASON: usize = 200;

/// The header of an archive.
#[derive(Serialize, Deserialize)]
struct ArchiveHeader {
    #[serde(flatten)]
    header: Header,
    /// The runs that counted units, first to last.
    runs: Vec<ArchivedRun>,
}

/// A run and its times, in seconds.
#[derive(Serialize, Deserialize)]
struct ArchivedRun {
    #[serde(flatten)]
    line: RunLine,
    /// The time from the start of the run to its last unit.
    seconds: f64,
    /// The time that its threads took for its units.
    thread_seconds: f64,
}

/// The time of a run in an archive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RunTime {
    /// The time in seconds from the start of the run to its last unit.
    pub(super) seconds: f64,
    /// The time in seconds that its threads took for its units.
    pub(super) thread_seconds: f64,
    /// The number of its units.
    pub(super) units: usize,
}

/// Returns an archive of the finished units of ledgers, or of other archives, that are all of one plan. Units may be
/// missing; [`merge`](super::merge) tells.
///
/// The order of the ledgers does not matter. Of a unit that several of them have, the earliest run is kept, and one
/// from a ledger rather than one from an archive.
///
/// # Errors
/// Returns an error if there are no ledgers, they are not of one plan, two lines have different partial counts for a
/// unit, all units are there and do not make up a total, or a unit is missing and a ledger is damaged.
///
/// ```
/// use nqueens::ledger::{Run, archive, merge, read};
/// use nqueens::{Board, Cancel, Job, Shard};
///
/// let folder = tempfile::tempdir()?;
/// let [ledger, file] = ["10.jsonl", "10.nqa"].map(|name| folder.path().join(name));
/// let (job, cancel) = (Job::new(Board::new(10)?), Cancel::new());
/// Run::open(&job, &ledger, Shard::WHOLE, &cancel)?.count(&cancel, &())?;
/// std::fs::write(&file, archive(&[read(&ledger)?])?)?;
/// assert_eq!(merge(&[read(&file)?])?.total, 724);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn archive(ledgers: &[Contents]) -> Result<Vec<u8>, MergeError> {
    Gathered::of(ledgers)?.ok_or(MergeError::Nothing)?.archive()
}

impl Gathered<'_> {
    /// Returns an archive of the finished units, as [`archive`] does.
    ///
    /// # Errors
    /// Returns an error if [`archive`] would.
    pub(crate) fn archive(&self) -> Result<Vec<u8>, MergeError> {
        self.publishable()?;
        let units: Vec<Recorded<'_>> = self.units().collect();
        let runs = Runs::of(&units);
        let header = ArchiveHeader { header: self.earliest_header().in_archive(), runs: runs.archived(self, &units) };
        let header = serde_json::to_vec(&header).expect("a header has no keys but text, and nothing that can fail");
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        let length_at = bytes.len();
        bytes.extend(0_u64.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        put_ranges(&mut bytes, &units);
        for unit in &units {
            if runs.0.len() > 1 {
                put(&mut bytes, runs.index(&unit.run()) as u128);
            }
            put(&mut bytes, unit.line.partial);
        }
        let length = bytes.len() as u64 + 4;
        bytes[length_at..][..8].copy_from_slice(&length.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Returns the header of the ledger that was begun first.
    fn earliest_header(&self) -> &Header {
        let begun = |header: &&Header| (header.begun, header.host.clone(), header.program_version.clone());
        let headers = self.ledgers().iter().map(|ledger| &ledger.header);
        headers.min_by_key(begun).expect("there is a ledger")
    }
}

/// The runs that counted units, first to last.
struct Runs(Vec<RunLine>);

impl Runs {
    fn of(units: &[Recorded<'_>]) -> Self {
        let mut runs: Vec<_> = units.iter().map(Recorded::run).collect();
        runs.sort_by(|one, other| one.order(other));
        runs.dedup();
        Self(runs.into_iter().map(Cow::into_owned).collect())
    }

    fn index(&self, run: &RunLine) -> usize {
        self.0.binary_search_by(|other| other.order(run)).expect("these are the runs of all units")
    }

    /// Returns the runs with their times.
    fn archived(&self, gathered: &Gathered<'_>, units: &[Recorded<'_>]) -> Vec<ArchivedRun> {
        let mut units_of = vec![Vec::new(); self.0.len()];
        for &unit in units {
            units_of[self.index(&unit.run())].push(unit);
        }
        let mut seconds = vec![0_f64; self.0.len()];
        for ledger in gathered.ledgers() {
            for (run, time) in ledger.seconds_of_runs().into_iter().enumerate() {
                if let Ok(index) = self.0.binary_search_by(|other| other.order(&ledger.run(run))) {
                    seconds[index] = time.max(seconds[index]);
                }
            }
        }
        let run = |((line, units), seconds): ((&RunLine, Vec<Recorded<'_>>), f64)| ArchivedRun {
            line: line.clone(),
            seconds: (seconds * 1e6).round() / 1e6,
            // To the nanosecond, so that sums of parts are those of the whole.
            thread_seconds: thread_nanoseconds(units) as f64 / 1e9,
        };
        self.0.iter().zip(units_of).zip(seconds).map(run).collect()
    }
}

/// Appends the ranges of units: their number, and for each the units left out before it and its length.
fn put_ranges(bytes: &mut Vec<u8>, units: &[Recorded<'_>]) {
    let ranges: Vec<_> = units.chunk_by(|one, next| one.line.unit + 1 == next.line.unit).collect();
    put(bytes, ranges.len() as u128);
    let mut end = 0;
    for range in ranges {
        let first = range[0].line.unit;
        put(bytes, (first - end) as u128);
        put(bytes, range.len() as u128);
        end = first + range.len();
    }
}

/// Appends a number in LEB128: seven bits in each byte, the lowest first, and the highest bit set if another follows.
fn put(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads the archive at `path` from an open file.
///
/// # Errors
/// Returns an error if the file cannot be read, has another version of the format, or is damaged.
pub(super) fn parse(path: &Path, mut file: impl Read) -> Result<Contents, LedgerError> {
    let cannot = |error| LedgerError::io("read", path, error);
    let damaged = |reason: String| LedgerError::DamagedArchive { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    file.by_ref().take(PREFIX as u64).read_to_end(&mut bytes).map_err(cannot)?;
    if !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
        return Err(damaged("its first bytes are not those of an archive".to_owned()));
    }
    let too_short = || damaged(format!("it ends after {} bytes", bytes.len()));
    let (version, length) = version_and_length(&bytes).ok_or_else(too_short)?;
    if version != VERSION {
        return Err(LedgerError::OtherArchive { path: path.to_owned(), version });
    }
    if length > MOST_BYTES {
        return Err(damaged(format!("it should have {length} bytes, which is more than any archive has")));
    }
    // One byte more, to notice a file that is too long.
    let left = (length + 1).saturating_sub(bytes.len() as u64);
    file.take(left).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 != length {
        let found = if bytes.len() as u64 > length { "more".to_owned() } else { format!("only {}", bytes.len()) };
        return Err(damaged(format!("it should have {length} bytes by its header, and has {found}")));
    }
    decode(path, &bytes).map_err(damaged)
}

/// Returns true if a file that begins with these bytes is an archive, perhaps with damage to [`MAGIC`] itself.
pub(crate) fn is_likely(beginning: &[u8]) -> bool {
    beginning.iter().zip(MAGIC).filter(|(found, right)| found == right).count() > MAGIC.len() / 2
}

/// Returns the version of an archive that begins with these bytes, and its length.
fn version_and_length(bytes: &[u8]) -> Option<(u32, u64)> {
    let mut reader = Reader(bytes.strip_prefix(MAGIC)?);
    Some((u32::from_le_bytes(reader.array()?), u64::from_le_bytes(reader.array()?)))
}

/// Returns the contents of a whole archive, or a description of the damage.
fn decode(path: &Path, bytes: &[u8]) -> Result<Contents, String> {
    let (covered, crc) = bytes.split_last_chunk().ok_or("it is too short")?;
    if crc32fast::hash(covered) != u32::from_le_bytes(*crc) {
        return Err("its CRC-32 is wrong".to_owned());
    }
    let mut reader = Reader(covered.get(PREFIX - 4..).ok_or("it is too short")?);
    let header_length = u32::from_le_bytes(reader.array().ok_or("it is too short")?);
    let header = reader.bytes(header_length as usize).ok_or("its header is incomplete")?;
    if header.len() > LONGEST_HEADER {
        return Err(format!("its header has {} bytes, which is more than any archive's has", header.len()));
    }
    let reason = |error: serde_json::Error| error.to_string().chars().take(LONGEST_REASON).collect::<String>();
    let ArchiveHeader { header, runs } = serde_json::from_slice(header).map_err(reason)?;
    if header.units > MOST_UNITS {
        return Err(format!("it is of {} units, which is more than any archive has", header.units));
    }
    let header = header.sound_of_archive()?;
    let mut times = Vec::new();
    let mut lines = Vec::new();
    for ArchivedRun { line, seconds, thread_seconds } in runs {
        if ![seconds, thread_seconds].iter().all(|time| (0.0..1e15).contains(time)) {
            return Err("impossible times".to_owned());
        }
        times.push(RunTime { seconds, thread_seconds, units: 0 });
        lines.push(line.sound()?);
    }
    let ranges = reader.ranges(header.units)?;
    let mut units = BTreeMap::new();
    for unit in ranges.into_iter().flatten() {
        let run = if lines.len() > 1 { reader.size() } else { Some(0) };
        let run = run.filter(|&run| run < lines.len()).ok_or_else(|| format!("unit {unit} has no run"))?;
        let partial = reader.number().ok_or_else(|| format!("unit {unit} has no partial count"))?;
        units.insert(unit, (run, UnitLine { unit, partial, weight: None, nodes: None, seconds: None, at: None }));
        times[run].units += 1;
    }
    if !reader.0.is_empty() {
        return Err(format!("it has {} bytes after the last unit", reader.0.len()));
    }
    Ok(Contents {
        path: path.to_owned(),
        header,
        runs: lines,
        units,
        damage: None,
        contradiction: None,
        torn: 0,
        unended: false,
        length: bytes.len() as u64,
        archived: Some(times),
    })
}

/// The bytes that have not been read yet. Each method returns `None` if they do not begin with what it reads.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        self.bytes(LENGTH)?.try_into().ok()
    }

    /// Reads a number in LEB128 that fits in 128 bits.
    fn number(&mut self) -> Option<u128> {
        let mut number = 0;
        for shift in (0..u128::BITS).step_by(7) {
            let [byte] = self.array()?;
            let bits = u128::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    /// Reads a range of numbers, the first of which is as far from `end` as the archive says.
    fn range(&mut self, end: usize) -> Option<Range<usize>> {
        let start = end.checked_add(self.size()?)?;
        Some(start..start.checked_add(self.size()?)?)
    }

    /// Reads ranges of numbers below `units`.
    fn ranges(&mut self, units: usize) -> Result<Vec<Range<usize>>, String> {
        let count = self.size().ok_or("it has no units")?;
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for _ in 0..count {
            let end = ranges.last().map_or(0, |range| range.end);
            let range = self.range(end).ok_or("a range of units is incomplete")?;
            if range.is_empty() || range.end > units {
                return Err(format!("units {range:?} do not exist, there are {units}"));
            }
            ranges.push(range);
        }
        Ok(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::{self, Plan};
    use crate::ledger::merge;
    use crate::run::Shard;
    use proptest::prelude::*;

    /// A plan of 3,783 units that takes no time to make.
    fn plan() -> Plan {
        let engine = engine::by_name("two-color").unwrap();
        engine.earlier_plan(Board::new(24).unwrap(), "row-sets").unwrap()
    }

    fn run(number: u32) -> RunLine {
        let (host, kernel, program_version) = (format!("node{}", number % 3), "avx2".to_owned(), "0.1.0".to_owned());
        RunLine { pid: number, host, kernel, threads: 2, program_version, begun: 1_795_309_468 - u64::from(number % 2) }
    }

    /// Returns a ledger of these units, each with the index of its run, its partial count and its time in nanoseconds.
    fn ledger(runs: Vec<RunLine>, units: impl IntoIterator<Item = (usize, usize, u128, u64)>) -> Contents {
        let mut header = Header::new(&plan(), Shard::WHOLE);
        header.begun = runs.iter().map(|run| run.begun).min().unwrap_or(1);
        let line = |(unit, run, partial, nanoseconds): (usize, usize, u128, u64)| {
            let seconds = Some(nanoseconds as f64 / 1e9);
            (unit, (run, UnitLine { unit, partial, weight: Some(1), nodes: None, seconds, at: seconds }))
        };
        Contents {
            path: "a.jsonl".into(),
            header,
            runs,
            units: units.into_iter().map(line).collect(),
            damage: None,
            contradiction: None,
            torn: 0,
            unended: false,
            length: 0,
            archived: None,
        }
    }

    fn read(bytes: &[u8]) -> Contents {
        parse(Path::new("a.nqa"), bytes).unwrap()
    }

    fn partials(contents: &Contents) -> Vec<(usize, u128)> {
        contents.units.iter().map(|(&unit, (_, line))| (unit, line.partial)).collect()
    }

    /// A partial count of up to 128 bits that depends on the unit only.
    fn partial(unit: usize) -> u128 {
        0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C834_u128.wrapping_mul(unit as u128 + 1) >> (unit % 128)
    }

    fn nanoseconds(contents: &[Contents]) -> u128 {
        thread_nanoseconds(Gathered::of(contents).unwrap().unwrap().units())
    }

    /// Returns a strategy for the runs and units of some ledgers. Units and runs may be in several of them.
    fn ledgers() -> impl Strategy<Value = Vec<Contents>> {
        let units =
            prop::collection::btree_map(0_usize..3782, (any::<prop::sample::Index>(), 0..u64::MAX >> 20), 0..200);
        let few_units =
            prop::collection::btree_map(0_usize..20, (any::<prop::sample::Index>(), 0..1_000_000_u64), 0..20);
        let runs = || prop::collection::btree_set(0_u32..300, 1..4);
        let small_runs = prop::collection::btree_set(0_u32..4, 1..4);
        let one = prop_oneof![(runs(), units), (small_runs, few_units)].prop_map(|(runs, units)| {
            let runs: Vec<RunLine> = runs.into_iter().map(run).collect();
            let count = runs.len();
            ledger(runs, units.into_iter().map(|(unit, (run, time))| (unit, run.index(count), partial(unit), time)))
        });
        prop::collection::vec(one, 1..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn an_archive_has_the_units_of_its_ledgers_in_any_order(
            (ledgers, shuffled) in ledgers().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
            split: prop::sample::Index,
        ) {
            let bytes = archive(&ledgers).unwrap();
            prop_assert!(archive(&shuffled).unwrap() == bytes, "the order of the ledgers matters");
            let contents = read(&bytes);
            let all: BTreeMap<usize, u128> = ledgers.iter().flat_map(partials).collect();
            prop_assert_eq!(partials(&contents), all.into_iter().collect::<Vec<_>>());
            // Each unit has a run that counted it.
            for (&unit, (index, _)) in &contents.units {
                let run = &contents.runs[*index];
                let has = |ledger: &Contents| ledger.units.get(&unit).is_some_and(|(index, _)| ledger.runs[*index] == *run);
                prop_assert!(ledgers.iter().any(has), "unit {}, {:?}", unit, run);
            }
            // The time of each run is rounded to a microsecond.
            let (time, of_archive) = (nanoseconds(&ledgers), nanoseconds(std::slice::from_ref(&contents)));
            let rounded = 500 * contents.runs.len() as u128;
            prop_assert!(time.abs_diff(of_archive) <= rounded, "{} and {}", time, of_archive);

            prop_assert!(archive(&[contents]).unwrap() == bytes, "an archive of an archive differs");
            // Archives are joined to one with the same units.
            let (one, other) = ledgers.split_at(split.index(ledgers.len()));
            let parts: Vec<Contents> = [one, other].into_iter().filter(|part| !part.is_empty())
                .map(|part| read(&archive(part).unwrap())).collect();
            let joined = read(&archive(&parts).unwrap());
            prop_assert_eq!(partials(&joined), partials(&read(&bytes)));
            let reversed: Vec<Contents> = parts.into_iter().rev().collect();
            prop_assert!(read(&archive(&reversed).unwrap()) == joined, "the order of archives matters");
        }

        #[test]
        fn a_number_is_read_as_it_was_written(number: u128, shift in 0_u32..128) {
            let mut bytes = Vec::new();
            put(&mut bytes, number >> shift);
            let mut reader = Reader(&bytes);
            prop_assert_eq!((reader.number(), reader.0.len()), (Some(number >> shift), 0));
            prop_assert_eq!(Reader(&bytes[..bytes.len() - 1]).number(), None);
        }

        #[test]
        fn any_bytes_with_a_valid_checksum_are_read_or_refused(
            header_length in 0_u32..400,
            body in prop::collection::vec(any::<u8>(), 0..200),
            with_header: bool,
        ) {
            let good = archive(&[ledger(vec![run(1)], [(7, 0, 1, 1)])]).unwrap();
            let end = good.len() - 4;
            let header = good[PREFIX..end].iter().rposition(|&byte| byte == b'}').unwrap() + 1;
            let mut bytes = good[..if with_header { PREFIX + header } else { PREFIX }].to_vec();
            bytes.extend(&body);
            if !with_header {
                bytes[PREFIX - 4..PREFIX].copy_from_slice(&header_length.to_le_bytes());
            }
            sealed(&mut bytes);
            if let Ok(contents) = parse(Path::new("a.nqa"), &*bytes) {
                prop_assert!(contents.units.keys().all(|&unit| unit < 3783));
            }
        }
    }

    /// Adds the length and the checksum to bytes that lack both.
    fn sealed(bytes: &mut Vec<u8>) {
        let length = bytes.len() as u64 + 4;
        bytes[12..20].copy_from_slice(&length.to_le_bytes());
        bytes.extend(crc32fast::hash(bytes).to_le_bytes());
    }

    #[test]
    fn numbers_of_more_than_128_bits_are_refused() {
        let mut bytes = Vec::new();
        put(&mut bytes, u128::MAX);
        assert_eq!((bytes.len(), Reader(&bytes).number()), (19, Some(u128::MAX)));
        bytes[18] += 4;
        assert_eq!(Reader(&bytes).number(), None);
        assert_eq!(Reader(&[0xFF; 30]).number(), None);
    }

    /// Partial counts have 47 bits here.
    #[test]
    fn an_archive_of_a_large_count_is_small_and_every_changed_byte_is_found() {
        let partial = |unit: usize| 12 * (6_000_000_000_000 + unit as u128 * 777_777_777);
        let units = (0..3783).map(|unit| (unit, 0, partial(unit), 2_000_000_000));
        let ledgers = [ledger(vec![run(1)], units)];
        let mut bytes = archive(&ledgers).unwrap();
        assert!(bytes.len() < 30_000, "{}", bytes.len());
        let merged = [&ledgers[0], &read(&bytes)].map(|contents| merge(std::slice::from_ref(contents)).unwrap());
        assert_eq!(merged[0].total, merged[1].total);
        assert_eq!((merged[0].thread_seconds, merged[1].thread_seconds), (7566.0, 7566.0));
        assert_eq!((merged[0].slowest, merged[1].slowest), (Some((0, 2.0)), None));
        for index in (0..bytes.len()).step_by(7) {
            bytes[index] ^= 1 << (index % 8);
            assert!(parse(Path::new("a.nqa"), &*bytes).is_err(), "byte {index}");
            bytes[index] ^= 1 << (index % 8);
        }
        assert!(parse(Path::new("a.nqa"), &*bytes).is_ok());
    }

    #[test]
    fn a_ledger_that_lost_the_lines_of_its_runs_is_archived() {
        let bytes = archive(&[ledger(vec![], [(5, 0, 3, 4000)]), ledger(vec![run(9)], [(6, 0, 3, 5000)])]).unwrap();
        let contents = read(&bytes);
        assert_eq!((partials(&contents), contents.runs.len()), (vec![(5, 3), (6, 3)], 2));
        assert_eq!(contents.runs[contents.units[&5].0].kernel, "unknown");
        assert_eq!((contents.seconds(), nanoseconds(&[contents])), (9e-6, 9000));
    }

    /// Of a header only what is the same in the next version can be relied on.
    #[test]
    fn a_later_version_is_refused() {
        let mut bytes = archive(&[ledger(vec![run(1)], [(7, 0, 1, 1)])]).unwrap();
        bytes[8] = 2;
        let error = parse(Path::new("a.nqa"), &*bytes).unwrap_err();
        assert!(matches!(error, LedgerError::OtherArchive { version: 2, .. }), "{error}");
    }

    /// Archives that another program could have written.
    #[test]
    fn an_archive_of_impossible_units_is_refused() {
        let good = archive(&[ledger(vec![run(1)], [(7, 0, 1, 1)])]).unwrap();
        let end = good.len() - 4;
        // The ranges and the partial count: one range, 7 units before it, one unit, 1.
        assert_eq!(good[end - 4..end], [1, 7, 1, 1]);
        for (body, part) in [
            (&[1, 7, 1, 1, 0][..], "1 bytes after the last unit"),
            (&[1, 7, 1], "unit 7 has no partial count"),
            (&[1, 7, 0], "units 7..7 do not exist"),
            (&[1, 0xC7, 0x1D, 1, 1], "units 3783..3784 do not exist"),
            (&[2, 7, 1, 1], "a range of units is incomplete"),
            (&[], "it has no units"),
        ] {
            let mut bytes = good[..end - 4].to_vec();
            bytes.extend(body);
            sealed(&mut bytes);
            let error = parse(Path::new("a.nqa"), &*bytes).unwrap_err().to_string();
            assert!(error.contains(part), "{body:?}: {error}");
        }
    }
}
