//! The size of a tree, estimated from random paths down it.
//!
//! D. E. Knuth, *Estimating the efficiency of backtrack programs*, Mathematics of Computation 29 (1975): walk from the
//! root to a leaf, choosing among the *d* children of each node with equal chances, and multiply the *d* met. The product
//! at depth *k* is on average the number of nodes at depth *k*, so the sum of the products is on average the number of
//! all nodes.
//!
//! Few paths reach the lower depths of a tree that narrows, and what one of them says there varies wildly. [`levels`] sends
//! many down together, each choosing where it can go on: R. Vaisman and D. P. Kroese, *Stochastic enumeration method for
//! counting trees*, Methodology and Computing in Applied Probability 19 (2017). One path is Knuth's method.

/// A node of a tree that can be walked down.
pub trait Node: Copy {
    /// The number of its children.
    fn children(&self) -> u32;

    /// The child with this index, from 0 to `children() - 1`.
    #[must_use]
    fn child(&self, index: u32) -> Self;
}

/// The number of nodes in the tree below and including `root`, estimated from the mean of `probes` random paths (at
/// least 1). Unbiased; the error falls with the square root of the number of probes.
pub fn nodes<N: Node>(root: N, probes: u32, random: &mut SplitMix64) -> f64 {
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

/// The number of nodes at each depth of the tree below `root`, from 0 to the last that is reached, estimated by one probe:
/// at each depth it looks at all children of the nodes it has, and keeps `width` of them (at least 1) to go on with.
///
/// Unbiased at every depth, one that is not reached being 0, and exact down to the last before more than `width` nodes are
/// met. The children kept are equally spaced, from a random one on: each is kept with the same chance, which is all that it
/// takes, and no part of the tree gets more than its share of them.
pub fn levels<N: Node>(root: N, width: u32, random: &mut SplitMix64) -> Vec<f64> {
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
        let kept = children.min(u64::from(width.max(1)));
        // The numbers below children · kept are cut into pieces of length `children`, one for each child kept; in every
        // piece the same place is taken, so that one of `kept` numbers in a row, a child's own, is taken with chance kept /
        // children.
        let mut place = u64::from(random.below(children as u32));
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

/// A number that is only known about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The number as far as it is known.
    pub estimate: f64,
    /// It is hardly less.
    pub low: f64,
    /// It is hardly more.
    pub high: f64,
}

impl Interval {
    /// The mean of a number that is not negative, from independent samples (at least 2), with its 95% confidence interval
    /// by Student's distribution.
    pub fn of_mean(samples: &[f64]) -> Self {
        let number = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / number;
        let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / (number - 1.0);
        let off = student(samples.len() - 1) * (variance / number).sqrt();
        Self { estimate: mean, low: (mean - off).max(0.0), high: mean + off }
    }
}

/// The 97.5% quantile of Student's distribution with this many degrees of freedom (at least 1): from 5 on by the series of
/// E. A. Cornish and R. A. Fisher.
pub(crate) fn student(freedom: usize) -> f64 {
    const FIRST: [f64; 4] = [12.706, 4.303, 3.182, 2.776];
    const NORMAL: f64 = 1.959_964;
    if let Some(&quantile) = FIRST.get(freedom - 1) {
        return quantile;
    }
    let [z, z3, z5] = [1, 3, 5].map(|power| NORMAL.powi(power));
    let freedom = freedom as f64;
    z + (z3 + z) / (4.0 * freedom) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
}

/// A small generator of random numbers, the same on every machine (G. L. Steele, D. Lea and C. H. Flood, *Fast splittable
/// pseudorandom number generators*, 2014).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A random number from 0 to `bound` − 1, each with the same chance to within 2⁻³².
    pub fn below(&mut self, bound: u32) -> u32 {
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

    /// Child 0 of a node is a leaf, child 1 is like the node itself with a level less: 2·levels + 1 nodes.
    #[derive(Clone, Copy)]
    struct Comb(u32);

    impl Node for Comb {
        fn children(&self) -> u32 {
            if self.0 == 0 { 0 } else { 2 }
        }

        fn child(&self, index: u32) -> Self {
            Comb(if index == 0 { 0 } else { self.0 - 1 })
        }
    }

    /// The children of a node with n, numbered from 0, have as many as their numbers: 4, then 0 + 1 + 2 + 3, then 0 + 0 + 1
    /// + 0 + 1 + 2 nodes.
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
    fn a_regular_tree_is_known_from_one_path() {
        let nodes = nodes(Regular(3), 1, &mut SplitMix64::new(1));
        assert!((nodes - 16.0).abs() < 1e-12, "{nodes}");
    }

    fn mean_levels(width: u32, probes: u64) -> Vec<f64> {
        let mut mean = vec![0.0; 7];
        for seed in 0..probes {
            for (mean, nodes) in mean.iter_mut().zip(levels(Comb(6), width, &mut SplitMix64::new(seed))) {
                *mean += nodes / probes as f64;
            }
        }
        mean
    }

    #[test]
    fn a_probe_with_room_for_all_is_exact() {
        assert_eq!(levels(Regular(3), 6, &mut SplitMix64::new(1)), [1.0, 3.0, 6.0, 6.0]);
        assert_eq!(mean_levels(2, 1), [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    }

    /// One path is Knuth's method.
    #[test]
    fn every_level_is_estimated_without_bias() {
        for (depth, nodes) in mean_levels(1, 100_000).into_iter().enumerate() {
            let expected = if depth == 0 { 1.0 } else { 2.0 };
            assert!((nodes - expected).abs() < 0.15, "depth {depth}: {nodes}");
        }
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
    }

    #[test]
    fn an_interval_is_as_wide_as_its_samples_and_few_of_them_make_it() {
        let Interval { estimate, low, high } = Interval::of_mean(&[8.0, 12.0, 10.0, 10.0]);
        // Their deviation is √(8/3), that of the mean half of it, and the quantile 3.182.
        assert!((estimate - 10.0).abs() < 1e-12 && (high - 12.598).abs() < 1e-3 && (low - 7.402).abs() < 1e-3);
        assert_eq!(Interval::of_mean(&[0.0, 1.0]).low.to_bits(), 0.0_f64.to_bits(), "no number is negative");
        for (freedom, quantile) in [(1, 12.706), (4, 2.776), (5, 2.571), (10, 2.228), (1000, 1.962)] {
            assert!((student(freedom) - quantile).abs() < 0.03, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn the_estimate_of_an_irregular_tree_is_unbiased() {
        let nodes = nodes(Comb(6), 200_000, &mut SplitMix64::new(1));
        assert!((nodes - 13.0).abs() < 0.13, "{nodes}");
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
