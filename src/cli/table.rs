//! `nqueens table`: the published table, computed anew.

use super::arguments::{Means, Printing};
use super::failure::Failure;
use super::output::end;
use super::record::{COLUMNS, Record};
use super::session::Session;
use crate::report::{self, Layout, Report, Rows};
use nqueens::symmetry::Fundamental;
use nqueens::{Board, Cancel, Verdict};
use std::time::Instant;

/// The last row that takes a fraction of a second.
const DEFAULT_TO: usize = 14;

/// Reproduce the published table, a row for each N
///
/// Every row is computed: the total, the count up to rotation and reflection, the seconds the total took, and whether both
/// agree with the published ones (OEIS A000170, A002562). Rows appear as they are finished.
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

    /// The last N [default: 14, or A where that is larger]
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    to: Option<Board>,

    #[command(flatten)]
    means: Means,

    #[command(flatten)]
    printing: Printing,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (from, to) = (arguments.from.size(), arguments.to.map_or(DEFAULT_TO.max(arguments.from.size()), Board::size));
    if from > to {
        return Err(Failure::Usage(format!("--from {from} is beyond --to {to}; give a range from small to large")));
    }
    let boards: Vec<Board> = (from..=to).filter_map(|size| Board::new(size).ok()).collect();
    let output = arguments.printing.open()?;
    let layout = Layout { kind: "table", rows: Rows::Many, columns: COLUMNS };
    let mut report = report::open(arguments.printing.format, layout, output);
    Session::begin()?.run(|cancel| {
        let outcome = rows(arguments, &boards, report.as_mut(), cancel);
        end(report.as_mut(), &outcome)?;
        match outcome?.as_slice() {
            [] => Ok(()),
            contradictions => Err(Failure::Failed(contradictions.join("; "))),
        }
    })
}

/// Reports every row and returns the contradictions among them.
fn rows(
    arguments: &Arguments,
    boards: &[Board],
    report: &mut dyn Report,
    cancel: &Cancel,
) -> Result<Vec<String>, Failure> {
    let printing = &arguments.printing;
    let start = Instant::now();
    let mut contradictions = Vec::new();
    let mut matching = 0;
    for &board in boards {
        let bar = printing.bar(board);
        let count = arguments.means.job(board).run(cancel, &bar)?;
        let fundamental = Fundamental::count(board, count.total, cancel)?;
        drop(bar);
        let record = Record { count, fundamental: Some(fundamental) };
        report.row(&record.row()).map_err(|error| Failure::writing(&error, &record.in_words()))?;
        contradictions.extend(record.contradiction());
        matching += usize::from(record.verdict() == Verdict::Matches);
    }
    printing.remark(format_args!(
        "{matching} of {} rows match the published table; {:.3} s",
        boards.len(),
        start.elapsed().as_secs_f64()
    ));
    Ok(contradictions)
}
