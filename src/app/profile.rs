//! `nqueens profile`: the shape of the backtracking tree.

use crate::app::failure::Failure;
use crate::app::options::{Printing, Threads};
use crate::app::output::words::grouped;
use crate::app::output::{self, Cell, Column, Detail, Layout, Rows, Sink};
use crate::app::session::Session;
use crate::classic::nodes_per_row;
use crate::run::on_threads;
use crate::{Board, Cancel, Verdict, published};

/// Show how many nodes the backtracking tree has in each row
///
/// A node is a placement of queens in the first rows, none attacking another: it is what backtracking visits, whatever it
/// finds attacks with. The tree swells and shrinks again; the last row is the solutions (OEIS A319284). All nodes are
/// visited, so that a row more takes about seven times as long; N = 16 takes some seconds.
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
    threads: Threads,

    #[command(flatten)]
    printing: Printing,
}

const COLUMNS: &[Column] = &[
    Column::of_record("board"),
    Column { key: "queens", heading: "queens", width: 6, detail: Detail::Table },
    Column { key: "nodes", heading: "nodes", width: 14, detail: Detail::Table },
    Column { key: "children", heading: "children each", width: 13, detail: Detail::Table },
    Column { key: "bar", heading: "", width: 0, detail: Detail::Screen },
];

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
    let layout = Layout { schema: "nqueens/profile/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = output::open(printing.format, layout, output);
    let written = rows(board, &nodes).iter().try_for_each(|row| report.row(row));
    written.and_then(|()| report.finish(true)).map_err(|error| Failure::writing(&error))?;

    let (all, solutions): (u64, u64) = (nodes.iter().sum(), nodes[nodes.len() - 1]);
    let verdict = Verdict::of(u128::from(solutions), published::total(board));
    printing.remark(format_args!("{} nodes in all; the last row is the solutions: {verdict}", grouped(all)));
    judge(board, solutions)
}

/// The nodes of the last row are the solutions, whose number is published.
fn judge(board: Board, solutions: u64) -> Result<(), Failure> {
    match Verdict::of(u128::from(solutions), published::total(board)) {
        Verdict::Contradicts => Err(Failure::Failed(format!(
            "the last row has {solutions} nodes, which contradicts the published count for N = {board}"
        ))),
        Verdict::Matches | Verdict::NotPublished => Ok(()),
    }
}

/// A row for each number of queens placed.
fn rows(board: Board, nodes: &[u64]) -> Vec<Vec<Cell>> {
    let most = nodes.iter().copied().max().unwrap_or(1) as f64;
    let next = nodes.iter().skip(1).map(Some).chain([None]);
    let rows = nodes.iter().zip(next).enumerate().map(|(queens, (&nodes, next))| {
        let children = next.filter(|_| nodes > 0).map(|&next| next as f64 / nodes as f64);
        vec![
            Cell::Integer(board.size() as u64),
            Cell::Integer(queens as u64),
            Cell::Integer(nodes),
            children.map_or(Cell::Missing, Cell::Ratio),
            Cell::Text("#".repeat((nodes as f64 / most * BAR).ceil() as usize)),
        ]
    });
    rows.collect()
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
        let bars: Vec<usize> = rows
            .iter()
            .map(|row| match &row[4] {
                Cell::Text(bar) => bar.len(),
                other => panic!("no bar: {other:?}"),
            })
            .collect();
        assert_eq!(bars, [5, 20, 40, 20, 0]);
        assert_eq!(rows[1][3], Cell::Ratio(2.0));
        assert_eq!((&rows[3][3], &rows[4][3]), (&Cell::Ratio(0.0), &Cell::Missing));
    }
}
