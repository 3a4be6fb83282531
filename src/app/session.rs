//! The signals that end a counting command, and the end they lead to; and the one that asks how far it is.

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
    /// Does what the signal would have done by itself: the shell sees a program that the signal ended.
    pub(crate) fn raise(self) {
        #[cfg(unix)]
        // It fails for signals that cannot be raised, which are never caught here.
        let _ = signal_hook::low_level::emulate_default_handler(self.0);
    }
}

/// Set by SIGUSR1, which asks how far the work is.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returns true if somebody has asked for progress since this was last called.
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

/// Does what Ctrl-Z does, where the terminal passes it on as a key. Returns when the program is to go on.
pub(crate) fn suspend() {
    #[cfg(unix)]
    // Where it cannot be stopped, it goes on.
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGTSTP);
}

/// The work to be done before a signal ends the program on the spot, each with the number of its [`CleanUp`].
type CleanUps = Vec<(u64, Box<dyn FnOnce() + Send>)>;

static CLEAN_UPS: Mutex<CleanUps> = Mutex::new(Vec::new());

fn clean_ups() -> MutexGuard<'static, CleanUps> {
    // Whoever panicked has added one or taken one away, or done neither.
    CLEAN_UPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that must not be left behind: a terminal without an echo, half of a file. It is cleaned up when a signal ends the
/// program on the spot, until this is dropped.
#[derive(Debug)]
pub(crate) struct CleanUp(u64);

impl CleanUp {
    /// From now on `clean_up` is called, on a thread of its own, before a signal ends the program on the spot.
    pub(crate) fn by(clean_up: impl FnOnce() + Send + 'static) -> Self {
        Self::among(&mut clean_ups(), clean_up)
    }

    /// Makes something and returns it with what cleans it up, so that no signal comes in between.
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

/// A command during which signals ask the work to stop instead of ending the program on the spot.
#[derive(Debug)]
pub(crate) struct Session {
    cancel: Cancel,
    /// The number of the last signal, or 0.
    signal: Arc<AtomicUsize>,
}

impl Session {
    /// From now on the first SIGINT, SIGTERM or SIGHUP sets the `Cancel` of the work, and the second ends the program at once;
    /// SIGQUIT does so the first time. What the parent of this process has set to be ignored stays ignored.
    pub(crate) fn begin() -> Result<Self, Failure> {
        #[cfg(unix)]
        return Self::listening(&[SIGINT, SIGTERM, SIGHUP], &[SIGQUIT]);
        #[cfg(not(unix))]
        Self::listening(&[], &[])
    }

    /// From now on the first signal ends the program at once, and nothing half done is left behind: for a command that is soon done
    /// and does not look at its `Cancel`.
    pub(crate) fn begin_brief() -> Result<Self, Failure> {
        #[cfg(unix)]
        return Self::listening(&[], &[SIGINT, SIGTERM, SIGHUP, SIGQUIT]);
        #[cfg(not(unix))]
        Self::listening(&[], &[])
    }

    fn listening(stopping: &[i32], ending: &[i32]) -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let session = Self { cancel: Cancel::on_flag(Arc::clone(&stop)), signal: Arc::new(AtomicUsize::new(0)) };
        #[cfg(unix)]
        session
            .listen(&stop, stopping, ending)
            .map_err(|error| Failure::Failed(format!("cannot catch signals: {error}")))?;
        Ok(session)
    }

    /// The first of the signals `stopping` sets `stop`, and the second ends the program; of the signals `ending` the first does.
    #[cfg(unix)]
    fn listen(&self, stop: &Arc<AtomicBool>, stopping: &[i32], ending: &[i32]) -> io::Result<()> {
        use signal_hook::flag;
        // Where nothing says whether SIGHUP is ignored, as by `nohup`, it is left as it is.
        let ignored = ignored_signals().unwrap_or(1 << (SIGHUP - 1));
        let heeded = |signals: &[i32]| -> Vec<i32> {
            signals.iter().copied().filter(|signal| (ignored >> (signal - 1)) & 1 == 0).collect()
        };
        flag::register(SIGUSR1, Arc::clone(&ASKED))?;
        // So a file that may not grow is an error of writing, and does not end the program.
        flag::register(SIGXFSZ, Arc::default())?;
        let (stopping, ending_at_once) = (heeded(stopping), heeded(ending));
        let ending = Arc::new(AtomicBool::new(false));
        // Before the thread that cleans up hears of a signal: so one that makes it set `ending` does not find that set itself.
        for &signal in stopping.iter().chain(&ending_at_once) {
            flag::register_conditional_default(signal, Arc::clone(&ending))?;
        }
        if end_on_the_spot(&stopping, &ending_at_once, ending).is_err() {
            // Without a thread to clean up there is nothing between the last signal and the end.
            let at_once = Arc::new(AtomicBool::new(true));
            for &signal in &ending_at_once {
                flag::register_conditional_default(signal, Arc::clone(&at_once))?;
            }
            for &signal in &stopping {
                // The default is restored by a signal that finds the flag set by an earlier one: this comes before it is set.
                flag::register_conditional_default(signal, Arc::clone(stop))?;
            }
        }
        for signal in stopping {
            flag::register_usize(signal, Arc::clone(&self.signal), signal.unsigned_abs() as usize)?;
            flag::register(signal, Arc::clone(stop))?;
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

/// A signal that follows another sooner is no second one: who stops a process and its group, as `timeout` does, sends it two.
#[cfg(unix)]
const SECOND_THOUGHT: Duration = Duration::from_millis(100);

/// Starts a thread that cleans up and ends the program at the second of the signals `stopping`, or at the first of `ending_at_once`.
/// It sets `ending` when it begins to, so that another signal need not wait for it.
///
/// # Errors
/// When there is no thread to be had, or no file descriptor.
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
                // Nobody can take a clean-up away, and go on as if it had not been done, while they are locked.
                let mut clean_ups = clean_ups();
                for (_, clean_up) in clean_ups.drain(..) {
                    // The others are still to be done.
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(clean_up));
                }
                Signal(signal).raise();
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// The signals that this process ignores, bit 0 for signal 1: before it has set any itself, those that its parent set to be ignored.
/// `None` where the system does not say so in a file.
#[cfg(unix)]
fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(ignored.trim(), 16).ok()
}
