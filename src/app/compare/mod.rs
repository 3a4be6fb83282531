//! `nqueens compare`: the classic methods side by side.

mod timing;

use crate::app::assessment::contradicted;
use crate::app::compare::timing::{Contestant, Measured, Outcome};
use crate::app::failure::Failure;
use crate::app::machine::HOST;
use crate::app::numbers::time;
use crate::app::options::{Printing, method_values};
use crate::app::output::words::{about, long_time};
use crate::app::output::{self, Cell, Column, Detail, Layout, Rows, Sink};
use crate::app::session::Session;
use crate::classic::textbook::Visits;
use crate::engine::{ENGINES, Kernel};
use crate::{Board, Cancel, Verdict, published};
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::time::Duration;

/// See what each method of finding all solutions costs
///
/// From brute force over all choices of squares to backtracking with bit masks, and then the engines that `count` uses: what
/// each visits (candidates, which are whole boards, or nodes, which are placements in the first rows), how many times it
/// tests whether queens attack each other, and how long it takes on one thread. A method that would take longer than the
/// limit is stopped as soon as that is clear, and is listed with the time it would take.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare 8
  nqueens compare 8 --method brute-force
  nqueens compare 14 --limit 1m --format csv")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    board: Board,

    /// Only these methods; they run to the end, however long that takes
    #[arg(long = "method", short, value_name = "METHOD", value_delimiter = ',', value_parser = name_parser())]
    methods: Vec<String>,

    /// The longest that a method may take, such as 90s or 1m30s [default: 10s, or no limit with --method]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    limit: Option<Duration>,

    #[command(flatten)]
    printing: Printing,
}

/// The time that a method may take by default.
const LIMIT: Duration = Duration::from_secs(10);

const COLUMNS: &[Column] = &[
    Column::of_record("board"),
    Column { key: "name", heading: "method", width: 16, detail: Detail::Screen },
    Column::of_record("method"),
    Column::of_record("kernel"),
    Column { key: "visited", heading: "visited", width: 10, detail: Detail::Table },
    Column::of_record("visits"),
    Column { key: "tests", heading: "tests", width: 11, detail: Detail::Table },
    Column { key: "solutions", heading: "found", width: 7, detail: Detail::Table },
    Column { key: "time", heading: "time", width: 18, detail: Detail::Screen },
    Column::of_record("seconds"),
    Column { key: "times_the_best", heading: "x best", width: 8, detail: Detail::Table },
    Column::of_record("outcome"),
    Column::of_record("expected_visits"),
    Column::of_record("expected_seconds"),
    Column::of_record("cpu"),
    Column::of_record("program_version"),
];

/// The names of the methods and engines, with what they do.
fn name_parser() -> PossibleValuesParser {
    let engines = ENGINES.iter().map(|engine| {
        PossibleValue::new(engine.name()).help(format!("the engine of `nqueens count --engine {}`", engine.name()))
    });
    PossibleValuesParser::new(method_values().chain(engines))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let mut output = arguments.printing.open(&[])?;
    let asked = |contestant: &Contestant| {
        arguments.methods.is_empty() || arguments.methods.iter().any(|name| name == contestant.name())
    };
    let contestants: Vec<Contestant> = Contestant::all().into_iter().filter(asked).collect();
    session.run(|cancel| outcome(arguments, &contestants, &mut output, cancel))
}

/// Measures everybody, writes the table to `output` and judges the counts.
fn outcome(
    arguments: &Arguments,
    contestants: &[Contestant],
    output: &mut impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { board, ref printing, .. } = *arguments;
    let limit = match arguments.limit {
        None if !arguments.methods.is_empty() => None,
        limit => Some(limit.unwrap_or(LIMIT)),
    };
    let mut all = Vec::new();
    let mut failed = None;
    for contestant in contestants {
        let bar = printing.bar(format!("{}, N = {board}", contestant.name()));
        match contestant.measure(board, limit, cancel, &|share| bar.share(share)) {
            Ok(measured) => all.push((*contestant, measured)),
            Err(error) => failed = Some(error),
        }
        if failed.is_some() || cancel.is_cancelled() {
            break;
        }
    }

    let layout = Layout { schema: "nqueens/compare/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = output::open(printing.format, layout, output);
    let best = all.iter().filter_map(|(_, measured)| finished(measured)).map(|(_, seconds)| seconds).reduce(f64::min);
    let rows = all.iter().try_for_each(|(contestant, measured)| report.row(&row(board, *contestant, measured, best)));
    let written = rows.and_then(|()| report.finish(failed.is_none() && !cancel.is_cancelled()));

    let contradiction = |(contestant, measured): &(Contestant, Measured)| {
        let (solutions, _) = finished(measured)?;
        let published = published::total(board)?;
        (Verdict::of(solutions, Some(published)) == Verdict::Contradicts).then(|| {
            format!("{}: {solutions} solutions for N = {board}, but {published} is published", contestant.name())
        })
    };
    let contradictions: Vec<String> = all.iter().filter_map(contradiction).collect();
    contradicted(&contradictions)?;
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
fn remark(board: Board, all: &[(Contestant, Measured)], printing: &Printing) {
    for (contestant, measured) in all {
        match (&measured.outcome, measured.expected_visits, contestant) {
            (Outcome::Refused(reason), ..) => printing.remark(format_args!("{}: {reason}", contestant.name())),
            (Outcome::BrokenOff { .. }, Some(visits), Contestant::Method(method)) => printing.remark(format_args!(
                "{}: not finished, there are {}{} {}",
                method.name,
                if method.visits == Visits::Nodes { "about " } else { "" },
                about(visits),
                method.visits
            )),
            _ => {}
        }
    }
    let verdict = match published::total(board) {
        Some(_) => "all that finished found as many solutions as published",
        None => "there is no published number to compare with",
    };
    printing.remark(format_args!("on one thread; {verdict}"));
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
    let text = |text: Option<String>| text.map_or(Cell::Missing, Cell::Text);
    let seconds = |seconds: Option<f64>| seconds.map_or(Cell::Missing, Cell::Time);
    let integer = |number: Option<u64>| number.map_or(Cell::Missing, Cell::Integer);
    let (visits, kernel) = match contestant {
        Contestant::Method(method) => (Some(method.visits.to_string()), None),
        Contestant::Engine(_, kernel) => (measured.visited.map(|_| "nodes".to_owned()), Some(kernel)),
    };
    let name = match kernel {
        Some(Kernel::Scalar) => format!("{} scalar", contestant.name()),
        _ => contestant.name().to_owned(),
    };
    let (elapsed, expected, time, outcome) = match &measured.outcome {
        Outcome::Finished { solutions, elapsed } => {
            let elapsed = elapsed.as_secs_f64();
            (Some(elapsed), None, Cell::Time(elapsed), Verdict::of(*solutions, published::total(board)).to_string())
        }
        Outcome::BrokenOff { elapsed, seconds } => {
            let about = seconds.map_or("not finished".to_owned(), |seconds| format!("about {}", long_time(seconds)));
            (Some(elapsed.as_secs_f64()), *seconds, Cell::Number(about), "not finished".to_owned())
        }
        Outcome::Refused(reason) => (None, None, Cell::Number("cannot".to_owned()), reason.clone()),
    };
    let ratio = expected.or(elapsed).zip(best).map(|(seconds, best)| seconds / best);
    let unfinished = matches!(measured.outcome, Outcome::BrokenOff { .. });
    let expected_visits = measured.expected_visits.filter(|_| unfinished);
    vec![
        Cell::Integer(board.size() as u64),
        Cell::Text(name),
        Cell::Text(contestant.name().to_owned()),
        text(kernel.map(|kernel| kernel.to_string())),
        integer(measured.visited),
        text(visits),
        // How many there are to a candidate differs from the first to the last.
        integer(measured.tests.filter(|_| !unfinished)),
        Cell::count(finished(measured).map(|(solutions, _)| solutions)),
        time,
        seconds(elapsed),
        ratio.map_or(Cell::Missing, Cell::Ratio),
        Cell::Text(outcome),
        expected_visits.map_or(Cell::Missing, Cell::Estimate),
        seconds(expected),
        Cell::Text(HOST.cpu.clone()),
        Cell::Text(env!("NQUEENS_VERSION").to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::{Faulty, Panicking};
    use crate::app::parsed;

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
