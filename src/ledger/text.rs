//! The lines of a file of ledgers, parts of which may be compressed, and whose line ends programs may have changed.
//!
//! The file is read in bounded memory, because its contents can be anything.

use crate::cancel::Cancel;
use crate::ledger::LedgerError;
use flate2::bufread::GzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

/// The longest line, in bytes. A header has a few hundred. A longer line is read in pieces, which are damaged lines.
const LONGEST_LINE: usize = 4 << 10;
/// The largest number of bytes that are no lines of a ledger. A file with more is refused.
const MOST_SKIPPED_BYTES: usize = 16 << 20;
/// The beginning of a ledger in every version of the format.
pub(super) const BEGINNING: &[u8] = b"{\"schema\":\"nqueens/ledger/";
/// The byte order mark of UTF-8, which some editors write.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The beginning of a file that is compressed with gzip.
pub(super) const GZIP: &[u8] = &[0x1F, 0x8B];

/// A file that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    pub(super) path: &'a Path,
    pub(super) file: &'a File,
    pub(super) cancel: &'a Cancel,
    /// True if it will be appended to, so that no part may be compressed.
    pub(super) appends: bool,
}

impl Input<'_> {
    fn error(&self, error: io::Error) -> LedgerError {
        LedgerError::io("read", self.path, error)
    }

    fn damaged(&self, reason: &dyn ToString) -> LedgerError {
        LedgerError::DamagedArchive { path: self.path.to_owned(), reason: reason.to_string() }
    }
}

/// A part of a file, to its end or to that of the compressed data.
enum Part<'a> {
    Plain(BufReader<&'a File>),
    Gzip(BufReader<GzDecoder<BufReader<&'a File>>>),
}

impl<'a> Part<'a> {
    /// Begins to read at a position.
    fn at(input: Input<'a>, position: u64) -> io::Result<Self> {
        let part = plain_at(input, position)?;
        let is_gzip = part.buffer().starts_with(GZIP);
        Ok(if is_gzip { Self::Gzip(BufReader::new(GzDecoder::new(part))) } else { Self::Plain(part) })
    }

    fn reader(&mut self) -> &mut dyn BufRead {
        match self {
            Self::Plain(part) => part,
            Self::Gzip(part) => part,
        }
    }
}

/// The lines of a file. A line ends with a newline, a carriage return, or both.
pub(super) struct Lines<'a> {
    input: Input<'a>,
    part: Part<'a>,
    /// The last line that was read, without its end, or a piece of a line that is too long.
    line: Vec<u8>,
    /// The number of the line, from 1.
    pub(super) number: usize,
    /// The end of the line, if it was read.
    end: Option<u8>,
    /// True if compressed data follow the line in the place of its end.
    is_cut: bool,
    /// The number of bytes that were skipped.
    skipped: usize,
}

impl<'a> Lines<'a> {
    /// Begins with the first line of the file.
    pub(super) fn of(input: Input<'a>) -> Result<Self, LedgerError> {
        let part = Part::at(input, 0).map_err(|error| input.error(error))?;
        Ok(Self { input, part, line: Vec::new(), number: 0, end: Some(b'\n'), is_cut: false, skipped: 0 })
    }

    /// Reads bytes. Those of the next part follow compressed ones. Returns false at the end of the file.
    fn fill(&mut self) -> Result<bool, LedgerError> {
        let input = self.input;
        loop {
            input.cancel.check()?;
            let has_bytes = has_bytes(self.part.reader());
            let Part::Gzip(gzip) = &mut self.part else { return has_bytes.map_err(|error| input.error(error)) };
            if input.appends {
                let reason = "an archive, and a count cannot continue one; give a ledger, or a new file".to_owned();
                return Err(LedgerError::Other { path: input.path.to_owned(), reason });
            }
            if has_bytes.map_err(|error| input.damaged(&error))? {
                return Ok(true);
            }
            let mut position = gzip.get_mut().get_mut().stream_position().map_err(|error| input.error(error))?;
            loop {
                input.cancel.check()?;
                self.part = Part::at(input, position).map_err(|error| input.error(error))?;
                let Part::Plain(part) = &self.part else { break };
                // Blank lines, or what fills up the blocks of a device.
                let padding = part.buffer().iter().take_while(|byte| b" \t\r\n\0".contains(byte)).count();
                if padding == 0 {
                    let rest = without_mark(part.buffer());
                    if rest.starts_with(&BEGINNING[..BEGINNING.len().min(rest.len())]) {
                        break;
                    }
                    return Err(input.damaged(&"it ends with something else"));
                }
                position += padding as u64;
            }
        }
    }

    /// Begins to read compressed data, if some begin at this place of a plain part. Returns true if they do.
    fn begins_gzip(&mut self) -> Result<bool, LedgerError> {
        let input = self.input;
        let Part::Plain(part) = &mut self.part else { return Ok(false) };
        let mut begin = || {
            let position = part.stream_position()?;
            let mut part = Part::at(input, position)?;
            let is_gzip = match &mut part {
                Part::Gzip(gzip) => has_bytes(gzip).is_ok(),
                Part::Plain(_) => false,
            };
            Ok((if is_gzip { part } else { Part::Plain(plain_at(input, position)?) }, is_gzip))
        };
        let (part, is_gzip) = begin().map_err(|error| input.error(error))?;
        self.part = part;
        // To look takes as long as to read a long line.
        self.skipped += if is_gzip { 0 } else { LONGEST_LINE };
        Ok(is_gzip)
    }

    /// Reads the next line. Returns false at the end of the file.
    pub(super) fn next(&mut self) -> Result<bool, LedgerError> {
        self.line.clear();
        let before = self.end.take().or(std::mem::take(&mut self.is_cut).then_some(b'\n'));
        let (mut may_belong, mut was_looked) = (before == Some(b'\r'), false);
        while self.end.is_none() && self.line.len() < LONGEST_LINE && self.fill()? {
            let is_plain = matches!(self.part, Part::Plain(_));
            let reader = self.part.reader();
            let bytes = reader.fill_buf().unwrap_or_default();
            if std::mem::take(&mut may_belong) && bytes.starts_with(b"\n") {
                reader.consume(1);
                continue;
            }
            let bytes = &bytes[..bytes.len().min(LONGEST_LINE - self.line.len())];
            let looks = is_plain && !was_looked;
            let is_end = |byte: &u8| b"\r\n".contains(byte) || looks && *byte == GZIP[0];
            let length = bytes.iter().position(is_end).unwrap_or(bytes.len());
            self.line.extend_from_slice(&bytes[..length]);
            let end = bytes.get(length).copied();
            reader.consume(length);
            if end == Some(GZIP[0]) {
                was_looked = true;
                self.is_cut = self.begins_gzip()? && !self.line.is_empty();
                if self.is_cut {
                    break;
                }
                continue;
            }
            self.part.reader().consume(usize::from(end.is_some()));
            self.end = end;
        }
        if self.end.is_none() && self.line.is_empty() {
            self.end = before;
            return Ok(false);
        }
        self.number += usize::from(before.is_some());
        Ok(true)
    }

    /// Returns the line without a byte order mark and the space around it.
    pub(super) fn text(&self) -> &[u8] {
        without_mark(&self.line).trim_ascii()
    }

    /// Returns true if the end of the line was read, or there is no line.
    pub(super) fn is_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Returns true if the file ends within this line.
    pub(super) fn is_torn(&self) -> bool {
        self.end.is_none() && self.line.len() < LONGEST_LINE
    }

    /// Skips a line that is none of a ledger.
    ///
    /// # Errors
    /// Returns an error if too many bytes were skipped.
    pub(super) fn skip(&mut self) -> Result<(), LedgerError> {
        self.skipped += self.line.len() + 1;
        if self.skipped <= MOST_SKIPPED_BYTES {
            return Ok(());
        }
        let reason = format!("more than {} MiB of it are no lines of one", MOST_SKIPPED_BYTES >> 20);
        Err(LedgerError::not_a_ledger(self.input.path, reason))
    }
}

/// Begins to read a file as it is.
fn plain_at(input: Input<'_>, position: u64) -> io::Result<BufReader<&File>> {
    let mut file = input.file;
    file.seek(SeekFrom::Start(position))?;
    let mut part = BufReader::new(file);
    has_bytes(&mut part)?;
    Ok(part)
}

/// Reads bytes, of which there are none at the end.
fn has_bytes(reader: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            filled => return filled.map(|bytes| !bytes.is_empty()),
        }
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}
