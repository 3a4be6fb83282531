//! The loops, written once over the operations of a vector.
//!
//! A record is counted in a few steps: for each chunk of the slice and each of its planes,
//!
//! ```text
//! bits   = first table[record.first] & second table[record.second]  (& third table[record.third])
//! counts = counts + ones of every byte of bits
//! ```
//!
//! Then [`Scatter`] adds the 64 counts of a chunk to a block of a matrix row, those of twins together. [`Dot`]
//! multiplies the counts with the block, byte by byte.

use super::planes::{PANEL, Plane, Planes};
use super::record::ProbeRecord;
use super::{
    Block, ENTRIES, FULL, Layout, Loops, MOST_BLOCKS, MOST_PACKED, MOST_RECORDS, MOST_TIGHT_BLOCKS,
    PLACEMENTS_PER_BLOCK, SLOTS, SUMMED, SUMS, Shape, Strip, StripMut, Survivors, Tables, WideBlock, plain,
};
use crate::engine::kernel::Task;
use crate::engine::two_color::tuples::WEIGHT_CLASSES;
use std::ops::Range;

/// For each index of a record, the table in which it is looked up, for a slice of `B` blocks.
type Entries<'a, const B: usize> = [&'a [[Block; B]; ENTRIES]; 3];

#[inline(always)]
fn entries_of<const B: usize>(tables: &Tables) -> Entries<'_, B> {
    [entries(tables.entries_of(0)), entries(tables.entries_of(1)), entries(tables.entries_of(2))]
}

/// Returns the entries of a table, of `B` blocks each. If a table has fewer, the blocks after it are returned as well.
#[inline(always)]
fn entries<const B: usize>(blocks: &[Block]) -> &[[Block; B]; ENTRIES] {
    blocks.as_chunks().0.first_chunk().expect("the length fits")
}

/// A vector of 64 bytes.
///
/// Vectors are made from the [`Token`](Self::Token) of their instruction set and from other vectors, so that a vector
/// is itself the proof that the CPU has the instructions its methods use. All methods are `#[inline(always)]`: a loop
/// over them is fast in a function that is compiled for the instruction set, and merely slow in any other. So methods
/// should not be called in closures, which are functions of their own.
#[allow(clippy::return_self_not_must_use, reason = "a result that is not used is an operation too many, and no fault")]
pub trait Vector: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Loops;
    /// Sums of products, with room for the products of few records.
    type Products: Copy;

    /// The most planes for whose counts, multiplied with bytes, `Products` have room.
    const ROOM: usize;
    /// The number of independent chains of additions, 1 or 2, for a slice of one chunk. Two hide the latency of
    /// additions if a record takes no longer than one.
    const CHAINS: usize = 2;

    /// Prefetches a block that will be loaded soon. This changes only the time of the load, and the pointer may be
    /// invalid.
    fn fetch(_from: *const Block) {}
    fn load(token: Self::Token, from: &Block) -> Self;
    fn store(self, to: &mut Block);
    fn and(self, other: Self) -> Self;
    /// Returns the byte that each byte of `from` names, within its [`Loops::LANE`]. The bytes of the first row are
    /// numbered from 0, those of the second row from 64.
    fn gather<const C: usize>(rows: [Self; C], from: Self) -> Self;
    /// Returns the number of ones of every byte.
    fn count_ones(self) -> Self;
    fn add_bytes(self, other: Self) -> Self;
    fn add_bytes_saturating(self, other: Self) -> Self;
    /// Returns a bit for each word of 64 bits: 1 if the word is not 0.
    fn nonzero_words(self) -> u8;
    fn no_products(token: Self::Token) -> Self::Products;
    /// Adds the products of all bytes of `self` and `counts`. The counts are below 128.
    fn add_products(self, counts: Self, products: Self::Products) -> Self::Products;
    /// Adds the products of [`SUMMED`] neighbours to each sum.
    fn sum_up(products: Self::Products, sums: &mut [i32; SUMS]);

    /// Writes the masks that have no bit of `diagonals` one after another; the words after them mean nothing. Returns a
    /// bit for each of the eight masks: 1 if it was written.
    #[inline(always)]
    fn keep(_: Self::Token, masks: &[u64; 8], diagonals: u64, to: &mut [u64; 8]) -> u8 {
        plain::keep(masks, diagonals, to)
    }
    /// See [`SlicePlane`].
    #[inline(always)]
    fn slice(_: Self::Token, survivors: &[Survivors], planes: &Planes, plane: Plane, bits: &mut [Block; 64]) {
        plain::slice(survivors, planes, plane, bits);
    }
    /// See [`Transpose`].
    #[inline(always)]
    fn transpose(_: Self::Token, from: &[Block; 64], to: &mut [Block; 64]) {
        plain::transpose(from, to);
    }
}

/// Returns for every place the number of build placements, in some blocks of the slice, that are compatible with a
/// record.
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
    let [first, second, third] = entries;
    let both = V::load(token, &first[record.first()][block]).and(V::load(token, &second[record.second()][block]));
    if THIRD { both.and(V::load(token, &third[record.third()][block])) } else { both }
}

/// Returns one word of the [`compatible_bits`] of all blocks.
#[inline(always)]
fn compatible_word<const B: usize, const THIRD: bool>(entries: &Entries<B>, record: ProbeRecord, word: usize) -> u64 {
    let (block, word) = (word / WORDS % B, word % WORDS);
    let look_up = |blocks: &[Block; B]| u64::from_le_bytes(blocks[block].0.as_chunks().0[word]);
    let [first, second, third] = entries;
    let both = look_up(&first[record.first()]) & look_up(&second[record.second()]);
    if THIRD { both & look_up(&third[record.third()]) } else { both }
}

/// Calls `run_for` of a task, compiled for the shape of its slice and the indexes of its records. Shapes are written as
/// chunks x planes + packed planes.
macro_rules! run_for_shape {
    ($layout:ident, $task:expr, $token:expr) => {
        run_for_shape!(
            $layout, $task, $token,
            1 x 1 + 0, 1 x 2 + 0, 1 x 3 + 0, 1 x 4 + 0, 1 x 5 + 0, 1 x 6 + 0,
            1 x 0 + 1, 1 x 1 + 1, 1 x 2 + 1, 1 x 3 + 1, 1 x 4 + 1, 1 x 5 + 1,
            1 x 0 + 2, 1 x 1 + 2, 1 x 2 + 2, 1 x 3 + 2, 1 x 4 + 2,
            2 x 1 + 0, 2 x 2 + 0, 2 x 3 + 0, 2 x 0 + 1, 2 x 1 + 1, 2 x 2 + 1, 2 x 0 + 2, 2 x 1 + 2, 2 x 2 + 2,
            3 x 1 + 0, 4 x 1 + 0
        )
    };
    ($layout:ident, $task:expr, $token:expr, $($chunks:literal x $planes:literal + $packed:literal),*) => {
        match $task.tables.shape {
            $(Shape { chunks: $chunks, planes: $planes, packed: $packed }
                if const { has_shape::<K>(Layout::$layout, Shape { chunks: $chunks, planes: $planes, packed: $packed }) } =>
            {
                const BLOCKS: usize = $chunks * $planes + $packed;
                if $task.tables.has_third {
                    $task.run_for::<K::Vector, $chunks, $planes, $packed, BLOCKS, true>($token)
                } else {
                    $task.run_for::<K::Vector, $chunks, $planes, $packed, BLOCKS, false>($token)
                }
            })*
            shape => panic!("there is no loop for {shape:?}"),
        }
    };
}

/// Returns whether slices of a kernel can have this shape. Loops for other shapes are not compiled.
pub(crate) const fn has_shape<K: Loops>(layout: Layout, shape: Shape) -> bool {
    let Shape { chunks, planes, packed } = shape;
    let has_room = chunks <= PANEL && shape.blocks() <= K::BLOCKS;
    match layout {
        Layout::InPlace => has_room && packed == 0,
        Layout::Packed => has_room && packed <= K::PACKED_LIMIT && (chunks == 1 || packed == 0 || K::SHARES),
        Layout::Tight => chunks <= MOST_TIGHT_BLOCKS && planes == 1 && packed == 0,
    }
}

const _: () =
    assert!(PANEL == 2 && MOST_BLOCKS == 6 && MOST_PACKED == 2 && MOST_TIGHT_BLOCKS == 4, "each shape has a loop");

/// Adds, for every record, the number of compatible build placements of each slot to the matrix row of the record's
/// rank. Each array has one record or two twins, which are added together. A byte that would exceed 255 stays at 255.
///
/// With [`StripMut::wide`], no byte may be above [`FULL`] before, and none is after: a block in which a byte would be
/// is added to its wide block and cleared. No plane is packed.
#[derive(Debug)]
pub struct Scatter<'a, const R: usize> {
    pub tables: &'a Tables,
    pub records: &'a [[ProbeRecord; R]],
    pub strip: StripMut<'a>,
}

impl<K: Loops, const R: usize> Task<K> for Scatter<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: K) {
        const { assert!(8 * R * MOST_BLOCKS <= (u8::MAX - FULL) as usize, "the counts of a bucket have room in bytes") };
        run_for_shape!(InPlace, self, token);
    }
}

impl<const R: usize> Scatter<'_, R> {
    /// Runs the loop for `C` chunks of `P` planes and `PACKED` packed planes, together `B` blocks. Records have a third
    /// index if `T` is true.
    #[inline(always)]
    fn run_for<V: Vector, const C: usize, const P: usize, const PACKED: usize, const B: usize, const T: bool>(
        self,
        token: V::Token,
    ) {
        let Self { tables, records, strip: StripMut { blocks, wide, width, first } } = self;
        let entries = entries_of::<B>(tables);
        let blocks = &mut blocks[first..];
        let is_wide = wide.is_some();
        let wide = wide.map_or(&mut [][..], |wide| &mut wide[first..]);
        let high_bits = V::load(token, &Block([FULL + 1; _]));
        for records in records {
            let start = records[0].rank() * usize::from(width);
            let row: &mut [Block; C] = (&mut blocks[start..start + C]).try_into().expect("the length fits");
            for (chunk, block) in row.iter_mut().enumerate() {
                let planes = chunk * P..(chunk + 1) * P;
                let mut counts = compatible::<V, B, T>(token, &entries, records[0], planes.clone());
                for &record in &records[1..] {
                    counts = counts.add_bytes(compatible::<V, B, T>(token, &entries, record, planes.clone()));
                }
                if is_wide {
                    let counts = V::load(token, block).add_bytes(counts);
                    counts.store(block);
                    if counts.and(high_bits).nonzero_words() != 0 {
                        drain_block(block, &mut wide[start + chunk]);
                    }
                } else {
                    V::load(token, block).add_bytes_saturating(counts).store(block);
                }
            }
        }
    }
}

/// Drains one block. The loop seldom needs this function, which is kept out of it and so compiled for any CPU.
#[cold]
fn drain_block(bytes: &mut Block, entries: &mut WideBlock) {
    drain(std::slice::from_mut(bytes), std::slice::from_mut(entries));
}

/// Multiplies, for every record, the number of compatible build placements of each slot with the slot's byte of the
/// matrix row of the record's rank. The products of four neighbouring slots are added to one sum, chunk by chunk. Those
/// of packed planes go to the sums of their places in the first chunk. There are at most [`MOST_RECORDS`] records.
#[derive(Debug)]
pub struct Dot<'a> {
    pub tables: &'a Tables,
    pub records: &'a [ProbeRecord],
    pub strip: Strip<'a>,
    pub sums: &'a mut [[i32; SUMS]],
    /// The collection of records that are needed again, if there are any.
    pub recount: Option<Recount<'a>>,
}

/// Collects the records whose matrix rows have a further digit, while all records are counted.
#[derive(Debug)]
pub struct Recount<'a> {
    /// By rank, true if its records are collected.
    pub ranks: &'a [bool],
    /// Room for all records, collected or not.
    pub records: &'a mut [ProbeRecord],
}

/// The number of records between the one that is counted and the one whose matrix row is fetched.
const AHEAD: usize = 8;

/// The most blocks of a strip that stays in the first-level cache, so that its rows are not prefetched. Rows are read
/// from all over a strip; on large boards, they come from the third-level cache.
const NEAR: usize = (32 << 10) / size_of::<Block>();

impl<K: Loops> Task<K> for Dot<'_> {
    /// The number of records that were collected.
    type Output = usize;

    #[inline(always)]
    fn run(self, token: K) -> usize {
        const { assert!(MOST_BLOCKS <= K::Vector::ROOM, "the products of a record have room") };
        debug_assert!(self.records.len() <= MOST_RECORDS);
        run_for_shape!(Packed, self, token)
    }
}

impl Dot<'_> {
    /// See [`Scatter::run_for`].
    #[inline(always)]
    fn run_for<V: Vector, const C: usize, const P: usize, const PACKED: usize, const B: usize, const T: bool>(
        self,
        token: V::Token,
    ) -> usize {
        let Self { tables, records, strip: Strip { blocks, width, first }, sums, recount } = self;
        let entries = entries_of::<B>(tables);
        let mut from = [V::load(token, &tables.from[0]); PACKED];
        for plane in 0..PACKED {
            from[plane] = V::load(token, &tables.from[plane]);
        }
        let blocks = &blocks[first..];
        let start = |record: &ProbeRecord| record.rank() * usize::from(width);
        let sums: &mut [_; C] = sums.first_chunk_mut().expect("there are sums for each chunk");
        let mut totals = *sums;
        let chains = if C == 1 { V::CHAINS } else { 1 };
        let most_planes = if P > 1 { P } else { 1 };
        let is_asked = recount.is_some();
        // This is empty if nothing is prefetched or collected.
        let mut ahead =
            if is_asked || V::Token::PACKED_LIMIT > 0 && blocks.len() > NEAR { records } else { &[] }.iter();
        let Recount { ranks, records: wanted } = recount.unwrap_or(Recount { ranks: &[], records: &mut [] });
        let mut found = 0;
        let mut look_ahead = || {
            if let Some(record) = ahead.next() {
                for chunk in 0..C {
                    V::fetch(blocks.as_ptr().wrapping_add(start(record) + chunk));
                }
                if is_asked {
                    wanted[found] = *record;
                    found += usize::from(ranks[record.rank()]);
                }
            }
        };
        for _ in 0..AHEAD {
            look_ahead();
        }
        for records in records.chunks(chains * (V::ROOM / most_planes)) {
            // The chains of additions do not wait for each other.
            let (mut even, mut odd) =
                (SliceProducts::<V, C, PACKED>::new(token), SliceProducts::<V, C, PACKED>::new(token));
            let (twos, rest) = if chains == 2 { records.as_chunks::<2>() } else { (&[][..], records) };
            for &[one, other] in twos {
                look_ahead();
                look_ahead();
                even.add::<P, B, T>(token, &entries, &from, row(blocks, start(&one)), one);
                odd.add::<P, B, T>(token, &entries, &from, row(blocks, start(&other)), other);
            }
            for &record in rest {
                look_ahead();
                even.add::<P, B, T>(token, &entries, &from, row(blocks, start(&record)), record);
            }
            even.sum_up(&mut totals);
            if chains == 2 {
                odd.sum_up(&mut totals);
            }
        }
        *sums = totals;
        found
    }
}

/// Returns the matrix row that begins at `start`, for the `C` chunks of a slice.
#[inline(always)]
fn row<const C: usize>(blocks: &[Block], start: usize) -> &[Block; C] {
    blocks[start..start + C].try_into().expect("the length fits")
}

/// The products of the counts of a slice with a strip: a sum for the planes in place of each chunk, and one for each
/// packed plane. Sums are separate, so that no addition waits for another.
struct SliceProducts<V: Vector, const C: usize, const PACKED: usize>([V::Products; C], [V::Products; PACKED]);

impl<V: Vector, const C: usize, const PACKED: usize> SliceProducts<V, C, PACKED> {
    #[inline(always)]
    fn new(token: V::Token) -> Self {
        Self([V::no_products(token); C], [V::no_products(token); PACKED])
    }

    /// Adds the counts of one record, times the bytes of its matrix row.
    #[inline(always)]
    fn add<const P: usize, const B: usize, const T: bool>(
        &mut self,
        token: V::Token,
        entries: &Entries<B>,
        from: &[V; PACKED],
        row: &[Block; C],
        record: ProbeRecord,
    ) {
        let Self(products, packed_products) = self;
        let mut rows = [V::load(token, &row[0]); C];
        for chunk in 0..C {
            rows[chunk] = V::load(token, &row[chunk]);
            if P > 0 {
                let counts = compatible::<V, B, T>(token, entries, record, chunk * P..(chunk + 1) * P);
                products[chunk] = rows[chunk].add_products(counts, products[chunk]);
            }
        }
        for plane in 0..PACKED {
            let counts = compatible::<V, B, T>(token, entries, record, C * P + plane..C * P + plane + 1);
            packed_products[plane] = V::gather(rows, from[plane]).add_products(counts, packed_products[plane]);
        }
    }

    #[inline(always)]
    fn sum_up(self, totals: &mut [[i32; SUMS]; C]) {
        let Self(products, packed) = self;
        for chunk in 0..C {
            V::sum_up(products[chunk], &mut totals[chunk]);
        }
        for products in packed {
            V::sum_up(products, &mut totals[0]);
        }
    }
}

/// Returns the sum of the matrix entries of all compatible pairs of some records and a tight slice, by weight class.
/// The entry of a pair is that of the record's rank and the placement's slot.
#[derive(Debug)]
pub struct SumEntries<'a> {
    pub tables: &'a Tables,
    pub records: &'a [ProbeRecord],
    pub strip: Strip<'a>,
    /// For every [`SUMMED`] slots of a row, their weight class.
    pub weight_classes: &'a [u8],
    pub remainders: &'a mut RecordRemainders,
}

/// Scratch memory of [`SumEntries`]: the compatible pairs of some records that are not added yet.
#[derive(Debug)]
pub struct RecordRemainders {
    /// Records, each with a bit for every word of the slice in which the record has a compatible pair.
    records: Vec<(ProbeRecord, u32)>,
    /// Words that are not 0, each with the block at which the record's matrix row begins, and the word's place in the
    /// slice.
    words: Vec<(u64, u32, u32)>,
}

/// The number of words of a block.
const WORDS: usize = size_of::<Block>() / size_of::<u64>();

impl RecordRemainders {
    /// The most records that are treated together.
    const RECORDS: usize = 128;
    const WORDS: usize = Self::RECORDS * MOST_TIGHT_BLOCKS * WORDS;
}

impl Default for RecordRemainders {
    fn default() -> Self {
        Self { records: vec![Default::default(); Self::RECORDS], words: vec![Default::default(); Self::WORDS] }
    }
}

impl<K: Loops> Task<K> for SumEntries<'_> {
    type Output = [u64; WEIGHT_CLASSES];

    #[inline(always)]
    fn run(self, token: K) -> Self::Output {
        run_for_shape!(Tight, self, token)
    }
}

/// The factor of an entry by weight class. The sums of the second and the third class become the low and the high half
/// of one number in a register; the sum of the first class is the total less both.
const LATER: [u64; WEIGHT_CLASSES] = [0, 1, 1 << 32];

impl SumEntries<'_> {
    /// See [`Scatter::run_for`].
    #[inline(always)]
    fn run_for<V: Vector, const C: usize, const P: usize, const PACKED: usize, const B: usize, const T: bool>(
        self,
        token: V::Token,
    ) -> [u64; WEIGHT_CLASSES] {
        let Self { tables, records, strip: Strip { blocks, width, first }, weight_classes, remainders } = self;
        const { assert!(RecordRemainders::WORDS * 64 * (u8::MAX as usize) < u32::MAX as usize, "sums have room in halves") };
        debug_assert_eq!((P, first), (1, 0));
        let entries = entries_of::<B>(tables);
        let RecordRemainders { records: found, words } = remainders;
        let found = &mut found[..RecordRemainders::RECORDS];
        let words = &mut words[..RecordRemainders::WORDS];
        let mut sums = [0; WEIGHT_CLASSES];
        for records in records.chunks(RecordRemainders::RECORDS) {
            // The CPU cannot predict which words are not 0, so branches depend only on their number.
            let mut count = 0;
            for &record in records {
                let mut nonzero = 0;
                for block in 0..B {
                    let bits = compatible_bits::<V, B, T>(token, &entries, record, block);
                    nonzero |= u32::from(bits.nonzero_words()) << (WORDS * block);
                }
                found[count] = (record, nonzero);
                count += usize::from(nonzero != 0);
            }
            // Each round takes one word of every record that has one left.
            let mut end = 0;
            while count > 0 {
                let mut more = 0;
                for index in 0..count {
                    let (record, nonzero) = found[index];
                    let word = nonzero.trailing_zeros();
                    let row = (record.rank() * usize::from(width)) as u32;
                    words[end] = (compatible_word::<B, T>(&entries, record, word as usize), row, word);
                    end += 1;
                    let nonzero = nonzero & (nonzero - 1);
                    found[more] = (record, nonzero);
                    more += usize::from(nonzero != 0);
                }
                count = more;
            }
            // Each round takes one bit of every word that has one left.
            let (mut all, mut later) = (0, 0);
            while end > 0 {
                let mut more = 0;
                for index in 0..end {
                    let (bits, row, word) = words[index];
                    let place = 64 * word + bits.trailing_zeros();
                    let slot = usize::from(tables.slots[place as usize % (PLACEMENTS_PER_BLOCK * MOST_TIGHT_BLOCKS)]);
                    let entry = u64::from(blocks[row as usize + slot / SLOTS].0[slot % SLOTS]);
                    all += entry;
                    later += entry * LATER[usize::from(weight_classes[slot / SUMMED])];
                    let bits = bits & (bits - 1);
                    words[more] = (bits, row, word);
                    more += usize::from(bits != 0);
                }
                end = more;
            }
            let [second, third] = [later & 0xFFFF_FFFF, later >> 32];
            sums[0] += all - second - third;
            sums[1] += second;
            sums[2] += third;
        }
        sums
    }
}

/// Copies the placements of `parent` whose diagonal masks have no bit of `diagonals` to `child`, which has
/// [room](Survivors::reserve) for all.
#[derive(Debug)]
pub struct Filter<'a> {
    pub parent: &'a Survivors,
    pub diagonals: u64,
    pub child: &'a mut Survivors,
}

impl<K: Loops> Task<K> for Filter<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: K) {
        let Self { parent, diagonals, child } = self;
        child.kept.clear();
        let mut end = 0;
        for masks in parent.placements[..parent.len().next_multiple_of(8)].chunks(64) {
            let mut word = 0;
            for (index, masks) in masks.as_chunks().0.iter().enumerate() {
                let to = child.placements[end..].first_chunk_mut().expect("there is room for all");
                let kept = K::Vector::keep(token, masks, diagonals, to);
                end += kept.count_ones() as usize;
                word |= u64::from(kept) << (8 * index);
            }
            child.kept.push((word, 0));
        }
        child.find_starts(parent);
    }
}

/// Turns a plane of diagonal masks into sets of placements: block *b* gets the placements whose masks have bit *b*. A
/// place without a placement counts as a mask with every bit, [`NO_PLACEMENT`](super::NO_PLACEMENT) among them.
#[derive(Debug)]
pub struct SlicePlane<'a> {
    /// The survivors of the chunks of the planes.
    pub survivors: &'a [Survivors],
    pub planes: &'a Planes,
    pub plane: Plane,
    pub bits: &'a mut [Block; 64],
}

impl<K: Loops> Task<K> for SlicePlane<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: K) {
        K::Vector::slice(token, self.survivors, self.planes, self.plane, self.bits);
    }
}

/// Makes the one-row table: for each square the placements of every block that do not attack it. A square is given as
/// the bits of its diagonal and its anti-diagonal. This is a plain loop, which the compiler vectorizes for the
/// instruction set of its caller.
#[derive(Debug)]
pub struct OneRowTable<'a> {
    pub bits: &'a [[Block; 64]],
    pub squares: &'a [[u8; 2]],
    pub table: &'a mut [Block],
}

impl<K: Loops> Task<K> for OneRowTable<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: K) {
        let Self { bits, squares, table } = self;
        let table = &mut table[..squares.len() * bits.len()];
        let mut next = 0;
        for &[diagonal, anti_diagonal] in squares {
            for bits in bits {
                let (mut block, other) = (bits[usize::from(diagonal)], &bits[usize::from(anti_diagonal)]);
                for byte in 0..SLOTS {
                    block.0[byte] = !(block.0[byte] | other.0[byte]);
                }
                table[next] = block;
                next += 1;
            }
        }
    }
}

/// Makes the two-row table of two rows from the one-row table of a slice of `blocks` blocks: for each square of the
/// first row and each of the second the placements that attack neither. A row is given as where its squares begin and
/// end.
#[derive(Debug)]
pub struct TwoRowTable<'a> {
    pub squares: &'a [Block],
    pub blocks: usize,
    pub rows: [[usize; 2]; 2],
    pub table: &'a mut [Block],
}

impl<K: Loops> Task<K> for TwoRowTable<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: K) {
        match self.blocks {
            1 => two_row_table::<K::Vector, 1>(token, self),
            2 => two_row_table::<K::Vector, 2>(token, self),
            3 => two_row_table::<K::Vector, 3>(token, self),
            4 => two_row_table::<K::Vector, 4>(token, self),
            5 => two_row_table::<K::Vector, 5>(token, self),
            MOST_BLOCKS => two_row_table::<K::Vector, MOST_BLOCKS>(token, self),
            blocks => panic!("a slice has up to {MOST_BLOCKS} blocks, not {blocks}"),
        }
    }
}

#[inline(always)]
fn two_row_table<V: Vector, const B: usize>(token: V::Token, TwoRowTable { squares, rows, table, .. }: TwoRowTable) {
    let (squares, table) = (entries::<B>(squares), table.as_chunks_mut::<B>().0);
    let [first, second] = [&squares[rows[0][0]..rows[0][1]], &squares[rows[1][0]..rows[1][1]]];
    let table = &mut table[..first.len() * second.len()];
    let mut next = 0;
    for first in first {
        let mut vectors = [V::load(token, &first[0]); B];
        for block in 1..B {
            vectors[block] = V::load(token, &first[block]);
        }
        for second in second {
            for block in 0..B {
                vectors[block].and(V::load(token, &second[block])).store(&mut table[next][block]);
            }
            next += 1;
        }
    }
}

/// Byte *i* of row *j* becomes byte *j* of row *i*.
#[derive(Debug)]
pub struct Transpose<'a> {
    pub from: &'a [Block; 64],
    pub to: &'a mut [Block; 64],
}

impl<K: Loops> Task<K> for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: K) {
        K::Vector::transpose(token, self.from, self.to);
    }
}

/// Returns the largest byte of some blocks, 0 if there are none. This is a plain loop, like [`OneRowTable`].
#[derive(Debug)]
pub struct Largest<'a>(pub &'a [Block]);

impl<K: Loops> Task<K> for Largest<'_> {
    type Output = u8;

    #[inline(always)]
    fn run(self, _: K) -> u8 {
        let mut largest = [0; SLOTS];
        for block in self.0 {
            for (largest, &byte) in largest.iter_mut().zip(&block.0) {
                *largest = byte.max(*largest);
            }
        }
        largest_byte(&largest)
    }
}

/// Returns the largest of some bytes. This function is not inlined, because otherwise the compiler keeps them as single
/// bytes.
#[inline(never)]
fn largest_byte(bytes: &[u8; SLOTS]) -> u8 {
    bytes.iter().fold(0, |largest, &byte| byte.max(largest))
}

/// Adds every byte to the entry in its place, and clears the byte. This is a plain loop, like [`OneRowTable`].
#[derive(Debug)]
pub struct Drain<'a> {
    pub bytes: &'a mut [Block],
    pub entries: &'a mut [WideBlock],
}

impl<K: Loops> Task<K> for Drain<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: K) {
        drain(self.bytes, self.entries);
    }
}

#[inline(always)]
fn drain(bytes: &mut [Block], entries: &mut [WideBlock]) {
    for (bytes, entries) in bytes.iter_mut().zip(entries) {
        for (entry, byte) in entries.0.iter_mut().zip(bytes.0) {
            *entry += u32::from(byte);
        }
        *bytes = Block::ZERO;
    }
}
