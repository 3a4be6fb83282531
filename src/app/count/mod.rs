//! `nqueens count`: counts the solutions of one board.

mod by_square;
pub(crate) mod counting;

use crate::app::assessment::{Assessment, SecondCount, recheck_all};
use crate::app::failure::{Failure, refused};
use crate::app::numbers::whole;
use crate::app::options::{CountOptions, OutputOptions, size_of_board};
use crate::app::output::Sink;
use crate::app::output::file::NamedPath;
use crate::app::output::words;
use crate::app::rows::{Kind, Report};
use crate::app::setup::{self, GivenBoard};
use crate::app::status;
use counting::CountRow;
use nqueens::{Board, Cancel, Count, Job, Shard};
use std::path::PathBuf;

/// Count the solutions for N queens on an N x N board
///
/// Standard output is the total and nothing else. Standard error reports the time, the threads, and whether the total
/// agrees with the published one (OEIS A000170); --format json has the engine and the kernel too. On a terminal,
/// standard error also suggests a ledger for a long count.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens count 12 --fundamental --format json
  nqueens count 24 --ledger 24.jsonl
  nqueens count 26 --ledger 26-3.jsonl --shard 3/64
  nqueens count 8 --by-square --output squares.svg
  nqueens solve 8 | nqueens count --board -")]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true, help = size_of_board())]
    board: Option<Board>,

    /// Count the board in this file; `-` is standard input
    ///
    /// The board may have given queens and blocked squares, and has a line for each row, as `nqueens solve` prints it:
    /// `.`, `_`, `-` or `0` is a free square, `Q`, `♛` or `1` a given queen, `*` or `#` a blocked square. A blocked
    /// square does not stop the line of a queen. A line such as `1 3 0 2` has the columns of all queens, numbered from
    /// 0, or from 1 if there is no 0.
    #[arg(id = "setup", long = "board", value_name = "FILE", value_parser = setup::parser(),
        conflicts_with = "board")]
    setup: Option<GivenBoard>,

    /// Count the solutions with a queen on each square
    ///
    /// The result is a table, or a picture with --output FILE.svg. The backtracker counts the squares one after
    /// another. What is stopped is lost.
    #[arg(long, conflicts_with_all = ["fundamental", "double_check", "ledger", "shard", "split_rows"])]
    by_square: bool,

    /// Also count the solutions up to rotation and reflection
    ///
    /// This count is (Q + P + 2R) / 8, where Q is the number of all solutions, P of those that a half turn maps to
    /// themselves, and R of those that a quarter turn maps to themselves. The program searches for P and R. In text
    /// format, the fundamental count is the second line.
    #[arg(long)]
    fundamental: bool,

    /// Count every unit again by another route, and compare
    ///
    /// Each unit is counted again with another kernel, if the CPU has one, and by two-color with build side and probe
    /// side exchanged. This takes longer than the first count: with two-color several times as long, with the
    /// backtracker up to a hundred times.
    #[arg(long)]
    double_check: bool,

    #[command(flatten)]
    counting: CountOptions,

    /// Make a unit of each placement of the first ROWS rows
    ///
    /// More rows make more and smaller units; by default, the board decides how many. Only the backtracker has such
    /// units, so `--engine auto` then uses the backtracker.
    #[arg(long, value_name = "ROWS", hide_short_help = true, allow_negative_numbers = true,
        value_parser = whole(*Job::SPLIT_ROWS.start() as u64..=*Job::SPLIT_ROWS.end() as u64), help_heading = "Advanced options")]
    split_rows: Option<u64>,

    /// Record finished units in this file, and continue from those in it
    ///
    /// If the program is stopped for any reason, the same command resumes the count, with any number of threads and any
    /// kernel of the engine. `nqueens status` shows its progress.
    #[arg(long, value_name = "FILE", help_heading = "Ledger options")]
    ledger: Option<PathBuf>,

    /// Count only shard I of N, for one of several machines: 0/16, 1/16, up to 15/16
    ///
    /// Each shard has its own ledger. `nqueens merge` adds up the ledgers. At the end, standard output is its
    /// row of `nqueens status`.
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, requires = "ledger",
        conflicts_with_all = ["fundamental", "double_check"], help_heading = "Ledger options")]
    shard: Option<Shard>,

    #[command(flatten)]
    printing: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let job = arguments.job()?;
    if arguments.by_square {
        return by_square::run(arguments, &job, cancel);
    }
    let ledger = arguments.ledger.as_deref().map(|ledger| (ledger, "--ledger"));
    let read: Vec<NamedPath<'_>> = ledger.into_iter().chain(setup::named(arguments.setup.as_ref())).collect();
    let output = arguments.printing.open(&read)?;
    execute(arguments, &job, output, cancel)
}

impl Arguments {
    fn job(&self) -> Result<Job, Failure> {
        let setup = setup::chosen(self.board, self.setup.as_ref())?;
        if self.fundamental && !setup.is_free() {
            return refused(setup::NO_ORBITS);
        }
        let searched = [
            (self.by_square, "by square"),
            (self.split_rows.is_some(), "with --split-rows"),
            (!setup.is_free(), "with given queens or blocked squares"),
        ];
        if let Some((_, so)) = searched.into_iter().find(|(is_given, _)| *is_given) {
            self.counting.check_backtracks(so)?;
        }
        let job = self.counting.job(setup);
        Ok(if let Some(rows) = self.split_rows { job.split_rows(rows as usize) } else { job })
    }

    /// Returns what counts the same board or ledger again by another route.
    fn again(&self) -> String {
        let double_check = || "the same command with --double-check".to_owned();
        self.ledger.as_ref().map_or_else(double_check, |ledger| recheck_all(&[ledger]))
    }

    /// Returns the advice on how to find the cause of a contradiction.
    fn advice(&self) -> String {
        if self.ledger.is_none() && self.double_check {
            return "`nqueens verify` tests this machine".to_owned();
        }
        format!("{} counts every unit again", self.again())
    }
}

/// Counts, writes the total to `output` and compares it with the published one.
fn execute(arguments: &Arguments, job: &Job, output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { printing, ledger, shard, .. } = arguments;
    let count = match ledger {
        None => counting::count(printing, job, cancel)?,
        Some(path) => match counting::count_in_ledger(printing, job, path, shard.unwrap_or(Shard::WHOLE), cancel)? {
            Some(count) if shard.is_none() => count,
            _ => return status::report(path, printing, output, cancel),
        },
    };
    let mut assessment = Assessment::new((count.board, count.setup), count.total);
    if arguments.fundamental {
        assessment = assessment.with_fundamental(cancel)?;
    }
    // The double check follows the search for symmetric solutions, so that a failed search never hides a difference.
    if arguments.double_check {
        assessment.second = Some(counting::second_count(printing, &count, job.thread_count(), cancel)?);
    }
    let row = CountRow::new(&count, &assessment);
    let written = Report::open(printing.format(), Kind::One("nqueens/count/1"), output).all(&[row]);
    let board = setup::in_words(count.board, arguments.setup.as_ref().map(|given| &given.setup));
    printing.remark(format_args!("{board}: {}", summary(&count, &assessment, &arguments.again())));
    // The caller must be told of a contradiction, even if the pipe for the total is closed.
    assessment.accepted(&arguments.advice())?;
    Failure::check_written(written, &assessment.in_words())
}

/// Returns the line for people that follows the board: time, threads, verdict, and the outcome of a second count.
/// `--format json` has all other facts.
fn summary(count: &Count, assessment: &Assessment, again: &str) -> String {
    let checked = match &assessment.second {
        None => String::new(),
        Some(SecondCount::Differs(_)) => "; DIFFERS from the double check".to_owned(),
        Some(SecondCount::Agrees(by)) => format!("; double-checked by {by}"),
    };
    format!(
        "{} on {}; {}{checked}",
        words::time(count.elapsed.as_secs_f64()),
        words::threads_and_device(count.threads, count.device.as_deref()),
        assessment.verdict_in_words(Some(again)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{FAULTY, Gone};
    use crate::app::parsed;

    fn arguments(line: &str) -> Arguments {
        let crate::app::Command::Count(arguments) = parsed(line) else { panic!("not a count: {line}") };
        arguments
    }

    /// Returns standard output and the outcome of the command with a faulty engine.
    fn faulty(line: &str) -> (String, Result<(), Failure>) {
        let arguments = arguments(line);
        let mut out = Vec::new();
        let job = arguments.job().unwrap().counted_by(FAULTY);
        let outcome = execute(&arguments, &job, &mut out, &Cancel::new());
        (String::from_utf8(out).unwrap(), outcome)
    }

    #[test]
    fn a_wrong_count_is_printed_beside_the_published_one_and_fails() {
        for (line, printed) in [("count 10 --quiet", "732\n"), ("count 10 --fundamental --quiet", "732\n93\n")] {
            let (stdout, outcome) = faulty(line);
            assert_eq!(stdout, printed, "{line}");
            let Err(Failure::Failed(message)) = outcome else { panic!("{line}: a contradiction must fail") };
            assert!(message.contains("for N = 10 came out as 732, but 724 is published"), "{line}: {message}");
            assert!(
                message.ends_with("the same command with --double-check counts every unit again"),
                "{line}: {message}"
            );
        }
        let (stdout, outcome) = faulty("count 10 --fundamental --format json --quiet");
        assert!(outcome.is_err() && stdout.contains("\"verdict\": \"contradicts\""), "{stdout}");
    }

    #[test]
    fn a_double_check_finds_a_faulty_engine_and_names_both_numbers() {
        let (stdout, outcome) = faulty("count 10 --double-check --quiet");
        assert_eq!(stdout, "732\n");
        let Err(Failure::Failed(message)) = outcome else { panic!("a difference must fail") };
        let named = ["unit 0 of plan mirror-", " by backtrack, scalar kernel, but as "];
        assert!(named.iter().all(|part| message.contains(part)), "{message}");
        assert!(
            message.contains("do not trust this number") && message.contains("`nqueens verify` tests"),
            "{message}"
        );
        let (stdout, _) = faulty("count 10 --double-check --format json --quiet");
        assert!(stdout.contains("\"double_check\": \"DIFFERS: unit 0 of plan mirror-"), "{stdout}");
        assert!(faulty("count 9 --double-check --quiet").1.is_ok());
    }

    /// Without locks, another program may write to the ledger.
    #[test]
    fn a_shard_fails_if_its_ledger_lacks_units_that_were_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.jsonl");
        let arguments = arguments(&format!("count 9 --shard 0/2 --ledger {} --quiet", path.display()));
        execute(&arguments, &arguments.job().unwrap(), Vec::new(), &Cancel::new()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let last = text.trim_end().rfind('\n').unwrap();
        std::fs::write(&path, &text[..=last]).unwrap();
        let outcome = status::report(&path, &arguments.printing, Vec::new(), &Cancel::new());
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message.contains("0.jsonl' lacks units ")));
    }

    #[test]
    fn an_interrupted_double_check_loses_no_number() {
        let arguments = arguments("count 8 --quiet");
        let printing = &arguments.printing;
        let count = counting::count(printing, &arguments.job().unwrap(), &Cancel::new()).unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let second = counting::second_count(printing, &count, 1, &cancel);
        let Err(Failure::Cancelled(message)) = second else { panic!("it was interrupted") };
        assert!(
            message.starts_with("N = 8: 92 solutions; not double-checked: stopped before the first unit"),
            "{message}"
        );
    }

    #[test]
    fn a_wrong_count_fails_even_if_nobody_reads_it() {
        let outcome_of = |line: &str| {
            let arguments = arguments(line);
            let job = arguments.job().unwrap().counted_by(FAULTY);
            execute(&arguments, &job, Gone, &Cancel::new())
        };
        assert!(matches!(outcome_of("count 10 --quiet"), Err(Failure::Failed(_))));
        assert!(matches!(outcome_of("count 9 --quiet"), Err(Failure::ClosedPipe)));
    }

    #[test]
    fn the_line_for_people_has_the_verdict() {
        let summary = |size, total, second| {
            let mut assessment = Assessment::new(Board::new(size).unwrap(), total);
            assessment.second = second;
            summary(&counting::tests::count(size, total), &assessment, "again")
        };
        let line = |size, total| summary(size, total, None);
        assert!(line(8, 92).ends_with("; matches the published count (OEIS A000170)"));
        assert!(line(8, 93).ends_with("; CONTRADICTS the published count (OEIS A000170)"));
        assert!(line(28, 8).ends_with("; IMPOSSIBLE"));
        let possible = line(28, 24 * 10_u128.pow(17));
        assert!(possible.contains("; no published count to compare with; "), "{possible}");
        assert!(possible.ends_with("and again would count again by another route"), "{possible}");
        let checked = summary(28, 24 * 10_u128.pow(17), Some(SecondCount::Agrees("another".into())));
        assert!(checked.ends_with("are as they must be; double-checked by another"), "{checked}");
    }
}
