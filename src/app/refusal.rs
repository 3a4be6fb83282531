//! Rewrites clap's errors as one line that says what was wrong and what would be right.

use crate::Board;
use crate::app::output::printable;
use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use std::error::Error as _;
use std::ffi::OsString;

/// Describes in one line what is wrong with a command line. `words` are its arguments without the program's name.
pub(super) fn in_words(error: &Error, program: &Command, words: &[OsString]) -> String {
    match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "say what to do: `nqueens count 8` counts the solutions for 8 queens, `nqueens --help` explains all"
                .to_owned()
        }
        ErrorKind::ValueValidation => {
            let wrong = error.source().map_or_else(|| one_line(error), ToString::to_string);
            format!("{}: {wrong}", given(error, program, words))
        }
        // An empty value from a variable is an invalid value; after an option, it is a missing value.
        ErrorKind::InvalidValue
            if !text(error, ContextKind::InvalidValue).is_empty() || variable(error, program, words).is_some() =>
        {
            let names = strings(error, ContextKind::ValidValue).join(", ");
            let similar = match text(error, ContextKind::SuggestedValue) {
                "" => String::new(),
                similar => format!("; did you mean '{similar}'?"),
            };
            format!("{}: not one of {names}{similar}", given(error, program, words))
        }
        ErrorKind::InvalidSubcommand => match number(text(error, ContextKind::InvalidSubcommand)) {
            Some(given) => {
                let n = if given <= Board::MAX_SIZE as u64 { given } else { 8 };
                format!(
                    "'{given}' is not a command; `nqueens count {n}` counts the solutions for N = {n}, \
                     `nqueens solve {n}` shows one"
                )
            }
            None => one_line(error),
        },
        ErrorKind::UnknownArgument => unknown(error, program, words),
        _ => one_line(error),
    }
}

/// Returns the refused value and the option, operand or variable that it was given for.
fn given(error: &Error, program: &Command, words: &[OsString]) -> String {
    let value = shown(text(error, ContextKind::InvalidValue));
    let argument = text(error, ContextKind::InvalidArg);
    match (variable(error, program, words), argument.split_whitespace().next()) {
        (Some(variable), _) => format!("{variable}={value}"),
        (None, Some(option)) if option.starts_with('-') => format!("{option} {value}"),
        _ => format!("{} = {value}", argument.trim_matches(['<', '>', '[', ']', '.'])),
    }
}

/// Returns the environment variable that a refused value came from. It is identified by parsing the command line again
/// without the environment, which does not give the same error.
fn variable(error: &Error, program: &Command, words: &[OsString]) -> Option<String> {
    let option = text(error, ContextKind::InvalidArg).split_whitespace().next()?.strip_prefix("--")?;
    let commands = program.get_subcommands();
    let mut arguments = commands.flat_map(Command::get_arguments).filter(|each| each.get_long() == Some(option));
    let variable = arguments.find_map(|argument| argument.get_env())?.to_string_lossy().into_owned();
    let alone = program.clone().mut_subcommands(|command| command.mut_args(|each| each.env(Resettable::Reset)));
    let same = |other: &Error| {
        other.kind() == error.kind()
            && [ContextKind::InvalidArg, ContextKind::InvalidValue]
                .iter()
                .all(|&kind| text(other, kind) == text(error, kind))
    };
    let again = alone.try_get_matches_from(std::iter::once("nqueens".into()).chain(words.iter().cloned()));
    (!again.is_err_and(|other| same(&other))).then_some(variable)
}

/// Describes how to correct an argument that the command does not have.
fn unknown(error: &Error, program: &Command, words: &[OsString]) -> String {
    let argument = text(error, ContextKind::InvalidArg);
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let place = words.iter().position(|word| program.find_subcommand(&**word).is_some());
    let Some(command) =
        place.filter(|&place| !words[..place].iter().any(|word| word == argument)).map(|place| &*words[place])
    else {
        return format!(
            "'{argument}' is not an option of nqueens itself; options follow the command: nqueens count 8 --threads 4"
        );
    };
    if let Some(n) = number(argument) {
        let first = words.iter().find_map(|word| number(word)).unwrap_or(n);
        let hint = match command {
            "table" => Some(format!("table takes no N; `nqueens table --to {n}` ends with N = {n}")),
            "bench" => Some(format!("bench takes no N; `nqueens bench --boards {n}` measures N = {n}")),
            "score" => Some("score takes no N; `nqueens score --size small` selects the size of its boards".to_owned()),
            "stress" => Some(format!("stress takes no N; `nqueens stress --duration {n}m` ends after {n} minutes")),
            "verify" => {
                Some(format!("verify takes no N; `nqueens count {n} --double-check` checks the count for N = {n}"))
            }
            "count" if first < n => {
                Some(format!("count takes one N; `nqueens table --from {first} --to {n}` counts several"))
            }
            _ => None,
        };
        if let Some(hint) = hint {
            return format!("unexpected argument '{n}': {hint}");
        }
    }
    let option = argument.trim_start_matches('-');
    let has = |command: &&Command| command.get_arguments().any(|each| each.get_long() == Some(option));
    let others: Vec<&str> = program.get_subcommands().filter(has).map(Command::get_name).collect();
    if argument.starts_with("--") && !others.is_empty() {
        return format!("{command} has no option '{argument}' (it belongs to {}); {}", others.join(", "), usage(error));
    }
    one_line(error)
}

/// Parses a word as a board size. Sizes that are too large for a board are included.
fn number(word: &str) -> Option<u64> {
    crate::app::numbers::in_range(word, 1..=1_000_000).ok()
}

/// Returns a value as it was given, in quotes if it could be misread.
fn shown(value: &str) -> String {
    let plain = |character: char| !character.is_whitespace() && !character.is_control();
    if !value.is_empty() && value.chars().all(plain) { value.to_owned() } else { format!("{value:?}") }
}

fn text(error: &Error, kind: ContextKind) -> &str {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text,
        _ => "",
    }
}

fn strings(error: &Error, kind: ContextKind) -> &[String] {
    match error.get(kind) {
        Some(ContextValue::Strings(strings)) => strings,
        _ => &[],
    }
}

/// Joins the lines of clap's message, its tips and the usage into one line.
fn one_line(error: &Error) -> String {
    // A line end in an argument is not the end of the message.
    let arguments = error.context().filter_map(|(_, value)| match value {
        ContextValue::String(argument) => Some(argument),
        _ => None,
    });
    fold(&arguments.fold(error.to_string(), |message, argument| message.replace(argument, &printable(argument))))
}

/// Returns the usage of the command from clap's message.
fn usage(error: &Error) -> String {
    let line = one_line(error);
    line.rfind("usage: ").map_or(String::new(), |at| line[at..].to_owned())
}

fn fold(message: &str) -> String {
    let mut folded = String::new();
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    for line in lines.take_while(|line| !line.starts_with("For more information")) {
        let (joint, part) = if let Some(usage) = line.strip_prefix("Usage: ") {
            ("; usage: ", usage)
        } else if let Some(tip) = line.strip_prefix("tip: ") {
            // clap cannot know that the argument was meant as a value.
            if tip.starts_with("to pass '") {
                continue;
            }
            ("; ", tip)
        } else {
            (" ", line.strip_prefix("error: ").unwrap_or(line))
        };
        folded += if folded.is_empty() { "" } else { joint };
        folded += part;
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_errors_are_folded_into_a_line_that_says_what_would_be_right() {
        let clap = "error: the following required arguments were not provided:\n  <N>\n\n\
                    Usage: nqueens count <N>\n\nFor more information, try '--help'.\n";
        assert_eq!(fold(clap), "the following required arguments were not provided: <N>; usage: nqueens count <N>");
        let clap = "error: unexpected argument '--fast' found\n\n  tip: a similar argument exists: '--format'\n\n\
                    Usage: nqueens count <N>\n\nFor more information, try '--help'.\n";
        assert_eq!(
            fold(clap),
            "unexpected argument '--fast' found; a similar argument exists: '--format'; usage: nqueens count <N>"
        );
    }

    #[test]
    fn values_that_might_be_misread_are_quoted() {
        assert_eq!(["abc", "-1/4", "", "a b", "a\nb"].map(shown), ["abc", "-1/4", "\"\"", "\"a b\"", "\"a\\nb\""]);
    }
}
