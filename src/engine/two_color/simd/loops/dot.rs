//! Counts of the dense colour are multiplied with a matrix row.

use super::{Entries, Vector, compatible, entries_of, has_shape, run_for_shape};
use crate::engine::kernel::Task;
use crate::engine::two_color::simd::{
    Block, Layout, Loops, MOST_BLOCKS, MOST_RECORDS, ProbeRecord, SUMS, Shape, Strip, Tables,
};

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
