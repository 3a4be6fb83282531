//! A line of a ledger: a JSON object whose last member is a CRC-32 of the text before it.

use crate::board::Board;
use crate::engine::{Engine, Plan};
use crate::run::{Route, Shard};
use serde::{Deserialize, Serialize};

/// The version of the format. It is the first member of a ledger's first line.
pub(super) const SCHEMA: &str = "nqueens/ledger/3";

/// The first line of a ledger: the plan and the shard that are counted.
///
/// ```
/// use nqueens::{Board, Shard, ledger};
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let header = ledger::read(path)?.header;
/// assert_eq!((header.board, header.shard), (Board::new(9)?, Shard::WHOLE));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    schema: String,
    /// The board.
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
    /// The shard `I/N` whose units are in this ledger: those whose number leaves the remainder I when divided by N.
    pub shard: Shard,
    /// The version of the program that created the ledger.
    pub program_version: String,
    /// The machine on which the ledger was created.
    pub host: String,
    /// The time at which the ledger was created, in seconds since 1970.
    pub begun: u64,
}

impl Header {
    /// Creates the header of a new ledger for a shard of a plan.
    pub fn new(plan: &Plan, shard: Shard) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            board: plan.board(),
            engine: plan.engine().to_string(),
            plan: plan.name().to_owned(),
            fingerprint: format!("{:016x}", plan.fingerprint()),
            divisor: plan.divisor(),
            units: plan.units(),
            shard,
            program_version: env!("NQUEENS_VERSION").to_owned(),
            host: crate::ledger::host(),
            begun: crate::ledger::now(),
        }
    }

    /// Returns the engine of the plan; `None` if this program has no such engine.
    pub(super) fn known_engine(&self) -> Option<Engine> {
        self.engine.parse().ok()
    }

    /// Returns the number of units of the shard.
    pub fn shard_units(&self) -> usize {
        self.shard.size(self.units)
    }

    /// Returns the text that identifies a plan and a shard of it.
    pub fn identity(&self) -> String {
        let Self { schema, board, engine, plan, fingerprint, divisor, units, shard, .. } = self;
        format!("{schema} {board} {engine} {plan} {fingerprint} {divisor} {units} {shard}")
    }

    /// Returns true if both headers belong to the same plan.
    pub(super) fn is_of_the_same_plan(&self, other: &Self) -> bool {
        let plan = |header: &Self| Self { shard: Shard::WHOLE, ..header.clone() }.identity();
        plan(self) == plan(other)
    }

    /// Returns the plan and the shard in words.
    pub(super) fn in_words(&self) -> String {
        let Self { board, engine, plan, fingerprint, divisor, units, shard, .. } = self;
        let shard = if *shard == Shard::WHOLE { String::new() } else { format!("shard {shard} of ") };
        format!("{shard}N = {board}, engine {engine}, plan {plan} ({units} units, divisor {divisor}, {fingerprint})")
    }
}

/// A line that is written when a run starts to work on the ledger.
///
/// ```
/// use nqueens::ledger;
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let runs = ledger::read(path)?.runs;
/// println!("{} threads, kernel {}", runs[0].threads, runs[0].kernel);
/// # assert_eq!(runs.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunLine {
    /// The process ID, or any number that tells the runs of a ledger apart.
    pub pid: u32,
    /// The name of the machine; empty if it is private.
    pub host: String,
    /// The model of the CPU; `None` if the system does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// The kernel used.
    pub kernel: String,
    /// True if the engine counted with build side and probe side exchanged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exchanged: bool,
    /// The devices that counted: their names, platforms and drivers; `None` if the CPU counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The number of threads.
    pub threads: usize,
    /// The version of the program.
    pub program_version: String,
    /// The time at which the run began, in seconds since 1970.
    pub begun: u64,
}

impl RunLine {
    /// Returns the route by which the run counted; `None` for a kernel that this version does not know.
    pub(super) fn route(&self, engine: Engine) -> Option<Route> {
        self.kernel.parse().ok().map(|kernel| Route { engine, kernel, exchanged: self.exchanged })
    }

    /// Returns true if this is the run of the line before, which goes on by another route.
    pub(super) fn continues(&self, before: &Self) -> bool {
        let Self { kernel, exchanged, .. } = before;
        self != before && Self { kernel: kernel.clone(), exchanged: *exchanged, ..self.clone() } == *before
    }

    /// Returns a run that stands for a run whose line was lost, in a ledger with this header.
    pub(super) fn lost(header: &Header) -> Self {
        let Header { host, program_version, begun, .. } = header.clone();
        let kernel = "unknown".to_owned();
        Self { pid: 0, host, cpu: None, kernel, exchanged: false, device: None, threads: 0, program_version, begun }
    }
}

/// A line that is written for each finished unit.
///
/// ```
/// use nqueens::ledger;
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let (run, unit) = &ledger::read(path)?.units[&0];
/// println!("run {run} counted {} in {} s", unit.partial, unit.seconds);
/// # assert_eq!((*run, unit.unit), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnitLine {
    /// The number of the unit.
    pub unit: usize,
    /// The partial count, in which symmetry weights are multiplied in.
    #[serde(with = "as_text")]
    pub partial: u128,
    /// The work that was expected of the unit.
    pub work: u64,
    /// The number of nodes visited, if nodes were counted.
    pub nodes: Option<u64>,
    /// The time that the thread took to count the unit, in seconds.
    pub seconds: f64,
    /// The CPU time that the thread took for the unit, in seconds; `None` if it was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// The time at which the unit was finished, in seconds since the run began to count.
    pub at: f64,
}

impl UnitLine {
    /// Returns the core time in seconds: the CPU time or, if that was not recorded, the time on the clock.
    pub(super) fn core_seconds(&self) -> f64 {
        self.cpu_seconds.unwrap_or(self.seconds)
    }
}

/// Any line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Entry {
    Run(RunLine),
    Unit(UnitLine),
}

impl Entry {
    /// Returns this line if it is possible in a ledger with this header, otherwise a description of the problem. `plan`
    /// is the plan of the header if this program makes such a plan.
    pub(super) fn checked(self, header: &Header, plan: Option<&Plan>) -> Result<Self, String> {
        if let Entry::Unit(UnitLine { unit, partial, seconds, at, cpu_seconds, .. }) = &self {
            if *unit >= header.units {
                return Err(format!("unit {unit} does not exist, there are {}", header.units));
            }
            if !header.shard.has(*unit) {
                return Err(format!("unit {unit} is not one of shard {}", header.shard));
            }
            if ![*seconds, *at, cpu_seconds.unwrap_or(0.0)].iter().all(|time| (0.0..1e12).contains(time)) {
                return Err("impossible times".to_owned());
            }
            let factor = plan.map_or(1, |plan| plan.factor(*unit));
            if !partial.is_multiple_of(factor.into()) {
                return Err(format!("unit {unit} cannot count {partial}, which is not a multiple of {factor}"));
            }
        }
        Ok(self)
    }
}

/// The text between the members that the CRC covers and the CRC's digits.
const CRC_BEGINS: &str = ",\"crc32\":\"";
/// The length in bytes of the CRC member, including its eight digits and the closing brace.
const CRC_LENGTH: usize = CRC_BEGINS.len() + 8 + "\"}".len();

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

/// Returns the object of a line, which comes without its newline, or a description of the problem.
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

/// Returns true if a line has a checksum like a ledger's line, right or wrong.
pub(super) fn looks_like_a_line(line: &[u8]) -> bool {
    line.len() > CRC_LENGTH && line[line.len() - CRC_LENGTH..].starts_with(CRC_BEGINS.as_bytes())
}

fn crc32(identity: &str, object: &str) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(identity.as_bytes());
    crc.update(object.as_bytes());
    format!("{:08x}", crc.sum())
}

/// Stores numbers that can exceed 2⁵³ as strings. Many JSON readers lose digits of such numbers.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use std::fmt::Display;
    use std::str::FromStr;

    pub(super) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(reader: D) -> Result<T, D::Error> {
        String::deserialize(reader)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::fuzz::{fuzz, share};

    fn unit(unit: usize, partial: u128, seconds: f64, at: f64) -> Entry {
        let (work, nodes) = (7, unit.is_multiple_of(2).then_some(9));
        let cpu_seconds = unit.is_multiple_of(3).then_some(seconds);
        Entry::Unit(UnitLine { unit, partial, work, nodes, seconds, cpu_seconds, at })
    }

    /// The check value in CRC catalogues: the CRC of the digits 1 to 9.
    #[test]
    fn the_crc_is_the_common_one() {
        assert_eq!(crc32("1234", "56789"), "cbf43926");
    }

    #[test]
    fn fuzz_a_line_is_read_as_it_was_written() {
        fuzz(256, |random| {
            let partial = u128::from(random.next_u64()) << random.below(65) | u128::from(random.next_u64());
            let line = unit(random.below(u32::MAX) as usize, partial, 1e9 * share(random), 1e9 * share(random));
            let text = encode(&line, "identity");
            assert_eq!(text.lines().count(), 1);
            let read: Entry = decode(text.trim_end().as_bytes(), "identity").unwrap();
            let (Entry::Unit(read), Entry::Unit(line)) = (read, line) else { panic!("a unit") };
            assert_eq!((read.unit, read.partial, read.nodes), (line.unit, line.partial, line.nodes));
            assert!((read.at / line.at - 1.0).abs() < 1e-12 || line.at == 0.0);
        });
    }

    #[test]
    fn a_line_of_another_count_is_damaged() {
        let text = encode(&unit(3, 92, 0.5, 1.5), "identity");
        assert!(decode::<Entry>(text.trim_end().as_bytes(), "identity").is_ok());
        assert_eq!(decode::<Entry>(text.trim_end().as_bytes(), "other").unwrap_err(), "its CRC-32 is wrong");
    }

    /// Ten units of factor 4.
    fn plan(size: usize) -> Plan {
        let plan = Plan::new(Engine::Backtrack, Board::new(size).unwrap(), "test".into(), vec![1; 10], 1);
        plan.with_units(std::iter::empty(), vec![4; 10])
    }

    #[test]
    fn a_line_that_no_run_writes_is_not_sound() {
        let header = Header::new(&plan(8), Shard::new(1, 3).unwrap());
        assert_eq!(header.shard_units(), 3);
        let is_sound = |line: Entry| line.checked(&header, Some(&plan(8))).is_ok();
        assert!([1, 4, 7].into_iter().all(|number| is_sound(unit(number, 8, 0.5, 1.5))));
        // Units that do not exist, and units of other shards, are refused.
        assert!(![10, 13, 6, 8].into_iter().any(|number| is_sound(unit(number, 8, 0.5, 1.5))));
        for (seconds, at) in [(-1.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (1e12, 1.0)] {
            assert!(!is_sound(unit(7, 8, seconds, at)), "{seconds}, {at}");
        }
        let Entry::Unit(line) = unit(7, 8, 0.5, 1.5) else { panic!("a unit") };
        assert!(!is_sound(Entry::Unit(UnitLine { cpu_seconds: Some(-1.0), ..line })));
        assert!(!is_sound(unit(7, 6, 0.5, 1.5)), "no multiple of its factor");
        assert!(unit(7, 6, 0.5, 1.5).checked(&header, None).is_ok(), "the factor is not known");
    }

    #[test]
    fn headers_are_of_the_same_plan_whatever_their_shard() {
        let [one, shard, other] = [(8, "0/1"), (8, "1/3"), (9, "0/1")]
            .map(|(size, shard): (_, &str)| Header::new(&plan(size), shard.parse().unwrap()));
        assert!(one.is_of_the_same_plan(&shard) && !one.is_of_the_same_plan(&other));
        assert!(shard.in_words().starts_with("shard 1/3 of N = 8") && one.in_words().starts_with("N = 8"));
    }
}
