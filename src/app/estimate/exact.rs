//! `nqueens estimate --exact`: the nodes of the backtracking tree, counted row by row.

use super::Arguments;
use crate::app::assessment::{Assessment, count_again};
use crate::app::failure::Failure;
use crate::app::output::Sink;
use crate::app::output::words::grouped;
use crate::app::rows::{self, Column};
use nqueens::classic::nodes_per_row;
use nqueens::engine::check_search;
use nqueens::run::on_threads;
use nqueens::{Board, Cancel};

/// The number of characters of the longest bar.
const BAR: f64 = 40.0;

/// Counts the nodes of each row and writes a row for each to `output`.
pub(super) fn execute(arguments: &Arguments, output: impl Sink, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { board, ref counting, ref printing, .. } = *arguments;
    let threads = counting.threads();
    check_search(board, None).map_err(|error| Failure::Usage(error.to_string()))?;
    let nodes = {
        let bar = printing.bar(format!("N = {board}"));
        on_threads(threads, || nodes_per_row(board, cancel, &bar))?
            .map_err(|error| Failure::from_count(board, error))?
    };
    let mut report = rows::open(printing.format(), "nqueens/nodes/1", rows::Kind::Many, output);
    let written = rows(board, &nodes).iter().try_for_each(|row| report.row(row));
    written.and_then(|()| report.finish(true))?;

    let (all, solutions): (u64, u64) = (nodes.iter().sum(), nodes[nodes.len() - 1]);
    let judged = Assessment::new(board, solutions.into(), false);
    printing.remark(format_args!("{} nodes in all; the last row is the solutions: {}", grouped(all), judged.verdict()));
    judged.accepted(&count_again(board))
}

/// Returns a row for each number of queens placed: the nodes, and the mean number of children of a node, which the last
/// row does not have.
fn rows(board: Board, nodes: &[u64]) -> Vec<Vec<Column>> {
    let most = nodes.iter().copied().max().unwrap_or(1) as f64;
    let row = |(queens, &count): (usize, &u64)| {
        let children = nodes.get(queens + 1).filter(|_| count > 0).map(|&next| next as f64 / count as f64);
        vec![
            Column::new("board", board.size()),
            Column::new("program_version", env!("NQUEENS_VERSION")),
            Column::new("queens", queens).number("queens", 6),
            Column::new("nodes", count).number("nodes", 14).shown(grouped(count)),
            Column::ratio("children", children).number("children each", 13),
            Column::for_people("#".repeat((count as f64 / most * BAR).ceil() as usize)).word("", 0),
        ]
    };
    nodes.iter().enumerate().map(row).collect()
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
