//! `nqueens merge`: adds up the shards of a count.

use crate::app::assessment::{Assessment, find_wrong_units, recheck_all};
use crate::app::failure::Failure;
use crate::app::ledgers::{contents, files, named, plan_in_words, shards_in_words};
use crate::app::options::OutputOptions;
use crate::app::output::words::{self, many, plural};
use crate::app::output::{Sink, file};
use crate::app::rows::{self, Column};
use crate::app::setup;
use nqueens::engine::Plan;
use nqueens::ledger::{GatheredUnits, MergeError, MergedCount};
use nqueens::{Cancel, published};
use std::io::Write;
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
  nqueens merge ledgers/ --archive 24.jsonl.gz
  nqueens merge 26-*.jsonl --fundamental --format json")]
pub(crate) struct Arguments {
    /// The ledgers of all shards, or folders with ledgers: files that end in .jsonl or .jsonl.gz
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Also count the solutions up to rotation and reflection, as `nqueens count` does
    #[arg(long)]
    fundamental: bool,

    /// Also write all of them as one compressed ledger, to publish: 24.jsonl.gz
    ///
    /// `merge`, `status` and `recheck` read it as they read other ledgers, and `zcat` shows its lines. The same
    /// ledgers, in any order, make the same bytes.
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,

    #[command(flatten)]
    printing: OutputOptions,
}

/// Returns the row of a total; `ledgers` is the number of files that add up to it.
fn merge_row(merged: &MergedCount, assessment: &Assessment, ledgers: usize) -> Vec<Column> {
    let symmetric = assessment.fundamental;
    vec![
        Column::new("board", merged.board.size()).number("N", 2),
        Column::solutions("total", merged.total).number("total", 18).result(),
        Column::solutions("fundamental", symmetric.map(|counted| counted.fundamental))
            .number("fundamental", 17)
            .result(),
        Column::new("verdict", assessment.verdict().to_string()).word("verdict", 13),
        Column::solutions("published", published::total(merged.board).filter(|_| merged.setup.is_none())),
        Column::solutions("half_turn", symmetric.map(|counted| counted.half_turn)),
        Column::solutions("quarter_turn", symmetric.map(|counted| counted.quarter_turn)),
        Column::new("engine", merged.engine.name()),
        Column::new("plan", &*merged.plan),
        Column::new("units", merged.units),
        Column::new("shards", merged.shards),
        Column::new("ledgers", ledgers),
        Column::core_hours(merged.core_seconds),
        Column::device_hours(merged.device_seconds),
        Column::new("program_version", env!("NQUEENS_VERSION")),
    ]
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let files = files(&arguments.paths, false)?;
    let printing = &arguments.printing;
    let mut others = named(&files);
    let output = printing.open(&others)?;
    others.push(printing.output.as_deref().map_or_else(file::stdout, |path| (path, "--output")));
    let open = |path| file::open((path, "--archive"), &others);
    let archive = arguments.archive.as_deref().map(open).transpose()?;
    let ledgers = contents(&files, false, cancel)?;
    let gathered = GatheredUnits::new(&ledgers)?;
    let (again, finds) = (recheck_all(&arguments.paths), find_wrong_units(&arguments.paths));
    let merged = gathered.merged().map_err(|error| match error {
        MergeError::Sum(_) => Failure::Failed(format!("{error}; {finds}")),
        MergeError::Missing { .. } => {
            let (missing, shards) = (shards_in_words(&gathered.missing_shards()), gathered.shards());
            let of = if shards == 1 { String::new() } else { format!(", of {missing} of {shards}") };
            Failure::Failed(format!("{error}{of}; `nqueens status` shows the ledgers"))
        }
        error => error.into(),
    })?;
    let MergedCount { board, total, .. } = merged;
    let mut assessment = Assessment::new(board, total, merged.setup.is_some());
    if arguments.fundamental && merged.setup.is_some() {
        return Err(Failure::Usage(
            "the solutions of a board with given queens or blocked squares are not whole orbits; omit --fundamental"
                .into(),
        ));
    }
    // The archive is written before the search for the symmetric solutions, which may take hours. A total that is known
    // to be wrong gets no archive.
    for mut archive in archive.into_iter().filter(|_| assessment.contradictions.is_empty()) {
        let bytes = gathered.archive(cancel)?;
        let written = archive.write_all(&bytes).and_then(|()| archive.end());
        written.map_err(|error| Failure::with_result(error, &assessment.in_words()))?;
    }
    if arguments.fundamental {
        assessment = assessment.with_fundamental(cancel)?;
    }
    let mut report = rows::open(printing.format(), "nqueens/merge/1", rows::Kind::One, output);
    let written = report.row(&merge_row(&merged, &assessment, ledgers.len())).and_then(|()| report.finish(true));
    printing.remark(format_args!("{}", summary(&merged, gathered.plan(), &assessment, ledgers.len(), &again)));
    assessment.accepted(&finds)?;
    Failure::check_written(written, &assessment.in_words())
}

fn summary(merged: &MergedCount, plan: &Plan, assessment: &Assessment, ledgers: usize, again: &str) -> String {
    format!(
        "{}: {} of plan {}, engine {}, from {}; {}; {}",
        setup::in_words(merged.board, merged.setup.as_ref()),
        many(merged.units as u64, "unit"),
        plan_in_words(plan),
        merged.engine,
        plural(ledgers, "ledger"),
        words::core_and_device_hours(merged.core_seconds, merged.device_seconds),
        assessment.verdict_in_words(Some(again)),
    )
}
