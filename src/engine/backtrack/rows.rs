//! The rows that a search fills, from the top down: all rows of the board, or those that have no queen yet.

use std::sync::Arc;

/// The way from one row to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The distance to the next row: more than 1 where rows with a queen lie between.
    pub(crate) gap: u32,
    /// The squares of the next row that queens outside the tree attack along falling diagonals, and that do not follow
    /// from the squares attacked in the row before.
    pub(crate) falling: u32,
    /// The squares of the next row that queens outside the tree attack along rising diagonals, and that do not follow
    /// from the squares attacked in the row before.
    pub(crate) rising: u32,
}

impl Step {
    /// The step to the very next row, where no queen outside the tree attacks anything.
    pub(crate) const NEXT: Self = Self { gap: 1, falling: 0, rising: 0 };
}

/// The rows to fill. Cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows(Option<Arc<[Step]>>);

impl Rows {
    /// Every row of the board.
    pub(crate) const ALL: Self = Self(None);

    /// The rows with these steps between them, given from the top down: one row more than there are steps.
    pub(crate) fn some(steps: impl DoubleEndedIterator<Item = Step>) -> Self {
        // No row follows the last one; its step is never used.
        Self(Some(std::iter::once(Step::NEXT).chain(steps.rev()).collect()))
    }

    /// The step from the row that a node with `rows_left` rows left (at least 1) sees to the row that its children see.
    pub(crate) fn step(&self, rows_left: u32) -> Step {
        self.steps().map_or(Step::NEXT, |steps| steps[rows_left as usize - 1])
    }

    /// The steps by the number of rows left where they lead; `None` if all are [`Step::NEXT`].
    pub(crate) fn steps(&self) -> Option<&[Step]> {
        self.0.as_deref()
    }
}
