//! Runs the program and returns its output.

use super::common;
use assert_cmd::Command;
use serde_json::Value;

/// Returns a command that runs the program with these arguments.
pub(crate) fn nqueens(arguments: &str) -> Command {
    let mut command = Command::from_std(common::nqueens());
    command.args(arguments.split_whitespace());
    command
}

/// Runs the program, which must succeed, and returns its standard output.
pub(crate) fn stdout(arguments: &str) -> String {
    let output = nqueens(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("the output is text")
}

/// Runs the program, which must fail. Returns its only line on standard error, and its exit code.
pub(crate) fn refusal(command: &mut Command) -> (String, i32) {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("the error is text");
    assert!(output.stdout.is_empty(), "a refusal leaves standard output empty");
    assert_eq!(stderr.lines().count(), 1, "one line: {stderr:?}");
    let message = stderr.trim_end().strip_prefix("error: ").expect("it says that it is an error").to_owned();
    (message, output.status.code().expect("it exits"))
}

pub(crate) fn json(arguments: &str) -> Value {
    serde_json::from_str(&stdout(arguments)).expect("the output is JSON")
}
