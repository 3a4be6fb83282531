//! For the benchmark `two_color` alone: the innermost loops, one by one, on random numbers of the sizes of N = 22.

use super::planes::{Planes, Pools};
use super::probe_side::{ProbeRecord, Records, find_twins, pair_index};
use super::simd::{Block, Kernel, SLOTS, SUMS, Shape, Strip, StripMut, Survivors, Tables, WideBlock};
use super::tuples::Rank;
use crate::engine;
use crate::engine::kernel::match_kernel;
use crate::estimate::SplitMix64;
use std::hint::black_box;

const RECORDS: usize = 300;
const RANKS: u32 = 462;
/// A segment has records of some of the ranks only, and several of each of those.
const RECORDS_PER_RANK: u32 = 3;
const COLUMNS: u32 = 9;
const PLACEMENTS_PER_SLOT: usize = 16;

/// Measures a loop: its name, the number of items that one run goes through, and the loop.
pub type Measure<'a> = dyn FnMut(&str, u64, &mut dyn FnMut()) + 'a;

/// Calls `measure` with each innermost loop of a kernel.
///
/// # Panics
/// When the engine has no such kernel on this CPU.
pub fn loops(kernel: engine::Kernel, measure: &mut Measure<'_>) {
    let supported = kernel.detect().unwrap_or_else(|| panic!("this CPU has no kernel {kernel}"));
    match_kernel!(supported, token => loops_on(token, measure), scalar => panic!("the engine has no kernel {kernel}"));
}

fn loops_on<K: Kernel>(kernel: K, measure: &mut Measure<'_>) {
    let random = &mut SplitMix64::new(1);
    let mut below = |bound| random.below(bound) as usize;
    let mut record = || {
        let mut pair = || pair_index(below(COLUMNS), below(COLUMNS), COLUMNS as usize);
        let (first, second) = (pair(), pair());
        let rank = below(RECORDS as u32 / RECORDS_PER_RANK) * (RANKS * RECORDS_PER_RANK) as usize / RECORDS;
        ProbeRecord::new(first, second, below(COLUMNS), Rank::new(rank))
    };
    let mut records: Vec<ProbeRecord> = (0..RECORDS).map(|_| record()).collect();
    records.sort_unstable();
    let mut apart = records.clone();
    let twins = find_twins(&mut apart, &mut Vec::new());
    let Records { twins, single } = Records::new(&apart, twins);
    // A record of each half, the second with the key of the first.
    let halves = records[..RECORDS / 2].iter().zip(&records[RECORDS / 2..]);
    let with_key_of = |record: ProbeRecord, other: ProbeRecord| {
        ProbeRecord::new(other.first(), record.second(), record.third(), Rank::new(other.rank()))
    };
    let siblings: Vec<[ProbeRecord; 2]> =
        halves.map(|(&record, &other)| [record, with_key_of(record, other)]).collect();
    let single_records = records.as_chunks::<1>().0;
    let mut matrix = vec![Block([1; 64]); 4 * RANKS as usize];
    let mut wide = vec![WideBlock::ZERO; matrix.len()];
    let mut entries = vec![Block::ZERO; Tables::default().blocks.len()];
    for block in &mut entries {
        block.0.fill_with(|| random.next_u64() as u8);
    }
    let mut placement = || random.next_u64() & random.next_u64() & ((1 << 56) - 1);
    let placements: Vec<u64> = (0..SLOTS * PLACEMENTS_PER_SLOT).map(|_| placement()).collect();
    let (mut parent, mut uneven) = (Survivors::default(), Survivors::default());
    parent.fill(placements.chunks(PLACEMENTS_PER_SLOT).enumerate());
    // Every second slot is empty, so that the two planes are packed into one.
    uneven.fill(placements.chunks(PLACEMENTS_PER_SLOT).enumerate().step_by(2));
    let (pools, mut packed) = (Pools::new(&[0; SUMS]), Planes::default());
    packed.pack(&uneven, &pools);
    for (chunks, planes, has_third) in
        [(1, 1, false), (2, 1, false), (4, 1, false), (1, 2, false), (2, 2, false), (1, 4, false), (4, 1, true)]
    {
        let mut tables = Tables { shape: Shape { chunks, planes }, has_third, ..Tables::default() };
        tables.blocks.copy_from_slice(&entries);
        let shape = format!("{chunks} x {planes} planes, {} tables", if has_third { 3 } else { 2 });
        let items = (RECORDS * chunks * planes) as u64;
        let mut sums = [[0; 16]; 4];
        let strip = Strip { blocks: &matrix, width: chunks, first: 0 };
        let mut dot = || kernel.dot(&tables, black_box(single_records), [strip], [black_box(&mut sums)]);
        measure(&format!("dot, {shape}, by 512 build placements"), items, &mut dot);
        if K::GAINS_BY_SIBLINGS {
            let mut dot = || kernel.dot(&tables, black_box(&siblings), [strip], [black_box(&mut sums)]);
            measure(&format!("dot, {shape}, siblings, by 512 build placements"), items, &mut dot);
        }
        if K::PACKS {
            let is_packed = Tables { is_packed: true, from: [*packed.from(); _], ..tables.clone() };
            let mut dot = || kernel.dot(&is_packed, black_box(single_records), [strip], [black_box(&mut sums)]);
            measure(&format!("dot, {shape}, the last packed, by 512 build placements"), items, &mut dot);
        }
        let mut others = sums;
        let mut dot =
            || kernel.dot(&tables, black_box(single_records), [strip; 2], [&mut sums, black_box(&mut others)]);
        measure(&format!("dot, {shape}, two digits, by 512 build placements"), items, &mut dot);
        for (is_wide, of_kind) in [(false, ""), (true, ", wide")] {
            matrix.fill(Block([1; 64]));
            let mut scatter = || {
                let wide = is_wide.then_some(&mut wide[..]);
                let mut strip = StripMut { blocks: black_box(&mut matrix), wide, width: chunks, first: 0 };
                kernel.scatter(&tables, black_box(twins), strip.again());
                kernel.scatter(&tables, black_box(single), strip);
            };
            measure(&format!("scatter, {shape}{of_kind}, by 512 build placements"), items, &mut scatter);
        }
    }
    let mut child = parent.clone();
    let mut filter = || kernel.filter(&parent, black_box(1 << 7 | 1 << 35), black_box(&mut child));
    measure("filter, by build placement", placements.len() as u64, &mut filter);
    if K::PACKS {
        measure("pack, by chunk", 1, &mut || packed.pack(black_box(&uneven), &pools));
    }
    let mut planes = Planes::default();
    planes.lay_out(&parent);
    let mut bits = [Block::ZERO; 64];
    measure("slice, by plane", 1, &mut || kernel.slice(&parent, &planes, black_box(0), black_box(&mut bits)));
    let mut tables = Tables::default();
    let (squares, table) = tables.squares_and_pairs(0);
    let mut pair_table = || kernel.pair_table(squares, 2, black_box([1, 2]), COLUMNS as usize, black_box(table));
    measure("pair table, 2 planes, by block", u64::from(COLUMNS * COLUMNS * 2), &mut pair_table);
}
