//! The third step: **the build side as bits**, so that a probe placement is compared with many build placements at
//! once.
//!
//! Each column set of the build side has a word of 32 bits, with a bit for each of its placements. (If a column set has
//! more than 32 of them, each has several words.) For each square of the probe side a table has all these words, with a
//! one for each build placement that a queen on the square does not attack. The AND of the tables of some queens leaves
//! the build placements that are compatible with all of them. So the search over the probe side carries this AND along:
//! one more queen is one more AND, and after the last queen the number of ones in a word is the number of compatible
//! pairs with its column set.
//!
//! That also joins each *prefix* once. The AND of the first queens of a placement serves all placements that begin with
//! them, in whatever set Ro of rows.

use super::halves::{self, BuildSide, Placement, ProbeSide};

/// The build placements that are compatible with some queens: for each column set a word, then again for each a word,
/// until there are enough.
type Bits = Vec<u32>;

/// Returns the number of solutions of a board with `size` rows.
pub(crate) fn count(size: usize) -> u64 {
    halves::count_with(size, join)
}

/// Counts the compatible pairs, for each kind of the probe side and each column set of the build side.
pub(crate) fn join(build: &BuildSide, probe: &ProbeSide) -> Vec<u32> {
    let layout = Layout::new(build);
    let tables = (0..probe.all_rows().count_ones())
        .map(|row| probe.board.row(row).map(|queen| (queen, layout.bits(|other| queen.is_compatible(other)))).collect())
        .collect();
    let pairs = vec![0; probe.kinds() * build.column_sets];
    let mut search = Search { build, probe, tables, pairs };
    search.visit(probe.queens(), probe.all_rows(), Placement::default(), &layout.bits(|_| true));
    search.pairs
}

/// Where the bit of each build placement is.
struct Layout<'a> {
    build: &'a BuildSide,
    /// By placement, the index of its word and its bit.
    bits: Vec<(usize, u32)>,
    words: usize,
}

impl<'a> Layout<'a> {
    fn new(build: &'a BuildSide) -> Self {
        let mut placements = vec![0; build.column_sets];
        let bits = build.placements.iter().map(|&(column_set, _)| {
            let number = placements[column_set];
            placements[column_set] += 1;
            (number / 32 * build.column_sets + column_set, number as u32 % 32)
        });
        let bits: Vec<(usize, u32)> = bits.collect();
        let most = placements.iter().max().copied().unwrap_or(0);
        Self { build, bits, words: most.div_ceil(32) * build.column_sets }
    }

    /// Returns the bits of the build placements for which `is_left` is true.
    fn bits(&self, is_left: impl Fn(Placement) -> bool) -> Bits {
        let mut words = vec![0; self.words];
        for (&(_, placement), &(word, bit)) in self.build.placements.iter().zip(&self.bits) {
            words[word] |= u32::from(is_left(placement)) << bit;
        }
        words
    }
}

/// The search over the probe side.
struct Search<'a> {
    build: &'a BuildSide,
    probe: &'a ProbeSide<'a>,
    /// By row and column, a queen and the build placements that she does not attack.
    tables: Vec<Vec<(Placement, Bits)>>,
    pairs: Vec<u32>,
}

impl Search<'_> {
    /// Counts the pairs of all placements that add so many queens in some of `rows` to the given ones, which leave the
    /// build placements `left`.
    fn visit(&mut self, queens: u32, mut rows: u32, given: Placement, left: &[u32]) {
        if queens == 0 {
            return add(self.build, self.probe, &mut self.pairs, given, [left, left]);
        }
        while rows.count_ones() >= queens {
            let row = rows.trailing_zeros();
            rows &= rows - 1;
            for column in 0..self.tables[row as usize].len() {
                let (queen, table) = &self.tables[row as usize][column];
                let Some(placement) = given.with(*queen) else { continue };
                if queens == 1 {
                    add(self.build, self.probe, &mut self.pairs, placement, [left, table]);
                } else {
                    let left: Bits = left.iter().zip(table).map(|(left, table)| left & table).collect();
                    self.visit(queens - 1, rows, placement, &left);
                }
            }
        }
    }
}

/// ANDs two lists of words, and adds the number of ones to the pairs of the placement's kind.
fn add(build: &BuildSide, probe: &ProbeSide, pairs: &mut [u32], placement: Placement, [left, table]: [&[u32]; 2]) {
    let Some(kind) = probe.kind(placement) else { return };
    let sets = build.column_sets;
    let pairs = &mut pairs[kind * sets..][..sets];
    // Without a column set there are no words.
    let size = sets.max(1);
    for (left, table) in left.chunks_exact(size).zip(table.chunks_exact(size)) {
        for ((pairs, left), table) in pairs.iter_mut().zip(left).zip(table) {
            *pairs += (left & table).count_ones();
        }
    }
}
