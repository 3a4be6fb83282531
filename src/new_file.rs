//! The way in which files are written: under a name of their own first, and under their proper name when they are whole.

use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The most links that a path is followed through.
const MOST_LINKS: usize = 40;

/// The most characters of a file's name that its temporary name repeats, so that this is never too long.
const MOST_CHARACTERS: usize = 50;

/// A file being written beside the one that it is to replace, which stays as it is until [`replace`](Self::replace).
///
/// It has a random name in the same folder, `.NAME.RANDOM.new`, and never is a file that was there before, nor one that a link
/// leads to. Unless it has replaced the other, it is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: File,
    temporary: Temporary,
    target: PathBuf,
}

/// A file that is removed when this is dropped, unless it has got another name.
#[derive(Debug)]
struct Temporary(Option<PathBuf>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // One that stays has a name that says what it is.
            let _ = fs::remove_file(path);
        }
    }
}

impl NewFile {
    /// Creates the file that is to replace the one at `target`, or what that links to. It can be read, written at its end, and
    /// locked. The permissions of an old file, and where that can be its owner, are kept.
    ///
    /// # Errors
    /// When the folder takes no new file, or the target is not to be replaced by one: it is no regular file, must not be written
    /// to, or has a name that no file can have.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = place(target)?;
        Self::create_in(folder(&target), target.clone())
    }

    /// The same in another folder; then the file can be read, but hardly replace the target.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub(crate) fn create_elsewhere(folder: &Path, target: &Path) -> io::Result<Self> {
        Self::create_in(folder, place(target)?)
    }

    fn create_in(folder: &Path, target: PathBuf) -> io::Result<Self> {
        let old = match fs::symlink_metadata(&target) {
            Ok(old) if old.is_file() => Some(old),
            Ok(old) if old.is_dir() => return Err(io::Error::other("it is a folder")),
            Ok(_) => return Err(io::Error::other("it is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if old.is_some() {
            // A file that must not be written to is not to be replaced either.
            File::options().write(true).open(&target)?;
        }
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
        let name: String = name.chars().take(MOST_CHARACTERS).collect();
        let mut options = File::options();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        if old.is_some() {
            // Nobody is to read it whom the old one's permissions may keep out.
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        loop {
            let random = RandomState::new().hash_one(std::process::id());
            let path = folder.join(format!(".{name}.{random:016x}.new"));
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    let temporary = Temporary(Some(path));
                    if let Some(old) = old {
                        keep_access(&old, &file);
                    }
                    return Ok(Self { file, temporary, target });
                }
            }
        }
    }

    /// Returns the open file: to lock it, or to read it.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the path that the file has until then; `None` where it has got its name.
    pub(crate) fn temporary(&self) -> Option<&Path> {
        self.temporary.0.as_deref()
    }

    /// Returns the path of the file that this is to replace: of a link, where it leads to.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Brings the file to the disk, and gives it the name of the one that it is to replace. That the name is on the disk too, takes
    /// [`sync_folder`]. After an error the old file is what it was, and this is still there.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn replace(&mut self) -> io::Result<()> {
        let target = self.target.clone();
        self.rename(&target)
    }

    /// Gives the file, which never became whole, a name of its own beside the other: the same with `.partial` at its end, or
    /// `.partial-2` and so on. Returns its path.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn set_aside(&mut self) -> io::Result<PathBuf> {
        let folder = self.temporary.0.as_deref().map(folder).ok_or(io::ErrorKind::NotFound)?;
        let mut name = self.target.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
        name.push(".partial");
        let path = folder.join(name);
        let numbered = |number: usize| {
            let mut path = path.clone().into_os_string();
            path.push(format!("-{number}"));
            path.into()
        };
        let mut names = std::iter::once(path.clone()).chain((2..).map(numbered));
        let free = names.find(|path| fs::symlink_metadata(path).is_err()).ok_or(io::ErrorKind::AlreadyExists)?;
        self.rename(&free)?;
        Ok(free)
    }

    fn rename(&mut self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        if let Some(temporary) = &self.temporary.0 {
            fs::rename(temporary, path)?;
            self.temporary.0 = None;
        }
        Ok(())
    }

    /// Returns the open file. It is removed if it has got no name of its own.
    pub(crate) fn into_file(self) -> File {
        self.file
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Brings the names in the folder of a file to the disk.
///
/// # Errors
/// When the folder cannot be opened for reading, or the file system has no such thing.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the path without links of the file that is found at a path, or that would be created there.
///
/// # Errors
/// When there is no such folder, the path has no name of a file, or the links go round in circles.
pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&path) else {
            // It is no link; what else is wrong is found when it is used.
            let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
            return Ok(folder(&path).canonicalize()?.join(name));
        };
        path = folder(&path).join(link);
    }
    Err(io::Error::other("too many links"))
}

/// Gives a file the permissions of an old one, and where that can be its owner and group. Where it cannot have the group, it
/// gives its own no more than anybody.
fn keep_access(old: &Metadata, new: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        // Only root may give files away.
        let has_group = fchown(new, Some(old.uid()), Some(old.gid())).is_ok()
            || new.metadata().is_ok_and(|new| new.gid() == old.gid())
            || fchown(new, None, Some(old.gid())).is_ok();
        let mode = old.mode() & 0o777;
        let mode = if has_group { mode } else { mode & (0o707 | (mode & 0o7) << 3) };
        // A file system without permissions has none to keep.
        let _ = new.set_permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    // The same there.
    let _ = new.set_permissions(old.permissions());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    /// The names in a folder, in order.
    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn an_old_file_is_what_it_was_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        fs::write(&target, "old").unwrap();
        let mut new = NewFile::create(&target).unwrap();
        new.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        let [temporary, _] = &names(folder.path())[..] else { panic!("there are two files") };
        assert!(temporary.starts_with(".file.") && temporary.rsplit('.').next() == Some("new"), "{temporary}");
        new.replace().unwrap();
        drop(new);
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn a_file_that_does_not_become_whole_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        drop(NewFile::create(&target).unwrap());
        let panicked = std::panic::catch_unwind(|| {
            let _new = NewFile::create(&target).unwrap();
            panic!("as it must");
        });
        assert!(panicked.is_err());
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn what_was_written_of_a_file_can_be_kept_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        symlink("nowhere", folder.path().join("file.partial-2")).unwrap();
        for text in ["one", "two", "three"] {
            let mut new = NewFile::create(&target).unwrap();
            new.write_all(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(new.set_aside().unwrap()).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["file.partial", "file.partial-2", "file.partial-3", "file.partial-4"]);
        assert!(folder.path().join("file.partial-2").is_symlink());
    }

    #[test]
    fn a_link_is_followed_and_stays_also_where_it_leads_to_nothing_yet() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        symlink("sub/second", at("first")).unwrap();
        symlink("../target", at("sub/second")).unwrap();
        for text in ["one", "two"] {
            let mut new = NewFile::create(&at("first")).unwrap();
            new.write_all(text.as_bytes()).unwrap();
            new.replace().unwrap();
            assert_eq!(fs::read_to_string(at("target")).unwrap(), text);
        }
        assert!(at("first").is_symlink() && at("sub/second").is_symlink() && !at("target").is_symlink());
        symlink("round", at("round")).unwrap();
        assert!(NewFile::create(&at("round")).is_err());
    }

    #[test]
    fn permissions_stay_and_those_of_a_new_file_are_the_usual_ones() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for permissions in [0o600, 0o640, 0o666, 0o604] {
            fs::write(at("old"), "").unwrap();
            fs::set_permissions(at("old"), fs::Permissions::from_mode(permissions)).unwrap();
            NewFile::create(&at("old")).unwrap().replace().unwrap();
            assert_eq!(mode(&at("old")), permissions);
        }
        fs::write(at("usual"), "").unwrap();
        NewFile::create(&at("new")).unwrap().replace().unwrap();
        assert_eq!(mode(&at("new")), mode(&at("usual")));
    }

    #[test]
    fn what_no_file_could_replace_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        let long = "x".repeat(300);
        for bad in ["folder", "no/such", &long, "folder/.."] {
            assert!(NewFile::create(&at(bad)).is_err(), "{bad}");
        }
        assert_eq!(names(folder.path()), ["folder"]);
        // As long as it may be, and of characters of several bytes.
        NewFile::create(&at(&"\u{1f451}".repeat(63))).unwrap().replace().unwrap();
    }
}
