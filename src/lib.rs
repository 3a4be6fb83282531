//! Counts the solutions of the N-Queens problem: the ways to place N queens on an N×N board so that none attacks
//! another.
//!
//! ```
//! assert_eq!(nqueens::count(8)?, 92);
//! # Ok::<(), nqueens::RunError>(())
//! ```
//!
//! A [`Job`] has the choices: the engine, the kernel, the threads. Its [`Count`] says how the total was found.
//!
//! Every total is compared with the [published] one. [`count`], [`Job::by_square`] and [`Count::checked_total`] return no
//! total that contradicts it, but an error with both numbers. A [`Count`] and a [`MergedCount`](ledger::MergedCount) have
//! the total that was found, with its [verdict](Count::verdict).
//!
//! ```
//! use nqueens::{Board, Job, Kernel, Verdict};
//!
//! let job = Job::new(Board::new(14)?).kernel(Kernel::Portable).threads(2);
//! let count = job.run()?;
//! assert_eq!((count.total, count.verdict()), (365_596, Verdict::Matches));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [double check](Count::double_check) counts again by another route, and [`ledger::Recheck`] does so with units of a
//! ledger.
//!
//! Any count can be [cancelled](Cancel) from another thread, and [observed](Observer). It is three calls, and each can be
//! made by itself: a job is [prepared](Job::prepare), it [counts units](PreparedJob::count_units), all or some, and their
//! [sum](Sum) becomes a [`Count`].
//!
//! ```
//! use nqueens::{Board, Cancel, Job};
//!
//! let cancel = Cancel::new();
//! let count = Job::new(Board::new(12)?).run_with(&cancel, &|share: f64| eprintln!("{:.0}%", 100.0 * share))?;
//! assert_eq!(count.total, 14_200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Solutions can be listed too, in lexicographic order.
//!
//! ```
//! use nqueens::{Board, solutions};
//!
//! let first = solutions(Board::new(8)?).next().expect("there are 92");
//! assert_eq!(first.columns().collect::<Vec<_>>(), [0, 4, 7, 5, 2, 6, 1, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `ledger`, a long count keeps its finished units in a [ledger](ledger::Run). However the process ends,
//! the next run counts only the missing units. Several machines count a [`Shard`] each, and [`ledger::merge`] adds them
//! up.
//!
#![cfg_attr(feature = "ledger", doc = "```")]
#![cfg_attr(not(feature = "ledger"), doc = "```ignore")]
//! use nqueens::{Board, Cancel, Job, Shard, ledger};
//!
//! let folder = std::env::temp_dir().join(format!("nqueens-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let (job, cancel) = (Job::new(Board::new(11)?), Cancel::new());
//! let mut ledgers = Vec::new();
//! for shard in ["0/2".parse::<Shard>()?, "1/2".parse()?] {
//!     let path = folder.join(format!("{}.jsonl", shard.index()));
//!     ledger::Run::open(&job, &path, shard, &cancel)?.count(&cancel, &())?;
//!     ledgers.push(ledger::read(&path)?);
//! }
//! assert_eq!(ledger::merge(&ledgers)?.total, 2_680);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules, in the order to read them
//!
//! - [`published`]: the published counts.
//! - [`estimate`]: the time of a count, and the size of its tree.
//! - [`symmetry`]: the eight symmetries of the board, and the solutions up to them.
//! - [`ledger`]: long counts that survive an interruption, and counts on several machines.
//! - [`classic`]: the textbook methods and a trace of every step, for people who learn and teach.
//!
//! # Features
//!
//! `cli`, on by default, builds the `nqueens` program, and `packaging` its manual pages too; `ledger` adds the module
//! [`ledger`], and `gpu` the kernel for GPUs. `serde`, which `ledger` includes, stores a [`Board`] as its size, a
//! [`Solution`] as its columns, and a [`Setup`], [`Shard`], [`Engine`], [`Kernel`] or [`Method`](classic::Method) as its
//! text. A [`Step`](classic::Step) and a [`Count`] are only written; the total is a text. Without a feature, the library
//! depends on `rayon`, `num_cpus`, `thiserror` and, on systems other than Linux, `sysinfo`:
//!
//! ```sh
//! cargo add nqueens-count --no-default-features
//! ```
//!
//! # Threads, async and panics
//!
//! A count blocks its thread until it is done, so async code runs it as a blocking task, and keeps a [`CancelOnDrop`] in
//! the future, so that a dropped future stops the count. It starts threads and ends them, unless it is over in
//! microseconds; a [`Pool`] keeps them for many counts. A thread of a rayon pool may count: it waits, and the count has
//! threads of its own. In WebAssembly the calling thread counts, and a [`Pool`] and a ledger are errors; without a clock,
//! as on `wasm32-unknown-unknown`, times are 0. Lack of memory, a lost device and an impossible result are errors, also
//! with `panic = "abort"`; only a bug panics, and a panic of your [`Observer`] is yours.
//!
//! # Speed
//!
//! A debug build counts about a hundred times as slowly, unless the profile in your Cargo.toml says otherwise:
//!
//! ```toml
//! [profile.dev.package.nqueens-count]
//! opt-level = 3
//! ```
//!
//! The library never prints or exits, and reads no environment variable.
//! What is hidden here is for the tests and the other crates of this repository, and changes without notice.
#![cfg_attr(not(feature = "ledger"), allow(rustdoc::broken_intra_doc_links, reason = "its module is not there"))]

mod board;
mod cancel;
pub mod classic;
// The benchmarks, the page and the tests count units without a job.
#[doc(hidden)]
pub mod engine;
mod interval;
#[cfg(feature = "ledger")]
pub mod ledger;
mod names;
mod platform;
pub mod published;
// The tests and the benchmarks draw the same numbers in every run.
#[doc(hidden)]
pub mod random;
mod run;
mod setup;
mod solutions;
pub mod symmetry;
mod tree;

/// The nodes, the solutions and the time of a count, estimated before it is made; see [`Job::estimate`](crate::Job::estimate).
pub mod estimate {
    pub use crate::interval::Interval;
    pub use crate::run::TimeEstimate;
    pub use crate::tree::TreeEstimate;
}

// The program, Python and the benchmarks ask the machine, and word the answers, as the library does.
#[doc(hidden)]
pub mod machine {
    pub use crate::run::memory::most_shared;
    pub use crate::run::{
        bytes_in_words, cpu_model, cpus, default_threads, logical_cpus, on_threads, process_cpu_time,
    };
}

// A file that is shared with the program calls the library by this name.
#[cfg(test)]
extern crate self as nqueens;
#[cfg(test)]
#[path = "../tests/common/fake_engine.rs"]
mod fake_engine;
#[cfg(test)]
#[path = "../tests/common/fuzz.rs"]
mod fuzz;

pub use board::{Board, Solution};
pub use cancel::{Cancel, CancelOnDrop, Cancelled};
pub use engine::{Device, DeviceSet, Engine, Kernel, Plan, PrepareError};
pub use names::InputError;
pub use published::Verdict;
pub use run::{Count, EachUnit, Job, Observer, Pool, PreparedJob, Route, RunError, Shard, Sum, UnitResult};
pub use setup::Setup;
pub use solutions::{Solutions, solutions};

/// Counts the solutions for `size` queens on all CPUs, with the engine that is fastest for the board.
///
/// `size` is from 1 to 28. A count takes less than a second up to 18, seconds for 20, a minute for 22, a day for 26, and
/// months for 28. Larger boards, up to 32, take thousands of years, and only a [`Job`] with a named
/// [engine](Job::engine) begins them. A `Job` also has the other choices, and a count that can be cancelled.
///
/// # Errors
/// When there is no board of this size, its count would not end, the machine has too few threads or too little memory
/// to give, or the total contradicts the published one.
///
/// ```
/// assert_eq!(nqueens::count(10)?, 724);
/// # Ok::<(), nqueens::RunError>(())
/// ```
pub fn count(size: usize) -> Result<u128, RunError> {
    total(&Job::new(Board::new(size)?))
}

/// Counts, and returns a total that was compared with the published one.
fn total(job: &Job) -> Result<u128, RunError> {
    job.run()?.checked_total()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_engine::FakeEngine;

    #[test]
    fn a_total_that_contradicts_the_published_one_is_an_error_with_both() {
        let counting = |each| Job::new(Board::new(8).unwrap()).counted_by(FakeEngine::counting(Vec::new(), 0, each));
        // The sum of the 50 units is divided by 3.
        let (right, wrong) = (counting(|unit| if unit == 0 { 276 } else { 0 }), counting(|_| 6));
        assert_eq!(total(&right).unwrap(), 92);
        assert_eq!(wrong.run().unwrap().verdict(), Verdict::Contradicts);
        let error = total(&wrong).unwrap_err();
        assert!(matches!(error, RunError::WrongTotal { total: 100, .. }));
        assert_eq!(error.to_string(), "the total count for N = 8 came out as 100, but 92 is published");
    }
}
