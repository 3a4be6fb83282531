//! The board with given queens and blocked squares that `count --board` and `solve --board` read.

use crate::app::failure::Failure;
use nqueens::Setup;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

/// More bytes than a board needs.
const MOST: u64 = 1 << 16;

/// Reads a board; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Setup, Failure> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { "standard input".to_owned() } else { format!("'{}'", path.display()) };
    let mut bytes = Vec::new();
    let read = if is_stdin {
        stdin().take(MOST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::Usage(format!("cannot read {name}: {error}; give --board a file with a board")))?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::Usage(format!("{name} is no board: it has more than {MOST} bytes")));
    }
    let text = String::from_utf8_lossy(&bytes);
    let setup = text.trim_start_matches('\u{feff}').parse();
    setup.map_err(|error| Failure::Usage(format!("{name} is no board: {error}")))
}
