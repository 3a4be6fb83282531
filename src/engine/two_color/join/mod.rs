//! The join: what a unit counts.

mod matrix;
mod multiply;
mod one_by_one;
mod sweep;
mod tight;
mod totals;

pub(crate) use multiply::UnitCounter;
