//! Statistics of times: median, spread, and the serial fraction of Amdahl's law.

/// Returns the median: the middle value, or the mean of the middle two.
///
/// # Panics
/// If `values` is empty.
pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(&sorted(values), 0.5)
}

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

/// Returns the serial fraction *s* of Amdahl's law, T(p) = T(1)·(s + (1 − s)/p), that fits pairs of a number of threads
/// and a time in seconds best; `None` if there are fewer than two numbers of threads.
///
/// The law is a line over 1/p (G. M. Amdahl, AFIPS 1967). This line is fitted by least squares of the *relative*
/// errors, since noise grows with the time. For 1 thread and one other number of threads the result is the metric of A.
/// H. Karp and H. P. Flatt (*Measuring parallel processor performance*, CACM 33(5), 1990). The fraction is negative if
/// the speed-up exceeds the number of threads.
pub(crate) fn serial_fraction(times: &[(usize, f64)]) -> Option<f64> {
    if times.iter().all(|(threads, _)| *threads == times[0].0) {
        return None;
    }
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(threads, seconds) in times {
        let (weight, inverse) = ((seconds * seconds).recip(), (threads as f64).recip());
        w += weight;
        x += weight * inverse;
        y += weight * seconds;
        xx += weight * inverse * inverse;
        xy += weight * inverse * seconds;
    }
    // This is the solution of the two normal equations times their determinant, which cancels in the quotient.
    let (serial, parallel) = (y * xx - x * xy, w * xy - x * y);
    Some(serial / (serial + parallel))
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

    #[test]
    fn the_serial_fraction_of_made_up_times_is_what_they_were_made_with() {
        for serial in [0.0, 0.03, 0.5, 1.0, -0.02] {
            let time = |threads: usize| (threads, 7.0 * (serial + (1.0 - serial) / threads as f64));
            for threads in [vec![1, 2], vec![1, 2, 4, 8], vec![2, 3, 64]] {
                let times: Vec<_> = threads.into_iter().map(time).collect();
                let fitted = serial_fraction(&times).unwrap();
                assert!(close(fitted, serial), "{times:?}: {fitted}, not {serial}");
            }
        }
    }

    /// The line T = (80 + 160/p) / 17 has the least sum of squared relative errors; another line has the least sum of
    /// squared absolute errors.
    #[test]
    fn long_times_have_no_more_weight_than_short_ones() {
        assert!(close(serial_fraction(&[(1, 16.0), (2, 8.0), (4, 8.0)]).unwrap(), 1.0 / 3.0));
    }

    #[test]
    fn one_number_of_threads_says_nothing_of_the_serial_fraction() {
        assert_eq!(serial_fraction(&[]), None);
        assert_eq!(serial_fraction(&[(4, 1.0)]), None);
        assert_eq!(serial_fraction(&[(4, 1.0), (4, 2.0)]), None);
    }
}
