//! `nqueens status`: shows the progress of the ledgers of a count.

use crate::app::failure::Failure;
use crate::app::ledgers::{contents, files, named, plan_in_words, ranges, shards_in_words};
use crate::app::machine;
use crate::app::numbers::whole;
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::output::document::Document;
use crate::app::output::words::{self, many, plural};
use crate::app::rows::{self, Column, Format};
use nqueens::Cancel;
use nqueens::ledger::{Contents, GatheredUnits, Header, Progress, read_all};
use nqueens::run::MOST_SHARDS;
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};

/// Show the progress of the ledgers of a count
///
/// Prints a row for each ledger: the finished and the remaining units, their share of the work, the rate, and the time
/// left; and then all of them together: also the core-hours, and when all will be done at the present rate. The state
/// of a shard is done, running, stopped, missing (it has no ledger) or differs (its ledger has two partial counts for a
/// unit). Ledgers of several counts are listed apart.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens status 24.jsonl
  nqueens status ledgers/                           every ledger in the folder
  nqueens status --missing --shards 64 ledgers/     the shards that are not done, as 2,5-7")]
pub(crate) struct Arguments {
    /// Ledgers, or folders with ledgers: files that end in .jsonl or .jsonl.gz
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Number of shards, if no ledger of a shard exists yet; then a PATH need not exist
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=MOST_SHARDS as u64))]
    shards: Option<u64>,

    /// Print only the shards that are not done, in the form for a job array: 2,5-7; nothing if all are done
    #[arg(long, conflicts_with = "format")]
    missing: bool,

    #[command(flatten)]
    printing: OutputOptions,
}

/// The name and the version of the JSON document.
const SCHEMA: &str = "nqueens/status/1";

/// Returns the row of the shard `name` with its ledger, if it has one, or the row of all shards together.
fn row(name: String, header: Option<&Header>, ledger: Option<&Contents>, progress: Option<&Progress>) -> Vec<Column> {
    let run = ledger.and_then(|ledger| ledger.runs.last());
    let percent = |done: f64, all: u64| if all == 0 { 100.0 } else { 100.0 * done / all as f64 };
    let rate = progress.and_then(|progress| Some(percent(3600.0 * progress.rate?, progress.work)));
    let seconds_left = progress.and_then(|progress| progress.seconds_left);
    let file = ledger.map(|ledger| ledger.path.display().to_string());
    vec![
        Column::new("shard", name).word("shard", 9),
        Column::new("state", progress.map_or("missing".into(), |progress| json!(progress.state))).word("state", 7),
        Column::new("units_done", progress.map(|progress| progress.units_done)).number("done", 7),
        Column::new("units_left", progress.map(|progress| progress.units - progress.units_done)).number("left", 7),
        Column::ratio("percent", progress.map(|progress| percent(progress.work_done as f64, progress.work)))
            .number("work", 6)
            .shown(progress.map(|progress| words::percent(progress.work_done, progress.work))),
        Column::ratio("percent_per_hour", rate)
            .number("per hour", 8)
            .shown(rate.filter(|_| seconds_left.is_some()).map(|rate| words::ratio(rate) + "%")),
        Column::seconds("seconds_left", seconds_left)
            .number("time left", 16)
            .shown(seconds_left.map(words::about_time)),
        Column::new("file", file).word("ledger", 0),
        Column::new("done_at", seconds_left.and_then(machine::date_after)),
        Column::core_hours(progress.map(|progress| progress.core_seconds)),
        Column::device_hours(progress.and_then(|progress| progress.device_seconds)),
        Column::seconds("seconds", ledger.map(Contents::seconds)),
        Column::new("runs", ledger.map(|ledger| ledger.runs.len())),
        Column::new("damaged_lines", ledger.map(|ledger| ledger.damage.as_ref().map_or(0, |damage| damage.lines))),
        Column::new("host", run.map(|run| &*run.host)),
        Column::new("pid", run.map(|run| run.pid)),
        Column::new("threads", run.map(|run| run.threads)),
        Column::new("kernel", run.map(|run| &*run.kernel)),
        Column::new("device", run.and_then(|run| run.device.as_deref())),
        Column::new("board", header.map(|header| header.board.size())),
        Column::new("engine", header.map(|header| &*header.engine)),
        Column::new("plan", header.map(|header| &*header.plan)),
        Column::new("fingerprint", header.map(|header| &*header.fingerprint)),
        Column::new("program_version", env!("NQUEENS_VERSION")),
    ]
}

/// Reports the ledger of a shard that has just been counted, as `nqueens status` does.
pub(crate) fn report(path: &Path, printing: &OutputOptions, output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let ledgers = read_all(path, &mut None, cancel)?;
    let gathered = GatheredUnits::new(&ledgers)?;
    gathered.without_contradiction()?;
    if ledgers.iter().any(|ledger| !ledger.is_complete()) {
        let path = path.display();
        return Err(Failure::Failed(format!(
            "'{path}' lacks finished units; another program may have written to it. Count again with this ledger"
        )));
    }
    let mut report = rows::open(printing.format(), SCHEMA, rows::Kind::Many, output);
    let (header, progress) = (&ledgers[0].header, Progress::new(&ledgers[0], gathered.plan()));
    let row = row(header.shard.to_string(), Some(header), ledgers.first(), Some(&progress));
    report.row(&row).and_then(|()| report.finish(true)).map_err(Failure::from)
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
                return Err(Failure::Usage(format!(
                    "these ledgers belong to a count in {}, not {given}; give that number",
                    plural(known, "shard")
                )));
            }
            (known, given) => known.or(given).unwrap_or(0),
        };
        let missing = gathered.as_ref().map_or_else(|| (0..number).collect(), GatheredUnits::missing_shards);
        Ok(Self { ledgers, gathered, number, missing })
    }

    /// Writes a row for each ledger, and for all ledgers together a row or, in text, a line.
    fn write(&self, report: &mut Document<[Column], impl Sink>, format: Format) -> io::Result<()> {
        let Self { ledgers, gathered, number, missing } = self;
        let without = |&index: &usize| (index, row(format!("{index}/{number}"), None, None, None));
        let Some(gathered) = gathered else {
            return missing.iter().try_for_each(|index| report.row(&without(index).1));
        };
        // The progress is asked for once, so that the rows and the line for all agree on which shards are running.
        let progress: Vec<Progress> = ledgers.iter().map(|ledger| Progress::new(ledger, gathered.plan())).collect();
        let mut rows: Vec<_> = ledgers
            .iter()
            .zip(&progress)
            .map(|(ledger, progress)| {
                let (header, shard) = (&ledger.header, ledger.header.shard);
                (shard.index(), row(shard.to_string(), Some(header), Some(ledger), Some(progress)))
            })
            .collect();
        // A shard without a ledger has a row only if it lacks units, because other ledgers may have all of them. In
        // text, the line for all names these shards.
        let with = gathered.shards_with_ledger();
        rows.extend(missing.iter().filter(|index| format != Format::TEXT && !with.contains(index)).map(without));
        rows.sort_by_key(|(index, _)| *index);
        rows.iter().try_for_each(|(_, row)| report.row(row))?;
        let all = Progress::gathered(gathered, &progress);
        if format == Format::TEXT {
            return report.line(&summary(gathered, &all, missing));
        }
        report.row(&row("all".to_owned(), ledgers.first().map(|ledger| &ledger.header), None, Some(&all)))
    }
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let given = arguments.shards.map(|shards| shards as usize);
    let mut paths = arguments.paths.clone();
    if given.is_some() {
        // Paths that cannot be accessed are kept and reported as errors below.
        paths.retain(|path| path.try_exists().unwrap_or(true));
    }
    let files = files(&paths, given.is_some())?;
    let output = arguments.printing.open(&named(&files))?;
    // A shard is also missing if its ledger is empty.
    let mut ledgers = contents(&files, given.is_some(), cancel)?;
    let counts: Vec<_> = if arguments.missing || given.is_some() {
        vec![Shards::new(&ledgers, given)?]
    } else {
        ledgers.sort_by_cached_key(|ledger| (ledger.header.board.size(), ledger.header.identity()));
        let of_one = ledgers.chunk_by(|one, other| one.header.is_of_the_same_plan(&other.header));
        of_one.map(|ledgers| Shards::new(ledgers, None)).collect::<Result<_, _>>()?
    };
    let format = if arguments.missing { Format::TEXT } else { arguments.printing.format() };
    let mut report = rows::open(format, SCHEMA, rows::Kind::Many, output);
    let written = counts.iter().try_for_each(|count| match (arguments.missing, &count.missing[..]) {
        (true, []) => Ok(()),
        (true, missing) => report.line(&ranges(missing)),
        _ => count.write(&mut report, format),
    });
    written.and_then(|()| report.finish(true))?;
    // A contradiction is always an error, not only a remark.
    counts
        .iter()
        .flat_map(|count| &count.gathered)
        .try_for_each(GatheredUnits::without_contradiction)
        .map_err(Failure::from)
}

/// Returns a line for people about all ledgers together.
fn summary(gathered: &GatheredUnits<'_>, all: &Progress, missing: &[usize]) -> String {
    let (plan, shards) = (gathered.plan(), gathered.shards());
    let when = all.seconds_left.and_then(|left| Some((words::about_time(left), machine::date_after(left)?)));
    let when = when.map_or(String::new(), |(left, date)| format!("; {left} left at this rate, until {date}"));
    let missing_words = match missing {
        [] => "all is done".to_owned(),
        _ if shards == 1 => "not done yet".to_owned(),
        missing => format!("not done: {}", shards_in_words(missing)),
    };
    format!(
        "N = {}, engine {}, plan {}: {} of {} and {} of {} done, {} of the work, {}{when}; {missing_words}",
        plan.board(),
        plan.engine(),
        plan_in_words(plan),
        words::grouped((shards - missing.len()) as u64),
        many(shards as u64, "shard"),
        words::grouped(all.units_done as u64),
        many(plan.units() as u64, "unit"),
        words::percent(all.work_done, all.work),
        words::core_and_device_hours(all.core_seconds, all.device_seconds),
    )
}
