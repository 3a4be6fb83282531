//! Lines on standard error.

use crate::report::printable;
use std::fmt;
use std::io::{Write, stderr};

/// Prints one line on standard error, whatever has got into it.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let line = format!("{}\n", printable(&line.to_string()));
    // When standard error is closed there is nobody left to tell.
    let _ = stderr().write_all(line.as_bytes());
}
