//! The innermost loops, written once over a narrow set of vector operations.
//!
//! A *lane* is one placement of a class; a *slot* is a byte with room for eight lanes of one column set; a *plane* is 64
//! slots side by side, one for each of 64 column sets. A *slice* is up to [`MOST_PLANES`] planes of the same column sets.
//! For every square of another class a slice has the lanes that do not attack it, one bit each; the AND over the squares of
//! a placement leaves the lanes compatible with it, and a population count of the bytes says how many those are of each
//! column set.
// A loop is compiled for the features of a CPU only where all it calls is inlined into it.
#![allow(clippy::inline_always)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use super::lists::Record;
use std::fmt::Debug;

/// 64 bytes, as wide as the widest vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Block(pub(super) [u8; 64]);

impl Block {
    pub(super) const ZERO: Block = Block([0; 64]);
}

/// The most planes of a slice.
pub(super) const MOST_PLANES: usize = 4;

/// The number of slots of a plane: one byte of a [`Block`] each.
pub(super) const SLOTS: usize = 64;

/// The room of a table of pairs of squares: the values of a byte.
pub(super) const TABLE: usize = 256;

/// The bit of a lane that is set where there is no lane at all.
pub(super) const NO_LANE: u32 = 63;

/// Lanes of 64 column sets, in the order of their slots.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// The lanes, and [`Level::PADDING`] more that mean nothing.
    lanes: Vec<u64>,
    /// Where the lanes of each slot begin, and where those of the last end.
    starts: [u32; SLOTS + 1],
    /// Which lanes of the parent are its own, 64 to a word, and how many come before each word: memory of `filter`.
    kept: Vec<(u64, u32)>,
}

impl Default for Level {
    fn default() -> Self {
        Self { lanes: vec![0; Level::PADDING], starts: [0; _], kept: Vec::new() }
    }
}

impl Level {
    const PADDING: usize = 64;

    /// Makes room for as many lanes.
    fn reserve(&mut self, lanes: usize) {
        if self.lanes.len() < lanes + Self::PADDING {
            self.lanes.resize(lanes + Self::PADDING, 0);
        }
    }

    /// Fills it with the lanes of some slots: pairs of a slot and its lanes, the slots ascending.
    pub(super) fn fill<'a>(&mut self, slots: impl Iterator<Item = (usize, &'a [u64])>) {
        self.lanes.clear();
        let mut next = 0;
        for (slot, lanes) in slots {
            self.starts[next..=slot].fill(self.lanes.len() as u32);
            next = slot + 1;
            self.lanes.extend_from_slice(lanes);
        }
        self.starts[next..].fill(self.lanes.len() as u32);
        self.lanes.resize(self.lanes.len() + Self::PADDING, 0);
    }

    /// The number of lanes.
    pub(super) fn len(&self) -> usize {
        self.starts[SLOTS] as usize
    }

    /// The planes it takes to give every lane a bit of its slot.
    pub(super) fn planes(&self) -> usize {
        let most = self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        most.div_ceil(8) as usize
    }

    /// The first lane of a slot in a plane, and how many there are, at most 8.
    #[inline(always)]
    fn lanes_of(&self, slot: usize, plane: usize) -> (usize, usize) {
        let start = self.starts[slot] as usize + 8 * plane;
        let end = self.starts[slot + 1] as usize;
        (start, end.saturating_sub(start).min(8))
    }
}

/// The lanes compatible with the squares of two pairs of rows, for the planes of one slice: entry *i* of a table begins at
/// block *i* · planes.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) planes: usize,
    pub(super) first: Vec<Block>,
    pub(super) second: Vec<Block>,
    /// For the fifth row of a tail, if there is one.
    pub(super) third: Vec<Block>,
    pub(super) has_third: bool,
}

impl Default for Tables {
    fn default() -> Self {
        let table = vec![Block::ZERO; TABLE * MOST_PLANES];
        Self {
            planes: 1,
            first: table.clone(),
            second: table,
            third: vec![Block::ZERO; COLUMNS * MOST_PLANES],
            has_third: false,
        }
    }
}

/// The room of a table of single squares.
const COLUMNS: usize = 16;

/// The tables of a slice of `P` planes.
struct Entries<'a, const P: usize> {
    first: &'a [[Block; P]; TABLE],
    second: &'a [[Block; P]; TABLE],
    third: &'a [[Block; P]; COLUMNS],
}

impl<'a, const P: usize> Entries<'a, P> {
    #[inline(always)]
    fn new(tables: &'a Tables) -> Self {
        Self { first: entries(&tables.first), second: entries(&tables.second), third: entries(&tables.third) }
    }
}

/// The first entries of a table, of `P` blocks each.
#[inline(always)]
fn entries<const P: usize, const LENGTH: usize>(blocks: &[Block]) -> &[[Block; P]; LENGTH] {
    blocks[..LENGTH * P].as_chunks().0.try_into().expect("the length fits")
}

/// The first entries of a table, of `P` blocks each.
#[inline(always)]
fn entries_mut<const P: usize, const LENGTH: usize>(blocks: &mut [Block]) -> &mut [[Block; P]; LENGTH] {
    blocks[..LENGTH * P].as_chunks_mut().0.try_into().expect("the length fits")
}

/// A square of the list's class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Square {
    /// Its place in the array of the lanes that do not attack it: [`pair_index`] of row and column.
    pub(super) index: u8,
    /// The bits of its diagonal and its anti-diagonal.
    pub(super) diagonals: [u8; 2],
}

/// The innermost loops of the engine, for one instruction set. Its token has them, which proves that the CPU has the
/// instructions.
pub(super) trait Kernel: Copy + Debug + 'static {
    /// Adds, for every record, the number of compatible lanes of each slot to the row that the record's rank names. A
    /// byte that would exceed 255 stays at 255.
    fn scatter(self, tables: &Tables, records: &[Record], rows: &mut [Block]);

    /// Adds, for every record, the number of compatible lanes of each slot times that slot's byte of the row that the
    /// record's rank names: four neighbouring slots to one sum. At most [`MOST_RECORDS`] records.
    fn dot(self, tables: &Tables, records: &[Record], rows: &[Block], sums: &mut [i32; 16]);

    /// Puts the lanes of `parent` whose bits do not meet `mask` into `child`.
    fn filter(self, parent: &Level, mask: u64, child: &mut Level);

    /// Turns a plane of lanes into bit sets: block *b* has a bit for each lane that has bit *b*. Bits without a lane have
    /// [`NO_LANE`].
    fn slice(self, level: &Level, plane: usize, bits: &mut [Block; 64]);

    /// The lanes of every plane that do not attack a square, for every square.
    fn free(self, bits: &[[Block; 64]], squares: &[Square], free: &mut [Block]);

    /// The lanes that attack no square of a pair, for all pairs of the first `columns` columns in two rows.
    fn pairs(self, free: &[Block], planes: usize, rows: [usize; 2], columns: usize, table: &mut [Block]);

    /// Byte *i* of row *j* becomes byte *j* of row *i*.
    fn transpose(self, from: &[Block; 64], to: &mut [Block; 64]);
}

/// The most records that [`Kernel::dot`] adds up without overflow: each adds at most 4 · 255 · 8 · [`MOST_PLANES`] to a sum.
pub(super) const MOST_RECORDS: usize = i32::MAX as usize / (4 * 255 * 8 * MOST_PLANES);

/// Methods of [`Kernel`] for a token, each a loop compiled for the named features of the CPU, which the token proves.
#[cfg(target_arch = "x86_64")]
macro_rules! with_features {
    ($features:literal, $(fn $name:ident($token:ident, $($argument:ident: $kind:ty),*) { $body:expr })*) => {
        $(fn $name(self, $($argument: $kind),*) {
            #[target_feature(enable = $features)]
            fn compiled($token: Token, $($argument: $kind),*) {
                $body;
            }
            // SAFETY: `self` exists only where detection found that this CPU has the features.
            unsafe { compiled(self, $($argument),*) }
        })*
    };
}
#[cfg(target_arch = "x86_64")]
use with_features;

/// A vector of 64 bytes.
///
/// Vectors are made from the [`Token`](Self::Token) of their instruction set and from other vectors, so that a vector is
/// itself the proof that the CPU has the instructions its methods use. All methods are `#[inline(always)]`: a loop over
/// them is fast in a function that is compiled for the instruction set, and merely slow in any other.
trait Vector: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Copy;
    /// Sixteen sums of 32 bits.
    type Sums: Copy;

    fn load(token: Self::Token, from: &Block) -> Self;
    fn store(self, to: &mut Block);
    fn and(self, other: Self) -> Self;
    /// `!(self | other)`
    fn nor(self, other: Self) -> Self;
    /// The number of ones of every byte.
    fn count_ones(self) -> Self;
    fn add_bytes(self, other: Self) -> Self;
    fn add_bytes_saturating(self, other: Self) -> Self;
    /// Sixteen zeros.
    fn no_sums(token: Self::Token) -> Self::Sums;
    /// Adds the products of all bytes of `self` and of `counts`, which are below 128, four neighbours to one sum.
    fn add_products(self, counts: Self, sums: Self::Sums) -> Self::Sums;
    fn add_sums(sums: Self::Sums, to: &mut [i32; 16]);
}

/// The number of compatible lanes of every slot for one record.
#[inline(always)]
fn compatible<V: Vector, const P: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<P>,
    record: Record,
) -> V {
    let mut counts = compatible_lanes::<V, P, THIRD>(token, entries, record, 0).count_ones();
    for plane in 1..P {
        counts = counts.add_bytes(compatible_lanes::<V, P, THIRD>(token, entries, record, plane).count_ones());
    }
    counts
}

#[inline(always)]
fn compatible_lanes<V: Vector, const P: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<P>,
    record: Record,
    plane: usize,
) -> V {
    let [first, second] = [&entries.first[record.first()], &entries.second[record.second()]];
    let lanes = V::load(token, &first[plane]).and(V::load(token, &second[plane]));
    if THIRD { lanes.and(V::load(token, &entries.third[record.third()][plane])) } else { lanes }
}

/// Calls a loop compiled for the planes and the rows of some tables.
macro_rules! with_shape {
    ($tables:expr, $function:ident::<$V:ty>($($argument:expr),*)) => {
        match ($tables.planes, $tables.has_third) {
            (1, false) => $function::<$V, 1, false>($($argument),*),
            (2, false) => $function::<$V, 2, false>($($argument),*),
            (3, false) => $function::<$V, 3, false>($($argument),*),
            (MOST_PLANES, false) => $function::<$V, MOST_PLANES, false>($($argument),*),
            (1, true) => $function::<$V, 1, true>($($argument),*),
            (2, true) => $function::<$V, 2, true>($($argument),*),
            (3, true) => $function::<$V, 3, true>($($argument),*),
            (MOST_PLANES, true) => $function::<$V, MOST_PLANES, true>($($argument),*),
            (planes, _) => no_such_slice(planes),
        }
    };
}

/// Panics: a slice has from 1 to [`MOST_PLANES`] planes.
#[cold]
fn no_such_slice(planes: usize) -> ! {
    panic!("a slice has from 1 to {MOST_PLANES} planes, not {planes}")
}

const _: () = assert!(MOST_PLANES == 4, "there is a loop for each number of planes");

#[inline(always)]
fn scatter<V: Vector>(token: V::Token, tables: &Tables, records: &[Record], rows: &mut [Block]) {
    #[inline(always)]
    fn shaped<V: Vector, const P: usize, const T: bool>(
        token: V::Token,
        tables: &Tables,
        records: &[Record],
        rows: &mut [Block],
    ) {
        let entries = Entries::new(tables);
        for &record in records {
            let counts = compatible::<V, P, T>(token, &entries, record);
            let row = &mut rows[record.rank()];
            V::load(token, row).add_bytes_saturating(counts).store(row);
        }
    }
    with_shape!(tables, shaped::<V>(token, tables, records, rows));
}

#[inline(always)]
fn dot<V: Vector>(token: V::Token, tables: &Tables, records: &[Record], rows: &[Block], sums: &mut [i32; 16]) {
    #[inline(always)]
    fn shaped<V: Vector, const P: usize, const T: bool>(
        token: V::Token,
        tables: &Tables,
        records: &[Record],
        rows: &[Block],
        sums: &mut [i32; 16],
    ) {
        let entries = Entries::new(tables);
        let add = |record: Record, to: V::Sums| {
            V::load(token, &rows[record.rank()]).add_products(compatible::<V, P, T>(token, &entries, record), to)
        };
        // Two chains of additions, because one would be waited for.
        let (mut even, mut odd) = (V::no_sums(token), V::no_sums(token));
        let (pairs, rest) = records.as_chunks::<2>();
        for &[a, b] in pairs {
            even = add(a, even);
            odd = add(b, odd);
        }
        for &record in rest {
            even = add(record, even);
        }
        V::add_sums(even, sums);
        V::add_sums(odd, sums);
    }
    debug_assert!(records.len() <= MOST_RECORDS);
    with_shape!(tables, shaped::<V>(token, tables, records, rows, sums));
}

#[inline(always)]
fn free<V: Vector>(token: V::Token, bits: &[[Block; 64]], squares: &[Square], free: &mut [Block]) {
    let planes = bits.len();
    for square in squares {
        let to = &mut free[usize::from(square.index) * planes..][..planes];
        for (bits, to) in bits.iter().zip(to) {
            let [diagonal, anti_diagonal] = square.diagonals.map(|diagonal| &bits[usize::from(diagonal)]);
            V::load(token, diagonal).nor(V::load(token, anti_diagonal)).store(to);
        }
    }
}

#[inline(always)]
fn pairs<V: Vector>(
    token: V::Token,
    free: &[Block],
    planes: usize,
    rows: [usize; 2],
    columns: usize,
    table: &mut [Block],
) {
    #[inline(always)]
    fn shaped<V: Vector, const P: usize>(
        token: V::Token,
        free: &[Block],
        rows: [usize; 2],
        columns: usize,
        table: &mut [Block],
    ) {
        let (rows_of_free, _) = entries::<P, TABLE>(free).as_chunks::<COLUMNS>();
        let [first, second] = rows.map(|row| &rows_of_free[row][..columns]);
        let (rows_of_table, _) = entries_mut::<P, TABLE>(table).as_chunks_mut::<COLUMNS>();
        for (first, to) in first.iter().zip(rows_of_table) {
            for (second, to) in second.iter().zip(to) {
                for plane in 0..P {
                    V::load(token, &first[plane]).and(V::load(token, &second[plane])).store(&mut to[plane]);
                }
            }
        }
    }
    match planes {
        1 => shaped::<V, 1>(token, free, rows, columns, table),
        2 => shaped::<V, 2>(token, free, rows, columns, table),
        3 => shaped::<V, 3>(token, free, rows, columns, table),
        MOST_PLANES => shaped::<V, MOST_PLANES>(token, free, rows, columns, table),
        planes => no_such_slice(planes),
    }
}

/// [`Kernel::filter`], a lane at a time.
#[inline(always)]
fn filter(parent: &Level, mask: u64, child: &mut Level) {
    child.reserve(parent.len());
    let mut end = 0;
    for slot in 0..SLOTS {
        child.starts[slot] = end as u32;
        for &lane in &parent.lanes[parent.starts[slot] as usize..parent.starts[slot + 1] as usize] {
            child.lanes[end] = lane;
            end += usize::from(lane & mask == 0);
        }
    }
    child.starts[SLOTS] = end as u32;
}

/// [`Kernel::slice`], a slot at a time.
#[inline(always)]
fn slice(level: &Level, plane: usize, bits: &mut [Block; 64]) {
    for slot in 0..SLOTS {
        let (start, count) = level.lanes_of(slot, plane);
        let mut lanes = [u64::MAX; 8];
        lanes[..count].copy_from_slice(&level.lanes[start..start + count]);
        for byte in 0..8 {
            let bytes = lanes.map(|lane| (lane >> (8 * byte)) as u8);
            let by_bit = transpose_bits(u64::from_le_bytes(bytes)).to_le_bytes();
            for (bit, lanes) in by_bit.into_iter().enumerate() {
                bits[8 * byte + bit].0[slot] = lanes;
            }
        }
    }
}

/// Bit *i* of byte *j* becomes bit *j* of byte *i* (H. S. Warren, *Hacker's Delight*, 7-3).
#[inline(always)]
fn transpose_bits(mut bits: u64) -> u64 {
    for (distance, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let swapped = (bits ^ bits >> distance) & mask;
        bits ^= swapped ^ swapped << distance;
    }
    bits
}

/// [`Kernel::transpose`], eight by eight bytes at a time.
#[inline(always)]
fn transpose(from: &[Block; 64], to: &mut [Block; 64]) {
    for i in (0..64).step_by(8) {
        for j in (0..64).step_by(8) {
            for k in 0..8 {
                for l in 0..8 {
                    to[j + l].0[i + k] = from[i + k].0[j + l];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
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

    fn random_records(count: usize, ranks: u32, random: &mut SplitMix64) -> Vec<Record> {
        let mut record = || {
            let mut below = |bound| random.below(bound);
            Record::new(below(256) as usize, below(256) as usize, below(16) as u8, below(ranks) as u16)
        };
        (0..count).map(|_| record()).collect()
    }

    /// The compatible lanes of a slot, bit by bit.
    fn compatible_lanes(tables: &Tables, record: Record, slot: usize) -> u32 {
        let count = |plane: usize| {
            let entry = |table: &[Block], index: usize| table[index * tables.planes + plane].0[slot];
            let third = if tables.has_third { entry(&tables.third, record.third()) } else { u8::MAX };
            (entry(&tables.first, record.first()) & entry(&tables.second, record.second()) & third).count_ones()
        };
        (0..tables.planes).map(count).sum()
    }

    const RANKS: usize = 5;

    fn scatters<K: Kernel>(kernel: K, tables: &Tables, records: &[Record]) -> Result<(), TestCaseError> {
        let mut rows = vec![Block([200; 64]); RANKS];
        kernel.scatter(tables, records, &mut rows);
        for (rank, row) in rows.iter().enumerate() {
            for slot in 0..SLOTS {
                let of_row = records.iter().filter(|record| record.rank() == rank);
                let expected: u32 = 200 + of_row.map(|&record| compatible_lanes(tables, record, slot)).sum::<u32>();
                prop_assert_eq!(u32::from(row.0[slot]), expected.min(255));
            }
        }
        Ok(())
    }

    fn multiplies<K: Kernel>(
        kernel: K,
        tables: &Tables,
        records: &[Record],
        rows: &[Block],
    ) -> Result<(), TestCaseError> {
        let mut sums = [7; 16];
        kernel.dot(tables, records, rows, &mut sums);
        for (index, &sum) in sums.iter().enumerate() {
            let of_slot = |slot: usize| {
                let product =
                    |&record: &Record| u32::from(rows[record.rank()].0[slot]) * compatible_lanes(tables, record, slot);
                records.iter().map(product).sum::<u32>()
            };
            let expected: u32 = 7 + (4 * index..4 * index + 4).map(of_slot).sum::<u32>();
            prop_assert_eq!(sum.cast_unsigned(), expected);
        }
        Ok(())
    }

    /// Lanes of some slots, and what a kernel does to them: it filters and slices.
    fn filters_and_slices<K: Kernel>(kernel: K, lanes: &[Vec<u64>], mask: u64) -> Result<(), TestCaseError> {
        let (mut parent, mut child) = (Level::default(), Level::default());
        parent.fill(lanes.iter().map(Vec::as_slice).enumerate().filter(|(_, lanes)| !lanes.is_empty()));
        kernel.filter(&parent, mask, &mut child);
        let mut bits = [Block::ZERO; 64];
        for (slot, lanes) in lanes.iter().enumerate() {
            let left: Vec<u64> = lanes.iter().copied().filter(|lane| lane & mask == 0).collect();
            let range = child.starts[slot] as usize..child.starts[slot + 1] as usize;
            prop_assert_eq!(&child.lanes[range], &left[..]);
        }
        for plane in 0..=parent.planes() {
            kernel.slice(&parent, plane, &mut bits);
            for (slot, lanes) in lanes.iter().enumerate() {
                let mut here: Vec<u64> = lanes.iter().copied().skip(8 * plane).take(8).collect();
                here.resize(8, u64::MAX);
                let lane =
                    |place: usize| (0..64).map(|bit| u64::from(bits[bit].0[slot] >> place & 1) << bit).sum::<u64>();
                // The places of lanes in their byte are a kernel's own affair.
                let mut sliced: Vec<u64> = (0..8).map(lane).collect();
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
        let squares: Vec<Square> = (0..4 * COLUMNS as u8)
            .map(|index| Square { index, diagonals: [random.below(64) as u8, random.below(64) as u8] })
            .collect();
        let mut free = vec![Block::ZERO; TABLE * planes];
        kernel.free(&bits, &squares, &mut free);
        let mut table = vec![Block::ZERO; TABLE * planes];
        kernel.pairs(&free, planes, [1, 3], columns, &mut table);
        for plane in 0..planes {
            for slot in 0..SLOTS {
                let free_of = |index: usize| {
                    let [a, b] = squares[index].diagonals.map(|bit| bits[plane][usize::from(bit)].0[slot]);
                    !(a | b)
                };
                for index in 0..squares.len() {
                    prop_assert_eq!(free[index * planes + plane].0[slot], free_of(index));
                }
                for a in 0..columns {
                    for b in 0..columns {
                        let pair = free_of(COLUMNS + a) & free_of(3 * COLUMNS + b);
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
        fn kernels_count_compatible_lanes(
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
            let mut word = |bits| (0..bits).fold(0, |word, _| word | 1_u64 << random.below(NO_LANE));
            let mask = word(bits);
            let lanes: Vec<u64> = (0..SLOTS as u32 * most).map(|_| word(bits)).collect();
            let mut rest = &lanes[..];
            let lanes: Vec<Vec<u64>> = (0..SLOTS).map(|_| {
                let (here, after) = rest.split_at(rest.len().min(random.below(most.max(1)) as usize));
                rest = after;
                here.to_vec()
            }).collect();
            on_every_kernel!(filters_and_slices(&lanes, mask));
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
        fn fills<K: Kernel>(kernel: K, tables: &Tables, records: &[Record]) -> Result<(), TestCaseError> {
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
        let records = vec![Record::new(0, 0, 0, 0); MOST_RECORDS];
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
            let records = [Record::new(0, 0, 0, 0)];
            let loops: [&dyn Fn(); 3] = [
                &|| Portable.scatter(&tables, &records, &mut [Block::ZERO]),
                &|| Portable.dot(&tables, &records, &[Block::ZERO], &mut [0; 16]),
                &|| Portable.pairs(&tables.first, planes, [0, 1], 1, &mut tables.second.clone()),
            ];
            for run in loops {
                assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err(), "{planes} planes");
            }
        }
    }
}
