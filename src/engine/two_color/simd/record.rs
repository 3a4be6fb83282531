//! Probe records: the queens of a probe placement after its prefix, as the loops read them.

use crate::engine::two_color::tuples::Rank;

/// The queens of a probe placement after its prefix, and the rank of its column set.
///
/// Up to three indexes stand for the queens: each names an entry of a one-row or two-row table. Records are compared by
/// their ranks first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct ProbeRecord(u32);

/// The lowest bit of the rank in a record.
const RANK_BIT: u32 = 20;

impl ProbeRecord {
    /// Makes a record: `first` and `second` are below 256, `third` is below 16.
    pub fn new(first: usize, second: usize, third: usize, rank: Rank) -> Self {
        Self((rank.index() as u32) << RANK_BIT | (third as u32) << 16 | (second as u32) << 8 | first as u32)
    }

    /// Returns the whole record as a number.
    #[cfg(feature = "gpu")]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub fn first(self) -> usize {
        (self.0 & 0xff) as usize
    }

    #[inline]
    pub fn second(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    #[inline]
    pub fn third(self) -> usize {
        (self.0 >> 16 & 0xf) as usize
    }

    /// Returns the rank of the column set, as an index of matrix rows.
    #[inline]
    pub fn rank(self) -> usize {
        (self.0 >> RANK_BIT) as usize
    }
}

/// Moves the twins to the front of a segment's records, which are sorted: *n* records of one rank make ⌊*n*/2⌋ twins.
/// Returns the number of records that are twins.
///
/// `single` is scratch memory.
pub(crate) fn twins_first(records: &mut [ProbeRecord], single: &mut Vec<ProbeRecord>) -> usize {
    single.clear();
    let (mut in_twins, mut next) = (0, 0);
    while next < records.len() {
        if records.get(next + 1).is_some_and(|other| other.rank() == records[next].rank()) {
            records.copy_within(next..next + 2, in_twins);
            (in_twins, next) = (in_twins + 2, next + 2);
        } else {
            single.push(records[next]);
            next += 1;
        }
    }
    records[in_twins..].copy_from_slice(single);
    in_twins
}

/// The records of a segment: twins, which are two records of one rank, and single records. Both are sorted by rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentRecords<'a> {
    pub(crate) twins: &'a [[ProbeRecord; 2]],
    pub(crate) single: &'a [[ProbeRecord; 1]],
}

impl<'a> SegmentRecords<'a> {
    /// Returns the records that [`twins_first`] has put in order. The first `in_twins` of them are twins.
    #[inline]
    pub(crate) fn new(records: &'a [ProbeRecord], in_twins: usize) -> Self {
        let (twins, single) = records.split_at(in_twins);
        Self { twins: twins.as_chunks().0, single: single.as_chunks().0 }
    }
}
