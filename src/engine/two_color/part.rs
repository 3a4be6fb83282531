//! A part of the count: all solutions with one number of queens on the squares of even row and even column.
//!
//! A part fixes which sets of lines occur, in which order, and what each tuple of sets that is visited stands for.
//! `docs/two-color.md` proves the weights.

use super::geometry::{Colour, Geometry, Parity, prefix_key};

/// The rank of a set of lines that an axis leaves out.
pub(super) const ABSENT: u16 = u16::MAX;

/// The most sets that an axis can have, so that a rank fits a record: 12 bits. On the largest board there are 3432.
const MOST_SETS: usize = 1 << 12;

/// The number of classes of sets that an axis can have at most, as far as weights go.
pub(super) const CLASSES: usize = 3;

/// Sets of half-lines of one parity, all of the same size, in the order in which a part visits them.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    half: usize,
    sets: Vec<u16>,
    ranks: Vec<u16>,
}

impl Axis {
    fn new(half: usize, sets: Vec<u16>) -> Self {
        assert!(sets.len() <= MOST_SETS);
        let mut ranks = vec![ABSENT; 1 << half];
        for (rank, &set) in sets.iter().enumerate() {
            ranks[usize::from(set)] = rank as u16;
        }
        Self { half, sets, ranks }
    }

    /// The sets, as masks of half-lines, in order.
    pub(super) fn sets(&self) -> &[u16] {
        &self.sets
    }

    /// The place of a set in the order, [`ABSENT`] where it has none.
    pub(super) fn rank(&self, set: u16) -> u16 {
        self.ranks[usize::from(set)]
    }

    /// All half-lines.
    pub(super) fn full(&self) -> u16 {
        ((1_u32 << self.half) - 1) as u16
    }
}

/// The solutions with `queens` queens on the squares of even row and even column, together with those that the symmetries
/// of the board make of them.
///
/// A solution is cut by colour and parity into four row sets and four column sets, which the white queens' even rows
/// *Re*, odd rows *Ro*, even columns *Ce* and odd columns *Co* determine: the black queens have the complements.
#[derive(Clone, Debug)]
pub(super) struct Part {
    geometry: Geometry,
    queens: usize,
    /// Sets of even lines: the *Ce*.
    even: Axis,
    /// Sets of odd lines: the *Co*.
    odd: Axis,
    /// On odd boards, how many of the even sets, the first, differ from their mirror image.
    asymmetric: usize,
    /// The *Ro*, ordered so that those which share the rows nearest to the centre are neighbours.
    odd_rows: Vec<u16>,
}

impl Part {
    /// The parts of a board's count, one for each number of white queens that a solution can have.
    pub(super) fn all(geometry: Geometry) -> Vec<Part> {
        let (even, odd) = (geometry.half(Parity::Even), geometry.half(Parity::Odd));
        // On an even board the mirror image of a solution exchanges the colours.
        let most = if geometry.is_even() { even / 2 } else { even };
        (even - odd..=most)
            .filter(|&queens| is_possible(geometry.size(), 2 * queens - (even - odd)))
            .map(|queens| Part::new(geometry, queens))
            .collect()
    }

    fn new(geometry: Geometry, queens: usize) -> Self {
        let (even, odd) = (geometry.half(Parity::Even), geometry.half(Parity::Odd));
        let odd_queens = queens - (even - odd);
        let mut odd_sets = subsets(odd, odd_queens);
        let (even_axis, odd_axis, asymmetric);
        if geometry.is_even() {
            // A set and its complement are one and the same to the symmetries where they have the same size.
            let paired = 2 * queens == even;
            let key = |&set: &u16| {
                let complement = !set & ((1 << even) - 1);
                if paired {
                    let pair = set.min(complement);
                    (crowding(pair) + crowding(!pair & ((1 << even) - 1)), pair, set)
                } else {
                    (u64::MAX - crowding(complement), set, set)
                }
            };
            odd_sets.sort_by_key(key);
            even_axis = Axis::new(even, odd_sets.clone());
            odd_axis = Axis::new(odd, odd_sets.clone());
            asymmetric = 0;
        } else {
            let mut even_sets: Vec<u16> =
                subsets(even, queens).into_iter().filter(|&set| set <= reverse(set, even)).collect();
            even_sets.sort_by_key(|&set| (set == reverse(set, even), crowding(set), set));
            asymmetric = even_sets.iter().filter(|&&set| set != reverse(set, even)).count();
            odd_sets.sort_by_key(|&set| (crowding(set), set));
            even_axis = Axis::new(even, even_sets);
            odd_axis = Axis::new(odd, odd_sets.clone());
        }
        let centre_first = geometry.centre_first(Parity::Odd);
        let mut odd_rows = odd_sets;
        odd_rows.sort_by_key(|&set| prefix_key(&centre_first, set));
        Self { geometry, queens, even: even_axis, odd: odd_axis, asymmetric, odd_rows }
    }

    pub(super) fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The number of queens on squares of even row and even column.
    #[cfg(test)]
    pub(super) fn queens(&self) -> usize {
        self.queens
    }

    /// The number of queens on each class of a colour that stands on even rows, or on odd rows.
    pub(super) fn queens_of(&self, colour: Colour, rows: Parity) -> usize {
        let even = self.geometry.half(Parity::Even);
        match (colour, rows) {
            (Colour::White, Parity::Even) => self.queens,
            (Colour::White, Parity::Odd) => self.queens - (even - self.geometry.half(Parity::Odd)),
            (Colour::Black, _) => even - self.queens,
        }
    }

    /// The colour with fewer queens.
    pub(super) fn sparse(&self) -> Colour {
        let white = self.queens_of(Colour::White, Parity::Even) + self.queens_of(Colour::White, Parity::Odd);
        if 2 * white <= self.geometry.size() { Colour::White } else { Colour::Black }
    }

    /// The column sets *Ce* or *Co*.
    pub(super) fn axis(&self, parity: Parity) -> &Axis {
        match parity {
            Parity::Even => &self.even,
            Parity::Odd => &self.odd,
        }
    }

    /// The number of *Re* that are visited. They are numbered from 0.
    pub(super) fn even_row_sets(&self) -> usize {
        if self.has_pairs() { self.even.sets.len() / 2 } else { self.even.sets.len() }
    }

    /// An *Re*, as a mask of half-lines.
    pub(super) fn even_rows(&self, index: usize) -> u16 {
        self.even.sets[if self.has_pairs() { 2 * index } else { index }]
    }

    /// All *Ro*, as masks of half-lines.
    pub(super) fn odd_rows(&self) -> &[u16] {
        &self.odd_rows
    }

    /// Whether both members of a pair of complementary sets are of this part.
    fn has_pairs(&self) -> bool {
        self.geometry.is_even() && 2 * self.queens == self.even.half
    }

    /// What each tuple with the *Re* of this index and this *Ro* stands for; `None` where no such tuple is visited.
    pub(super) fn weights(&self, even_rows: usize, odd_rows: u16) -> Option<Weights> {
        if self.geometry.is_even() {
            let rank = usize::from(self.odd.rank(odd_rows)) / if self.has_pairs() { 2 } else { 1 };
            let tied = match rank.cmp(&even_rows) {
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => 2,
                std::cmp::Ordering::Greater => return None,
            };
            // 2 · 4 / m for m sets that tie, three times over: whole numbers.
            return Some(Weights(std::array::from_fn(|even| {
                std::array::from_fn(|odd| if even < 2 && odd < 2 { 24 / (tied + even + odd) as u64 } else { 0 })
            })));
        }
        let palindrome = even_rows >= self.asymmetric;
        let row_weight = if palindrome {
            let reversed = reverse(odd_rows, self.odd.half);
            match odd_rows.cmp(&reversed) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => return None,
            }
        } else {
            2
        };
        let tie_weight = if palindrome { 1 } else { 2 };
        Some(Weights([4, 2, tie_weight].map(|column_weight| [row_weight * column_weight, 0, 0])))
    }

    /// The sets of an axis that are visited along with the *Re* of this index: those of class *c* end where class *c* + 1
    /// begins, at the rank `ends[c]`. No set from `ends[CLASSES - 1]` on is visited.
    pub(super) fn class_ends(&self, parity: Parity, even_rows: usize) -> [usize; CLASSES] {
        if self.geometry.is_even() {
            let members = if self.has_pairs() { 2 } else { 1 };
            let (before, tied) = (members * even_rows, members * (even_rows + 1));
            return [before, tied, tied];
        }
        match parity {
            Parity::Even => [even_rows.min(self.asymmetric), even_rows, even_rows + 1],
            Parity::Odd => [self.odd.sets.len(); CLASSES],
        }
    }

    /// What the sum of all contributions, with their weights, is to be divided by.
    pub(super) fn divisor(geometry: Geometry) -> u64 {
        if geometry.is_even() { 3 } else { 1 }
    }
}

/// What the tuples with one *Re* and one *Ro* stand for, by the class of *Ce* and the class of *Co*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weights(pub(super) [[u64; CLASSES]; CLASSES]);

/// Whether a solution can have `white` queens on white squares.
///
/// For every solution Σ (i − j)² + Σ (i + j − N + 1)² = N (N² − 1) / 3: expand, and every row and every column occurs
/// once. The n white queens have different diagonals i − j of one parity, and n different integers of one parity have squares that
/// sum to at least n (n² − 1) / 3; so do their anti-diagonals, and those of the m black queens.
fn is_possible(size: usize, white: usize) -> bool {
    let black = size - white;
    2 * (white.pow(3) + black.pow(3)) <= size.pow(3) + size
}

/// The subsets of `size` of the numbers below `half`, as masks.
fn subsets(half: usize, size: usize) -> Vec<u16> {
    (0..1_u32 << half).filter(|set| set.count_ones() as usize == size).map(|set| set as u16).collect()
}

/// A mask of `half` half-lines seen from the other side.
fn reverse(set: u16, half: usize) -> u16 {
    if half == 0 { set } else { set.reverse_bits() >> (16 - half) }
}

/// How close together the lines of a set are: the sum of the reciprocal distances of its pairs, times 360360 (which the
/// distances up to 15 divide). The closer, the fewer placements have these columns.
fn crowding(set: u16) -> u64 {
    let lines = (0..16_u64).filter(move |line| set >> line & 1 != 0);
    let pairs = lines.clone().flat_map(|a| lines.clone().filter(move |&b| b > a).map(move |b| b - a));
    pairs.map(|distance| 360_360 / distance).sum()
}
