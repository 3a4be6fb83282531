//! The capabilities of terminals, and the progress bar.

pub(crate) mod progress;

use console::Term;
use std::io::{IsTerminal, stderr};

/// Returns true if the terminal has no escape sequences (`TERM=dumb`).
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Returns true if a progress bar can be drawn on standard error.
pub(crate) fn can_draw() -> bool {
    stderr().is_terminal() && !is_dumb()
}

/// Returns the number of columns of a stream that is a terminal; `None` if it is none.
pub(crate) fn width(stream: &Term) -> Option<usize> {
    Some(stream.size_checked()?.1.into()).filter(|&columns| columns > 0)
}
