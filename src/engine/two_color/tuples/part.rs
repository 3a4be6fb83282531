//! The tuples of row and column sets: which are visited, in which order, and with which weights.
//!
//! Colour and parity cut the queens of a solution into four row sets and four column sets. The white queens' even rows
//! *Re*, odd rows *Ro*, even columns *Ce* and odd columns *Co* are together a *tuple*. The tuple says all eight,
//! because the black queens fill the complements. `docs/two-color.md` proves the weights.

use super::geometry::{Colour, Geometry, prefix_key};
use super::lines::{HalfLine, LineSet, Parity};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// The most sets that a part can have of one parity, so that a rank fits the 12 bits that a probe record has for it. On
/// the largest board there are 3432.
const MOST_SETS: usize = 1 << 12;

/// The most weight classes that the column sets of one parity fall into.
pub(crate) const WEIGHT_CLASSES: usize = 3;

/// The place of a line set in the order of a part, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(u16);

impl Rank {
    /// The rank with this number, below 2¹².
    #[inline]
    pub fn new(number: usize) -> Self {
        debug_assert!(number < MOST_SETS);
        Self(number as u16)
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0.into()
    }
}

/// The column sets of one parity, all of the same size, in the order of a part.
#[derive(Clone, Debug)]
pub(crate) struct RankedSets {
    sets: Vec<LineSet>,
    /// The rank of each set, at the index of its bits; [`ABSENT`](Self::ABSENT) for a set that the part leaves out.
    ranks: Vec<u16>,
}

impl RankedSets {
    const ABSENT: u16 = u16::MAX;

    fn new(half: usize, sets: Vec<LineSet>) -> Self {
        assert!(sets.len() <= MOST_SETS);
        let mut ranks = vec![Self::ABSENT; 1 << half];
        for (rank, &set) in sets.iter().enumerate() {
            ranks[usize::from(set.bits())] = rank as u16;
        }
        Self { sets, ranks }
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns the rank of a set; `None` if the part leaves it out.
    #[inline]
    pub(crate) fn rank(&self, set: LineSet) -> Option<Rank> {
        let rank = self.ranks[usize::from(set.bits())];
        (rank != Self::ABSENT).then_some(Rank(rank))
    }
}

/// The number of a visited *Re* in its part, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ReIndex(pub(crate) usize);

/// All tuples with one number of queens on EE, the squares of even row and even column. On an even board the left-right
/// flip takes part *k* to part N/2 − *k*, and the two are counted as one.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) geometry: Geometry,
    /// The number of queens on EE.
    pub(crate) queens: usize,
    /// The *Ce*; the *Re* have the same order.
    even: RankedSets,
    /// The *Co*.
    odd: RankedSets,
    /// On odd boards, the number of even sets that differ from their mirror image. These sets come first.
    asymmetric: usize,
    /// The visited *Re*.
    pub(crate) re: Vec<LineSet>,
    /// The *Ro*, ordered so that sets with the same rows nearest to the centre are neighbours.
    pub(crate) ro: Vec<LineSet>,
    /// The number of row blocks that the *Ro* are cut into.
    pub(crate) row_blocks: usize,
}

impl Part {
    /// Returns the visited parts of a board, one for each number of queens on EE that a solution can have.
    pub(crate) fn all(geometry: Geometry) -> Vec<Part> {
        let (even, odd) = (geometry.half(Parity::Even), geometry.half(Parity::Odd));
        // On an even board the mirror image exchanges the colours, so the parts above the middle are counted below it.
        let most = if geometry.is_even() { even / 2 } else { even };
        (even - odd..=most)
            .into_par_iter()
            .filter(|&queens| is_possible(geometry.size, 2 * queens - (even - odd)))
            .map(|queens| Part::new(geometry, queens))
            .collect()
    }

    fn new(geometry: Geometry, queens: usize) -> Self {
        let (even, odd) = (geometry.half(Parity::Even), geometry.half(Parity::Odd));
        let odd_queens = queens - (even - odd);
        let mut odd_sets: Vec<LineSet> = LineSet::combinations(odd, odd_queens).collect();
        let (even_ranked, odd_ranked, asymmetric);
        if geometry.is_even() {
            // If a set and its complement have the same size, the two are a couple, and couples are ranked.
            let has_complements = 2 * queens == even;
            let key = |&set: &LineSet| {
                let complement = |set| LineSet::first(even).minus(set);
                if has_complements {
                    let least = set.min(complement(set));
                    (crowding(least) + crowding(complement(least)), least, set)
                } else {
                    (u64::MAX - crowding(complement(set)), set, set)
                }
            };
            odd_sets.sort_by_cached_key(key);
            even_ranked = RankedSets::new(even, odd_sets.clone());
            odd_ranked = RankedSets::new(odd, odd_sets.clone());
            asymmetric = 0;
        } else {
            let even_sets = LineSet::combinations(even, queens).filter(|&set| set <= set.reversed(even));
            let mut even_sets: Vec<LineSet> = even_sets.collect();
            even_sets.sort_by_cached_key(|&set| (set == set.reversed(even), crowding(set), set));
            asymmetric = even_sets.iter().filter(|&&set| set != set.reversed(even)).count();
            odd_sets.sort_by_cached_key(|&set| (crowding(set), set));
            even_ranked = RankedSets::new(even, even_sets);
            odd_ranked = RankedSets::new(odd, odd_sets.clone());
        }
        let centre_first = geometry.centre_first(Parity::Odd);
        let mut ro = odd_sets;
        ro.sort_by_cached_key(|&set| prefix_key(&centre_first, set));
        let most_sets = even_ranked.len().max(odd_ranked.len());
        let row_blocks = row_blocks(geometry.size, ro.len(), most_sets, odd_queens.max(even - queens));
        let (even, odd, re) = (even_ranked, odd_ranked, Vec::new());
        let mut part = Self { geometry, queens, even, odd, asymmetric, re, ro, row_blocks };
        part.re = part.even.sets.iter().copied().step_by(if part.has_complements() { 2 } else { 1 }).collect();
        part
    }

    /// Returns the number of queens on the square class of a colour that stands on rows of one parity.
    pub(crate) fn queens_of(&self, colour: Colour, rows: Parity) -> usize {
        let even = self.geometry.half(Parity::Even);
        match (colour, rows) {
            (Colour::White, Parity::Even) => self.queens,
            (Colour::White, Parity::Odd) => self.queens - (even - self.geometry.half(Parity::Odd)),
            (Colour::Black, _) => even - self.queens,
        }
    }

    /// Returns the colour with fewer queens; white if both have the same number.
    pub(crate) fn sparse(&self) -> Colour {
        let white = self.queens_of(Colour::White, Parity::Even) + self.queens_of(Colour::White, Parity::Odd);
        if 2 * white <= self.geometry.size { Colour::White } else { Colour::Black }
    }

    /// Returns the column sets of one parity: the *Ce* or the *Co*.
    pub(crate) fn column_sets(&self, parity: Parity) -> &RankedSets {
        match parity {
            Parity::Even => &self.even,
            Parity::Odd => &self.odd,
        }
    }

    /// Returns the visited *Re*, or all *Ro*.
    pub(crate) fn row_sets(&self, rows: Parity) -> &[LineSet] {
        match rows {
            Parity::Even => &self.re,
            Parity::Odd => &self.ro,
        }
    }

    /// Returns the numbers of the *Ro* of a row block, in their order. The sizes of two blocks differ by one at most.
    pub(crate) fn numbers_of_block(&self, block: usize) -> Range<usize> {
        let (sets, blocks) = (self.ro.len(), self.row_blocks);
        block * sets / blocks..(block + 1) * sets / blocks
    }

    pub(crate) fn row_block(&self, block: usize) -> &[LineSet] {
        &self.ro[self.numbers_of_block(block)]
    }

    /// For each *Re*, the number of *Ro* of a row block with which it is visited.
    pub(crate) fn visited_ro(&self, block: usize) -> Vec<usize> {
        let mut visited = vec![0; self.re.len()];
        for &ro in self.row_block(block) {
            visited[self.visiting(ro)].iter_mut().for_each(|visited| *visited += 1);
        }
        visited
    }

    /// Returns true if a set and its complement have the same size, so that the part has both.
    fn has_complements(&self) -> bool {
        self.geometry.is_even() && 2 * self.queens == self.geometry.half(Parity::Even)
    }

    /// Returns the numbers, as in [`ReIndex`], of the *Re* with which tuples with this *Ro* are visited.
    pub(crate) fn visiting(&self, ro: LineSet) -> Range<usize> {
        if self.geometry.is_even() {
            return self.rank_to_compare(ro)..self.re.len();
        }
        let with_palindromes = ro <= ro.reversed(self.geometry.half(Parity::Odd));
        0..if with_palindromes { self.re.len() } else { self.asymmetric }
    }

    /// On an even board, the rank of an *Ro*, or of its couple, which is compared with the number of an *Re*.
    fn rank_to_compare(&self, ro: LineSet) -> usize {
        let rank = self.odd.rank(ro).expect("an even board has all odd sets").index();
        rank / if self.has_complements() { 2 } else { 1 }
    }

    /// Returns the weights of the tuples with this *Re* and *Ro*; `None` if no such tuple is visited.
    ///
    /// A symmetry of the board takes a tuple to one with as many solutions. So one tuple of each orbit is visited, or
    /// some that tie, and their weights sum to the size of the orbit. `docs/two-color.md` has the proofs.
    ///
    /// On an even board the symmetries permute *Re*, *Ro*, *Ce* and *Co* so that any of the four can come first, each
    /// in two ways. A tuple is visited if its *Re* has the highest rank of the four. If *m* of the four *tie* for the
    /// highest rank, *m* tuples of the orbit are visited, and each has the weight 8/*m*. The whole number 24/*m* is
    /// returned, and the sum is divided by 3 in the end ([`divisor`](Self::divisor)).
    ///
    /// On an odd board a symmetry exchanges *Re* and *Ce*, and others mirror the rows or the columns. A tuple is
    /// visited if neither *Re* nor *Ce* is above its mirror image, and *Ce* is not above *Re*. A palindrome, which is
    /// its own mirror image, halves the orbit, and so does a *Ce* that ties with *Re*.
    #[inline]
    pub(crate) fn weights(&self, re: ReIndex, ro: LineSet) -> Option<Weights> {
        if self.geometry.is_even() {
            let tied = match self.rank_to_compare(ro).cmp(&re.0) {
                Ordering::Less => 1,
                Ordering::Equal => 2,
                Ordering::Greater => return None,
            };
            // Three times the weight 2 · 4 / m, where m sets tie, is a whole number.
            let weight = |ties: usize| 24 / (tied + ties) as u64;
            return Some(Weights([[weight(0), weight(1), 0], [weight(1), weight(2), 0], [0; 3]]));
        }
        let palindrome = re.0 >= self.asymmetric;
        let row_weight = if palindrome {
            match ro.cmp(&ro.reversed(self.geometry.half(Parity::Odd))) {
                Ordering::Less => 2,
                Ordering::Equal => 1,
                Ordering::Greater => return None,
            }
        } else {
            2
        };
        let tie_weight = if palindrome { 1 } else { 2 };
        Some(Weights([[4 * row_weight, 0, 0], [2 * row_weight, 0, 0], [tie_weight * row_weight, 0, 0]]))
    }

    /// Returns the ranks at which the weight classes of the column sets of one parity end, for the tuples with this
    /// *Re*: weight class *g* + 1 begins at the rank `ends[g]`. No set from `ends[WEIGHT_CLASSES - 1]` on is visited.
    #[inline]
    pub(crate) fn class_ends(&self, parity: Parity, re: ReIndex) -> [usize; WEIGHT_CLASSES] {
        let ReIndex(re) = re;
        if self.geometry.is_even() {
            let members = if self.has_complements() { 2 } else { 1 };
            let (before, tied) = (members * re, members * (re + 1));
            return [before, tied, tied];
        }
        match parity {
            Parity::Even => [re.min(self.asymmetric), re, re + 1],
            Parity::Odd => [self.odd.len(); WEIGHT_CLASSES],
        }
    }

    /// Returns the number of column sets of one parity that are visited with this *Re*: those with the lowest ranks.
    pub(crate) fn visited_sets(&self, parity: Parity, re: ReIndex) -> usize {
        self.class_ends(parity, re)[WEIGHT_CLASSES - 1]
    }

    /// Returns the number by which the sum of all contributions, weights included, is divided.
    pub(crate) fn divisor(geometry: Geometry) -> u64 {
        if geometry.is_even() { 3 } else { 1 }
    }
}

/// Returns all row choices (*Re*, *Ro*) of some *Re*, given by their numbers, and some *Ro*.
pub(crate) fn row_choices(re: Range<usize>, ro: &[LineSet]) -> impl Iterator<Item = (ReIndex, LineSet)> {
    re.flat_map(|re| ro.iter().map(move |&ro| (ReIndex(re), ro)))
}

/// The weights of the tuples with one *Re* and one *Ro*, by the weight class of *Ce* and the weight class of *Co*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weights(pub(crate) [[u64; WEIGHT_CLASSES]; WEIGHT_CLASSES]);

impl Weights {
    /// Returns the weight of tuples: `probe` is the weight class of the probe records, whose columns have the given
    /// parity, and `build` that of the buckets.
    pub(crate) fn weight(self, probe_columns: Parity, probe: usize, build: usize) -> u64 {
        match probe_columns {
            Parity::Even => self.0[probe][build],
            Parity::Odd => self.0[build][probe],
        }
    }
}

/// Returns false if no solution can have `white` queens on white squares.
///
/// For every solution Σ (i − j)² + Σ (i + j − N + 1)² = N (N² − 1) / 3, because every row and every column occurs once
/// when the squares are expanded. The n white queens have different diagonals i − j of one parity, and the squares of n
/// different integers of one parity sum to at least n (n² − 1) / 3. The same bound holds for their anti-diagonals, and
/// with m for those of the m black queens.
fn is_possible(size: usize, white: usize) -> bool {
    let black = size - white;
    2 * (white.pow(3) + black.pow(3)) <= size.pow(3) + size
}

/// Returns the number of row blocks into which the `sets` *Ro* of a part are cut. `column_sets` is the number of ranked
/// *Ce* or of ranked *Co*, whichever is larger, and `queens` the number of queens on odd rows of the colour that has
/// more there.
///
/// The *Ro* of one block share prefixes and the layout of build sides, so blocks should be large. But their matrices
/// should stay in the cache (2²⁰ bytes for each chunk; on large boards prefixes matter more), their probe lists must
/// fit in memory, and there must be enough units.
fn row_blocks(size: usize, sets: usize, column_sets: usize, queens: usize) -> usize {
    if size <= 18 {
        return 1;
    }
    let (entries, exponent): (usize, usize) = match size {
        ..=24 => (1 << 14, 13),
        25 => (1 << 15, 13),
        26 => (1 << 16, 13),
        27 => (1 << 16, 12),
        _ => (1 << 15, 12),
    };
    let together = (entries / column_sets).min(1 << exponent.saturating_sub(queens)).max(4);
    sets.div_ceil(together).max(4).min(sets)
}

/// Returns how close together the lines of a set are: the sum of the reciprocal distances of any two, times 360360,
/// which all distances up to 15 divide. The closer the lines are, the fewer placements have these columns.
fn crowding(set: LineSet) -> u64 {
    let lines = || set.iter().map(HalfLine::index);
    let distances = lines().flat_map(|a| lines().filter(move |&b| b > a).map(move |b| b - a));
    distances.map(|distance| 360_360 / distance as u64).sum()
}
