//! The destination of results: standard output or a file.

use crate::app::failure::{Failure, refused};
use crate::app::messages::say;
use crate::app::output::Sink;
use nqueens::ledger::is_ledger;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Stdout, Write};
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
    /// The new file. The first write creates it, so that a command that fails earlier leaves nothing behind.
    new: Option<(BufWriter<File>, PathBuf)>,
    worth_keeping: bool,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Output::Stdout(BufWriter::new(io::stdout()))
    }

    /// Opens the device or pipe at a path, or checks that a file can be created there.
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
        let (new, path) = create(&target)?;
        drop(new);
        fs::remove_file(path)?;
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
            Output::File(replaced) => replaced.writer()?,
        })
    }
}

/// Returns the path, with links resolved, of the file that exists at `path` or would be created there.
fn place(path: &Path) -> io::Result<PathBuf> {
    if path.to_string_lossy().ends_with(std::path::is_separator) && !path.is_dir() {
        return Err(io::Error::other("there is no such folder"));
    }
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.read_link() {
            Ok(link) => place(&folder(path).join(link)),
            Err(_) => Ok(folder(path).canonicalize()?.join(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?)),
        },
        found => found,
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates the file that is to replace `target`, in the same folder. Returns its path too.
fn create(target: &Path) -> io::Result<(File, PathBuf)> {
    let old = match target.metadata() {
        Ok(old) if old.is_dir() => return Err(io::Error::other("it is a folder")),
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.is_some() {
        // A write-protected file must not be replaced.
        File::options().write(true).open(target)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    // The file gets the permissions of any new file. If it replaces an old file, only the owner may read it until the
    // permissions of the old file are copied.
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if old.is_none() { 0o666 } else { 0o600 });
    let Some(old) = old else { return partial(folder(target), target, &options) };
    // A folder may allow no new file although the old file can be written.
    let new = partial(folder(target), target, &options).or_else(|error| {
        if cannot_be_replaced(&error) { partial(&std::env::temp_dir(), target, &options) } else { Err(error) }
    })?;
    keep_access(&old, &new.0);
    Ok(new)
}

/// Creates a file in a folder, with the name of `target` and `.partial` appended, or `.partial-2` and so on if that
/// exists already.
fn partial(folder: &Path, target: &Path, options: &OpenOptions) -> io::Result<(File, PathBuf)> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let mut path = folder.join(&name);
    for number in 2_u64.. {
        match options.open(&path) {
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, path)),
        }
        path.set_file_name(format!("{}-{number}", name.display()));
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Gives a new file the permissions of the old one and, where possible, its owner and group. If the group cannot be
/// set, the new file's group gets only the rights of others.
fn keep_access(old: &Metadata, new: &File) {
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        // Only root may change the owner.
        let owned = fchown(new, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(new, None, Some(old.gid())));
        let of_group = if owned.is_ok() { 0o70 } else { (old.mode() & 0o7) << 3 };
        let mode = old.mode() & (0o707 | of_group);
        // Fails on a file system without permissions, which has none to keep.
        let _ = new.set_permissions(Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    // Fails on a file system without permissions, which has none to keep.
    let _ = new.set_permissions(old.permissions());
}

/// Returns true if an error says that the file at a path cannot be replaced: the file is a mount point, or its folder
/// allows no other file. Such a file is written in place. After any other error, such as a full disk, the old file must
/// stay unchanged.
fn cannot_be_replaced(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    // On Windows, another program may have the file open or locked.
    let is_taken = cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33));
    is_taken || matches!(error.kind(), CrossesDevices | PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

/// Overwrites `target`, which exists, with the content of a finished file. Until the end, the finished file also holds
/// a copy of the old content behind the new content. If writing fails, as on a full disk, the copy restores `target`; a
/// `target` that may not be read has no copy and is emptied.
fn write_in_place(new: &File, target: &Path) -> io::Result<()> {
    let (may_read, mut options) = (File::open(target).is_ok(), File::options());
    let target = options.read(may_read).write(true).open(target)?;
    let (length, old) = (new.metadata()?.len(), if may_read { target.metadata()?.len() } else { 0 });
    let copied = |(mut from, start): (&File, u64), bytes: u64, (mut to, at): (&File, u64)| {
        from.seek(SeekFrom::Start(start))?;
        to.seek(SeekFrom::Start(at))?;
        io::copy(&mut from.take(bytes), &mut to)
    };
    copied((&target, 0), old, (new, length)).inspect_err(|_| drop(new.set_len(length)))?;
    // `target` is cut only at the end, because another program could take the space that the old content needs.
    let written = copied((new, 0), length, (&target, 0));
    let written = written.and_then(|_| target.set_len(length)).and_then(|()| target.sync_all());
    if written.is_err() {
        copied((new, length), old, (&target, 0)).and_then(|_| target.set_len(old))?;
    }
    new.set_len(length)?;
    written
}

impl Replacement {
    fn writer(&mut self) -> io::Result<&mut BufWriter<File>> {
        let new = match self.new.take() {
            Some(new) => new,
            None => create(&self.target).map(|(new, path)| (BufWriter::new(new), path))?,
        };
        Ok(&mut self.new.insert(new).0)
    }

    /// Replaces the old file by the new one.
    fn end(&mut self) -> io::Result<()> {
        let writer = self.writer()?;
        writer.flush()?;
        // The new file must be complete on disk before it replaces the old one.
        writer.get_ref().sync_all()?;
        if let Some((writer, path)) = &self.new {
            match fs::rename(path, &self.target) {
                Err(error) if cannot_be_replaced(&error) => {
                    write_in_place(writer.get_ref(), &self.target)?;
                    self.worth_keeping = false;
                }
                renamed => {
                    renamed?;
                    self.new = None;
                }
            }
        }
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
        if self.worth_keeping && !is_empty {
            let (target, kept) = (self.target.display(), path.display());
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
