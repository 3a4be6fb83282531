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

pub use plan::SPLIT_ROWS;

use super::kernel::SupportedKernel;
use super::{Counter, CountingEngine, Engine, Kernel, Plan, PrepareError, Settings, Worker};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::tree::Node;
use plan::Cut;

/// The bit-mask backtracker, with mirror images left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backtrack;

impl CountingEngine for Backtrack {
    fn name(&self) -> &'static str {
        "backtrack"
    }

    fn kernels(&self) -> Vec<Kernel> {
        super::supported_kernels().collect()
    }

    fn variants(&self) -> Vec<Settings> {
        SPLIT_ROWS.map(|rows| Settings { split_rows: Some(rows), ..Settings::default() }).collect()
    }

    fn settings_of_plan(&self, name: &str) -> Option<Settings> {
        plan::settings_of_plan(name)
    }

    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
        if settings.exchanged {
            return Err(PrepareError::NoSecondRoute { engine: Engine::Backtrack });
        }
        let (kernel, supported) = super::choose_kernel(Engine::Backtrack, settings.kernel)?;
        let cut = Cut::new(board, settings, cancel)?;
        Ok(Box::new(PreparedCut { cut, kernel, supported, count_nodes: settings.count_nodes }))
    }
}

/// A plan of the backtracker, ready to be counted.
#[derive(Debug)]
struct PreparedCut {
    cut: Cut,
    kernel: Kernel,
    supported: SupportedKernel,
    count_nodes: bool,
}

impl Counter for PreparedCut {
    fn plan(&self) -> &Plan {
        &self.cut.plan
    }

    fn kernel(&self) -> Kernel {
        self.kernel
    }

    fn expected_seconds(&self) -> f64 {
        // The nodes of the tree that it is done with in a second on one thread of an Intel Xeon, family 6 model 207, those
        // it need not visit included.
        let nodes_per_second = match self.kernel {
            Kernel::Scalar => 1.5e8,
            Kernel::Portable => 2.5e8,
            Kernel::Avx2 => 2e9,
            // Estimated.
            Kernel::Neon => 1.5e9,
            // The backtracker has none for a GPU.
            Kernel::Avx512 | Kernel::Gpu => 7.5e9,
        };
        self.cut.nodes / nodes_per_second
    }

    fn scratch_bytes(&self) -> u64 {
        vector::scratch_bytes(self.supported, self.plan().board().size())
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        let size = self.plan().board().size();
        let open = self.cut.open.as_ref().map(|open| &open[..size]);
        let nodes = self.count_nodes.then_some(0);
        let scalar = || -> Box<dyn NodeCounter + '_> { Box::new(Scalar { open, nodes }) };
        let search = vector::search(self.supported, size, open).unwrap_or_else(scalar);
        Box::new(SearchWorker { cut: &self.cut, search })
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

    /// The nodes visited in all searches; `None` if they are not counted. The vector kernels visit those that pass the
    /// look-ahead, and those with two rows left.
    fn nodes(&self) -> Option<u64>;
}

/// The scalar kernel, with the nodes visited, if they are counted, which those of a setup are not.
struct Scalar<'a> {
    /// For each row, the columns in which its queen may stand; `None` where all may.
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

    fn nodes(&self) -> Option<u64> {
        self.nodes
    }
}

/// A worker of the backtracker.
struct SearchWorker<'a> {
    cut: &'a Cut,
    search: Box<dyn NodeCounter + 'a>,
}

impl Worker for SearchWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        Ok(u128::from(self.cut.plan.weight(unit)) * self.search.count(self.cut.units[unit], cancel)?)
    }

    fn nodes(&self) -> Option<u64> {
        self.search.nodes()
    }
}
