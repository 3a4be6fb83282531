//! Writes files under a temporary name and renames them when they are whole.

use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The largest number of links that a path is followed through.
const MOST_LINKS: usize = 40;

/// The largest number of characters of the file's name in its temporary name, so that this does not become too long.
const MOST_CHARACTERS: usize = 50;

/// A temporary file that is to replace a target. The target stays unchanged until [`replace`](Self::replace).
///
/// The temporary file is always a new one in the target's folder, with a random name `.NAME.RANDOM.new`. It is removed
/// on drop unless it has replaced the target or was set aside.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: File,
    temporary: Temporary,
    target: PathBuf,
}

/// A path that is removed on drop, unless the file was renamed.
#[derive(Debug)]
struct Temporary(Option<PathBuf>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // An error is ignored: the name of the file shows that it is temporary.
            let _ = fs::remove_file(path);
        }
    }
}

impl NewFile {
    /// Creates a file to replace `target`, or the file that `target` links to. It can be read, appended to and locked.
    /// The permissions of an existing target are kept, and its owner where possible.
    ///
    /// # Errors
    /// Returns an error if no file can be created in the folder, or the target cannot be replaced: it is not a regular
    /// file, is write-protected, or has an invalid name.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = place(target)?;
        Self::create_in(folder(&target), target.clone())
    }

    /// Creates the temporary file in `folder` instead of the target's folder. It can be read, but is not meant to
    /// replace the target.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    #[cfg(feature = "cli")]
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
            // A write-protected file must not be replaced.
            File::options().write(true).open(&target)?;
        }
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
        let name: String = name.chars().take(MOST_CHARACTERS).collect();
        let mut options = File::options();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        if old.is_some() {
            // The old file's permissions may forbid others to read it. Until they are copied, allow only the owner.
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

    /// Returns the open file, for locking or reading.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the temporary path, or `None` once the file has its final name.
    #[cfg(feature = "cli")]
    pub(crate) fn temporary(&self) -> Option<&Path> {
        self.temporary.0.as_deref()
    }

    /// Returns the path of the file to be replaced, with links resolved.
    #[cfg(feature = "cli")]
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Syncs the file to disk and renames it to the target. To sync the new name as well, call [`sync_folder`]. After
    /// an error the target is unchanged and the temporary file still exists.
    ///
    /// # Errors
    /// Returns the system's error.
    pub(crate) fn replace(&mut self) -> io::Result<()> {
        let target = self.target.clone();
        self.rename(&target)
    }

    /// Renames the unfinished file to the target's name with `.partial` appended, or `.partial-2` and so on. Returns
    /// its path.
    ///
    /// # Errors
    /// Returns the system's error.
    #[cfg(any(feature = "cli", test))]
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

    /// Returns the open file. Its temporary name, if it still has one, is removed.
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

/// Syncs the names in the folder of the file at `path` to disk.
///
/// # Errors
/// Returns an error if the folder cannot be opened for reading, or the file system cannot sync folders.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// Returns the folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the path, with links resolved, of the file that exists at `path` or would be created there.
///
/// # Errors
/// Returns an error if the folder does not exist, the path has no file name, or the links form a cycle.
pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&path) else {
            // This is not a link. Other problems show when the path is used.
            let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
            return Ok(folder(&path).canonicalize()?.join(name));
        };
        path = folder(&path).join(link);
    }
    Err(io::Error::other("too many links"))
}

/// Gives a new file the permissions of the old one and, where possible, its owner and group. If the group cannot be
/// set, the new file's group gets only the rights of others.
fn keep_access(old: &Metadata, new: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        // Only root may change the owner.
        let has_group = fchown(new, Some(old.uid()), Some(old.gid())).is_ok()
            || new.metadata().is_ok_and(|new| new.gid() == old.gid())
            || fchown(new, None, Some(old.gid())).is_ok();
        let mode = old.mode() & 0o777;
        let mode = if has_group { mode } else { mode & (0o707 | (mode & 0o7) << 3) };
        // Fails on a file system without permissions, which has none to keep.
        let _ = new.set_permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    // Fails on a file system without permissions, which has none to keep.
    let _ = new.set_permissions(old.permissions());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    /// Returns the names in a folder, sorted.
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
        // A name of the largest length, in characters of several bytes.
        NewFile::create(&at(&"\u{1f451}".repeat(63))).unwrap().replace().unwrap();
    }
}
