//! The random choice of units, and what follows if all chosen units agree. `docs/ledger.md` derives the formula.

use crate::random::SplitMix64;

/// Returns units in random order. A seed gives the same order on every machine.
pub(super) fn shuffled(mut units: Vec<usize>, seed: u64) -> Vec<usize> {
    let mut random = SplitMix64::new(seed);
    // Each unit is drawn from the units not drawn yet.
    for drawn in 0..units.len() {
        let left = u32::try_from(units.len() - drawn).expect("a plan has fewer than 2³² units");
        units.swap(drawn, drawn + random.below(left) as usize);
    }
    units
}

/// Returns the probability that the first `drawn` of `units` units in random order are all right although one in
/// `one_in` is wrong.
///
/// Let *M* be the number of units and *B* the number of wrong units. If *i* units have been drawn and are all right,
/// the next one is right with probability 1 − *B*/(*M* − *i*).
pub(super) fn all_right(units: usize, drawn: usize, one_in: usize) -> f64 {
    let wrong = units.div_ceil(one_in.max(1)) as f64;
    (0..drawn.min(units)).map(|before| (1.0 - wrong / (units - before) as f64).max(0.0)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of ways to choose `chosen` of `all`.
    fn choose(all: usize, chosen: usize) -> f64 {
        (0..chosen).map(|index| (all - index) as f64 / (chosen - index) as f64).product()
    }

    #[test]
    fn units_are_missed_as_often_as_the_hypergeometric_distribution_says() {
        for (units, drawn) in [(1_usize, 1), (20, 3), (21, 3), (141, 30), (3783, 40)] {
            let wrong = units.div_ceil(20);
            let expected = choose(units - wrong, drawn) / choose(units, drawn);
            let found = all_right(units, drawn, 20);
            assert!((found - expected).abs() < 1e-12, "{drawn} of {units}: {found}, {expected}");
        }
        assert!((all_right(3783, 40, 20) - 0.125_911_594).abs() < 1e-9);
    }

    #[test]
    fn whoever_draws_all_that_is_right_cannot_miss_what_is_wrong() {
        assert!(all_right(40, 39, 20) <= 0.0);
        assert!(all_right(40, 38, 20) > 0.0);
        assert!((all_right(40, 0, 20) - 1.0).abs() < 1e-12);
        assert!([all_right(40, 41, 20), all_right(40, 1, 0)].iter().all(|chance| *chance <= 0.0), "no panic");
    }

    #[test]
    fn a_seed_gives_the_same_order_everywhere() {
        assert_eq!(shuffled((0..8).collect(), 1), [4, 6, 7, 5, 3, 2, 0, 1]);
        assert!(shuffled(Vec::new(), 1).is_empty());
    }
}
