//! The progress of ledgers: the finished part, the rate, and the time that is left.

use crate::engine::Plan;
use crate::ledger::write::is_in_use;
use crate::ledger::{Contents, GatheredUnits};
use std::fmt;

/// The progress of the shard of a ledger, or of all shards of a plan.
///
/// ```
/// use nqueens::ledger;
///
/// # let path = "tests/data/0.2.0/whole.jsonl";
/// let ledgers = [ledger::read(path)?];
/// let gathered = ledger::GatheredUnits::new(&ledgers)?;
/// let progress = ledger::Progress::new(&ledgers[0], gathered.plan());
/// assert_eq!((progress.state, progress.units_done), (ledger::ProgressState::Done, gathered.plan().units()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Whether the units are finished, being counted or missing.
    pub state: ProgressState,
    /// The number of finished units.
    pub units_done: usize,
    /// The number of all units.
    pub units: usize,
    /// The expected work of the finished units, in the unit of the plan.
    pub work_done: u64,
    /// The expected work of all units.
    pub work: u64,
    /// The work per second of counting, without the time for tables: the rate of a ledger's last run, or of all runs
    /// that go on.
    pub rate: Option<f64>,
    /// The expected seconds to the end, if units are being counted.
    pub seconds_left: Option<f64>,
    /// The core time that the finished units took, in seconds.
    pub core_seconds: f64,
}

/// The state of the count in a ledger, or in all ledgers of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProgressState {
    /// Every unit is finished.
    Done,
    /// A process is counting units.
    Running,
    /// Units are missing, and no process counts them.
    Stopped,
    /// Two lines of the ledger have different partial counts for a unit.
    Differs,
}

impl fmt::Display for ProgressState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ProgressState::Done => "done",
            ProgressState::Running => "running",
            ProgressState::Stopped => "stopped",
            ProgressState::Differs => "differs",
        })
    }
}

impl Progress {
    /// Returns the progress of the shard of a ledger. `plan` must be the plan of the ledger.
    pub fn new(ledger: &Contents, plan: &Plan) -> Self {
        let is_running = !ledger.is_complete() && is_in_use(&ledger.path);
        let state = match (&ledger.contradiction, ledger.is_complete(), is_running) {
            (Some(_), ..) => ProgressState::Differs,
            (_, true, _) => ProgressState::Done,
            (_, _, true) => ProgressState::Running,
            _ => ProgressState::Stopped,
        };
        let (work_done, work) = ledger.work(plan);
        let rate = rate(ledger, plan);
        Self {
            state,
            units_done: ledger.units.len(),
            units: ledger.header.shard_units(),
            work_done,
            work,
            rate,
            seconds_left: rate.filter(|_| is_running).map(|rate| (work - work_done) as f64 / rate),
            core_seconds: ledger.core_seconds(),
        }
    }

    /// Returns the progress of all shards, given the progress of each ledger. Running ledgers go on at their rate, and
    /// the missing shards follow them.
    pub fn gathered(gathered: &GatheredUnits<'_>, each_ledger: &[Self]) -> Self {
        let plan = gathered.plan();
        let (work_done, work) = (plan.work_of(gathered.units.keys().copied()), plan.total_work());
        let rate: f64 = each_ledger.iter().filter_map(|progress| progress.seconds_left.and(progress.rate)).sum();
        let rate = (rate > 0.0).then_some(rate);
        let is_running = each_ledger.iter().any(|progress| progress.state == ProgressState::Running);
        let state = match is_running {
            _ if gathered.missing_shards().is_empty() => ProgressState::Done,
            true => ProgressState::Running,
            false => ProgressState::Stopped,
        };
        Self {
            state,
            units_done: gathered.units.len(),
            units: plan.units(),
            work_done,
            work,
            rate,
            seconds_left: rate.map(|rate| (work - work_done) as f64 / rate),
            core_seconds: gathered.core_seconds(),
        }
    }
}

/// Returns the work that the last run of a ledger did per second of counting. The time for its tables does not count.
/// Returns `None` if that run has finished no unit.
fn rate(ledger: &Contents, plan: &Plan) -> Option<f64> {
    let last = ledger.whole_runs().next_back()?;
    let first = ledger.runs.len() - last.len();
    let (mut work, mut seconds) = (0, 0.0);
    for (_, line) in ledger.units.values().filter(|(run, _)| *run >= first) {
        work += plan.work(line.unit);
        seconds += line.seconds;
    }
    (seconds > 0.0).then(|| last[0].threads as f64 * work as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::ProgressState::{Done, Running, Stopped};
    use super::*;
    use crate::ledger::RunLine;
    use crate::ledger::merge::tests::counted;

    #[test]
    fn the_progress_is_that_of_the_units_and_the_rate_that_of_the_last_run() {
        let mut ledger = counted(8, "0/1");
        let plan = ledger.plan.clone().unwrap();
        ledger.runs = vec![ledger.runs[0].clone(); 3];
        assert_eq!(super::rate(&ledger, &plan), None, "the last run has finished no unit");
        ledger.runs.pop();
        ledger.runs[1].threads = 3;
        (ledger.runs[0].begun, ledger.runs[1].begun) = (1000, 2000);
        for (unit, (run, line)) in &mut ledger.units {
            (*run, line.cpu_seconds, line.seconds, line.at) = (unit % 2, None, [50.0, 2.0][unit % 2], 100.0);
        }
        let last_units = ledger.units.keys().filter(|&unit| unit % 2 == 1);
        let rate = 3.0 * plan.work_of(last_units.clone().copied()) as f64 / (2.0 * last_units.count() as f64);
        let done = Progress::new(&ledger, &plan);
        assert_eq!((done.state, done.units_done, done.work_done), (Done, plan.units(), plan.total_work()));
        assert!((done.rate.unwrap() / rate - 1.0).abs() < 1e-9 && done.seconds_left.is_none());
        let ledgers = [ledger.clone()];
        let all = Progress::gathered(&GatheredUnits::new(&ledgers).unwrap(), &[done]);
        assert_eq!(all.state, Done);
        // A run that goes on by another route has one rate.
        let mut changed = ledger.clone();
        changed.runs[1] = RunLine { exchanged: true, ..changed.runs[0].clone() };
        let seconds: f64 = changed.units.values().map(|(_, line)| line.seconds).sum();
        let rate = changed.runs[0].threads as f64 * plan.total_work() as f64 / seconds;
        assert!((Progress::new(&changed, &plan).rate.unwrap() / rate - 1.0).abs() < 1e-9);
        ledger.units.pop_first();
        let stopped = Progress::new(&ledger, &plan);
        assert_eq!((stopped.state, stopped.units_done, stopped.seconds_left), (Stopped, plan.units() - 1, None));
        assert_eq!((stopped.work_done, stopped.work), (plan.total_work() - plan.work(0), plan.total_work()));
        // One of two ledgers goes on.
        let ledgers = [ledger];
        let running = Progress { state: Running, seconds_left: Some(1.0), rate: Some(4.0), ..stopped };
        let all = Progress::gathered(&GatheredUnits::new(&ledgers).unwrap(), &[stopped, running]);
        assert_eq!((all.state, all.rate, all.seconds_left), (Running, Some(4.0), Some(plan.work(0) as f64 / 4.0)));
        let all = Progress::gathered(&GatheredUnits::new(&ledgers).unwrap(), &[stopped]);
        assert_eq!((all.state, all.rate, all.seconds_left), (Stopped, None, None));
    }
}
