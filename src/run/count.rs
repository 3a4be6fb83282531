//! A finished count.

use super::error::RunError;
use super::route::Route;
use crate::board::Board;
use crate::engine::{Engine, Kernel};
use crate::published::{self, Verdict};
use crate::setup::Setup;
use std::time::Duration;

/// The number of solutions of a board, and how it was counted.
///
/// ```
/// use nqueens::{Board, Job, Verdict};
///
/// let count = Job::new(Board::new(12)?).threads(2).run()?;
/// assert_eq!(count.total, 14_200);
/// assert_eq!(count.verdict(), Verdict::Matches);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Count {
    /// The board.
    pub board: Board,
    /// The given queens and blocked squares of the board; `None` if it has none.
    pub setup: Option<Setup>,
    /// The number of solutions.
    pub total: u128,
    /// The engine that counted.
    pub engine: Engine,
    /// The kernel that counted the first unit whose route is known; if there is none, the one that the engine would use.
    pub kernel: Kernel,
    /// The devices that counted with the kernel [`Gpu`](Kernel::Gpu): their names, platforms and drivers. `None` if the
    /// CPU counted.
    pub device: Option<String>,
    /// The name of the plan, which says how the count was cut into units.
    pub plan: String,
    /// The number of units.
    pub units: usize,
    /// The number of threads that counted: the number asked for, or the number of units if that is smaller; 1 if the
    /// calling thread counted. For a count with a ledger, this is the most threads of any run.
    pub threads: usize,
    /// The time from the start to the total. For a count with a ledger, the sum of this time over all runs.
    pub elapsed: Duration,
    /// The number of nodes visited; `None` if the engine visits none, or the kernel counts them only if
    /// [`Job::count_nodes`](crate::Job::count_nodes) asks for it.
    pub nodes: Option<u64>,
    /// The route of each unit; `None` if an earlier run of a ledger counted it with a kernel that this version does not
    /// know. Only the runs of a ledger can have several kernels.
    pub routes: Vec<Option<Route>>,
    /// The partial count of each unit.
    pub(super) partials: Vec<u128>,
}

impl Count {
    /// Compares the total with the published count or, if none is published, with what is possible.
    pub fn verdict(&self) -> Verdict {
        Verdict::new((self.board, self.setup), self.total)
    }

    /// Returns the total, unless it contradicts the published count or is impossible.
    ///
    /// # Errors
    /// Returns [`RunError::WrongTotal`].
    pub fn checked_total(&self) -> Result<u128, RunError> {
        checked((self.board, self.setup).into(), self.total)
    }
}

/// The fields are those of the program's documents, in which counts are texts, and times are seconds.
#[cfg(feature = "serde")]
impl serde::Serialize for Count {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Count", 11)?;
        fields.serialize_field("board", &self.board)?;
        fields.serialize_field("setup", &self.setup)?;
        fields.serialize_field("total", &self.total.to_string())?;
        fields.serialize_field("verdict", &self.verdict())?;
        fields.serialize_field("seconds", &self.elapsed.as_secs_f64())?;
        fields.serialize_field("engine", &self.engine)?;
        fields.serialize_field("kernel", &self.kernel)?;
        fields.serialize_field("device", &self.device)?;
        fields.serialize_field("plan", &self.plan)?;
        fields.serialize_field("threads", &self.threads)?;
        fields.serialize_field("nodes", &self.nodes)?;
        fields.end()
    }
}

/// Returns the total of a setup, unless it contradicts the published count or is impossible.
pub(super) fn checked(setup: Setup, total: u128) -> Result<u128, RunError> {
    let wrong = published::contradiction(setup, total);
    wrong.map_or(Ok(total), |message| Err(RunError::WrongTotal { board: setup.board(), total, message }))
}
