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
//! multiplies them with it, byte by byte, with the entry of the key in registers for both of two siblings.

use super::super::probe_side::{ProbeRecord, RUN};
use super::{Block, COLUMNS, FULL, MOST_BLOCKS, MOST_RECORDS, PAIRS, ProbeSquare, Strip, StripMut, Tables, WideBlock};
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
    /// True if any byte is 128 or more.
    fn has_high_bit(self) -> bool;
    fn no_products(token: Self::Token) -> Self::Products;
    /// Adds the products of all bytes of `self` and of `counts`, which are below 128.
    fn add_products(self, counts: Self, products: Self::Products) -> Self::Products;
    fn no_sums(token: Self::Token) -> Self::Sums;
    /// Adds the products of four neighbours to one sum.
    fn sum_up(products: Self::Products, sums: Self::Sums) -> Self::Sums;
    fn add_sums(sums: Self::Sums, to: &mut [i32; 16]);
    /// The records of a run with a rank below `end`, a bit each. Plain code here; AVX-512, which gains by
    /// siblings, has its own.
    #[inline(always)]
    fn below(_: Self::Token, run: &[ProbeRecord; RUN], end: u32) -> u16 {
        (0..).zip(run).fold(0, |below, (place, record)| below | u16::from((record.rank() as u32) < end) << place)
    }
}

/// The number of build placements in every place of some blocks of the slice that are compatible with a record. The
/// entry of its key is `key`, if that is given.
#[inline(always)]
fn compatible<V: Vector, const B: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<B>,
    key: Option<&[V; B]>,
    record: ProbeRecord,
    blocks: Range<usize>,
) -> V {
    let mut counts = compatible_bits::<V, B, THIRD>(token, entries, key, record, blocks.start).count_ones();
    for block in blocks.start + 1..blocks.end {
        counts = counts.add_bytes(compatible_bits::<V, B, THIRD>(token, entries, key, record, block).count_ones());
    }
    counts
}

#[inline(always)]
fn compatible_bits<V: Vector, const B: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<B>,
    key: Option<&[V; B]>,
    record: ProbeRecord,
    block: usize,
) -> V {
    let first = V::load(token, &entries.first[record.first()][block]);
    let last = match key {
        Some(key) => key[block],
        None if THIRD => V::load(token, &entries.third[record.third()][block]),
        None => V::load(token, &entries.second[record.second()][block]),
    };
    if THIRD { first.and(V::load(token, &entries.second[record.second()][block])).and(last) } else { first.and(last) }
}

/// The blocks of the table entry that the [key](ProbeRecord::key) of a record names.
#[inline(always)]
fn entry_of_key<V: Vector, const B: usize, const THIRD: bool>(
    token: V::Token,
    entries: &Entries<B>,
    record: ProbeRecord,
) -> [V; B] {
    let entry = if THIRD { &entries.third[record.third()] } else { &entries.second[record.second()] };
    let mut blocks = [V::load(token, &entry[0]); B];
    for (to, block) in blocks.iter_mut().zip(entry) {
        *to = V::load(token, block);
    }
    blocks
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
    fn shaped<
        V: Vector,
        const R: usize,
        const WIDE: bool,
        const C: usize,
        const P: usize,
        const B: usize,
        const T: bool,
    >(
        token: V::Token,
        tables: &Tables,
        records: &[[ProbeRecord; R]],
        StripMut { blocks, wide, width, first }: StripMut,
    ) {
        let entries = Entries::<B>::new(tables);
        let wide = wide.unwrap_or_default();
        for records in records {
            let start = records[0].rank() * width + first;
            let row: &mut [Block; C] = (&mut blocks[start..][..C]).try_into().expect("the length fits");
            for (chunk, block) in row.iter_mut().enumerate() {
                let planes = chunk * P..(chunk + 1) * P;
                let mut counts = compatible::<V, B, T>(token, &entries, None, records[0], planes.clone());
                for &record in &records[1..] {
                    counts = counts.add_bytes(compatible::<V, B, T>(token, &entries, None, record, planes.clone()));
                }
                if WIDE {
                    let counts = V::load(token, block).add_bytes(counts);
                    counts.store(block);
                    if counts.has_high_bit() {
                        drain_block(block, &mut wide[start + chunk]);
                    }
                } else {
                    V::load(token, block).add_bytes_saturating(counts).store(block);
                }
            }
        }
    }
    const WIDE: bool = true;
    const BYTES: bool = false;
    const { assert!(8 * R * MOST_BLOCKS <= (u8::MAX - FULL) as usize, "the counts of a group have room in bytes") };
    debug_assert!(!tables.is_packed);
    if strip.wide.is_some() {
        with_shape!(tables, shaped::<V, R, WIDE>(token, tables, records, strip));
    } else {
        with_shape!(tables, shaped::<V, R, BYTES>(token, tables, records, strip));
    }
}

/// [`drain`] for one block, apart from the loop that seldom needs it, and so compiled for any CPU.
#[cold]
fn drain_block(bytes: &mut Block, entries: &mut WideBlock) {
    drain(std::slice::from_mut(bytes), std::slice::from_mut(entries));
}

/// The products of the counts of a slice's planes with a strip, for each strip and chunk: of those that are not
/// packed, and of the packed ones. Apart, so that no addition waits for the other.
struct Products<V: Vector, const S: usize, const C: usize>([[[V::Products; C]; S]; 2]);

impl<V: Vector, const S: usize, const C: usize> Products<V, S, C> {
    #[inline(always)]
    fn new(token: V::Token) -> Self {
        Self([[[V::no_products(token); C]; S]; 2])
    }

    /// Adds the counts of one record, times the bytes of its matrix row in each strip. The entry of
    /// its key may be given.
    #[inline(always)]
    fn add<const P: usize, const B: usize, const T: bool, const PACKED: bool>(
        &mut self,
        token: V::Token,
        entries: &Entries<B>,
        from: &[V; C],
        strips: &[Strip; S],
        key: Option<&[V; B]>,
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
                let counts = compatible::<V, B, T>(token, entries, key, record, first..first + in_place);
                for strip in 0..S {
                    products[strip][chunk] =
                        V::load(token, &rows[strip][chunk]).add_products(counts, products[strip][chunk]);
                }
            }
            if PACKED {
                let planes = first + in_place..first + P;
                let counts = compatible::<V, B, T>(token, entries, key, record, planes);
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
pub(super) fn dot<V: Vector, const STRIPS: usize, const R: usize>(
    token: V::Token,
    tables: &Tables,
    records: &[[ProbeRecord; R]],
    strips: [Strip; STRIPS],
    sums: [&mut [[i32; 16]]; STRIPS],
) {
    #[inline(always)]
    fn shaped<
        V: Vector,
        const S: usize,
        const R: usize,
        const PACKED: bool,
        const C: usize,
        const P: usize,
        const B: usize,
        const T: bool,
    >(
        token: V::Token,
        tables: &Tables,
        records: &[[ProbeRecord; R]],
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
        for records in records.chunks(chains * (V::ROOM / most_planes) / R) {
            // Two chains of additions where there would be one, because that would be waited for.
            let (mut even, mut odd) = (Products::<V, S, C>::new(token), Products::<V, S, C>::new(token));
            if R == 1 {
                let records = records.as_flattened();
                let (pairs, rest) = if chains == 2 { records.as_chunks::<2>() } else { (&[][..], records) };
                for &[one, other] in pairs {
                    even.add::<P, B, T, PACKED>(token, &entries, &from, strips, None, one);
                    odd.add::<P, B, T, PACKED>(token, &entries, &from, strips, None, other);
                }
                for &record in rest {
                    even.add::<P, B, T, PACKED>(token, &entries, &from, strips, None, record);
                }
            } else {
                for group in records {
                    let key = Some(&entry_of_key::<V, B, T>(token, &entries, group[0]));
                    for (index, &record) in group.iter().enumerate() {
                        let products = if index % chains == 0 { &mut even } else { &mut odd };
                        products.add::<P, B, T, PACKED>(token, &entries, &from, strips, key, record);
                    }
                }
            }
            even.sum_up::<P, PACKED>(&mut totals);
            if chains == 2 {
                odd.sum_up::<P, PACKED>(&mut totals);
            }
        }
        for (totals, sums) in totals.into_iter().zip(sums) {
            for (total, sums) in totals.into_iter().zip(sums) {
                V::add_sums(total, sums);
            }
        }
    }
    const PACKED: bool = true;
    const IN_PLACE: bool = false;
    const { assert!(R * MOST_BLOCKS <= V::ROOM, "the products of a group have room") };
    debug_assert!(records.len() * R <= MOST_RECORDS);
    debug_assert!(
        records
            .iter()
            .flatten()
            .zip(records.iter().flat_map(|group| [group[0]; R]))
            .all(|(record, first)| { record.key(tables.has_third) == first.key(tables.has_third) }),
        "the records of a group have one key"
    );
    if tables.is_packed {
        with_shape!(tables, shaped::<V, STRIPS, R, PACKED>(token, tables, records, &strips, sums));
    } else {
        with_shape!(tables, shaped::<V, STRIPS, R, IN_PLACE>(token, tables, records, &strips, sums));
    }
}

/// [`Kernel::find_siblings`](super::Kernel::find_siblings).
#[inline(always)]
pub(super) fn find_siblings<V: Vector>(
    token: V::Token,
    (records, runs): (&[ProbeRecord], &[u8]),
    [first_end, last_end]: [usize; 2],
    siblings: &mut Vec<ProbeRecord>,
    single: &mut Vec<ProbeRecord>,
    others: &mut Vec<ProbeRecord>,
) {
    // Whole runs are written and then partly written over, because branches on their lengths could not be predicted.
    let (paired, alone) = (siblings.len(), single.len());
    siblings.resize(paired + records.len(), ProbeRecord::default());
    single.resize(alone + runs.len(), ProbeRecord::default());
    let (mut start, mut paired, mut alone) = (0, paired, alone);
    for &length in runs {
        let run: &[ProbeRecord; RUN] = records[start..].first_chunk().expect("behind the last run there are others");
        // A run is sorted, so that its records below an end are the first ones.
        let of_run = ((1_u32 << length) - 1) as u16;
        let first = (V::below(token, run, first_end as u32) & of_run).count_ones() as usize;
        let last = (V::below(token, run, last_end as u32) & of_run).count_ones() as usize;
        siblings[paired..][..RUN].copy_from_slice(run);
        paired += first & !1;
        single[alone] = run[first.wrapping_sub(1) % RUN];
        alone += first & 1;
        if last > first {
            others.extend_from_slice(&run[first..last]);
        }
        start += usize::from(length);
    }
    siblings.truncate(paired);
    single.truncate(alone);
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
