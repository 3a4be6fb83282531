//! `nqueens completions`: prints the completion script for a shell.

use crate::app::failure::Failure;
use crate::app::output::file::print;
use clap_complete::Shell;

/// Print the completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens completions bash > ~/.local/share/bash-completion/completions/nqueens
  nqueens completions zsh > ~/.zfunc/_nqueens
  nqueens completions fish > ~/.config/fish/completions/nqueens.fish")]
pub(crate) struct Arguments {
    /// The shell to complete commands and options for
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, command: &mut clap::Command) -> Result<(), Failure> {
    // Generate into memory first, because the generator panics on a write error.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, command, "nqueens", &mut script);
    print(&script)
}
