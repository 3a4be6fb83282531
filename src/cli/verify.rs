//! `nqueens verify`: the self-test for a new machine.

use super::arguments::{Printing, Threads};
use super::failure::Failure;
use super::output::end;
use super::session::Session;
use crate::report::{self, Cell, Column, Detail, Layout, Report, Rows};
use nqueens::Cancel;
use nqueens::engine::{ENGINES, Engine};
use nqueens::run::verify::{Check, verify};
use std::time::Instant;

/// Test this program on this machine before trusting it
///
/// Every engine and every kernel that this CPU has counts small boards, cut up in every way and with several numbers of
/// threads. The counts are held against the published ones and against solutions listed one by one; the symmetric and the
/// fundamental solutions are counted too. It takes well under a minute. The exit code is 1 if anything disagrees.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    printing: Printing,
}

const COLUMNS: &[Column] = &[
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "computed", heading: "computed", width: 10, detail: Detail::Table },
    Column { key: "published", heading: "published", width: 10, detail: Detail::Table },
    Column { key: "passed", heading: "", width: 6, detail: Detail::Table },
    Column { key: "subject", heading: "what", width: 0, detail: Detail::Table },
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let output = printing.open()?;
    let layout = Layout { kind: "verify", rows: Rows::Many, columns: COLUMNS };
    let mut report = report::open(printing.format, layout, output);
    let start = Instant::now();
    Session::begin()?.run(|cancel| {
        let outcome = check(ENGINES, arguments.threads.number(), report.as_mut(), cancel);
        end(report.as_mut(), &outcome)?;
        let Checked { checks, failed } = outcome?;
        if failed.is_empty() {
            printing.remark(format_args!("all {checks} checks passed; {:.1} s", start.elapsed().as_secs_f64()));
            Ok(())
        } else {
            let (number, those) = (failed.len(), failed.join("; "));
            Err(Failure::Failed(format!("{number} of {checks} checks failed, do not trust this machine: {those}")))
        }
    })
}

#[derive(Debug, Default)]
struct Checked {
    /// How many checks were made.
    checks: usize,
    /// Those that did not pass, in words.
    failed: Vec<String>,
}

fn check(
    engines: &[&dyn Engine],
    threads: usize,
    report: &mut dyn Report,
    cancel: &Cancel,
) -> Result<Checked, Failure> {
    let mut checked = Checked::default();
    verify(engines, threads, cancel, |check| {
        report.row(&row(&check)).map_err(|error| Failure::writing(&error, ""))?;
        checked.checks += 1;
        if !check.passed() {
            let Check { subject, board, computed, published } = check;
            checked.failed.push(format!("N = {board}, {subject}: computed {computed}, published {published}"));
        }
        Ok::<(), Failure>(())
    })?;
    Ok(checked)
}

fn row(check: &Check) -> Vec<Cell> {
    vec![
        Cell::Integer(check.board.size() as u64),
        Cell::Count(check.computed),
        Cell::Count(check.published),
        Cell::Text(if check.passed() { "ok" } else { "FAILED" }.to_owned()),
        Cell::Text(check.subject.to_string()),
    ]
}
