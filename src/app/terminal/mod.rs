//! The capabilities of terminals, and the progress bar.

pub(crate) mod bar;

#[cfg(unix)]
use std::os::fd::AsFd as AsStream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsStream;
use terminal_size::terminal_size_of;

/// Returns the number of columns of a terminal; `None` if the stream is no terminal.
pub(crate) fn width(stream: impl AsStream) -> Option<usize> {
    Some(terminal_size_of(stream)?.0.0.into())
}
