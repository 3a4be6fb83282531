//! The placements of one class of squares: non-attacking queens that fill given rows.

use super::geometry::{Colour, Geometry, Parity};
use super::part::{ABSENT, Axis, CLASSES};
use crate::cancel::{Cancel, Cancelled};
use crate::estimate::SplitMix64;
use std::ops::Range;

/// The most half-lines of a parity.
pub(super) const MOST_HALF_LINES: usize = 14;

/// The squares of a class: those of given parities of row and column.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Row by column, what a queen there does.
    squares: Vec<[Square; MOST_HALF_LINES]>,
    columns: usize,
    /// The half-lines of its rows, those nearest to the centre first.
    centre_first: Vec<u8>,
    /// Whether its row and column sets are the complements of those that name a tuple.
    complemented: bool,
}

/// What a queen on a square does.
#[derive(Clone, Copy, Debug, Default)]
struct Square {
    /// The mask of its two diagonals.
    diagonals: u64,
    /// The columns that it attacks in each row of the class.
    attacks: [u16; 16],
}

impl Class {
    /// The class of a colour that stands on rows of one parity.
    pub(super) fn new(geometry: Geometry, colour: Colour, rows: Parity) -> Self {
        let columns = match (colour, rows) {
            (Colour::White, rows) => rows,
            (Colour::Black, Parity::Even) => Parity::Odd,
            (Colour::Black, Parity::Odd) => Parity::Even,
        };
        let diagonals = |row, column| geometry.diagonals((rows, row), (columns, column));
        let square = |row, column| {
            let attacks = |other_row, other_column| {
                other_column == column || diagonals(row, column) & diagonals(other_row, other_column) != 0
            };
            let attacked = |other_row| {
                let columns = (0..geometry.half(columns)).filter(|&other| attacks(other_row, other));
                columns.fold(0, |columns, column| columns | 1 << column)
            };
            let mut square = Square { diagonals: diagonals(row, column), attacks: [0; 16] };
            for (other_row, attacked_columns) in square.attacks.iter_mut().enumerate().take(geometry.half(rows)) {
                *attacked_columns = attacked(other_row);
            }
            square
        };
        let squares = (0..geometry.half(rows)).map(|row| {
            let mut of_row = [Square::default(); MOST_HALF_LINES];
            for (column, slot) in of_row.iter_mut().enumerate().take(geometry.half(columns)) {
                *slot = square(row, column);
            }
            of_row
        });
        Self {
            squares: squares.collect(),
            columns: geometry.half(columns),
            centre_first: geometry.centre_first(rows),
            complemented: colour == Colour::Black,
        }
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The diagonals of a square.
    pub(super) fn diagonals(&self, row: u8, column: u8) -> u64 {
        self.squares[usize::from(row)][usize::from(column)].diagonals
    }

    /// The bits of the two diagonals of a square in their mask.
    pub(super) fn diagonal_bits(&self, row: u8, column: u8) -> [u8; 2] {
        let diagonals = self.diagonals(row, column);
        [diagonals.trailing_zeros() as u8, 63 - diagonals.leading_zeros() as u8]
    }

    /// The rows that this class fills where a tuple names `set`, those nearest to the centre first.
    pub(super) fn rows(&self, set: u16) -> impl Iterator<Item = u8> + '_ {
        let wanted = u16::from(!self.complemented);
        self.centre_first.iter().copied().filter(move |&row| set >> row & 1 == wanted)
    }

    /// The place on `axis` of the column set that a tuple names where this class fills `columns`.
    #[inline]
    fn rank(&self, axis: &Axis, columns: u16) -> u16 {
        axis.rank(if self.complemented { axis.full() ^ columns } else { columns })
    }

    /// Calls `found` with each column in which a queen can be added in `row`, and the placement with it.
    #[inline(always)]
    fn add(&self, row: u8, queens: &Queens, mut found: impl FnMut(u8, Queens)) {
        let row = usize::from(row);
        let squares = &self.squares[row];
        let mut free = !queens.attacked[row & 15] & ((1_u32 << self.columns) - 1) as u16;
        while free != 0 {
            let column = free.trailing_zeros() as usize;
            free &= free - 1;
            let square = &squares[column];
            let attacked = std::array::from_fn(|row| queens.attacked[row] | square.attacks[row]);
            let columns = queens.columns | 1 << column;
            found(column as u8, Queens { attacked, columns, diagonals: queens.diagonals | square.diagonals });
        }
    }

    /// Walks down to a random placement on the rows that a tuple names by `set`: `step` is told, row by row, from how many
    /// columns one was chosen and which diagonals are attacked then. Whether the walk came to the last row.
    pub(super) fn walk(&self, set: u16, random: &mut SplitMix64, mut step: impl FnMut(u32, u64)) -> bool {
        let mut queens = Queens::default();
        for row in self.rows(set) {
            let (mut choices, mut chosen) = (0, queens);
            self.add(row, &queens, |_, with_queen| {
                choices += 1;
                if random.below(choices) == 0 {
                    chosen = with_queen;
                }
            });
            if choices == 0 {
                return false;
            }
            queens = chosen;
            step(choices, queens.diagonals);
        }
        true
    }

    /// Calls `found` with every placement that fills `rows` and adds to the given queens.
    fn fill(&self, rows: &[u8], queens: &Queens, found: &mut impl FnMut(&Queens)) {
        match rows {
            [] => found(queens),
            &[row] => self.add(row, queens, |_, queens| found(&queens)),
            &[row, ref rows @ ..] => self.add(row, queens, |_, queens| self.fill(rows, &queens, found)),
        }
    }
}

/// A placement of queens of one class.
#[derive(Clone, Copy, Debug, Default)]
struct Queens {
    /// The columns that are attacked in each row.
    attacked: [u16; 16],
    columns: u16,
    diagonals: u64,
}

/// The placements of a class on one set of rows as *lanes*: the diagonals of each, in the order of the ranks of their column
/// sets.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<u64>,
    /// Where each group begins, and where the last ends.
    starts: Vec<u32>,
    found: Vec<(u16, u64)>,
}

impl Lanes {
    /// Fills it with the placements whose column sets have a rank below `groups`.
    pub(super) fn fill(&mut self, class: &Class, axis: &Axis, set: u16, groups: usize) {
        let mut rows = [0; MOST_HALF_LINES];
        let rows = gather(class.rows(set), &mut rows);
        self.found.clear();
        self.starts.clear();
        self.starts.resize(groups + 2, 0);
        let (found, starts) = (&mut self.found, &mut self.starts);
        class.fill(rows, &Queens::default(), &mut |queens| {
            let rank = class.rank(axis, queens.columns);
            if usize::from(rank) < groups {
                found.push((rank, queens.diagonals));
                starts[usize::from(rank) + 2] += 1;
            }
        });
        for group in 1..=groups {
            starts[group + 1] += starts[group];
        }
        // Now the start of each group stands one place too late; it moves on, lane by lane, to the start of the next.
        self.lanes.clear();
        self.lanes.resize(found.len(), 0);
        for &(rank, diagonals) in &*found {
            let next = &mut starts[usize::from(rank) + 1];
            self.lanes[*next as usize] = diagonals;
            *next += 1;
        }
    }

    /// The number of placements.
    pub(super) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// The placements of one column set.
    pub(super) fn group(&self, rank: usize) -> &[u64] {
        &self.lanes[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }
}

/// Copies what an iterator yields to the front of an array.
pub(super) fn gather<T: Copy>(from: impl Iterator<Item = T>, to: &mut [T]) -> &[T] {
    let mut length = 0;
    for (slot, item) in to.iter_mut().zip(from) {
        *slot = item;
        length += 1;
    }
    &to[..length]
}

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
    #[inline(always)]
    pub(super) fn first(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// Its place in the table of the second pair of rows.
    #[inline(always)]
    pub(super) fn second(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    /// Its column in the fifth row.
    #[inline(always)]
    pub(super) fn third(self) -> usize {
        (self.0 >> 16 & 0xf) as usize
    }

    /// The rank of its column set.
    #[inline(always)]
    pub(super) fn rank(self) -> usize {
        (self.0 >> 20) as usize
    }
}

/// Where a pair of numbers below 16 stands in a table of pairs.
#[inline(always)]
pub(super) fn pair_index(first: usize, second: usize) -> usize {
    first << 4 | second
}

/// The placements of a class on several sets of rows, one *list* a set, as they are swept.
///
/// Lists whose first rows, the *prefix*, are the same have their placements side by side: by the queens in those rows, then
/// list by list, then in the order of the ranks of their column sets.
#[derive(Debug, Default)]
pub(super) struct Lists {
    lists: Vec<Rows>,
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
    tail_rows: usize,
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
pub(super) struct Sublist {
    /// The number of the list.
    pub(super) list: usize,
    start: u32,
    /// Where the records of each class end.
    ends: [u32; CLASSES],
}

impl Sublist {
    /// Whether none of its records is of a class that is visited.
    pub(super) fn is_empty(&self) -> bool {
        self.ends[CLASSES - 1] == self.start
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
        self.lists.clear();
        self.prefixes.clear();
        self.leaves.clear();
        self.sublists.clear();
        self.records.clear();
        self.lists.extend(sets.iter().map(|&set| {
            let mut prefix = [0; MOST_HALF_LINES];
            let rows = gather(class.rows(set), &mut prefix).len();
            let mut tail = [0; TAIL];
            let tail_rows = gather(prefix[depth..rows].iter().copied(), &mut tail).len();
            assert_eq!(depth + tail_rows, rows, "a tail has at most {TAIL} rows");
            Rows { prefix, tail, tail_rows }
        }));
        let mut first = 0;
        while first < self.lists.len() {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let prefix = self.lists[first].prefix;
            let same = |rows: &&Rows| rows.prefix[..depth] == prefix[..depth];
            let end = first + self.lists[first..].iter().take_while(same).count();
            self.descend(class, axis, first..end, &mut [[0; 2]; MOST_HALF_LINES], 0..depth, &Queens::default());
            first = end;
        }
        self.leaves.push(Leaf { depth: 0, prefix: 0, sublists: self.sublists.len() });
        self.sublists.push(Sublist { list: 0, start: self.records.len() as u32, ends: [0; CLASSES] });
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
            let row = self.lists[lists.start].prefix[depths.start];
            class.add(row, queens, |column, queens| {
                prefix[depths.start] = [row, column];
                self.descend(class, axis, lists.clone(), prefix, depths.start + 1..depths.end, &queens);
            });
            return;
        }
        let sublists = self.sublists.len();
        for list in lists {
            let start = self.records.len();
            let Rows { tail, tail_rows, .. } = self.lists[list];
            fill_tail(class, axis, &tail[..tail_rows], queens, &mut self.records);
            if self.records.len() > start {
                self.records[start..].sort_unstable();
                let start = start as u32;
                self.sublists.push(Sublist { list, start, ends: [start; CLASSES] });
            }
        }
        if self.sublists.len() > sublists {
            self.leaves.push(Leaf { depth: depths.end, prefix: self.prefixes.len(), sublists });
            self.prefixes.extend_from_slice(&prefix[..depths.end]);
        }
    }

    /// Cuts every sublist into classes, which end at the given ranks.
    ///
    /// Cheap if the ranks are little above those of the call before.
    pub(super) fn cut(&mut self, ends: [usize; CLASSES]) {
        for index in 1..self.sublists.len() {
            let end = self.sublists[index].start;
            let sublist = &mut self.sublists[index - 1];
            for (cut, rank) in sublist.ends.iter_mut().zip(ends) {
                while *cut < end && self.records[*cut as usize].rank() < rank {
                    *cut += 1;
                }
                while *cut > sublist.start && self.records[*cut as usize - 1].rank() >= rank {
                    *cut -= 1;
                }
            }
        }
    }

    /// The leaves: the squares of a prefix, and the sublists that have it.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (&[[u8; 2]], &[Sublist])> {
        self.leaves.windows(2).map(|pair| {
            let [leaf, next] = [pair[0], pair[1]];
            (&self.prefixes[leaf.prefix..leaf.prefix + leaf.depth], &self.sublists[leaf.sublists..next.sublists])
        })
    }

    /// The rows of the records of a list: at most [`TAIL`].
    pub(super) fn tail(&self, list: usize) -> &[u8] {
        let Rows { tail, tail_rows, .. } = &self.lists[list];
        &tail[..*tail_rows]
    }

    /// The records of a sublist up to the end of the last class, and where each class ends.
    pub(super) fn records(&self, sublist: &Sublist) -> (&[Record], [usize; CLASSES]) {
        let end = sublist.ends[CLASSES - 1];
        let records = &self.records[sublist.start as usize..end as usize];
        (records, sublist.ends.map(|end| (end - sublist.start) as usize))
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
#[inline(always)]
fn place_among(left: u16, column: u8) -> usize {
    (left & ((1 << column) - 1)).count_ones() as usize
}

/// Calls `found` with the [`pair_index`] of the columns' places among those `left` by the prefix, for every placement that
/// fills at most two rows and adds to the given queens. A row that is missing has place 0.
#[inline(always)]
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
