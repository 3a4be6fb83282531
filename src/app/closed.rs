//! Detects a standard output that was closed before the program started, which the standard library hides.

use std::io;

/// Returns an error if standard output was closed when the program started, as by `>&-`. All output to it is lost.
pub(crate) fn check() -> io::Result<()> {
    if was_closed() { Err(io::Error::other("standard output is closed")) } else { Ok(()) }
}

#[cfg(unix)]
use before_main::was_closed;

#[cfg(not(unix))]
fn was_closed() -> bool {
    false
}

/// Before `main`, the standard library opens `/dev/null` in place of a closed descriptor. Later, this cannot be told
/// from a `/dev/null` that the caller opened for reading and writing, as Python's `subprocess.DEVNULL`, `daemon(3)` and
/// Node.js do. Therefore a constructor checks the descriptor before `main`.
#[cfg(unix)]
mod before_main {
    use nix::errno::Errno;
    use std::io;
    use std::os::fd::AsFd;
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    // The macro requires the word `unsafe` for code that runs before `main`. This code makes one system call.
    #[ctor::ctor(unsafe)]
    fn look() {
        let copy = io::stdout().as_fd().try_clone_to_owned();
        CLOSED.store(copy.is_err_and(|error| error.raw_os_error() == Some(Errno::EBADF as i32)), Ordering::Relaxed);
    }

    pub(super) fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}
