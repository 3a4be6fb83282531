//! The choice of units at random, and what it shows that all of them agree. `docs/ledger.md` derives the formula.

use crate::estimate::SplitMix64;

/// Units in random order: each next one is drawn from those that are left, with a probability in proportion to its
/// weight. It yields their indices.
///
/// All numbers are whole, so a seed gives the same order on every machine.
#[derive(Debug)]
pub(crate) struct RandomOrder {
    weights: Vec<u64>,
    /// The sums of a Fenwick tree (P. M. Fenwick, *A new data structure for cumulative frequency tables*, Software:
    /// Practice and Experience 24, 1994): number i is the sum of the weights i − 2ᵏ to i − 1, for the largest 2ᵏ that
    /// divides i. A weight that has been drawn counts as 0.
    sums: Vec<u64>,
    /// The sum of the weights that have not been drawn.
    left: u64,
    random: SplitMix64,
}

impl RandomOrder {
    /// Creates an order of units with these weights, whose sum must be below 2⁶⁴.
    pub(crate) fn new(weights: Vec<u64>, seed: u64) -> Self {
        let mut sums = [&[0], &*weights].concat();
        for index in 1..sums.len() {
            let next = index + lowest_bit(index);
            if next < sums.len() {
                sums[next] += sums[index];
            }
        }
        Self { left: weights.iter().sum(), sums, weights, random: SplitMix64::new(seed) }
    }

    /// Returns the index of the unit that owns a number, where the units that are left own as many consecutive numbers
    /// from 0 on as their weights say.
    fn owner(&self, mut number: u64) -> usize {
        let mut before = 0;
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            if let Some(&sum) = self.sums.get(before + step).filter(|&&sum| sum <= number) {
                before += step;
                number -= sum;
            }
            step /= 2;
        }
        before
    }
}

impl Iterator for RandomOrder {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        // The probabilities of the numbers below `left` differ by at most 2⁻⁶⁴.
        let number = (u128::from(self.left) * u128::from(self.random.next_u64())) >> 64;
        let drawn = self.owner(number as u64);
        let weight = self.weights[drawn];
        self.left -= weight;
        let mut index = drawn + 1;
        while let Some(sum) = self.sums.get_mut(index) {
            *sum -= weight;
            index += lowest_bit(index);
        }
        Some(drawn)
    }
}

/// Returns the largest power of two that divides a positive number.
fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}

/// Returns the probability that the first `drawn` units of a [`RandomOrder`] are all right although units with at least
/// one part in `one_in` of the weight are wrong. It is exact if all weights are equal, else an upper bound.
///
/// Let *W* be the sum of all weights, *B* that of the wrong units, and *S* that of the units drawn so far. If these are
/// all right, the next one is right with probability 1 − *B*/(*W* − *S*). That is largest where *S* is smallest: if the
/// lightest units have been drawn.
pub(crate) fn all_right(weights: &[u64], drawn: usize, one_in: u64) -> f64 {
    let mut lightest_first = weights.to_vec();
    lightest_first.sort_unstable();
    let mut left: u64 = weights.iter().sum();
    let wrong = left.div_ceil(one_in);
    let mut probability = 1.0;
    for weight in lightest_first.into_iter().take(drawn) {
        probability *= left.saturating_sub(wrong) as f64 / left as f64;
        left -= weight;
    }
    probability
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the probability that the first `drawn` units of an order miss all of `wrong`, from every order.
    fn missed(weights: &[u64], wrong: &[bool], drawn: usize) -> f64 {
        let left: u64 = weights.iter().sum();
        if drawn == 0 || left == 0 {
            return 1.0;
        }
        let first = |index: usize| {
            let mut others = weights.to_vec();
            others[index] = 0;
            weights[index] as f64 / left as f64 * missed(&others, wrong, drawn - 1)
        };
        (0..weights.len()).filter(|&index| weights[index] > 0 && !wrong[index]).map(first).sum()
    }

    /// Returns the share of seeds for which the first `drawn` units miss all of `wrong`.
    fn frequency(weights: &[u64], wrong: &[bool], drawn: usize, seeds: std::ops::Range<u64>) -> f64 {
        let all = (seeds.end - seeds.start) as f64;
        let misses = |seed: &u64| !RandomOrder::new(weights.to_vec(), *seed).take(drawn).any(|index| wrong[index]);
        seeds.filter(misses).count() as f64 / all
    }

    /// Returns the number of ways to choose `chosen` of `all`.
    fn choose(all: u64, chosen: u64) -> f64 {
        (0..chosen).map(|index| (all - index) as f64 / (chosen - index) as f64).product()
    }

    #[test]
    fn equal_units_are_missed_as_often_as_the_hypergeometric_distribution_says() {
        for (units, drawn) in [(1, 1), (20, 3), (21, 3), (141, 30), (3783, 40)] {
            let wrong = u64::div_ceil(units, 20);
            let expected = choose(units - wrong, drawn) / choose(units, drawn);
            let found = all_right(&vec![7; units as usize], drawn as usize, 20);
            let of_ones = all_right(&vec![1; units as usize], drawn as usize, 20);
            assert!((of_ones - expected).abs() < 1e-12, "{drawn} of {units}: {of_ones}, {expected}");
            assert!(found >= of_ones - 1e-12, "a share of the weight may be less than whole units");
        }
        assert!((all_right(&vec![1; 3783], 40, 20) - 0.125_911_594).abs() < 1e-9);
    }

    #[test]
    fn whoever_draws_all_that_is_right_cannot_miss_what_is_wrong() {
        assert!(all_right(&[1; 40], 39, 20) <= 0.0);
        assert!(all_right(&[1; 40], 38, 20) > 0.0);
        assert!((all_right(&[1; 40], 0, 20) - 1.0).abs() < 1e-12);
    }

    /// One wrong unit of 141, as many as N = 18 has: 30 units find it in 30 of 141 cases.
    #[test]
    fn a_wrong_unit_is_found_as_often_as_probability_says() {
        let mut wrong = vec![false; 141];
        wrong[57] = true;
        let missed = frequency(&[1; 141], &wrong, 30, 0..20_000);
        assert!((missed - 111.0 / 141.0).abs() < 0.01, "{missed}");
    }

    #[test]
    fn a_seed_gives_the_same_order_everywhere() {
        let order = |weights: &[u64], seed| RandomOrder::new(weights.to_vec(), seed).collect::<Vec<_>>();
        assert_eq!(order(&[1; 8], 1), order(&[1 << 60; 8], 1));
        assert_eq!(order(&[1; 8], 1), [4, 6, 7, 2, 1, 5, 3, 0]);
        assert_eq!(order(&[1, 10, 100, 1000, 10_000], 2), [4, 3, 2, 1, 0]);
        assert!(order(&[], 1).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn every_unit_comes_once(weights in prop::collection::vec(1_u64..1 << 50, 0..200), seed: u64) {
            let mut order: Vec<usize> = RandomOrder::new(weights.clone(), seed).collect();
            order.sort_unstable();
            prop_assert_eq!(order, (0..weights.len()).collect::<Vec<_>>());
        }

        /// The owner of a number is found in the tree as by adding up weights.
        #[test]
        fn every_number_has_its_owner(weights in prop::collection::vec(1_u64..5, 1..40), drawn in 0_usize..40) {
            let mut order = RandomOrder::new(weights.clone(), 1);
            let gone: Vec<usize> = order.by_ref().take(drawn).collect();
            let left = (0..weights.len()).filter(|index| !gone.contains(index));
            let owners: Vec<usize> = left.flat_map(|index| vec![index; weights[index] as usize]).collect();
            prop_assert_eq!(order.left, owners.len() as u64);
            for (number, owner) in owners.into_iter().enumerate() {
                prop_assert_eq!(order.owner(number as u64), owner);
            }
        }

        /// Few units of any weights, some of them wrong: over many seeds they are missed as often as the sum over all
        /// orders says, and no more often than the bound.
        #[test]
        fn units_are_drawn_in_proportion_to_their_weights(
            units in prop::collection::vec((1_u64..20, any::<bool>()), 1..7),
            drawn in 0_usize..4,
        ) {
            let (weights, wrong): (Vec<u64>, Vec<bool>) = units.into_iter().unzip();
            let expected = missed(&weights, &wrong, drawn);
            let found = frequency(&weights, &wrong, drawn, 0..4000);
            // Five standard deviations, and some more for what is rare. A certain event can be rounded to above 1.
            let deviation = (expected * (1.0 - expected).max(0.0) / 4000.0).sqrt();
            prop_assert!((found - expected).abs() <= 5.0 * deviation + 0.0015, "{found}, {expected}");
            let all: u64 = weights.iter().sum();
            let bad: u64 = weights.iter().zip(&wrong).map(|(weight, wrong)| weight * u64::from(*wrong)).sum();
            if bad > 0 {
                // The largest part of which there is no more than this.
                let bound = all_right(&weights, drawn, all.div_ceil(bad));
                prop_assert!(expected <= bound + 1e-9, "{expected}, {bound}");
            }
        }
    }
}
