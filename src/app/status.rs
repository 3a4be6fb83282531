//! `nqueens status`: shows the progress of the ledgers of a count.

use crate::app::failure::Failure;
use crate::app::ledgers::{contents, files, named, some_contents, warn_of_faults};
use crate::app::numbers::whole;
use crate::app::options::ReportOptions;
use crate::app::output::words::{self, plural};
use crate::app::output::{Format, Sink};
use crate::app::rows::values::{Ratio, Seconds};
use crate::app::rows::{self, Cell, Row};
use crate::app::session::Session;
use crate::engine::Plan;
use crate::ledger::{Contents, Gathered, is_in_use, ranges};
use crate::run::MOST_SHARDS;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Show the progress of the ledgers of a count
///
/// Prints a row for each shard: the finished and the remaining units, their share of the work, the rate, and the time
/// left. The state of a shard is done, running, stopped, missing (it has no ledger) or differs (its ledger has two
/// partial counts for a unit).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens status 24.jsonl
  nqueens status ledgers/                           every .jsonl and .nqa file in the folder
  nqueens status --missing --shards 64 ledgers/     the shards that are not done, as 2,5-7")]
pub(crate) struct Arguments {
    /// Ledgers and archives of one count, or folders with .jsonl ledgers and .nqa archives
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Number of shards, if no ledger exists yet or there are only archives; then a PATH need not exist
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=MOST_SHARDS as u64))]
    shards: Option<u64>,

    /// Print only the shards that are not done, in the form for a job array: 2,5-7; nothing if all are done
    #[arg(long)]
    missing: bool,

    #[command(flatten)]
    printing: ReportOptions,
}

/// The most rows of shards without a ledger that are printed for people. Where there are more, the summary names them.
const MOST_ROWS: usize = 100;

/// The state of a shard.
#[derive(Debug, Default, Serialize)]
struct ShardRow {
    shard: String,
    state: &'static str,
    units_done: Option<usize>,
    units_left: Option<usize>,
    file: Option<String>,
    percent: Option<Ratio>,
    percent_per_hour: Option<Ratio>,
    seconds_left: Option<Seconds>,
    seconds: Option<Seconds>,
    runs: Option<usize>,
    damaged_lines: Option<usize>,
    host: Option<String>,
    pid: Option<u32>,
    threads: Option<usize>,
    kernel: Option<String>,
    board: Option<usize>,
    engine: Option<String>,
    plan: Option<String>,
    fingerprint: Option<String>,
    /// The share of the work that is done, in words.
    #[serde(skip)]
    work: Option<String>,
}

impl ShardRow {
    /// Returns the row of a shard without a ledger.
    fn missing(index: usize, shards: usize) -> Self {
        Self { shard: format!("{index}/{shards}"), state: "missing", ..Self::default() }
    }

    /// Returns the row of a ledger.
    fn of(ledger: &Contents, plan: &Plan) -> Self {
        let header = &ledger.header;
        let running = !ledger.is_complete() && is_in_use(&ledger.path);
        let state = match (ledger.contradiction.is_some(), ledger.is_complete(), running) {
            (true, ..) => "differs",
            (_, true, _) => "done",
            (_, _, true) => "running",
            _ => "stopped",
        };
        let (done, all) = ledger.work(plan);
        // The share of the work per second, estimated from the last run.
        let rate = ledger.rate(plan).filter(|_| all > 0).map(|rate| rate / all as f64);
        let left = rate.filter(|_| running).map(|rate| (1.0 - done as f64 / all as f64) / rate);
        let run = ledger.runs.last();
        Self {
            shard: header.shard.to_string(),
            state,
            units_done: Some(ledger.units.len()),
            units_left: Some(header.shard_units().saturating_sub(ledger.units.len())),
            file: Some(ledger.path.display().to_string()),
            percent: Some(Ratio(if all == 0 { 100.0 } else { 100.0 * done as f64 / all as f64 })),
            percent_per_hour: rate.map(|rate| Ratio(360_000.0 * rate)),
            seconds_left: left.map(Seconds),
            seconds: Some(Seconds(ledger.seconds())),
            runs: Some(ledger.runs.len()),
            damaged_lines: Some(ledger.damage.as_ref().map_or(0, |damage| damage.lines)),
            host: run.map(|run| run.host.clone()),
            pid: run.map(|run| run.pid),
            threads: run.map(|run| run.threads),
            kernel: run.map(|run| run.kernel.clone()),
            board: Some(header.board.size()),
            engine: Some(header.engine.clone()),
            plan: Some(header.plan.clone()),
            fingerprint: Some(header.fingerprint.clone()),
            work: Some(words::percent(done, all)),
        }
    }
}

impl Row for ShardRow {
    fn cells(&self) -> Vec<Cell> {
        let rate = self.percent_per_hour.filter(|_| self.state == "running").map(|rate| format!("{rate}%"));
        vec![
            Cell::word("shard", 9, &self.shard),
            Cell::word("state", 7, self.state),
            Cell::optional("done", 7, self.units_done),
            Cell::optional("left", 7, self.units_left),
            Cell::optional("work", 6, self.work.as_ref()),
            Cell::optional("per hour", 8, rate),
            Cell::optional("time left", 16, self.seconds_left.map(|Seconds(seconds)| words::long_time(seconds))),
            Cell::word("ledger", 0, self.file.as_deref().unwrap_or("-")),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin_brief()?;
    let mut paths = arguments.paths.clone();
    if arguments.shards.is_some() {
        // Paths that cannot be accessed are kept and reported as errors below.
        paths.retain(|path| path.try_exists().unwrap_or(true));
    }
    let files = files(&paths)?;
    let output = arguments.printing.open(&named(&files))?;
    session.run(|_| tell(arguments, &files, output))
}

/// Reports the ledger of a shard that has just been counted, as `nqueens status` does.
pub(crate) fn report(path: &Path, printing: &ReportOptions, output: impl Sink) -> Result<(), Failure> {
    let (ledgers, _) = contents(&[path.to_owned()])?;
    let Some(gathered) = Gathered::of(&ledgers)? else { return Ok(()) };
    gathered.without_contradiction()?;
    if ledgers.iter().any(|ledger| !ledger.is_complete() || ledger.damage.is_some()) {
        let path = path.display();
        return Err(Failure::Failed(format!(
            "'{path}' lacks finished units; another program may have written to it. Count again with this ledger"
        )));
    }
    let of_shard = ledgers.iter().map(|ledger| (ledger.header.shard.index(), Some(ledger)));
    write_rows(of_shard, gathered.shards(), Some(gathered.plan()), printing, output)
}

fn tell(arguments: &Arguments, files: &[PathBuf], mut output: impl Sink) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let (ledgers, unreadable) = match arguments.shards {
        None => contents(files)?,
        // A shard is also missing if its ledger is empty.
        Some(_) => some_contents(files)?,
    };
    let gathered = Gathered::of(&ledgers)?;
    // Archives do not say how many shards there are.
    let gathered = match arguments.shards {
        Some(shards) => gathered.map(|gathered| gathered.in_shards(shards as usize)),
        None => gathered,
    };
    warn_of_faults(printing.destination(), unreadable, &ledgers);
    let known = gathered.as_ref().map(Gathered::shards);
    let shards = match (known, arguments.shards.map(|shards| shards as usize)) {
        (Some(known), Some(given)) if known != given => {
            let in_shards = ledgers.iter().find(|ledger| !ledger.is_archive()).unwrap_or(&ledgers[0]);
            let path = in_shards.path.display();
            return Err(Failure::Usage(format!(
                "'{path}' belongs to a count in {}, not {given}; give --shards {known}",
                plural(known, "shard")
            )));
        }
        (None, None) => {
            return Err(Failure::Usage(
                "there is no ledger; give some, or the number of shards with --shards".to_owned(),
            ));
        }
        (known, given) => known.or(given).unwrap_or(0),
    };
    let missing = gathered.as_ref().map_or_else(|| (0..shards).collect(), Gathered::missing_shards);
    if let Some(gathered) = &gathered {
        let lacking = gathered.plan().units() - gathered.units_done();
        if let Some(words) = gathered.dealt_differently().filter(|_| lacking > 0) {
            return Err(Failure::Usage(words));
        }
        if lacking > 0 && missing.is_empty() {
            return Err(Failure::Usage(format!(
                "every shard is complete by itself, but {lacking} of {} are in none: versions of the program that deal \
                 in different ways have counted them; count all shards again with new ledgers",
                plural(gathered.plan().units(), "unit")
            )));
        }
        if let (Some(old), true) = (gathered.old_shard(), arguments.missing && !missing.is_empty()) {
            return Err(Failure::Usage(format!(
                "'{}' was begun by nqueens {}, which deals other units to a shard; finish these shards with that \
                 version, or count all of them again with new ledgers",
                old.path.display(),
                old.header.program_version,
            )));
        }
    }
    if arguments.missing {
        let line = if missing.is_empty() { String::new() } else { format!("{}\n", ranges(&missing)) };
        output.write_all(line.as_bytes()).and_then(|()| output.end()).map_err(|error| Failure::writing(&error))?;
    } else {
        let with = gathered.as_ref().map_or_else(HashSet::new, Gathered::shards_with_ledger);
        // An archive may have all units of a shard without a ledger.
        let without = missing.iter().filter(|index| !with.contains(index)).map(|&index| (index, None));
        let is_for_people = matches!(printing.format, Format::Text | Format::Markdown);
        let most = if is_for_people && without.clone().count() > MOST_ROWS { 0 } else { usize::MAX };
        let without = without.take(most);
        let mut of_shard: Vec<(usize, Option<&Contents>)> =
            ledgers.iter().map(|ledger| (ledger.header.shard.index(), Some(ledger))).chain(without).collect();
        of_shard.sort_by_key(|(index, _)| *index);
        write_rows(of_shard, shards, gathered.as_ref().map(Gathered::plan), printing, output)?;
        if let Some(gathered) = &gathered {
            printing.remark(format_args!("{}", summary(gathered, &missing)));
        }
    }
    // A contradiction is always an error, not only a remark.
    gathered.map_or(Ok(()), |gathered| gathered.without_contradiction()).map_err(Failure::from)
}

/// Writes a row for each ledger, and for each shard without one.
fn write_rows<'a>(
    of_shard: impl IntoIterator<Item = (usize, Option<&'a Contents>)>,
    shards: usize,
    plan: Option<&Plan>,
    printing: &ReportOptions,
    output: impl Sink,
) -> Result<(), Failure> {
    let mut report = rows::open(printing.format, "nqueens/status/1", rows::Kind::Many, output);
    let written = of_shard.into_iter().try_for_each(|(index, ledger)| {
        report.row(&match ledger.zip(plan) {
            Some((ledger, plan)) => ShardRow::of(ledger, plan),
            None => ShardRow::missing(index, shards),
        })
    });
    written.and_then(|()| report.finish(true)).map_err(|error| Failure::writing(&error))
}

/// Returns a line for people about all ledgers together.
fn summary(gathered: &Gathered<'_>, missing: &[usize]) -> String {
    let (plan, shards) = (gathered.plan(), gathered.shards());
    let missing_words = match missing {
        [] => "all is done".to_owned(),
        _ if shards == 1 => "not done yet".to_owned(),
        missing => format!("not done: shard {}", ranges(missing)),
    };
    let work = gathered.work_done();
    let share = work.map(|done| format!(", {} of the work", words::fine_percent(done, plan.total_weight())));
    format!(
        "N = {}, engine {}, plan {}: {} of {} and {} of {} done{}, {:.3} core-hours; {missing_words}",
        plan.board(),
        plan.engine(),
        plan.name(),
        shards - missing.len(),
        plural(shards, "shard"),
        gathered.units_done(),
        plural(plan.units(), "unit"),
        share.unwrap_or_default(),
        gathered.thread_seconds() / 3600.0,
    )
}
