//! A line of a ledger: a JSON object whose last member is a CRC-32 of what comes before.

use crate::board::Board;
use crate::engine::Plan;
use crate::run::Shard;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The version of the format in which ledgers are begun: it stands first in a ledger.
pub(super) const SCHEMA: &str = "nqueens/ledger/2";
/// The version in which nqueens 0.1.0 began them. A unit was dealt to a shard by the work expected of it, so what is a shard in
/// such a ledger is not what it is now.
pub(super) const OLD_SCHEMA: &str = "nqueens/ledger/1";

/// The longest text in a line, such as the name of a machine, in bytes.
const LONGEST_TEXT: usize = 256;
/// More units than any plan has.
const MOST_UNITS: usize = 1 << 24;

/// The first line: what is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    schema: String,
    /// The board.
    #[serde(with = "as_size")]
    pub board: Board,
    /// The engine's name.
    pub engine: String,
    /// The plan's name.
    pub plan: String,
    /// The plan's fingerprint, in hexadecimal digits.
    pub fingerprint: String,
    /// What the sum of all partial counts is to be divided by.
    pub divisor: u64,
    /// The number of units of the plan.
    pub units: usize,
    /// The shard whose units are in this ledger.
    #[serde(with = "as_text")]
    pub shard: Shard,
    /// The number of its units, in the old version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard_units: Option<usize>,
    /// The work expected of its units, in the old version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard_weight: Option<u64>,
    /// The version of the program that began it.
    pub program_version: String,
    /// The machine on which it was begun.
    pub host: String,
    /// When it was begun, in seconds since 1970.
    pub begun: u64,
}

impl Header {
    /// The header of a new ledger for a shard of a plan.
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

    /// The same header in the old version of the format.
    pub(super) fn in_old_version(&self) -> Self {
        Self { schema: OLD_SCHEMA.to_owned(), ..self.clone() }
    }

    /// The same header in the version in which ledgers are begun.
    pub(super) fn in_new_version(&self) -> Self {
        Self { schema: SCHEMA.to_owned(), shard_units: None, shard_weight: None, ..self.clone() }
    }

    /// The header, unless it says what cannot be.
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

    /// Returns true if it is of a shard that was dealt by the work expected of units: then nothing tells which units the shard has.
    pub fn is_of_old_shard(&self) -> bool {
        self.schema == OLD_SCHEMA && self.shard != Shard::WHOLE
    }

    /// Returns true if a unit of the plan can be in this ledger.
    pub(super) fn may_have(&self, unit: usize) -> bool {
        unit < self.units && (self.is_of_old_shard() || self.shard.has(unit))
    }

    /// The number of units of the shard; in the old version as far as the header can be believed.
    pub fn shard_units(&self) -> usize {
        match self.shard_units {
            Some(units) if self.is_of_old_shard() => units,
            _ => self.shard.size(self.units),
        }
    }

    /// The work expected of the units of an old shard, if it is one.
    pub(super) fn old_shard_weight(&self) -> Option<u64> {
        self.shard_weight.filter(|_| self.is_of_old_shard())
    }

    /// The text that a plan and a shard of it are recognised by.
    pub(crate) fn identity(&self) -> String {
        let Self { schema, board, engine, plan, fingerprint, divisor, units, shard, .. } = self;
        let version = if schema == OLD_SCHEMA { String::new() } else { format!("{schema} ") };
        format!("{version}{board} {engine} {plan} {fingerprint} {divisor} {units} {shard}")
    }

    /// Returns true if both are of the same plan.
    pub(crate) fn is_of_the_same_plan(&self, other: &Self) -> bool {
        let plan = |header: &Self| Self { shard: Shard::WHOLE, ..header.in_old_version() }.identity();
        plan(self) == plan(other)
    }

    /// Returns true if it is of this plan.
    pub(crate) fn is_of(&self, plan: &Plan) -> bool {
        self.is_of_the_same_plan(&Self::new(plan, Shard::WHOLE))
    }

    /// The plan and the shard, in words.
    pub(crate) fn in_words(&self) -> String {
        let Self { board, engine, plan, fingerprint, divisor, units, shard, .. } = self;
        let shard = if *shard == Shard::WHOLE { String::new() } else { format!("shard {shard} of ") };
        format!("{shard}N = {board}, engine {engine}, plan {plan} ({units} units, divisor {divisor}, {fingerprint})")
    }
}

/// A plan's fingerprint as it stands in a header.
fn fingerprint(plan: &Plan) -> String {
    format!("{:016x}", plan.fingerprint())
}

/// A line for each run: who works on the ledger from here on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLine {
    /// The number of the process.
    pub pid: u32,
    /// The machine it runs on.
    pub host: String,
    /// The kernel it counts with.
    pub kernel: String,
    /// The number of threads it counts with.
    pub threads: usize,
    /// The version of the program.
    pub program_version: String,
    /// When it began, in seconds since 1970.
    pub begun: u64,
}

/// A line for each finished unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitLine {
    /// The unit.
    pub unit: usize,
    /// Its partial count, its symmetry weight already in it.
    #[serde(with = "as_text")]
    pub partial: u128,
    /// The work that was expected of it.
    pub weight: u64,
    /// The nodes visited, where they were counted.
    pub nodes: Option<u64>,
    /// The seconds it took its thread.
    pub seconds: f64,
    /// When it was finished, in seconds since the run began to count.
    pub at: f64,
}

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Run(RunLine),
    Unit(UnitLine),
}

impl Line {
    /// The line, unless it says what cannot be in the ledger of this header.
    pub(super) fn sound(self, header: &Header) -> Result<Self, String> {
        match &self {
            Line::Run(RunLine { host, kernel, program_version, .. }) => {
                if [host, kernel, program_version].iter().any(|text| text.len() > LONGEST_TEXT) {
                    return Err(format!("a text of more than {LONGEST_TEXT} bytes"));
                }
            }
            Line::Unit(UnitLine { unit, seconds, at, .. }) => {
                if *unit >= header.units {
                    return Err(format!("unit {unit} does not exist, there are {}", header.units));
                }
                if !header.may_have(*unit) {
                    return Err(format!("unit {unit} is not one of shard {}", header.shard));
                }
                if ![seconds, at].iter().all(|time| (0.0..1e12).contains(*time)) {
                    return Err("impossible times".to_owned());
                }
            }
        }
        Ok(self)
    }
}

/// What stands between the members that are covered by the CRC and the end of the line.
pub(super) const CRC_BEGINS: &str = ",\"crc32\":\"";
/// Its length, eight digits and the end.
pub(super) const CRC_LENGTH: usize = CRC_BEGINS.len() + 8 + "\"}".len();

/// A line for a JSON object, with its end. The CRC is of `identity` and the object without its last brace.
pub(super) fn encode<T: Serialize>(object: &T, identity: &str) -> String {
    let mut line = serde_json::to_string(object).expect("a line has no keys but text, and nothing that can fail");
    line.pop();
    let crc = crc32(identity, &line);
    line.push_str(CRC_BEGINS);
    line.push_str(&crc);
    line.push_str("\"}\n");
    line
}

/// The object of a line, which is given without its end; or what is wrong with it.
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

/// Numbers that pass 2⁵³ are strings, beyond which many readers of JSON lose digits; so are shards.
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
        Line::Unit(UnitLine { unit, partial, weight: 7, nodes: unit.is_multiple_of(2).then_some(9), seconds, at })
    }

    /// The check value of the CRC catalogues: that of the digits 1 to 9.
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
            prop_assert!((read.at / line.at - 1.0).abs() < 1e-12 || line.at == 0.0);
        }

        /// One bit, or some, anywhere: the line is never taken for another.
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
