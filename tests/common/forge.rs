//! Forges ledger lines with valid CRCs. The code follows `docs/ledger.md` and shares nothing with the program.

use std::path::Path;

/// Returns the text that the CRCs of runs and units cover first, for this header line.
pub(crate) fn identity(header: &str) -> String {
    let header: serde_json::Value = serde_json::from_str(header).unwrap();
    let field = |key: &str| header[key].to_string().trim_matches('"').to_owned();
    let version = if field("schema") == "nqueens/ledger/1" { String::new() } else { format!("{} ", field("schema")) };
    let fields = ["board", "engine", "plan", "fingerprint", "divisor", "units", "shard"].map(field).join(" ");
    version + &fields
}

/// Changes a line and returns it with a valid CRC.
pub(crate) fn forged(line: &str, identity: &str, change: impl Fn(&str) -> String) -> String {
    let (object, _) = line.split_once(",\"crc32\"").unwrap();
    let object = change(object);
    format!("{object},\"crc32\":\"{:08x}\"}}", crc32(&format!("{identity}{object}")))
}

/// Changes a ledger line by line. `change` gets the number of a line, from 1, and its object without the closing brace.
/// It returns the new object, or `None` to remove the line. All CRCs are made valid for the identity of the changed
/// header.
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

/// Returns the CRC-32 of IEEE 802.3, computed bit by bit.
pub(crate) fn crc32(text: &str) -> u32 {
    !text.bytes().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}
