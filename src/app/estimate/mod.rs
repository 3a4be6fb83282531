//! `nqueens estimate`: the nodes, the solutions and the time of a count, before it is begun.

pub(crate) mod expected;

use crate::app::estimate::expected::{TimeEstimate, estimate_time};
use crate::app::failure::Failure;
use crate::app::machine::Cpu;
use crate::app::numbers::whole;
use crate::app::options::{KernelOption, ReportOptions, ThreadsOption};
use crate::app::output::Sink;
use crate::app::output::words::{estimated, long_time, plural};
use crate::app::rows::values::Solutions;
use crate::app::rows::{self, Cell, Report};
use crate::app::session::Session;
use crate::classic::{PATHS, TreeEstimate};
use crate::engine::{CountingEngine, ENGINES, Settings};
use crate::estimate::Interval;
use crate::run::{Job, RunError, on_threads};
use crate::{Board, Cancel, published};
use serde::Serialize;
use std::time::Duration;

/// Estimate the nodes, the solutions, and how long each engine takes to count them
///
/// Random probes estimate the nodes of the backtracking tree (placements of queens in the first rows, none attacking
/// another; mirror images included) and the solutions, which are its last row. Each probe follows 1024 paths at once;
/// the probes are the same in every run. `low` and `high` are a 95% confidence interval. The time of each engine is
/// estimated from some of its units, which are counted for two seconds; if the units of the board take too long, from
/// units of a smaller board.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 20
  nqueens estimate 27 --probes 10000
  nqueens estimate 24 --threads 64 --format json")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    board: Board,

    /// The number of random probes; four times the number halves the interval
    #[arg(long, value_name = "K", default_value = "1000", allow_negative_numbers = true,
        value_parser = whole(10..=1_000_000))]
    probes: u64,

    #[command(flatten)]
    kernel: KernelOption,

    #[command(flatten)]
    threads: ThreadsOption,

    #[command(flatten)]
    printing: ReportOptions,
}

/// The time for which the units of each engine are counted.
const BUDGET: Duration = Duration::from_secs(2);

/// The seed of the probes. Any number would do.
const SEED: u64 = 1;

/// A quantity and its estimate.
#[derive(Default, Serialize)]
struct EstimateRow {
    board: usize,
    quantity: &'static str,
    estimate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    unit: &'static str,
    published: Option<Solutions>,
    engine: Option<&'static str>,
    kernel: Option<&'static str>,
    threads: Option<usize>,
    probes: Option<u64>,
    /// The number of units that were counted for a time.
    units: Option<usize>,
    /// The board of these units.
    sampled_board: Option<usize>,
    /// `estimated`, or the reason why the engine cannot count the board.
    outcome: String,
    cpu: Cpu,
    program_version: &'static str,
}

impl EstimateRow {
    fn new(board: Board, quantity: &'static str, unit: &'static str, interval: Option<Interval>) -> Self {
        Self {
            board: board.size(),
            quantity,
            unit,
            estimate: interval.map(|interval| interval.estimate),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            outcome: "estimated".to_owned(),
            program_version: env!("NQUEENS_VERSION"),
            ..Self::default()
        }
    }

    /// Makes the row of the time of an engine.
    fn of_time(board: Board, time: &TimeEstimate) -> Self {
        Self {
            engine: Some(time.engine),
            kernel: Some(time.kernel.name()),
            threads: Some(time.threads),
            units: Some(time.units),
            sampled_board: Some(time.sampled.size()),
            ..Self::new(board, "time", "seconds", Some(time.seconds))
        }
    }
}

impl rows::Row for EstimateRow {
    fn cells(&self) -> Vec<Cell> {
        let words = [self.engine, self.kernel].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let name = if words.is_empty() { self.quantity.to_owned() } else { format!("{}, {words}", self.quantity) };
        let in_words: fn(f64) -> String = if self.quantity == "time" { long_time } else { estimated };
        let published = self.published.map(|published| published.0 as f64);
        vec![
            Cell::word("quantity", 24, name),
            Cell::number("estimate", 12, self.estimate.map_or("cannot".to_owned(), in_words)),
            Cell::optional("low", 12, self.low.map(in_words)),
            Cell::optional("high", 12, self.high.map(in_words)),
            Cell::optional("published", 12, published.map(in_words)),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let output = arguments.printing.open(&[])?;
    if let Some(kernel) = arguments.kernel.named()
        && ENGINES.iter().all(|engine| !engine.kernels().contains(&kernel))
    {
        return Err(Failure::Usage(format!(
            "no engine can count with kernel {kernel} on this CPU; give --kernel auto"
        )));
    }
    session.run(|cancel| outcome(arguments, ENGINES, output, cancel))
}

/// Estimates every quantity and writes each row to `output` when it is known.
fn outcome(
    arguments: &Arguments,
    engines: &[&'static dyn CountingEngine],
    output: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let mut report = rows::open(arguments.printing.format, "nqueens/estimate/1", rows::Kind::Many, output);
    let estimated = estimate(arguments, engines, cancel, &mut *report);
    // After a failure too: an incomplete document is a document that says so.
    let finished = report.finish(estimated.is_ok()).map_err(|error| Failure::writing(&error));
    estimated.and(finished)
}

fn estimate(
    arguments: &Arguments,
    engines: &[&'static dyn CountingEngine],
    cancel: &Cancel,
    report: &mut dyn Report<EstimateRow>,
) -> Result<(), Failure> {
    let Arguments { board, probes, ref kernel, ref threads, ref printing } = *arguments;
    let threads = threads.number();
    let mut write = |row: EstimateRow| report.row(&row).map_err(|error| Failure::writing(&error));
    let stopped = |failure: Failure| match failure {
        Failure::Cancelled(message) => Failure::Cancelled(format!("N = {board}: {message}")),
        failure => failure,
    };
    let TreeEstimate { nodes, solutions } = {
        let bar = printing.bar(format!("N = {board}"));
        on_threads(threads, || TreeEstimate::probe(board, probes as usize, SEED, cancel, &|share| bar.share(share)))?
            .map_err(|cancelled| stopped(cancelled.into()))?
    };
    let tree = |quantity, interval| EstimateRow {
        probes: Some(probes),
        ..EstimateRow::new(board, quantity, quantity, Some(interval))
    };
    write(tree("nodes", nodes))?;
    write(EstimateRow { published: published::total(board).map(Solutions), ..tree("solutions", solutions) })?;
    let mut remarks =
        vec![format!("{probes} probes on {PATHS} paths each"), format!("times on {}", plural(threads, "thread"))];
    for &engine in engines {
        let settings = Settings { kernel: kernel.named(), ..Settings::default() };
        let job = Job::new(board).with_engine(engine).threads(threads).settings(settings);
        let time = {
            let bar = printing.bar(format!("{}, N = {board}", engine.name()));
            estimate_time(&job, BUDGET, cancel, &|share| bar.share(share))
        };
        match time {
            Ok(time) => {
                let (units, board_of_units) = (plural(time.units, "unit"), time.sampled);
                remarks.push(format!("{}: {units} of N = {board_of_units} counted", engine.name()));
                write(EstimateRow::of_time(board, &time))?;
            }
            Err(error @ (RunError::Prepare(_) | RunError::Memory { .. })) => {
                remarks.push(format!("{}: {error}", engine.name()));
                let (engine, outcome) = (Some(engine.name()), error.to_string());
                write(EstimateRow { engine, outcome, ..EstimateRow::new(board, "time", "seconds", None) })?;
            }
            Err(RunError::Cancelled { .. }) => {
                return Err(Failure::Cancelled(format!("N = {board}: stopped in {}", engine.name())));
            }
            Err(error) => return Err(error.into()),
        }
    }
    for remark in remarks {
        printing.remark(format_args!("{remark}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{Gone, Refusing};
    use crate::app::parsed;

    /// Returns the output and the outcome with an engine that refuses every board.
    fn refused(line: &str, cancel: &Cancel) -> (String, Result<(), Failure>) {
        let crate::app::Command::Estimate(arguments) = parsed(line) else { panic!("not an estimate") };
        let mut out = Vec::new();
        let outcome = outcome(&arguments, &[&Refusing], &mut out, cancel);
        (String::from_utf8(out).unwrap(), outcome)
    }

    #[test]
    fn an_engine_that_cannot_count_the_board_says_why() {
        let (text, outcome) = refused("estimate 8 --quiet --probes 10", &Cancel::new());
        assert!(outcome.is_ok() && text.lines().last().unwrap().contains("cannot"), "{text}");
        let (text, _) = refused("estimate 8 --quiet --probes 10 --format json", &Cancel::new());
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let row = &document["rows"][2];
        assert!(row["outcome"].as_str().unwrap().contains("symmetry of its own"), "{row}");
        assert_eq!((&row["estimate"], &row["engine"]), (&serde_json::Value::Null, &"refusing".into()));
    }

    #[test]
    fn what_was_stopped_is_not_complete() {
        let cancel = Cancel::new();
        cancel.cancel();
        let (text, outcome) = refused("estimate 20 --quiet --format json", &cancel);
        assert!(matches!(outcome, Err(Failure::Cancelled(message)) if message.starts_with("N = 20: stopped")));
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&document["rows"], &document["complete"]), (&serde_json::json!([]), &false.into()));
    }

    #[test]
    fn a_reader_that_has_gone_is_not_an_error() {
        let crate::app::Command::Estimate(arguments) = parsed("estimate 5 --quiet") else { panic!("not an estimate") };
        assert!(matches!(outcome(&arguments, ENGINES, Gone, &Cancel::new()), Err(Failure::ClosedPipe)));
    }
}
