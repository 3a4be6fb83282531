//! A total held against what is published.

use crate::app::failure::Failure;
use crate::app::output::Cell;
use crate::symmetry::{FundamentalCount, FundamentalError};
use crate::{Board, Cancel, Verdict, published};

/// A total, and what it comes to.
#[derive(Debug)]
pub(crate) struct Judged {
    board: Board,
    total: u128,
    /// The count up to symmetry, where it was asked for and the total allows one.
    fundamental: Option<FundamentalCount>,
    /// What is wrong with the counts, both numbers in each.
    contradictions: Vec<String>,
}

impl Judged {
    /// Judges a total without the count up to symmetry.
    pub(crate) fn of_total(board: Board, total: u128) -> Self {
        let contradictions = contradiction(board, total).into_iter().collect();
        Self { board, total, fundamental: None, contradictions }
    }

    /// Judges a total together with the count up to symmetry, for which it searches. A total that is no sum of whole
    /// orbits has none, and is wrong.
    pub(crate) fn with_fundamental(board: Board, total: u128, cancel: &Cancel) -> Result<Self, Failure> {
        let searched = FundamentalCount::of_total(board, total, cancel);
        let mut judged = Self::of_total(board, total);
        match searched {
            Ok(counted) => {
                judged.fundamental = Some(counted);
                let FundamentalCount { fundamental, quarter_turn, .. } = counted;
                judged.contradictions.extend(
                    [
                        difference("fundamental", board, fundamental, published::fundamental(board)),
                        difference("quarter-turn", board, quarter_turn, published::quarter_turn(board)),
                    ]
                    .into_iter()
                    .flatten(),
                );
            }
            Err(FundamentalError::Cancelled(_)) => {
                let words = judged.in_words();
                return Err(Failure::Cancelled(format!("{words}; stopped in the search for the symmetric ones")));
            }
            Err(error) => judged.contradictions.push(error.to_string()),
        }
        Ok(judged)
    }

    /// How the counts compare with the published ones: all of them, where there are several.
    pub(crate) fn verdict(&self) -> Verdict {
        if self.contradictions.is_empty() {
            Verdict::of(self.total, published::total(self.board))
        } else {
            Verdict::Contradicts
        }
    }

    /// The verdict as the end of a sentence.
    pub(crate) fn verdict_in_words(&self) -> &'static str {
        match self.verdict() {
            Verdict::Matches => "matches the published count (OEIS A000170)",
            Verdict::Contradicts => "CONTRADICTS the published count (OEIS A000170)",
            Verdict::NotPublished => "no published count to compare with",
        }
    }

    /// What is wrong with the counts; empty when nothing is.
    pub(crate) fn contradictions(&self) -> &[String] {
        &self.contradictions
    }

    /// A count that contradicts the published one is a failure.
    pub(crate) fn accepted(&self) -> Result<(), Failure> {
        contradicted(&self.contradictions)
    }

    /// The numbers, in words: what must not be lost when they cannot be written.
    pub(crate) fn in_words(&self) -> String {
        let fundamental =
            self.fundamental.map_or(String::new(), |counted| format!(", {} fundamental", counted.fundamental));
        format!("N = {}: {}{fundamental}", self.board, solutions(self.total))
    }

    /// The fundamental solutions, those that a half turn and those that a quarter turn leaves as they are.
    pub(crate) fn symmetric(&self) -> [Cell; 3] {
        let counted = self.fundamental.map(|counted| [counted.fundamental, counted.half_turn, counted.quarter_turn]);
        counted.map_or([const { Cell::Missing }; 3], |counted| counted.map(Cell::Count))
    }
}

/// Counts that contradict the published ones are a failure.
pub(crate) fn contradicted(contradictions: &[String]) -> Result<(), Failure> {
    if contradictions.is_empty() {
        return Ok(());
    }
    let those = contradictions.join("; ");
    Err(Failure::Failed(format!("{those}; do not trust this number, run `nqueens verify` on this machine")))
}

/// A number of solutions, in words.
pub(crate) fn solutions(total: u128) -> String {
    format!("{total} solution{}", if total == 1 { "" } else { "s" })
}

/// The words for a total that contradicts the published one; `None` for any other.
pub(crate) fn contradiction(board: Board, total: u128) -> Option<String> {
    difference("total", board, total, published::total(board))
}

/// Both numbers in words, where they differ.
fn difference(name: &str, board: Board, computed: u128, published: Option<u128>) -> Option<String> {
    let published = published.filter(|_| Verdict::of(computed, published) == Verdict::Contradicts)?;
    Some(format!("the {name} count for N = {board} came out as {computed}, but {published} is published"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_total(size: usize, total: u128) -> Judged {
        Judged::of_total(Board::new(size).unwrap(), total)
    }

    fn with_fundamental(size: usize, total: u128) -> Judged {
        Judged::with_fundamental(Board::new(size).unwrap(), total, &Cancel::new()).unwrap()
    }

    #[test]
    fn right_and_unpublished_counts_contradict_nothing() {
        for (size, total, verdict) in [(8, 92, Verdict::Matches), (28, 8, Verdict::NotPublished)] {
            let judged = of_total(size, total);
            assert_eq!((judged.verdict(), judged.contradictions()), (verdict, &[][..]));
        }
        let judged = with_fundamental(12, 14_200);
        assert_eq!((judged.verdict(), judged.contradictions()), (Verdict::Matches, &[][..]));
        assert_eq!(judged.in_words(), "N = 12: 14200 solutions, 1787 fundamental");
        assert_eq!(of_total(1, 1).in_words(), "N = 1: 1 solution");
    }

    #[test]
    fn a_wrong_total_is_named_beside_the_published_one() {
        let judged = of_total(8, 93);
        assert_eq!(judged.verdict(), Verdict::Contradicts);
        assert_eq!(judged.contradictions(), ["the total count for N = 8 came out as 93, but 92 is published"]);
        assert!(matches!(judged.accepted(), Err(Failure::Failed(_))));
    }

    #[test]
    fn a_wrong_total_of_whole_orbits_contradicts_the_fundamental_count_too() {
        let judged = with_fundamental(8, 100);
        assert_eq!(judged.verdict(), Verdict::Contradicts);
        assert_eq!(judged.contradictions().len(), 2);
        assert_eq!(judged.contradictions()[1], "the fundamental count for N = 8 came out as 13, but 12 is published");
    }

    #[test]
    fn a_total_of_no_whole_orbits_is_still_reported() {
        let judged = with_fundamental(8, 93);
        assert_eq!(judged.symmetric(), [Cell::Missing, Cell::Missing, Cell::Missing]);
        assert_eq!(judged.verdict(), Verdict::Contradicts);
        assert!(judged.contradictions()[0].contains("came out as 93, but 92 is published"));
        assert!(judged.contradictions()[1].contains("not a whole number of orbits"));
    }

    #[test]
    fn numbers_differ_or_do_not() {
        let of = |published| difference("quarter-turn", Board::new(12).unwrap(), 8, published);
        assert_eq!(of(Some(8)), None);
        assert_eq!(of(None), None);
        assert!(of(Some(9)).unwrap().contains("quarter-turn count for N = 12"));
    }
}
