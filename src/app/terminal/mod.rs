//! The capabilities of standard error, and drawing on it.

pub(crate) mod progress;

use console::Term;
use indicatif::TermLike;
use std::io::{self, IsTerminal, stderr};

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

/// Standard error as a drawing target that leaves the cursor at the beginning of the line after each draw.
///
/// A progress bar fills its line to the end. If the cursor stayed there, the `^C` that the terminal echoes would go to
/// the next line, and the wrong line would be erased at the end. A background job (after `bg`) draws nothing: the line is
/// the shell's then.
#[derive(Debug)]
pub(crate) struct Returning(Term);

impl Returning {
    pub(crate) fn stderr() -> Self {
        Self(Term::buffered_stderr())
    }

    /// Calls `draw`, unless another process group has the terminal.
    fn draw(&self, draw: impl FnOnce(&Term) -> io::Result<()>) -> io::Result<()> {
        #[cfg(unix)]
        if rustix::termios::tcgetpgrp(stderr()).is_ok_and(|group| group != rustix::process::getpgrp()) {
            return Ok(());
        }
        draw(&self.0)
    }
}

impl TermLike for Returning {
    fn width(&self) -> u16 {
        TermLike::width(&self.0)
    }
    fn height(&self) -> u16 {
        TermLike::height(&self.0)
    }
    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.draw(|term| term.move_cursor_up(lines))
    }
    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.draw(|term| term.move_cursor_down(lines))
    }
    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.draw(|term| term.move_cursor_right(columns))
    }
    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.draw(|term| term.move_cursor_left(columns))
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.draw(|term| term.write_line(text))
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.draw(|term| term.write_str(text))
    }
    fn clear_line(&self) -> io::Result<()> {
        self.draw(Term::clear_line)
    }
    fn flush(&self) -> io::Result<()> {
        self.draw(|term| term.write_str("\r").and_then(|()| term.flush()))
    }
}
