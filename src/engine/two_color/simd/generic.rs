//! The loops, written once over the operations of a vector.
//!
//! A record is counted in a few steps: for each chunk of the slice and each of its planes,
//!
//! ```text
//! bits   = first table[record.first] & second table[record.second]  (& third table[record.third])
//! counts = counts + ones of every byte of bits
//! ```
//!
//! Then `scatter` adds the 64 counts of a chunk to a block of a matrix row, those of twins together, and `dot`
//! multiplies them with it, byte by byte.

use super::super::probe_side::ProbeRecord;
use super::{Block, COLUMNS, MOST_BLOCKS, MOST_RECORDS, PAIRS, ProbeSquare, Strip, StripMut, Tables, WideBlock};
use std::ops::Range;

/// The tables of a slice of `B` blocks.
struct Entries<'a, const B: usize> {
    first: &'a [[Block; B]; PAIRS],
    second: &'a [[Block; B]; PAIRS],
    third: &'a [[Block; B]; COLUMNS],
}

impl<'a, const B: usize> Entries<'a, B> {
    #[inline(always)]
    fn new(tables: &'a Tables) -> Self {
        Self {
            first: entries(tables.of_number(0)),
            second: entries(tables.of_number(1)),
            third: entries(tables.of_number(2)),
        }
    }
}

/// The first entries of a table, of `B` blocks each.
#[inline(always)]
fn entries<const B: usize, const LENGTH: usize>(blocks: &[Block]) -> &[[Block; B]; LENGTH] {
    blocks[..LENGTH * B].as_chunks().0.try_into().expect("the length fits")
}

/// The first entries of a table, of `B` blocks each.
#[inline(always)]
fn entries_mut<const B: usize, const LENGTH: usize>(blocks: &mut [Block]) -> &mut [[Block; B]; LENGTH] {
    blocks[..LENGTH * B].as_chunks_mut().0.try_into().expect("the length fits")
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
    /// Sums of products that have room for those of few records.
    type Products: Copy;
    /// Sixteen sums of 32 bits.
    type Sums: Copy;

    /// The most planes whose counts, multiplied with bytes, `Products` have room for.
    const ROOM: usize;

    fn load(token: Self::Token, from: &Block) -> Self;
    fn store(self, to: &mut Block);
    fn and(self, other: Self) -> Self;
    /// `!(self | other)`
    fn nor(self, other: Self) -> Self;
    /// The byte of `self` among the same 16 that each byte of `from` names.
    fn shuffle(self, from: Self) -> Self;
    /// The number of ones of every byte.
    fn count_ones(self) -> Self;
    fn add_bytes(self, other: Self) -> Self;
    fn add_bytes_saturating(self, other: Self) -> Self;
    fn no_products(token: Self::Token) -> Self::Products;
    /// Adds the products of all bytes of `self` and of `counts`, which are below 128.
    fn add_products(self, counts: Self, products: Self::Products) -> Self::Products;
    fn no_sums(token: Self::Token) -> Self::Sums;
    /// Adds the products of four neighbours to one sum.
    fn sum_up(products: Self::Products, sums: Self::Sums) -> Self::Sums;
    fn add_sums(sums: Self::Sums, to: &mut [i32; 16]);
}

/// The number of build placements in every place of some blocks of the slice that are compatible with a record.
#[inline(always)]
fn compatible<V: Vector, const B: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<B>,
    record: ProbeRecord,
    blocks: Range<usize>,
) -> V {
    let mut counts = compatible_bits::<V, B, THIRD>(token, entries, record, blocks.start).count_ones();
    for block in blocks.start + 1..blocks.end {
        counts = counts.add_bytes(compatible_bits::<V, B, THIRD>(token, entries, record, block).count_ones());
    }
    counts
}

#[inline(always)]
fn compatible_bits<V: Vector, const B: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<B>,
    record: ProbeRecord,
    block: usize,
) -> V {
    let [first, second] = [&entries.first[record.first()], &entries.second[record.second()]];
    let both = V::load(token, &first[block]).and(V::load(token, &second[block]));
    if THIRD { both.and(V::load(token, &entries.third[record.third()][block])) } else { both }
}

/// Calls a loop compiled for the chunks and planes of a slice and the rows of its tables.
macro_rules! with_shape {
    (call $function:ident[$($given:ident),*][$($shape:literal),*]($($argument:expr),*)) => {
        $function::<$($given),*, $($shape),*>($($argument),*)
    };
    (of $tables:ident: $function:ident $given:tt $arguments:tt,
    $($chunks:literal x $planes:literal = $blocks:literal),*) => {
        match ($tables.shape.chunks, $tables.shape.planes, $tables.has_third) {
            $(($chunks, $planes, false) => {
                with_shape!(call $function $given[$chunks, $planes, $blocks, false]$arguments)
            }
            ($chunks, $planes, true) => {
                with_shape!(call $function $given[$chunks, $planes, $blocks, true]$arguments)
            })*
            (chunks, planes, _) => no_such_slice(chunks * planes),
        }
    };
    ($tables:ident, $function:ident::<$($given:ident),*>$arguments:tt) => {
        with_shape!(
            of $tables: $function[$($given),*]$arguments,
            1 x 1 = 1, 1 x 2 = 2, 1 x 3 = 3, 1 x 4 = 4, 2 x 1 = 2, 2 x 2 = 4, 3 x 1 = 3, 4 x 1 = 4
        )
    };
}

/// Panics: a slice has from 1 to [`MOST_BLOCKS`] blocks.
#[cold]
fn no_such_slice(blocks: usize) -> ! {
    panic!("a slice has from 1 to {MOST_BLOCKS} blocks, not {blocks}")
}

const _: () = assert!(MOST_BLOCKS == 4, "there is a loop for each number of chunks and planes");

/// [`Kernel::scatter`](super::Kernel::scatter).
#[inline(always)]
pub(super) fn scatter<V: Vector, const R: usize>(
    token: V::Token,
    tables: &Tables,
    records: &[[ProbeRecord; R]],
    strip: StripMut,
) {
    #[inline(always)]
    fn shaped<V: Vector, const R: usize, const C: usize, const P: usize, const B: usize, const T: bool>(
        token: V::Token,
        tables: &Tables,
        records: &[[ProbeRecord; R]],
        strip: StripMut,
    ) {
        let entries = Entries::<B>::new(tables);
        let StripMut { blocks, width, first } = strip;
        for records in records {
            let row: &mut [Block; C] =
                (&mut blocks[records[0].rank() * width + first..][..C]).try_into().expect("the length fits");
            for (chunk, row) in row.iter_mut().enumerate() {
                let planes = chunk * P..(chunk + 1) * P;
                let mut counts = compatible::<V, B, T>(token, &entries, records[0], planes.clone());
                for &record in &records[1..] {
                    counts = counts.add_bytes(compatible::<V, B, T>(token, &entries, record, planes.clone()));
                }
                V::load(token, row).add_bytes_saturating(counts).store(row);
            }
        }
    }
    const { assert!(8 * R * MOST_BLOCKS <= u8::MAX as usize, "the counts of a group have room in bytes") };
    debug_assert!(!tables.is_packed);
    with_shape!(tables, shaped::<V, R>(token, tables, records, strip));
}

/// The products of the counts of a slice's planes with a strip, for each strip and chunk: of those that are not
/// packed, and of the packed ones. Apart, so that no addition waits for the other.
struct Products<V: Vector, const S: usize, const C: usize>([[[V::Products; C]; S]; 2]);

impl<V: Vector, const S: usize, const C: usize> Products<V, S, C> {
    #[inline(always)]
    fn new(token: V::Token) -> Self {
        Self([[[V::no_products(token); C]; S]; 2])
    }

    /// Adds the counts of one record, times the bytes of its matrix row in each strip.
    #[inline(always)]
    fn add<const P: usize, const B: usize, const T: bool, const PACKED: bool>(
        &mut self,
        token: V::Token,
        entries: &Entries<B>,
        from: &[V; C],
        strips: &[Strip; S],
        record: ProbeRecord,
    ) {
        let mut rows = [&[Block::ZERO; C]; S];
        for (row, strip) in rows.iter_mut().zip(strips) {
            let start = record.rank() * strip.width + strip.first;
            *row = strip.blocks[start..][..C].try_into().expect("the length fits");
        }
        let [products, packed] = &mut self.0;
        let in_place = if PACKED { P - 1 } else { P };
        for chunk in 0..C {
            let first = chunk * P;
            if in_place > 0 {
                let counts = compatible::<V, B, T>(token, entries, record, first..first + in_place);
                for strip in 0..S {
                    products[strip][chunk] =
                        V::load(token, &rows[strip][chunk]).add_products(counts, products[strip][chunk]);
                }
            }
            if PACKED {
                let counts = compatible::<V, B, T>(token, entries, record, first + in_place..first + P);
                for strip in 0..S {
                    packed[strip][chunk] = V::load(token, &rows[strip][chunk])
                        .shuffle(from[chunk])
                        .add_products(counts, packed[strip][chunk]);
                }
            }
        }
    }

    #[inline(always)]
    fn sum_up<const P: usize, const PACKED: bool>(self, totals: &mut [[V::Sums; C]; S]) {
        let [products, packed] = self.0;
        for strip in 0..S {
            for chunk in 0..C {
                totals[strip][chunk] = V::sum_up(products[strip][chunk], totals[strip][chunk]);
                if PACKED {
                    totals[strip][chunk] = V::sum_up(packed[strip][chunk], totals[strip][chunk]);
                }
            }
        }
    }
}

/// [`Kernel::dot`](super::Kernel::dot).
#[inline(always)]
pub(super) fn dot<V: Vector, const STRIPS: usize>(
    token: V::Token,
    tables: &Tables,
    records: &[ProbeRecord],
    strips: [Strip; STRIPS],
    sums: [&mut [[i32; 16]]; STRIPS],
) {
    #[inline(always)]
    fn shaped<
        V: Vector,
        const S: usize,
        const PACKED: bool,
        const C: usize,
        const P: usize,
        const B: usize,
        const T: bool,
    >(
        token: V::Token,
        tables: &Tables,
        records: &[ProbeRecord],
        strips: &[Strip; S],
        sums: [&mut [[i32; 16]]; S],
    ) {
        let entries = Entries::<B>::new(tables);
        let mut from = [V::load(token, &tables.from[0]); C];
        for (from, block) in from.iter_mut().zip(&tables.from) {
            *from = V::load(token, block);
        }
        let mut totals = [[V::no_sums(token); C]; S];
        let chains = if S * C == 1 { 2 } else { 1 };
        // The planes that are not packed add up in one place, and the packed one in another.
        let most_planes = if PACKED && P > 1 { P - 1 } else { P };
        for records in records.chunks(chains * (V::ROOM / most_planes)) {
            let mut even = Products::<V, S, C>::new(token);
            if chains == 2 {
                // Two chains of additions, because one would be waited for.
                let mut odd = Products::<V, S, C>::new(token);
                let (pairs, rest) = records.as_chunks::<2>();
                for &[a, b] in pairs {
                    even.add::<P, B, T, PACKED>(token, &entries, &from, strips, a);
                    odd.add::<P, B, T, PACKED>(token, &entries, &from, strips, b);
                }
                for &record in rest {
                    even.add::<P, B, T, PACKED>(token, &entries, &from, strips, record);
                }
                odd.sum_up::<P, PACKED>(&mut totals);
            } else {
                for &record in records {
                    even.add::<P, B, T, PACKED>(token, &entries, &from, strips, record);
                }
            }
            even.sum_up::<P, PACKED>(&mut totals);
        }
        for (totals, sums) in totals.into_iter().zip(sums) {
            for (total, sums) in totals.into_iter().zip(sums) {
                V::add_sums(total, sums);
            }
        }
    }
    const PACKED: bool = true;
    const IN_PLACE: bool = false;
    debug_assert!(records.len() <= MOST_RECORDS);
    if tables.is_packed {
        with_shape!(tables, shaped::<V, STRIPS, PACKED>(token, tables, records, &strips, sums));
    } else {
        with_shape!(tables, shaped::<V, STRIPS, IN_PLACE>(token, tables, records, &strips, sums));
    }
}

/// [`Kernel::unattacked`](super::Kernel::unattacked).
#[inline(always)]
pub(super) fn unattacked<V: Vector>(
    token: V::Token,
    bits: &[[Block; 64]],
    squares: &[ProbeSquare],
    table: &mut [Block],
) {
    let blocks = bits.len();
    for square in squares {
        let to = &mut table[usize::from(square.index) * blocks..][..blocks];
        for (bits, to) in bits.iter().zip(to) {
            let [diagonal, anti_diagonal] = square.diagonals;
            let [diagonal, anti_diagonal] = [&bits[usize::from(diagonal)], &bits[usize::from(anti_diagonal)]];
            V::load(token, diagonal).nor(V::load(token, anti_diagonal)).store(to);
        }
    }
}

/// [`Kernel::pair_table`](super::Kernel::pair_table).
#[inline(always)]
pub(super) fn pair_table<V: Vector>(
    token: V::Token,
    squares: &[Block],
    blocks: usize,
    rows: [usize; 2],
    columns: usize,
    table: &mut [Block],
) {
    #[inline(always)]
    fn shaped<V: Vector, const B: usize>(
        token: V::Token,
        squares: &[Block],
        rows: [usize; 2],
        columns: usize,
        table: &mut [Block],
    ) {
        let (squares, table) = (entries::<B, PAIRS>(squares), entries_mut::<B, PAIRS>(table));
        let [first, second] = [&squares[rows[0] * columns..][..columns], &squares[rows[1] * columns..][..columns]];
        for (first, to) in first.iter().zip(table.chunks_exact_mut(columns.max(1))) {
            for (second, to) in second.iter().zip(to) {
                for block in 0..B {
                    V::load(token, &first[block]).and(V::load(token, &second[block])).store(&mut to[block]);
                }
            }
        }
    }
    match blocks {
        1 => shaped::<V, 1>(token, squares, rows, columns, table),
        2 => shaped::<V, 2>(token, squares, rows, columns, table),
        3 => shaped::<V, 3>(token, squares, rows, columns, table),
        MOST_BLOCKS => shaped::<V, MOST_BLOCKS>(token, squares, rows, columns, table),
        blocks => no_such_slice(blocks),
    }
}

/// [`Kernel::largest`](super::Kernel::largest): a plain loop, which the compiler makes of the vectors of its caller.
#[inline(always)]
pub(super) fn largest(blocks: &[Block]) -> u8 {
    let mut largest = [0; 64];
    for block in blocks {
        for (largest, &byte) in largest.iter_mut().zip(&block.0) {
            *largest = byte.max(*largest);
        }
    }
    largest.into_iter().max().unwrap_or(0)
}

/// [`Kernel::drain`](super::Kernel::drain): a plain loop, which the compiler makes of the vectors of its caller.
#[inline(always)]
pub(super) fn drain(bytes: &mut [Block], entries: &mut [WideBlock]) {
    for (bytes, entries) in bytes.iter_mut().zip(entries) {
        for (entry, byte) in entries.0.iter_mut().zip(bytes.0) {
            *entry += u32::from(byte);
        }
        *bytes = Block::ZERO;
    }
}
