//! `nqueens count --by`: counts solutions by square, column, class or color.

use super::Arguments;
use super::counting::Reporter;
use crate::app::assessment::Assessment;
use crate::app::failure::{Failure, refused};
use crate::app::output::Sink;
use crate::app::output::file;
use crate::app::output::words::{self, plural};
use crate::app::rows::{CPU, Cell, Cpu, Kind, Report, Row, Seconds, Solutions, VERSION, Version, row};
use crate::app::setup;
use nqueens::classic::heat_map;
use nqueens::engine::devices_in_words;
use nqueens::{Board, Cancel, Engine, Job, Kernel, Observer, RunError, Start, Verdict, by_color, by_column, by_square};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A property by which solutions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    /// A number for each square: the solutions with a queen there.
    Square,
    /// A number for each column: the solutions with the first row's queen there.
    Column,
    /// The orbits under rotation and reflection, by their size: 8, 4, 2 or 1 solutions.
    Class,
    /// By the number of queens on white squares, those whose row and column have an even sum.
    Color,
}

/// An observer that remembers the devices that count.
#[derive(Default)]
struct CountsOn(OnceLock<Option<String>>);

impl Observer for CountsOn {
    fn ready(&self, start: &Start<'_>) {
        self.0.get_or_init(|| devices_in_words(start.devices, start.threads));
    }
}

/// Counts, writes the table, and compares its sum with the published total.
pub(super) fn run(by: By, arguments: &Arguments, job: &Job, cancel: &Cancel) -> Result<(), Failure> {
    let (printing, advice) = (&arguments.printing, arguments.advice(job));
    let mut engine = if by == By::Color { Engine::TwoColor } else { Engine::Backtrack };
    let is_free = job.settings.setup.is_none();
    if matches!(by, By::Class | By::Color) && !is_free {
        return refused("--by class and color are for boards without --board; give --by square or column");
    }

    let ending = printing.output.as_ref().and_then(|path| path.extension());
    let is_svg = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    let picture = by == By::Square && is_svg && printing.chosen_format().is_err();
    let read = setup::named(arguments.setup.as_deref());
    let mut output = match &printing.output {
        Some(path) if picture => file::open((path, "--output"), read.as_slice())?,
        _ => printing.open(read.as_slice())?,
    };
    let start = Instant::now();
    let bar = printing.bar(format!("N = {}", job.board()));
    let (reporter, counts_on) = (Reporter { printing, has_ledger: true, cancel }, CountsOn::default());
    let observer: &dyn Observer = &[&counts_on as &dyn Observer, &reporter, &bar];
    let failed = |error: RunError| match error {
        RunError::Cancelled { .. } => {
            Failure::Cancelled(format!("N = {}: stopped before all was counted", job.board()))
        }
        RunError::Uneven { .. } => Failure::Failed(format!("{error}: {advice}")),
        error => error.into(),
    };
    let mut squares = Vec::new();
    let mut kernel = job.settings.kernel.unwrap_or_else(|| engine.kernels()[0]);
    let (keys, total): (Vec<Key>, u128) = match by {
        By::Square => {
            squares = by_square(job, cancel, &bar).map_err(failed)?;
            let solutions = |counts: &[u128]| counts.iter().copied().map(Solutions).enumerate().collect();
            let row = |(row, counts): (usize, &Vec<u128>)| Key::Row { row, by_column: solutions(counts) };
            (squares.iter().enumerate().map(row).collect(), squares[0].iter().sum())
        }
        By::Column => {
            let counts = by_column(job, cancel, &bar).map_err(failed)?;
            let row = |(column, &count): (usize, &u128)| Key::Column { column, solutions: Solutions(count) };
            (counts.iter().enumerate().map(row).collect(), counts.iter().sum())
        }
        By::Color => {
            let counts = by_color(job, cancel, observer).map_err(failed)?;
            let row = |(&white, &count): (&usize, &u128)| Key::Color {
                white,
                black: job.board().size() - white,
                solutions: Solutions(count),
            };
            (counts.iter().map(row).collect(), counts.values().sum())
        }
        By::Class => {
            let count = job.run_with(cancel, observer).map_err(failed)?;
            (engine, kernel) = (count.engine, count.kernel);
            let found = Assessment::new(job.board(), count.total, false).with_fundamental(cancel)?;
            found.accepted(&advice)?;
            let orbits = found.fundamental.map_or(Vec::new(), |counted| counted.orbits());
            let row = |&(size, orbits): &(usize, u128)| Key::Class {
                orbit_size: size,
                orbits: Solutions(orbits),
                solutions: Solutions(orbits * size as u128),
            };
            (orbits.iter().map(row).collect(), count.total)
        }
    };
    drop(bar);
    let device = counts_on.0.into_inner().flatten();
    let assessment = Assessment::new(job.board(), total, !is_free);
    let elapsed = start.elapsed();
    let row = |key| ByRow::new(key, by, job, &assessment, (engine, kernel), device.as_deref(), elapsed);
    let written = if picture {
        output.write_all(heat_map(&squares).as_bytes()).and_then(|()| output.end())
    } else {
        let mut report = Report::open(printing.format(), Kind::Many("nqueens/by/1"), output);
        report.fitted(&keys.into_iter().map(row).collect::<Vec<_>>()).and_then(|()| report.finish(true))
    };
    printing.remark(format_args!(
        "{}: {} in all, {} on {}; {}",
        setup::in_words(job.board(), job.settings.setup.as_ref()),
        plural(total, "solution"),
        words::time(elapsed.as_secs_f64()),
        words::threads_and_device(job.thread_count(), device.as_deref()),
        assessment.verdict_in_words(None)
    ));
    assessment.accepted(&advice)?;
    Failure::check_written(written, &assessment.in_words())
}

/// The key of a row of the table, and the numbers of solutions that have it.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Key {
    /// By square: the numbers of a row of the board, by column.
    Row {
        /// The row, from 0.
        row: usize,
        #[serde(flatten)]
        by_column: BTreeMap<usize, Solutions>,
    },
    Column {
        /// The column of the queen in the first row, from 0.
        column: usize,
        /// The number of these solutions.
        solutions: Solutions,
    },
    Class {
        /// The number of solutions of an orbit under rotation and reflection.
        orbit_size: usize,
        /// The number of orbits of this size.
        orbits: Solutions,
        /// The number of their solutions.
        solutions: Solutions,
    },
    Color {
        /// The number of queens on squares whose row and column have an even sum.
        white: usize,
        /// The number of queens on the other squares.
        black: usize,
        /// The number of these solutions.
        solutions: Solutions,
    },
}

row! {
    /// A row of the table. The board, the total and all that follows are the same in each.
    pub(crate) struct ByRow<'a>(
        key: Key,
        by: By,
        job: &Job,
        assessment: &Assessment,
        route: (Engine, Kernel),
        device: Option<&'a str>,
        time: Duration,
    ) {
        #[serde(flatten)]
        key: Key = key,
        board: Board = job.board(),
        /// The given queens and blocked squares of the board: its rows, from the first on, with `/` between two; null
        /// if it has none.
        setup: Option<String> = job.settings.setup.as_ref().map(setup::in_line),
        /// The property by which the solutions are counted.
        by: By = by,
        /// The number of all solutions.
        total: Solutions = Solutions(assessment.total),
        verdict: Verdict = assessment.verdict(),
        /// The published number of solutions (OEIS A000170); null if there is none.
        published: Option<Solutions> = assessment.published().map(Solutions),
        /// The engine.
        engine: &'static str = route.0.name(),
        /// The kernel: the implementation of the engine's inner loop.
        kernel: &'static str = route.1.name(),
        /// The devices that counted with kernel gpu: names, platforms and drivers; null if only CPUs counted.
        device: Option<&'a str> = device,
        /// The number of threads that were asked for.
        threads: usize = job.thread_count(),
        /// The time of the whole count.
        seconds: Seconds = Seconds::of(time),
        cpu: Cpu = CPU,
        program_version: Version = VERSION,
    }
}

impl Row for ByRow<'_> {
    /// Returns the fields of the key, which are numbers.
    fn cells(&self) -> Vec<Cell> {
        let Ok(Value::Object(key)) = serde_json::to_value(&self.key) else { unreachable!("it has named fields") };
        let digits = |number: &Value| number.as_str().map_or_else(|| number.to_string(), str::to_owned);
        key.iter().map(|(name, number)| Cell::number(name.replace('_', " "), 0, Some(digits(number)))).collect()
    }
}
