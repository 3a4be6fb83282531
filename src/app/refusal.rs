//! Errors of the command line, each in one line that says what was wrong and what would be right.

use crate::app::output::printable;
use clap::Error;
use clap::error::{ContextKind, ContextValue};

/// Options that people try in vain, each with its command in front and the right way behind.
const MEANT: [(&str, &str, &str); 3] = [
    ("solve", "--first", "the first solution is what `nqueens solve N` shows"),
    ("solve", "--limit", "`nqueens solve N --all --format list | head -n 3` shows three"),
    ("trace", "--all", "`nqueens trace N --until all` shows the whole search"),
];

/// Describes in one line what is wrong with a command line: clap's message, its tips and the usage.
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
    let given = text(ContextKind::InvalidArg);
    if let Some((.., meant)) =
        MEANT.iter().find(|(command, option, _)| given == *option && message.contains(&format!("nqueens {command} ")))
    {
        return format!("unexpected argument '{given}'; {meant}");
    }
    match variable(given, text(ContextKind::InvalidValue)) {
        Some(variable) => format!("{message} ({variable} is set)"),
        None => message,
    }
}

/// Returns the environment variable that a refused value of an option probably came from.
pub(super) fn variable(option: &str, value: &str) -> Option<String> {
    let option = option.split_whitespace().next()?.strip_prefix("--")?;
    let variable = format!("NQUEENS_{}", option.to_uppercase().replace('-', "_"));
    std::env::var(&variable).is_ok_and(|given| given.contains(value)).then_some(variable)
}

/// Joins the lines of clap's message into one.
fn fold(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.take_while(|line| !line.starts_with("For more information"));
    // clap cannot know that an argument was meant as a value.
    let lines = lines.filter(|line| !line.starts_with("tip: to pass '"));
    let joined = lines.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ").replace(" Usage: ", "; usage: ");
    printable(joined.strip_prefix("error: ").unwrap_or(&joined)).into_owned()
}
