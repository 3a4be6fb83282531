//! Reads ledgers and forges their lines. The code follows `docs/ledger.md` and shares nothing with the program.
#![allow(dead_code, reason = "not every test file does both")]

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Returns the text that the CRCs of runs and units cover first, for this header line.
pub(crate) fn identity(header: &str) -> String {
    let header: Value = serde_json::from_str(header).unwrap();
    let field = |key: &str| header[key].as_str().map_or_else(|| header[key].to_string(), str::to_owned);
    let version = if field("schema") == "nqueens/ledger/1" { String::new() } else { format!("{} ", field("schema")) };
    let fields = ["board", "engine", "plan", "fingerprint", "divisor", "units", "shard"].map(field).join(" ");
    version + &fields
}

/// Changes a line and returns it with a valid CRC.
pub(crate) fn forged(line: &str, identity: &str, change: impl Fn(&str) -> String) -> String {
    let (object, _) = line.rsplit_once(",\"crc32\"").unwrap();
    sealed(&change(object), identity)
}

/// Returns the line of an object, given without its closing brace, with a valid CRC.
pub(crate) fn sealed(object: &str, identity: &str) -> String {
    format!("{object},\"crc32\":\"{:08x}\"}}", crc32(&format!("{identity}{object}")))
}

/// Returns the line of a unit in a ledger with another partial count and a valid CRC.
pub(crate) fn contradicting(ledger: &str, line: &str) -> String {
    let identity = identity(ledger.lines().next().unwrap());
    forged(line, &identity, |object| object.replacen("\"partial\":\"", "\"partial\":\"800", 1)) + "\n"
}

/// Changes a ledger line by line. `change` gets the number of a line, from 1, and its object without the closing brace.
/// The new object is its result, or `None` removes the line. All CRCs are made valid for the changed header.
pub(crate) fn forge(path: &Path, change: impl Fn(usize, &str) -> Option<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut of = String::new();
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        if change(index + 1, line.split_once(",\"crc32\"").unwrap().0).is_some() {
            let line = forged(line, &of, |object| change(index + 1, object).unwrap());
            if index == 0 {
                of = identity(&line);
            }
            out += &(line + "\n");
        }
    }
    std::fs::write(path, out).unwrap();
}

pub(crate) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
    writer.write_all(bytes.as_ref()).unwrap();
    writer.finish().unwrap()
}

/// Returns the CRC-32 of IEEE 802.3, computed bit by bit.
pub(crate) fn crc32(text: &str) -> u32 {
    !text.bytes().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

/// The lines of a ledger that belong to a header.
#[derive(Debug)]
pub(crate) struct Known {
    /// The text that identifies the count and the shard.
    pub(crate) identity: String,
    pub(crate) units: usize,
    pub(crate) divisor: u64,
    /// The number of the shard and the number of shards.
    pub(crate) shard: (usize, usize),
    /// The number that the partial count of each unit is a multiple of.
    pub(crate) weights: Vec<u128>,
    /// The partial counts of the lines that are as a program writes them, by unit.
    pub(crate) sound: BTreeMap<usize, Vec<u128>>,
    /// The partial counts of all lines with a valid CRC, even of lines with absurd values.
    pub(crate) all: BTreeMap<usize, Vec<u128>>,
}

/// Returns the first line that is not blank, if it is a header as a program writes it.
pub(crate) fn header(bytes: &[u8]) -> Option<&str> {
    lines(bytes).find(|line| !line.is_empty()).filter(|line| is_header(line))
}

fn is_header(line: &str) -> bool {
    let Some(header) = object(line, "") else { return false };
    let is_short = |name: &str| header[name].as_str().is_some_and(|text| text.len() <= 256);
    let are_texts = ["engine", "plan", "fingerprint", "program_version", "host", "shard"].into_iter().all(is_short);
    let are_numbers = ["board", "divisor", "units", "begun"].into_iter().all(|name| header[name].is_u64());
    let is_board = header["board"].as_u64().is_some_and(|size| (1..=32).contains(&size));
    header["schema"] == "nqueens/ledger/3" && are_texts && are_numbers && is_board && shard(&header).is_some()
}

/// Reads joined ledgers, each of which begins with a header of another plan or shard.
pub(crate) fn joined(bytes: &[u8]) -> Vec<Known> {
    let mut ledgers: Vec<Known> = header(bytes).map(|header| Known::new(header, b"")).into_iter().collect();
    let Some(mut last) = ledgers.pop() else { return ledgers };
    for line in lines(bytes) {
        if is_header(line) && identity(line) != last.identity {
            ledgers.push(std::mem::replace(&mut last, Known::new(line, b"")));
        }
        last.add(line);
    }
    ledgers.push(last);
    ledgers
}

fn shard(header: &Value) -> Option<(usize, usize)> {
    let (index, count) = header["shard"].as_str()?.split_once('/')?;
    let (index, count) = (index.parse().ok()?, count.parse().ok()?);
    (index < count).then_some((index, count))
}

/// Returns true if a line with the valid CRC of a header has another version of the format, or none.
pub(crate) fn has_other_version(bytes: &[u8]) -> bool {
    lines(bytes).any(|line| object(line, "").is_some_and(|header| header["schema"] != "nqueens/ledger/3"))
}

impl Known {
    /// Reads the lines that belong to this header.
    pub(crate) fn new(header: &str, bytes: &[u8]) -> Self {
        let value: Value = serde_json::from_str(header).unwrap();
        let number = |name: &str| value[name].as_u64().unwrap();
        let mut known = Self {
            identity: identity(header),
            units: number("units") as usize,
            divisor: number("divisor"),
            shard: shard(&value).unwrap(),
            weights: weights(&value["plan"], number("board") as usize),
            sound: BTreeMap::new(),
            all: BTreeMap::new(),
        };
        lines(bytes).for_each(|line| known.add(line));
        known
    }

    /// Reads a ledger whose header is undamaged.
    pub(crate) fn in_ledger(bytes: &[u8]) -> Option<Self> {
        Some(Self::new(header(bytes)?, bytes))
    }

    fn add(&mut self, line: &str) {
        let Some(value) = object(line, &self.identity) else { return };
        let line = &value["unit"];
        let partial = line["partial"].as_str().and_then(|digits| digits.parse().ok());
        let (Some(unit), Some(partial)) = (line["unit"].as_u64(), partial) else { return };
        let unit = unit as usize;
        if unit >= self.units || unit % self.shard.1 != self.shard.0 {
            return;
        }
        self.all.entry(unit).or_default().push(partial);
        let is_time = |value: &Value| value.as_f64().is_some_and(|time| (0.0..1e12).contains(&time));
        let nodes = &line["nodes"];
        if self.is_possible(unit, partial)
            && value.as_object().map(serde_json::Map::len) == Some(2)
            && line.as_object().map(serde_json::Map::len) == Some(6 + usize::from(!line["cpu_seconds"].is_null()))
            && (line["cpu_seconds"].is_null() || is_time(&line["cpu_seconds"]))
            && line["work"].is_u64()
            && (nodes.is_null() || nodes.is_u64())
            && is_time(&line["seconds"])
            && is_time(&line["at"])
        {
            self.sound.entry(unit).or_default().push(partial);
        }
    }

    /// Returns true if the symmetries of the board allow a partial count.
    pub(crate) fn is_possible(&self, unit: usize, partial: u128) -> bool {
        self.weights.get(unit).is_none_or(|weight| partial.is_multiple_of(*weight))
    }

    /// Returns true if two lines that are as a program writes them have different partial counts for a unit.
    pub(crate) fn contradicts_itself(&self) -> bool {
        differ(&self.sound)
    }

    /// Returns true if two lines have different partial counts for a unit.
    pub(crate) fn may_contradict_itself(&self) -> bool {
        differ(&self.all)
    }

    /// Returns the total of these partial counts, if all units of a whole count are there.
    pub(crate) fn total_of<'a>(&self, partials: impl Iterator<Item = &'a u128>) -> Option<u128> {
        let (mut units, mut sum, divisor) = (0, 0_u128, u128::from(self.divisor));
        for partial in partials {
            units += 1;
            sum = sum.checked_add(*partial)?;
        }
        (units == self.units && self.shard == (0, 1) && divisor > 0 && sum.is_multiple_of(divisor))
            .then(|| sum / divisor)
    }
}

/// Returns the symmetry weights of the units of a plan; none for plans that no test forges.
fn weights(plan: &Value, size: usize) -> Vec<u128> {
    match plan.as_str() {
        Some(plan) if plan.starts_with("mirror-") && size > 1 => vec![2; 1 << 16],
        _ => Vec::new(),
    }
}

/// Returns the ledger of a plan whose units have these partial counts. `header` is its first line without CRC and
/// closing brace.
pub(crate) fn ledger(header: &str, partials: impl Iterator<Item = u128>) -> String {
    let header = sealed(header, "");
    let identity = identity(&header);
    let run =
        "{\"run\":{\"pid\":1,\"host\":\"h\",\"kernel\":\"avx2\",\"threads\":1,\"program_version\":\"0\",\"begun\":1}";
    let units = partials.enumerate().map(|(unit, partial)| {
        let (work, times) = ("\"work\":1,\"nodes\":null", "\"seconds\":1.0,\"at\":1.0");
        format!("{{\"unit\":{{\"unit\":{unit},\"partial\":\"{partial}\",{work},{times}}}")
    });
    let lines = std::iter::once(run.to_owned()).chain(units).map(|object| sealed(&object, &identity) + "\n");
    std::iter::once(header + "\n").chain(lines).collect()
}

fn differ(units: &BTreeMap<usize, Vec<u128>>) -> bool {
    units.values().any(|partials| partials.iter().any(|partial| *partial != partials[0]))
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let lines = bytes.split(|&byte| byte == b'\n').map(|line| line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line));
    lines.map(|line| std::str::from_utf8(line.trim_ascii()).unwrap_or("not text"))
}

/// Returns the object of a line if its CRC is valid.
fn object(line: &str, identity: &str) -> Option<Value> {
    let (object, _) = line.rsplit_once(",\"crc32\"")?;
    (sealed(object, identity) == line).then(|| serde_json::from_str(line).ok())?
}
