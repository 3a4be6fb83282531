//! The count of one unit: some *Re* with the *Ro* of a row block.

use super::counting::{BothLanes, BothLists, Counting, Roles};
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
    /// The *Re* and the *Ro* of each list.
    pairs: Vec<(usize, u16)>,
    /// The row sets of the lists, where those are of *Re*.
    sets: Vec<u16>,
    work: Work,
}

impl Scratch {
    /// The contribution of the tuples with these *Re* and the *Ro* of a row block, weights included.
    pub(super) fn count<K: Kernel>(
        &mut self,
        kernel: K,
        counting: &Counting,
        even_rows: Range<usize>,
        block: usize,
        cancel: &Cancel,
    ) -> Result<u128, Cancelled> {
        match counting.roles {
            Roles::Usual => self.count_by_even_rows(kernel, counting, even_rows, block, cancel),
            Roles::Exchanged => self.count_by_odd_rows(kernel, counting, even_rows, block, cancel),
        }
    }

    fn count_by_even_rows<K: Kernel>(
        &mut self,
        kernel: K,
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
                self.lanes.fill(counting, counting.part.even_rows(even), even, &mut self.found);
                &self.lanes
            };
            self.pairs.clear();
            self.pairs.extend(odd_rows.iter().map(|&odd| (even, odd)));
            let tuples = Tuples { counting, pairs: &self.pairs, lanes, lists };
            contribution += self.work.count(kernel, &tuples, cancel)?;
        }
        Ok(contribution)
    }

    /// With the roles exchanged: every *Ro* has its lanes, and the lists are of the *Re*.
    fn count_by_odd_rows<K: Kernel>(
        &mut self,
        kernel: K,
        counting: &Counting,
        even_rows: Range<usize>,
        block: usize,
        cancel: &Cancel,
    ) -> Result<u128, Cancelled> {
        let Some(last) = even_rows.clone().last() else { return Ok(0) };
        let part = &counting.part;
        self.pairs.clear();
        self.pairs.extend(even_rows.map(|even| (even, 0)));
        self.pairs.sort_unstable_by_key(|&(even, _)| counting.sparse.list.prefix_key(part.even_rows(even)));
        self.sets.clear();
        self.sets.extend(self.pairs.iter().map(|&(even, _)| part.even_rows(even)));
        self.lists.fill(counting, &self.sets, cancel)?;
        self.work.cuts.clear();
        let mut contribution = 0;
        for &odd in counting.odd_rows(block) {
            self.pairs.iter_mut().for_each(|pair| pair.1 = odd);
            if self.pairs.iter().all(|&(even, odd)| part.weights(even, odd).is_none()) {
                continue;
            }
            // The last *Re* visits the most column sets.
            self.lanes.fill(counting, odd, last, &mut self.found);
            let tuples = Tuples { counting, pairs: &self.pairs, lanes: &self.lanes, lists: &self.lists };
            contribution += self.work.count(kernel, &tuples, cancel)?;
        }
        Ok(contribution)
    }
}

#[cfg(test)]
impl Scratch {
    /// The sums of all entries of the matrices of an *Re* with the *Ro* of a row block.
    pub(super) fn sums_of_matrices<K: Kernel>(
        &mut self,
        kernel: K,
        counting: &Counting,
        even: usize,
        block: usize,
    ) -> Vec<u64> {
        let odd_rows = counting.odd_rows(block);
        self.lists.fill(counting, odd_rows, &Cancel::new()).unwrap();
        self.lanes.fill(counting, counting.part.even_rows(even), even, &mut self.found);
        let pairs: Vec<_> = odd_rows.iter().map(|&odd| (even, odd)).collect();
        let tuples = Tuples { counting, pairs: &pairs, lanes: &self.lanes, lists: &self.lists };
        self.work.count(kernel, &tuples, &Cancel::new()).unwrap();
        let matrices = &self.work.turned;
        let sum = |list| {
            let chunks = (0..self.work.columns.chunks()).filter_map(|chunk| matrices.chunk(0, list, chunk));
            chunks.flatten().flat_map(|block| block.0).map(u64::from).sum()
        };
        (0..odd_rows.len()).map(sum).collect()
    }
}

/// The tuples of some lists with the same lanes: of one *Re* with the *Ro* of a row block, or of one *Ro* with the *Re* of
/// a unit.
struct Tuples<'a> {
    counting: &'a Counting,
    /// The *Re* and the *Ro* of each list.
    pairs: &'a [(usize, u16)],
    lanes: &'a BothLanes,
    lists: &'a BothLists,
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
    /// Where the classes of the groups end for each list.
    row_ends: Ends,
    column_ends: Ends,
    /// The lists whose *Re* and *Ro* are visited together.
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

/// Where the classes of groups end, list by list, and where they end for any of them.
#[derive(Debug, Default)]
struct Ends {
    of_lists: Vec<[usize; CLASSES]>,
    of_any: Vec<usize>,
}

impl Ends {
    fn fill(&mut self, tuples: &Tuples, parity: Parity) {
        let part = &tuples.counting.part;
        self.of_lists.clear();
        self.of_lists.extend(tuples.pairs.iter().map(|&(even, _)| part.class_ends(parity, even)));
        self.of_any.clear();
        self.of_any.extend(self.of_lists.iter().flatten());
        self.of_any.sort_unstable();
        self.of_any.dedup();
    }

    /// The number of groups that are visited with any list.
    fn groups(&self) -> usize {
        self.of_any.last().copied().unwrap_or(0)
    }
}

impl BothCuts {
    fn clear(&mut self) {
        self.sparse.clear();
        self.dense.clear();
    }
}

impl Work {
    /// What the tuples contribute.
    fn count<K: Kernel>(&mut self, kernel: K, tuples: &Tuples, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Tuples { counting, pairs, lanes, lists } = *tuples;
        self.active.clear();
        self.active.extend(pairs.iter().map(|&(even, odd)| counting.part.weights(even, odd).is_some()));
        self.row_ends.fill(tuples, counting.rows);
        self.column_ends.fill(tuples, counting.columns);
        // What becomes a row needs no class in the layout.
        let row_groups = self.row_ends.groups();
        self.rows.arrange(&lanes.sparse, &[row_groups]);
        self.columns.arrange(&lanes.dense, &self.column_ends.of_any);
        lists.sparse.cut(&self.column_ends.of_lists, &mut self.cuts.sparse);
        lists.dense.cut(&self.row_ends.of_lists, &mut self.cuts.dense);
        self.make_matrices(kernel, tuples, cancel)?;
        self.turned.turn(kernel, &self.matrices, &self.active, (&self.rows, row_groups), &self.columns);
        self.multiply(kernel, tuples, cancel)?;
        Ok(self.contribution(tuples))
    }

    /// Makes the matrices of the sparse colour.
    fn make_matrices<K: Kernel>(&mut self, kernel: K, tuples: &Tuples, cancel: &Cancel) -> Result<(), Cancelled> {
        let Tuples { counting, lanes, lists, .. } = *tuples;
        let lists = (&lists.sparse, &self.cuts.sparse);
        let class = &counting.sparse.list;
        let column_groups = self.column_ends.groups();
        let limit = ((1_u32 << counting.bits) - 1) as u8;
        self.matrices.clear(&self.active, self.rows.chunks(), column_groups);
        for chunk in 0..self.rows.chunks() {
            self.rows.fill(self.sweep.root(), &lanes.sparse, chunk);
            let mut sink = InBytes { matrices: &mut self.matrices, chunk };
            self.sweep.run(kernel, class, lists, &self.active, &mut sink, cancel)?;
            self.saturated.clear();
            let saturated = |(list, &active)| active && self.matrices.reaches(list, chunk, limit);
            self.saturated.extend(self.active.iter().enumerate().map(saturated));
            if self.saturated.contains(&true) {
                self.wide.clear(self.active.len(), column_groups);
                let mut sink = InEntries { wide: &mut self.wide, limit };
                self.sweep.run(kernel, class, lists, &self.saturated, &mut sink, cancel)?;
                for list in (0..self.active.len()).filter(|&list| self.saturated[list]) {
                    let entries = self.wide.entries(list);
                    self.matrices.write(self.active.len(), list, chunk, entries, counting.bits);
                }
            }
        }
        debug_assert!(self.matrices.fit(&self.active, counting.bits), "what may have saturated is counted again");
        Ok(())
    }

    /// Counts the placements of the dense colour, each times its entry of the matrix.
    fn multiply<K: Kernel>(&mut self, kernel: K, tuples: &Tuples, cancel: &Cancel) -> Result<(), Cancelled> {
        let Tuples { counting, lanes, lists, .. } = *tuples;
        self.totals.clear();
        self.totals.resize(self.active.len() * self.turned.digits(), Totals::default());
        for chunk in 0..self.columns.chunks() {
            self.columns.fill(self.sweep.root(), &lanes.dense, chunk);
            let ends = self.columns.ends(chunk);
            let mut sink = Products {
                matrices: &self.turned,
                chunk,
                ends,
                class_ends: &self.column_ends.of_lists,
                totals: &mut self.totals,
                most_records: counting.most_records,
            };
            let lists = (&lists.dense, &self.cuts.dense);
            self.sweep.run(kernel, &counting.dense.list, lists, &self.active, &mut sink, cancel)?;
            for totals in self.totals.chunks_mut(self.active.len()) {
                for (totals, class_ends) in totals.iter_mut().zip(&self.column_ends.of_lists) {
                    totals.flush(ends, class_ends);
                }
            }
        }
        Ok(())
    }

    /// What the totals contribute.
    fn contribution(&self, tuples: &Tuples) -> u128 {
        let Tuples { counting, pairs, .. } = *tuples;
        let mut contribution = 0;
        for (list, &(even, odd)) in pairs.iter().enumerate() {
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
    /// Adds the sums to the totals of the classes they are of: each is of a range of groups that ends where `ends` says,
    /// and the classes of the list end at `class_ends`.
    fn flush(&mut self, ends: &[usize; 16], class_ends: &[usize; CLASSES]) {
        let classes = ends.map(|end| class_ends.iter().position(|&class_end| end <= class_end));
        for (sums, totals) in self.sums.iter_mut().zip(&mut self.by_class) {
            for (sum, class) in sums.iter_mut().zip(classes) {
                // What no class has is not visited with this list: its matrix is 0 there.
                let Some(class) = class else {
                    assert_eq!(*sum, 0, "a group that has no class was visited");
                    continue;
                };
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
    /// Where the ranges of groups end that the sums are of.
    ends: &'a [usize; 16],
    /// Where the classes of each list end.
    class_ends: &'a [[usize; CLASSES]],
    /// By digit and list.
    totals: &'a mut [Totals],
    most_records: usize,
}

impl Sink for Products<'_> {
    fn take<K: Kernel>(&mut self, kernel: K, list: usize, tables: &Tables, records: &[Record], ends: [usize; CLASSES]) {
        let lists = self.totals.len() / self.matrices.digits();
        for digit in 0..self.matrices.digits() {
            let Some(rows) = self.matrices.chunk(digit, list, self.chunk) else { continue };
            let totals = &mut self.totals[digit * lists + list];
            let mut start = 0;
            for (class, end) in ends.into_iter().enumerate() {
                for records in records[start..end].chunks(self.most_records) {
                    if totals.records + records.len() > self.most_records {
                        totals.flush(self.ends, &self.class_ends[list]);
                    }
                    totals.records += records.len();
                    kernel.dot(tables, records, rows, &mut totals.sums[class]);
                }
                start = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::{Block, MOST_PLANES, MOST_RECORDS};
    use super::super::matrix::Entries;
    use super::*;
    use crate::engine::kernel::Portable;

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
            ends: &[1; 16],
            class_ends: &[[1; CLASSES]],
            totals: &mut totals,
            most_records: MOST_RECORDS,
        };
        for _ in 0..3 {
            sink.take(Portable, 0, &tables, &records, [0, records.len(), records.len()]);
        }
        totals[0].flush(&[1; 16], &[1; CLASSES]);
        let expected = 3 * records.len() as u64 * 64 * 255 * 8 * MOST_PLANES as u64;
        assert_eq!(totals[0].by_class, [[0; 3], [expected, 0, 0], [0; 3]]);
    }
}
