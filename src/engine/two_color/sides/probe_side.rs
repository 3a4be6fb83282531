//! The probe side: the placements of a square class on several row sets, in the order in which they are swept.
//!
//! Two records of one segment and one rank add their counts to the same row of the matrix. They are *twins*: the row is
//! read and written once for both. In the lists of the sparse colour each segment has its twins first, then the records
//! without a twin, both by rank. The dense colour's records only read matrix rows, so they are all single.

use super::cover::Cover;
use crate::cancel::Cancel;
use crate::engine::StopReason;
use crate::engine::growth::{push, reserve};
use crate::engine::two_color::simd::{ProbeRecord, SegmentRecords, twins_first};
use crate::engine::two_color::tuples::{HalfLine, LineSet, MOST_HALF_LINES, Placement, RankedSets, SquareClass};
use rayon::prelude::*;
use std::ops::Range;

/// The most rows of a placement that a probe record names; its prefix fills the others.
pub(crate) const TAIL: usize = 5;

/// The number of bits that a place has in a record for a GPU.
const PLACE_BITS: u32 = 4;

/// The rows that an index of a record stands for. The *place* of a column in a row is the number of columns before it
/// that the prefix does not attack in that row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IndexRows {
    /// The index is the place of the column in this row.
    One(HalfLine),
    /// The index is the place in the first row, times the number of places in the second (or 16, for a GPU), plus the
    /// place there.
    Two([HalfLine; 2]),
}

/// The placements of a square class on several row sets: one *probe list* for each set.
///
/// The queens of a placement in some rows are its *prefix*. A cover chooses these rows so that many lists share them.
/// The records of lists that share them stand side by side, prefix by prefix: each prefix has a *segment* for each
/// list.
#[derive(Debug, Default)]
pub(crate) struct ProbeSide {
    /// The rows after the prefix, for each list.
    rows: Vec<ProbeRows>,
    /// The squares of the queens of all prefixes.
    squares: Vec<[HalfLine; 2]>,
    prefixes: Vec<Prefix>,
    segments: Vec<Segment>,
    /// The records of all segments.
    records: Vec<ProbeRecord>,
    /// Scratch memory of [`fill`](Self::fill).
    cover: Cover,
    /// Scratch memory of [`fill`](Self::fill).
    scratch: Vec<ProbeRecord>,
}

/// The probe lists to be made, and how their placements are written down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeLists<'a> {
    pub(crate) class: &'a SquareClass,
    /// The column sets of the class.
    pub(crate) sets: &'a RankedSets,
    /// For each list, the row set by which tuples name its rows.
    pub(crate) row_sets: &'a [LineSet],
    /// The number of rows that prefixes fill.
    pub(crate) depth: usize,
    pub(crate) records: Records,
}

/// How the records of a segment are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// One by one, by rank.
    Single,
    /// The twins first, then the single records.
    Twins,
    /// One by one, by rank, with four bits for the place in each row, which is how a GPU reads them.
    Places,
}

/// The rows of a probe list after its prefixes.
#[derive(Clone, Debug)]
struct ProbeRows {
    tail: LineSet,
    /// One index for each two rows of the tail, and one for a last row without a partner.
    indexes: [IndexRows; TAIL.div_ceil(2)],
}

impl ProbeRows {
    /// The rows of a list that has this tail.
    ///
    /// # Panics
    /// When the tail has more than [`TAIL`] rows.
    fn new(class: &SquareClass, tail: LineSet) -> Self {
        assert!(tail.len() <= TAIL, "a tail has at most {TAIL} rows");
        let mut room = [HalfLine::default(); MOST_HALF_LINES];
        let (two_by_two, single) = class.in_order(tail, &mut room).as_chunks();
        let two_by_two = two_by_two.iter().copied().map(IndexRows::Two);
        let rows = two_by_two.chain(single.iter().copied().map(IndexRows::One));
        let mut indexes = [IndexRows::One(HalfLine::default()); _];
        indexes.iter_mut().zip(rows).for_each(|(index, rows)| *index = rows);
        Self { tail, indexes }
    }

    #[inline]
    fn indexes(&self) -> &[IndexRows] {
        &self.indexes[..self.tail.len().div_ceil(2)]
    }
}

/// The first queens of some placements.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    depth: usize,
    /// The number of its first square.
    squares: usize,
    /// The number of its first segment.
    segments: usize,
}

/// The records of one probe list with one prefix.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The number of the list.
    list: u32,
    /// The number of its first record.
    start: u32,
    /// The number of its records that are twins.
    in_twins: u32,
}

impl ProbeSide {
    /// Fills the side with some lists.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    ///
    /// # Panics
    /// When a tail has more than [`TAIL`] rows, or there are 2³² records or more.
    pub(crate) fn fill(&mut self, lists: ProbeLists, cancel: &Cancel) -> Result<(), StopReason> {
        self.fill_from(lists, lists.class.columns, cancel)
    }

    /// Returns the lists that [`fill`](Self::fill) makes, made on the threads of the current rayon pool. Each task
    /// takes the placements with the first queen in one column. No more memory is reserved than is used.
    pub(crate) fn made_in_parallel(lists: ProbeLists, cancel: &Cancel) -> Result<Self, StopReason> {
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
        Self::concatenate(made.collect::<Result<_, _>>()?)
    }

    /// Puts the pieces of one probe side together.
    fn concatenate(pieces: Vec<Self>) -> Result<Self, StopReason> {
        let sum = |length: fn(&Self) -> usize| pieces.iter().map(length).sum();
        let mut all =
            Self { rows: pieces.first().map_or_else(Vec::new, |piece| piece.rows.clone()), ..Self::default() };
        reserve(&mut all.squares, sum(|piece| piece.squares.len()))?;
        reserve(&mut all.prefixes, sum(|piece| piece.prefixes.len()))?;
        reserve(&mut all.segments, sum(|piece| piece.segments.len()))?;
        reserve(&mut all.records, sum(|piece| piece.records.len()))?;
        for mut piece in pieces {
            let (squares, segments, records) = (all.squares.len(), all.segments.len(), all.records.len() as u32);
            // The ends are marked by `close`, once for the whole.
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
        all.close();
        Ok(all)
    }

    /// Does the same as [`fill`](Self::fill) for the prefixes whose first queens stand in `columns`.
    fn fill_from(&mut self, lists: ProbeLists, columns: LineSet, cancel: &Cancel) -> Result<(), StopReason> {
        let ProbeLists { class, sets, row_sets, depth, records } = lists;
        self.rows.clear();
        self.squares.clear();
        self.prefixes.clear();
        self.segments.clear();
        self.records.clear();
        let mut cover = std::mem::take(&mut self.cover).choose(class, row_sets, depth, cancel)?;
        let Cover { prefixes, lists: order } = &mut cover;
        for (&set, &prefix) in row_sets.iter().zip(&*prefixes) {
            self.rows.push(ProbeRows::new(class, class.rows(set).collect::<LineSet>().minus(prefix)));
        }
        order.extend(0..prefixes.len());
        order.sort_unstable_by_key(|&list| (class.order_key(prefixes[list]), self.indexes(list), list));
        for lists in order.chunk_by(|&a, &b| prefixes[a] == prefixes[b]) {
            let mut room = [HalfLine::default(); MOST_HALF_LINES];
            let prefix = class.in_order(prefixes[lists[0]], &mut room);
            let mut squares = [[HalfLine::default(); 2]; MOST_HALF_LINES];
            let fixed = (class, sets, records, cancel);
            self.descend(fixed, lists, &mut squares, prefix, 0, columns, &Placement::default())?;
            cancel.check()?;
        }
        self.cover = cover;
        self.close();
        Ok(())
    }

    /// Marks the ends of the last prefix and the last segment. Each other one ends where the next begins.
    fn close(&mut self) {
        assert!(u32::try_from(self.records.len()).is_ok(), "fewer than 2³² probe records");
        self.prefixes.push(Prefix { depth: 0, squares: 0, segments: self.segments.len() });
        let start = self.records.len() as u32;
        self.segments.push(Segment { list: 0, start, in_twins: 0 });
    }

    /// Adds the placements of some lists that begin with `queens`, which fill the first `depth` of the rows `prefix`.
    /// The next queen of the prefix is in one of `columns`. Once `cancel` is set, no placement is added.
    ///
    /// # Errors
    /// When the system refuses memory.
    #[expect(clippy::too_many_arguments, reason = "what is found so far, and what is to be found")]
    fn descend(
        &mut self,
        fixed @ (class, sets, how, cancel): (&SquareClass, &RankedSets, Records, &Cancel),
        lists: &[usize],
        squares: &mut [[HalfLine; 2]; MOST_HALF_LINES],
        prefix: &[HalfLine],
        depth: usize,
        columns: LineSet,
        queens: &Placement,
    ) -> Result<(), StopReason> {
        if cancel.is_cancelled() {
            return Ok(());
        }
        if let Some(&row) = prefix.get(depth) {
            let mut added = Ok(());
            class.add(row, queens, |column, queens| {
                if columns.contains(column) && added.is_ok() {
                    squares[depth] = [row, column];
                    added = self.descend(fixed, lists, squares, prefix, depth + 1, class.columns, &queens);
                }
            });
            return added;
        }
        let segments = self.segments.len();
        for &list in lists {
            let (start, mut pushed) = (self.records.len(), Ok(()));
            let mut found = |[first, second, third]: [usize; 3], columns| {
                if let (Some(rank), Ok(())) = (class.rank(sets, columns), &pushed) {
                    pushed = push(&mut self.records, ProbeRecord::new(first, second, third, rank));
                }
            };
            let stride = (how == Records::Places).then_some(1 << PLACE_BITS);
            add_indexes(class, self.rows[list].indexes(), (queens, stride), queens, [0; 3], 0, &mut found);
            pushed?;
            if self.records.len() > start {
                let records = &mut self.records[start..];
                records.sort_unstable();
                let in_twins = if how == Records::Twins { twins_first(records, &mut self.scratch) } else { 0 };
                let segment = Segment { list: list as u32, start: start as u32, in_twins: in_twins as u32 };
                push(&mut self.segments, segment)?;
            }
        }
        if self.segments.len() > segments {
            push(&mut self.prefixes, Prefix { depth, squares: self.squares.len(), segments })?;
            reserve(&mut self.squares, depth)?;
            self.squares.extend_from_slice(&squares[..depth]);
        }
        Ok(())
    }

    /// Returns the prefixes, each with the squares of its queens and the range of its segments.
    pub(crate) fn prefixes(&self) -> impl Iterator<Item = (&[[HalfLine; 2]], Range<usize>)> {
        self.prefixes.windows(2).map(|ends| {
            let [prefix, next] = [ends[0], ends[1]];
            (&self.squares[prefix.squares..prefix.squares + prefix.depth], prefix.segments..next.segments)
        })
    }

    /// Returns the number of the list to which a segment belongs.
    pub(crate) fn list(&self, segment: usize) -> usize {
        self.segments[segment].list as usize
    }

    /// Returns the rows that the records of a list fill.
    pub(crate) fn tail(&self, list: usize) -> LineSet {
        self.rows[list].tail
    }

    /// Returns the rows that each index of the records of a list stands for.
    #[inline]
    pub(crate) fn indexes(&self, list: usize) -> &[IndexRows] {
        self.rows[list].indexes()
    }

    /// Returns all records, segment by segment.
    #[cfg(feature = "gpu")]
    pub(crate) fn all_records(&self) -> &[ProbeRecord] {
        &self.records
    }

    /// For each segment, its list and the number of its first record; at last, the number of records.
    #[cfg(feature = "gpu")]
    pub(crate) fn starts(&self) -> impl Iterator<Item = (u32, u32)> {
        self.segments.iter().map(|segment| (segment.list, segment.start))
    }

    pub(crate) fn segments(&self) -> usize {
        self.segments.len().saturating_sub(1)
    }

    /// Returns the records of a segment, of all ranks.
    #[inline]
    pub(crate) fn records(&self, segment: usize) -> SegmentRecords<'_> {
        let Segment { start, in_twins, .. } = self.segments[segment];
        let end = self.segments[segment + 1].start;
        SegmentRecords::new(&self.records[start as usize..end as usize], in_twins as usize)
    }
}

/// Adds queens in the rows of some indexes to the given queens, and calls `found` for every placement that results.
/// `found` gets the indexes, which stand in `given` from place `next` on, and the columns of all queens. A stride
/// replaces the number of places in the second of two rows.
fn add_indexes(
    class: &SquareClass,
    rows: &[IndexRows],
    fixed @ (prefix, stride): (&Placement, Option<usize>),
    queens: &Placement,
    given: [usize; 3],
    next: usize,
    found: &mut impl FnMut([usize; 3], LineSet),
) {
    let Some((&first, rest)) = rows.split_first() else { return found(given, queens.columns) };
    let mut add = |value: usize, queens: &Placement| {
        let mut indexes = given;
        indexes[next] = value;
        add_indexes(class, rest, fixed, queens, indexes, next + 1, found);
    };
    match first {
        IndexRows::One(row) => {
            let free = class.free(row, prefix);
            class.add(row, queens, |column, queens| add(free.place_of(column), &queens));
        }
        IndexRows::Two(rows) => {
            let (first, second) = (class.free(rows[0], prefix), class.free(rows[1], prefix));
            class.add(rows[0], queens, |column, queens| {
                let start = first.place_of(column) * stride.unwrap_or(second.len());
                class.add(rows[1], &queens, |column, queens| add(start + second.place_of(column), &queens));
            });
        }
    }
}

#[cfg(test)]
impl ProbeSide {
    /// Returns a side with one segment of these records for each list; the first `in_twins` records are twins.
    pub(crate) fn from_records(lists: u32, records: &[ProbeRecord], in_twins: usize) -> Self {
        let mut side = Self::default();
        for list in 0..lists {
            side.segments.push(Segment { list, start: side.records.len() as u32, in_twins: in_twins as u32 });
            side.records.extend_from_slice(records);
        }
        side.close();
        side
    }
}
