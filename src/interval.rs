//! Means of samples, and how uncertain they are.

/// A point estimate with a 95% confidence interval.
///
/// ```
/// use nqueens::estimate::Interval;
///
/// let Interval { estimate, low, high } = Interval::estimate_sum([(10.0, vec![1.0, 2.0, 3.0])]);
/// assert!(estimate == 20.0 && low < estimate && estimate < high);
/// ```
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
    pub fn estimate_sum(terms: impl IntoIterator<Item = (f64, Vec<f64>)>) -> Self {
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

    /// Estimates the ratio of the mean of the second numbers of pairs to that of the first. The interval is that of the
    /// differences from the ratio: about right if it is narrow.
    pub(crate) fn estimate_ratio(pairs: &[(f64, f64)]) -> Self {
        let (first, second) = pairs.iter().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
        let (ratio, mean) = (second / first, first / pairs.len() as f64);
        let differences = pairs.iter().map(|pair| pair.1 - ratio * pair.0).collect();
        let Self { estimate, high, .. } = Self::estimate_sum([(1.0, differences)]);
        let off = (high - estimate) / mean;
        Self { estimate: ratio, low: (ratio - off).max(0.0), high: ratio + off }
    }
}

/// Returns the 97.5% quantile of Student's distribution with `freedom` degrees of freedom: from a table up to 4, beyond
/// by the series of E. A. Cornish and R. A. Fisher.
///
/// # Panics
/// If `freedom` is 0.
fn student(freedom: usize) -> f64 {
    const FIRST: [f64; 4] = [12.706, 4.303, 3.182, 2.776];
    const NORMAL: f64 = 1.959_964;
    if let Some(&quantile) = FIRST.get(freedom - 1) {
        return quantile;
    }
    let [z, z3, z5] = [1, 3, 5].map(|power| NORMAL.powi(power));
    let freedom = freedom as f64;
    z + (z3 + z) / (4.0 * freedom) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn an_interval_is_as_wide_as_its_samples_and_few_of_them_make_it() {
        let Interval { estimate, low, high } = Interval::estimate_sum([(1.0, vec![8.0, 12.0, 10.0, 10.0])]);
        // Their deviation is √(8/3), that of the mean half of it, and the quantile 3.182.
        assert!((estimate - 10.0).abs() < 1e-12 && (high - 12.598).abs() < 1e-3 && (low - 7.402).abs() < 1e-3);
        assert_eq!(
            Interval::estimate_sum([(1.0, vec![0.0, 1.0])]).low.to_bits(),
            0.0_f64.to_bits(),
            "no number is negative"
        );
        for (freedom, quantile) in [(1, 12.706), (4, 2.776), (5, 2.571), (10, 2.228), (1000, 1.962)] {
            assert!((student(freedom) - quantile).abs() < 0.03, "{freedom}: {}", student(freedom));
        }
    }

    /// 3 · 10 ± t · 3 · √(8/3 / 4), and an exact 5. Two terms have the degrees of freedom of Welch.
    #[test]
    fn a_sum_of_terms_is_as_uncertain_as_they_are_together() {
        let samples = vec![8.0, 12.0, 10.0, 10.0];
        let Interval { estimate, high, .. } = Interval::estimate_sum([(3.0, samples.clone()), (1.0, vec![5.0])]);
        assert!((estimate - 35.0).abs() < 1e-12 && (high - 35.0 - 3.0 * 2.598).abs() < 3e-3, "{high}");
        // Both variances are 2/3 with 3 degrees of freedom, so together they have 6.
        let Interval { estimate, high, .. } = Interval::estimate_sum([(1.0, samples.clone()), (1.0, samples)]);
        assert!(
            (estimate - 20.0).abs() < 1e-12 && (high - 20.0 - 2.447 * (4.0_f64 / 3.0).sqrt()).abs() < 0.02,
            "{high}"
        );
        let exact = Interval::estimate_sum([(2.0, vec![3.0])]);
        assert!((exact.high - 6.0).abs() < 1e-12 && (exact.low - 6.0).abs() < 1e-12);
    }

    /// Strata with very different ratios and factors: the interval of the ratio of the sums holds the true one in about
    /// 95 of 100 cases.
    #[test]
    fn a_ratio_is_that_of_the_sums_and_its_interval_holds_it_in_19_of_20_cases() {
        let exact = Interval::estimate_ratio(&[(3.0, 6.0), (5.0, 10.0), (2.0, 4.0)]);
        assert!((exact.estimate - 2.0).abs() < 1e-12 && exact.high - exact.low < 1e-9, "{exact:?}");
        let mut random = SplitMix64::new(33);
        let mut number = || f64::from(random.below(1000)) / 1000.0;
        let held = (0..2000).filter(|_| {
            let pair = |_| {
                let first = 0.8 + 0.4 * number();
                (first, first * (0.475 + 0.05 * number()))
            };
            let ratio = Interval::estimate_ratio(&(0..8).map(pair).collect::<Vec<_>>());
            (ratio.low..=ratio.high).contains(&0.5)
        });
        let held = held.count();
        assert!((1840..=1960).contains(&held), "{held} of 2000");
    }
}
