//! Probe records: what is left of a probe placement after its prefix, as the loops read it.

use crate::engine::two_color::tuples::Rank;

/// The queens of a probe placement after its prefix, and the rank of its column set.
///
/// The queens are up to three numbers, each of one row or of a pair of rows ([`RecordRows`]). Records are compared
/// by their ranks first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct ProbeRecord(u32);

/// The lowest bit of the rank in a record.
const RANK_BIT: u32 = 20;

impl ProbeRecord {
    /// Packs a record: `first` and `second` are below 256, `third` is below 16.
    pub fn new(first: usize, second: usize, third: usize, rank: Rank) -> Self {
        Self((rank.index() as u32) << RANK_BIT | (third as u32) << 16 | (second as u32) << 8 | first as u32)
    }

    /// All of it as a number.
    #[cfg(feature = "gpu")]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// The first number.
    #[inline]
    pub fn first(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// The second number.
    #[inline]
    pub fn second(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    /// The third number.
    #[inline]
    pub fn third(self) -> usize {
        (self.0 >> 16 & 0xf) as usize
    }

    /// The rank of the column set, as an index of matrix rows.
    #[inline]
    pub fn rank(self) -> usize {
        (self.0 >> RANK_BIT) as usize
    }
}

/// Puts the pairs of a segment's records, which are sorted, first: of *n* records of one rank, ⌊*n*/2⌋ pairs. Returns the
/// number of records in pairs.
///
/// `single` is scratch memory.
pub(crate) fn pair_up(records: &mut [ProbeRecord], single: &mut Vec<ProbeRecord>) -> usize {
    single.clear();
    let (mut paired, mut next) = (0, 0);
    while next < records.len() {
        if records.get(next + 1).is_some_and(|other| other.rank() == records[next].rank()) {
            records.copy_within(next..next + 2, paired);
            (paired, next) = (paired + 2, next + 2);
        } else {
            single.push(records[next]);
            next += 1;
        }
    }
    records[paired..].copy_from_slice(single);
    paired
}

/// The records of a segment, pairs and single ones, both by rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairedRecords<'a> {
    pub(crate) pairs: &'a [[ProbeRecord; 2]],
    pub(crate) single: &'a [[ProbeRecord; 1]],
}

impl<'a> PairedRecords<'a> {
    /// Records that [`pair_up`] put in order, the first `paired` of them in pairs.
    pub(crate) fn new(records: &'a [ProbeRecord], paired: usize) -> Self {
        let (pairs, single) = records.split_at(paired);
        Self { pairs: pairs.as_chunks().0, single: single.as_chunks().0 }
    }
}
