//! Panics in the middle of a count: they end it, and become errors.

use super::error::RunError;
use crate::board::Board;
use crate::cancel::Cancel;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// Catches what panics in the threads that count the units of a board, and stops the others.
pub(crate) struct Panics<'a> {
    board: Board,
    /// The request that the threads look at while they count.
    stop: &'a Cancel,
    first: Mutex<Option<RunError>>,
}

impl<'a> Panics<'a> {
    pub(crate) fn new(board: Board, stop: &'a Cancel) -> Self {
        Self { board, stop, first: Mutex::new(None) }
    }

    /// Does the work of a thread, which is to say at which unit it is. `None` when it panics.
    pub(crate) fn catch<R>(&self, work: impl FnOnce(&mut Option<usize>) -> R) -> Option<R> {
        let mut unit = None;
        // What it has left half done is dropped with it, and of what is shared the total is never asked for.
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut unit)));
        done.inspect_err(|panic| {
            self.stop.cancel();
            let unit = unit.map(|unit| (self.board, unit));
            let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(RunError::Panicked { unit, message: message(&**panic) });
        })
        .ok()
    }

    /// When all threads have ended.
    ///
    /// # Errors
    /// The first panic.
    pub(crate) fn none(self) -> Result<(), RunError> {
        self.first.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Does some work on whatever threads; a panic that comes out of it is an error.
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> Result<R, RunError> {
    // What the work has left half done is dropped with it.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| RunError::Panicked { unit: None, message: message(&*panic) })
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
