//! Routes: ways to count a unit that share no kernel or side, and the choice of a route that checks another.

use crate::engine::{Counter, Engine, Kernel, Settings};
use std::fmt;

/// A way to count units: an engine, one of its kernels, and, if the engine has sides, their roles.
///
/// ```
/// use nqueens::{Board, Cancel, Engine, Job};
///
/// let count = Job::new(Board::new(12)?).engine(Engine::Backtrack).run()?;
/// let route = count.double_check(2, &Cancel::new(), &())?.route;
/// assert_eq!(route.engine, Engine::TwoColor);
/// assert_eq!(route.to_string(), format!("two-color, {} kernel", route.kernel));
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
    /// Returns the route of a counter that was prepared with these settings.
    pub(crate) fn new(counter: &Counter, settings: &Settings) -> Self {
        Self { engine: counter.plan.engine(), kernel: counter.kernel, exchanged: settings.exchanged }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&route_in_words(self.engine.name(), self.kernel, self.exchanged))
    }
}

/// Returns an engine and a kernel, or several kernels, in words.
pub fn route_in_words(engine: &str, kernel: impl fmt::Display, exchanged: bool) -> String {
    format!("{engine}, {kernel} kernel{}", if exchanged { ", sides exchanged" } else { "" })
}

/// Returns the settings that count units again after the kernels `used`: the engine's route and kernel that share least
/// with these. `plan` holds the settings of the units' plan.
///
/// The sides are exchanged if the engine has sides. The kernel is not in `used` if this CPU has such a kernel;
/// otherwise it is not the first in `used`. The scalar kernel is preferred, because it shares no code with the other
/// kernels, which share their search.
pub(crate) fn other_route(engine: Engine, plan: Settings, used: &[Kernel]) -> Settings {
    let last_choice =
        |kernel: &Kernel| (used.contains(kernel), used.first() == Some(kernel), *kernel != Kernel::Scalar);
    let kernel = engine.kernels().into_iter().min_by_key(last_choice);
    let exchanged = engine.variants().iter().any(|variant| variant.exchanged);
    Settings { kernel, exchanged, ..plan }
}
