//! The `nqueens` program. Each command has one file or folder, and one variant of `Command`.

mod affinity;
mod assessment;
mod bar;
mod bench;
mod count;
mod devices;
mod estimate;
mod failure;
#[cfg(test)]
#[path = "../../tests/common/fake_engine.rs"]
mod fake_engine;
#[cfg(test)]
#[path = "../../tests/common/faulty.rs"]
mod faulty;
#[cfg(test)]
#[path = "../../tests/common/fuzz.rs"]
mod fuzz;
#[cfg(feature = "packaging")]
mod generate;
mod help;
mod ledgers;
mod machine;
mod merge;
mod messages;
mod methods;
mod numbers;
mod options;
mod output;
mod recheck;
mod refusal;
mod rows;
mod session;
mod setup;
mod solve;
mod status;
mod table;
mod trace;
mod verify;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::{Failure, refused};
use nqueens::{Cancel, Kernel};
use std::process::ExitCode;

/// Count the ways to place N queens on an N x N board so that none attacks another
///
/// Every total is compared with the published one. All cores count.
#[derive(Debug, Parser)]
#[command(name = "nqueens", bin_name = "nqueens", version = env!("NQUEENS_VERSION"), max_term_width = 100)]
#[command(override_usage = "nqueens <COMMAND> [OPTIONS] | --help | --version", after_help = help::EXAMPLES)]
struct Cli {
    /// Write manual pages and completions of shells below PREFIX/share
    #[cfg(feature = "packaging")]
    #[arg(long, value_name = "PREFIX", hide = true, exclusive = true)]
    generate: Option<std::path::PathBuf>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Count(count::Arguments),
    Table(table::Arguments),
    Solve(solve::Arguments),
    Status(status::Arguments),
    Merge(merge::Arguments),
    Recheck(recheck::Arguments),
    Estimate(estimate::Arguments),
    Trace(trace::Arguments),
    Methods(methods::Arguments),
    Verify(verify::Arguments),
    Bench(bench::Arguments),
    Devices(devices::Arguments),
}

/// Parses the command line, runs the command and turns its end into an exit code.
pub(crate) fn main() -> ExitCode {
    let ended = match program().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        #[cfg(feature = "packaging")]
        Ok(Cli { generate: Some(prefix), .. }) => generate::run(&prefix, Cli::command()),
        Ok(Cli { command: Some(command), .. }) => session::run(|cancel| command.run(cancel)),
        Ok(_) => refused(help::HINT),
        // This error is the help or the version, which was requested.
        Err(error) if !error.use_stderr() => error.print().map_err(Failure::from),
        Err(error) => refused(refusal::in_words(&error)),
    };
    ended.map_or_else(Failure::exit, |()| ExitCode::SUCCESS)
}

/// Returns the definition of the command line.
fn program() -> clap::Command {
    let supported = Kernel::ALL.iter().filter(|kernel| kernel.is_supported());
    let kernels = supported.map(|kernel| kernel.name()).collect::<Vec<_>>().join(", ");
    let version = format!("{}\nkernels of this CPU: {kernels}", env!("NQUEENS_VERSION"));
    help::in_groups(Cli::command()).long_version(version)
}

impl Command {
    fn run(&self, cancel: &Cancel) -> Result<(), Failure> {
        match self {
            Command::Count(arguments) => count::run(arguments, cancel),
            Command::Table(arguments) => table::run(arguments, cancel),
            Command::Status(arguments) => status::run(arguments, cancel),
            Command::Merge(arguments) => merge::run(arguments, cancel),
            Command::Recheck(arguments) => recheck::run(arguments, cancel),
            Command::Verify(arguments) => verify::run(arguments, cancel),
            Command::Solve(arguments) => solve::run(arguments, cancel),
            Command::Trace(arguments) => trace::run(arguments, cancel),
            Command::Methods(arguments) => methods::run(arguments, cancel),
            Command::Estimate(arguments) => estimate::run(arguments, cancel),
            Command::Bench(arguments) => bench::run(arguments, cancel),
            Command::Devices(arguments) => devices::run(arguments, cancel),
        }
    }
}

/// Parses a command line in a test.
#[cfg(test)]
fn parsed(line: &str) -> Command {
    let words = std::iter::once("nqueens").chain(line.split_whitespace());
    Cli::try_parse_from(words).expect("a good line").command.expect("a command")
}

#[cfg(test)]
mod tests {
    use super::fuzz::{fuzz, one_of, word};
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn the_command_line_is_consistent() {
        program().debug_assert();
    }

    #[test]
    fn fuzz_words_of_a_command_line() {
        let program = Cli::command();
        let commands: Vec<_> = program.get_subcommands().collect();
        fuzz(500, |random| {
            let command = one_of(random, &commands);
            // A board would be read.
            let arguments: Vec<_> = command.get_arguments().filter(|argument| *argument.get_id() != "setup").collect();
            let mut words = Vec::new();
            for _ in 0..random.below(6) {
                let argument = one_of(random, &arguments);
                if let Some(name) = argument.get_long().filter(|_| random.below(3) > 0) {
                    words.push(format!("--{name}"));
                }
                let listed = argument.get_possible_values();
                let known = !listed.is_empty() && random.below(2) > 0;
                words.push(if known { one_of(random, &listed).get_name() } else { word(random) }.to_owned());
            }
            if random.below(8) > 0 {
                words.insert(0, command.get_name().to_owned());
            }
            let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            let Err(error) = Cli::try_parse_from(std::iter::once("nqueens".into()).chain(words.clone())) else {
                return;
            };
            if error.use_stderr() {
                let said = refusal::in_words(&error);
                assert!(said.lines().count() == 1 && !said.contains(char::is_control), "{words:?}: {said:?}");
            }
        });
    }
}
