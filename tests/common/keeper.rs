//! Ends the programs that the tests start, wherever the tests themselves were started.
#![allow(dead_code, reason = "not every test file needs all")]

use std::process::Command;
use std::time::Duration;

/// Returns the time in which an expected event comes, even on a busy machine: a minute, or the seconds in the
/// environment variable `NQUEENS_TEST_PATIENCE`.
pub(crate) fn patience() -> Duration {
    let seconds = std::env::var("NQUEENS_TEST_PATIENCE");
    Duration::from_secs_f64(seconds.map_or(60.0, |seconds| seconds.parse().expect("NQUEENS_TEST_PATIENCE is a number")))
}

/// Makes sure that a program, and all that it starts, ends when this process ends in any way. On systems other than
/// Linux, nobody ends them.
#[cfg(target_os = "linux")]
pub(crate) fn keep(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;
    use std::sync::LazyLock;

    const NAME: &str = "NQUEENS_TEST_PROCESS";
    const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/keeper.sh");
    /// The value of the variable that marks the programs of this process.
    static MARK: LazyLock<String> = LazyLock::new(|| {
        let started = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("it is later");
        let mark = format!("{}-{}", std::process::id(), started.as_nanos());
        #[allow(clippy::disallowed_methods, reason = "nobody looks after the keeper")]
        let mut keeper = Command::new("bash");
        keeper.args([SCRIPT, &format!("{NAME}={mark}")]).env_remove(NAME).stdin(Stdio::piped());
        // A signal for the group of this process must not reach the keeper.
        let keeper = keeper.process_group(0).stdout(Stdio::null()).spawn().expect("bash is installed");
        // The pipe is closed only when this process ends.
        std::mem::forget(keeper);
        mark
    });
    command.env(NAME, &*MARK);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn keep(_command: &mut Command) {}
