//! Runs the program in the tests.

pub(crate) mod needs;

use std::ffi::OsStr;
use std::fmt::Display;
use std::process::Command;
use std::time::{Duration, Instant};

/// Returns a command that runs the program.
pub(crate) fn nqueens() -> Command {
    command(env!("CARGO_BIN_EXE_nqueens"))
}

/// Returns a command without environment variables that would change the behaviour of the program, or of Slurm.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let prefixes = ["NQUEENS_", "SLURM_", "SBATCH_", "SQUEUE_", "SINFO_", "PBS_", "LSB_"];
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if prefixes.iter().any(|prefix| text.starts_with(prefix)) || ["NSLOTS", "NCPUS"].contains(&&*text) {
            command.env_remove(&name);
        }
    }
    command
}

/// Waits until something is so. Panics if it is not within a minute.
pub(crate) fn wait<D: Display>(what: impl Fn() -> D, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "in vain: {}", what());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Creates a program from lines of shell script, and returns its path.
#[cfg(unix)]
pub(crate) fn program(folder: &std::path::Path, name: &str, lines: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Copies the program to a folder, for a user who cannot access the original. Another process makes the copy. If this
/// process opened it for writing, a child process of another test could inherit the open file, and the copy could not
/// be run.
#[cfg(unix)]
pub(crate) fn copied_program(folder: &std::path::Path) -> std::path::PathBuf {
    let copy = folder.join("nqueens");
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_nqueens")).arg(&copy).status().unwrap().success());
    copy
}

/// Returns true if a process catches SIGTERM, which the program does as soon as its work begins.
#[cfg(unix)]
pub(crate) fn catches_signals(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("a mask"));
    caught >> (nix::sys::signal::Signal::SIGTERM as i32 - 1) & 1 != 0
}

/// Waits until the program [catches signals](catches_signals).
#[cfg(unix)]
pub(crate) fn wait_until_it_catches_signals(child: &std::process::Child) {
    if cfg!(target_os = "linux") {
        wait(|| "the program catches signals", || catches_signals(child.id()));
    } else {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Sends a signal to a program that still runs.
#[cfg(unix)]
pub(crate) fn send(child: &std::process::Child, signal: nix::sys::signal::Signal) {
    let process = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(process, signal).expect("the program still runs");
}

/// Returns the hundredths of a second that a process has computed.
#[cfg(target_os = "linux")]
pub(crate) fn cpu_ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name of the program is in parentheses.
    stat.rsplit(')').next().unwrap().split_whitespace().nth(11).unwrap().parse().unwrap()
}
