//! The backtracker: queens are placed row by row, and three bit masks say which squares of the next row are free.
//!
//! - `plan` cuts the [tree of placements](crate::tree) into units, one of each two that mirror each other;
//! - `scalar` is the plain kernel, which visits the placements below a node one at a time;
//! - `vector` holds the kernels that visit many at a time.
//!
//! `docs/backtrack.md` explains the method and why every solution is counted once.

mod plan;
mod scalar;
mod vector;

pub(super) use plan::settings_of_plan;

use super::costs;
use super::kernel::SupportedKernel;
use super::{Counter, Engine, Kernel, PrepareError, SPLIT_ROWS, Settings, StopReason, Units, Worker};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::tree::Node;
use plan::Cut;

/// Returns settings for every number of rows that the board may be split at.
pub(super) fn variants() -> Vec<Settings> {
    SPLIT_ROWS.map(|rows| Settings { split_rows: Some(rows), ..Settings::default() }).collect()
}

/// Cuts the count of a board into units. See [`Engine::prepare`].
pub(super) fn prepare(board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError> {
    if settings.exchanged {
        return Err(PrepareError::Setting { engine: Engine::Backtrack, lack: "has no second route" });
    }
    let supported = Engine::Backtrack.choose_kernel(settings.kernel)?;
    let kernel = supported.kernel();
    let (plan, cut) = Cut::new(board, settings, cancel)?;
    let expected_seconds = cut.nodes / costs::nodes_per_second(kernel);
    let most_rows = cut.units.iter().map(|unit| unit.rows_left() as usize).max().unwrap_or(0);
    let scratch_bytes = vector::scratch_bytes(supported, most_rows);
    let units = Box::new(PreparedCut { cut, most_rows, supported, count_nodes: settings.count_nodes });
    Ok(Counter { plan, kernel, scratch_bytes, expected_seconds, devices: Vec::new(), device_room: None, units })
}

/// The units of the backtracker, ready to be counted.
#[derive(Debug)]
struct PreparedCut {
    cut: Cut,
    /// The most rows that a unit leaves to the search.
    most_rows: usize,
    supported: SupportedKernel,
    count_nodes: bool,
}

impl Units for PreparedCut {
    fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason> {
        let size = self.cut.board.size();
        let open = self.cut.open.as_ref().map(|open| &open[..size]);
        let nodes = self.count_nodes.then_some(0);
        let scalar = || -> Box<dyn NodeCounter + '_> { Box::new(Scalar { open, nodes }) };
        let search = vector::search(self.supported, self.most_rows, size, open).unwrap_or_else(scalar);
        Ok(Box::new(SearchWorker { cut: &self.cut, search }))
    }
}

/// A search with one kernel, and the scratch memory of one thread.
trait NodeCounter {
    /// Returns the number of solutions that contain the placement `node`.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When more rows are left than the search was made for, or the node has more columns.
    fn count(&mut self, node: Node, cancel: &Cancel) -> Result<u128, Cancelled>;

    /// Returns the kernel.
    fn kernel(&self) -> Kernel;

    /// Returns the nodes visited in all searches; `None` if they are not counted. The vector kernels visit the nodes
    /// that pass the look-ahead and the nodes with two rows left.
    fn nodes(&self) -> Option<u64>;
}

/// The scalar kernel. It counts the nodes that it visits if asked to, but never those of a setup.
struct Scalar<'a> {
    /// For each row, the columns in which its queen may stand; `None` if all columns are open.
    open: Option<&'a [u32]>,
    nodes: Option<u64>,
}

impl NodeCounter for Scalar<'_> {
    fn count(&mut self, node: Node, cancel: &Cancel) -> Result<u128, Cancelled> {
        match (self.open, &mut self.nodes) {
            (None, None) => scalar::count(node, &mut || (), cancel),
            (None, Some(nodes)) => scalar::count(node, &mut || *nodes += 1, cancel),
            (Some(open), _) => scalar::count_open(node, &open[open.len() - node.rows_left() as usize..], cancel),
        }
    }

    fn kernel(&self) -> Kernel {
        Kernel::Scalar
    }

    fn nodes(&self) -> Option<u64> {
        self.nodes
    }
}

struct SearchWorker<'a> {
    cut: &'a Cut,
    search: Box<dyn NodeCounter + 'a>,
}

impl Worker for SearchWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        Ok(u128::from(self.cut.weight) * self.search.count(self.cut.units[unit], cancel)?)
    }

    fn kernel(&self) -> Kernel {
        self.search.kernel()
    }

    fn nodes(&self) -> Option<u64> {
        self.search.nodes()
    }
}
