//! Signals that stop a command.

use crate::app::failure::Failure;
use crate::app::messages::say;
use nqueens::Cancel;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};
use std::{process, thread};
#[cfg(unix)]
use {
    nix::sys::signal::{SigSet, Signal, raise},
    std::{fs, sync::mpsc},
};

/// The signals by which a person, a terminal or a batch system stops a program.
#[cfg(unix)]
const STOP: [Signal; 6] =
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGXCPU];

/// A signal that follows another within this time is not a second request: programs such as `timeout` signal both a
/// process and its group.
const SECOND_THOUGHT: Duration = Duration::from_millis(100);

/// The time that a program has to end by itself after the first signal. It is less than the ten seconds after which
/// `docker stop` kills.
const LONGEST_STOP: Duration = Duration::from_secs(8);

/// Runs the work of a command. Meanwhile the first signal of `STOP` sets its `Cancel`, and the second one ends the
/// program at once. A program that still runs [`LONGEST_STOP`] after the first signal is ended too: it may wait for a
/// pipe, a disk or a driver. Signals that the parent process set to be ignored stay ignored.
///
/// If a signal cancelled the work, the program ends here by that signal.
pub(crate) fn run(work: impl FnOnce(&Cancel) -> Result<(), Failure>) -> Result<(), Failure> {
    // The number of the first signal, or 0.
    let (cancel, first) = (Cancel::new(), Arc::new(AtomicI32::new(0)));
    listen(heed(cancel.clone(), Arc::clone(&first)));
    match (work(&cancel), first.load(Ordering::Relaxed)) {
        (Err(Failure::Cancelled(message)), signal @ 1..) => {
            say(format_args!("{message}"));
            end_by(signal)
        }
        (ended, _) => ended,
    }
}

/// Returns the function that heeds signals. `first` becomes the number of the first one.
fn heed(cancel: Cancel, first: Arc<AtomicI32>) -> impl FnMut(i32) + Send + 'static {
    let mut heeded: Option<Instant> = None;
    move |signal| match heeded {
        None => {
            heeded = Some(Instant::now());
            first.store(signal, Ordering::Relaxed);
            cancel.cancel();
            // If the thread cannot be started, a second signal is needed.
            let _ = thread::Builder::new().spawn(move || {
                thread::sleep(LONGEST_STOP);
                end_by(signal)
            });
        }
        Some(heeded) if heeded.elapsed() >= SECOND_THOUGHT => end_by(signal),
        Some(_) => {}
    }
}

/// Ends the program as the signal does by default, so that the shell sees the signal. The first process of a container,
/// which no signal ends by default, exits with the code that shells give for the signal.
fn end_by(signal: i32) -> ! {
    #[cfg(unix)]
    if let Ok(signal) = Signal::try_from(signal) {
        let _ = SigSet::from(signal).thread_unblock().and_then(|()| raise(signal));
    }
    process::exit(128 + signal)
}

/// Starts a thread that waits for signals, which are blocked, so that the driver of a GPU cannot take them away with a
/// handler of its own. If the thread cannot be started, signals end the program as they do by default.
#[cfg(unix)]
fn listen(mut heed: impl FnMut(i32) + Send + 'static) {
    // Such a signal would end the program when a file exceeds its limit. While it is blocked, the write fails instead.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
    let signals = signals_to_heed();
    // All threads that are started later block these signals too.
    if signals.thread_block().is_err() {
        return;
    }
    let mut heeded = signals;
    let (starting, started) = mpsc::channel::<()>();
    let wait = move || {
        drop(starting);
        while let Ok(signal) = heeded.wait() {
            heed(signal as i32);
            // The system sends this signal again after each further second of CPU time.
            heeded.remove(Signal::SIGXCPU);
        }
    };
    if thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
    // A starting thread reserves address space. Wait for that, because a count asks how much of it a limit leaves.
    let _ = started.recv();
}

/// Takes Ctrl-C and Ctrl-Break for an interrupt. If no handler can be set, they end the program at once.
#[cfg(windows)]
fn listen(mut heed: impl FnMut(i32) + Send + 'static) {
    /// The number of SIGINT on Unix.
    const INTERRUPT: i32 = 2;
    let _ = ctrlc::set_handler(move || heed(INTERRUPT));
}

/// Returns the signals of `STOP` that the parent process did not set to be ignored. If the system does not tell which
/// these are, SIGHUP is left alone, because it is ignored under `nohup`.
#[cfg(unix)]
fn signals_to_heed() -> SigSet {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let ignored = ignored.unwrap_or(1 << (Signal::SIGHUP as i32 - 1));
    STOP.into_iter().filter(|&signal| (ignored >> (signal as i32 - 1)) & 1 == 0).collect()
}
