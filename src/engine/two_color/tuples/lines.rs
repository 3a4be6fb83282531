//! The lines of a board by parity: half-lines and sets of them.
//!
//! Even lines are rows or columns 0, 2, 4, …, odd lines 1, 3, 5, …. A line is named by its *half-line*, its place among
//! the lines of its parity. On boards of even size the odd half-lines are counted from the far side, so that a half
//! turn of the board exchanges even half-line *a* with odd half-line *a*.

use std::ops::BitOrAssign;

/// The parity of a line's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parity {
    Even,
    Odd,
}

impl Parity {
    pub(crate) fn other(self) -> Self {
        match self {
            Parity::Even => Parity::Odd,
            Parity::Odd => Parity::Even,
        }
    }
}

/// The most half-lines of one parity, on the largest board.
pub(crate) const MOST_HALF_LINES: usize = 14;

/// A row or a column by its place among the lines of its parity, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HalfLine(u8);

impl HalfLine {
    /// The half-line with this number, below [`MOST_HALF_LINES`].
    #[inline]
    pub(crate) fn new(number: usize) -> Self {
        debug_assert!(number < MOST_HALF_LINES);
        Self(number as u8)
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0.into()
    }
}

/// A set of half-lines of one parity: the rows or the columns that some queens fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct LineSet(u16);

impl LineSet {
    /// The set without half-lines.
    pub(crate) const EMPTY: Self = Self(0);

    /// The first `count` half-lines.
    #[inline]
    pub(crate) fn first(count: usize) -> Self {
        Self(((1_u32 << count) - 1) as u16)
    }

    /// Returns all sets of `size` of the first `half` half-lines, in the order of their bits.
    pub(crate) fn combinations(half: usize, size: usize) -> impl DoubleEndedIterator<Item = Self> {
        let sets = (0..1_u32 << half).filter(move |bits| bits.count_ones() as usize == size);
        sets.map(|bits| Self(bits as u16))
    }

    /// Returns the set as a number: bit *a* for half-line *a*.
    #[inline]
    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    #[inline]
    pub(crate) fn contains(self, line: HalfLine) -> bool {
        self.0 >> line.0 & 1 != 0
    }

    /// The set and one more half-line.
    #[inline]
    pub(crate) fn with(self, line: HalfLine) -> Self {
        Self(self.0 | 1 << line.0)
    }

    /// The half-lines of this set that are not in another one.
    #[inline]
    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the number of half-lines in the set that come before `line`.
    #[inline]
    pub(crate) fn place_of(self, line: HalfLine) -> usize {
        (self.0 & ((1 << line.0) - 1)).count_ones() as usize
    }

    /// The mirror image of the set: of `half` half-lines, *a* becomes `half` − 1 − *a*.
    pub(crate) fn reversed(self, half: usize) -> Self {
        if half == 0 { self } else { Self(self.0.reverse_bits() >> (16 - half)) }
    }

    /// Returns the half-lines of the set, ascending.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = HalfLine> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let line = (left != 0).then(|| HalfLine(left.trailing_zeros() as u8));
            left &= left.wrapping_sub(1);
            line
        })
    }
}

impl BitOrAssign for LineSet {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl FromIterator<HalfLine> for LineSet {
    fn from_iter<I: IntoIterator<Item = HalfLine>>(lines: I) -> Self {
        lines.into_iter().fold(Self::EMPTY, Self::with)
    }
}
