//! The pace of a count, which tells the time that is left.

use std::collections::VecDeque;

/// The CPU time of units, in seconds, after which it is compared with the clock. A system gives programs much shorter
/// slices of time in turn.
const SLICE: f64 = 0.2;

/// The number of latest comparisons that matter.
const RECENT: usize = 999;

/// The pace at which threads finish units. Only finished units matter, so that the time for tables before the first
/// unit does not distort it.
///
/// All units together tell the CPU time for their work. On the clock they took longer, because other programs had the
/// CPUs; how much longer is the median of the latest comparisons. If the process was stopped for a while, the
/// comparisons of that time are outliers.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// The number of units, their work, and the CPU seconds that they took.
    pub units: usize,
    pub work: u64,
    busy: f64,
    /// How many seconds on the clock passed in a second of CPU time, at each comparison.
    stretches: VecDeque<f64>,
    /// The times of the units not compared yet, on the clock and of CPUs.
    last: [f64; 2],
}

impl Pace {
    /// Adds a finished unit, in the order in which units were finished.
    pub fn add(&mut self, work: u64, elapsed: f64, cpu_time: Option<f64>) {
        let busy = cpu_time.unwrap_or(elapsed);
        self.units += 1;
        self.work += work;
        self.busy += busy;
        self.last = [self.last[0] + elapsed, self.last[1] + busy];
        let [elapsed, busy] = self.last;
        if busy >= SLICE {
            self.stretches.truncate(RECENT - 1);
            self.stretches.push_front(elapsed / busy);
            self.last = [0.0; 2];
        }
    }

    /// Returns the seconds that `threads` threads take for `work`; `None` if no unit is finished.
    pub fn seconds(&self, work: u64, threads: usize) -> Option<f64> {
        let [elapsed, busy] = self.last;
        let mut stretches: Vec<f64> = self.stretches.iter().copied().collect();
        let middle = stretches.len() / 2;
        let stretch = match stretches.is_empty() {
            true if busy > 0.0 => elapsed / busy,
            true => 1.0,
            false => *stretches.select_nth_unstable_by(middle, f64::total_cmp).1,
        };
        let seconds = self.busy * stretch * work as f64 / (self.work as f64 * threads as f64);
        Some(seconds).filter(|seconds| seconds.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the seconds that one thread takes for the work of these units.
    fn seconds(units: impl IntoIterator<Item = (f64, Option<f64>)>) -> f64 {
        let mut pace = Pace::default();
        for (elapsed, cpu_time) in units {
            pace.add(10, elapsed, cpu_time);
        }
        assert!((pace.seconds(pace.work, 4).unwrap() * 4.0 / pace.seconds(pace.work, 1).unwrap() - 1.0).abs() < 1e-12);
        pace.seconds(pace.work, 1).unwrap()
    }

    fn is_about(number: f64, other: f64) -> bool {
        (number / other - 1.0).abs() < 1e-9
    }

    #[test]
    fn a_pace_is_known_from_the_first_unit_on() {
        assert!(Pace::default().seconds(10, 1).is_none());
        assert!(is_about(seconds([(2.0, None)]), 2.0) && is_about(seconds([(2.0, Some(1.5))]), 2.0));
        assert!(
            is_about(seconds([(1e-3, Some(1e-3))]), 1e-3)
                && is_about(seconds([(0.0, Some(0.0)), (1.0, Some(1.0))]), 1.0)
        );
    }

    #[test]
    fn others_that_have_the_cpu_count() {
        assert!(is_about(seconds([(4.0, Some(1.0)); 10]), 40.0));
        // One of four short units waits for the slice of another program.
        let short = |unit: usize| (if unit.is_multiple_of(4) { 0.04 } else { 0.01 }, Some(0.01));
        assert!(is_about(seconds((0..400).map(short)), 400.0 * 0.0175));
    }

    #[test]
    fn of_the_last_units_the_one_in_the_middle_counts() {
        let units = [30.0, 1.0, 2.0, 50.0, 1.5].map(|elapsed| (elapsed, Some(1.0)));
        assert!(is_about(seconds(units), 5.0 * 2.0));
        // Earlier comparisons are forgotten.
        let before = (0..2000).map(|_| (9.0, Some(1.0)));
        assert!(is_about(seconds(before.chain((0..RECENT).map(|_| (1.0, Some(1.0))))), 2000.0 + RECENT as f64));
    }

    #[test]
    fn a_time_in_which_the_process_was_stopped_does_not_count() {
        for length in [1e-3, 0.5, 2.0] {
            let of = |unit: usize| (length + if [4, 5].contains(&unit) { 25.0 } else { 0.0 }, Some(length));
            let all = seconds((0..1000).map(of));
            assert!((all / (1000.0 * length) - 1.0).abs() < 0.01, "{length}: {all}");
        }
    }
}
