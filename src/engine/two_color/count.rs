//! The count of one unit: some *Re* with the *Ro* of a row block.

use super::counting::{BothLanes, BothLists, Counting};
use super::geometry::Parity;
use super::kernel::{Kernel, Tables};
use super::layout::Layout;
use super::lists::{Cuts, Record};
use super::matrix::{InBytes, InEntries, Matrices, Wide};
use super::part::CLASSES;
use super::sweep::{Sink, Sweep};
use crate::cancel::{Cancel, Cancelled};
use std::ops::Range;

/// What one thread needs to count: memory that grows to the largest unit and is then used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    lanes: BothLanes,
    found: Vec<(u16, u64)>,
    lists: BothLists,
    work: Work,
}

impl Scratch {
    /// The contribution of the tuples with these *Re* and the *Ro* of a row block, weights included.
    pub(super) fn count<K: Kernel>(
        &mut self,
        counting: &Counting,
        even_rows: Range<usize>,
        block: usize,
        cancel: &Cancel,
    ) -> Result<u128, Cancelled> {
        let odd_rows = counting.odd_rows(block);
        let lists = if let Some(shared) = &counting.shared {
            &shared.lists[block]
        } else {
            self.lists.fill(counting, odd_rows, cancel)?;
            &self.lists
        };
        self.work.cuts.clear();
        let mut contribution = 0;
        for even in even_rows {
            if odd_rows.iter().all(|&odd| counting.part.weights(even, odd).is_none()) {
                continue;
            }
            let lanes = if let Some(shared) = &counting.shared {
                &shared.lanes[even]
            } else {
                self.lanes.fill(counting, even, &mut self.found);
                &self.lanes
            };
            let tuples = Tuples { counting, even, odd_rows, lanes, lists };
            contribution += self.work.count::<K>(&tuples, cancel)?;
        }
        Ok(contribution)
    }
}

#[cfg(test)]
impl Scratch {
    /// The sums of all entries of the matrices of an *Re* with the *Ro* of a row block.
    pub(super) fn sums_of_matrices<K: Kernel>(&mut self, counting: &Counting, even: usize, block: usize) -> Vec<u64> {
        let odd_rows = counting.odd_rows(block);
        self.lists.fill(counting, odd_rows, &Cancel::new()).unwrap();
        self.lanes.fill(counting, even, &mut self.found);
        let tuples = Tuples { counting, even, odd_rows, lanes: &self.lanes, lists: &self.lists };
        self.work.count::<K>(&tuples, &Cancel::new()).unwrap();
        let matrices = &self.work.turned;
        let sum = |list| {
            let chunks = (0..self.work.columns.chunks()).filter_map(|chunk| matrices.chunk(0, list, chunk));
            chunks.flatten().flat_map(|block| block.0).map(u64::from).sum()
        };
        (0..odd_rows.len()).map(sum).collect()
    }
}

/// The tuples with one *Re* and the *Ro* of a row block.
struct Tuples<'a> {
    counting: &'a Counting,
    even: usize,
    odd_rows: &'a [u16],
    lanes: &'a BothLanes,
    lists: &'a BothLists,
}

impl Tuples<'_> {
    /// Where the classes of the row groups, or of the column groups, end.
    fn ends(&self, parity: Parity) -> [usize; CLASSES] {
        self.counting.part.class_ends(parity, self.even)
    }
}

/// The memory of a count besides lanes and lists.
#[derive(Debug, Default)]
struct Work {
    /// Where the groups of the sparse colour's lanes stand.
    rows: Layout,
    /// Where the groups of the dense colour's lanes stand.
    columns: Layout,
    sweep: Sweep,
    cuts: BothCuts,
    /// The *Ro* that are visited with the *Re*.
    active: Vec<bool>,
    /// By the groups of the sparse colour's lists and the slots of its lanes.
    matrices: Matrices,
    wide: Wide,
    saturated: Vec<bool>,
    /// By the groups of the dense colour's lists and the slots of its lanes.
    turned: Matrices,
    totals: Vec<Totals>,
}

/// The cuts of the lists of both colours.
#[derive(Debug, Default)]
struct BothCuts {
    sparse: Cuts,
    dense: Cuts,
}

impl BothCuts {
    fn clear(&mut self) {
        self.sparse.clear();
        self.dense.clear();
    }
}

impl Work {
    /// What the tuples contribute.
    fn count<K: Kernel>(&mut self, tuples: &Tuples, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Tuples { counting, even, odd_rows, lanes, lists } = *tuples;
        self.active.clear();
        self.active.extend(odd_rows.iter().map(|&odd| counting.part.weights(even, odd).is_some()));
        // What becomes a row needs no class in the layout.
        let row_groups = tuples.ends(counting.rows)[CLASSES - 1];
        self.rows.arrange(&lanes.sparse, [row_groups; CLASSES]);
        self.columns.arrange(&lanes.dense, tuples.ends(counting.columns));
        lists.sparse.cut(tuples.ends(counting.columns), &mut self.cuts.sparse);
        lists.dense.cut(tuples.ends(counting.rows), &mut self.cuts.dense);
        self.make_matrices::<K>(tuples, cancel)?;
        self.turned.turn::<K>(&self.matrices, &self.active, (&self.rows, row_groups), &self.columns);
        self.multiply::<K>(tuples, cancel)?;
        Ok(self.contribution(tuples))
    }

    /// Makes the matrices of the sparse colour.
    fn make_matrices<K: Kernel>(&mut self, tuples: &Tuples, cancel: &Cancel) -> Result<(), Cancelled> {
        let Tuples { counting, lanes, lists, .. } = *tuples;
        let lists = (&lists.sparse, &self.cuts.sparse);
        let class = &counting.sparse.list;
        let column_groups = tuples.ends(counting.columns)[CLASSES - 1];
        let limit = ((1_u32 << counting.bits) - 1) as u8;
        self.matrices.clear(&self.active, self.rows.chunks(), column_groups);
        for chunk in 0..self.rows.chunks() {
            self.rows.fill(self.sweep.root(), &lanes.sparse, chunk);
            let mut sink = InBytes { matrices: &mut self.matrices, chunk };
            self.sweep.run::<K>(class, lists, &self.active, &mut sink, cancel)?;
            #[cfg(test)]
            self.matrices.saturate(self.active.len(), chunk, limit);
            self.saturated.clear();
            let saturated = |(list, &active)| active && self.matrices.reaches(list, chunk, limit);
            self.saturated.extend(self.active.iter().enumerate().map(saturated));
            if self.saturated.contains(&true) {
                self.wide.clear(self.active.len(), column_groups);
                let mut sink = InEntries { wide: &mut self.wide, limit };
                self.sweep.run::<K>(class, lists, &self.saturated, &mut sink, cancel)?;
                for list in (0..self.active.len()).filter(|&list| self.saturated[list]) {
                    let entries = self.wide.entries(list);
                    self.matrices.write(self.active.len(), list, chunk, entries, counting.bits);
                }
            }
        }
        Ok(())
    }

    /// Counts the placements of the dense colour, each times its entry of the matrix.
    fn multiply<K: Kernel>(&mut self, tuples: &Tuples, cancel: &Cancel) -> Result<(), Cancelled> {
        let Tuples { counting, lanes, lists, .. } = *tuples;
        self.totals.clear();
        self.totals.resize(self.active.len() * self.turned.digits(), Totals::default());
        for chunk in 0..self.columns.chunks() {
            self.columns.fill(self.sweep.root(), &lanes.dense, chunk);
            let classes = self.columns.classes(chunk);
            let mut sink = Products {
                matrices: &self.turned,
                chunk,
                classes,
                totals: &mut self.totals,
                most_records: counting.most_records,
            };
            let lists = (&lists.dense, &self.cuts.dense);
            self.sweep.run::<K>(&counting.dense.list, lists, &self.active, &mut sink, cancel)?;
            for totals in &mut self.totals {
                totals.flush(classes);
            }
        }
        Ok(())
    }

    /// What the totals contribute.
    fn contribution(&self, tuples: &Tuples) -> u128 {
        let Tuples { counting, even, odd_rows, .. } = *tuples;
        let mut contribution = 0;
        for (list, &odd) in odd_rows.iter().enumerate() {
            let Some(weights) = counting.part.weights(even, odd) else { continue };
            for digit in 0..self.turned.digits() {
                let totals = &self.totals[digit * self.active.len() + list];
                let shift = digit as u32 * counting.bits;
                for (row, totals) in totals.by_class.iter().enumerate() {
                    for (column, &total) in totals.iter().enumerate() {
                        let weight = match counting.rows {
                            Parity::Even => weights.0[row][column],
                            Parity::Odd => weights.0[column][row],
                        };
                        contribution += (u128::from(weight) * u128::from(total)) << shift;
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
    /// By the class of the records' group and that of the lanes'.
    by_class: [[u64; CLASSES]; CLASSES],
}

impl Totals {
    /// Adds the sums to the totals of the classes they are of.
    fn flush(&mut self, classes: &[usize; 16]) {
        for (sums, totals) in self.sums.iter_mut().zip(&mut self.by_class) {
            for (sum, &class) in sums.iter_mut().zip(classes) {
                let total = totals[class].checked_add(u64::from(sum.cast_unsigned()));
                totals[class] = total.expect("a part of the number of solutions is below 2⁶⁴");
                *sum = 0;
            }
        }
        self.records = 0;
    }
}

/// Adds up the products of one chunk.
struct Products<'a> {
    matrices: &'a Matrices,
    chunk: usize,
    classes: &'a [usize; 16],
    /// By digit and list.
    totals: &'a mut [Totals],
    most_records: usize,
}

impl Sink for Products<'_> {
    fn take<K: Kernel>(&mut self, list: usize, tables: &Tables, records: &[Record], ends: [usize; CLASSES]) {
        let lists = self.totals.len() / self.matrices.digits();
        for digit in 0..self.matrices.digits() {
            let Some(rows) = self.matrices.chunk(digit, list, self.chunk) else { continue };
            let totals = &mut self.totals[digit * lists + list];
            let mut start = 0;
            for (class, end) in ends.into_iter().enumerate() {
                for records in records[start..end].chunks(self.most_records) {
                    if totals.records + records.len() > self.most_records {
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

#[cfg(test)]
mod tests {
    use super::super::kernel::{Block, MOST_PLANES, MOST_RECORDS, Portable};
    use super::super::matrix::Entries;
    use super::*;

    /// Sublists whose products together do not fit the sums.
    #[test]
    fn sums_are_emptied_before_they_overflow() {
        let mut tables = Tables { planes: MOST_PLANES, ..Tables::default() };
        tables.first.fill(Block([255; 64]));
        tables.second.fill(Block([255; 64]));
        let mut matrices = Matrices::default();
        matrices.clear(&[true], 1, 1);
        matrices.write(1, 0, 0, &[Entries::all(255)], u8::BITS);
        let records = vec![Record::new(0, 0, 0, 0); MOST_RECORDS / 2 + 1];
        let mut totals = vec![Totals::default()];
        let mut sink = Products {
            matrices: &matrices,
            chunk: 0,
            classes: &[0; 16],
            totals: &mut totals,
            most_records: MOST_RECORDS,
        };
        for _ in 0..3 {
            sink.take::<Portable>(0, &tables, &records, [0, records.len(), records.len()]);
        }
        totals[0].flush(&[0; 16]);
        let expected = 3 * records.len() as u64 * 64 * 255 * 8 * MOST_PLANES as u64;
        assert_eq!(totals[0].by_class, [[0; 3], [expected, 0, 0], [0; 3]]);
    }
}
