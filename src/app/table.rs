//! `nqueens table`: computes the published table again.

use crate::app::assessment::{Assessment, contradicted};
use crate::app::count::counting::count;
use crate::app::count::row::CountRow;
use crate::app::failure::Failure;
use crate::app::options::{CountOptions, ReportOptions};
use crate::app::output::Sink;
use crate::app::output::words::plural;
use crate::app::rows;
use crate::app::session::Session;
use crate::run::Job;
use crate::{Board, Cancel, Verdict};
use std::time::Instant;

/// The last board that takes less than a second.
const DEFAULT_TO: usize = 14;

/// Reproduce the published table, a row for each N
///
/// Every row is computed: the total, the count up to rotation and reflection, the seconds that the total took, and
/// whether both counts agree with the published ones (OEIS A000170, A002562). Each row is printed as soon as it is
/// finished.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens table
  nqueens table --from 8 --to 15
  nqueens table --format csv --output table.csv")]
pub(crate) struct Arguments {
    /// The first N
    #[arg(long, value_name = "A", default_value = "1", allow_negative_numbers = true)]
    from: Board,

    /// The last N [default: 14, or A if that is larger]
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    to: Option<Board>,

    #[command(flatten)]
    means: CountOptions,

    #[command(flatten)]
    printing: ReportOptions,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let (from, to) = (arguments.from.size(), arguments.to.map_or(DEFAULT_TO.max(arguments.from.size()), Board::size));
    if from > to {
        return Err(Failure::Usage(format!("--from {from} is beyond --to {to}; give a range from small to large")));
    }
    let boards: Vec<Board> = (from..=to).filter_map(|size| Board::new(size).ok()).collect();
    let output = arguments.printing.open(&[])?;
    session.run(|cancel| outcome(arguments, &boards, |board| arguments.means.job(board), output, cancel))
}

/// Counts every board, writes the rows to `output` and checks them.
fn outcome(
    arguments: &Arguments,
    boards: &[Board],
    job: impl Fn(Board) -> Job,
    output: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let mut report = rows::open(printing.format, "nqueens/table/1", rows::Kind::Many, output);
    let start = Instant::now();
    let mut contradictions = Vec::new();
    let mut matching = 0;
    let mut row = |board| {
        let count = count(printing, &job(board), cancel)?;
        let assessment = Assessment::with_fundamental(board, count.total, cancel)?;
        contradictions.extend_from_slice(assessment.contradictions());
        matching += usize::from(assessment.verdict() == Verdict::Matches);
        let row = CountRow::new(&count, &assessment, None);
        report.row(&row).map_err(|error| Failure::losing(&error, &assessment.in_words()))
    };
    let written = boards.iter().try_for_each(|&board| row(board));
    // Also after a failure, so that the incomplete document is well formed and marked as incomplete.
    let ended = report.finish(written.is_ok()).map_err(|error| Failure::writing(&error));
    if written.is_ok() {
        printing.remark(format_args!(
            "{matching} of {} match{} the published table; {:.3} s",
            plural(boards.len(), "row"),
            if matching == 1 { "es" } else { "" },
            start.elapsed().as_secs_f64()
        ));
    }
    contradicted(&contradictions)?;
    written.and(ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{Faulty, Gone, Panicking};
    use crate::app::parsed;
    use crate::engine::CountingEngine;

    /// Returns the outcome of the command with a faulty engine.
    fn faulty(line: &str, output: impl Sink) -> Result<(), Failure> {
        counted_by(&Faulty, line, output)
    }

    fn counted_by(engine: &'static dyn CountingEngine, line: &str, output: impl Sink) -> Result<(), Failure> {
        let crate::app::Command::Table(arguments) = parsed(line) else { panic!("not a table") };
        let (from, to) = (arguments.from.size(), arguments.to.unwrap().size());
        let boards: Vec<Board> = (from..=to).map(|size| Board::new(size).unwrap()).collect();
        outcome(&arguments, &boards, |board| Job::new(board).with_engine(engine), output, &Cancel::new())
    }

    #[test]
    fn wrong_rows_are_printed_like_the_others_and_fail_together() {
        let mut out = Vec::new();
        let outcome = faulty("table --from 8 --to 12 --quiet --format json", &mut out);
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let verdicts: Vec<_> = document["rows"].as_array().unwrap().iter().map(|row| row["verdict"].clone()).collect();
        assert_eq!(verdicts, ["matches", "matches", "contradicts", "contradicts", "contradicts"]);
        assert_eq!(document["complete"], true);
        let Err(Failure::Failed(message)) = outcome else { panic!("contradictions must fail") };
        for part in ["724 is published", "2680 is published", "14200 is published"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_panic_ends_the_document() {
        let mut out = Vec::new();
        let outcome = counted_by(&Panicking, "table --from 8 --to 12 --quiet --format json", &mut out);
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((document["rows"].as_array().unwrap().len(), &document["complete"]), (2, &false.into()));
        let Err(Failure::Failed(message)) = outcome else { panic!("a panic must fail") };
        assert_eq!(message, "unit 0 of N = 10 panicked: on purpose");
    }

    #[test]
    fn a_wrong_row_fails_even_if_nobody_reads_it() {
        assert!(matches!(faulty("table --from 10 --to 12 --quiet", Gone), Err(Failure::Failed(_))));
        assert!(matches!(faulty("table --from 8 --to 9 --quiet", Gone), Err(Failure::ClosedPipe)));
    }
}
