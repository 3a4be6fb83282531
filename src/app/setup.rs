//! The boards with given queens and blocked squares that `count --board` and `solve --board` read.

use crate::app::failure::{Failure, refused};
use crate::app::output::file::NamedPath;
use crate::app::output::words::many;
use crate::app::text::text;
use nqueens::{Board, Cancel, CancelOnDrop, Cancelled, Setup};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The most bytes that are read. Boards that somebody counts need less.
const MOST: u64 = 1 << 22;

/// Reads the boards of a file, which must have at least one; `-` is standard input.
pub(crate) fn read_all(path: &Path, cancel: &Cancel) -> Result<Vec<Setup>, Failure> {
    let name = if is_stdin(path) { "standard input".to_owned() } else { format!("'{}'", path.display()) };
    let unread = |error| Failure::Usage(format!("cannot read {name}: {error}; give --board a file with a board"));
    let bytes = content(path.to_owned(), cancel)?.map_err(unread)?;
    if bytes.len() as u64 > MOST {
        return refused(format!("{name} is no board: it has more than {MOST} bytes"));
    }
    let is_none = |number: usize, error: &dyn std::fmt::Display| {
        let board = if number > 1 { format!("board {number} of {name}") } else { name.clone() };
        Failure::Usage(format!("{board} is no board: {error}"))
    };
    let text = lists(text(&bytes)).map_err(|error| is_none(1, &error))?;
    Setup::read_all(&text).map_err(|(number, error)| is_none(number, &error))
}

/// Returns the only board. Fails if there are several, because the command `what` takes one.
pub(crate) fn only<'a, T>(boards: &'a [T], what: &str) -> Result<&'a T, Failure> {
    match boards {
        [board] => Ok(board),
        _ => refused(format!("{what} takes one board, and --board gives {}; give one", boards.len())),
    }
}

/// Returns a board as documents have it: its rows in one line, with a slash between two.
pub(crate) fn in_line(setup: &Setup) -> String {
    setup.to_string().replace('\n', "/")
}

/// Returns the size of a board in words and, if there is a `setup`, its given queens and blocked squares.
pub(crate) fn in_words(board: Board, setup: Option<&Setup>) -> String {
    let squares = setup.map_or(String::new(), |setup| format!(", {}", squares_in_words([setup])));
    format!("N = {board}{squares}")
}

/// Returns the numbers of given queens and blocked squares. In a row with a given queen, no square counts as blocked.
pub(crate) fn squares_in_words<'a>(setups: impl IntoIterator<Item = &'a Setup>) -> String {
    let counts = setups.into_iter().map(|setup| [setup.queens().count(), setup.blocked().count()]);
    let [queens, blocked] = counts.fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
    let (given, rest) = (many(queens as u64, "given queen"), many(blocked as u64, "blocked square"));
    match (queens, blocked) {
        (0, _) => format!("{given}, {rest}"),
        (_, 0) => given,
        _ => format!("{given}, {rest} in other rows"),
    }
}

/// If the text is JSON or CSV that `nqueens solve` wrote, returns a list for each solution, otherwise the text itself.
fn lists(text: String) -> Result<String, String> {
    if text.trim_start().starts_with('{') {
        let document: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let solutions = document["solutions"].as_array().into_iter().flatten();
        return Ok(solutions.map(|solution| solution["columns"].to_string() + "\n").collect());
    }
    if text.starts_with("number,orbit_size,columns,") {
        let list = |(number, line): (usize, &str)| match line.split(',').nth(2) {
            Some(columns) => Ok(format!("[{}]\n", columns.trim_matches('"'))),
            None => Err(format!("line {} ends before its columns", number + 1)),
        };
        return text.lines().enumerate().skip(1).map(list).collect();
    }
    Ok(text)
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the file with the board, which no output may overwrite. Only Unix has a path for standard input.
pub(crate) fn named(path: Option<&Path>) -> Option<NamedPath<'_>> {
    let file = match path? {
        path if !is_stdin(path) => path,
        _ if cfg!(unix) => Path::new("/dev/stdin"),
        _ => return None,
    };
    Some((file, "--board"))
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
