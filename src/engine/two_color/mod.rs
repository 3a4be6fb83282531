//! The two-color engine: it counts without enumerating.
//!
//! A diagonal never leaves its square colour, so queens on white squares and queens on black squares meet only in rows
//! and columns. For every choice of the white queens' rows and columns the number of solutions is a product: of the
//! number of white placements on these lines and the number of black placements on all others. The sum of these
//! products is the count.
//!
//! `docs/two-color.md` explains the method and proves the weights. `examples/two_color/` has the method in plain code
//! and three steps from there towards this engine.
//!
//! The folders in the order in which they build on each other:
//!
//! | folder | what it has |
//! |---|---|
//! | [`tuples`] | the mathematics: lines and their sets, diagonals, the squares of a class, tuples and their weights |
//! | [`simd`] | the innermost loops, once for all instruction sets, and the bytes that they work on |
//! | [`sides`] | the two sides of the join: build placements as bits, probe placements as records |
//! | [`plan`] | the rule by which a count is cut into units |
//! | [`prepare`](mod@prepare) | what is made ready before units are counted, and the guesses, on which no unit depends |
//! | [`join`] | what a unit counts: `multiply` has the whole method in pseudo-code |
//! | `gpu` | the same join on a GPU |
//!
//! # Words
//!
//! The words are those of hash joins and of groups: *build side*, *probe side*, *bucket*, *prefix*, *representative*,
//! *orbit*, *weight*. The table has the engine's own words, in the order in which a reader meets them.
//! `docs/two-color.md` has pictures of how the two sides meet.
//!
//! | word | meaning |
//! |---|---|
//! | [half-line](tuples::HalfLine), [line set](tuples::LineSet) | a row or column by its place among the lines of its parity; a set of these: a row set or a column set |
//! | [square class](tuples::SquareClass) | the squares of given row and column parity: white EE, OO, black EO, OE |
//! | [tuple](tuples) | (*Re*, *Ro*, *Ce*, *Co*): the even and odd rows and columns of the white queens. A *row choice* is (*Re*, *Ro*) |
//! | [part](tuples::Part) | all tuples with the same number of queens on EE |
//! | visited | the visited tuples of an orbit are its representatives: one, or those that tie; a visited set or record belongs to a visited tuple |
//! | [rank](tuples::Rank) | the place of a column set in the order of a part |
//! | [weight class](tuples::WEIGHT_CLASSES) | the column sets with which an *Re* makes tuples of one weight |
//! | bucket | the build placements with one column set |
//! | probe list | the probe placements of one row set |
//! | [cover](sides), depth | the choice of the rows of prefixes for each probe list, so that many lists share them; the number of these rows. The other rows of a list are its *tail* |
//! | [probe record](simd::ProbeRecord), [index](sides::IndexRows) | the queens of a probe placement after its prefix, with its rank; each index names the squares of one or two queens |
//! | segment, [twins](simd::SegmentRecords) | the probe records of one probe list with one prefix; two of them with one rank |
//! | [survivors](simd::Survivors) | the build placements that no queen of a prefix attacks |
//! | [slot, chunk](sides::SlotLayout) | a byte for eight placements of one bucket; 64 slots |
//! | tight | tight survivors are laid out one after another, not in slots, and are multiplied one by one |
//! | panel, [sweep](join) | the chunks that are counted together: two, or as many as suit if survivors are tight (512 slots on a GPU); the way of a probe side over one panel, prefix by prefix |
//! | [plane, slice](simd) | a byte for each slot of a chunk; a few planes, of one chunk or of two |
//! | [packed, pool](simd::Pools) | in a packed plane a byte may stand in another slot's place; a pool is the places that a byte may take |
//! | [one-row table, two-row table](simd::Tables) | the survivors that do not attack a square; that attack neither of two squares in two rows |
//! | [sparse colour](tuples::Part::sparse), dense colour | the colour with fewer queens, whose count matrices are made; the other, whose counts are multiplied with these matrices |
//! | count matrix, strip | for a row choice, the number of *compatible* pairs (neither placement attacks the other) for each *Ce* and *Co*; the part of its rows that one panel fills |
//! | [row block](tuples::Part::row_block) | the *Ro* whose probe lists are swept together |
//! | [unit](plan::Unit), factor, work | some *Re* with one row block; a power of two of which its partial count is a multiple, as a check; its expected time in nanoseconds |
//! | [exchanged](prepare::PreparedPart::exchange) | on the second route the sides are exchanged: build sides are on odd rows, probe sides on even rows |
//! | item, team | on a GPU: a byte for up to eight survivors of one slot; 32 threads |

#![allow(rustdoc::private_intra_doc_links, reason = "the links serve those who read the source")]

#[cfg(feature = "gpu")]
mod gpu;
mod join;
mod plan;
mod prepare;
mod sides;
mod simd;
#[cfg(test)]
mod tests;
mod tuples;

use super::costs;
use super::growth;
use super::kernel::match_kernel;
use super::{Counter, Engine, Kernel, Plan, PrepareError, Settings, SharedTables, StopReason, Units, Worker};
use crate::board::Board;
use crate::cancel::Cancel;
use join::UnitCounter;
use plan::Unit;
use prepare::{PreparedPart, Sharing, forecast};
use rayon::prelude::*;
use tuples::{Colour, Geometry, Parity, Part};

/// The innermost loops and their data, for the benchmark `two_color`.
pub mod internals {
    pub use super::simd::*;
    pub use super::tuples::Rank;
    pub use crate::engine::kernel::SupportedKernel;
}

/// The name of the engine's plan.
const PLAN: &str = "row-sets-3";

/// Returns the settings of both routes.
pub(super) fn variants() -> Vec<Settings> {
    [false, true].map(|exchanged| Settings { exchanged, ..Settings::default() }).to_vec()
}

/// See [`Engine::settings_of_plan`].
pub(super) fn settings_of_plan(name: &str) -> Option<Settings> {
    (name == PLAN).then(Settings::default)
}

/// Cuts the count of a board into units and makes the tables that they need. See [`Engine::prepare`].
pub(super) fn prepare(board: Board, settings: &Settings, cancel: &Cancel) -> Result<Counter, PrepareError> {
    let lacking = |lack| Err(PrepareError::Setting { engine: Engine::TwoColor, lack });
    if settings.split_rows.is_some() {
        return lacking("does not split rows");
    }
    if settings.setup.is_some() {
        return lacking("does not count boards with given queens or blocked squares");
    }
    let cpu_kernel = settings.kernel.filter(|&kernel| kernel != Kernel::Gpu);
    // The second route is for the CPU alone, so that the two routes have less in common.
    let is_gpu = cpu_kernel != settings.kernel && !settings.exchanged;
    #[cfg(not(feature = "gpu"))]
    if is_gpu {
        return Err(PrepareError::Gpu { reason: "this library is built without the feature `gpu`".to_owned() });
    }
    #[cfg(feature = "gpu")]
    let gpus = is_gpu.then(|| gpu::Gpus::open(settings.devices, cancel)).transpose()?;
    let supported = Engine::TwoColor.choose_kernel(cpu_kernel)?;
    let geometry = Geometry::new(board);
    let parts = Part::all(geometry);
    let units = plan::units(&parts);
    let prepare = |part| cancel.check().map(|()| PreparedPart::new(part));
    let parts = parts.into_par_iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
    let factors = units.par_iter().map(|unit| cancel.check().map(|()| parts[unit.part].factor_of(unit)));
    let factors = factors.collect::<Result<_, _>>()?;
    let work = forecast::work(&parts, &units);
    let plan = Plan::new(Engine::TwoColor, board, PLAN.to_owned(), work, Part::divisor(geometry));
    let plan = plan.with_units(plan::identity(parts.iter().map(|prepared| &prepared.part), &units), factors);
    #[cfg(feature = "gpu")]
    if let Some((gpus, devices)) = gpus {
        let scratch_bytes = forecast::scratch_bytes(&parts, &units);
        let parts: Vec<_> = parts.into_iter().map(|part| part.for_gpu(gpus.squares())).collect();
        let gpus = gpus.with_work((0..units.len()).map(|unit| plan.work(unit)).collect());
        let device_room = gpu::room(&parts, &units, &devices);
        let counter = counter(plan, Kernel::Gpu, scratch_bytes, PreparedUnits { parts, units, token: gpus });
        return Ok(Counter { devices, device_room, ..counter });
    }
    let exchange = |parts: Vec<PreparedPart>| parts.into_par_iter().map(PreparedPart::exchange).collect();
    let parts = if settings.exchanged { exchange(parts) } else { parts };
    let scratch_bytes = forecast::scratch_bytes(&parts, &units);
    Ok(match_kernel!(
        supported,
        token => counter(plan, supported.kernel(), scratch_bytes, PreparedUnits { parts, units, token }),
        scalar => unreachable!("the engine has no such kernel")
    ))
}

fn counter(plan: Plan, kernel: Kernel, scratch_bytes: u64, units: PreparedUnits<impl Processor + 'static>) -> Counter {
    let expected_seconds = costs::two_color_seconds(plan.board().size(), kernel);
    let (devices, units) = (Vec::new(), Box::new(units));
    Counter { plan, kernel, scratch_bytes, expected_seconds, devices, device_room: None, units }
}

/// The processor that counts units: a CPU, by the token of its kernel, or GPUs.
trait Processor: std::fmt::Debug + Send + Sync {
    /// Makes the worker of one thread.
    fn worker<'a>(&'a self, parts: &'a [PreparedPart], units: &'a [Unit]) -> Result<Box<dyn Worker + 'a>, StopReason>;
}

impl<K: simd::Loops + Send + Sync> Processor for K {
    fn worker<'a>(&'a self, parts: &'a [PreparedPart], units: &'a [Unit]) -> Result<Box<dyn Worker + 'a>, StopReason> {
        // The tables of a fixed size cannot be refused, so the system is asked for their room before.
        growth::has_room(forecast::OTHER_BYTES)?;
        Ok(Box::new(UnitCounter::new(*self, parts, units)))
    }
}

/// The units of a board, ready to be counted.
#[derive(Debug)]
struct PreparedUnits<K> {
    parts: Vec<PreparedPart>,
    units: Vec<Unit>,
    token: K,
}

impl<K: Processor> Units for PreparedUnits<K> {
    fn worker(&self) -> Result<Box<dyn Worker + '_>, StopReason> {
        self.token.worker(&self.parts, &self.units)
    }

    fn tables(&self, units: &[usize], bytes: u64) -> SharedTables<'_> {
        let sharing = Sharing::choose(&self.parts, units.iter().map(|&unit| &self.units[unit]), bytes);
        SharedTables::new(sharing.bytes as u64, sharing.nanoseconds * 1e-9, |cancel| sharing.make(cancel))
    }

    fn part(&self, unit: usize) -> usize {
        self.parts[self.units[unit].part].part.queens_of(Colour::White, Parity::Even)
    }
}
