//! Loops over single words, for vectors without better instructions: the compiler vectorizes them as far as it can.

use super::planes::{Plane, Planes};
use super::{Block, SLOTS, Survivors};

/// Filters one placement at a time, without branches.
#[inline(always)]
pub(crate) fn keep(masks: &[u64; 8], diagonals: u64, to: &mut [u64; 8]) -> u8 {
    let (mut kept, mut end) = (0, 0);
    for (index, &mask) in masks.iter().enumerate() {
        to[end % 8] = mask;
        let is_kept = mask & diagonals == 0;
        kept |= u8::from(is_kept) << index;
        end += usize::from(is_kept);
    }
    kept
}

/// Transposes eight square matrices of bits side by side, one for every eight slots.
#[inline(always)]
pub(crate) fn slice(survivors: &[Survivors], planes: &Planes, plane: Plane, bits: &mut [Block; 64]) {
    // By slot of the eight and place: the masks. They are transposed bit by bit of a byte, then byte by byte.
    let mut rows = [[[0; 8]; 8]; 8];
    for slot in 0..SLOTS {
        let (masks, count) = planes.at(survivors, slot, plane);
        for place in 0..8 {
            rows[slot % 8][place][slot / 8] = if place < count { masks[place] } else { u64::MAX };
        }
    }
    for places in &mut rows {
        transpose_words::<1>(places);
    }
    for bit in 0..8 {
        let mut bytes = [[0; 8]; 8];
        for (slot, bytes) in bytes.iter_mut().enumerate() {
            *bytes = rows[slot][bit];
        }
        transpose_words::<8>(&mut bytes);
        for (byte, words) in bytes.into_iter().enumerate() {
            let to = bits[8 * byte + bit].0.as_chunks_mut::<8>().0;
            for word in 0..8 {
                to[word] = words[word].to_le_bytes();
            }
        }
    }
}

/// Transposes eight by eight bytes at a time.
#[inline(always)]
pub(crate) fn transpose(from: &[Block; 64], to: &mut [Block; 64]) {
    for (eight, rows) in from.as_chunks::<8>().0.iter().enumerate() {
        let mut words = [[0; 8]; 8];
        for row in 0..8 {
            for word in 0..8 {
                words[row][word] = u64::from_le_bytes(rows[row].0.as_chunks().0[word]);
            }
        }
        transpose_words::<8>(&mut words);
        for (byte, words) in words.into_iter().enumerate() {
            for (word, bytes) in words.into_iter().enumerate() {
                to[8 * word + byte].0.as_chunks_mut::<8>().0[eight] = bytes.to_le_bytes();
            }
        }
    }
}

/// Eight words of 64 bits, as wide as a block.
type Words = [u64; 8];

/// Transposes square matrices side by side: each takes eight entries of `BITS` bits, together a byte or a word, of
/// every row (H. S. Warren, *Hacker's Delight*, 7-3).
#[inline(always)]
fn transpose_words<const BITS: u32>(rows: &mut [Words; 8]) {
    for word in 0..8 {
        let mut column = [0; 8];
        for row in 0..8 {
            column[row] = rows[row][word];
        }
        exchange::<4>(&mut column, 4 * BITS);
        exchange::<2>(&mut column, 2 * BITS);
        exchange::<1>(&mut column, BITS);
        for row in 0..8 {
            rows[row][word] = column[row];
        }
    }
}

/// Exchanges bits of rows that are `DISTANCE` apart: of every 2 · `bits` bits, the upper half in the first row and the
/// lower half in the second.
#[inline(always)]
fn exchange<const DISTANCE: usize>(rows: &mut [u64; 8], bits: u32) {
    let lower = u64::MAX / ((1 << bits) + 1);
    for first in 0..8 {
        if first & DISTANCE == 0 {
            let swapped = (rows[first] >> bits ^ rows[first + DISTANCE]) & lower;
            rows[first] ^= swapped << bits;
            rows[first + DISTANCE] ^= swapped;
        }
    }
}
