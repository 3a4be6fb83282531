//! The ledger: the file in which a long count records its finished units.
//!
//! A ledger is a text file with one JSON object in each line. The first line, the [`Header`], names the plan
//! and the [`Shard`](crate::run::Shard) that are counted. After it come a [`RunLine`] for each run that worked on the
//! ledger and a [`UnitLine`] for each finished unit. Every line ends with a CRC-32 of the text before it. The CRC of a
//! run or a unit also covers the identity of the plan, so a line of another count is treated as damaged.
//!
//! - `line` writes and reads a line;
//! - `read` reads a whole file, even a damaged one;
//! - `write` opens a file to continue it, repairs it if necessary, and appends to it;
//! - `run` counts the units that a ledger lacks;
//! - `merge` adds up the ledgers of a plan;
//! - `archive` writes and reads their compact form.
//!
//! `docs/ledger.md` describes the format and the faults that it tolerates, `docs/formats.md` the format of an archive.

mod archive;
mod line;
mod merge;
mod read;
mod run;
mod write;

pub use archive::archive;
#[cfg(feature = "cli")]
pub(crate) use archive::is_likely as is_likely_archive;
pub use line::{Header, RunLine, UnitLine};
#[cfg(feature = "cli")]
pub(crate) use merge::{Gathered, ranges};
pub use merge::{MergeError, Merged, merge};
pub use read::{Contents, Contradiction, Damage, read};
pub use run::Run;
pub use write::Found;
#[cfg(feature = "cli")]
pub(crate) use write::is_in_use;

use crate::engine;
use crate::run::RunError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Error returned when a ledger or an archive cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file cannot be opened or created.
    #[error("cannot open '{}': {source}", path.display())]
    Open {
        /// The path of the ledger.
        path: PathBuf,
        /// The system's error.
        source: Arc<io::Error>,
    },
    /// Another operation on the file failed.
    #[error("cannot {operation} '{}': {source}", path.display())]
    Io {
        /// The operation, for example "write to".
        operation: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: Arc<io::Error>,
    },
    /// The ledger was replaced or removed while it was in use.
    #[error("cannot go on with '{}': another file is there, or none", path.display())]
    Replaced {
        /// The path of the ledger.
        path: PathBuf,
    },
    /// Another process is working on the ledger.
    #[error("'{}' is in use by {owner}; wait for it to end, or give another ledger", path.display())]
    InUse {
        /// The path of the ledger.
        path: PathBuf,
        /// The process and its machine.
        owner: String,
    },
    /// The file is not a ledger. It is left unchanged.
    #[error("'{}' is not a ledger: {reason}", path.display())]
    NotALedger {
        /// The path of the file.
        path: PathBuf,
        /// The reason that it is not a ledger.
        reason: String,
    },
    /// The ledger has a version of the format that this program does not know. It is left unchanged.
    #[error(
        "'{}' is in version '{schema}' of the format, and this program knows {} and {}; \
         use the version of nqueens that began it",
        path.display(),
        line::OLD_SCHEMA,
        line::SCHEMA
    )]
    OtherVersion {
        /// The path of the ledger.
        path: PathBuf,
        /// The version found in the ledger.
        schema: String,
    },
    /// The file is an archive where a ledger was needed. It is left unchanged.
    #[error("'{}' is an archive, and a count cannot continue one; give a ledger, or a new file", path.display())]
    Archive {
        /// The path of the archive.
        path: PathBuf,
    },
    /// The archive has a version of the format that this program does not know.
    #[error(
        "'{}' is an archive in version {version} of the format, and this program knows version {}; \
         use a later version of nqueens",
        path.display(),
        archive::VERSION
    )]
    OtherArchive {
        /// The path of the archive.
        path: PathBuf,
        /// The version found in the archive.
        version: u32,
    },
    /// The archive is damaged. No part of it can be used.
    #[error("the archive '{}' is damaged: {reason}; get it from its source again", path.display())]
    DamagedArchive {
        /// The path of the archive.
        path: PathBuf,
        /// A description of the damage.
        reason: String,
    },
    /// The ledger is of a shard whose units were assigned by expected work, as version 0.1.0 did.
    #[error(
        "'{}' is of {what}, begun by nqueens {version}, which dealt other units to a shard; \
         finish all shards with that version, or count all of them again with new ledgers",
        path.display()
    )]
    OldShard {
        /// The path of the ledger.
        path: PathBuf,
        /// The plan and the shard.
        what: String,
        /// The version of the program that created the ledger.
        version: String,
    },
    /// The ledger is of another count.
    #[error(
        "'{}' is the ledger of {theirs}, not of {ours}; {}",
        path.display(),
        if *same_name { "finish it with that version, or begin a new ledger" }
        else { "give another file, or a job that belongs to this one" }
    )]
    Other {
        /// The path of the ledger.
        path: PathBuf,
        /// The plan and the shard of the ledger.
        theirs: String,
        /// The plan and the shard that were to be counted.
        ours: String,
        /// True if the plans differ only because another version of the program created the ledger.
        same_name: bool,
    },
    /// Some lines are damaged, and the repaired file could not be put in the ledger's place.
    #[error("'{}': line {line} is damaged ({problem}), and the ledger cannot be repaired: {source}", path.display())]
    Mend {
        /// The path of the ledger.
        path: PathBuf,
        /// The first damaged line, from 1.
        line: usize,
        /// A description of the damage.
        problem: String,
        /// The system's error.
        source: Arc<io::Error>,
    },
    /// Two lines of the ledger have different partial counts for a unit.
    #[error(
        "'{}' says in line {} that unit {} counts {}, but in line {} that it counts {}; \
         one of them is wrong, so this ledger cannot be used",
        path.display(), contradiction.line, contradiction.unit, contradiction.partial,
        contradiction.earlier, contradiction.other
    )]
    Differ {
        /// The path of the ledger.
        path: PathBuf,
        /// The two lines.
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

    /// Returns the error for a ledger at `path` that is of another plan or shard than `ours`.
    fn other(path: &Path, theirs: &Header, ours: &Header) -> Self {
        let named = |header: &Header| (header.board, header.engine.clone(), header.shard);
        let is_earlier = || {
            let engine = engine::by_name(&theirs.engine);
            engine.is_some_and(|engine| engine.earlier_plan(theirs.board, &theirs.plan).is_some())
        };
        let same_name = named(theirs) == named(ours) && (theirs.plan == ours.plan || is_earlier());
        let version = if same_name { format!(", begun by nqueens {}", theirs.program_version) } else { String::new() };
        let (theirs, ours) = if theirs.is_of_the_same_plan(ours) {
            (theirs.shard_in_words(), format!("{}, N = {}", ours.shard_in_words(), ours.board))
        } else {
            (theirs.in_words() + &version, ours.in_words())
        };
        Self::Other { path: path.to_owned(), theirs, ours, same_name }
    }
}

/// Returns the current time in seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the name of this machine.
fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}
