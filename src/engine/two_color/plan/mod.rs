//! The plan: how a count is cut into units, by a rule that every machine follows in the same way. The folder also has
//! all guesses: of the order of units, of the sides to share, of times. No unit depends on a guess.

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
