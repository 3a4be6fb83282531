//! What standard error can show, and how it is drawn on.

pub(crate) mod progress;

use console::Term;
use indicatif::TermLike;
use std::io::{self, IsTerminal, stderr};

/// Whether the terminal says that it can only print.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether a progress bar can be drawn on standard error.
pub(crate) fn can_draw() -> bool {
    stderr().is_terminal() && !is_dumb()
}

/// Standard error as a terminal on which every picture leaves the cursor at the beginning of its line.
///
/// A picture fills its line to the end. A cursor left there would have the `^C` that the terminal echoes go to the next
/// line, and the line that is erased in the end would be that one.
#[derive(Debug)]
pub(crate) struct Returning(Term);

impl Returning {
    pub(crate) fn stderr() -> Self {
        Self(Term::buffered_stderr())
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
        self.0.move_cursor_up(lines)
    }
    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_down(lines)
    }
    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_right(columns)
    }
    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_left(columns)
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.0.write_line(text)
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }
    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }
    fn flush(&self) -> io::Result<()> {
        self.0.write_str("\r")?;
        self.0.flush()
    }
}
