//! How the tests start the program.

use std::process::Command;

/// The program, with nothing in its environment that would change what it does.
pub(crate) fn nqueens() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nqueens"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("NQUEENS_")
            || text.starts_with("SLURM_")
            || ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"].contains(&&*text)
        {
            command.env_remove(&name);
        }
    }
    command
}
