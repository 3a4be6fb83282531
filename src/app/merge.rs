//! `nqueens merge`: the total of a count that was cut into shards.

use crate::Cancel;
use crate::app::failure::Failure;
use crate::app::judged::Judged;
use crate::app::ledgers::{contents, damage, files, named};
use crate::app::options::Printing;
use crate::app::output::words::{self, plural};
use crate::app::output::{self, Cell, Column, Detail, Layout, Rows, Sink};
use crate::app::session::Session;
use crate::ledger::merge::{Merged, merge};
use std::path::PathBuf;

/// Add up the ledgers of a count
///
/// Standard output is the total. Nothing is counted: a unit that is in no ledger is an error, and so are ledgers of different
/// counts, and two that differ in what a unit counts. What two ledgers say alike is added once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens merge ledgers/
  nqueens merge 26-*.jsonl --fundamental --format json")]
pub(crate) struct Arguments {
    /// The ledgers of all shards, or folders of .jsonl ledgers
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Also count the solutions up to rotation and reflection, as `nqueens count` does
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    printing: Printing,
}

const COLUMNS: &[Column] = &[
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "total", heading: "total", width: 18, detail: Detail::Result },
    Column { key: "fundamental", heading: "fundamental", width: 17, detail: Detail::Result },
    Column { key: "verdict", heading: "verdict", width: 13, detail: Detail::Table },
    Column::of_record("published"),
    Column::of_record("half_turn"),
    Column::of_record("quarter_turn"),
    Column::of_record("engine"),
    Column::of_record("plan"),
    Column::of_record("units"),
    Column::of_record("shards"),
    Column::of_record("ledgers"),
    Column::of_record("core_hours"),
    Column::of_record("slowest_unit"),
    Column::of_record("slowest_unit_seconds"),
    Column::of_record("program_version"),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let files = files(&arguments.paths)?;
    let output = arguments.printing.open(&named(&files))?;
    session.run(|cancel| outcome(arguments, &files, output, cancel))
}

fn outcome(arguments: &Arguments, files: &[PathBuf], output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let (ledgers, unreadable) = contents(files)?;
    for words in unreadable {
        printing.warn(format_args!("{words}"));
    }
    for words in ledgers.iter().filter_map(damage) {
        printing.warn(format_args!("{words}"));
    }
    let merged = merge(&ledgers)?;
    let Merged { board, total, .. } = merged;
    let judged = if arguments.fundamental {
        Judged::with_fundamental(board, total, cancel)?
    } else {
        Judged::of_total(board, total)
    };
    let layout = Layout { schema: "nqueens/merge/1", rows: Rows::One, columns: COLUMNS };
    let mut report = output::open(printing.format, layout, output);
    let written = report.row(&row(&merged, &judged, ledgers.len())).and_then(|()| report.finish(true));
    printing.remark(format_args!("{}", summary(&merged, &judged, ledgers.len())));
    judged.accepted()?;
    written.map_err(|error| Failure::losing(&error, &judged.in_words()))
}

fn summary(merged: &Merged, judged: &Judged, ledgers: usize) -> String {
    let slowest = merged
        .slowest
        .map_or(String::new(), |(unit, seconds)| format!(", the slowest unit {unit} with {}", words::time(seconds)));
    format!(
        "N = {}: {} of plan {}, engine {}, from {}; {:.3} core-hours{slowest}; {}",
        merged.board,
        plural(merged.units, "unit"),
        merged.plan,
        merged.engine,
        plural(ledgers, "ledger"),
        merged.thread_seconds / 3600.0,
        judged.verdict_in_words(),
    )
}

fn row(merged: &Merged, judged: &Judged, ledgers: usize) -> Vec<Cell> {
    let [fundamental, half_turn, quarter_turn] = judged.symmetric();
    vec![
        Cell::Integer(merged.board.size() as u64),
        Cell::Count(merged.total),
        fundamental,
        Cell::Text(judged.verdict().to_string()),
        Cell::count(crate::published::total(merged.board)),
        half_turn,
        quarter_turn,
        Cell::Text(merged.engine.clone()),
        Cell::Text(merged.plan.clone()),
        Cell::Integer(merged.units as u64),
        Cell::Integer(merged.shards as u64),
        Cell::Integer(ledgers as u64),
        Cell::Seconds(merged.thread_seconds / 3600.0),
        merged.slowest.map_or(Cell::Missing, |(unit, _)| Cell::Integer(unit as u64)),
        merged.slowest.map_or(Cell::Missing, |(_, seconds)| Cell::Seconds(seconds)),
        Cell::Text(env!("NQUEENS_VERSION").to_owned()),
    ]
}
