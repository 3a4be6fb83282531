//! Solutions one by one, the classic ways to search for them, a search step by step, the shape of the tree that is
//! searched, and what random probes say of it.

mod construction;
mod probes;
mod profile;
mod solutions;
pub mod textbook;
pub mod trace;

pub use construction::{LARGEST_CONSTRUCTED, construct, is_solution};
pub use probes::{PATHS, TreeEstimate, probe};
pub use profile::nodes_per_row;
pub use solutions::{Solutions, solutions};
