//! `nqueens profile`: the shape of the backtracking tree.

use crate::app::failure::Failure;
use crate::app::options::{ReportOptions, ThreadsOption};
use crate::app::output::Sink;
use crate::app::output::words::grouped;
use crate::app::rows::values::Ratio;
use crate::app::rows::{self, Cell, Row};
use crate::app::session::Session;
use crate::classic::nodes_per_row;
use crate::run::on_threads;
use crate::{Board, Cancel, Verdict, published};
use serde::Serialize;

/// Show how many nodes the backtracking tree has in each row
///
/// A node is a placement of queens in the first rows, none attacking another: backtracking visits them all. Their
/// number grows from row to row and shrinks again; the last row is the solutions (OEIS A319284). Each further row of
/// the board takes about seven times as long; N = 16 takes some seconds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens profile 8
  nqueens profile 14 --format csv")]
pub(crate) struct Arguments {
    /// The size of the board, which is the number of queens: 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    board: Board,

    #[command(flatten)]
    threads: ThreadsOption,

    #[command(flatten)]
    printing: ReportOptions,
}

/// A row of the tree.
#[derive(Default, Serialize)]
struct TreeRow {
    board: usize,
    queens: usize,
    nodes: u64,
    /// The mean number of children of a node; none in the last row, and where there are no nodes.
    children: Option<Ratio>,
    /// A bar as long as there are nodes, in tables for people.
    #[serde(skip)]
    bar: String,
}

impl Row for TreeRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("queens", 6, self.queens),
            Cell::number("nodes", 14, self.nodes),
            Cell::optional("children each", 13, self.children),
            Cell::word("", 0, &self.bar),
        ]
    }
}

/// The characters of the longest bar.
const BAR: f64 = 40.0;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let mut output = arguments.printing.open(&[])?;
    session.run(|cancel| outcome(arguments, &mut output, cancel))
}

fn outcome(arguments: &Arguments, output: &mut impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { board, ref printing, ref threads } = *arguments;
    let nodes = {
        let bar = printing.bar(format!("N = {board}"));
        on_threads(threads.number(), || nodes_per_row(board, cancel, &|share| bar.share(share)))?
            .map_err(|cancelled| Failure::Cancelled(format!("N = {board}: {cancelled}")))?
    };
    let mut report = rows::open(printing.format, "nqueens/profile/1", rows::Kind::Many, output);
    let written = rows(board, &nodes).iter().try_for_each(|row| report.row(row));
    written.and_then(|()| report.finish(true)).map_err(|error| Failure::writing(&error))?;

    let (all, solutions): (u64, u64) = (nodes.iter().sum(), nodes[nodes.len() - 1]);
    let verdict = Verdict::of(u128::from(solutions), published::total(board));
    printing.remark(format_args!("{} nodes in all; the last row is the solutions: {verdict}", grouped(all)));
    judge(board, solutions)
}

/// Returns an error if the nodes of the last row, which are the solutions, are not as many as published.
fn judge(board: Board, solutions: u64) -> Result<(), Failure> {
    match Verdict::of(u128::from(solutions), published::total(board)) {
        Verdict::Contradicts => Err(Failure::Failed(format!(
            "the last row has {solutions} nodes, which contradicts the published count for N = {board}"
        ))),
        Verdict::Matches | Verdict::NotPublished => Ok(()),
    }
}

/// Returns a row for each number of queens placed.
fn rows(board: Board, nodes: &[u64]) -> Vec<TreeRow> {
    let most = nodes.iter().copied().max().unwrap_or(1) as f64;
    let row = |(queens, &count): (usize, &u64)| TreeRow {
        board: board.size(),
        queens,
        nodes: count,
        children: nodes.get(queens + 1).filter(|_| count > 0).map(|&next| Ratio(next as f64 / count as f64)),
        bar: "#".repeat((count as f64 / most * BAR).ceil() as usize),
    };
    nodes.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_row_that_is_wrong_fails() {
        let board = |size| Board::new(size).unwrap();
        assert!(judge(board(8), 92).is_ok() && judge(board(28), 1).is_ok());
        assert!(matches!(judge(board(8), 93), Err(Failure::Failed(message)) if message.contains("93")));
    }

    #[test]
    fn bars_are_as_long_as_there_are_nodes() {
        let rows = rows(Board::new(4).unwrap(), &[1, 4, 8, 4, 0]);
        assert_eq!(rows.iter().map(|row| row.bar.len()).collect::<Vec<_>>(), [5, 20, 40, 20, 0]);
        assert_eq!([1, 3, 4].map(|row| rows[row].children), [Some(Ratio(2.0)), Some(Ratio(0.0)), None]);
    }
}
