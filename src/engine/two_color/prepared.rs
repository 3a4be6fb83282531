//! A part made ready to be counted: its square classes, costs and row blocks, and the tables that all threads share.

use super::build_side::BuildSide;
use super::cost::Cost;
use super::lines::{LineSet, Parity};
use super::probe_side::ProbeSide;
use super::simd::MOST_RECORDS;
use super::squares::{Colour, SquareClass};
use super::tuples::{Part, Rank, ReIndex};
use crate::cancel::{Cancel, Cancelled};
use rayon::prelude::*;

/// The bytes that the count matrices of a row block may take for each chunk, so that they stay in the second-level
/// cache. From 600 KiB to 3 MiB it made no difference of more than 3% on a machine with 2 MiB; without a limit it cost
/// 9%.
const CACHED: usize = 1 << 20;

/// The fewest *Ro* of a row block, even if their matrices do not stay in the cache: they share prefixes.
const FEWEST_TOGETHER: usize = 4;

/// The bytes that the probe lists of a row block may take.
const LISTED: f64 = 64e6;

/// The fewest row blocks of a part, so that there are enough units.
const FEWEST_BLOCKS: usize = 4;

/// The two square classes of one colour of a part: the build side on rows of one parity, the probe side on those of the
/// other.
#[derive(Clone, Debug)]
pub(super) struct ColourSides {
    pub(super) build: SquareClass,
    pub(super) probe: SquareClass,
    pub(super) cost: Cost,
}

impl ColourSides {
    fn new(part: &Part, colour: Colour, build_rows: Parity) -> Self {
        let [build, probe] =
            [build_rows, build_rows.other()].map(|rows| SquareClass::new(part.geometry(), colour, rows));
        let re: Vec<LineSet> = (0..part.re_count()).map(|re| part.re(ReIndex(re))).collect();
        let (build_sets, probe_sets) = match build_rows {
            Parity::Even => (&re[..], part.ro()),
            Parity::Odd => (part.ro(), &re[..]),
        };
        let columns = part.column_sets(build.column_parity());
        let cost = Cost::estimate((&probe, probe_sets), (&build, build_sets), columns, build_rows);
        Self { build, probe, cost }
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
    /// The most records that are added up before the sums are emptied: [`MOST_RECORDS`], or fewer in tests.
    pub(super) most_records: usize,
    /// The number of *Ro* of a row block.
    block_size: usize,
    /// The build sides and probe sides of the whole part, if they are small enough to be kept. None where the sides are
    /// exchanged.
    pub(super) shared: Option<Shared>,
}

/// The build sides and probe sides of a whole part.
#[derive(Debug)]
pub(super) struct Shared {
    /// By *Re*.
    pub(super) build: Vec<BuildSides>,
    /// By row block.
    pub(super) probe: Vec<ProbeSides>,
}

/// The build sides of both colours on one row set.
#[derive(Debug, Default)]
pub(super) struct BuildSides {
    pub(super) sparse: BuildSide,
    pub(super) dense: BuildSide,
}

impl BuildSides {
    /// Fills it with the placements on the rows that tuples name by `rows`, of those column sets that are visited with
    /// `re`.
    ///
    /// `found` is scratch memory.
    pub(super) fn fill(&mut self, prepared: &PreparedPart, rows: LineSet, re: ReIndex, found: &mut Vec<(Rank, u64)>) {
        for (side, class) in [(&mut self.sparse, &prepared.sparse.build), (&mut self.dense, &prepared.dense.build)] {
            let parity = class.column_parity();
            let groups = prepared.part.visited_sets(parity, re);
            side.fill(class, prepared.part.column_sets(parity), rows, groups, found);
        }
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
            let columns = prepared.part.column_sets(sides.probe.column_parity());
            side.fill(&sides.probe, columns, row_sets, sides.cost.depth, sides.cost.pairs, cancel)?;
        }
        Ok(())
    }
}

impl PreparedPart {
    pub(super) fn new(part: Part) -> Self {
        Self::with_limits(part, u8::BITS, MOST_RECORDS)
    }

    /// A prepared part with lower limits, as if bytes had `bits` bits and sums had room for `most_records` records.
    pub(super) fn with_limits(part: Part, bits: u32, most_records: usize) -> Self {
        let mut prepared = Self::with_build_rows(part, Parity::Even, bits, most_records);
        prepared.block_size = prepared.fitting_block_size();
        prepared
    }

    /// The same units, to be counted by the second route: with build side and probe side exchanged.
    pub(super) fn exchange(self) -> Self {
        let Self { part, block_size, bits, most_records, .. } = self;
        Self { block_size, ..Self::with_build_rows(part, Parity::Odd, bits, most_records) }
    }

    fn with_build_rows(part: Part, build_rows: Parity, bits: u32, most_records: usize) -> Self {
        let colours = match part.sparse() {
            Colour::White => [Colour::White, Colour::Black],
            Colour::Black => [Colour::Black, Colour::White],
        };
        let [sparse, dense] = colours.map(|colour| ColourSides::new(&part, colour, build_rows));
        Self { part, build_rows, sparse, dense, bits, most_records, block_size: 0, shared: None }
    }

    /// Makes the build sides and probe sides of the whole part, which all threads then share.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn share(&mut self, cancel: &Cancel) -> Result<(), Cancelled> {
        let build = (0..self.part.re_count()).into_par_iter().map(|re| {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let mut sides = BuildSides::default();
            sides.fill(self, self.part.re(ReIndex(re)), ReIndex(re), &mut Vec::new());
            Ok(sides)
        });
        let probe = (0..self.row_blocks()).into_par_iter().map(|block| {
            let mut sides = ProbeSides::default();
            sides.fill(self, self.row_block(block), cancel)?;
            Ok(sides)
        });
        self.shared = Some(Shared { build: build.collect::<Result<_, _>>()?, probe: probe.collect::<Result<_, _>>()? });
        Ok(())
    }

    /// The bytes that [`share`](Self::share) takes, estimated.
    pub(super) fn shared_bytes(&self) -> u64 {
        let Self { part, sparse, dense, .. } = self;
        let build = 10.0 * (sparse.cost.build_placements + dense.cost.build_placements) * part.re_count() as f64;
        let probe = (sparse.cost.list_bytes + dense.cost.list_bytes) * 1.5 * part.ro().len() as f64;
        (build + probe) as u64
    }

    /// The number of row blocks.
    pub(super) fn row_blocks(&self) -> usize {
        self.part.ro().len().div_ceil(self.block_size)
    }

    /// The number of *Ro* of a row block; the last may have fewer.
    pub(super) fn block_size(&self) -> usize {
        self.block_size
    }

    /// The *Ro* of a row block.
    pub(super) fn row_block(&self, block: usize) -> &[LineSet] {
        let ro = self.part.ro();
        let start = block * self.block_size;
        &ro[start..(start + self.block_size).min(ro.len())]
    }

    /// The number of *Ro* whose matrices are best made together.
    fn fitting_block_size(&self) -> usize {
        let groups = self.part.column_sets(Parity::Even).len().max(self.part.column_sets(Parity::Odd).len());
        let by_lists = (LISTED / (self.sparse.cost.list_bytes + self.dense.cost.list_bytes)) as usize;
        let by_units = self.part.ro().len() / FEWEST_BLOCKS;
        (CACHED / (64 * groups)).min(by_lists).min(by_units).max(FEWEST_TOGETHER)
    }
}
