//! Every kernel against plain arithmetic, bit by bit.

use super::super::tuples::Rank;
use super::*;
use crate::engine::kernel::{Portable, match_kernel};
use crate::estimate::SplitMix64;
use proptest::prelude::*;

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

fn random_tables(planes: usize, has_third: bool, random: &mut SplitMix64) -> Tables {
    let mut tables = Tables { planes, has_third, ..Tables::default() };
    for table in [&mut tables.first, &mut tables.second, &mut tables.third] {
        table.fill_with(|| random_block(random));
    }
    tables
}

fn random_records(count: usize, ranks: u32, random: &mut SplitMix64) -> Vec<ProbeRecord> {
    let mut record = || {
        let mut below = |bound| random.below(bound);
        ProbeRecord::new(below(256) as usize, below(256) as usize, below(16) as usize, Rank::new(below(ranks) as usize))
    };
    (0..count).map(|_| record()).collect()
}

/// The number of compatible build placements of a slot, bit by bit.
fn compatible_placements(tables: &Tables, record: ProbeRecord, slot: usize) -> u32 {
    let count = |plane: usize| {
        let entry = |table: &[Block], index: usize| table[index * tables.planes + plane].0[slot];
        let third = if tables.has_third { entry(&tables.third, record.third()) } else { u8::MAX };
        (entry(&tables.first, record.first()) & entry(&tables.second, record.second()) & third).count_ones()
    };
    (0..tables.planes).map(count).sum()
}

const RANKS: usize = 5;

fn scatters<K: Kernel>(kernel: K, tables: &Tables, records: &[ProbeRecord]) -> Result<(), TestCaseError> {
    let mut rows = vec![Block([200; 64]); RANKS];
    kernel.scatter(tables, records, &mut rows);
    for (rank, row) in rows.iter().enumerate() {
        for slot in 0..SLOTS {
            let of_row = records.iter().filter(|record| record.rank() == rank);
            let expected: u32 = 200 + of_row.map(|&record| compatible_placements(tables, record, slot)).sum::<u32>();
            prop_assert_eq!(u32::from(row.0[slot]), expected.min(255));
        }
    }
    Ok(())
}

fn multiplies<K: Kernel>(
    kernel: K,
    tables: &Tables,
    records: &[ProbeRecord],
    rows: &[Block],
) -> Result<(), TestCaseError> {
    let mut sums = [7; 16];
    kernel.dot(tables, records, rows, &mut sums);
    for (index, &sum) in sums.iter().enumerate() {
        let of_slot = |slot: usize| {
            let product = |&record: &ProbeRecord| {
                u32::from(rows[record.rank()].0[slot]) * compatible_placements(tables, record, slot)
            };
            records.iter().map(product).sum::<u32>()
        };
        let expected: u32 = 7 + (4 * index..4 * index + 4).map(of_slot).sum::<u32>();
        prop_assert_eq!(sum.cast_unsigned(), expected);
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
    for plane in 0..=parent.planes() {
        kernel.slice(&parent, plane, &mut bits);
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
    planes: usize,
    columns: usize,
    random: &mut SplitMix64,
) -> Result<(), TestCaseError> {
    let mut bits = vec![[Block::ZERO; 64]; planes];
    bits.iter_mut().flatten().for_each(|block| *block = random_block(random));
    let squares: Vec<ProbeSquare> = (0..4 * COLUMNS as u8)
        .map(|index| ProbeSquare { index, diagonals: [random.below(64) as u8, random.below(64) as u8] })
        .collect();
    let mut single = vec![Block::ZERO; PAIRS * planes];
    kernel.unattacked(&bits, &squares, &mut single);
    let mut table = vec![Block::ZERO; PAIRS * planes];
    kernel.pair_table(&single, planes, [1, 3], columns, &mut table);
    for plane in 0..planes {
        for slot in 0..SLOTS {
            let unattacked_by = |index: usize| {
                let [a, b] = squares[index].diagonals.map(|bit| bits[plane][usize::from(bit)].0[slot]);
                !(a | b)
            };
            for index in 0..squares.len() {
                prop_assert_eq!(single[index * planes + plane].0[slot], unattacked_by(index));
            }
            for a in 0..columns {
                for b in 0..columns {
                    let pair = unattacked_by(COLUMNS + a) & unattacked_by(3 * COLUMNS + b);
                    prop_assert_eq!(table[(COLUMNS * a + b) * planes + plane].0[slot], pair);
                }
            }
        }
    }
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

proptest! {
    #[test]
    fn kernels_count_compatible_placements(
        planes in 1..=MOST_PLANES,
        has_third: bool,
        count in 0_usize..40,
        seed: u64,
    ) {
        let random = &mut SplitMix64::new(seed);
        let tables = random_tables(planes, has_third, random);
        let records = random_records(count, RANKS as u32, random);
        let rows: Vec<Block> = (0..RANKS).map(|_| random_block(random)).collect();
        on_every_kernel!(scatters(&tables, &records));
        on_every_kernel!(multiplies(&tables, &records, &rows));
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
    fn kernels_tabulate(planes in 1..=MOST_PLANES, columns in 0_usize..=14, seed: u64) {
        on_every_kernel!(tabulates(planes, columns, &mut SplitMix64::new(seed)));
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
        let mut sums = [0; 16];
        kernel.dot(tables, records, &[Block([255; 64])], &mut sums);
        let each = 4 * 255 * 8 * MOST_PLANES;
        prop_assert_eq!(sums, [i32::try_from(MOST_RECORDS * each).unwrap(); 16]);
        prop_assert!(i32::try_from((MOST_RECORDS + 1) * each).is_err());
        Ok(())
    }
    let mut tables = Tables { planes: MOST_PLANES, ..Tables::default() };
    tables.first.fill(Block([255; 64]));
    tables.second.fill(Block([255; 64]));
    let records = vec![ProbeRecord::new(0, 0, 0, Rank::new(0)); MOST_RECORDS];
    let all = || -> Result<(), TestCaseError> {
        on_every_kernel!(fills(&tables, &records));
        Ok(())
    };
    all().unwrap();
}

/// A number of planes that no slice has must not be taken for another one.
#[test]
fn a_slice_without_planes_or_with_too_many_is_refused() {
    for planes in [0, MOST_PLANES + 1] {
        let tables = Tables { planes, ..Tables::default() };
        let records = [ProbeRecord::new(0, 0, 0, Rank::new(0))];
        let loops: [&dyn Fn(); 3] = [
            &|| Portable.scatter(&tables, &records, &mut [Block::ZERO]),
            &|| Portable.dot(&tables, &records, &[Block::ZERO], &mut [0; 16]),
            &|| Portable.pair_table(&tables.first, planes, [0, 1], 1, &mut tables.second.clone()),
        ];
        for run in loops {
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err(), "{planes} planes");
        }
    }
}
