//! The job of a count with a ledger, which takes its plan from an existing ledger.

use crate::Board;
use crate::app::failure::Failure;
use crate::app::options::CountOptions;
use crate::engine::{self, Settings};
use crate::ledger::{Header, read_header};
use crate::run::{Job, Shard};
use std::path::Path;

/// The number of threads that the plan of a shard is made for. It is fixed, so that all machines make the same plan.
const THREADS_OF_A_MACHINE: usize = 32;

/// Returns the job to count `board`, or a shard of it, with the ledger at `path`.
///
/// If the options do not determine the plan, it is that of the ledger. The plan of a new shard is the same on every
/// machine.
pub(super) fn job(means: &CountOptions, board: Board, path: &Path, shard: Option<Shard>) -> Result<Job, Failure> {
    let header = read_header(path)?;
    if let Some(job) = header.and_then(|header| job_of(means, board, &header)) {
        return Ok(job);
    }
    let settings = means.settings();
    Ok(match shard {
        None => means.job_with(board, settings),
        Some(shard) => {
            let workers = THREADS_OF_A_MACHINE * shard.count();
            means.job_with(board, Settings { workers, same_everywhere: true, ..settings })
        }
    })
}

/// Returns the job that makes the plan of a ledger; `None` if the options ask for another plan.
fn job_of(means: &CountOptions, board: Board, header: &Header) -> Option<Job> {
    let engine = means.named_engine().or_else(|| engine::by_name(&header.engine))?;
    if engine.name() != header.engine || header.board != board {
        return None;
    }
    let asked = means.settings();
    let plan = engine.settings_of_plan(&header.plan)?;
    let fits = (asked.symmetry.is_none() || asked.symmetry == plan.symmetry)
        && (asked.split_rows.is_none() || asked.split_rows == plan.split_rows);
    let Settings { symmetry, split_rows, .. } = plan;
    fits.then(|| means.job_on(board, engine, Settings { symmetry, split_rows, ..asked }))
}
