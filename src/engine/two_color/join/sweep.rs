//! The sweep of a probe side over a panel of a build side: a walk through the prefixes, with ever fewer survivors.
//!
//! A build placement that a queen attacks is incompatible with all probe placements that begin with this queen. So
//! build placements are filtered queen by queen, for all probe lists at once that share the rows of their prefix. The
//! survivors are sliced for the records. If few survive, a slice has several chunks, and a record is read once for all
//! of them:
//!
//! ```text
//! for each prefix of the probe side:
//!     for each of its queens after those it shares with the prefix before, each chunk of the panel:
//!         survivors[depth + 1] = filter(survivors[depth], the queen's diagonals)
//!     for each slice of the survivors, a few planes of one chunk or of two:
//!         one-row table: for each square that the prefix neither fills nor attacks, a bit for each survivor
//!         for each segment with this prefix:
//!             make two-row tables of it, for the indexes of two rows
//!             hand tables and records to the consumer
//! ```

use super::tight::TightSurvivors;
use crate::cancel::Cancel;
use crate::engine::StopReason;
use crate::engine::two_color::sides::{BuildSide, IndexRows, ProbeSide, SlotLayout, VisitedRecords};
use crate::engine::two_color::simd::{
    Block, Filter, Layout, Loops, MOST_BLOCKS, NO_PLACEMENT, OneRowTable, PANEL, Pack, Plane, Planes, Pools, SLOTS,
    Shape, SlicePlane, Survivors, Tables, TwoRowTable,
};
use crate::engine::two_color::tuples::{HalfLine, LineSet, MOST_HALF_LINES, SquareClass};
use std::ops::Range;

/// A user of the records of a segment and the survivors of its prefix. The segment belongs to an active list of the
/// probe side that is swept.
pub(crate) trait Consumer {
    /// The layout of survivors in slices.
    const LAYOUT: Layout;

    /// Takes the records of a segment of the probe list with this number. The tables are for the chunks of the panel
    /// from `first_chunk` on or, if survivors are tight, for all chunks.
    fn take<K: Loops>(&mut self, kernel: K, list: usize, segment: usize, first_chunk: usize, tables: &Tables);
}

/// The scratch memory of sweeps.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// The survivors by chunk and by the number of queens that have filtered them; 0 queens leave the whole panel.
    survivors: Vec<Vec<Survivors>>,
    /// The squares of these queens.
    path: Vec<[HalfLine; 2]>,
    /// The number of chunks of the panel.
    chunks: usize,
    /// For each chunk of the panel, the pools of the chunks from it on.
    pools: Vec<Pools>,
    planes: Planes,
    tight: TightSurvivors,
    /// The segments of a prefix that belong to active lists.
    segments: Vec<usize>,
    slice: Slice,
}

impl Sweep {
    /// Takes the build placements of a panel.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub(crate) fn begin<K: Loops>(
        &mut self,
        _: K,
        slots: &SlotLayout,
        build: &BuildSide,
        panel: &Range<usize>,
    ) -> Result<(), StopReason> {
        self.survivors.resize_with(MOST_HALF_LINES + 1, Vec::new);
        for survivors in &mut self.survivors {
            survivors.resize_with(survivors.len().max(panel.len()), Survivors::default);
        }
        slots.fill(&mut self.survivors[0], build, panel)?;
        self.chunks = panel.len();
        self.pools.clear();
        // The survivors of a larger panel are tight, and nothing is packed.
        let ends = &slots.ends(panel)[..PANEL.min(panel.len())];
        self.pools.extend((0..ends.len()).map(|first| Pools::new(&ends[first..], K::LANE)));
        Ok(())
    }

    /// Sweeps the active lists of a probe side over the build placements of the panel, and hands the segments that have
    /// visited records to `consumer`.
    ///
    /// `cancel` is checked before each prefix. When it is set, only the records of the prefix at hand are still taken,
    /// for this panel.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub(crate) fn run<K: Loops, C: Consumer>(
        &mut self,
        kernel: K,
        class: &SquareClass,
        (probe, visited): (&ProbeSide, &VisitedRecords),
        active: &[bool],
        consumer: &mut C,
        cancel: &Cancel,
    ) -> Result<(), StopReason> {
        let chunks = self.chunks;
        self.path.clear();
        for (prefix, segments) in probe.prefixes() {
            cancel.check()?;
            self.segments.clear();
            let mut rows = LineSet::EMPTY;
            for segment in segments {
                let list = probe.list(segment);
                if active[list] && !visited.is_empty(segment) {
                    self.segments.push(segment);
                    rows |= probe.tail(list);
                }
            }
            if self.segments.is_empty() {
                continue;
            }
            let longest = self.path.len().min(prefix.len());
            let shared = (0..longest).find(|&queen| self.path[queen] != prefix[queen]).unwrap_or(longest);
            self.path.truncate(shared);
            for &square in &prefix[shared..] {
                let (above, below) = self.survivors.split_at_mut(self.path.len() + 1);
                for (chunk, parent) in above[self.path.len()][..chunks].iter().enumerate() {
                    let child = &mut below[0][chunk];
                    child.reserve(parent)?;
                    kernel.run(Filter { parent, diagonals: class.diagonals(square), child });
                }
                self.path.push(square);
            }
            let survivors = &self.survivors[prefix.len()][..chunks];
            self.slice.choose_squares(class, rows, prefix);
            if C::LAYOUT == Layout::Tight {
                for range in self.tight.take(survivors)? {
                    let (survivors, planes) = self.tight.slice(range, &mut self.slice.tables.slots[..]);
                    self.slice.fill(kernel, survivors, planes, planes.shape, 0);
                    self.slice.hand_over(kernel, probe, &self.segments, 0, consumer);
                }
                continue;
            }
            let packs = C::LAYOUT == Layout::Packed && K::PACKED_LIMIT > 0;
            // Two chunks have slices together if they share packed planes. Otherwise they must have equally many
            // planes, and only one each if the kernel packs.
            let is_shared = packs && K::SHARES;
            let have_equal_planes = |[one, other]: [&Survivors; 2]| {
                let planes = one.bytes_of_fullest();
                planes == other.bytes_of_fullest() && (!packs || planes == 1)
            };
            let together = match survivors {
                [one, other] if one.len() > 0 && other.len() > 0 => is_shared || have_equal_planes([one, other]),
                _ => false,
            };
            for (first, survivors) in survivors.chunks(1 + usize::from(together)).enumerate() {
                if survivors[0].len() == 0 {
                    continue;
                }
                if is_shared || packs && !together {
                    kernel.run(Pack { planes: &mut self.planes, survivors, pools: &self.pools[first] });
                } else {
                    self.planes.lay_out(survivors.len(), survivors[0].bytes_of_fullest());
                }
                for (shape, first_plane) in self.planes.slices(K::BLOCKS) {
                    self.slice.fill(kernel, survivors, &self.planes, shape, first_plane);
                    self.slice.hand_over(kernel, probe, &self.segments, first, consumer);
                }
            }
        }
        Ok(())
    }
}

/// The entry of the one-row table for no row: a square that no placement attacks.
const NO_ROW: usize = 0;

/// A slice of the survivors as sets of bits, and the tables made from it.
#[derive(Debug)]
struct Slice {
    /// By block and bit, the placements whose diagonal masks have the bit.
    bits: Vec<[Block; 64]>,
    /// The squares of the one-row table, each as the bits of its diagonal and its anti-diagonal.
    squares: Vec<[u8; 2]>,
    /// By row, where its squares begin in the one-row table, and where they end.
    rows: [[usize; 2]; MOST_HALF_LINES],
    /// The one-row table has for each square the placements that do not attack it.
    tables: Tables,
    /// The rows of each two-row table.
    two_rows: [Option<[HalfLine; 2]>; 2],
}

impl Default for Slice {
    fn default() -> Self {
        let bits = vec![[Block::ZERO; SLOTS]; MOST_BLOCKS];
        Self { bits, squares: Vec::new(), rows: [[0; 2]; _], tables: Tables::default(), two_rows: [None; 2] }
    }
}

impl Slice {
    /// Chooses the squares of some rows that the queens of a prefix do not attack. Records have queens on no other
    /// squares.
    fn choose_squares(&mut self, class: &SquareClass, rows: LineSet, prefix: &[[HalfLine; 2]]) {
        self.squares.clear();
        self.squares.push([NO_PLACEMENT as u8; 2]);
        for row in rows.iter() {
            let start = self.squares.len();
            for column in class.free_of(row, prefix).iter() {
                self.squares.push(class.diagonal_bits([row, column]));
            }
            self.rows[row.index()] = [start, self.squares.len()];
        }
    }

    /// Slices the survivors of some chunks, in the planes of each from `first_plane` on and the packed planes. Makes
    /// the one-row table of the chosen squares.
    fn fill<K: Loops>(
        &mut self,
        kernel: K,
        survivors: &[Survivors],
        planes: &Planes,
        shape: Shape,
        first_plane: usize,
    ) {
        (self.tables.shape, self.tables.from, self.two_rows) = (shape, planes.from, [None; 2]);
        let bits = &mut self.bits[..shape.blocks()];
        let in_place = shape.blocks() - shape.packed;
        for (block, bits) in bits.iter_mut().enumerate() {
            let plane = if block < in_place {
                Plane::InPlace { chunk: block / shape.planes, number: first_plane + block % shape.planes }
            } else {
                Plane::Packed(block - in_place)
            };
            kernel.run(SlicePlane { survivors, planes, plane, bits });
        }
        kernel.run(OneRowTable { bits, squares: &self.squares, table: self.tables.squares_mut() });
    }

    /// Hands the records of some segments to the consumer, with the tables for each.
    fn hand_over<K: Loops, C: Consumer>(
        &mut self,
        kernel: K,
        probe: &ProbeSide,
        segments: &[usize],
        first_chunk: usize,
        consumer: &mut C,
    ) {
        for &segment in segments {
            let list = probe.list(segment);
            self.tabulate(kernel, probe.indexes(list));
            consumer.take(kernel, list, segment, first_chunk, &self.tables);
        }
    }

    /// Makes the tables for records with these indexes.
    fn tabulate<K: Loops>(&mut self, kernel: K, indexes: &[IndexRows]) {
        let tables = &mut self.tables;
        let blocks = tables.shape.blocks();
        tables.has_third = indexes.len() > 2;
        tables.starts = [NO_ROW * blocks; 3];
        for (index, rows) in indexes.iter().enumerate() {
            tables.starts[index] = match *rows {
                IndexRows::One(row) => self.rows[row.index()][0] * blocks,
                IndexRows::Two(rows) => {
                    if self.two_rows[index] != Some(rows) {
                        self.two_rows[index] = Some(rows);
                        let (squares, table) = tables.squares_and_table(index);
                        let rows = [self.rows[rows[0].index()], self.rows[rows[1].index()]];
                        kernel.run(TwoRowTable { squares, blocks, rows, table });
                    }
                    Tables::start_of_two_rows(index)
                }
            };
        }
    }
}
