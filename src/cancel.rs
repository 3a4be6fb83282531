//! A request to stop a long computation.

use crate::platform::HAS_THREADS;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A request to stop. The code that makes the request and the computation that obeys it share it. Clones are the same
/// request.
///
/// Every long computation of this crate takes one and looks at it at least once in a second of each thread's CPU time,
/// mostly many times. Once it is set, the computation ends early and returns [`Cancelled`] or an error that says so.
///
/// ```
/// use nqueens::{Board, Cancel, Job, RunError};
/// use std::time::Duration;
///
/// let cancel = Cancel::new();
/// let request = cancel.clone();
/// std::thread::spawn(move || request.cancel());
/// assert!(cancel.wait(Duration::MAX));
/// assert!(matches!(Job::new(Board::new(20)?).run_with(&cancel, &()), Err(RunError::Cancelled { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    /// True once the request is set.
    made: Arc<AtomicBool>,
    /// The flags of this request's ancestors. A request is cancelled when any ancestor is.
    parents: Arc<[Arc<AtomicBool>]>,
    /// Wakes the threads that wait for this request, or for one with the same ancestor, to look at their flags.
    wake: Arc<(Mutex<()>, Condvar)>,
}

impl Cancel {
    /// Creates a request that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a request for a part of the work. It is set when its parent is set; setting it does not set the parent.
    #[must_use]
    pub fn child(&self) -> Self {
        let parents = std::iter::once(&self.made).chain(&*self.parents).cloned().collect();
        Self { made: Arc::default(), parents, wake: Arc::clone(&self.wake) }
    }

    /// Sets the request. It cannot be unset. A signal handler must leave this to a thread, because it takes a lock.
    pub fn cancel(&self) {
        self.made.store(true, Ordering::Relaxed);
        // A thread that begins to wait holds the lock until it sleeps, so that none misses this.
        let (lock, waiting) = &*self.wake;
        drop(lock.lock());
        waiting.notify_all();
    }

    /// Waits until the request is set, but no longer than `timeout`. Returns true if it is set. Does not wait in
    /// WebAssembly, where no other thread could set it.
    pub fn wait(&self, timeout: Duration) -> bool {
        if !HAS_THREADS {
            return self.is_cancelled();
        }
        let (lock, waiting) = &*self.wake;
        let lock = lock.lock().unwrap_or_else(PoisonError::into_inner);
        drop(waiting.wait_timeout_while(lock, timeout, |()| !self.is_cancelled()));
        self.is_cancelled()
    }

    /// Returns true if the request is set.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.made.load(Ordering::Relaxed) || self.parents.iter().any(|made| made.load(Ordering::Relaxed))
    }

    /// Returns an error if the request is set.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// Sets a [`Cancel`] when it is dropped, also by a panic, or with a future that nobody waits for.
///
/// ```
/// use nqueens::{Cancel, CancelOnDrop};
///
/// let cancel = Cancel::new();
/// drop(CancelOnDrop(cancel.clone()));
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Debug)]
#[must_use = "the request is set as soon as this is dropped"]
pub struct CancelOnDrop(pub Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
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
/// # Ok::<(), nqueens::InputError>(())
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

    /// A wait that is not woken would take years.
    #[test]
    fn who_waits_is_woken_by_the_request_or_an_ancestor_and_by_no_other() {
        let parent = Cancel::new();
        let (child, other) = (parent.child().child(), parent.child());
        std::thread::scope(|scope| {
            let waits = [&parent, &child].map(|cancel| scope.spawn(|| cancel.wait(Duration::MAX)));
            other.cancel();
            assert!(!child.wait(Duration::from_millis(1)) && other.wait(Duration::ZERO));
            drop(CancelOnDrop(parent.clone()));
            assert!(waits.into_iter().all(|wait| wait.join().unwrap()));
        });
    }
}
