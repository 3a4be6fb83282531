//! The ledger: the file in which a long count records its finished units.
//!
//! A ledger is a text file with one JSON object in each line. The first line, the [`Header`], names the plan
//! and the [`Shard`](crate::run::Shard) that are counted. After it come a [`RunLine`] for each run that worked on the
//! ledger and a [`UnitLine`] for each finished unit. Every line ends with a CRC-32 of the text before it. The CRC of a
//! run or a unit also covers the identity of the plan, so a line of another count is treated as damaged.
//!
//! [`Run`] counts the units that a ledger lacks, [`read`] reads a ledger, and [`merge`] adds up the ledgers of a
//! plan. `docs/ledger.md` describes the format and the faults that it tolerates.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod draw;
mod line;
mod merge;
mod progress;
mod read;
mod recheck;
mod run;
mod text;
mod write;

pub use line::{Header, RunLine, UnitLine};
pub use merge::{GatheredUnits, MergeError, MergedCount, merge};
pub use progress::{Progress, ProgressState};
pub use read::{Contents, Damage, read};
// The program and Python read several ledgers of one count, whose plan is made once, and know file systems and name shards
// as a ledger does.
#[doc(hidden)]
pub use self::{merge::ranges, merge::shards_in_words, read::is_ledger, read::read_all, write::is_lacking};
pub use recheck::{Recheck, RecountedUnit};
pub use run::Run;

use crate::cancel::Cancelled;
use crate::run::RunError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Error returned when a ledger cannot be used.
///
/// ```
/// use nqueens::ledger::{self, LedgerError};
///
/// assert!(matches!(ledger::read("no-such-file.jsonl"), Err(LedgerError::Io { .. })));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file cannot be opened for a run, or created.
    #[error("cannot open '{}': {source}", path.display())]
    Open {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: Arc<io::Error>,
    },
    /// The file cannot be read, or a run cannot go on with it.
    #[error("cannot {operation} '{}': {source}", path.display())]
    Io {
        /// The operation that failed, in words for people.
        operation: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: Arc<io::Error>,
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
    /// The archive is damaged. No part of it can be used.
    #[error("the archive '{}' is damaged: {reason}; get it from its source again", path.display())]
    DamagedArchive {
        /// The path of the archive.
        path: PathBuf,
        /// A description of the damage.
        reason: String,
    },
    /// The ledger cannot be used here: it belongs to another count, has another version of the format, or is an
    /// archive, which cannot be continued. It is left unchanged.
    #[error("'{}' is {reason}", path.display())]
    Other {
        /// The path of the ledger.
        path: PathBuf,
        /// A description of the ledger, and of what would be right.
        reason: String,
    },
    /// Two lines of the ledger have different partial counts for a unit.
    #[error(
        "'{}': {contradiction}; one of them is wrong: delete the lines of this unit, and the same count makes it again",
        path.display()
    )]
    Differ {
        /// The path of the ledger.
        path: PathBuf,
        /// The later line and both partial counts, in words.
        contradiction: String,
    },
    /// The ledger was not read to its end, because a [`Cancel`](crate::Cancel) was set.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The job cannot be prepared, or its count failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl LedgerError {
    fn io(operation: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { operation, path: path.to_owned(), source: Arc::new(source) }
    }

    fn not_a_ledger(path: &Path, reason: impl Into<String>) -> Self {
        Self::NotALedger { path: path.to_owned(), reason: reason.into() }
    }

    /// Returns the error for a ledger at `path` whose plan or shard is not `ours`.
    fn other(path: &Path, theirs: &Header, ours: &Header) -> Self {
        if theirs.is_of_the_same_plan(ours) {
            let reason =
                format!("the ledger of shard {}, not of shard {}; give another file", theirs.shard, ours.shard);
            return Self::Other { path: path.to_owned(), reason };
        }
        let reason = format!(
            "the ledger of {}, not of {}; give another file, or the same count as before to nqueens {}, which began it",
            theirs.in_words(),
            ours.in_words(),
            theirs.program_version
        );
        Self::Other { path: path.to_owned(), reason }
    }

    /// Returns the error for a ledger at `path` whose format has a version that this program does not know.
    fn other_version(path: &Path, header: &serde_json::Value) -> Self {
        let schema = header["schema"].as_str().unwrap_or_default();
        let version = header["program_version"].as_str().map_or_else(String::new, |version| format!(", {version}"));
        let reason = format!(
            "in version '{schema}' of the format, and this program knows {}; use the version of nqueens that began \
             it{version}",
            line::SCHEMA
        );
        Self::Other { path: path.to_owned(), reason }
    }
}

/// Returns the current time in seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn host() -> String {
    #[cfg(target_os = "linux")]
    return rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(target_os = "linux"))]
    sysinfo::System::host_name().unwrap_or_default()
}
