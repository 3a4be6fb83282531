//! The destination of results: standard output or a file.

use crate::app::failure::{Failure, refused};
use crate::app::messages::say;
use crate::app::output::Sink;
use nqueens::ledger::{is_lacking, is_ledger};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf, absolute};

/// The path of a file that a command reads or writes, and its description: an option, or "the ledger".
pub(crate) type NamedPath<'a> = (&'a Path, &'static str);

/// Opens the file of `--output`, which must be none of `others`. A path that cannot be written fails here, before any
/// work is done.
pub(crate) fn open(path: &Path, others: &[NamedPath<'_>]) -> Result<Output, Failure> {
    let shown = path.display();
    if let Some((other, name)) = others.iter().find(|(other, _)| is_same(path, other)) {
        let other = other.display();
        return refused(format!("--output '{shown}' is the same file as {name} '{other}'; give --output another file"));
    }
    if is_ledger(path) {
        return refused(format!("'{shown}' is a ledger, which the result would overwrite; give --output another file"));
    }
    Output::at(path).or_else(|error| {
        refused(format!("cannot write to '{shown}': {error}; give --output a file that can be written"))
    })
}

/// Returns true if two paths lead to the same file, which may not exist yet. Devices can be read and written at the same
/// time.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().or_else(|_| absolute(path)).ok();
    (one.is_file() || !one.exists()) && real(one) == real(other)
}

/// An output: standard output, or the file, device or pipe at a path.
pub(crate) enum Output {
    /// Standard output, a device or a pipe.
    Stream(BufWriter<Box<dyn Write + Send>>),
    File(Replacement),
}

/// A file that is replaced when the new one is complete. Until then, the new one has a name that ends in `.partial`.
pub(crate) struct Replacement {
    target: PathBuf,
    /// The new file, or `target` itself if no file can be created beside it. The first write creates or empties the file, so
    /// that a command that fails earlier changes nothing.
    new: Option<(BufWriter<File>, PathBuf)>,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Output::Stream(BufWriter::new(Box::new(io::stdout())))
    }

    /// Opens the device or pipe at a path, or checks that a file can be written there.
    fn at(path: &Path) -> io::Result<Self> {
        // The device `nul` of Windows has no metadata.
        let is_special = cfg!(windows) && path.as_os_str().eq_ignore_ascii_case("nul")
            || path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        // Other processes may also write to a file that this process has open, so such a file is not replaced.
        let is_open = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| path.starts_with(open));
        if is_special || is_open {
            let stream = File::options().append(true).open(path)?;
            return Ok(Output::Stream(BufWriter::new(Box::new(stream))));
        }
        // A link stays, and leads to the new file.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let beside = partial(&target);
        if beside.exists() {
            let reason = format!("'{}' exists; a stopped command left it, or another writes it", beside.display());
            return Err(io::Error::other(reason));
        }
        match File::options().write(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => fs::remove_file(create(path)?.1)?,
            // A write-protected file must not be replaced.
            opened => drop(opened?),
        }
        Ok(Output::File(Replacement { target, new: None }))
    }
}

/// Returns the path of the file that is to replace `target`.
fn partial(target: &Path) -> PathBuf {
    let mut path = target.as_os_str().to_owned();
    path.push(".partial");
    path.into()
}

/// Creates the file that is to replace `target`, with its permissions. If the folder takes none, or none with a longer
/// name, creates or empties `target` itself.
fn create(target: &Path) -> io::Result<(File, PathBuf)> {
    let path = partial(target);
    let file = match File::create_new(&path) {
        Ok(file) => file,
        // Another command has begun to write, and `target` keeps its content.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
        Err(_) => return Ok((File::create(target)?, target.to_owned())),
    };
    if let Ok(old) = target.metadata() {
        // This fails on a file system without permissions, which has none to keep.
        let _ = file.set_permissions(old.permissions());
    }
    Ok((file, path))
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
        let (writer, path) = self.opened()?;
        writer.flush()?;
        // Some file systems notice only now that they are full, and some cannot flush a file.
        writer.get_ref().sync_all().or_else(|error| if is_lacking(&error) { Ok(()) } else { Err(error) })?;
        let path = path.clone();
        // A mount point cannot be replaced, and some file systems rename no file.
        if path != self.target && fs::rename(&path, &self.target).is_err() {
            fs::copy(&path, &self.target)?;
            fs::remove_file(path)?;
        }
        self.new = None;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        let Some((mut new, path)) = self.new.take() else { return };
        // An error is ignored: the part that was written is kept.
        let _ = new.flush();
        let (target, kept) = (self.target.display(), path.display());
        say(format_args!("'{target}' is incomplete; the part that was written is in '{kept}'"));
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stream(stream) => stream.write(bytes),
            Output::File(replaced) => replaced.opened()?.0.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stream(stream) => stream.flush(),
            // If nothing has been written yet, there is no file.
            Output::File(replaced) => replaced.new.as_mut().map_or(Ok(()), |(new, _)| new.flush()),
        }
    }
}

impl Sink for Output {
    fn end(&mut self) -> io::Result<()> {
        match self {
            Output::File(replaced) => replaced.end(),
            stream @ Output::Stream(_) => stream.flush(),
        }
    }
}
