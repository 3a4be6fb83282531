//! The two-color engine on a GPU: the same plan, the same units, the same partial counts.
//!
//! The host makes the build sides and probe sides, as for a CPU, and a device does the rest (`sweep.cl`). Each thread
//! of the host gives its own commands to one device:
//!
//! ```text
//! for each Re of the unit:
//!     find_visited, sweep: the count matrices of the sparse colour, by list, rank and slot
//!     transpose: to rows and columns of the dense colour, times the weights
//!     find_visited, sweep: the counts of the dense colour times the entries
//! ```
//!
//! A sweep differs from [that of a CPU](super::join) in how survivors are laid out. On a CPU, all slots of a chunk have
//! as many planes as the fullest needs, and on average a third of the bits are used. Here up to eight survivors of one
//! slot are an *item*, one byte. A *slice* is 256 items of any slots of a panel, and each of 32 threads has 8 bytes of
//! it. This takes less than half the bits, and prefixes can be a row longer. The price is that a matrix entry is looked
//! up for each item.
//!
//! If a prefix has several queens and slots have many placements, the survivors of all queens but the last, and of all
//! but the last two, are stored once for the prefixes of a work-group that share them.
//!
//! Records are taken in the order of their ranks. Their places are looked up in the one-row table, without two-row
//! tables, and the counts of records of one rank are added up before the matrix is read. All entries have 32 bits: an
//! entry is at most 25,401,600 (`docs/two-color.md`, Exactness), and a weight at most 24.
//!
//! When a device is opened, and now and then while it counts, its counts of some units are compared with those of the
//! CPU ([`check`]), so that a driver that compiles the kernels wrongly is refused. `PoCL` 3.1 compiled earlier versions
//! wrongly. [`find`] chooses devices, [`open`] opens them, and [`device`] gives them commands.

mod arrays;
mod check;
mod device;
mod find;
mod open;
mod worker;

use super::Processor;
use crate::engine::device::{Device, DeviceRoom};
use crate::engine::two_color::plan::Unit;
use crate::engine::two_color::prepare::PreparedPart;
use crate::engine::two_color::tuples::Parity;
use crate::engine::{StopReason, Worker};
use check::{CheckedWorker, SpotChecks};
use std::sync::atomic::{AtomicUsize, Ordering};
use worker::{Gpu, GpuWorker, Tuning};

/// The devices of a count.
#[derive(Debug)]
pub(super) struct Gpus {
    all: Vec<Gpu>,
    /// The number of workers so far, which take the devices in turn.
    workers: AtomicUsize,
    spot_checks: SpotChecks,
}

/// Returns the memory that a worker takes of a device with this `memory`, estimated, in bytes: the matrices, build sides
/// and stored survivors of the largest unit. Arrays grow by an eighth more than they need.
fn worker_bytes(parts: &[PreparedPart], units: &[Unit], memory: u64) -> u64 {
    let of_unit = |unit: &Unit| {
        let prepared = &parts[unit.part];
        let sizes = [Parity::Even, Parity::Odd];
        let sizes = sizes.map(|parity| prepared.part.column_sets(parity).len().next_multiple_of(64) as f64);
        // Each colour has a matrix, of entries of 32 bits.
        let matrices = 2.0 * 4.0 * prepared.part.row_block(unit.row_block).len() as f64 * sizes[0] * sizes[1];
        let placements = [&prepared.sparse, &prepared.dense].map(|sides| sides.guess.build_placements);
        matrices + 8.0 * MOST_PLACEMENTS * (placements[0] + placements[1])
    };
    let scratch = Tuning::MEASURED.scratch_of(memory) as f64;
    let most = units.iter().map(of_unit).fold(0.0, f64::max);
    (9.0 / 8.0 * (most + scratch)) as u64
}

/// The words of the row set with most placements, relative to the mean that is guessed of the placements. Slots have
/// words of padding.
const MOST_PLACEMENTS: f64 = 2.0 * 1.7;

/// Returns how many workers the memory of devices has room for, if these take turns; `None` if no device tells its
/// memory. A quarter of the memory is for the probe sides of all workers.
pub(super) fn room(parts: &[PreparedPart], units: &[Unit], devices: &[Device]) -> Option<DeviceRoom> {
    let used: Vec<&Device> = devices.iter().filter(|device| device.can_count()).collect();
    let of_device = |memory: u64| {
        let each = worker_bytes(parts, units, memory);
        DeviceRoom { each, workers: usize::try_from(memory / 4 * 3 / each.max(1)).unwrap_or(usize::MAX) }
    };
    let told = used.iter().map(|device| device.memory).filter(|&memory| memory > 0);
    let least = told.map(of_device).min_by_key(|room| room.workers)?;
    Some(DeviceRoom { workers: least.workers.saturating_mul(used.len()), ..least })
}

impl Gpus {
    /// Takes the work of all units, by which the CPU's counts of some units are planned.
    pub(super) fn with_work(mut self, work: Vec<u64>) -> Self {
        self.spot_checks.work = work;
        self
    }

    /// Returns the most entries that a one-row table can have on every device.
    pub(super) fn squares(&self) -> usize {
        self.all.iter().map(|gpu| gpu.device.squares).min().expect("there is a device")
    }
}

impl Processor for Gpus {
    fn worker<'a>(&'a self, parts: &'a [PreparedPart], units: &'a [Unit]) -> Result<Box<dyn Worker + 'a>, StopReason> {
        let number = self.workers.fetch_add(1, Ordering::Relaxed);
        let gpu = &self.all[number % self.all.len()];
        Ok(Box::new(CheckedWorker { worker: GpuWorker::new(gpu, parts, units)?, checks: &self.spot_checks }))
    }
}

#[cfg(test)]
mod tests {
    use super::check::check;
    use super::device::{self, OpenDevice, PANEL};
    use super::find::Found;
    use super::worker::WORK_GROUPS;
    use super::*;
    use crate::board::Board;
    use crate::cancel::Cancel;
    use crate::engine::PrepareError;
    use crate::engine::two_color::plan;
    use crate::engine::two_color::tuples::{Geometry, Part};
    use std::sync::Arc;

    pub(super) fn devices() -> Vec<Arc<OpenDevice>> {
        devices_with(PANEL)
    }

    fn devices_with(panel: usize) -> Vec<Arc<OpenDevice>> {
        let open =
            |found: &Found| OpenDevice::new(found, panel).map(Arc::new).map_err(|reason| PrepareError::Gpu { reason });
        match find::all().and_then(|found| found.iter().map(open).collect()) {
            Ok(devices) => devices,
            Err(reason) if std::env::var_os("NQUEENS_TEST_ALL").is_none() => {
                eprintln!("left out: {reason}");
                Vec::new()
            }
            Err(reason) => panic!("{reason}"),
        }
    }

    /// On an H200, a thread was seen to take 0.7 GB at N = 24 and 3 GB at N = 28. A small card counts on fewer threads,
    /// and the smallest of several limits all.
    #[test]
    fn the_memory_of_devices_has_room_for_some_threads() {
        let device = |number, gigabytes: u64| Device::example(number, "A", gigabytes << 30);
        for (size, each, workers) in
            [(20, 0.5..0.8, [1, 8, 100]), (24, 0.6..0.9, [1, 4, 100]), (28, 1.5..3.5, [0, 1, 30])]
        {
            let all = Part::all(Geometry::new(Board::new(size).unwrap()));
            let units = plan::units(&all);
            let parts: Vec<_> = all.into_iter().map(PreparedPart::new).collect();
            let room = |devices: &[Device]| room(&parts, &units, devices);
            let large = room(&[device(0, 139)]).unwrap();
            assert!(each.contains(&(large.each as f64 / 1e9)), "N = {size}: {large:?}");
            for (gigabytes, at_least) in [2, 8, 139].into_iter().zip(workers) {
                let alone = room(&[device(0, gigabytes)]).unwrap().workers;
                assert!((at_least..=40 * at_least.max(1)).contains(&alone), "N = {size}, {gigabytes} GB: {alone}");
                let beside = room(&[device(0, 139), device(1, gigabytes)]).unwrap().workers;
                assert_eq!(beside, 2 * alone, "the devices take turns");
            }
            assert!(room(&[device(0, 0)]).is_none() && room(&[]).is_none());
            let refused = Device { refusal: Some("no".to_owned()), ..device(1, 1) };
            assert_eq!(room(&[device(0, 139), refused]).unwrap().workers, large.workers);
        }
    }

    /// A unit that the CPU counts otherwise stops the count, and the device is not used again without a check.
    #[test]
    fn a_device_that_counts_wrong_is_found_out() {
        let cancel = Cancel::new();
        let all = Part::all(Geometry::new(Board::new(14).unwrap()));
        let units = plan::units(&all);
        for device in devices() {
            let gpu = Gpu::new(device);
            let for_gpu = |part| PreparedPart::new(part).for_gpu(gpu.device.squares);
            let parts: Vec<_> = all.iter().cloned().map(for_gpu).collect();
            let mut worker = GpuWorker::new(&gpu, &parts, &units).unwrap();
            let unit = units.len() - 1;
            let partial = worker.count(unit, &cancel).unwrap();
            assert!(worker.check(unit, partial, &cancel).is_ok());
            assert!(!gpu.device.has_failed.load(Ordering::Relaxed));
            let Err(StopReason::Device { message, is_wrong: true }) = worker.check(unit, partial + 2, &cancel) else {
                panic!("the count is wrong")
            };
            let said = format!(" counted {} for unit {unit} of N = 14, and the CPU {partial}; do not", partial + 2);
            assert!(message.contains(&said), "{message}");
            assert!(gpu.device.has_failed.load(Ordering::Relaxed));
        }
    }

    /// Some devices have 32 KiB of local memory. Tails then have fewer rows, and prefixes more queens. If there is no
    /// room for all squares of a prefix, some of its segments are swept after the others.
    #[test]
    fn a_device_with_little_local_memory_counts() {
        let little = device::squares_in(32 << 10).unwrap();
        assert_eq!(device::squares_in(30 << 10), None);
        for mut device in devices() {
            // A record of N = 14 has five rows of seven squares at most.
            for (squares, boards) in
                [(little, &[(13, usize::MAX), (20, 2), (22, 1)][..]), (1 + 5 * 7, &[(14, usize::MAX)])]
            {
                Arc::get_mut(&mut device).expect("nobody else has it").squares = squares;
                check(Gpu::new(Arc::clone(&device)), boards, &Cancel::new()).unwrap();
            }
        }
    }

    /// Panels are small here, so that boards of the tests have several.
    #[test]
    fn several_panels_count_the_same() {
        for device in devices_with(64) {
            let tuning = Tuning { scratch: 1 << 20, ..Tuning::MEASURED };
            let gpu = Gpu { tuning, ..Gpu::new(device) };
            check(gpu, &[(13, usize::MAX), (20, 2)], &Cancel::new()).unwrap();
        }
    }

    /// Survivors are stored on no level, on one or on two, and are found anew if slots have no room.
    #[test]
    fn survivors_are_swept_whether_they_are_written_down_or_not() {
        let none = usize::MAX;
        for device in devices() {
            for (work_groups, near_above, far_above, shifts) in [
                (1, none, none, [0; 4]),
                (1, 0, none, [0; 4]),
                (1, 0, 0, [0; 4]),
                (3, 0, 0, [1, 1, 2, 3]),
                (3, 0, 0, [9; 4]),
                (WORK_GROUPS, 0, 0, [0, 9, 0, 9]),
            ] {
                let tuning = Tuning { work_groups, near_above, far_above, shifts, ..Tuning::MEASURED };
                let gpu = Gpu { tuning, ..Gpu::new(Arc::clone(&device)) };
                check(gpu, &[(13, usize::MAX), (20, 4)], &Cancel::new()).unwrap();
            }
        }
    }
}
