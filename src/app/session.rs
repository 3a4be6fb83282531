//! Signals that stop a command.

use crate::app::failure::Failure;
use crate::app::messages::say;
use crate::app::output::words;
use nqueens::Cancel;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};
use std::{process, thread};
#[cfg(unix)]
use {
    signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    },
    signal_hook::{flag, iterator::Signals, low_level},
    std::sync::mpsc,
};

/// The numbers of these signals on Unix.
#[cfg(windows)]
const SIGINT: i32 = 2;
#[cfg(windows)]
const SIGQUIT: i32 = 3;
#[cfg(windows)]
const STOP_TOO: &[i32] = &[];

/// The signals by which a person stops a program.
#[cfg(unix)]
const STOP: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
/// The signals by which batch systems, timers and the system stop a program. SIGIO and SIGPWR end a program on Linux
/// only.
#[cfg(unix)]
const STOP_TOO: &[i32] = &[
    SIGUSR1,
    SIGUSR2,
    SIGXCPU,
    SIGALRM,
    SIGVTALRM,
    SIGPROF,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    signal_hook::consts::SIGIO,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    rustix::process::Signal::POWER.as_raw(),
];

/// Runs the work of a command. Meanwhile the first signal of `STOP` or `STOP_TOO` sets its `Cancel`. A later signal of
/// `STOP` ends the program immediately, and SIGQUIT does so the first time. A program that still runs [`LONGEST_STOP`]
/// after the first signal is ended too; such a program may wait for a pipe. Signals that the parent process set to be
/// ignored stay ignored.
///
/// With a time of `grace`, the first signal lets the units at hand end if they can within that time. The next signal, or
/// the end of that time, is then what the first signal is without it.
///
/// If a signal cancelled the work, the program ends here by that signal.
pub(crate) fn run(grace: Option<Duration>, work: impl FnOnce(&Cancel) -> Result<(), Failure>) -> Result<(), Failure> {
    // The number of the last signal, or 0.
    let (cancel, last) = (Cancel::new(), Arc::new(AtomicI32::new(0)));
    listen(heed(cancel.clone(), Arc::clone(&last), grace));
    match (work(&cancel), last.load(Ordering::Relaxed)) {
        (Err(Failure::Cancelled(message)), signal @ 1..) => {
            say(format_args!("{message}"));
            end_by(signal)
        }
        (ended, _) => ended,
    }
}

/// Ends the program as the signal does by default, so that the shell sees the signal. The first process of a container,
/// which no signal ends by default, exits with the code that shells give for the signal.
fn end_by(signal: i32) -> ! {
    let code = 128 + signal;
    #[cfg(unix)]
    {
        if process::id() != 1 {
            // This fails only for signals that cannot be raised, and the program catches none of these.
            let _ = low_level::emulate_default_handler(signal);
        }
        // The exit does not wait for other threads, which may hold the lock of standard output.
        low_level::exit(code)
    }
    #[cfg(not(unix))]
    process::exit(code)
}

/// Returns the function that heeds signals. `last` becomes the last signal that had an effect, and `grace` is the time
/// that units at hand have to end.
fn heed(cancel: Cancel, last: Arc<AtomicI32>, mut grace: Option<Duration>) -> impl FnMut(i32) + Send + 'static {
    // The time of the last signal that had an effect.
    let mut heeded: Option<Instant> = None;
    move |signal| {
        if signal == SIGQUIT {
            end_by(signal);
        }
        if let Some(heeded) = heeded {
            // The system sends SIGXCPU after each further second of CPU time, and timers go on, so these signals are no
            // second request.
            if heeded.elapsed() < SECOND_THOUGHT || STOP_TOO.contains(&signal) {
                return;
            }
            if cancel.is_cancelled() {
                end_by(signal);
            }
        }
        last.store(signal, Ordering::Relaxed);
        heeded = Some(Instant::now());
        let Some(grace) = grace.take() else { return stop(&cancel, signal) };
        cancel.wind_down();
        let time = words::time(grace.as_secs_f64());
        say(format_args!("the units at hand have {time} to end; another signal stops at once"));
        let cancel = cancel.clone();
        // If the thread cannot be started, a second signal is needed.
        let _ = thread::Builder::new().spawn(move || {
            if !cancel.wait(grace) {
                stop(&cancel, signal);
            }
        });
    }
}

/// Cancels the work. A program that does not stop in time is ended.
fn stop(cancel: &Cancel, signal: i32) {
    cancel.cancel();
    let end_later = move || {
        thread::sleep(LONGEST_STOP);
        // Standard error may be what hangs.
        let _ = thread::Builder::new().spawn(|| {
            say(format_args!(
                "the program is ended, because it did not stop within {}: perhaps a pipe, a file system or the driver of \
                 a device does not answer; what a ledger has is kept",
                words::time(LONGEST_STOP.as_secs_f64())
            ));
        });
        thread::sleep(SECOND_THOUGHT);
        end_by(signal)
    };
    // If the thread cannot be started, a second signal is needed.
    let _ = thread::Builder::new().spawn(end_later);
}

/// Starts a thread that waits for signals. If it cannot be started, signals end the program as they do by default.
#[cfg(unix)]
fn listen(heed: impl FnMut(i32) + Send + 'static) {
    let (caught, to_hear) = mpsc::channel::<Signals>();
    let listen = move || {
        if let Ok(mut signals) = to_hear.recv() {
            signals.forever().for_each(heed);
        }
    };
    // Signals are caught once there is a thread to hear of them, which may begin later.
    if thread::Builder::new().name("signals".to_owned()).spawn(listen).is_ok() {
        let _ = Signals::new(signals_to_catch()).map(|signals| caught.send(signals));
    }
    // With this handler, a file that exceeds the size limit causes a write error instead of ending the program.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Takes Ctrl-C and Ctrl-Break for an interrupt. If no handler can be set, they end the program at once.
#[cfg(windows)]
fn listen(mut heed: impl FnMut(i32) + Send + 'static) {
    let _ = ctrlc::set_handler(move || heed(SIGINT));
}

/// A signal that follows another within this time is not a second request: programs such as `timeout` signal both a
/// process and its group.
const SECOND_THOUGHT: Duration = Duration::from_millis(100);

/// The time that a program has to end by itself after the first signal. It is less than the ten seconds after which
/// `docker stop` kills.
const LONGEST_STOP: Duration = Duration::from_secs(8);

/// Returns the signals to catch. A signal is left alone if the parent process set it to be ignored, or if a library
/// that was loaded before, such as a profiler, catches it. If the system does not tell which these are, SIGHUP is left
/// alone, because it is ignored under `nohup`.
#[cfg(unix)]
fn signals_to_catch() -> impl Iterator<Item = i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = |name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok())
    };
    let others = set("SigIgn:").unwrap_or(1 << (SIGHUP - 1)) | set("SigCgt:").unwrap_or(0);
    STOP.iter().chain(STOP_TOO).copied().filter(move |signal| (others >> (signal - 1)) & 1 == 0)
}
