//! `nqueens merge`: adds up the shards of a count.

use crate::app::assessment::{Assessment, find_wrong_units, recheck_all};
use crate::app::failure::{Failure, refused};
use crate::app::options::OutputOptions;
use crate::app::output::words::{self, many, plural};
use crate::app::rows::{Cell, Hours, Kind, Report, Row, Solutions};
use crate::app::{ledgers, setup};
use nqueens::ledger::{GatheredUnits, MergeError, MergedCount};
use nqueens::{Board, Cancel, Verdict};
use serde::Serialize;
use std::path::PathBuf;

/// Add up the ledgers of a count
///
/// Standard output is the total. No unit is counted. It is an error if a unit is in no ledger, if ledgers belong to
/// different counts, or if two ledgers have different partial counts for a unit. A unit that several ledgers contain is
/// added once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens merge ledgers/
  nqueens merge 26-*.jsonl --fundamental --format json")]
pub(crate) struct Arguments {
    /// The ledgers of all shards, or folders with ledgers: files that end in .jsonl or .jsonl.gz
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Also count the solutions up to rotation and reflection, as `nqueens count` does
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    printing: OutputOptions,
}

/// A total from ledgers.
#[derive(Serialize)]
struct MergeRow<'a> {
    board: Board,
    total: Solutions,
    fundamental: Option<Solutions>,
    half_turn: Option<Solutions>,
    quarter_turn: Option<Solutions>,
    verdict: Verdict,
    engine: &'static str,
    plan: &'a str,
    core_hours: Hours,
    device: Option<&'a str>,
}

impl<'a> MergeRow<'a> {
    fn new(merged: &'a MergedCount, assessment: &Assessment) -> Self {
        let found = assessment.fundamental;
        Self {
            board: merged.board,
            total: Solutions(merged.total),
            fundamental: found.map(|found| Solutions(found.fundamental)),
            half_turn: found.map(|found| Solutions(found.half_turn)),
            quarter_turn: found.map(|found| Solutions(found.quarter_turn)),
            verdict: assessment.verdict(),
            engine: merged.engine.name(),
            plan: &merged.plan,
            core_hours: Hours(merged.core_seconds / 3600.0),
            device: merged.device.as_deref(),
        }
    }
}

impl Row for MergeRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("total", 18, Some(self.total)).result(),
            Cell::number("fundamental", 17, self.fundamental).result(),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let files = ledgers::files(&arguments.paths)?;
    let printing = &arguments.printing;
    let output = printing.open(&ledgers::named(&files))?;
    let ledgers = ledgers::contents(&files, cancel)?;
    let gathered = GatheredUnits::new(&ledgers)?;
    let (again, finds) = (recheck_all(&arguments.paths), find_wrong_units(&arguments.paths));
    let merged = gathered.merged().map_err(|error| match error {
        MergeError::Sum(_) => Failure::Failed(format!("{error}; {finds}")),
        error => error.into(),
    })?;
    let MergedCount { board, total, .. } = merged;
    let mut assessment = Assessment::new((board, merged.setup), total);
    if arguments.fundamental && merged.setup.is_some() {
        return refused(setup::NO_ORBITS);
    }
    if arguments.fundamental {
        assessment = assessment.with_fundamental(cancel)?;
    }
    let row = MergeRow::new(&merged, &assessment);
    let written = Report::open(printing.format(), Kind::One("nqueens/merge/1"), output).all(&[row]);
    printing.remark(format_args!(
        "{}: {} of plan {}, engine {}, from {}; {}{}; {}",
        setup::in_words(board, merged.setup.as_ref()),
        many(merged.units as u64, "unit"),
        gathered.plan().name(),
        merged.engine,
        plural(ledgers.len(), "ledger"),
        words::core_hours(merged.core_seconds),
        merged.device.as_ref().map_or(String::new(), |device| format!(" beside {device}")),
        assessment.verdict_in_words(Some(&again)),
    ));
    assessment.accepted(&finds)?;
    Failure::check_written(written, &assessment.in_words())
}
