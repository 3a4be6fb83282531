//! Detects a standard output that was closed before the program started, which the standard library hides.

use std::io;
use std::path::Path;

/// The descriptor of standard output. That of standard error is the next.
pub(crate) const STDOUT: usize = 1;

/// Returns an error if one of these two descriptors was closed when the program started, as by `>&-`. All output to it
/// is lost.
pub(crate) fn check(descriptor: usize) -> io::Result<()> {
    #[cfg(unix)]
    if before_main::CLOSED[descriptor - STDOUT].load(std::sync::atomic::Ordering::Relaxed) {
        let name = if descriptor == STDOUT { "output" } else { "error" };
        return Err(io::Error::other(format!("standard {name} is closed")));
    }
    Ok(())
}

/// Returns which of the two the file at a path is, such as 1 for `/dev/stdout`; `None` for any other file.
pub(crate) fn descriptor(path: &Path) -> Option<usize> {
    let (folder, of_this_process) = (path.parent()?.canonicalize().ok()?, Path::new("/dev/fd").canonicalize().ok()?);
    if folder == of_this_process {
        return path.file_name()?.to_str()?.parse().ok().filter(|descriptor| [STDOUT, STDOUT + 1].contains(descriptor));
    }
    descriptor(&folder.join(path.read_link().ok()?))
}

/// Before `main`, the standard library opens `/dev/null` in place of a closed descriptor. Later, this cannot be told
/// from a `/dev/null` that the caller opened for reading and writing, as Python's `subprocess.DEVNULL`, `daemon(3)` and
/// Node.js do. Therefore a constructor checks the descriptors before `main`.
#[cfg(unix)]
mod before_main {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

    ctor::declarative::ctor! {
        // The macro requires the word `unsafe` for code that runs before `main`. This code makes two system calls.
        #[ctor(unsafe)]
        fn look() {
            let open = [rustix::io::fcntl_getfd(std::io::stdout()), rustix::io::fcntl_getfd(std::io::stderr())];
            CLOSED.iter().zip(open).for_each(|(closed, open)| closed.store(open.is_err(), Ordering::Relaxed));
        }
    }
}
