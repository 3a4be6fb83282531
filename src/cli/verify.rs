//! `nqueens verify`: the self-test for a new machine.

use super::arguments::{Printing, Threads};
use super::failure::Failure;
use super::output::end;
use super::session::Session;
use crate::report::{self, Cell, Column, Detail, Layout, Report, Rows};
use nqueens::Cancel;
use nqueens::engine::{ENGINES, Engine};
use nqueens::run::verify::{Check, Subject, verify};
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
    Column { key: "outcome", heading: "", width: 6, detail: Detail::Table },
    Column { key: "subject", heading: "what was computed", width: 0, detail: Detail::Table },
    Column { key: "engine", heading: "engine", width: 0, detail: Detail::Record },
    Column { key: "kernel", heading: "kernel", width: 0, detail: Detail::Record },
    Column { key: "plan", heading: "plan", width: 0, detail: Detail::Record },
    Column { key: "threads", heading: "threads", width: 0, detail: Detail::Record },
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
    let means = match &check.subject {
        Subject::Count { engine, kernel, plan, threads } => [
            Cell::Text((*engine).to_owned()),
            Cell::Text(kernel.to_string()),
            Cell::Text(plan.clone()),
            Cell::Integer(*threads as u64),
        ],
        _ => [const { Cell::Missing }; 4],
    };
    let outcome = if check.passed() { "ok" } else { "FAILED" };
    let result = [
        Cell::Integer(check.board.size() as u64),
        Cell::Count(check.computed),
        Cell::Count(check.published),
        Cell::Text(outcome.to_owned()),
        Cell::Text(check.subject.to_string()),
    ];
    result.into_iter().chain(means).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Format;
    use nqueens::Board;
    use nqueens::cancel::Cancelled;
    use nqueens::engine::{Counter, Kernel, Plan, PrepareError, Settings, Worker};

    /// An engine with a fault: where the board has ten rows or more, the first unit counts one solution too many.
    struct Faulty;

    impl Engine for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }
        fn kernels(&self) -> Vec<Kernel> {
            ENGINES[0].kernels()
        }
        fn variants(&self) -> Vec<Settings> {
            vec![Settings::default()]
        }
        fn prepare(&self, board: Board, settings: &Settings) -> Result<Box<dyn Counter>, PrepareError> {
            Ok(Box::new(FaultyCounter(ENGINES[0].prepare(board, settings)?)))
        }
    }

    struct FaultyCounter(Box<dyn Counter>);

    impl Counter for FaultyCounter {
        fn plan(&self) -> &Plan {
            self.0.plan()
        }
        fn kernel(&self) -> Kernel {
            self.0.kernel()
        }
        fn worker(&self) -> Box<dyn Worker + '_> {
            Box::new(FaultyWorker(self.0.worker(), self.plan().board().size() >= 10))
        }
    }

    struct FaultyWorker<'a>(Box<dyn Worker + 'a>, bool);

    impl Worker for FaultyWorker<'_> {
        fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
            let error = u128::from(self.1 && unit == 0);
            Ok(self.0.count(unit, cancel)? + error)
        }
    }

    #[test]
    fn a_faulty_engine_is_found_and_named() {
        let mut out = Vec::new();
        let layout = Layout { kind: "verify", rows: Rows::Many, columns: COLUMNS };
        let mut report = report::open(Format::Text, layout, &mut out);
        let checked = check(&[&Faulty], 1, report.as_mut(), &Cancel::new()).unwrap();
        drop(report);
        assert!(!checked.failed.is_empty() && checked.failed.len() < checked.checks);
        assert_eq!(checked.failed[0], "N = 10, faulty, scalar kernel, mirror-1, 1 thread: computed 725, published 724");
        let lines = String::from_utf8(out).unwrap();
        assert_eq!(lines.lines().filter(|line| line.contains("FAILED")).count(), checked.failed.len());
        assert!(lines.lines().filter(|line| line.contains("FAILED")).all(|line| line.contains("faulty")));
    }
}
