//! `nqueens table`: computes the published table again.

use crate::app::assessment::{Assessment, contradicted};
use crate::app::count::counting::{CountRow, count};
use crate::app::failure::{Failure, refused};
use crate::app::options::{CountOptions, OutputOptions};
use crate::app::output::Sink;
use crate::app::output::words::{self, plural};
use crate::app::rows::{Kind, Report};
use nqueens::{Board, Cancel, Job, Pool, Verdict};
use std::time::Instant;

/// Up to this N, a row takes less than a second even without vector instructions.
const DEFAULT_TO: usize = 14;

/// Compute the published table again, a row for each N
///
/// A row has the number of all solutions (OEIS A000170), of fundamental solutions, of which no two are rotations or
/// reflections of each other (A002562), of those that a half turn maps to themselves (A032522), and of those that a
/// quarter turn maps to themselves (A033148); the time that all solutions took; and whether all four are as
/// published. Each row is printed as soon as it is finished.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens table
  nqueens table 18
  nqueens table 15 --from 8
  nqueens table 12 --output table.csv")]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true,
        help = format!("The last N [default: {DEFAULT_TO}, or A if that is larger]"))]
    last: Option<Board>,

    /// The first N
    #[arg(long, value_name = "A", default_value = "1", hide_default_value = true, allow_negative_numbers = true)]
    from: Board,

    #[command(flatten)]
    counting: CountOptions,

    #[command(flatten)]
    printing: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let from = arguments.from.size();
    let to = arguments.last.map_or(DEFAULT_TO.max(from), Board::size);
    if from > to {
        return refused(format!("--from {from} is beyond the last N, {to}; give a smaller one"));
    }
    let boards = (from..=to).filter_map(|size| Board::new(size).ok());
    let output = arguments.printing.open(&[])?;
    let mut jobs: Vec<Job> = boards.map(|board| arguments.counting.job(board)).collect();
    jobs.last().map(Job::chosen_engine).transpose()?;
    // Each start of threads would take address space, which the system may have limited.
    if let Some(job) = jobs.iter().find(|job| !job.is_quick()) {
        let pool = Pool::new(job.thread_count())?;
        jobs = jobs.into_iter().map(|job| job.pool(&pool)).collect();
    }
    execute(&arguments.printing, &jobs, output, cancel)
}

/// Counts every board, writes the rows to `output` and checks them.
fn execute(printing: &OutputOptions, jobs: &[Job], output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let start = Instant::now();
    let (mut contradictions, mut matching) = (Vec::new(), 0);
    let report = Report::open(printing.format(), Kind::Many("nqueens/table/1"), output);
    let counted = report.written_by(|report| {
        jobs.iter().try_for_each(|job| {
            let count = count(printing, job, cancel)?;
            let assessment = Assessment::new(count.board, count.total).with_fundamental(cancel)?;
            contradictions.extend_from_slice(&assessment.contradictions);
            matching += usize::from(assessment.verdict() == Verdict::Matches);
            let written = report.row(&CountRow::new(&count, &assessment));
            written.map_err(|error| Failure::with_result(error, &assessment.in_words()))
        })
    });
    if counted.is_ok() {
        printing.remark(format_args!(
            "{matching} of {} as published: total OEIS A000170, fundamental A002562, half turn A032522, \
             quarter turn A033148; {}",
            plural(jobs.len(), "row"),
            words::time(start.elapsed().as_secs_f64())
        ));
    }
    contradicted(contradictions, "`nqueens count N --double-check` counts by two routes")?;
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{FAULTY, Fault, Gone, PANICKING_AT_ONCE};
    use crate::app::parsed;

    /// Returns the outcome of the command with a faulty engine.
    fn faulty(line: &str, output: impl Sink) -> Result<(), Failure> {
        counted_by(FAULTY, line, output)
    }

    fn counted_by(fault: Fault, line: &str, output: impl Sink) -> Result<(), Failure> {
        let crate::app::Command::Table(arguments) = parsed(line) else { panic!("not a table") };
        let (from, to) = (arguments.from.size(), arguments.last.unwrap().size());
        let job = |size| Job::new(Board::new(size).unwrap()).counted_by(fault);
        execute(&arguments.printing, &(from..=to).map(job).collect::<Vec<_>>(), output, &Cancel::new())
    }

    #[test]
    fn wrong_rows_are_printed_like_the_others_and_fail_together() {
        let mut out = Vec::new();
        let outcome = faulty("table 12 --from 8 --quiet --format json", &mut out);
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let verdicts: Vec<_> = document["rows"].as_array().unwrap().iter().map(|row| row["verdict"].clone()).collect();
        assert_eq!(verdicts, ["matches", "matches", "contradicts", "contradicts", "contradicts"]);
        assert_eq!(document["complete"], true);
        let Err(Failure::Failed(message)) = outcome else { panic!("contradictions must fail") };
        for part in ["724 is published", "2680 is published", "14200 is published", "`nqueens count N --double-check`"]
        {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_panic_ends_the_document() {
        let mut out = Vec::new();
        let outcome = counted_by(PANICKING_AT_ONCE, "table 12 --from 8 --quiet --format json", &mut out);
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((document["rows"].as_array().unwrap().len(), &document["complete"]), (2, &false.into()));
        let Err(Failure::Failed(message)) = outcome else { panic!("a panic must fail") };
        assert_eq!(message, "unit 0 of N = 10 panicked: on purpose");
    }

    #[test]
    fn a_wrong_row_fails_even_if_nobody_reads_it() {
        assert!(matches!(faulty("table 12 --from 10 --quiet", Gone), Err(Failure::Failed(_))));
        assert!(matches!(faulty("table 9 --from 8 --quiet", Gone), Err(Failure::ClosedPipe)));
    }
}
