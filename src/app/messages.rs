//! Lines on standard error.

use crate::app::output::printable;
use crate::app::terminal::progress;
use std::fmt;
use std::io::{Write, stderr};

/// Prints one line on standard error, whatever has got into it, above the progress bar where there is one. All lines for people come
/// this way.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let line = format!("{}\n", printable(&line.to_string()));
    // When standard error is closed there is nobody left to tell.
    progress::above_bar(|| drop(stderr().write_all(line.as_bytes())));
}
