//! Compares a total with the published count.

use crate::app::failure::Failure;
use crate::app::output::words::{self, plural};
use nqueens::published::{self, contradiction};
use nqueens::symmetry::FundamentalCount;
use nqueens::{Board, Cancel, Setup, Verdict};
use std::path::Path;

/// A total and its comparison with the published count.
#[derive(Debug)]
pub(crate) struct Assessment {
    setup: Setup,
    pub(crate) total: u128,
    /// The counts up to symmetry; `None` if nobody asked for them, or if the total is not a sum of whole orbits.
    pub(crate) fundamental: Option<FundamentalCount>,
    /// A sentence with both numbers for each wrong count; empty if all are right.
    pub(crate) contradictions: Vec<String>,
    /// The second count, if there was one.
    pub(crate) second: Option<SecondCount>,
}

/// A second count by another route, in words.
#[derive(Debug)]
pub(crate) enum SecondCount {
    /// The route that confirms the first count.
    Agrees(String),
    /// The unit that differs, with both numbers.
    Differs(String),
}

impl Assessment {
    /// Compares the total of a board, which may have given queens or blocked squares, with the published count.
    pub(crate) fn new(setup: impl Into<Setup>, total: u128) -> Self {
        let setup = setup.into();
        let contradictions = contradiction(setup, total).into_iter().collect();
        Self { setup, total, fundamental: None, contradictions, second: None }
    }

    /// Also searches for the symmetric solutions, and compares the counts up to symmetry with the published ones. A
    /// total that is not a sum of whole orbits is wrong, and has no counts up to symmetry.
    pub(crate) fn with_fundamental(mut self, cancel: &Cancel) -> Result<Self, Failure> {
        let (board, total) = (self.setup.board(), self.total);
        match FundamentalCount::from_total(board, total, cancel) {
            Ok(Some(counted)) => {
                self.fundamental = Some(counted);
                let FundamentalCount { fundamental, quarter_turn, .. } = counted;
                let differences = [
                    difference("fundamental", board, fundamental, published::fundamental(board)),
                    difference("quarter-turn", board, quarter_turn, published::quarter_turn(board)),
                ];
                self.contradictions.extend(differences.into_iter().flatten());
            }
            Ok(None) => self.contradictions.push(format!(
                "the total {total} for N = {board} is wrong: (Q + P + 2R) / 8 is not a whole number of orbits"
            )),
            Err(_) => {
                let words = self.in_words();
                return Err(Failure::Cancelled(format!("{words}; stopped in the search for the symmetric ones")));
            }
        }
        Ok(self)
    }

    /// Returns the verdict on all counts together.
    pub(crate) fn verdict(&self) -> Verdict {
        match Verdict::new(self.setup, self.total) {
            verdict if self.contradictions.is_empty() => verdict,
            Verdict::Matches => Verdict::Contradicts,
            Verdict::NotPublished => Verdict::Impossible,
            verdict => verdict,
        }
    }

    /// Returns the verdict as the end of a sentence. `again` is what counts again by another route, if anything does; it
    /// is not told if that was done already.
    pub(crate) fn verdict_in_words(&self, again: Option<&str>) -> String {
        let again = again.filter(|_| self.second.is_none());
        match self.verdict() {
            Verdict::Matches if self.fundamental.is_some() => {
                "both match the published counts (OEIS A000170, A002562)".to_owned()
            }
            Verdict::Matches => "matches the published count (OEIS A000170)".to_owned(),
            Verdict::Contradicts => "CONTRADICTS the published count (OEIS A000170)".to_owned(),
            Verdict::Impossible => "IMPOSSIBLE".to_owned(),
            _ if !self.setup.is_free() => format!(
                "no count is published for a board with given queens or blocked squares{}",
                again.map_or(String::new(), |again| format!("; {again} would count again with another kernel"))
            ),
            _ => format!(
                "no published count to compare with; the symmetry of all partial counts and of the total, and its \
                 size, are as they must be{}",
                again.map_or(String::new(), |again| format!(", and {again} would count again by another route"))
            ),
        }
    }

    /// Returns an error that ends with `advice` if a count contradicts the published one, or the second count the first.
    pub(crate) fn accepted(&self, advice: &str) -> Result<(), Failure> {
        let differs = if let Some(SecondCount::Differs(difference)) = &self.second { Some(difference) } else { None };
        contradicted(self.contradictions.iter().chain(differs).cloned(), advice)
    }

    /// Returns the numbers in words, for an error message that must not lose them.
    pub(crate) fn in_words(&self) -> String {
        let fundamental =
            self.fundamental.map_or(String::new(), |counted| format!(", {} fundamental", counted.fundamental));
        format!("N = {}: {}{fundamental}", self.setup.board(), plural(self.total, "solution"))
    }
}

/// Returns the command that counts every unit of some ledgers again by another route.
pub(crate) fn recheck_all<T: AsRef<Path>>(ledgers: &[T]) -> String {
    let paths: Vec<String> = ledgers.iter().map(|path| words::shell(path.as_ref())).collect();
    format!("`nqueens recheck --all {}`", paths.join(" "))
}

pub(crate) fn find_wrong_units<T: AsRef<Path>>(ledgers: &[T]) -> String {
    format!("{} counts every unit again and finds the wrong ones", recheck_all(ledgers))
}

/// Returns an error if there are contradictions. The advice says which command can find their cause.
pub(crate) fn contradicted(contradictions: impl IntoIterator<Item = String>, advice: &str) -> Result<(), Failure> {
    match contradictions.into_iter().collect::<Vec<_>>().join("; ") {
        those if those.is_empty() => Ok(()),
        those => Err(Failure::Failed(format!("{those}; do not trust this number: {advice}"))),
    }
}

/// Returns the advice to count the solutions of a board again by another route.
pub(crate) fn count_again(board: Board) -> String {
    format!("`nqueens count {board} --double-check` counts by two routes")
}

/// Returns a sentence with both numbers if they differ.
pub(crate) fn difference(name: &str, board: Board, computed: u128, published: Option<u128>) -> Option<String> {
    let published = published.filter(|_| Verdict::compare(computed, published) == Verdict::Contradicts)?;
    Some(format!("the {name} count for N = {board} came out as {computed}, but {published} is published"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_total(size: usize, total: u128) -> Assessment {
        Assessment::new(Board::new(size).unwrap(), total)
    }

    fn with_fundamental(size: usize, total: u128) -> Assessment {
        of_total(size, total).with_fundamental(&Cancel::new()).unwrap()
    }

    #[test]
    fn right_and_unpublished_counts_contradict_nothing() {
        for (size, total, verdict) in [(8, 92, Verdict::Matches), (28, 24 * 10_u128.pow(17), Verdict::NotPublished)] {
            let assessment = of_total(size, total);
            assert_eq!((assessment.verdict(), assessment.contradictions), (verdict, vec![]));
        }
        let assessment = with_fundamental(12, 14_200);
        assert_eq!((assessment.verdict(), &assessment.contradictions), (Verdict::Matches, &vec![]));
        assert_eq!(assessment.in_words(), "N = 12: 14200 solutions, 1787 fundamental");
        assert_eq!(of_total(1, 1).in_words(), "N = 1: 1 solution");
    }

    #[test]
    fn a_wrong_total_is_named_beside_the_published_one() {
        let assessment = of_total(8, 93);
        assert_eq!(assessment.verdict(), Verdict::Contradicts);
        assert_eq!(assessment.contradictions, ["the total count for N = 8 came out as 93, but 92 is published"]);
        assert!(matches!(assessment.accepted("advice"), Err(Failure::Failed(_))));
        let assessment = of_total(28, 346_321);
        assert_eq!(assessment.verdict(), Verdict::Impossible);
        assert!(
            assessment.contradictions[0]
                .ends_with("346321, which is impossible: it is not a multiple of 4, as whole orbits are")
        );
    }

    #[test]
    fn a_wrong_total_of_whole_orbits_contradicts_the_fundamental_count_too() {
        let assessment = with_fundamental(8, 100);
        assert_eq!(assessment.verdict(), Verdict::Contradicts);
        assert_eq!(assessment.contradictions.len(), 2);
        assert_eq!(assessment.contradictions[1], "the fundamental count for N = 8 came out as 13, but 12 is published");
    }

    #[test]
    fn a_total_of_no_whole_orbits_is_still_reported() {
        let assessment = with_fundamental(8, 93);
        assert!(assessment.fundamental.is_none());
        assert_eq!(assessment.verdict(), Verdict::Contradicts);
        assert!(assessment.contradictions[0].contains("came out as 93, but 92 is published"));
        assert!(assessment.contradictions[1].contains("not a whole number of orbits"));
        // The search for the symmetric solutions of a larger board takes minutes.
        let mut unpublished = of_total(28, 24 * 10_u128.pow(17));
        unpublished.contradictions.push(assessment.contradictions[1].clone());
        assert_eq!(unpublished.verdict(), Verdict::Impossible);
    }
}
