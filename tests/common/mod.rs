//! Runs the program in the tests.

pub(crate) mod needs;

use std::process::Command;

/// Returns a command that runs the program, without environment variables that would change its behaviour.
pub(crate) fn nqueens() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("NQUEENS_")
            || ["SLURM_", "PBS_", "LSB_"].iter().any(|prefix| text.starts_with(prefix))
            || ["NSLOTS", "NCPUS"].contains(&&*text)
        {
            command.env_remove(&name);
        }
    }
    command
}

/// Creates a program from lines of shell script, and returns its path.
#[cfg(unix)]
#[allow(dead_code, reason = "not every test file needs one")]
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
#[allow(dead_code, reason = "not every test file needs one")]
pub(crate) fn copied_program(folder: &std::path::Path) -> std::path::PathBuf {
    let copy = folder.join("nqueens");
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_nqueens")).arg(&copy).status().unwrap().success());
    copy
}

/// Returns true if a process catches SIGTERM, which the program does as soon as its work begins.
#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn catches_signals(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("a mask"));
    caught >> (nix::sys::signal::Signal::SIGTERM as i32 - 1) & 1 != 0
}

/// Waits until the program [catches signals](catches_signals).
#[cfg(unix)]
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn wait_until_it_catches_signals(child: &std::process::Child) {
    use std::time::{Duration, Instant};

    #[cfg(not(target_os = "linux"))]
    return std::thread::sleep(Duration::from_secs(1));
    #[cfg(target_os = "linux")]
    {
        let start = Instant::now();
        while !catches_signals(child.id()) {
            assert!(start.elapsed() < Duration::from_secs(60), "the program catches no signal");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
