//! `nqueens status`: shows the progress of the ledgers of a count.

use crate::app::failure::{Failure, refused};
use crate::app::ledgers::Needed;
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::output::words::{self, many, plural};
use crate::app::rows::{Cell, Format, Hours, Kind, Ratio, Report, Row, Seconds};
use crate::app::{ledgers, numbers};
use nqueens::ledger::{Contents, GatheredUnits, Header, Progress, ranges, read_all, shards_in_words};
use nqueens::{Board, Cancel, Shard};
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
  nqueens status --missing --shards 64 ledgers/     the shards that are not done, as 2,5-7
  watch --interval 60 nqueens status ledgers/       again and again")]
pub(crate) struct Arguments {
    /// Ledgers, or folders with ledgers: files that end in .jsonl or .jsonl.gz
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Number of shards, if no ledger of a shard exists yet; then a PATH need not exist
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::whole(1..=Shard::MOST as u64))]
    shards: Option<u64>,

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
    board: Option<Board>,
    engine: Option<&'a str>,
    plan: Option<&'a str>,
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
    fn new(
        shard: String,
        header: Option<&'a Header>,
        ledger: Option<&'a Contents>,
        progress: Option<&Progress>,
    ) -> Self {
        Self {
            board: header.map(|header| header.board),
            engine: header.map(|header| &*header.engine),
            plan: header.map(|header| &*header.plan),
            shard,
            state: progress.map_or_else(|| "missing".to_owned(), |progress| progress.state.to_string()),
            units_done: progress.map(|progress| progress.units_done),
            units_left: progress.map(|progress| progress.units - progress.units_done),
            percent: progress.map(|progress| percent(progress.work_done as f64, progress.work)),
            percent_per_hour: progress.and_then(|progress| Some(percent(3600.0 * progress.rate?, progress.work))),
            seconds_left: progress.and_then(|progress| progress.seconds_left).map(Seconds),
            core_hours: progress.map(|progress| Hours(progress.core_seconds / 3600.0)),
            file: ledger.map(|ledger| ledger.path.display().to_string()),
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
    let (header, progress) = (&ledgers[0].header, Progress::new(&ledgers[0], gathered.plan()));
    let row = StatusRow::new(header.shard.to_string(), Some(header), ledgers.first(), Some(&progress));
    Ok(Report::open(printing.format(), KIND, output).all(&[row])?)
}

/// The ledgers of one count, of which there may be none yet.
struct Shards<'a> {
    ledgers: &'a [Contents],
    gathered: Option<GatheredUnits<'a>>,
    number: usize,
    /// The shards that are not done.
    missing: Vec<usize>,
}

impl<'a> Shards<'a> {
    fn new(ledgers: &'a [Contents], given: Option<usize>) -> Result<Self, Failure> {
        // Ledgers of the whole plan do not say how many shards there are.
        let gathered =
            if ledgers.is_empty() { None } else { Some(GatheredUnits::new(ledgers)?.in_shards(given.unwrap_or(1))) };
        let number = match (gathered.as_ref().map(GatheredUnits::shards), given) {
            (Some(known), Some(given)) if known != given => {
                return refused(format!(
                    "these ledgers belong to a count in {}, not {given}; give that number",
                    plural(known, "shard")
                ));
            }
            (known, given) => known.or(given).unwrap_or(0),
        };
        let missing = gathered.as_ref().map_or_else(|| (0..number).collect(), GatheredUnits::missing_shards);
        Ok(Self { ledgers, gathered, number, missing })
    }

    /// Writes a row for each ledger, and for all ledgers together a row or, in text, a line.
    fn write(&self, report: &mut Report<impl Sink>, format: Format) -> io::Result<()> {
        let Self { ledgers, gathered, number, missing } = self;
        let without = |&index: &usize| (index, StatusRow::new(format!("{index}/{number}"), None, None, None));
        let Some(gathered) = gathered else {
            return missing.iter().try_for_each(|index| report.row(&without(index).1));
        };
        // The progress is asked for once, so that the rows and the line for all agree on which shards are running.
        let progress: Vec<Progress> = ledgers.iter().map(|ledger| Progress::new(ledger, gathered.plan())).collect();
        let with_ledger = |(ledger, progress): (&'a Contents, &Progress)| {
            let (header, shard) = (&ledger.header, ledger.header.shard);
            (shard.index(), StatusRow::new(shard.to_string(), Some(header), Some(ledger), Some(progress)))
        };
        let mut rows: Vec<_> = ledgers.iter().zip(&progress).map(with_ledger).collect();
        // A shard without a ledger has a row only if it lacks units, because other ledgers may have all of them. In
        // text, the line for all names these shards.
        let with = gathered.shards_with_ledger();
        rows.extend(missing.iter().filter(|index| format != Format::Text && !with.contains(index)).map(without));
        rows.sort_by_key(|(index, _)| *index);
        rows.iter().try_for_each(|(_, row)| report.row(row))?;
        let all = Progress::gathered(gathered, &progress);
        if format == Format::Text {
            return report.line(&summary(gathered, &all, missing));
        }
        report.row(&StatusRow::new("all".to_owned(), ledgers.first().map(|ledger| &ledger.header), None, Some(&all)))
    }
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let given = arguments.shards.map(|shards| shards as usize);
    let needed = if given.is_some() { Needed::None } else { Needed::One };
    let mut paths = arguments.paths.clone();
    if given.is_some() {
        // Paths that cannot be accessed are kept and reported as errors below.
        paths.retain(|path| path.try_exists().unwrap_or(true));
    }
    let files = ledgers::files(&paths, needed)?;
    let output = arguments.printing.open(&ledgers::named(&files))?;
    // A shard is also missing if its ledger is empty.
    let ledgers = ledgers::contents(&files, needed, cancel)?;
    let count = Shards::new(&ledgers, given)?;
    let format = if arguments.missing { Format::Text } else { arguments.printing.format() };
    let mut report = Report::open(format, KIND, output);
    match (arguments.missing, &count.missing[..]) {
        (true, []) => {}
        (true, missing) => report.line(&ranges(missing))?,
        _ => count.write(&mut report, format)?,
    }
    report.finish(true)?;
    // A contradiction is always an error, not only a remark.
    Ok(count.gathered.as_ref().map_or(Ok(()), GatheredUnits::without_contradiction)?)
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
