//! The loops, written once over the operations of a vector.
//!
//! A record is counted in a few steps: for each plane of the slice,
//!
//! ```text
//! bits   = table of the first pair [record.first] & table of the second pair [record.second]  (& a fifth row)
//! counts = counts + ones of every byte of bits
//! ```
//!
//! Then `scatter` adds the 64 counts to a matrix row, and `dot` multiplies them with one, byte by byte.

use super::super::probe_side::ProbeRecord;
use super::{Block, COLUMNS, MOST_PLANES, MOST_RECORDS, PAIRS, ProbeSquare, SLOTS, Survivors, Tables};

/// The tables of a slice of `P` planes.
struct Entries<'a, const P: usize> {
    first: &'a [[Block; P]; PAIRS],
    second: &'a [[Block; P]; PAIRS],
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

/// A vector of 64 bytes.
///
/// Vectors are made from the [`Token`](Self::Token) of their instruction set and from other vectors, so that a vector
/// is itself the proof that the CPU has the instructions its methods use. All methods are `#[inline(always)]`: a loop
/// over them is fast in a function that is compiled for the instruction set, and merely slow in any other. So they
/// should not be called in closures, which are functions of their own.
pub(super) trait Vector: Copy {
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

/// The number of build placements of every slot that are compatible with one record.
#[inline(always)]
fn compatible<V: Vector, const P: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<P>,
    record: ProbeRecord,
) -> V {
    let mut counts = compatible_bits::<V, P, THIRD>(token, entries, record, 0).count_ones();
    for plane in 1..P {
        counts = counts.add_bytes(compatible_bits::<V, P, THIRD>(token, entries, record, plane).count_ones());
    }
    counts
}

#[inline(always)]
fn compatible_bits<V: Vector, const P: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<P>,
    record: ProbeRecord,
    plane: usize,
) -> V {
    let [first, second] = [&entries.first[record.first()], &entries.second[record.second()]];
    let both = V::load(token, &first[plane]).and(V::load(token, &second[plane]));
    if THIRD { both.and(V::load(token, &entries.third[record.third()][plane])) } else { both }
}

/// Adds the counts of one record, times the bytes of its matrix row, to some sums.
#[inline(always)]
fn add_products<V: Vector, const P: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<P>,
    matrix: &[Block],
    record: ProbeRecord,
    sums: V::Sums,
) -> V::Sums {
    V::load(token, &matrix[record.rank()]).add_products(compatible::<V, P, THIRD>(token, entries, record), sums)
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

/// [`Kernel::scatter`](super::Kernel::scatter).
#[inline(always)]
pub(super) fn scatter<V: Vector>(token: V::Token, tables: &Tables, records: &[ProbeRecord], matrix: &mut [Block]) {
    #[inline(always)]
    fn shaped<V: Vector, const P: usize, const T: bool>(
        token: V::Token,
        tables: &Tables,
        records: &[ProbeRecord],
        matrix: &mut [Block],
    ) {
        let entries = Entries::new(tables);
        for &record in records {
            let counts = compatible::<V, P, T>(token, &entries, record);
            let row = &mut matrix[record.rank()];
            V::load(token, row).add_bytes_saturating(counts).store(row);
        }
    }
    with_shape!(tables, shaped::<V>(token, tables, records, matrix));
}

/// [`Kernel::dot`](super::Kernel::dot).
#[inline(always)]
pub(super) fn dot<V: Vector>(
    token: V::Token,
    tables: &Tables,
    records: &[ProbeRecord],
    matrix: &[Block],
    sums: &mut [i32; 16],
) {
    #[inline(always)]
    fn shaped<V: Vector, const P: usize, const T: bool>(
        token: V::Token,
        tables: &Tables,
        records: &[ProbeRecord],
        matrix: &[Block],
        sums: &mut [i32; 16],
    ) {
        let entries = Entries::new(tables);
        // Two chains of additions, because one would be waited for.
        let (mut even, mut odd) = (V::no_sums(token), V::no_sums(token));
        let (pairs, rest) = records.as_chunks::<2>();
        for &[a, b] in pairs {
            even = add_products::<V, P, T>(token, &entries, matrix, a, even);
            odd = add_products::<V, P, T>(token, &entries, matrix, b, odd);
        }
        for &record in rest {
            even = add_products::<V, P, T>(token, &entries, matrix, record, even);
        }
        V::add_sums(even, sums);
        V::add_sums(odd, sums);
    }
    debug_assert!(records.len() <= MOST_RECORDS);
    with_shape!(tables, shaped::<V>(token, tables, records, matrix, sums));
}

/// [`Kernel::unattacked`](super::Kernel::unattacked).
#[inline(always)]
pub(super) fn unattacked<V: Vector>(
    token: V::Token,
    bits: &[[Block; 64]],
    squares: &[ProbeSquare],
    table: &mut [Block],
) {
    let planes = bits.len();
    for square in squares {
        let to = &mut table[usize::from(square.index) * planes..][..planes];
        for (bits, to) in bits.iter().zip(to) {
            let [diagonal, anti_diagonal] = square.diagonals.map(|diagonal| &bits[usize::from(diagonal)]);
            V::load(token, diagonal).nor(V::load(token, anti_diagonal)).store(to);
        }
    }
}

/// [`Kernel::pair_table`](super::Kernel::pair_table).
#[inline(always)]
pub(super) fn pair_table<V: Vector>(
    token: V::Token,
    squares: &[Block],
    planes: usize,
    rows: [usize; 2],
    columns: usize,
    table: &mut [Block],
) {
    #[inline(always)]
    fn shaped<V: Vector, const P: usize>(
        token: V::Token,
        squares: &[Block],
        rows: [usize; 2],
        columns: usize,
        table: &mut [Block],
    ) {
        let (rows_of_squares, _) = entries::<P, PAIRS>(squares).as_chunks::<COLUMNS>();
        let [first, second] = rows.map(|row| &rows_of_squares[row][..columns]);
        let (rows_of_table, _) = entries_mut::<P, PAIRS>(table).as_chunks_mut::<COLUMNS>();
        for (first, to) in first.iter().zip(rows_of_table) {
            for (second, to) in second.iter().zip(to) {
                for plane in 0..P {
                    V::load(token, &first[plane]).and(V::load(token, &second[plane])).store(&mut to[plane]);
                }
            }
        }
    }
    match planes {
        1 => shaped::<V, 1>(token, squares, rows, columns, table),
        2 => shaped::<V, 2>(token, squares, rows, columns, table),
        3 => shaped::<V, 3>(token, squares, rows, columns, table),
        MOST_PLANES => shaped::<V, MOST_PLANES>(token, squares, rows, columns, table),
        planes => no_such_slice(planes),
    }
}

/// [`Kernel::filter`](super::Kernel::filter), a placement at a time.
#[inline(always)]
pub(super) fn filter(parent: &Survivors, diagonals: u64, child: &mut Survivors) {
    child.reserve(parent.len());
    let mut end = 0;
    for slot in 0..SLOTS {
        child.starts[slot] = end as u32;
        for &placement in &parent.placements[parent.starts[slot] as usize..parent.starts[slot + 1] as usize] {
            child.placements[end] = placement;
            end += usize::from(placement & diagonals == 0);
        }
    }
    child.starts[SLOTS] = end as u32;
}

/// [`Kernel::slice`](super::Kernel::slice), a slot at a time.
#[inline(always)]
pub(super) fn slice(survivors: &Survivors, plane: usize, bits: &mut [Block; 64]) {
    for slot in 0..SLOTS {
        let (start, count) = survivors.of_slot(slot, plane);
        let mut masks = [u64::MAX; 8];
        masks[..count].copy_from_slice(&survivors.placements[start..start + count]);
        for byte in 0..8 {
            let bytes = masks.map(|mask| (mask >> (8 * byte)) as u8);
            let by_bit = transpose_bits(u64::from_le_bytes(bytes)).to_le_bytes();
            for (bit, placements) in by_bit.into_iter().enumerate() {
                bits[8 * byte + bit].0[slot] = placements;
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

/// [`Kernel::transpose`](super::Kernel::transpose), eight by eight bytes at a time.
#[inline(always)]
pub(super) fn transpose(from: &[Block; 64], to: &mut [Block; 64]) {
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
