//! The second step: **each colour is cut once more**, into two boards of half the size.
//!
//! The white squares lie in even rows and even columns (EE) or in odd rows and odd columns (OO), so a queen on EE and a
//! queen on OO attack each other along a diagonal or not at all. The same holds for black with EO (even rows, odd
//! columns) and OE. Call Re and Ro the even and the odd rows of R, and Ce and Co the even and the odd columns of C.
//! Then w(R, C) is the number of *compatible pairs*: of a placement on EE that fills Re and Ce, and a placement on OO
//! that fills Ro and Co, which do not attack each other. Queens on EE fill as many columns as rows, so Ce has as many
//! lines as Re, and Co as many as Ro. `docs/two-color.md` has the example for N = 7.
//!
//! That is a join. The *build side* is the placements in the even rows Re, and the *probe side* is the placements in
//! all sets Ro of odd rows. The plain method finds one of them again for each of the others; here each is found once,
//! and what is done for every two of them is one AND. A placement has a word of 64 bits with a one for each diagonal
//! and each anti-diagonal of its queens, and two placements are compatible if their words have no one in common.

/// The squares in rows of one parity and columns of one parity (0 even, 1 odd). Its rows and columns have numbers of
/// their own: row a is row 2a or 2a + 1 of the board. A set of rows or columns is a word with bit a for number a.
#[derive(Clone, Copy)]
pub(crate) struct HalfBoard {
    pub(crate) size: usize,
    pub(crate) row_parity: usize,
    pub(crate) column_parity: usize,
}

/// Queens that do not attack each other: the sets of their rows and their columns, and their diagonals.
#[derive(Clone, Copy, Default)]
pub(crate) struct Placement {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) diagonals: u64,
}

impl Placement {
    /// Returns the placement with another queen, who stands in another row, unless she is attacked.
    pub(crate) fn with(self, queen: Self) -> Option<Self> {
        let is_free = self.columns & queen.columns == 0 && self.is_compatible(queen);
        let (rows, columns) = (self.rows | queen.rows, self.columns | queen.columns);
        is_free.then_some(Self { rows, columns, diagonals: self.diagonals | queen.diagonals })
    }

    /// Returns true if no queens of the two placements share a diagonal.
    pub(crate) fn is_compatible(self, other: Self) -> bool {
        self.diagonals & other.diagonals == 0
    }
}

impl HalfBoard {
    /// Returns all placements of one queen in a row. On squares of one colour all i − j have one parity, and so have
    /// all i + j. So half of each names the diagonal; there are 32 bits for either.
    pub(crate) fn row(self, row: u32) -> impl Iterator<Item = Placement> {
        let i = 2 * row as usize + self.row_parity;
        (0..lines(self.size, self.column_parity)).map(move |column| {
            let j = 2 * column + self.column_parity;
            let diagonals = 1 << ((i + self.size - j) / 2) | 1 << (32 + usize::midpoint(i, j));
            Placement { rows: 1 << row, columns: 1 << column, diagonals }
        })
    }

    /// Visits all placements that add so many queens in some of `rows` to the given ones.
    pub(crate) fn visit(self, queens: u32, mut rows: u32, given: Placement, visit: &mut impl FnMut(Placement)) {
        if queens == 0 {
            return visit(given);
        }
        while rows.count_ones() >= queens {
            let row = rows.trailing_zeros();
            rows &= rows - 1;
            for placement in self.row(row).filter_map(|queen| given.with(queen)) {
                self.visit(queens - 1, rows, placement, visit);
            }
        }
    }
}

/// The sets of rows or of columns that are counted, all of one size, and the number of each.
pub(crate) struct Sets {
    pub(crate) list: Vec<u32>,
    numbers: Vec<Option<usize>>,
}

impl Sets {
    /// Numbers some sets of so many lines in their order.
    pub(crate) fn new(lines: usize, list: Vec<u32>) -> Self {
        let mut numbers = vec![None; 1 << lines];
        for (number, &set) in list.iter().enumerate() {
            numbers[set as usize] = Some(number);
        }
        Self { list, numbers }
    }

    /// Returns the complements of the sets, in the same order.
    pub(crate) fn complements(&self) -> Self {
        let lines = self.numbers.len().ilog2() as usize;
        Self::new(lines, self.list.iter().map(|set| all(lines) ^ set).collect())
    }
}

/// The placements that fill Re (white) or the other even rows (black), each with the number of its column set.
pub(crate) struct BuildSide {
    pub(crate) placements: Vec<(usize, Placement)>,
    pub(crate) column_sets: usize,
}

impl BuildSide {
    pub(crate) fn new(board: HalfBoard, rows: u32, columns: &Sets) -> Self {
        let mut placements = Vec::new();
        board.visit(rows.count_ones(), rows, Placement::default(), &mut |placement| {
            placements.extend(columns.numbers[placement.columns as usize].map(|number| (number, placement)));
        });
        Self { placements, column_sets: columns.list.len() }
    }
}

/// The placements in odd rows, by their row set and their column set.
pub(crate) struct ProbeSide<'a> {
    pub(crate) board: HalfBoard,
    pub(crate) rows: &'a Sets,
    pub(crate) columns: &'a Sets,
}

impl ProbeSide<'_> {
    /// Returns the number of queens of each placement.
    pub(crate) fn queens(&self) -> u32 {
        self.rows.list.first().map_or(0, |rows| rows.count_ones())
    }

    /// Returns all rows of the half board.
    pub(crate) fn all_rows(&self) -> u32 {
        all(lines(self.board.size, 1))
    }

    /// Returns the number of kinds of placements: of row sets with a column set.
    pub(crate) fn kinds(&self) -> usize {
        self.rows.list.len() * self.columns.list.len()
    }

    /// Returns the number of a placement's kind, unless its rows or its columns are not counted.
    pub(crate) fn kind(&self, placement: Placement) -> Option<usize> {
        let row_set = self.rows.numbers[placement.rows as usize]?;
        Some(row_set * self.columns.list.len() + self.columns.numbers[placement.columns as usize]?)
    }
}

/// A function that counts the compatible pairs: for each kind of the probe side, one number for each column set of the
/// build side.
pub(crate) type Join = fn(&BuildSide, &ProbeSide) -> Vec<u32>;

/// Compares every probe placement with every build placement.
pub(crate) fn join(build: &BuildSide, probe: &ProbeSide) -> Vec<u32> {
    let mut pairs = vec![0; probe.kinds() * build.column_sets];
    probe.board.visit(probe.queens(), probe.all_rows(), Placement::default(), &mut |placement| {
        let Some(kind) = probe.kind(placement) else { return };
        let pairs = &mut pairs[kind * build.column_sets..][..build.column_sets];
        for &(column_set, other) in &build.placements {
            pairs[column_set] += u32::from(placement.is_compatible(other));
        }
    });
    pairs
}

/// A set Re, with the sets Ro, Ce and Co that are counted with it.
pub(crate) struct Choice {
    pub(crate) size: usize,
    pub(crate) re: u32,
    pub(crate) ro: Sets,
    pub(crate) ce: Sets,
    pub(crate) co: Sets,
}

impl Choice {
    /// Returns the sum of weight · w · b over all Ro, Ce and Co, whose numbers `weight` gets.
    pub(crate) fn solutions(&self, join: Join, weight: impl Fn(usize, usize, usize) -> u64) -> u64 {
        let Self { size, re, ref ro, ref ce, ref co } = *self;
        let half = |row_parity, column_parity| HalfBoard { size, row_parity, column_parity };
        let build = BuildSide::new(half(0, 0), re, ce);
        let white = join(&build, &ProbeSide { board: half(1, 1), rows: ro, columns: co });
        // The black queens have the complements of all four sets, and their even rows have odd columns.
        let build = BuildSide::new(half(0, 1), all(lines(size, 0)) ^ re, &co.complements());
        let (rows, columns) = (&ro.complements(), &ce.complements());
        let black = join(&build, &ProbeSide { board: half(1, 0), rows, columns });
        let mut solutions = 0;
        for r in 0..ro.list.len() {
            for e in 0..ce.list.len() {
                for o in 0..co.list.len() {
                    let white = white[(r * co.list.len() + o) * ce.list.len() + e];
                    let black = black[(r * ce.list.len() + e) * co.list.len() + o];
                    solutions += weight(r, e, o) * u64::from(white) * u64::from(black);
                }
            }
        }
        solutions
    }
}

/// Returns the number of solutions of a board with `size` rows.
pub(crate) fn count(size: usize) -> u64 {
    count_with(size, join)
}

/// Returns the number of solutions, with a join that later steps replace.
pub(crate) fn count_with(size: usize, join: Join) -> u64 {
    let (even, odd) = (lines(size, 0), lines(size, 1));
    let mut solutions = 0;
    // As in the plain method, the white even rows outnumber the white odd rows by 0 or 1.
    for queens in even - odd..=even {
        for re in sets(even, queens) {
            let odd_sets = || Sets::new(odd, sets(odd, queens - (even - odd)));
            let ce = Sets::new(even, sets(even, queens));
            solutions += Choice { size, re, ro: odd_sets(), ce, co: odd_sets() }.solutions(join, |_, _, _| 1);
        }
    }
    solutions
}

/// Returns the number of lines of one parity.
pub(crate) fn lines(size: usize, parity: usize) -> usize {
    (size + 1 - parity) / 2
}

/// Returns the set of all lines.
pub(crate) fn all(lines: usize) -> u32 {
    (1 << lines) - 1
}

/// Returns the sets of so many lines, ascending.
pub(crate) fn sets(lines: usize, size: usize) -> Vec<u32> {
    (0..=all(lines)).filter(|set| set.count_ones() as usize == size).collect()
}
