//! Counts the solutions of the N-Queens problem, and holds the number against the published one.
//!
//! ```
//! use nqueens::{Board, Cancel, Job, Verdict};
//!
//! let count = Job::new(Board::new(10)?).run(&Cancel::new(), &())?;
//! assert_eq!(count.total, 724);
//! assert_eq!(count.verdict(), Verdict::Matches);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Job`] names a [`Board`], an [`engine`] and a number of threads. The engine cuts the count into independent units
//! and counts any one of them; [`run`] spreads the units over the threads and adds up what they count; [`published`]
//! judges the sum. [`symmetry`] knows the eight symmetries of the square and counts solutions up to them, [`classic`]
//! lists solutions one by one, and [`estimate`] foretells the size of a tree.
//!
//! The library never prints, never exits and never reads the environment. Long computations take a [`Cancel`].

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod app;
pub mod board;
pub mod cancel;
pub mod classic;
pub mod engine;
pub mod estimate;
#[cfg(feature = "ledger")]
pub mod ledger;
#[cfg(feature = "ledger")]
mod new_file;
pub mod published;
pub mod run;
pub mod symmetry;

pub use board::{Board, BoardError, Solution};
pub use cancel::Cancel;
pub use engine::Kernel;
pub use published::Verdict;
pub use run::{Count, Job, Observer, RunError, Shard, ShardError, Start, UnitResult};
