//! The planes of the survivors of a chunk: which of them stand where.
//!
//! A chunk needs as many planes as its fullest slot has bytes, and most slots have fewer: two thirds of the bits would
//! be empty. So the bytes that slots have beyond some first planes are *packed* into one plane more, where they have
//! room: each stands in a place that may be another slot's. Counts of that plane are multiplied with matrix entries
//! that were brought to the places, by a shuffle of every 16 bytes.

use super::simd::{Block, LANE, SLOTS, SUMMED, SUMS, Survivors};

/// The places of a packed plane for the bytes of each slot of a chunk. Places are in one *pool* if they are in one lane
/// and their sums are of one range of build groups. A byte stands in any place of its slot's pool.
#[derive(Clone, Debug)]
pub struct Pools {
    /// By sum, the pool of its places.
    of_sums: [u8; SUMS],
    /// By pool, the places, in the order in which they are filled.
    places: [u8; SLOTS],
    /// By pool, where its places begin in `places`.
    starts: [u8; SUMS],
    /// By pool, the number of its places.
    sizes: [u8; SUMS],
}

impl Pools {
    /// Returns the pools of a chunk with these ranges, named by their ends, sum by sum.
    pub fn new(ranges: &[usize; SUMS]) -> Self {
        let mut pools = Self { of_sums: [0; _], places: [0; _], starts: [0; _], sizes: [0; _] };
        let key = |sum: usize| (SUMMED * sum / LANE, ranges[sum]);
        let (mut pool, mut next) = (0, 0);
        for first in 0..SUMS {
            if (0..first).any(|sum| key(sum) == key(first)) {
                continue;
            }
            pools.starts[pool] = next as u8;
            for sum in (first..SUMS).filter(|&sum| key(sum) == key(first)) {
                pools.of_sums[sum] = pool as u8;
                for place in SUMMED * sum..SUMMED * (sum + 1) {
                    pools.places[next] = place as u8;
                    next += 1;
                }
            }
            pools.sizes[pool] = next as u8 - pools.starts[pool];
            pool += 1;
        }
        pools
    }

    /// Returns true if each pool has room for the bytes that its slots have beyond some first ones.
    fn have_room(&self, bytes: &[u32; SLOTS], first: u32) -> bool {
        let mut filled = [0; SUMS];
        for (bytes, &pool) in bytes.as_chunks::<SUMMED>().0.iter().zip(&self.of_sums) {
            filled[usize::from(pool)] += bytes.iter().map(|bytes| bytes.saturating_sub(first)).sum::<u32>();
        }
        filled.iter().zip(&self.sizes).all(|(&filled, &size)| filled <= u32::from(size))
    }
}

/// The planes of the survivors of one chunk.
#[derive(Clone, Debug)]
pub struct Planes {
    count: usize,
    is_packed: bool,
    /// By place of the packed plane, the first survivor of its byte, and the end of its slot; the same for none.
    packed: [[u32; 2]; SLOTS],
    /// By place of the last plane, the slot of its byte, by its place in the lane.
    from: Block,
}

/// Each place has its own slot.
const IN_PLACE: Block = {
    let mut from = [0; SLOTS];
    let mut place = 0;
    while place < SLOTS {
        from[place] = (place % LANE) as u8;
        place += 1;
    }
    Block(from)
};

impl Default for Planes {
    fn default() -> Self {
        Self { count: 0, is_packed: false, packed: [[0; 2]; _], from: IN_PLACE }
    }
}

impl Planes {
    /// The number of planes.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// True if the last plane is packed.
    pub(super) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// By place of the last plane, the slot whose byte stands there, by its place among 16 neighbours.
    pub fn from(&self) -> &Block {
        &self.from
    }

    /// Gives every byte of the survivors its slot's place.
    pub fn lay_out(&mut self, survivors: &Survivors) {
        let most = survivors.starts().windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        self.count = most.div_ceil(8) as usize;
        if self.is_packed {
            (self.is_packed, self.from) = (false, IN_PLACE);
        }
    }

    /// Packs the survivors into as few planes as it can, of which only the last is packed.
    pub fn pack(&mut self, survivors: &Survivors, pools: &Pools) {
        self.lay_out(survivors);
        let all = self.count as u32;
        if all < 2 {
            return;
        }
        let starts = survivors.starts();
        let mut bytes = [0; SLOTS];
        for (bytes, pair) in bytes.iter_mut().zip(starts.windows(2)) {
            *bytes = (pair[1] - pair[0]).div_ceil(8);
        }
        // There is room for the bytes of the last plane as they are.
        let mut first = all - 1;
        while first > 0 && pools.have_room(&bytes, first - 1) {
            first -= 1;
        }
        if first + 1 == all {
            return;
        }
        (self.count, self.is_packed) = (first as usize + 1, true);
        self.packed = [[0; 2]; _];
        let mut next = pools.starts;
        for (slot, &bytes) in bytes.iter().enumerate() {
            let next = &mut next[usize::from(pools.of_sums[slot / SUMMED])];
            for byte in first..bytes {
                let place = usize::from(pools.places[usize::from(*next)]);
                self.packed[place] = [starts[slot] + 8 * byte, starts[slot + 1]];
                self.from.0[place] = (slot % LANE) as u8;
                *next += 1;
            }
        }
    }

    /// The index of the first survivor in the byte at a place of a plane, and their number, at most 8.
    #[inline]
    pub(super) fn at(&self, survivors: &Survivors, byte: usize, plane: usize) -> (usize, usize) {
        let [start, end] = if self.is_packed && plane + 1 == self.count {
            self.packed[byte].map(|index| index as usize)
        } else {
            let [start, end] = [byte, byte + 1].map(|slot| survivors.starts()[slot] as usize);
            [(start + 8 * plane).min(end), end]
        };
        (start, (end - start).min(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Survivors of these numbers by slot, each of them another word.
    fn survivors(numbers: &[usize]) -> Survivors {
        let words: Vec<Vec<u64>> = numbers
            .iter()
            .enumerate()
            .map(|(slot, &number)| (0..number).map(|index| (slot * 1000 + index) as u64).collect())
            .collect();
        let mut survivors = Survivors::default();
        survivors.fill(words.iter().map(Vec::as_slice).enumerate());
        survivors
    }

    /// The slot and the survivors, by their indices in it, of each byte of each plane.
    fn bytes(planes: &Planes, survivors: &Survivors) -> Vec<(usize, usize, Vec<usize>)> {
        let mut bytes = Vec::new();
        for plane in 0..planes.count() {
            for place in 0..SLOTS {
                let slot = if planes.is_packed() && plane + 1 == planes.count() {
                    place / LANE * LANE + usize::from(planes.from().0[place])
                } else {
                    place
                };
                let (start, count) = planes.at(survivors, place, plane);
                let first = survivors.starts()[slot] as usize;
                if count > 0 {
                    bytes.push((slot, place, (start - first..start - first + count).collect()));
                }
            }
        }
        bytes
    }

    proptest! {
        #[test]
        fn every_survivor_stands_once_in_a_place_of_its_pool(
            most in 0_usize..80,
            ranges in proptest::collection::vec(0_usize..4, SUMS),
            numbers in proptest::collection::vec(0_usize..80, SLOTS),
            is_one_range: bool,
            before in proptest::collection::vec(0_usize..80, SLOTS),
        ) {
            let ranges: [usize; SUMS] = if is_one_range { [0; SUMS] } else { ranges.try_into().unwrap() };
            let numbers: Vec<usize> = numbers.iter().map(|number| number % (most + 1)).collect();
            let survivors = survivors(&numbers);
            let mut planes = Planes::default();
            // What was packed before leaves nothing behind.
            planes.pack(&self::survivors(&before), &Pools::new(&[0; SUMS]));
            planes.lay_out(&survivors);
            prop_assert_eq!((planes.is_packed(), planes.from()), (false, &IN_PLACE));
            planes.pack(&self::survivors(&before), &Pools::new(&[0; SUMS]));
            planes.pack(&survivors, &Pools::new(&ranges));
            let all = numbers.iter().map(|number| number.div_ceil(8)).max().unwrap();
            prop_assert_eq!(planes.is_packed(), planes.count() < all);
            let mut found = vec![Vec::new(); SLOTS];
            for (slot, place, mut indices) in bytes(&planes, &survivors) {
                prop_assert_eq!(slot / LANE, place / LANE);
                prop_assert_eq!(ranges[slot / SUMMED], ranges[place / SUMMED]);
                found[slot].append(&mut indices);
            }
            for (found, &number) in found.iter_mut().zip(&numbers) {
                found.sort_unstable();
                prop_assert!(found.iter().copied().eq(0..number));
            }
        }
    }

    #[test]
    fn planes_are_packed_as_far_as_pools_have_room() {
        let pools = Pools::new(&[0; SUMS]);
        let count = |numbers: &[usize]| {
            let mut planes = Planes::default();
            planes.pack(&survivors(numbers), &pools);
            (planes.count(), planes.is_packed())
        };
        // One byte in each slot, but sixteen in one: with one more, they do not fit.
        let mut numbers = [0; SLOTS];
        numbers[20] = 8 * 16;
        assert_eq!(count(&numbers), (1, true));
        numbers[21] = 1;
        assert_eq!(count(&numbers), (2, true));
        assert_eq!(count(&[8; SLOTS]), (1, false));
        assert_eq!(count(&[9; SLOTS]), (2, false));
        assert_eq!(count(&[0; SLOTS]), (0, false));
        // A range of its own has no room for the bytes of others.
        let mut ranges = [0; SUMS];
        ranges[5] = 1;
        let mut planes = Planes::default();
        numbers = [0; SLOTS];
        numbers[20] = 8 * 5;
        planes.pack(&survivors(&numbers), &Pools::new(&ranges));
        assert_eq!((planes.count(), planes.is_packed()), (2, true));
    }
}
