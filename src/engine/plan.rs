//! The plan of a count: its independent units.

use crate::board::Board;
use crate::engine::Engine;
use crate::setup::Setup;

/// The units of a count, with the work expected of each and the way in which their partial counts make up the total.
///
/// A plan does not depend on kernels, threads or machines: engine, board and plan name together fix its units. The
/// partial counts of one plan therefore add up, however and on whatever machine they were counted.
///
/// ```
/// use nqueens::{Board, Cancel, Job};
///
/// let prepared = Job::new(Board::new(8)?).prepare(&Cancel::new())?;
/// let plan = prepared.plan();
/// println!("plan {} has {} units", plan.name(), plan.units());
/// # assert_eq!(plan.board().size(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    board: Board,
    engine: Engine,
    name: String,
    work: Vec<u64>,
    /// The symmetry factors, which divide the partial counts of the units; empty if all are 1.
    factors: Vec<u8>,
    divisor: u64,
    /// A hash of the units and of their factors.
    units_hash: u64,
    /// The setup to which the units belong. The name contains it.
    pub(super) setup: Option<Setup>,
}

impl Plan {
    /// Returns the given queens and blocked squares of the board; `None` if it has none.
    pub fn setup(&self) -> Option<&Setup> {
        self.setup.as_ref()
    }

    /// Returns the board whose solutions are counted.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the engine that made the plan.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Returns the name, which says in a word how the count is cut up.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of units. They are numbered from 0.
    pub fn units(&self) -> usize {
        self.work.len()
    }

    /// Returns the work expected of `unit`, relative to the other units.
    ///
    /// # Panics
    /// When there is no such unit.
    pub fn work(&self, unit: usize) -> u64 {
        self.work[unit]
    }

    /// Returns the symmetry factor of `unit`: its partial count is a multiple of this number.
    pub fn factor(&self, unit: usize) -> u64 {
        self.factors.get(unit).map_or(1, |&factor| factor.into())
    }

    /// Returns the work expected of some units together.
    ///
    /// # Panics
    /// When there is no such unit.
    pub fn work_of(&self, units: impl IntoIterator<Item = usize>) -> u64 {
        units.into_iter().map(|unit| self.work(unit)).sum()
    }

    /// Returns the work expected of all units together.
    pub fn total_work(&self) -> u64 {
        self.work.iter().sum()
    }

    /// Returns the number by which the sum of all partial counts is divided.
    pub fn divisor(&self) -> u64 {
        self.divisor
    }

    /// Returns the number by which a ledger is recognised. It differs between plans with different units, and does not
    /// depend on their work.
    pub fn fingerprint(&self) -> u64 {
        let numbers = [self.board.size() as u64, self.divisor, self.work.len() as u64, self.units_hash];
        let numbers = numbers.into_iter().flat_map(u64::to_le_bytes);
        fnv1a(self.engine.name().bytes().chain([0]).chain(self.name.bytes()).chain([0]).chain(numbers))
    }

    /// Returns the units longest first, so that the last units to end are short. Work that differs by less than a
    /// quarter may count as equal: such units keep the order of their numbers, because neighbours may need the same
    /// tables.
    pub fn longest_first(&self) -> Vec<usize> {
        // The leading bits of the work.
        let about = |work: u64| (work.ilog2(), work >> work.ilog2().saturating_sub(2));
        let mut order: Vec<usize> = (0..self.units()).collect();
        order.sort_by_cached_key(|&unit| std::cmp::Reverse(about(self.work[unit])));
        order
    }

    /// Returns the work that `workers` could do in the time in which they are sure to finish these units: the work of
    /// the units and the greatest possible idle time.
    ///
    /// A worker takes the next unit whenever it is free, so that no other worker is idle for longer than one unit
    /// takes. The time is at most *W*/*p* + (1 − 1/*p*)·*w*, with *W* the work of all units, *w* that of the longest
    /// and *p* workers (R. L. Graham, *Bounds on multiprocessing timing anomalies*, 1969).
    pub(crate) fn work_and_idleness(&self, units: &[usize], workers: usize) -> f64 {
        let longest = units.iter().map(|&unit| self.work[unit]).max().unwrap_or(0);
        self.work_of(units.iter().copied()) as f64 + workers.saturating_sub(1) as f64 * longest as f64
    }
}

// Tests make plans of their own.
#[doc(hidden)]
impl Plan {
    /// Makes a plan of `engine` named `name`, with one unit for each of `work`.
    ///
    /// A unit's work is the time expected of it, relative to the other units; it must be at least 1. The sum of all
    /// partial counts divided by `divisor` is the number of solutions.
    ///
    /// # Panics
    /// When the divisor or the work of a unit is 0, or all work adds up to 2⁶⁴ or more.
    pub fn new(engine: Engine, board: Board, name: String, work: Vec<u64>, divisor: u64) -> Self {
        assert!(divisor > 0, "a plan's divisor is at least 1");
        assert!(work.iter().all(|&work| work > 0), "a unit's work is at least 1");
        let sum = work.iter().try_fold(0_u64, |sum, &work| sum.checked_add(work));
        assert!(sum.is_some(), "all work adds up to less than 2⁶⁴");
        Self { board, engine, name, work, factors: Vec::new(), divisor, units_hash: 0, setup: None }
    }

    /// Adds the identity of the units to the [`fingerprint`](Self::fingerprint): numbers that differ between plans with
    /// other units, or with the same units in another order. The units also get their symmetry factors here; otherwise
    /// the factors are 1.
    #[must_use]
    pub fn with_units(self, units: impl Iterator<Item = u64>, factors: Vec<u8>) -> Self {
        // Mixing takes only a multiplication and a shift, because there are many numbers.
        let mixed = |hash: u64, number: u64| {
            let hash = (hash ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^ hash >> 32
        };
        Self { units_hash: units.fold(1, mixed), factors, ..self }
    }
}

/// Returns the 64-bit hash FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923).
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::{fuzz, list, within};

    /// Workers that take the next unit when they are free are never idle for longer than promised.
    #[test]
    fn fuzz_a_simulated_run_takes_no_longer_than_promised() {
        fuzz(256, |random| {
            let work = list(random, 1..200, |random| within(random, 1..1000) as u64);
            let workers = within(random, 1..70);
            let longest = *work.iter().max().unwrap();
            let plan = Plan::new(Engine::Backtrack, Board::new(8).unwrap(), "test".into(), work, 1);
            let mut free_at = vec![0_u64; workers];
            let order = plan.longest_first();
            for &unit in &order {
                *free_at.iter_mut().min().unwrap() += plan.work(unit);
            }
            let taken = *free_at.iter().max().unwrap() as f64 * workers as f64;
            let promised = plan.work_and_idleness(&order, workers);
            assert!(taken <= promised, "{taken}, not {promised}");
            let idle = promised - plan.total_work() as f64;
            assert!((idle - (workers as u64 - 1) as f64 * longest as f64).abs() < 0.5, "{idle}");
        });
    }
}
