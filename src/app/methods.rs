//! `nqueens methods`: the classic methods and the engines side by side.

use crate::app::assessment::{contradicted, count_again};
use crate::app::failure::Failure;
use crate::app::numbers::time;
use crate::app::options::{OutputOptions, size_of_board};
use crate::app::output::Sink;
use crate::app::output::words::{about_time, grouped};
use crate::app::rows::{Cell, Cpu, Kind, Report, Row, Seconds, Solutions};
use clap::builder::{PossibleValue, PossibleValuesParser};
use nqueens::classic::{Contestant, Measurement, Method, Outcome};
use nqueens::{Board, Cancel, Engine, Observer, RunError, Verdict, published};
use serde::Serialize;
use std::time::Duration;

/// Compare the cost of the classic methods of finding all solutions
///
/// The methods go from brute force over all choices of squares to backtracking with bit masks; the engines that `count`
/// uses come last. The table shows what each visits (candidates are whole boards, nodes are placements in the first
/// rows), how often it tests whether queens attack each other, and its time on one thread: of a short search, the least
/// of several; of an engine, without the start of the thread. A method that is not finished within the time limit is
/// stopped; its visits and tests are those up to there, and a stopped engine shows none. Methods with many visits come
/// last.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens methods 12
  nqueens methods 8 --method brute-force
  nqueens methods 14 --time-limit 1m --format csv")]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true, help = size_of_board())]
    board: Board,

    /// Run only these methods, each to its end unless --time-limit is given
    #[arg(long = "method", short, value_name = "METHOD", value_delimiter = ',', value_parser = name_parser())]
    methods: Vec<String>,

    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time, help = format!(
        "Stop each method after this time, such as 90s or 1m30s [default: {}s, or none with --method]",
        TIME_LIMIT.as_secs()
    ))]
    time_limit: Option<Duration>,

    #[command(flatten)]
    printing: OutputOptions,
}

/// The time limit of a method by default.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The most visits of a short method, which take about a second.
const MOST_VISITS: f64 = 1e8;

/// Returns a parser of the names of the methods and engines.
fn name_parser() -> PossibleValuesParser {
    let engines = Engine::ALL.iter().map(|engine| {
        PossibleValue::new(engine.name()).help(format!("the engine of `nqueens count --engine {}`", engine.name()))
    });
    let methods = Method::ALL.iter().map(|method| PossibleValue::new(method.name()).help(method.summary()));
    PossibleValuesParser::new(methods.chain(engines))
}

/// The measurement of a method or an engine.
#[derive(Serialize)]
struct MethodRow {
    board: Board,
    method: &'static str,
    kernel: Option<&'static str>,
    visited: Option<u64>,
    tests: Option<u64>,
    solutions: Option<Solutions>,
    seconds: Seconds,
    outcome: String,
    cpu: Cpu,
}

impl MethodRow {
    fn new(board: Board, contestant: Contestant, measurement: &Measurement) -> Self {
        let outcome = match &measurement.outcome {
            Outcome::Finished(solutions) => Verdict::compare(*solutions, published::total(board)).to_string(),
            Outcome::Stopped => "stopped".to_owned(),
            Outcome::Refused(reason) => reason.to_string(),
        };
        Self {
            board,
            method: contestant.name(),
            kernel: match contestant {
                Contestant::Method(_) => None,
                Contestant::Engine(_, kernel) => Some(kernel.name()),
            },
            visited: measurement.visited,
            tests: measurement.tests,
            solutions: found(measurement).map(Solutions),
            seconds: Seconds(measurement.seconds),
            outcome,
            cpu: Cpu,
        }
    }
}

/// Returns the number of solutions that a search found if it was finished.
fn found(measurement: &Measurement) -> Option<u128> {
    match measurement.outcome {
        Outcome::Finished(solutions) => Some(solutions),
        _ => None,
    }
}

impl Row for MethodRow {
    fn cells(&self) -> Vec<Cell> {
        let name = self.kernel.map_or(self.method.to_owned(), |kernel| format!("{} {kernel}", self.method));
        let time = match &*self.outcome {
            "stopped" => "stopped".to_owned(),
            _ if self.solutions.is_none() => "cannot".to_owned(),
            _ => self.seconds.to_string(),
        };
        vec![
            Cell::word("method", 18, Some(name)),
            Cell::number("visits", 12, self.visited.map(grouped)),
            Cell::number("tests", 12, self.tests.map(grouped)),
            Cell::number("found", 9, self.solutions.map(|solutions| grouped(solutions.0))),
            Cell::number("time", 10, Some(time)),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let output = arguments.printing.open(&[])?;
    let is_wanted = |contestant: &Contestant| {
        arguments.methods.is_empty() || arguments.methods.iter().any(|name| name == contestant.name())
    };
    let mut contestants: Vec<Contestant> = Contestant::all().into_iter().filter(is_wanted).collect();
    // Long methods run after the short ones.
    contestants.sort_by_cached_key(|contestant| contestant.expected_visits(arguments.board) > Some(MOST_VISITS));
    execute(arguments, &contestants, &Contestant::measure, output, cancel)
}

/// Measures a contestant on a board, within a limit if there is one.
type Measure = dyn Fn(&Contestant, Board, Option<Duration>, &Cancel, &dyn Observer) -> Result<Measurement, RunError>;

/// Measures the contestants, writes each row to `out` as soon as it is known, and judges the counts.
fn execute(
    arguments: &Arguments,
    contestants: &[Contestant],
    measure: &Measure,
    out: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { board, ref printing, .. } = *arguments;
    let limit = arguments.time_limit.or_else(|| arguments.methods.is_empty().then_some(TIME_LIMIT));
    let stops = limit.map_or(String::new(), |limit| format!(", stops after {}", about_time(limit.as_secs_f64())));
    let mut report = Report::open(printing.format(), Kind::Many("nqueens/methods/1"), out);
    let mut all = Vec::new();
    let measured = contestants.iter().try_for_each(|&contestant| {
        let measurement = {
            let bar = printing.bar(format!("{}, N = {board}{stops}", contestant.name()));
            measure(&contestant, board, limit, cancel, &bar)?
        };
        let written = report.row(&MethodRow::new(board, contestant, &measurement));
        all.push((contestant, measurement));
        if cancel.is_cancelled() {
            return Err(Failure::Cancelled(format!("N = {board}: stopped in {}", contestant.name())));
        }
        Ok(written?)
    });
    let written = report.finish(measured.is_ok());

    let wrong = |(contestant, measurement): &(Contestant, Measurement)| {
        Some(format!("{}: {}", contestant.name(), published::contradiction(board, found(measurement)?)?))
    };
    contradicted(all.iter().filter_map(wrong), &count_again(board))?;
    measured?;
    written?;
    for (contestant, measurement) in &all {
        if let Outcome::Refused(reason) = &measurement.outcome {
            printing.remark(format_args!("{}: {reason}", contestant.name()));
        }
    }
    // The table does not show the verdict.
    let finished = all.iter().filter(|(_, measurement)| found(measurement).is_some());
    let fastest = finished.min_by(|(_, one), (_, other)| one.seconds.total_cmp(&other.seconds));
    let verdict = match published::total(board) {
        _ if fastest.is_none() => "none finished",
        Some(_) => "all that finished found as many solutions as published",
        None => "there is no published number to compare with",
    };
    let is_two_color = |(contestant, _): &_| matches!(contestant, Contestant::Engine(Engine::TwoColor, _));
    if all.iter().any(is_two_color) && fastest.is_some_and(|fastest| !is_two_color(fastest)) {
        printing.remark(format_args!("two-color first makes tables, which pays from N = 12 to 16 on, by kernel"));
    }
    printing.remark(format_args!("on one thread; {verdict}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::parsed;
    use nqueens::Kernel;

    fn arguments(line: &str) -> Arguments {
        let crate::app::Command::Methods(arguments) = parsed(line) else { panic!("not a comparison: {line}") };
        arguments
    }

    #[test]
    fn a_wrong_count_is_shown_and_fails() {
        let contestants = [Contestant::all()[5], Contestant::Engine(Engine::Backtrack, Kernel::Scalar)];
        let measure: &Measure = &|contestant, board, limit, cancel, observer| {
            let mut measurement = contestant.measure(board, limit, cancel, observer)?;
            if matches!(contestant, Contestant::Engine(..)) {
                measurement.outcome = Outcome::Finished(732);
            }
            Ok(measurement)
        };
        let mut out = Vec::new();
        let arguments = arguments("methods 10 --quiet --format csv");
        let outcome = execute(&arguments, &contestants, measure, &mut out, &Cancel::new());
        let Err(Failure::Failed(message)) = outcome else { panic!("a contradiction must fail") };
        assert!(
            message.contains("backtrack: the total count for N = 10 came out as 732, but 724 is published"),
            "{message}"
        );
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains(",724,") && text.contains(",732,") && text.contains(",contradicts,"), "{text}");
    }

    #[test]
    fn a_panic_ends_it_with_the_table() {
        let contestants =
            [Contestant::all()[5], Contestant::Engine(Engine::Backtrack, Kernel::Scalar), Contestant::all()[5]];
        let measure: &Measure = &|contestant, board, limit, cancel, observer| match contestant {
            Contestant::Engine(..) => Err(RunError::Panicked { unit: Some((board, 0)), message: "on purpose".into() }),
            Contestant::Method(_) => contestant.measure(board, limit, cancel, observer),
        };
        let mut out = Vec::new();
        let arguments = arguments("methods 10 --quiet --format json");
        let outcome = execute(&arguments, &contestants, measure, &mut out, &Cancel::new());
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message == "unit 0 of N = 10 panicked: on purpose"));
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((document["rows"].as_array().unwrap().len(), &document["complete"]), (1, &false.into()));
    }
}
