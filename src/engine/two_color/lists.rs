//! The placements of a class on several sets of rows, in the order in which they are swept.

use super::class::{Class, MOST_HALF_LINES, Queens, gather};
use super::part::{ABSENT, Axis, CLASSES};
use crate::cancel::{Cancel, Cancelled};
use std::ops::Range;

/// The number of the last rows of a placement that a record names; a prefix holds the rows before.
pub(super) const TAIL: usize = 5;

/// The queens of a placement below its prefix: two pairs of rows, each an index into a table of the pair, a fifth row, and
/// the rank of the column set.
///
/// Its order is that of the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct Record(u32);

impl Record {
    pub(super) fn new(first: usize, second: usize, third: u8, rank: u16) -> Self {
        Self(u32::from(rank) << 20 | u32::from(third) << 16 | (second as u32) << 8 | first as u32)
    }

    /// Its place in the table of the first pair of rows.
    #[inline]
    pub(super) fn first(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// Its place in the table of the second pair of rows.
    #[inline]
    pub(super) fn second(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    /// Its column in the fifth row.
    #[inline]
    pub(super) fn third(self) -> usize {
        (self.0 >> 16 & 0xf) as usize
    }

    /// The rank of its column set.
    #[inline]
    pub(super) fn rank(self) -> usize {
        (self.0 >> 20) as usize
    }
}

/// Where a pair of numbers below 16 stands in a table of pairs.
#[inline]
pub(super) fn pair_index(first: usize, second: usize) -> usize {
    first << 4 | second
}

/// The placements of a class on several sets of rows, one *list* a set, as they are swept.
///
/// Lists whose first rows, the *prefix*, are the same have their placements side by side: by the queens in those rows, then
/// list by list, then in the order of the ranks of their column sets.
#[derive(Debug, Default)]
pub(super) struct Lists {
    rows: Vec<Rows>,
    /// The squares of the queens of the leaves' prefixes: row and column.
    prefixes: Vec<[u8; 2]>,
    leaves: Vec<Leaf>,
    sublists: Vec<Sublist>,
    records: Vec<Record>,
}

/// The rows of a list.
#[derive(Clone, Copy, Debug)]
struct Rows {
    prefix: [u8; MOST_HALF_LINES],
    tail: [u8; TAIL],
    tail_length: usize,
}

/// The placements with the same prefix.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    depth: usize,
    /// Where its prefix begins.
    prefix: usize,
    /// Where its sublists begin.
    sublists: usize,
}

/// The placements of one list with the same prefix.
#[derive(Clone, Copy, Debug)]
struct Sublist {
    /// The number of the list.
    list: u32,
    start: u32,
}

/// Where the records of each class end, sublist by sublist.
#[derive(Debug, Default)]
pub(super) struct Cuts(Vec<[u32; CLASSES]>);

impl Cuts {
    /// Forgets the cuts: they are to be those of another list.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Lists {
    /// Fills it with the placements on the rows that tuples name by `sets`, `depth` of those rows filled by the prefix.
    /// Sets whose placements share a prefix are to be neighbours.
    pub(super) fn fill(
        &mut self,
        class: &Class,
        axis: &Axis,
        sets: &[u16],
        depth: usize,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.rows.clear();
        self.prefixes.clear();
        self.leaves.clear();
        self.sublists.clear();
        self.records.clear();
        self.rows.extend(sets.iter().map(|&set| {
            let mut prefix = [0; MOST_HALF_LINES];
            let rows = gather(class.rows(set), &mut prefix).len();
            let mut tail = [0; TAIL];
            let tail_length = gather(prefix[depth..rows].iter().copied(), &mut tail).len();
            assert_eq!(depth + tail_length, rows, "a tail has at most {TAIL} rows");
            Rows { prefix, tail, tail_length }
        }));
        let mut first = 0;
        while first < self.rows.len() {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let prefix = self.rows[first].prefix;
            let same = |rows: &&Rows| rows.prefix[..depth] == prefix[..depth];
            let end = first + self.rows[first..].iter().take_while(same).count();
            self.descend(class, axis, first..end, &mut [[0; 2]; MOST_HALF_LINES], 0..depth, &Queens::default());
            first = end;
        }
        assert!(u32::try_from(self.records.len()).is_ok(), "2³² records and more are not to be numbered");
        self.leaves.push(Leaf { depth: 0, prefix: 0, sublists: self.sublists.len() });
        self.sublists.push(Sublist { list: 0, start: self.records.len() as u32 });
        Ok(())
    }

    /// Adds the placements of some lists, which share their prefix, with the queens of a prefix so far.
    fn descend(
        &mut self,
        class: &Class,
        axis: &Axis,
        lists: Range<usize>,
        prefix: &mut [[u8; 2]; MOST_HALF_LINES],
        depths: Range<usize>,
        queens: &Queens,
    ) {
        if !depths.is_empty() {
            let row = self.rows[lists.start].prefix[depths.start];
            class.add(row, queens, |column, queens| {
                prefix[depths.start] = [row, column];
                self.descend(class, axis, lists.clone(), prefix, depths.start + 1..depths.end, &queens);
            });
            return;
        }
        let sublists = self.sublists.len();
        for list in lists {
            let start = self.records.len();
            let Rows { tail, tail_length, .. } = self.rows[list];
            fill_tail(class, axis, &tail[..tail_length], queens, &mut self.records);
            if self.records.len() > start {
                self.records[start..].sort_unstable();
                self.sublists.push(Sublist { list: list as u32, start: start as u32 });
            }
        }
        if self.sublists.len() > sublists {
            self.leaves.push(Leaf { depth: depths.end, prefix: self.prefixes.len(), sublists });
            self.prefixes.extend_from_slice(&prefix[..depths.end]);
        }
    }

    /// Cuts every sublist into classes, which end at the ranks that `ends` has for its list.
    ///
    /// Cheap if `cuts` are those of these lists for ranks a little lower or higher.
    pub(super) fn cut(&self, ends: &[[usize; CLASSES]], cuts: &mut Cuts) {
        if cuts.0.len() + 1 != self.sublists.len() {
            cuts.0.clear();
            cuts.0.extend(self.sublists.iter().take(self.sublists.len() - 1).map(|sublist| [sublist.start; CLASSES]));
        }
        for (bounds, cuts) in self.sublists.windows(2).zip(&mut cuts.0) {
            let (start, end) = (bounds[0].start, bounds[1].start);
            for (cut, rank) in cuts.iter_mut().zip(ends[bounds[0].list as usize]) {
                *cut = (*cut).clamp(start, end);
                while *cut < end && self.records[*cut as usize].rank() < rank {
                    *cut += 1;
                }
                while *cut > start && self.records[*cut as usize - 1].rank() >= rank {
                    *cut -= 1;
                }
            }
        }
    }

    /// The leaves: the squares of a prefix, and the sublists that have it.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (&[[u8; 2]], Range<usize>)> {
        self.leaves.windows(2).map(|pair| {
            let [leaf, next] = [pair[0], pair[1]];
            (&self.prefixes[leaf.prefix..leaf.prefix + leaf.depth], leaf.sublists..next.sublists)
        })
    }

    /// The number of the list that a sublist is of.
    pub(super) fn list(&self, sublist: usize) -> usize {
        self.sublists[sublist].list as usize
    }

    /// The rows of the records of a list: at most [`TAIL`].
    pub(super) fn tail(&self, list: usize) -> &[u8] {
        let Rows { tail, tail_length, .. } = &self.rows[list];
        &tail[..*tail_length]
    }

    /// The records of a sublist up to the end of the last class, and where each class ends.
    pub(super) fn records(&self, sublist: usize, cuts: &Cuts) -> (&[Record], [usize; CLASSES]) {
        let (start, ends) = (self.sublists[sublist].start, cuts.0[sublist]);
        let records = &self.records[start as usize..ends[CLASSES - 1] as usize];
        (records, ends.map(|end| (end - start) as usize))
    }
}

/// Appends a record for each placement that fills the rows of `tail` and adds to the given queens.
fn fill_tail(class: &Class, axis: &Axis, tail: &[u8], queens: &Queens, records: &mut Vec<Record>) {
    let left = !queens.columns;
    let (first, rest) = tail.split_at(tail.len().min(2));
    let (second, third) = rest.split_at(rest.len().min(2));
    let mut found = |first, second, third, columns| {
        let rank = class.rank(axis, columns);
        if rank != ABSENT {
            records.push(Record::new(first, second, third, rank));
        }
    };
    add_pair(class, first, left, queens, |first, queens| {
        add_pair(class, second, left, queens, |second, queens| match third {
            &[row] => class.add(row, queens, |third, queens| {
                found(first, second, place_among(left, third) as u8, queens.columns);
            }),
            _ => found(first, second, 0, queens.columns),
        });
    });
}

/// The place of a column among the columns that a prefix leaves.
#[inline]
fn place_among(left: u16, column: u8) -> usize {
    (left & ((1 << column) - 1)).count_ones() as usize
}

/// Calls `found` with the [`pair_index`] of the columns' places among those `left` by the prefix, for every placement that
/// fills at most two rows and adds to the given queens. A row that is missing has place 0.
#[inline]
fn add_pair(class: &Class, rows: &[u8], left: u16, queens: &Queens, mut found: impl FnMut(usize, &Queens)) {
    match *rows {
        [] => found(0, queens),
        [row] => class.add(row, queens, |a, queens| found(pair_index(place_among(left, a), 0), &queens)),
        [first, second, ..] => class.add(first, queens, |a, queens| {
            let a = place_among(left, a);
            class.add(second, &queens, |b, queens| found(pair_index(a, place_among(left, b)), &queens));
        }),
    }
}
