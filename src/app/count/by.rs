//! `nqueens count --by`: counts solutions by square, column, class or color.

use super::reporter::Reporter;
use crate::app::assessment::Assessment;
use crate::app::failure::Failure;
use crate::app::machine::MACHINE;
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::output::file::{self, NamedPath};
use crate::app::output::words::{self, plural};
use crate::app::rows::{self, Column, fit};
use crate::app::setup;
use clap::ValueEnum;
use nqueens::classic::heat_map;
use nqueens::engine::devices_in_words;
use nqueens::run::{Job, Observer, Start};
use nqueens::{Cancel, Engine, RunError, by_color, by_column, by_square, published};
use std::io::Write as _;
use std::sync::OnceLock;
use std::time::Instant;

/// A property by which solutions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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

/// Counts, writes the table to `output`, and compares its sum with the published total. The advice says which command
/// can find the cause of a contradiction.
pub(crate) fn run(
    by: By,
    printing: &OutputOptions,
    read: &[NamedPath<'_>],
    job: &Job,
    advice: &str,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let name = by.to_possible_value().expect("it has a name");
    let name = name.get_name();
    let mut engine = if by == By::Color { Engine::TwoColor } else { Engine::Backtrack };
    let is_free = job.settings.setup.is_none();
    if let Some(reason) = refused(by, job, engine) {
        return Err(Failure::Usage(format!("--by {name} {reason}")));
    }

    let ending = printing.output.as_ref().and_then(|path| path.extension());
    let is_svg = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    let picture = by == By::Square && is_svg && printing.chosen_format().is_err();
    let mut output = match &printing.output {
        Some(path) if picture => file::open((path, "--output"), read)?,
        _ => printing.open(read)?,
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
    let number = |counts: &[u128]| counts.iter().sum::<u128>();
    let (mut table, total) = match by {
        By::Square => {
            squares = by_square(job, cancel, &bar).map_err(failed)?;
            (squares.iter().enumerate().map(row_of_squares).collect::<Vec<_>>(), number(&squares[0]))
        }
        By::Column => {
            let counts = by_column(job, cancel, &bar).map_err(failed)?;
            let row = |(column, &count): (usize, &u128)| vec![key("column", column), solutions("solutions", count)];
            (counts.iter().enumerate().map(row).collect(), number(&counts))
        }
        By::Color => {
            let counts = by_color(job, cancel, observer).map_err(failed)?;
            let row = |(&white, &count): (&usize, &u128)| {
                vec![key("white", white), key("black", job.board().size() - white), solutions("solutions", count)]
            };
            (counts.iter().map(row).collect(), counts.values().sum())
        }
        By::Class => {
            let count = job.run_with(cancel, observer).map_err(failed)?;
            (engine, kernel) = (count.engine, count.kernel);
            let found = Assessment::new(job.board(), count.total, false).with_fundamental(cancel)?;
            found.accepted(advice)?;
            let orbits = found.fundamental.map_or(Vec::new(), |counted| counted.orbits());
            let row = |&(size, orbits): &(usize, u128)| {
                vec![
                    key("orbit_size", size),
                    solutions("orbits", orbits),
                    solutions("solutions", orbits * size as u128),
                ]
            };
            (orbits.iter().map(row).collect(), orbits.iter().map(|&(size, orbits)| orbits * size as u128).sum())
        }
    };
    drop(bar);
    let device = counts_on.0.into_inner().flatten();
    let assessment = Assessment::new(job.board(), total, !is_free);
    let elapsed = start.elapsed().as_secs_f64();
    for row in &mut table {
        row.extend([
            Column::new("board", job.board().size()),
            Column::new("setup", job.settings.setup.as_ref().map(setup::in_line)),
            Column::new("by", name),
            Column::solutions("total", total),
            Column::new("verdict", assessment.verdict().to_string()),
            Column::solutions("published", published::total(job.board()).filter(|_| is_free)),
            Column::new("engine", engine.name()),
            Column::new("kernel", kernel.name()),
            Column::new("device", device.as_deref()),
            Column::new("threads", job.thread_count()),
            Column::seconds("seconds", elapsed),
            Column::new("cpu", &*MACHINE.cpu),
            Column::new("program_version", env!("NQUEENS_VERSION")),
        ]);
    }
    let written = if picture {
        output.write_all(heat_map(&squares).as_bytes()).and_then(|()| output.end())
    } else {
        fit(&mut table);
        let mut report = rows::open(printing.format(), "nqueens/by/1", rows::Kind::Many, output);
        table.iter().try_for_each(|row| report.row(row)).and_then(|()| report.finish(true))
    };
    printing.remark(format_args!(
        "{}: {} in all, {} on {}; {}",
        setup::in_words(job.board(), job.settings.setup.as_ref()),
        plural(total, "solution"),
        words::time(elapsed),
        words::threads_and_device(job.thread_count(), device.as_deref()),
        assessment.verdict_in_words(None)
    ));
    assessment.accepted(advice)?;
    Failure::check_written(written, &assessment.in_words())
}

/// Returns the reason why `engine` cannot count a job by this property; `None` if it can.
fn refused(by: By, job: &Job, engine: Engine) -> Option<String> {
    let is_free = job.settings.setup.is_none();
    match by {
        By::Class if is_free => None,
        By::Class => Some("counts whole orbits, which a board with --board has not; give --by square or column".into()),
        By::Color if !is_free => Some("is for boards without --board; give --by square or column".into()),
        By::Color if job.board().size() > engine.largest_board() => {
            Some(format!("is counted by {engine}; give a board of at most {}", engine.largest_board()))
        }
        _ if job.engine.is_some_and(|given| given != engine) => {
            Some(format!("is counted by {engine}; give --engine {engine}, or none"))
        }
        _ => None,
    }
}

fn row_of_squares((row, counts): (usize, &Vec<u128>)) -> Vec<Column> {
    let square = |(column, &count): (usize, &u128)| {
        Column::new(column.to_string(), count.to_string()).number(column.to_string(), 0)
    };
    std::iter::once(key("row", row)).chain(counts.iter().enumerate().map(square)).collect()
}

fn key(name: &'static str, number: usize) -> Column {
    Column::new(name, number).number(name.replace('_', " "), 0)
}

fn solutions(name: &'static str, number: u128) -> Column {
    Column::solutions(name, number).number(name, 0)
}
