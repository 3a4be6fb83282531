//! The capabilities of terminals, and the progress bar.

pub(crate) mod bar;

use std::io::{IsTerminal, stderr};
#[cfg(unix)]
use std::os::fd::AsFd as AsStream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsStream;
use terminal_size::terminal_size_of;

/// Returns true if a progress bar can be drawn on standard error. A terminal with `TERM=dumb` has no escape sequences.
pub(crate) fn can_draw() -> bool {
    stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Returns the number of columns of a terminal; `None` if the stream is no terminal.
pub(crate) fn width(stream: impl AsStream) -> Option<usize> {
    Some(terminal_size_of(stream)?.0.0.into())
}
