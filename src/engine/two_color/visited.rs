//! The visited probe records of the dense colour: those of the ranks that are visited with an *Re*, siblings together.

use super::probe_side::{ProbeRecord, ProbeSide, RUN, RecordOrder, rank_bound};
use super::simd::Kernel;
use super::tuples::TIE_GROUPS;
use std::ops::Range;

/// The visited records of a segment: *siblings*, two with the same [key](ProbeRecord::key), whose table entry is read
/// once for both, and single ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisitedRecords<'a> {
    /// The siblings, all of the first tie group.
    pub(super) siblings: &'a [[ProbeRecord; 2]],
    /// By tie group, the records without a sibling.
    pub(super) single: [&'a [[ProbeRecord; 1]]; TIE_GROUPS],
}

/// The visited records of a probe side, segment by segment.
#[derive(Debug, Default)]
pub(super) struct Visited {
    /// Copies of the visited records of a probe side in runs. Empty for one that is sorted by rank: its visited records
    /// are ranges of its own.
    records: Vec<ProbeRecord>,
    segments: Vec<Segment>,
    /// Scratch memory: the single records of a segment's first tie group.
    single: Vec<ProbeRecord>,
    /// Scratch memory: the visited records of its other tie groups.
    others: Vec<ProbeRecord>,
}

/// Where the visited records of a segment begin, where its siblings end, and where the single records of each tie group
/// end: among the copied records, or those of the probe side if it is sorted by rank.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    start: u32,
    siblings: u32,
    single: [u32; TIE_GROUPS],
}

impl Visited {
    /// Takes the visited records of a probe side: in every segment of an active list, those of its tie groups, which
    /// end at the ranks that `ends` has for the list.
    ///
    /// Cheaper where it has those of the same probe side for ranks a little lower or higher.
    pub(super) fn fill<K: Kernel>(
        &mut self,
        kernel: K,
        probe: &ProbeSide,
        active: &[bool],
        ends: &[[usize; TIE_GROUPS]],
    ) {
        self.records.clear();
        self.segments.resize(probe.segments(), Segment::default());
        if probe.order() == RecordOrder::Runs {
            // Vectors would double their room otherwise. A run is written with what follows it.
            self.records.reserve_exact(probe.len() + RUN);
        }
        for segment in 0..probe.segments() {
            let list = probe.list(segment);
            if !active[list] {
                self.segments[segment] = Segment::default();
                continue;
            }
            match probe.order() {
                RecordOrder::Runs => self.put_siblings_together(kernel, probe, segment, ends[list]),
                RecordOrder::Ranks => self.bound(probe, segment, ends[list]),
                RecordOrder::Twins => unreachable!("the dense colour has no twins"),
            }
        }
    }

    /// Finds the visited records of a segment that is sorted by rank.
    fn bound(&mut self, probe: &ProbeSide, segment: usize, ends: [usize; TIE_GROUPS]) {
        let Range { start, end } = probe.places(segment);
        let records = probe.all_records()[start..end].as_chunks::<1>().0;
        let before = self.segments[segment];
        // A tie group ends not far behind the one before.
        let mut near = before.single[0].saturating_sub(before.start) as usize;
        let single = ends.map(|rank| {
            near = rank_bound(records, rank, near);
            (start + near) as u32
        });
        self.segments[segment] = Segment { start: start as u32, siblings: start as u32, single };
    }

    /// Copies the visited records of a segment in runs.
    ///
    /// The first tie group has almost all of them. So the others, of few ranks, get no siblings.
    fn put_siblings_together<K: Kernel>(
        &mut self,
        kernel: K,
        probe: &ProbeSide,
        segment: usize,
        ends: [usize; TIE_GROUPS],
    ) {
        let Self { records, single, others, segments } = self;
        let start = records.len() as u32;
        single.clear();
        others.clear();
        kernel.find_siblings(probe.runs(segment), [ends[0], ends[TIE_GROUPS - 1]], records, single, others);
        let siblings = records.len() as u32;
        records.extend_from_slice(single);
        let mut bounds = [records.len() as u32; TIE_GROUPS];
        for group in 1..TIE_GROUPS {
            let is_in_group = |record: &&ProbeRecord| (ends[group - 1]..ends[group]).contains(&record.rank());
            records.extend(others.iter().filter(is_in_group));
            bounds[group] = records.len() as u32;
        }
        segments[segment] = Segment { start, siblings, single: bounds };
    }

    /// True if a segment has no visited records.
    pub(super) fn is_empty(&self, segment: usize) -> bool {
        let Segment { start, single: [.., end], .. } = self.segments[segment];
        start == end
    }

    /// The visited records of a segment of the probe side.
    pub(super) fn records<'a>(&'a self, probe: &'a ProbeSide, segment: usize) -> VisitedRecords<'a> {
        let Segment { start, siblings, single } = self.segments[segment];
        let all = if probe.order() == RecordOrder::Runs { &self.records[..] } else { probe.all_records() };
        let records = |start: u32, end: u32| &all[start as usize..end as usize];
        let starts = [siblings, single[0], single[1]];
        VisitedRecords {
            siblings: records(start, siblings).as_chunks().0,
            single: std::array::from_fn(|group| records(starts[group], single[group]).as_chunks().0),
        }
    }
}
