//! The published counts, and the comparison of a computed count with them.
//!
//! Sources: the On-Line Encyclopedia of Integer Sequences, A000170 (all solutions; N = 27 by T. B. Preußer and M.
//! Engelhardt, 2017), A002562 (fundamental solutions), A033148 (solutions that a quarter turn maps to themselves). The
//! same numbers are in `results/published.csv`. The number of solutions that a half turn maps to themselves (A032522)
//! follows from the three by Burnside's lemma, so a count that has these three right has that number right too.
//!
//! No engine uses these numbers. They serve only to judge the result of a count.

use crate::board::Board;
use crate::setup::Setup;
use crate::symmetry;
use std::fmt;

/// A000170, A002562 and A033148, a row for each N from 1 on.
const COUNTS: [[u128; 3]; 27] = [
    [1, 1, 1],
    [0, 0, 0],
    [0, 0, 0],
    [2, 1, 2],
    [10, 2, 2],
    [4, 1, 0],
    [40, 6, 0],
    [92, 12, 0],
    [352, 46, 0],
    [724, 92, 0],
    [2_680, 341, 0],
    [14_200, 1_787, 8],
    [73_712, 9_233, 8],
    [365_596, 45_752, 0],
    [2_279_184, 285_053, 0],
    [14_772_512, 1_846_955, 64],
    [95_815_104, 11_977_939, 128],
    [666_090_624, 83_263_591, 0],
    [4_968_057_848, 621_012_754, 0],
    [39_029_188_884, 4_878_666_808, 480],
    [314_666_222_712, 39_333_324_973, 704],
    [2_691_008_701_644, 336_376_244_042, 0],
    [24_233_937_684_440, 3_029_242_658_210, 0],
    [227_514_171_973_736, 28_439_272_956_934, 3_328],
    [2_207_893_435_808_352, 275_986_683_743_434, 3_264],
    [22_317_699_616_364_044, 2_789_712_466_510_289, 0],
    [234_907_967_154_122_528, 29_363_495_934_315_694, 0],
];

/// A033148 for N = 28 and 29.
const QUARTER_TURN_ONLY: [u128; 2] = [32_896, 43_776];

/// Returns the published number of solutions, or `None` above N = 27.
pub fn total(board: Board) -> Option<u128> {
    COUNTS.get(board.size() - 1).map(|row| row[0])
}

/// Returns the published number of fundamental solutions, or `None` above N = 27.
pub fn fundamental(board: Board) -> Option<u128> {
    COUNTS.get(board.size() - 1).map(|row| row[1])
}

/// Returns the published number of solutions that a quarter turn maps to themselves, or `None` above N = 29.
pub fn quarter_turn(board: Board) -> Option<u128> {
    COUNTS.iter().map(|row| row[2]).chain(QUARTER_TURN_ONLY).nth(board.size() - 1)
}

/// Returns about the number of solutions of a board with at least four rows: 2.4 · *N*! · e^(−0.942 *N*).
///
/// The number is ((e^(−γ) + o(1)) · *N*)^*N* with γ = 1.94400 (M. Simkin, *The number of n-queens configurations*,
/// Advances in Mathematics 427, 2023; the digits by P. Nobel, A. Agrawal and S. Boyd, Optimization Letters 17, 2023).
/// By Stirling's formula, that is *N*! · e^(−0.944 *N*) up to a factor that grows less than exponentially. The
/// constants 2.4 and 0.942 are fitted to the published counts: the result is off by at most 2% from *N* = 18 to 27, by
/// 13% from 10 on, and by a factor of 3.9 for *N* = 5.
fn expected(board: Board) -> f64 {
    let factorial: f64 = (1..=board.size()).map(|factor| factor as f64).product();
    2.4 * factorial * (-0.942 * board.size() as f64).exp()
}

/// Returns the reason why a board does not have `total` solutions; `None` if it may.
fn impossible(board: Board, total: u128) -> Option<String> {
    let (size, divisor, expected) = (board.size(), symmetry::common_divisor(board.size()), expected(board));
    if !total.is_multiple_of(divisor.into()) {
        return Some(format!("it is not a multiple of {divisor}, as whole orbits are"));
    }
    let factor = if size < 10 { 4.0 } else { 1.25 };
    let is_far = size > 3 && !(expected / factor..=expected * factor).contains(&(total as f64));
    is_far.then(|| format!("about {expected:.1e} solutions are expected"))
}

/// Returns a sentence about a total of a board or setup that contradicts the published one or, if none is published, is
/// impossible; `None` for any other total. A setup has no more solutions than its board.
pub fn contradiction(setup: impl Into<Setup>, computed: u128) -> Option<String> {
    let setup = setup.into();
    let (board, is_part) = (setup.board(), !setup.is_free());
    match total(board) {
        Some(whole) if is_part => (computed > whole)
            .then(|| format!("a part of N = {board} came out as {computed}, but the whole has {whole} solutions")),
        Some(published) => (computed != published)
            .then(|| format!("the total count for N = {board} came out as {computed}, but {published} is published")),
        None if is_part => None,
        None => impossible(board, computed).map(|reason| {
            format!("the total count for N = {board} came out as {computed}, which is impossible: {reason}")
        }),
    }
}

/// The result of comparing a computed count with the published one.
///
/// ```
/// use nqueens::{Board, Verdict};
///
/// let board = Board::new(8)?;
/// assert_eq!(Verdict::new(board, 92), Verdict::Matches);
/// assert_eq!(Verdict::new(board, 93), Verdict::Contradicts);
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Verdict {
    /// They are equal.
    Matches,
    /// They differ, so one of them is wrong.
    Contradicts,
    /// There is no published count.
    #[cfg_attr(feature = "serde", serde(rename = "not published"))]
    NotPublished,
    /// There is no published count, but the computed one cannot be right: it is not made of whole orbits, far from what
    /// is expected, or that of a [setup](crate::Setup) and larger than the count of the whole board.
    Impossible,
}

impl Verdict {
    /// Judges the number of all solutions of a board or setup.
    pub fn new(setup: impl Into<Setup>, computed: u128) -> Self {
        let setup = setup.into();
        match Self::compare(computed, total(setup.board()).filter(|_| setup.is_free())) {
            Verdict::NotPublished if contradiction(setup, computed).is_some() => Verdict::Impossible,
            verdict => verdict,
        }
    }

    /// Compares `computed` with `published`.
    pub fn compare(computed: u128, published: Option<u128>) -> Self {
        match published {
            None => Verdict::NotPublished,
            Some(count) if count == computed => Verdict::Matches,
            Some(_) => Verdict::Contradicts,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Matches => "matches",
            Verdict::Contradicts => "contradicts",
            Verdict::NotPublished => "not published",
            Verdict::Impossible => "impossible",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::symmetry::{FundamentalCount, Symmetry, count_invariant};

    /// The three tables were published separately. Burnside's lemma connects them.
    #[test]
    fn the_tables_agree_with_each_other() {
        for board in (1..=20).map(|size| Board::new(size).unwrap()) {
            let counted = FundamentalCount::from_total(board, total(board).unwrap(), &Cancel::new()).unwrap().unwrap();
            assert_eq!(Some(counted.fundamental), fundamental(board), "N = {board}");
        }
        for board in (1..=29).map(|size| Board::new(size).unwrap()) {
            let searched = count_invariant(board, Symmetry::QuarterTurn, &Cancel::new()).unwrap();
            assert_eq!(Some(searched), quarter_turn(board), "N = {board}");
        }
    }

    #[test]
    fn verdicts() {
        let board = Board::new(28).unwrap();
        for (total, verdict) in [
            (2_500_000_000_000_000_000, Verdict::NotPublished),
            (2_500_000_000_000_000_002, Verdict::Impossible),
            (346_320, Verdict::Impossible),
            (1_000_000_000_000_000_000_000_000_345_320, Verdict::Impossible),
            (0, Verdict::Impossible),
        ] {
            assert_eq!(Verdict::new(board, total), verdict, "{total}");
        }
        let whole = Setup::new(Board::new(8).unwrap());
        let part = whole.with_blocked(0, 0).unwrap();
        for (setup, total, verdict) in [
            (whole, 92, Verdict::Matches),
            (whole, 84, Verdict::Contradicts),
            (part, 84, Verdict::NotPublished),
            (part, 93, Verdict::Impossible),
        ] {
            assert_eq!(Verdict::new(setup, total), verdict, "{total}");
        }
    }

    #[test]
    fn no_published_total_is_impossible_and_other_sizes_are() {
        for (board, total) in (1..=27).map(|size| Board::new(size).unwrap()).zip(COUNTS.map(|[total, ..]| total)) {
            assert_eq!(impossible(board, total), None, "N = {board}");
            let is_near = (0.98..1.02).contains(&(total as f64 / expected(board)));
            assert!(is_near || board.size() < 18, "N = {board}: {}", expected(board));
            for wrong in [0, total / 64 * 4, 16 * total, total + 1].into_iter().filter(|_| board.size() > 3) {
                assert!(impossible(board, wrong).is_some(), "N = {board}: {wrong}");
            }
        }
    }
}
