//! `nqueens completions`: what a shell needs to complete the commands and options.

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
    /// The shell
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, command: &mut clap::Command) -> Result<(), Failure> {
    // Into memory first: the generator panics when it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, command, "nqueens", &mut script);
    print(&script)
}
