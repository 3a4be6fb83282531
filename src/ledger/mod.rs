//! The ledger: the file in which the finished units of a long count are written down.
//!
//! A ledger is text, a JSON object in each line ([`line`]). The first line, the [`Header`], says which plan is counted and
//! which [`Shard`](crate::run::Shard) of it. Then come a line for each run that worked on it, [`RunLine`], and one for each finished unit,
//! [`UnitLine`]. Every line ends with a CRC-32 of what comes before, and that of a run or a unit also covers what the plan is
//! recognised by: so a line of another count is as good as damaged.
//!
//! - `line` writes and reads a line;
//! - `read` reads a whole file, whatever has happened to it;
//! - `write` opens a file to go on with it, mends it if need be, and appends to it.
//!
//! `docs/ledger.md` describes the format and what it withstands.

mod line;
mod merge;
mod read;
mod run;
mod write;

pub use line::{Header, RunLine, UnitLine};
#[cfg(feature = "cli")]
pub(crate) use merge::{Gathered, ranges};
pub use merge::{MergeError, Merged, merge};
#[cfg(feature = "cli")]
pub(crate) use read::read_header;
pub use read::{Contents, Contradiction, Damage, read};
pub use run::Run;
pub use write::Found;
#[cfg(feature = "cli")]
pub(crate) use write::is_in_use;

use crate::run::RunError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Error returned when a ledger cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file cannot be opened or created.
    #[error("cannot open '{}': {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: Arc<io::Error>,
    },
    /// The system refused another operation on the file.
    #[error("cannot {operation} '{}': {source}", path.display())]
    Io {
        /// The operation, for instance "write to".
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: Arc<io::Error>,
    },
    /// Another file has taken the place of the ledger while it was in use.
    #[error("cannot go on with '{}': another file is there, or none", path.display())]
    Replaced {
        /// The path of the ledger.
        path: PathBuf,
    },
    /// Another process is working on it.
    #[error("'{}' is in use by {owner}; wait for it to end, or give another ledger", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// The process, and the machine it runs on.
        owner: String,
    },
    /// The file is something else, and is left alone.
    #[error("'{}' is not a ledger: {reason}", path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The ledger is in a version of the format that this program does not know, and is left alone.
    #[error(
        "'{}' is in version '{schema}' of the format, and this program knows {} and {}; use the version of nqueens that began it",
        path.display(),
        line::OLD_SCHEMA,
        line::SCHEMA
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version that it says it has.
        schema: String,
    },
    /// The ledger is of a shard whose units were dealt by the work expected of them, as version 0.1.0 did.
    #[error(
        "'{}' is of {what}, begun by nqueens {version}, which dealt other units to a shard; \
         finish all shards with that version, or count all of them again with new ledgers",
        path.display()
    )]
    OldShard {
        /// The file.
        path: PathBuf,
        /// The plan and the shard.
        what: String,
        /// The version of the program that began it.
        version: String,
    },
    /// The ledger is of another count.
    #[error(
        "'{}' is the ledger of {theirs}, not of {ours}; {}",
        path.display(),
        if *same_name { "finish it with the version that began it, or give another file" }
        else { "give another file, or the options that belong to this one" }
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// Its plan and shard.
        theirs: String,
        /// The plan and the shard that were to be counted.
        ours: String,
        /// True if only the units of the plan are other ones, so that another version of the program began it.
        same_name: bool,
    },
    /// Some lines are damaged, and a file without them could not be put in its place.
    #[error("'{}': line {line} is damaged ({problem}), and cannot be mended: {source}", path.display())]
    Mend {
        /// The file.
        path: PathBuf,
        /// The first damaged line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
        /// The error of the system.
        source: Arc<io::Error>,
    },
    /// Two lines of the ledger say different things of a unit.
    #[error(
        "'{}' says in line {} that unit {} counts {}, but in line {} that it counts {}; \
         one of them is wrong, so this ledger cannot be used",
        path.display(), contradiction.line, contradiction.unit, contradiction.partial,
        contradiction.earlier, contradiction.other
    )]
    Differ {
        /// The file.
        path: PathBuf,
        /// The lines.
        contradiction: Box<Contradiction>,
    },
    /// The job cannot be prepared, or its count failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl LedgerError {
    fn open(path: &Path, source: io::Error) -> Self {
        Self::Open { path: path.to_owned(), source: Arc::new(source) }
    }

    fn io(operation: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { operation, path: path.to_owned(), source: Arc::new(source) }
    }

    /// The error where the ledger at `path` is of another plan or shard than it should be.
    fn other(path: &Path, theirs: &Header, ours: &Header) -> Self {
        let named = |header: &Header| (header.board, header.engine.clone(), header.plan.clone(), header.shard);
        let same_name = named(theirs) == named(ours);
        let version = if same_name { format!(", begun by nqueens {}", theirs.program_version) } else { String::new() };
        let (theirs, ours) = (theirs.in_words() + &version, ours.in_words());
        Self::Other { path: path.to_owned(), theirs, ours, same_name }
    }
}

/// The seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The name of this machine.
fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}
