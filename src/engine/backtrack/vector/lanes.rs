//! The vector operations that the search needs, without anything of the search itself.

#![allow(unsafe_code, clippy::inline_always)]

use crate::engine::kernel::Token;
use std::ops::BitAnd;

/// A vector of [`LANES`](Self::LANES) words; a word has one bit for each column.
///
/// Vectors are made from the [`Token`](Self::Token) of their instruction set and from other vectors. A vector is
/// therefore itself the proof that the CPU has the instructions its methods use. All methods are `#[inline(always)]`: a
/// loop over them is fast in a function compiled for the instruction set, and merely slow in any other.
///
/// # Safety
/// In memory, a vector is [`LANES`](Self::LANES) words, which may have any bits. The search trusts an implementation to
/// access no more memory than the methods say. It also trusts [`count`](Self::count) to be the number of lanes in the
/// mask, which is at most [`LANES`](Self::LANES).
pub(super) unsafe trait Lanes: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Token;
    /// A lane's word: `u16` or `u32`.
    type Word: Word;
    /// A set of lanes.
    type Mask: Copy + BitAnd<Output = Self::Mask>;
    /// The number of lanes.
    const LANES: usize;

    /// The same word in every lane.
    fn splat(token: Self::Token, word: Self::Word) -> Self;
    /// Words with all bits in the first `lanes` lanes, and without bits in the others.
    #[inline(always)]
    fn first(token: Self::Token, lanes: usize) -> Self {
        /// Words with all bits and then words without, as many of each as a vector may have.
        static WORDS: [[u32; 32]; 2] = [[u32::MAX; 32], [0; 32]];
        const { assert!(Self::LANES * size_of::<Self::Word>() <= size_of::<[u32; 32]>()) };
        // SAFETY: the vector begins at most a vector before the middle of the words, and each half has room for one.
        unsafe {
            let middle = WORDS.as_ptr().add(1).cast::<Self::Word>();
            Self::load(token, middle.sub(lanes.min(Self::LANES)))
        }
    }
    /// Reads a vector.
    ///
    /// # Safety
    /// [`LANES`](Self::LANES) words can be read from `from`, which needs no alignment.
    #[inline(always)]
    unsafe fn load(_: Self::Token, from: *const Self::Word) -> Self {
        // SAFETY: the token proves the instructions, and the caller says that a vector can be read.
        unsafe { from.cast::<Self>().read_unaligned() }
    }
    /// Writes the vector.
    ///
    /// # Safety
    /// [`LANES`](Self::LANES) words can be written to `to`, which needs no alignment.
    #[inline(always)]
    unsafe fn store(self, to: *mut Self::Word) {
        // SAFETY: the caller says that a vector can be written.
        unsafe { to.cast::<Self>().write_unaligned(self) }
    }

    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// The lowest bit of each word; 0 for a word without bits.
    fn lowest(self) -> Self;
    /// Each word shifted up by a number of columns, fewer than a word has; bits that leave it are lost.
    fn up<const COLUMNS: i32>(self) -> Self;
    /// Each word shifted down; bits that leave it are lost.
    fn down<const COLUMNS: i32>(self) -> Self;
    /// The smaller of two unsigned words, lane by lane.
    fn min(self, other: Self) -> Self;

    /// The lanes in which two words have a bit in common.
    fn meets(self, other: Self) -> Self::Mask;
    /// The lanes whose words have no bit.
    fn is_zero(self) -> Self::Mask;
    /// Returns the number of lanes in a mask.
    fn count(mask: Self::Mask) -> usize;

    /// Writes the words of the lanes in the mask one after another. Unspecified words follow, to the length of a
    /// vector.
    ///
    /// # Safety
    /// [`LANES`](Self::LANES) words can be written to `to`, which needs no alignment.
    unsafe fn compress(self, mask: Self::Mask, to: *mut Self::Word);
    /// Replaces the words of the lanes in the mask by consecutive words from memory.
    ///
    /// # Safety
    /// [`LANES`](Self::LANES) words can be read from `from`, which needs no alignment.
    unsafe fn expand(self, mask: Self::Mask, from: *const Self::Word) -> Self;
    /// The other vector in the lanes of the mask, this one elsewhere.
    fn blend(self, mask: Self::Mask, other: Self) -> Self;
}

pub(super) trait Word: Copy + Default {
    /// The number of columns that a word has bits for.
    const COLUMNS: u32 = 8 * size_of::<Self>() as u32;

    /// The low bits of a mask; the columns of the board must fit.
    fn from_mask(mask: u32) -> Self;
}

impl Word for u16 {
    fn from_mask(mask: u32) -> Self {
        mask as u16
    }
}

impl Word for u32 {
    fn from_mask(mask: u32) -> Self {
        mask
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "aarch64")]
    use super::super::neon;
    use super::super::portable;
    #[cfg(target_arch = "x86_64")]
    use super::super::{avx2, avx512};
    use super::*;
    #[cfg(target_arch = "aarch64")]
    use crate::engine::kernel::Neon;
    use crate::engine::kernel::Portable;
    #[cfg(target_arch = "x86_64")]
    use crate::engine::kernel::{Avx2, Avx512};
    use crate::random::SplitMix64;
    use std::fmt::Debug;

    fn words_of<L: Lanes<Word: Debug>>(vector: L) -> Vec<L::Word> {
        let mut words = vec![L::Word::default(); L::LANES];
        // SAFETY: there is a word for each lane.
        unsafe { vector.store(words.as_mut_ptr()) };
        words
    }

    fn lanes_of<L: Lanes<Word: Debug + PartialEq>>(token: L::Token, mask: L::Mask) -> Vec<bool> {
        let marked = L::splat(token, L::Word::from_mask(0)).blend(mask, L::splat(token, L::Word::from_mask(1)));
        words_of(marked).into_iter().map(|word| word == L::Word::from_mask(1)).collect()
    }

    fn shifts<L: Lanes, const COLUMNS: i32>(vector: L) -> [L; 2] {
        [vector.up::<COLUMNS>(), vector.down::<COLUMNS>()]
    }

    /// Checks every operation against plain arithmetic on each word, for random words of `bits` bits.
    fn check<L: Lanes<Word: Debug + PartialEq + Into<u32>>>(token: L::Token, bits: u32) {
        let all = u32::MAX >> (32 - bits);
        let mut random = SplitMix64::new(u64::from(bits));
        for round in 0..200 {
            // Some words get few bits and others many, so that empty lanes and masks of any size come up.
            let mut vector = || -> Vec<u32> {
                let thin =
                    |random: &mut SplitMix64| (0..round % 5).fold(all, |word, _| word & random.next_u64() as u32);
                (0..L::LANES).map(|_| thin(&mut random) & all).collect()
            };
            let (a, b, c) = (vector(), vector(), vector());
            let words =
                |vector: &[u32]| -> Vec<L::Word> { vector.iter().map(|&word| L::Word::from_mask(word)).collect() };
            let load = |words: &[L::Word]| {
                assert_eq!(words.len(), L::LANES);
                // SAFETY: there is a word for each lane.
                unsafe { L::load(token, words.as_ptr()) }
            };
            let numbers = |vector: L| -> Vec<u32> { words_of(vector).into_iter().map(Into::into).collect() };
            let each = |word: &dyn Fn(u32, u32) -> u32| -> Vec<u32> {
                a.iter().zip(&b).map(|(&a, &b)| word(a, b) & all).collect()
            };
            let (x, y, z) = (load(&words(&a)), load(&words(&b)), words(&c));
            assert_eq!(numbers(x.and(y)), each(&|a, b| a & b));
            assert_eq!(numbers(x.or(y)), each(&|a, b| a | b));
            assert_eq!(numbers(x.xor(y)), each(&|a, b| a ^ b));
            assert_eq!(numbers(x.not()), each(&|a, _| !a));
            assert_eq!(numbers(x.lowest()), each(&|a, _| a & a.wrapping_neg()));
            assert_eq!(numbers(x.min(y)), each(&|a, b| a.min(b)));
            let shifted = [shifts::<L, 1>(x), shifts::<L, 2>(x), shifts::<L, 3>(x), shifts::<L, 4>(x)];
            for (columns, [up, down]) in (1..).zip(shifted) {
                assert_eq!((numbers(up), numbers(down)), (each(&|a, _| a << columns), each(&|a, _| a >> columns)));
            }
            let few = round as usize % (L::LANES + 1);
            let first = (0..L::LANES).map(|lane| if lane < few { all } else { 0 });
            assert_eq!(numbers(L::first(token, few)), first.collect::<Vec<_>>());

            let meets: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a & b != 0).collect();
            let mask = x.meets(y);
            assert_eq!(lanes_of::<L>(token, mask), meets);
            assert_eq!(L::count(mask), meets.iter().filter(|&&lane| lane).count());
            assert_eq!(lanes_of::<L>(token, x.is_zero()), a.iter().map(|&word| word == 0).collect::<Vec<_>>());
            let both: Vec<bool> = a.iter().zip(&c).zip(&meets).map(|((a, c), &meets)| meets && a & c != 0).collect();
            assert_eq!(lanes_of::<L>(token, mask & x.meets(load(&z))), both);

            let packed: Vec<u32> = a.iter().zip(&meets).filter(|&(_, &kept)| kept).map(|(&word, _)| word).collect();
            let mut found = vec![L::Word::default(); L::LANES];
            // SAFETY: there is a word for each lane.
            unsafe { x.compress(mask, found.as_mut_ptr()) };
            assert_eq!(numbers(load(&found))[..packed.len()], packed);
            let mut next = c.iter();
            let spread = a.iter().zip(&meets).map(|(&word, &taken)| if taken { *next.next().unwrap() } else { word });
            // SAFETY: there is a word for each lane.
            let expanded = unsafe { x.expand(mask, z.as_ptr()) };
            assert_eq!(numbers(expanded), spread.collect::<Vec<_>>());
            let blended = a.iter().zip(&b).zip(&meets).map(|((&a, &b), &meets)| if meets { b } else { a });
            assert_eq!(numbers(x.blend(mask, y)), blended.collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_operation_is_what_it_says() {
        check::<portable::Words>(Portable, 32);
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = Avx2::detect() {
            check::<avx2::Words>(token, 32);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = Avx512::detect() {
            check::<avx512::Narrow>(token, 16);
            check::<avx512::Wide>(token, 32);
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(token) = Neon::detect() {
            check::<neon::Narrow>(token, 16);
            check::<neon::Wide>(token, 32);
        }
    }
}
