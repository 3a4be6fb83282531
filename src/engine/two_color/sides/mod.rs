//! The two sides of the join: the build placements as bits, the probe placements as records, and the records that a
//! unit visits.

mod build_side;
mod cover;
mod probe_side;
mod visited;

pub(crate) use build_side::*;
pub(crate) use probe_side::*;
pub(crate) use visited::*;
