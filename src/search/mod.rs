//! Solutions one by one, and the shape of the tree that is searched for them.

mod profile;
mod solutions;

pub use profile::nodes_per_row;
pub use solutions::{Solutions, solutions};
