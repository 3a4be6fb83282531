//! Compares what devices count with what the CPU counts: at their opening, and now and then while they count.

use super::device::OpenDevice;
use super::worker::{Gpu, GpuWorker, Tuning};
use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::kernel::match_kernel;
use crate::engine::two_color::join::UnitCounter;
use crate::engine::two_color::plan::{self, Unit};
use crate::engine::two_color::prepare::PreparedPart;
use crate::engine::two_color::tuples::{Geometry, Part};
use crate::engine::{Engine, Kernel, StopReason, Worker};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Compares counts of a device with those of the CPU.
pub(super) fn check_device(device: &Arc<OpenDevice>, cancel: &Cancel) -> Result<(), StopReason> {
    check(Gpu::new(Arc::clone(device)), &[(13, usize::MAX), (17, 8)], cancel)?;
    let all_levels = Tuning { work_groups: 64, near_above: 0, far_above: 0, ..Tuning::MEASURED };
    check(Gpu { tuning: all_levels, ..Gpu::new(Arc::clone(device)) }, &[(20, 4)], cancel)
}

/// Counts of single units by the CPU, which are made while devices count. A device that passed the checks at its opening
/// may still fail when it is hot, or on a larger board.
#[derive(Debug, Default)]
pub(super) struct SpotChecks {
    /// The work of all units, in nanoseconds that the CPU is expected to take.
    pub(super) work: Vec<u64>,
    /// The nanoseconds that all workers took for units, and that spot checks took.
    counted: AtomicU64,
    checked: Mutex<u64>,
}

/// A spot check is made when the units have taken so many times as long as all spot checks. They therefore take half a
/// percent of the threads' time.
const SPOT_CHECK_EVERY: u64 = 200;

impl SpotChecks {
    /// Notes the time that a worker took for a unit. Calls `check`, which returns its time, if there has been time enough
    /// since the last check for one of about `expected` nanoseconds, and no other worker is making one.
    pub(super) fn after(
        &self,
        taken: Duration,
        expected: u64,
        check: impl FnOnce() -> Result<Duration, StopReason>,
    ) -> Result<(), StopReason> {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let counted = self.counted.fetch_add(nanoseconds(taken), Ordering::Relaxed) + nanoseconds(taken);
        let Ok(mut checked) = self.checked.try_lock() else { return Ok(()) };
        if checked.saturating_add(expected) <= counted / SPOT_CHECK_EVERY {
            *checked += nanoseconds(check()?);
        }
        Ok(())
    }
}

/// Compares a device's counts of some units with those of the CPU. `boards` has the size of each board and about how
/// many of its units are counted.
pub(super) fn check(mut gpu: Gpu, boards: &[(usize, usize)], cancel: &Cancel) -> Result<(), StopReason> {
    for &(size, most) in boards {
        gpu.probes = Mutex::default();
        let all = Part::all(Geometry::new(Board::new(size).expect("the boards exist")));
        let units = plan::units(&all);
        let for_gpu = |part| PreparedPart::new(part).for_gpu(gpu.device.squares);
        let parts: Vec<_> = all.into_iter().map(for_gpu).collect();
        let mut worker = GpuWorker::new(&gpu, &parts, &units)?;
        for unit in (0..units.len()).step_by((units.len() / most).max(1)) {
            let partial = worker.count(unit, cancel)?;
            worker.check(unit, partial, cancel)?;
        }
    }
    Ok(())
}

/// A worker whose device is checked now and then.
#[derive(Debug)]
pub(super) struct CheckedWorker<'a> {
    pub(super) worker: GpuWorker<'a>,
    pub(super) checks: &'a SpotChecks,
}

impl Worker for CheckedWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        let start = Instant::now();
        let partial = self.worker.count(unit, cancel)?;
        let check = || self.worker.check(unit, partial, cancel);
        self.checks.after(start.elapsed(), self.checks.work[unit], check)?;
        Ok(partial)
    }

    fn kernel(&self) -> Kernel {
        Kernel::Gpu
    }
}

impl GpuWorker<'_> {
    /// Compares the partial count of a unit with that of the CPU. Returns the time that this took.
    ///
    /// # Errors
    /// When they differ, and when `cancel` is set.
    pub(super) fn check(&self, unit: usize, partial: u128, cancel: &Cancel) -> Result<Duration, StopReason> {
        let start = Instant::now();
        let one = &self.units[unit];
        // The parts of a device have other prefixes than those of a CPU.
        let part = PreparedPart::new(self.parts[one.part].part.clone());
        let (size, parts, units) = (part.part.geometry.size, [part], [Unit { part: 0, ..one.clone() }]);
        let best = Engine::TwoColor.choose_kernel(None).expect("every CPU has a kernel");
        let counted = match_kernel!(
            best,
            token => UnitCounter::new(token, &parts, &units).count(0, cancel),
            scalar => unreachable!("the engine has no such kernel")
        );
        match counted {
            Ok(expected) if expected != partial => {
                let OpenDevice { device, .. } = &*self.gpu.device;
                self.gpu.device.has_failed.store(true, Ordering::Relaxed);
                Err(StopReason::Device {
                    is_wrong: true,
                    message: format!(
                        "device {}, {}, counted {partial} for unit {unit} of N = {size}, and the CPU {expected}; do not \
                         trust this device",
                        device.number, device.name
                    ),
                })
            }
            // If there is no memory for the check, the device still has enough to count.
            Ok(_) | Err(StopReason::Memory | StopReason::Device { .. }) => Ok(start.elapsed()),
            Err(cancelled @ StopReason::Cancelled(_)) => Err(cancelled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_spot_check_is_made_when_two_hundred_times_its_time_was_counted() {
        let (checks, made) = (SpotChecks::default(), AtomicUsize::new(0));
        let after = |milliseconds, expected| {
            let check = || {
                made.fetch_add(1, Ordering::Relaxed);
                Ok(Duration::from_millis(2))
            };
            checks.after(Duration::from_millis(milliseconds), expected, check).unwrap();
            made.load(Ordering::Relaxed)
        };
        assert_eq!([after(150, 1_000_000), after(49, 1_000_000), after(2, 1_000_000)], [0, 0, 1]);
        // The first check took twice as long as expected, and the second waits until that is made up for.
        assert_eq!([after(398, 1_000_000), after(1, 1_000_000)], [1, 2]);
        let fails = checks.after(Duration::from_secs(60), 1, || Err(StopReason::Memory));
        assert_eq!(fails, Err(StopReason::Memory));
    }
}
