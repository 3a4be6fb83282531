//! `nqueens stress`: a burn-in, which counts boards in a loop and checks every total.

use crate::app::bench::measurement::check;
use crate::app::failure::Failure;
use crate::app::numbers::time;
use crate::app::options::{ReportOptions, ThreadsOption};
use crate::app::output::Sink;
use crate::app::output::words::{long_time, many, plural};
use crate::app::rows::values::{Seconds, Solutions};
use crate::app::rows::{self, Cell, Row};
use crate::app::session::Session;
use crate::engine::{CountingEngine, ENGINES, Kernel, Settings};
use crate::run::{Count, Job, RunError};
use crate::{Board, Cancel, published};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Keep every core busy with counts whose results are known, and stop at the first that is wrong
///
/// For the burn-in of a new machine. The engines take turns, each with each of its kernels and plans; in each turn the
/// boards grow from N = 8 until a count takes about a second. Every total is compared with the published one: a wrong
/// one ends the program at once, with exit code 1 and a message that names the engine, the kernel, N and both numbers.
/// When the time is up, the current count is finished and the exit code is 0. Ctrl-C ends it sooner, with the same
/// table.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens stress --duration 30m
  nqueens stress --duration 12h --quiet && echo 'this machine counts right'")]
pub(crate) struct Arguments {
    /// The time to count for, such as 90s, 30m or 2h [default: until Ctrl-C]
    #[arg(long, short, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    duration: Option<Duration>,

    #[command(flatten)]
    threads: ThreadsOption,

    #[command(flatten)]
    printing: ReportOptions,
}

/// The time of a count that ends a turn.
const LONG_ENOUGH: Duration = Duration::from_secs(1);

/// The first board of each turn. Smaller ones have too few solutions for a fault to show.
const SMALLEST: usize = 8;

/// The correct counts of one engine and one kernel.
#[derive(Default, Serialize)]
struct Tally {
    engine: &'static str,
    kernel: &'static str,
    counts: u64,
    largest_board: usize,
    seconds: Seconds,
    solutions: Solutions,
    threads: usize,
}

impl Tally {
    fn add(&mut self, count: &Count) {
        self.counts += 1;
        self.largest_board = self.largest_board.max(count.board.size());
        self.seconds.0 += count.elapsed.as_secs_f64();
        self.solutions.0 += count.total;
        self.threads = self.threads.max(count.threads);
    }
}

impl Row for Tally {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::word("engine", 9, self.engine),
            Cell::word("kernel", 8, self.kernel),
            Cell::number("counts", 8, self.counts),
            Cell::number("largest N", 9, self.largest_board),
            Cell::number("seconds", 10, self.seconds),
            Cell::number("solutions", 22, self.solutions),
        ]
    }
}

/// An engine with one of its kernels, and what it has counted.
struct Contender {
    engine: &'static dyn CountingEngine,
    kernel: Kernel,
    tally: Tally,
}

impl Contender {
    fn new(engine: &'static dyn CountingEngine, kernel: Kernel) -> Self {
        Self { engine, kernel, tally: Tally { engine: engine.name(), kernel: kernel.name(), ..Tally::default() } }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let output = arguments.printing.open(&[])?;
    session.run(|cancel| outcome(arguments, ENGINES, output, cancel))
}

/// Counts with `engines` until the time is up or a count is wrong, and writes what was counted to `output`.
fn outcome(
    arguments: &Arguments,
    engines: &[&'static dyn CountingEngine],
    output: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { printing, threads, duration } = arguments;
    let start = Instant::now();
    let kernels = |&engine: &_| {
        <dyn CountingEngine>::kernels(engine).into_iter().map(move |kernel| Contender::new(engine, kernel))
    };
    let mut contenders: Vec<Contender> = engines.iter().flat_map(kernels).collect();
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
        stress(&mut contenders, threads.number(), &is_over, cancel, &progress)
    };

    let mut report = rows::open(printing.format, "nqueens/stress/1", rows::Kind::Many, output);
    let mut tallies = contenders.iter().map(|contender| &contender.tally).filter(|tally| tally.counts > 0);
    let written = tallies.try_for_each(|tally| report.row(tally)).and_then(|()| report.finish(ended.is_ok()));

    let counts = many(contenders.iter().map(|contender| contender.tally.counts).sum::<u64>(), "count");
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

/// Counts in turns until `is_over` returns true. Calls `progress` with the number of counts and a description of the
/// last one.
///
/// # Errors
/// If a total is wrong, a count fails, or `cancel` is set.
fn stress(
    contenders: &mut [Contender],
    threads: usize,
    is_over: &dyn Fn() -> bool,
    cancel: &Cancel,
    progress: &dyn Fn(u64, &str),
) -> Result<(), Failure> {
    let mut counts = 0;
    for turn in 0.. {
        for Contender { engine, kernel, tally } in &mut *contenders {
            let variants = engine.variants();
            let settings = Settings { kernel: Some(*kernel), ..variants[turn % variants.len()] };
            for board in boards() {
                if is_over() {
                    return Ok(());
                }
                let job = Job::new(board).with_engine(*engine).threads(threads).settings(settings);
                let count = match job.run(cancel, &()) {
                    Ok(count) => count,
                    // Larger boards would be refused too.
                    Err(RunError::Prepare(_) | RunError::Memory { .. }) if board.size() > SMALLEST => break,
                    Err(error) => return Err(failed(&job, error)),
                };
                check(*engine, &count)?;
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

/// Returns the boards whose totals are published, from small to large.
fn boards() -> impl Iterator<Item = Board> {
    let boards = (SMALLEST..=Board::MAX_SIZE).filter_map(|size| Board::new(size).ok());
    boards.take_while(|board| published::total(*board).is_some())
}

/// Returns the failure for a count that could not be made. In a burn-in that is a fault of the machine too.
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

    /// Returns the output and the outcome with these engines.
    fn stressed(line: &str, engines: &[&'static dyn CountingEngine], cancel: &Cancel) -> (String, Result<(), Failure>) {
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
        let named = "panicking, N = 10: unit 0 of N = 10 panicked: on purpose";
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message == named));
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
