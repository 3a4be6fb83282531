//! The help of the program.

use std::fmt::Write;

/// The commands in groups, in the order of `Command`.
pub(super) const GROUPS: [(&str, &[&str]); 4] = [
    ("Count", &["count", "table", "solve"]),
    ("Long counts, in ledgers", &["status", "merge", "recheck", "estimate"]),
    ("Learn", &["trace", "methods"]),
    ("This machine", &["verify", "bench", "devices"]),
];

/// The answer to a command line without a command.
pub(super) const HINT: &str =
    "say what to do: `nqueens count 8` counts the solutions for 8 queens, `nqueens --help` lists all commands";

pub(super) const EXAMPLES: &str = "\
Examples:
  nqueens count 8                  the number of ways to place 8 queens
  nqueens count 15 --fundamental   also the number up to rotation and reflection
  nqueens count 14 --format json   all details as JSON, for a program
  nqueens solve 8                  one solution as a board; with --all, every solution
  nqueens estimate 20              the estimated number, and the time to count it
  nqueens verify                   the self-test for a new machine
  nqueens bench                    the speed of this machine

`nqueens help COMMAND` explains a command. Results go to standard output, all else to standard
error. The exit code is 0 after success, 1 after a failure or if a count contradicts the published
one, 2 after an error in the command line, and 128 plus the number of a signal that stopped it.

A TIME is 90s, 1m30s, 2h, 250ms or a number of seconds. NQUEENS_THREADS sets --threads. With
TERM=dumb there is no progress bar.";

/// Lists the commands of the program in groups.
pub(super) fn in_groups(program: clap::Command) -> clap::Command {
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, commands) in GROUPS {
        let _ = write!(template, "\n{title}:\n");
        for name in commands {
            let about = program.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map_or(String::new(), ToString::to_string);
            let _ = writeln!(template, "  {name:<10}{about}");
        }
    }
    // An empty line goes before the examples.
    program.help_template(template.trim_end().to_owned() + "{after-help}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The manual page and the completions list the commands in the order of their definition.
    #[test]
    fn every_command_is_in_one_group_and_is_defined_in_this_order() {
        let program = crate::app::Cli::command();
        let commands = GROUPS.iter().flat_map(|(_, commands)| *commands);
        assert!(program.get_subcommands().map(clap::Command::get_name).eq(commands.copied()));
    }
}
