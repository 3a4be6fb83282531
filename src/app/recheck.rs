//! `nqueens recheck`: counts units of ledgers again by another route.

use crate::app::bar::above_bar;
use crate::app::failure::{Failure, refused};
use crate::app::ledgers::{contents, files, named};
use crate::app::messages;
use crate::app::numbers::whole;
use crate::app::options::{DeviceOption, OutputOptions, ThreadsOption};
use crate::app::output::Sink;
use crate::app::output::words::{self, grouped, many, plural};
use crate::app::rows::{Cell, Format, Kind, Report, Row, Seconds, Solutions};
use nqueens::ledger::{Contents, Recheck, RecountedUnit};
use nqueens::{Board, Cancel, Device, EachUnit, Kernel, Observer, Route, RunError, UnitResult};
use serde::Serialize;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Count units of ledgers again by another route, and compare
///
/// The files, of one count, may be finished or not. Each unit is counted again with another kernel than before, if
/// the CPU has one, and those of the two-color engine with build side and probe side exchanged; with --device, a GPU
/// counts what no GPU has counted before. No published count is needed. By default, 60 units are chosen at random. The
/// output is a row for each unit that differs or was named, and a line that says what has been shown; other formats
/// than text have a row for every unit, and the line is on standard error. If a unit differs, the others are counted
/// all the same, and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens recheck 24.jsonl                         60 units, chosen at random
  nqueens recheck 24.jsonl --units 40 --seed 7
  nqueens recheck 24.jsonl --unit 17 --unit 3071
  nqueens recheck 20.jsonl --all --format csv")]
pub(crate) struct Arguments {
    /// Ledgers of one count, or folders with ledgers: files that end in .jsonl or .jsonl.gz
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Count this number of units, chosen at random; all if there are fewer
    ///
    /// If one unit in 20 were wrong, 60 units would find one with a probability of 95%.
    #[arg(long, value_name = "K", default_value = "60", allow_negative_numbers = true,
        value_parser = whole(1..=u64::MAX), help_heading = "Choice of units")]
    units: u64,

    /// Choose the same units as another command with this seed [default: a random one]
    ///
    /// A seed chooses the same units on every machine if the ledgers have the same finished units.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = whole(0..=u64::from(u32::MAX)),
        help_heading = "Choice of units")]
    seed: Option<u64>,

    /// Count this unit; several such options count several
    #[arg(long, value_name = "I", conflicts_with_all = ["units", "seed"],
        allow_negative_numbers = true, value_parser = whole(0..=u64::MAX), help_heading = "Choice of units")]
    unit: Vec<u64>,

    /// Count every unit
    #[arg(long, conflicts_with_all = ["unit", "units", "seed"], help_heading = "Choice of units")]
    all: bool,

    #[command(flatten)]
    device: DeviceOption,

    #[command(flatten)]
    threads: ThreadsOption,

    #[command(flatten)]
    printing: OutputOptions,
}

/// The summary says how likely it is to find a wrong unit if one unit in this number is wrong.
const ONE_IN: usize = 20;

/// A unit that was counted again.
#[derive(Serialize)]
struct RecheckRow {
    board: Board,
    unit: usize,
    recorded: Solutions,
    recounted: Solutions,
    agrees: bool,
    seconds: Seconds,
    recorded_by: String,
    recounted_by: String,
    file: String,
}

impl RecheckRow {
    fn new(recheck: &Recheck<'_>, unit: &RecountedUnit<'_>) -> Self {
        Self {
            board: recheck.plan().board(),
            unit: unit.unit,
            recorded: Solutions(unit.recorded),
            recounted: Solutions(unit.recounted),
            agrees: unit.agrees(),
            seconds: Seconds::of(unit.elapsed),
            recorded_by: unit.recorded_by(),
            recounted_by: match Device::in_words(recheck.devices(), usize::MAX) {
                Some(device) if unit.route.kernel == Kernel::Gpu => format!("{}, {device}", unit.route),
                _ => unit.route.to_string(),
            },
            file: unit.ledger.path.display().to_string(),
        }
    }
}

impl Row for RecheckRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("unit", 7, Some(self.unit)),
            Cell::number("recorded", 18, Some(self.recorded)),
            Cell::number("recounted", 18, Some(self.recounted)),
            Cell::word("", 7, Some(if self.agrees { "agree" } else { "DIFFER" })),
            Cell::number("time", 10, Some(self.seconds)),
        ]
    }
}

impl Arguments {
    /// Chooses among the finished units. Returns the chosen ones in the order in which they are counted, and the seed
    /// of a random choice.
    fn choose(&self, recheck: &Recheck<'_>) -> Result<(Vec<usize>, Option<u64>), Failure> {
        let mut units = recheck.finished();
        if self.all || !self.unit.is_empty() {
            let is_finished = |unit: &&u64| units.iter().any(|&finished| finished as u64 == **unit);
            if let Some(unit) = self.unit.iter().filter(|unit| !is_finished(unit)).min() {
                return refused(format!("unit {unit} is none of the {} finished ones; give another", units.len()));
            }
            units.retain(|&unit| self.all || self.unit.contains(&(unit as u64)));
            return Ok((units, None));
        }
        // The seed has 32 bits, which are few enough to be typed.
        let seed = self.seed.unwrap_or_else(|| RandomState::new().hash_one(0) >> 32);
        units = recheck.shuffled(seed);
        units.truncate(usize::try_from(self.units).unwrap_or(usize::MAX));
        Ok((units, Some(seed)))
    }
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let files = files(&arguments.paths)?;
    let output = arguments.printing.open(&named(&files))?;
    execute(arguments, &files, output, cancel)
}

/// Counts the chosen units again, writes a row for each to `output`, and reports the result.
fn execute(arguments: &Arguments, files: &[PathBuf], output: impl Sink + Send, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { printing, device, threads, .. } = arguments;
    let ledgers = contents(files, cancel)?;
    let recheck = Recheck::new(&ledgers, device.device, threads.number(), cancel)
        .map_err(|error| Failure::from_count(ledgers[0].header.board, error))?;
    if device.device.is_some() && recheck.devices().is_empty() {
        return refused("no unit of these ledgers was counted by a CPU with engine two-color; omit --device");
    }
    messages::warn_of_refused(recheck.devices(), "is left out");
    let board = recheck.plan().board();
    let (units, seed) = arguments.choose(&recheck)?;
    if let (Some(seed), None) = (seed, arguments.seed) {
        printing.remark(format_args!("--seed {seed} chooses the same units again"));
    }

    let report = Report::open(printing.format(), Kind::Many("nqueens/recheck/1"), output);
    let stop = cancel.child();
    // The report, the first error of writing a row, and the units that were counted again.
    let told = Mutex::new((report, Ok(()), Vec::new()));
    let write = |unit: &UnitResult| {
        let unit = recheck.recounted(unit);
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        let (report, written, done) = &mut *told;
        done.push(unit);
        // Text shows only the units that differ or, if units were named, all of these.
        let is_shown = printing.format() != Format::Text || !unit.agrees() || !arguments.unit.is_empty();
        // If the pipe is closed, the exit code is still useful.
        if written.is_ok() && is_shown {
            above_bar(|| *written = report.row(&RecheckRow::new(&recheck, &unit)));
        }
        if matches!(written, Err(error) if error.kind() != io::ErrorKind::BrokenPipe) {
            stop.cancel();
        }
    };
    let start = Instant::now();
    let counted = {
        let bar = printing.bar(format!("N = {board} again"));
        bar.expect(recheck.plan(), threads.number().min(units.len()), &units, &units);
        let rows = EachUnit(|unit: &UnitResult| {
            bar.unit_done(unit);
            write(unit);
        });
        recheck.count(&units, &stop, &rows)
    };
    let (mut report, mut written, done) = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    let differing: Vec<_> = done.iter().filter(|unit| !unit.agrees()).collect();
    let shown = || summary(&recheck, &done, seed, start.elapsed().as_secs_f64());
    let is_text = printing.format() == Format::Text;
    if is_text && counted.is_ok() && differing.is_empty() {
        written = written.and_then(|()| report.line(&shown()));
    }
    let written = written.and(report.finish(counted.is_ok())).map_err(Failure::from);
    if let Some(first) = differing.first() {
        let &RecountedUnit { unit, recorded, recounted, route, ledger, .. } = *first;
        let stopped = counted.err().map_or(String::new(), |error| format!("; then: {error}"));
        return Err(Failure::Failed(format!(
            "{} of {} differ{} unit {unit} of plan {} for N = {board} came out as {recorded} by {} ('{}'), but as \
             {recounted} by {route}{stopped}; one number of each two is wrong: `nqueens recheck --unit {unit} {}` on \
             another machine tells which, and `nqueens verify` tests the CPU and the GPUs of a machine",
            grouped(differing.len() as u64),
            many(done.len() as u64, "unit"),
            if differing.len() == 1 { "s:" } else { ", first:" },
            recheck.plan().name(),
            first.recorded_by(),
            ledger.path.display(),
            words::shell(&ledger.path),
        )));
    }
    match counted {
        Err(RunError::Cancelled { .. }) if cancel.is_cancelled() => {
            let those = if done.is_empty() { "" } else { ", which agree" };
            let done = plural(done.len(), "unit");
            return Err(Failure::Cancelled(format!("N = {board}: stopped after {done}{those}")));
        }
        // The output could not be written.
        Err(RunError::Cancelled { .. }) => {}
        counted => drop(counted?),
    }
    if !is_text {
        printing.remark(format_args!("{}", shown()));
    }
    let written_wrong = ledgers.iter().find(|ledger| ledger.damage.as_ref().is_some_and(|damage| damage.is_written));
    written_wrong.and_then(Contents::warning).map_or(written, |warning| {
        Err(Failure::Failed(format!("{warning}; its checksum is right, so that a faulty machine or a forger wrote it")))
    })
}

/// Returns a line that says what the units of `done`, which all agree, show about the count.
fn summary(recheck: &Recheck<'_>, done: &[RecountedUnit<'_>], seed: Option<u64>, seconds: f64) -> String {
    let (plan, recorded) = (recheck.plan(), recheck.finished());
    let (finished, all) = (recorded.len(), plan.units());
    let share = words::percent(plan.work_of(done.iter().map(|unit| unit.unit)), plan.work_of(recorded));
    let routes = Route::in_words(&done.iter().map(|unit| unit.route).collect::<Vec<_>>());
    let units = if finished < all { "finished unit" } else { "unit" };
    let those = if done.len() == finished {
        format!("all {}", many(finished as u64, units))
    } else {
        format!("{} of {}, {share} of the work,", grouped(done.len() as u64), many(finished as u64, units))
    };
    let shown = match seed {
        _ if done.len() == finished && finished == all => String::new(),
        _ if done.len() == finished => format!("; {} of the plan not finished", many((all - finished) as u64, "unit")),
        None => "; this says nothing of the others, because none was chosen at random".to_owned(),
        Some(_) => {
            // The probability is rounded down, so that it never claims too much.
            let found = (100.0 - 100.0 * recheck.all_right(done.len(), ONE_IN)).floor();
            let wrong = 100 / ONE_IN;
            format!(
                "; if {wrong}% of the units were wrong, one of them would have been found with probability {found}%"
            )
        }
    };
    let verb = if done.len() == 1 { "agrees" } else { "agree" };
    format!("N = {}: {those} {verb} ({routes}; {}){shown}", plan.board(), words::time(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{FAULTY, Fault, Gone, SOUND};
    use crate::app::parsed;
    use nqueens::ledger::Run;
    use nqueens::{Board, Job, Shard};
    use std::io::Write;

    /// Returns the outcome of the command with a ledger of N = 10 that an engine with a fault counted.
    fn rechecked(fault: Fault, line: &str, output: impl Sink + Send, cancel: &Cancel) -> Result<(), Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("10.jsonl");
        let job = Job::new(Board::new(10).unwrap()).counted_by(fault);
        Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).unwrap().count(&Cancel::new(), &()).unwrap();
        let crate::app::Command::Recheck(arguments) = parsed(line) else { panic!("not a recheck") };
        execute(&arguments, &[path], output, cancel)
    }

    /// The ledger comes from an engine that counts eight solutions too many in unit 0.
    #[test]
    fn a_unit_that_differs_fails_even_if_nobody_reads_of_it() {
        let line = "recheck x --all --quiet --threads 2";
        for failed in
            [rechecked(FAULTY, line, Gone, &Cancel::new()), rechecked(FAULTY, line, Vec::new(), &Cancel::new())]
        {
            let Err(Failure::Failed(message)) = failed else { panic!("a difference must fail") };
            assert!(message.contains(" units differs: unit 0 of plan "), "{message}");
        }
        assert!(matches!(rechecked(SOUND, line, Gone, &Cancel::new()), Err(Failure::ClosedPipe)));
    }

    /// A machine with 32 bits could take this number for unit 1.
    #[test]
    fn a_unit_beyond_32_bits_is_none() {
        let line = "recheck x --unit 4294967297 --quiet --threads 1";
        let refused = rechecked(SOUND, line, Vec::new(), &Cancel::new());
        assert!(matches!(refused, Err(Failure::Usage(_))), "{refused:?}");
    }

    #[test]
    fn what_is_stopped_says_what_agreed() {
        let cancel = Cancel::new();
        let line = "recheck x --all --quiet --threads 1 --format csv";
        let outcome = rechecked(SOUND, line, Stopping(cancel.clone()), &cancel);
        assert!(matches!(outcome, Err(Failure::Cancelled(message)) if message.starts_with("N = 10: stopped")));
        // This command is stopped before the ledger is read.
        assert!(matches!(rechecked(SOUND, line, Vec::new(), &cancel), Err(Failure::Cancelled(_))));
    }

    /// An output that asks for a stop as soon as something is written to it.
    struct Stopping(Cancel);

    impl Write for Stopping {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.cancel();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Stopping {}

    /// An output on a full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Full {}

    #[test]
    fn an_output_that_fails_ends_the_count() {
        let outcome = rechecked(SOUND, "recheck x --all --quiet", Full, &Cancel::new());
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message.starts_with("cannot write the output: ")));
        let outcome = rechecked(FAULTY, "recheck x --unit 0 --quiet", Full, &Cancel::new());
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message.starts_with("1 of 1 unit differs: ")));
    }
}
