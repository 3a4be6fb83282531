//! What ends the threads of a count early: an error of one of them, or a panic, which is a bug.

use super::error::RunError;
use crate::board::Board;
use crate::cancel::Cancel;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::ScopedJoinHandle;

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;

/// The first failure of the threads that count the units of a board. A failure stops the other threads.
pub(super) struct FirstFailure<'a> {
    /// The request to stop that the threads check while they count.
    stop: &'a Cancel,
    error: OnceLock<RunError>,
    /// A panic of the caller's own code, which resumes in the caller.
    observer_panic: Mutex<Option<Panic>>,
}

impl<'a> FirstFailure<'a> {
    pub(super) fn new(stop: &'a Cancel) -> Self {
        Self { stop, error: OnceLock::new(), observer_panic: Mutex::new(None) }
    }

    /// Does the work of one thread. Returns `None` if it fails or panics.
    pub(super) fn watch<R>(&self, work: impl FnOnce() -> Result<R, RunError>) -> Option<R> {
        let failed = |error| {
            self.stop.cancel();
            self.error.get_or_init(|| error);
        };
        caught(None, work).and_then(|done| done).map_err(failed).ok()
    }

    /// Calls code of the caller. Returns `None` if it panics.
    pub(super) fn call<R>(&self, code: impl FnOnce() -> R) -> Option<R> {
        // This is unwind safe: the caller sees the panic.
        let panicked = |panic| {
            self.stop.cancel();
            self.observer_panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        };
        catch_unwind(AssertUnwindSafe(code)).map_err(panicked).ok()
    }

    /// Checks that no thread has failed. Call this when all threads have ended.
    ///
    /// # Errors
    /// Returns the first error.
    ///
    /// # Panics
    /// When the code of the caller has panicked.
    pub(super) fn check(self) -> Result<(), RunError> {
        if let Some(panic) = self.observer_panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
        self.error.into_inner().map_or(Ok(()), Err)
    }
}

/// Runs `work`, which may be the count of a unit of a board, and returns a panic in it as an error.
pub(super) fn caught<R>(unit: Option<(Board, usize)>, work: impl FnOnce() -> R) -> Result<R, RunError> {
    // This is unwind safe: the state of the work is dropped.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| RunError::Panicked { unit, message: message(&*panic) })
}

/// Waits for a thread, and panics like it.
pub(crate) fn join<R>(thread: ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
