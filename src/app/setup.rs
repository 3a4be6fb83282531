//! The boards with given queens and blocked squares that `count`, `solve` and `trace` read with `--board`.

use crate::app::failure::Failure;
use crate::app::output::file::NamedPath;
use crate::app::output::words::many;
use clap::builder::{PathBufValueParser, TypedValueParser};
use nqueens::{Board, Setup};
use std::fs::File;
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

/// The most bytes that are read. Boards that somebody counts need less.
const MOST: u64 = 1 << 22;

/// A board that was read from a file.
#[derive(Clone, Debug)]
pub(crate) struct GivenBoard {
    pub(crate) setup: Setup,
    path: PathBuf,
}

/// Returns the parser of `--board`. It reads the file before the program heeds signals, so that these end it while it
/// waits for standard input.
pub(crate) fn parser() -> impl TypedValueParser<Value = GivenBoard> {
    PathBufValueParser::new().try_map(read)
}

/// Reads the board of a file; `-` is standard input.
fn read(path: PathBuf) -> Result<GivenBoard, String> {
    let unread = |error| format!("{error}; give a file with a board");
    let file: Box<dyn Read> =
        if is_stdin(&path) { Box::new(stdin()) } else { Box::new(File::open(&path).map_err(unread)?) };
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).map_err(unread)?;
    // Some programs of Windows begin a text with a byte order mark.
    let setup = text.strip_prefix('\u{feff}').unwrap_or(&text).parse::<Setup>();
    setup.map(|setup| GivenBoard { setup, path }).map_err(|error| error.to_string())
}

/// The refusal of `--fundamental` for a board with given queens or blocked squares.
pub(crate) const NO_ORBITS: &str =
    "the solutions of a board with given queens or blocked squares are not whole orbits; omit --fundamental";

/// The refusal of a command line without a board.
pub(crate) const NO_BOARD: &str = "there is no board; give its size N, or --board FILE";

/// Returns the given board or, if there is none, the empty one.
pub(crate) fn chosen(board: Option<Board>, given: Option<&GivenBoard>) -> Result<Setup, Failure> {
    let setup = given.map(|given| given.setup).or(board.map(Setup::new));
    setup.ok_or_else(|| Failure::Usage(NO_BOARD.to_owned()))
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
    let where_else = if queens == 0 { "" } else { " in other rows" };
    format!("N = {board}, {}, {}{where_else}", many(queens, "given queen"), many(blocked, "blocked square"))
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the file with the board, which no output may overwrite.
pub(crate) fn named(given: Option<&GivenBoard>) -> Option<NamedPath<'_>> {
    given.filter(|given| !is_stdin(&given.path)).map(|given| (&*given.path, "--board"))
}
