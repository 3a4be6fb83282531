//! The sum of the partial counts of a plan.

use crate::engine::Plan;
use std::fmt;

/// The partial counts of a plan's units, at most one for each unit.
#[derive(Clone, PartialEq, Eq)]
pub struct Sum {
    divisor: u64,
    partials: Vec<Option<u128>>,
}

impl Sum {
    /// Creates a sum without partial counts.
    pub fn new(plan: &Plan) -> Self {
        Self { divisor: plan.divisor(), partials: vec![None; plan.units()] }
    }

    /// Adds the partial count of a unit.
    ///
    /// # Errors
    /// Returns an error if the plan has no such unit, or the unit was added before.
    pub fn add(&mut self, unit: usize, partial: u128) -> Result<(), SumError> {
        let empty = self.partials.get_mut(unit).filter(|added| added.is_none());
        *empty.ok_or(SumError::Unexpected { unit })? = Some(partial);
        Ok(())
    }

    /// Returns the partial count of a unit, if it was added.
    pub fn partial(&self, unit: usize) -> Option<u128> {
        self.partials.get(unit).copied().flatten()
    }

    /// Returns the partial count of a unit, which a test may make wrong.
    #[cfg(test)]
    pub(super) fn partial_mut(&mut self, unit: usize) -> &mut u128 {
        self.partials[unit].as_mut().expect("the unit was added")
    }

    /// Returns the number of units that were added, and the sum of their partial counts.
    ///
    /// # Errors
    /// Returns an error if the sum does not fit in 128 bits.
    pub fn so_far(&self) -> Result<(usize, u128), SumError> {
        let partials = self.partials.iter().flatten();
        let sum = partials.clone().try_fold(0_u128, |sum, &partial| sum.checked_add(partial));
        Ok((partials.count(), sum.ok_or(SumError::Overflow)?))
    }

    /// Returns the number of solutions: the sum of all partial counts, divided by the plan's divisor.
    ///
    /// # Errors
    /// Returns an error if a unit is missing, the sum does not fit in 128 bits, or the divisor leaves a remainder.
    pub fn total(&self) -> Result<u128, SumError> {
        if let Some(unit) = self.partials.iter().position(Option::is_none) {
            return Err(SumError::Missing { unit });
        }
        let (_, sum) = self.so_far()?;
        let divisor = self.divisor;
        if sum.is_multiple_of(u128::from(divisor)) {
            Ok(sum / u128::from(divisor))
        } else {
            Err(SumError::Remainder { sum, divisor })
        }
    }
}

impl fmt::Debug for Sum {
    /// Shows the number of units instead of each unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sum").field("units", &self.partials.len()).finish_non_exhaustive()
    }
}

/// Error returned when partial counts do not make up a total.
///
/// ```
/// use nqueens::SumError;
///
/// let error = SumError::Missing { unit: 7 };
/// assert_eq!(error.to_string(), "unit 7 was not counted");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SumError {
    /// A unit was added twice, or the plan has no such unit.
    #[error("unit {unit} was counted twice, or does not exist")]
    Unexpected {
        /// The unit.
        unit: usize,
    },
    /// A unit was not added.
    #[error("unit {unit} was not counted")]
    Missing {
        /// The first unit that is missing.
        unit: usize,
    },
    /// The sum is 2¹²⁸ or more.
    #[error("the partial counts add up to more than 128 bits can hold")]
    Overflow,
    /// The sum is not a multiple of the divisor, so a partial count is wrong.
    #[error("the partial counts add up to {sum}, which is not a multiple of the plan's divisor {divisor}")]
    Remainder {
        /// The sum.
        sum: u128,
        /// The plan's divisor.
        divisor: u64,
    },
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
        let mut sum = Sum::new(&plan);
        assert_eq!(sum.add(1, 5), Ok(()));
        assert_eq!(sum.add(1, 5), Err(SumError::Unexpected { unit: 1 }));
        assert_eq!(sum.add(2, 5), Err(SumError::Unexpected { unit: 2 }));
        assert_eq!(sum.so_far(), Ok((1, 5)));
        assert_eq!(sum.total(), Err(SumError::Missing { unit: 0 }));
    }

    #[test]
    fn the_divisor_must_leave_no_remainder() {
        let plan = plan(1, 3);
        let total = |partial| {
            let mut sum = Sum::new(&plan);
            sum.add(0, partial)?;
            sum.total()
        };
        assert_eq!(total(276), Ok(92));
        assert_eq!(total(277), Err(SumError::Remainder { sum: 277, divisor: 3 }));
    }

    #[test]
    fn a_sum_beyond_128_bits_is_an_error() {
        let plan = plan(2, 1);
        let mut sum = Sum::new(&plan);
        sum.add(0, u128::MAX).unwrap();
        sum.add(1, 1).unwrap();
        assert_eq!(sum.total(), Err(SumError::Overflow));
    }
}
