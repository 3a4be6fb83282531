//! Turns a panic during a count into an error.

use super::error::RunError;
use super::memory;
use crate::cancel::Cancel;
use crate::engine::memory::MemoryRefusal;
use crate::engine::{Counter, DeviceFailure};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// Catches panics in the threads that count the units of a board, and stops the other threads. Memory refused by the
/// system has an error of its own.
pub(super) struct Panics<'a> {
    counter: &'a Counter,
    threads: usize,
    /// The request to stop that the threads check while they count.
    stop: &'a Cancel,
    first: OnceLock<RunError>,
}

impl<'a> Panics<'a> {
    pub(super) fn new(counter: &'a Counter, threads: usize, stop: &'a Cancel) -> Self {
        Self { counter, threads, stop, first: OnceLock::new() }
    }

    /// Runs the work of one thread, which keeps the current unit in its argument. Returns `None` if it panics.
    pub(super) fn catch<R>(&self, work: impl FnOnce(&mut Option<usize>) -> R) -> Option<R> {
        let mut unit = None;
        // This is unwind safe: the thread's own state is dropped, and the shared sum is not used after a panic.
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut unit)));
        done.inspect_err(|panic| {
            self.stop.cancel();
            self.first.get_or_init(|| {
                if panic.is::<MemoryRefusal>() {
                    return memory::lacking(self.counter, self.threads, None);
                }
                if let Some(DeviceFailure(message)) = panic.downcast_ref() {
                    return RunError::Device { message: message.clone() };
                }
                let unit = unit.map(|unit| (self.counter.plan.board(), unit));
                RunError::Panicked { unit, message: message(&**panic) }
            });
        })
        .ok()
    }

    /// Checks that no thread has panicked. Call this when all threads have ended.
    ///
    /// # Errors
    /// Returns the first panic as an error.
    pub(super) fn check(self) -> Result<(), RunError> {
        self.first.into_inner().map_or(Ok(()), Err)
    }
}

/// Runs `work` and returns a panic in it as an error.
pub(super) fn caught<R>(work: impl FnOnce() -> R) -> Result<R, RunError> {
    // This is unwind safe: the state of the work is dropped.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| RunError::Panicked { unit: None, message: message(&*panic) })
}

fn message(panic: &(dyn Any + Send)) -> String {
    if panic.is::<MemoryRefusal>() {
        return "the system gives no more memory".to_owned();
    }
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
