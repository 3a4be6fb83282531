//! `nqueens archive`: the compact form of ledgers, for publication.

use crate::app::assessment::Assessment;
use crate::app::failure::Failure;
use crate::app::ledgers::{contents, files, in_words, named, warn_of_faults};
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::output::words::{grouped, plural};
use crate::app::session::Session;
use crate::ledger::{Gathered, MergeError};
use std::path::PathBuf;

/// Write the ledgers of a count as one small file
///
/// An archive has the partial count of every unit in a few bytes, and the runs that counted them. `merge`, `status` and
/// `recheck` read it as they read ledgers, but no count can continue it. The ledgers may be all shards of a count or a
/// part of it, in any order, and archives to be joined. The bytes are the same each time.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens archive 24.jsonl --output 24.nqa
  nqueens archive ledgers/ --output 26.nqa
  nqueens archive part-1.nqa part-2.nqa --output whole.nqa")]
pub(crate) struct Arguments {
    /// Ledgers and archives of one count, or folders with .jsonl ledgers and .nqa archives
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    destination: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin_brief()?;
    let files = files(&arguments.paths)?;
    let output = arguments.destination.open(&named(&files))?;
    if output.is_terminal() {
        return Err(Failure::Usage(
            "an archive is not text, and standard output is a terminal; give --output a file".to_owned(),
        ));
    }
    session.run(|_| outcome(&arguments.destination, &files, output))
}

fn outcome(destination: &OutputOptions, files: &[PathBuf], mut output: impl Sink) -> Result<(), Failure> {
    let (ledgers, mut unreadable) = contents(files)?;
    let gathered = Gathered::of(&ledgers)?.ok_or(MergeError::Nothing)?;
    let (units, done) = (gathered.plan().units(), gathered.units_done());
    if done < units && !unreadable.is_empty() {
        // The missing units may be in this file.
        return Err(Failure::Usage(format!("{}; leave it out, or mend it", unreadable.swap_remove(0))));
    }
    warn_of_faults(destination, unreadable, &ledgers);
    let bytes = gathered.archive()?;
    output.write_all(&bytes).and_then(|()| output.end()).map_err(|error| Failure::writing(&error))?;

    let plan = gathered.plan();
    let summary = format!(
        "N = {}: {done} of {} of plan {}, engine {}, from {}; {} bytes",
        plan.board(),
        plural(units, "unit"),
        plan.name(),
        plan.engine(),
        in_words(&ledgers),
        grouped(bytes.len() as u64),
    );
    if done < units {
        destination.warn(format_args!("{summary}; the count is not finished"));
        return Ok(());
    }
    let assessment = Assessment::of_total(plan.board(), gathered.merged()?.total);
    destination.remark(format_args!("{summary}; {}", assessment.verdict_in_words()));
    assessment.accepted()
}
