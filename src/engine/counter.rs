//! The counter of a prepared plan, and the traits by which an engine counts: units, workers, and tables that they share.

use super::device::{Device, DeviceRoom};
use super::kernel::Kernel;
use super::plan::Plan;
use crate::cancel::{Cancel, Cancelled};
use std::fmt::Debug;

/// Error returned when a worker, or the making of shared tables, ended before its work was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopReason {
    /// The [`Cancel`] was set.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The system refused memory.
    #[error("the system gives no more memory")]
    Memory,
    /// A device other than the CPU failed.
    #[error("{message}")]
    Device {
        /// The failure, and what may help.
        message: String,
        /// True if the device counted wrong, so that no count of it can be trusted.
        is_wrong: bool,
    },
}

/// A plan that is ready to be counted with one kernel. All threads of a run share it.
#[derive(Debug)]
pub struct Counter {
    /// The plan.
    pub plan: Plan,
    /// The kernel that counts.
    pub kernel: Kernel,
    /// The memory that one worker takes at most, in bytes; an estimate.
    pub scratch_bytes: u64,
    /// The seconds that one thread takes for all units together, estimated for the machine on which the engine's
    /// constants were measured. Once some units have been counted here, the value serves to compare units and boards.
    pub expected_seconds: f64,
    /// The devices that were chosen: those that count, and those that are left out, with the reason. Empty if only the
    /// CPU counts.
    pub devices: Vec<Device>,
    /// The workers for which the memory of the devices suffices; `None` if only the CPU counts, or no device tells its
    /// memory.
    pub device_room: Option<DeviceRoom>,
    /// The units in the engine's own form.
    pub units: Box<dyn Units>,
}

/// The units of a plan in the engine's own form, with one kernel.
///
/// The trait may get new methods in any release: other crates should only use it, not implement it.
pub trait Units: Debug + Send + Sync {
    /// Makes the worker of one thread.
    ///
    /// # Errors
    /// When a device fails.
    fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason>;

    /// Chooses which tables of `units` are worth making once for all workers, within `bytes` bytes. An engine without
    /// tables keeps this default.
    fn tables(&self, _units: &[usize], _bytes: u64) -> SharedTables<'_> {
        SharedTables::default()
    }

    /// Returns the part of the plan to which a unit belongs: the number of its queens on EE; 0 for an engine whose plan
    /// has no parts.
    fn part(&self, _unit: usize) -> usize {
        0
    }
}

/// Tables that several units need, chosen to be made once for all workers. Units count the same without them: a worker
/// that lacks a table makes it for each unit.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "a function has nothing to show")]
pub struct SharedTables<'a> {
    /// The memory of the tables in bytes, estimated.
    pub bytes: u64,
    /// The seconds that one thread takes to make these tables once and all other tables for each unit, estimated like
    /// [`Counter::expected_seconds`]. Existing tables take no time.
    pub seconds: f64,
    /// The function that makes the tables.
    make: Option<Box<MakeTables<'a>>>,
}

/// Makes tables on the threads of the current `rayon` pool.
type MakeTables<'a> = dyn FnOnce(&Cancel) -> Result<(), StopReason> + Send + 'a;

impl<'a> SharedTables<'a> {
    /// Wraps a function that makes tables.
    pub fn new(bytes: u64, seconds: f64, make: impl FnOnce(&Cancel) -> Result<(), StopReason> + Send + 'a) -> Self {
        Self { bytes, seconds, make: Some(Box::new(make)) }
    }

    /// Makes the tables, on the threads of the current `rayon` pool. The counter keeps them as long as it lives.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub fn make(self, cancel: &Cancel) -> Result<(), StopReason> {
        self.make.map_or(Ok(()), |make| make(cancel))
    }
}

/// The counting of one thread, with its scratch memory, which grows to the largest unit and is reused.
///
/// Other crates should not implement this trait either (see [`Units`]).
pub trait Worker {
    /// Returns the partial count of one unit, in which symmetry weights are multiplied in.
    ///
    /// # Errors
    /// When the system refuses memory, a device fails, or `cancel` is set and the unit takes long: a worker looks at
    /// `cancel` before each second of CPU time is over. A unit that is finished sooner need not look at all.
    ///
    /// # Panics
    /// When the plan has no such unit.
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason>;

    /// Returns the kernel that counts, which is the one of the token or the device that the worker has.
    fn kernel(&self) -> Kernel;

    /// Returns true if the worker counts with build side and probe side exchanged.
    fn is_exchanged(&self) -> bool {
        false
    }

    /// Returns the number of nodes visited in all units so far. `None` if the engine visits none, or if the kernel
    /// counts them only when [`Settings::count_nodes`](super::Settings::count_nodes) asks for it.
    fn nodes(&self) -> Option<u64> {
        None
    }
}
