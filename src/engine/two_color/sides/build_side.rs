//! The build side: the placements of a square class on one row set, grouped by column set and laid out in slots.

use crate::cancel::{Cancel, Cancelled};
use crate::engine::memory::push;
use crate::engine::two_color::simd::{LANE, SLOTS, SUMMED, SUMS, Survivors};
use crate::engine::two_color::tuples::{HalfLine, LineSet, MOST_HALF_LINES, Placement, Rank, RankedSets, SquareClass};
use std::cmp::Reverse;
use std::ops::Range;

/// The placements of a square class on one row set, each as its diagonal mask, in *buckets*: those with one column
/// set. A bucket is known by the rank of the set.
#[derive(Debug, Default)]
pub(crate) struct BuildSide {
    /// The diagonal masks, bucket by bucket.
    placements: Vec<u64>,
    /// Where each bucket begins, and where the last ends.
    starts: Vec<u32>,
}

impl BuildSide {
    /// Fills it with the placements on the rows that tuples name by `rows` whose column sets have a rank below
    /// `buckets`.
    ///
    /// `ranks` is scratch memory.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When there are 2³² placements or more.
    pub(crate) fn fill(
        &mut self,
        class: &SquareClass,
        sets: &RankedSets,
        rows: LineSet,
        buckets: usize,
        ranks: &mut Vec<Option<Rank>>,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let mut room = [HalfLine::default(); MOST_HALF_LINES];
        let rows = class.in_order(class.rows(rows).collect(), &mut room);
        let Self { placements, starts } = self;
        placements.clear();
        ranks.clear();
        starts.clear();
        starts.resize(buckets + 2, 0);
        class.fill(rows, &Placement::default(), cancel, &mut |placement| {
            if let Some(rank) = class.rank(sets, placement.columns).filter(|rank| rank.index() < buckets) {
                push(placements, placement.diagonals);
                push(ranks, Some(rank));
                starts[rank.index() + 2] += 1;
            }
        });
        cancel.check()?;
        assert!(u32::try_from(placements.len()).is_ok(), "fewer than 2³² build placements");
        for bucket in 1..=buckets {
            starts[bucket + 1] += starts[bucket];
        }
        // Now the start of each bucket stands one place too late; it moves on, placement by placement, to the start of
        // the next. A placement is exchanged with the one in its place, and has no rank once it is there.
        for here in 0..placements.len() {
            while let Some(rank) = ranks[here].take() {
                let next = &mut starts[rank.index() + 1];
                placements.swap(here, *next as usize);
                ranks.swap(here, *next as usize);
                *next += 1;
            }
        }
        cancel.check()
    }

    /// Each placement `times` times, as if a bucket had so many more.
    #[cfg(test)]
    pub(crate) fn repeated(&self, times: usize) -> Self {
        let placements = self.placements.iter().flat_map(|&placement| std::iter::repeat_n(placement, times)).collect();
        Self { placements, starts: self.starts.iter().map(|&start| start * times as u32).collect() }
    }

    /// The number of placements.
    pub(crate) fn len(&self) -> usize {
        self.placements.len()
    }

    /// The diagonal masks of a bucket.
    pub(crate) fn bucket(&self, rank: Rank) -> &[u64] {
        &self.placements[self.starts[rank.index()] as usize..self.starts[rank.index() + 1] as usize]
    }
}

/// Deals the sums of a chunk to its lanes in turn, so that all lanes have buckets with many placements and with few.
fn spread<T: Copy>(sums: &mut [T]) {
    let sorted: [T; SUMS] = (&*sums).try_into().expect("a chunk has as many");
    let lanes = SLOTS / LANE;
    for (index, &sum) in sorted.iter().enumerate() {
        sums[index % lanes * (SUMS / lanes) + index / lanes] = sum;
    }
}

/// The places of the buckets among the slots, 64 slots to a *chunk*. Some chunks in turn are a *panel*, which is
/// swept at once.
///
/// Each range of ranks begins at a multiple of [`SUMMED`], so that no sum mixes ranges. Within a range the buckets with
/// the most placements are in the first chunks, so that the slots of a chunk need about the same number of planes. Within
/// a chunk they are spread.
#[derive(Debug, Default)]
pub(crate) struct SlotLayout {
    /// The bucket of each slot; `None` for a slot that is left empty.
    buckets: Vec<Option<Rank>>,
    /// For each [`SUMMED`] slots, the rank at which their range ends.
    ends: Vec<usize>,
}

impl SlotLayout {
    /// Lays out the buckets of a build side, in ranges that end at the ranks `ends`, ascending. The last ranges, which are
    /// small, come first, so that what a chunk has is of ranges of the chunk before it.
    pub(crate) fn arrange(&mut self, build: &BuildSide, ends: &[usize]) {
        self.buckets.clear();
        self.ends.clear();
        for (index, &end) in ends.iter().enumerate().rev() {
            let start = if index == 0 { 0 } else { ends[index - 1] };
            let first = self.buckets.len();
            self.buckets.extend((start..end).map(|rank| Some(Rank::new(rank))));
            self.buckets[first..]
                .sort_unstable_by_key(|&bucket| (Reverse(bucket.map_or(0, |rank| build.bucket(rank).len())), bucket));
            self.buckets.resize(self.buckets.len().next_multiple_of(SUMMED), None);
            self.ends.resize(self.buckets.len() / SUMMED, end);
        }
        self.buckets.resize(self.buckets.len().next_multiple_of(SLOTS), None);
        self.ends.resize(self.buckets.len() / SUMMED, 0);
        for buckets in self.buckets.as_chunks_mut::<SLOTS>().0 {
            spread(buckets.as_chunks_mut::<SUMMED>().0);
        }
        self.ends.as_chunks_mut::<SUMS>().0.iter_mut().for_each(|ends| spread(ends));
    }

    /// The number of chunks.
    pub(crate) fn chunks(&self) -> usize {
        self.buckets.len() / SLOTS
    }

    /// The bucket of each slot.
    #[cfg(feature = "gpu")]
    pub(crate) fn buckets(&self) -> &[Option<Rank>] {
        &self.buckets
    }

    /// The slots of a chunk that are in use, ascending, each with its bucket.
    pub(crate) fn slots(&self, chunk: usize) -> impl Iterator<Item = (usize, Rank)> {
        let buckets = self.buckets[SLOTS * chunk..][..SLOTS].iter().enumerate();
        buckets.filter_map(|(slot, &bucket)| Some((slot, bucket?)))
    }

    /// For each chunk of a panel and each of its sums, the rank at which the range of the buckets ends.
    pub(crate) fn ends(&self, panel: &Range<usize>) -> &[[usize; SUMS]] {
        &self.ends.as_chunks().0[panel.clone()]
    }

    /// Puts the build placements of each chunk of a panel into `survivors`.
    pub(crate) fn fill(&self, survivors: &mut [Survivors], build: &BuildSide, panel: &Range<usize>) {
        for (chunk, survivors) in panel.clone().zip(survivors) {
            survivors.fill(self.slots(chunk).map(|(slot, bucket)| (slot, build.bucket(bucket))));
        }
    }
}
