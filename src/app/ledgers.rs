//! The ledgers given to a command: files, or folders of files.

use crate::app::failure::{Failure, refused};
use crate::app::messages::warn;
use crate::app::output::file::NamedPath;
use nqueens::Cancel;
use nqueens::ledger::{Contents, LedgerError, read_all};
use std::io;
use std::path::{Path, PathBuf};

/// The endings of the names of ledgers in a folder: plain ones, and compressed ones.
const ENDS: [&str; 2] = [".jsonl", ".jsonl.gz"];
/// The advice for a command that reads ledgers.
const ADVICE: &str = "give ledgers, or folders with files that end in .jsonl or .jsonl.gz";

/// Returns the ledgers at these paths, at least one. The files of a folder are sorted by name.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let cannot = |error| Failure::Usage(format!("cannot read '{}': {error}; {ADVICE}", path.display()));
        files.append(&mut files_at(path).map_err(cannot)?);
    }
    match paths.first() {
        Some(path) if files.is_empty() => refused(format!("there is no ledger in '{}'; {ADVICE}", path.display())),
        _ => Ok(files),
    }
}

/// Returns the file at a path, or the ledgers in the folder there.
fn files_at(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.metadata()?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = path.read_dir()?.map(|entry| entry.map(|entry| entry.path()));
    let mut found = entries.collect::<io::Result<Vec<_>>>()?;
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        ENDS.iter().any(|end| name.ends_with(end.as_bytes()))
    });
    found.sort();
    Ok(found)
}

/// Returns the files with their description for [`open`](crate::app::output::file::open), which must not overwrite
/// them.
pub(crate) fn named(files: &[PathBuf]) -> Vec<NamedPath<'_>> {
    files.iter().map(|file| (file.as_path(), "the ledger")).collect()
}

/// Reads ledgers, at least one. Warns of each file that is not a ledger, and of the damage of each ledger.
pub(crate) fn contents(files: &[PathBuf], cancel: &Cancel) -> Result<Vec<Contents>, Failure> {
    let (mut ledgers, mut unreadable) = (Vec::new(), Vec::new());
    let mut last = None;
    for file in files {
        match read_all(file, &mut last, cancel) {
            Ok(mut contents) => ledgers.append(&mut contents),
            Err(error @ LedgerError::NotALedger { .. }) => unreadable.push(error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    if let (Some(reason), true) = (unreadable.first(), ledgers.is_empty()) {
        return refused(format!("{reason}; give ledgers of one count"));
    }
    unreadable.into_iter().chain(ledgers.iter().filter_map(Contents::warning)).for_each(warn);
    Ok(ledgers)
}
