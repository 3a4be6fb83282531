//! The size of a tree, estimated from random paths down it.
//!
//! D. E. Knuth, *Estimating the efficiency of backtrack programs*, Mathematics of Computation 29 (1975): walk from the
//! root to a leaf, choosing among the *d* children of each node with equal chances, and multiply the *d* met. The product
//! at depth *k* is on average the number of nodes at depth *k*, so the sum of the products is on average the number of
//! all nodes.

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

    #[test]
    fn a_regular_tree_is_known_from_one_path() {
        let nodes = nodes(Regular(3), 1, &mut SplitMix64::new(1));
        assert!((nodes - 16.0).abs() < 1e-12, "{nodes}");
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
