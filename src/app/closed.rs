//! Detects a standard output that was closed before the program started, which the standard library hides.

use std::io;

/// Returns an error if standard output was closed when the program started, as by `>&-`. All output to it is lost.
pub(crate) fn check() -> io::Result<()> {
    #[cfg(unix)]
    if before_main::CLOSED.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    Ok(())
}

/// Before `main`, the standard library opens `/dev/null` in place of a closed descriptor. Later, this cannot be told
/// from a `/dev/null` that the caller opened for reading and writing, as Python's `subprocess.DEVNULL`, `daemon(3)` and
/// Node.js do. Therefore a constructor checks the descriptor before `main`.
#[cfg(unix)]
mod before_main {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static CLOSED: AtomicBool = AtomicBool::new(false);

    ctor::declarative::ctor! {
        // The macro requires the word `unsafe` for code that runs before `main`. This code makes one system call.
        #[ctor(unsafe)]
        fn look() {
            CLOSED.store(rustix::io::fcntl_getfd(std::io::stdout()).is_err(), Ordering::Relaxed);
        }
    }
}
