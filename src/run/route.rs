//! Routes: ways to count a unit that share no kernel or side.

use crate::engine::{Engine, Kernel};
use std::collections::BTreeSet;
use std::fmt;

/// A way to count units: an engine, one of its kernels, and, if the engine has sides, their roles.
///
/// ```
/// use nqueens::{Board, Cancel, Engine, Job};
///
/// let count = Job::new(Board::new(8)?).run()?;
/// let route = count.double_check(2, &Cancel::new(), &())?[0];
/// assert_eq!(route.engine, Engine::Backtrack);
/// assert_eq!(route.to_string(), format!("backtrack, {} kernel", route.kernel));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// The engine.
    pub engine: Engine,
    /// The kernel.
    pub kernel: Kernel,
    /// True if the engine counts with build side and probe side exchanged.
    pub exchanged: bool,
}

impl Route {
    /// Returns routes of one engine in words: `two-color, avx2 or portable kernel, sides exchanged`.
    pub fn in_words(routes: &[Self]) -> String {
        let Some(first) = routes.first() else { return "nothing, because there is no unit".to_owned() };
        let kernels: BTreeSet<&str> = routes.iter().map(|route| route.kernel.name()).collect();
        let kernels: Vec<&str> = kernels.into_iter().collect();
        let exchanged = routes.iter().any(|route| route.exchanged);
        route_in_words(first.engine.name(), kernels.join(" or "), exchanged)
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&route_in_words(self.engine.name(), self.kernel, self.exchanged))
    }
}

/// Returns an engine and a kernel, or several kernels, in words.
pub(crate) fn route_in_words(engine: &str, kernel: impl fmt::Display, exchanged: bool) -> String {
    format!("{engine}, {kernel} kernel{}", if exchanged { ", sides exchanged" } else { "" })
}
