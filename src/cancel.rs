//! A request to stop a long computation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop. The code that makes the request and the computation that obeys it share it. Clones are the same
/// request.
///
/// Every long computation of this crate takes one and looks at it at least once in a second of each thread's CPU time,
/// mostly many times. Once it is set, the computation ends early and returns [`Cancelled`] or an error that says so.
///
/// ```
/// use nqueens::{Board, Cancel, Job, RunError};
///
/// let cancel = Cancel::new();
/// let request = cancel.clone();
/// std::thread::spawn(move || request.cancel());
/// while !cancel.is_cancelled() {}
/// assert!(matches!(Job::new(Board::new(20)?).run_with(&cancel, &()), Err(RunError::Cancelled { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    made: Arc<AtomicBool>,
    /// The flags of this request's ancestors. A request is cancelled when any ancestor is.
    parents: Arc<[Arc<AtomicBool>]>,
}

impl Cancel {
    /// Creates a request that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a request for a part of the work. It is set when its parent is set; setting it does not set the parent.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { parents: std::iter::once(&self.made).chain(&*self.parents).cloned().collect(), ..Self::default() }
    }

    /// Sets the request. It cannot be unset.
    pub fn cancel(&self) {
        self.made.store(true, Ordering::Relaxed);
    }

    /// Returns true if the request is set.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        std::iter::once(&self.made).chain(&*self.parents).any(|made| made.load(Ordering::Relaxed))
    }

    /// Returns an error if the request is set.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// Error returned when a computation ended early because its [`Cancel`] was set.
///
/// ```
/// use nqueens::{Board, Cancel, Cancelled, classic::Method};
///
/// let cancel = Cancel::new();
/// cancel.cancel();
/// assert_eq!(Method::BruteForce.effort(Board::new(12)?, &cancel), Err(Cancelled));
/// # Ok::<(), nqueens::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before it was finished")]
pub struct Cancelled;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_heeds_its_parent_and_does_not_stop_it() {
        let parent = Cancel::new();
        let (first, second) = (parent.child(), parent.child());
        first.cancel();
        assert!(first.is_cancelled() && !second.is_cancelled() && !parent.is_cancelled());
        parent.cancel();
        assert!(second.is_cancelled() && second.child().is_cancelled());
    }
}
