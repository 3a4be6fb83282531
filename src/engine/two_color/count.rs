//! The count of one unit: some *Re* with some *Ro*.

use super::cost::Cost;
use super::geometry::{Colour, Parity};
use super::kernel::{Kernel, MOST_RECORDS, Tables};
use super::layout::Layout;
use super::matrix::{InBytes, InEntries, Matrices, Wide};
use super::part::{CLASSES, Part};
use super::placements::{Class, Lanes, Lists, Record};
use super::sweep::{Sink, Sweep};
use crate::cancel::{Cancel, Cancelled};
use std::marker::PhantomData;
use std::ops::Range;

/// The bytes that the matrices of a row block may take for each chunk of lanes, so that they stay in the second-level cache.
/// From 600 KiB to 3 MiB it made no difference of more than 3% on a machine with 2 MiB; without a limit it cost 9%.
const CACHED: usize = 1 << 20;

/// The fewest *Ro* of a row block, even if their matrices do not stay in the cache.
const FEWEST_TOGETHER: usize = 4;

/// One of the two colours of a part: its classes on even rows, whose placements are the lanes, and on odd rows, whose
/// placements are the lists.
#[derive(Clone, Debug)]
pub(super) struct Side {
    lanes: Class,
    list: Class,
    pub(super) cost: Cost,
}

/// A part, ready to be counted.
#[derive(Clone, Debug)]
pub(super) struct Counting {
    pub(super) part: Part,
    /// The colour with fewer queens, whose matrices are made.
    pub(super) sparse: Side,
    /// The other colour, which is counted against them.
    pub(super) dense: Side,
    /// The parity of the columns of the sparse colour's lanes and the dense colour's lists: the rows of a turned matrix.
    rows: Parity,
    /// The parity of the columns of the sparse colour's lists and the dense colour's lanes.
    columns: Parity,
    /// The bits of a digit of a matrix.
    bits: u32,
}

impl Counting {
    pub(super) fn new(part: Part) -> Self {
        Self::with_digits(part, u8::BITS)
    }

    /// The same with digits of fewer bits, as if bytes had only as many.
    pub(super) fn with_digits(part: Part, bits: u32) -> Self {
        let geometry = part.geometry();
        let even_rows: Vec<u16> = (0..part.even_row_sets()).map(|index| part.even_rows(index)).collect();
        let side = |colour, columns_of_lanes| {
            let lanes = Class::new(geometry, colour, Parity::Even);
            let list = Class::new(geometry, colour, Parity::Odd);
            let axis = part.axis(columns_of_lanes);
            let cost = Cost::estimate((&list, part.odd_rows()), (&lanes, &even_rows), axis);
            Side { lanes, list, cost }
        };
        let (rows, columns) = match part.sparse() {
            Colour::White => (Parity::Even, Parity::Odd),
            Colour::Black => (Parity::Odd, Parity::Even),
        };
        let (sparse, dense) = match part.sparse() {
            Colour::White => (side(Colour::White, rows), side(Colour::Black, columns)),
            Colour::Black => (side(Colour::Black, rows), side(Colour::White, columns)),
        };
        Self { part, sparse, dense, rows, columns, bits }
    }

    /// The number of *Ro* whose matrices are made together.
    pub(super) fn together(&self) -> usize {
        let groups = self.part.axis(Parity::Even).sets().len().max(self.part.axis(Parity::Odd).sets().len());
        (CACHED / (64 * groups)).max(FEWEST_TOGETHER)
    }
}

/// What one thread needs to count: memory that grows to the largest unit and is then used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    blocks: Vec<RowBlock>,
    sparse_lanes: Lanes,
    dense_lanes: Lanes,
    /// Where the groups of the sparse colour's lanes stand.
    rows: Layout,
    /// Where the groups of the dense colour's lanes stand.
    columns: Layout,
    sweep: Sweep,
    active: Vec<bool>,
    /// By the groups of the sparse colour's lists and the slots of its lanes.
    matrices: Matrices,
    wide: Wide,
    saturated: Vec<bool>,
    /// By the groups of the dense colour's lists and the slots of its lanes.
    turned: Matrices,
    totals: Vec<Totals>,
}

/// Some *Ro* whose matrices fit the cache together.
#[derive(Debug, Default)]
struct RowBlock {
    odd_rows: Vec<u16>,
    sparse: Lists,
    dense: Lists,
}

impl Scratch {
    /// The contribution of the tuples with these *Re* and these *Ro*, weights included.
    pub(super) fn count<K: Kernel>(
        &mut self,
        counting: &Counting,
        even_rows: Range<usize>,
        odd_rows: Range<usize>,
        cancel: &Cancel,
    ) -> Result<u128, Cancelled> {
        let part = &counting.part;
        let blocks = self.list(counting, &even_rows, odd_rows, cancel)?;
        let mut contribution = 0;
        for even in even_rows {
            self.lay_out(counting, even);
            for block in 0..blocks {
                let odd_rows = &self.blocks[block].odd_rows;
                self.active.clear();
                self.active.extend(odd_rows.iter().map(|&odd| part.weights(even, odd).is_some()));
                if self.active.contains(&true) {
                    self.make_matrices::<K>(counting, even, block, cancel)?;
                    self.multiply::<K>(counting, even, block, cancel)?;
                    contribution += self.contribution(counting, even, block);
                }
            }
        }
        Ok(contribution)
    }

    /// Makes the lists of the *Ro* that are visited with some of the *Re*. Returns the number of row blocks.
    fn list(
        &mut self,
        counting: &Counting,
        even_rows: &Range<usize>,
        odd_rows: Range<usize>,
        cancel: &Cancel,
    ) -> Result<usize, Cancelled> {
        let part = &counting.part;
        let mut blocks = 0;
        for sets in part.odd_rows()[odd_rows].chunks(counting.together()) {
            if self.blocks.len() == blocks {
                self.blocks.push(RowBlock::default());
            }
            let RowBlock { odd_rows, sparse, dense } = &mut self.blocks[blocks];
            odd_rows.clear();
            let visited = |&set: &u16| even_rows.clone().any(|even| part.weights(even, set).is_some());
            odd_rows.extend(sets.iter().copied().filter(visited));
            if odd_rows.is_empty() {
                continue;
            }
            let Side { list, cost, .. } = &counting.sparse;
            sparse.fill(list, part.axis(counting.columns), odd_rows, cost.depth, cancel)?;
            let Side { list, cost, .. } = &counting.dense;
            dense.fill(list, part.axis(counting.rows), odd_rows, cost.depth, cancel)?;
            blocks += 1;
        }
        Ok(blocks)
    }

    /// Makes the lanes of one *Re* and lays them out.
    fn lay_out(&mut self, counting: &Counting, even: usize) {
        let part = &counting.part;
        let row_ends = part.class_ends(counting.rows, even);
        let column_ends = part.class_ends(counting.columns, even);
        let (row_groups, column_groups) = (row_ends[CLASSES - 1], column_ends[CLASSES - 1]);
        let set = part.even_rows(even);
        self.sparse_lanes.fill(&counting.sparse.lanes, part.axis(counting.rows), set, row_groups);
        // What becomes a row needs no class here.
        self.rows.arrange(&self.sparse_lanes, [row_groups; CLASSES]);
        self.dense_lanes.fill(&counting.dense.lanes, part.axis(counting.columns), set, column_groups);
        self.columns.arrange(&self.dense_lanes, column_ends);
    }

    /// Makes the matrices of the active *Ro* of a block, and turns them.
    fn make_matrices<K: Kernel>(
        &mut self,
        counting: &Counting,
        even: usize,
        block: usize,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let row_groups = counting.part.class_ends(counting.rows, even)[CLASSES - 1];
        let column_ends = counting.part.class_ends(counting.columns, even);
        let column_groups = column_ends[CLASSES - 1];
        let lists = &mut self.blocks[block].sparse;
        lists.cut(column_ends);
        let class = &counting.sparse.list;
        let limit = ((1_u32 << counting.bits) - 1) as u8;

        self.matrices.clear(&self.active, self.rows.chunks(), column_groups);
        for chunk in 0..self.rows.chunks() {
            self.rows.fill(self.sweep.root(self.sparse_lanes.len()), &self.sparse_lanes, chunk);
            let mut sink = InBytes::<K>::new(&mut self.matrices, chunk);
            self.sweep.run::<K>(class, lists, &self.active, &mut sink, cancel)?;
            self.saturated.clear();
            let saturated = |(list, &active)| active && self.matrices.reaches(list, chunk, limit);
            self.saturated.extend(self.active.iter().enumerate().map(saturated));
            if self.saturated.contains(&true) {
                self.wide.clear(self.active.len(), column_groups);
                let mut sink = InEntries::<K>::new(&mut self.wide, limit);
                self.sweep.run::<K>(class, lists, &self.saturated, &mut sink, cancel)?;
                for list in (0..self.active.len()).filter(|&list| self.saturated[list]) {
                    let entries = self.wide.entries(list);
                    self.matrices.write(self.active.len(), list, chunk, entries, counting.bits);
                }
            }
        }
        self.turned.turn::<K>(&self.matrices, &self.active, (&self.rows, row_groups), &self.columns);
        Ok(())
    }

    /// Counts the placements of the dense colour for the active *Ro* of a block, each times its entry of the matrix.
    fn multiply<K: Kernel>(
        &mut self,
        counting: &Counting,
        even: usize,
        block: usize,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let lists = &mut self.blocks[block].dense;
        lists.cut(counting.part.class_ends(counting.rows, even));
        self.totals.clear();
        self.totals.resize(self.active.len() * self.turned.digits(), Totals::default());
        for chunk in 0..self.columns.chunks() {
            self.columns.fill(self.sweep.root(self.dense_lanes.len()), &self.dense_lanes, chunk);
            let classes = self.columns.classes(chunk);
            let mut sink =
                Products { matrices: &self.turned, chunk, classes, totals: &mut self.totals, kernel: PhantomData::<K> };
            self.sweep.run::<K>(&counting.dense.list, lists, &self.active, &mut sink, cancel)?;
            for totals in &mut self.totals {
                totals.flush(classes);
            }
        }
        Ok(())
    }

    /// What the totals of a block contribute.
    fn contribution(&self, counting: &Counting, even: usize, block: usize) -> u128 {
        let mut contribution = 0;
        for (list, &odd) in self.blocks[block].odd_rows.iter().enumerate() {
            let Some(weights) = counting.part.weights(even, odd) else { continue };
            for digit in 0..self.turned.digits() {
                let totals = &self.totals[digit * self.active.len() + list];
                let shift = digit as u32 * counting.bits;
                for (row, totals) in totals.totals.iter().enumerate() {
                    for (column, &total) in totals.iter().enumerate() {
                        let weight = match counting.rows {
                            Parity::Even => weights.0[row][column],
                            Parity::Odd => weights.0[column][row],
                        };
                        contribution += u128::from(weight) * u128::from(total) << shift;
                    }
                }
            }
        }
        contribution
    }
}

/// The sums of products of one list and one digit.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    /// By the class of the records' group.
    sums: [[i32; 16]; CLASSES],
    /// The number of records that the sums hold.
    records: usize,
    /// By the class of the records' group and that of the lanes'. Each is part of a number of solutions, which is below 2⁶⁴
    /// on all boards of this engine.
    totals: [[u64; CLASSES]; CLASSES],
}

impl Totals {
    /// Adds the sums to the totals of the classes they are of.
    fn flush(&mut self, classes: &[usize; 16]) {
        for (sums, totals) in self.sums.iter_mut().zip(&mut self.totals) {
            for (sum, &class) in sums.iter_mut().zip(classes) {
                totals[class] += u64::from(sum.cast_unsigned());
                *sum = 0;
            }
        }
        self.records = 0;
    }
}

/// Adds up the products of one chunk.
struct Products<'a, K> {
    matrices: &'a Matrices,
    chunk: usize,
    classes: &'a [usize; 16],
    /// By digit and list.
    totals: &'a mut [Totals],
    kernel: PhantomData<K>,
}

impl<K: Kernel> Sink for Products<'_, K> {
    fn take(&mut self, list: usize, tables: &Tables, records: &[Record], ends: [usize; CLASSES]) {
        let lists = self.totals.len() / self.matrices.digits();
        for digit in 0..self.matrices.digits() {
            let Some(rows) = self.matrices.chunk(digit, list, self.chunk) else { continue };
            let totals = &mut self.totals[digit * lists + list];
            let mut start = 0;
            for (class, end) in ends.into_iter().enumerate() {
                for records in records[start..end].chunks(MOST_RECORDS) {
                    if totals.records + records.len() > MOST_RECORDS {
                        totals.flush(self.classes);
                    }
                    totals.records += records.len();
                    K::dot(tables, records, rows, &mut totals.sums[class]);
                }
                start = end;
            }
        }
    }
}
