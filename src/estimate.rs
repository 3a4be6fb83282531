//! The size of a tree, estimated from random paths down it.
//!
//! [`nodes`] is the method of D. E. Knuth, *Estimating the efficiency of backtrack programs*, Mathematics of
//! Computation 29 (1975): walk from the root to a leaf, choose each of the *d* children of a node with equal
//! probability, and multiply the *d* on the way. The expected value of the product at depth *k* is the number of nodes
//! at depth *k*.
//!
//! In a tree that narrows, few paths reach the lower depths, and their products vary widely. [`levels`] follows many
//! paths together: R. Vaisman and D. P. Kroese, *Stochastic enumeration method for counting trees*, Methodology and
//! Computing in Applied Probability 19 (2017). With one path it is Knuth's method.

/// A node of a tree.
pub trait Node: Copy {
    /// Returns the number of children.
    fn children(&self) -> u32;

    /// Returns the child with this index, from 0 to `children() - 1`.
    #[must_use]
    fn child(&self, index: u32) -> Self;
}

/// Estimates the number of nodes of a tree, the root included, as the mean of `probes` random paths. The estimate is
/// unbiased; its error is inversely proportional to the square root of the number of probes.
///
/// # Panics
/// If `probes` is 0.
pub fn nodes<N: Node>(root: N, probes: u32, random: &mut SplitMix64) -> f64 {
    assert!(probes > 0, "an estimate needs a probe");
    let mut sum = 0.0;
    for _ in 0..probes {
        let mut node = root;
        let mut product = 1.0;
        loop {
            sum += product;
            let children = node.children();
            if children == 0 {
                break;
            }
            product *= f64::from(children);
            node = node.child(random.below(children));
        }
    }
    sum / f64::from(probes)
}

/// Estimates the number of nodes at each depth of a tree, from 0 to the last depth reached, by one probe of `width`
/// paths: at each depth it examines all children of its nodes and keeps at most `width` of them.
///
/// The estimate is unbiased at every depth, where depths that are not reached count as 0. It is exact down to the first
/// depth with more than `width` nodes. The kept children are equally spaced from a random one on, so that each is kept
/// with the same probability and no part of the tree gets more than its share.
///
/// # Panics
/// If `width` is 0, or the nodes of one depth have more than `u32::MAX` children.
pub fn levels<N: Node>(root: N, width: u32, random: &mut SplitMix64) -> Vec<f64> {
    assert!(width > 0, "a probe needs a path");
    let mut nodes = vec![root];
    let mut each_stands_for = 1.0;
    let mut levels = vec![1.0];
    let mut next = Vec::new();
    loop {
        let children: u64 = nodes.iter().map(|node| u64::from(node.children())).sum();
        if children == 0 {
            return levels;
        }
        levels.push(each_stands_for * children as f64);
        let kept = children.min(u64::from(width));
        // Each child owns `kept` consecutive numbers of the range 0..children · kept. One number of every `children` is
        // drawn, at the same random offset, so a child is kept with probability kept / children.
        let bound = u32::try_from(children).expect("fewer than 2^32 children at one depth");
        let mut place = u64::from(random.below(bound));
        let mut before = 0;
        for node in &nodes {
            let end = before + u64::from(node.children());
            while place / kept < end {
                next.push(node.child((place / kept - before) as u32));
                place += children;
            }
            before = end;
        }
        each_stands_for *= children as f64 / kept as f64;
        std::mem::swap(&mut nodes, &mut next);
        next.clear();
    }
}

/// A point estimate with a 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The point estimate.
    pub estimate: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// Estimates the sum of nonnegative terms: each is a factor times the mean of independent samples. A single sample
    /// is taken for exact. The interval is that of Student's distribution, with the degrees of freedom of B. L. Welch,
    /// *The generalization of 'Student's' problem when several different population variances are involved*, Biometrika
    /// 34 (1947).
    ///
    /// # Panics
    /// If a term has no sample.
    pub fn of_sum(terms: impl IntoIterator<Item = (f64, Vec<f64>)>) -> Self {
        let (mut estimate, mut variance, mut by_freedom) = (0.0, 0.0, 0.0);
        for (factor, samples) in terms {
            assert!(!samples.is_empty(), "a mean needs a sample");
            let number = samples.len() as f64;
            let (mean, freedom) = (samples.iter().sum::<f64>() / number, (number - 1.0).max(1.0));
            let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
            let of_term = factor.powi(2) * squares / freedom / number;
            estimate += factor * mean;
            variance += of_term;
            by_freedom += of_term.powi(2) / freedom;
        }
        // 0 / 0 where nothing varies. A whole number may come out a little less.
        let freedom = (variance.powi(2) / by_freedom + 1e-9).max(1.0);
        let off = student(freedom as usize) * variance.sqrt();
        Self { estimate, low: (estimate - off).max(0.0), high: estimate + off }
    }

    /// Estimates the ratio of two such sums, that of the second numbers of pairs to that of the first. The interval is
    /// that of the differences from the ratio: about right if it is narrow.
    pub fn of_ratio(terms: &[(f64, Vec<(f64, f64)>)]) -> Self {
        let samples = |pairs: &[(f64, f64)], of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).collect();
        let sum = |of| Self::of_sum(terms.iter().map(|(factor, pairs)| (*factor, samples(pairs, of))));
        let first = sum(&|pair| pair.0).estimate;
        let ratio = sum(&|pair| pair.1).estimate / first;
        let differences = sum(&|pair| pair.1 - ratio * pair.0);
        let off = (differences.high - differences.estimate) / first;
        Self { estimate: ratio, low: (ratio - off).max(0.0), high: ratio + off }
    }
}

/// Returns the 97.5% quantile of Student's distribution with `freedom` degrees of freedom: from a table up to 4, beyond
/// by the series of E. A. Cornish and R. A. Fisher.
///
/// # Panics
/// If `freedom` is 0.
pub fn student(freedom: usize) -> f64 {
    const FIRST: [f64; 4] = [12.706, 4.303, 3.182, 2.776];
    const NORMAL: f64 = 1.959_964;
    if let Some(&quantile) = FIRST.get(freedom - 1) {
        return quantile;
    }
    let [z, z3, z5] = [1, 3, 5].map(|power| NORMAL.powi(power));
    let freedom = freedom as f64;
    z + (z3 + z) / (4.0 * freedom) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
}

/// A pseudorandom number generator, not for cryptography: `SplitMix64` of G. L. Steele, D. Lea and C. H. Flood, *Fast
/// splittable pseudorandom number generators* (2014). A seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Returns a random number from 0 to `bound` − 1. The probabilities differ by at most 2⁻³².
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no number below 0");
        ((u64::from(bound) * (self.next_u64() >> 32)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every node has as many children as it has levels left below it: 1 + 3 + 3·2 + 3·2·1 nodes from 3 levels.
    #[derive(Clone, Copy)]
    struct Regular(u32);

    impl Node for Regular {
        fn children(&self) -> u32 {
            self.0
        }

        fn child(&self, _index: u32) -> Self {
            Regular(self.0 - 1)
        }
    }

    /// The children of a node with n, numbered from 0, have as many as their numbers: 4, then 0 + 1 + 2 + 3, then 0 + 0
    /// + 1 + 0 + 1 + 2 nodes.
    #[derive(Clone, Copy)]
    struct Lopsided(u32);

    impl Node for Lopsided {
        fn children(&self) -> u32 {
            self.0
        }

        fn child(&self, index: u32) -> Self {
            Lopsided(index)
        }
    }

    #[test]
    fn a_probe_with_room_for_all_is_exact() {
        assert_eq!(levels(Regular(3), 6, &mut SplitMix64::new(1)), [1.0, 3.0, 6.0, 6.0]);
        assert_eq!(levels(Lopsided(4), 6, &mut SplitMix64::new(1))[..3], [1.0, 4.0, 6.0]);
    }

    /// One path is Knuth's method.
    #[test]
    fn every_level_is_estimated_without_bias() {
        for width in [1, 2, 3, 5, 7] {
            let probes = 100_000;
            let mut mean = [0.0; 4];
            for seed in 0..probes {
                let found = levels(Lopsided(4), width, &mut SplitMix64::new(seed));
                mean.iter_mut().zip(found).for_each(|(mean, nodes)| *mean += nodes / probes as f64);
            }
            for (nodes, expected) in mean.into_iter().zip([1.0, 4.0, 6.0, 4.0]) {
                assert!((nodes / expected - 1.0).abs() < 0.03, "width {width}: {mean:?}");
            }
        }
        let nodes = nodes(Lopsided(4), 200_000, &mut SplitMix64::new(1));
        assert!((nodes - 16.0).abs() < 0.16, "{nodes}");
    }

    #[test]
    fn an_interval_is_as_wide_as_its_samples_and_few_of_them_make_it() {
        let Interval { estimate, low, high } = Interval::of_sum([(1.0, vec![8.0, 12.0, 10.0, 10.0])]);
        // Their deviation is √(8/3), that of the mean half of it, and the quantile 3.182.
        assert!((estimate - 10.0).abs() < 1e-12 && (high - 12.598).abs() < 1e-3 && (low - 7.402).abs() < 1e-3);
        assert_eq!(Interval::of_sum([(1.0, vec![0.0, 1.0])]).low.to_bits(), 0.0_f64.to_bits(), "no number is negative");
        for (freedom, quantile) in [(1, 12.706), (4, 2.776), (5, 2.571), (10, 2.228), (1000, 1.962)] {
            assert!((student(freedom) - quantile).abs() < 0.03, "{freedom}: {}", student(freedom));
        }
    }

    /// 3 · 10 ± t · 3 · √(8/3 / 4), and an exact 5. Two terms have the degrees of freedom of Welch.
    #[test]
    fn a_sum_of_terms_is_as_uncertain_as_they_are_together() {
        let samples = vec![8.0, 12.0, 10.0, 10.0];
        let Interval { estimate, high, .. } = Interval::of_sum([(3.0, samples.clone()), (1.0, vec![5.0])]);
        assert!((estimate - 35.0).abs() < 1e-12 && (high - 35.0 - 3.0 * 2.598).abs() < 3e-3, "{high}");
        // Equal variances of 2/3 and 3 degrees of freedom each: 6 together.
        let Interval { estimate, high, .. } = Interval::of_sum([(1.0, samples.clone()), (1.0, samples)]);
        assert!(
            (estimate - 20.0).abs() < 1e-12 && (high - 20.0 - 2.447 * (4.0_f64 / 3.0).sqrt()).abs() < 0.02,
            "{high}"
        );
        let exact = Interval::of_sum([(2.0, vec![3.0])]);
        assert!((exact.high - 6.0).abs() < 1e-12 && (exact.low - 6.0).abs() < 1e-12);
    }

    /// Strata with very different ratios and factors: the interval of the ratio of the sums holds the true one in about
    /// 95 of 100 cases.
    #[test]
    fn a_ratio_is_that_of_the_sums_and_its_interval_holds_it_in_19_of_20_cases() {
        let exact = Interval::of_ratio(&[(2.0, vec![(3.0, 6.0), (5.0, 10.0)]), (1.0, vec![(2.0, 4.0)])]);
        assert!((exact.estimate - 2.0).abs() < 1e-12 && exact.high - exact.low < 1e-9, "{exact:?}");
        let mut random = SplitMix64::new(33);
        let mut number = || f64::from(random.below(1000)) / 1000.0;
        let held = (0..2000).filter(|_| {
            let mut stratum = |mean: f64, ratio: f64| -> Vec<(f64, f64)> {
                let pair = |_| {
                    let first = mean * (0.8 + 0.4 * number());
                    (first, first * ratio * (0.95 + 0.1 * number()))
                };
                (0..8).map(pair).collect()
            };
            let ratio = Interval::of_ratio(&[(5.0, stratum(1.0, 0.5)), (1.0, stratum(3.0, 1.5))]);
            let truth = (5.0 * 0.5 + 3.0 * 1.5) / (5.0 + 3.0);
            (ratio.low..=ratio.high).contains(&truth)
        });
        let held = held.count();
        assert!((1840..=1960).contains(&held), "{held} of 2000");
    }

    /// The first outputs for seed 1234567, as given with the reference implementation.
    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn random_numbers_stay_below_their_bound_and_reach_it() {
        let mut random = SplitMix64::new(7);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[random.below(5) as usize] = true;
        }
        assert_eq!(seen, [true; 5]);
    }
}
