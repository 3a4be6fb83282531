//! `nqueens man`: the manual pages.

use super::failure::Failure;
use clap_mangen::Man;
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Print a manual page
///
/// The pages are made from the same definitions as `--help`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens man | man -l -
  nqueens man count | man -l -
  nqueens man --dir ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// The command to print the page of; without it, the page of the program
    #[arg(value_name = "COMMAND")]
    command: Option<String>,

    /// Write the pages of the program and of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, mut program: clap::Command) -> Result<(), Failure> {
    program.build();
    if let Some(dir) = &arguments.dir {
        return clap_mangen::generate_to(program, dir).map_err(|error| {
            Failure::Usage(format!(
                "cannot write to '{}': {error}; give --dir a directory that can be written",
                dir.display()
            ))
        });
    }
    let page = match &arguments.command {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| {
            let commands: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
            Failure::Usage(format!("there is no command '{name}'; give one of {}", commands.join(", ")))
        })?,
    };
    let mut text = Vec::new();
    Man::new(page)
        .render(&mut text)
        .and_then(|()| stdout().write_all(&text))
        .and_then(|()| stdout().flush())
        .map_err(|error| Failure::writing(&error, ""))
}
