//! Thread pools, and a thread that calls a function at regular intervals.

use super::error::RunError;
use super::memory;
use super::panics::caught;
use super::threads::MOST_THREADS;
use std::io::{Error, ErrorKind};
use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::{thread, time::Duration};

/// The stack of a thread that counts. In a build without optimization every variable has a place of its own, and the
/// largest loop takes 6.2 MiB (two-color with AVX-512, rustc 1.95). Optimized loops take less than 0.1 MiB, and only
/// touched pages take memory.
const STACK_BYTES: usize = 16 << 20;

/// Runs `work` in a rayon pool of `threads` threads.
///
/// # Errors
/// Returns an error if the number of threads is out of range, they cannot be started, or one of them panics.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    check_number(threads)?;
    let pool = pool(threads)?;
    caught(|| waiting(|| pool.install(work)))?
}

/// Does `work`, which waits for the threads of a pool. A waiting thread of another rayon pool would take other jobs of
/// its own pool, and wait again in these, until its stack is full. Such a thread therefore leaves the waiting to
/// another thread.
pub(super) fn waiting<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    if rayon::current_thread_index().is_none() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let waits = thread::Builder::new().spawn_scoped(scope, work).map_err(|error| RunError::pool(1, error))?;
        Ok(waits.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Checks that the number of threads is in the allowed range.
pub(super) fn check_number(threads: usize) -> Result<(), RunError> {
    let most = MOST_THREADS;
    if (1..=most).contains(&threads) { Ok(()) } else { Err(RunError::Threads { given: threads, most }) }
}

pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, RunError> {
    // A started thread that gets no memory would end the process.
    if !memory::is_within_limits((STACK_BYTES + (2 << 20)) as u64 * threads as u64) {
        return Err(RunError::pool(threads, Error::from(ErrorKind::OutOfMemory)));
    }
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("count-{index}"));
    let builder = builder.stack_size(STACK_BYTES);
    builder.build().map_err(|error| RunError::pool(threads, error))
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
