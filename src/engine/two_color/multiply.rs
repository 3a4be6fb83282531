//! The count of a unit: for each of its pairs (*Re*, *Ro*), the placements of the two colours multiplied.
//!
//! With *w* the number of white placements of a tuple and *b* that of its black ones, the contribution of a pair is the
//! sum of weight · *w*(*Ce*, *Co*) · *b*(*Ce*, *Co*) over all visited *Ce* and *Co*. Either number counts *compatible
//! pairs*: a placement on even rows and one on odd rows, of one colour, that do not attack each other. It is a hash
//! join: one side is *built* into tables, grouped by column set, and the other *probes* them.
//!
//! ```text
//! count(unit):
//!     the probe sides of both colours, on all Ro of the row block
//!     for each Re of the unit:
//!         the build sides of both colours, on Re
//!         for each band of the sparse colour's build groups:          two chunks of 64 column sets
//!             sweep: for each probe placement of the sparse colour, of every Ro:
//!                 counts = the compatible build placements of each group of the band
//!                 matrix[Ro][band][rank of the probe's column set] += counts
//!         for each band of the dense colour's build groups:
//!             transpose the matrices, to rows by the probe's and slots by the build's column sets of the dense colour
//!             sweep: for each probe placement of the dense colour, of every Ro:
//!                 counts = the compatible build placements of each group of the band
//!                 sums[Ro] += counts · matrix[Ro][band][rank of the probe's column set]
//!         contribution += weights · sums
//! ```
//!
//! Four things make it fast:
//!
//! - the matrix of the dense colour, the one with more placements, is never made: its counts are multiplied as they
//!   come, one instruction for 64 of them;
//! - the counts of a probe placement are two table look-ups, an AND and a population count for 512 build placements
//!   ([`simd`](super::simd));
//! - probe placements share prefixes, which thin the build placements once for all of them ([`sweep`](super::sweep));
//! - entries of the matrix are bytes; those that would overflow are noticed and written in several
//!   ([`matrix`](super::matrix)).
//!
//! Where hardly any placements of the dense colour are compatible, the entries of those that are get added [one by
//! one](super::one_by_one).
//!
//! Weights differ where *Ce* or *Co* ties with *Re*. So column sets fall into *tie groups*, ranges of ranks, and sums
//! are kept apart by the tie groups of both: build groups of different tie groups never share a sum, and the visited
//! probe records of a segment are kept apart by theirs ([`Visited`](super::pairs::Visited)).
//!
//! With the sides *exchanged*, the second route, each *Ro* has its build sides and the probe sides are on the *Re* of
//! the unit. Every list then has tie groups of its own, those of its *Re*.

use super::build_side::SlotLayout;
use super::cost::OneByOneCost;
use super::lines::{LineSet, Parity};
use super::matrix::{CountMatrices, Counts, WideStrips, bands};
use super::one_by_one::OneByOne;
use super::pairs::Visited;
use super::prepared::{BuildSides, PreparedPart, ProbeSides};
use super::probe_side::{ProbeRecord, ProbeSide};
use super::simd::{Again, Dot, Left, Loops, SUMS, Tables};
use super::sweep::{BAND, Consumer, Layout, Sweep};
use super::tuples::{Rank, ReIndex, TIE_GROUPS};
use crate::cancel::{Cancel, Cancelled};
use crate::engine::memory::reach;
use std::ops::Range;

/// The counting of one thread: memory that grows to the largest unit and is then used again.
#[derive(Debug, Default)]
pub(super) struct UnitCounter {
    build: BuildSides,
    ranks: Vec<Option<Rank>>,
    probe: ProbeSides,
    /// The number of queens on EE of the part and the row block that was counted last, which `probe` is of if it is
    /// not shared. `None` where that is unknown.
    row_block: Option<(usize, usize)>,
    /// The *Re* and the *Ro* of each probe list.
    pairs: Vec<(ReIndex, LineSet)>,
    /// The row sets of the probe lists, where those are of *Re*.
    row_sets: Vec<LineSet>,
    join: Join,
}

impl UnitCounter {
    /// Returns the contribution of the tuples with these *Re* and the *Ro* of a row block, weights included.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn count<K: Loops>(
        &mut self,
        kernel: K,
        prepared: &PreparedPart,
        re: Range<usize>,
        block: usize,
        cancel: &Cancel,
    ) -> Result<u128, Cancelled> {
        match prepared.build_rows {
            Parity::Even => self.count_by_re(kernel, prepared, re, block, cancel),
            Parity::Odd => self.count_by_ro(kernel, prepared, re, block, cancel),
        }
    }

    /// Counts with a build side for every *Re*, and probe lists on the *Ro*.
    fn count_by_re<K: Loops>(
        &mut self,
        kernel: K,
        prepared: &PreparedPart,
        re: Range<usize>,
        block: usize,
        cancel: &Cancel,
    ) -> Result<u128, Cancelled> {
        let row_block = prepared.row_block(block);
        let wanted = Some((prepared.part.queens, block));
        let is_same = self.row_block == wanted;
        self.row_block = None;
        let probe = if let Some(shared) = prepared.shared_probe(block) {
            shared
        } else {
            if !is_same {
                self.probe.fill(prepared, row_block, cancel)?;
            }
            &self.probe
        };
        self.row_block = wanted;
        let mut contribution = 0;
        for re in re.map(ReIndex) {
            if row_block.iter().all(|&ro| prepared.part.weights(re, ro).is_none()) {
                continue;
            }
            let build = if let Some(shared) = prepared.shared_build(re.0) {
                shared
            } else {
                self.build.fill(prepared, prepared.part.re(re), re, &mut self.ranks, cancel)?;
                &self.build
            };
            self.pairs.clear();
            self.pairs.extend(row_block.iter().map(|&ro| (re, ro)));
            contribution += self.join.count(kernel, &Sides { prepared, pairs: &self.pairs, build, probe }, cancel)?;
        }
        Ok(contribution)
    }

    /// Counts with the sides exchanged: a build side for every *Ro*, and probe lists on the *Re*.
    fn count_by_ro<K: Loops>(
        &mut self,
        kernel: K,
        prepared: &PreparedPart,
        re: Range<usize>,
        block: usize,
        cancel: &Cancel,
    ) -> Result<u128, Cancelled> {
        let part = &prepared.part;
        // The last *Re* visits the most column sets.
        let Some(last) = re.clone().last().map(ReIndex) else { return Ok(0) };
        self.pairs.clear();
        self.pairs.extend(re.map(|re| (ReIndex(re), LineSet::EMPTY)));
        self.row_sets.clear();
        self.row_sets.extend(self.pairs.iter().map(|&(re, _)| part.re(re)));
        self.row_block = None;
        self.probe.fill(prepared, &self.row_sets, cancel)?;
        let mut contribution = 0;
        for number in prepared.numbers_of_block(block) {
            let ro = part.ro[number];
            self.pairs.iter_mut().for_each(|pair| pair.1 = ro);
            if self.pairs.iter().all(|&(re, ro)| part.weights(re, ro).is_none()) {
                continue;
            }
            let build = if let Some(shared) = prepared.shared_build(number) {
                shared
            } else {
                self.build.fill(prepared, ro, last, &mut self.ranks, cancel)?;
                &self.build
            };
            let sides = Sides { prepared, pairs: &self.pairs, build, probe: &self.probe };
            contribution += self.join.count(kernel, &sides, cancel)?;
        }
        Ok(contribution)
    }
}

#[cfg(test)]
impl UnitCounter {
    /// A counter that guesses that all strips have large entries.
    pub(super) fn expecting_large_entries() -> Self {
        let mut counter = Self::default();
        counter.join.large.resize(1 << 12, true);
        counter
    }
}

/// The sides to be joined: the build sides of both colours on one row set, and the probe sides on several.
struct Sides<'a> {
    prepared: &'a PreparedPart,
    /// The *Re* and the *Ro* of each probe list. One of them is the row set of the build sides.
    pairs: &'a [(ReIndex, LineSet)],
    build: &'a BuildSides,
    probe: &'a ProbeSides,
}

/// The memory of a join.
#[derive(Debug, Default)]
struct Join {
    /// The lists whose *Re* and *Ro* are visited together.
    active: Vec<bool>,
    /// The places of the sparse colour's build groups.
    sparse_slots: SlotLayout,
    /// The places of the dense colour's build groups.
    dense_slots: SlotLayout,
    /// The tie groups of the sparse colour's build groups, which are those of the dense colour's probe records.
    sparse_build_ties: TieEnds,
    /// The tie groups of the dense colour's build groups, which are those of the sparse colour's probe records.
    dense_build_ties: TieEnds,
    /// The visited probe records of the sparse colour.
    sparse_visited: Visited,
    /// The visited probe records of the dense colour.
    dense_visited: Visited,
    sweep: Sweep,
    /// By the column sets of the sparse colour's probe records and the slots of its build groups.
    matrices: CountMatrices,
    /// By first chunk of a band and list, true if the last matrix of that list had large entries there: a guess which
    /// strips are to be counted without overflow at once.
    large: Vec<bool>,
    /// The lists that are counted without overflow.
    exact: Vec<bool>,
    /// The lists whose bytes saturated.
    again: Vec<bool>,
    wide: WideStrips,
    /// One band of the same, by the column sets of the dense colour's probe records and the slots of its build groups.
    transposed: CountMatrices,
    /// By list and digit.
    totals: Vec<Totals>,
    /// By digit, room for the records of a segment whose matrix rows have more.
    records: Vec<Vec<ProbeRecord>>,
    /// Room for what is multiplied one by one.
    left: Left,
}

/// The ranks at which the tie groups of some column sets end: list by list, and for any of the lists.
#[derive(Debug, Default)]
struct TieEnds {
    of_lists: Vec<[usize; TIE_GROUPS]>,
    of_any: Vec<usize>,
}

impl TieEnds {
    fn fill(&mut self, sides: &Sides, parity: Parity) {
        let part = &sides.prepared.part;
        self.of_lists.clear();
        self.of_lists.extend(sides.pairs.iter().map(|&(re, _)| part.tie_ends(parity, re)));
        self.of_any.clear();
        self.of_any.extend(self.of_lists.iter().flatten());
        self.of_any.sort_unstable();
        self.of_any.dedup();
    }

    /// The number of column sets that are visited with any list.
    fn visited(&self) -> usize {
        self.of_any.last().copied().unwrap_or(0)
    }
}

impl Join {
    /// Returns the contribution of all tuples with these pairs of *Re* and *Ro*.
    fn count<K: Loops>(&mut self, kernel: K, sides: &Sides, cancel: &Cancel) -> Result<u128, Cancelled> {
        let Sides { prepared, pairs, build, probe } = *sides;
        self.active.clear();
        self.active.extend(pairs.iter().map(|&(re, ro)| prepared.part.weights(re, ro).is_some()));
        self.sparse_build_ties.fill(sides, prepared.sparse.build.column_parity);
        self.dense_build_ties.fill(sides, prepared.dense.build.column_parity);
        // The sparse colour's build groups become matrix rows, which need no tie groups in their layout.
        let height = self.sparse_build_ties.visited();
        self.sparse_slots.arrange(&build.sparse, &[height]);
        self.dense_slots.arrange(&build.dense, &self.dense_build_ties.of_any);
        self.sparse_visited.fill(&probe.sparse, &self.active, &self.dense_build_ties.of_lists);
        self.dense_visited.fill(&probe.dense, &self.active, &self.sparse_build_ties.of_lists);
        self.make_matrices(kernel, sides, cancel)?;
        self.multiply(kernel, sides, cancel)?;
        Ok(self.contribution(sides))
    }

    /// Makes the count matrices of the sparse colour.
    fn make_matrices<K: Loops>(&mut self, kernel: K, sides: &Sides, cancel: &Cancel) -> Result<(), Cancelled> {
        let Sides { prepared, build, probe, .. } = *sides;
        let class = &prepared.sparse.probe;
        let (probe, visited) = (&probe.sparse, &self.sparse_visited);
        let lists = self.active.len();
        let height = self.dense_build_ties.visited();
        let limit = ((1_u32 << prepared.bits) - 1) as u8;
        self.matrices.clear(&self.active, self.sparse_slots.chunks(), height);
        let bands = self.matrices.bands();
        self.large.resize(lists * self.sparse_slots.chunks(), false);
        for band in bands {
            let large = &mut self.large[lists * band.start..][..lists];
            self.sweep.begin(kernel, &self.sparse_slots, &build.sparse, &band);
            self.exact.clear();
            self.exact.extend(self.active.iter().zip(&*large).map(|(&active, &large)| active && large));
            self.wide.clear(&self.exact, band.len(), height);
            let (matrices, wide, exact) = (&mut self.matrices, &mut self.wide, &self.exact[..]);
            let mut counts = Counts { probe, visited, matrices, band: band.clone(), exact, wide };
            self.sweep.run(kernel, class, probe, &self.active, &mut counts, cancel)?;
            self.again.clear();
            self.again.resize(lists, false);
            for list in (0..lists).filter(|&list| self.active[list] && !self.exact[list]) {
                // A byte that reads the limit may have saturated.
                if self.matrices.largest(kernel, list, &band) >= limit {
                    self.again[list] = true;
                    self.matrices.clear_strip(list, &band);
                }
            }
            if self.again.contains(&true) {
                self.wide.clear(&self.again, band.len(), height);
                let (matrices, wide, exact) = (&mut self.matrices, &mut self.wide, &self.again[..]);
                let mut counts = Counts { probe, visited, matrices, band: band.clone(), exact, wide };
                self.sweep.run(kernel, class, probe, &self.again, &mut counts, cancel)?;
            }
            for list in (0..lists).filter(|&list| self.exact[list] || self.again[list]) {
                let digits = self.matrices.write(kernel, (lists, list), &band, &mut self.wide, prepared.bits);
                large[list] = digits > 1;
            }
        }
        debug_assert!(
            self.matrices.fit(&self.active, prepared.bits),
            "a matrix that may have saturated is counted again"
        );
        Ok(())
    }

    /// Adds up the compatible pairs of the dense colour, each times its matrix entry.
    fn multiply<K: Loops>(&mut self, kernel: K, sides: &Sides, cancel: &Cancel) -> Result<(), Cancelled> {
        let Sides { prepared, build, probe, .. } = *sides;
        let height = self.sparse_build_ties.visited();
        let digits = self.matrices.digits();
        self.totals.clear();
        self.totals.resize(self.active.len() * digits, Totals::default());
        self.records.resize_with(digits, Vec::new);
        let slots = &self.dense_slots;
        // Row sets differ in how rare compatible pairs are.
        let is_faster = |cost: &OneByOneCost| cost.share_of(build.dense.len(), slots.chunks()) < K::ONE_BY_ONE;
        let one_by_one = prepared.one_by_one.filter(is_faster);
        let chunks = one_by_one.map_or(BAND, |cost| cost.band);
        for band in bands(slots.chunks(), chunks) {
            let (from_slots, to_slots) = ((&self.sparse_slots, height), (slots, &band));
            self.transposed.transpose(kernel, &self.matrices, &self.active, from_slots, to_slots);
            self.sweep.begin(kernel, slots, &build.dense, &band);
            let (ends, tie_ends) = (slots.ends(&band), &self.dense_build_ties.of_lists[..]);
            let (probe, visited, matrices) = (&probe.dense, &self.dense_visited, &self.transposed);
            let (class, totals, band) = (&prepared.dense.probe, &mut self.totals[..], 0..band.len());
            if one_by_one.is_some() {
                // All lists are of one Re.
                let group = |&end: &usize| tie_group(end, &tie_ends[0]).expect("build groups are visited") as u8;
                let tie_groups = &ends.as_flattened().iter().map(group).collect::<Vec<_>>();
                let left = &mut self.left;
                let mut products = OneByOne { probe, visited, matrices, band, tie_groups, totals, left };
                self.sweep.run(kernel, class, probe, &self.active, &mut products, cancel)?;
                // It adds to the totals themselves.
                continue;
            }
            let mut products = Products {
                probe,
                visited,
                matrices,
                band,
                ends,
                tie_ends,
                totals,
                most_records: prepared.most_records,
                again: &mut self.records,
            };
            self.sweep.run(kernel, class, probe, &self.active, &mut products, cancel)?;
            for (totals, tie_ends) in self.totals.chunks_mut(digits).zip(tie_ends) {
                for totals in totals {
                    totals.flush(ends, tie_ends);
                }
            }
        }
        Ok(())
    }

    /// Weighs the totals.
    fn contribution(&self, sides: &Sides) -> u128 {
        let Sides { prepared, pairs, .. } = *sides;
        let mut contribution = 0;
        for (list, &(re, ro)) in pairs.iter().enumerate() {
            let Some(weights) = prepared.part.weights(re, ro) else { continue };
            let digits = self.matrices.digits();
            for (digit, totals) in self.totals[list * digits..][..digits].iter().enumerate() {
                let shift = digit as u32 * prepared.bits;
                for (probe, totals) in totals.by_ties.iter().enumerate() {
                    for (build, &total) in totals.iter().enumerate() {
                        let weight = match prepared.dense.probe.column_parity {
                            Parity::Even => weights.0[probe][build],
                            Parity::Odd => weights.0[build][probe],
                        };
                        contribution += (u128::from(weight) * u128::from(total)) << shift;
                    }
                }
            }
        }
        contribution
    }
}

/// The sums of products of one list and one digit, for one band.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// By the tie group of the probe records and by chunk.
    sums: [[[i32; SUMS]; BAND]; TIE_GROUPS],
    /// The number of records that the sums hold at most.
    records: usize,
    /// By the tie group of the probe records and that of the build groups.
    by_ties: [[u64; TIE_GROUPS]; TIE_GROUPS],
}

impl Totals {
    /// Adds the sums to the totals of their tie groups, and empties them.
    ///
    /// Each sum is of a range of build groups that ends at the rank that `ends` says; the tie groups of the list end at
    /// `tie_ends`.
    fn flush(&mut self, ends: &[[usize; SUMS]], tie_ends: &[usize; TIE_GROUPS]) {
        for (chunk, ends) in ends.iter().enumerate() {
            for (index, &end) in ends.iter().enumerate() {
                let tie_group = tie_group(end, tie_ends);
                for (probe, sums) in self.sums.iter_mut().enumerate() {
                    let sum = std::mem::take(&mut sums[chunk][index]);
                    // Build groups beyond the last tie group are not visited with this list: its matrix is 0 there.
                    let Some(tie_group) = tie_group else {
                        assert_eq!(sum, 0, "a build group without a tie group was visited");
                        continue;
                    };
                    add(&mut self.by_ties[probe][tie_group], sum.cast_unsigned().into());
                }
            }
        }
        self.records = 0;
    }

    /// Adds sums by the tie group of the build groups, of one tie group of the probe records.
    pub(super) fn add_all(&mut self, tie_group: usize, sums: [u64; TIE_GROUPS]) {
        self.by_ties[tie_group].iter_mut().zip(sums).for_each(|(total, sum)| add(total, sum));
    }
}

fn add(total: &mut u64, sum: u64) {
    *total = total.checked_add(sum).expect("a part of the number of solutions is below 2⁶⁴");
}

/// The tie group of build groups whose range ends at a rank; `None` beyond the last.
fn tie_group(end: usize, tie_ends: &[usize; TIE_GROUPS]) -> Option<usize> {
    tie_ends.iter().position(|&tie_end| end <= tie_end)
}

/// Multiplies the counts of one band with matrix rows, and adds up the products.
struct Products<'a> {
    probe: &'a ProbeSide,
    visited: &'a Visited,
    /// The band of the matrices, and its chunks, from 0.
    matrices: &'a CountMatrices,
    band: Range<usize>,
    /// For each chunk and sum, the rank at which the range of its build groups ends.
    ends: &'a [[usize; SUMS]],
    /// For each list, the ranks at which the tie groups of the build groups end.
    tie_ends: &'a [[usize; TIE_GROUPS]],
    /// By list and digit of the matrices.
    totals: &'a mut [Totals],
    most_records: usize,
    /// By digit, room for the records that have more digits.
    again: &'a mut [Vec<ProbeRecord>],
}

impl Consumer for Products<'_> {
    const LAYOUT: Layout = Layout::Packed;

    fn is_empty(&self, segment: usize) -> bool {
        self.visited.is_empty(segment)
    }

    fn take<K: Loops>(&mut self, kernel: K, list: usize, segment: usize, first_chunk: usize, tables: &Tables) {
        self.multiply(kernel, list, first_chunk, tables, &self.visited.by_ties(self.probe, segment));
    }
}

impl Products<'_> {
    /// Adds the counts of some records of a list times all digits of its matrix. Most rows have one digit, so the records
    /// of those that have more are found while all are multiplied with the first, and so on.
    fn multiply<K: Loops>(
        &mut self,
        kernel: K,
        list: usize,
        first_chunk: usize,
        tables: &Tables,
        by_ties: &[&[ProbeRecord]; TIE_GROUPS],
    ) {
        let Self { matrices, ref band, most_records, .. } = *self;
        let digits = self.totals.len() / self.tie_ends.len();
        let strip = |digit| (digit < digits).then(|| matrices.strip(digit, list, band, first_chunk)).flatten();
        let totals = &mut self.totals[list * digits..][..digits];
        for (tie_group, &of_tie_group) in by_ties.iter().enumerate() {
            let mut records = of_tie_group;
            for (digit, (totals, room)) in totals.iter_mut().zip(&mut *self.again).enumerate() {
                let Some(this) = strip(digit) else { break };
                let ranks = strip(digit + 1).map(|_| matrices.used_rows(digit + 1, list));
                reach(room, if ranks.is_some() { records.len() } else { 0 }, ProbeRecord::default());
                let mut found = 0;
                for records in records.chunks(most_records) {
                    if totals.records + records.len() > most_records {
                        totals.flush(self.ends, &self.tie_ends[list]);
                    }
                    totals.records += records.len();
                    let sums = &mut totals.sums[tie_group][first_chunk..];
                    let again = ranks.map(|ranks| Again { ranks, records: &mut room[found..] });
                    found += kernel.run(Dot { tables, records, strip: this, sums, again });
                }
                records = &room[..found];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::{Block, MOST_BLOCKS, MOST_RECORDS, Shape};
    use super::*;
    use crate::engine::kernel::Portable;

    /// Segments whose products together do not fit the sums.
    #[test]
    fn sums_are_emptied_before_they_overflow() {
        let (planes, times) = (Portable::BLOCKS, MOST_BLOCKS);
        let mut tables = Tables { shape: Shape::in_place(1, planes), ..Tables::default() };
        tables.blocks.fill(Block([255; 64]));
        let mut matrices = CountMatrices::default();
        matrices.clear(&[true], 1, 1);
        matrices.fill_strip(0, &(0..1), 255);
        let records = vec![ProbeRecord::new(0, 0, 0, Rank::new(0)); MOST_RECORDS / 2 + 1];
        let mut totals = vec![Totals::default()];
        let mut products = Products {
            probe: &ProbeSide::default(),
            visited: &Visited::default(),
            matrices: &matrices,
            band: 0..1,
            ends: &[[1; SUMS]],
            tie_ends: &[[1; TIE_GROUPS]],
            totals: &mut totals,
            most_records: MOST_RECORDS,
            again: &mut [Vec::new()],
        };
        for _ in 0..times {
            products.multiply(Portable, 0, 0, &tables, &[&[], &records, &[]]);
        }
        totals[0].flush(&[[1; SUMS]], &[1; TIE_GROUPS]);
        let expected = |records: usize| records as u64 * 64 * 255 * 8 * planes as u64;
        let expected = expected(times * records.len());
        assert_eq!(totals[0].by_ties, [[0; 3], [expected, 0, 0], [0; 3]]);
    }
}
