//! `nqueens status`: shows the progress of the ledgers of a count.

use crate::app::failure::Failure;
use crate::app::ledgers;
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::output::words::{self, many};
use crate::app::rows::{Cell, Format, Hours, Kind, Ratio, Report, Row, Seconds};
use nqueens::ledger::{Contents, GatheredUnits, Progress, ranges, read_all, shards_in_words};
use nqueens::{Board, Cancel, Plan};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Show the progress of the ledgers of a count
///
/// Each ledger has a row: the finished and the remaining units, their share of the work, the rate, and the time left.
/// The last line has all of them together, with the core-hours. The state of a shard is done, running, stopped, missing
/// (it has no ledger) or differs (its ledger has two partial counts for a unit).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens status 24.jsonl
  nqueens status ledgers/                           every ledger in the folder
  nqueens status --missing ledgers/                 the shards that are not done, as 2,5-7
  watch --interval 60 nqueens status ledgers/       again and again")]
pub(crate) struct Arguments {
    /// Ledgers, or folders with ledgers: files that end in .jsonl or .jsonl.gz
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Print only the shards that are not done, in the form for a job array: 2,5-7; nothing if all are done
    #[arg(long, conflicts_with = "format")]
    missing: bool,

    #[command(flatten)]
    printing: OutputOptions,
}

/// The name and the version of the JSON document.
const KIND: Kind = Kind::Many("nqueens/status/1");

/// A shard with its ledger, if it has one, or all shards together.
#[derive(Serialize)]
struct StatusRow<'a> {
    board: Board,
    engine: &'a str,
    plan: &'a str,
    shard: String,
    state: String,
    units_done: Option<usize>,
    units_left: Option<usize>,
    percent: Option<Ratio>,
    percent_per_hour: Option<Ratio>,
    seconds_left: Option<Seconds>,
    core_hours: Option<Hours>,
    file: Option<String>,
    /// The finished and the expected work.
    #[serde(skip)]
    work: Option<(u64, u64)>,
}

impl<'a> StatusRow<'a> {
    fn new(plan: &'a Plan, shard: String, path: Option<&Path>, progress: Option<&Progress>) -> Self {
        Self {
            board: plan.board(),
            engine: plan.engine().name(),
            plan: plan.name(),
            shard,
            state: progress.map_or_else(|| "missing".to_owned(), |progress| progress.state.to_string()),
            units_done: progress.map(|progress| progress.units_done),
            units_left: progress.map(|progress| progress.units - progress.units_done),
            percent: progress.map(|progress| percent(progress.work_done as f64, progress.work)),
            percent_per_hour: progress.and_then(|progress| Some(percent(3600.0 * progress.rate?, progress.work))),
            seconds_left: progress.and_then(|progress| progress.seconds_left).map(Seconds),
            core_hours: progress.map(|progress| Hours(progress.core_seconds / 3600.0)),
            file: path.map(|path| path.display().to_string()),
            work: progress.map(|progress| (progress.work_done, progress.work)),
        }
    }
}

/// Returns a share of the work in percent.
fn percent(work: f64, all: u64) -> Ratio {
    Ratio(if all == 0 { 100.0 } else { 100.0 * work / all as f64 })
}

impl Row for StatusRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        let rate = self.percent_per_hour.filter(|_| self.seconds_left.is_some());
        vec![
            Cell::word("shard", 9, Some(&self.shard)),
            Cell::word("state", 7, Some(&self.state)),
            Cell::number("done", 7, self.units_done.map(|units| words::grouped(units as u64))),
            Cell::number("left", 7, self.units_left.map(|units| words::grouped(units as u64))),
            Cell::number("work", 6, self.work.map(|(done, all)| words::percent(done, all))),
            Cell::number("per hour", 8, rate.map(|rate| format!("{rate}%"))),
            Cell::number("time left", 16, self.seconds_left.map(|seconds| words::about_time(seconds.0))),
            Cell::word("ledger", 0, self.file.as_ref()),
        ]
    }
}

/// Reports the ledger of a shard that has just been counted, as `nqueens status` does.
pub(crate) fn report(path: &Path, printing: &OutputOptions, output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let ledgers = read_all(path, &mut None, cancel)?;
    let gathered = GatheredUnits::new(&ledgers)?;
    gathered.without_contradiction()?;
    if !ledgers[0].is_complete() {
        let path = path.display();
        return Err(Failure::Failed(format!(
            "'{path}' lacks units that were counted; the same command counts them again"
        )));
    }
    let (plan, shard) = (gathered.plan(), ledgers[0].header.shard.to_string());
    let row = StatusRow::new(plan, shard, Some(path), Some(&Progress::new(&ledgers[0], plan)));
    Ok(Report::open(printing.format(), KIND, output).all(&[row])?)
}

/// Writes a row for each ledger, and for all ledgers together a row or, in text, a line.
fn write(
    ledgers: &[Contents],
    gathered: &GatheredUnits<'_>,
    missing: &[usize],
    format: Format,
    report: &mut Report<impl Sink>,
) -> io::Result<()> {
    let plan = gathered.plan();
    // The progress is asked for once, so that the rows and the line for all agree on which shards are running.
    let progress: Vec<Progress> = ledgers.iter().map(|ledger| Progress::new(ledger, plan)).collect();
    let with_ledger = |(ledger, progress): (&Contents, &Progress)| {
        let shard = ledger.header.shard;
        (shard.index(), StatusRow::new(plan, shard.to_string(), Some(&ledger.path), Some(progress)))
    };
    let without = |&index: &usize| {
        let shard = format!("{index}/{}", gathered.shards());
        (index, StatusRow::new(plan, shard, None, None))
    };
    let mut rows: Vec<_> = ledgers.iter().zip(&progress).map(with_ledger).collect();
    // A shard without a ledger has a row only if it lacks units, because other ledgers may have all of them. In text,
    // the line for all names these shards.
    let with = gathered.shards_with_ledger();
    rows.extend(missing.iter().filter(|index| format != Format::Text && !with.contains(index)).map(without));
    rows.sort_by_key(|(index, _)| *index);
    rows.iter().try_for_each(|(_, row)| report.row(row))?;
    let all = Progress::gathered(gathered, &progress);
    if format == Format::Text {
        return report.line(&summary(gathered, &all, missing));
    }
    report.row(&StatusRow::new(plan, "all".to_owned(), None, Some(&all)))
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let files = ledgers::files(&arguments.paths)?;
    let output = arguments.printing.open(&ledgers::named(&files))?;
    let ledgers = ledgers::contents(&files, cancel)?;
    let gathered = GatheredUnits::new(&ledgers)?;
    let format = if arguments.missing { Format::Text } else { arguments.printing.format() };
    let mut report = Report::open(format, KIND, output);
    match (arguments.missing, &*gathered.missing_shards()) {
        (true, []) => {}
        (true, missing) => report.line(&ranges(missing))?,
        (false, missing) => write(&ledgers, &gathered, missing, format, &mut report)?,
    }
    report.finish(true)?;
    // A contradiction is always an error, not only a remark.
    Ok(gathered.without_contradiction()?)
}

/// Returns a line for people about all ledgers together.
fn summary(gathered: &GatheredUnits<'_>, all: &Progress, missing: &[usize]) -> String {
    let (plan, shards) = (gathered.plan(), gathered.shards());
    let when = all.seconds_left.map(|left| format!("; {} left at this rate", words::about_time(left)));
    let missing_words = match missing {
        [] => "all is done".to_owned(),
        _ if shards == 1 => "not done yet".to_owned(),
        missing => format!("not done: {}", shards_in_words(missing)),
    };
    format!(
        "N = {}, engine {}, plan {}: {} of {} and {} of {} done, {} of the work, {}{}; {missing_words}",
        plan.board(),
        plan.engine(),
        plan.name(),
        words::grouped((shards - missing.len()) as u64),
        many(shards as u64, "shard"),
        words::grouped(all.units_done as u64),
        many(plan.units() as u64, "unit"),
        words::percent(all.work_done, all.work),
        words::core_hours(all.core_seconds),
        when.unwrap_or_default(),
    )
}
