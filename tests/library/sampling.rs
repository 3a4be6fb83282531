//! The arithmetic of the benchmark `units`.

#[path = "../../benches/units/sampling.rs"]
mod arithmetic;

use arithmetic::{at_equal_steps, busy_share};
use nqueens::estimate::Interval;
use nqueens::random::SplitMix64;

#[test]
fn indices_are_drawn_at_the_middles_of_equal_steps() {
    assert_eq!(at_equal_steps(&[1.0; 8], 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(at_equal_steps(&[1.0; 9], 3), [1, 4, 7]);
    assert_eq!(at_equal_steps(&[6.0, 1.0, 1.0], 4), [0, 0, 0, 2]);
    assert_eq!(at_equal_steps(&[1.0, 1.0, 6.0], 2), [2, 2]);
}

/// The times of the units deviate from their work, by their size and by chance. The estimate is still near, and its
/// interval holds the sum.
#[test]
fn a_sample_gives_the_sum_of_all() {
    let mut random = SplitMix64::new(7);
    let mut number = || f64::from(random.below(1 << 20)) / f64::from(1 << 20);
    let mut work: Vec<f64> = (0..5000).map(|_| 1.0 + 99.0 * number().powi(3)).collect();
    work.sort_by(|one, other| other.total_cmp(one));
    let times: Vec<f64> = work.iter().map(|work| work * (1.0 + 0.002 * work) * (0.7 + 0.6 * number())).collect();
    let (all, sum) = (work.iter().sum(), times.iter().sum::<f64>());
    for drawn in [8, 50, 500] {
        let ratios = at_equal_steps(&work, drawn).into_iter().map(|index| times[index] / work[index]).collect();
        let Interval { estimate, low, high } = Interval::estimate_sum([(all, ratios)]);
        assert!((low..=high).contains(&sum) && (estimate / sum - 1.0).abs() < 0.5 / (drawn as f64).sqrt(), "{drawn}");
    }
}

#[test]
fn threads_are_busy_until_the_last_units() {
    let close = |share: f64, expected: f64| assert!((share - expected).abs() < 1e-9, "{share}, not {expected}");
    close(busy_share(&[3.0, 2.0, 2.0], 0.0, 0.0, 1), 1.0);
    // One thread takes 3 s, and the other 2 s + 2 s.
    close(busy_share(&[3.0, 2.0, 2.0], 0.0, 0.0, 2), 7.0 / 8.0);
    close(busy_share(&[1.0; 4], 1.0, 4.0, 4), 9.0 / 12.0);
    close(busy_share(&[], 1.0, 0.0, 4), 0.25);
}
