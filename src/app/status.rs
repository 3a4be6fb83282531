//! `nqueens status`: how far the ledgers of a count are.

use crate::app::failure::Failure;
use crate::app::ledgers::{contents, damage, files, named, some_contents};
use crate::app::numbers::whole;
use crate::app::options::Printing;
use crate::app::output::words::{self, plural};
use crate::app::output::{self, Cell, Column, Detail, Layout, Rows, Sink};
use crate::app::session::Session;
use crate::engine::Plan;
use crate::ledger::merge::Gathered;
use crate::ledger::{Contents, is_in_use};
use crate::run::{MOST_SHARDS, words_of_numbers};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Say how far the ledgers of a count are
///
/// For each shard: how many of its units are finished, how much of the work that is, how fast it goes and how long it will take.
/// A shard is done, running, stopped, or missing, which means that it has no ledger; it differs where its ledger says two
/// things of a unit.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens status 24.jsonl
  nqueens status ledgers/                           every .jsonl file of the folder
  nqueens status --missing --shards 64 ledgers/     what a job array has still to do, as 2,5-7")]
pub(crate) struct Arguments {
    /// Ledgers of one count, or folders of .jsonl ledgers
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// How many shards there are, where no ledger says so yet; then a PATH need not exist
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=MOST_SHARDS as u64))]
    shards: Option<u64>,

    /// Print only which shards are not done, as a job array takes them: 2,5-7; nothing when all are
    #[arg(long)]
    missing: bool,

    #[command(flatten)]
    printing: Printing,
}

const COLUMNS: &[Column] = &[
    Column { key: "shard", heading: "shard", width: 9, detail: Detail::Table },
    Column { key: "state", heading: "state", width: 7, detail: Detail::Table },
    Column { key: "units_done", heading: "done", width: 7, detail: Detail::Table },
    Column { key: "units_left", heading: "left", width: 7, detail: Detail::Table },
    Column { key: "work", heading: "work", width: 6, detail: Detail::Screen },
    Column { key: "rate", heading: "per hour", width: 8, detail: Detail::Screen },
    Column { key: "time_left", heading: "time left", width: 16, detail: Detail::Screen },
    Column { key: "file", heading: "ledger", width: 0, detail: Detail::Table },
    Column::of_record("percent"),
    Column::of_record("percent_per_hour"),
    Column::of_record("seconds_left"),
    Column::of_record("seconds"),
    Column::of_record("runs"),
    Column::of_record("damaged_lines"),
    Column::of_record("host"),
    Column::of_record("pid"),
    Column::of_record("threads"),
    Column::of_record("kernel"),
    Column::of_record("board"),
    Column::of_record("engine"),
    Column::of_record("plan"),
    Column::of_record("fingerprint"),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin_brief()?;
    let mut paths = arguments.paths.clone();
    if arguments.shards.is_some() {
        // What cannot be looked at is not missing, and is complained of below.
        paths.retain(|path| path.try_exists().unwrap_or(true));
    }
    let files = files(&paths)?;
    let output = arguments.printing.open(&named(&files))?;
    session.run(|_| tell(arguments, &files, output))
}

/// Reports the ledger of a shard that has just been counted, as `nqueens status` does.
pub(crate) fn report(path: &Path, printing: &Printing, output: impl Sink) -> Result<(), Failure> {
    let (ledgers, _) = contents(&[path.to_owned()])?;
    let Some(gathered) = Gathered::of(&ledgers)? else { return Ok(()) };
    gathered.without_contradiction()?;
    if ledgers.iter().any(|ledger| !ledger.is_complete() || ledger.damage.is_some()) {
        let path = path.display();
        return Err(Failure::Failed(format!(
            "'{path}' has not all that was counted; has something else written to it? Count again with this ledger"
        )));
    }
    let of_shard = ledgers.iter().map(|ledger| (ledger.header.shard.index(), Some(ledger)));
    rows(of_shard, gathered.shards(), Some(gathered.plan()), printing, output)
}

fn tell(arguments: &Arguments, files: &[PathBuf], mut output: impl Sink) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let (ledgers, unreadable) = match arguments.shards {
        None => contents(files)?,
        // A ledger that was not even begun is of a shard that is missing.
        Some(_) => some_contents(files)?,
    };
    let gathered = Gathered::of(&ledgers)?;
    for words in unreadable.into_iter().chain(ledgers.iter().filter_map(damage)) {
        printing.warn(format_args!("{words}"));
    }
    let known = gathered.as_ref().map(Gathered::shards);
    let shards = match (known, arguments.shards.map(|shards| shards as usize)) {
        (Some(known), Some(given)) if known != given => {
            let path = ledgers[0].path.display();
            return Err(Failure::Usage(format!(
                "'{path}' is of a count in {}, not {given}; give --shards {known}",
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
                "every shard is complete by itself, but {lacking} of {} are in none: versions of the program that deal in different \
                 ways have counted them; count all shards again with new ledgers",
                plural(gathered.plan().units(), "unit")
            )));
        }
        if let (Some(old), true) = (gathered.old_shard(), arguments.missing && !missing.is_empty()) {
            return Err(Failure::Usage(format!(
                "'{}' was begun by nqueens {}, which deals other units to a shard; finish these shards with that version, or \
                 count all of them again with new ledgers",
                old.path.display(),
                old.header.program_version,
            )));
        }
    }
    if arguments.missing {
        let line = if missing.is_empty() { String::new() } else { format!("{}\n", words_of_numbers(&missing)) };
        output.write_all(line.as_bytes()).and_then(|()| output.end()).map_err(|error| Failure::writing(&error))?;
    } else {
        let with: HashSet<usize> = ledgers.iter().map(|ledger| ledger.header.shard.index()).collect();
        let without = (0..shards).filter(|index| !with.contains(index)).map(|index| (index, None));
        let mut of_shard: Vec<(usize, Option<&Contents>)> =
            ledgers.iter().map(|ledger| (ledger.header.shard.index(), Some(ledger))).chain(without).collect();
        of_shard.sort_by_key(|(index, _)| *index);
        rows(of_shard, shards, gathered.as_ref().map(Gathered::plan), printing, output)?;
        if let Some(gathered) = &gathered {
            printing.remark(format_args!("{}", summary(gathered, &missing)));
        }
    }
    // What contradicts itself is never only a remark.
    gathered.map_or(Ok(()), |gathered| gathered.without_contradiction()).map_err(Failure::from)
}

/// A row for each ledger, and for each shard without one.
fn rows<'a>(
    of_shard: impl IntoIterator<Item = (usize, Option<&'a Contents>)>,
    shards: usize,
    plan: Option<&Plan>,
    printing: &Printing,
    output: impl Sink,
) -> Result<(), Failure> {
    let layout = Layout { schema: "nqueens/status/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = output::open(printing.format, layout, output);
    let written = of_shard.into_iter().try_for_each(|(index, ledger)| {
        report.row(&match ledger.zip(plan) {
            Some((ledger, plan)) => row(ledger, plan),
            None => missing_row(index, shards),
        })
    });
    written.and_then(|()| report.finish(true)).map_err(|error| Failure::writing(&error))
}

/// A line for people on all ledgers together.
fn summary(gathered: &Gathered<'_>, missing: &[usize]) -> String {
    let (plan, shards) = (gathered.plan(), gathered.shards());
    let missing_words = match missing {
        [] => "all is done".to_owned(),
        _ if shards == 1 => "not done yet".to_owned(),
        missing => format!("not done: shard {}", words_of_numbers(missing)),
    };
    format!(
        "N = {}, engine {}, plan {}: {} of {} and {} of {} done; {missing_words}",
        plan.board(),
        plan.engine(),
        plan.name(),
        shards - missing.len(),
        plural(shards, "shard"),
        gathered.units_done(),
        plural(plan.units(), "unit"),
    )
}

fn missing_row(index: usize, shards: usize) -> Vec<Cell> {
    let mut row = vec![const { Cell::Missing }; COLUMNS.len()];
    (row[0], row[1]) = (Cell::Text(format!("{index}/{shards}")), Cell::Text("missing".to_owned()));
    row
}

fn row(ledger: &Contents, plan: &Plan) -> Vec<Cell> {
    let header = &ledger.header;
    let running = !ledger.is_complete() && is_in_use(&ledger.path);
    let state = match (ledger.contradiction.is_some(), ledger.is_complete(), running) {
        (true, ..) => "differs",
        (_, true, _) => "done",
        (_, _, true) => "running",
        _ => "stopped",
    };
    let (done, all) = ledger.work(plan);
    // The share of the work in a second, by what the last run has done.
    let rate = ledger.rate(plan).filter(|_| all > 0).map(|rate| rate / all as f64);
    let left = rate.filter(|_| running).map(|rate| (1.0 - done as f64 / all as f64) / rate);
    let words = |number: Option<f64>, words: &dyn Fn(f64) -> String| {
        number.map_or(Cell::Missing, |number| Cell::Number(words(number)))
    };
    let run = ledger.runs.last();
    let text = |text: Option<&String>| text.map_or(Cell::Missing, |text| Cell::Text(text.clone()));
    let integer = |number: Option<u64>| number.map_or(Cell::Missing, Cell::Integer);
    vec![
        Cell::Text(header.shard.to_string()),
        Cell::Text(state.to_owned()),
        Cell::Integer(ledger.units.len() as u64),
        Cell::Integer(header.shard_units().saturating_sub(ledger.units.len()) as u64),
        Cell::Number(words::percent(done, all)),
        words(rate.filter(|_| running), &|rate| format!("{}%", words::ratio(360_000.0 * rate))),
        words(left, &words::long_time),
        Cell::Text(ledger.path.display().to_string()),
        Cell::Ratio(if all == 0 { 100.0 } else { 100.0 * done as f64 / all as f64 }),
        rate.map_or(Cell::Missing, |rate| Cell::Ratio(360_000.0 * rate)),
        left.map_or(Cell::Missing, Cell::Seconds),
        Cell::Seconds(ledger.seconds()),
        Cell::Integer(ledger.runs.len() as u64),
        Cell::Integer(ledger.damage.as_ref().map_or(0, |damage| damage.lines) as u64),
        text(run.map(|run| &run.host)),
        integer(run.map(|run| run.pid.into())),
        integer(run.map(|run| run.threads as u64)),
        text(run.map(|run| &run.kernel)),
        Cell::Integer(header.board.size() as u64),
        Cell::Text(header.engine.clone()),
        Cell::Text(header.plan.clone()),
        Cell::Text(header.fingerprint.clone()),
    ]
}
