//! The visited records of a probe side. In every segment these are the records below a rank, which depends on the *Re*:
//! the first twins, and the first records without a twin.

use super::probe_side::ProbeSide;
use crate::engine::StopReason;
use crate::engine::growth::grow_to;
use crate::engine::two_color::simd::{ProbeRecord, SegmentRecords};
use crate::engine::two_color::tuples::WEIGHT_CLASSES;

/// The visited records of a probe side, segment by segment.
#[derive(Debug, Default)]
pub(crate) struct VisitedRecords(Vec<Ends>);

/// The numbers of visited records of a segment: of twins, and of single records up to the end of each weight class.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    twins: u32,
    single: [u32; WEIGHT_CLASSES],
}

impl VisitedRecords {
    /// Finds the visited records of a probe side: in every segment of an active list, the records of the weight
    /// classes, which end at the ranks that `ends` has for the list.
    ///
    /// The search is faster if the last one had the same probe side, and ranks a little lower or higher.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub(crate) fn fill(
        &mut self,
        probe: &ProbeSide,
        active: &[bool],
        ends: &[[usize; WEIGHT_CLASSES]],
    ) -> Result<(), StopReason> {
        grow_to(&mut self.0, probe.segments(), Ends::default())?;
        for (segment, visited) in self.0.iter_mut().enumerate().take(probe.segments()) {
            let list = probe.list(segment);
            if active[list] {
                let SegmentRecords { twins, single } = probe.records(segment);
                let [.., rank] = ends[list];
                visited.twins = rank_bound(twins, rank, visited.twins);
                // Each weight class ends not far behind the one before, so the search begins there.
                let mut near = visited.single[0];
                for (weight_class, &end) in ends[list].iter().enumerate() {
                    near = rank_bound(single, end, near);
                    visited.single[weight_class] = near;
                }
            }
        }
        Ok(())
    }

    /// Returns the visited records of a segment of an active list, of all weight classes.
    #[inline]
    pub(crate) fn all<'a>(&self, probe: &'a ProbeSide, segment: usize) -> SegmentRecords<'a> {
        let SegmentRecords { twins, single } = probe.records(segment);
        let Ends { twins: twins_end, single: [.., end] } = self.0[segment];
        SegmentRecords { twins: &twins[..twins_end as usize], single: &single[..end as usize] }
    }

    /// Returns the visited records of a segment without twins, by weight class.
    #[inline]
    pub(crate) fn by_weight_class<'a>(
        &self,
        probe: &'a ProbeSide,
        segment: usize,
    ) -> [&'a [ProbeRecord]; WEIGHT_CLASSES] {
        let single = probe.records(segment).single.as_flattened();
        let [a, b, c] = self.0[segment].single;
        [&single[..a as usize], &single[a as usize..b as usize], &single[b as usize..c as usize]]
    }

    /// Returns true if a segment of an active list has no visited records.
    pub(crate) fn is_empty(&self, segment: usize) -> bool {
        let Ends { twins, single: [.., single] } = self.0[segment];
        twins + single == 0
    }
}

/// Returns the number of leading entries, each `R` records of one rank, with a rank below `rank`. The search begins at
/// the entry `near`.
fn rank_bound<const R: usize>(records: &[[ProbeRecord; R]], rank: usize, near: u32) -> u32 {
    let is_below = |records: &[ProbeRecord; R]| records[0].rank() < rank;
    let near = (near as usize).min(records.len());
    let (mut low, mut high, mut step) = (near, near, 1);
    while high < records.len() && is_below(&records[high]) {
        (low, high) = (high + 1, (high + step).min(records.len()));
        step *= 2;
    }
    while low > 0 && !is_below(&records[low - 1]) {
        (low, high) = (low.saturating_sub(step), low - 1);
        step *= 2;
    }
    (low + records[low..high].partition_point(is_below)) as u32
}
