//! `nqueens solve`: the solutions themselves.

use crate::app::assessment::{contradicted, count_again, difference};
use crate::app::failure::{Failure, refused};
use crate::app::numbers;
use crate::app::options::OutputOptions;
use crate::app::output::Sink;
use crate::app::output::document::{DocumentFormat, Json};
use crate::app::output::words::plural;
use crate::app::rows::VERSION;
use crate::app::setup::{self, GivenBoard};
use nqueens::classic::{Picture, construct, is_solution};
use nqueens::{Board, Cancel, Setup, published};
use serde::Serialize;
use serde_json::json;
use std::io::{IsTerminal, Write as _, stdout};

/// Show the first solution, or all of them
///
/// Without options, the first solution in lexicographic order as a board: Q is a queen, . an empty square. For more than
/// 32 rows, one solution is constructed instead.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens solve 8
  nqueens solve 8 --all
  nqueens solve 14 --all --format list > solutions.txt
  nqueens solve 8 --fundamental --output boards.svg
  nqueens solve 1000
  nqueens solve --board half-filled.txt")]
#[command(mut_arg("format", |format| format.help(format!("\
The format of the solutions [default: that of the ending of FILE, else board, or list for more than {LARGEST_DRAWN} rows]"))))]
pub(crate) struct Arguments {
    #[arg(value_name = "N", allow_negative_numbers = true, value_parser = numbers::whole(1..=LARGEST_CONSTRUCTED),
        help = format!("The size of the board, which is the number of queens: 1 to {LARGEST_CONSTRUCTED}"))]
    size: Option<u64>,

    /// Solve a board with given queens and blocked squares, as `nqueens count --board` reads it; `-` is standard input
    #[arg(id = "setup", long = "board", value_name = "FILE", value_parser = setup::parser(),
        conflicts_with = "size")]
    setup: Option<GivenBoard>,

    /// Show all solutions, in lexicographic order
    #[arg(long)]
    all: bool,

    /// Show one solution of each orbit under rotation and reflection, with the size of the orbit: 1, 2, 4 or 8. All orbits
    /// are shown, with --all or without
    #[arg(long)]
    fundamental: bool,

    #[command(flatten)]
    printing: OutputOptions<SolutionFormat>,
}

/// The largest board for which a solution is constructed.
const LARGEST_CONSTRUCTED: u64 = 1_000_000;
/// The largest board that is drawn by default.
const LARGEST_DRAWN: usize = 64;
/// The largest board that can be drawn.
const LARGEST_BOARD: usize = 200;
/// The most boards in a picture.
const MOST_PICTURES: u64 = 1000;

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let setup = arguments.setup.as_ref().map(|given| given.setup);
    if arguments.fundamental && setup.is_some_and(|setup| !setup.is_free()) {
        return refused(setup::NO_ORBITS);
    }
    let Some(size) = setup.map(|setup| setup.board().size()).or(arguments.size.map(|size| size as usize)) else {
        return refused(setup::NO_BOARD);
    };
    let by_size = if size <= LARGEST_DRAWN { SolutionFormat::Board } else { SolutionFormat::List };
    let format = printing.chosen_format()?.unwrap_or(by_size);
    if size > LARGEST_BOARD && matches!(format, SolutionFormat::Board | SolutionFormat::Svg) {
        return refused(format!("a board of {size} rows is too large to draw; give --format list"));
    }
    if let Ok(board) = Board::new(size) {
        return search(arguments, &setup.unwrap_or(Setup::new(board)), format, cancel);
    }
    if arguments.all || arguments.fundamental {
        return refused(format!(
            "N = {size} has too many solutions to show them all; give at most {}",
            Board::MAX_SIZE
        ));
    }
    let mut output = printing.open(&[])?;
    let columns = construct(size).filter(|columns| is_solution(columns)).ok_or_else(|| {
        Failure::Failed(format!("the construction for N = {size} is wrong: two queens attack each other"))
    })?;
    let mut format = chosen(format, size, None, false);
    output.write_all(format.item(&FoundSolution { number: 1, orbit_size: None, columns }).as_bytes())?;
    output.finish(&format.end(true), true)?;
    printing.remark(format_args!("constructed (Pauls 1874), and checked: none of the {size} queens attacks another"));
    Ok(())
}

/// Searches for solutions and shows them.
fn search(arguments: &Arguments, setup: &Setup, format: SolutionFormat, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { all, fundamental, setup: ref file, ref printing, .. } = *arguments;
    let mut output = printing.open(setup::named(file.as_ref()).as_slice())?;
    let (board, many, replaces) = (setup.board(), all || fundamental, printing.output.is_some());
    let marked = Some(setup).filter(|setup| !setup.is_free());
    let mut document = chosen(format, board.size(), marked, many);
    let mut solutions = setup.solutions();
    let searched = setup::in_words(board, file.as_ref().map(|_| setup));
    // A person sees each solution at once, and a program gets many together.
    let (mut found, is_seen) = (0, printing.output.is_none() && stdout().is_terminal());
    let is_stopped = loop {
        let solution = match solutions.next_unless(|| cancel.is_cancelled()) {
            Ok(Some(solution)) if fundamental && !solution.is_fundamental() => continue,
            Ok(Some(solution)) => solution,
            end => break end.is_err(),
        };
        if format == SolutionFormat::Svg && found == MOST_PICTURES {
            return refused(format!(
                "a picture holds at most {MOST_PICTURES} boards and there are more; give --format list"
            ));
        }
        found += 1;
        let orbit_size = fundamental.then(|| solution.orbit_size());
        let shown = FoundSolution { number: found, orbit_size, columns: solution.columns().collect() };
        output.write_all(document.item(&shown).as_bytes())?;
        if !many {
            output.finish(&document.end(true), true)?;
            if file.is_some() || printing.is_watched() {
                printing.remark(format_args!("{searched}: the first; --all shows all"));
            }
            return Ok(());
        }
        if found == 1 || is_seen {
            output.flush()?;
        }
    };
    // If there is no solution, an old file stays as it is.
    if found > 0 || !replaces {
        output.finish(&document.end(!is_stopped), !is_stopped)?;
    }
    let those = plural(found, if fundamental { "fundamental solution" } else { "solution" });
    if is_stopped {
        return Err(Failure::Cancelled(format!("stopped after {those}")));
    }
    let verdict = if marked.is_some() { UNPUBLISHED } else { judge(board, found, fundamental)? };
    if found == 0 {
        return Err(Failure::NoSolution(format!("{} has no solution", searched.replacen(", ", " with ", 1))));
    }
    let are = if found == 1 { "is the only one" } else { "are all there are" };
    let of = if file.is_some() { format!("{searched}: ") } else { String::new() };
    printing.remark(format_args!("{of}{those}, which {are}: {verdict}"));
    Ok(())
}

const UNPUBLISHED: &str = "there is no published number to compare with";

/// Compares the number of all solutions, or of all fundamental ones, with the published one, and returns the verdict in
/// words. A contradiction is a failure.
fn judge(board: Board, found: u64, fundamental: bool) -> Result<&'static str, Failure> {
    let published = if fundamental { published::fundamental(board) } else { published::total(board) };
    let name = if fundamental { "fundamental" } else { "total" };
    contradicted(difference(name, board, found.into(), published), &count_again(board))?;
    Ok(published.map_or(UNPUBLISHED, |_| "as many as published"))
}

/// A format of solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SolutionFormat {
    /// A board of Q and . for each
    Board,
    /// A line for each: the column of the queen of each row; columns are numbered from 0
    List,
    /// One JSON document
    Json,
    /// One picture; too many boards for one are refused
    Svg,
}

/// A solution to be written.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FoundSolution {
    /// The number of the solution, from 1.
    pub(crate) number: u64,
    /// The number of different solutions among its rotations and reflections; with `--fundamental` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) orbit_size: Option<usize>,
    /// The columns of the queens of rows 0, 1, …, counted from 0.
    pub(crate) columns: Vec<usize>,
}

/// Returns the format of a document with solutions of a board of `size` rows; unless `many` is true, there is at most
/// one. `setup` has the given queens and blocked squares, if any.
fn chosen(
    format: SolutionFormat,
    size: usize,
    setup: Option<&Setup>,
    many: bool,
) -> Box<dyn DocumentFormat<FoundSolution>> {
    let setup = setup.map(setup::in_line);
    match format {
        SolutionFormat::Board => Box::new(move |found: &FoundSolution| board(found, many)),
        SolutionFormat::List => Box::new(list),
        SolutionFormat::Json => {
            let schema = "nqueens/solutions/1";
            let head = json!({ "schema": schema, "program_version": VERSION, "board": size, "setup": setup });
            Box::new(Json::new(&head, "solutions"))
        }
        SolutionFormat::Svg => Box::new(Svg(Picture::new(size, many))),
    }
}

impl FoundSolution {
    /// Returns the heading of a board: its number and its orbit.
    fn heading(&self) -> String {
        let orbit = self.orbit_size.map_or(String::new(), |size| format!(" (orbit of {size})"));
        format!("Solution {}{orbit}", self.number)
    }
}

/// Returns a board of `Q` and `.`, a line for each row, under a heading if there are `many`.
fn board(found: &FoundSolution, many: bool) -> String {
    let mut text = String::new();
    if many {
        let blank = if found.number > 1 { "\n" } else { "" };
        text = format!("{blank}{}\n", found.heading());
    }
    let size = found.columns.len();
    for &queen in &found.columns {
        for column in 0..size {
            text.push(if column == queen { 'Q' } else { '.' });
            text.push(if column + 1 == size { '\n' } else { ' ' });
        }
    }
    text
}

/// Returns a line such as `[3, 6, 2, 7, 1, 4, 0, 5]`.
fn list(found: &FoundSolution) -> String {
    let orbit = found.orbit_size.map_or(String::new(), |size| format!(" orbit of {size}"));
    format!("{:?}{orbit}\n", found.columns)
}

/// One picture of all solutions, several boards in a row. The boards are kept until the last one has come, because the
/// first line has the size of the picture.
struct Svg(Picture);

impl DocumentFormat<FoundSolution> for Svg {
    fn item(&mut self, found: &FoundSolution) -> String {
        self.0.add(&found.heading(), &found.columns);
        String::new()
    }

    fn end(&mut self, _complete: bool) -> String {
        /// The side of a square, in pixels.
        const SQUARE: usize = 40;
        self.0.svg(SQUARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_solutions_that_is_wrong_fails() {
        let board = |size| Board::new(size).unwrap();
        assert_eq!(judge(board(8), 92, false).unwrap(), "as many as published");
        assert_eq!(judge(board(8), 12, true).unwrap(), "as many as published");
        assert!(judge(board(29), 1, false).unwrap().contains("no published number"));
        for (found, fundamental) in [(91, false), (12, false), (92, true)] {
            let Err(Failure::Failed(message)) = judge(board(8), found, fundamental) else { panic!("{found} is wrong") };
            assert!(message.contains(&found.to_string()) && message.contains("is published"), "{message}");
        }
    }
}
