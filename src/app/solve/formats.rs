//! The formats of solutions. A format is a line in [`open`].

use crate::app::output::document::{DocumentFormat, Json};
use crate::app::rows::fields::{VERSION, Version};
use crate::app::rows::row;
use crate::app::setup;
use nqueens::Setup;
use nqueens::classic::Picture;
use serde::Serialize;

/// A format of solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SolutionFormat {
    /// A board of Q and . for each
    Board,
    /// A line for each: the column of the queen of each row; columns are numbered from 0
    List,
    /// One JSON document
    Json,
    /// A header and a line for each; the columns are in one field
    Csv,
    /// One picture; too many boards for one are refused
    Svg,
}

/// A solution to be written.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
pub(crate) struct FoundSolution {
    /// The number of the solution, from 1.
    pub(crate) number: u64,
    /// The number of different solutions among its rotations and reflections; with `--fundamental` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) orbit_size: Option<usize>,
    /// The columns of the queens of rows 0, 1, …, counted from 0.
    pub(crate) columns: Vec<usize>,
}

row! {
    /// The beginning of solutions as JSON.
    pub(crate) struct SolutionsHead(size: usize, setup: Option<String>) {
        schema: &'static str = "nqueens/solutions/1",
        /// N, the number of rows of the board.
        board: usize = size,
        /// The given queens and blocked squares of the board: its rows, from the first on, with `/` between two; null
        /// if it has none.
        setup: Option<String> = setup,
        program_version: Version = VERSION,
    }
}

/// Returns the format of a document with solutions of a board of `size` rows; unless `many` is true, there is at most
/// one. `setup` has the given queens and blocked squares, if any.
pub(crate) fn open(
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
            Box::new(Json::new(&SolutionsHead::new(size, setup), "solutions", serde_json::to_string))
        }
        SolutionFormat::Csv => {
            Box::new(Csv(format!("{size},{},{}", setup.unwrap_or_default(), env!("NQUEENS_VERSION"))))
        }
        SolutionFormat::Svg => Box::new(Svg(Picture::new(size, many))),
    }
}

/// Comma-separated values. No field has a comma. The text here is the last fields, which are the same in each line.
struct Csv(String);

impl DocumentFormat<FoundSolution> for Csv {
    fn head(&self, first: Option<&FoundSolution>) -> String {
        first.map_or(String::new(), |_| "number,orbit_size,columns,board,setup,program_version\n".to_owned())
    }

    fn item(&mut self, found: &FoundSolution) -> String {
        let orbit_size = found.orbit_size.map_or(String::new(), |size| size.to_string());
        let columns: Vec<String> = found.columns.iter().map(usize::to_string).collect();
        format!("{},{orbit_size},{},{}\n", found.number, columns.join(" "), self.0)
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

    fn tail(&self, _complete: bool) -> String {
        /// The side of a square, in pixels.
        const SQUARE: usize = 40;
        self.0.svg(SQUARE)
    }
}
