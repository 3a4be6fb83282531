//! The rows that a search fills, from the top down: all of the board, or those that have no queen yet.

use std::sync::Arc;

/// The way from one row to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// How many rows further down the next one is: more than 1 where rows with a queen lie between.
    pub(crate) gap: u32,
    /// The squares of the next row that are attacked along falling diagonals by queens outside the tree, and not because
    /// they were attacked in the row before.
    pub(crate) falling: u32,
    /// The same along rising diagonals.
    pub(crate) rising: u32,
}

impl Step {
    /// To the very next row, where no queen stands but those of the tree.
    pub(crate) const NEXT: Self = Self { gap: 1, falling: 0, rising: 0 };
}

/// The rows to fill. Cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows(Option<Arc<[Step]>>);

impl Rows {
    /// Every row of the board.
    pub(crate) const ALL: Self = Self(None);

    /// One row more than there are steps between them, which are given from the top down.
    pub(crate) fn some(steps: impl DoubleEndedIterator<Item = Step>) -> Self {
        // Behind the last row comes nothing, and no queen is there to look at it.
        Self(Some(std::iter::once(Step::NEXT).chain(steps.rev()).collect()))
    }

    /// The step from the row that a node with `rows_left` rows left (at least 1) sees to the row that its children see.
    pub(crate) fn step(&self, rows_left: u32) -> Step {
        self.steps().map_or(Step::NEXT, |steps| steps[rows_left as usize - 1])
    }

    /// The steps by the number of rows left from where they lead, unless all are [`Step::NEXT`].
    pub(crate) fn steps(&self) -> Option<&[Step]> {
        self.0.as_deref()
    }
}
