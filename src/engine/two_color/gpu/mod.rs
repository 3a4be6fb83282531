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

#![allow(unsafe_code)]

mod arrays;
mod check;
mod device;
mod find;
mod open;

use super::Processor;
use crate::cancel::Cancel;
use crate::engine::device::{Device, DeviceRoom};
use crate::engine::two_color::plan::Unit;
use crate::engine::two_color::prepare::{BuildSides, PreparedPart, ProbeSides};
use crate::engine::two_color::sides::SlotLayout;
use crate::engine::two_color::tuples::{Parity, ReIndex, WEIGHT_CLASSES, Weights};
use crate::engine::{Kernel, StopReason, Worker};
use arrays::{DeviceBuild, DeviceProbe, DeviceProbes};
use check::SpotChecks;
use device::{Array, BLOCKS, ENTRY, Name, OpenDevice, Queue, number_on_device};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// The most work-groups of a sweep: several for each multiprocessor of a large GPU.
const WORK_GROUPS: usize = 2048;

/// The choice of how prefixes are divided among work-groups, when the survivors of all queens but the last one or two
/// are stored, and how much room these have. Survivors without room are found anew for each prefix.
#[derive(Clone, Copy, Debug)]
struct Tuning {
    /// The most work-groups of a sweep, at most [`WORK_GROUPS`].
    work_groups: usize,
    /// If the fullest slot has more words than this, the survivors of all queens but the last are stored.
    near_above: usize,
    /// If it has more words than this, the survivors of all queens but the last two are stored too.
    far_above: usize,
    /// By the number of queens, 3 standing for more: the shift by which a slot's room is less than its number of words.
    shifts: [u32; 4],
    /// The most bytes for stored survivors, for one thread of the host.
    scratch: u64,
}

impl Tuning {
    /// These were measured on an NVIDIA H200. Two queens leave a sixth or less of the placements of N = 22 to 26, three
    /// a twentieth.
    const MEASURED: Self =
        Self { work_groups: WORK_GROUPS, near_above: 64, far_above: 128, shifts: [0, 0, 1, 3], scratch: 512 << 20 };

    /// Returns the most bytes for stored survivors on a device with this `memory`.
    fn scratch_of(&self, memory: u64) -> u64 {
        self.scratch.min(memory / SHARE_OF_SCRATCH)
    }
}

/// The part of the device's memory that stored survivors may take, for one thread of the host.
const SHARE_OF_SCRATCH: u64 = 32;

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
        let placements = [&prepared.sparse, &prepared.dense].map(|sides| sides.guess.build_placements());
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

/// A device, and the data of one board that its memory keeps for all threads.
#[derive(Debug)]
struct Gpu {
    device: Arc<OpenDevice>,
    tuning: Tuning,
    probes: Mutex<Probes>,
}

type SharedProbes = Arc<Mutex<Option<Arc<DeviceProbes>>>>;

/// The probe sides in the memory of a device, by part and row block.
#[derive(Debug, Default)]
struct Probes {
    sides: HashMap<(usize, usize), SharedProbes>,
    bytes: u64,
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
        Ok(Box::new(GpuWorker::new(gpu, parts, units, Some(&self.spot_checks))?))
    }
}

impl Gpu {
    fn new(device: Arc<OpenDevice>) -> Self {
        Self { device, tuning: Tuning::MEASURED, probes: Mutex::default() }
    }

    /// Returns the probe sides of a row block, in the memory of the device.
    fn probes(
        &self,
        queue: &Queue,
        (prepared, unit): (&PreparedPart, &Unit),
        room: &mut ProbeSides,
        cancel: &Cancel,
    ) -> Result<Arc<DeviceProbes>, StopReason> {
        let key = (unit.part, unit.row_block);
        let entry = {
            let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
            if probes.bytes > self.device.device.memory / 4 {
                // Probe sides in use live as long as their users.
                *probes = Probes::default();
            }
            Arc::clone(probes.sides.entry(key).or_default())
        };
        let mut shared = entry.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(probes) = &*shared {
            return Ok(Arc::clone(probes));
        }
        let row_block = prepared.part.row_block(unit.row_block);
        let sides = if let Some(sides) = prepared.shared_probe.get(unit.row_block).and_then(OnceLock::get) {
            sides
        } else {
            room.fill(prepared, row_block, cancel)?;
            room
        };
        let sparse = DeviceProbe::new(queue, &prepared.sparse.probe, &sides.sparse, row_block.len())?;
        let dense = DeviceProbe::new(queue, &prepared.dense.probe, &sides.dense, row_block.len())?;
        let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        if probes.sides.get(&key).is_some_and(|kept| Arc::ptr_eq(kept, &entry)) {
            probes.bytes += sparse.bytes + dense.bytes;
        }
        Ok(Arc::clone(shared.insert(Arc::new(DeviceProbes { sparse, dense }))))
    }
}

/// The worker of one thread of the host.
#[derive(Debug)]
struct GpuWorker<'a> {
    gpu: &'a Gpu,
    parts: &'a [PreparedPart],
    units: &'a [Unit],
    queue: Queue,
    build: BuildSides,
    probe: ProbeSides,
    sparse: DeviceSide,
    dense: DeviceSide,
    /// By list, the ends of the weight classes of the dense colour's buckets, and of its records.
    class_ends: Array<u32>,
    /// The weights by list, weight class of the dense colour's record and weight class of the bucket.
    weights: Array<u32>,
    scratch: Array<u64>,
    /// The sum of each work-group.
    sums: Array<u64>,
    /// `None` while the device is being checked.
    spot_checks: Option<&'a SpotChecks>,
}

/// A colour's build side and what is swept over it.
#[derive(Debug, Default)]
struct DeviceSide {
    slots: SlotLayout,
    build: DeviceBuild,
    /// By list, the rank at which its visited records end; 0 if the list is not visited.
    ends: Array<u32>,
    /// By segment, where its visited records begin and end, the rows of its list, and its list.
    visited: Array<[u32; 4]>,
    /// By list, rank of the records and slot of the buckets: the counts of the sparse colour, or the factors of the
    /// dense colour's counts.
    matrix: Array<u32>,
    /// The number of ranks.
    height: usize,
}

impl<'a> GpuWorker<'a> {
    fn new(
        gpu: &'a Gpu,
        parts: &'a [PreparedPart],
        units: &'a [Unit],
        spot_checks: Option<&'a SpotChecks>,
    ) -> Result<Self, StopReason> {
        Ok(Self {
            queue: Queue::new(Arc::clone(&gpu.device))?,
            gpu,
            parts,
            units,
            build: BuildSides::default(),
            probe: ProbeSides::default(),
            sparse: DeviceSide::default(),
            dense: DeviceSide::default(),
            class_ends: Array::default(),
            weights: Array::default(),
            scratch: Array::default(),
            sums: Array::default(),
            spot_checks,
        })
    }

    /// Adds the contribution of one *Re* to the sums.
    fn count_re(
        &mut self,
        prepared: &PreparedPart,
        unit: &Unit,
        re: ReIndex,
        probes: &DeviceProbes,
        cancel: &Cancel,
    ) -> Result<(), StopReason> {
        let part = &prepared.part;
        let shared = prepared.shared_build[re.0].get();
        let build = shared.unwrap_or(&self.build);
        let row_block = prepared.part.row_block(unit.row_block);
        let weights: Vec<Option<Weights>> = row_block.iter().map(|&ro| part.weights(re, ro)).collect();
        let sparse_class_ends = part.class_ends(prepared.sparse.build.column_parity, re);
        let dense_class_ends = part.class_ends(prepared.dense.build.column_parity, re);
        self.sparse.slots.arrange(&build.sparse, &[sparse_class_ends[WEIGHT_CLASSES - 1]]);
        self.dense.slots.arrange(&build.dense, &[dense_class_ends[WEIGHT_CLASSES - 1]]);
        let (mut class_ends, mut class_weights) = (Vec::new(), Vec::new());
        for weights in &weights {
            class_ends.extend(dense_class_ends.iter().chain(&sparse_class_ends).map(|&end| end as u32));
            for (probe, build) in
                (0..WEIGHT_CLASSES).flat_map(|probe| (0..WEIGHT_CLASSES).map(move |build| (probe, build)))
            {
                let class_weight = |weights: &Weights| weights.weight(prepared.dense.probe.column_parity, probe, build);
                class_weights.push(weights.as_ref().map_or(0, class_weight) as u32);
            }
        }
        // A write would wait until the last *Re* is counted, and would not heed `cancel`.
        self.queue.wait(cancel)?;
        self.class_ends.write(&self.queue, &class_ends)?;
        self.weights.write(&self.queue, &class_weights)?;
        // The records of one colour and the buckets of the other end at the same rank.
        for (side, build, end) in [
            (&mut self.sparse, &build.sparse, dense_class_ends[WEIGHT_CLASSES - 1]),
            (&mut self.dense, &build.dense, sparse_class_ends[WEIGHT_CLASSES - 1]),
        ] {
            side.height = end;
            side.build.fill(&self.queue, &side.slots, build)?;
            let ends: Vec<u32> = weights.iter().map(|w| if w.is_some() { end as u32 } else { 0 }).collect();
            side.ends.write(&self.queue, &ends)?;
        }
        let lists = weights.len();
        let length = |side: &DeviceSide| lists * side.height * side.build.slots;
        let lengths = [length(&self.sparse), length(&self.dense)];
        self.sparse.matrix.fill(&self.queue, lengths[0], 0)?;
        self.dense.matrix.grow_to(&self.queue, lengths[1])?;
        self.sweep(&probes.sparse, Name::SweepSparse)?;
        let (sparse, dense) = (&self.sparse, &self.dense);
        let launch = self.queue.launch(Name::Transpose);
        let launch = launch
            .array(&sparse.matrix)
            .number(sparse.build.slots)
            .number(sparse.height)
            .array(&sparse.build.ranks)
            .array(&dense.matrix)
            .number(dense.build.slots)
            .number(dense.height)
            .array(&dense.build.ranks)
            .array(&self.class_ends)
            .array(&self.weights);
        // SAFETY: these are the arguments of `transpose`. The matrices have `lists` times height times slots entries,
        // slots are multiples of 32, and there is a rank for each.
        unsafe { launch.run([sparse.build.slots / 32, dense.build.slots / 32, lists]) }?;
        self.sweep(&probes.dense, Name::SweepDense)
    }

    /// Sweeps a probe side over the build side of its colour.
    fn sweep(&mut self, probe: &DeviceProbe, name: Name) -> Result<(), StopReason> {
        let side = if matches!(name, Name::SweepDense) { &mut self.dense } else { &mut self.sparse };
        side.visited.grow_to(&self.queue, probe.segments)?;
        let launch = self.queue.launch(Name::FindVisited);
        let launch = launch
            .number(probe.segments)
            .array(&probe.starts)
            .array(&probe.records)
            .array(&side.ends)
            .array(&probe.list_rows)
            .array(&side.visited);
        // SAFETY: these are the arguments of `find_visited`, by segment and list of the probe side.
        unsafe { launch.run([probe.segments.div_ceil(device::THREADS).max(1), 1, 1]) }?;
        let panel = self.gpu.device.panel;
        let panels = side.build.slots.div_ceil(panel);
        // These are the levels of survivors that are stored, and the words for those of a work-group: for each slot,
        // eight words more than the shift leaves.
        let tuning = &self.gpu.tuning;
        let levels = match probe.depth {
            3.. if side.build.longest > tuning.far_above => 2,
            2.. if side.build.longest > tuning.near_above => 1,
            _ => 0,
        };
        let shifts = [2, 1].map(|left_out| tuning.shifts[probe.depth.saturating_sub(left_out).min(3)]);
        let [far_words, near_words] = shifts.map(|shift| (side.build.panel_words >> shift) + 8 * panel);
        let far_words = if levels > 1 { far_words } else { 0 };
        let words = if levels > 0 { far_words + near_words } else { 0 };
        let bytes = tuning.scratch_of(self.queue.device.device.memory) as usize;
        let most = bytes.checked_div(8 * words * panels).unwrap_or(usize::MAX);
        let shares = (tuning.work_groups / panels).min(most).clamp(1, probe.prefixes.max(1));
        self.scratch.grow_to(&self.queue, shares * panels * words)?;
        let ([far_above, above, all], squares) = (&probe.masks, ENTRY * probe.squares);
        let sizes = SweepSizes {
            groups: number_on_device(side.build.slots / 32),
            prefixes: number_on_device(probe.prefixes),
            rows: number_on_device(probe.rows),
            columns: number_on_device(probe.columns),
            levels,
            far_words: number_on_device(far_words),
            scratch_words: number_on_device(words),
            far_shift: shifts[0],
            shift: shifts[1],
            stride: number_on_device(side.build.slots),
            height: number_on_device(side.height),
            square_words: number_on_device(squares / 4),
        };
        let launch = self.queue.launch(name);
        let launch = launch
            .array(&side.build.words)
            .array(&side.build.groups)
            .array(far_above)
            .array(above)
            .array(all)
            .array(&probe.lines)
            .array(&probe.first_segment)
            .array(&side.visited)
            .array(&probe.records)
            .array(&probe.diagonals)
            .array(&self.scratch)
            .array(&side.matrix)
            .array(&self.sums)
            .numbers(sizes)
            .local(squares + BLOCKS);
        // SAFETY: these are the arguments of `sweep`. The build side has words for all its groups, and the probe side
        // has two records more than its segments have. The matrix has an entry for each list, rank and slot. The
        // scratch memory has words for each work-group, and there are sums for `WORK_GROUPS` of them.
        unsafe { launch.run([panels, shares, 1]) }
    }
}

/// The numbers of a sweep, in the order of the struct in `sweep.cl`, which says what they are.
#[repr(C)]
#[derive(Clone, Copy)]
struct SweepSizes {
    groups: u32,
    prefixes: u32,
    rows: u32,
    columns: u32,
    levels: u32,
    far_words: u32,
    scratch_words: u32,
    far_shift: u32,
    shift: u32,
    stride: u32,
    height: u32,
    square_words: u32,
}

impl Worker for GpuWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        let start = Instant::now();
        let partial = self.count_unit(unit, cancel)?;
        if let Some(checks) = self.spot_checks {
            checks.after(start.elapsed(), checks.work[unit], || self.check_unit(unit, partial, cancel))?;
        }
        Ok(partial)
    }

    fn kernel(&self) -> Kernel {
        Kernel::Gpu
    }
}

impl GpuWorker<'_> {
    /// Counts a unit.
    fn count_unit(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        let unit = &self.units[unit];
        let prepared = &self.parts[unit.part];
        let probes = self.gpu.probes(&self.queue, (prepared, unit), &mut self.probe, cancel)?;
        let row_block = prepared.part.row_block(unit.row_block);
        self.sums.fill(&self.queue, WORK_GROUPS, 0)?;
        for re in unit.re.clone().map(ReIndex) {
            if row_block.iter().all(|&ro| prepared.part.weights(re, ro).is_none()) {
                continue;
            }
            cancel.check()?;
            if prepared.shared_build[re.0].get().is_none() {
                self.build.fill(prepared, prepared.part.re[re.0], re, cancel)?;
            }
            self.count_re(prepared, unit, re, &probes, cancel)?;
        }
        // Sweeps of the sparse colour have added 0.
        let mut sums = [0; WORK_GROUPS];
        self.sums.read(&self.queue, &mut sums, cancel)?;
        Ok(sums.iter().map(|&sum| u128::from(sum)).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::check::check;
    use super::device::PANEL;
    use super::find::Found;
    use super::*;
    use crate::board::Board;
    use crate::engine::PrepareError;
    use crate::engine::two_color::plan;
    use crate::engine::two_color::tuples::{Geometry, Part};

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
            let mut worker = GpuWorker::new(&gpu, &parts, &units, None).unwrap();
            let unit = units.len() - 1;
            let partial = worker.count(unit, &cancel).unwrap();
            assert!(worker.check_unit(unit, partial, &cancel).is_ok());
            assert!(!gpu.device.has_failed.load(Ordering::Relaxed));
            let Err(StopReason::Device { message, is_wrong: true }) = worker.check_unit(unit, partial + 2, &cancel)
            else {
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
