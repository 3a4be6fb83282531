//! `nqueens solve`: the solutions themselves.

mod formats;

use crate::app::failure::Failure;
use crate::app::numbers::{in_range, whole};
use crate::app::options::{OutputOptions, method_values};
use crate::app::output::document::Document;
use crate::app::output::file::Output;
use crate::app::output::words::plural;
use crate::app::session::Session;
use crate::app::solve::formats::{Format, Found, Layout};
use crate::app::terminal::progress::Bar;
use crate::classic::{Effort, Listener, Method, construct, is_solution};
use crate::symmetry::{is_fundamental, orbit_size};
use crate::{Board, Cancel, Solution, Verdict, published};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::io::{self, BufWriter};
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::{Duration, Instant};

/// Show the first solution, or all of them
///
/// Without options, the first solution in lexicographic order as a board: Q is a queen, . an empty square.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens solve 8
  nqueens solve 8 --all
  nqueens solve 8 --fundamental
  nqueens solve 14 --all --format list > solutions.txt
  nqueens solve 1000 --any")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32, with --any to 1000000
    #[arg(value_name = "N", allow_negative_numbers = true, value_parser = size)]
    size: usize,

    /// Show all solutions, in lexicographic order
    #[arg(long, conflicts_with = "limit")]
    all: bool,

    /// Show at most this many solutions, the first ones
    #[arg(long, value_name = "SOLUTIONS", allow_negative_numbers = true, value_parser = whole(1..=u64::MAX))]
    limit: Option<u64>,

    /// Show one solution of each orbit under rotation and reflection, with the size of the orbit: 1, 2, 4 or 8
    #[arg(long)]
    fundamental: bool,

    /// The method to search with; all of them find the same solutions in the same order
    #[arg(long, short, value_name = "METHOD", default_value = "bit-masks", value_parser = method_parser())]
    method: Method,

    /// Show any one solution at once, by a construction, for boards of up to a million rows
    #[arg(long, conflicts_with_all = ["all", "limit", "fundamental", "method"])]
    any: bool,

    /// The format of the solutions [default: board, or list for more than 64 rows]
    #[arg(long, short, value_name = "FORMAT", help_heading = "Output options")]
    format: Option<Format>,

    #[command(flatten)]
    destination: OutputOptions,
}

/// The largest board for which a solution is constructed.
const LARGEST_CONSTRUCTED: usize = 1_000_000;
/// The largest board that is drawn by default.
const LARGEST_DRAWN: usize = 64;
/// The largest board that can be drawn.
const LARGEST_BOARD: usize = 10_000;
/// The largest board in a picture.
const LARGEST_PICTURE: usize = 200;
/// The most boards in a picture.
const MOST_PICTURES: u64 = 1000;

/// The longest time for which solutions are kept in memory before they are passed on.
const BEAT: Duration = Duration::from_millis(100);

/// Returns a parser of the names of the methods.
fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(method_values()).map(|name| name.parse().expect("the names are those of the methods"))
}

/// Reads a board size, for a search or for a construction.
fn size(text: &str) -> Result<usize, String> {
    in_range(text, 1..=LARGEST_CONSTRUCTED as u64).map(|size| size as usize).map_err(|wrong| {
        format!("{wrong}; give a board size from 1 to {}, or to {LARGEST_CONSTRUCTED} with --any", Board::MAX_SIZE)
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let size = arguments.size;
    let board = Board::new(size);
    if board.is_err() && !arguments.any {
        let largest = Board::MAX_SIZE;
        return Err(Failure::Usage(format!(
            "N = {size} is too large to search, give at most {largest}, or --any for a solution at once"
        )));
    }
    let format = arguments.format.unwrap_or(if size <= LARGEST_DRAWN { Format::Board } else { Format::List });
    let largest = match format {
        Format::Board => LARGEST_BOARD,
        Format::Svg => LARGEST_PICTURE,
        Format::List | Format::Json | Format::Csv => LARGEST_CONSTRUCTED,
    };
    if size > largest {
        return Err(Failure::Usage(format!("a board of {size} rows is too large to draw; give --format list")));
    }
    match board {
        Ok(board) if !arguments.any => {
            let session = Session::begin()?;
            let output = arguments.destination.open(&[])?;
            session.run(|cancel| search(arguments, board, format, output, cancel))
        }
        _ => {
            let session = Session::begin_brief()?;
            let output = arguments.destination.open(&[])?;
            session.run(|_| any(arguments, format, output))
        }
    }
}

/// Shows a solution by construction.
fn any(arguments: &Arguments, format: Format, output: Output) -> Result<(), Failure> {
    let Arguments { size, ref destination, .. } = *arguments;
    let layout = Layout { size, many: false, fundamental: false };
    let replaces = output.replaces();
    let mut document = Document::new(formats::open(format, layout), BufWriter::new(output));
    let constructed = construct(size);
    let is_possible = constructed.is_some();
    if let Some(columns) = constructed {
        if !is_solution(&columns) {
            return Err(Failure::Failed(format!(
                "the construction for N = {size} is wrong: two queens attack each other"
            )));
        }
        let found = Found { number: 1, orbit_size: None, columns };
        document.item(&found).map_err(|error| Failure::writing(&error))?;
    }
    // If there is no solution, a file stays as it is.
    if is_possible || !replaces {
        document.finish(true, true).map_err(|error| Failure::writing(&error))?;
    }
    if !is_possible {
        return Err(no_solution(size));
    }
    let none = if size == 1 { "no queen".to_owned() } else { format!("none of the {size} queens") };
    destination.remark(format_args!("constructed (Pauls 1874), and checked: {none} attacks another"));
    Ok(())
}

fn no_solution(size: usize) -> Failure {
    Failure::NoSolution(format!(
        "N = {size} has no solution: {size} queens cannot be placed so that none attacks another"
    ))
}

/// Searches for solutions and shows them.
fn search(arguments: &Arguments, board: Board, format: Format, output: Output, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { all, fundamental, limit, method, ref destination, .. } = *arguments;
    let wanted = limit.unwrap_or(if all || fundamental { u64::MAX } else { 1 });
    let layout = Layout { size: board.size(), many: wanted > 1, fundamental };
    let (is_watched, replaces) = (output.is_terminal(), output.replaces());
    let mut listing = Listing {
        document: Document::new(formats::open(format, layout), BufWriter::new(output)),
        most: if format == Format::Svg { MOST_PICTURES } else { u64::MAX },
        fundamental,
        wanted,
        found: 0,
        is_watched,
        flushed: Instant::now(),
        bar: Some(destination.bar(format!("{method}, N = {board}"))),
        expected: None,
        method,
        board,
        cancel,
        failure: None,
    };
    let (_, end) = method.search_with(board, &mut listing);
    listing.bar = None;
    let Listing { mut document, found, failure, .. } = listing;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let is_stopped = cancel.is_cancelled() && end.is_break() && found < wanted;
    // If there is no solution, a file stays as it is.
    if found > 0 || !replaces {
        document.finish(!is_stopped, !is_stopped).map_err(|error| Failure::writing(&error))?;
    }
    let those = those(found, fundamental);
    if is_stopped {
        return Err(Failure::Cancelled(format!("stopped after {those}")));
    }
    if end.is_continue() {
        let verdict = judge(board, found, fundamental)?;
        if found == 0 {
            return Err(no_solution(board.size()));
        }
        if layout.many {
            let verdict = match verdict {
                Verdict::NotPublished => "there is no published number to compare with",
                _ => "as many as published",
            };
            let are = if found == 1 { "is the only one" } else { "are all there are" };
            destination.remark(format_args!("{those}, which {are}: {verdict}"));
        }
    } else if layout.many {
        destination.remark(format_args!("the first {those}; there may be more"));
    }
    Ok(())
}

/// Compares the number of all solutions, or of all fundamental ones, with the published one. A contradiction is a
/// failure.
fn judge(board: Board, found: u64, fundamental: bool) -> Result<Verdict, Failure> {
    let published = if fundamental { published::fundamental(board) } else { published::total(board) };
    match Verdict::of(u128::from(found), published) {
        Verdict::Contradicts => Err(Failure::Failed(format!(
            "{} for N = {board}, which contradicts the published number",
            those(found, fundamental)
        ))),
        verdict => Ok(verdict),
    }
}

/// Returns a number of solutions in words.
fn those(found: u64, fundamental: bool) -> String {
    plural(found as usize, if fundamental { "fundamental solution" } else { "solution" })
}

/// A search whose solutions are written as they are found.
struct Listing<'a> {
    document: Document<Found, BufWriter<Output>>,
    /// The most solutions that the format can hold.
    most: u64,
    /// True if only fundamental solutions are written.
    fundamental: bool,
    /// The number of solutions after which the search ends.
    wanted: u64,
    found: u64,
    /// True if the output is a terminal, where each solution appears at once.
    is_watched: bool,
    flushed: Instant,
    /// The progress bar. On a terminal it gives way to the first solution.
    bar: Option<Bar>,
    /// The visits of the whole search, once they are needed.
    expected: Option<f64>,
    method: Method,
    board: Board,
    cancel: &'a Cancel,
    failure: Option<Failure>,
}

impl Listing<'_> {
    /// Writes a solution, and flushes it if somebody watches.
    fn write(&mut self, found: &Found) -> io::Result<()> {
        self.document.item(found)?;
        if self.is_watched { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed = Instant::now();
        self.document.flush()
    }

    /// Ends the search with a failure.
    fn fail(&mut self, failure: Failure) -> ControlFlow<()> {
        self.failure = Some(failure);
        Break(())
    }
}

impl Listener for Listing<'_> {
    fn solution(&mut self, solution: &Solution) -> ControlFlow<()> {
        if self.fundamental && !is_fundamental(solution) {
            return Continue(());
        }
        if self.found == self.most {
            return self.fail(Failure::Usage(format!(
                "a picture holds at most {MOST_PICTURES} boards and there are more; give --limit {MOST_PICTURES} or less"
            )));
        }
        self.found += 1;
        if self.is_watched {
            self.bar = None;
        }
        let orbit_size = self.fundamental.then(|| orbit_size(solution));
        let found = Found { number: self.found, orbit_size, columns: solution.columns().collect() };
        match self.write(&found) {
            Err(error) => self.fail(Failure::writing(&error)),
            Ok(()) if self.found == self.wanted => Break(()),
            Ok(()) => Continue(()),
        }
    }

    fn beat(&mut self, effort: Effort) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return Break(());
        }
        if let Some(bar) = &self.bar {
            let expected = self.expected.get_or_insert_with(|| self.method.expected_visits(self.board));
            bar.share((effort.visited as f64 / *expected).min(1.0));
        }
        if self.flushed.elapsed() < BEAT {
            return Continue(());
        }
        match self.flush() {
            Err(error) => self.fail(Failure::writing(&error)),
            Ok(()) => Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_solutions_that_is_wrong_fails() {
        let board = |size| Board::new(size).unwrap();
        assert!(matches!(judge(board(8), 92, false), Ok(Verdict::Matches)));
        assert!(matches!(judge(board(8), 12, true), Ok(Verdict::Matches)));
        assert!(matches!(judge(board(29), 1, false), Ok(Verdict::NotPublished)));
        for (found, fundamental) in [(91, false), (12, false), (92, true)] {
            let Err(Failure::Failed(message)) = judge(board(8), found, fundamental) else { panic!("{found} is wrong") };
            assert!(message.contains(&found.to_string()) && message.contains("contradicts"), "{message}");
        }
    }
}
