//! Compares every kernel with plain arithmetic, bit by bit.

use super::loops::has_shape;
use super::planes::{Plane, Planes, Pools};
use super::record::{ProbeRecord, SegmentRecords, twins_first};
use super::*;
use crate::engine::kernel::{Portable, Token, match_kernel};
use crate::engine::two_color::tuples::{Rank, WEIGHT_CLASSES};
use crate::fuzz::{at, fuzz, list, one_of, within};
use crate::random::SplitMix64;

/// Calls a check with every kernel that this CPU has. The last one that a failed test prints is the one that failed.
macro_rules! on_every_kernel {
    ($check:ident($($argument:expr),*)) => {
        for kernel in crate::engine::Kernel::ALL.iter().filter_map(|kernel| kernel.detect()) {
            println!("{}", kernel.kernel());
            match_kernel!(kernel, token => $check(token, $($argument),*), scalar => ());
        }
    };
}

fn random_block(random: &mut SplitMix64) -> Block {
    Block(std::array::from_fn(|_| random.next_u64() as u8))
}

/// Returns the shapes that a slice can have with one kernel.
pub(crate) fn shapes_of<K: Loops>() -> impl Iterator<Item = Shape> {
    shapes().filter(|&shape| has_shape::<K>(Layout::Packed, shape))
}

/// Returns the shapes that a slice can have.
fn shapes() -> impl Iterator<Item = Shape> {
    let with_planes = |chunks| (0..=MOST_BLOCKS).map(move |planes| (chunks, planes));
    let in_place = (1..=2).flat_map(with_planes);
    let all =
        in_place.flat_map(|(chunks, planes)| (0..=MOST_PACKED).map(move |packed| Shape { chunks, planes, packed }));
    all.filter(|shape| (1..=MOST_BLOCKS).contains(&shape.blocks()))
}

fn random_tables(shape: Shape, has_third: bool, random: &mut SplitMix64) -> Tables {
    let mut tables = Tables { shape, has_third, ..Tables::default() };
    tables.from.fill_with(|| random_block(random));
    tables.blocks.fill_with(|| random_block(random));
    tables.starts = [3 * shape.blocks(), Tables::start_of_two_rows(0), Tables::start_of_two_rows(1)];
    tables
}

/// Returns tables in which every build placement is compatible with every record.
fn full_tables(shape: Shape) -> Tables {
    let mut tables = Tables { shape, ..Tables::default() };
    tables.blocks.fill(Block([255; 64]));
    tables
}

/// Returns random records, the twins first, and how many records are twins.
fn random_records(count: usize, ranks: u32, random: &mut SplitMix64) -> (Vec<ProbeRecord>, usize) {
    let mut record = || {
        let mut below = |bound| random.below(bound);
        ProbeRecord::new(below(256) as usize, below(256) as usize, below(16) as usize, Rank::new(below(ranks) as usize))
    };
    let mut records: Vec<_> = (0..count).map(|_| record()).collect();
    records.sort_unstable();
    let twins_count = twins_first(&mut records, &mut Vec::new());
    (records, twins_count)
}

/// Returns the compatible build placements of a byte of a block.
fn compatible_of(tables: &Tables, record: ProbeRecord, block: usize, byte: usize) -> u8 {
    let entry = |number: usize, index: usize| {
        tables.blocks[tables.starts[number] + index * tables.shape.blocks() + block].0[byte]
    };
    let third = if tables.has_third { entry(2, record.third()) } else { u8::MAX };
    entry(0, record.first()) & entry(1, record.second()) & third
}

/// Returns the number of compatible build placements of a slot of a chunk in the planes that are in place.
fn compatible_placements(tables: &Tables, record: ProbeRecord, chunk: usize, slot: usize) -> u32 {
    let planes = tables.shape.planes;
    (chunk * planes..(chunk + 1) * planes).map(|block| compatible_of(tables, record, block, slot).count_ones()).sum()
}

const RANKS: usize = 5;

/// The number of blocks of a row of each strip.
const WIDTH: usize = 5;

fn scatters<K: Loops>(kernel: K, tables: &Tables, (records, twins_count): (&[ProbeRecord], usize), first: usize) {
    if !has_shape::<K>(Layout::Packed, tables.shape) {
        return;
    }
    let mut blocks = vec![Block([200; 64]); RANKS * WIDTH];
    let SegmentRecords { twins, single } = SegmentRecords::new(records, twins_count);
    let mut strip = StripMut { blocks: &mut blocks, wide: None, width: WIDTH as u16, first };
    kernel.run(Scatter { tables, records: twins, strip: strip.reborrow() });
    kernel.run(Scatter { tables, records: single, strip });
    for (index, block) in blocks.iter().enumerate() {
        let (rank, chunk) = (index / WIDTH, (index % WIDTH).checked_sub(first));
        let chunk = chunk.filter(|&chunk| chunk < tables.shape.chunks);
        for slot in 0..SLOTS {
            let row_records = records.iter().filter(|record| record.rank() == rank);
            let count =
                |&record: &ProbeRecord| chunk.map_or(0, |chunk| compatible_placements(tables, record, chunk, slot));
            let expected: u32 = 200 + row_records.map(count).sum::<u32>();
            assert_eq!(u32::from(block.0[slot]), expected.min(255));
        }
    }
    // Records are counted three times without overflow: a byte and its 32 bits together have all counts.
    let (mut bytes, mut wide) = (vec![Block([FULL; 64]); blocks.len()], vec![WideBlock([900; SLOTS]); blocks.len()]);
    for _ in 0..3 {
        let mut strip = StripMut { blocks: &mut bytes, wide: Some(&mut wide), width: WIDTH as u16, first };
        kernel.run(Scatter { tables, records: twins, strip: strip.reborrow() });
        kernel.run(Scatter { tables, records: single, strip });
    }
    let mut once = vec![Block::ZERO; blocks.len()];
    let mut sums = vec![WideBlock([900 + u32::from(FULL); SLOTS]); blocks.len()];
    for record in twins.as_flattened().iter().chain(single.as_flattened()) {
        let strip = StripMut { blocks: &mut once, wide: None, width: WIDTH as u16, first };
        kernel.run(Scatter { tables, records: &[[*record]], strip });
        for (sums, once) in sums.iter_mut().zip(&mut once) {
            sums.0.iter_mut().zip(once.0).for_each(|(sum, count)| *sum += 3 * u32::from(count));
            *once = Block::ZERO;
        }
    }
    assert!(bytes.iter().flat_map(|block| block.0).all(|byte| byte <= FULL));
    for (index, sums) in sums.iter().enumerate() {
        let (bytes, wide) = (bytes[index].0, wide[index].0);
        let found: Vec<u32> = wide.iter().zip(bytes).map(|(&entry, byte)| entry + u32::from(byte)).collect();
        assert_eq!(&found[..], sums.0);
    }
}

fn multiplies<K: Loops>(kernel: K, tables: &Tables, records: &[ProbeRecord], blocks: &[Block], first: usize) {
    if !has_shape::<K>(Layout::Packed, tables.shape) {
        return;
    }
    // A shuffle reaches the places of a lane of each chunk.
    let mut tables = tables.clone();
    for (place, from) in tables.from.iter_mut().flat_map(|block| block.0.iter_mut().enumerate()) {
        let chunk = usize::from(*from) / SLOTS % tables.shape.chunks;
        *from = (SLOTS * chunk + place / K::LANE * K::LANE + usize::from(*from) % K::LANE) as u8;
    }
    let tables = &tables;
    let strip = Strip { blocks, width: WIDTH as u16, first };
    let mut sums = [[7; 16]; MOST_BLOCKS];
    kernel.run(Dot { tables, records, strip, sums: &mut sums, recount: None });
    // The sums are the same, whichever records are collected.
    let ranks: [bool; RANKS] = std::array::from_fn(|rank| blocks[rank].0[0] < 128);
    let (mut wanted, mut as_well) = (vec![ProbeRecord::default(); records.len()], [[7; 16]; MOST_BLOCKS]);
    let recount = Some(Recount { ranks: &ranks, records: &mut wanted });
    let found = kernel.run(Dot { tables, records, strip, sums: &mut as_well, recount });
    let expected: Vec<_> = records.iter().copied().filter(|record| ranks[record.rank()]).collect();
    assert_eq!((as_well, &wanted[..found]), (sums, &expected[..]));
    let entry = |record: ProbeRecord, slot: usize| {
        u32::from(blocks[record.rank() * WIDTH + first + slot / SLOTS].0[slot % SLOTS])
    };
    for (chunk, sums) in sums.iter().enumerate() {
        for (index, &sum) in sums.iter().enumerate() {
            let slot_sum = |place: usize| {
                let product = |&record: &ProbeRecord| {
                    let Shape { chunks, planes, packed } = tables.shape;
                    let in_place =
                        entry(record, SLOTS * chunk + place) * compatible_placements(tables, record, chunk, place);
                    let packed = (0..if chunk == 0 { packed } else { 0 }).map(|plane| {
                        let bits = compatible_of(tables, record, chunks * planes + plane, place);
                        entry(record, tables.from[plane].0[place].into()) * bits.count_ones()
                    });
                    in_place + packed.sum::<u32>()
                };
                records.iter().map(product).sum::<u32>()
            };
            let visited = chunk < tables.shape.chunks;
            let expected = if visited { (4 * index..4 * index + 4).map(slot_sum).sum::<u32>() } else { 0 };
            assert_eq!(sum.cast_unsigned(), 7 + expected);
        }
    }
}

fn sums_entries<K: Loops>(
    kernel: K,
    tables: &Tables,
    records: &[ProbeRecord],
    blocks: &[Block],
    remainders: &mut RecordRemainders,
) {
    let weight_classes: [u8; WIDTH * SUMS] = std::array::from_fn(|sum| (sum / 3 % WEIGHT_CLASSES) as u8);
    let strip = Strip { blocks, width: WIDTH as u16, first: 0 };
    let mut expected = [0; WEIGHT_CLASSES];
    for &record in records {
        for (place, &slot) in tables.slots[..PLACEMENTS_PER_BLOCK * tables.shape.chunks].iter().enumerate() {
            let (block, slot) = (place / PLACEMENTS_PER_BLOCK, usize::from(slot));
            let bits = compatible_of(tables, record, block, place % PLACEMENTS_PER_BLOCK / 8);
            let entry = blocks[record.rank() * WIDTH + slot / SLOTS].0[slot % SLOTS];
            expected[usize::from(weight_classes[slot / SUMMED])] +=
                u64::from(bits >> (place % 8) & 1) * u64::from(entry);
        }
    }
    assert_eq!(
        kernel.run(SumEntries { tables, records, strip, weight_classes: &weight_classes, remainders }),
        expected
    );
}

/// Filters and slices the placements of some slots, and checks the results.
fn filters_and_slices<K: Loops>(kernel: K, placements: &[Vec<u64>], mask: u64) {
    let (mut parent, mut child) = (Survivors::default(), Survivors::default());
    parent.fill(placements.iter().map(Vec::as_slice)).unwrap();
    child.reserve(&parent).unwrap();
    kernel.run(Filter { parent: &parent, diagonals: mask, child: &mut child });
    let mut bits = [Block::ZERO; 64];
    for (slot, placements) in placements.iter().enumerate() {
        let left: Vec<u64> = placements.iter().copied().filter(|placement| placement & mask == 0).collect();
        let range = child.starts[slot] as usize..child.starts[slot + 1] as usize;
        assert_eq!(&child.placements[range], &left[..]);
    }
    let mut planes = Planes::default();
    let most = parent.bytes_of_fullest();
    assert_eq!(most, placements.iter().map(|placements| placements.len().div_ceil(8)).max().unwrap_or(0));
    planes.lay_out(1, most);
    for plane in 0..=most {
        let number = Plane::InPlace { chunk: 0, number: plane };
        kernel.run(SlicePlane {
            survivors: std::slice::from_ref(&parent),
            planes: &planes,
            plane: number,
            bits: &mut bits,
        });
        for (slot, placements) in placements.iter().enumerate() {
            let mut here: Vec<u64> = placements.iter().copied().skip(8 * plane).take(8).collect();
            here.resize(8, u64::MAX);
            let placement =
                |place: usize| (0..64).map(|bit| u64::from(bits[bit].0[slot] >> place & 1) << bit).sum::<u64>();
            // Each kernel may choose the places of placements in their byte.
            let mut sliced: Vec<u64> = (0..8).map(placement).collect();
            sliced.sort_unstable();
            here.sort_unstable();
            assert_eq!(sliced, here);
        }
    }
}

fn tabulates<K: Loops>(kernel: K, blocks: usize, columns: usize, random: &mut SplitMix64) {
    let mut bits = vec![[Block::ZERO; 64]; blocks];
    bits.iter_mut().flatten().for_each(|block| *block = random_block(random));
    let squares: Vec<[u8; 2]> = (0..4 * columns).map(|_| [0; 2].map(|_| random.below(64) as u8)).collect();
    let mut single = vec![Block::ZERO; ENTRIES * blocks];
    kernel.run(OneRowTable { bits: &bits, squares: &squares, table: &mut single });
    let mut table = vec![Block::ZERO; ENTRIES * blocks];
    let counts = [0; 2].map(|_| random.below(columns as u32 + 1) as usize);
    let rows = [[columns, columns + counts[0]], [3 * columns, 3 * columns + counts[1]]];
    kernel.run(TwoRowTable { squares: &single, blocks, rows, table: &mut table });
    for block in 0..blocks {
        for slot in 0..SLOTS {
            let unattacked_by = |index: usize| {
                let [a, b] = squares[index].map(|bit| bits[block][usize::from(bit)].0[slot]);
                !(a | b)
            };
            for index in 0..squares.len() {
                assert_eq!(single[index * blocks + block].0[slot], unattacked_by(index));
            }
            for a in 0..counts[0] {
                for b in 0..counts[1] {
                    let entry = unattacked_by(columns + a) & unattacked_by(3 * columns + b);
                    assert_eq!(table[(counts[1] * a + b) * blocks + block].0[slot], entry);
                }
            }
        }
    }
}

fn transposes<K: Loops>(kernel: K, from: &[Block; 64]) {
    let mut to = [Block::ZERO; 64];
    kernel.run(Transpose { from, to: &mut to });
    for (i, row) in to.iter().enumerate() {
        for (j, byte) in row.0.iter().enumerate() {
            assert_eq!(*byte, from[j].0[i]);
        }
    }
}

fn drains<K: Loops>(kernel: K, bytes: &[Block]) {
    assert_eq!(kernel.run(Largest(bytes)), bytes.iter().flat_map(|block| block.0).max().unwrap_or(0));
    let (mut left, mut entries) = (bytes.to_vec(), vec![WideBlock([70_000; SLOTS]); bytes.len()]);
    for _ in 0..2 {
        kernel.run(Drain { bytes: &mut left, entries: &mut entries });
        assert!(left.iter().all(|block| *block == Block::ZERO));
        for (entries, bytes) in entries.iter().zip(bytes) {
            assert_eq!(*entries, WideBlock(bytes.0.map(|byte| 70_000 + u32::from(byte))));
        }
    }
}

#[test]
fn fuzz_kernels_count_compatible_placements() {
    let shapes: Vec<Shape> = shapes().collect();
    fuzz(256, |random| {
        let (shape, has_third, count) = (*one_of(random, &shapes), random.below(2) > 0, at(random, 40));
        let tables = random_tables(shape, has_third, random);
        let (records, twins_count) = random_records(count, RANKS as u32, random);
        let blocks: Vec<Block> = (0..RANKS * WIDTH).map(|_| random_block(random)).collect();
        let first = random.below((WIDTH - shape.chunks + 1) as u32) as usize;
        if shape.packed == 0 {
            on_every_kernel!(scatters(&tables, (&records, twins_count), first));
        }
        on_every_kernel!(multiplies(&tables, &records, &blocks, first));
    });
}

#[test]
fn fuzz_kernels_sum_entries() {
    fuzz(256, |random| {
        let (chunks, count, rarer) = (within(random, 1..MOST_TIGHT_BLOCKS + 1), at(random, 300), random.below(5));
        let [has_third, are_largest] = [(); 2].map(|()| random.below(2) > 0);
        let mut tables = random_tables(Shape::in_place(chunks, 1), has_third, random);
        for byte in tables.blocks.iter_mut().flat_map(|block| &mut block.0) {
            // All placements are compatible, or half of them, or ever fewer.
            *byte = (1..rarer).fold(if rarer == 0 { 255 } else { *byte }, |byte, _| byte & random.next_u64() as u8);
        }
        tables.slots.fill_with(|| random.below((WIDTH * SLOTS) as u32) as u16);
        let (records, _) = random_records(count, RANKS as u32, random);
        let block = |_| if are_largest { Block([255; 64]) } else { random_block(random) };
        let blocks: Vec<Block> = (0..RANKS * WIDTH).map(block).collect();
        on_every_kernel!(sums_entries(&tables, &records, &blocks, &mut RecordRemainders::default()));
    });
}

#[test]
fn fuzz_kernels_filter_and_slice() {
    fuzz(256, |random| {
        let (most, bits) = (random.below(20), 1 + random.below(7));
        let mut word = |bits| (0..bits).fold(0, |word, _| word | 1_u64 << random.below(NO_PLACEMENT));
        let mask = word(bits);
        let placements: Vec<u64> = (0..SLOTS as u32 * most).map(|_| word(bits)).collect();
        let mut rest = &placements[..];
        let placements: Vec<Vec<u64>> = (0..SLOTS)
            .map(|_| {
                let (here, after) = rest.split_at(rest.len().min(random.below(most.max(1)) as usize));
                rest = after;
                here.to_vec()
            })
            .collect();
        on_every_kernel!(filters_and_slices(&placements, mask));
    });
}

#[test]
fn fuzz_kernels_tabulate() {
    fuzz(256, |random| {
        let (blocks, columns) = (within(random, 1..MOST_BLOCKS + 1), at(random, 15));
        on_every_kernel!(tabulates(blocks, columns, random));
    });
}

#[test]
fn fuzz_kernels_drain_bytes() {
    fuzz(256, |random| {
        let most = random.below(256) as u8;
        let block = |random: &mut SplitMix64| Block(random_block(random).0.map(|byte| byte.min(most)));
        let bytes = list(random, 0..5, block);
        on_every_kernel!(drains(&bytes));
    });
}

#[test]
fn fuzz_kernels_transpose() {
    fuzz(256, |random| {
        let from = std::array::from_fn(|_| random_block(random));
        on_every_kernel!(transposes(&from));
    });
}

/// A packed plane says where the survivors of its bytes stand, which may be beyond the end of other survivors.
#[test]
fn planes_of_other_survivors_are_refused() {
    fn is_refused<K: Loops>(kernel: K, survivors: &Survivors, planes: &Planes) {
        let mut bits = [Block::ZERO; 64];
        let survivors = std::slice::from_ref(survivors);
        let slice = || kernel.run(SlicePlane { survivors, planes, plane: Plane::Packed(0), bits: &mut bits });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(slice)).is_err());
    }
    let (mut survivors, mut planes) = (Survivors::default(), Planes::default());
    survivors.fill((0..SLOTS).map(|slot| if slot == 20 { &[0; 128][..] } else { &[] })).unwrap();
    planes.pack(&[survivors], &Pools::new(&[[0; SUMS]], LANE), 1);
    assert_eq!(planes.shape, Shape { chunks: 1, planes: 0, packed: 1 });
    on_every_kernel!(is_refused(&Survivors::default(), &planes));
}

/// The most records that are allowed add as much as they can.
#[test]
fn the_most_records_do_not_overflow() {
    fn fills<K: Loops>(kernel: K, tables: &Tables, records: &[ProbeRecord]) {
        if !has_shape::<K>(Layout::Packed, tables.shape) {
            return;
        }
        let mut sums = [[0; 16]; 2];
        let strip = Strip { blocks: &[Block([255; 64]); 2], width: 2, first: 0 };
        kernel.run(Dot { tables, records, strip, sums: &mut sums, recount: None });
        let Shape { chunks, planes, packed } = tables.shape;
        let expected = [planes + packed, if chunks > 1 { planes } else { 0 }];
        assert_eq!(sums, expected.map(|planes| [i32::try_from(MOST_RECORDS * 4 * 255 * 8 * planes).unwrap(); 16]));
    }
    let records = vec![ProbeRecord::new(0, 0, 0, Rank::new(0)); MOST_RECORDS];
    for shape in shapes() {
        on_every_kernel!(fills(&full_tables(shape), &records));
    }
    assert!(i32::try_from((MOST_RECORDS + 1) * 4 * 255 * 8 * MOST_BLOCKS).is_err());
}

/// Twins add as much as they can to bytes that are as large as they may be.
#[test]
fn the_largest_counts_have_room_in_bytes() {
    fn adds<K: Loops>(kernel: K, tables: &Tables) {
        if !has_shape::<K>(Layout::Packed, tables.shape) {
            return;
        }
        let (mut bytes, mut wide) = ([Block([FULL; 64])], [WideBlock([900; SLOTS])]);
        let twins = [[ProbeRecord::new(0, 0, 0, Rank::new(0)); 2]];
        let strip = StripMut { blocks: &mut bytes, wide: Some(&mut wide), width: 1, first: 0 };
        kernel.run(Scatter { tables, records: &twins, strip });
        let added = 2 * 8 * tables.shape.planes as u32;
        assert_eq!((bytes, wide), ([Block::ZERO], [WideBlock([900 + u32::from(FULL) + added; SLOTS])]));
    }
    for planes in 1..=MOST_BLOCKS {
        on_every_kernel!(adds(&full_tables(Shape::in_place(1, planes))));
    }
}

/// A number of planes that no slice has must not be taken for another one.
#[test]
fn a_slice_without_planes_or_with_too_many_is_refused() {
    let shapes = [(1, 0, 0), (0, 1, 0), (1, MOST_BLOCKS + 1, 0), (2, 4, 0), (3, 3, 0), (7, 1, 0), (1, 5, 2), (2, 3, 1)];
    for (chunks, planes, packed) in shapes {
        let shape = Shape { chunks, planes, packed };
        let tables = Tables { shape, ..Tables::default() };
        let records = [ProbeRecord::new(0, 0, 0, Rank::new(0))];
        let blocks = [Block::ZERO; 8];
        let loops: [&dyn Fn(); 4] = [
            &|| {
                let strip = StripMut { blocks: &mut blocks.clone(), wide: None, width: 4, first: 0 };
                Portable.run(Scatter { tables: &tables, records: &[records], strip });
            },
            &|| {
                let (strip, sums) = (Strip { blocks: &blocks, width: 4, first: 0 }, &mut [[0; 16]; 4]);
                Portable.run(Dot { tables: &tables, records: &records, strip, sums, recount: None });
            },
            &|| {
                let (strip, remainders) =
                    (Strip { blocks: &blocks, width: 4, first: 0 }, &mut RecordRemainders::default());
                Portable.run(SumEntries {
                    tables: &tables,
                    records: &records,
                    strip,
                    weight_classes: &[0; 64],
                    remainders,
                });
            },
            &|| {
                let (squares, table) = (&tables.blocks, &mut tables.blocks.clone());
                Portable.run(TwoRowTable { squares, blocks: shape.blocks(), rows: [[0, 1], [1, 2]], table });
            },
        ];
        for run in loops {
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err(), "{shape:?}");
        }
    }
}
