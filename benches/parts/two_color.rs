//! Measures the innermost loops of the two-color engine.
//!
//! The times are per record and 512 build placements (`dot`, `scatter`), per build placement (`filter`), per plane of
//! 512 build placements (`slice`), per chunk of 64 slots (`pack`) and per entry of a table (`two-row table`). Most are
//! constants of the engine's cost model.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nqueens::engine::two_color::internals::{
    Block, Dot, Filter, Loops, Pack, Plane, Planes, Pools, ProbeRecord, Rank, SLOTS, SUMS, Scatter, Shape, SlicePlane,
    Strip, StripMut, SupportedKernel, Survivors, Tables, TwoRowTable, WideBlock,
};
use nqueens::engine::{Engine, Kernel};
use nqueens::random::SplitMix64;
use std::hint::black_box;
use std::time::Duration;

/// The sizes come from N = 22.
const RECORDS: usize = 300;
const RANKS: u32 = 462;
/// A segment has records for only some of the ranks, and several records for each of these.
const RECORDS_PER_RANK: u32 = 3;
const COLUMNS: u32 = 9;
const PLACEMENTS_PER_SLOT: usize = 16;

fn innermost_loops(criterion: &mut Criterion) {
    for kernel in Engine::TwoColor.kernels() {
        match kernel.detect().expect("this CPU has it") {
            SupportedKernel::Portable(token) => loops_on(criterion, kernel, token),
            #[cfg(target_arch = "x86_64")]
            SupportedKernel::Avx2(token) => loops_on(criterion, kernel, token),
            #[cfg(target_arch = "x86_64")]
            SupportedKernel::Avx512(token) => loops_on(criterion, kernel, token),
            #[cfg(target_arch = "aarch64")]
            SupportedKernel::Neon(token) => loops_on(criterion, kernel, token),
            SupportedKernel::Scalar => unreachable!("the engine has no such kernel"),
        }
    }
}

/// Measures the loops of a kernel one by one, on random numbers.
fn loops_on<K: Loops>(criterion: &mut Criterion, name: Kernel, kernel: K) {
    let mut bucket = criterion.benchmark_group(format!("two-color loops, {name}"));
    bucket.measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300)).sample_size(20);
    let mut measure = |name: &str, items: usize, run: &mut dyn FnMut()| {
        bucket.throughput(Throughput::Elements(items as u64));
        bucket.bench_function(name, |bencher| bencher.iter(&mut *run));
    };

    let random = &mut SplitMix64::new(1);
    let mut below = |bound| random.below(bound) as usize;
    let mut record = |key| {
        let mut pair = || below(COLUMNS * COLUMNS);
        let (first, second) = (pair(), pair());
        let rank = below(RECORDS as u32 / RECORDS_PER_RANK) * (RANKS * RECORDS_PER_RANK) as usize / RECORDS;
        ProbeRecord::new(first, second, key, Rank::new(rank))
    };
    let mut records: Vec<ProbeRecord> = (0..RECORDS).map(|index| record(index % COLUMNS as usize)).collect();
    records.sort_unstable();
    // Both records of a pair have the rank of the first.
    let with_rank_of = |record: ProbeRecord, other: ProbeRecord| {
        ProbeRecord::new(other.first(), other.second(), other.third(), Rank::new(record.rank()))
    };
    let pairs = records.as_chunks::<2>().0.iter().map(|&[one, two]| [one, with_rank_of(one, two)]);
    let pairs: Vec<[ProbeRecord; 2]> = pairs.collect();

    let mut matrix = vec![Block([1; 64]); 2 * RANKS as usize];
    let mut wide = vec![WideBlock::ZERO; matrix.len()];
    let mut entries = Tables::default().blocks;
    for block in &mut entries {
        block.0.fill_with(|| random.next_u64() as u8);
    }
    let mut placement = || random.next_u64() & random.next_u64() & ((1 << 56) - 1);
    let placements: Vec<u64> = (0..SLOTS * PLACEMENTS_PER_SLOT).map(|_| placement()).collect();
    let (mut parent, mut uneven) = (Survivors::default(), Survivors::default());
    let slots = placements.chunks(PLACEMENTS_PER_SLOT);
    parent.fill(slots.clone()).expect("there is memory");
    // Every second slot is empty, so that the two planes are packed into one.
    uneven.fill(slots.step_by(2).flat_map(|slot| [slot, &[]])).expect("there is memory");
    let (pools, mut packed) = (Pools::new(&[[0; SUMS]], K::LANE), Planes::default());
    let survivors = std::slice::from_ref(&uneven);
    kernel.run(Pack { planes: &mut packed, survivors, pools: &pools });

    let shapes = [(1, 1, 0, false), (2, 1, 0, false), (1, 2, 0, false), (2, 2, 0, true), (1, 4, 0, false)];
    for (chunks, planes, packed_planes, has_third) in shapes.into_iter().chain([(1, 3, 1, false), (2, 1, 1, false)]) {
        if packed_planes > K::PACKED_LIMIT {
            continue;
        }
        let shape = Shape { chunks, planes, packed: packed_planes };
        let mut tables = Tables { shape, has_third, from: packed.from, ..Tables::default() };
        tables.blocks.copy_from_slice(&entries);
        let tables_in_words = format!("{} tables", if has_third { 3 } else { 2 });
        let shape = format!("{chunks} x {planes} + {packed_planes} planes, {tables_in_words}");
        let items = RECORDS * (chunks * planes + packed_planes);
        let mut sums = [[0; SUMS]; 4];
        let strip = Strip { blocks: &matrix, width: chunks as u16, first: 0 };
        measure(&format!("dot, {shape}, by 512 build placements"), items, &mut || {
            kernel.run(Dot { tables: &tables, records: black_box(&records), strip, sums: &mut sums, recount: None });
        });
        if packed_planes > 0 {
            continue;
        }
        for (is_wide, note) in [(false, ""), (true, ", wide")] {
            matrix.fill(Block([1; 64]));
            measure(&format!("scatter, {shape}{note}, pairs, by 512 build placements"), items, &mut || {
                let wide = is_wide.then_some(&mut wide[..]);
                let strip = StripMut { blocks: black_box(&mut matrix), wide, width: chunks as u16, first: 0 };
                kernel.run(Scatter { tables: &tables, records: black_box(&pairs), strip });
            });
        }
    }
    let mut child = parent.clone();
    measure("filter, by build placement", placements.len(), &mut || {
        kernel.run(Filter { parent: &parent, diagonals: black_box(1 << 7 | 1 << 35), child: black_box(&mut child) });
    });
    if K::PACKED_LIMIT > 0 {
        measure("pack, by chunk", 1, &mut || {
            kernel.run(Pack { planes: black_box(&mut packed), survivors, pools: &pools });
        });
    }
    let mut planes = Planes::default();
    planes.lay_out(1, PLACEMENTS_PER_SLOT / 8);
    let (survivors, plane) = (std::slice::from_ref(&parent), Plane::InPlace { chunk: 0, number: 0 });
    let mut bits = [Block::ZERO; 64];
    measure("slice, by plane", 1, &mut || {
        kernel.run(SlicePlane { survivors, planes: &planes, plane: black_box(plane), bits: black_box(&mut bits) });
    });
    let mut tables = Tables::default();
    let (squares, table) = tables.squares_and_table(0);
    let rows = black_box([[1, 6], [6, 11]]);
    measure("two-row table, 2 planes, by block", 5 * 5 * 2, &mut || {
        kernel.run(TwoRowTable { squares, blocks: 2, rows, table: black_box(table) });
    });
    bucket.finish();
}

criterion_group!(benches, innermost_loops);
criterion_main!(benches);
