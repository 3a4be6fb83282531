//! The survivors of a prefix become the tables of a slice.

use super::{Vector, entries};
use crate::engine::kernel::Task;
use crate::engine::two_color::simd::{Block, Loops, MOST_BLOCKS, Plane, Planes, SLOTS, Survivors};

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
/// place without a placement counts as a mask with every bit, `NO_PLACEMENT` among them.
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
