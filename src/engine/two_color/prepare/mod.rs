//! What is made ready before units are counted: the parts with their sides, which sides all threads share, and all
//! guesses: of the length of prefixes, of the order of units, of times. No unit depends on a guess.

pub(crate) mod forecast;
mod guess;
mod part;
mod sharing;

#[cfg(test)]
pub(crate) use guess::OneByOneGuess;
pub(crate) use part::*;
pub(crate) use sharing::*;
