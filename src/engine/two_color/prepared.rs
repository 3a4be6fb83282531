//! A part made ready to be counted: its square classes, costs and row blocks, and the tables that all threads share.

use super::build_side::BuildSide;
use super::cost::{Cost, OneByOneCost};
use super::geometry::Colour;
use super::lines::{LineSet, Parity};
use super::probe_side::{Cover, ProbeLists, ProbeSide, Records};
use super::simd::MOST_RECORDS;
use super::squares::SquareClass;
use super::tuples::{Part, Rank, ReIndex, pairs};
use crate::cancel::{Cancel, Cancelled};
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::sync::OnceLock;

/// The bytes that the count matrices of a row block may take for each chunk, so that they stay in the second-level
/// cache. From 600 KiB to 3 MiB it made no difference of more than 3% on a machine with 2 MiB; without a limit it cost
/// 9%.
const CACHED_OF_A_CHUNK: usize = 1 << 20;

/// The fewest *Ro* of a row block, even if their matrices do not stay in the cache: they share prefixes.
const FEWEST_TOGETHER: usize = 4;

/// The bytes that the probe lists of a row block may take.
const LISTED: f64 = 64e6;

/// The fewest row blocks of a part, so that there are enough units.
const FEWEST_BLOCKS: usize = 4;

/// The sizes of the boards whose parts may have a single row block. Each row block lays out and slices all build sides
/// again, which for four took up to an eighth of the time of these boards. Larger boards need the units, and smaller
/// ones have few.
const UNDIVIDED: RangeInclusive<usize> = 16..=18;

/// The mean number of probe lists that share a prefix, where it is not measured: of the *Ro* of a row block, and of the
/// *Re* of a unit, which are not neighbours as those are.
const SHARING: f64 = 8.0;
const SHARING_EXCHANGED: f64 = 2.0;

/// The size of the smallest board whose depths are chosen by the number of lists that do share a prefix. On smaller
/// boards they are right without.
const MEASURED: usize = 23;

/// The size of the smallest board whose *Ro* are grouped, for blocks of many. Smaller ones have archives of their plans.
const GROUPED: usize = 25;

/// The number of ranges of *Re* by which the *Ro* are grouped first.
const RANGES: usize = 4;

/// The bytes that the probe lists of a row block of grouped *Ro* may take with their matrices, so that 64 threads count
/// N = 28 in 128 GB, and the most *Ro*. Matrices do not stay in the cache, but [`Dot`](super::simd::Dot) fetches ahead.
const TOGETHER: f64 = 384e6;
const MOST_TOGETHER: usize = 24;

/// Some *Re* of a part with the *Ro* of a row block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The number of the part.
    pub(super) part: usize,
    /// The number of the row block.
    pub(super) row_block: usize,
    /// The [`ReIndex`] of the first *Re*, and that after the last.
    pub(super) re: Range<usize>,
}

/// The two square classes of one colour of a part: the build side on rows of one parity, the probe side on those of the
/// other.
#[derive(Clone, Debug)]
pub(super) struct ColourSides {
    pub(super) build: SquareClass,
    pub(super) probe: SquareClass,
    pub(super) cost: Cost,
    /// The sparse colour's are paired.
    records: Records,
}

impl ColourSides {
    /// The sides of the sparse colour and of the dense one. With the prefixes of a class and a depth, so many probe lists
    /// share one as `sharing` says, in the mean.
    fn of_both(part: &Part, build_rows: Parity, sharing: impl Fn(&SquareClass, usize) -> f64 + Sync) -> (Self, Self) {
        let [sparse, dense] = match part.sparse() {
            Colour::White => [Colour::White, Colour::Black],
            Colour::Black => [Colour::Black, Colour::White],
        };
        let of_colour = |colour| Self::new(part, colour, build_rows, &sharing);
        rayon::join(|| of_colour(sparse), || of_colour(dense))
    }

    fn new(part: &Part, colour: Colour, build_rows: Parity, sharing: impl Fn(&SquareClass, usize) -> f64) -> Self {
        let [(build, build_sets), (probe, probe_sets)] = [build_rows, build_rows.other()]
            .map(|rows| (SquareClass::new(part.geometry, colour, rows), part.row_sets(rows)));
        let columns = part.column_sets(build.column_parity);
        let sharing = |depth| sharing(&probe, depth);
        let cost = Cost::estimate((&probe, probe_sets), (&build, build_sets), columns, sharing);
        let records = if colour == part.sparse() { Records::Paired } else { Records::Single };
        Self { build, probe, cost, records }
    }

    /// The probe lists on some row sets.
    fn probe_lists<'a>(&'a self, part: &'a Part, row_sets: &'a [LineSet]) -> ProbeLists<'a> {
        let sets = part.column_sets(self.probe.column_parity);
        ProbeLists { class: &self.probe, sets, row_sets, depth: self.cost.depth, records: self.records }
    }
}

/// A part, ready to be counted.
#[derive(Debug)]
pub(super) struct PreparedPart {
    pub(super) part: Part,
    /// The parity of the rows of the build sides: even, or odd where the sides are exchanged.
    pub(super) build_rows: Parity,
    /// The colour with fewer queens, whose count matrices are made.
    pub(super) sparse: ColourSides,
    /// The other colour, which is multiplied with them.
    pub(super) dense: ColourSides,
    /// The bits of a digit of a matrix entry: 8, or fewer in tests.
    pub(super) bits: u32,
    /// The most records that are added up before the sums are emptied: [`MOST_RECORDS`], or fewer in tests, at least 2.
    pub(super) most_records: usize,
    /// Where compatible pairs of the dense colour may be [multiplied one by one](super::one_by_one). Never where the sides
    /// are exchanged: the two routes have the less in common.
    pub(super) one_by_one: Option<OneByOneCost>,
    /// The number of *Ro* of a row block; the last may have fewer.
    pub(super) block_size: usize,
    /// The build sides that are made once for all threads, by the number of the row set: of an *Re*, or of an *Ro* where the
    /// sides are exchanged. Those that are not, each thread makes for itself.
    pub(super) shared_build: Vec<OnceLock<BuildSides>>,
    /// The probe sides that are made once, by row block. None where the sides are exchanged.
    pub(super) shared_probe: Vec<OnceLock<ProbeSides>>,
}

/// The build sides of both colours on one row set.
#[derive(Debug, Default)]
pub(super) struct BuildSides {
    pub(super) sparse: BuildSide,
    pub(super) dense: BuildSide,
    /// Scratch memory of [`fill`](Self::fill).
    ranks: Vec<Option<Rank>>,
}

impl BuildSides {
    /// Fills it with the placements on the rows that tuples name by `rows`, of those column sets that are visited with
    /// `re`.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn fill(
        &mut self,
        prepared: &PreparedPart,
        rows: LineSet,
        re: ReIndex,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        for (side, class) in [(&mut self.sparse, &prepared.sparse.build), (&mut self.dense, &prepared.dense.build)] {
            let parity = class.column_parity;
            let groups = prepared.part.visited_sets(parity, re);
            side.fill(class, prepared.part.column_sets(parity), rows, groups, &mut self.ranks, cancel)?;
        }
        Ok(())
    }
}

/// The probe sides of both colours: on the *Ro* of a row block, or on the *Re* of a unit where the sides are exchanged.
#[derive(Debug, Default)]
pub(super) struct ProbeSides {
    pub(super) sparse: ProbeSide,
    pub(super) dense: ProbeSide,
}

impl ProbeSides {
    /// Fills it with the placements on the rows that tuples name by `row_sets`.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn fill(
        &mut self,
        prepared: &PreparedPart,
        row_sets: &[LineSet],
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        for (side, sides) in [(&mut self.sparse, &prepared.sparse), (&mut self.dense, &prepared.dense)] {
            side.fill(sides.probe_lists(&prepared.part, row_sets), cancel)?;
        }
        Ok(())
    }
}

impl PreparedPart {
    /// Makes a part ready.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn new(part: Part, cancel: &Cancel) -> Result<Self, Cancelled> {
        let (sparse, dense) = ColourSides::of_both(&part, Parity::Even, |_, _| SHARING);
        let mut prepared = Self {
            part,
            build_rows: Parity::Even,
            sparse,
            dense,
            bits: u8::BITS,
            most_records: MOST_RECORDS,
            one_by_one: None,
            block_size: 0,
            shared_build: Vec::new(),
            shared_probe: Vec::new(),
        };
        let size = prepared.part.geometry.size;
        if size >= GROUPED {
            prepared.group_ro(cancel)?;
        }
        prepared.block_size = prepared.fitting_block_size();
        if size >= MEASURED {
            // What is made without a measurement is thrown away.
            let sharing = |class: &SquareClass, depth| prepared.sharing(class, depth, cancel).unwrap_or(SHARING);
            (prepared.sparse, prepared.dense) = ColourSides::of_both(&prepared.part, Parity::Even, sharing);
        }
        cancel.check()?;
        prepared.one_by_one = prepared.dense.cost.one_by_one;
        prepared.shared_build.resize_with(prepared.part.re.len(), OnceLock::new);
        prepared.shared_probe.resize_with(prepared.row_blocks(), OnceLock::new);
        Ok(prepared)
    }

    /// The same units, to be counted by the second route: with build side and probe side exchanged.
    pub(super) fn exchange(self) -> Self {
        let (sparse, dense) = ColourSides::of_both(&self.part, Parity::Odd, |_, _| SHARING_EXCHANGED);
        let shared_build = self.part.ro.iter().map(|_| OnceLock::new()).collect();
        let (build_rows, one_by_one, shared_probe) = (Parity::Odd, None, Vec::new());
        Self { build_rows, sparse, dense, one_by_one, shared_build, shared_probe, ..self }
    }

    /// The same units, with the probe sides that a GPU sweeps: their prefixes are a row longer, because what a prefix leaves
    /// is packed closer there.
    #[cfg(feature = "gpu")]
    pub(super) fn for_gpu(mut self) -> Self {
        for sides in [&mut self.sparse, &mut self.dense] {
            let rows = self.part.row_sets(self.build_rows.other());
            let queens = rows.first().map_or(0, |&set| sides.probe.rows(set).count());
            sides.cost.depth = (sides.cost.depth + 1).clamp(queens.saturating_sub(super::probe_side::TAIL), queens);
            sides.records = Records::Places;
        }
        self
    }

    /// The numbers of the build sides that a unit needs.
    pub(super) fn builds_of(&self, unit: &Unit) -> Range<usize> {
        match self.build_rows {
            Parity::Even => unit.re.clone(),
            Parity::Odd => self.numbers_of_block(unit.row_block),
        }
    }

    /// Returns the symmetry weight of a unit, a power of two that divides its partial count: the greatest one that divides
    /// the weights of its tuples.
    pub(super) fn weight_of(&self, unit: &Unit) -> u8 {
        let pairs = pairs(unit.re.clone(), self.row_block(unit.row_block));
        let weights = pairs.filter_map(|(re, ro)| self.part.weights(re, ro)).flat_map(|weights| weights.0).flatten();
        1 << weights.fold(8, |bits, weight| bits | weight).trailing_zeros()
    }

    /// Makes the build sides on a row set for all threads: that of the [`ReIndex`] `index`, or the *Ro* of that number
    /// where the sides are exchanged.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn share_build(&self, index: usize, cancel: &Cancel) -> Result<(), Cancelled> {
        let mut sides = BuildSides::default();
        let (rows, re) = match self.build_rows {
            Parity::Even => (self.part.re[index], ReIndex(index)),
            Parity::Odd => (self.part.ro[index], self.last_re()),
        };
        sides.fill(self, rows, re, cancel)?;
        sides.ranks = Vec::new();
        self.shared_build[index].get_or_init(|| sides);
        Ok(())
    }

    /// Makes the probe sides of a row block for all threads, on those of the current rayon pool.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn share_probe(&self, block: usize, cancel: &Cancel) -> Result<(), Cancelled> {
        let make = |sides: &ColourSides| {
            ProbeSide::made_in_parallel(sides.probe_lists(&self.part, self.row_block(block)), cancel)
        };
        let (sparse, dense) = rayon::join(|| make(&self.sparse), || make(&self.dense));
        let (sparse, dense) = (sparse?, dense?);
        self.shared_probe[block].get_or_init(|| ProbeSides { sparse, dense });
        Ok(())
    }

    /// The last *Re*, which visits the most column sets.
    fn last_re(&self) -> ReIndex {
        ReIndex(self.part.re.len().saturating_sub(1))
    }

    /// Nanoseconds to make the build sides of [`share_build`](Self::share_build), estimated.
    pub(super) fn cost_of_build(&self, index: usize) -> f64 {
        self.of_build(index, |sides| sides.cost.building)
    }

    /// Nanoseconds to make `lists` probe lists of both colours, estimated.
    pub(super) fn cost_of_probes(&self, lists: usize) -> f64 {
        (self.sparse.cost.placing + self.dense.cost.placing) * lists as f64
    }

    /// The bytes of the build sides of [`share_build`](Self::share_build), estimated.
    pub(super) fn build_bytes(&self, index: usize) -> f64 {
        self.of_build(index, |sides| 8.0 * sides.cost.build_placements)
    }

    /// Adds up a quantity of the build sides of [`share_build`](Self::share_build) that is proportional to the number
    /// of column sets; `of_all` is that for all column sets.
    fn of_build(&self, index: usize, of_all: fn(&ColourSides) -> f64) -> f64 {
        let re = match self.build_rows {
            Parity::Even => ReIndex(index),
            Parity::Odd => self.last_re(),
        };
        let of_colour = |sides: &ColourSides| {
            let parity = sides.build.column_parity;
            let (all, visited) = (self.part.column_sets(parity).len(), self.part.visited_sets(parity, re));
            of_all(sides) * visited as f64 / all as f64
        };
        of_colour(&self.sparse) + of_colour(&self.dense)
    }

    /// The bytes of the probe sides of a row block, estimated.
    pub(super) fn probe_bytes(&self, block: usize) -> f64 {
        (self.sparse.cost.list_bytes + self.dense.cost.list_bytes) * self.row_block(block).len() as f64
    }

    /// The number of row blocks.
    pub(super) fn row_blocks(&self) -> usize {
        self.part.ro.len().div_ceil(self.block_size)
    }

    /// The *Ro* of a row block.
    pub(super) fn row_block(&self, block: usize) -> &[LineSet] {
        &self.part.ro[self.numbers_of_block(block)]
    }

    /// The numbers of the *Ro* of a row block in the order of the part.
    pub(super) fn numbers_of_block(&self, block: usize) -> Range<usize> {
        let start = block * self.block_size;
        start..(start + self.block_size).min(self.part.ro.len())
    }

    /// Puts the *Ro* in an order in which neighbours are visited with the same *Re* and share prefixes of the dense
    /// colour: first by ranges of the *Re* that they are visited with, then by the rows of their prefixes.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn group_ro(&mut self, cancel: &Cancel) -> Result<(), Cancelled> {
        let ColourSides { probe, cost, .. } = &self.dense;
        let mut ro = self.part.ro.clone();
        ro.sort_by_key(|&ro| self.part.visiting(ro).start);
        let length = ro.len().div_ceil(RANGES);
        for ro in ro.chunks_mut(length) {
            let mut prefixes: Vec<_> = Cover::default()
                .choose(probe, ro, cost.depth, cancel)?
                .prefixes
                .into_iter()
                .zip(&*ro)
                .map(|(prefix, &ro)| (probe.order_key(prefix), probe.order_key(probe.rows(ro).collect()), ro))
                .collect();
            prefixes.sort_unstable();
            ro.iter_mut().zip(prefixes).for_each(|(ro, (.., sorted))| *ro = sorted);
        }
        self.part.ro = ro;
        Ok(())
    }

    /// The mean number of probe lists of a row block that share a prefix of a depth.
    ///
    /// # Errors
    /// When `cancel` is set.
    fn sharing(&self, class: &SquareClass, depth: usize, cancel: &Cancel) -> Result<f64, Cancelled> {
        let choices = |block| {
            let cover = Cover::default().choose(class, self.row_block(block), depth, cancel)?;
            Ok(cover.prefixes.into_iter().collect::<BTreeSet<_>>().len())
        };
        let choices: usize = (0..self.row_blocks()).map(choices).sum::<Result<_, _>>()?;
        Ok(self.part.ro.len() as f64 / choices as f64)
    }

    /// The number of *Ro* whose matrices are best made together.
    fn fitting_block_size(&self) -> usize {
        let size = self.part.geometry.size;
        let [even, odd] = [Parity::Even, Parity::Odd].map(|parity| self.part.column_sets(parity).len());
        let lists = self.sparse.cost.list_bytes + self.dense.cost.list_bytes;
        let by_memory = if size >= GROUPED {
            // Two digits of a matrix.
            ((TOGETHER / (lists + (2 * even * odd) as f64)) as usize).min(MOST_TOGETHER)
        } else {
            ((LISTED / lists) as usize).min(CACHED_OF_A_CHUNK / (64 * even.max(odd)))
        };
        let fewest_blocks = if UNDIVIDED.contains(&size) { 1 } else { FEWEST_BLOCKS };
        by_memory.min(self.part.ro.len() / fewest_blocks).max(FEWEST_TOGETHER)
    }
}
