//! The fourth step: **one representative of each orbit** is counted, with the size of the orbit as its weight.
//!
//! A symmetry of the board takes solutions to solutions, and so the *tuple* (Re, Ro, Ce, Co) to a tuple with as many.
//! The tuples that the eight symmetries make of one are its *orbit*: 8, or fewer if a symmetry takes it to itself. The
//! least tuple of an orbit is its *representative*. Its product w · b times its *weight*, the number of tuples in the
//! orbit, is what the whole orbit contributes.
//!
//! Most other tuples are left out before any placement is made. On an even board some symmetry puts Ro, Ce or Co in the
//! place of Re. If one of them is less than Re there, the tuple is no representative. On an odd board this holds for
//! Ce, and some symmetries turn the columns or the rows round. About an eighth of all tuples remain.
//!
//! The gain is less than eight times, because the search still passes through placements whose rows or columns are not
//! counted, and the tables are made for each Re.

use super::bits::join;
use super::halves::{Choice, Sets, all, lines, sets};
use std::cmp::Ordering;

/// The sets Re, Ro, Ce and Co of the white queens.
type Tuple = [u32; 4];
const RE: usize = 0;
const RO: usize = 1;
const CE: usize = 2;
const CO: usize = 3;

/// Returns the number of solutions of a board with `size` rows.
pub(crate) fn count(size: usize) -> u64 {
    let board = Board { even: lines(size, 0), odd: lines(size, 1) };
    // The mirror image of an even board exchanges the colours. So the tuples with few queens on EE stand for all.
    let most = if board.is_even() { board.even / 2 } else { board.even };
    let mut solutions = 0;
    for queens in board.even - board.odd..=most {
        for re in sets(board.even, queens).into_iter().filter(|&re| board.compare(RE, re, re).is_ge()) {
            let kept = |position, lines, queens| {
                let sets = sets(lines, queens).into_iter();
                Sets::new(lines, sets.filter(|&set| board.compare(position, set, re).is_ge()).collect())
            };
            let odd_queens = queens - (board.even - board.odd);
            let ro = kept(RO, board.odd, odd_queens);
            let (ce, co) = (kept(CE, board.even, queens), kept(CO, board.odd, odd_queens));
            solutions += board.solutions(&Choice { size, re, ro, ce, co });
        }
    }
    solutions
}

/// The numbers of even and of odd rows.
struct Board {
    even: usize,
    odd: usize,
}

impl Board {
    fn is_even(&self) -> bool {
        self.even == self.odd
    }

    /// Returns the sum of weight · w · b over the tuples of a choice that are representatives.
    fn solutions(&self, choice: &Choice) -> u64 {
        let ties = |position, sets: &Sets| -> Vec<bool> {
            sets.list.iter().map(|&set| self.compare(position, set, choice.re).is_eq()).collect()
        };
        let (ro, ce, co) = (ties(RO, &choice.ro), ties(CE, &choice.ce), ties(CO, &choice.co));
        let re_ties = self.compare(RE, choice.re, choice.re).is_eq();
        choice.solutions(join, |r, e, o| {
            // Without a tie, all other images are greater. There are as many as symmetries.
            if re_ties || ro[r] || ce[e] || co[o] {
                self.weight([choice.re, choice.ro.list[r], choice.ce.list[e], choice.co.list[o]])
            } else {
                8
            }
        })
    }

    /// Returns the number of tuples in the orbit of a tuple if this is the representative, else 0.
    fn weight(&self, tuple: Tuple) -> u64 {
        let mut images = [tuple; 8];
        for number in 1..8 {
            let [re, ro, ce, co] = images[number - 1];
            // By turns the mirror image and the transpose: these are all symmetries, one after another.
            images[number] = if number % 2 == 0 { [ce, co, re, ro] } else { self.mirrored([re, ro, ce, co]) };
        }
        // Fewer queens come first: those with many are not counted.
        let order = |tuple: Tuple| (tuple[RE].count_ones(), tuple);
        if images.iter().any(|&image| order(image) < order(tuple)) {
            return 0;
        }
        8 / images.iter().filter(|&&image| image == tuple).count() as u64
    }

    /// Returns the tuple after column j has become column N − 1 − j. On an even board, the new white queens are the
    /// black queens of before, and even columns become odd.
    fn mirrored(&self, [re, ro, ce, co]: Tuple) -> Tuple {
        if self.is_even() {
            let [re, ro, ce, co] = [re, ro, ce, co].map(|set| all(self.even) ^ set);
            return [re, ro, reversed(co, self.odd), reversed(ce, self.even)];
        }
        [re, ro, reversed(ce, self.even), reversed(co, self.odd)]
    }

    /// Says how the images of a tuple compare with it, as far as the set at one position decides: `Less` if the tuple
    /// is no representative because of this set, and `Equal` if there may be another image with the same Re.
    fn compare(&self, position: usize, set: u32, re: u32) -> Ordering {
        if self.is_even() {
            // The set in the place of Re, and its complement there, unless that is of another size.
            let image = if position == RO || position == CO { reversed(set, self.odd) } else { set };
            let other = all(self.even) ^ image;
            let other = if other.count_ones() == re.count_ones() { other.cmp(&re) } else { Ordering::Greater };
            return if position == RE { other } else { image.cmp(&re).min(other) };
        }
        match position {
            RE => reversed(re, self.even).cmp(&re),
            CE => set.cmp(&re).min(reversed(set, self.even).cmp(&set)),
            _ => Ordering::Greater,
        }
    }
}

/// Returns a set of lines as it is seen from the other side of the board.
fn reversed(set: u32, lines: usize) -> u32 {
    (0..lines).filter(|line| set >> line & 1 == 1).map(|line| 1 << (lines - 1 - line)).sum()
}
