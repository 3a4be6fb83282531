//! The ledgers that a command is given: files, or folders of them.

use super::failure::Failure;
use super::output::Named;
use nqueens::run::ledger::{Contents, LedgerError, read};
use nqueens::run::merge::{MergeError, of_one_plan};
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

/// The files, as [`open`](super::output::open) takes those that are read.
pub(crate) fn named(files: &[PathBuf]) -> Vec<Named<'_>> {
    files.iter().map(|file| (file.as_path(), "the ledger")).collect()
}

/// What they say; and which of them cannot be read as ledgers, in words.
pub(crate) fn contents(files: &[PathBuf]) -> Result<(Vec<Contents>, Vec<String>), Failure> {
    let (mut ledgers, mut unreadable) = (Vec::new(), Vec::new());
    for file in files {
        match read(file) {
            Ok(contents) => ledgers.push(contents),
            Err(error @ (LedgerError::NotALedger { .. } | LedgerError::Differ { .. })) => {
                unreadable.push(error.to_string());
            }
            Err(error) => return Err(Failure::Failed(error.to_string())),
        }
    }
    of_one_plan(&ledgers)?;
    Ok((ledgers, unreadable))
}

/// What is wrong with a ledger, where something is.
pub(crate) fn damage(ledger: &Contents) -> Option<String> {
    let first = ledger.damaged.first()?;
    let (path, line, reason) = (ledger.path.display(), first.line, &first.reason);
    let others = match ledger.damaged.len() - 1 {
        0 => String::new(),
        others => format!(", and {others} more"),
    };
    Some(format!("'{path}': line {line} is damaged: {reason}{others}"))
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Nothing | MergeError::Mixed { .. } => Failure::Usage(error.to_string()),
            _ => Failure::Failed(error.to_string()),
        }
    }
}
