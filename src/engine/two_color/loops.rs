//! The innermost loops, one by one, for benchmarks.

use super::kernel::{Block, Kernel, Level, SLOTS, Tables};
use super::lists::{Record, pair_index};
use crate::engine;
use crate::engine::kernel::match_kernel;
use crate::estimate::SplitMix64;
use std::hint::black_box;

/// An innermost loop, ready to be run on the same numbers again and again.
pub struct Loop {
    /// What it does.
    pub name: String,
    /// How many records, lanes, planes or entries one run goes through.
    pub items: u64,
    /// Runs it once.
    pub run: Box<dyn FnMut()>,
}

/// The innermost loops of a kernel, on random numbers of the sizes that occur at N = 22.
///
/// # Panics
/// When this CPU does not have the kernel.
pub fn loops(kernel: engine::Kernel) -> Vec<Loop> {
    let supported = kernel.detect().unwrap_or_else(|| panic!("this CPU has no kernel {kernel}"));
    match_kernel!(supported, token => loops_on(token), scalar => panic!("the engine has no kernel {kernel}"))
}

const RECORDS: usize = 300;
const RANKS: u32 = 462;
const COLUMNS: usize = 9;
const LANES_PER_SLOT: usize = 16;

fn loops_on<K: Kernel>(kernel: K) -> Vec<Loop> {
    let mut random = SplitMix64::new(1);
    let mut records: Vec<Record> = (0..RECORDS)
        .map(|_| {
            let mut pair = || pair_index(random.below(COLUMNS as u32) as usize, random.below(COLUMNS as u32) as usize);
            let (first, second) = (pair(), pair());
            Record::new(first, second, random.below(COLUMNS as u32) as u8, random.below(RANKS) as u16)
        })
        .collect();
    records.sort_unstable();
    let mut loops = Vec::new();
    for (planes, has_third) in [(1, false), (2, false), (3, false), (4, false), (2, true)] {
        let tables = || Tables { planes, has_third, ..Tables::default() };
        let shape = format!("{planes} planes, {} tables", if has_third { 3 } else { 2 });
        let rows = vec![Block([1; 64]); RANKS as usize];
        let (these, of) = (records.clone(), tables());
        loops.push(Loop {
            name: format!("dot, {shape}, by 512 lanes"),
            items: (RECORDS * planes) as u64,
            run: Box::new(move || {
                let mut sums = [0; 16];
                kernel.dot(&of, black_box(&these), &rows, &mut sums);
                black_box(sums);
            }),
        });
        let (these, of) = (records.clone(), tables());
        let mut rows = vec![Block::ZERO; RANKS as usize];
        loops.push(Loop {
            name: format!("scatter, {shape}, by 512 lanes"),
            items: (RECORDS * planes) as u64,
            run: Box::new(move || kernel.scatter(&of, black_box(&these), black_box(&mut rows))),
        });
    }

    let lanes: Vec<u64> =
        (0..SLOTS * LANES_PER_SLOT).map(|_| random.next_u64() & random.next_u64() & ((1 << 56) - 1)).collect();
    let mut parent = Level::default();
    parent.fill(lanes.chunks(LANES_PER_SLOT).enumerate());
    let mut child = parent.clone();
    let source = parent.clone();
    loops.push(Loop {
        name: "filter, by lane".to_owned(),
        items: lanes.len() as u64,
        run: Box::new(move || kernel.filter(&source, black_box(1 << 7 | 1 << 35), black_box(&mut child))),
    });
    let mut bits = [Block::ZERO; 64];
    loops.push(Loop {
        name: "slice, by plane".to_owned(),
        items: 1,
        run: Box::new(move || kernel.slice(&parent, black_box(0), black_box(&mut bits))),
    });
    let Tables { first: free, second: mut table, .. } = Tables::default();
    loops.push(Loop {
        name: "pairs, 2 planes, by block".to_owned(),
        items: (COLUMNS * COLUMNS * 2) as u64,
        run: Box::new(move || kernel.pairs(&free, 2, black_box([1, 2]), COLUMNS, black_box(&mut table))),
    });
    loops
}
