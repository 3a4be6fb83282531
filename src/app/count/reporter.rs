//! Reports the progress of a count to people.

use crate::app::options::OutputOptions;
use crate::app::output::words::{self, about_time, many, plural};
use crate::app::{ledgers, messages};
use nqueens::ledger::{Contents, LedgerState};
use nqueens::{Cancel, Observer, Plan, Start};
use std::path::Path;

/// A longer expected time than this, in seconds, is announced.
const MINUTE: f64 = 60.0;

/// Reports a count on standard error, beside a progress bar: the expected time if the count is long, and warnings.
pub(crate) struct Reporter<'a> {
    pub(crate) printing: &'a OutputOptions,
    /// If false, a ledger is suggested for a long count.
    pub(crate) has_ledger: bool,
    pub(crate) cancel: &'a Cancel,
}

impl Observer for Reporter<'_> {
    fn ready(&self, start: &Start<'_>) {
        let Start { plan, kernel, devices, threads, unfinished, forecast, .. } = *start;
        messages::warn_of_refused(devices, "is left out");
        if !self.printing.is_watched() {
            return;
        }
        let board = plan.board();
        let expected = forecast.seconds_if_more(MINUTE, unfinished, self.cancel);
        if let Some(time) = expected.map(about_time) {
            let by = format!("{}, {kernel}, {}", plan.engine(), plural(threads, "thread"));
            self.printing.remark(format_args!("N = {board}: about {time} expected ({by})"));
        }
        let is_long = plan.setup().is_none() && board.size() >= 22 || expected >= Some(10.0 * MINUTE);
        if !self.has_ledger && is_long {
            let counted = if plan.setup().is_some() { "--board FILE".to_owned() } else { board.to_string() };
            self.printing.remark(format_args!(
                "`nqueens count {counted} --ledger {board}.jsonl` would keep what is counted if it stops"
            ));
        }
    }
}

/// Reports the state in which a ledger was found, and its damage.
pub(super) fn report_found(printing: &OutputOptions, path: &Path, found: &LedgerState, plan: &Plan) {
    let path = path.display();
    if found.unlocked {
        messages::warn(format_args!("'{path}' cannot be locked on this file system; let no other run use it"));
    }
    let Some(contents) = &found.contents else { return };
    if let Some(damage) = ledgers::damage(contents) {
        messages::warn(damage);
    }
    let Contents { header, runs, units, .. } = contents;
    let (done, all) = contents.work(plan);
    printing.remark(format_args!(
        "'{path}': {} of {} are finished, {} of the work, from {}",
        words::grouped(units.len() as u64),
        many(header.shard_units() as u64, "unit"),
        words::percent(done, all),
        plural(runs.len(), "run"),
    ));
}
