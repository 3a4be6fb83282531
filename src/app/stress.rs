//! `nqueens stress`: counts for as long as it is told to, and believes none of them.

use crate::app::assessment::contradicted;
use crate::app::bench::study::check;
use crate::app::failure::Failure;
use crate::app::numbers::time;
use crate::app::options::{Printing, Threads};
use crate::app::output::words::{long_time, many, plural};
use crate::app::output::{self, Cell, Column, Detail, Layout, Rows, Sink};
use crate::app::session::Session;
use crate::engine::{ENGINES, Engine, Kernel, Settings};
use crate::run::{Count, Job, RunError};
use crate::{Board, Cancel, published};
use std::time::{Duration, Instant};

/// Keep every core busy with counts whose results are known, and stop at the first that is wrong
///
/// For the burn-in of a new machine. The engines take turns, each with each of its kernels and its ways to cut up a count; with
/// each the boards grow from N = 8 until a count takes about a second. Every total is held against the published one: a wrong
/// one ends the program at once, with exit code 1 and the engine, the kernel, N and both numbers. When the time is up, the count
/// at hand is finished and the exit code is 0. Ctrl-C ends it sooner, with the same table.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens stress --duration 30m
  nqueens stress --duration 12h --quiet && echo 'this machine counts right'")]
pub(crate) struct Arguments {
    /// How long, such as 90s, 30m or 2h [default: until Ctrl-C]
    #[arg(long, short, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    duration: Option<Duration>,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    printing: Printing,
}

/// A board is large enough when its count takes as long.
const LONG_ENOUGH: Duration = Duration::from_secs(1);

/// The first board of each turn. Smaller ones have too few solutions for a wrong one to be seen.
const SMALLEST: usize = 8;

const COLUMNS: &[Column] = &[
    Column { key: "engine", heading: "engine", width: 9, detail: Detail::Table },
    Column { key: "kernel", heading: "kernel", width: 8, detail: Detail::Table },
    Column { key: "counts", heading: "counts", width: 8, detail: Detail::Table },
    Column { key: "largest_board", heading: "largest N", width: 9, detail: Detail::Table },
    Column { key: "seconds", heading: "seconds", width: 10, detail: Detail::Table },
    Column { key: "solutions", heading: "solutions", width: 22, detail: Detail::Table },
    Column::of_record("threads"),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let output = arguments.printing.open(&[])?;
    session.run(|cancel| outcome(arguments, ENGINES, output, cancel))
}

/// What was counted with one engine and one kernel.
struct Tally {
    engine: &'static dyn Engine,
    kernel: Kernel,
    counts: u64,
    largest: usize,
    elapsed: Duration,
    solutions: u128,
    threads: usize,
}

impl Tally {
    fn add(&mut self, count: &Count) {
        self.counts += 1;
        self.largest = self.largest.max(count.board.size());
        self.elapsed += count.elapsed;
        self.solutions += count.total;
        self.threads = self.threads.max(count.threads);
    }

    /// A cell for each of [`COLUMNS`].
    fn row(&self) -> Vec<Cell> {
        vec![
            Cell::Text(self.engine.name().to_owned()),
            Cell::Text(self.kernel.to_string()),
            Cell::Integer(self.counts),
            Cell::Integer(self.largest as u64),
            Cell::Seconds(self.elapsed.as_secs_f64()),
            Cell::Count(self.solutions),
            Cell::Integer(self.threads as u64),
        ]
    }
}

/// Counts with `engines` until the time is up or a count is wrong, and writes what was counted to `output`.
fn outcome(
    arguments: &Arguments,
    engines: &[&'static dyn Engine],
    output: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { printing, threads, duration } = arguments;
    let start = Instant::now();
    let mut tallies: Vec<Tally> = engines
        .iter()
        .flat_map(|&engine| engine.kernels().into_iter().map(move |kernel| (engine, kernel)))
        .map(|(engine, kernel)| Tally {
            engine,
            kernel,
            counts: 0,
            largest: 0,
            elapsed: Duration::ZERO,
            solutions: 0,
            threads: 0,
        })
        .collect();
    let ended = {
        let bar = printing.bar("stress".to_owned());
        let progress = |counts: u64, last: &str| {
            bar.rename(format!("stress: {} right, {last}", many(counts, "count")));
            match duration {
                Some(duration) => bar.share((start.elapsed().as_secs_f64() / duration.as_secs_f64()).min(1.0)),
                None => bar.share(0.0),
            }
        };
        let is_over = || duration.is_some_and(|duration| start.elapsed() >= duration);
        stress(&mut tallies, threads.number(), &is_over, cancel, &progress)
    };

    let layout = Layout { schema: "nqueens/stress/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = output::open(printing.format, layout, output);
    let counted = tallies.iter().filter(|tally| tally.counts > 0);
    let rows = counted.into_iter().try_for_each(|tally| report.row(&tally.row()));
    let written = rows.and_then(|()| report.finish(ended.is_ok()));

    let counts = many(tallies.iter().map(|tally| tally.counts).sum::<u64>(), "count");
    let summary = format!("{counts} in {}, all right", long_time(start.elapsed().as_secs_f64()));
    match ended {
        Ok(()) => {}
        Err(Failure::Cancelled(_)) => return Err(Failure::Cancelled(format!("stopped: {summary}"))),
        Err(failure) => return Err(failure),
    }
    written.map_err(|error| Failure::writing(&error))?;
    printing.remark(format_args!("{summary}; on {}", plural(threads.number(), "thread")));
    Ok(())
}

/// Counts on and on: `is_over` ends it, and so does a count that is wrong.
fn stress(
    tallies: &mut [Tally],
    threads: usize,
    is_over: &dyn Fn() -> bool,
    cancel: &Cancel,
    progress: &dyn Fn(u64, &str),
) -> Result<(), Failure> {
    let mut counts = 0;
    for turn in 0.. {
        for tally in &mut *tallies {
            let variants = tally.engine.variants();
            let settings = Settings { kernel: Some(tally.kernel), ..variants[turn % variants.len()] };
            for board in boards() {
                if is_over() {
                    return Ok(());
                }
                let job = Job::new(board).engine(tally.engine).threads(threads).settings(settings);
                let count = match job.run(cancel, &()) {
                    Ok(count) => count,
                    // The next board is no smaller: this is as far as the engine goes.
                    Err(RunError::Prepare(_) | RunError::Memory { .. }) if board.size() > SMALLEST => break,
                    Err(error) => return Err(failed(&job, error)),
                };
                if let Err(error) = check(tally.engine, &count) {
                    contradicted(&[error.to_string()])?;
                }
                tally.add(&count);
                counts += 1;
                progress(counts, &format!("N = {board}, {} {}", count.engine, count.kernel));
                if count.elapsed >= LONG_ENOUGH {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// The boards whose counts are known, from small to large.
fn boards() -> impl Iterator<Item = Board> {
    let boards = (SMALLEST..=Board::MAX_SIZE).filter_map(|size| Board::new(size).ok());
    boards.take_while(|board| published::total(*board).is_some())
}

/// A count that could not be made is a fault of the machine as well.
fn failed(job: &Job, error: RunError) -> Failure {
    match Failure::of_count(job.board, error) {
        Failure::Usage(message) | Failure::Failed(message) => {
            Failure::Failed(format!("{}, N = {}: {message}", job.engine.name(), job.board))
        }
        failure => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{Faulty, Panicking, Refusing};
    use crate::app::parsed;

    fn arguments(line: &str) -> Arguments {
        match parsed(line) {
            crate::app::Command::Stress(arguments) => arguments,
            other => panic!("not a burn-in: {other:?}"),
        }
    }

    /// What standard output and the caller get with these engines.
    fn stressed(line: &str, engines: &[&'static dyn Engine], cancel: &Cancel) -> (String, Result<(), Failure>) {
        let mut out = Vec::new();
        let outcome = outcome(&arguments(line), engines, &mut out, cancel);
        (String::from_utf8(out).unwrap(), outcome)
    }

    #[test]
    fn one_wrong_count_ends_it_and_is_named() {
        let line = "stress --duration 2h --threads 1 --quiet";
        let (stdout, outcome) = stressed(line, &[&Faulty, ENGINES[0]], &Cancel::new());
        let Err(Failure::Failed(message)) = outcome else { panic!("a wrong count must fail") };
        let named = "faulty, kernel scalar: 725 solutions for N = 10, but 724 is published";
        assert!(message.contains(named), "{message}");
        assert!(stdout.contains("faulty") && !stdout.contains("backtrack"), "{stdout}");
    }

    #[test]
    fn a_panic_ends_it_with_the_table() {
        let (stdout, outcome) = stressed("stress --duration 2h --threads 2 --quiet", &[&Panicking], &Cancel::new());
        assert!(stdout.contains("panicking  scalar"), "{stdout}");
        assert!(
            matches!(outcome, Err(Failure::Failed(message)) if message == "panicking, N = 10: unit 0 of N = 10 panicked: on purpose")
        );
    }

    #[test]
    fn an_engine_that_cannot_count_is_a_fault_too() {
        let (_, outcome) = stressed("stress --duration 2h --quiet", &[&Refusing], &Cancel::new());
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message.contains("refusing, N = 8")));
    }

    #[test]
    fn what_is_stopped_says_how_much_was_right() {
        let cancel = Cancel::new();
        cancel.cancel();
        let (_, outcome) = stressed("stress --quiet", ENGINES, &cancel);
        assert!(matches!(outcome, Err(Failure::Cancelled(message)) if message.starts_with("stopped: 0 counts in ")));
    }
}
