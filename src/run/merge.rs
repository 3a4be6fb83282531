//! Adds up the ledgers of a count, and says how far each has come.

use super::ledger::{Contents, Header};
use super::sum::{Sum, SumError};
use super::words_of_numbers;
use crate::board::Board;
use crate::published::{self, Verdict};
use std::path::PathBuf;

/// The total of a count whose shards are all there.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The board.
    pub board: Board,
    /// The number of its solutions.
    pub total: u128,
    /// The engine's name.
    pub engine: String,
    /// The plan's name.
    pub plan: String,
    /// The number of units.
    pub units: usize,
    /// The number of shards that they were dealt to.
    pub shards: usize,
    /// The seconds that all units took, each on one thread.
    pub thread_seconds: f64,
    /// The unit that took longest and its seconds, where there is any.
    pub slowest: Option<(usize, f64)>,
}

impl Merged {
    /// How the total compares with the published one.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.total, published::total(self.board))
    }
}

/// Why ledgers do not make up a total.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There is no ledger.
    #[error("there is no ledger to merge")]
    Nothing,
    /// They are not of the same count.
    #[error("'{}' is of {theirs}, but '{}' is of {ours}; give the ledgers of one count", path.display(), other.display())]
    Mixed {
        /// A file.
        path: PathBuf,
        /// What it is the ledger of.
        theirs: String,
        /// The first file.
        other: PathBuf,
        /// What that is the ledger of.
        ours: String,
    },
    /// Two ledgers say different things of a unit.
    #[error(
        "unit {unit} counts {partial} in '{}', but {other_partial} in '{}': one of them is wrong",
        path.display(),
        other.display()
    )]
    Differ {
        /// The unit.
        unit: usize,
        /// A file.
        path: PathBuf,
        /// What it says.
        partial: u128,
        /// An earlier file.
        other: PathBuf,
        /// What that says.
        other_partial: u128,
    },
    /// Some units are in no ledger.
    #[error("{missing} of {units} units are missing, unit {first} for one: {}", those.join("; "))]
    Missing {
        /// How many.
        missing: usize,
        /// Of how many.
        units: usize,
        /// The first of them.
        first: usize,
        /// Which shards have no ledger, and which ledgers lack units.
        those: Vec<String>,
    },
    /// The partial counts do not make up a total.
    #[error(transparent)]
    Sum(#[from] SumError),
}

/// Adds up the partial counts of ledgers that are all of one plan. What two ledgers say alike is counted once.
///
/// # Errors
/// When there is no ledger, they are not of one plan, a unit is in none, or two differ in what a unit counts.
pub fn merge(ledgers: &[Contents]) -> Result<Merged, MergeError> {
    let header = of_one_plan(ledgers)?.ok_or(MergeError::Nothing)?;
    let mut sum = Sum::of(header.units, header.divisor);
    // The ledger that each unit is from, and its line.
    let mut from = vec![None; header.units];
    let mut thread_seconds = 0.0;
    let mut slowest: Option<(usize, f64)> = None;
    for ledger in ledgers {
        for (_, line) in ledger.units.values() {
            match from[line.unit] {
                None => {
                    from[line.unit] = Some((ledger, line.partial));
                    sum.add(line.unit, line.partial)?;
                    thread_seconds += line.seconds;
                    if slowest.is_none_or(|(_, seconds)| line.seconds > seconds) {
                        slowest = Some((line.unit, line.seconds));
                    }
                }
                Some((_, partial)) if partial == line.partial => {}
                Some((other, other_partial)) => {
                    return Err(MergeError::Differ {
                        unit: line.unit,
                        path: ledger.path.clone(),
                        partial: line.partial,
                        other: other.path.clone(),
                        other_partial,
                    });
                }
            }
        }
    }
    let missing = from.iter().filter(|from| from.is_none()).count();
    if let Some(first) = from.iter().position(Option::is_none) {
        return Err(MergeError::Missing { missing, units: header.units, first, those: gaps(header, ledgers) });
    }
    Ok(Merged {
        board: header.board,
        total: sum.total()?,
        engine: header.engine.clone(),
        plan: header.plan.clone(),
        units: header.units,
        shards: header.shard.count(),
        thread_seconds,
        slowest,
    })
}

/// What all the ledgers are of; `None` where there are none.
///
/// # Errors
/// When they are not of one plan, dealt to as many shards.
pub fn of_one_plan(ledgers: &[Contents]) -> Result<Option<&Header>, MergeError> {
    let Some((first, others)) = ledgers.split_first() else { return Ok(None) };
    match others.iter().find(|other| !other.header.is_of_the_same_plan(&first.header)) {
        None => Ok(Some(&first.header)),
        Some(other) => Err(MergeError::Mixed {
            path: other.path.clone(),
            theirs: other.header.in_words(),
            other: first.path.clone(),
            ours: first.header.in_words(),
        }),
    }
}

/// The shards, of so many, of which no ledger is complete.
pub fn missing_shards(ledgers: &[Contents], shards: usize) -> Vec<usize> {
    let complete = |index| ledgers.iter().any(|ledger| ledger.header.shard.index() == index && ledger.is_complete());
    (0..shards).filter(|&index| !complete(index)).collect()
}

/// Which shards have no ledger, and which ledgers lack units.
fn gaps(header: &Header, ledgers: &[Contents]) -> Vec<String> {
    let has_one = |index: &usize| ledgers.iter().any(|ledger| ledger.header.shard.index() == *index);
    let without: Vec<usize> = (0..header.shard.count()).filter(|index| !has_one(index)).collect();
    let mut gaps = Vec::new();
    if !without.is_empty() {
        gaps.push(format!("there is no ledger of shard {} of {}", words_of_numbers(&without), header.shard.count()));
    }
    for ledger in ledgers.iter().filter(|ledger| !ledger.is_complete()) {
        let Header { shard, shard_units, .. } = &ledger.header;
        let (path, units) = (ledger.path.display(), ledger.units.len());
        gaps.push(format!("'{path}', shard {shard}, has {units} of its {shard_units} units"));
    }
    gaps
}
