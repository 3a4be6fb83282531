//! Runs the program in the tests.

pub(crate) mod keeper;
pub(crate) mod needs;

use keeper::patience;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Output};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub(crate) fn nqueens() -> Command {
    command(env!("CARGO_BIN_EXE_nqueens"))
}

/// Returns a command that runs a program as if a person had typed it, however the tests were started. The program gets
/// no environment variables that would change the behaviour of `nqueens` or of Slurm. The [`keeper`] ends it.
#[allow(clippy::disallowed_methods, reason = "this is the other method")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let prefixes = ["NQUEENS_", "SLURM_", "SBATCH_", "SQUEUE_", "SINFO_", "PBS_", "LSB_"];
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if prefixes.iter().any(|prefix| text.starts_with(prefix)) || ["NSLOTS", "NCPUS"].contains(&&*text) {
            command.env_remove(&name);
        }
    }
    #[cfg(target_os = "linux")]
    pass_all_signals_on();
    keeper::keep(&mut command);
    command
}

/// Makes the programs that this thread starts heed signals even if this process ignores or blocks them. A process
/// ignores some in the background of a script or under `nohup`.
#[cfg(target_os = "linux")]
fn pass_all_signals_on() {
    use signal_hook::consts::{FORBIDDEN, SIGPIPE};

    static IGNORED: std::sync::Once = std::sync::Once::new();
    IGNORED.call_once(|| {
        let ignored = signals_of(std::process::id(), "SigIgn:");
        // Rust ignores SIGPIPE, but not for the programs that it starts.
        let is_ours = |signal: &i32| *signal != SIGPIPE && !FORBIDDEN.contains(signal);
        for signal in (1..32).filter(is_ours).filter(|signal| ignored >> (signal - 1) & 1 != 0) {
            // A program starts with the default for each signal that its parent handles. Here the handler does nothing.
            signal_hook::flag::register(signal, std::sync::Arc::default()).expect("it can be handled");
        }
    });
    nix::sys::signal::SigSet::all().thread_unblock().expect("signals can be unblocked");
}

/// Waits until a condition holds. Panics if that takes too long.
pub(crate) fn wait<D: Display>(what: impl Fn() -> D, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < patience(), "in vain: {}", what());
        thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until a program ends. If it goes on, kills it and panics.
pub(crate) fn end_of(child: &mut Child) -> ExitStatus {
    end_within(patience(), child)
}

/// Waits until a program ends, as [`end_of`] does, and returns what it has written to its pipes.
pub(crate) fn output_of(mut child: Child) -> Output {
    fn reading(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.map(|mut pipe| pipe.read_to_end(&mut bytes).expect("the pipe can be read"));
            bytes
        })
    }
    let pipes = [reading(child.stdout.take()), reading(child.stderr.take())];
    let status = end_of(&mut child);
    let [stdout, stderr] = pipes.map(|pipe| pipe.join().expect("the reader ends"));
    Output { status, stdout, stderr }
}

/// Waits as [`end_of`] does, but at most for `limit`.
pub(crate) fn end_within(limit: Duration, child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status;
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    panic!("the program went on");
}

/// Creates a program from lines of shell script, and returns its path.
#[cfg(target_os = "linux")]
pub(crate) fn program(folder: &std::path::Path, name: &str, lines: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Compiles a library of `tests/cli/` that is loaded into the program, and returns its path.
#[cfg(target_os = "linux")]
pub(crate) fn shared_library(folder: &std::path::Path, name: &str) -> std::path::PathBuf {
    let library = folder.join(format!("{name}.so"));
    let source = format!("{}/tests/cli/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let mut cc = command("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(&library).args([&source, "-ldl"]);
    assert!(cc.status().unwrap().success());
    library
}

/// Copies the program to a folder, for a user who cannot access the original. `cp` makes the copy, because a child of
/// another test could inherit a file that this process writes, and then nobody could run it.
#[cfg(unix)]
pub(crate) fn copied_program(folder: &std::path::Path) -> std::path::PathBuf {
    let copy = folder.join("nqueens");
    assert!(command("cp").arg(env!("CARGO_BIN_EXE_nqueens")).arg(&copy).status().unwrap().success());
    copy
}

/// Returns the signals that a process blocks, `SigBlk:`, or ignores, `SigIgn:`. SIGHUP is bit 0.
#[cfg(unix)]
fn signals_of(process: u32, way: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(way));
    mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("a mask"))
}

/// Returns true if a process blocks SIGUSR1. The program does so, and waits for this signal, when its work begins.
#[cfg(unix)]
pub(crate) fn heeds_signals(process: u32) -> bool {
    signals_of(process, "SigBlk:") >> (nix::sys::signal::Signal::SIGUSR1 as i32 - 1) & 1 != 0
}

#[cfg(unix)]
pub(crate) fn wait_until_it_heeds_signals(child: &std::process::Child) {
    if cfg!(target_os = "linux") {
        wait(|| "the program heeds signals", || heeds_signals(child.id()));
    } else {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Waits until the program has begun its work and waits for a pipe.
#[cfg(target_os = "linux")]
pub(crate) fn wait_until_it_waits(process: u32) {
    // The first thread of the program waits by a futex for the thread of signals to start, and later only for a pipe.
    let futex = nix::libc::SYS_futex.to_string();
    let call = || std::fs::read_to_string(format!("/proc/{process}/syscall")).unwrap_or_default();
    let is_asleep = || stat(process).is_some_and(|fields| fields[0] == "S");
    let waits = || heeds_signals(process) && is_asleep() && call().split(' ').next() != Some(&*futex);
    wait(|| "the program waits for a pipe", waits);
}

/// Sends a signal to a program that still runs.
#[cfg(unix)]
pub(crate) fn send(child: &std::process::Child, signal: nix::sys::signal::Signal) {
    let process = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(process, signal).expect("the program still runs");
}

/// Returns the CPU time of a process in hundredths of a second.
#[cfg(target_os = "linux")]
pub(crate) fn cpu_ticks(process: u32) -> u64 {
    stat(process).expect("it still runs")[11].parse().unwrap()
}

/// Returns the fields that the system shows after a process's name: first a letter for its state, Z if it has ended.
#[cfg(target_os = "linux")]
pub(crate) fn stat(process: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program is in parentheses.
    Some(stat.rsplit(')').next()?.split_whitespace().map(str::to_owned).collect())
}
