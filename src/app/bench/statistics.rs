//! Statistics of times: median and quantiles.

/// Returns the median: the middle value, or the mean of the middle two.
///
/// # Panics
/// If `values` is empty.
pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(&sorted(values), 0.5)
}

/// Returns the values in ascending order.
pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns the value below which `share` of the values lie, interpolated linearly between its neighbours.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn quantiles_lie_between_the_values() {
        let times = sorted(&[3.0, 1.0, 2.0, 100.0, 4.0]);
        for (share, value) in [(0.0, 1.0), (0.25, 2.0), (0.5, 3.0), (0.75, 4.0), (1.0, 100.0)] {
            assert!(close(quantile(&times, share), value), "{share}");
        }
        assert!(close(median(&[2.0, 1.0]), 1.5) && close(quantile(&[1.0, 2.0], 0.75), 1.75));
        assert!(close(median(&[2.5]), 2.5));
    }
}
