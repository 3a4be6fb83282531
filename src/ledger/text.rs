//! The lines of a file of ledgers. The file may be compressed, and programs may have changed its line ends.
//!
//! The file is read in bounded memory, because its contents can be anything.

use crate::cancel::Cancel;
use crate::ledger::LedgerError;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

/// The longest line in bytes, with its end. A header has a few hundred bytes. A longer line is read in pieces, which
/// count as damaged lines.
const LONGEST_LINE: usize = (4 << 10) + "\r\n".len();
/// The byte order mark of UTF-8, which some editors write.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The beginning of a file that is compressed with gzip.
pub(super) const GZIP: &[u8] = &[0x1F, 0x8B];

pub(super) struct Lines<'a> {
    pub(super) path: &'a Path,
    cancel: &'a Cancel,
    reader: Box<dyn BufRead + 'a>,
    pub(super) is_gzip: bool,
    /// The last line read, or a piece of a line that is too long.
    line: Vec<u8>,
    /// The number of the line, from 1.
    pub(super) number: usize,
    /// True if the end of the line was read, or there is no line.
    pub(super) is_ended: bool,
}

impl<'a> Lines<'a> {
    /// Begins with the first line of the file.
    pub(super) fn new(path: &'a Path, mut file: &'a File, cancel: &'a Cancel) -> Result<Self, LedgerError> {
        let mut plain = BufReader::new(file);
        let is_gzip = file.rewind().and_then(|()| plain.fill_buf().map(|bytes| bytes.starts_with(GZIP)));
        let is_gzip = is_gzip.map_err(|error| LedgerError::io("read", path, error))?;
        let reader: Box<dyn BufRead> =
            if is_gzip { Box::new(BufReader::new(MultiGzDecoder::new(plain))) } else { Box::new(plain) };
        Ok(Self { path, cancel, reader, is_gzip, line: Vec::new(), number: 0, is_ended: true })
    }

    /// Reads the next line. Returns false at the end of the file.
    pub(super) fn next(&mut self) -> Result<bool, LedgerError> {
        self.cancel.check()?;
        self.line.clear();
        let read = (&mut self.reader).take(LONGEST_LINE as u64).read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| {
            if !self.is_gzip {
                return LedgerError::io("read", self.path, error);
            }
            LedgerError::DamagedArchive { path: self.path.to_owned(), reason: error.to_string() }
        })?;
        if read > 0 {
            self.number += usize::from(self.is_ended);
            self.is_ended = self.line.ends_with(b"\n");
        }
        Ok(read > 0)
    }

    /// Returns the line without byte order mark and surrounding space.
    pub(super) fn text(&self) -> &[u8] {
        self.line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.line).trim_ascii()
    }

    /// Returns true if the file ends within this line.
    pub(super) fn is_torn(&self) -> bool {
        !self.is_ended && self.line.len() < LONGEST_LINE
    }
}
