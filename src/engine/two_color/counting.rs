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
/// placements are the lists. Where the roles are exchanged, it is the other way round.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) lanes: Class,
    pub(super) list: Class,
    pub(super) cost: Cost,
}

impl Side {
    /// A colour of a part, with lanes on rows of one parity and lists on those of the other.
    fn new(part: &Part, colour: Colour, roles: Roles) -> Self {
        let [lanes, list] = roles.rows().map(|rows| Class::new(part.geometry(), colour, rows));
        let even_rows: Vec<u16> = (0..part.even_row_sets()).map(|index| part.even_rows(index)).collect();
        let (lane_sets, list_sets) = match roles {
            Roles::Usual => (&even_rows[..], part.odd_rows()),
            Roles::Exchanged => (part.odd_rows(), &even_rows[..]),
        };
        let axis = part.axis(colour.columns(roles.rows()[0]));
        let cost = Cost::estimate((&list, list_sets), (&lanes, lane_sets), axis, roles);
        Self { lanes, list, cost }
    }
}

/// Which placements are the lanes, and which the lists: those on even rows and those on odd rows, or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Roles {
    Usual,
    Exchanged,
}

impl Roles {
    /// The parities of the rows of the lanes and of the lists.
    pub(super) fn rows(self) -> [Parity; 2] {
        match self {
            Roles::Usual => [Parity::Even, Parity::Odd],
            Roles::Exchanged => [Parity::Odd, Parity::Even],
        }
    }
}

/// A part, ready to be counted.
#[derive(Debug)]
pub(super) struct Counting {
    pub(super) part: Part,
    pub(super) roles: Roles,
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
    /// The number of *Ro* of a row block.
    together: usize,
    /// Lanes and lists of the whole part, where they are few enough to be kept. With the roles exchanged there are none.
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
    /// Fills it with the placements on the rows that tuples name by `set` whose column sets are visited with the *Re* of
    /// this index.
    pub(super) fn fill(&mut self, counting: &Counting, set: u16, even: usize, found: &mut Vec<(u16, u64)>) {
        let Counting { part, sparse, dense, rows, columns, .. } = counting;
        let groups = |parity| part.class_ends(parity, even)[CLASSES - 1];
        self.sparse.fill(&sparse.lanes, part.axis(*rows), set, groups(*rows), found);
        self.dense.fill(&dense.lanes, part.axis(*columns), set, groups(*columns), found);
    }
}

/// The lists of both colours: for the *Ro* of a row block, or with the roles exchanged for the *Re* of a unit.
#[derive(Debug, Default)]
pub(super) struct BothLists {
    pub(super) sparse: Lists,
    pub(super) dense: Lists,
}

impl BothLists {
    /// Fills it with the placements on the rows that tuples name by `sets`.
    pub(super) fn fill(&mut self, counting: &Counting, sets: &[u16], cancel: &Cancel) -> Result<(), Cancelled> {
        let Counting { part, sparse, dense, rows, columns, .. } = counting;
        self.sparse.fill(&sparse.list, part.axis(*columns), sets, sparse.cost.depth, cancel)?;
        self.dense.fill(&dense.list, part.axis(*rows), sets, dense.cost.depth, cancel)
    }
}

impl Counting {
    pub(super) fn new(part: Part) -> Self {
        Self::with_limits(part, u8::BITS, MOST_RECORDS)
    }

    /// The same with lower limits, as if bytes had fewer bits, and sums too.
    pub(super) fn with_limits(part: Part, bits: u32, most_records: usize) -> Self {
        let mut counting = Self::with_roles(part, Roles::Usual, bits, most_records);
        counting.together = counting.fitting_together();
        counting
    }

    /// The same units to be counted by another route: the placements on odd rows are the lanes, those on even rows the
    /// lists.
    pub(super) fn exchange(self) -> Self {
        let Self { part, together, bits, most_records, .. } = self;
        Self { together, ..Self::with_roles(part, Roles::Exchanged, bits, most_records) }
    }

    fn with_roles(part: Part, roles: Roles, bits: u32, most_records: usize) -> Self {
        let colours = match part.sparse() {
            Colour::White => [Colour::White, Colour::Black],
            Colour::Black => [Colour::Black, Colour::White],
        };
        let [sparse, dense] = colours.map(|colour| Side::new(&part, colour, roles));
        let [rows, columns] = roles.rows().map(|rows| colours[0].columns(rows));
        Self { part, roles, sparse, dense, rows, columns, bits, most_records, together: 0, shared: None }
    }

    /// Makes the lanes and lists of the whole part, to be shared by all threads.
    ///
    /// # Errors
    /// When `cancel` is set.
    pub(super) fn share(&mut self, cancel: &Cancel) -> Result<(), Cancelled> {
        let lanes = (0..self.part.even_row_sets()).into_par_iter().map(|even| {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let mut lanes = BothLanes::default();
            lanes.fill(self, self.part.even_rows(even), even, &mut Vec::new());
            Ok(lanes)
        });
        let lists = (0..self.row_blocks()).into_par_iter().map(|block| {
            let mut lists = BothLists::default();
            lists.fill(self, self.odd_rows(block), cancel)?;
            Ok(lists)
        });
        self.shared = Some(Shared { lanes: lanes.collect::<Result<_, _>>()?, lists: lists.collect::<Result<_, _>>()? });
        Ok(())
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
        self.part.odd_rows().len().div_ceil(self.together)
    }

    /// The number of *Ro* of a row block; the last may have fewer.
    pub(super) fn together(&self) -> usize {
        self.together
    }

    /// The *Ro* of a row block.
    pub(super) fn odd_rows(&self, block: usize) -> &[u16] {
        let odd_rows = self.part.odd_rows();
        let start = block * self.together;
        &odd_rows[start..(start + self.together).min(odd_rows.len())]
    }

    /// The number of *Ro* whose matrices are best made together.
    fn fitting_together(&self) -> usize {
        let groups = self.part.axis(Parity::Even).sets().len().max(self.part.axis(Parity::Odd).sets().len());
        let by_lists = (LISTED / (self.sparse.cost.list_bytes + self.dense.cost.list_bytes)) as usize;
        let by_units = self.part.odd_rows().len() / FEWEST_BLOCKS;
        (CACHED / (64 * groups)).min(by_lists).min(by_units).max(FEWEST_TOGETHER)
    }
}
