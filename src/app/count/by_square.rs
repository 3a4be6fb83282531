//! `nqueens count --by-square`: counts the solutions with a queen on each square.

use super::Arguments;
use crate::app::assessment::Assessment;
use crate::app::failure::Failure;
use crate::app::output::Sink;
use crate::app::output::file;
use crate::app::output::words::{self, plural};
use crate::app::rows::{Cell, Cpu, Kind, Report, Row, Seconds, Solutions};
use crate::app::setup;
use nqueens::classic::heat_map;
use nqueens::{Board, Cancel, Engine, Job, RunError, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// Counts, writes the table or the picture, and compares the sum of a row with the published total.
pub(super) fn run(arguments: &Arguments, job: &Job, cancel: &Cancel) -> Result<(), Failure> {
    let (printing, advice) = (&arguments.printing, arguments.advice());
    let read = setup::named(arguments.setup.as_ref());
    let is_svg = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    let picture = printing.output.as_deref().filter(|path| printing.format.is_none() && is_svg(path));
    let mut output = match picture {
        Some(path) => file::open(path, read.as_slice())?,
        None => printing.open(read.as_slice())?,
    };
    let start = Instant::now();
    let squares = {
        let bar = printing.bar(format!("N = {}", job.board()));
        job.by_square(cancel, &bar).map_err(|error| match error {
            RunError::Sum(_) | RunError::WrongTotal { .. } => Failure::Failed(format!("{error}: {advice}")),
            error => Failure::from_count(job.board(), error),
        })?
    };
    let elapsed = start.elapsed();
    let assessment = Assessment::new((job.board(), job.setup().copied()), squares[0].iter().sum());
    let written = if picture.is_some() {
        output.write_all(heat_map(&squares).as_bytes()).and_then(|()| output.end())
    } else {
        let row_of = |(row, counts): (usize, Vec<u128>)| BySquareRow {
            row,
            by_column: counts.into_iter().map(Solutions).enumerate().collect(),
            board: job.board(),
            setup: job.setup().map(setup::in_line),
            total: Solutions(assessment.total),
            verdict: assessment.verdict(),
            seconds: Seconds::of(elapsed),
            engine: Engine::Backtrack.name(),
            cpu: Cpu,
        };
        let rows: Vec<BySquareRow> = squares.into_iter().enumerate().map(row_of).collect();
        Report::open(printing.format(), Kind::Many("nqueens/by-square/1"), output).all(&rows)
    };
    printing.remark(format_args!(
        "{}: {} in all, {}; {}",
        setup::in_words(job.board(), job.setup()),
        plural(assessment.total, "solution"),
        words::time(elapsed.as_secs_f64()),
        assessment.verdict_in_words(None)
    ));
    assessment.accepted(&advice)?;
    Failure::check_written(written, &assessment.in_words())
}

/// A row of the board. The board, the total and all that follows are the same in each.
#[derive(Serialize)]
struct BySquareRow {
    /// The row, from 0.
    row: usize,
    /// For each column the solutions with a queen on that square.
    #[serde(flatten)]
    by_column: BTreeMap<usize, Solutions>,
    board: Board,
    setup: Option<String>,
    total: Solutions,
    verdict: Verdict,
    seconds: Seconds,
    engine: &'static str,
    cpu: Cpu,
}

impl Row for BySquareRow {
    fn cells(&self) -> Vec<Cell> {
        let width = self.total.to_string().len().max((self.by_column.len() - 1).to_string().len());
        let counts = self.by_column.iter().map(|(column, count)| Cell::number(column.to_string(), width, Some(count)));
        std::iter::once(Cell::number("row", 3, Some(self.row))).chain(counts).collect()
    }
}
