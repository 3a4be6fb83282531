//! Signals: those that stop a command, and the one that asks for its progress.

use crate::Cancel;
use crate::app::failure::Failure;
#[cfg(unix)]
use signal_hook::consts::signal::SIGXFSZ;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
#[cfg(unix)]
use std::time::{Duration, Instant};

/// A signal that asked the program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signal(i32);

impl Signal {
    /// Ends the program as the signal does by default, so that the shell sees the signal.
    #[cfg_attr(not(unix), expect(clippy::unused_self, reason = "there are no signals"))]
    pub(crate) fn raise(self) {
        #[cfg(unix)]
        // Fails only for signals that cannot be raised. The program does not catch these.
        let _ = signal_hook::low_level::emulate_default_handler(self.0);
    }
}

/// Set by SIGUSR1, which asks for the progress of the work.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returns true if the progress was requested since the last call.
pub(crate) fn asked_for_progress() -> bool {
    ASKED.swap(false, Ordering::Relaxed)
}

/// Does what Ctrl-C does, for a terminal that passes it on as a key.
pub(crate) fn interrupt(cancel: &Cancel) {
    #[cfg(unix)]
    // An error is ignored: the work stops in any case, but the shell does not see the signal.
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGINT);
    cancel.cancel();
}

/// Does what Ctrl-Z does, for a terminal that passes it on as a key. Returns when the program is continued.
pub(crate) fn suspend() {
    #[cfg(unix)]
    // An error is ignored: the program continues if it cannot be suspended.
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGTSTP);
}

/// Functions to call before a signal ends the program immediately, each with the number of its [`CleanUp`].
type CleanUps = Vec<(u64, Box<dyn FnOnce() + Send>)>;

static CLEAN_UPS: Mutex<CleanUps> = Mutex::new(Vec::new());

fn clean_ups() -> MutexGuard<'static, CleanUps> {
    // A panic cannot leave the list in an inconsistent state.
    CLEAN_UPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A clean-up for a state that must not be left behind, such as a terminal without echo or an unfinished file. It is
/// called if a signal ends the program immediately while this value exists.
#[derive(Debug)]
pub(crate) struct CleanUp(u64);

impl CleanUp {
    /// Registers `clean_up`. A separate thread calls it before a signal ends the program immediately.
    pub(crate) fn by(clean_up: impl FnOnce() + Send + 'static) -> Self {
        Self::among(&mut clean_ups(), clean_up)
    }

    /// Creates a value and registers its clean-up. No signal can end the program between the two steps.
    pub(crate) fn of<T, C: FnOnce() + Send + 'static>(
        make: impl FnOnce() -> io::Result<T>,
        clean_up: impl FnOnce(&T) -> C,
    ) -> io::Result<(T, Self)> {
        let mut clean_ups = clean_ups();
        let thing = make()?;
        let clean_up = Self::among(&mut clean_ups, clean_up(&thing));
        Ok((thing, clean_up))
    }

    fn among(clean_ups: &mut CleanUps, clean_up: impl FnOnce() + Send + 'static) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        clean_ups.push((number, Box::new(clean_up)));
        Self(number)
    }
}

impl Drop for CleanUp {
    fn drop(&mut self) {
        clean_ups().retain(|(number, _)| *number != self.0);
    }
}

/// A command during which signals request a stop instead of ending the program immediately.
#[derive(Debug)]
pub(crate) struct Session {
    cancel: Cancel,
    /// The number of the last signal, or 0.
    signal: Arc<AtomicUsize>,
}

impl Session {
    /// Starts a session in which the first SIGINT, SIGTERM or SIGHUP sets the `Cancel` of the work, and the second ends
    /// the program immediately. SIGQUIT ends it the first time. Signals that the parent process set to be ignored stay
    /// ignored.
    pub(crate) fn begin() -> Result<Self, Failure> {
        #[cfg(unix)]
        return Self::listening(&[SIGINT, SIGTERM, SIGHUP], &[SIGQUIT]);
        #[cfg(not(unix))]
        Self::listening(&[], &[])
    }

    /// Starts a session for a short command that does not check its `Cancel`: the first signal ends the program
    /// immediately, after the clean-ups.
    pub(crate) fn begin_brief() -> Result<Self, Failure> {
        #[cfg(unix)]
        return Self::listening(&[], &[SIGINT, SIGTERM, SIGHUP, SIGQUIT]);
        #[cfg(not(unix))]
        Self::listening(&[], &[])
    }

    #[cfg_attr(not(unix), expect(unused_variables, clippy::unnecessary_wraps, reason = "there are no signals"))]
    fn listening(stopping: &[i32], ending: &[i32]) -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let session = Self { cancel: Cancel::on_flag(Arc::clone(&stop)), signal: Arc::new(AtomicUsize::new(0)) };
        #[cfg(unix)]
        session
            .listen(&stop, stopping, ending)
            .map_err(|error| Failure::Failed(format!("cannot catch signals: {error}")))?;
        Ok(session)
    }

    /// Registers handlers. The first signal in `stopping` sets `stop` and the second ends the program. Of the signals
    /// in `ending`, the first ends the program.
    #[cfg(unix)]
    fn listen(&self, stop: &Arc<AtomicBool>, stopping: &[i32], ending: &[i32]) -> io::Result<()> {
        use signal_hook::flag;
        // If it is not known whether SIGHUP is ignored, as under `nohup`, its handling is left unchanged.
        let ignored = ignored_signals().unwrap_or(1 << (SIGHUP - 1));
        let heeded = |signals: &[i32]| -> Vec<i32> {
            signals.iter().copied().filter(|signal| (ignored >> (signal - 1)) & 1 == 0).collect()
        };
        flag::register(SIGUSR1, Arc::clone(&ASKED))?;
        // With this handler, a file that exceeds the size limit causes a write error instead of ending the program.
        flag::register(SIGXFSZ, Arc::default())?;
        let (stopping, ending_at_once) = (heeded(stopping), heeded(ending));
        let ending = Arc::new(AtomicBool::new(false));
        // Registered before the clean-up thread starts, so that the signal for which the thread sets `ending` does not
        // see it set.
        for &signal in stopping.iter().chain(&ending_at_once) {
            flag::register_conditional_default(signal, Arc::clone(&ending))?;
        }
        if end_on_the_spot(&stopping, &ending_at_once, ending).is_err() {
            // Without a clean-up thread, the last signal ends the program directly.
            let at_once = Arc::new(AtomicBool::new(true));
            for &signal in &ending_at_once {
                flag::register_conditional_default(signal, Arc::clone(&at_once))?;
            }
            for &signal in &stopping {
                // This handler ends the program if an earlier signal has set the flag. It must run before the handler
                // that sets the flag.
                flag::register_conditional_default(signal, Arc::clone(stop))?;
            }
        }
        for signal in stopping {
            flag::register_usize(signal, Arc::clone(&self.signal), signal.unsigned_abs() as usize)?;
            flag::register(signal, Arc::clone(stop))?;
        }
        Ok(())
    }

    /// Runs the work of the command. If it was cancelled by a signal, the failure contains the signal.
    pub(crate) fn run(&self, work: impl FnOnce(&Cancel) -> Result<(), Failure>) -> Result<(), Failure> {
        work(&self.cancel).map_err(|failure| match (failure, self.signal.load(Ordering::Relaxed)) {
            (Failure::Cancelled(message), signal @ 1..) => {
                Failure::Stopped(Signal(signal.cast_signed() as i32), message)
            }
            (failure, _) => failure,
        })
    }
}

/// A signal that follows another within this time is not a second request: programs such as `timeout` signal both a
/// process and its group.
#[cfg(unix)]
const SECOND_THOUGHT: Duration = Duration::from_millis(100);

/// Starts a thread that cleans up and ends the program at the second signal in `stopping`, or the first in
/// `ending_at_once`. It sets `ending` before it cleans up, so that a further signal ends the program without waiting
/// for it.
///
/// # Errors
/// Returns an error if the thread cannot be started, or no file descriptor is free.
#[cfg(unix)]
fn end_on_the_spot(stopping: &[i32], ending_at_once: &[i32], ending: Arc<AtomicBool>) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([stopping, ending_at_once].concat())?;
    let ending_at_once = ending_at_once.to_vec();
    let wait = move || {
        let mut asked: Option<Instant> = None;
        for signal in signals.forever() {
            let again = asked.get_or_insert_with(Instant::now).elapsed() >= SECOND_THOUGHT;
            if again || ending_at_once.contains(&signal) {
                ending.store(true, Ordering::Relaxed);
                // While the list is locked, no other thread can remove a clean-up and continue as if it had not been
                // called.
                let mut clean_ups = clean_ups();
                for (_, clean_up) in clean_ups.drain(..) {
                    // If one panics, the others are still called.
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(clean_up));
                }
                Signal(signal).raise();
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// Returns the set of signals that this process ignores, with bit 0 for signal 1. Before the process changes any, this
/// is the set that its parent ignored. `None` if the system does not report it in a file.
#[cfg(unix)]
fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(ignored.trim(), 16).ok()
}
