//! What the vector kernel asks of a vector of lanes: the operations of one instruction set, and nothing of the search.

#![allow(unsafe_code)]

use super::super::node::Node;

/// A vector of [`LANES`](Self::LANES) words; a word has one bit for each column.
///
/// # Safety
/// The methods are compiled for an instruction set. They may be called only where the CPU supports it, and from functions
/// into which they are inlined (all are `#[inline(always)]`) and that are compiled for it. What is read or written through
/// a pointer must be there: a whole vector, unless the method says otherwise.
pub(super) unsafe trait Lanes: Copy {
    /// A lane's word: `u16` or `u32`.
    type Word: Word;
    /// One bit for each lane.
    type Mask: Copy;
    /// A number of columns to shift by.
    type Shift: Copy;
    /// How many lanes there are.
    const LANES: usize;

    /// The same word in every lane.
    unsafe fn splat(word: Self::Word) -> Self;
    /// The words at an address of any alignment.
    unsafe fn load(from: *const Self::Word) -> Self;
    /// Writes the words to an address of any alignment.
    unsafe fn store(self, to: *mut Self::Word);

    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn not(self) -> Self;
    /// The lowest bit of each word, nothing of a word without bits.
    unsafe fn lowest(self) -> Self;
    /// Each word shifted up; bits that leave it are lost.
    unsafe fn up<const BITS: u32>(self) -> Self;
    /// Each word shifted down; bits that leave it are lost.
    unsafe fn down<const BITS: u32>(self) -> Self;
    /// What shifts by so many columns, fewer than a word has.
    unsafe fn shift(columns: u32) -> Self::Shift;
    /// Each word shifted up; bits that leave it are lost.
    unsafe fn up_by(self, shift: Self::Shift) -> Self;
    /// Each word shifted down; bits that leave it are lost.
    unsafe fn down_by(self, shift: Self::Shift) -> Self;
    /// The smaller of two words without a sign, lane by lane.
    unsafe fn min(self, other: Self) -> Self;

    /// The lanes in which two words have a bit in common.
    unsafe fn meets(self, other: Self) -> Self::Mask;
    /// The lanes whose words have no bit.
    unsafe fn is_zero(self) -> Self::Mask;
    /// The first lanes, so many.
    unsafe fn first(lanes: usize) -> Self::Mask;
    unsafe fn both(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// How many lanes a mask has.
    unsafe fn count(mask: Self::Mask) -> usize;

    /// Writes the words of the lanes in the mask one after another to an address of any alignment, and then anything, to
    /// the length of a vector at most.
    unsafe fn compress(self, mask: Self::Mask, to: *mut Self::Word);
    /// The lanes in the mask get one word after another from an address, the others keep theirs.
    unsafe fn expand(self, mask: Self::Mask, from: *const Self::Word) -> Self;
    /// The other vector in the lanes of the mask, this one elsewhere.
    unsafe fn blend(self, mask: Self::Mask, other: Self) -> Self;
}

/// A word of a lane.
pub(super) trait Word: Copy + Default {
    /// How many columns it has bits for.
    const COLUMNS: u32;

    /// The low bits of a mask; the columns of the board must fit.
    fn of(mask: u32) -> Self;
}

impl Word for u16 {
    const COLUMNS: u32 = u16::BITS;

    fn of(mask: u32) -> Self {
        mask as u16
    }
}

impl Word for u32 {
    const COLUMNS: u32 = u32::BITS;

    fn of(mask: u32) -> Self {
        mask
    }
}

/// A node as the lanes see it: the columns in use, those beyond the board among them, and the squares of the next row that
/// are attacked along diagonals from the left and from the right.
pub(super) fn words<W: Word>(node: Node) -> [W; 3] {
    [!node.columns, node.falling, node.rising].map(W::of)
}

#[cfg(test)]
mod tests {
    use super::super::portable;
    #[cfg(target_arch = "x86_64")]
    use super::super::{avx2, avx512};
    use super::*;
    use crate::engine::Kernel;
    use crate::estimate::SplitMix64;
    use std::fmt::Debug;

    /// The words of a vector.
    unsafe fn words_of<L: Lanes<Word: Debug>>(vector: L) -> Vec<L::Word> {
        let mut words = vec![L::Word::default(); L::LANES];
        // SAFETY: there are as many words as lanes; the caller vouches for the CPU.
        unsafe { vector.store(words.as_mut_ptr()) };
        words
    }

    /// The lanes of a mask.
    unsafe fn lanes_of<L: Lanes<Word: Debug + PartialEq>>(mask: L::Mask) -> Vec<bool> {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let marked = L::splat(L::Word::of(0)).blend(mask, L::splat(L::Word::of(1)));
            words_of(marked).into_iter().map(|word| word == L::Word::of(1)).collect()
        }
    }

    /// Every operation against plain arithmetic on each word, for random words of `bits` bits.
    unsafe fn check<L: Lanes<Word: Debug + PartialEq + Into<u32>>>(bits: u32) {
        let all = u32::MAX >> (32 - bits);
        let mut random = SplitMix64::new(u64::from(bits));
        for round in 0..200 {
            // Few bits now and many then, so that lanes without any, and masks of any size, come up.
            let mut vector = || -> Vec<u32> {
                let thin =
                    |random: &mut SplitMix64| (0..round % 5).fold(all, |word, _| word & random.next_u64() as u32);
                (0..L::LANES).map(|_| thin(&mut random) & all).collect()
            };
            let (a, b, c) = (vector(), vector(), vector());
            let words = |vector: &[u32]| -> Vec<L::Word> { vector.iter().map(|&word| L::Word::of(word)).collect() };
            let numbers = |vector: L| -> Vec<u32> {
                // SAFETY: the caller vouches for the CPU.
                unsafe { words_of(vector) }.into_iter().map(Into::into).collect()
            };
            let each = |word: &dyn Fn(u32, u32) -> u32| -> Vec<u32> {
                a.iter().zip(&b).map(|(&a, &b)| word(a, b) & all).collect()
            };
            // SAFETY: the vectors are whole; the caller vouches for the CPU.
            unsafe {
                let (x, y, z) = (L::load(words(&a).as_ptr()), L::load(words(&b).as_ptr()), words(&c));
                assert_eq!(numbers(x.and(y)), each(&|a, b| a & b));
                assert_eq!(numbers(x.or(y)), each(&|a, b| a | b));
                assert_eq!(numbers(x.xor(y)), each(&|a, b| a ^ b));
                assert_eq!(numbers(x.not()), each(&|a, _| !a));
                assert_eq!(numbers(x.lowest()), each(&|a, _| a & a.wrapping_neg()));
                assert_eq!(numbers(x.min(y)), each(&|a, b| a.min(b)));
                assert_eq!(numbers(x.up::<1>()), each(&|a, _| a << 1));
                assert_eq!(numbers(x.up::<2>()), each(&|a, _| a << 2));
                assert_eq!(numbers(x.up::<3>()), each(&|a, _| a << 3));
                assert_eq!(numbers(x.up::<4>()), each(&|a, _| a << 4));
                assert_eq!(numbers(x.down::<1>()), each(&|a, _| a >> 1));
                assert_eq!(numbers(x.down::<2>()), each(&|a, _| a >> 2));
                assert_eq!(numbers(x.down::<3>()), each(&|a, _| a >> 3));
                assert_eq!(numbers(x.down::<4>()), each(&|a, _| a >> 4));
                for columns in [1, 2, 3, 5, 11] {
                    assert_eq!(numbers(x.up_by(L::shift(columns))), each(&|a, _| a << columns));
                    assert_eq!(numbers(x.down_by(L::shift(columns))), each(&|a, _| a >> columns));
                }

                let meets: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a & b != 0).collect();
                let mask = x.meets(y);
                assert_eq!(lanes_of::<L>(mask), meets);
                assert_eq!(L::count(mask), meets.iter().filter(|&&lane| lane).count());
                assert_eq!(lanes_of::<L>(x.is_zero()), a.iter().map(|&word| word == 0).collect::<Vec<_>>());
                let few = round as usize % (L::LANES + 1);
                assert_eq!(lanes_of::<L>(L::first(few)), (0..L::LANES).map(|lane| lane < few).collect::<Vec<_>>());
                let both: Vec<bool> = meets.iter().enumerate().map(|(lane, &meets)| meets && lane < few).collect();
                assert_eq!(lanes_of::<L>(L::both(mask, L::first(few))), both);

                let packed: Vec<u32> = a.iter().zip(&meets).filter(|&(_, &kept)| kept).map(|(&word, _)| word).collect();
                let mut found = vec![L::Word::default(); L::LANES];
                x.compress(mask, found.as_mut_ptr());
                assert_eq!(numbers(L::load(found.as_ptr()))[..packed.len()], packed);
                let mut next = c.iter();
                let spread =
                    a.iter().zip(&meets).map(|(&word, &taken)| if taken { *next.next().unwrap() } else { word });
                assert_eq!(numbers(x.expand(mask, z.as_ptr())), spread.collect::<Vec<_>>());
                let blended = a.iter().zip(&b).zip(&meets).map(|((&a, &b), &meets)| if meets { b } else { a });
                assert_eq!(numbers(x.blend(mask, y)), blended.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_operation_is_what_it_says() {
        // SAFETY: the CPU supports what is checked.
        unsafe {
            check::<portable::Words>(32);
            #[cfg(target_arch = "x86_64")]
            if Kernel::Avx2.is_supported() {
                check::<avx2::Narrow>(16);
                check::<avx2::Wide>(32);
            }
            #[cfg(target_arch = "x86_64")]
            if Kernel::Avx512.is_supported() {
                check::<avx512::Narrow>(16);
                check::<avx512::Wide>(32);
            }
        }
    }
}
