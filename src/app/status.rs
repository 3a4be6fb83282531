//! `nqueens status`: shows the progress of the ledgers of a count.

use crate::app::failure::Failure;
use crate::app::ledgers::{contents, files, named, some_contents, warn_of_faults};
use crate::app::numbers::whole;
use crate::app::options::ReportOptions;
use crate::app::output::words::{self, plural};
use crate::app::output::{Format, Sink};
use crate::app::rows::{self, Column};
use nqueens::engine::Plan;
use nqueens::ledger::{Contents, Gathered, is_in_use, ranges};
use nqueens::run::MOST_SHARDS;
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
  nqueens status ledgers/                           every ledger in the folder
  nqueens status --missing --shards 64 ledgers/     the shards that are not done, as 2,5-7")]
pub(crate) struct Arguments {
    /// Ledgers of one count, or folders with ledgers: files that end in .jsonl or .jsonl.gz
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Number of shards, if no ledger of a shard exists yet; then a PATH need not exist
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

/// Returns the row of a shard, with its ledger and the plan of this if it has one.
fn shard_row(index: usize, shards: usize, ledger: Option<(&Contents, &Plan)>) -> Vec<Column> {
    let header = ledger.map(|(ledger, _)| &ledger.header);
    let run = ledger.and_then(|(ledger, _)| ledger.runs.last());
    let progress = ledger.map(|(ledger, plan)| Progress::of(ledger, plan));
    let state = progress.as_ref().map_or("missing", |progress| progress.state);
    let work = progress.as_ref().map(|progress| progress.work);
    let rate = progress.as_ref().and_then(|progress| progress.rate).map(|rate| 360_000.0 * rate);
    let running_rate = rate.filter(|_| state == "running");
    let seconds_left = progress.as_ref().and_then(|progress| progress.seconds_left);
    let ledger = ledger.map(|(ledger, _)| ledger);
    let file = ledger.map(|ledger| ledger.path.display().to_string());
    vec![
        Column::new("shard", header.map_or_else(|| format!("{index}/{shards}"), |header| header.shard.to_string()))
            .word("shard", 9),
        Column::new("state", state).word("state", 7),
        Column::new("units_done", ledger.map(|ledger| ledger.units.len())).number("done", 7),
        Column::new("units_left", ledger.map(|ledger| ledger.header.shard_units().saturating_sub(ledger.units.len())))
            .number("left", 7),
        Column::new("file", file.clone()),
        Column::ratio(
            "percent",
            work.map(|(done, all)| if all == 0 { 100.0 } else { 100.0 * done as f64 / all as f64 }),
        )
        .number("work", 6)
        .shown(work.map(|(done, all)| words::percent(done, all))),
        Column::ratio("percent_per_hour", rate)
            .number("per hour", 8)
            .shown(running_rate.map(|rate| words::ratio(rate) + "%")),
        Column::seconds("seconds_left", seconds_left)
            .number("time left", 16)
            .shown(seconds_left.map(words::about_time)),
        Column::for_people(file).word("ledger", 0),
        Column::seconds("seconds", ledger.map(Contents::seconds)),
        Column::new("runs", ledger.map(|ledger| ledger.runs.len())),
        Column::new("damaged_lines", ledger.map(|ledger| ledger.damage.as_ref().map_or(0, |damage| damage.lines))),
        Column::new("host", run.map(|run| &*run.host)),
        Column::new("pid", run.map(|run| run.pid)),
        Column::new("threads", run.map(|run| run.threads)),
        Column::new("kernel", run.map(|run| &*run.kernel)),
        Column::new("board", header.map(|header| header.board.size())),
        Column::new("engine", header.map(|header| &*header.engine)),
        Column::new("plan", header.map(|header| &*header.plan)),
        Column::new("fingerprint", header.map(|header| &*header.fingerprint)),
    ]
}

/// The progress of a shard that has a ledger.
struct Progress {
    state: &'static str,
    /// The work that is done, and all.
    work: (u64, u64),
    /// The share of the work per second, estimated from the last run.
    rate: Option<f64>,
    /// The expected seconds to the end, if the shard is being counted.
    seconds_left: Option<f64>,
}

impl Progress {
    fn of(ledger: &Contents, plan: &Plan) -> Self {
        let running = !ledger.is_complete() && is_in_use(&ledger.path);
        let state = match (ledger.contradiction.is_some(), ledger.is_complete(), running) {
            (true, ..) => "differs",
            (_, true, _) => "done",
            (_, _, true) => "running",
            _ => "stopped",
        };
        let (done, all) = ledger.work(plan);
        let rate = ledger.rate(plan).filter(|_| all > 0).map(|rate| rate / all as f64);
        let seconds_left = rate.filter(|_| running).map(|rate| (1.0 - done as f64 / all as f64) / rate);
        Self { state, work: (done, all), rate, seconds_left }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut paths = arguments.paths.clone();
    if arguments.shards.is_some() {
        // Paths that cannot be accessed are kept and reported as errors below.
        paths.retain(|path| path.try_exists().unwrap_or(true));
    }
    let files = files(&paths)?;
    let output = arguments.printing.open(&named(&files))?;
    tell(arguments, &files, output)
}

/// Reports the ledger of a shard that has just been counted, as `nqueens status` does.
pub(crate) fn report(path: &Path, printing: &ReportOptions, output: impl Sink) -> Result<(), Failure> {
    let (ledgers, _) = contents(&[path.to_owned()])?;
    let gathered = Gathered::of(&ledgers)?;
    gathered.without_contradiction()?;
    if ledgers.iter().any(|ledger| !ledger.is_complete()) {
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
    let gathered = if ledgers.is_empty() { None } else { Some(Gathered::of(&ledgers)?) };
    let given = arguments.shards.map(|shards| shards as usize);
    // Ledgers of the whole plan do not say how many shards there are.
    let gathered = match given {
        Some(shards) => gathered.map(|gathered| gathered.in_shards(shards)),
        None => gathered,
    };
    warn_of_faults(printing.destination(), unreadable, &ledgers);
    let shards = match (gathered.as_ref().map(Gathered::shards), given) {
        (Some(known), Some(given)) if known != given => {
            return Err(Failure::Usage(format!(
                "these ledgers belong to a count in {}, not {given}; give --shards {known}",
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
    if arguments.missing {
        let line = if missing.is_empty() { String::new() } else { format!("{}\n", ranges(&missing)) };
        output.write_all(line.as_bytes()).and_then(|()| output.end()).map_err(|error| Failure::writing(&error))?;
    } else {
        let with = gathered.as_ref().map_or_else(HashSet::new, Gathered::shards_with_ledger);
        // Another ledger may have all units of a shard without one.
        let without = missing.iter().filter(|index| !with.contains(index)).map(|&index| (index, None));
        let is_for_people = matches!(printing.format(), Format::Text | Format::Markdown);
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
    let mut report = rows::open(printing.format(), "nqueens/status/1", rows::Kind::Many, output);
    let written =
        of_shard.into_iter().try_for_each(|(index, ledger)| report.row(&shard_row(index, shards, ledger.zip(plan))));
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
    let share = words::fine_percent(gathered.work_done(), plan.total_work());
    format!(
        "N = {}, engine {}, plan {}: {} of {} and {} of {} done, {share} of the work, {:.3} core-hours; {missing_words}",
        plan.board(),
        plan.engine(),
        plan.name(),
        shards - missing.len(),
        plural(shards, "shard"),
        gathered.units_done(),
        plural(plan.units(), "unit"),
        gathered.thread_seconds() / 3600.0,
    )
}
