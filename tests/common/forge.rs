//! Ledgers with lines that nobody counted, but with right CRCs: as `docs/ledger.md` describes them, and by no code of
//! the program.

use std::path::Path;

/// The text that the CRC of runs and units begins with, from the header's line.
pub(crate) fn identity(header: &str) -> String {
    let header: serde_json::Value = serde_json::from_str(header).unwrap();
    let field = |key: &str| header[key].to_string().trim_matches('"').to_owned();
    let version = if field("schema") == "nqueens/ledger/1" { String::new() } else { format!("{} ", field("schema")) };
    let fields = ["board", "engine", "plan", "fingerprint", "divisor", "units", "shard"].map(field).join(" ");
    version + &fields
}

/// A line, changed, with the CRC that it then must have.
pub(crate) fn forged(line: &str, identity: &str, change: impl Fn(&str) -> String) -> String {
    let (object, _) = line.split_once(",\"crc32\"").unwrap();
    let object = change(object);
    format!("{object},\"crc32\":\"{:08x}\"}}", crc32(&format!("{identity}{object}")))
}

/// Changes a file line by line: `change` gets the number of a line, from 1, its object without its last brace, and
/// returns another, or `None` to leave the line out. All CRCs are made right, for the identity of the header as it is
/// then.
#[allow(dead_code, reason = "not every test file does")]
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

/// CRC-32 as IEEE 802.3 has it, bit by bit.
pub(crate) fn crc32(text: &str) -> u32 {
    !text.bytes().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}
