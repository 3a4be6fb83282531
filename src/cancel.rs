//! How a long computation is asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop, shared by whoever may make it and whoever must heed it. Clones are the same request.
///
/// Every long computation of this crate takes one and looks at it many times a second; once it is set the computation
/// ends early and says that it did.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    made: Arc<AtomicBool>,
    /// Others that make the request: the requests that this is a part of, and the flag of the first of them.
    others: Arc<[Arc<AtomicBool>]>,
}

impl Cancel {
    /// A request that has not been made.
    pub fn new() -> Self {
        Self::default()
    }

    /// A request that is also made by setting a flag, which is all that a signal handler can do.
    pub fn on_flag(flag: Arc<AtomicBool>) -> Self {
        Self { others: Arc::new([flag]), ..Self::default() }
    }

    /// A request of its own, which is also made when this one is: it stops a part of the work.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { others: std::iter::once(&self.made).chain(&*self.others).cloned().collect(), ..Self::default() }
    }

    /// Makes the request. It cannot be taken back.
    pub fn cancel(&self) {
        self.made.store(true, Ordering::Relaxed);
    }

    /// Returns true once the request has been made.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        is_set(&self.made) || (self.others.iter().any(is_set) && self.remember())
    }

    /// Makes the request that was seen elsewhere here too, so that nobody can take it back.
    #[cold]
    fn remember(&self) -> bool {
        self.cancel();
        true
    }

    /// Makes the request when it is dropped by a thread that panics, so that the others do not work on for nothing.
    pub(crate) fn on_panic(&self) -> OnPanic<'_> {
        OnPanic(self)
    }
}

/// See [`Cancel::on_panic`].
pub(crate) struct OnPanic<'a>(&'a Cancel);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.cancel();
        }
    }
}

/// A computation ended early because its [`Cancel`] was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before it was finished")]
pub struct Cancelled;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_one_request() {
        let cancel = Cancel::new();
        let clone = cancel.clone();
        assert!(!clone.is_cancelled());
        cancel.cancel();
        assert!(clone.is_cancelled());
    }

    #[test]
    fn a_child_heeds_its_parent_and_does_not_stop_it() {
        let parent = Cancel::new();
        let (first, second) = (parent.child(), parent.child());
        first.cancel();
        assert!(first.is_cancelled() && !second.is_cancelled() && !parent.is_cancelled());
        parent.cancel();
        assert!(second.is_cancelled() && second.child().is_cancelled());
    }

    #[test]
    fn a_request_that_was_seen_cannot_be_taken_back() {
        let flag = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::on_flag(Arc::clone(&flag));
        let child = cancel.child();
        assert!(!child.is_cancelled());
        flag.store(true, Ordering::Relaxed);
        assert!(child.is_cancelled());
        flag.store(false, Ordering::Relaxed);
        assert!(child.is_cancelled());
    }

    #[test]
    fn a_panic_makes_the_request_and_an_ordinary_end_does_not() {
        let cancel = Cancel::new();
        drop(cancel.on_panic());
        assert!(!cancel.is_cancelled());
        let panicked = std::thread::scope(|scope| {
            let panics = || {
                let _guard = cancel.on_panic();
                panic!("on purpose");
            };
            scope.spawn(panics).join().is_err()
        });
        assert!(panicked && cancel.is_cancelled());
    }
}
