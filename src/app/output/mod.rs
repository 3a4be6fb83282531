//! The output of commands: formats, files, and words for numbers.

pub(crate) mod document;
pub(crate) mod file;
pub(crate) mod printable;
pub(crate) mod words;

use crate::app::failure::Failure;
use clap::ValueEnum;
pub(crate) use printable::{printable, printable_json};
use std::io::{self, Write};
use std::path::Path;

/// The output formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: results alone, or a table
    #[default]
    Text,
    /// One JSON document; counts are strings, because they can exceed 2^53
    Json,
    /// A header and one line for each row
    Csv,
    /// A Markdown table
    #[value(alias = "md")]
    Markdown,
}

/// The endings of names that stand for formats which some command has. A file of any other ending is text.
const ENDINGS: [&str; 6] = ["json", "csv", "md", "markdown", "svg", "html"];

/// Returns the format that the ending of a file's name stands for; `None` if it stands for none.
///
/// # Errors
/// If it stands for a format that this command does not have.
pub(crate) fn of_ending<F: ValueEnum>(path: &Path) -> Result<Option<F>, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let format = F::from_str(&ending, false).ok();
    if format.is_none() && ENDINGS.contains(&&*ending) {
        let formats = F::value_variants().iter().filter_map(F::to_possible_value);
        let names: Vec<String> = formats.map(|format| format.get_name().to_owned()).collect();
        return Err(Failure::Usage(format!(
            "'{}' is named as a file of format {ending}, which this command does not have; \
             give another name, or one of its formats with --format: {}",
            path.display(),
            names.join(", ")
        )));
    }
    Ok(format)
}

/// A destination of a document. A file gets its name only when the document is complete.
pub(crate) trait Sink: Write {
    /// Marks the part written so far as worth keeping, even if the document is never completed.
    fn keep(&mut self) {}

    /// Ends a complete document.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// Ends the document. `complete` is false if a part of it is missing.
    fn finish(&mut self, complete: bool) -> io::Result<()> {
        if complete { self.end() } else { self.flush() }
    }
}

/// A part of a document. Its end is not the end of the document.
impl Sink for &mut (dyn Write + '_) {}

#[cfg(test)]
impl Sink for Vec<u8> {}
#[cfg(test)]
impl Sink for &mut Vec<u8> {}
