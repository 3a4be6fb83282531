//! Documents that are no table: items one after another, between a head and a tail.

use crate::app::output::Sink;
use serde::Serialize;
use std::io;

/// A format of documents of items. It makes the text; [`Document`] writes it.
pub(crate) trait Format<T> {
    /// Returns the text before the first item.
    fn head(&self) -> String {
        String::new()
    }

    /// Returns the text of the next item.
    fn item(&mut self, item: &T) -> String;

    /// Returns the text after the last item. `complete` is false where items are missing.
    fn tail(&self, _complete: bool) -> String {
        String::new()
    }
}

/// A document that is being written.
pub(crate) struct Document<T, W> {
    format: Box<dyn Format<T>>,
    out: W,
    has_head: bool,
    has_items: bool,
}

impl<T, W: Sink> Document<T, W> {
    pub(crate) fn new(format: Box<dyn Format<T>>, out: W) -> Self {
        Self { format, out, has_head: false, has_items: false }
    }

    fn head(&mut self) -> io::Result<()> {
        if self.has_head {
            return Ok(());
        }
        self.has_head = true;
        self.out.write_all(self.format.head().as_bytes())
    }

    /// Writes an item.
    pub(crate) fn item(&mut self, item: &T) -> io::Result<()> {
        self.head()?;
        self.has_items = true;
        let text = self.format.item(item);
        // Some formats write nothing before the tail.
        if !text.is_empty() {
            self.out.keep();
        }
        self.out.write_all(text.as_bytes())
    }

    /// Passes on what has been written so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes the end. `complete` is false where items are missing; `whole` is false where they are missing because the
    /// command was stopped, so that a file of the name stays as it is.
    pub(crate) fn finish(&mut self, complete: bool, whole: bool) -> io::Result<()> {
        self.head()?;
        if self.has_items {
            self.out.keep();
        }
        self.out.write_all(self.format.tail(complete).as_bytes())?;
        self.out.finish(whole)
    }
}

/// JSON: an object with a list of items, one a line. The items are numbers and words of the program's own.
pub(crate) struct Json {
    head: String,
    has_items: bool,
}

impl Json {
    /// Returns the format whose object begins with `fields` and has the items under `name`.
    pub(crate) fn new(fields: &str, name: &str) -> Self {
        Self { head: format!("{{{fields}, \"{name}\": ["), has_items: false }
    }
}

impl<T: Serialize> Format<T> for Json {
    fn head(&self) -> String {
        self.head.clone()
    }

    fn item(&mut self, item: &T) -> String {
        let gap = if std::mem::replace(&mut self.has_items, true) { ",\n" } else { "\n" };
        gap.to_owned() + &serde_json::to_string(item).expect("items have names for keys")
    }

    fn tail(&self, complete: bool) -> String {
        format!("\n], \"complete\": {complete}}}\n")
    }
}
