//! The sweep of a probe side over a build side: a walk through the prefixes, with ever fewer survivors.
//!
//! All probe placements that begin with the same queens are incompatible with the same build placements. So these are
//! thinned queen by queen, for all probe lists at once that share the rows of their prefix, and the survivors are
//! sliced for the records:
//!
//! ```text
//! for each prefix of the probe side, in the order of the tree:
//!     for each of its queens after those it shares with the prefix before:
//!         survivors[depth + 1] = filter(survivors[depth], the queen's diagonals)
//!     for each slice of the survivors, up to four planes:
//!         for each square in the rows and columns that the prefix leaves: unattacked (a bit for each survivor)
//!         for each segment with this prefix:
//!             make the pair tables of its rows
//!             hand tables and records to the consumer
//! ```

use super::lines::{HalfLine, LineSet, MOST_HALF_LINES};
use super::probe_side::{ProbeRecord, ProbeSide, TieBounds, pair_index};
use super::simd::{Block, Kernel, MOST_PLANES, NO_PLACEMENT, PAIRS, ProbeSquare, SLOTS, Survivors, Tables};
use super::squares::SquareClass;
use super::tuples::TIE_GROUPS;
use crate::cancel::{Cancel, Cancelled};
use std::ops::Range;

/// A use of the records of a segment and the survivors of its prefix.
pub(super) trait Consumer {
    /// Takes records of the probe list with this number; tie groups end where `ends` says.
    fn take<K: Kernel>(
        &mut self,
        kernel: K,
        list: usize,
        tables: &Tables,
        records: &[ProbeRecord],
        ends: [usize; TIE_GROUPS],
    );
}

/// The scratch memory of sweeps.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// The survivors by the number of queens that thinned them; first the whole chunk.
    survivors: Vec<Survivors>,
    /// The squares of those queens.
    path: Vec<[HalfLine; 2]>,
    /// The segments of a prefix that are of active lists.
    segments: Vec<usize>,
    slice: Slice,
}

impl Sweep {
    /// The build placements that a sweep begins with, to be filled.
    pub(super) fn root(&mut self) -> &mut Survivors {
        if self.survivors.is_empty() {
            self.survivors.resize(MOST_HALF_LINES + 1, Survivors::default());
        }
        &mut self.survivors[0]
    }

    /// Sweeps the active lists of a probe side over the build placements of the root, and hands the records to
    /// `consumer`.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn run<K: Kernel>(
        &mut self,
        kernel: K,
        class: &SquareClass,
        (probe, bounds): (&ProbeSide, &TieBounds),
        active: &[bool],
        consumer: &mut impl Consumer,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.path.clear();
        for (prefix, segments) in probe.prefixes() {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            self.segments.clear();
            let mut rows = LineSet::EMPTY;
            for segment in segments {
                let list = probe.list(segment);
                if active[list] && !probe.records(segment, bounds).0.is_empty() {
                    self.segments.push(segment);
                    rows |= probe.tail(list).iter().copied().collect();
                }
            }
            if self.segments.is_empty() {
                continue;
            }
            let shared = self.path.iter().zip(prefix).take_while(|(a, b)| a == b).count();
            self.path.truncate(shared);
            for &square in &prefix[shared..] {
                let (above, below) = self.survivors.split_at_mut(self.path.len() + 1);
                kernel.filter(&above[self.path.len()], class.diagonals(square), &mut below[0]);
                self.path.push(square);
            }
            let survivors = &self.survivors[prefix.len()];
            let columns = class.columns().minus(prefix.iter().map(|&[_, column]| column).collect());
            let planes = survivors.planes();
            let slices = planes.div_ceil(MOST_PLANES);
            for slice in 0..slices {
                let planes = slice * planes / slices..(slice + 1) * planes / slices;
                self.slice.fill(kernel, survivors, planes, class, rows, columns);
                for &segment in &self.segments {
                    let list = probe.list(segment);
                    self.slice.tabulate(kernel, probe.tail(list));
                    let (records, ends) = probe.records(segment, bounds);
                    consumer.take(kernel, list, &self.slice.tables, records, ends);
                }
            }
        }
        Ok(())
    }
}

/// The entry of the table of single squares for a pair without rows: a square that no placement attacks. No row and
/// column have this [`pair_index`].
const NO_ROWS: u8 = u8::MAX;

/// A slice of the survivors as sets of bits, and the tables made of it.
#[derive(Debug)]
struct Slice {
    /// By plane and bit of a diagonal mask, the placements that have it.
    bits: Vec<[Block; 64]>,
    /// By [`pair_index`] of row and column, the placements that do not attack a square.
    squares: Vec<Block>,
    tables: Tables,
    /// The rows that the pair tables are of.
    rows: [Option<RowPair>; 2],
    /// The number of columns that the prefix leaves.
    columns: usize,
}

/// The rows of a pair table; the second, or both, may be missing.
type RowPair = [Option<HalfLine>; 2];

impl Default for Slice {
    fn default() -> Self {
        Self {
            bits: vec![[Block::ZERO; SLOTS]; MOST_PLANES],
            squares: vec![Block::ZERO; PAIRS * MOST_PLANES],
            tables: Tables::default(),
            rows: [None; 2],
            columns: 0,
        }
    }
}

impl Slice {
    /// Slices some planes of the survivors, for the squares of `rows` and `columns`.
    fn fill<K: Kernel>(
        &mut self,
        kernel: K,
        survivors: &Survivors,
        planes: Range<usize>,
        class: &SquareClass,
        rows: LineSet,
        columns: LineSet,
    ) {
        self.tables.planes = planes.len();
        self.rows = [None; 2];
        let bits = &mut self.bits[..planes.len()];
        for (plane, bits) in planes.zip(&mut *bits) {
            kernel.slice(survivors, plane, bits);
        }
        let mut squares = [ProbeSquare::default(); MOST_HALF_LINES * MOST_HALF_LINES + 1];
        squares[0] = ProbeSquare { index: NO_ROWS, diagonals: [NO_PLACEMENT as u8; 2] };
        let mut count = 1;
        for row in rows.iter() {
            for (place, column) in columns.iter().enumerate() {
                let index = pair_index(row.index(), place) as u8;
                squares[count] = ProbeSquare { index, diagonals: class.diagonal_bits([row, column]) };
                count += 1;
            }
        }
        self.columns = columns.len();
        kernel.unattacked(bits, &squares[..count], &mut self.squares);
    }

    /// Makes the tables for records of the rows of `tail`.
    fn tabulate<K: Kernel>(&mut self, kernel: K, tail: &[HalfLine]) {
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
                [Some(a), Some(b)] => {
                    kernel.pair_table(&self.squares, planes, [a.index(), b.index()], self.columns, table);
                }
                [Some(a), None] => {
                    for column in 0..self.columns {
                        copy(&self.squares, pair_index(a.index(), column), table, pair_index(column, 0), planes);
                    }
                }
                [None, _] => copy(&self.squares, NO_ROWS.into(), table, 0, planes),
            }
        }
        if let [Some(row), _] = rows[2] {
            for column in 0..self.columns {
                copy(&self.squares, pair_index(row.index(), column), &mut tables.third, column, planes);
            }
        }
    }
}

/// Copies the planes of one entry of a table.
fn copy(from: &[Block], entry: usize, to: &mut [Block], to_entry: usize, planes: usize) {
    to[to_entry * planes..][..planes].copy_from_slice(&from[entry * planes..][..planes]);
}

fn first_two(rows: &[HalfLine]) -> RowPair {
    [rows.first().copied(), rows.get(1).copied()]
}
