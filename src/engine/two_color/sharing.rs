//! The choice of the build sides and probe sides that are made once, for all threads.

use super::prepared::PreparedPart;
use super::units::Unit;
use crate::cancel::{Cancel, Cancelled};
use rayon::prelude::*;

/// A build side or a probe side of a part.
#[derive(Clone, Copy, Debug)]
enum Side {
    /// By the number of its row set.
    Build(usize),
    /// By its row block.
    Probe(usize),
}

/// The build sides or the probe sides of a part that several units need.
struct Offer<'a> {
    prepared: &'a PreparedPart,
    sides: Vec<Side>,
    /// The bytes that they take, estimated.
    bytes: f64,
    /// The bytes that units would fill if each made its own, estimated.
    saved: f64,
}

/// Makes the build sides and probe sides that several of `units` need, on the threads of the current rayon pool. They
/// take about `bytes` bytes at most: where that is not enough for all, those are made that save most time for their
/// size, part by part, the build sides of a part and its probe sides each together or not at all.
///
/// # Errors
/// When `cancel` is set.
pub(super) fn share<'a>(
    parts: &[PreparedPart],
    units: impl Iterator<Item = &'a Unit>,
    bytes: u64,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let mut uses: Vec<[Vec<usize>; 2]> =
        parts.iter().map(|part| [part.build_count(), part.probe_count()].map(|count| vec![0; count])).collect();
    for unit in units {
        let [build, probe] = &mut uses[unit.part];
        let prepared = &parts[unit.part];
        build[prepared.builds_of(unit)].iter_mut().for_each(|uses| *uses += 1);
        // Where the sides are exchanged, no unit has the probe side of another.
        probe.get_mut(unit.row_block).into_iter().for_each(|uses| *uses += 1);
    }
    let mut offers: Vec<Offer> = Vec::new();
    for (prepared, [build, probe]) in parts.iter().zip(&uses) {
        offers.push(Offer::new(prepared, build, Side::Build));
        offers.push(Offer::new(prepared, probe, Side::Probe));
    }
    offers.sort_by(|one, other| (other.saved / other.bytes).total_cmp(&(one.saved / one.bytes)));
    let mut left = bytes as f64;
    let mut sides = Vec::new();
    for offer in offers {
        if offer.bytes <= left {
            left -= offer.bytes;
            sides.extend(offer.sides.into_iter().map(|side| (offer.prepared, side)));
        }
    }
    sides.into_par_iter().with_max_len(1).try_for_each(|(prepared, side)| {
        if cancel.is_cancelled() {
            return Err(Cancelled);
        }
        match side {
            Side::Build(index) => prepared.share_build(index),
            Side::Probe(block) => prepared.share_probe(block, cancel)?,
        }
        Ok(())
    })
}

impl<'a> Offer<'a> {
    /// Offers the sides that are used more than once and not shared yet.
    fn new(prepared: &'a PreparedPart, uses: &[usize], side: fn(usize) -> Side) -> Self {
        let mut offer = Self { prepared, sides: Vec::new(), bytes: 1.0, saved: 0.0 };
        for (index, &uses) in uses.iter().enumerate().filter(|&(_, &uses)| uses > 1) {
            let side = side(index);
            let is_shared = match side {
                Side::Build(index) => prepared.shared_build(index).is_some(),
                Side::Probe(block) => prepared.shared_probe(block).is_some(),
            };
            if is_shared {
                continue;
            }
            // A build placement takes twice the bytes of a probe record, and as long to find.
            let (bytes, worth) = match side {
                Side::Build(index) => (prepared.build_bytes(index), 0.5),
                Side::Probe(block) => (prepared.probe_bytes(block), 1.0),
            };
            offer.sides.push(side);
            offer.bytes += bytes;
            offer.saved += worth * bytes * (uses - 1) as f64;
        }
        offer
    }
}
