//! `nqueens status`: how far the ledgers of a count are.

use super::arguments::Printing;
use super::failure::Failure;
use super::ledgers::{contents, damage, files};
use super::numbers::whole;
use crate::report::words::{self, plural};
use crate::report::{self, Cell, Column, Detail, Layout, Rows};
use nqueens::run::ledger::{Contents, is_in_use};
use nqueens::run::merge::missing_shards;
use nqueens::run::{MOST_SHARDS, words_of_numbers};
use std::io::Write;
use std::path::PathBuf;

/// Say how far the ledgers of a count are
///
/// For each shard: how many of its units are finished, how much of the work that is, how fast it goes and how long it will take.
/// A shard is done, running, stopped, or missing, which means that it has no ledger.
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
    let output = arguments.printing.open()?;
    let mut paths = arguments.paths.clone();
    if arguments.shards.is_some() {
        // What cannot be looked at is not missing, and is complained of below.
        paths.retain(|path| path.try_exists().unwrap_or(true));
    }
    let files = files(&paths)?;
    tell(arguments, &files, output)
}

/// Tells how far these ledgers are, as `nqueens status` does.
pub(crate) fn report(files: &[PathBuf], printing: &Printing, output: impl Write) -> Result<(), Failure> {
    let (ledgers, unreadable) = contents(files)?;
    let incomplete = |ledger: &&Contents| !ledger.is_complete() || !ledger.damaged.is_empty();
    let wrong = unreadable.first().cloned().or_else(|| {
        let ledger = ledgers.iter().find(incomplete)?;
        Some(format!("'{}' has not all that was counted; has something else written to it?", ledger.path.display()))
    });
    if let Some(words) = wrong {
        return Err(Failure::Failed(format!("{words}; count again with this ledger")));
    }
    rows(&ledgers, ledgers.first().map_or(0, |ledger| ledger.header.shard.index() + 1), false, printing, output)
}

fn tell(arguments: &Arguments, files: &[PathBuf], mut output: impl Write) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let (ledgers, unreadable) = contents(files)?;
    for words in unreadable.into_iter().chain(ledgers.iter().filter_map(damage)) {
        printing.warn(format_args!("{words}"));
    }
    let known = ledgers.first().map(|ledger| ledger.header.shard.count());
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
    if arguments.missing {
        let missing = missing_shards(&ledgers, shards);
        let line = if missing.is_empty() { String::new() } else { format!("{}\n", words_of_numbers(&missing)) };
        return output
            .write_all(line.as_bytes())
            .and_then(|()| output.flush())
            .map_err(|error| Failure::writing(&error));
    }
    rows(&ledgers, shards, true, printing, output)
}

/// A row for each ledger, and if asked for one for each shard without any; and a line for people.
fn rows(
    ledgers: &[Contents],
    shards: usize,
    all: bool,
    printing: &Printing,
    output: impl Write,
) -> Result<(), Failure> {
    let layout = Layout { schema: "nqueens/status/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = report::open(printing.format, layout, output);
    let mut of_shard: Vec<(usize, Option<&Contents>)> =
        ledgers.iter().map(|ledger| (ledger.header.shard.index(), Some(ledger))).collect();
    if all {
        let has_none = |index: &usize| !ledgers.iter().any(|ledger| ledger.header.shard.index() == *index);
        of_shard.extend((0..shards).filter(has_none).map(|index| (index, None)));
    }
    of_shard.sort_by_key(|(index, _)| *index);
    let written = of_shard.iter().try_for_each(|(index, ledger)| report.row(&row(*index, shards, *ledger)));
    written.and_then(|()| report.finish(true)).map_err(|error| Failure::writing(&error))?;
    if let (true, Some(first)) = (all, ledgers.first()) {
        let missing = missing_shards(ledgers, shards);
        let (done, header) = (shards - missing.len(), &first.header);
        let units: usize = ledgers.iter().map(|ledger| ledger.units.len()).sum();
        let missing = match &missing[..] {
            [] => "all is done".to_owned(),
            _ if shards == 1 => "not done yet".to_owned(),
            missing => format!("not done: shard {}", words_of_numbers(missing)),
        };
        printing.remark(format_args!(
            "N = {}, engine {}, plan {}: {done} of {} and {units} of {} done; {missing}",
            header.board,
            header.engine,
            header.plan,
            plural(shards, "shard"),
            plural(header.units, "unit"),
        ));
    }
    Ok(())
}

fn row(index: usize, shards: usize, ledger: Option<&Contents>) -> Vec<Cell> {
    let shards = ledger.map_or(shards, |ledger| ledger.header.shard.count());
    let shard = Cell::Text(format!("{index}/{shards}"));
    let Some(ledger) = ledger else {
        let mut row = vec![const { Cell::Missing }; COLUMNS.len()];
        (row[0], row[1]) = (shard, Cell::Text("missing".to_owned()));
        return row;
    };
    let header = &ledger.header;
    let running = !ledger.is_complete() && is_in_use(&ledger.path);
    let state = match (ledger.is_complete(), running) {
        (true, _) => "done",
        (false, true) => "running",
        (false, false) => "stopped",
    };
    let (done, all) = (ledger.weight(), header.shard_weight);
    // The share of the work in a second, by what the last run has done.
    let rate = ledger.rate().map(|rate| rate / all as f64);
    let left = rate.filter(|_| running).map(|rate| (1.0 - done as f64 / all as f64) / rate);
    let words = |number: Option<f64>, words: &dyn Fn(f64) -> String| {
        number.map_or(Cell::Missing, |number| Cell::Number(words(number)))
    };
    let run = ledger.runs.last();
    let text = |text: Option<&String>| text.map_or(Cell::Missing, |text| Cell::Text(text.clone()));
    let integer = |number: Option<u64>| number.map_or(Cell::Missing, Cell::Integer);
    vec![
        shard,
        Cell::Text(state.to_owned()),
        Cell::Integer(ledger.units.len() as u64),
        Cell::Integer(header.shard_units.saturating_sub(ledger.units.len()) as u64),
        Cell::Number(words::percent(done, all)),
        words(rate.filter(|_| running), &|rate| format!("{}%", words::ratio(360_000.0 * rate))),
        words(left, &words::long_time),
        Cell::Text(ledger.path.display().to_string()),
        Cell::Ratio(if all == 0 { 100.0 } else { 100.0 * done as f64 / all as f64 }),
        rate.map_or(Cell::Missing, |rate| Cell::Ratio(360_000.0 * rate)),
        left.map_or(Cell::Missing, Cell::Seconds),
        Cell::Seconds(ledger.seconds()),
        Cell::Integer(ledger.runs.len() as u64),
        Cell::Integer(ledger.damaged.len() as u64),
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
