//! The descent through the prefixes of lists, with ever fewer lanes.
//!
//! All placements of a list that begin with the same queens are incompatible with the same lanes. So the lanes are thinned
//! queen by queen, for all lists at once that share the rows of their prefix, and what is left is sliced for the records.

use super::class::{Class, MOST_HALF_LINES};
use super::kernel::{Block, Kernel, Level, MOST_PLANES, NO_LANE, SLOTS, Square, TABLE, Tables};
use super::lists::{Cuts, Lists, Record, pair_index};
use super::part::CLASSES;
use crate::cancel::{Cancel, Cancelled};
use std::ops::Range;

/// What is done with the records of a sublist and the lanes that its prefix leaves.
pub(super) trait Sink {
    /// Takes the records of a sublist of the list with this number, classes ending where `ends` says.
    fn take<K: Kernel>(&mut self, kernel: K, list: usize, tables: &Tables, records: &[Record], ends: [usize; CLASSES]);
}

/// The memory of a descent.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// The lanes left at every depth: those of the root first.
    levels: Vec<Level>,
    /// The squares of the queens that thinned the lanes at each depth.
    path: Vec<[u8; 2]>,
    /// The sublists of a leaf that are of active lists.
    here: Vec<usize>,
    slicer: Slicer,
}

impl Sweep {
    /// The level to fill with the lanes that a descent begins with.
    pub(super) fn root(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.resize(MOST_HALF_LINES + 1, Level::default());
        }
        &mut self.levels[0]
    }

    /// Sweeps the active ones of the lists over the lanes of the root, which has been filled.
    pub(super) fn run<K: Kernel>(
        &mut self,
        kernel: K,
        class: &Class,
        (lists, cuts): (&Lists, &Cuts),
        active: &[bool],
        sink: &mut impl Sink,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.path.clear();
        for (prefix, sublists) in lists.leaves() {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            self.here.clear();
            let mut rows = 0_u16;
            for sublist in sublists {
                let list = lists.list(sublist);
                if active[list] && !lists.records(sublist, cuts).0.is_empty() {
                    self.here.push(sublist);
                    rows |= lists.tail(list).iter().fold(0, |rows, row| rows | 1 << row);
                }
            }
            if self.here.is_empty() {
                continue;
            }
            let shared = self.path.iter().zip(prefix).take_while(|(a, b)| a == b).count();
            self.path.truncate(shared);
            for &[row, column] in &prefix[shared..] {
                let (above, below) = self.levels.split_at_mut(self.path.len() + 1);
                kernel.filter(&above[self.path.len()], class.diagonals(row, column), &mut below[0]);
                self.path.push([row, column]);
            }
            let level = &self.levels[prefix.len()];
            let columns =
                prefix.iter().fold((1 << class.columns()) - 1, |columns, [_, column]| columns & !(1 << column));
            let planes = level.planes();
            let slices = planes.div_ceil(MOST_PLANES);
            for slice in 0..slices {
                let planes = slice * planes / slices..(slice + 1) * planes / slices;
                self.slicer.slice(kernel, level, planes, class, rows, columns);
                for &sublist in &self.here {
                    let list = lists.list(sublist);
                    self.slicer.tabulate(kernel, lists.tail(list));
                    let (records, ends) = lists.records(sublist, cuts);
                    sink.take(kernel, list, &self.slicer.tables, records, ends);
                }
            }
        }
        Ok(())
    }
}

/// The memory of a slice: its lanes as bit sets.
#[derive(Debug)]
struct Slicer {
    /// By plane and bit of a lane.
    bits: Vec<[Block; 64]>,
    /// The lanes that do not attack a square, by [`pair_index`] of row and column.
    free: Vec<Block>,
    tables: Tables,
    /// The rows that the tables are of.
    rows: [Option<[Option<u8>; 2]>; 2],
    /// The number of columns that the prefix leaves.
    columns: usize,
}

impl Default for Slicer {
    fn default() -> Self {
        Self {
            bits: vec![[Block::ZERO; SLOTS]; MOST_PLANES],
            free: vec![Block::ZERO; TABLE * MOST_PLANES],
            tables: Tables::default(),
            rows: [None; 2],
            columns: 0,
        }
    }
}

impl Slicer {
    /// Slices some planes of a level, for the squares of `rows` and `columns`.
    fn slice<K: Kernel>(
        &mut self,
        kernel: K,
        level: &Level,
        planes: Range<usize>,
        class: &Class,
        rows: u16,
        columns: u16,
    ) {
        self.tables.planes = planes.len();
        self.rows = [None; 2];
        let bits = &mut self.bits[..planes.len()];
        for (plane, bits) in planes.zip(&mut *bits) {
            kernel.slice(level, plane, bits);
        }
        let mut squares = [Square::default(); MOST_HALF_LINES * MOST_HALF_LINES + 1];
        // One more square, which no lane attacks, stands for a pair without rows.
        squares[0] = Square { index: NO_ROWS, diagonals: [NO_LANE as u8; 2] };
        let mut count = 1;
        for row in members(rows) {
            for (place, column) in members(columns).enumerate() {
                let index = pair_index(row.into(), place) as u8;
                squares[count] = Square { index, diagonals: class.diagonal_bits(row, column) };
                count += 1;
            }
        }
        self.columns = columns.count_ones() as usize;
        kernel.free(bits, &squares[..count], &mut self.free);
    }

    /// Makes the tables for records of the rows of `tail`.
    fn tabulate<K: Kernel>(&mut self, kernel: K, tail: &[u8]) {
        let rows = [first_two(tail), first_two(&tail[tail.len().min(2)..]), first_two(&tail[tail.len().min(4)..])];
        let tables = &mut self.tables;
        let planes = tables.planes;
        tables.has_third = rows[2] != [None; 2];
        let pairs = [&mut tables.first, &mut tables.second].into_iter().zip(&mut self.rows).zip(rows);
        for ((table, made), rows) in pairs {
            if *made == Some(rows) {
                continue;
            }
            *made = Some(rows);
            match rows {
                [Some(a), Some(b)] => kernel.pairs(&self.free, planes, [a.into(), b.into()], self.columns, table),
                [Some(a), None] => {
                    for column in 0..self.columns {
                        copy(&self.free, pair_index(a.into(), column), table, pair_index(column, 0), planes);
                    }
                }
                [None, _] => copy(&self.free, NO_ROWS.into(), table, 0, planes),
            }
        }
        if let [Some(row), _] = rows[2] {
            for column in 0..self.columns {
                copy(&self.free, pair_index(row.into(), column), &mut tables.third, column, planes);
            }
        }
    }
}

/// Copies the planes of one entry of a table.
fn copy(from: &[Block], entry: usize, to: &mut [Block], to_entry: usize, planes: usize) {
    to[to_entry * planes..][..planes].copy_from_slice(&from[entry * planes..][..planes]);
}

/// The first two of some rows.
fn first_two(rows: &[u8]) -> [Option<u8>; 2] {
    [rows.first().copied(), rows.get(1).copied()]
}

/// The members of a set.
fn members(mut set: u16) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let member = (set != 0).then(|| set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        member
    })
}

/// The place of the square that no lane attacks: one that no row and column have.
const NO_ROWS: u8 = u8::MAX;
