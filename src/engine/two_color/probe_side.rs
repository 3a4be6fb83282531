//! The probe side: the placements of a square class on several row sets, in the order in which they are swept.

use super::lines::{HalfLine, LineSet, MOST_HALF_LINES};
use super::squares::{Placement, SquareClass, gather};
use super::tuples::{Rank, RankedSets, TIE_GROUPS};
use crate::cancel::{Cancel, Cancelled};
use rayon::prelude::*;
use std::ops::Range;

/// The most rows of a placement that a probe record names, its last. The prefix holds the rows before.
pub(super) const TAIL: usize = 5;

/// The queens of a probe placement after its prefix, and the rank of its column set.
///
/// The queens are two pairs of rows, each an index into a pair table, and a fifth row. The order of records is that of
/// the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct ProbeRecord(u32);

impl ProbeRecord {
    /// Packs a record: `first` and `second` are below 256, `third` is below 16.
    pub(super) fn new(first: usize, second: usize, third: usize, rank: Rank) -> Self {
        Self((rank.index() as u32) << 20 | (third as u32) << 16 | (second as u32) << 8 | first as u32)
    }

    /// The index into the table of the first pair of rows.
    #[inline]
    pub(super) fn first(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// The index into the table of the second pair of rows.
    #[inline]
    pub(super) fn second(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    /// The place of the column in the fifth row.
    #[inline]
    pub(super) fn third(self) -> usize {
        (self.0 >> 16 & 0xf) as usize
    }

    /// The rank of the column set, as an index of matrix rows.
    #[inline]
    pub(super) fn rank(self) -> usize {
        (self.0 >> 20) as usize
    }
}

/// Returns the index of two columns, each below 16, in a pair table.
#[inline]
pub(super) fn pair_index(first: usize, second: usize) -> usize {
    first << 4 | second
}

/// The placements of a square class on several row sets: one *probe list* for each set.
///
/// The first queens of a placement, in the rows nearest to the centre, are its *prefix*. Lists whose prefixes fill the
/// same rows have their records side by side: prefix by prefix, and for each of those a *segment* for each list, by
/// rank.
#[derive(Debug, Default)]
pub(super) struct ProbeSide {
    /// By list.
    rows: Vec<ProbeRows>,
    /// The squares of the queens of all prefixes.
    squares: Vec<[HalfLine; 2]>,
    prefixes: Vec<Prefix>,
    segments: Vec<Segment>,
    records: Vec<ProbeRecord>,
}

/// The rows of a probe list, those nearest to the centre first.
#[derive(Clone, Copy, Debug)]
struct ProbeRows {
    all: [HalfLine; MOST_HALF_LINES],
    /// The rows after the prefix.
    tail: [HalfLine; TAIL],
    tail_length: usize,
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
}

/// Where the records of each tie group end, segment by segment.
#[derive(Debug, Default)]
pub(super) struct TieBounds(Vec<[u32; TIE_GROUPS]>);

impl TieBounds {
    /// Forgets the bounds, before those of another probe side.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl ProbeSide {
    /// Fills it with the placements on the rows that tuples name by `row_sets`, `depth` of those rows filled by the
    /// prefix. Row sets whose placements share prefixes must be neighbours.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When a tail has more than [`TAIL`] rows, or there are 2³² records or more.
    pub(super) fn fill(
        &mut self,
        class: &SquareClass,
        sets: &RankedSets,
        row_sets: &[LineSet],
        depth: usize,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.fill_from(class, sets, row_sets, depth, class.columns(), cancel)
    }

    /// Returns the same placements as [`fill`](Self::fill), made on the threads of the current rayon pool, each of
    /// which takes those with the first queen in one column. No more memory is reserved than is used.
    pub(super) fn made_in_parallel(
        class: &SquareClass,
        sets: &RankedSets,
        row_sets: &[LineSet],
        depth: usize,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        // Without a prefix there is no first queen.
        let pieces: Vec<LineSet> = match depth {
            0 => vec![class.columns()],
            _ => class.columns().iter().map(|column| LineSet::EMPTY.with(column)).collect(),
        };
        let made = pieces.into_par_iter().with_max_len(1).map(|columns| {
            let mut piece = Self::default();
            piece.fill_from(class, sets, row_sets, depth, columns, cancel).map(|()| piece)
        });
        Ok(Self::concatenate(made.collect::<Result<_, _>>()?))
    }

    /// Puts the pieces of one probe side together.
    fn concatenate(pieces: Vec<Self>) -> Self {
        let sum = |length: fn(&Self) -> usize| pieces.iter().map(length).sum();
        let mut all = Self {
            rows: pieces.first().map_or_else(Vec::new, |piece| piece.rows.clone()),
            squares: Vec::with_capacity(sum(|piece| piece.squares.len())),
            prefixes: Vec::with_capacity(sum(|piece| piece.prefixes.len())),
            segments: Vec::with_capacity(sum(|piece| piece.segments.len())),
            records: Vec::with_capacity(sum(|piece| piece.records.len())),
        };
        for mut piece in pieces {
            let Self { squares, segments, records, .. } = &all;
            let (squares, segments, records) = (squares.len(), segments.len(), records.len() as u32);
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
    fn fill_from(
        &mut self,
        class: &SquareClass,
        sets: &RankedSets,
        row_sets: &[LineSet],
        depth: usize,
        columns: LineSet,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.rows.clear();
        self.squares.clear();
        self.prefixes.clear();
        self.segments.clear();
        self.records.clear();
        self.rows.extend(row_sets.iter().map(|&set| {
            let mut all = [HalfLine::default(); MOST_HALF_LINES];
            let rows = gather(class.rows(set), &mut all).len();
            let mut tail = [HalfLine::default(); TAIL];
            let tail_length = gather(all[depth..rows].iter().copied(), &mut tail).len();
            assert_eq!(depth + tail_length, rows, "a tail has at most {TAIL} rows");
            ProbeRows { all, tail, tail_length }
        }));
        let mut first = 0;
        while first < self.rows.len() {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let prefix = self.rows[first].all;
            let same = |rows: &&ProbeRows| rows.all[..depth] == prefix[..depth];
            let end = first + self.rows[first..].iter().take_while(same).count();
            let mut squares = [[HalfLine::default(); 2]; MOST_HALF_LINES];
            self.descend(class, sets, first..end, &mut squares, 0..depth, columns, &Placement::default());
            first = end;
        }
        self.mark_ends();
        Ok(())
    }

    /// Each prefix and each segment ends where the next begins: this marks the ends of the last.
    fn mark_ends(&mut self) {
        assert!(u32::try_from(self.records.len()).is_ok(), "fewer than 2³² probe records");
        self.prefixes.push(Prefix { depth: 0, squares: 0, segments: self.segments.len() });
        self.segments.push(Segment { list: 0, start: self.records.len() as u32 });
    }

    /// Adds the placements of some lists that begin with the queens given. The prefixes of all the lists fill the same
    /// rows; those in `depths` are still to be filled, the next of them in one of `columns`.
    #[expect(clippy::too_many_arguments, reason = "they are the state of a recursion")]
    fn descend(
        &mut self,
        class: &SquareClass,
        sets: &RankedSets,
        lists: Range<usize>,
        squares: &mut [[HalfLine; 2]; MOST_HALF_LINES],
        depths: Range<usize>,
        columns: LineSet,
        queens: &Placement,
    ) {
        if !depths.is_empty() {
            let row = self.rows[lists.start].all[depths.start];
            class.add(row, queens, |column, queens| {
                if columns.contains(column) {
                    squares[depths.start] = [row, column];
                    let depths = depths.start + 1..depths.end;
                    self.descend(class, sets, lists.clone(), squares, depths, class.columns(), &queens);
                }
            });
            return;
        }
        let segments = self.segments.len();
        for list in lists {
            let start = self.records.len();
            let ProbeRows { tail, tail_length, .. } = self.rows[list];
            fill_tail(class, sets, &tail[..tail_length], queens, &mut self.records);
            if self.records.len() > start {
                self.records[start..].sort_unstable();
                self.segments.push(Segment { list: list as u32, start: start as u32 });
            }
        }
        if self.segments.len() > segments {
            self.prefixes.push(Prefix { depth: depths.end, squares: self.squares.len(), segments });
            self.squares.extend_from_slice(&squares[..depths.end]);
        }
    }

    /// Finds where the tie groups end in every segment of an active list; `ends` has the ranks for each list.
    ///
    /// Cheaper if `bounds` are those of this probe side for ranks a little lower or higher.
    pub(super) fn bound(&self, active: &[bool], ends: &[[usize; TIE_GROUPS]], bounds: &mut TieBounds) {
        if bounds.0.len() + 1 != self.segments.len() {
            bounds.0.clear();
            let segments = self.segments.iter().take(self.segments.len() - 1);
            bounds.0.extend(segments.map(|segment| [segment.start; TIE_GROUPS]));
        }
        for (segments, bounds) in self.segments.windows(2).zip(&mut bounds.0) {
            let list = segments[0].list as usize;
            if !active[list] {
                continue;
            }
            let (start, end) = (segments[0].start, segments[1].start);
            let records = &self.records[start as usize..end as usize];
            // A tie group ends not far behind the one before.
            let mut near = (bounds[0].clamp(start, end) - start) as usize;
            for (bound, rank) in bounds.iter_mut().zip(ends[list]) {
                near = rank_bound(records, rank, near);
                *bound = start + near as u32;
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

    /// The rows of the records of a list: at most [`TAIL`].
    pub(super) fn tail(&self, list: usize) -> &[HalfLine] {
        let ProbeRows { tail, tail_length, .. } = &self.rows[list];
        &tail[..*tail_length]
    }

    /// The records of a segment up to the end of the last tie group, and where each group ends.
    pub(super) fn records(&self, segment: usize, bounds: &TieBounds) -> (&[ProbeRecord], [usize; TIE_GROUPS]) {
        let (start, ends) = (self.segments[segment].start, bounds.0[segment]);
        let records = &self.records[start as usize..ends[TIE_GROUPS - 1] as usize];
        (records, ends.map(|end| (end - start) as usize))
    }
}

/// Returns the number of records whose rank is below `rank`, looked for around `near`.
fn rank_bound(records: &[ProbeRecord], rank: usize, near: usize) -> usize {
    let is_below = |record: &ProbeRecord| record.rank() < rank;
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

/// Appends a record for each placement that fills the rows of `tail` and adds to the given queens.
fn fill_tail(
    class: &SquareClass,
    sets: &RankedSets,
    tail: &[HalfLine],
    queens: &Placement,
    records: &mut Vec<ProbeRecord>,
) {
    let left = class.columns().minus(queens.columns);
    let (first, rest) = tail.split_at(tail.len().min(2));
    let (second, third) = rest.split_at(rest.len().min(2));
    let mut found = |first, second, third, columns| {
        if let Some(rank) = class.rank(sets, columns) {
            records.push(ProbeRecord::new(first, second, third, rank));
        }
    };
    add_pair(class, first, left, queens, |first, queens| {
        add_pair(class, second, left, queens, |second, queens| match third {
            &[row] => class.add(row, queens, |third, queens| {
                found(first, second, left.place_of(third), queens.columns);
            }),
            _ => found(first, second, 0, queens.columns),
        });
    });
}

/// Calls `found` for every placement that fills the rows, at most two, and adds to the given queens: with the
/// [`pair_index`] of the columns' places among those `left` by the prefix. A row that is missing has place 0.
#[inline]
fn add_pair(
    class: &SquareClass,
    rows: &[HalfLine],
    left: LineSet,
    queens: &Placement,
    mut found: impl FnMut(usize, &Placement),
) {
    match *rows {
        [] => found(0, queens),
        [row] => class.add(row, queens, |a, queens| found(pair_index(left.place_of(a), 0), &queens)),
        [first, second, ..] => class.add(first, queens, |a, queens| {
            let a = left.place_of(a);
            class.add(second, &queens, |b, queens| found(pair_index(a, left.place_of(b)), &queens));
        }),
    }
}
