//! Merges the ledgers of a plan: adds up their partial counts, or reports what is missing.

use crate::board::Board;
use crate::engine::{Engine, Plan};
use crate::ledger::{Contents, Header, LedgerError, RunLine, UnitLine};
use crate::published::Verdict;
use crate::run::{Shard, total};
use crate::setup::Setup;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The total of a count whose shards are all finished.
///
/// ```
/// use nqueens::ledger;
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let merged = ledger::merge(&[ledger::read(path)?])?;
/// assert_eq!(merged.total, 352);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedCount {
    /// The board.
    pub board: Board,
    /// The given queens and blocked squares of the board; `None` if it has none.
    pub setup: Option<Setup>,
    /// The number of solutions.
    pub total: u128,
    /// The engine that counted.
    pub engine: Engine,
    /// The name of the plan.
    pub plan: String,
    /// The number of units.
    pub units: usize,
    /// The number of shards of the plan; 1 if all ledgers are of the whole plan.
    pub shards: usize,
    /// The time that all units took together, in seconds of one core: CPU time if the ledgers have it.
    pub core_seconds: f64,
    /// The devices that counted: their names, platforms and drivers; `None` if only CPUs counted.
    pub device: Option<String>,
}

impl MergedCount {
    /// Compares the total with the published count, as [`Count::verdict`](crate::Count::verdict) does.
    pub fn verdict(&self) -> Verdict {
        Verdict::new((self.board, self.setup), self.total)
    }
}

/// Error returned when ledgers do not make up a total, or cannot be counted again.
///
/// ```
/// use nqueens::ledger::{self, MergeError};
///
/// assert!(matches!(ledger::merge(&[]), Err(MergeError::Nothing)));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// No ledgers were given.
    #[error("there is no ledger to merge")]
    Nothing,
    /// The ledgers do not all belong to one count, this program does not make their plan, so that the total could not be
    /// trusted, or no unit is finished that could be counted again.
    #[error("{0}")]
    Unusable(String),
    /// Two ledgers have different partial counts for a unit.
    #[error(
        "unit {unit} counts {} in '{}', but {} in '{}': one of them is wrong",
        counts[0], ledgers[0].display(), counts[1], ledgers[1].display()
    )]
    Differ {
        /// The unit.
        unit: usize,
        /// The partial counts.
        counts: [u128; 2],
        /// The paths of their ledgers.
        ledgers: [PathBuf; 2],
    },
    /// A ledger contradicts itself, or its plan could not be made again.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Some units are in no ledger.
    #[error("{missing} of {units} units {} missing{shards}", if *missing == 1 { "is" } else { "are" })]
    Missing {
        /// The number of missing units.
        missing: usize,
        /// The number of units of the plan.
        units: usize,
        /// The unfinished shards, in words.
        shards: String,
    },
    /// The partial counts do not make up a total.
    #[error("{0}: a ledger is wrong")]
    Sum(String),
}

/// Ledgers that all belong to one plan, and this plan.
///
/// ```
/// use nqueens::ledger;
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let ledgers = [ledger::read(path)?];
/// assert_eq!(ledger::GatheredUnits::new(&ledgers)?.merged()?.total, 352);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GatheredUnits<'a> {
    pub(super) ledgers: &'a [Contents],
    plan: Arc<Plan>,
    /// The number of shards of the plan.
    shards: usize,
    /// The finished units. If several ledgers have a unit, the line of the first one stands for it.
    pub(super) units: BTreeMap<usize, UnitRecord<'a>>,
    /// The units whose lines contradict each other.
    contradicted: BTreeSet<usize>,
    /// The first contradiction found.
    contradiction: Option<MergeError>,
}

/// A finished unit in one of several ledgers.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitRecord<'a> {
    pub(super) ledger: &'a Contents,
    /// The run that counted the unit.
    pub(super) run: &'a RunLine,
    pub(super) line: &'a UnitLine,
}

impl<'a> GatheredUnits<'a> {
    /// Gathers ledgers, and makes their plan again to check that they belong to it. If several ledgers have a unit, it
    /// is counted once.
    ///
    /// # Errors
    /// Returns an error if there are no ledgers, they belong to several plans or to different numbers of shards, or
    /// this program does not make their plan. A ledger of the whole plan goes with any number of shards.
    pub fn new(ledgers: &'a [Contents]) -> Result<Self, MergeError> {
        let first = ledgers.iter().find(|ledger| ledger.header.shard != Shard::WHOLE).or(ledgers.first());
        let first = first.ok_or(MergeError::Nothing)?;
        let shards = first.header.shard.count();
        let same = |Header { shard, .. }: &Header| *shard == Shard::WHOLE || shard.count() == shards;
        let is_other = |other: &&Contents| !first.header.is_of_the_same_plan(&other.header) || !same(&other.header);
        if let Some(other) = ledgers.iter().find(is_other) {
            // Only the differences are named.
            let is_one = other.header.board == first.header.board;
            let words = |header: &Header| if is_one { header.in_words() } else { format!("N = {}", header.board) };
            let is_of = |ledger: &Contents| format!("'{}' is of {}", ledger.path.display(), words(&ledger.header));
            let message = format!("{}, but {}; give the ledgers of one count", is_of(other), is_of(first));
            return Err(MergeError::Unusable(message));
        }
        let plan = first.plan.clone().map_err(|reason| {
            let Contents { path, header, .. } = first;
            let (path, what, version) = (path.display(), header.in_words(), &header.program_version);
            let right = format!("merge it with the version that began it, nqueens {version}");
            MergeError::Unusable(format!("'{path}' is of {what}: {reason}; {right}"))
        })?;
        let (units, contradicted) = (BTreeMap::new(), BTreeSet::new());
        let mut gathered = Self { ledgers, plan, shards, units, contradicted, contradiction: None };
        for ledger in ledgers {
            gathered.add(ledger);
        }
        Ok(gathered)
    }

    fn add(&mut self, ledger: &'a Contents) {
        let mut contradiction = ledger.without_contradiction().err().map(MergeError::from);
        self.contradicted.extend(&ledger.contradicted);
        for &(run, ref line) in ledger.units.values() {
            let recorded = UnitRecord { ledger, run: &ledger.runs[run], line };
            let first = self.units.entry(line.unit).or_insert(recorded);
            if first.line.partial != line.partial {
                let counts = [&recorded, &*first].map(|recorded| recorded.line.partial);
                let ledgers = [ledger, first.ledger].map(|ledger| ledger.path.clone());
                self.contradicted.insert(line.unit);
                contradiction.get_or_insert(MergeError::Differ { unit: line.unit, counts, ledgers });
            }
        }
        self.contradiction = self.contradiction.take().or(contradiction);
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the seconds that threads took to count the finished units: CPU time if it is recorded.
    pub fn core_seconds(&self) -> f64 {
        // The sum starts from 0, because the sum of no numbers is -0.
        self.units.values().fold(0.0, |sum, recorded| sum + recorded.line.core_seconds())
    }

    /// Returns the number of shards of the plan; 1 if all ledgers are of the whole plan.
    pub fn shards(&self) -> usize {
        self.shards
    }

    /// Returns the indices of the shards with a ledger.
    pub fn shards_with_ledger(&self) -> HashSet<usize> {
        let shards = self.ledgers.iter().map(|ledger| ledger.header.shard);
        shards.filter(|shard| shard.count() == self.shards).map(Shard::index).collect()
    }

    /// Returns the shards that are not finished: each has a unit that is in no ledger, or whose lines contradict each
    /// other.
    pub fn missing_shards(&self) -> Vec<usize> {
        let contradicted = self.contradicted.iter().copied();
        let missing: BTreeSet<usize> = self.missing().chain(contradicted).map(|unit| unit % self.shards).collect();
        missing.into_iter().collect()
    }

    /// Checks that no two lines have different partial counts for a unit.
    ///
    /// # Errors
    /// Returns the first contradiction.
    pub fn without_contradiction(&self) -> Result<(), MergeError> {
        self.contradiction.clone().map_or(Ok(()), Err)
    }

    /// Adds up the partial counts.
    ///
    /// # Errors
    /// Returns an error if two lines have different partial counts for a unit, a unit is in no ledger, or the partial
    /// counts do not make up a total.
    pub fn merged(&self) -> Result<MergedCount, MergeError> {
        self.without_contradiction()?;
        let missing = self.missing().count();
        if missing > 0 {
            let shards = match self.shards {
                1 => String::new(),
                all => format!(", of {} of {all}", shards_in_words(&self.missing_shards())),
            };
            return Err(MergeError::Missing { missing, units: self.plan.units(), shards });
        }
        let devices: BTreeSet<&str> = self.units.values().filter_map(|unit| unit.run.device.as_deref()).collect();
        let device = devices.into_iter().collect::<Vec<_>>().join("; ");
        Ok(MergedCount {
            board: self.plan.board(),
            setup: self.plan.setup().copied(),
            total: total(&self.plan, self.units.values().map(|unit| unit.line.partial)).map_err(MergeError::Sum)?,
            engine: self.plan.engine(),
            plan: self.plan.name().to_owned(),
            units: self.plan.units(),
            shards: self.shards,
            core_seconds: self.core_seconds(),
            device: Some(device).filter(|device| !device.is_empty()),
        })
    }

    /// Returns the units that are in no ledger.
    fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.plan.units()).filter(|unit| !self.units.contains_key(unit))
    }
}

/// Adds up the partial counts of ledgers that all belong to one plan. If two ledgers have equal lines for a unit, it is
/// counted once.
///
/// # Errors
/// Returns an error if there are no ledgers, they belong to several plans, a unit is missing, or two lines have
/// different partial counts for a unit.
pub fn merge(ledgers: &[Contents]) -> Result<MergedCount, MergeError> {
    GatheredUnits::new(ledgers)?.merged()
}

/// Returns ascending numbers in the form that a Slurm job array takes: `2,5-7`.
pub fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let word = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        run => run.iter().map(usize::to_string).collect(),
    };
    runs.map(word).collect::<Vec<_>>().join(",")
}

/// Returns ascending numbers of shards in words: `shards 2,5-7`.
pub fn shards_in_words(shards: &[usize]) -> String {
    format!("shard{} {}", if shards.len() == 1 { "" } else { "s" }, ranges(shards))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::ledger::Run;
    use crate::run::Job;

    /// Counts a shard, and returns its ledger.
    pub(in crate::ledger) fn counted(size: usize, shard: &str) -> Contents {
        counted_by(&Job::new(Board::new(size).unwrap()).threads(1), shard)
    }

    pub(in crate::ledger) fn counted_by(job: &Job, shard: &str) -> Contents {
        let folder = tempfile::tempdir().unwrap();
        let (path, cancel) = (folder.path().join("ledger.jsonl"), Cancel::new());
        Run::open(job, &path, shard.parse().unwrap(), &cancel).unwrap().count(&cancel, &()).unwrap();
        crate::ledger::read(&path).unwrap()
    }

    #[test]
    fn ledgers_of_one_plan_and_one_number_of_shards_are_merged_and_no_others() {
        let [whole, half, other_half, third] = ["0/1", "0/2", "1/2", "0/3"].map(|shard| counted(8, shard));
        let merged = |ledgers: &[&Contents]| merge(&ledgers.iter().copied().cloned().collect::<Vec<_>>());
        let other_board = counted(9, "0/1");
        for mixed in [[&half, &third], [&third, &half], [&whole, &other_board], [&other_board, &half]] {
            assert!(matches!(merged(&mixed), Err(MergeError::Unusable(_))));
        }
        let both = merged(&[&half, &other_half]).unwrap();
        assert_eq!((both.total, both.verdict(), both.shards, both.device), (92, Verdict::Matches, 2, None));
        assert!((both.core_seconds - half.core_seconds() - other_half.core_seconds()).abs() < 1e-9);
        assert_eq!(merged(&[&whole]).unwrap().shards, 1);
        assert_eq!([merged(&[&whole, &third]), merged(&[&third, &whole])].map(|merged| merged.unwrap().shards), [3, 3]);
        let lacking = merged(&[&other_half]);
        let expected = half.units.len();
        assert!(matches!(lacking, Err(MergeError::Missing { missing, .. }) if missing == expected), "{lacking:?}");
        let half = [other_half];
        let gathered = GatheredUnits::new(&half).unwrap();
        assert_eq!((gathered.missing_shards(), gathered.shards_with_ledger()), (vec![0], HashSet::from([1])));
        assert_eq!(gathered.shards(), 2);
    }

    /// One contradiction is between the ledgers, and then one more within each.
    #[test]
    fn a_contradiction_is_named_and_every_contradicted_shard_is_missing() {
        let mut first = counted(8, "0/1");
        let mut second = first.clone();
        second.units.get_mut(&1).unwrap().1.partial += 8;
        for ledgers in [[first.clone(), second.clone()], [second.clone(), first.clone()]] {
            let gathered = GatheredUnits { shards: 3, ..GatheredUnits::new(&ledgers).unwrap() };
            assert!(matches!(gathered.merged(), Err(MergeError::Differ { unit: 1, .. })));
            assert_eq!(gathered.missing_shards(), [1]);
        }
        for (ledger, unit) in [(&mut first, 0), (&mut second, 2)] {
            ledger.contradicted.insert(unit);
            ledger.contradiction = Some(format!("in line 9 unit {unit} counts 8, but before that it counts 0"));
        }
        let ledgers = [first, second];
        let gathered = GatheredUnits { shards: 5, ..GatheredUnits::new(&ledgers).unwrap() };
        assert_eq!(gathered.missing_shards(), [0, 1, 2]);
    }
}
