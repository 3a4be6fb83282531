//! A part made ready to be counted: its classes, the rows that thin the lanes, its row blocks, and what all threads share.

use super::class::Class;
use super::cost::Cost;
use super::geometry::{Colour, Parity};
use super::kernel::MOST_RECORDS;
use super::lanes::Lanes;
use super::lists::Lists;
use super::part::{CLASSES, Part};
use crate::cancel::{Cancel, Cancelled};
use rayon::prelude::*;

/// The bytes that the matrices of a row block may take for each chunk of lanes, so that they stay in the second-level cache.
/// From 600 KiB to 3 MiB it made no difference of more than 3% on a machine with 2 MiB; without a limit it cost 9%.
const CACHED: usize = 1 << 20;

/// The fewest *Ro* of a row block, even if their matrices do not stay in the cache: they share thinned lanes.
const FEWEST_TOGETHER: usize = 4;

/// The bytes that the lists of a row block may take.
const LISTED: f64 = 64e6;

/// The fewest row blocks of a part, so that there are enough units.
const FEWEST_BLOCKS: usize = 4;

/// One of the two colours of a part: its classes on even rows, whose placements are the lanes, and on odd rows, whose
/// placements are the lists.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) lanes: Class,
    pub(super) list: Class,
    pub(super) cost: Cost,
}

/// A part, ready to be counted.
#[derive(Debug)]
pub(super) struct Counting {
    pub(super) part: Part,
    /// The colour with fewer queens, whose matrices are made.
    pub(super) sparse: Side,
    /// The other colour, which is counted against them.
    pub(super) dense: Side,
    /// The parity of the columns of the sparse colour's lanes and the dense colour's lists: the rows of a turned matrix.
    pub(super) rows: Parity,
    /// The parity of the columns of the sparse colour's lists and the dense colour's lanes.
    pub(super) columns: Parity,
    /// The bits of a digit of a matrix.
    pub(super) bits: u32,
    /// The most records that are added up before the sums are emptied.
    pub(super) most_records: usize,
    /// Lanes and lists of the whole part, where they are few enough to be kept.
    pub(super) shared: Option<Shared>,
}

/// The lanes and lists of a whole part.
#[derive(Debug)]
pub(super) struct Shared {
    /// By *Re*.
    pub(super) lanes: Vec<BothLanes>,
    /// By row block.
    pub(super) lists: Vec<BothLists>,
}

/// The lanes of both colours for one *Re*.
#[derive(Debug, Default)]
pub(super) struct BothLanes {
    pub(super) sparse: Lanes,
    pub(super) dense: Lanes,
}

impl BothLanes {
    /// Fills it with the placements whose column sets are visited with the *Re* of this index.
    pub(super) fn fill(&mut self, counting: &Counting, even: usize, found: &mut Vec<(u16, u64)>) {
        let part = &counting.part;
        let set = part.even_rows(even);
        let groups = |parity| part.class_ends(parity, even)[CLASSES - 1];
        let Counting { sparse, dense, rows, columns, .. } = counting;
        self.sparse.fill(&sparse.lanes, part.axis(*rows), set, groups(*rows), found);
        self.dense.fill(&dense.lanes, part.axis(*columns), set, groups(*columns), found);
    }
}

/// The lists of both colours for the *Ro* of a row block.
#[derive(Debug, Default)]
pub(super) struct BothLists {
    pub(super) sparse: Lists,
    pub(super) dense: Lists,
}

impl BothLists {
    pub(super) fn fill(&mut self, counting: &Counting, odd_rows: &[u16], cancel: &Cancel) -> Result<(), Cancelled> {
        let part = &counting.part;
        let Counting { sparse, dense, rows, columns, .. } = counting;
        self.sparse.fill(&sparse.list, part.axis(*columns), odd_rows, sparse.cost.depth, cancel)?;
        self.dense.fill(&dense.list, part.axis(*rows), odd_rows, dense.cost.depth, cancel)
    }
}

impl Counting {
    pub(super) fn new(part: Part) -> Self {
        Self::with_limits(part, u8::BITS, MOST_RECORDS)
    }

    /// The same with lower limits, as if bytes had fewer bits, and sums too.
    pub(super) fn with_limits(part: Part, bits: u32, most_records: usize) -> Self {
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
        Self { part, sparse, dense, rows, columns, bits, most_records, shared: None }
    }

    /// Makes the lanes and lists of the whole part, to be shared by all threads.
    pub(super) fn share(&mut self) {
        let lanes = (0..self.part.even_row_sets()).into_par_iter().map(|even| {
            let mut lanes = BothLanes::default();
            lanes.fill(self, even, &mut Vec::new());
            lanes
        });
        let lists = (0..self.row_blocks()).into_par_iter().map(|block| {
            let mut lists = BothLists::default();
            lists.fill(self, self.odd_rows(block), &Cancel::new()).expect("nobody cancels");
            lists
        });
        self.shared = Some(Shared { lanes: lanes.collect(), lists: lists.collect() });
    }

    /// The bytes that [`Counting::share`] takes, about.
    pub(super) fn shared_bytes(&self) -> u64 {
        let Self { part, sparse, dense, .. } = self;
        let lanes = 10.0 * (sparse.cost.lanes + dense.cost.lanes) * part.even_row_sets() as f64;
        let lists = (sparse.cost.list_bytes + dense.cost.list_bytes) * 1.5 * part.odd_rows().len() as f64;
        (lanes + lists) as u64
    }

    /// The number of row blocks.
    pub(super) fn row_blocks(&self) -> usize {
        self.part.odd_rows().len().div_ceil(self.together())
    }

    /// The *Ro* of a row block.
    pub(super) fn odd_rows(&self, block: usize) -> &[u16] {
        let odd_rows = self.part.odd_rows();
        let start = block * self.together();
        &odd_rows[start..(start + self.together()).min(odd_rows.len())]
    }

    /// The number of *Ro* whose matrices are made together.
    pub(super) fn together(&self) -> usize {
        let groups = self.part.axis(Parity::Even).sets().len().max(self.part.axis(Parity::Odd).sets().len());
        let by_lists = (LISTED / (self.sparse.cost.list_bytes + self.dense.cost.list_bytes)) as usize;
        let by_units = self.part.odd_rows().len() / FEWEST_BLOCKS;
        (CACHED / (64 * groups)).min(by_lists).min(by_units).max(FEWEST_TOGETHER)
    }
}
