//! Thread pools, and a thread that calls a function at regular intervals.

use super::error::RunError;
use super::memory;
use super::panics::{caught, join};
use super::threads::MOST_THREADS;
use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::{thread, time::Duration};

/// The stack of a thread that counts. In a build without optimization every variable has a place of its own, and the
/// largest loop takes 6.2 MiB (two-color with AVX-512, rustc 1.95). Optimized loops take less than 0.1 MiB, and only
/// touched pages take memory.
const STACK_BYTES: usize = 16 << 20;

/// Threads that several counts use in turn, so that they are started once: see [`Job::pool`](crate::Job::pool). They end
/// when the last clone of the pool is dropped, and sleep between counts.
///
/// ```
/// use nqueens::{Board, Job, Pool};
///
/// let pool = Pool::new(2)?;
/// for size in 12..15 {
///     println!("{}", Job::new(Board::new(size)?).pool(&pool).run()?.total);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pool(Arc<rayon::ThreadPool>);

impl Pool {
    /// Starts a number of threads, from 1 to 1024.
    ///
    /// # Errors
    /// When the number is another, or the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, RunError> {
        check_number(threads)?;
        // A started thread that gets no memory would end the process.
        if !memory::is_within_limits((STACK_BYTES + (2 << 20)) as u64 * threads as u64) {
            return Err(RunError::pool(threads, Error::from(ErrorKind::OutOfMemory)));
        }
        let builder =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("count-{index}"));
        let pool = builder.stack_size(STACK_BYTES).build().map_err(|error| RunError::pool(threads, error))?;
        Ok(Self(Arc::new(pool)))
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs `work` on one of the threads, with all of them for what it does in parallel.
    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
        caught(None, || waiting(|| self.0.install(work)))?
    }

    /// Runs `work` on `threads` of the threads.
    pub(super) fn on_each<R: Send>(&self, threads: usize, work: impl Fn() -> R + Sync) -> Result<Vec<R>, RunError> {
        let work = |context: rayon::BroadcastContext<'_>| (context.index() < threads).then(&work);
        Ok(waiting(|| self.0.broadcast(work))?.into_iter().flatten().collect())
    }
}

/// Runs `work` in a pool of `threads` threads.
///
/// # Errors
/// Returns an error if the number of threads is out of range, they cannot be started, or one of them panics.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    Pool::new(threads)?.install(work)
}

/// Does `work`, which waits for the threads of a pool. A waiting thread of another rayon pool would take other jobs of
/// its own pool, and wait again in these, until its stack is full. Such a thread therefore leaves the waiting to
/// another thread.
fn waiting<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    if rayon::current_thread_index().is_none() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let waits = thread::Builder::new().spawn_scoped(scope, work).map_err(|error| RunError::pool(1, error))?;
        Ok(join(waits))
    })
}

/// Checks that the number of threads is in the allowed range.
pub(super) fn check_number(threads: usize) -> Result<(), RunError> {
    let most = MOST_THREADS;
    if (1..=most).contains(&threads) { Ok(()) } else { Err(RunError::Threads { given: threads, most }) }
}

/// Runs `work`. Until it is done, another thread calls `look` once every `beat`.
///
/// # Errors
/// Returns an error if the other thread cannot be started.
pub fn watched<R>(beat: Duration, mut look: impl FnMut() + Send, work: impl FnOnce() -> R) -> Result<R, RunError> {
    // The sender is dropped when the work is done or panics. This ends the wait at once.
    let (over, is_over) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watch = move || {
            while is_over.recv_timeout(beat) == Err(RecvTimeoutError::Timeout) {
                look();
            }
        };
        thread::Builder::new().spawn_scoped(scope, watch).map_err(|error| RunError::pool(1, error))?;
        let done = work();
        drop(over);
        Ok(done)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let error = on_threads(2, || panic!("on purpose")).unwrap_err();
        assert_eq!(error.to_string(), "a thread panicked: on purpose");
    }
}
