//! `nqueens compare`: the classic methods side by side.

use super::arguments::Printing;
use super::count::contradicted;
use super::failure::Failure;
use super::machine::cpu_name;
use super::session::Session;
use crate::report::words::{about, long_time};
use crate::report::{self, Cell, Column, Detail, Layout, Rows};
use clap::builder::{PossibleValue, PossibleValuesParser};
use nqueens::engine::ENGINES;
use nqueens::run::compare::{Contestant, Measured, Outcome};
use nqueens::search::textbook::METHODS;
use nqueens::{Board, Cancel, Verdict, published};
use std::io::Write;
use std::time::Duration;

/// See what each method of finding all solutions costs
///
/// From brute force over all choices of squares to backtracking with bit masks, and then the engines that `count` uses: what
/// each visits, how many times it tests whether queens attack each other, and how long it takes on one thread. A method
/// that would take longer than the limit is given half a second to show how fast it is, and is told how long it would take.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare 8
  nqueens compare 8 --method brute-force
  nqueens compare 14 --limit 60 --format csv")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    board: Board,

    /// Only these methods; they run to the end, however long that takes
    #[arg(long = "method", short, value_name = "METHOD", value_delimiter = ',', value_parser = name_parser())]
    methods: Vec<String>,

    /// The longest that a method may take, in seconds [default: 10, or no limit with --method]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    #[command(flatten)]
    printing: Printing,
}

/// The seconds that a method may take by default.
const LIMIT: u64 = 10;

const COLUMNS: &[Column] = &[
    Column::of_record("board"),
    Column { key: "method", heading: "method", width: 14, detail: Detail::Table },
    Column { key: "kernel", heading: "kernel", width: 8, detail: Detail::Table },
    Column { key: "visited", heading: "visited", width: 12, detail: Detail::Table },
    Column { key: "visits", heading: "", width: 10, detail: Detail::Table },
    Column { key: "tests", heading: "attack tests", width: 13, detail: Detail::Table },
    Column { key: "solutions", heading: "solutions", width: 10, detail: Detail::Table },
    Column { key: "seconds", heading: "time", width: 8, detail: Detail::Table },
    Column { key: "times_the_best", heading: "times best", width: 10, detail: Detail::Table },
    Column { key: "outcome", heading: "", width: 0, detail: Detail::Table },
    Column::of_record("expected_visits"),
    Column::of_record("expected_seconds"),
    Column::of_record("cpu"),
    Column::of_record("program_version"),
];

/// The names of the methods and engines, with what they do.
fn name_parser() -> PossibleValuesParser {
    let methods = METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.summary));
    let engines = ENGINES.iter().map(|engine| {
        PossibleValue::new(engine.name()).help(format!("the engine of `nqueens count --engine {}`", engine.name()))
    });
    PossibleValuesParser::new(methods.chain(engines))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut output = arguments.printing.open()?;
    let asked = |contestant: &Contestant| {
        arguments.methods.is_empty() || arguments.methods.iter().any(|name| name == contestant.name())
    };
    let contestants: Vec<Contestant> = Contestant::all().into_iter().filter(asked).collect();
    Session::begin()?.run(|cancel| outcome(arguments, &contestants, &mut output, cancel))
}

/// Measures everybody, writes the table to `output` and judges the counts.
fn outcome(
    arguments: &Arguments,
    contestants: &[Contestant],
    output: &mut impl Write,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { board, ref printing, .. } = *arguments;
    let limit = match arguments.limit {
        None if !arguments.methods.is_empty() => None,
        seconds => Some(Duration::from_secs(seconds.unwrap_or(LIMIT))),
    };
    let mut all = Vec::new();
    for contestant in contestants {
        let bar = printing.bar(format!("{}, N = {board}", contestant.name()));
        let measured = contestant.measure(board, limit, cancel, &|share| bar.share(share))?;
        all.push((*contestant, measured));
        if cancel.is_cancelled() {
            break;
        }
    }

    let layout = Layout { schema: "nqueens/compare/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = report::open(printing.format, layout, output);
    let best = all.iter().filter_map(|(_, measured)| finished(measured)).map(|(_, seconds)| seconds).reduce(f64::min);
    let rows = all.iter().try_for_each(|(contestant, measured)| report.row(&row(board, *contestant, measured, best)));
    let written = rows.and_then(|()| report.finish(!cancel.is_cancelled()));

    let contradiction = |(contestant, measured): &(Contestant, Measured)| {
        let (solutions, _) = finished(measured)?;
        let published = published::total(board)?;
        (Verdict::of(solutions, Some(published)) == Verdict::Contradicts).then(|| {
            format!("{}: {solutions} solutions for N = {board}, but {published} is published", contestant.name())
        })
    };
    let contradictions: Vec<String> = all.iter().filter_map(contradiction).collect();
    contradicted(&contradictions)?;
    written.map_err(|error| Failure::writing(&error))?;
    if let (true, Some((contestant, _))) = (cancel.is_cancelled(), all.last()) {
        return Err(Failure::Cancelled(format!("N = {board}: stopped in {}", contestant.name())));
    }
    printing.remark(format_args!("on one thread; a time that would be taken is foretold from the speed so far"));
    Ok(())
}

/// What a contestant that came to its end has found, and in how many seconds.
fn finished(measured: &Measured) -> Option<(u128, f64)> {
    match measured.outcome {
        Outcome::Finished { solutions, elapsed } => Some((solutions, elapsed.as_secs_f64())),
        _ => None,
    }
}

/// A cell for each of [`COLUMNS`].
fn row(board: Board, contestant: Contestant, measured: &Measured, best: Option<f64>) -> Vec<Cell> {
    let integer = |number: Option<u64>| number.map_or(Cell::Missing, Cell::Integer);
    let (visits, kernel, expected_visits) = match contestant {
        Contestant::Method(method) => (Some(method.visits.to_string()), None, Some(method.expected_visits(board))),
        Contestant::Engine(_, kernel) => (measured.visited.map(|_| "nodes".to_owned()), Some(kernel.to_string()), None),
    };
    let (elapsed, in_all) = match measured.outcome {
        Outcome::Finished { elapsed, .. } => (Some(elapsed.as_secs_f64()), Some(elapsed.as_secs_f64())),
        Outcome::BrokenOff { elapsed, seconds } => (Some(elapsed.as_secs_f64()), seconds),
        Outcome::Refused(_) => (None, None),
    };
    let solutions = finished(measured).map(|(solutions, _)| solutions);
    let outcome = match &measured.outcome {
        Outcome::Finished { solutions, .. } => Verdict::of(*solutions, published::total(board)).to_string(),
        Outcome::BrokenOff { seconds: None, .. } => "not finished".to_owned(),
        Outcome::BrokenOff { seconds: Some(seconds), .. } => {
            let visits = expected_visits.zip(visits.as_ref());
            let visits = visits.map_or(String::new(), |(number, what)| format!(" for {} {what}", about(number)));
            format!("would take about {}{visits}", long_time(*seconds))
        }
        Outcome::Refused(reason) => reason.clone(),
    };
    let ratio = in_all.zip(best).map(|(seconds, best)| seconds / best);
    let text = |text: Option<String>| text.map_or(Cell::Missing, Cell::Text);
    vec![
        Cell::Integer(board.size() as u64),
        Cell::Text(contestant.name().to_owned()),
        text(kernel),
        integer(measured.visited),
        text(visits),
        integer(measured.tests),
        Cell::count(solutions),
        elapsed.map_or(Cell::Missing, Cell::Time),
        ratio.map_or(Cell::Missing, Cell::Ratio),
        Cell::Text(outcome),
        expected_visits.filter(|_| solutions.is_none()).map_or(Cell::Missing, Cell::Estimate),
        in_all.filter(|_| solutions.is_none()).map_or(Cell::Missing, Cell::Time),
        Cell::Text(cpu_name()),
        Cell::Text(env!("NQUEENS_VERSION").to_owned()),
    ]
}
