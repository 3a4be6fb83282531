//! Counts a unit: for each of its row choices (*Re*, *Ro*), the placements of the two colours are multiplied.
//!
//! Let *w* be the number of white placements of a tuple, and *b* the number of its black ones. A row choice contributes
//! the sum of weight · *w*(*Ce*, *Co*) · *b*(*Ce*, *Co*) over all visited *Ce* and *Co*. Both numbers count *compatible
//! pairs*: a placement on even rows and a placement on odd rows, of one colour, that do not attack each other. Counting
//! them is a hash join: one side is *built* into tables, in buckets by column set, and the other side *probes* them.
//!
//! ```text
//! count(unit):
//!     the probe sides of both colours, on all Ro of the row block
//!     for each Re of the unit:
//!         the build sides of both colours, on Re
//!         for each panel of the sparse colour's buckets:          two chunks of 64 column sets
//!             sweep: for each probe placement of the sparse colour, of every Ro:
//!                 counts = the compatible build placements of each bucket of the panel
//!                 matrix[Ro][panel][rank of the probe's column set] += counts
//!         for each panel of the dense colour's buckets:
//!             transpose the matrices: rows by the dense colour's probe column sets, slots by its build column sets
//!             sweep: for each probe placement of the dense colour, of every Ro:
//!                 counts = the compatible build placements of each bucket of the panel
//!                 sums[Ro] += counts · matrix[Ro][panel][rank of the probe's column set]
//!         contribution += weights · sums
//! ```
//!
//! Four things make the loops fast:
//!
//! - The matrix of the dense colour, which has more placements, is never made. Its counts are multiplied as they arise,
//!   one instruction for 64 of them.
//! - The counts of a probe placement take two table look-ups, an AND and a population count for 512 build placements
//!   ([`simd`](crate::engine::two_color::simd)).
//! - Probe placements share prefixes, which filter the build placements once for all of them ([`sweep`](super::sweep)).
//! - Entries of the matrix are bytes. An entry that would overflow is noticed and written in several digits
//!   ([`matrix`](super::matrix)).
//!
//! If hardly any placements of the dense colour are compatible, the matrix entries of the compatible ones are added
//! [one by one](super::one_by_one).
//!
//! The weight of a tuple depends on how the ranks of *Ce* and *Co* compare with that of *Re*. So column sets fall into
//! *weight classes*, which are ranges of ranks. Sums are kept apart by the weight classes of both column sets: buckets
//! of different weight classes never share a sum, and [`VisitedRecords`] separates the probe records of a segment by
//! weight class.
//!
//! On the second route the sides are *exchanged*: each *Ro* has its build sides, and the probe sides are on the *Re* of
//! the unit. Every list then has the weight classes of its own *Re*.

use super::matrix::{CountMatrices, Counts, WideStrips, panels};
use super::one_by_one::OneByOneProducts;
use super::sweep::{Consumer, Sweep};
use super::totals::{Totals, weight_class};
use crate::cancel::Cancel;
use crate::engine::growth::grow_to;
use crate::engine::two_color::plan::Unit;
use crate::engine::two_color::prepare::{BuildSides, PreparedPart, ProbeSides};
use crate::engine::two_color::sides::{ProbeSide, SlotLayout, VisitedRecords};
use crate::engine::two_color::simd::{
    Block, Dot, Largest, Layout, Loops, PANEL, ProbeRecord, RecordRemainders, Recount, SUMS, Tables,
};
use crate::engine::two_color::tuples::{LineSet, Parity, ReIndex, WEIGHT_CLASSES, row_choices};
use crate::engine::{Kernel, StopReason, Worker};
use std::ops::Range;
use std::sync::OnceLock;

/// The worker of one thread.
#[derive(Debug)]
pub(crate) struct UnitCounter<'a, K> {
    kernel: K,
    parts: &'a [PreparedPart],
    units: &'a [Unit],
    build: BuildSides,
    probe: ProbeSides,
    /// The part and the row block of `probe`, by number; `None` if its lists are those of the *Re* of a unit.
    row_block: Option<(usize, usize)>,
    join: Join,
}

impl<'a, K: Loops> UnitCounter<'a, K> {
    pub(crate) fn new(kernel: K, parts: &'a [PreparedPart], units: &'a [Unit]) -> Self {
        Self {
            kernel,
            parts,
            units,
            build: BuildSides::default(),
            probe: ProbeSides::default(),
            row_block: None,
            join: Join::default(),
        }
    }
}

impl<K: Loops> Worker for UnitCounter<'_, K> {
    fn count(&mut self, unit: usize, cancel: &Cancel) -> Result<u128, StopReason> {
        let unit = &self.units[unit];
        let prepared = &self.parts[unit.part];
        let part = &prepared.part;
        let row_block = part.row_block(unit.row_block);
        let is_exchanged = prepared.build_rows == Parity::Odd;
        let probe = if let Some(shared) = prepared.shared_probe.get(unit.row_block).and_then(OnceLock::get) {
            shared
        } else {
            let wanted = (!is_exchanged).then_some((unit.part, unit.row_block));
            if is_exchanged || self.row_block != wanted {
                self.row_block = None;
                let row_sets = if is_exchanged { &part.re[unit.re.clone()] } else { row_block };
                self.probe.fill(prepared, row_sets, cancel)?;
                self.row_block = wanted;
            }
            &self.probe
        };
        let mut contribution = 0;
        for index in prepared.builds_of(unit) {
            let (re, ro) =
                if is_exchanged { (unit.re.clone(), &part.ro[index..=index]) } else { (index..index + 1, row_block) };
            if row_choices(re.clone(), ro).all(|(re, ro)| part.weights(re, ro).is_none()) {
                continue;
            }
            let build = if let Some(shared) = prepared.shared_build[index].get() {
                shared
            } else {
                let (rows, _) = prepared.rows_of_build(index);
                // The last *Re* visits the most column sets.
                self.build.fill(prepared, rows, ReIndex(re.end - 1), cancel)?;
                &self.build
            };
            let sides = Sides { prepared, re, ro, build, probe };
            contribution += self.join.count(self.kernel, &sides, cancel)?;
        }
        Ok(contribution)
    }

    fn kernel(&self) -> Kernel {
        K::KERNEL
    }

    fn is_exchanged(&self) -> bool {
        self.parts.iter().any(|prepared| prepared.build_rows == Parity::Odd)
    }
}

#[cfg(test)]
impl<K: Loops> UnitCounter<'_, K> {
    /// Guesses that all strips have large entries.
    pub(crate) fn expect_large_entries(&mut self) {
        self.join.large.resize(1 << 12, true);
    }
}

/// The sides to be joined: the build sides of both colours on one row set, and the probe sides on several.
struct Sides<'a> {
    prepared: &'a PreparedPart,
    /// The *Re* and the *Ro*. The build sides have a single row set, and each probe list has one.
    re: Range<usize>,
    ro: &'a [LineSet],
    build: &'a BuildSides,
    probe: &'a ProbeSides,
}

impl Sides<'_> {
    /// Returns the *Re* and the *Ro* of each probe list.
    fn row_choices(&self) -> impl Iterator<Item = (ReIndex, LineSet)> {
        row_choices(self.re.clone(), self.ro)
    }
}

/// The memory of a join.
#[derive(Debug, Default)]
struct Join {
    /// The lists whose *Re* and *Ro* are visited together.
    active: Vec<bool>,
    /// The places of the sparse colour's buckets.
    sparse_slots: SlotLayout,
    /// The places of the dense colour's buckets.
    dense_slots: SlotLayout,
    /// The weight classes of the sparse colour's buckets, which are those of the dense colour's probe records.
    sparse_build_class_ends: ClassEnds,
    /// The weight classes of the dense colour's buckets, which are those of the sparse colour's probe records.
    dense_build_class_ends: ClassEnds,
    sparse_visited: VisitedRecords,
    dense_visited: VisitedRecords,
    sweep: Sweep,
    /// The count matrices, by the column sets of the sparse colour's probe records and the slots of its buckets.
    matrices: CountMatrices,
    /// By first chunk of a panel and by list, true if the last matrix of the list had large entries there. The next
    /// strip there is then counted without overflow at once: a guess.
    large: Vec<bool>,
    /// The lists that are counted without overflow.
    exact: Vec<bool>,
    /// The lists whose bytes saturated.
    saturated: Vec<bool>,
    wide: WideStrips,
    /// One panel of the transposed matrices, by the column sets of the dense colour's probe records and the slots of
    /// its buckets.
    transposed: CountMatrices,
    /// The totals by list and digit.
    totals: Vec<Totals>,
    /// By digit, room for the records of a segment whose matrix rows have a further digit.
    records: Vec<Vec<ProbeRecord>>,
    /// For products one by one: the weight class of the slots of each sum of a panel.
    weight_classes: Vec<u8>,
    /// Scratch memory for products one by one.
    remainders: RecordRemainders,
}

/// The ranks at which the weight classes of some column sets end: for each list, and for all lists together.
#[derive(Debug, Default)]
struct ClassEnds {
    by_list: Vec<[usize; WEIGHT_CLASSES]>,
    merged: Vec<usize>,
}

impl ClassEnds {
    fn fill(&mut self, sides: &Sides, parity: Parity) {
        let part = &sides.prepared.part;
        self.by_list.clear();
        self.by_list.extend(sides.row_choices().map(|(re, _)| part.class_ends(parity, re)));
        self.merged.clear();
        self.merged.extend(self.by_list.iter().flatten());
        self.merged.sort_unstable();
        self.merged.dedup();
    }

    /// Returns the number of column sets that are visited with any list.
    fn visited(&self) -> usize {
        self.merged.last().copied().unwrap_or(0)
    }
}

impl Join {
    /// Returns the contribution of all tuples with these row choices.
    fn count<K: Loops>(&mut self, kernel: K, sides: &Sides, cancel: &Cancel) -> Result<u128, StopReason> {
        let Sides { prepared, build, probe, .. } = *sides;
        self.active.clear();
        self.active.extend(sides.row_choices().map(|(re, ro)| prepared.part.weights(re, ro).is_some()));
        self.sparse_build_class_ends.fill(sides, prepared.sparse.build.column_parity);
        self.dense_build_class_ends.fill(sides, prepared.dense.build.column_parity);
        // The sparse colour's buckets become matrix rows, which need no weight classes in their layout.
        let height = self.sparse_build_class_ends.visited();
        self.sparse_slots.arrange(&build.sparse, &[height]);
        self.dense_slots.arrange(&build.dense, &self.dense_build_class_ends.merged);
        self.sparse_visited.fill(&probe.sparse, &self.active, &self.dense_build_class_ends.by_list)?;
        self.dense_visited.fill(&probe.dense, &self.active, &self.sparse_build_class_ends.by_list)?;
        self.make_matrices(kernel, sides, cancel)?;
        self.multiply(kernel, sides, cancel)?;
        Ok(self.contribution(sides))
    }

    /// Makes the count matrices of the sparse colour.
    fn make_matrices<K: Loops>(&mut self, kernel: K, sides: &Sides, cancel: &Cancel) -> Result<(), StopReason> {
        let Sides { prepared, build, probe, .. } = *sides;
        let Self {
            active, exact, saturated, sweep, matrices, wide, sparse_slots: slots, sparse_visited: visited, ..
        } = self;
        let class = &prepared.sparse.probe;
        let probe = &probe.sparse;
        let lists = active.len();
        let height = self.dense_build_class_ends.visited();
        let limit = ((1_u32 << prepared.bits) - 1) as u8;
        matrices.clear(active, slots.chunks(), height)?;
        self.large.resize(lists * slots.chunks(), false);
        for panel in matrices.panels() {
            let large = &mut self.large[lists * panel.start..][..lists];
            sweep.begin(kernel, slots, &build.sparse, &panel)?;
            let mut count = |matrices: &mut CountMatrices, wide: &mut WideStrips, lists: &[bool], exact: &[bool]| {
                wide.clear(exact, panel.len() * height)?;
                let mut counts = Counts { probe, visited, matrices, panel: panel.clone(), exact, wide };
                sweep.run(kernel, class, (probe, visited), lists, &mut counts, cancel)
            };
            exact.clear();
            exact.extend(active.iter().zip(&*large).map(|(&active, &large)| active && large));
            saturated.clear();
            saturated.resize(lists, false);
            count(matrices, wide, active, exact)?;
            for list in (0..lists).filter(|&list| active[list] && !exact[list]) {
                // A byte that reads the limit may have saturated.
                let bytes = matrices.strip_mut(0, list, &panel);
                if kernel.run(Largest(bytes)) >= limit {
                    saturated[list] = true;
                    bytes.fill(Block::ZERO);
                }
            }
            if saturated.contains(&true) {
                count(matrices, wide, saturated, saturated)?;
            }
            for list in (0..lists).filter(|&list| exact[list] || saturated[list]) {
                let digits = matrices.write(kernel, (lists, list), &panel, wide, prepared.bits)?;
                large[list] = digits > 1;
            }
        }
        Ok(())
    }

    /// Adds up the compatible pairs of the dense colour, each times its matrix entry.
    fn multiply<K: Loops>(&mut self, kernel: K, sides: &Sides, cancel: &Cancel) -> Result<(), StopReason> {
        let Sides { prepared, build, probe, .. } = *sides;
        let height = self.sparse_build_class_ends.visited();
        let digits = self.matrices.digits();
        self.totals.clear();
        self.totals.resize(self.active.len() * digits, Totals::default());
        self.records.resize_with(digits, Vec::new);
        let slots = &self.dense_slots;
        // Row sets differ in how rare compatible pairs are, so each is decided by itself.
        let per_chunk = build.dense.len() as f64 / slots.chunks() as f64;
        let one_by_one = prepared.one_by_one.filter(|cost| cost.share * per_chunk < K::ONE_BY_ONE);
        let chunks = one_by_one.map_or(PANEL, |cost| cost.panel);
        for panel in panels(slots.chunks(), chunks) {
            let (from_slots, to_slots) = ((&self.sparse_slots, height), (slots, &panel));
            self.transposed.transpose(kernel, &self.matrices, &self.active, from_slots, to_slots)?;
            self.sweep.begin(kernel, slots, &build.dense, &panel)?;
            let (ends, class_ends) = (slots.ends(&panel), &self.dense_build_class_ends.by_list[..]);
            let (probe, visited, matrices) = (&probe.dense, &self.dense_visited, &self.transposed);
            let (class, totals, panel) = (&prepared.dense.probe, &mut self.totals[..], 0..panel.len());
            if one_by_one.is_some() {
                // Exchanged parts are never counted one by one, so all lists have the same *Re*.
                let bucket = |&end: &usize| weight_class(end, &class_ends[0]).expect("buckets are visited") as u8;
                self.weight_classes.clear();
                self.weight_classes.extend(ends.as_flattened().iter().map(bucket));
                let (weight_classes, remainders) = (&self.weight_classes[..], &mut self.remainders);
                let mut products =
                    OneByOneProducts { probe, visited, matrices, panel, weight_classes, totals, remainders };
                self.sweep.run(kernel, class, (probe, visited), &self.active, &mut products, cancel)?;
                // These products were added to the totals, so there are no sums to flush.
                continue;
            }
            let mut multiplier = Multiplier {
                probe,
                visited,
                matrices,
                panel,
                ends,
                class_ends,
                totals,
                most_records: prepared.most_records,
                records: &mut self.records,
                grown: Ok(()),
            };
            self.sweep.run(kernel, class, (probe, visited), &self.active, &mut multiplier, cancel)?;
            multiplier.grown?;
            for (totals, class_ends) in self.totals.chunks_mut(digits).zip(class_ends) {
                for totals in totals {
                    totals.flush(ends, class_ends);
                }
            }
        }
        Ok(())
    }

    /// Returns the sum of the weighted totals.
    fn contribution(&self, sides: &Sides) -> u128 {
        let prepared = sides.prepared;
        let mut contribution = 0;
        for (list, (re, ro)) in sides.row_choices().enumerate() {
            let Some(weights) = prepared.part.weights(re, ro) else { continue };
            let digits = self.matrices.digits();
            for (digit, totals) in self.totals[list * digits..][..digits].iter().enumerate() {
                let shift = digit as u32 * prepared.bits;
                for (probe, totals) in totals.by_weight_class.iter().enumerate() {
                    for (build, &total) in totals.iter().enumerate() {
                        let weight = weights.weight(prepared.dense.probe.column_parity, probe, build);
                        contribution += (u128::from(weight) * u128::from(total)) << shift;
                    }
                }
            }
        }
        contribution
    }
}

/// Multiplies the counts of one panel with matrix rows, and adds up the products, digit by digit. Most rows have one
/// digit. While records are multiplied with a digit, the records whose rows have a further digit are collected for that
/// one.
struct Multiplier<'a> {
    probe: &'a ProbeSide,
    visited: &'a VisitedRecords,
    /// The matrices of one panel, whose chunks are numbered from 0.
    matrices: &'a CountMatrices,
    panel: Range<usize>,
    /// For each chunk and sum, the rank at which the range of its buckets ends.
    ends: &'a [[usize; SUMS]],
    /// For each list, the ranks at which the weight classes of the buckets end.
    class_ends: &'a [[usize; WEIGHT_CLASSES]],
    /// The totals by list and digit of the matrices.
    totals: &'a mut [Totals],
    most_records: usize,
    /// By digit, room for the records whose rows have a further digit.
    records: &'a mut [Vec<ProbeRecord>],
    /// An error if the system refused this room. The products are then worthless.
    grown: Result<(), StopReason>,
}

impl Consumer for Multiplier<'_> {
    const LAYOUT: Layout = Layout::Packed;

    fn take<K: Loops>(&mut self, kernel: K, list: usize, segment: usize, first_chunk: usize, tables: &Tables) {
        if self.grown.is_err() {
            return;
        }
        let Self { matrices, ref panel, most_records, .. } = *self;
        let digits = self.totals.len() / self.class_ends.len();
        let strip = |digit| (digit < digits).then(|| matrices.strip(digit, list, panel, first_chunk)).flatten();
        let totals = &mut self.totals[list * digits..][..digits];
        for (weight_class, mut records) in self.visited.by_weight_class(self.probe, segment).into_iter().enumerate() {
            for (digit, room) in self.records[..digits].iter_mut().enumerate() {
                let Some(this) = strip(digit) else { break };
                let totals = &mut totals[digit];
                let ranks = strip(digit + 1).map(|_| matrices.used_rows(digit + 1, list));
                let grown = grow_to(room, if ranks.is_some() { records.len() } else { 0 }, ProbeRecord::default());
                if grown.is_err() {
                    self.grown = grown;
                    return;
                }
                let mut found = 0;
                for records in records.chunks(most_records) {
                    if totals.records + records.len() > most_records {
                        totals.flush(self.ends, &self.class_ends[list]);
                    }
                    totals.records += records.len();
                    let sums = &mut totals.sums[weight_class][first_chunk..];
                    let recount = ranks.map(|ranks| Recount { ranks, records: &mut room[found..] });
                    found += kernel.run(Dot { tables, records, strip: this, sums, recount });
                }
                records = &room[..found];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::Kernel;
    use crate::engine::kernel::{Portable, match_kernel};
    use crate::engine::two_color::simd::{MOST_BLOCKS, MOST_RECORDS, Shape};
    use crate::engine::two_color::tuples::{Geometry, Part, Rank};

    /// Counts twice what an *Re* contributes with all *Ro*, with each build placement of the sparse colour `times`
    /// times. The second count uses the memory of the first, and so knows where entries are large. Also returns, by
    /// *Ro*, whether bytes saturated in the first count.
    fn contributions<K: Loops>(kernel: K, prepared: &PreparedPart, re: usize, times: usize) -> ([u128; 2], Vec<bool>) {
        let (part, cancel) = (&prepared.part, Cancel::new());
        let (mut build, mut probe) = (BuildSides::default(), ProbeSides::default());
        build.fill(prepared, part.re[re], ReIndex(re), &cancel).unwrap();
        probe.fill(prepared, &part.ro, &cancel).unwrap();
        build.sparse = build.sparse.repeated(times);
        let sides = Sides { prepared, re: re..re + 1, ro: &part.ro, build: &build, probe: &probe };
        let mut join = Join::default();
        let first = join.count(kernel, &sides, &cancel).unwrap();
        let saturated = join.saturated.clone();
        ([first, join.count(kernel, &sides, &cancel).unwrap()], saturated)
    }

    /// Bytes stop at 255, and the strips of the lists that have such a byte are counted again.
    #[test]
    fn entries_that_do_not_fit_a_byte_are_counted_again() {
        let mut seen = [false; 2];
        for part in [8, 9, 10].into_iter().flat_map(|size| Part::all(Geometry::new(Board::new(size).unwrap()))) {
            let prepared = PreparedPart::new(part);
            assert_eq!(prepared.bits, 8);
            for re in 0..prepared.part.re.len() {
                let ([once, _], _) = contributions(Portable, &prepared, re, 1);
                for (times, kernel) in
                    [255, 300].into_iter().flat_map(|times| Kernel::ALL.iter().map(move |kernel| (times, kernel)))
                {
                    let Some(kernel) = kernel.detect() else { continue };
                    match_kernel!(kernel, token => {
                        let (found, saturated) = contributions(token, &prepared, re, times);
                        assert_eq!(found, [once * times as u128; 2], "{:?}, {kernel:?}, {times} times", prepared.part);
                        for saturated in saturated {
                            seen[usize::from(saturated)] |= once > 0;
                        }
                    }, scalar => ());
                }
            }
        }
        assert_eq!(seen, [true; 2], "of what is counted, some saturated, and some did not");
    }

    /// The products of several segments together do not fit the sums.
    #[test]
    fn sums_are_emptied_before_they_overflow() {
        let (planes, times) = (Portable::BLOCKS, MOST_BLOCKS);
        let mut tables = Tables { shape: Shape::in_place(1, planes), ..Tables::default() };
        tables.blocks.fill(Block([255; 64]));
        let mut matrices = CountMatrices::default();
        matrices.clear(&[true], 1, 1).unwrap();
        matrices.strip_mut(0, 0, &(0..1)).fill(Block([255; 64]));
        let records = vec![ProbeRecord::new(0, 0, 0, Rank::new(0)); MOST_RECORDS / 2 + 1];
        let probe = ProbeSide::from_records(1, &records, 0);
        let mut visited = VisitedRecords::default();
        visited.fill(&probe, &[true], &[[0, 1, 1]]).unwrap();
        let mut totals = vec![Totals::default()];
        let mut multiplier = Multiplier {
            probe: &probe,
            visited: &visited,
            matrices: &matrices,
            panel: 0..1,
            ends: &[[1; SUMS]],
            class_ends: &[[1; WEIGHT_CLASSES]],
            totals: &mut totals,
            most_records: MOST_RECORDS,
            records: &mut [Vec::new()],
            grown: Ok(()),
        };
        for _ in 0..times {
            multiplier.take(Portable, 0, 0, 0, &tables);
        }
        totals[0].flush(&[[1; SUMS]], &[1; WEIGHT_CLASSES]);
        let expected = |records: usize| records as u64 * 64 * 255 * 8 * planes as u64;
        let expected = expected(times * records.len());
        assert_eq!(totals[0].by_weight_class, [[0; 3], [expected, 0, 0], [0; 3]]);
    }
}
