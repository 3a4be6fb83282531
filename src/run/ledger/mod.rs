//! The ledger: the file in which the finished units of a long count are written down.
//!
//! A ledger is text, a JSON object in each line ([`line`]). The first line, the [`Header`], says which plan is counted and
//! which [`Shard`](super::Shard) of it. Then come a line for each run that worked on it, [`RunLine`], and one for each finished unit,
//! [`UnitLine`]. Every line ends with a CRC-32 of what comes before, and that of a run or a unit also covers what the plan is
//! recognised by: so a line of another count is as good as damaged.
//!
//! - `line` writes and reads a line;
//! - `read` reads a whole file, whatever has happened to it;
//! - `write` opens a file to go on with it, mends it if need be, and appends to it.
//!
//! `docs/ledger.md` describes the format and what it withstands.

mod line;
mod read;
mod write;

pub use line::{Header, RunLine, UnitLine};
pub use read::{Contents, Damaged, read, read_header};
pub use write::{Found, Ledger, Locked, Recorder, is_in_use};

use std::path::{Path, PathBuf};

/// Why a ledger cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The system did not do what it was asked to.
    #[error("cannot {what} '{}': {reason}", path.display())]
    System {
        /// What was to be done, for instance "write to".
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
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
    #[error("'{}' is not a ledger ({reason}); give a new file, or one that an earlier count began", path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The ledger is of another count.
    #[error("'{}' is the ledger of {theirs}, not of {ours}; give another file, or what belongs to this one", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is the ledger of.
        theirs: String,
        /// What was to be counted.
        ours: String,
    },
    /// Some lines are damaged, and a file without them could not be put in its place.
    #[error("'{}': line {line} is damaged ({problem}), and cannot be mended: {reason}", path.display())]
    Mend {
        /// The file.
        path: PathBuf,
        /// The first damaged line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
        /// What the system said.
        reason: String,
    },
    /// Two lines of the ledger say different things of a unit.
    #[error(
        "'{}' says in line {line} that unit {unit} counts {partial}, but in line {earlier} that it counts {other}; \
         one of them is wrong, so this ledger cannot be used",
        path.display()
    )]
    Differ {
        /// The file.
        path: PathBuf,
        /// The unit.
        unit: usize,
        /// The line that differs from an earlier one, from 1.
        line: usize,
        /// What it says.
        partial: u128,
        /// The earlier line.
        earlier: usize,
        /// What that says.
        other: u128,
    },
}

impl LedgerError {
    fn system(what: &'static str, path: &Path, error: &std::io::Error) -> Self {
        Self::System { what, path: path.to_owned(), reason: error.to_string() }
    }
}

/// The seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The name of this machine.
fn host() -> String {
    sysinfo::System::host_name().unwrap_or_else(|| "unknown".to_owned())
}
