//! The `nqueens` program: one file or folder for each command, and one variant of `Command`.

mod archive;
mod assessment;
mod bench;
mod closed;
mod compare;
mod completions;
mod count;
mod estimate;
mod failure;
#[cfg(test)]
mod faulty;
mod ledgers;
mod machine;
mod man;
mod merge;
mod messages;
mod numbers;
mod options;
mod output;
mod profile;
mod recheck;
mod refusal;
mod rows;
mod score;
mod session;
mod solve;
mod status;
mod stress;
mod table;
mod terminal;
mod trace;
mod verify;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Count the solutions of the N-Queens problem on every core and check the total against the published one
///
/// The N-Queens problem asks in how many ways N queens can be placed on an N x N chess board so that none attacks
/// another. `nqueens count 8` prints this number for 8 queens.
#[derive(Debug, Parser)]
#[command(
    name = "nqueens",
    version = env!("NQUEENS_VERSION"),
    propagate_version = true,
    max_term_width = 100,
    after_help = EXAMPLES
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Count(count::Arguments),
    Table(table::Arguments),
    Status(status::Arguments),
    Merge(merge::Arguments),
    Archive(archive::Arguments),
    Recheck(recheck::Arguments),
    Verify(verify::Arguments),
    Solve(solve::Arguments),
    Trace(trace::Arguments),
    Compare(compare::Arguments),
    Profile(profile::Arguments),
    Estimate(estimate::Arguments),
    Bench(bench::Arguments),
    Score(score::Arguments),
    Stress(stress::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  nqueens count 8                  the number of ways to place 8 queens
  nqueens count 15 --fundamental   also the number up to rotation and reflection
  nqueens count 14 --format json   all details as JSON, for a program
  nqueens table --to 12            the published table, computed again
  nqueens verify                   the self-test for a new machine
  nqueens solve 8                  one solution as a board; with --all, every solution
  nqueens trace 4                  a backtracking search, step by step
  nqueens estimate 20              the estimated number, and the time to count it
  nqueens compare 8                the cost of each classic search method
  nqueens bench                    the speed of this machine with 1, 2, 4, ... threads
  nqueens score                    the figure to quote for this machine

`nqueens help COMMAND` explains a command.

Exit codes:
  0         success
  1         failure, or a count contradicts the published one
  2         error in the command line
  129, 130  stopped by SIGHUP or by Ctrl-C (as shown by a shell)
  143       stopped by SIGTERM

Results go to standard output, everything else to standard error. Most options can be given as
environment variables too: NQUEENS_THREADS=4 means --threads 4. NO_COLOR and TERM=dumb are respected.

A TIME is 90s, 1m30s, 2h, 250ms or a number of seconds.";

/// Parses the command line, runs the command and turns its outcome into an exit code.
pub fn main() -> ExitCode {
    terminal::progress::make_room_for_panics();
    // Unwind safe: the state of the command is dropped, and the panic has been reported.
    match std::panic::catch_unwind(outcome) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.exit(),
        Err(_) => Failure::Failed("this is a fault of the program, or of the machine".to_owned()).exit(),
    }
}

fn outcome() -> Result<(), Failure> {
    match parse() {
        Ok(cli) => match cli.command {
            Command::Count(arguments) => count::run(&arguments),
            Command::Table(arguments) => table::run(&arguments),
            Command::Status(arguments) => status::run(&arguments),
            Command::Merge(arguments) => merge::run(&arguments),
            Command::Archive(arguments) => archive::run(&arguments),
            Command::Recheck(arguments) => recheck::run(&arguments),
            Command::Verify(arguments) => verify::run(&arguments),
            Command::Solve(arguments) => solve::run(&arguments),
            Command::Trace(arguments) => trace::run(&arguments),
            Command::Compare(arguments) => compare::run(&arguments),
            Command::Profile(arguments) => profile::run(&arguments),
            Command::Estimate(arguments) => estimate::run(&arguments),
            Command::Bench(arguments) => bench::run(&arguments),
            Command::Score(arguments) => score::run(&arguments),
            Command::Stress(arguments) => stress::run(&arguments),
            Command::Completions(arguments) => completions::run(&arguments, &mut Cli::command()),
            Command::Man(arguments) => man::run(&arguments, Cli::command()),
        },
        Err(error) => refused(&error),
    }
}

fn parse() -> Result<Cli, clap::Error> {
    // clap respects NO_COLOR, but it colours its help on a dumb terminal if the variable CI is set.
    let colour = if terminal::is_dumb() { ColorChoice::Never } else { ColorChoice::Auto };
    Cli::from_arg_matches(&Cli::command().color(colour).try_get_matches()?)
}

/// Prints the help or the version if it was requested. Returns any other error of clap as a failure.
fn refused(error: &clap::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            closed::check().and_then(|()| error.print()).map_err(|error| Failure::writing(&error))
        }
        _ => {
            let words: Vec<_> = std::env::args_os().skip(1).collect();
            Err(Failure::Usage(refusal::in_words(error, &Cli::command(), &words)))
        }
    }
}

/// Parses a command line in a test.
#[cfg(test)]
fn parsed(line: &str) -> Command {
    let words = std::iter::once("nqueens").chain(line.split_whitespace());
    Cli::try_parse_from(words).expect("a good line").command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// An option that uses one of clap's own value parsers fails here.
    #[test]
    fn no_option_refuses_a_value_in_the_words_of_a_library() {
        let program = Cli::command();
        let mut refused = 0;
        for command in program.get_subcommands() {
            let options = command.get_arguments().filter(|option| option.get_action().takes_values());
            for option in options.filter_map(clap::Arg::get_long) {
                for value in ["1x", "-1", "0", "1e300", "99999999999999999999999"] {
                    let words = [command.get_name().into(), format!("--{option}={value}").into(), "8".into()];
                    let line = std::iter::once("nqueens".into()).chain(words.clone());
                    let Err(error) = Cli::try_parse_from(line) else { continue };
                    let said = refusal::in_words(&error, &program, &words);
                    let foreign = ["digit found", "invalid", "..", "target type", " is not in "];
                    assert!(!foreign.iter().any(|foreign| said.contains(foreign)), "{words:?}: {said}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 50, "the values are bad");
    }
}
