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
use super::{Counter, CountingEngine, Kernel, Plan, PrepareError, Settings, Worker};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use plan::{Cut, Unit};
use scalar::Tally;

/// The bit-mask backtracker, with mirror images left out.
#[derive(Clone, Copy, Debug)]
pub struct Backtrack;

impl CountingEngine for Backtrack {
    fn name(&self) -> &'static str {
        "backtrack"
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
            return Err(PrepareError::NoSecondRoute { engine: self.name() });
        }
        let kernel = super::choose_kernel(self, settings)?;
        let cut = Cut::new(self.name(), board, settings, settings.kernel_to_plan_for(kernel.kernel()), cancel)?;
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

    fn expected_nodes(&self) -> Option<f64> {
        Some(self.cut.expected_nodes())
    }

    fn expected_seconds(&self) -> f64 {
        self.cut.expected_seconds(self.kernel())
    }

    fn scratch_bytes(&self) -> u64 {
        vector::scratch_bytes(self.kernel, self.cut.columns)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        if let Some(search) = vector::search(self.kernel, self.cut.columns) {
            Box::new(VectorWorker { units: &self.cut.units, search })
        } else if self.count_nodes {
            Box::new(ScalarWorker { units: &self.cut.units, tally: 0_u64 })
        } else {
            Box::new(ScalarWorker { units: &self.cut.units, tally: () })
        }
    }
}

/// The worker of the scalar kernel.
struct ScalarWorker<'a, T> {
    units: &'a [Unit],
    tally: T,
}

impl<T: Tally> Worker for ScalarWorker<'_, T> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Unit { node, rows, symmetry_weight } = &self.units[unit];
        Ok(u128::from(*symmetry_weight) * scalar::count_in(*node, rows, &mut self.tally, cancel)?)
    }

    fn nodes(&self) -> Option<u64> {
        self.tally.nodes()
    }
}

/// The worker of the vector kernels.
struct VectorWorker<'a> {
    units: &'a [Unit],
    search: Box<dyn vector::Search>,
}

impl Worker for VectorWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Unit { node, rows, symmetry_weight } = &self.units[unit];
        Ok(u128::from(*symmetry_weight) * vector::count(&mut *self.search, *node, rows, cancel)?)
    }

    fn nodes(&self) -> Option<u64> {
        Some(self.search.nodes())
    }
}
