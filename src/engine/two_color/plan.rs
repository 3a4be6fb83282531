//! The plan: the pairs of row sets of every part, in blocks.

use super::count::Counting;
use super::geometry::Parity;
use super::part::CLASSES;
use std::ops::Range;

/// The most *Re* of a unit. The lists of its *Ro* are made once for all of them, which then costs a twentieth of the time.
const EVEN_ROW_SETS: usize = 16;

/// The most *Ro* of a unit, for which the lanes of its *Re* are made once. It bounds the memory.
const MOST_ODD_ROW_SETS: usize = 128;

/// The fewest *Ro* that a part is cut into, however heavy they are: they share the thinned lanes.
const FEWEST_ODD_ROW_SETS: usize = 16;

/// A unit that is heavier than this share of everything is cut further.
const SHARE: f64 = 1.0 / 1500.0;

/// Some *Re* of a part with some *Ro*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The number of the part.
    pub(super) part: usize,
    pub(super) even_rows: Range<usize>,
    pub(super) odd_rows: Range<usize>,
}

/// The units of all parts and their weights, in nanoseconds as they are estimated for the machine of [`super::cost`].
///
/// They depend on the board alone, so that whoever makes the plan makes the same one.
pub(super) fn units(parts: &[Counting]) -> (Vec<Unit>, Vec<u64>) {
    let total: f64 = parts.iter().map(|part| (0..part.part.even_row_sets()).map(|even| pair_cost(part, even) * visited(part, even) as f64).sum::<f64>()).sum();
    let mut units = Vec::new();
    let mut weights = Vec::new();
    for (number, counting) in parts.iter().enumerate() {
        let part = &counting.part;
        let sets = part.even_row_sets();
        let step = sets.div_ceil(EVEN_ROW_SETS).max(6.min(sets));
        for block in 0..step {
            let even_rows = block * sets / step..(block + 1) * sets / step;
            let costs: Vec<f64> = (part.odd_rows().iter())
                .map(|&odd| {
                    let visited = even_rows.clone().filter(|&even| part.weights(even, odd).is_some());
                    visited.map(|even| pair_cost(counting, even)).sum()
                })
                .collect();
            let mut start = 0;
            while start < costs.len() {
                let mut cost = 0.0;
                let mut end = start;
                while end < costs.len()
                    && end - start < MOST_ODD_ROW_SETS
                    && (end - start < FEWEST_ODD_ROW_SETS || cost < total * SHARE)
                {
                    cost += costs[end];
                    end += 1;
                }
                if cost > 0.0 {
                    units.push(Unit { part: number, even_rows: even_rows.clone(), odd_rows: start..end });
                    weights.push((cost + placing(counting, &units[units.len() - 1])).ceil().max(1.0) as u64);
                }
                start = end;
            }
        }
    }
    (units, weights)
}

/// The number of *Ro* that are visited with an *Re*.
fn visited(counting: &Counting, even: usize) -> usize {
    counting.part.odd_rows().iter().filter(|&&odd| counting.part.weights(even, odd).is_some()).count()
}

/// What one *Ro* costs with an *Re*: the share of the column sets that are visited, of both colours.
fn pair_cost(counting: &Counting, even: usize) -> f64 {
    let share = |parity| {
        let all = counting.part.axis(parity).sets().len();
        counting.part.class_ends(parity, even)[CLASSES - 1] as f64 / all as f64
    };
    (counting.sparse.cost.list + counting.dense.cost.list) * share(Parity::Even) * share(Parity::Odd)
}

/// What it costs to find the placements of a unit.
fn placing(counting: &Counting, unit: &Unit) -> f64 {
    (counting.sparse.cost.placing + counting.dense.cost.placing) * (unit.even_rows.len() + unit.odd_rows.len()) as f64
}

/// The memory that counting any of the units takes, in bytes, about.
pub(super) fn bytes(parts: &[Counting]) -> u64 {
    let bytes = |counting: &Counting| {
        let part = &counting.part;
        let groups = [Parity::Even, Parity::Odd].map(|parity| part.axis(parity).sets().len());
        let matrix = (groups[0].next_multiple_of(64) * groups[1].next_multiple_of(64)) as f64;
        let lists = part.odd_rows().len().min(MOST_ODD_ROW_SETS) as f64;
        let matrices = part.odd_rows().len().min(counting.together()) as f64;
        let of_lists = counting.sparse.cost.list_bytes + counting.dense.cost.list_bytes;
        let of_lanes = counting.sparse.cost.lane_bytes + counting.dense.cost.lane_bytes;
        // Vectors grow by doubling; the largest list is longer than the mean.
        2.0 * matrices * matrix + 2.0 * lists * of_lists + 2.0 * of_lanes
    };
    parts.iter().map(bytes).fold(4e6, f64::max) as u64
}
