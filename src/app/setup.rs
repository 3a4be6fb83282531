//! The boards with given queens and blocked squares that `count`, `solve` and `trace` read with `--board`.

use crate::app::failure::{Failure, refused};
use crate::app::output::file::NamedPath;
use crate::app::output::words::many;
use nqueens::{Board, Cancel, CancelOnDrop, Cancelled, Setup};
use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The most bytes that are read. Boards that somebody counts need less.
const MOST: u64 = 1 << 22;

/// Reads the board of a file; `-` is standard input.
pub(crate) fn read(path: &Path, cancel: &Cancel) -> Result<Setup, Failure> {
    let name = if is_stdin(path) { "standard input".to_owned() } else { format!("'{}'", path.display()) };
    let unread = |error| Failure::Usage(format!("cannot read {name}: {error}; give --board a file with a board"));
    let bytes = content(path.to_owned(), cancel)?.map_err(unread)?;
    if bytes.len() as u64 > MOST {
        return refused(format!("{name} is no board: it has more than {MOST} bytes"));
    }
    let text =
        str::from_utf8(&bytes).map_err(|_| Failure::Usage(format!("{name} is no board: it is not UTF-8 text")))?;
    // Some programs of Windows begin a text with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.parse().map_err(|error| Failure::Usage(format!("{name} is no board: {error}")))
}

/// Returns a board as documents have it: its rows in one line, with a slash between two.
pub(crate) fn in_line(setup: &Setup) -> String {
    setup.to_string().replace('\n', "/")
}

/// Returns the size of a board in words and, if there is a `setup`, its given queens and blocked squares. In a row
/// with a given queen, no square counts as blocked.
pub(crate) fn in_words(board: Board, setup: Option<&Setup>) -> String {
    let Some(setup) = setup else { return format!("N = {board}") };
    let [queens, blocked] = [setup.queens().count(), setup.blocked().count()].map(|squares| squares as u64);
    let (given, rest) = (many(queens, "given queen"), many(blocked, "blocked square"));
    match (queens, blocked) {
        (0, _) => format!("N = {board}, {given}, {rest}"),
        (_, 0) => format!("N = {board}, {given}"),
        _ => format!("N = {board}, {given}, {rest} in other rows"),
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the file with the board, which no output may overwrite.
pub(crate) fn named(path: Option<&Path>) -> Option<NamedPath<'_>> {
    path.filter(|path| !is_stdin(path)).map(|path| (path, "--board"))
}

/// Returns the bytes of a file. A person or another program may give them late, so a thread waits for them while this
/// one heeds `cancel`.
fn content(path: PathBuf, cancel: &Cancel) -> Result<io::Result<Vec<u8>>, Cancelled> {
    let (sender, received) = mpsc::channel();
    let over = cancel.child();
    let end = CancelOnDrop(over.clone());
    let read = move || {
        let mut bytes = Vec::new();
        let read = if is_stdin(&path) {
            stdin().take(MOST + 1).read_to_end(&mut bytes)
        } else {
            File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes))
        };
        let _ = sender.send(read.map(|_| bytes));
        drop(end);
    };
    if let Err(error) = thread::Builder::new().spawn(read) {
        return Ok(Err(error));
    }
    over.wait(Duration::MAX);
    received.try_recv().map_err(|_| Cancelled)
}
