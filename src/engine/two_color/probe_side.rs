//! The probe side: the placements of a square class on several row sets, in the order in which they are swept.

use super::lines::{HalfLine, LineSet, MOST_HALF_LINES};
use super::squares::{Placement, SquareClass, gather};
use super::tuples::{Rank, RankedSets, TIE_GROUPS};
use crate::cancel::{Cancel, Cancelled};
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
pub(super) struct ProbeRecord(u32);

/// The lowest bit of the rank in a record.
pub(super) const RANK_BIT: u32 = 20;

impl ProbeRecord {
    /// Packs a record: `first` and `second` are below 256, `third` is below 16.
    pub(super) fn new(first: usize, second: usize, third: usize, rank: Rank) -> Self {
        Self((rank.index() as u32) << RANK_BIT | (third as u32) << 16 | (second as u32) << 8 | first as u32)
    }

    /// The first number.
    #[inline]
    pub(super) fn first(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// The second number.
    #[inline]
    pub(super) fn second(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    /// The third number.
    #[inline]
    pub(super) fn third(self) -> usize {
        (self.0 >> 16 & 0xf) as usize
    }

    /// The rank of the column set, as an index of matrix rows.
    #[inline]
    pub(super) fn rank(self) -> usize {
        (self.0 >> RANK_BIT) as usize
    }

    /// The number that siblings have in common, among records with a third number or without.
    #[inline]
    pub(super) fn key(self, has_third: bool) -> usize {
        if has_third { self.third() } else { self.second() }
    }
}

/// The order of the records of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RecordOrder {
    /// By rank.
    #[default]
    Ranks,
    /// Twins first, then single records, both by rank.
    Twins,
    /// By key, then by rank, in runs.
    Runs,
}

/// The most records of a *run*: neighbours with one [key](ProbeRecord::key), by rank.
pub(super) const RUN: usize = 16;

/// Records of one probe list with one prefix: *twins*, two of the same rank, whose counts go to a matrix row together,
/// and single ones. Both are sorted by rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Records<'a> {
    pub(super) twins: &'a [[ProbeRecord; 2]],
    pub(super) single: &'a [[ProbeRecord; 1]],
}

impl<'a> Records<'a> {
    /// The records that [`find_twins`] has put in order, the first `twins` of them.
    pub(super) fn new(records: &'a [ProbeRecord], twins: usize) -> Self {
        let (twins, single) = records.split_at(twins);
        Self { twins: twins.as_chunks().0, single: single.as_chunks().0 }
    }

    pub(super) fn is_empty(self) -> bool {
        self.twins.is_empty() && self.single.is_empty()
    }
}

/// Puts twins first, of *n* records of a rank ⌊*n*/2⌋ pairs, and the other records behind them, both in the order of
/// the given records, which are sorted. Returns the number of records that are twins.
pub(super) fn find_twins(records: &mut [ProbeRecord], scratch: &mut Vec<ProbeRecord>) -> usize {
    scratch.clear();
    let (mut twins, mut next) = (0, 0);
    while next < records.len() {
        if records.get(next + 1).is_some_and(|other| other.rank() == records[next].rank()) {
            records.copy_within(next..next + 2, twins);
            (twins, next) = (twins + 2, next + 2);
        } else {
            scratch.push(records[next]);
            next += 1;
        }
    }
    records[twins..].copy_from_slice(scratch);
    twins
}

/// Returns the index of a pair of columns in a table, each by its place among `columns` columns.
#[inline]
pub(super) fn pair_index(first: usize, second: usize, columns: usize) -> usize {
    first * columns + second
}

/// The rows that a number of a record stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RecordRows {
    /// The number is the place of the column in this row.
    One(HalfLine),
    /// The number is the [`pair_index`] of the columns in these rows.
    Two([HalfLine; 2]),
}

/// The numbers of the records of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Numbers {
    rows: [RecordRows; 3],
    length: usize,
}

impl Numbers {
    /// The numbers for the rows of a tail, with `pairs` pairs of rows or as many as it takes for all rows.
    ///
    /// # Panics
    /// When there are more than [`TAIL`] rows.
    fn new(tail: &[HalfLine], pairs: usize) -> Self {
        assert!(tail.len() <= TAIL, "a tail has at most {TAIL} rows");
        let pairs = pairs.min(tail.len() / 2).max(tail.len().saturating_sub(3));
        let (paired, single) = tail.split_at(2 * pairs);
        let mut numbers = Self { rows: [RecordRows::One(HalfLine::default()); 3], length: pairs + single.len() };
        let all = paired.as_chunks().0.iter().copied().map(RecordRows::Two);
        gather(all.chain(single.iter().copied().map(RecordRows::One)), &mut numbers.rows);
        numbers
    }

    fn as_slice(&self) -> &[RecordRows] {
        &self.rows[..self.length]
    }
}

/// The placements of a square class on several row sets: one *probe list* for each set.
///
/// The queens of a placement in some rows are its *prefix*. A cover chooses those rows so that lists share them where
/// they can, and lists that do have their records side by side: prefix by prefix, and for each of those a *segment* for
/// each list, in a [`RecordOrder`].
#[derive(Debug, Default)]
pub(super) struct ProbeSide {
    /// By list.
    rows: Vec<ProbeRows>,
    /// The squares of the queens of all prefixes.
    squares: Vec<[HalfLine; 2]>,
    prefixes: Vec<Prefix>,
    segments: Vec<Segment>,
    /// The records of all segments; behind those in runs, [`RUN`] more that mean nothing.
    records: Vec<ProbeRecord>,
    /// The lengths of the runs, if records are in runs.
    runs: Vec<u8>,
    order: RecordOrder,
    /// Scratch memory of [`fill`](Self::fill).
    cover: Cover,
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
    /// The most numbers of a record that stand for two rows.
    pub(super) pairs: usize,
    pub(super) order: RecordOrder,
}

/// The rows of a probe list after its prefixes.
#[derive(Clone, Copy, Debug)]
struct ProbeRows {
    tail: LineSet,
    numbers: Numbers,
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
    /// With twins, where its single records begin; in runs, the first of its runs; by rank, its start.
    inner: u32,
}

/// Where the visited records of each segment end: after how many twins and how many single records.
#[derive(Debug, Default)]
pub(super) struct TwinBounds(Vec<[u32; 2]>);

impl ProbeSide {
    /// Fills it with some lists.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When a tail has more than [`TAIL`] rows, or there are 2³² records or more.
    pub(super) fn fill(&mut self, lists: ProbeLists, cancel: &Cancel) -> Result<(), Cancelled> {
        self.fill_from(lists, lists.class.columns(), cancel)
    }

    /// Returns the same lists as [`fill`](Self::fill), made on the threads of the current rayon pool, each of which
    /// takes the placements with the first queen in one column. No more memory is reserved than is used.
    pub(super) fn made_in_parallel(lists: ProbeLists, cancel: &Cancel) -> Result<Self, Cancelled> {
        // Without a prefix there is no first queen.
        let columns = lists.class.columns();
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
        let mut all = Self {
            rows: pieces.first().map_or_else(Vec::new, |piece| piece.rows.clone()),
            order: pieces.first().map_or_else(RecordOrder::default, |piece| piece.order),
            squares: Vec::with_capacity(sum(|piece| piece.squares.len())),
            prefixes: Vec::with_capacity(sum(|piece| piece.prefixes.len())),
            segments: Vec::with_capacity(sum(|piece| piece.segments.len())),
            records: Vec::with_capacity(sum(Self::len) + RUN),
            runs: Vec::with_capacity(sum(|piece| piece.runs.len())),
            ..Self::default()
        };
        for mut piece in pieces {
            let Self { squares, segments, records, runs, order, .. } = &all;
            let (squares, segments, records) = (squares.len(), segments.len(), records.len() as u32);
            let inner = match order {
                RecordOrder::Ranks | RecordOrder::Twins => records,
                RecordOrder::Runs => runs.len() as u32,
            };
            // The marks of the ends.
            piece.prefixes.pop();
            if let Some(end) = piece.segments.pop() {
                piece.records.truncate(end.start as usize);
            }
            let prefixes = piece.prefixes.into_iter();
            all.prefixes.extend(prefixes.map(|prefix| Prefix {
                squares: prefix.squares + squares,
                segments: prefix.segments + segments,
                ..prefix
            }));
            let segments = piece.segments.into_iter();
            all.segments.extend(segments.map(|segment| Segment {
                start: segment.start + records,
                inner: segment.inner + inner,
                ..segment
            }));
            all.squares.extend(piece.squares);
            all.records.extend(piece.records);
            all.runs.extend(piece.runs);
        }
        all.mark_ends();
        all
    }

    /// As [`fill`](Self::fill), with the first queens of prefixes in `columns` alone.
    fn fill_from(&mut self, lists: ProbeLists, columns: LineSet, cancel: &Cancel) -> Result<(), Cancelled> {
        let ProbeLists { class, sets, row_sets, depth, pairs, order: record_order } = lists;
        self.rows.clear();
        self.squares.clear();
        self.prefixes.clear();
        self.segments.clear();
        self.records.clear();
        self.runs.clear();
        self.order = record_order;
        let mut cover = std::mem::take(&mut self.cover);
        cover.choose(class, row_sets, depth);
        let mut in_order = [HalfLine::default(); MOST_HALF_LINES];
        for (&rows, &prefix) in cover.rows.iter().zip(&cover.chosen) {
            let tail = rows.minus(prefix);
            let numbers = Numbers::new(gather(class.in_order(tail), &mut in_order), pairs);
            self.rows.push(ProbeRows { tail, numbers });
        }
        let Cover { chosen, order, .. } = &mut cover;
        order.sort_unstable_by_key(|&list| (class.order_key(chosen[list]), self.rows[list].numbers, list));
        for lists in order.chunk_by(|&a, &b| chosen[a] == chosen[b]) {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let prefix = gather(class.in_order(chosen[lists[0]]), &mut in_order);
            let mut squares = [[HalfLine::default(); 2]; MOST_HALF_LINES];
            self.descend(class, sets, lists, &mut squares, prefix, 0, columns, &Placement::default());
        }
        self.cover = cover;
        self.mark_ends();
        Ok(())
    }

    /// Each prefix and each segment ends where the next begins: this marks the ends of the last.
    fn mark_ends(&mut self) {
        assert!(u32::try_from(self.records.len()).is_ok(), "fewer than 2³² probe records");
        self.prefixes.push(Prefix { depth: 0, squares: 0, segments: self.segments.len() });
        let start = self.records.len() as u32;
        let inner = match self.order {
            RecordOrder::Ranks | RecordOrder::Twins => start,
            RecordOrder::Runs => self.runs.len() as u32,
        };
        self.segments.push(Segment { list: 0, start, inner });
        if self.order == RecordOrder::Runs {
            self.records.resize(self.records.len() + RUN, ProbeRecord(0));
        }
    }

    /// Adds the placements of some lists that begin with the queens given, in the first `depth` of the rows `prefix`.
    /// The next queen of the prefix is in one of `columns`.
    #[expect(clippy::too_many_arguments, reason = "what is found so far, and what is to be found")]
    fn descend(
        &mut self,
        class: &SquareClass,
        sets: &RankedSets,
        lists: &[usize],
        squares: &mut [[HalfLine; 2]; MOST_HALF_LINES],
        prefix: &[HalfLine],
        depth: usize,
        columns: LineSet,
        queens: &Placement,
    ) {
        if let Some(&row) = prefix.get(depth) {
            class.add(row, queens, |column, queens| {
                if columns.contains(column) {
                    squares[depth] = [row, column];
                    self.descend(class, sets, lists, squares, prefix, depth + 1, class.columns(), &queens);
                }
            });
            return;
        }
        let segments = self.segments.len();
        let left = class.columns().minus(queens.columns);
        for &list in lists {
            let start = self.records.len();
            let numbers = self.rows[list].numbers;
            let mut found = |[first, second, third]: [usize; 3], columns| {
                if let Some(rank) = class.rank(sets, columns) {
                    self.records.push(ProbeRecord::new(first, second, third, rank));
                }
            };
            add_numbers(class, numbers.as_slice(), left, queens, [0; 3], 0, &mut found);
            if self.records.len() > start {
                let records = &mut self.records[start..];
                let inner = match self.order {
                    RecordOrder::Ranks => {
                        records.sort_unstable();
                        start
                    }
                    RecordOrder::Twins => {
                        records.sort_unstable();
                        start + find_twins(records, &mut self.scratch)
                    }
                    RecordOrder::Runs => {
                        let key = |record: &ProbeRecord| record.key(numbers.length > 2);
                        // One number, because that is faster to compare than two.
                        records.sort_unstable_by_key(|record| (key(record) as u64) << u32::BITS | u64::from(record.0));
                        let runs = self.runs.len();
                        let of_keys = records.chunk_by(|a, b| key(a) == key(b));
                        self.runs.extend(of_keys.flat_map(|records| records.chunks(RUN)).map(|run| run.len() as u8));
                        runs
                    }
                };
                self.segments.push(Segment { list: list as u32, start: start as u32, inner: inner as u32 });
            }
        }
        if self.segments.len() > segments {
            self.prefixes.push(Prefix { depth, squares: self.squares.len(), segments });
            self.squares.extend_from_slice(&squares[..depth]);
        }
    }

    /// Finds where the visited records end in every segment of an active list, of records with twins. `ends` has for
    /// each list the rank where its last tie group ends.
    ///
    /// Cheaper if `bounds` are those of this probe side for ranks a little lower or higher.
    pub(super) fn bound(&self, active: &[bool], ends: &[[usize; TIE_GROUPS]], bounds: &mut TwinBounds) {
        bounds.0.resize(self.segments(), [0; 2]);
        for (segment, bounds) in bounds.0.iter_mut().enumerate() {
            let list = self.list(segment);
            if active[list] {
                let ([_, _, end], Records { twins, single }) = (ends[list], self.twins(segment));
                let [twin_end, single_end] = bounds.map(|bound| bound as usize);
                *bounds = [rank_bound(twins, end, twin_end), rank_bound(single, end, single_end)].map(|end| end as u32);
            }
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
        self.rows[list].numbers.as_slice()
    }

    /// The number of segments.
    pub(super) fn segments(&self) -> usize {
        self.segments.len().saturating_sub(1)
    }

    /// The number of records.
    pub(super) fn len(&self) -> usize {
        self.segments.last().map_or(0, |end| end.start as usize)
    }

    /// Its order of records.
    pub(super) fn order(&self) -> RecordOrder {
        self.order
    }

    /// All records, segment by segment.
    pub(super) fn all_records(&self) -> &[ProbeRecord] {
        &self.records[..self.len()]
    }

    /// The records of a segment, of all ranks, by their places among all.
    pub(super) fn places(&self, segment: usize) -> Range<usize> {
        self.segments[segment].start as usize..self.segments[segment + 1].start as usize
    }

    /// The records of a segment with twins, of all ranks.
    fn twins(&self, segment: usize) -> Records<'_> {
        debug_assert_eq!(self.order, RecordOrder::Twins);
        let (places, single) = (self.places(segment), self.segments[segment].inner as usize);
        let twins = single - places.start;
        Records::new(&self.records[places], twins)
    }

    /// The visited records of a segment with twins.
    pub(super) fn records(&self, segment: usize, bounds: &TwinBounds) -> Records<'_> {
        let Records { twins, single } = self.twins(segment);
        let [twin_end, single_end] = bounds.0[segment].map(|end| end as usize);
        Records { twins: &twins[..twin_end], single: &single[..single_end] }
    }

    /// The runs of a segment, of all ranks: their records, of which [`RUN`] more follow, and their lengths.
    pub(super) fn runs(&self, segment: usize) -> (&[ProbeRecord], &[u8]) {
        debug_assert_eq!(self.order, RecordOrder::Runs);
        let Range { start, end } = self.places(segment);
        let runs = self.segments[segment].inner as usize..self.segments[segment + 1].inner as usize;
        (&self.records[start..end + RUN], &self.runs[runs])
    }
}

/// Returns the number of groups of `R` records whose rank is below `rank`, looked for around `near`.
pub(super) fn rank_bound<const R: usize>(records: &[[ProbeRecord; R]], rank: usize, near: usize) -> usize {
    let is_below = |records: &[ProbeRecord; R]| records[0].rank() < rank;
    let near = near.min(records.len());
    let (mut low, mut high, mut step) = (near, near, 1);
    while high < records.len() && is_below(&records[high]) {
        (low, high) = (high + 1, (high + step).min(records.len()));
        step *= 2;
    }
    while low > 0 && !is_below(&records[low - 1]) {
        (low, high) = (low.saturating_sub(step), low - 1);
        step *= 2;
    }
    low + records[low..high].partition_point(is_below)
}

/// A choice of some rows of each of some row sets.
#[derive(Debug, Default)]
struct Cover {
    /// By list, all rows of the class.
    rows: Vec<LineSet>,
    /// By list, the rows that are chosen.
    chosen: Vec<LineSet>,
    /// The lists.
    order: Vec<usize>,
}

impl Cover {
    /// Chooses `depth` of the rows of each list, so that few choices serve many lists.
    ///
    /// The choice is greedy: that which serves most of the lists not yet served, and of those the rows nearest to the
    /// centre.
    fn choose(&mut self, class: &SquareClass, row_sets: &[LineSet], depth: usize) {
        let Self { rows, chosen, order } = self;
        rows.clear();
        rows.extend(row_sets.iter().map(|&set| class.rows(set).collect::<LineSet>()));
        chosen.clear();
        chosen.resize(rows.len(), LineSet::EMPTY);
        order.clear();
        order.extend(0..rows.len());
        // The rows by their places from the centre outwards, so that the smallest set is the most central.
        let centre_first = class.centre_first();
        let of_places = |set: LineSet| set.iter().map(|place| centre_first[place.index()]).collect::<LineSet>();
        // Lists that have been served stand before `left`.
        let mut left = 0;
        while left < order.len() {
            let is_served = |list: usize, choice: LineSet| choice.minus(rows[list]) == LineSet::EMPTY;
            let served_by = |choice: &LineSet| order[left..].iter().filter(|&&list| is_served(list, *choice)).count();
            let choices = LineSet::of_size(centre_first.len(), depth).map(of_places);
            let best = choices.rev().max_by_key(served_by).expect("there are choices");
            let first = left;
            for index in first..order.len() {
                let list = order[index];
                if is_served(list, best) {
                    chosen[list] = best;
                    order.swap(left, index);
                    left += 1;
                }
            }
        }
    }
}

/// Calls `found` for every placement that fills the rows of some numbers and adds to the given queens: with the
/// numbers, from place `number` of `given` on, and the columns of all queens. `left` are the columns that the prefix
/// leaves.
fn add_numbers(
    class: &SquareClass,
    rows: &[RecordRows],
    left: LineSet,
    queens: &Placement,
    given: [usize; 3],
    number: usize,
    found: &mut impl FnMut([usize; 3], LineSet),
) {
    let Some((&first, rest)) = rows.split_first() else { return found(given, queens.columns) };
    let mut add = |value: usize, queens: &Placement| {
        let mut numbers = given;
        numbers[number] = value;
        add_numbers(class, rest, left, queens, numbers, number + 1, found);
    };
    match first {
        RecordRows::One(row) => class.add(row, queens, |a, queens| add(left.place_of(a), &queens)),
        RecordRows::Two([first, second]) => class.add(first, queens, |a, queens| {
            let a = left.place_of(a);
            class.add(second, &queens, |b, queens| add(pair_index(a, left.place_of(b), left.len()), &queens));
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Parity;
    use super::super::squares::{Colour, Geometry};
    use super::super::tuples::Part;
    use super::*;
    use crate::board::Board;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn twins_have_one_rank_and_no_record_is_lost(ranks in proptest::collection::vec(0_usize..12, 0..60)) {
            let numbered = ranks.iter().enumerate();
            let mut sorted: Vec<_> =
                numbered.map(|(number, &rank)| ProbeRecord::new(number, 0, 0, Rank::new(rank))).collect();
            sorted.sort_unstable();
            let mut records = sorted.clone();
            let count = find_twins(&mut records, &mut Vec::new());
            let Records { twins, single } = Records::new(&records, count);
            prop_assert!(twins.iter().all(|[one, other]| one.rank() == other.rank()));
            prop_assert!(twins.is_sorted_by_key(|twins| twins[0].rank()));
            prop_assert!(single.is_sorted_by(|[one], [other]| one.rank() < other.rank()), "one of each rank at most");
            records.sort_unstable();
            prop_assert_eq!(records, sorted);
        }
    }

    /// A segment: its list, its prefix, its records, and its runs.
    type Contents = (usize, Vec<[HalfLine; 2]>, Vec<ProbeRecord>, Vec<u8>);

    fn segments(side: &ProbeSide) -> Vec<Contents> {
        let of_prefix = |(prefix, segments): (&[[HalfLine; 2]], Range<usize>)| {
            let prefix = prefix.to_vec();
            segments.map(move |segment| {
                let runs = if side.order == RecordOrder::Runs { side.runs(segment).1 } else { &[] };
                let records = side.records[side.places(segment)].to_vec();
                assert!(side.order != RecordOrder::Ranks || records.is_sorted());
                (side.list(segment), prefix.clone(), records, runs.to_vec())
            })
        };
        let mut segments: Vec<_> = side.prefixes().flat_map(of_prefix).collect();
        segments.sort_unstable();
        segments
    }

    #[test]
    fn runs_have_one_key_and_all_records_by_rank() {
        let geometry = Geometry::new(Board::new(16).unwrap());
        let part = Part::all(geometry).into_iter().find(|part| part.queens() == 3).unwrap();
        let class = SquareClass::new(geometry, Colour::Black, Parity::Odd);
        let sets = part.column_sets(class.column_parity());
        let (mut split, mut keys) = (false, 0);
        for (depth, pairs) in [(0, 2), (1, 0), (1, 2)] {
            let row_sets = &part.ro()[..9];
            let lists = |order| ProbeLists { class: &class, sets, row_sets, depth, pairs, order };
            let [mut by_rank, mut in_runs] = [(); 2].map(|()| ProbeSide::default());
            by_rank.fill(lists(RecordOrder::Ranks), &Cancel::new()).unwrap();
            in_runs.fill(lists(RecordOrder::Runs), &Cancel::new()).unwrap();
            let parallel = ProbeSide::made_in_parallel(lists(RecordOrder::Runs), &Cancel::new()).unwrap();
            assert_eq!(segments(&parallel), segments(&in_runs));
            assert_eq!(parallel.records.len(), parallel.len() + RUN);
            for (expected, (list, prefix, mut records, runs)) in segments(&by_rank).into_iter().zip(segments(&in_runs))
            {
                let has_third = in_runs.numbers(list).len() > 2;
                let mut rest = &records[..];
                let mut last = None;
                for &length in &runs {
                    let (run, after) = rest.split_at(usize::from(length));
                    let key = run[0].key(has_third);
                    assert!(
                        run.len() <= RUN && run.is_sorted() && run.iter().all(|record| record.key(has_third) == key)
                    );
                    split |= last == Some(key);
                    keys += usize::from(last != Some(key));
                    (last, rest) = (Some(key), after);
                }
                assert!(rest.is_empty());
                records.sort_unstable();
                assert_eq!((list, prefix, records, vec![]), expected);
            }
        }
        assert!(split && keys > 100, "a key has more records than a run, and there are many");
    }
}
