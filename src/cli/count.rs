//! `nqueens count`: the number of solutions of one board.

use super::arguments::{Means, Printing};
use super::failure::Failure;
use super::record::{COLUMNS, Record};
use super::session::Session;
use crate::report::{self, Layout, Rows};
use nqueens::run::{logical_cpus, physical_cores};
use nqueens::symmetry::Fundamental;
use nqueens::{Board, Verdict};
use std::io::Write;
use std::time::Duration;

/// Count the solutions for N queens on an N x N board
///
/// Standard output is the number and nothing else. Standard error says how long it took, by what means, and whether the
/// number agrees with the published one (OEIS A000170, known up to N = 27).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens count 8
  nqueens count 15 --threads 4
  nqueens count 12 --fundamental --format json")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    board: Board,

    /// Also count the solutions up to rotation and reflection
    ///
    /// The count is (Q + P + 2R) / 8: Q all solutions, P those that a half turn leaves as they are, R those that a
    /// quarter turn does. P and R are searched for. In text the fundamental count is the second line.
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    means: Means,

    #[command(flatten)]
    printing: Printing,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let output = printing.open()?;
    Session::begin()?.run(|cancel| {
        let bar = printing.bar(arguments.board);
        let count = arguments.means.job(arguments.board).run(cancel, &bar)?;
        let counted = arguments.fundamental.then(|| Fundamental::count(count.board, count.total, cancel));
        let fundamental = counted.transpose()?;
        drop(bar);
        let record = Record { count, fundamental };
        write(&record, printing.format, output)?;
        printing.remark(format_args!("{}", summary(&record)));
        judge(&record)
    })
}

fn write(record: &Record, format: report::Format, output: impl Write) -> Result<(), Failure> {
    let layout = Layout { kind: "count", rows: Rows::One, columns: COLUMNS };
    let mut report = report::open(format, layout, output);
    report
        .row(&record.row())
        .and_then(|()| report.finish(true))
        .map_err(|error| Failure::writing(&error, &record.in_words()))
}

/// One line: time, engine, kernel, threads, verdict.
fn summary(record: &Record) -> String {
    let count = &record.count;
    let verdict = match record.verdict() {
        Verdict::Matches => "matches the published count (OEIS A000170)",
        Verdict::Contradicts => "CONTRADICTS the published count (OEIS A000170)",
        Verdict::NotPublished => "no published count to compare with",
    };
    format!(
        "N = {}: {}, engine {}, kernel {}, {} on {} and {}, {} of plan {}; {verdict}",
        count.board,
        duration(count.elapsed),
        count.engine,
        count.kernel,
        plural(count.threads, "thread"),
        plural(logical_cpus(), "logical CPU"),
        plural(physical_cores(), "physical core"),
        plural(count.units, "unit"),
        count.plan,
    )
}

/// A duration to three digits or more.
fn duration(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if seconds < 1.0 { format!("{:.3} ms", 1e3 * seconds) } else { format!("{seconds:.3} s") }
}

fn plural(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A count that contradicts the published one is a failure.
fn judge(record: &Record) -> Result<(), Failure> {
    match record.contradiction() {
        Some(both) => {
            Err(Failure::Failed(format!("{both}; one of them is wrong: run `nqueens verify` on this machine")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Format;
    use nqueens::engine::Kernel;
    use nqueens::run::Count;

    /// What an engine with a fault would come up with.
    fn record(size: usize, total: u128) -> Record {
        let board = Board::new(size).unwrap();
        let elapsed = Duration::from_millis(1500);
        let kernel = Kernel::Scalar;
        let count =
            Count { board, total, engine: "test", kernel, plan: "test-1".into(), units: 4, threads: 1, elapsed };
        Record { count, fundamental: None }
    }

    #[test]
    fn a_wrong_total_is_printed_beside_the_published_one_and_fails() {
        let wrong = record(8, 93);
        let mut out = Vec::new();
        write(&wrong, Format::Text, &mut out).unwrap();
        assert_eq!(out, b"93\n");
        assert!(summary(&wrong).ends_with("CONTRADICTS the published count (OEIS A000170)"));
        let Err(Failure::Failed(message)) = judge(&wrong) else { panic!("a contradiction must fail") };
        assert!(message.contains("93") && message.contains("92"), "{message}");
    }

    #[test]
    fn a_wrong_fundamental_count_fails_even_if_the_total_is_right() {
        let fundamental = Some(Fundamental { fundamental: 13, half_turn: 4, quarter_turn: 0 });
        let wrong = Record { fundamental, ..record(8, 92) };
        let Err(Failure::Failed(message)) = judge(&wrong) else { panic!("a contradiction must fail") };
        assert!(message.contains("fundamental count for N = 8 came out as 13, but 12 is published"), "{message}");
    }

    #[test]
    fn what_matches_or_is_not_published_does_not_fail() {
        assert!(judge(&record(8, 92)).is_ok());
        assert!(judge(&record(28, 1)).is_ok());
        assert!(summary(&record(28, 1)).ends_with("no published count to compare with"));
    }

    #[test]
    fn a_number_that_cannot_be_written_is_not_lost() {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let Ok(full) = full else { return };
        let Err(Failure::Failed(message)) = write(&record(8, 92), Format::Text, full) else { panic!("must fail") };
        assert!(message.contains("N = 8: 92 solutions"), "{message}");
    }
}
