//! How the tests run the program.

use assert_cmd::Command;

/// The program, with none of its environment variables set.
pub(crate) fn nqueens(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("NQUEENS_") || name.starts_with("SLURM_") {
            command.env_remove(&*name);
        }
    }
    command.args(arguments.split_whitespace());
    command
}

/// What the program prints on standard output, where it must succeed.
pub(crate) fn stdout(arguments: &str) -> String {
    let output = nqueens(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("the output is text")
}

/// The one line that the program prints on standard error, and its exit code.
pub(crate) fn refusal(command: &mut Command) -> (String, i32) {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("the error is text");
    assert!(output.stdout.is_empty(), "a refusal leaves standard output empty");
    assert_eq!(stderr.lines().count(), 1, "one line: {stderr:?}");
    let message = stderr.trim_end().strip_prefix("error: ").expect("it says that it is an error").to_owned();
    (message, output.status.code().expect("it exits"))
}
