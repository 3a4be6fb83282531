//! A part that is ready to be counted: its square classes, and the sides that all threads share.

use super::guess::{Guess, OneByOneGuess, lists_per_prefix};
use crate::cancel::Cancel;
use crate::engine::StopReason;
use crate::engine::two_color::plan::Unit;
use crate::engine::two_color::sides::{BuildSide, ProbeLists, ProbeSide, Records};
use crate::engine::two_color::simd::MOST_RECORDS;
use crate::engine::two_color::tuples::{Colour, LineSet, Parity, Part, Rank, ReIndex, SquareClass, row_choices};
use std::ops::Range;
use std::sync::OnceLock;

/// The square classes of one colour of a part: the build side's on rows of one parity, the probe side's on the other
/// rows.
#[derive(Clone, Debug)]
pub(crate) struct ColourSides {
    pub(crate) build: SquareClass,
    pub(crate) probe: SquareClass,
    pub(crate) guess: Guess,
    /// How probe records are written down: on a CPU the sparse colour's have twins.
    records: Records,
}

impl ColourSides {
    /// Returns the sides of the sparse colour and of the dense one.
    fn both_colours(part: &Part, build_rows: Parity) -> (Self, Self) {
        let [sparse, dense] = match part.sparse() {
            Colour::White => [Colour::White, Colour::Black],
            Colour::Black => [Colour::Black, Colour::White],
        };
        rayon::join(|| Self::new(part, sparse, build_rows), || Self::new(part, dense, build_rows))
    }

    fn new(part: &Part, colour: Colour, build_rows: Parity) -> Self {
        let [(build, build_sets), (probe, probe_sets)] = [build_rows, build_rows.other()]
            .map(|rows| (SquareClass::new(part.geometry, colour, rows), part.row_sets(rows)));
        let guess = Guess::new(part, (&probe, probe_sets), (&build, build_sets), lists_per_prefix(part, build_rows));
        let records = if colour == part.sparse() { Records::Twins } else { Records::Single };
        Self { build, probe, guess, records }
    }

    /// Returns the probe lists on some row sets.
    fn probe_lists<'a>(&'a self, part: &'a Part, row_sets: &'a [LineSet]) -> ProbeLists<'a> {
        let sets = part.column_sets(self.probe.column_parity);
        ProbeLists { class: &self.probe, sets, row_sets, depth: self.guess.depth, records: self.records }
    }
}

/// A part, ready to be counted.
#[derive(Debug)]
pub(crate) struct PreparedPart {
    pub(crate) part: Part,
    /// The parity of the rows of the build sides: even, or odd if the sides are exchanged.
    pub(crate) build_rows: Parity,
    /// The colour with fewer queens, whose count matrices are made.
    pub(crate) sparse: ColourSides,
    /// The other colour, whose counts are multiplied with these matrices.
    pub(crate) dense: ColourSides,
    /// The number of bits in a digit of a matrix entry: 8, or fewer in tests.
    pub(crate) bits: u32,
    /// The most records that are added up before the sums are emptied: [`MOST_RECORDS`], or fewer in tests, at least 2.
    pub(crate) most_records: usize,
    /// Present if compatible pairs of the dense colour may be [multiplied one by one](crate::engine::two_color::join).
    /// The exchanged route never does so, so that the routes have less in common.
    pub(crate) one_by_one: Option<OneByOneGuess>,
    /// The build sides that are made once for all threads, by the number of the row set: an *Re*, or an *Ro* if the
    /// sides are exchanged. Each thread makes the other build sides for itself.
    pub(crate) shared_build: Vec<OnceLock<BuildSides>>,
    /// The probe sides that are made once for all threads, by row block. The list is empty if the sides are exchanged.
    pub(crate) shared_probe: Vec<OnceLock<ProbeSides>>,
}

/// The build sides of both colours on one row set.
#[derive(Debug, Default)]
pub(crate) struct BuildSides {
    pub(crate) sparse: BuildSide,
    pub(crate) dense: BuildSide,
    /// Scratch memory of [`fill`](Self::fill).
    ranks: Vec<Option<Rank>>,
}

impl BuildSides {
    /// Fills both sides with the placements on the rows that tuples name by `rows`, in the column sets that are visited
    /// with `re`.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub(crate) fn fill(
        &mut self,
        prepared: &PreparedPart,
        rows: LineSet,
        re: ReIndex,
        cancel: &Cancel,
    ) -> Result<(), StopReason> {
        for (side, class) in [(&mut self.sparse, &prepared.sparse.build), (&mut self.dense, &prepared.dense.build)] {
            let parity = class.column_parity;
            let buckets = prepared.part.visited_sets(parity, re);
            side.fill(class, prepared.part.column_sets(parity), rows, buckets, &mut self.ranks, cancel)?;
        }
        Ok(())
    }
}

/// The probe sides of both colours: on the *Ro* of a row block, or on the *Re* of a unit if the sides are exchanged.
#[derive(Debug, Default)]
pub(crate) struct ProbeSides {
    pub(crate) sparse: ProbeSide,
    pub(crate) dense: ProbeSide,
}

impl ProbeSides {
    /// Fills both sides with the placements on the rows that tuples name by `row_sets`.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub(crate) fn fill(
        &mut self,
        prepared: &PreparedPart,
        row_sets: &[LineSet],
        cancel: &Cancel,
    ) -> Result<(), StopReason> {
        for (side, sides) in [(&mut self.sparse, &prepared.sparse), (&mut self.dense, &prepared.dense)] {
            side.fill(sides.probe_lists(&prepared.part, row_sets), cancel)?;
        }
        Ok(())
    }
}

impl PreparedPart {
    /// Makes a part ready, to be counted by the first route.
    pub(crate) fn new(part: Part) -> Self {
        let (sparse, dense) = ColourSides::both_colours(&part, Parity::Even);
        Self {
            build_rows: Parity::Even,
            one_by_one: dense.guess.one_by_one,
            shared_build: part.re.iter().map(|_| OnceLock::new()).collect(),
            shared_probe: (0..part.row_blocks).map(|_| OnceLock::new()).collect(),
            bits: u8::BITS,
            most_records: MOST_RECORDS,
            part,
            sparse,
            dense,
        }
    }

    /// Returns the part for the second route, which has the same units with build side and probe side exchanged.
    pub(crate) fn exchange(self) -> Self {
        let (sparse, dense) = ColourSides::both_colours(&self.part, Parity::Odd);
        let shared_build = self.part.ro.iter().map(|_| OnceLock::new()).collect();
        let (build_rows, one_by_one, shared_probe) = (Parity::Odd, None, Vec::new());
        Self { build_rows, sparse, dense, one_by_one, shared_build, shared_probe, ..self }
    }

    /// Returns the part with the probe sides that a GPU sweeps. Their prefixes are a row longer, because the survivors
    /// of a prefix are packed closer there. Tails have as many rows as fit a one-row table with this many entries.
    #[cfg(feature = "gpu")]
    pub(crate) fn for_gpu(mut self, squares: usize) -> Self {
        // One entry is for no square. A row has a square for each column of its class.
        let most_rows = (squares - 1) / self.part.geometry.size.div_ceil(2);
        let most_rows = most_rows.min(crate::engine::two_color::sides::TAIL);
        for sides in [&mut self.sparse, &mut self.dense] {
            let rows = self.part.row_sets(self.build_rows.other());
            let queens = rows.first().map_or(0, |&set| sides.probe.rows(set).count());
            sides.guess.depth = (sides.guess.depth + 1).clamp(queens.saturating_sub(most_rows), queens);
            sides.records = Records::Places;
        }
        self
    }

    /// Returns the numbers of the row sets on which a unit needs build sides.
    pub(crate) fn builds_of(&self, unit: &Unit) -> Range<usize> {
        match self.build_rows {
            Parity::Even => unit.re.clone(),
            Parity::Odd => self.part.numbers_of_block(unit.row_block),
        }
    }

    /// Returns the symmetry factor of a unit: the greatest power of two up to 8 that divides the weights of all its
    /// tuples, and so the partial count.
    pub(crate) fn factor_of(&self, unit: &Unit) -> u8 {
        let choices = row_choices(unit.re.clone(), self.part.row_block(unit.row_block));
        let weights = choices.filter_map(|(re, ro)| self.part.weights(re, ro)).flat_map(|weights| weights.0).flatten();
        1 << weights.fold(8, |bits, weight| bits | weight).trailing_zeros()
    }

    /// Makes the build sides on a row set for all threads: on the *Re* with the number `index`, or on the *Ro* with
    /// this number if the sides are exchanged.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub(crate) fn share_build(&self, index: usize, cancel: &Cancel) -> Result<(), StopReason> {
        let mut sides = BuildSides::default();
        let (rows, re) = self.rows_of_build(index);
        sides.fill(self, rows, re, cancel)?;
        sides.ranks = Vec::new();
        self.shared_build[index].get_or_init(|| sides);
        Ok(())
    }

    /// Makes the probe sides of a row block for all threads, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub(crate) fn share_probe(&self, block: usize, cancel: &Cancel) -> Result<(), StopReason> {
        let make = |sides: &ColourSides| {
            ProbeSide::made_in_parallel(sides.probe_lists(&self.part, self.part.row_block(block)), cancel)
        };
        let (sparse, dense) = rayon::join(|| make(&self.sparse), || make(&self.dense));
        let (sparse, dense) = (sparse?, dense?);
        self.shared_probe[block].get_or_init(|| ProbeSides { sparse, dense });
        Ok(())
    }

    /// Returns the row set of a build side of [`share_build`](Self::share_build), and the *Re* that decides on its
    /// column sets: if the sides are exchanged the last *Re*, which visits the most.
    pub(crate) fn rows_of_build(&self, index: usize) -> (LineSet, ReIndex) {
        match self.build_rows {
            Parity::Even => (self.part.re[index], ReIndex(index)),
            Parity::Odd => (self.part.ro[index], ReIndex(self.part.re.len().saturating_sub(1))),
        }
    }
}
