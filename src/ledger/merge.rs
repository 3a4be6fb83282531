//! Merges the ledgers of a plan: adds up their partial counts, or reports what is missing.

use crate::board::Board;
use crate::engine::{self, Plan, Settings};
use crate::ledger::{Contents, Damage, Header, LedgerError, RunLine, UnitLine};
use crate::published::{self, Verdict};
use crate::run::{RunError, Sum, SumError, on_threads};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// The total of a count whose shards are all finished.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The board.
    pub board: Board,
    /// The number of solutions.
    pub total: u128,
    /// The name of the engine.
    pub engine: String,
    /// The name of the plan.
    pub plan: String,
    /// The number of units.
    pub units: usize,
    /// The number of shards of the plan; 1 if there are only archives.
    pub shards: usize,
    /// The time that all units took together, in seconds of one thread.
    pub thread_seconds: f64,
    /// The unit that took longest and its time in seconds; `None` if there are no units, or some are only in an archive.
    pub slowest: Option<(usize, f64)>,
}

impl Merged {
    /// Compares the total with the published count.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.total, published::total(self.board))
    }
}

/// Error returned when ledgers do not make up a total.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// No ledgers were given.
    #[error("there is no ledger to merge")]
    Nothing,
    /// The ledgers are not all of the same count.
    #[error(
        "'{}' is of {theirs}, but '{}' is of {ours}; give the ledgers of one count",
        path.display(),
        other.display()
    )]
    Mixed {
        /// The path of a ledger.
        path: PathBuf,
        /// The plan and the shard of that ledger.
        theirs: String,
        /// The path of the first ledger.
        other: PathBuf,
        /// The plan and the shard of the first ledger.
        ours: String,
    },
    /// This program does not make such a plan, so the total could not be trusted.
    #[error(
        "'{}' is of {what}: {reason}; merge it with the version that began it, nqueens {version}",
        path.display()
    )]
    UnknownPlan {
        /// The path of the ledger.
        path: PathBuf,
        /// The plan and the shard of the ledger.
        what: String,
        /// The reason that this program does not make the plan.
        reason: String,
        /// The version of the program that created the ledger.
        version: String,
    },
    /// Two ledgers have different partial counts for a unit.
    #[error(
        "unit {unit} counts {partial} in '{}', but {other_partial} in '{}': one of them is wrong",
        path.display(),
        other.display()
    )]
    Differ {
        /// The unit.
        unit: usize,
        /// The path of a ledger.
        path: PathBuf,
        /// The partial count in that ledger.
        partial: u128,
        /// The path of an earlier ledger.
        other: PathBuf,
        /// The partial count in the earlier ledger.
        other_partial: u128,
    },
    /// A ledger contradicts itself.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The plan could not be made again.
    #[error(transparent)]
    Run(Box<RunError>),
    /// Some units are in no ledger, perhaps because their lines are damaged.
    #[error(
        "'{}': line {} is damaged: {}, and {missing} of {units} units are missing; \
         count again with this ledger, which repairs it, or leave it out",
        path.display(), damage.line, damage.reason
    )]
    Damaged {
        /// The path of the first damaged ledger.
        path: PathBuf,
        /// Its damage.
        damage: Damage,
        /// The number of missing units.
        missing: usize,
        /// The number of units of the plan.
        units: usize,
    },
    /// Some units are in no ledger.
    #[error("{missing} of {units} units are missing: {}", those.join("; "))]
    Missing {
        /// The number of missing units.
        missing: usize,
        /// The number of units of the plan.
        units: usize,
        /// Descriptions of the shards that have no ledger, the ledgers that lack units, or the units that are missing.
        those: Vec<String>,
    },
    /// The partial counts do not make up a total.
    #[error("{0}: a ledger is wrong; `nqueens recheck --all` counts every unit again and finds where")]
    Sum(#[from] SumError),
}

/// Ledgers that are all of one plan, and this plan.
#[derive(Debug)]
pub(crate) struct Gathered<'a> {
    ledgers: &'a [Contents],
    plan: Plan,
    /// The number of shards of the plan.
    shards: usize,
    /// The finished units. Which line stands for a unit does not depend on the order of the ledgers.
    units: BTreeMap<usize, Recorded<'a>>,
    /// The first contradiction found.
    contradiction: Option<MergeError>,
}

/// A finished unit in one of several ledgers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded<'a> {
    /// The ledger, and its index.
    ledger: (usize, &'a Contents),
    /// The index of the run in the ledger.
    run: usize,
    pub(super) line: &'a UnitLine,
}

impl<'a> Recorded<'a> {
    /// Returns the run that counted the unit.
    pub(super) fn run(&self) -> Cow<'a, RunLine> {
        self.ledger.1.run(self.run)
    }

    /// Returns the time of the unit or, in an archive, the time of all units of its run, and the number of these units.
    fn time(&self) -> (f64, usize) {
        let (_, ledger) = self.ledger;
        let of_run = || ledger.archived.as_ref().map(|times| (times[self.run].thread_seconds, times[self.run].units));
        self.line.seconds.map(|seconds| (seconds, 1)).or_else(of_run).unwrap_or((0.0, 1))
    }

    /// Compares two lines for the same unit. The first one stands for it: one with a time before one of an archive,
    /// then that of the earlier run.
    fn order(&self, other: &Self) -> Ordering {
        let ((seconds, units), (other_seconds, other_units)) = (self.time(), other.time());
        let is_archived = |one: &Self| one.line.seconds.is_none();
        is_archived(self)
            .cmp(&is_archived(other))
            .then_with(|| self.run().order(&other.run()))
            .then(seconds.total_cmp(&other_seconds))
            .then(units.cmp(&other_units))
    }
}

/// Returns the time that threads took for these units together, in nanoseconds. A run of an archive has only the time of
/// all its units, of which each gets an equal share.
pub(super) fn thread_nanoseconds<'a>(units: impl IntoIterator<Item = Recorded<'a>>) -> u128 {
    let nanoseconds = |seconds: f64| (seconds * 1e9).round() as u128;
    let mut sum = 0;
    let mut shares: BTreeMap<(usize, usize), (Recorded<'a>, usize)> = BTreeMap::new();
    for unit in units {
        match unit.line.seconds {
            Some(seconds) => sum += nanoseconds(seconds),
            None => shares.entry((unit.ledger.0, unit.run)).or_insert((unit, 0)).1 += 1,
        }
    }
    let share = |(unit, units): (Recorded<'a>, usize)| {
        let (seconds, all) = unit.time();
        nanoseconds(seconds) * units as u128 / all as u128
    };
    sum + shares.into_values().map(share).sum::<u128>()
}

impl<'a> Gathered<'a> {
    /// Gathers ledgers, and makes their plan again to check that they belong to it. A unit with equal lines in two
    /// ledgers is kept once. Returns `None` if there are no ledgers.
    ///
    /// # Errors
    /// Returns an error if the ledgers are not of one plan with the same number of shards, or this program does not
    /// make that plan. An archive goes with any number of shards.
    pub(crate) fn of(ledgers: &'a [Contents]) -> Result<Option<Self>, MergeError> {
        let first = ledgers.iter().find(|ledger| !ledger.is_archive()).or(ledgers.first());
        let Some(first) = first else { return Ok(None) };
        let shards = first.header.shard.count();
        let same = |other: &&Contents| {
            first.header.is_of_the_same_plan(&other.header)
                && (other.is_archive() || other.header.shard.count() == shards)
        };
        if let Some(other) = ledgers.iter().find(|other| !same(other)) {
            return Err(MergeError::Mixed {
                path: other.path.clone(),
                theirs: other.header.in_words(),
                other: first.path.clone(),
                ours: first.header.in_words(),
            });
        }
        let plan = plan_of(first)?;
        let mut gathered = Self { ledgers, plan, shards, units: BTreeMap::new(), contradiction: None };
        for ledger in ledgers.iter().enumerate() {
            gathered.add(ledger);
        }
        Ok(Some(gathered))
    }

    fn add(&mut self, ledger: (usize, &'a Contents)) {
        let (_, contents) = ledger;
        let mut contradiction = contents.without_contradiction().err().map(MergeError::Ledger);
        for &(run, ref line) in contents.units.values() {
            let recorded = Recorded { ledger, run, line };
            let first = self.units.entry(line.unit).or_insert(recorded);
            if first.line.partial != line.partial {
                contradiction.get_or_insert_with(|| MergeError::Differ {
                    unit: line.unit,
                    path: contents.path.clone(),
                    partial: line.partial,
                    other: first.ledger.1.path.clone(),
                    other_partial: first.line.partial,
                });
            } else if recorded.order(first).is_lt() {
                *first = recorded;
            }
        }
        if self.contradiction.is_none() {
            self.contradiction = contradiction;
        }
    }

    /// Returns the plan.
    #[cfg(feature = "cli")]
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns a ledger of a shard whose units were assigned by expected work, if there is one.
    pub(crate) fn old_shard(&self) -> Option<&'a Contents> {
        self.ledgers.iter().find(|ledger| ledger.header.is_of_old_shard())
    }

    /// Returns advice if only some shards were assigned by expected work, so that a unit may be in none of them.
    /// Returns `None` if all shards were assigned by the same rule.
    pub(crate) fn dealt_differently(&self) -> Option<String> {
        let old = self.old_shard()?;
        let new = self.ledgers.iter().find(|ledger| !ledger.header.is_of_old_shard() && !ledger.is_archive())?;
        Some(format!(
            "'{}' was begun by nqueens {} and '{}' by nqueens {}, which deal other units to a shard: count all \
             shards with one version, those of the other again with new ledgers",
            old.path.display(),
            old.header.program_version,
            new.path.display(),
            new.header.program_version,
        ))
    }

    /// Returns the number of finished units, each counted once.
    #[cfg(feature = "cli")]
    pub(crate) fn units_done(&self) -> usize {
        self.units.len()
    }

    /// Returns the expected work of the finished units, in the unit of the plan's weights. Returns `None` for ledgers
    /// of version 0.1.0, whose weights were others.
    #[cfg(feature = "cli")]
    pub(crate) fn work_done(&self) -> Option<u64> {
        let is_old = self.ledgers.iter().any(|ledger| ledger.header.old_weight().is_some());
        (!is_old).then(|| self.plan.weight_of(self.units.keys().copied()))
    }

    /// Returns the time in seconds that threads took to count the finished units.
    pub(crate) fn thread_seconds(&self) -> f64 {
        thread_nanoseconds(self.units()) as f64 / 1e9
    }

    /// Returns the finished units by number, each with its partial count and a ledger that has it.
    #[cfg(feature = "cli")]
    pub(crate) fn finished(&self) -> BTreeMap<usize, (u128, &'a Contents)> {
        self.units.iter().map(|(&unit, recorded)| (unit, (recorded.line.partial, recorded.ledger.1))).collect()
    }

    /// Returns the finished units by number.
    pub(super) fn units(&self) -> impl Iterator<Item = Recorded<'a>> {
        self.units.values().copied()
    }

    /// Returns the ledgers.
    pub(super) fn ledgers(&self) -> &'a [Contents] {
        self.ledgers
    }

    /// Returns the number of shards of the plan; 1 if there are only archives.
    #[cfg(feature = "cli")]
    pub(crate) fn shards(&self) -> usize {
        self.shards
    }

    /// Returns the same ledgers as those of a plan in `shards` shards, if there are only archives, which go with any
    /// number of shards.
    #[cfg(feature = "cli")]
    pub(crate) fn in_shards(self, shards: usize) -> Self {
        if self.ledgers.iter().all(Contents::is_archive) { Self { shards, ..self } } else { self }
    }

    /// Returns the ledgers that are of a shard of this plan. An archive is not, unless the plan has one shard only.
    fn ledgers_of_shards(&self) -> impl Iterator<Item = &'a Contents> {
        self.ledgers.iter().filter(|ledger| ledger.header.shard.count() == self.shards)
    }

    /// Returns the indices of the shards with a ledger.
    pub(crate) fn shards_with_ledger(&self) -> HashSet<usize> {
        self.ledgers_of_shards().map(|ledger| ledger.header.shard.index()).collect()
    }

    /// Returns the shards that are not finished: those with a unit that is in no ledger, and those with a ledger that
    /// contradicts itself. A shard whose units were assigned by expected work is finished only if one ledger has all of
    /// its units.
    #[cfg(feature = "cli")]
    pub(crate) fn missing_shards(&self) -> Vec<usize> {
        let (shards, units) = (self.shards, self.plan.units());
        let mut done = vec![self.units.len() == units; shards];
        if self.old_shard().is_none() {
            let mut units_of = vec![0; shards];
            self.units.keys().for_each(|unit| units_of[unit % shards] += 1);
            for (index, (done, units_of)) in done.iter_mut().zip(units_of).enumerate() {
                *done |= crate::run::Shard::new(index, shards).is_some_and(|shard| units_of == shard.size(units));
            }
        }
        for ledger in self.ledgers_of_shards() {
            done[ledger.header.shard.index()] |= ledger.is_complete();
        }
        for ledger in self.ledgers_of_shards().filter(|ledger| ledger.contradiction.is_some()) {
            done[ledger.header.shard.index()] = false;
        }
        (0..shards).filter(|&index| !done[index]).collect()
    }

    /// Checks that no two lines have different partial counts for a unit.
    ///
    /// # Errors
    /// Returns the first contradiction.
    pub(crate) fn without_contradiction(&self) -> Result<(), MergeError> {
        self.contradiction.clone().map_or(Ok(()), Err)
    }

    /// Adds up the partial counts.
    ///
    /// # Errors
    /// Returns an error if two lines have different partial counts for a unit, a unit is in no ledger, or the partial
    /// counts do not make up a total.
    pub(crate) fn merged(&self) -> Result<Merged, MergeError> {
        self.without_contradiction()?;
        let missing = self.missing();
        if !missing.is_empty() {
            let those = self.gaps(&missing);
            return Err(MergeError::Missing { missing: missing.len(), units: self.plan.units(), those });
        }
        let mut sum = Sum::new(&self.plan);
        for Recorded { line, .. } in self.units() {
            sum.add(line.unit, line.partial)?;
        }
        let times: Option<Vec<(usize, f64)>> =
            self.units().map(|Recorded { line, .. }| Some((line.unit, line.seconds?))).collect();
        let slower = |one: (usize, f64), other: (usize, f64)| if other.1 > one.1 { other } else { one };
        Ok(Merged {
            board: self.plan.board(),
            total: sum.total()?,
            engine: self.plan.engine().to_owned(),
            plan: self.plan.name().to_owned(),
            units: self.plan.units(),
            shards: self.shards,
            thread_seconds: self.thread_seconds(),
            slowest: times.and_then(|times| times.into_iter().reduce(slower)),
        })
    }

    /// Checks that these ledgers can be published: that they contradict neither each other nor, if no unit is missing,
    /// the divisor of the plan, and that no unit is missing because of damage.
    ///
    /// # Errors
    /// Returns an error if they do, or a unit is missing and a ledger is damaged.
    pub(super) fn publishable(&self) -> Result<(), MergeError> {
        self.without_contradiction()?;
        let (missing, units) = (self.plan.units() - self.units.len(), self.plan.units());
        if missing == 0 {
            return self.merged().map(drop);
        }
        let damaged = self.ledgers.iter().find_map(|ledger| Some((ledger.path.clone(), ledger.damage.clone()?)));
        damaged.map_or(Ok(()), |(path, damage)| Err(MergeError::Damaged { path, damage, missing, units }))
    }

    /// Returns the units that are in no ledger.
    fn missing(&self) -> Vec<usize> {
        (0..self.plan.units()).filter(|unit| !self.units.contains_key(unit)).collect()
    }

    /// Describes the shards without a ledger and the ledgers that lack units. If there are neither, describes the
    /// missing units.
    fn gaps(&self, missing: &[usize]) -> Vec<String> {
        let shards = self.shards;
        let with = self.shards_with_ledger();
        // An archive may have all units of a shard. Which ones these are is not known if they were assigned by work.
        let lacking: HashSet<usize> = missing.iter().map(|unit| unit % shards).collect();
        let is_done = |index: &usize| self.old_shard().is_none() && !lacking.contains(index);
        let without: Vec<usize> = (0..shards).filter(|index| !with.contains(index) && !is_done(index)).collect();
        let mut gaps = Vec::new();
        if !without.is_empty() {
            gaps.push(format!("there is no ledger of shard {} of {shards}", ranges(&without)));
        }
        for ledger in self.ledgers.iter().filter(|ledger| !ledger.is_complete()) {
            let Header { shard, .. } = &ledger.header;
            let (path, units) = (ledger.path.display(), ledger.units.len());
            let all = ledger.header.shard_units();
            gaps.push(if ledger.is_archive() {
                format!("'{path}' is an archive of {units} of {all} units")
            } else {
                format!("'{path}', shard {shard}, has {units} of its {all} units")
            });
        }
        let dealt_differently = self.dealt_differently();
        if gaps.is_empty() {
            let dealt = "; versions of the program that deal in different ways have counted them, so count all shards again \
                         with new ledgers";
            let why = if dealt_differently.is_some() { "" } else { dealt };
            gaps.push(format!("unit {}, though every shard is complete by itself{why}", ranges(missing)));
        }
        gaps.extend(dealt_differently);
        gaps
    }
}

/// Returns ascending numbers in the form that a Slurm job array takes: `2,5-7`.
pub(crate) fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let word = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        run => run.iter().map(usize::to_string).collect(),
    };
    runs.map(word).collect::<Vec<_>>().join(",")
}

/// Makes the plan of a ledger again, or recalls what is needed of it to add up ledgers of an earlier version.
///
/// # Errors
/// Returns an error if this program has no such engine or plan, its plan of that name differs, or no thread can be
/// started.
fn plan_of(ledger: &Contents) -> Result<Plan, MergeError> {
    let header = &ledger.header;
    let unknown = |reason: String| MergeError::UnknownPlan {
        path: ledger.path.clone(),
        what: header.in_words(),
        reason,
        version: header.program_version.clone(),
    };
    let engine =
        engine::by_name(&header.engine).ok_or_else(|| unknown("this program has no such engine".to_owned()))?;
    let other_units = || unknown("this program makes other units of that name".to_owned());
    if let Some(plan) = engine.earlier_plan(header.board, &header.plan) {
        return if header.is_of(&plan) { Ok(plan) } else { Err(other_units()) };
    }
    let settings =
        engine.settings_of_plan(&header.plan).ok_or_else(|| unknown("this program has no such plan".to_owned()))?;
    let settings = Settings { same_everywhere: true, ..settings };
    let counter = on_threads(1, || engine.prepare(header.board, &settings, &crate::Cancel::new()))
        .map_err(|error| MergeError::Run(Box::new(error)))?
        .map_err(|error| unknown(error.to_string()))?;
    let plan = counter.plan().clone();
    if header.is_of(&plan) { Ok(plan) } else { Err(other_units()) }
}

/// Adds up the partial counts of ledgers that are all of one plan. A unit with equal lines in two ledgers is counted
/// once.
///
/// # Errors
/// Returns an error if there are no ledgers, they are not of one plan, a unit is missing, or two lines have different
/// partial counts for a unit.
pub fn merge(ledgers: &[Contents]) -> Result<Merged, MergeError> {
    Gathered::of(ledgers)?.ok_or(MergeError::Nothing)?.merged()
}
