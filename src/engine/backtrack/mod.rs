//! The backtracker: queens are placed row by row, and three bit masks say which squares of the next row are free.
//!
//! - `plan` cuts the tree of placements at its first rows into units, one of each mirrored pair;
//! - `node` is a placement of the first rows, as bit masks;
//! - `scalar` is the plain kernel, which visits the placements below a node one at a time;
//! - `vector` are the kernels that visit many at a time.
//!
//! `docs/backtrack.md` explains the method and why every solution is counted once.

pub(crate) mod node;
pub(crate) mod plan;
pub(crate) mod scalar;
mod vector;

pub use plan::MOST_SPLIT_ROWS;

use super::{Counter, Engine, Kernel, Plan, PrepareError, Settings, Worker};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use plan::{Unit, mirror_plan};
use scalar::Tally;

/// The bit-mask backtracker with mirror symmetry.
#[derive(Clone, Copy, Debug)]
pub struct Backtrack;

impl Engine for Backtrack {
    fn name(&self) -> &'static str {
        "backtrack"
    }

    fn kernels(&self) -> Vec<Kernel> {
        [Kernel::Avx512, Kernel::Avx2, Kernel::Portable, Kernel::Scalar]
            .into_iter()
            .filter(|kernel| kernel.is_supported())
            .collect()
    }

    fn variants(&self) -> Vec<Settings> {
        (1..=MOST_SPLIT_ROWS).map(|rows| Settings { split_rows: Some(rows), ..Settings::default() }).collect()
    }

    fn prepare(&self, board: Board, settings: &Settings) -> Result<Box<dyn Counter>, PrepareError> {
        let (plan, units, expected_nodes) = mirror_plan(self.name(), board, settings)?;
        let kernel = super::choose_kernel(self, settings)?;
        Ok(Box::new(Prepared { plan, units, expected_nodes, kernel, count_nodes: settings.count_nodes }))
    }
}

struct Prepared {
    plan: Plan,
    units: Vec<Unit>,
    expected_nodes: f64,
    kernel: Kernel,
    count_nodes: bool,
}

impl Counter for Prepared {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn kernel(&self) -> Kernel {
        self.kernel
    }

    fn expected_nodes(&self) -> Option<f64> {
        Some(self.expected_nodes)
    }

    fn scratch_bytes(&self) -> u64 {
        vector::scratch_bytes(self.kernel, self.plan.board())
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        if let Some(search) = vector::search(self.kernel, self.plan.board()) {
            Box::new(VectorWorker { units: &self.units, search })
        } else if self.count_nodes {
            Box::new(ScalarWorker { units: &self.units, tally: 0_u64 })
        } else {
            Box::new(ScalarWorker { units: &self.units, tally: () })
        }
    }
}

struct ScalarWorker<'a, T> {
    units: &'a [Unit],
    tally: T,
}

impl<T: Tally> Worker for ScalarWorker<'_, T> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Unit { node, symmetry_weight } = self.units[unit];
        Ok(u128::from(symmetry_weight) * scalar::count(node, &mut self.tally, cancel)?)
    }

    fn nodes(&self) -> Option<u64> {
        self.tally.nodes()
    }
}

struct VectorWorker<'a> {
    units: &'a [Unit],
    search: Box<dyn vector::Search>,
}

impl Worker for VectorWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Unit { node, symmetry_weight } = self.units[unit];
        Ok(u128::from(symmetry_weight) * vector::count(&mut *self.search, node, cancel)?)
    }

    fn nodes(&self) -> Option<u64> {
        Some(self.search.nodes())
    }
}
