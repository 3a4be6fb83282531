//! Every kernel against plain arithmetic, bit by bit.

use super::super::probe_side::{RUN, Records, find_twins};
use super::super::tuples::Rank;
use super::*;
use crate::engine::kernel::{Portable, match_kernel};
use crate::estimate::SplitMix64;
use proptest::prelude::*;
use std::ops::Range;

/// Calls a check with every kernel that this CPU has.
macro_rules! on_every_kernel {
    ($check:ident($($argument:expr),*)) => {
        for kernel in crate::engine::Kernel::ALL.iter().filter_map(|kernel| kernel.detect()) {
            match_kernel!(kernel, token => $check(token, $($argument),*)?, scalar => ());
        }
    };
}

fn random_block(random: &mut SplitMix64) -> Block {
    Block(std::array::from_fn(|_| random.next_u64() as u8))
}

/// The shapes that a slice can have.
const SHAPES: [(usize, usize); 8] = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (3, 1), (4, 1)];

fn random_tables(shape: Shape, has_third: bool, is_packed: bool, random: &mut SplitMix64) -> Tables {
    let mut tables = Tables { shape, has_third, is_packed, ..Tables::default() };
    tables.from.fill_with(|| Block(std::array::from_fn(|_| random.below(16) as u8)));
    tables.blocks.fill_with(|| random_block(random));
    tables.starts = [3 * shape.blocks(), Tables::start_of_pairs(0), Tables::start_of_pairs(1)];
    tables
}

/// Tables in which every build placement is compatible with every record.
fn full_tables(shape: Shape) -> Tables {
    let mut tables = Tables { shape, ..Tables::default() };
    tables.blocks.fill(Block([255; 64]));
    tables
}

/// Random records, and how many of them are twins, which are the first.
fn random_records(count: usize, ranks: u32, random: &mut SplitMix64) -> (Vec<ProbeRecord>, usize) {
    let mut record = || {
        let mut below = |bound| random.below(bound);
        ProbeRecord::new(below(256) as usize, below(256) as usize, below(16) as usize, Rank::new(below(ranks) as usize))
    };
    let mut records: Vec<_> = (0..count).map(|_| record()).collect();
    records.sort_unstable();
    let twins = find_twins(&mut records, &mut Vec::new());
    (records, twins)
}

/// The number of compatible build placements at a place of some planes of a chunk, bit by bit.
fn compatible_at(tables: &Tables, record: ProbeRecord, chunk: usize, planes: Range<usize>, place: usize) -> u32 {
    let count = |plane: usize| {
        let block = chunk * tables.shape.planes + plane;
        let entry = |number: usize, index: usize| {
            tables.blocks[tables.starts[number] + index * tables.shape.blocks() + block].0[place]
        };
        let third = if tables.has_third { entry(2, record.third()) } else { u8::MAX };
        (entry(0, record.first()) & entry(1, record.second()) & third).count_ones()
    };
    planes.map(count).sum()
}

/// The number of compatible build placements of a slot of a chunk without packed planes.
fn compatible_placements(tables: &Tables, record: ProbeRecord, chunk: usize, slot: usize) -> u32 {
    compatible_at(tables, record, chunk, 0..tables.shape.planes, slot)
}

const RANKS: usize = 5;

/// The blocks of a row of the strips that are counted into or multiplied with.
const WIDTH: usize = 5;

fn scatters<K: Kernel>(
    kernel: K,
    tables: &Tables,
    (records, twins): (&[ProbeRecord], usize),
    first: usize,
) -> Result<(), TestCaseError> {
    let mut blocks = vec![Block([200; 64]); RANKS * WIDTH];
    let Records { twins, single } = Records::new(records, twins);
    let mut strip = StripMut { blocks: &mut blocks, wide: None, width: WIDTH, first };
    kernel.scatter(tables, twins, strip.again());
    kernel.scatter(tables, single, strip);
    for (index, block) in blocks.iter().enumerate() {
        let (rank, chunk) = (index / WIDTH, (index % WIDTH).checked_sub(first));
        let chunk = chunk.filter(|&chunk| chunk < tables.shape.chunks);
        for slot in 0..SLOTS {
            let of_row = records.iter().filter(|record| record.rank() == rank);
            let count =
                |&record: &ProbeRecord| chunk.map_or(0, |chunk| compatible_placements(tables, record, chunk, slot));
            let expected: u32 = 200 + of_row.map(count).sum::<u32>();
            prop_assert_eq!(u32::from(block.0[slot]), expected.min(255));
        }
    }
    // The same again and again: without overflow, and as much in bytes and words together.
    let (mut bytes, mut wide) = (vec![Block([FULL; 64]); blocks.len()], vec![WideBlock([900; SLOTS]); blocks.len()]);
    for _ in 0..3 {
        let mut strip = StripMut { blocks: &mut bytes, wide: Some(&mut wide), width: WIDTH, first };
        kernel.scatter(tables, twins, strip.again());
        kernel.scatter(tables, single, strip);
    }
    let mut once = vec![Block::ZERO; blocks.len()];
    let mut sums = vec![WideBlock([900 + u32::from(FULL); SLOTS]); blocks.len()];
    for record in twins.as_flattened().iter().chain(single.as_flattened()) {
        kernel.scatter(tables, &[[*record]], StripMut { blocks: &mut once, wide: None, width: WIDTH, first });
        for (sums, once) in sums.iter_mut().zip(&mut once) {
            sums.0.iter_mut().zip(once.0).for_each(|(sum, count)| *sum += 3 * u32::from(count));
            *once = Block::ZERO;
        }
    }
    prop_assert!(bytes.iter().flat_map(|block| block.0).all(|byte| byte <= FULL));
    for (index, sums) in sums.iter().enumerate() {
        let (bytes, wide) = (bytes[index].0, wide[index].0);
        let found: Vec<u32> = wide.iter().zip(bytes).map(|(&entry, byte)| entry + u32::from(byte)).collect();
        prop_assert_eq!(&found[..], sums.0);
    }
    Ok(())
}

fn multiplies<K: Kernel>(
    kernel: K,
    tables: &Tables,
    records: &[ProbeRecord],
    blocks: &[Block],
    first: usize,
) -> Result<(), TestCaseError> {
    let single = records.as_chunks::<1>().0;
    let mut sums = [[7; 16]; MOST_BLOCKS];
    kernel.dot(tables, single, [Strip { blocks, width: WIDTH, first }], [&mut sums]);
    let reversed: Vec<Block> = blocks.iter().rev().copied().collect();
    let [strip, other] = [blocks, &reversed].map(|blocks| Strip { blocks, width: WIDTH, first });
    let (mut one, mut two, mut of_other) = ([[7; 16]; MOST_BLOCKS], [[8; 16]; MOST_BLOCKS], [[8; 16]; MOST_BLOCKS]);
    kernel.dot(tables, single, [strip, other], [&mut one, &mut two]);
    kernel.dot(tables, single, [other], [&mut of_other]);
    prop_assert_eq!((one, two), (sums, of_other), "together as one by one");
    // Every record with one of the same key, its sibling.
    let siblings: Vec<[ProbeRecord; 2]> = records
        .iter()
        .zip(records.iter().rev())
        .map(|(&record, other)| {
            let second = if tables.has_third { other.second() } else { record.second() };
            [record, ProbeRecord::new(other.first(), second, record.third(), Rank::new(other.rank()))]
        })
        .collect();
    let (mut of_siblings, mut of_single) = ([[[7; 16]; MOST_BLOCKS]; 2], [[[7; 16]; MOST_BLOCKS]; 2]);
    kernel.dot(tables, &siblings, [strip, other], of_siblings.each_mut().map(|sums| &mut sums[..]));
    let single_siblings = siblings.as_flattened().as_chunks::<1>().0;
    kernel.dot(tables, single_siblings, [strip, other], of_single.each_mut().map(|sums| &mut sums[..]));
    prop_assert_eq!(of_siblings, of_single, "siblings as single records");
    let mut of_siblings = [[7; 16]; MOST_BLOCKS];
    kernel.dot(tables, &siblings, [strip], [&mut of_siblings]);
    prop_assert_eq!(of_siblings, of_single[0], "with one strip as with two");
    for (chunk, sums) in sums.iter().enumerate() {
        for (index, &sum) in sums.iter().enumerate() {
            let of_slot = |place: usize| {
                let product = |&record: &ProbeRecord| {
                    let entries = blocks[record.rank() * WIDTH + first + chunk].0.map(u32::from);
                    let planes = tables.shape.planes;
                    let in_place = if tables.is_packed { planes - 1 } else { planes };
                    let slot = place / 16 * 16 + usize::from(tables.from[chunk].0[place]);
                    entries[place] * compatible_at(tables, record, chunk, 0..in_place, place)
                        + entries[slot] * compatible_at(tables, record, chunk, in_place..planes, place)
                };
                records.iter().map(product).sum::<u32>()
            };
            let visited = chunk < tables.shape.chunks;
            let expected = if visited { (4 * index..4 * index + 4).map(of_slot).sum::<u32>() } else { 0 };
            prop_assert_eq!(sum.cast_unsigned(), 7 + expected);
        }
    }
    Ok(())
}

/// Lanes of some slots, and what a kernel does to them: it filters and slices.
fn filters_and_slices<K: Kernel>(kernel: K, placements: &[Vec<u64>], mask: u64) -> Result<(), TestCaseError> {
    let (mut parent, mut child) = (Survivors::default(), Survivors::default());
    parent.fill(placements.iter().map(Vec::as_slice).enumerate().filter(|(_, placements)| !placements.is_empty()));
    kernel.filter(&parent, mask, &mut child);
    let mut bits = [Block::ZERO; 64];
    for (slot, placements) in placements.iter().enumerate() {
        let left: Vec<u64> = placements.iter().copied().filter(|placement| placement & mask == 0).collect();
        let range = child.starts[slot] as usize..child.starts[slot + 1] as usize;
        prop_assert_eq!(&child.placements[range], &left[..]);
    }
    let mut planes = Planes::default();
    planes.lay_out(&parent);
    for plane in 0..=planes.count() {
        kernel.slice(&parent, &planes, plane, &mut bits);
        for (slot, placements) in placements.iter().enumerate() {
            let mut here: Vec<u64> = placements.iter().copied().skip(8 * plane).take(8).collect();
            here.resize(8, u64::MAX);
            let placement =
                |place: usize| (0..64).map(|bit| u64::from(bits[bit].0[slot] >> place & 1) << bit).sum::<u64>();
            // The places of placements in their byte are a kernel's own affair.
            let mut sliced: Vec<u64> = (0..8).map(placement).collect();
            sliced.sort_unstable();
            here.sort_unstable();
            prop_assert_eq!(sliced, here);
        }
    }
    Ok(())
}

fn tabulates<K: Kernel>(
    kernel: K,
    blocks: usize,
    columns: usize,
    random: &mut SplitMix64,
) -> Result<(), TestCaseError> {
    let mut bits = vec![[Block::ZERO; 64]; blocks];
    bits.iter_mut().flatten().for_each(|block| *block = random_block(random));
    let squares: Vec<ProbeSquare> = (0..4 * columns as u8)
        .map(|index| ProbeSquare { index, diagonals: [random.below(64) as u8, random.below(64) as u8] })
        .collect();
    let mut single = vec![Block::ZERO; PAIRS * blocks];
    kernel.unattacked(&bits, &squares, &mut single);
    let mut table = vec![Block::ZERO; PAIRS * blocks];
    kernel.pair_table(&single, blocks, [1, 3], columns, &mut table);
    for block in 0..blocks {
        for slot in 0..SLOTS {
            let unattacked_by = |index: usize| {
                let [a, b] = squares[index].diagonals.map(|bit| bits[block][usize::from(bit)].0[slot]);
                !(a | b)
            };
            for index in 0..squares.len() {
                prop_assert_eq!(single[index * blocks + block].0[slot], unattacked_by(index));
            }
            for a in 0..columns {
                for b in 0..columns {
                    let pair = unattacked_by(columns + a) & unattacked_by(3 * columns + b);
                    prop_assert_eq!(table[(columns * a + b) * blocks + block].0[slot], pair);
                }
            }
        }
    }
    Ok(())
}

fn finds_siblings<K: Kernel>(
    kernel: K,
    lengths: &[usize],
    ends: [usize; 2],
    lowest: usize,
    random: &mut SplitMix64,
) -> Result<(), TestCaseError> {
    let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])].map(|end| lowest + end);
    let runs: Vec<Vec<ProbeRecord>> = (0..)
        .zip(lengths)
        .map(|(key, &length)| {
            let mut record =
                || ProbeRecord::new(random.below(256) as usize, key, 0, Rank::new(lowest + random.below(9) as usize));
            let mut run: Vec<_> = (0..length).map(|_| record()).collect();
            run.sort_unstable();
            run
        })
        .collect();
    let mut records = runs.concat();
    records.resize(records.len() + RUN, ProbeRecord::default());
    let lengths: Vec<u8> = lengths.iter().map(|&length| length as u8).collect();
    let before = ProbeRecord::new(1, 2, 3, Rank::new(4));
    let [mut siblings, mut single, mut others] = [(); 3].map(|()| vec![before]);
    kernel.find_siblings((&records, &lengths), ends, &mut siblings, &mut single, &mut others);
    let [mut expected, mut left, mut rest] = [(); 3].map(|()| vec![before]);
    for run in &runs {
        let visited: Vec<_> = run.iter().copied().filter(|record| record.rank() < ends[0]).collect();
        let (pairs, odd) = visited.as_chunks::<2>();
        expected.extend(pairs.as_flattened());
        left.extend(odd);
        rest.extend(run.iter().filter(|record| (ends[0]..ends[1]).contains(&record.rank())));
    }
    prop_assert_eq!((siblings, single, others), (expected, left, rest));
    Ok(())
}

fn transposes<K: Kernel>(kernel: K, from: &[Block; 64]) -> Result<(), TestCaseError> {
    let mut to = [Block::ZERO; 64];
    kernel.transpose(from, &mut to);
    for (i, row) in to.iter().enumerate() {
        for (j, byte) in row.0.iter().enumerate() {
            prop_assert_eq!(*byte, from[j].0[i]);
        }
    }
    Ok(())
}

fn drains<K: Kernel>(kernel: K, bytes: &[Block]) -> Result<(), TestCaseError> {
    prop_assert_eq!(kernel.largest(bytes), bytes.iter().flat_map(|block| block.0).max().unwrap_or(0));
    let (mut left, mut entries) = (bytes.to_vec(), vec![WideBlock([70_000; SLOTS]); bytes.len()]);
    for _ in 0..2 {
        kernel.drain(&mut left, &mut entries);
        prop_assert!(left.iter().all(|block| *block == Block::ZERO));
        for (entries, bytes) in entries.iter().zip(bytes) {
            prop_assert_eq!(*entries, WideBlock(bytes.0.map(|byte| 70_000 + u32::from(byte))));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn kernels_count_compatible_placements(
        (chunks, planes) in proptest::sample::select(&SHAPES[..]),
        has_third: bool,
        is_packed: bool,
        count in 0_usize..40,
        seed: u64,
    ) {
        let random = &mut SplitMix64::new(seed);
        let tables = random_tables(Shape { chunks, planes }, has_third, is_packed, random);
        let (records, twins) = random_records(count, RANKS as u32, random);
        let blocks: Vec<Block> = (0..RANKS * WIDTH).map(|_| random_block(random)).collect();
        let first = random.below((WIDTH - chunks + 1) as u32) as usize;
        if !is_packed {
            on_every_kernel!(scatters(&tables, (&records, twins), first));
        }
        on_every_kernel!(multiplies(&tables, &records, &blocks, first));
    }

    #[test]
    fn kernels_find_siblings(
        lengths in proptest::collection::vec(1..=RUN, 0..9),
        ends: [u8; 2],
        lowest in proptest::sample::select(&[0, 4087][..]),
        seed: u64,
    ) {
        let random = &mut SplitMix64::new(seed);
        on_every_kernel!(finds_siblings(&lengths, ends.map(|end| usize::from(end) % 10), lowest, random));
    }

    #[test]
    fn kernels_filter_and_slice(most in 0_u32..20, bits in 1_u32..8, seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let mut word = |bits| (0..bits).fold(0, |word, _| word | 1_u64 << random.below(NO_PLACEMENT));
        let mask = word(bits);
        let placements: Vec<u64> = (0..SLOTS as u32 * most).map(|_| word(bits)).collect();
        let mut rest = &placements[..];
        let placements: Vec<Vec<u64>> = (0..SLOTS).map(|_| {
            let (here, after) = rest.split_at(rest.len().min(random.below(most.max(1)) as usize));
            rest = after;
            here.to_vec()
        }).collect();
        on_every_kernel!(filters_and_slices(&placements, mask));
    }

    #[test]
    fn kernels_tabulate(blocks in 1..=MOST_BLOCKS, columns in 0_usize..=14, seed: u64) {
        on_every_kernel!(tabulates(blocks, columns, &mut SplitMix64::new(seed)));
    }

    #[test]
    fn kernels_drain_bytes(length in 0_usize..5, most: u8, seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let mut block = || Block(std::array::from_fn(|_| (random.next_u64() as u8).min(most)));
        let bytes: Vec<Block> = (0..length).map(|_| block()).collect();
        on_every_kernel!(drains(&bytes));
    }

    #[test]
    fn kernels_transpose(seed: u64) {
        let random = &mut SplitMix64::new(seed);
        let from = std::array::from_fn(|_| random_block(random));
        on_every_kernel!(transposes(&from));
    }
}

/// As many records as are allowed, each adding as much as one can.
#[test]
fn the_most_records_do_not_overflow() {
    fn fills<K: Kernel>(kernel: K, tables: &Tables, records: &[ProbeRecord]) -> Result<(), TestCaseError> {
        let mut sums = [[0; 16]];
        let strip = Strip { blocks: &[Block([255; 64])], width: 1, first: 0 };
        kernel.dot(tables, records.as_chunks::<1>().0, [strip], [&mut sums]);
        let each = 4 * 255 * 8 * tables.shape.planes;
        prop_assert_eq!(sums[0], [i32::try_from(MOST_RECORDS * each).unwrap(); 16]);
        let (siblings, rest) = records.as_chunks::<2>();
        let mut sums = [[0; 16]];
        kernel.dot(tables, siblings, [strip], [&mut sums]);
        prop_assert_eq!(sums[0], [i32::try_from((MOST_RECORDS - rest.len()) * each).unwrap(); 16]);
        Ok(())
    }
    let records = vec![ProbeRecord::new(0, 0, 0, Rank::new(0)); MOST_RECORDS];
    let all = |planes, is_packed| -> Result<(), TestCaseError> {
        let tables = Tables { is_packed, ..full_tables(Shape { chunks: 1, planes }) };
        on_every_kernel!(fills(&tables, &records));
        Ok(())
    };
    for planes in 1..=MOST_BLOCKS {
        all(planes, false).unwrap();
        all(planes, true).unwrap();
    }
    assert!(i32::try_from((MOST_RECORDS + 1) * 4 * 255 * 8 * MOST_BLOCKS).is_err());
}

/// The most that twins can add to bytes that are as large as they may be.
#[test]
fn the_largest_counts_have_room_in_bytes() {
    fn adds<K: Kernel>(kernel: K, tables: &Tables) -> Result<(), TestCaseError> {
        let (mut bytes, mut wide) = ([Block([FULL; 64])], [WideBlock([900; SLOTS])]);
        let twins = [[ProbeRecord::new(0, 0, 0, Rank::new(0)); 2]];
        kernel.scatter(tables, &twins, StripMut { blocks: &mut bytes, wide: Some(&mut wide), width: 1, first: 0 });
        let added = 2 * 8 * tables.shape.planes as u32;
        prop_assert_eq!((bytes, wide), ([Block::ZERO], [WideBlock([900 + u32::from(FULL) + added; SLOTS])]));
        Ok(())
    }
    let all = |planes| -> Result<(), TestCaseError> {
        let tables = full_tables(Shape { chunks: 1, planes });
        on_every_kernel!(adds(&tables));
        Ok(())
    };
    (1..=MOST_BLOCKS).for_each(|planes| all(planes).unwrap());
}

/// A number of planes that no slice has must not be taken for another one.
#[test]
fn a_slice_without_planes_or_with_too_many_is_refused() {
    for (chunks, planes) in [(1, 0), (0, 1), (1, MOST_BLOCKS + 1), (2, 3), (3, 2)] {
        let shape = Shape { chunks, planes };
        let tables = Tables { shape, ..Tables::default() };
        let records = [ProbeRecord::new(0, 0, 0, Rank::new(0))];
        let blocks = [Block::ZERO; 8];
        let loops: [&dyn Fn(); 3] = [
            &|| {
                let strip = StripMut { blocks: &mut blocks.clone(), wide: None, width: 4, first: 0 };
                Portable.scatter(&tables, &[records], strip);
            },
            &|| Portable.dot(&tables, &[records], [Strip { blocks: &blocks, width: 4, first: 0 }], [&mut [[0; 16]; 4]]),
            &|| Portable.pair_table(&tables.blocks, shape.blocks(), [0, 1], 1, &mut tables.blocks.clone()),
        ];
        for run in loops {
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err(), "{shape:?}");
        }
    }
}
