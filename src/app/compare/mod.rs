//! `nqueens compare`: the classic methods and the engines side by side.

mod measurement;

use crate::app::assessment::contradicted;
use crate::app::compare::measurement::{Contestant, Measurement, Outcome};
use crate::app::failure::Failure;
use crate::app::machine::Cpu;
use crate::app::numbers::time;
use crate::app::options::{ReportOptions, method_values};
use crate::app::output::Sink;
use crate::app::output::words::{self, about, long_time};
use crate::app::rows::values::{Estimate, Ratio, Solutions, Time};
use crate::app::rows::{self, Cell, Row};
use crate::app::session::Session;
use crate::engine::ENGINES;
use crate::{Board, Cancel, Verdict, published};
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde::Serialize;
use std::time::Duration;

/// Compare the cost of the classic methods of finding all solutions
///
/// The methods go from brute force over all choices of squares to backtracking with bit masks; the engines that `count`
/// uses come last. The table shows what each visits (candidates are whole boards, nodes are placements in the first
/// rows), how often it tests whether queens attack each other, and its time on one thread. A method that is not
/// finished within the time limit is stopped, or before if it would take more than twice as long; its visits, after ~,
/// and its time are those expected of the whole search.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare 12
  nqueens compare 8 --method brute-force
  nqueens compare 14 --time-limit 1m --format csv")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    board: Board,

    /// Run only these methods, each to its end unless --time-limit is given
    #[arg(long = "method", short, value_name = "METHOD", value_delimiter = ',', value_parser = name_parser())]
    methods: Vec<String>,

    /// Stop each method after this time, such as 90s or 1m30s [default: 10s, or none with --method]
    #[arg(long, alias = "limit", value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    time_limit: Option<Duration>,

    #[command(flatten)]
    printing: ReportOptions,
}

/// The time limit of a method by default.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Returns a parser of the names of the methods and engines.
fn name_parser() -> PossibleValuesParser {
    let engines = ENGINES.iter().map(|engine| {
        PossibleValue::new(engine.name()).help(format!("the engine of `nqueens count --engine {}`", engine.name()))
    });
    PossibleValuesParser::new(method_values().chain(engines))
}

/// The cost of a method.
#[derive(Default, Serialize)]
struct CostRow {
    board: usize,
    /// The name in tables for people: that of the method, or of the engine and its kernel.
    #[serde(skip)]
    name: String,
    /// The visits in tables for people, of the whole search: counted or, after `~`, expected.
    #[serde(skip)]
    all_visits: Option<String>,
    method: &'static str,
    kernel: Option<&'static str>,
    visited: Option<u64>,
    visits: Option<&'static str>,
    tests: Option<u64>,
    solutions: Option<Solutions>,
    /// The time in tables for people, measured or estimated.
    #[serde(skip)]
    time: String,
    seconds: Option<Time>,
    times_the_best: Option<Ratio>,
    outcome: String,
    expected_visits: Option<Estimate>,
    expected_seconds: Option<Time>,
    cpu: Cpu,
    program_version: &'static str,
}

impl CostRow {
    /// Makes the row of a measurement. `best` are the seconds of the fastest method that finished.
    fn new(board: Board, contestant: Contestant, measurement: &Measurement, best: Option<f64>) -> Self {
        let method = contestant.name();
        let (name, kernel, visits) = match contestant {
            Contestant::Method(textbook) => {
                (method.to_owned(), None, Some(if textbook.is_backtracking() { "nodes" } else { "candidates" }))
            }
            Contestant::Engine(_, kernel) => {
                let has_nodes = measurement.visited.is_some() || measurement.expected_visits.is_some();
                (format!("{method} {kernel}"), Some(kernel.name()), has_nodes.then_some("nodes"))
            }
        };
        let times_the_best = |seconds: f64| best.map(|best| Ratio(seconds / best));
        let row = Self {
            board: board.size(),
            name,
            method,
            kernel,
            visits,
            program_version: env!("NQUEENS_VERSION"),
            ..Self::default()
        };
        match measurement.outcome {
            Outcome::Finished { solutions, seconds } => Self {
                visited: measurement.visited,
                all_visits: measurement.visited.map(|visited| visited.to_string()),
                tests: measurement.tests,
                solutions: Some(Solutions(solutions)),
                time: words::time(seconds),
                seconds: Some(Time(seconds)),
                times_the_best: times_the_best(seconds),
                outcome: Verdict::of(solutions, published::total(board)).to_string(),
                ..row
            },
            // What was visited so far is not the cost of the method, and the first candidates are tested faster than most.
            Outcome::Stopped { seconds, expected } => Self {
                time: expected.map_or("not finished".to_owned(), |expected| format!("about {}", long_time(expected))),
                seconds: Some(Time(seconds)),
                times_the_best: times_the_best(expected.unwrap_or(seconds)),
                outcome: "not finished".to_owned(),
                all_visits: measurement.expected_visits.map(|visits| format!("~{}", words::estimated(visits))),
                expected_visits: measurement.expected_visits.map(Estimate),
                expected_seconds: expected.map(Time),
                ..row
            },
            Outcome::Refused(ref reason) => Self { time: "cannot".to_owned(), outcome: reason.clone(), ..row },
        }
    }
}

impl Row for CostRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::word("method", 18, &self.name),
            Cell::optional("visits", 10, self.all_visits.as_ref()),
            Cell::optional("tests", 11, self.tests),
            Cell::optional("found", 7, self.solutions),
            Cell::number("time", 17, &self.time),
            Cell::optional("x best", 7, self.times_the_best),
        ]
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let mut output = arguments.printing.open(&[])?;
    let is_wanted = |contestant: &Contestant| {
        arguments.methods.is_empty() || arguments.methods.iter().any(|name| name == contestant.name())
    };
    let contestants: Vec<Contestant> = Contestant::all().into_iter().filter(is_wanted).collect();
    session.run(|cancel| outcome(arguments, &contestants, &mut output, cancel))
}

/// Measures the contestants, writes the table to `output` and judges the counts.
fn outcome(
    arguments: &Arguments,
    contestants: &[Contestant],
    output: &mut impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { board, ref printing, .. } = *arguments;
    let limit = arguments.time_limit.or_else(|| arguments.methods.is_empty().then_some(TIME_LIMIT));
    let mut all = Vec::new();
    let mut failed = None;
    for &contestant in contestants {
        let bar = printing.bar(format!("{}, N = {board}", contestant.name()));
        match contestant.measure(board, limit, cancel, &|share| bar.share(share)) {
            Ok(measurement) => all.push((contestant, measurement)),
            Err(error) => failed = Some(error),
        }
        if failed.is_some() || cancel.is_cancelled() {
            break;
        }
    }

    let finished = all.iter().filter_map(|(contestant, measurement)| match measurement.outcome {
        Outcome::Finished { solutions, seconds } => Some((contestant.name(), solutions, seconds)),
        _ => None,
    });
    let best = finished.clone().map(|(.., seconds)| seconds).reduce(f64::min);
    let mut report = rows::open(printing.format, "nqueens/compare/1", rows::Kind::Many, output);
    let mut rows = all.iter().map(|(contestant, measurement)| CostRow::new(board, *contestant, measurement, best));
    let written = rows.try_for_each(|row| report.row(&row));
    let written = written.and_then(|()| report.finish(failed.is_none() && !cancel.is_cancelled()));

    let published = published::total(board);
    let contradiction = |(name, solutions, _)| {
        let published = published.filter(|&published| published != solutions)?;
        Some(format!("{name}: {solutions} solutions for N = {board}, but {published} is published"))
    };
    contradicted(&finished.filter_map(contradiction).collect::<Vec<_>>())?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    written.map_err(|error| Failure::writing(&error))?;
    if let (true, Some((contestant, _))) = (cancel.is_cancelled(), all.last()) {
        return Err(Failure::Cancelled(format!("N = {board}: stopped in {}", contestant.name())));
    }
    remark(board, &all, printing);
    Ok(())
}

/// Says what the table does not.
fn remark(board: Board, all: &[(Contestant, Measurement)], printing: &ReportOptions) {
    for (contestant, measurement) in all {
        match (&measurement.outcome, measurement.expected_visits, contestant) {
            (Outcome::Refused(reason), ..) => printing.remark(format_args!("{}: {reason}", contestant.name())),
            (Outcome::Stopped { .. }, Some(visits), Contestant::Method(method)) => {
                let what = if method.is_backtracking() { "nodes" } else { "candidates" };
                let roughly = if method.is_backtracking() { "about " } else { "" };
                printing.remark(format_args!("{method}: not finished, there are {roughly}{} {what}", about(visits)));
            }
            _ => {}
        }
    }
    let verdict = match published::total(board) {
        Some(_) => "all that finished found as many solutions as published",
        None => "there is no published number to compare with",
    };
    printing.remark(format_args!("on one thread; {verdict}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{Faulty, Panicking};
    use crate::app::parsed;
    use crate::engine::Kernel;

    fn arguments(line: &str) -> Arguments {
        match parsed(line) {
            crate::app::Command::Compare(arguments) => arguments,
            other => panic!("not a comparison: {other:?}"),
        }
    }

    #[test]
    fn a_wrong_count_is_shown_and_fails() {
        let contestants = [Contestant::all()[5], Contestant::Engine(&Faulty, Kernel::Scalar)];
        let mut out = Vec::new();
        let arguments = arguments("compare 10 --quiet --format csv");
        let outcome = outcome(&arguments, &contestants, &mut out, &Cancel::new());
        let Err(Failure::Failed(message)) = outcome else { panic!("a contradiction must fail") };
        assert!(message.contains("faulty: 725 solutions for N = 10, but 724 is published"), "{message}");
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains(",724,") && text.contains(",725,") && text.contains(",contradicts,"), "{text}");
    }

    #[test]
    fn a_panic_ends_it_with_the_table() {
        let contestants = [Contestant::all()[5], Contestant::Engine(&Panicking, Kernel::Scalar), Contestant::all()[5]];
        let mut out = Vec::new();
        let arguments = arguments("compare 10 --quiet --format json");
        let outcome = outcome(&arguments, &contestants, &mut out, &Cancel::new());
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message == "unit 0 of N = 10 panicked: on purpose"));
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((document["rows"].as_array().unwrap().len(), &document["complete"]), (1, &false.into()));
    }

    #[test]
    fn what_was_stopped_is_not_complete() {
        let cancel = Cancel::new();
        cancel.cancel();
        let mut out = Vec::new();
        let arguments = arguments("compare 12 --quiet --format json");
        let outcome = outcome(&arguments, &Contestant::all(), &mut out, &cancel);
        assert!(matches!(outcome, Err(Failure::Cancelled(message)) if message == "N = 12: stopped in brute-force"));
        let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((document["rows"].as_array().unwrap().len(), &document["complete"]), (1, &false.into()));
    }
}
