//! The backtracker: queens are placed row by row, and three bit masks say which squares of the next row are free.
//!
//! - `node` is a placement of the first rows, as bit masks, and `rows` are the rows that are left;
//! - `plan` cuts the tree of placements into units, one of each two or four that mirror each other, as `reduction`
//!   says;
//! - `scalar` is the plain kernel, which visits the placements below a node one at a time;
//! - `vector` holds the kernels that visit many at a time.
//!
//! `docs/backtrack.md` explains the method and why every solution is counted once.

pub(crate) mod node;
pub(crate) mod plan;
mod reduction;
mod rows;
pub(crate) mod scalar;
mod vector;

pub use plan::MOST_SPLIT_ROWS;
pub use reduction::{ParseSymmetryReductionError, SymmetryReduction};

use super::kernel::SupportedKernel;
use super::{Counter, CountingEngine, Engine, Kernel, Plan, PrepareError, Settings, Worker};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use node::Node;
use plan::{Cut, Unit};
use rows::Rows;

/// The bit-mask backtracker, with mirror images left out.
#[derive(Clone, Copy, Debug)]
pub struct Backtrack;

impl CountingEngine for Backtrack {
    fn engine(&self) -> Engine {
        Engine::Backtrack
    }

    fn kernels(&self) -> Vec<Kernel> {
        super::supported_kernels().collect()
    }

    fn variants(&self) -> Vec<Settings> {
        let with = |symmetry: SymmetryReduction| {
            let settings = Settings { symmetry: Some(symmetry), ..Settings::default() };
            symmetry.splits().map(move |rows| Settings { split_rows: Some(rows), ..settings })
        };
        SymmetryReduction::ALL.iter().copied().flat_map(with).collect()
    }

    fn settings_of_plan(&self, name: &str) -> Option<Settings> {
        let (symmetry, rows) = name.split_once('-')?;
        let symmetry: SymmetryReduction = symmetry.parse().ok()?;
        let rows = rows.parse().ok().filter(|rows| symmetry.splits().contains(rows))?;
        Some(Settings { symmetry: Some(symmetry), split_rows: Some(rows), ..Settings::default() })
    }

    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
        if settings.exchanged {
            return Err(PrepareError::NoSecondRoute { engine: self.engine() });
        }
        let kernel = super::choose_kernel(self, settings)?;
        let cut = Cut::new(board, settings, settings.kernel_to_plan_for(kernel.kernel()), cancel)?;
        Ok(Box::new(Prepared { cut, kernel, count_nodes: settings.count_nodes }))
    }
}

/// A plan of the backtracker, ready to be counted.
#[derive(Debug)]
struct Prepared {
    cut: Cut,
    kernel: SupportedKernel,
    count_nodes: bool,
}

impl Counter for Prepared {
    fn plan(&self) -> &Plan {
        &self.cut.plan
    }

    fn kernel(&self) -> Kernel {
        self.kernel.kernel()
    }

    fn expected_seconds(&self) -> f64 {
        self.cut.expected_seconds(self.kernel())
    }

    fn scratch_bytes(&self) -> u64 {
        vector::scratch_bytes(self.kernel, self.cut.columns)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        let scalar = || -> Box<dyn Search> { if self.count_nodes { Box::new(0_u64) } else { Box::new(()) } };
        let search = vector::search(self.kernel, self.cut.columns).unwrap_or_else(scalar);
        Box::new(SearchWorker { units: &self.cut.units, search })
    }
}

/// A search with one kernel, and the scratch memory of one thread.
trait Search {
    /// Returns the number of solutions that contain the placement `node`, whose rows are the last of `rows`.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When more rows are left than the search was made for, or the node has more columns.
    fn count(&mut self, node: Node, rows: &Rows, cancel: &Cancel) -> Result<u128, Cancelled>;

    /// The nodes visited in all searches; `None` if they are not counted. The vector kernels visit those that pass the
    /// look-ahead, and those with two rows left.
    fn nodes(&self) -> Option<u64>;

    /// The number of columns that a word of a lane has bits for.
    #[cfg(test)]
    fn word_columns(&self) -> u32 {
        u32::BITS
    }
}

/// A worker of the backtracker.
struct SearchWorker<'a> {
    units: &'a [Unit],
    search: Box<dyn Search>,
}

impl Worker for SearchWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Unit { node, rows, symmetry_weight } = &self.units[unit];
        Ok(u128::from(*symmetry_weight) * self.search.count(*node, rows, cancel)?)
    }

    fn nodes(&self) -> Option<u64> {
        self.search.nodes()
    }
}
