//! The mathematics: lines and their sets, the squares of a class, and the tuples of a part with their weights.

mod geometry;
mod lines;
mod part;
mod squares;

pub(crate) use geometry::*;
pub(crate) use lines::*;
pub use part::*;
pub(crate) use squares::*;
