//! A line of a ledger: a JSON object whose last member is a CRC-32 of what comes before.

use crate::board::Board;
use crate::engine::Plan;
use crate::run::Shard;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::cmp::Ordering;

/// The version of the format in which new ledgers are written. It is the first member of a ledger's first line.
pub(super) const SCHEMA: &str = "nqueens/ledger/2";
/// The version of the format that nqueens 0.1.0 wrote. It assigned units to shards by their expected work, so its
/// shards have different units.
pub(super) const OLD_SCHEMA: &str = "nqueens/ledger/1";
/// The released version of the program that wrote [`OLD_SCHEMA`].
const OLD_VERSION: &str = "0.1.0";
/// The version of the format of the header of an archive.
const ARCHIVE_SCHEMA: &str = "nqueens/archive/1";

/// The longest text in a line, such as the name of a machine, in bytes.
const LONGEST_TEXT: usize = 256;
/// A number of units larger than that of any plan.
const MOST_UNITS: usize = 1 << 24;

/// The first line of a ledger, or the header of an archive: the plan and the shard that are counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    schema: String,
    /// The board.
    #[serde(with = "as_size")]
    pub board: Board,
    /// The name of the engine.
    pub engine: String,
    /// The name of the plan.
    pub plan: String,
    /// The plan's fingerprint, in hexadecimal digits.
    pub fingerprint: String,
    /// The divisor of the sum of all partial counts.
    pub divisor: u64,
    /// The number of units of the plan.
    pub units: usize,
    /// The shard whose units are in this ledger; the whole plan for an archive.
    #[serde(with = "as_text")]
    pub shard: Shard,
    /// The number of units of the shard; only in the old version of the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard_units: Option<usize>,
    /// The expected work of the shard's units; only in the old version of the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard_weight: Option<u64>,
    /// The version of the program that created the ledger.
    pub program_version: String,
    /// The machine on which the ledger was created.
    pub host: String,
    /// The time at which the ledger was created, in seconds since 1970.
    pub begun: u64,
}

impl Header {
    /// Creates the header of a new ledger for a shard of a plan.
    pub(crate) fn new(plan: &Plan, shard: Shard) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            board: plan.board(),
            engine: plan.engine().to_owned(),
            plan: plan.name().to_owned(),
            fingerprint: fingerprint(plan),
            divisor: plan.divisor(),
            units: plan.units(),
            shard,
            shard_units: None,
            shard_weight: None,
            program_version: env!("NQUEENS_VERSION").to_owned(),
            host: crate::ledger::host(),
            begun: crate::ledger::now(),
        }
    }

    /// Returns this header in the old version of the format.
    pub(super) fn in_old_version(&self) -> Self {
        let program_version = OLD_VERSION.to_owned();
        Self { schema: OLD_SCHEMA.to_owned(), program_version, ..self.clone() }
    }

    /// Returns this header in the current version of the format.
    pub(super) fn in_new_version(&self) -> Self {
        Self { schema: SCHEMA.to_owned(), shard_units: None, shard_weight: None, ..self.clone() }
    }

    /// Returns this header as that of an archive.
    pub(super) fn in_archive(&self) -> Self {
        Self { schema: ARCHIVE_SCHEMA.to_owned(), shard: Shard::WHOLE, ..self.in_new_version() }
    }

    /// Returns the header of an archive as that of a ledger of the whole plan if its values are possible, otherwise a
    /// description of the problem.
    pub(super) fn sound_of_archive(self) -> Result<Self, String> {
        if self.schema != ARCHIVE_SCHEMA || self.shard != Shard::WHOLE {
            return Err(format!("its schema is not {ARCHIVE_SCHEMA}, or its shard is not {}", Shard::WHOLE));
        }
        self.in_new_version().sound()
    }

    /// Returns this header if its values are possible, otherwise a description of the problem.
    pub(super) fn sound(self) -> Result<Self, String> {
        let texts = [&self.engine, &self.plan, &self.fingerprint, &self.program_version, &self.host];
        if ![SCHEMA, OLD_SCHEMA].contains(&&*self.schema) {
            return Err(format!("its schema is neither {SCHEMA} nor {OLD_SCHEMA}"));
        }
        if self.units > MOST_UNITS || self.divisor == 0 {
            return Err("impossible numbers in the header".to_owned());
        }
        if texts.iter().any(|text| text.len() > LONGEST_TEXT) {
            return Err(format!("a text of more than {LONGEST_TEXT} bytes"));
        }
        Ok(self)
    }

    /// Returns true if the shard's units were assigned by expected work, as nqueens 0.1.0 did. Which units these are is
    /// not known.
    pub fn is_of_old_shard(&self) -> bool {
        self.schema == OLD_SCHEMA && self.shard != Shard::WHOLE
    }

    /// Returns true if a unit of the plan can be in this ledger.
    pub(super) fn may_have(&self, unit: usize) -> bool {
        unit < self.units && (self.is_of_old_shard() || self.shard.has(unit))
    }

    /// Returns the number of units of the shard. In the old version of the format the header may be damaged, and so may
    /// this number.
    pub fn shard_units(&self) -> usize {
        match self.shard_units {
            Some(units) if self.is_of_old_shard() => units,
            _ => self.shard.size(self.units),
        }
    }

    /// Returns the expected work of the units of the shard as nqueens 0.1.0 wrote it down, or `None` in a ledger of a
    /// later version.
    pub(super) fn old_weight(&self) -> Option<u64> {
        self.shard_weight.filter(|_| self.schema == OLD_SCHEMA)
    }

    /// Returns the text that identifies a plan and a shard of it.
    pub(crate) fn identity(&self) -> String {
        let Self { schema, board, engine, plan, fingerprint, divisor, units, shard, .. } = self;
        let version = if schema == OLD_SCHEMA { String::new() } else { format!("{schema} ") };
        format!("{version}{board} {engine} {plan} {fingerprint} {divisor} {units} {shard}")
    }

    /// Returns true if both headers are of the same plan.
    pub(crate) fn is_of_the_same_plan(&self, other: &Self) -> bool {
        let plan = |header: &Self| Self { shard: Shard::WHOLE, ..header.in_old_version() }.identity();
        plan(self) == plan(other)
    }

    /// Returns true if this header is of `plan`.
    pub(crate) fn is_of(&self, plan: &Plan) -> bool {
        self.is_of_the_same_plan(&Self::new(plan, Shard::WHOLE))
    }

    /// Returns the shard in words.
    pub(super) fn shard_in_words(&self) -> String {
        if self.shard == Shard::WHOLE { "all units".to_owned() } else { format!("shard {}", self.shard) }
    }

    /// Returns the plan and the shard in words.
    pub(crate) fn in_words(&self) -> String {
        let Self { board, engine, plan, fingerprint, divisor, units, shard, .. } = self;
        let shard = if *shard == Shard::WHOLE { String::new() } else { format!("shard {shard} of ") };
        format!("{shard}N = {board}, engine {engine}, plan {plan} ({units} units, divisor {divisor}, {fingerprint})")
    }
}

/// Returns a plan's fingerprint in the form used in a header.
fn fingerprint(plan: &Plan) -> String {
    format!("{:016x}", plan.fingerprint())
}

/// A line that is written when a run starts to work on the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunLine {
    /// The process ID.
    pub pid: u32,
    /// The name of the machine.
    pub host: String,
    /// The kernel used.
    pub kernel: String,
    /// The number of threads.
    pub threads: usize,
    /// The version of the program.
    pub program_version: String,
    /// The time at which the run began, in seconds since 1970.
    pub begun: u64,
}

impl RunLine {
    /// Returns a run that stands for one whose line was lost, of a ledger with this header.
    pub(super) fn lost(header: &Header) -> Self {
        let Header { host, program_version, begun, .. } = header.clone();
        Self { pid: 0, host, kernel: "unknown".to_owned(), threads: 0, program_version, begun }
    }

    /// Compares runs by the time at which they began. Only equal runs compare as equal.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let Self { pid, host, kernel, threads, program_version, begun } = self;
        let ours = (begun, host, pid, kernel, threads, program_version);
        ours.cmp(&(&other.begun, &other.host, &other.pid, &other.kernel, &other.threads, &other.program_version))
    }

    /// Returns this run if its values are possible, otherwise a description of the problem.
    pub(super) fn sound(self) -> Result<Self, String> {
        if [&self.host, &self.kernel, &self.program_version].iter().any(|text| text.len() > LONGEST_TEXT) {
            return Err(format!("a text of more than {LONGEST_TEXT} bytes"));
        }
        Ok(self)
    }
}

/// A line that is written for each finished unit. An archive has only the numbers and the partial counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnitLine {
    /// The number of the unit.
    pub unit: usize,
    /// Its partial count, symmetry weight included.
    #[serde(with = "as_text")]
    pub partial: u128,
    /// Its expected work; `None` in an archive.
    pub weight: Option<u64>,
    /// The number of nodes visited, if nodes were counted.
    pub nodes: Option<u64>,
    /// The time that the thread took to count it, in seconds; `None` in an archive.
    pub seconds: Option<f64>,
    /// The time at which it was finished, in seconds since the run began to count; `None` in an archive.
    pub at: Option<f64>,
}

/// Any line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Run(RunLine),
    Unit(UnitLine),
}

impl Line {
    /// Returns this line if it is possible in a ledger with this header, otherwise a description of the problem.
    pub(super) fn sound(self, header: &Header) -> Result<Self, String> {
        match self {
            Line::Run(run) => run.sound().map(Line::Run),
            Line::Unit(UnitLine { unit, weight, seconds, at, .. }) => {
                if unit >= header.units {
                    return Err(format!("unit {unit} does not exist, there are {}", header.units));
                }
                if !header.may_have(unit) {
                    return Err(format!("unit {unit} is not one of shard {}", header.shard));
                }
                if weight.is_none() {
                    return Err("no weight".to_owned());
                }
                if ![seconds, at].iter().all(|time| time.is_some_and(|time| (0.0..1e12).contains(&time))) {
                    return Err("impossible times".to_owned());
                }
                Ok(self)
            }
        }
    }
}

/// The text between the members that the CRC covers and the CRC's digits.
pub(super) const CRC_BEGINS: &str = ",\"crc32\":\"";
/// The length in bytes of the CRC member, including its eight digits and the closing brace.
pub(super) const CRC_LENGTH: usize = CRC_BEGINS.len() + 8 + "\"}".len();

/// Returns the line for a JSON object, including the newline. The CRC covers `identity` and the object without its
/// closing brace.
pub(super) fn encode<T: Serialize>(object: &T, identity: &str) -> String {
    let mut line = serde_json::to_string(object).expect("a line has no keys but text, and nothing that can fail");
    line.pop();
    let crc = crc32(identity, &line);
    line.push_str(CRC_BEGINS);
    line.push_str(&crc);
    line.push_str("\"}\n");
    line
}

/// Returns the object of a line, which is given without its newline, or a description of the problem.
pub(super) fn decode<T: for<'a> Deserialize<'a>>(line: &[u8], identity: &str) -> Result<T, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not text".to_owned())?;
    let (object, end) = text
        .len()
        .checked_sub(CRC_LENGTH)
        .and_then(|at| text.split_at_checked(at))
        .ok_or_else(|| "it is too short".to_owned())?;
    if end != format!("{CRC_BEGINS}{}\"}}", crc32(identity, object)) {
        return Err("its CRC-32 is wrong".to_owned());
    }
    serde_json::from_str(&format!("{object}}}")).map_err(|error| error.to_string())
}

fn crc32(identity: &str, object: &str) -> String {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(identity.as_bytes());
    hasher.update(object.as_bytes());
    format!("{:08x}", hasher.finalize())
}

/// Stores as strings the numbers that can exceed 2⁵³, where many JSON readers lose digits, and shards.
mod as_text {
    use super::{Deserialize, Deserializer, Serializer, de};
    use std::fmt::Display;
    use std::str::FromStr;

    pub(super) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(reader: D) -> Result<T, D::Error> {
        String::deserialize(reader)?.parse().map_err(de::Error::custom)
    }
}

mod as_size {
    use super::{Board, Deserialize, Deserializer, Serializer, de};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(board: &Board, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(board.size() as u64)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(reader: D) -> Result<Board, D::Error> {
        Board::new(usize::deserialize(reader)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(unit: usize, partial: u128, seconds: f64, at: f64) -> Line {
        let (weight, nodes) = (Some(7), unit.is_multiple_of(2).then_some(9));
        Line::Unit(UnitLine { unit, partial, weight, nodes, seconds: Some(seconds), at: Some(at) })
    }

    /// The check value in CRC catalogues: the CRC of the digits 1 to 9.
    #[test]
    fn the_crc_is_the_common_one() {
        assert_eq!(crc32("1234", "56789"), "cbf43926");
    }

    proptest! {
        #[test]
        fn a_line_is_read_as_it_was_written(number in 0_usize.., partial: u128, seconds in 0.0..1e9, at in 0.0..1e9) {
            let line = unit(number, partial, seconds, at);
            let text = encode(&line, "identity");
            prop_assert_eq!(text.lines().count(), 1);
            let read: Line = decode(text.trim_end().as_bytes(), "identity").unwrap();
            let (Line::Unit(read), Line::Unit(line)) = (read, line) else { panic!("a unit") };
            prop_assert_eq!((read.unit, read.partial, read.nodes), (line.unit, line.partial, line.nodes));
            let (read, line) = (read.at.unwrap(), line.at.unwrap());
            prop_assert!((read / line - 1.0).abs() < 1e-12 || line == 0.0);
        }

        /// A line with one or more flipped bits is never accepted as another line.
        #[test]
        fn a_line_with_flipped_bits_is_damaged(flips in prop::collection::btree_set(0_usize..100 * 8, 1..20)) {
            let mut bytes = encode(&unit(3, 92, 0.5, 1.5), "identity").trim_end().as_bytes().to_vec();
            for flip in flips {
                bytes[flip / 8] ^= 1 << (flip % 8);
            }
            prop_assert!(decode::<Line>(&bytes, "identity").is_err());
        }
    }

    #[test]
    fn a_line_of_another_count_is_damaged() {
        let text = encode(&unit(3, 92, 0.5, 1.5), "identity");
        assert!(decode::<Line>(text.trim_end().as_bytes(), "identity").is_ok());
        assert_eq!(decode::<Line>(text.trim_end().as_bytes(), "other").unwrap_err(), "its CRC-32 is wrong");
    }
}
