//! The choice of the build sides and probe sides that are made once, for all threads.

use super::part::{ColourSides, PreparedPart};
use crate::cancel::Cancel;
use crate::engine::StopReason;
use crate::engine::two_color::plan::Unit;
use rayon::prelude::*;

/// A build side or a probe side of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    /// The build side on the row set with this number.
    Build(usize),
    /// The probe side of this row block.
    Probe(usize),
}

impl PreparedPart {
    /// Returns the bytes that a side takes for both colours, and the nanoseconds to make it.
    pub(crate) fn bytes_and_time(&self, side: Side) -> (f64, f64) {
        let by_colour = [&self.sparse, &self.dense].map(|ColourSides { build, guess, .. }| match side {
            Side::Build(index) => {
                let (_, re) = self.rows_of_build(index);
                let visited = self.part.visited_sets(build.column_parity, re) as f64;
                let share = visited / self.part.column_sets(build.column_parity).len() as f64;
                (8.0 * share * guess.build_placements, share * guess.building)
            }
            Side::Probe(block) => {
                let lists = self.part.row_block(block).len() as f64;
                (lists * guess.list_bytes, lists * guess.placing)
            }
        });
        (by_colour[0].0 + by_colour[1].0, by_colour[0].1 + by_colour[1].1)
    }
}

/// The sides that some units need, and which of them are shared.
pub(crate) struct Sharing<'a> {
    shared: Vec<(&'a PreparedPart, Side)>,
    /// The nanoseconds that one thread takes to make each shared side once and the other sides for each unit.
    pub(crate) nanoseconds: f64,
    /// The bytes that the shared sides take, estimated.
    pub(crate) bytes: f64,
}

impl<'a> Sharing<'a> {
    /// Chooses among the sides that several of `units` need. The chosen sides take about `bytes` bytes at most. If
    /// there is no room for all, the sides that save most time for their size are chosen. The build sides of a part are
    /// chosen together or not at all, and so are its probe sides.
    pub(crate) fn choose(parts: &'a [PreparedPart], units: impl Iterator<Item = &'a Unit>, bytes: u64) -> Self {
        let mut uses: Vec<[Vec<usize>; 2]> = parts
            .iter()
            .map(|part| [part.shared_build.len(), part.shared_probe.len()].map(|count| vec![0; count]))
            .collect();
        let mut nanoseconds = 0.0;
        for unit in units {
            let [build, probe] = &mut uses[unit.part];
            let prepared = &parts[unit.part];
            build[prepared.builds_of(unit)].iter_mut().for_each(|uses| *uses += 1);
            if let Some(uses) = probe.get_mut(unit.row_block) {
                *uses += 1;
            } else {
                // The sides are exchanged, and no unit has the probe side of another.
                let placing = prepared.sparse.guess.placing + prepared.dense.guess.placing;
                nanoseconds += placing * unit.re.len() as f64;
            }
        }
        let mut offers: Vec<Offer> = Vec::new();
        for (prepared, [build, probe]) in parts.iter().zip(&uses) {
            offers.push(Offer::new(prepared, build, Side::Build));
            offers.push(Offer::new(prepared, probe, Side::Probe));
        }
        let saved = |offer: &Offer| (offer.for_each - offer.once) / offer.bytes;
        offers.sort_by(|one, other| saved(other).total_cmp(&saved(one)));
        let mut left = bytes as f64;
        let mut shared = Vec::new();
        for offer in offers {
            if offer.bytes <= left {
                left -= offer.bytes;
                nanoseconds += offer.once;
                shared.extend(offer.sides);
            } else {
                nanoseconds += offer.for_each;
            }
        }
        Self { shared, nanoseconds, bytes: bytes as f64 - left }
    }

    /// Makes the shared sides, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// When `cancel` is set, or the system refuses memory.
    pub(crate) fn make(self, cancel: &Cancel) -> Result<(), StopReason> {
        self.shared.into_par_iter().with_max_len(1).try_for_each(|(prepared, side)| {
            cancel.check()?;
            match side {
                Side::Build(index) => prepared.share_build(index, cancel),
                Side::Probe(block) => prepared.share_probe(block, cancel),
            }
        })
    }
}

/// The build sides or the probe sides of a part that some units need.
struct Offer<'a> {
    /// The sides that several units need.
    sides: Vec<(&'a PreparedPart, Side)>,
    /// The bytes that these sides take, estimated.
    bytes: f64,
    /// The nanoseconds for all sides, shared or not, if each is made once.
    once: f64,
    /// The nanoseconds for all sides if each unit makes its own.
    for_each: f64,
}

impl<'a> Offer<'a> {
    /// Offers the sides that are used more than once and are not shared yet.
    fn new(prepared: &'a PreparedPart, uses: &[usize], side: fn(usize) -> Side) -> Self {
        let mut offer = Self { sides: Vec::new(), bytes: 1.0, once: 0.0, for_each: 0.0 };
        for (index, &uses) in uses.iter().enumerate().filter(|&(_, &uses)| uses > 0) {
            let side = side(index);
            let is_shared = match side {
                Side::Build(index) => prepared.shared_build[index].get().is_some(),
                Side::Probe(block) => prepared.shared_probe[block].get().is_some(),
            };
            let (bytes, cost) = prepared.bytes_and_time(side);
            if is_shared {
                continue;
            }
            offer.once += cost;
            offer.for_each += cost * uses as f64;
            if uses > 1 {
                offer.sides.push((prepared, side));
                offer.bytes += bytes;
            }
        }
        offer
    }
}
