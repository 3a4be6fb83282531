//! The ledgers that a command is given: files, or folders of them.

use crate::app::failure::Failure;
use crate::app::output::file::Named;
use crate::ledger::{Contents, Damage, LedgerError, read};
use std::io;
use std::path::{Path, PathBuf};

/// What the name of a ledger ends with, if it is to be found in a folder.
const EXTENSION: &str = "jsonl";

/// The files of these paths, those of a folder in the order of their names.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |path: &Path, error: &io::Error| {
        let path = path.display();
        Failure::Usage(format!(
            "cannot read '{path}': {error}; give ledgers, or folders with files that end in .{EXTENSION}"
        ))
    };
    let mut files = Vec::new();
    for path in paths {
        if !path.metadata().map_err(|error| cannot(path, &error))?.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = path.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let found = entries.map_err(|error| cannot(path, &error))?.into_iter().map(|entry| entry.path());
        let mut found: Vec<PathBuf> =
            found.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION)).collect();
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// The files, as [`open`](crate::app::output::file::open) takes those that are read.
pub(crate) fn named(files: &[PathBuf]) -> Vec<Named<'_>> {
    files.iter().map(|file| (file.as_path(), "the ledger")).collect()
}

/// Reads ledgers. Returns also why some files cannot be read as ledgers, where at least one can.
pub(crate) fn contents(files: &[PathBuf]) -> Result<(Vec<Contents>, Vec<String>), Failure> {
    let (ledgers, unreadable) = some_contents(files)?;
    match unreadable.first() {
        Some(reason) if ledgers.is_empty() => Err(Failure::Usage(format!("{reason}; give ledgers of one count"))),
        _ => Ok((ledgers, unreadable)),
    }
}

/// Reads ledgers as [`contents`] does; there may be none that can be read.
pub(crate) fn some_contents(files: &[PathBuf]) -> Result<(Vec<Contents>, Vec<String>), Failure> {
    let (mut ledgers, mut unreadable) = (Vec::new(), Vec::new());
    for file in files {
        match read(file) {
            Ok(contents) => ledgers.push(contents),
            Err(error @ LedgerError::NotALedger { .. }) => unreadable.push(error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok((ledgers, unreadable))
}

/// The damage of a ledger in words, where something is.
pub(crate) fn damage(ledger: &Contents) -> Option<String> {
    let Damage { line, reason, lines } = ledger.damage.as_ref()?;
    let path = ledger.path.display();
    let others = if *lines > 1 { format!(", and {} more", lines - 1) } else { String::new() };
    Some(format!("'{path}': line {line} is damaged: {reason}{others}"))
}
