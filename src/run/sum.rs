//! The sum of the partial counts of a plan.

use super::count::Count;
use super::error::RunError;
use super::route::Route;
use crate::engine::{Kernel, Plan};
use std::time::Duration;

/// The counted units of a plan, all or some, at most one partial count for each:
/// [`PreparedJob::count_units`](crate::PreparedJob::count_units) returns it. All of them make a [`Count`].
///
/// ```
/// use nqueens::{Board, Cancel, Job};
///
/// let (job, cancel) = (Job::new(Board::new(11)?), Cancel::new());
/// let prepared = job.prepare(&cancel)?;
/// let sum = prepared.count_units(&prepared.units()[..2], &cancel, &())?;
/// assert_eq!(sum.so_far()?.0, 2);
/// assert!(sum.into_count().is_err(), "units are missing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sum<'a> {
    plan: &'a Plan,
    partials: Vec<Option<u128>>,
    /// The known routes.
    routes: Vec<Option<Route>>,
    /// The kernel that is named if no route is known.
    pub(super) kernel: Kernel,
    pub(super) nodes: Option<u64>,
    pub(super) device: Option<String>,
    pub(super) threads: usize,
    /// The time that the preparation and the count took.
    pub(super) elapsed: Duration,
}

impl<'a> Sum<'a> {
    /// Creates a sum without partial counts.
    pub(super) fn new(plan: &'a Plan, kernel: Kernel) -> Self {
        let (partials, routes) = (vec![None; plan.units()], vec![None; plan.units()]);
        Self { plan, partials, routes, kernel, nodes: None, device: None, threads: 1, elapsed: Duration::ZERO }
    }

    /// Adds the partial count of a unit, and the route by which it was counted, if that is known.
    ///
    /// # Errors
    /// Returns an error if the plan has no such unit, or the unit was added before.
    pub(crate) fn add(&mut self, unit: usize, partial: u128, route: Option<Route>) -> Result<(), RunError> {
        let empty = self.partials.get_mut(unit).filter(|added| added.is_none());
        *empty.ok_or_else(|| unexpected(unit))? = Some(partial);
        self.routes[unit] = route;
        Ok(())
    }

    /// Returns the number of units that were added, and the sum of their partial counts.
    ///
    /// # Errors
    /// Returns an error if the sum does not fit in 128 bits.
    pub fn so_far(&self) -> Result<(usize, u128), RunError> {
        let partials = self.partials.iter().flatten().copied();
        Ok((partials.clone().count(), added_up(partials).map_err(RunError::Sum)?))
    }

    /// Returns the finished count.
    ///
    /// # Errors
    /// Returns an error if a unit is missing, the sum does not fit in 128 bits, or the plan's divisor leaves a remainder.
    pub fn into_count(self) -> Result<Count, RunError> {
        let Self { plan, partials, routes, kernel, nodes, device, threads, elapsed } = self;
        if let Some(unit) = partials.iter().position(Option::is_none) {
            return Err(RunError::Sum(format!("unit {unit} was not counted")));
        }
        let partials: Vec<u128> = partials.into_iter().flatten().collect();
        Ok(Count {
            board: plan.board(),
            setup: plan.setup().copied(),
            total: total(plan, partials.iter().copied()).map_err(RunError::Sum)?,
            engine: plan.engine(),
            kernel: routes.iter().flatten().next().map_or(kernel, |route| route.kernel),
            device,
            plan: plan.name().to_owned(),
            units: plan.units(),
            threads,
            elapsed,
            nodes,
            routes,
            partials,
        })
    }
}

/// Returns the error for a unit that is given twice, or that the plan lacks.
pub(super) fn unexpected(unit: usize) -> RunError {
    RunError::Sum(format!("unit {unit} was counted twice, or does not exist"))
}

/// Returns the number of solutions: the sum of the partial counts of all units, divided by the plan's divisor.
///
/// # Errors
/// Returns the reason in words if the sum does not fit in 128 bits, or the divisor leaves a remainder.
pub(crate) fn total(plan: &Plan, partials: impl Iterator<Item = u128>) -> Result<u128, String> {
    let (sum, divisor) = (added_up(partials)?, plan.divisor());
    if sum.is_multiple_of(divisor.into()) {
        Ok(sum / u128::from(divisor))
    } else {
        Err(format!("the partial counts add up to {sum}, which is not a multiple of the plan's divisor {divisor}"))
    }
}

fn added_up(mut partials: impl Iterator<Item = u128>) -> Result<u128, String> {
    let sum = partials.try_fold(0, u128::checked_add);
    sum.ok_or_else(|| "the partial counts add up to more than 128 bits can hold".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::Engine;

    fn plan(units: usize, divisor: u64) -> Plan {
        Plan::new(Engine::Backtrack, Board::new(8).unwrap(), "test".into(), vec![1; units], divisor)
    }

    #[test]
    fn units_lost_doubled_or_unknown_are_errors() {
        let plan = plan(2, 1);
        let mut sum = Sum::new(&plan, Kernel::Scalar);
        sum.add(1, 5, None).unwrap();
        for unit in [1, 2] {
            let refused = sum.add(unit, 5, None).unwrap_err().to_string();
            assert_eq!(refused, format!("unit {unit} was counted twice, or does not exist"));
        }
        assert_eq!(sum.so_far().unwrap(), (1, 5));
        assert_eq!(sum.into_count().unwrap_err().to_string(), "unit 0 was not counted");
    }

    #[test]
    fn the_divisor_must_leave_no_remainder() {
        let total = |partial| total(&plan(1, 3), std::iter::once(partial));
        assert_eq!(total(276), Ok(92));
        let remainder = "the partial counts add up to 277, which is not a multiple of the plan's divisor 3";
        assert_eq!(total(277).unwrap_err(), remainder);
    }

    #[test]
    fn a_sum_beyond_128_bits_is_an_error() {
        let overflow = "the partial counts add up to more than 128 bits can hold";
        assert_eq!(total(&plan(2, 1), [u128::MAX, 1].into_iter()).unwrap_err(), overflow);
    }
}
