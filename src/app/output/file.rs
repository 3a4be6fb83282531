//! The destination of results: standard output or a file.

use crate::app::closed;
use crate::app::failure::Failure;
use crate::app::messages::say;
use crate::app::output::Sink;
use crate::app::session::CleanUp;
use crate::ledger::is_likely_archive;
use crate::new_file::{NewFile, place, sync_folder};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Seek, Stdout, Write};
use std::path::{Path, PathBuf};

/// The path of a file that a command reads or writes, and its description: an option, or "the ledger".
pub(crate) type Named<'a> = (&'a Path, &'static str);

/// Opens the output of a command and the other files that it writes. Without a path, the output is standard output. A
/// path that cannot be written fails here, before any work is done, and so does a file that is also read, or is written
/// twice.
pub(crate) fn open(
    read: &[Named<'_>],
    output: Option<Named<'_>>,
    others: &[Named<'_>],
) -> Result<(Output, Vec<Output>), Failure> {
    let stdout = (Path::new("/dev/stdout"), "standard output");
    let written: Vec<Named<'_>> = std::iter::once(output.unwrap_or(stdout)).chain(others.iter().copied()).collect();
    for (index, &(path, option)) in written.iter().enumerate() {
        if let Some((other, name)) = read.iter().chain(&written[..index]).find(|(other, _)| is_same(path, other)) {
            let (path, other) = (path.display(), other.display());
            return Err(Failure::Usage(format!(
                "{option} '{path}' is the same file as {name} '{other}'; give {option} another file"
            )));
        }
    }
    let output = output.map_or_else(|| Ok(Output::Stdout(io::stdout())), Output::file)?;
    Ok((output, others.iter().map(|&file| Output::file(file)).collect::<Result<_, _>>()?))
}

/// Returns true if two paths lead to the same file, through links of any kind. Returns false for devices and pipes,
/// which can be read and written at the same time.
fn is_same(one: &Path, other: &Path) -> bool {
    let found = (one.metadata(), other.metadata());
    if [&found.0, &found.1].into_iter().flatten().any(|metadata| !metadata.is_file()) {
        return false;
    }
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = &found {
        use std::os::unix::fs::MetadataExt;
        if (one.dev(), one.ino()) == (other.dev(), other.ino()) {
            return true;
        }
    }
    place(one).is_ok_and(|one| place(other).is_ok_and(|other| one == other))
}

/// An output: standard output, or the file, device or pipe at a path.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout(Stdout),
    /// A device or a pipe.
    Stream(BufWriter<File>),
    File(Replaced),
}

/// A file that is replaced when the new one is complete. An incomplete file that is worth keeping gets a name that ends
/// in `.partial`.
#[derive(Debug)]
pub(crate) struct Replaced {
    path: PathBuf,
    /// The new file. It is created by the first write, so that nothing is left behind before.
    new: Option<BufWriter<NewFile>>,
    /// Removes the new file if a signal ends the program immediately.
    clean_up: Option<CleanUp>,
    worth_keeping: bool,
}

impl Output {
    /// Opens the file named by an option.
    fn file((path, option): Named<'_>) -> Result<Self, Failure> {
        if let Some(kind) = kind_of_ledger(path) {
            let path = path.display();
            return Err(Failure::Usage(format!(
                "'{path}' is {kind}, which the result would overwrite; give {option} another file"
            )));
        }
        Self::at(path).map_err(|error| {
            let path = path.display();
            Failure::Usage(format!("cannot write to '{path}': {error}; give {option} a file that can be written"))
        })
    }

    /// Opens the device or pipe at a path, or checks that a file can be created there.
    fn at(path: &Path) -> io::Result<Self> {
        if path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            return Ok(Output::Stream(BufWriter::new(File::options().write(true).open(path)?)));
        }
        if is_descriptor(path) {
            return Ok(Output::Stream(BufWriter::new(File::options().append(true).open(path)?)));
        }
        drop(create(path)?);
        Ok(Output::File(Replaced { path: path.to_owned(), new: None, clean_up: None, worth_keeping: false }))
    }

    /// Returns true if the output is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        match self {
            Output::Stdout(stdout) => stdout.is_terminal(),
            Output::Stream(_) | Output::File { .. } => false,
        }
    }

    /// Returns true if the output replaces the previous content.
    pub(crate) fn replaces(&self) -> bool {
        matches!(self, Output::File(_))
    }

    fn writer(&mut self) -> io::Result<&mut dyn Write> {
        Ok(match self {
            Output::Stdout(stdout) => {
                closed::check()?;
                stdout
            }
            Output::Stream(stream) => stream,
            Output::File(replaced) => replaced.writer()?,
        })
    }
}

/// Returns "a ledger" or "an archive" if the file is one, which may hold the result of a long count.
fn kind_of_ledger(path: &Path) -> Option<&'static str> {
    const BEGINNING: &[u8] = b"{\"schema\":\"nqueens/ledger/";
    // Opening another kind of file may block.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BEGINNING.len() as u64).read_to_end(&mut bytes).ok()?;
    match &*bytes {
        BEGINNING => Some("a ledger"),
        _ if is_likely_archive(&bytes) => Some("an archive"),
        _ => None,
    }
}

/// Returns true if the path leads to an open file of this process, as `/dev/stdout` does. Other processes may write to
/// such a file too.
fn is_descriptor(path: &Path) -> bool {
    let links = std::iter::successors(Some(path.to_owned()), |path| Some(path.parent()?.join(path.read_link().ok()?)));
    let is_one = |path: &PathBuf| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        folder.is_some_and(|folder| folder.starts_with("/proc") || folder == Path::new("/dev/fd"))
    };
    cfg!(unix) && links.take(40).any(|path| is_one(&path))
}

/// Creates the file that is to replace the one at `path`, in the same folder or, if that accepts no new file, in the
/// folder for temporary files. Until it has its final name, it is also removed if a signal ends the program
/// immediately.
fn create(path: &Path) -> io::Result<(NewFile, CleanUp)> {
    let create = || {
        NewFile::create(path).or_else(|error| {
            if !path.is_file() {
                return Err(error);
            }
            NewFile::create_elsewhere(&std::env::temp_dir(), path).map_err(|_| error)
        })
    };
    CleanUp::of(create, |new| {
        let temporary = new.temporary().map(Path::to_owned);
        move || drop(temporary.map(std::fs::remove_file))
    })
}

/// Replaces the old file by the new one. If the folder does not allow this, overwrites the old file with the new
/// content.
fn put(new: &mut NewFile) -> io::Result<()> {
    let target = new.target().to_owned();
    // The new file must be complete on disk before it replaces the old one.
    new.file().sync_all()?;
    match new.replace() {
        Ok(()) => {
            // An error is ignored: some folders cannot be synced, and the file itself is on disk.
            let _ = sync_folder(&target);
            Ok(())
        }
        Err(error) if !target.is_file() || !forbids_replacing(error.kind()) => Err(error),
        Err(_) => {
            let mut old = File::options().write(true).open(&target)?;
            new.file().rewind()?;
            let length = io::copy(&mut new.file(), &mut old)?;
            old.set_len(length)?;
            old.sync_all()
        }
    }
}

/// Returns true if an error means that the folder does not allow a file to be replaced, or that the new file is in
/// another file system.
fn forbids_replacing(error: io::ErrorKind) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    [CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy].contains(&error)
}

impl Replaced {
    fn writer(&mut self) -> io::Result<&mut BufWriter<NewFile>> {
        if self.new.is_none() {
            let (new, clean_up) = create(&self.path)?;
            self.clean_up = Some(clean_up);
            self.new = Some(BufWriter::new(new));
        }
        self.new.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Replaces the old file by the new one.
    fn end(&mut self) -> io::Result<()> {
        let writer = self.writer()?;
        writer.flush()?;
        put(writer.get_mut())?;
        (self.new, self.clean_up, self.worth_keeping) = (None, None, false);
        Ok(())
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        let Some(mut new) = self.new.take().filter(|_| self.worth_keeping) else { return };
        // An error is ignored: the part that was written is kept.
        let _ = new.flush();
        let (mut new, _) = new.into_parts();
        if new.file().metadata().is_ok_and(|metadata| metadata.len() == 0) {
            return;
        }
        let path = self.path.display();
        match new.set_aside() {
            Ok(kept) => {
                say(format_args!("'{path}' is incomplete; the part that was written is in '{}'", kept.display()));
            }
            Err(error) => say(format_args!("'{path}' is incomplete; the part that was written is lost: {error}")),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            // Nothing has been written yet.
            Output::File(Replaced { new: None, .. }) => Ok(()),
            output => output.writer()?.flush(),
        }
    }
}

impl Sink for Output {
    fn keep(&mut self) {
        if let Output::File(replaced) = self {
            replaced.worth_keeping = true;
        }
    }

    fn end(&mut self) -> io::Result<()> {
        match self {
            Output::File(replaced) => replaced.end(),
            output => output.flush(),
        }
    }
}

/// Writes a whole file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = Output::at(path)?;
    file.write_all(bytes)?;
    file.end()
}

/// Prints text on standard output.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout();
    closed::check()
        .and_then(|()| stdout.write_all(text))
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::writing(&error))
}
