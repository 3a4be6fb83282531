//! What standard error can show.

use std::io::{IsTerminal, stderr};

/// Whether the terminal says that it can only print.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether a progress bar can be drawn on standard error.
pub(crate) fn can_draw() -> bool {
    stderr().is_terminal() && !is_dumb()
}
