//! The worker of one thread of the host, which gives its commands to one device.

#![allow(unsafe_code)]

use super::arrays::{DeviceBuild, DeviceProbe, DeviceProbes};
use super::device::{self, Argument, Array, DIAGONAL_BITS, ENTRY, Name, OpenDevice, Queue};
use crate::cancel::Cancel;
use crate::engine::StopReason;
use crate::engine::two_color::plan::Unit;
use crate::engine::two_color::prepare::{BuildSides, PreparedPart, ProbeSides};
use crate::engine::two_color::sides::SlotLayout;
use crate::engine::two_color::tuples::{ReIndex, WEIGHT_CLASSES, Weights};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most work-groups of a sweep: several for each multiprocessor of a large GPU.
pub(super) const WORK_GROUPS: usize = 2048;

/// The choice of how prefixes are divided among work-groups, when the survivors of all queens but the last one or two
/// are stored, and how much room these have. Survivors without room are found anew for each prefix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// The most work-groups of a sweep, at most [`WORK_GROUPS`].
    pub(super) work_groups: usize,
    /// If the fullest slot has more words than this, the survivors of all queens but the last are stored.
    pub(super) near_above: usize,
    /// If it has more words than this, the survivors of all queens but the last two are stored too.
    pub(super) far_above: usize,
    /// By the number of queens, 3 standing for more: the shift by which a slot's room is less than its number of words.
    pub(super) shifts: [usize; 4],
    /// The most bytes for stored survivors, for one thread of the host.
    pub(super) scratch: u64,
}

impl Tuning {
    /// These were measured on an NVIDIA H200. Two queens leave a sixth or less of the placements of N = 22 to 26, three
    /// a twentieth.
    pub(super) const MEASURED: Self =
        Self { work_groups: WORK_GROUPS, near_above: 64, far_above: 128, shifts: [0, 0, 1, 3], scratch: 512 << 20 };

    /// Returns the most bytes for stored survivors on a device with this `memory`.
    pub(super) fn scratch_of(&self, memory: u64) -> u64 {
        self.scratch.min(memory / SHARE_OF_SCRATCH)
    }
}

/// The part of the device's memory that stored survivors may take, for one thread of the host.
const SHARE_OF_SCRATCH: u64 = 32;

/// A device, and the data of one board that its memory keeps for all threads.
#[derive(Debug)]
pub(super) struct Gpu {
    pub(super) device: Arc<OpenDevice>,
    pub(super) tuning: Tuning,
    pub(super) probes: Mutex<Probes>,
}

type SharedProbes = Arc<Mutex<Option<Arc<DeviceProbes>>>>;

/// The probe sides in the memory of a device, by part and row block.
#[derive(Debug, Default)]
pub(super) struct Probes {
    sides: HashMap<(usize, usize), SharedProbes>,
    bytes: u64,
}

impl Gpu {
    pub(super) fn new(device: Arc<OpenDevice>) -> Self {
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
pub(super) struct GpuWorker<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) parts: &'a [PreparedPart],
    pub(super) units: &'a [Unit],
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
    pub(super) fn new(gpu: &'a Gpu, parts: &'a [PreparedPart], units: &'a [Unit]) -> Result<Self, StopReason> {
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
        let arguments = [
            sparse.matrix.argument(),
            Argument::Number(sparse.build.slots),
            Argument::Number(sparse.height),
            sparse.build.ranks.argument(),
            dense.matrix.argument(),
            Argument::Number(dense.build.slots),
            Argument::Number(dense.height),
            dense.build.ranks.argument(),
            self.class_ends.argument(),
            self.weights.argument(),
        ];
        let groups = [sparse.build.slots / 32, dense.build.slots / 32, lists];
        // SAFETY: these are the arguments of `transpose`. The matrices have `lists` times height times slots entries,
        // slots are multiples of 32, and there is a rank for each.
        unsafe { self.queue.run(Name::Transpose, &arguments, groups) }?;
        self.sweep(&probes.dense, Name::SweepDense)
    }

    /// Sweeps a probe side over the build side of its colour.
    fn sweep(&mut self, probe: &DeviceProbe, name: Name) -> Result<(), StopReason> {
        let side = if matches!(name, Name::SweepDense) { &mut self.dense } else { &mut self.sparse };
        side.visited.grow_to(&self.queue, probe.segments)?;
        let arguments = [
            Argument::Number(probe.segments),
            probe.starts.argument(),
            probe.records.argument(),
            side.ends.argument(),
            probe.list_rows.argument(),
            side.visited.argument(),
        ];
        let groups = [probe.segments.div_ceil(device::THREADS).max(1), 1, 1];
        // SAFETY: these are the arguments of `find_visited`, by segment and list of the probe side.
        unsafe { self.queue.run(Name::FindVisited, &arguments, groups) }?;
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
        // The names and their order are those of `SweepSizes` in `sweep.cl`.
        let DeviceProbe { prefixes, rows, columns, .. } = *probe;
        let (stride, height, groups) = (side.build.slots, side.height, side.build.slots / 32);
        let ([far_shift, shift], scratch_words, square_words) = (shifts, words, squares / 4);
        let sizes = [
            [groups, prefixes, rows, columns],
            [levels, far_words, scratch_words, far_shift],
            [shift, stride, height, square_words],
        ];
        let arguments = [
            side.build.words.argument(),
            side.build.groups.argument(),
            far_above.argument(),
            above.argument(),
            all.argument(),
            probe.lines.argument(),
            probe.first_segment.argument(),
            side.visited.argument(),
            probe.records.argument(),
            probe.diagonals.argument(),
            self.scratch.argument(),
            side.matrix.argument(),
            self.sums.argument(),
            Argument::Sizes(sizes),
            Argument::Local(squares + DIAGONAL_BITS),
        ];
        // SAFETY: these are the arguments of `sweep`. The build side has words for all its groups, and the probe side
        // has two records more than its segments have. The matrix has an entry for each list, rank and slot. The
        // scratch memory has words for each work-group, and there are sums for `WORK_GROUPS` of them.
        unsafe { self.queue.run(name, &arguments, [panels, shares, 1]) }
    }
}

impl GpuWorker<'_> {
    /// Counts a unit.
    pub(super) fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
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
