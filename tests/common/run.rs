//! Runs the program and returns its output.

use super::common;
use super::common::keeper::patience;
use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Returns a command that runs the program with these arguments, for ten minutes at most.
pub(crate) fn nqueens(arguments: &str) -> Command {
    let mut command = Command::from_std(common::nqueens());
    command.args(arguments.split_whitespace()).timeout(10 * patience());
    command
}

/// Returns the exit code of a program as a shell shows it, its standard output and its standard error.
pub(crate) fn ended(output: Output) -> (i32, String, String) {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let signal = None;
    let code = output.status.code().or(signal).expect("it has ended");
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("it is text"));
    (code, stdout, stderr)
}

/// Runs the program. Returns its exit code, its standard output and its standard error.
pub(crate) fn ran(arguments: &str) -> (i32, String, String) {
    ended(nqueens(arguments).output().expect("the program starts"))
}

/// Runs a bash script in a folder, where `$0` is the program.
#[cfg(unix)]
pub(crate) fn bash(folder: impl AsRef<Path>, script: &str) -> (i32, String, String) {
    let mut bash = common::command("bash");
    bash.args(["-c", script, env!("CARGO_BIN_EXE_nqueens")]).current_dir(folder);
    ended(bash.output().expect("bash is installed"))
}

/// Runs the program, which must succeed, and returns its standard output.
pub(crate) fn stdout(arguments: &str) -> String {
    let (code, stdout, stderr) = ran(arguments);
    assert_eq!(code, 0, "{arguments}: {stderr}");
    stdout
}

/// Runs the program, which must succeed, and returns its standard error.
pub(crate) fn remarks(arguments: &str) -> String {
    let (code, _, stderr) = ran(arguments);
    assert_eq!(code, 0, "{arguments}: {stderr}");
    stderr
}

/// Runs the program, which must fail. Returns its only line on standard error, and its exit code.
pub(crate) fn refusal(command: &mut Command) -> (String, i32) {
    let (code, stdout, stderr) = ended(command.output().expect("the program starts"));
    assert!(stdout.is_empty(), "a refusal leaves standard output empty");
    assert_eq!(stderr.lines().count(), 1, "one line: {stderr:?}");
    let message = stderr.trim_end().strip_prefix("error: ").expect("it says that it is an error").to_owned();
    (message, code)
}

/// Runs the program in a folder with each of these arguments. It must refuse them with this exit code, and a line that
/// has all these parts.
pub(crate) fn refused<const PARTS: usize>(folder: impl AsRef<Path>, code: i32, lines: &[(&str, [&str; PARTS])]) {
    for (arguments, parts) in lines {
        let (message, found) = refusal(nqueens(arguments).current_dir(folder.as_ref()));
        assert_eq!(found, code, "{arguments}: {message}");
        for part in parts {
            assert!(message.contains(part), "nqueens {arguments}: no {part} in {message}");
        }
    }
}

pub(crate) fn json(arguments: &str) -> Value {
    serde_json::from_str(&stdout(arguments)).expect("the output is JSON")
}

pub(crate) fn has(object: &Value, members: &Value) {
    for (name, value) in members.as_object().expect("an object") {
        assert_eq!(&object[name], value, "{name} of {object}");
    }
}
