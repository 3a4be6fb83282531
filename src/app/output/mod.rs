//! The output of commands: formats, files, and words for numbers.

pub(crate) mod document;
pub(crate) mod file;
pub(crate) mod printable;
pub(crate) mod words;

use crate::app::failure::{Failure, refused};
use clap::ValueEnum;
pub(crate) use printable::{printable, printable_json};
use std::io::{self, Write};
use std::path::Path;

/// Returns the format that has the ending of the file as its name. Returns `None` if there is no ending, or if it is
/// `txt`, the ending of any text.
///
/// # Errors
/// If this command has no format of this name.
pub(crate) fn format_of_ending<F: ValueEnum>(path: &Path) -> Result<Option<F>, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    match F::from_str(&ending, true) {
        Ok(format) => Ok(Some(format)),
        Err(_) if ending.is_empty() || ending.eq_ignore_ascii_case("txt") => Ok(None),
        Err(_) => {
            let formats = F::value_variants().iter().filter_map(F::to_possible_value);
            let names: Vec<String> = formats.map(|format| format.get_name().to_owned()).collect();
            refused(format!(
                "the ending of '{}' is no format of this command; give another name, or one of its formats with \
                 --format: {}",
                path.display(),
                names.join(", ")
            ))
        }
    }
}

/// A destination of a document. A file gets its name only when the document is complete.
pub(crate) trait Sink: Write {
    /// Ends a complete document.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// Writes the end. `is_whole` is false if an old file of the same name must stay as it is.
    fn finish(&mut self, end: &str, is_whole: bool) -> io::Result<()> {
        self.write_all(end.as_bytes())?;
        if is_whole { self.end() } else { self.flush() }
    }
}

#[cfg(test)]
impl Sink for Vec<u8> {}
#[cfg(test)]
impl Sink for &mut Vec<u8> {}
