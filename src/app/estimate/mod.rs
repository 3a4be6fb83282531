//! `nqueens estimate`: what a count will come to, before it is begun.

pub(crate) mod expected;

use crate::app::estimate::expected::Expected;
use crate::app::failure::Failure;
use crate::app::machine::HOST;
use crate::app::numbers::whole;
use crate::app::options::{KernelChoice, Printing, Threads};
use crate::app::output::words::{estimated, long_time, plural};
use crate::app::output::{self, Cell, Column, Detail, Layout, Rows, Sink};
use crate::app::session::Session;
use crate::classic::{PATHS, TreeEstimate};
use crate::engine::{ENGINES, Engine, Settings};
use crate::estimate::Interval;
use crate::run::{Job, RunError, on_threads};
use crate::{Board, Cancel, published};
use std::time::Duration;

/// Estimate the nodes, the solutions, and how long each engine takes to count them
///
/// Random probes estimate the nodes of the backtracking tree (placements in the first rows, none attacking another; mirror
/// images are not left out) and the solutions, which are its last row: each probe goes down on 1024 paths at once. They are
/// always the same probes. `low` and `high` hold the true number in 95 of 100 cases. The time of each engine comes from
/// some of its units, which are counted for two seconds; where those of the board take too long, from units of a smaller
/// one.
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

    /// The number of random probes; four times as many halve the interval
    #[arg(long, value_name = "K", default_value = "1000", allow_negative_numbers = true, value_parser = whole(10..=1_000_000))]
    probes: u64,

    #[command(flatten)]
    kernel: KernelChoice,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    printing: Printing,
}

/// How long the units of an engine are counted.
const BUDGET: Duration = Duration::from_secs(2);

/// Any number would do.
const SEED: u64 = 1;

const COLUMNS: &[Column] = &[
    Column::of_record("board"),
    Column::of_record("quantity"),
    Column { key: "name", heading: "quantity", width: 24, detail: Detail::Screen },
    Column { key: "about", heading: "estimate", width: 12, detail: Detail::Screen },
    Column { key: "from", heading: "low", width: 12, detail: Detail::Screen },
    Column { key: "to", heading: "high", width: 12, detail: Detail::Screen },
    Column { key: "known", heading: "published", width: 12, detail: Detail::Screen },
    Column::of_record("estimate"),
    Column::of_record("low"),
    Column::of_record("high"),
    Column::of_record("unit"),
    Column::of_record("published"),
    Column::of_record("engine"),
    Column::of_record("kernel"),
    Column::of_record("threads"),
    Column::of_record("probes"),
    Column::of_record("units"),
    Column::of_record("sampled_board"),
    Column::of_record("outcome"),
    Column::of_record("cpu"),
    Column::of_record("program_version"),
];

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

/// Estimates everything and writes the rows to `output`, each when it is known.
fn outcome(
    arguments: &Arguments,
    engines: &[&'static dyn Engine],
    output: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let layout = Layout { schema: "nqueens/estimate/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = output::open(arguments.printing.format, layout, output);
    let rows = rows(arguments, engines, cancel, &mut |row| {
        report.row(&row.cells(arguments.board)).map_err(|error| Failure::writing(&error))
    });
    // Also after a failure: a document cut short is still a document, and says that it is.
    let ended = report.finish(rows.is_ok()).map_err(|error| Failure::writing(&error));
    rows.and(ended)
}

fn rows(
    arguments: &Arguments,
    engines: &[&'static dyn Engine],
    cancel: &Cancel,
    report: &mut dyn FnMut(Row) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Arguments { board, probes, ref kernel, ref threads, ref printing } = *arguments;
    let stopped = |failure: Failure| match failure {
        Failure::Cancelled(message) => Failure::Cancelled(format!("N = {board}: {message}")),
        failure => failure,
    };
    let TreeEstimate { nodes, solutions } = {
        let bar = printing.bar(format!("N = {board}"));
        on_threads(threads.number(), || {
            TreeEstimate::probe(board, probes as usize, SEED, cancel, &|share| bar.share(share))
        })?
        .map_err(|cancelled| stopped(cancelled.into()))?
    };
    report(Row::Probed { quantity: "nodes", interval: nodes, probes, published: None })?;
    report(Row::Probed { quantity: "solutions", interval: solutions, probes, published: published::total(board) })?;
    let mut remarks = vec![format!("{probes} probes on {PATHS} paths each")];
    for &engine in engines {
        let settings = Settings { kernel: kernel.named(), ..Settings::default() };
        let job = Job::new(board).engine(engine).threads(threads.number()).settings(settings);
        let expected = {
            let bar = printing.bar(format!("{}, N = {board}", engine.name()));
            job.expected(BUDGET, cancel, &|share| bar.share(share))
        };
        match expected {
            Ok(expected) => {
                let (units, of) = (plural(expected.units, "unit"), expected.sampled);
                remarks.push(format!("{}: {units} of N = {of} counted", engine.name()));
                report(Row::Time(expected))?;
            }
            Err(error @ (RunError::Prepare(_) | RunError::Memory { .. })) => {
                remarks.push(format!("{}: {error}", engine.name()));
                report(Row::Refused { engine: engine.name(), reason: error.to_string() })?;
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

/// What is known of something.
enum Row {
    /// What probes say.
    Probed { quantity: &'static str, interval: Interval, probes: u64, published: Option<u128> },
    /// What an engine is expected to take.
    Time(Expected),
    /// An engine that cannot count the board.
    Refused { engine: &'static str, reason: String },
}

impl Row {
    /// A cell for each of [`COLUMNS`].
    fn cells(&self, board: Board) -> Vec<Cell> {
        let text = |text: &str| Cell::Text(text.to_owned());
        let integer = |number: Option<u64>| number.map_or(Cell::Missing, Cell::Integer);
        let expected = if let Row::Time(expected) = self { Some(expected) } else { None };
        let (quantity, unit, interval, published, probes) = match *self {
            Row::Probed { quantity, interval, probes, published } => {
                (quantity, quantity, Some(interval), published, Some(probes))
            }
            Row::Time(Expected { seconds, .. }) => ("time", "seconds", Some(seconds), None, None),
            Row::Refused { .. } => ("time", "seconds", None, None, None),
        };
        let (engine, name, outcome) = match self {
            Row::Probed { .. } => (Cell::Missing, text(quantity), text("estimated")),
            Row::Time(Expected { engine, kernel, .. }) => {
                (text(engine), Cell::Text(format!("time, {engine} {kernel}")), text("estimated"))
            }
            Row::Refused { engine, reason } => (text(engine), Cell::Text(format!("time, {engine}")), text(reason)),
        };
        let in_words: fn(f64) -> String = if quantity == "time" { long_time } else { estimated };
        let [estimate, low, high] =
            [|of: Interval| of.estimate, |of: Interval| of.low, |of: Interval| of.high].map(|part| interval.map(part));
        let word = |number: Option<f64>, none: &str| Cell::Number(number.map_or(none.to_owned(), in_words));
        let number = |number: Option<f64>| number.map_or(Cell::Missing, Cell::Estimate);
        vec![
            Cell::Integer(board.size() as u64),
            text(quantity),
            name,
            word(estimate, "cannot"),
            word(low, "-"),
            word(high, "-"),
            word(published.map(|published| published as f64), "-"),
            number(estimate),
            number(low),
            number(high),
            text(unit),
            Cell::count(published),
            engine,
            expected.map_or(Cell::Missing, |expected| text(expected.kernel.name())),
            integer(expected.map(|expected| expected.threads as u64)),
            integer(probes),
            integer(expected.map(|expected| expected.units as u64)),
            integer(expected.map(|expected| expected.sampled.size() as u64)),
            outcome,
            Cell::Text(HOST.cpu.clone()),
            Cell::Text(env!("NQUEENS_VERSION").to_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{Gone, Refusing};
    use crate::app::parsed;

    /// What is written, and what the caller gets, with an engine that refuses.
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
        assert!(row["outcome"].as_str().unwrap().contains("--symmetry"), "{row}");
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
