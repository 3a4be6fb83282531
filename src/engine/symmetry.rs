//! The symmetries that the backtracker can be cut by.

use std::fmt;

/// Which solutions the backtracker counts along with others, because they are mirror images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Symmetry {
    /// Left and right are exchanged: the first queen stands in the left half. A unit is a placement of the first rows.
    Mirror,
    /// Left and right, and top and bottom, are exchanged: the queens of the left and of the right column come first. A unit
    /// is a pair of them, with a placement of the first of the other rows or without.
    Edges,
}

impl Symmetry {
    /// All of them.
    pub const ALL: &[Symmetry] = &[Symmetry::Mirror, Symmetry::Edges];

    /// Its name on the command line and in the names of plans.
    pub fn name(self) -> &'static str {
        match self {
            Symmetry::Mirror => "mirror",
            Symmetry::Edges => "edges",
        }
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
