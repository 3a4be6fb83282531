//! Errors of the command line, each in one line that says what was wrong and what would be right.

use crate::app::output::printable;
use clap::Error;
use clap::error::{ContextKind, ContextValue};

/// Describes in one line what is wrong with a command line: clap's message, its tips, and where the usage is shown.
pub(super) fn in_words(error: &Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let message = fold(&error.to_string());
    if let Ok(n @ 1..) = text(ContextKind::InvalidSubcommand).parse::<u64>() {
        return format!(
            "'{n}' is not a command; `nqueens count {n}` counts the solutions, `nqueens solve {n}` shows one"
        );
    }
    // clap does not say that a number of threads came from the environment.
    let is_set = std::env::var("NQUEENS_THREADS").is_ok_and(|threads| threads == text(ContextKind::InvalidValue));
    if is_set && text(ContextKind::InvalidArg).starts_with("--threads") {
        return format!("{message} (NQUEENS_THREADS is set)");
    }
    message
}

/// Joins the lines of clap's message into one.
fn fold(message: &str) -> String {
    // The usage in clap's message has only some of the options.
    let (message, usage) = message.split_once("\nUsage: ").unwrap_or((message, ""));
    let command: Vec<&str> = usage.split(' ').take_while(|word| !word.starts_with(['<', '[', '-'])).collect();
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.take_while(|line| !line.starts_with("For more information"));
    // clap cannot know that an argument was meant as a value.
    let lines = lines.filter(|line| !line.starts_with("tip: to pass '"));
    let joined = lines.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    let help = format!("; `{} --help` shows the usage", command.join(" "));
    let said = printable(joined.strip_prefix("error: ").unwrap_or(&joined)).into_owned();
    if usage.is_empty() { said } else { said + &help }
}
