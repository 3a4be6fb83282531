//! The board with given queens and blocked squares that `count --board` and `solve --board` read.

use crate::app::failure::Failure;
use crate::app::output::file::Named;
use crate::app::text::text;
use nqueens::cancel::Cancelled;
use nqueens::{Cancel, Setup};
use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// More bytes than a board needs.
const MOST: u64 = 1 << 16;

/// Reads a board; `-` is standard input.
pub(crate) fn read(path: &Path, cancel: &Cancel) -> Result<Setup, Failure> {
    let name = if is_stdin(path) { "standard input".to_owned() } else { format!("'{}'", path.display()) };
    let unread = |error| Failure::Usage(format!("cannot read {name}: {error}; give --board a file with a board"));
    let bytes = content(path.to_owned(), cancel)?.map_err(unread)?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::Usage(format!("{name} is no board: it has more than {MOST} bytes")));
    }
    let setup = text(&bytes).parse();
    setup.map_err(|error| Failure::Usage(format!("{name} is no board: {error}")))
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the file with the board that an output must not be. Only Unix has a path for standard input.
pub(crate) fn named(path: Option<&Path>) -> Option<Named<'_>> {
    let file = match path? {
        path if !is_stdin(path) => path,
        _ if cfg!(unix) => Path::new("/dev/stdin"),
        _ => return None,
    };
    Some((file, "--board"))
}

/// Returns the bytes. A person or another program may give them late, so a thread waits for them.
fn content(path: PathBuf, cancel: &Cancel) -> Result<io::Result<Vec<u8>>, Cancelled> {
    let (sender, received) = mpsc::channel();
    let read = move || {
        let mut bytes = Vec::new();
        let read = if is_stdin(&path) {
            stdin().take(MOST + 1).read_to_end(&mut bytes)
        } else {
            File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes))
        };
        let _ = sender.send(read.map(|_| bytes));
    };
    if let Err(error) = thread::Builder::new().spawn(read) {
        return Ok(Err(error));
    }
    while !cancel.is_cancelled() {
        match received.recv_timeout(Duration::from_millis(50)) {
            Err(RecvTimeoutError::Timeout) => {}
            read => return Ok(read.expect("the thread sends what it reads")),
        }
    }
    Err(Cancelled)
}
