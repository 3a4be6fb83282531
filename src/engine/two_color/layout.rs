//! Where column sets stand among the slots of lanes.

use super::kernel::{Level, SLOTS};
use super::lanes::Lanes;
use super::part::ABSENT;
use std::cmp::Reverse;

/// The number of neighbouring slots that a product sums up together.
pub(super) const SUMMED: usize = 4;

/// Where the groups of some lanes stand among the slots, 64 to a *chunk*: each range of groups from a multiple of
/// [`SUMMED`] on, so that no sum mixes ranges; within a range the groups with the most lanes first, so that neighbours need
/// about as many planes.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The group of each slot; [`ABSENT`] for a slot that is left empty.
    groups: Vec<u16>,
    /// The range of each [`SUMMED`] slots: the group at which it ends.
    ends: Vec<usize>,
}

impl Layout {
    /// Lays out the groups of some lanes, in ranges that end where `ends` says, ascending.
    pub(super) fn arrange(&mut self, lanes: &Lanes, ends: &[usize]) {
        self.groups.clear();
        self.ends.clear();
        let mut start = 0;
        for &end in ends {
            let first = self.groups.len();
            self.groups.extend(start as u16..end as u16);
            self.groups[first..].sort_unstable_by_key(|&group| (Reverse(lanes.group(group.into()).len()), group));
            self.groups.resize(self.groups.len().next_multiple_of(SUMMED), ABSENT);
            self.ends.resize(self.groups.len() / SUMMED, end);
            start = end;
        }
        self.groups.resize(self.groups.len().next_multiple_of(SLOTS), ABSENT);
        self.ends.resize(self.groups.len() / SUMMED, 0);
    }

    /// The number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.groups.len() / SLOTS
    }

    /// The slots of a chunk that are in use, ascending, each with its group.
    pub(super) fn slots(&self, chunk: usize) -> impl Iterator<Item = (usize, usize)> {
        let groups = self.groups[SLOTS * chunk..][..SLOTS].iter().enumerate();
        groups.filter(|&(_, &group)| group != ABSENT).map(|(slot, &group)| (slot, usize::from(group)))
    }

    /// Where the range ends that each of the sums of a chunk is of.
    pub(super) fn ends(&self, chunk: usize) -> &[usize; SLOTS / SUMMED] {
        self.ends[SLOTS / SUMMED * chunk..].first_chunk().expect("chunks are whole")
    }

    /// Fills a level with the lanes of a chunk.
    pub(super) fn fill(&self, level: &mut Level, lanes: &Lanes, chunk: usize) {
        level.fill(self.slots(chunk).map(|(slot, group)| (slot, lanes.group(group))));
    }
}
