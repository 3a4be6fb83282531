//! A placement of queens in the first rows, as the bit masks that the next row needs.

use crate::board::Board;
use crate::estimate;

/// A node of the backtracking tree: queens in the first rows, none attacking another, seen from the next row to fill.
///
/// Bit *j* of each mask is column *j*. To go down one row, the diagonals attacked move one column to the left in
/// `falling` and to the right in `rising`: in bits, `falling` is shifted up and `rising` down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The columns without a queen, one for each row left.
    pub(crate) columns: u32,
    /// The squares of the next row attacked along diagonals on which the column grows with the row.
    pub(crate) falling: u32,
    /// The squares of the next row attacked along diagonals on which the column shrinks as the row grows.
    pub(crate) rising: u32,
}

impl Node {
    /// The empty board.
    pub(crate) fn root(board: Board) -> Self {
        Self { columns: board.columns(), falling: 0, rising: 0 }
    }

    /// The number of rows without a queen.
    #[inline]
    pub(crate) fn rows_left(self) -> u32 {
        self.columns.count_ones()
    }

    /// The free squares of the next row, a bit for each column.
    #[inline]
    pub(crate) fn free(self) -> u32 {
        self.columns & !(self.falling | self.rising)
    }

    /// Returns the node with a queen more, in the next row and the column whose bit is `queen`.
    #[inline]
    pub(crate) fn place(self, queen: u32) -> Self {
        Self { columns: self.columns ^ queen, falling: (self.falling | queen) << 1, rising: (self.rising | queen) >> 1 }
    }

    /// The children, a queen more each, with the columns of their queens, from column 0 on.
    pub(crate) fn children(self) -> impl Iterator<Item = (usize, Self)> {
        let mut free = self.free();
        std::iter::from_fn(move || {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            (queen != 0).then(|| (queen.trailing_zeros() as usize, self.place(queen)))
        })
    }
}

impl estimate::Node for Node {
    fn children(&self) -> u32 {
        self.free().count_ones()
    }

    fn child(&self, index: u32) -> Self {
        let higher = (0..index).fold(self.free(), |free, _| free & (free - 1));
        self.place(higher & higher.wrapping_neg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::attack;
    use proptest::prelude::*;

    proptest! {
        /// A square is free exactly when no queen placed attacks it.
        #[test]
        fn free_squares_are_those_that_no_queen_attacks(
            size in 1_usize..=32,
            choices in prop::collection::vec(0_usize..32, 0..32),
        ) {
            let mut node = Node::root(Board::new(size).unwrap());
            let mut queens = Vec::new();
            for choice in choices.into_iter().take(size) {
                let row = queens.len();
                let is_free = |&column: &usize| queens.iter().all(|&queen| attack(queen, (row, column)).is_none());
                let free: Vec<usize> = (0..size).filter(is_free).collect();
                prop_assert_eq!(node.children().map(|(column, _)| column).collect::<Vec<_>>(), free.clone());
                prop_assert_eq!(node.rows_left() as usize, size - row);
                let Some(&column) = free.get(choice % free.len().max(1)) else { break };
                node = node.place(1 << column);
                queens.push((row, column));
            }
        }
    }
}
