//! The axes of a chart: the place of a number, and the round numbers that are labelled.

use crate::app::output::words;

/// Round times in seconds with their labels. Those marked true suffice where there is room for few.
const TIMES: [(f64, &str, bool); 21] = [
    (1e-9, "1 ns", true),
    (1e-8, "10 ns", false),
    (1e-7, "100 ns", false),
    (1e-6, "1 \u{b5}s", true),
    (1e-5, "10 \u{b5}s", false),
    (1e-4, "100 \u{b5}s", false),
    (1e-3, "1 ms", true),
    (1e-2, "10 ms", false),
    (0.1, "100 ms", false),
    (1.0, "1 s", true),
    (10.0, "10 s", false),
    (60.0, "1 min", true),
    (600.0, "10 min", false),
    (3600.0, "1 h", true),
    (36e3, "10 h", false),
    (864e2, "1 day", true),
    (864e3, "10 days", false),
    (864e4, "100 days", false),
    (31_557_600.0, "1 year", true),
    (315_576e3, "10 years", false),
    (3_155_760e3, "100 years", true),
];

/// The most labels of an axis.
const MOST_LABELS: usize = 8;

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal factors.
    Logarithmic,
}

/// An axis: the map from the numbers `least` to `most` to the places `from` to `to`.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    scale: Scale,
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Makes an axis from place `from` to place `to` with all of these numbers on it. A single number is in the middle.
    pub(super) fn of(scale: Scale, numbers: impl Iterator<Item = f64> + Clone, [from, to]: [f64; 2]) -> Self {
        let (least, most) = (numbers.clone().fold(f64::INFINITY, f64::min), numbers.fold(0.0, f64::max));
        let (least, most) = match scale {
            _ if least < most => (least, most),
            Scale::Linear => (most - 1.0, most + 1.0),
            Scale::Logarithmic => (most / 2.0, most * 2.0),
        };
        // A logarithmic scale reaches neither 0 nor infinity.
        let [least, most] = match scale {
            Scale::Linear => [least, most],
            Scale::Logarithmic => [least, most].map(|end| end.clamp(f64::MIN_POSITIVE, f64::MAX)),
        };
        Self { scale, least, most, from, to }
    }

    /// Returns the place of a number.
    pub(super) fn place(&self, number: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (number - self.least) / (self.most - self.least),
            Scale::Logarithmic => (number.ln() - self.least.ln()) / (self.most.ln() - self.least.ln()),
        };
        self.from + share * (self.to - self.from)
    }

    fn has(&self, number: f64) -> bool {
        (self.least * 0.999..=self.most * 1.001).contains(&number)
    }

    /// Returns round numbers on the axis, at most [`MOST_LABELS`]; its ends if there are none.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let decades = (self.least.log10().floor() as i32)..=(self.most.log10().ceil() as i32);
        let steps: &[&[f64]] = &[&[1.0, 2.0, 5.0], &[1.0]];
        let ticks = |steps: &[f64]| -> Vec<f64> {
            let all = decades.clone().flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
            all.filter(|tick| self.has(*tick)).collect()
        };
        let round = steps.iter().map(|steps| ticks(steps)).find(|ticks| ticks.len() <= MOST_LABELS).unwrap_or_default();
        if round.is_empty() { vec![self.least, self.most] } else { round }
    }

    /// Returns round times in seconds on the axis, with their labels.
    pub(super) fn times(&self) -> Vec<(f64, String)> {
        let of = |all: bool| -> Vec<(f64, String)> {
            let times = TIMES.iter().filter(|(seconds, _, main)| self.has(*seconds) && (all || *main));
            times.map(|(seconds, name, _)| (*seconds, (*name).to_owned())).collect()
        };
        if of(true).len() > MOST_LABELS {
            return of(false);
        }
        if of(true).len() > 2 {
            return of(true);
        }
        self.numbers().into_iter().map(|seconds| (seconds, words::time(seconds).replace(".0 ", " "))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_go_by_factors_or_by_differences() {
        let axis = Axis::of(Scale::Logarithmic, [1.0, 4.0, 16.0].into_iter(), [0.0, 100.0]);
        assert!((axis.place(4.0) - 50.0).abs() < 1e-9);
        let axis = Axis::of(Scale::Linear, [10.0, 20.0].into_iter(), [100.0, 0.0]);
        assert!((axis.place(12.5) - 75.0).abs() < 1e-9);
    }

    #[test]
    fn a_number_alone_stands_in_the_middle() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            let axis = Axis::of(scale, std::iter::once(16.0), [0.0, 100.0]);
            assert!((axis.place(16.0) - 50.0).abs() < 1e-9, "{scale:?}");
        }
    }

    #[test]
    fn an_axis_over_all_numbers_has_an_end() {
        for numbers in [[f64::MAX; 2], [5e-324; 2], [5e-324, f64::MAX], [0.0, f64::INFINITY]] {
            let axis = Axis::of(Scale::Logarithmic, numbers.into_iter(), [0.0, 100.0]);
            assert!(!axis.numbers().is_empty() && axis.times().len() <= TIMES.len(), "{numbers:?}");
            assert!((0.0..=100.0).contains(&axis.place(1.0).clamp(0.0, 100.0)), "{numbers:?}");
        }
    }

    #[test]
    fn few_numbers_are_named() {
        let of = |numbers: [f64; 2]| Axis::of(Scale::Logarithmic, numbers.into_iter(), [0.0, 100.0]);
        assert_eq!(of([1.0, 16.0]).numbers(), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(of([1e-3, 1e3]).numbers().len(), 7);
        assert_eq!(of([0.21, 0.32]).numbers(), [0.21, 0.32]);
        let names = |numbers| of(numbers).times().into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(names([0.08, 0.5]), ["100 ms", "200 ms", "500 ms"]);
        assert_eq!(names([0.002, 70.0]), ["10 ms", "100 ms", "1 s", "10 s", "1 min"]);
        assert_eq!(names([5e-4, 3e7]), ["1 ms", "1 s", "1 min", "1 h", "1 day"]);
    }
}
