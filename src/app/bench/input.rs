//! Reading of files whose content is not trusted.

use crate::app::output::words::grouped;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Reads a regular file of at most `most` bytes. A pipe or a device, which may never begin or end, is refused.
///
/// # Errors
/// If the file is larger or cannot be read; the reason.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    if metadata.len() <= most {
        let file = File::open(path).map_err(|error| error.to_string())?;
        // The file may grow while it is read.
        file.take(most + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    }
    if metadata.len() > most || bytes.len() as u64 > most {
        return Err(format!("it is larger than {} bytes", grouped(most)));
    }
    Ok(bytes)
}

/// Shortens the message of a parser, which may quote much of its input, but keeps the line number at its end.
pub(super) fn clipped(reason: &str) -> String {
    const MOST: usize = 300;
    match reason.char_indices().nth(MOST) {
        None => reason.to_owned(),
        Some((end, _)) => {
            let place = reason.rfind(" at line ").filter(|&place| place > end).map_or("", |place| &reason[place..]);
            format!("{}\u{2026}{place}", &reason[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_reasons_are_clipped_but_for_the_line() {
        assert_eq!(clipped("short at line 3"), "short at line 3");
        let text = clipped(&format!("{} at line 7 column 8", "\u{b5}".repeat(1000)));
        assert_eq!(text, format!("{}\u{2026} at line 7 column 8", "\u{b5}".repeat(300)));
    }

    #[test]
    fn only_regular_files_of_some_size_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err(), "it is larger than 4 bytes");
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(&path, 4 << 20).unwrap_err(), "it is larger than 4,194,304 bytes");
        assert_eq!(read(dir.path(), 5).unwrap_err(), "it is not a regular file");
    }
}
