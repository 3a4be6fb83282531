//! `nqueens verify`: tests the program on a new machine.

mod checks;
mod records;

use crate::Cancel;
use crate::app::failure::Failure;
use crate::app::ledgers::{contents, files, named, warn_of_faults};
use crate::app::options::{ReportOptions, ThreadsOption};
use crate::app::output::Sink;
use crate::app::output::words::plural;
use crate::app::recheck::recount::Recount;
use crate::app::rows::values::Solutions;
use crate::app::rows::{self, Cell, Row};
use crate::app::session::Session;
use crate::app::verify::checks::{Check, NotComputed, Outcome, Subject, verify};
use crate::app::verify::records::verify_records;
use crate::engine::{CountingEngine, ENGINES};
use crate::ledger::{Contents, MergeError};
use serde::Serialize;
use std::path::PathBuf;
use std::slice::from_ref;
use std::time::Instant;

/// Test this program on this machine before trusting it
///
/// Every engine counts small boards with every kernel of this CPU, in every plan and with several numbers of threads.
/// The counts are compared with the published ones and with solutions that are listed one by one. The symmetric and the
/// fundamental solutions are counted too. The test takes well under a minute, without records. The exit code is 1 if any
/// count disagrees, or could not be made because threads or memory were not available.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens verify
  nqueens verify --records 22.jsonl
  nqueens verify --quiet && echo 'this machine counts right'")]
pub(crate) struct Arguments {
    /// Also count three units of each of these ledgers and archives again, as `nqueens recheck` does; or of each in these
    /// folders
    #[arg(long, value_name = "PATH", num_args = 1..)]
    records: Vec<PathBuf>,

    #[command(flatten)]
    threads: ThreadsOption,

    #[command(flatten)]
    printing: ReportOptions,
}

/// A check and its outcome.
#[derive(Default, Serialize)]
struct CheckRow {
    board: usize,
    computed: Option<Solutions>,
    published: Solutions,
    outcome: &'static str,
    subject: String,
    engine: Option<&'static str>,
    kernel: Option<&'static str>,
    plan: Option<String>,
    threads: Option<usize>,
    /// The roles of build side and probe side in the two-color engine: exchanged or not.
    roles: Option<&'static str>,
}

impl CheckRow {
    fn of(check: &Check) -> Self {
        let outcome = match check.outcome() {
            Outcome::Passed => "ok",
            Outcome::Failed => "FAILED",
            Outcome::NotMade => "not made",
        };
        let row = Self {
            board: check.board.size(),
            computed: check.computed.as_ref().ok().copied().map(Solutions),
            published: Solutions(check.published),
            outcome,
            subject: check.subject.to_string(),
            ..Self::default()
        };
        match &check.subject {
            Subject::Count { unit: _, engine, kernel, plan, threads, exchanged } => Self {
                engine: Some(engine),
                kernel: Some(kernel.name()),
                plan: Some(plan.clone()),
                threads: Some(*threads),
                roles: Some(if *exchanged { "exchanged" } else { "usual" }),
                ..row
            },
            _ => row,
        }
    }
}

impl Row for CheckRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("N", 2, self.board),
            Cell::optional("computed", 12, self.computed),
            Cell::number("published", 12, self.published),
            Cell::word("", 8, self.outcome),
            Cell::word("what was computed", 0, &self.subject),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let files = files(&arguments.records)?;
    let output = arguments.printing.open(&named(&files))?;
    session.run(|cancel| {
        // Read first, so that a bad path fails early.
        let records = if arguments.records.is_empty() { Vec::new() } else { read_records(&files)? };
        warn_of_faults(arguments.printing.destination(), Vec::new(), &records);
        outcome(arguments, ENGINES, &records, output, cancel)
    })
}

/// Reads records. A file that is none is an error, because it would not be checked.
fn read_records(files: &[PathBuf]) -> Result<Vec<Contents>, Failure> {
    if files.is_empty() {
        return Err(MergeError::Nothing.into());
    }
    let (records, unreadable) = contents(files)?;
    match unreadable.into_iter().next() {
        Some(reason) => Err(Failure::Usage(format!("{reason}; give ledgers or archives"))),
        None => Ok(records),
    }
}

/// Makes every check of `engines` and of `records`, writes the results to `output` and returns their outcome.
fn outcome(
    arguments: &Arguments,
    engines: &[&'static dyn CountingEngine],
    records: &[Contents],
    output: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let threads = arguments.threads.number();
    // Records that cannot be used are refused before the other checks, which take a while.
    let recounts: Vec<Recount<'_>> =
        records.iter().map(|record| Recount::prepare(from_ref(record), threads, cancel)).collect::<Result<_, _>>()?;
    let mut report = rows::open(printing.format, "nqueens/verify/1", rows::Kind::Many, output);
    let start = Instant::now();
    let mut checks = 0;
    let (mut failed, mut not_made) = (Vec::new(), Vec::new());
    let mut only_records = true;
    let mut read = true;
    let mut made_one = |check: Check| {
        checks += 1;
        match check.outcome() {
            Outcome::Passed => {}
            Outcome::Failed => {
                only_records &= check.subject.is_of_record();
                failed.push(complaint(&check));
            }
            Outcome::NotMade => not_made.push(complaint(&check)),
        }
        if !read {
            return Ok(());
        }
        match report.row(&CheckRow::of(&check)).map_err(|error| Failure::writing(&error)) {
            // The exit code is useful even if the pipe is closed.
            Err(Failure::ClosedPipe) => {
                read = false;
                Ok(())
            }
            written => written,
        }
    };
    let made = verify(engines, threads, cancel, &mut made_one)
        .and_then(|()| verify_records(&recounts, threads, cancel, &mut made_one));
    let made = made.map_err(|failure| match failure {
        Failure::Cancelled(_) => Failure::Cancelled(format!("stopped after {}", plural(checks, "check"))),
        failure => failure,
    });
    let ended = report.finish(made.is_ok());
    if !failed.is_empty() {
        let (number, those) = (failed.len(), failed.join("; "));
        let blamed = if only_records { "the records are wrong, or this machine" } else { "do not trust this machine" };
        return Err(Failure::Failed(format!("{number} of {checks} checks failed, {blamed}: {those}")));
    }
    made?;
    if let Some(first) = not_made.first() {
        let number = not_made.len();
        return Err(Failure::Failed(format!(
            "{number} of {checks} checks could not be made, so this machine is not tested; the first: {first}"
        )));
    }
    printing.remark(format_args!("all {checks} checks passed; {:.1} s", start.elapsed().as_secs_f64()));
    ended.map_err(|error| Failure::writing(&error))
}

/// Describes a check that did not pass.
fn complaint(check: &Check) -> String {
    let Check { subject, board, computed, published } = check;
    let right = if subject.is_of_record() { "recorded" } else { "published" };
    match computed {
        Ok(computed) => format!("N = {board}, {subject}: computed {computed}, {right} {published}"),
        Err(NotComputed::Failed(error) | NotComputed::NotBegun(error)) => format!("N = {board}, {subject}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{Boundless, Faulty, Gone, Panicking, Refusing};
    use crate::app::parsed;

    fn arguments() -> Arguments {
        match parsed("verify --threads 1 --quiet") {
            crate::app::Command::Verify(arguments) => arguments,
            other => panic!("not a self-test: {other:?}"),
        }
    }

    /// Returns standard output and the outcome of a test of these engines.
    fn verified(engines: &[&'static dyn CountingEngine]) -> (String, Result<(), Failure>) {
        let mut out = Vec::new();
        let outcome = outcome(&arguments(), engines, &[], &mut out, &Cancel::new());
        (String::from_utf8(out).unwrap(), outcome)
    }

    #[test]
    fn a_fault_is_found_even_if_nobody_reads_of_it() {
        assert!(matches!(outcome(&arguments(), &[&Faulty], &[], Gone, &Cancel::new()), Err(Failure::Failed(_))));
    }

    #[test]
    fn a_faulty_engine_is_found_and_named() {
        let (stdout, outcome) = verified(&[&Faulty, ENGINES[0]]);
        let Err(Failure::Failed(message)) = outcome else { panic!("a failed check must fail") };
        let named = "N = 10, faulty, scalar kernel, mirror-1, 1 thread: computed 725, published 724";
        assert!(message.contains(named), "{message}");
        let failed: Vec<&str> = stdout.lines().filter(|line| line.contains("FAILED")).collect();
        assert!(failed.iter().all(|line| line.contains("faulty")), "{failed:?}");
        assert!((7..=20).contains(&failed.len()), "boards from 10 to 16: {failed:?}");
        assert!(stdout.contains("backtrack, scalar kernel"), "the other engine is tested all the same");
    }

    #[test]
    fn an_engine_that_panics_has_failed_and_is_named() {
        let (stdout, outcome) = verified(&[&Panicking]);
        let Err(Failure::Failed(message)) = outcome else { panic!("a failed check must fail") };
        assert!(message.contains("do not trust this machine"), "{message}");
        assert!(message.contains("panicking, scalar kernel, no plan, 1 thread: unit 0 of N = 10 panicked: on purpose"));
        assert!(stdout.lines().any(|line| line.starts_with("16 ") && line.contains(" ok ")), "it goes on: {stdout}");
    }

    #[test]
    fn a_check_that_cannot_be_made_says_nothing_of_the_machine() {
        let (stdout, outcome) = verified(&[&Boundless]);
        let Err(Failure::Failed(message)) = outcome else { panic!("what is not tested must not pass") };
        let said = "checks could not be made, so this machine is not tested; \
                    the first: N = 1, boundless, scalar kernel, no plan, ";
        assert!(message.starts_with("30 of ") && message.contains(said), "{message}");
        assert!(!message.contains("trust") && !stdout.contains("FAILED"), "{message}\n{stdout}");
        assert_eq!(stdout.lines().filter(|line| line.contains("  not made  boundless, ")).count(), 30, "{stdout}");
    }

    #[test]
    fn an_engine_that_cannot_count_has_failed_and_is_named() {
        let (stdout, outcome) = verified(&[&Refusing]);
        let Err(Failure::Failed(message)) = outcome else { panic!("a failed check must fail") };
        assert!(message.contains("N = 16, refusing, scalar kernel"), "{message}");
        assert!(stdout.lines().any(|line| line.contains("fundamental") && line.contains("ok")), "{stdout}");
    }
}
