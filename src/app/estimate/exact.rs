//! `nqueens estimate --exact`: the nodes of the backtracking tree, counted row by row.

use super::Arguments;
use crate::app::assessment::{Assessment, count_again};
use crate::app::failure::Failure;
use crate::app::output::Sink;
use crate::app::output::words::grouped;
use crate::app::rows::{Cell, Kind, Ratio, Report, Row};
use nqueens::classic::nodes_per_row;
use nqueens::engine::check_search;
use nqueens::run::on_threads;
use nqueens::{Board, Cancel};
use serde::Serialize;

/// The number of characters of the longest bar.
const BAR: f64 = 40.0;

/// Counts the nodes of each row and writes a row for each to `output`.
pub(super) fn execute(arguments: &Arguments, output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { board, ref counting, ref printing, .. } = *arguments;
    check_search(board, None).map_err(|error| Failure::Usage(error.to_string()))?;
    let nodes = {
        let bar = printing.bar(format!("N = {board}"));
        on_threads(counting.threads.number(), || nodes_per_row(board, cancel, &bar))?
            .map_err(|error| Failure::from_count(board, error))?
    };
    Report::open(printing.format(), Kind::Many("nqueens/nodes/1"), output).all(&rows(board, &nodes))?;

    let (all, solutions): (u64, u64) = (nodes.iter().sum(), nodes[nodes.len() - 1]);
    let judged = Assessment::new(board, solutions.into(), false);
    printing.remark(format_args!("{} nodes in all; the last row is the solutions: {}", grouped(all), judged.verdict()));
    judged.accepted(&count_again(board))
}

/// A row of the backtracking tree.
#[derive(Serialize)]
struct NodesRow {
    board: Board,
    queens: usize,
    nodes: u64,
    children: Option<Ratio>,
    /// The nodes as a share of those of the largest row.
    #[serde(skip)]
    share: f64,
}

impl Row for NodesRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("queens", 6, Some(self.queens)),
            Cell::number("nodes", 14, Some(grouped(self.nodes))),
            Cell::number("children each", 13, self.children),
            Cell::word("", 0, Some("#".repeat((self.share * BAR).ceil() as usize))),
        ]
    }
}

/// Returns a row for each number of queens placed.
fn rows(board: Board, nodes: &[u64]) -> Vec<NodesRow> {
    let most = nodes.iter().copied().max().unwrap_or(1) as f64;
    let children = |queens: usize| nodes.get(queens + 1).filter(|_| nodes[queens] > 0);
    let row = |queens: usize| NodesRow {
        board,
        queens,
        nodes: nodes[queens],
        children: children(queens).map(|&next| Ratio(next as f64 / nodes[queens] as f64)),
        share: nodes[queens] as f64 / most,
    };
    (0..nodes.len()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::rows::tests::{texts, value};
    use serde_json::json;

    #[test]
    fn bars_are_as_long_as_there_are_nodes() {
        let rows = rows(Board::new(4).unwrap(), &[1, 4, 8, 4, 0]);
        assert_eq!(rows.iter().map(|row| texts(row)[3].len()).collect::<Vec<_>>(), [5, 20, 40, 20, 0]);
        assert_eq!([1, 3, 4].map(|queens| value(&rows[queens], "children")), [json!(2.0), json!(0.0), json!(null)]);
    }
}
