//! The two-color engine: it counts without enumerating.
//!
//! A diagonal never leaves its square colour, so queens on white squares and queens on black squares meet only in rows and
//! columns. For every choice of the white queens' rows and columns the solutions are the product of the white placements
//! and the black placements that complete each other; the sum of these products is the count. `docs/two-color.md` explains the
//! method, proves the weights and says what it costs.
//!
//! - `geometry` names squares by colour and half-line; `class` finds the placements on the squares of one class, `lanes` and
//!   `lists` arrange them;
//! - `part` fixes which sets of rows and columns are visited, and what they weigh by symmetry;
//! - `layout`, `sweep` and `matrix` count compatible pairs of placements, on the loops of `kernel`;
//! - `counting` makes a part ready, `count` multiplies the two colours for one unit of it; `cost` estimates and `plan` cuts
//!   everything into units.

mod class;
mod cost;
mod count;
mod counting;
mod geometry;
mod kernel;
mod lanes;
mod layout;
mod lists;
mod loops;
mod matrix;
mod part;
mod plan;
mod sweep;
#[cfg(test)]
mod tests;

use super::kernel::{SupportedKernel, match_kernel};
use super::{Counter, Engine, Kernel, Plan, PrepareError, Settings, Worker};
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use count::Scratch;
use counting::Counting;
use geometry::{Geometry, LARGEST};
use part::Part;
use plan::Unit;
use rayon::prelude::*;

/// Lanes and lists are made once, for all threads, where they take no more bytes than this. That is so for boards up to
/// N = 20; on larger ones every unit makes its own, which takes a twentieth of its time.
const SHARED_BYTES: u64 = 128 << 20;

/// The name of its plan.
const PLAN: &str = "row-sets";

/// The largest board that the engine counts.
pub const LARGEST_BOARD: usize = LARGEST;

#[doc(hidden)]
pub use loops::{Loop, loops};

/// The engine that multiplies the placements of two colours.
#[derive(Clone, Copy, Debug)]
pub struct TwoColor;

impl Engine for TwoColor {
    fn name(&self) -> &'static str {
        "two-color"
    }

    fn kernels(&self) -> Vec<Kernel> {
        super::supported_kernels().filter(|&kernel| kernel != Kernel::Scalar).collect()
    }

    fn largest_board(&self) -> usize {
        LARGEST_BOARD
    }

    fn variants(&self) -> Vec<Settings> {
        [false, true].map(|exchanged| Settings { exchanged, ..Settings::default() }).to_vec()
    }

    fn settings_of_plan(&self, name: &str) -> Option<Settings> {
        (name == PLAN).then(Settings::default)
    }

    fn prepare(&self, board: Board, settings: &Settings, cancel: &Cancel) -> Result<Box<dyn Counter>, PrepareError> {
        if settings.split_rows.is_some() {
            return Err(PrepareError::NoSplitRows { engine: self.name() });
        }
        if settings.symmetry.is_some() {
            return Err(PrepareError::NoSymmetry { engine: self.name() });
        }
        super::check_board(self, board)?;
        let kernel = super::choose_kernel(self, settings)?;
        let geometry = Geometry::new(board);
        let mut parts: Vec<Counting> = Part::all(geometry).into_par_iter().map(Counting::new).collect();
        let (units, weights) = plan::units(&parts, cancel)?;
        let plan = Plan::new(self.name(), board, PLAN.to_owned(), weights, Part::divisor(geometry));
        let plan = plan.marked(units.iter().flat_map(|unit| unit.numbers(&parts)));
        if settings.exchanged {
            parts = parts.into_par_iter().map(Counting::exchange).collect();
        } else if parts.iter().map(Counting::shared_bytes).sum::<u64>() <= SHARED_BYTES {
            parts.iter_mut().try_for_each(|part| part.share(cancel))?;
        }
        let scratch = plan::bytes(&parts);
        Ok(Box::new(Prepared { plan, parts, units, scratch, kernel }))
    }
}

/// The plan of a board, ready to be counted.
#[derive(Debug)]
struct Prepared {
    plan: Plan,
    parts: Vec<Counting>,
    units: Vec<Unit>,
    /// The bytes that a worker takes, estimated.
    scratch: u64,
    kernel: SupportedKernel,
}

impl Counter for Prepared {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn kernel(&self) -> Kernel {
        self.kernel.kernel()
    }

    fn expected_seconds(&self) -> f64 {
        // The weights are nanoseconds with AVX-512. The others are slower by these factors at N = 13 to 17.
        let factor = match self.kernel() {
            Kernel::Avx512 => 1.0,
            Kernel::Avx2 => 2.0,
            Kernel::Portable => 5.0,
            Kernel::Scalar => no_scalar_kernel(),
        };
        factor * self.plan.total_weight() as f64 * 1e-9
    }

    fn scratch_bytes(&self) -> u64 {
        self.scratch
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        fn worker_on<K: kernel::Kernel>(kernel: K, prepared: &Prepared) -> Box<dyn Worker + '_> {
            Box::new(RowSetWorker { prepared, scratch: Scratch::default(), kernel })
        }
        match_kernel!(self.kernel, token => worker_on(token, self), scalar => no_scalar_kernel())
    }
}

/// Panics: a kernel is chosen among those of the engine.
fn no_scalar_kernel() -> ! {
    unreachable!("the two-color engine has no scalar kernel")
}

/// The worker of one thread.
struct RowSetWorker<'a, K> {
    prepared: &'a Prepared,
    scratch: Scratch,
    kernel: K,
}

impl<K: kernel::Kernel> Worker for RowSetWorker<'_, K> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Unit { part, even_rows, row_block } = self.prepared.units[unit].clone();
        self.scratch.count(self.kernel, &self.prepared.parts[part], even_rows, row_block, cancel)
    }
}
