//! The symmetries that the backtracker can make use of.

use crate::names::named;

/// The mirror images that the backtracker leaves out: of each set of solutions that mirror each other it visits one.
///
/// ```
/// use nqueens::{Board, Job, SymmetryReduction};
///
/// let job = Job::new(Board::new(10)?);
/// let [half, quarter] = [SymmetryReduction::Mirror, SymmetryReduction::Edges].map(|what| job.clone().symmetry(what));
/// assert_eq!(half.run()?.total, quarter.run()?.total);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SymmetryReduction {
    /// Left and right are exchanged: the first queen stands in the left half. A unit is a placement of the first rows.
    Mirror,
    /// Left and right, and top and bottom, are exchanged: the queens of the left and of the right column come first. A
    /// unit is a pair of them, with a placement of the first of the other rows or without.
    Edges,
}

impl SymmetryReduction {
    /// All symmetry reductions.
    pub const ALL: &[SymmetryReduction] = &[SymmetryReduction::Mirror, SymmetryReduction::Edges];

    /// The name on the command line and in the names of plans.
    pub fn name(self) -> &'static str {
        match self {
            SymmetryReduction::Mirror => "mirror",
            SymmetryReduction::Edges => "edges",
        }
    }
}

named!(SymmetryReduction, ParseSymmetryReductionError, "no symmetry is named {0:?}; give {names}", " or ");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_others_refused() {
        for &reduction in SymmetryReduction::ALL {
            assert_eq!(reduction.to_string().parse(), Ok(reduction));
        }
        assert_eq!(
            "none".parse::<SymmetryReduction>().unwrap_err().to_string(),
            r#"no symmetry is named "none"; give mirror or edges"#
        );
    }
}
