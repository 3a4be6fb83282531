//! `nqueens merge`: adds up the shards of a count.

use crate::app::assessment::Assessment;
use crate::app::failure::Failure;
use crate::app::ledgers::{contents, files, in_words, named, warn_of_faults};
use crate::app::options::ReportOptions;
use crate::app::output::Sink;
use crate::app::output::words::{self, plural};
use crate::app::rows::values::{Seconds, Solutions};
use crate::app::rows::{self, Cell, Row};
use crate::app::session::Session;
use crate::ledger::{Merged, merge};
use crate::{Cancel, published};
use serde::Serialize;
use std::path::PathBuf;

/// Add up the ledgers of a count
///
/// Standard output is the total. This command does not count anything. It is an error if a unit is in no ledger, if
/// ledgers belong to different counts, or if two ledgers have different partial counts for a unit. A unit that several
/// ledgers contain is added once. Archives (`nqueens archive`) are added up as ledgers are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens merge ledgers/
  nqueens merge 26-*.jsonl --fundamental --format json")]
pub(crate) struct Arguments {
    /// The ledgers of all shards, archives, or folders with .jsonl ledgers and .nqa archives
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Also count the solutions up to rotation and reflection, as `nqueens count` does
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    printing: ReportOptions,
}

/// The total of a count, and the time that it took.
#[derive(Debug, Default, Serialize)]
struct MergeRow {
    board: usize,
    total: Solutions,
    fundamental: Option<Solutions>,
    verdict: String,
    published: Option<Solutions>,
    half_turn: Option<Solutions>,
    quarter_turn: Option<Solutions>,
    engine: String,
    plan: String,
    units: usize,
    shards: usize,
    ledgers: usize,
    core_hours: Seconds,
    slowest_unit: Option<usize>,
    slowest_unit_seconds: Option<Seconds>,
    program_version: &'static str,
}

impl MergeRow {
    fn new(merged: &Merged, assessment: &Assessment, ledgers: usize) -> Self {
        let symmetric = assessment.fundamental();
        Self {
            board: merged.board.size(),
            total: Solutions(merged.total),
            fundamental: symmetric.map(|counted| Solutions(counted.fundamental)),
            verdict: assessment.verdict().to_string(),
            published: published::total(merged.board).map(Solutions),
            half_turn: symmetric.map(|counted| Solutions(counted.half_turn)),
            quarter_turn: symmetric.map(|counted| Solutions(counted.quarter_turn)),
            engine: merged.engine.clone(),
            plan: merged.plan.clone(),
            units: merged.units,
            shards: merged.shards,
            ledgers,
            core_hours: Seconds(merged.thread_seconds / 3600.0),
            slowest_unit: merged.slowest.map(|(unit, _)| unit),
            slowest_unit_seconds: merged.slowest.map(|(_, seconds)| Seconds(seconds)),
            program_version: env!("NQUEENS_VERSION"),
        }
    }
}

impl Row for MergeRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("N", 2, self.board),
            Cell::number("total", 18, self.total).result(),
            Cell::optional("fundamental", 17, self.fundamental).result(),
            Cell::word("verdict", 13, &self.verdict),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let files = files(&arguments.paths)?;
    let output = arguments.printing.open(&named(&files))?;
    session.run(|cancel| outcome(arguments, &files, output, cancel))
}

fn outcome(arguments: &Arguments, files: &[PathBuf], output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let (ledgers, unreadable) = contents(files)?;
    warn_of_faults(printing.destination(), unreadable, &ledgers);
    let merged = merge(&ledgers)?;
    let Merged { board, total, .. } = merged;
    let assessment = Assessment::of(board, total, arguments.fundamental, cancel)?;
    let mut report = rows::open(printing.format, "nqueens/merge/1", rows::Kind::One, output);
    let written = report.row(&MergeRow::new(&merged, &assessment, ledgers.len())).and_then(|()| report.finish(true));
    printing.remark(format_args!("{}", summary(&merged, &assessment, &in_words(&ledgers))));
    assessment.accepted()?;
    written.map_err(|error| Failure::losing(&error, &assessment.in_words()))
}

fn summary(merged: &Merged, assessment: &Assessment, ledgers: &str) -> String {
    let slowest = merged
        .slowest
        .map_or(String::new(), |(unit, seconds)| format!(", the slowest unit {unit} with {}", words::time(seconds)));
    format!(
        "N = {}: {} of plan {}, engine {}, from {}; {:.3} core-hours{slowest}; {}",
        merged.board,
        plural(merged.units, "unit"),
        merged.plan,
        merged.engine,
        ledgers,
        merged.thread_seconds / 3600.0,
        assessment.verdict_in_words(),
    )
}
