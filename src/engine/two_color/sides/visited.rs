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
                visited.single = ends[list].map(|end| {
                    near = rank_bound(single, end, near);
                    near
                });
            }
        }
        Ok(())
    }

    /// Returns the visited records of a segment of an active list, of all weight classes.
    pub(crate) fn all<'a>(&self, probe: &'a ProbeSide, segment: usize) -> SegmentRecords<'a> {
        let SegmentRecords { twins, single } = probe.records(segment);
        let Ends { twins: twins_end, single: [.., end] } = self.0[segment];
        SegmentRecords { twins: &twins[..twins_end as usize], single: &single[..end as usize] }
    }

    /// Returns the visited records of a segment without twins, by weight class.
    pub(crate) fn by_weight_class<'a>(
        &self,
        probe: &'a ProbeSide,
        segment: usize,
    ) -> [&'a [ProbeRecord]; WEIGHT_CLASSES] {
        let single = probe.records(segment).single.as_flattened();
        let [a, b, c] = self.0[segment].single.map(|end| end as usize);
        [&single[..a], &single[a..b], &single[b..c]]
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

#[cfg(test)]
mod tests {
    use super::super::probe_side::{ProbeLists, Records};
    use super::*;
    use crate::board::Board;
    use crate::cancel::Cancel;
    use crate::engine::two_color::tuples::{Colour, Geometry, Parity, Part, SquareClass};

    /// The visited records of a list are those below the ends of its weight classes, no matter what was visited before.
    #[test]
    fn visited_records_are_those_of_the_weight_classes() {
        let geometry = Geometry::new(Board::new(16).unwrap());
        let part = Part::all(geometry).into_iter().find(|part| part.queens == 3).unwrap();
        let class = SquareClass::new(geometry, Colour::Black, Parity::Odd);
        let sets = part.column_sets(class.column_parity);
        let row_sets = &part.ro[..9];
        let active: Vec<bool> = (0..row_sets.len()).map(|list| list % 4 != 1).collect();
        for (depth, records) in [(0, Records::Single), (1, Records::Single), (0, Records::Twins), (1, Records::Twins)] {
            let mut probe = ProbeSide::default();
            probe.fill(ProbeLists { class: &class, sets, row_sets, depth, records }, &Cancel::new()).unwrap();
            let mut visited = VisitedRecords::default();
            for ends in [[20, 22, 22], [21, 21, 30], [3, 5, 6], [0, 0, 0], [0, 40, 50], [sets.len(); 3]] {
                visited.fill(&probe, &active, &vec![ends; row_sets.len()]).unwrap();
                for segment in (0..probe.segments()).filter(|&segment| active[probe.list(segment)]) {
                    let SegmentRecords { twins, single } = probe.records(segment);
                    assert!(records == Records::Twins || twins.is_empty());
                    let all = [twins.as_flattened(), single.as_flattened()].concat();
                    let below = |start, end| {
                        let in_range = |record: &&ProbeRecord| (start..end).contains(&record.rank());
                        let mut records: Vec<_> = all.iter().filter(in_range).copied().collect();
                        records.sort_unstable();
                        records
                    };
                    let found = visited.all(&probe, segment);
                    let mut found = [found.twins.as_flattened(), found.single.as_flattened()].concat();
                    found.sort_unstable();
                    assert_eq!(found, below(0, ends[2]), "{depth} queens before, {ends:?}");
                    assert_eq!(visited.is_empty(segment), found.is_empty());
                    if records == Records::Single {
                        let expected = [below(0, ends[0]), below(ends[0], ends[1]), below(ends[1], ends[2])];
                        assert_eq!(
                            visited.by_weight_class(&probe, segment),
                            expected.each_ref().map(|records| &records[..])
                        );
                    }
                }
            }
        }
    }
}
