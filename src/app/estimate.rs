//! `nqueens estimate`: the nodes, the solutions and the time of a count, before it is begun.

use crate::app::failure::Failure;
use crate::app::machine::MACHINE;
use crate::app::messages;
use crate::app::options::{CountOptions, OutputOptions, size_of_board};
use crate::app::output::Sink;
use crate::app::output::words::{about_time, core_hours, estimated, grouped, many, plural, threads_and_device};
use crate::app::rows::{Cell, Cpu, Hours, Kind, Report, Row, Solutions};
use nqueens::estimate::{Interval, TimeEstimate, TreeEstimate};
use nqueens::machine::bytes_in_words;
use nqueens::{Board, Cancel, Engine, Kernel, Pool, RunError, published};
use serde::Serialize;
use std::time::Duration;

/// Estimate the nodes, the solutions, and the time to count them
///
/// Random probes estimate the nodes of the backtracking tree (placements of queens in the first rows, none attacking
/// another; mirror images included) and the solutions, which are its last row. Each probe follows many paths at once;
/// the probes are the same in every run. `low` and `high` are a 95% confidence interval. The time of each engine is
/// estimated from the CPU time of some of its units, which are counted for a moment; if the units of the board take too
/// long, from units of a smaller board. It is the time on CPUs that do nothing else. With more threads than this
/// machine has CPUs, it is that of a machine with so many CPUs like these, and enough memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 20
  nqueens estimate 27 --engine two-color
  nqueens estimate 24 --threads 64 --format json")]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true, help = size_of_board())]
    board: Board,

    #[command(flatten)]
    counting: CountOptions,

    #[command(flatten)]
    printing: OutputOptions,
}

/// The time for which the units of each engine are counted.
const BUDGET: Duration = Duration::from_secs(2);

/// The number of random probes, which take about a second.
const PROBES: usize = 1000;

/// The seed of the probes. Any number would do.
const SEED: u64 = 1;

/// A quantity and its estimate.
#[derive(Serialize)]
struct EstimateRow<'a> {
    board: Board,
    quantity: &'static str,
    estimate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    published: Option<Solutions>,
    engine: Option<&'static str>,
    kernel: Option<&'static str>,
    threads: Option<usize>,
    device: Option<&'a str>,
    core_hours: Option<Hours>,
    outcome: &'a str,
    cpu: Cpu,
}

impl<'a> EstimateRow<'a> {
    fn new(
        board: Board,
        quantity: &'static str,
        interval: Option<Interval>,
        engine: Option<Engine>,
        time: Option<&'a TimeEstimate>,
        outcome: &'a str,
    ) -> Self {
        Self {
            board,
            quantity,
            estimate: interval.map(|interval| interval.estimate),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            published: published::total(board).filter(|_| quantity == "solutions").map(Solutions),
            engine: engine.map(Engine::name),
            kernel: time.map(|time| time.kernel.name()),
            threads: time.map(|time| time.threads),
            device: time.and_then(|time| time.device.as_deref()),
            // The threads of a device mostly wait, so that their time says nothing of cores.
            core_hours: time.filter(|time| time.device.is_none()).map(|time| Hours(time.core_seconds / 3600.0)),
            outcome,
            cpu: Cpu,
        }
    }
}

impl Row for EstimateRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        let is_time = self.quantity == "time";
        let name =
            self.engine.map_or_else(|| self.quantity.to_owned(), |engine| format!("{}, {engine}", self.quantity));
        let in_words: fn(f64) -> String = if is_time { about_time } else { estimated };
        let published = self.published.map(|published| in_words(published.0 as f64));
        vec![
            Cell::word("quantity", 15, Some(name)),
            Cell::number("estimate", 16, Some(self.estimate.map_or("cannot".to_owned(), in_words))),
            Cell::number("low", 16, self.low.map(in_words)),
            Cell::number("high", 16, self.high.map(in_words)),
            Cell::number("published", 9, published.or_else(|| is_time.then(String::new))),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let output = arguments.printing.open(&[])?;
    execute(arguments, output, cancel)
}

/// Estimates every quantity and writes each row to `output` when it is known.
fn execute(arguments: &Arguments, output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { board, ref counting, ref printing } = *arguments;
    let engines = counting.engine.as_ref().map_or(Engine::ALL, std::slice::from_ref);
    let job = counting.job(board);
    let threads = job.thread_count();
    // Without an engine for the kernel, or without a device, there is nothing to estimate.
    let smallest = Board::new(1).expect("the board exists");
    let prepared = engines.iter().map(|&engine| counting.job(smallest).engine(engine).prepare(&Cancel::new()));
    let _ = prepared.reduce(Result::or).expect("there is an engine")?;
    let (on, here) = (plural(threads, "thread"), MACHINE.cpus_in_words());
    let mut remarks = vec![format!("{} probes on {} paths each", grouped(PROBES as u64), TreeEstimate::PATHS)];
    // The threads of a device need no CPU each.
    if job.all_settings().kernel != Some(Kernel::Gpu) {
        remarks.push(format!("times on {on}, each on a CPU of its own like the {here} here, with enough memory"));
    }
    // Each start of threads would take address space, which the system may have limited.
    let pool = Pool::new(threads.min(MACHINE.logical_cpus))?;
    // Warnings are printed after the table.
    let mut warnings = Vec::new();
    Report::open(printing.format(), Kind::Many("nqueens/estimate/1"), output).written_by(|report| {
        let TreeEstimate { nodes, solutions } = {
            let bar = printing.bar(format!("N = {board}"));
            pool.install(|| TreeEstimate::probe(board, PROBES, SEED, cancel, &|share| bar.share(share)))?
                .map_err(|cancelled| Failure::from_count(board, cancelled))?
        };
        for (quantity, interval) in [("nodes", nodes), ("solutions", solutions)] {
            report.row(&EstimateRow::new(board, quantity, Some(interval), None, None, "estimated"))?;
        }
        for &engine in engines {
            let time = {
                let bar = printing.bar(format!("{engine}, N = {board}"));
                job.clone().engine(engine).pool(&pool).most_threads(threads).estimate(BUDGET, cancel, &bar)
            };
            match time {
                Ok(time) => {
                    remarks.push(format!("{engine}, {}", in_words(&time)));
                    let lacking = time.lacking.as_ref().map(ToString::to_string);
                    warnings.extend(lacking.iter().map(|error| format!("{engine}: {error}")));
                    let outcome = lacking.as_deref().unwrap_or("estimated");
                    let seconds = Some(time.seconds);
                    report.row(&EstimateRow::new(board, "time", seconds, Some(engine), Some(&time), outcome))?;
                }
                Err(error @ (RunError::Prepare(_) | RunError::Memory { .. } | RunError::Pool { .. })) => {
                    remarks.push(format!("{engine}: {error}"));
                    let reason = error.to_string();
                    report.row(&EstimateRow::new(board, "time", None, Some(engine), None, &reason))?;
                }
                Err(error) => return Err(Failure::from_count(board, error)),
            }
        }
        Ok(())
    })?;
    warnings.iter().for_each(messages::warn);
    for remark in remarks {
        printing.remark(format_args!("{remark}"));
    }
    Ok(())
}

/// Returns what was counted for an estimate, and what the whole count takes.
fn in_words(time: &TimeEstimate) -> String {
    let [of_thread, shared] = time.memory.map(bytes_in_words);
    // The threads of a device mostly wait, so that their time says nothing of cores.
    let hours = match &time.device {
        Some(device) => format!("on {}", threads_and_device(time.threads, Some(device))),
        None => core_hours(time.core_seconds),
    };
    format!(
        "{}: {} of N = {} counted; {of_thread} of memory for each thread, {shared} shared; {hours}",
        time.kernel,
        many(time.units as u64, "unit"),
        time.sampled,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::Gone;
    use crate::app::parsed;

    fn estimated(line: &str, output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
        let crate::app::Command::Estimate(arguments) = parsed(line) else { panic!("not an estimate") };
        execute(&arguments, output, cancel)
    }

    #[test]
    fn what_was_stopped_is_not_complete() {
        let cancel = Cancel::new();
        cancel.cancel();
        let mut out = Vec::new();
        let outcome = estimated("estimate 20 --quiet --format json", &mut out, &cancel);
        assert!(matches!(outcome, Err(Failure::Cancelled(message)) if message.starts_with("N = 20: stopped")));
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((&document["rows"], &document["complete"]), (&serde_json::json!([]), &false.into()));
    }

    #[test]
    fn a_reader_that_has_gone_is_not_an_error() {
        assert!(matches!(estimated("estimate 5 --quiet", Gone, &Cancel::new()), Err(Failure::ClosedPipe)));
    }
}
