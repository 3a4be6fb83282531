//! Where the results go: standard output, or a file.

use super::closed;
use super::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Stdout, Write};
use std::path::Path;

/// Standard output, or a file that was opened before the work began.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout(Stdout),
    File {
        file: BufWriter<File>,
        /// Whether the file still holds what it held before; that goes only when there is something to put in its place.
        untouched: bool,
    },
}

impl Output {
    /// Opens the output, so that a path that cannot be written is refused before any work is done for it.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        path.map_or_else(|| Ok(Output::Stdout(io::stdout())), |path| Output::file(path, "--output"))
    }

    /// Opens the file that an option names.
    pub(crate) fn file(path: &Path, option: &str) -> Result<Self, Failure> {
        if is_ledger(path) {
            let path = path.display();
            return Err(Failure::Usage(format!(
                "'{path}' is a ledger, which the result would destroy; give another file"
            )));
        }
        match File::options().create(true).write(true).truncate(false).open(path) {
            Ok(file) => Ok(Output::File { file: BufWriter::new(file), untouched: true }),
            Err(error) => Err(Failure::Usage(format!(
                "cannot write to '{}': {error}; give {option} a file that can be written",
                path.display()
            ))),
        }
    }

    /// Whether somebody is looking on while it is written.
    pub(crate) fn is_terminal(&self) -> bool {
        match self {
            Output::Stdout(stdout) => stdout.is_terminal(),
            Output::File { .. } => false,
        }
    }
}

/// Whether a file has what was counted for long.
fn is_ledger(path: &Path) -> bool {
    const BEGINNING: &[u8] = b"{\"schema\":\"nqueens/ledger/";
    let mut bytes = Vec::new();
    path.metadata().is_ok_and(|metadata| metadata.is_file())
        && File::open(path).is_ok_and(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut bytes).is_ok())
        && bytes == BEGINNING
}

impl Output {
    /// Whether it is this file, which must not be written to by anything else.
    pub(crate) fn is_at(&self, path: Option<&Path>, other: &Path) -> bool {
        let place = |path: &Path| path.canonicalize().ok();
        matches!(self, Output::File { .. })
            && path.is_some_and(|path| place(path).is_some() && place(path) == place(other))
    }

    /// Takes away what the file held before.
    fn begin(&mut self) -> io::Result<()> {
        if let Output::File { file, untouched } = self
            && std::mem::take(untouched)
            // A pipe or a device has no length to set.
            && file.get_ref().metadata()?.is_file()
        {
            file.get_ref().set_len(0)?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        match self {
            Output::Stdout(stdout) => closed::check().and_then(|()| stdout.write(bytes)),
            Output::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.begin()?;
        match self {
            Output::Stdout(stdout) => stdout.flush(),
            Output::File { file, .. } => file.flush(),
        }
    }
}

/// Prints a whole text on standard output.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    closed::check()
        .and_then(|()| stdout.write_all(text))
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::writing(&error))
}
