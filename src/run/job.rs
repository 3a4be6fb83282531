//! A count to be made: the board, the engine and the number of threads.

use super::pool::Pool;
use super::threads::{MOST_THREADS, default_threads};
use crate::board::Board;
use crate::engine::{self, CounterMaker, DeviceSet, Engine, Kernel, PrepareError, Settings};
use crate::setup::Setup;
use std::ops::RangeInclusive;

/// The most rows to fill of a quick count. Those of 11 rows take 0.04 ms with AVX2 and 0.4 ms with the scalar kernel; to
/// start and end two threads takes 0.08 ms (AMD Zen 5, November 2026).
const MOST_QUICK_ROWS: usize = 11;

/// A description of a count: the board, the engine, the kernel and the number of threads.
///
/// ```
/// use nqueens::{Board, Job, Kernel};
///
/// let job = Job::new(Board::new(11)?).kernel(Kernel::Portable).threads(2);
/// let count = job.run()?;
/// assert_eq!((count.total, count.kernel), (2_680, Kernel::Portable));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a job counts when it is run"]
pub struct Job {
    pub(crate) board: Board,
    /// The engine; `None` for the fastest.
    pub(crate) engine: Option<Engine>,
    /// The number of threads; `None` for all logical CPUs.
    pub(super) threads: Option<usize>,
    /// True if just so many threads shall count, and not fewer if devices need fewer.
    pub(super) is_exact: bool,
    /// The threads that count; `None` to start some.
    pub(super) pool: Option<Pool>,
    pub(crate) settings: Settings,
    /// What a test has put in the place of the engine.
    pub(super) maker: Option<&'static dyn CounterMaker>,
}

impl Job {
    /// The largest number of threads of a count.
    pub const MOST_THREADS: usize = MOST_THREADS;

    /// The numbers of rows at which a count may be split.
    pub const SPLIT_ROWS: RangeInclusive<usize> = engine::SPLIT_ROWS;

    /// Creates a job that counts the solutions of a board, or those of a setup, in the fastest way: with the engine and
    /// the kernel that suit it and this CPU, on all logical CPUs that this process may use. Only the backtracker counts
    /// setups with given queens or blocked squares.
    pub fn new(setup: impl Into<Setup>) -> Self {
        let setup = setup.into();
        let settings = Settings { setup: Some(setup).filter(|setup| !setup.is_free()), ..Settings::default() };
        Self { board: setup.board(), engine: None, threads: None, is_exact: false, pool: None, settings, maker: None }
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the given queens and blocked squares of the board; `None` if it has none.
    pub fn setup(&self) -> Option<&Setup> {
        self.settings.setup.as_ref()
    }

    /// Sets the engine; `None`, the default, lets the job choose the fastest. That choice refuses a count which would
    /// take years of CPU time, such as a board of more than 28 rows on which most squares are open.
    pub fn engine(self, engine: impl Into<Option<Engine>>) -> Self {
        Self { engine: engine.into(), ..self }
    }

    /// Returns the engine that counts: the engine that was set, or else the fastest.
    ///
    /// # Errors
    /// When the board is too large for the engine, or no engine was set and the count would take years.
    pub fn chosen_engine(&self) -> Result<Engine, PrepareError> {
        let Some(engine) = self.engine else { return engine::auto(self.board, &self.settings) };
        engine.check_board(self.board).map(|()| engine)
    }

    /// Sets the kernel; `None`, the default, is the best that the engine has on this CPU.
    pub fn kernel(mut self, kernel: impl Into<Option<Kernel>>) -> Self {
        self.settings.kernel = kernel.into();
        self
    }

    /// Sets the kernel [`Gpu`](Kernel::Gpu), and the devices that count: a [`DeviceSet`], or
    /// [numbers](crate::Device::number). If there are no numbers, all GPUs count. Without the feature `gpu`, the job cannot
    /// be prepared.
    pub fn devices(mut self, devices: impl Into<DeviceSet>) -> Self {
        self.settings.devices = devices.into();
        self.kernel(Kernel::Gpu)
    }

    /// Sets the number of threads, from 1 to [`MOST_THREADS`](Self::MOST_THREADS). A run refuses any other number. A
    /// count that takes less time than the start of threads is made by the calling thread.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), is_exact: true, ..self }
    }

    /// Sets the most threads, such as the CPUs that a batch system has granted. Devices that need fewer take fewer.
    pub fn most_threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), is_exact: false, ..self }
    }

    /// Counts with the threads of a pool, which stay for the next count: with all of them, or fewer if fewer were set. If
    /// [`threads`](Self::threads) sets more afterwards, each count starts threads of its own. The count waits until the
    /// pool is free. An [observer](crate::Observer) cannot count with the same pool.
    pub fn pool(self, pool: &Pool) -> Self {
        let (all, set) = (pool.threads(), self.threads.unwrap_or(usize::MAX));
        Self { threads: Some(all.min(set)), pool: Some(pool.clone()), ..self }
    }

    /// Returns the number of threads: the number that was set, or else one for each logical CPU that this process may
    /// use, at most 1024. The system is asked for these.
    pub fn thread_count(&self) -> usize {
        self.threads.unwrap_or_else(default_threads)
    }

    /// Splits the count into one unit for each placement of this number of rows, which is in
    /// [`SPLIT_ROWS`](Self::SPLIT_ROWS). Only the backtracker supports this.
    pub fn split_rows(mut self, rows: usize) -> Self {
        self.settings.split_rows = Some(rows);
        self
    }

    /// Also counts the visited nodes, which makes the count a little slower. An engine that visits no nodes reports
    /// none.
    pub fn count_nodes(mut self) -> Self {
        self.settings.count_nodes = true;
        self
    }

    /// Returns true if the count is over sooner than threads are started, so that the calling thread makes it.
    pub fn is_quick(&self) -> bool {
        self.chosen_engine().is_ok_and(|engine| self.is_quick_with(engine))
    }

    pub(super) fn is_quick_with(&self, engine: Engine) -> bool {
        let size = self.board.size();
        let has_choice = |setup: &Setup| setup.open()[..size].iter().filter(|row| row.count_ones() > 1).count();
        let rows = self.settings.setup.as_ref().map_or(size, has_choice);
        let is_small = rows <= MOST_QUICK_ROWS && self.settings.split_rows.is_none();
        // Without optimization a search needs half a megabyte of stack, which the calling thread may lack.
        !cfg!(unoptimized) && engine == Engine::Backtrack && is_small && self.maker.is_none()
    }
}

// `verify` and the tests count by every plan and route, and tests of what follows a fault put something in the place of
// the engine.
#[doc(hidden)]
impl Job {
    /// Replaces all settings of the engine.
    pub fn settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// Returns all settings of the engine.
    pub fn all_settings(&self) -> &Settings {
        &self.settings
    }

    /// Counts with the counters of this maker.
    pub fn counted_by(self, maker: &'static dyn CounterMaker) -> Self {
        Self { maker: Some(maker), ..self }
    }
}
