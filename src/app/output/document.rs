//! Documents: items one after another, between a head and a tail.

use crate::app::output::{Sink, printable_json};
use serde::Serialize;
use std::io;

/// A format of documents of items. The format makes the text, and [`Document`] writes it.
pub(crate) trait DocumentFormat<T: ?Sized>: Send {
    /// Returns the text before the first item. The argument is `None` if there is no item.
    fn head(&self, _first: Option<&T>) -> String {
        String::new()
    }

    /// Returns the text of the next item.
    fn item(&mut self, item: &T) -> String;

    /// Returns the text after the last item. The argument is false if items are missing.
    fn tail(&self, _complete: bool) -> String {
        String::new()
    }
}

/// A format that is chosen when the program runs.
pub(crate) type ChosenFormat<T> = Box<dyn DocumentFormat<T>>;

/// A function that returns the text of an item is a format without a head and a tail.
impl<T: ?Sized, F: FnMut(&T) -> String + Send> DocumentFormat<T> for F {
    fn item(&mut self, item: &T) -> String {
        self(item)
    }
}

/// A document that is being written.
pub(crate) struct Document<T: ?Sized, W> {
    format: ChosenFormat<T>,
    out: W,
    has_items: bool,
}

impl<T: ?Sized, W: Sink> Document<T, W> {
    pub(crate) fn new(format: ChosenFormat<T>, out: W) -> Self {
        Self { format, out, has_items: false }
    }

    pub(crate) fn item(&mut self, item: &T) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_items, true) {
            self.text(&self.format.head(Some(item)))?;
        }
        let text = self.format.item(item);
        // Some formats write nothing before the tail.
        if !text.is_empty() {
            self.out.keep();
        }
        self.text(&text)
    }

    /// Writes a text after the items so far.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes the end. `complete` is false if items are missing because the command was stopped or failed. Then an old
    /// file of the same name stays as it is.
    pub(crate) fn finish(&mut self, complete: bool) -> io::Result<()> {
        self.finish_part(complete, complete)
    }

    /// Writes the end. `complete` is false if items are missing for any reason. `whole` is false if an old file of the
    /// same name must stay as it is.
    pub(crate) fn finish_part(&mut self, complete: bool, whole: bool) -> io::Result<()> {
        if self.has_items {
            self.out.keep();
        } else {
            self.text(&self.format.head(None))?;
        }
        self.text(&self.format.tail(complete))?;
        if whole { self.out.end() } else { self.out.flush() }
    }
}

/// JSON: an object with a list of items, one on each line.
pub(crate) struct Json<T: ?Sized> {
    head: String,
    item: fn(&T) -> serde_json::Result<String>,
    has_items: bool,
    after: String,
}

impl<T: ?Sized> Json<T> {
    /// Returns the format of an object that begins with the fields of `head`. The list of items follows under `name`,
    /// and `item` makes the text of each.
    pub(crate) fn new(head: &impl Serialize, name: &str, item: fn(&T) -> serde_json::Result<String>) -> Self {
        let head = serde_json::to_string(head).expect("its keys are texts");
        let fields = head.strip_suffix('}').expect("it is an object");
        Self { head: format!("{fields}, \"{name}\": ["), item, has_items: false, after: String::new() }
    }

    /// Puts the document between two texts.
    pub(crate) fn between(self, (before, after): (String, String)) -> Self {
        Self { head: before + &self.head, after, ..self }
    }
}

impl<T: ?Sized> DocumentFormat<T> for Json<T> {
    fn head(&self, _first: Option<&T>) -> String {
        self.head.clone()
    }

    fn item(&mut self, item: &T) -> String {
        let gap = if std::mem::replace(&mut self.has_items, true) { ",\n" } else { "\n" };
        let text = (self.item)(item).expect("items have names for keys");
        gap.to_owned() + &printable_json(&text)
    }

    fn tail(&self, complete: bool) -> String {
        format!("\n], \"complete\": {complete}}}\n{}", self.after)
    }
}
