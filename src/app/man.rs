//! `nqueens man`: the manual pages.

use crate::app::failure::Failure;
use crate::app::output::file::{self, print};
use crate::app::session::Session;
use clap_mangen::Man;
use std::io;
use std::path::{Path, PathBuf};

/// Print a manual page
///
/// The pages are generated from the same definitions as `--help`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens man | man -l -
  nqueens man count | man -l -
  nqueens man --dir ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// Print the page of this command; without it, the page of the program
    #[arg(value_name = "COMMAND")]
    command: Option<String>,

    /// Write the pages of the program and of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, program: clap::Command) -> Result<(), Failure> {
    // The pages of `help` and its commands would only repeat other pages.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let commands: Vec<&clap::Command> = program.get_subcommands().collect();
    if let Some(dir) = &arguments.dir {
        let _session = Session::begin_brief()?;
        return std::iter::once(&program).chain(commands).try_for_each(|command| write(command, dir)).map_err(
            |error| {
                Failure::Usage(format!(
                    "cannot write to '{}': {error}; give --dir a directory that can be written",
                    dir.display()
                ))
            },
        );
    }
    let command = match &arguments.command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            let names: Vec<_> = commands.iter().map(|command| command.get_name()).collect();
            Failure::Usage(format!("there is no command '{name}'; give one of {}", names.join(", ")))
        })?,
    };
    print(&page(command).map_err(|error| Failure::writing(&error))?)
}

/// Returns the manual page of a command.
fn page(command: &clap::Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command.clone()).source(concat!("nqueens ", env!("CARGO_PKG_VERSION"))).render(&mut text)?;
    Ok(text)
}

fn write(command: &clap::Command, dir: &Path) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    file::write(&dir.join(format!("{name}.1")), &page(command)?)
}
