//! A count whose finished units are written down in a ledger, so that another run can go on with it.

use super::ledger::{Contents, Found, Ledger, Locked};
use super::{Count, Job, Progress, Ready, RunError, Shard, Sum};
use crate::cancel::Cancel;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// A count, or a shard of one, that is finished.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// What the ledger said when it was opened.
    pub found: Found,
    /// The finished count; `None` where it is only a shard of one. Its time is that of all runs together.
    pub count: Option<Count>,
}

impl Job<'_> {
    /// Counts a shard of the plan, but for the units that the ledger at `path` has already, and writes down in it what it counts.
    /// The ledger is begun where there is none.
    ///
    /// # Errors
    /// As [`Job::run`], and when the ledger cannot be used. What was counted is in the ledger also then, but for the units that
    /// could not be written.
    pub fn run_recorded(
        &self,
        path: &Path,
        shard: Shard,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<Recorded, RunError> {
        // First, so that a bad path costs nothing.
        let locked = Locked::new(path)?;
        let ready = match Ready::new(self, cancel) {
            Ok(ready) => ready,
            Err(error) => {
                locked.give_up();
                return Err(error);
            }
        };
        let start = Instant::now();
        let plan = ready.counter.plan();
        let units = shard.units(plan);
        let (mut ledger, found) = Ledger::open(locked, &*ready.counter, shard, ready.threads_for(units.len()))?;
        progress.resumed(plan, &found);

        let mut sum = Sum::new(plan);
        for (unit, partial) in found.partials() {
            sum.add(unit, partial)?;
        }
        let left: Vec<usize> = units.iter().copied().filter(|&unit| !sum.has(unit)).collect();
        let opened = start.elapsed();
        progress.ready(&ready, &left);
        let start = Instant::now();
        progress.begin(plan, &units, &left);
        let unnamed = |reason: &str| progress.unnamed(path, reason);
        // A ledger that cannot be written stops this count, and nothing else of the caller's.
        let stop = cancel.child();
        let counted = ledger.recording(&stop, &unnamed, |recorder| {
            ready.count(&left, &stop, &|counted| {
                recorder.unit_done(plan, counted);
                progress.unit_done(plan, counted.unit);
                ControlFlow::Continue(())
            })
        })?;
        let (partials, threads) = counted.map_err(|error| match error {
            RunError::Cancelled { done, .. } => {
                RunError::Cancelled { done: units.len() - left.len() + done, units: units.len() }
            }
            error => error,
        })?;
        for (unit, partial) in partials {
            sum.add(unit, partial)?;
        }
        let earlier = found.contents.as_ref().map_or(0.0, Contents::seconds);
        let elapsed = ready.took + opened + start.elapsed() + Duration::from_secs_f64(earlier);
        let whole = shard == Shard::WHOLE;
        let count = whole.then(|| sum.total().map(|total| ready.counted(total, threads, elapsed))).transpose()?;
        Ok(Recorded { found, count })
    }
}
