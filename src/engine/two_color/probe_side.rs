//! The probe side: the placements of a square class on several row sets, in the order in which they are swept.
//!
//! Two records of one segment and one rank add their counts to the same matrix row, which is then read and written once
//! for both. So the records of the sparse colour are paired when their lists are made: a segment has its pairs first, then
//! the records without a partner, both by rank. The dense colour's records, which only read matrix rows, are single.

use super::lines::{HalfLine, LineSet, MOST_HALF_LINES};
use super::squares::{Placement, SquareClass};
use super::tuples::{Rank, RankedSets};
use crate::cancel::{Cancel, Cancelled};
use crate::engine::memory::{push, reserve};
use rayon::prelude::*;
use std::ops::Range;

/// The most rows of a placement that a probe record names: those that its prefix leaves.
pub(super) const TAIL: usize = 5;

/// The queens of a probe placement after its prefix, and the rank of its column set.
///
/// The queens are up to three numbers, each of one row or of a pair of rows ([`RecordRows`]). Records are compared
/// by their ranks first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct ProbeRecord(u32);

/// The bits of a place in a record for a GPU.
const PLACE_BITS: u32 = 4;

/// The lowest bit of the rank in a record.
const RANK_BIT: u32 = 20;

impl ProbeRecord {
    /// Packs a record: `first` and `second` are below 256, `third` is below 16.
    pub fn new(first: usize, second: usize, third: usize, rank: Rank) -> Self {
        Self((rank.index() as u32) << RANK_BIT | (third as u32) << 16 | (second as u32) << 8 | first as u32)
    }

    /// All of it as a number.
    #[cfg(feature = "gpu")]
    pub(super) fn bits(self) -> u32 {
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
pub(super) fn pair_up(records: &mut [ProbeRecord], single: &mut Vec<ProbeRecord>) -> usize {
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
pub(super) struct PairedRecords<'a> {
    pub(super) pairs: &'a [[ProbeRecord; 2]],
    pub(super) single: &'a [[ProbeRecord; 1]],
}

impl<'a> PairedRecords<'a> {
    /// Records that [`pair_up`] put in order, the first `paired` of them in pairs.
    pub(super) fn new(records: &'a [ProbeRecord], paired: usize) -> Self {
        let (pairs, single) = records.split_at(paired);
        Self { pairs: pairs.as_chunks().0, single: single.as_chunks().0 }
    }
}

/// The rows that a number of a record stands for. The *place* of a column in a row is the number of columns before it
/// that the prefix does not attack there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RecordRows {
    /// The number is the place of the column in this row.
    One(HalfLine),
    /// The number is the place in the first row, times the number of places in the second (or 16, for a GPU), plus the
    /// place there.
    Two([HalfLine; 2]),
}

/// The placements of a square class on several row sets: one *probe list* for each set.
///
/// The queens of a placement in some rows are its *prefix*. A cover chooses those rows so that lists share them where
/// they can, and lists that do have their records side by side: prefix by prefix, and for each of those a *segment* for
/// each list.
#[derive(Debug, Default)]
pub(super) struct ProbeSide {
    /// By list.
    rows: Vec<ProbeRows>,
    /// The squares of the queens of all prefixes.
    squares: Vec<[HalfLine; 2]>,
    prefixes: Vec<Prefix>,
    segments: Vec<Segment>,
    /// The records of all segments.
    records: Vec<ProbeRecord>,
    /// Scratch memory of [`fill`](Self::fill).
    scratch: Vec<ProbeRecord>,
}

/// The probe lists to be made, and how their placements are written down.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeLists<'a> {
    pub(super) class: &'a SquareClass,
    /// The column sets of the class.
    pub(super) sets: &'a RankedSets,
    /// By list, the rows that tuples name.
    pub(super) row_sets: &'a [LineSet],
    /// The number of rows that prefixes fill.
    pub(super) depth: usize,
    pub(super) records: Records,
}

/// How the records of a segment are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Records {
    /// One by one, by rank.
    Single,
    /// First those in pairs.
    Paired,
    /// One by one, by rank, with four bits for the place in each row, which is how a GPU reads them.
    Places,
}

/// The rows of a probe list after its prefixes.
#[derive(Clone, Debug)]
struct ProbeRows {
    tail: LineSet,
    /// One for each two rows of the tail, and for the last.
    numbers: [RecordRows; TAIL.div_ceil(2)],
}

impl ProbeRows {
    /// The rows of a list that has this tail.
    ///
    /// # Panics
    /// When the tail has more than [`TAIL`] rows.
    fn new(class: &SquareClass, tail: LineSet) -> Self {
        assert!(tail.len() <= TAIL, "a tail has at most {TAIL} rows");
        let mut room = [HalfLine::default(); MOST_HALF_LINES];
        let (paired, single) = class.in_order(tail, &mut room).as_chunks();
        let paired = paired.iter().copied().map(RecordRows::Two);
        let rows = paired.chain(single.iter().copied().map(RecordRows::One));
        let mut numbers = [RecordRows::One(HalfLine::default()); _];
        numbers.iter_mut().zip(rows).for_each(|(number, rows)| *number = rows);
        Self { tail, numbers }
    }

    fn numbers(&self) -> &[RecordRows] {
        &self.numbers[..self.tail.len().div_ceil(2)]
    }
}

/// The first queens of some placements.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    depth: usize,
    /// Where its squares begin.
    squares: usize,
    /// Where its segments begin.
    segments: usize,
}

/// The records of one probe list with one prefix.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The number of the list.
    list: u32,
    /// Where its records begin.
    start: u32,
    /// The number of its records that are in pairs.
    paired: u32,
}

impl ProbeSide {
    /// Fills it with some lists.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When a tail has more than [`TAIL`] rows, or there are 2³² records or more.
    pub(super) fn fill(&mut self, lists: ProbeLists, cancel: &Cancel) -> Result<(), Cancelled> {
        self.fill_from(lists, lists.class.columns, cancel)
    }

    /// Returns the same lists as [`fill`](Self::fill), made on the threads of the current rayon pool, each of which
    /// takes the placements with the first queen in one column. No more memory is reserved than is used.
    pub(super) fn made_in_parallel(lists: ProbeLists, cancel: &Cancel) -> Result<Self, Cancelled> {
        // Without a prefix there is no first queen.
        let columns = lists.class.columns;
        let pieces: Vec<LineSet> = match lists.depth {
            0 => vec![columns],
            _ => columns.iter().map(|column| LineSet::EMPTY.with(column)).collect(),
        };
        let made = pieces.into_par_iter().with_max_len(1).map(|columns| {
            let mut piece = Self::default();
            piece.fill_from(lists, columns, cancel).map(|()| piece)
        });
        Ok(Self::concatenate(made.collect::<Result<_, _>>()?))
    }

    /// Puts the pieces of one probe side together.
    fn concatenate(pieces: Vec<Self>) -> Self {
        let sum = |length: fn(&Self) -> usize| pieces.iter().map(length).sum();
        let mut all =
            Self { rows: pieces.first().map_or_else(Vec::new, |piece| piece.rows.clone()), ..Self::default() };
        reserve(&mut all.squares, sum(|piece| piece.squares.len()));
        reserve(&mut all.prefixes, sum(|piece| piece.prefixes.len()));
        reserve(&mut all.segments, sum(|piece| piece.segments.len()));
        reserve(&mut all.records, sum(|piece| piece.records.len()));
        for mut piece in pieces {
            let (squares, segments, records) = (all.squares.len(), all.segments.len(), all.records.len() as u32);
            // The marks of the ends.
            piece.prefixes.pop();
            piece.segments.pop();
            let prefixes = piece.prefixes.into_iter();
            all.prefixes.extend(prefixes.map(|prefix| Prefix {
                squares: prefix.squares + squares,
                segments: prefix.segments + segments,
                ..prefix
            }));
            let segments = piece.segments.into_iter();
            all.segments.extend(segments.map(|segment| Segment { start: segment.start + records, ..segment }));
            all.squares.extend(piece.squares);
            all.records.extend(piece.records);
        }
        all.mark_ends();
        all
    }

    /// As [`fill`](Self::fill), with the first queens of prefixes in `columns` alone.
    fn fill_from(&mut self, lists: ProbeLists, columns: LineSet, cancel: &Cancel) -> Result<(), Cancelled> {
        let ProbeLists { class, sets, row_sets, depth, records } = lists;
        self.rows.clear();
        self.squares.clear();
        self.prefixes.clear();
        self.segments.clear();
        self.records.clear();
        let prefixes = cover(class, row_sets, depth, cancel)?;
        for (&set, &prefix) in row_sets.iter().zip(&prefixes) {
            self.rows.push(ProbeRows::new(class, class.rows(set).collect::<LineSet>().minus(prefix)));
        }
        let mut order: Vec<usize> = (0..prefixes.len()).collect();
        order.sort_unstable_by_key(|&list| (class.order_key(prefixes[list]), self.numbers(list), list));
        for lists in order.chunk_by(|&a, &b| prefixes[a] == prefixes[b]) {
            let mut room = [HalfLine::default(); MOST_HALF_LINES];
            let prefix = class.in_order(prefixes[lists[0]], &mut room);
            let mut squares = [[HalfLine::default(); 2]; MOST_HALF_LINES];
            let of = (class, sets, records, cancel);
            self.descend(of, lists, &mut squares, prefix, 0, columns, &Placement::default());
            cancel.check()?;
        }
        self.mark_ends();
        Ok(())
    }

    /// Each prefix and each segment ends where the next begins: this marks the ends of the last.
    fn mark_ends(&mut self) {
        assert!(u32::try_from(self.records.len()).is_ok(), "fewer than 2³² probe records");
        self.prefixes.push(Prefix { depth: 0, squares: 0, segments: self.segments.len() });
        let start = self.records.len() as u32;
        self.segments.push(Segment { list: 0, start, paired: 0 });
    }

    /// Adds the placements of some lists that begin with the queens given, in the first `depth` of the rows `prefix`.
    /// The next queen of the prefix is in one of `columns`. Once `cancel` is set, none is added.
    #[expect(clippy::too_many_arguments, reason = "what is found so far, and what is to be found")]
    fn descend(
        &mut self,
        of @ (class, sets, how, cancel): (&SquareClass, &RankedSets, Records, &Cancel),
        lists: &[usize],
        squares: &mut [[HalfLine; 2]; MOST_HALF_LINES],
        prefix: &[HalfLine],
        depth: usize,
        columns: LineSet,
        queens: &Placement,
    ) {
        if cancel.is_cancelled() {
            return;
        }
        if let Some(&row) = prefix.get(depth) {
            class.add(row, queens, |column, queens| {
                if columns.contains(column) {
                    squares[depth] = [row, column];
                    self.descend(of, lists, squares, prefix, depth + 1, class.columns, &queens);
                }
            });
            return;
        }
        let segments = self.segments.len();
        for &list in lists {
            let start = self.records.len();
            let mut found = |[first, second, third]: [usize; 3], columns| {
                if let Some(rank) = class.rank(sets, columns) {
                    push(&mut self.records, ProbeRecord::new(first, second, third, rank));
                }
            };
            let stride = (how == Records::Places).then_some(1 << PLACE_BITS);
            add_numbers(class, self.rows[list].numbers(), (queens, stride), queens, [0; 3], 0, &mut found);
            if self.records.len() > start {
                let records = &mut self.records[start..];
                records.sort_unstable();
                let paired = if how == Records::Paired { pair_up(records, &mut self.scratch) } else { 0 };
                let segment = Segment { list: list as u32, start: start as u32, paired: paired as u32 };
                push(&mut self.segments, segment);
            }
        }
        if self.segments.len() > segments {
            self.prefixes.push(Prefix { depth, squares: self.squares.len(), segments });
            self.squares.extend_from_slice(&squares[..depth]);
        }
    }

    /// The prefixes: the squares of the queens, and the segments.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = (&[[HalfLine; 2]], Range<usize>)> {
        self.prefixes.windows(2).map(|pair| {
            let [prefix, next] = [pair[0], pair[1]];
            (&self.squares[prefix.squares..prefix.squares + prefix.depth], prefix.segments..next.segments)
        })
    }

    /// The number of the list that a segment is of.
    pub(super) fn list(&self, segment: usize) -> usize {
        self.segments[segment].list as usize
    }

    /// The rows of the records of a list.
    pub(super) fn tail(&self, list: usize) -> LineSet {
        self.rows[list].tail
    }

    /// The rows that each number of the records of a list stands for.
    pub(super) fn numbers(&self, list: usize) -> &[RecordRows] {
        self.rows[list].numbers()
    }

    /// All records, segment by segment.
    #[cfg(feature = "gpu")]
    pub(super) fn all_records(&self) -> &[ProbeRecord] {
        &self.records
    }

    /// For each segment its list and where its records begin, and where the last end.
    #[cfg(feature = "gpu")]
    pub(super) fn starts(&self) -> impl Iterator<Item = (u32, u32)> {
        self.segments.iter().map(|segment| (segment.list, segment.start))
    }

    /// The number of segments.
    pub(super) fn segments(&self) -> usize {
        self.segments.len().saturating_sub(1)
    }

    /// The records of a segment, of all ranks.
    pub(super) fn records(&self, segment: usize) -> PairedRecords<'_> {
        let Segment { start, paired, .. } = self.segments[segment];
        let end = self.segments[segment + 1].start;
        PairedRecords::new(&self.records[start as usize..end as usize], paired as usize)
    }
}

/// Chooses the `depth` rows that prefixes fill in each of the probe lists on some row sets, so that few choices serve many
/// lists.
///
/// The choice is greedy: that which serves most of the lists not yet served, and of those the rows nearest to the
/// centre.
fn cover(class: &SquareClass, row_sets: &[LineSet], depth: usize, cancel: &Cancel) -> Result<Vec<LineSet>, Cancelled> {
    // All rows of a list stand here until it is served.
    let mut rows: Vec<LineSet> = row_sets.iter().map(|&set| class.rows(set).collect()).collect();
    let mut left: Vec<usize> = (0..rows.len()).collect();
    // The rows by their places from the centre outwards, so that the smallest set is the most central.
    let centre_first = &class.centre_first;
    let of_places = |set: LineSet| set.iter().map(|place| centre_first[place.index()]).collect::<LineSet>();
    while !left.is_empty() {
        cancel.check()?;
        let is_served = |rows: LineSet, choice: LineSet| choice.minus(rows) == LineSet::EMPTY;
        let served_by = |choice: &LineSet| left.iter().filter(|&&list| is_served(rows[list], *choice)).count();
        let choices = LineSet::of_size(centre_first.len(), depth).map(of_places);
        let best = choices.rev().max_by_key(served_by).expect("there are choices");
        for list in left.extract_if(.., |list| is_served(rows[*list], best)).collect::<Vec<_>>() {
            rows[list] = best;
        }
    }
    Ok(rows)
}

/// Calls `found` for every placement that fills the rows of some numbers and adds to the given queens: with the
/// numbers, from place `number` of `given` on, and the columns of all queens. A stride stands for the number of places in
/// the second row of two.
fn add_numbers(
    class: &SquareClass,
    rows: &[RecordRows],
    of @ (prefix, stride): (&Placement, Option<usize>),
    queens: &Placement,
    given: [usize; 3],
    number: usize,
    found: &mut impl FnMut([usize; 3], LineSet),
) {
    let Some((&first, rest)) = rows.split_first() else { return found(given, queens.columns) };
    let mut add = |value: usize, queens: &Placement| {
        let mut numbers = given;
        numbers[number] = value;
        add_numbers(class, rest, of, queens, numbers, number + 1, found);
    };
    match first {
        RecordRows::One(row) => {
            let free = class.free(row, prefix);
            class.add(row, queens, |column, queens| add(free.place_of(column), &queens));
        }
        RecordRows::Two(rows) => {
            let [first, second] = rows.map(|row| class.free(row, prefix));
            class.add(rows[0], queens, |column, queens| {
                let start = first.place_of(column) * stride.unwrap_or(second.len());
                class.add(rows[1], &queens, |column, queens| add(start + second.place_of(column), &queens));
            });
        }
    }
}

#[cfg(test)]
impl ProbeSide {
    /// A segment of each of some lists, with these records, the first `paired` of them in pairs.
    pub(super) fn of_records(lists: u32, records: &[ProbeRecord], paired: usize) -> Self {
        let mut side = Self::default();
        for list in 0..lists {
            side.segments.push(Segment { list, start: side.records.len() as u32, paired: paired as u32 });
            side.records.extend_from_slice(records);
        }
        side.mark_ends();
        side
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::{Colour, Geometry};
    use super::super::lines::Parity;
    use super::super::tuples::Part;
    use super::*;
    use crate::board::Board;
    use proptest::prelude::*;

    /// The prefixes have as many rows as is asked for, none has an empty segment, and no record of a segment is twice there.
    #[test]
    fn lists_that_are_made_in_parallel_are_those_that_are_made_at_once() {
        let geometry = Geometry::new(Board::new(14).unwrap());
        let part = Part::all(geometry).into_iter().find(|part| part.queens == 3).unwrap();
        let class = SquareClass::new(geometry, Colour::Black, Parity::Odd);
        let sets = part.column_sets(class.column_parity);
        for depth in 0..5 {
            for records in [Records::Single, Records::Paired, Records::Places] {
                let lists = ProbeLists { class: &class, sets, row_sets: &part.ro[..9], depth, records };
                let cancel = Cancel::new();
                let (mut at_once, in_parallel) = (ProbeSide::default(), ProbeSide::made_in_parallel(lists, &cancel));
                at_once.fill(lists, &cancel).unwrap();
                let [one, other] = [at_once, in_parallel.unwrap()].map(|side| {
                    let mut found = Vec::new();
                    for (squares, segments) in side.prefixes() {
                        assert!(squares.len() == depth && !segments.is_empty(), "{squares:?}");
                        for segment in segments {
                            let PairedRecords { pairs, single } = side.records(segment);
                            assert!(pairs.len() + single.len() > 0 && (records == Records::Paired || pairs.is_empty()));
                            let list = side.list(segment);
                            assert_eq!(class.rows(part.ro[list]).count(), depth + side.tail(list).len());
                            let mut all = [pairs.as_flattened(), single.as_flattened()].concat();
                            all.sort_unstable();
                            assert!(all.is_sorted_by(|one, next| one < next));
                            found.push((squares.to_vec(), list, all));
                        }
                    }
                    found.sort_unstable();
                    found
                });
                assert!(one == other && !one.is_empty(), "{depth}, {records:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn pairs_have_one_rank_and_no_record_is_lost(ranks in proptest::collection::vec(0_usize..12, 0..60)) {
            let records = ranks.iter().enumerate().map(|(number, &rank)| ProbeRecord::new(number, 0, 0, Rank::new(rank)));
            let mut records: Vec<_> = records.collect();
            records.sort_unstable();
            let sorted = records.clone();
            let paired = pair_up(&mut records, &mut vec![ProbeRecord::default()]);
            let PairedRecords { pairs, single } = PairedRecords::new(&records, paired);
            prop_assert!(pairs.iter().all(|[one, other]| one.rank() == other.rank()));
            prop_assert!(pairs.is_sorted_by_key(|pair| pair[0].rank()));
            prop_assert!(single.is_sorted_by(|[one], [other]| one.rank() < other.rank()), "one of each rank at most");
            records.sort_unstable();
            prop_assert_eq!(records, sorted);
        }
    }
}
