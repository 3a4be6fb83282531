//! The destination of results: standard output or a file.

use crate::app::failure::{Failure, refused};
use crate::app::messages::{say, warn};
use crate::app::output::Sink;
use nqueens::ledger::{is_lacking, is_ledger};
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

/// The path of a file that a command reads or writes, and its description: an option, or "the ledger".
pub(crate) type NamedPath<'a> = (&'a Path, &'static str);

/// Returns standard output by its path, which only Unix has.
pub(crate) fn stdout<'a>() -> NamedPath<'a> {
    (Path::new("/dev/stdout"), "standard output")
}

/// Opens the file that an option names, which must be none of `others`. A path that cannot be written fails here,
/// before any work is done.
pub(crate) fn open((path, option): NamedPath<'_>, others: &[NamedPath<'_>]) -> Result<Output, Failure> {
    let shown = path.display();
    check_is_none_of((path, option), others)?;
    if is_ledger(path) {
        return refused(format!("'{shown}' is a ledger, which the result would overwrite; give {option} another file"));
    }
    Output::at(path).or_else(|error| {
        refused(format!("cannot write to '{shown}': {error}; give {option} a file that can be written"))
    })
}

/// Returns standard output, which must be none of these files.
pub(crate) fn open_stdout(others: &[NamedPath<'_>]) -> Result<Output, Failure> {
    check_is_none_of(stdout(), others)?;
    Ok(Output::stdout())
}

/// Refuses a file that is one of `others`.
fn check_is_none_of((path, option): NamedPath<'_>, others: &[NamedPath<'_>]) -> Result<(), Failure> {
    let Some((other, name)) = others.iter().find(|(other, _)| is_same(path, other)) else { return Ok(()) };
    let (path, other) = (path.display(), other.display());
    refused(format!("{option} '{path}' is the same file as {name} '{other}'; give {option} another file"))
}

/// Returns true if two paths lead to the same file or pipe, through links of any kind. Returns false for devices, which
/// can be read and written at the same time.
fn is_same(one: &Path, other: &Path) -> bool {
    let found = (one.metadata(), other.metadata());
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = &found {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let is_one = |found: &Metadata| found.is_file() || found.file_type().is_fifo();
        return is_one(one) && (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    if [&found.0, &found.1].into_iter().flatten().any(|metadata| !metadata.is_file()) {
        return false;
    }
    let (Ok(one), Ok(other)) = (place(one), place(other)) else { return false };
    one == other || cfg!(any(windows, target_os = "macos")) && one.as_os_str().eq_ignore_ascii_case(&other)
}

/// An output: standard output, or the file, device or pipe at a path.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout(BufWriter<Stdout>),
    /// A device or a pipe.
    Stream(BufWriter<File>),
    File(Replacement),
}

/// A file that is replaced when the new one is complete. Until then, the new one has a name that ends in `.partial`. An
/// incomplete file is removed unless it is worth keeping, or the program ends without the chance to do so.
#[derive(Debug)]
pub(crate) struct Replacement {
    target: PathBuf,
    /// The new file, or `target` itself if its folder takes no new file. The first write creates or empties the file, so
    /// that a command that fails earlier changes nothing.
    new: Option<(BufWriter<File>, PathBuf)>,
    worth_keeping: bool,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Output::Stdout(BufWriter::new(io::stdout()))
    }

    /// Opens the device or pipe at a path, or checks that a file can be written there.
    fn at(path: &Path) -> io::Result<Self> {
        // The device `nul` of Windows has no metadata.
        let is_special = cfg!(windows) && path.as_os_str().eq_ignore_ascii_case("nul")
            || path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        // Other processes may also write to a file that this process has open, so such a file is not replaced.
        let is_open = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| path.starts_with(open));
        if is_special || is_open {
            return Ok(Output::Stream(BufWriter::new(File::options().append(true).open(path)?)));
        }
        let target = place(path)?;
        match File::options().write(true).open(&target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::remove_file(create_beside(&target)?.1)?,
            // A write-protected file must not be replaced.
            opened => drop(opened?),
        }
        Ok(Output::File(Replacement { target, new: None, worth_keeping: false }))
    }

    /// Returns true if the output replaces the previous content.
    pub(crate) fn replaces(&self) -> bool {
        matches!(self, Output::File(_))
    }

    fn writer(&mut self) -> io::Result<&mut dyn Write> {
        Ok(match self {
            Output::Stdout(stdout) => stdout,
            Output::Stream(stream) => stream,
            Output::File(replaced) => &mut replaced.opened()?.0,
        })
    }
}

/// Returns the path, with links resolved, of the file that exists at `path` or would be created there.
fn place(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (folder, name) = (folder(path), path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
            if let Ok(false) = folder.try_exists() {
                return Err(io::Error::other(format!("the folder '{}' does not exist", folder.display())));
            }
            Ok(folder.canonicalize()?.join(name))
        }
        found => found,
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file in the folder of `target`, with its name and `.partial` appended, or `.partial-2` and so on if that
/// exists already.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let mut path = target.with_file_name(&name);
    for number in 2_u64.. {
        match File::create_new(&path) {
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, path)),
        }
        path.set_file_name(format!("{}-{number}", name.display()));
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Creates the file that is to replace `target`, with its permissions. If the folder of an existing `target` takes no new
/// file, empties `target` itself.
fn create(target: &Path) -> io::Result<(File, PathBuf)> {
    match (create_beside(target), target.metadata()) {
        (Ok((file, path)), Ok(old)) => {
            // This fails on a file system without permissions, which has none to keep.
            let _ = file.set_permissions(old.permissions());
            Ok((file, path))
        }
        (Err(_), Ok(_)) => Ok((File::create(target)?, target.to_owned())),
        (created, Err(_)) => created,
    }
}

/// Syncs a file to disk. Some network file systems cannot do this.
fn sync(file: &File, path: &Path) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if is_lacking(&error) => {
            let path = path.display();
            warn(format_args!(
                "this file system cannot flush '{path}' to a disk; if the machine fails now, it may be lost"
            ));
            Ok(())
        }
        synced => synced,
    }
}

impl Replacement {
    /// Returns the new file with its path.
    fn opened(&mut self) -> io::Result<&mut (BufWriter<File>, PathBuf)> {
        let new = match self.new.take() {
            Some(new) => new,
            None => create(&self.target).map(|(file, path)| (BufWriter::new(file), path))?,
        };
        Ok(self.new.insert(new))
    }

    /// Replaces the old file by the new one, or copies the new content into it.
    fn end(&mut self) -> io::Result<()> {
        let target = self.target.clone();
        let (writer, path) = self.opened()?;
        writer.flush()?;
        // The new file must be complete on disk before it replaces the old one.
        sync(writer.get_ref(), &target)?;
        let path = path.clone();
        // A mount point cannot be replaced, and some file systems rename no file.
        if path != target && fs::rename(&path, &target).is_err() {
            let mut new = File::open(&path)?;
            self.worth_keeping = true;
            let mut old = File::create(&target)?;
            io::copy(&mut new, &mut old)?;
            sync(&old, &target)?;
            fs::remove_file(path)?;
        }
        self.new = None;
        // An error is ignored: some folders cannot be synced, and the file itself is on disk.
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        let Some((mut new, path)) = self.new.take() else { return };
        // An error is ignored: the part that was written is kept.
        let _ = new.flush();
        let is_empty = new.into_parts().0.metadata().is_ok_and(|metadata| metadata.len() == 0);
        let (target, kept) = (self.target.display(), path.display());
        if path == self.target {
            say(format_args!("'{target}' is incomplete"));
        } else if self.worth_keeping && !is_empty {
            say(format_args!("'{target}' is incomplete; the part that was written is in '{kept}'"));
        } else {
            // An error is ignored: what cannot be removed stays.
            let _ = fs::remove_file(path);
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
            Output::File(Replacement { new: None, .. }) => Ok(()),
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
