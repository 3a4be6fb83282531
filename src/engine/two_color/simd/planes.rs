//! The planes of the survivors of a chunk, or of two together: which survivors stand where.
//!
//! A chunk needs as many planes as its fullest slot has bytes, and most slots have fewer: two thirds of the bits would
//! be empty. So the bytes that slots have beyond some first planes are *packed* into one or two more planes, which two
//! chunks can share. In a packed plane a byte may stand in another slot's place. Its count is multiplied with the
//! matrix entry of its own slot, which a shuffle brings to that place.

// Functions that the loops call are compiled into them.
#![allow(clippy::inline_always)]

use super::{Block, Loops, MOST_PACKED, SLOTS, SUMMED, SUMS, Shape, Survivors};
use crate::engine::kernel::Task;

/// The most chunks of a panel, which are swept together, unless survivors are tight. Slices have loops for one chunk
/// and for two.
pub(crate) const PANEL: usize = 2;

/// The places of a packed plane that the bytes of each slot of some chunks may take: any place of the slot's *pool*.
///
/// Two places are in one pool if a shuffle reaches one from the other and their sums belong to one range of ranks of
/// buckets. On the first route, a range is a weight class. Sums of packed planes are those of the first chunk. If a
/// slot of the second chunk has a range that the first chunk lacks, it has no pool: its bytes stay in place.
#[derive(Clone, Debug)]
pub struct Pools {
    /// By chunk and sum, the pool of its slots.
    by_sum: [[u8; SUMS]; PANEL],
    /// The places, pool by pool, in the order in which they are filled.
    places: [u8; SLOTS],
    /// Where each pool begins in `places`, and where the last pool ends.
    starts: [u8; SUMS + 1],
    /// The number of pools.
    count: usize,
}

impl Pools {
    /// A pool without places.
    const NONE: usize = SUMS;

    /// Returns the pools of some chunks, for shuffles of `lane` places. `ranges` has the end of each sum's range.
    pub fn new(ranges: &[[usize; SUMS]], lane: usize) -> Self {
        let key = |chunk: usize, sum: usize| (SUMMED * sum / lane, ranges[chunk][sum]);
        let mut pools = Self { by_sum: [[Self::NONE as u8; _]; _], places: [0; _], starts: [0; _], count: 0 };
        let mut next = 0;
        for first in 0..SUMS {
            if usize::from(pools.by_sum[0][first]) != Self::NONE {
                continue;
            }
            for (chunk, by_sum) in pools.by_sum[..ranges.len()].iter_mut().enumerate() {
                for sum in (0..SUMS).filter(|&sum| key(chunk, sum) == key(0, first)) {
                    by_sum[sum] = pools.count as u8;
                    if chunk == 0 {
                        for place in SUMMED * sum..SUMMED * (sum + 1) {
                            pools.places[next] = place as u8;
                            next += 1;
                        }
                    }
                }
            }
            pools.count += 1;
            pools.starts[pools.count] = next as u8;
        }
        pools
    }

    /// Returns the places of a pool.
    fn places(&self, pool: usize) -> &[u8] {
        &self.places[usize::from(self.starts[pool])..usize::from(self.starts[pool + 1])]
    }

    /// Returns how many packed planes are needed for the bytes of each slot behind its `first` ones, or `usize::MAX` if
    /// one of these bytes has no pool.
    #[inline(always)]
    fn planes(&self, bytes: &[[u32; SLOTS]], first: u32) -> usize {
        let mut filled = [0; SUMS + 1];
        for chunk in 0..bytes.len() {
            for (sum, bytes) in bytes[chunk].as_chunks::<SUMMED>().0.iter().enumerate() {
                filled[usize::from(self.by_sum[chunk][sum])] +=
                    bytes.iter().map(|bytes| bytes.saturating_sub(first) as usize).sum::<usize>();
            }
        }
        if filled[Self::NONE] > 0 {
            return usize::MAX;
        }
        let mut planes = 0;
        for pool in 0..self.count {
            planes = planes.max(filled[pool].div_ceil(self.places(pool).len()));
        }
        planes
    }
}

/// A plane of some chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// The plane with this number of a chunk, with bytes in their slots' places.
    InPlace { chunk: usize, number: usize },
    /// The packed plane with this number.
    Packed(usize),
}

/// Packs the survivors of some chunks into as few planes as possible. Of these, as few as possible are packed, and no
/// more than the kernel packs. This is a plain loop, like [`OneRowTable`](super::OneRowTable).
#[derive(Debug)]
pub struct Pack<'a> {
    pub planes: &'a mut Planes,
    pub survivors: &'a [Survivors],
    pub pools: &'a Pools,
}

impl<K: Loops> Task<K> for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: K) {
        self.planes.pack(self.survivors, self.pools, K::PACKED_LIMIT);
    }
}

/// The planes of the survivors of some chunks: equally many in place for each chunk, and packed planes for all.
#[derive(Clone, Debug)]
pub struct Planes {
    /// The numbers of chunks, of planes in place of each chunk, and of packed planes.
    pub shape: Shape,
    /// By packed plane and place, the chunk of the byte there, its first survivor and the number of its survivors.
    packed: [[[u32; 3]; SLOTS]; MOST_PACKED],
    /// By packed plane and place, the slot whose byte stands there. Slots of the second chunk are numbered after those
    /// of the first.
    pub from: [Block; MOST_PACKED],
}

impl Default for Planes {
    fn default() -> Self {
        let shape = Shape { chunks: 0, planes: 0, packed: 0 };
        Self { shape, packed: [[[0; 3]; _]; _], from: [Block::ZERO; _] }
    }
}

impl Planes {
    /// Gives every byte of some chunks its slot's place. Slots have at most `planes` bytes.
    pub fn lay_out(&mut self, chunks: usize, planes: usize) {
        self.shape = Shape::in_place(chunks, planes);
    }

    /// See [`Pack`].
    #[inline(always)]
    pub(crate) fn pack(&mut self, survivors: &[Survivors], pools: &Pools, most_packed: usize) {
        let mut bytes = [[0; SLOTS]; PANEL];
        let mut most = 0;
        for (chunk, Survivors { starts, .. }) in survivors.iter().enumerate() {
            for slot in 0..SLOTS {
                bytes[chunk][slot] = (starts[slot + 1] - starts[slot]).div_ceil(8);
                most = most.max(bytes[chunk][slot] as usize);
            }
        }
        let bytes = &bytes[..survivors.len()];
        self.lay_out(survivors.len(), most);
        for planes in (0..most).rev() {
            let packed = pools.planes(bytes, planes as u32);
            if packed > most_packed {
                break;
            }
            let shape = Shape { planes, packed, ..self.shape };
            if shape.blocks() < self.shape.blocks() {
                self.shape = shape;
            }
        }
        if self.shape.packed == 0 {
            return;
        }
        for plane in 0..self.shape.packed {
            (self.packed[plane], self.from[plane]) = ([[0; 3]; _], Block::ZERO);
        }
        let mut filled = [0; SUMS];
        let mut count = bytes.as_flattened().len();
        let mut slots = [0; PANEL * SLOTS];
        for slot in 0..count {
            slots[slot] = slot as u8;
        }
        for byte in self.shape.planes as u32.. {
            // This finds the slots that have the byte, without branches that depend on a single slot.
            let mut left = 0;
            for index in 0..count {
                slots[left] = slots[index];
                left += usize::from(bytes.as_flattened()[usize::from(slots[index])] > byte);
            }
            count = left;
            if count == 0 {
                break;
            }
            for &from in &slots[..count] {
                let (chunk, slot) = (usize::from(from) / SLOTS, usize::from(from) % SLOTS);
                let pool = usize::from(pools.by_sum[chunk][slot / SUMMED]);
                let (filled, room) = (&mut filled[pool], pools.places(pool));
                let (number, index) = if *filled < room.len() { (0, *filled) } else { (1, *filled - room.len()) };
                let place = usize::from(room[index]);
                let (start, end) = (survivors[chunk].starts[slot] + 8 * byte, survivors[chunk].starts[slot + 1]);
                self.packed[number][place] = [chunk as u32, start, (end - start).min(8)];
                self.from[number].0[place] = from;
                *filled += 1;
            }
        }
    }

    /// Returns the survivors of the byte at a place of a plane: eight words, and how many of the first words are
    /// survivors.
    #[inline(always)]
    pub(crate) fn at<'a>(&self, survivors: &'a [Survivors], byte: usize, plane: Plane) -> (&'a [u64; 8], usize) {
        let (chunk, start, count) = match plane {
            Plane::InPlace { chunk, number } => {
                let (start, end) = (survivors[chunk].starts[byte] as usize, survivors[chunk].starts[byte + 1] as usize);
                let start = (start + 8 * number).min(end);
                (chunk, start, (end - start).min(8))
            }
            Plane::Packed(number) => {
                let [chunk, start, count] = self.packed[number][byte];
                (chunk as usize, start as usize, count as usize)
            }
        };
        (survivors[chunk].eight_from(start), count)
    }

    /// Returns the slices of these planes, of at most `most_blocks` blocks: the shape of each, and the number of its
    /// first plane in place. The last slice has the packed planes.
    pub(crate) fn slices(&self, most_blocks: usize) -> impl Iterator<Item = (Shape, usize)> + use<> {
        let Shape { chunks, planes, packed } = self.shape;
        let [room, room_of_last] = [most_blocks, most_blocks - packed].map(|blocks| blocks / chunks);
        let count = 1 + planes.saturating_sub(room_of_last).div_ceil(room);
        let mut first = 0;
        (0..count).rev().map(move |after| {
            let (start, left) = (first, planes - first);
            // Slices are as equal as they can be.
            let planes = left.div_ceil(after + 1).max((left + room).saturating_sub(room_of_last + after * room));
            let planes = if after == 0 { left } else { planes };
            first += planes;
            (Shape { chunks, planes, packed: if after == 0 { packed } else { 0 } }, start)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LANE, MOST_BLOCKS};
    use super::*;
    use crate::fuzz::{at, fuzz, list, one_of, within};

    /// Returns survivors of these numbers by slot, each a different word.
    fn survivors(numbers: &[usize]) -> Survivors {
        let words: Vec<Vec<u64>> = numbers
            .iter()
            .enumerate()
            .map(|(slot, &number)| (0..number).map(|index| (slot * 1000 + index) as u64).collect())
            .collect();
        let mut survivors = Survivors::default();
        survivors.fill(words.iter().map(Vec::as_slice)).unwrap();
        survivors
    }

    /// Returns, for each byte of each plane, its slot, its place and the indices of its survivors in the slot.
    fn bytes(planes: &Planes, survivors: &[Survivors]) -> Vec<(usize, usize, Vec<usize>)> {
        let Shape { chunks, planes: in_place, packed } = planes.shape;
        let planes_in_place = |chunk| (0..in_place).map(move |number| Plane::InPlace { chunk, number });
        let mut bytes = Vec::new();
        for plane in (0..chunks).flat_map(planes_in_place).chain((0..packed).map(Plane::Packed)) {
            for place in 0..SLOTS {
                let slot = match plane {
                    Plane::InPlace { chunk, .. } => SLOTS * chunk + place,
                    Plane::Packed(number) => planes.from[number].0[place].into(),
                };
                let (words, count) = planes.at(survivors, place, plane);
                let first = 1000 * (slot % SLOTS) as u64;
                if count > 0 {
                    bytes.push((slot, place, words[..count].iter().map(|word| (word - first) as usize).collect()));
                }
            }
        }
        bytes
    }

    #[test]
    fn fuzz_every_survivor_stands_once_in_a_place_of_its_pool() {
        fuzz(256, |random| {
            let chunks = within(random, 1..PANEL + 1);
            let most = at(random, 80);
            let all_ranges = *one_of(random, &[1, 4]);
            let ranges = list(random, PANEL * SUMS..PANEL * SUMS + 1, |random| at(random, all_ranges));
            let ranges = ranges.as_chunks().0;
            let numbers = list(random, chunks * SLOTS..chunks * SLOTS + 1, |random| at(random, most + 1));
            let most_packed = within(random, 1..MOST_PACKED + 1);
            let lane = *one_of(random, &[LANE, SLOTS]);
            let before = list(random, SLOTS..SLOTS + 1, |random| at(random, 80));
            let by_chunk: Vec<Survivors> = numbers.chunks(SLOTS).map(survivors).collect();
            let mut planes = Planes::default();
            // An earlier packing leaves nothing behind.
            planes.pack(&[survivors(&before)], &Pools::new(&[[0; SUMS]], lane), MOST_PACKED);
            planes.pack(&by_chunk, &Pools::new(&ranges[..chunks], lane), most_packed);
            let all = numbers.iter().map(|number| number.div_ceil(8)).max().unwrap();
            let shape = planes.shape;
            assert_eq!(shape.chunks, chunks);
            assert!(shape.packed <= most_packed && shape.blocks() <= chunks * all);
            assert_eq!(shape.packed > 0, shape.blocks() < chunks * all);
            let mut found = vec![Vec::new(); numbers.len()];
            for (slot, place, mut indices) in bytes(&planes, &by_chunk) {
                if indices[0] >= 8 * shape.planes {
                    assert_eq!(slot % SLOTS / lane, place / lane);
                    assert_eq!(ranges.as_flattened()[slot / SUMMED], ranges[0][place / SUMMED]);
                }
                found[slot].append(&mut indices);
            }
            for (found, &number) in found.iter_mut().zip(&numbers) {
                found.sort_unstable();
                assert!(found.iter().copied().eq(0..number));
            }
        });
    }

    #[test]
    fn slices_have_every_plane_once() {
        let shapes = (1..=PANEL).flat_map(|chunks| (0..20).map(move |planes| (chunks, planes)));
        for (chunks, planes) in shapes {
            for (packed, most) in (0..=MOST_PACKED).flat_map(|packed| [4, MOST_BLOCKS].map(|most| (packed, most))) {
                let shape = Shape { chunks, planes, packed };
                let (mut next, mut last) = (0, 0);
                for (slice, first_plane) in (Planes { shape, ..Planes::default() }).slices(most) {
                    assert!(slice.chunks == chunks && (slice.blocks() <= most) && first_plane == next && last == 0);
                    assert!(slice.blocks() > 0 || shape.blocks() == 0, "{shape:?}: {slice:?}");
                    (next, last) = (next + slice.planes, slice.packed);
                }
                assert_eq!((next, last), (planes, packed), "{shape:?}");
            }
        }
    }
}
