//! The signals that end a counting command, and the end they lead to; and the one that asks how far it is.

use super::failure::Failure;
use nqueens::Cancel;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// A signal that asked the program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signal(i32);

impl Signal {
    /// Does what the signal would have done by itself: the shell sees a program that the signal ended.
    pub(crate) fn raise(self) {
        #[cfg(unix)]
        // It fails for signals that cannot be raised, which are never caught here.
        let _ = signal_hook::low_level::emulate_default_handler(self.0);
    }
}

/// Set by SIGUSR1, which asks how far the work is.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether somebody has asked for progress since this was last called.
pub(crate) fn asked_for_progress() -> bool {
    ASKED.swap(false, Ordering::Relaxed)
}

/// Does what Ctrl-C does, where the terminal passes it on as a key.
pub(crate) fn interrupt(cancel: &Cancel) {
    #[cfg(unix)]
    // The work stops in any case; only how the shell sees it hangs on the signal.
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGINT);
    cancel.cancel();
}

/// A command during which signals ask the work to stop instead of ending the program on the spot.
#[derive(Debug)]
pub(crate) struct Session {
    cancel: Cancel,
    /// The number of the last signal, or 0.
    signal: Arc<AtomicUsize>,
}

impl Session {
    /// From now on the first SIGINT or SIGTERM sets the `Cancel` of the work, and the second ends the program at once.
    pub(crate) fn begin() -> Result<Self, Failure> {
        let session = Self { cancel: Cancel::new(), signal: Arc::new(AtomicUsize::new(0)) };
        #[cfg(unix)]
        session.listen().map_err(|error| Failure::Failed(format!("cannot catch signals: {error}")))?;
        Ok(session)
    }

    #[cfg(unix)]
    fn listen(&self) -> std::io::Result<()> {
        use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
        signal_hook::flag::register(SIGUSR1, Arc::clone(&ASKED))?;
        for signal in [SIGINT, SIGTERM] {
            // In this order: the default is restored by a signal that finds the flag set by an earlier one.
            signal_hook::flag::register_conditional_default(signal, self.cancel.flag())?;
            signal_hook::flag::register_usize(signal, Arc::clone(&self.signal), signal.unsigned_abs() as usize)?;
            signal_hook::flag::register(signal, self.cancel.flag())?;
        }
        Ok(())
    }

    /// Runs the work of the command. Where it ends because a signal asked it to, the failure says so.
    pub(crate) fn run(&self, work: impl FnOnce(&Cancel) -> Result<(), Failure>) -> Result<(), Failure> {
        work(&self.cancel).map_err(|failure| match (failure, self.signal.load(Ordering::Relaxed)) {
            (Failure::Cancelled(message), signal @ 1..) => {
                Failure::Stopped(Signal(signal.cast_signed() as i32), message)
            }
            (failure, _) => failure,
        })
    }
}
