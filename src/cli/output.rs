//! Where the results go: standard output, or a file.

use super::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
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

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stdout(stdout) => stdout.write(bytes),
            Output::File { file, untouched } => {
                if *untouched {
                    *untouched = false;
                    // A pipe or a device has no length to set.
                    if file.get_ref().metadata()?.is_file() {
                        file.get_ref().set_len(0)?;
                    }
                }
                file.write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stdout(stdout) => stdout.flush(),
            Output::File { file, .. } => file.flush(),
        }
    }
}

/// Prints a whole text on standard output.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    stdout.write_all(text).and_then(|()| stdout.flush()).map_err(|error| Failure::writing(&error))
}
