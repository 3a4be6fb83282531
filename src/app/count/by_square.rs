//! `nqueens count --by-square`: counts the solutions with a queen on each square.

use super::Arguments;
use crate::app::assessment::Assessment;
use crate::app::failure::Failure;
use crate::app::output::Sink;
use crate::app::output::file;
use crate::app::output::words::{self, plural};
use crate::app::rows::{CPU, Cell, Cpu, Kind, Report, Row, Seconds, Solutions, VERSION, Version, row};
use crate::app::setup;
use nqueens::classic::heat_map;
use nqueens::{Board, Cancel, Engine, Job, RunError, Verdict, by_square};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Counts, writes the table or the picture, and compares the sum of a row with the published total.
pub(super) fn run(arguments: &Arguments, job: &Job, cancel: &Cancel) -> Result<(), Failure> {
    let (printing, advice) = (&arguments.printing, arguments.advice(job));
    let read = setup::named(arguments.setup.as_deref());
    let is_svg = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    let picture = printing.output.as_deref().filter(|path| printing.format.is_none() && is_svg(path));
    let mut output = match picture {
        Some(path) => file::open((path, "--output"), read.as_slice())?,
        None => printing.open(read.as_slice())?,
    };
    let start = Instant::now();
    let squares = {
        let bar = printing.bar(format!("N = {}", job.board()));
        by_square(job, cancel, &bar).map_err(|error| match error {
            RunError::Cancelled { .. } => {
                Failure::Cancelled(format!("N = {}: stopped before all was counted", job.board()))
            }
            RunError::Uneven { .. } => Failure::Failed(format!("{error}: {advice}")),
            error => error.into(),
        })?
    };
    let elapsed = start.elapsed();
    let assessment = Assessment::new(job.board(), squares[0].iter().sum(), job.settings.setup.is_some());
    let written = if picture.is_some() {
        output.write_all(heat_map(&squares).as_bytes()).and_then(|()| output.end())
    } else {
        let row = |(row, counts)| BySquareRow::new(row, counts, job, &assessment, elapsed);
        let rows: Vec<BySquareRow> = squares.into_iter().enumerate().map(row).collect();
        let mut report = Report::open(printing.format(), Kind::Many("nqueens/by-square/1"), output);
        report.fitted(&rows).and_then(|()| report.finish(true))
    };
    printing.remark(format_args!(
        "{}: {} in all, {} on {}; {}",
        setup::in_words(job.board(), job.settings.setup.as_ref()),
        plural(assessment.total, "solution"),
        words::time(elapsed.as_secs_f64()),
        plural(job.thread_count(), "thread"),
        assessment.verdict_in_words(None)
    ));
    assessment.accepted(&advice)?;
    Failure::check_written(written, &assessment.in_words())
}

row! {
    /// A row of the board. The board, the total and all that follows are the same in each.
    pub(crate) struct BySquareRow(
        row: usize,
        counts: Vec<u128>,
        job: &Job,
        assessment: &Assessment,
        time: Duration,
    ) {
        /// The row, from 0.
        row: usize = row,
        /// For each column the solutions with a queen on that square.
        #[serde(flatten)]
        by_column: BTreeMap<usize, Solutions> = counts.into_iter().map(Solutions).enumerate().collect(),
        board: Board = job.board(),
        /// The given queens and blocked squares of the board: its rows, from the first on, with `/` between two; null
        /// if it has none.
        setup: Option<String> = job.settings.setup.as_ref().map(setup::in_line),
        /// The number of all solutions.
        total: Solutions = Solutions(assessment.total),
        verdict: Verdict = assessment.verdict(),
        /// The published number of solutions (OEIS A000170); null if there is none.
        published: Option<Solutions> = assessment.published().map(Solutions),
        /// The engine.
        engine: &'static str = Engine::Backtrack.name(),
        /// The number of threads that were asked for.
        threads: usize = job.thread_count(),
        /// The time of the whole count.
        seconds: Seconds = Seconds::of(time),
        cpu: Cpu = CPU,
        program_version: Version = VERSION,
    }
}

impl Row for BySquareRow {
    fn cells(&self) -> Vec<Cell> {
        let counts = self.by_column.iter().map(|(column, count)| Cell::number(column.to_string(), 0, Some(count)));
        std::iter::once(Cell::number("row", 0, Some(self.row))).chain(counts).collect()
    }
}
