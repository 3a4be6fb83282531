//! The plan: how a count is cut into units, by a rule that every machine follows in the same way. Beside it stands all
//! that is guessed: what order, which sides are shared, how long it takes. No unit depends on a guess.

pub(crate) mod forecast;
mod guess;
mod prepared_part;
mod sharing;
pub(crate) mod units;

#[cfg(test)]
pub(crate) use guess::OneByOneGuess;
pub(crate) use prepared_part::*;
pub(crate) use sharing::*;
pub(crate) use units::Unit;
