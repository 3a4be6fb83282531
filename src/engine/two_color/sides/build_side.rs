//! The build side: the placements of a square class on one row set, grouped by column set and laid out in slots.

use crate::cancel::Cancel;
use crate::engine::StopReason;
use crate::engine::growth::push;
use crate::engine::two_color::simd::{LANE, SLOTS, SUMMED, SUMS, Survivors};
use crate::engine::two_color::tuples::{HalfLine, LineSet, MOST_HALF_LINES, Placement, Rank, RankedSets, SquareClass};
use std::ops::Range;

/// The placements of a square class on one row set, each as its diagonal mask. The placements with one column set are a
/// *bucket*, and the rank of this set names it.
#[derive(Debug, Default)]
pub(crate) struct BuildSide {
    /// The diagonal masks, bucket by bucket.
    placements: Vec<u64>,
    /// The starts of all buckets, and the end of the last.
    starts: Vec<u32>,
}

impl BuildSide {
    /// Fills the side with the placements on the rows that tuples name by `rows`, as far as their column sets have a
    /// rank below `buckets`.
    ///
    /// `ranks` is scratch memory.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
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
    ) -> Result<(), StopReason> {
        let mut room = [HalfLine::default(); MOST_HALF_LINES];
        let rows = class.in_order(class.rows(rows).collect(), &mut room);
        let Self { placements, starts } = self;
        placements.clear();
        ranks.clear();
        starts.clear();
        starts.resize(buckets + 2, 0);
        let mut pushed = Ok(());
        class.fill(rows, &Placement::default(), cancel, &mut |placement| {
            let rank = class.rank(sets, placement.columns).filter(|rank| rank.index() < buckets);
            if let (Some(rank), Ok(())) = (rank, &pushed) {
                pushed = push(placements, placement.diagonals).and_then(|()| push(ranks, Some(rank)));
                starts[rank.index() + 2] += 1;
            }
        });
        pushed?;
        cancel.check()?;
        assert!(u32::try_from(placements.len()).is_ok(), "fewer than 2³² build placements");
        for bucket in 1..=buckets {
            starts[bucket + 1] += starts[bucket];
        }
        // Now `starts` has the start of each bucket one index too late. Each placement of the bucket moves this entry
        // on by one, until the entry is the start of the next bucket. A placement is exchanged with the one in its
        // place, and has no rank from then on.
        for here in 0..placements.len() {
            while let Some(rank) = ranks[here].take() {
                let next = &mut starts[rank.index() + 1];
                placements.swap(here, *next as usize);
                ranks.swap(here, *next as usize);
                *next += 1;
            }
        }
        Ok(cancel.check()?)
    }

    /// The side with each placement `times` times, as if the buckets were so much larger.
    #[cfg(test)]
    pub(crate) fn repeated(&self, times: usize) -> Self {
        let placements = self.placements.iter().flat_map(|&placement| std::iter::repeat_n(placement, times)).collect();
        Self { placements, starts: self.starts.iter().map(|&start| start * times as u32).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.placements.len()
    }

    /// Returns the diagonal masks of a bucket.
    #[inline]
    pub(crate) fn bucket(&self, rank: Rank) -> &[u64] {
        &self.placements[self.starts[rank.index()] as usize..self.starts[rank.index() + 1] as usize]
    }
}

/// Deals the sums of a chunk to its lanes in turn, so that each lane has buckets with many placements and with few.
fn spread<T: Copy>(sums: &mut [T]) {
    let sorted: [T; SUMS] = (&*sums).try_into().expect("a chunk has as many");
    let lanes = SLOTS / LANE;
    for (index, &sum) in sorted.iter().enumerate() {
        sums[index % lanes * (SUMS / lanes) + index / lanes] = sum;
    }
}

/// The slots of the buckets. 64 slots are a *chunk*, and some chunks in turn are a *panel*, which is swept at once.
///
/// Each range of ranks begins at a multiple of [`SUMMED`], so that no sum mixes ranges. Within a range the buckets with
/// the most placements are in the first chunks, so that the slots of a chunk need about the same number of planes.
/// Within a chunk the large buckets are spread.
#[derive(Debug, Default)]
pub(crate) struct SlotLayout {
    /// The bucket of each slot; `None` for a slot that is left empty.
    buckets: Vec<Option<Rank>>,
    /// For each [`SUMMED`] slots, the rank at which their range ends.
    ends: Vec<usize>,
}

impl SlotLayout {
    /// Lays out the buckets of a build side, in ranges that end at the ranks `ends`, ascending. The last ranges, which
    /// are small, come first, so that each chunk has ranges that the chunk before it has too.
    pub(crate) fn arrange(&mut self, build: &BuildSide, ends: &[usize]) {
        self.buckets.clear();
        self.ends.clear();
        for (index, &end) in ends.iter().enumerate().rev() {
            let start = if index == 0 { 0 } else { ends[index - 1] };
            let first = self.buckets.len();
            self.buckets.extend((start..end).map(|rank| Some(Rank::new(rank))));
            // The key is one number, so that no comparison is a call.
            let key = |rank: Rank| u64::from(u32::MAX - build.bucket(rank).len() as u32) << 32 | rank.index() as u64;
            self.buckets[first..].sort_unstable_by_key(|bucket| bucket.map_or(0, key));
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

    pub(crate) fn chunks(&self) -> usize {
        self.buckets.len() / SLOTS
    }

    /// Returns the bucket of each slot.
    #[cfg(feature = "gpu")]
    pub(crate) fn buckets(&self) -> &[Option<Rank>] {
        &self.buckets
    }

    /// Returns the bucket of each slot of a chunk; `None` for a slot that is left empty.
    #[inline]
    pub(crate) fn of_chunk(&self, chunk: usize) -> &[Option<Rank>] {
        &self.buckets[SLOTS * chunk..][..SLOTS]
    }

    /// For each chunk of a panel and each of its sums, the rank at which the range of the buckets ends.
    pub(crate) fn ends(&self, panel: &Range<usize>) -> &[[usize; SUMS]] {
        &self.ends.as_chunks().0[panel.clone()]
    }

    /// Fills `survivors` with all build placements of each chunk of a panel.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub(crate) fn fill(
        &self,
        survivors: &mut [Survivors],
        build: &BuildSide,
        panel: &Range<usize>,
    ) -> Result<(), StopReason> {
        for (chunk, survivors) in panel.clone().zip(survivors) {
            let slots = self.of_chunk(chunk).iter();
            survivors.fill(slots.map(|bucket| bucket.map_or(&[][..], |bucket| build.bucket(bucket))))?;
        }
        Ok(())
    }
}
