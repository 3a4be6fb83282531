//! Documents: items one after another, such as solutions. Each is written as soon as it is known.

use crate::app::output::printable_json;
use serde::Serialize;

/// A format of documents of items. The format makes the text, and a [sink](super::Sink) writes it.
pub(crate) trait DocumentFormat<T> {
    /// Returns the text of the next item.
    fn item(&mut self, item: &T) -> String;

    /// Returns the text after the last item. The argument is false if items are missing.
    fn end(&mut self, _complete: bool) -> String {
        String::new()
    }
}

/// A function that returns the text of an item is a format with nothing at the end.
impl<T, F: FnMut(&T) -> String> DocumentFormat<T> for F {
    fn item(&mut self, item: &T) -> String {
        self(item)
    }
}

/// JSON: an object with a list of items, one on each line.
pub(crate) struct Json {
    before: String,
    after: String,
    has_items: bool,
}

impl Json {
    /// Returns the format of an object that begins with the fields of `head`, and has the items under `name`.
    pub(crate) fn new(head: &impl Serialize, name: &str) -> Self {
        let head = serde_json::to_string(head).expect("its keys are texts");
        let fields = head.strip_suffix('}').expect("it is an object");
        Self { before: format!("{fields}, \"{name}\": [\n"), after: String::new(), has_items: false }
    }

    /// Puts the document between two texts.
    pub(crate) fn between(self, (before, after): (String, String)) -> Self {
        Self { before: before + &self.before, after, ..self }
    }
}

impl<T: Serialize> DocumentFormat<T> for Json {
    fn item(&mut self, item: &T) -> String {
        let text = serde_json::to_string(item).expect("items have names for keys");
        let gap = if std::mem::replace(&mut self.has_items, true) { ",\n" } else { &self.before };
        gap.to_owned() + &printable_json(&text)
    }

    /// Returns the end, which closes the list and the object even if items are missing.
    fn end(&mut self, complete: bool) -> String {
        let before = if self.has_items { "\n" } else { &self.before };
        format!("{before}], \"complete\": {complete}}}\n{}", self.after)
    }
}
