//! Disturbances: the reasons why the times of a run say too little of the machine. There is no score then.

use super::work::{On, Part, Size};
use crate::app::bench::measurement::Measurement;
use crate::app::bench::warnings::{LARGEST_DRIFT, LEAST_CPU, MOST_STOLEN, drift, worst_of};
use crate::app::machine::Counters;
use crate::app::output::words::plural;
use std::time::Duration;

/// The largest spread of the times of a figure: the interquartile range as a share of the median. The standard error of
/// the median of 11 such times is 1.1%: 1.25 standard deviations, each 1/1.35 of that range, divided by the root of 11.
pub(super) const LARGEST_SPREAD: f64 = 0.04;

/// The largest share of the CPU time of the machine that other programs may use. An idle desktop or server uses less.
const MOST_OTHERS: f64 = 0.05;

/// The smallest share of their time in which more than [`FEW_THREADS`] threads have a CPU. Threads also wait for each
/// other, at the beginning and at the end: on two CPUs for 1% of the time, on hundreds for more.
const LEAST_CPU_OF_MANY: f64 = 0.75;

/// So few threads hardly wait for each other: they must have a CPU as much as one alone.
const FEW_THREADS: usize = 8;

/// The shares of the machine's CPU time that this program did not get, from 0 to 1, `None` if the system does not report
/// them; and its heat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shares {
    /// The share that other programs used.
    pub(super) others: Option<f64>,
    /// The share that the host of this virtual machine took away.
    pub(super) stolen: Option<f64>,
    /// The number of times that a CPU got too hot and was slowed down.
    pub(super) throttled: u64,
}

impl Shares {
    /// Returns the shares during a time. `meanwhile` are the counters' increments, `own` is the CPU time of this program,
    /// and `cpus` the number of CPUs of the machine.
    pub(super) fn of(meanwhile: Counters, time: Duration, own: Option<Duration>, cpus: Option<usize>) -> Self {
        if meanwhile.ticks == 0 {
            return Self { throttled: meanwhile.throttled, ..Self::default() };
        }
        let share = |ticks: u64| ticks as f64 / meanwhile.ticks as f64;
        let own = own.zip(cpus).map(|(own, cpus)| own.as_secs_f64() / (time.as_secs_f64() * cpus as f64));
        let used = 1.0 - share(meanwhile.idle) - share(meanwhile.stolen);
        Self {
            others: own.map(|own| (used - own).max(0.0)),
            stolen: Some(share(meanwhile.stolen)),
            throttled: meanwhile.throttled,
        }
    }
}

/// Returns the reasons that are known before anything is measured.
pub(super) fn before(size: Size, threads: usize, cpus: Option<usize>) -> Vec<String> {
    let few = cpus.filter(|&cpus| threads < cpus).map(|cpus| {
        format!(
            "this process may use {threads} of the {}, because of an affinity mask, a control group or Slurm; give it all",
            plural(cpus, "CPU")
        )
    });
    let test = (size == Size::Test).then(|| "its boards are too small".to_owned());
    few.into_iter().chain(test).collect()
}

/// Returns the reasons that follow from the measurements of the parts, each with a limit that was exceeded.
pub(super) fn after(parts: &[Part], measurements: &[Measurement], shares: Shares) -> Vec<String> {
    let mut reasons = Vec::new();
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    if let Some(others) = shares.others.filter(|others| *others > MOST_OTHERS) {
        let (others, most) = (percent(others), percent(MOST_OTHERS));
        reasons.push(format!("other programs used {others} of the CPU time (at most {most} may be)"));
    }
    if let Some(stolen) = shares.stolen.filter(|stolen| *stolen > MOST_STOLEN) {
        let (stolen, most) = (percent(stolen), percent(MOST_STOLEN));
        reasons.push(format!(
            "the host of this virtual machine took {stolen} of the CPU time away (at most {most} may be)"
        ));
    }
    if shares.throttled > 0 {
        let times = plural(shares.throttled as usize, "time");
        reasons.push(format!("the CPU got too hot and was slowed down ({times})"));
    }
    let worst = |excess: &dyn Fn(Part, &Measurement) -> Option<f64>| {
        let those = std::iter::zip(parts, measurements).filter_map(|(part, one)| Some((part, excess(*part, one)?)));
        worst_of(those.collect(), Part::to_string)
    };
    let missing = worst(&|part, one| {
        let is_few = part.on == On::One || one.count.threads <= FEW_THREADS;
        let least = if is_few { LEAST_CPU } else { LEAST_CPU_OF_MANY };
        one.cpu_share().filter(|share| *share < least).map(|share| 1.0 - share)
    });
    if let Some((part, missing)) = missing {
        reasons.push(format!("the threads of {part} had no CPU for {} of their time", percent(missing)));
    }
    if let Some((part, spread)) = worst(&|_, one| Some(one.summary().spread).filter(|spread| *spread > LARGEST_SPREAD))
    {
        let (spread, most) = (percent(spread), percent(LARGEST_SPREAD));
        reasons.push(format!("the times of {part} spread over {spread} of their median (at most {most} may be)"));
    }
    if let Some(slower) = drift(measurements).filter(|slower| *slower > LARGEST_DRIFT) {
        let (slower, most) = (percent(slower - 1.0), percent(LARGEST_DRIFT - 1.0));
        reasons.push(format!(
            "the machine got {slower} slower from the first rounds to the last, as a CPU that gets hot does (at most {most} may be)"
        ));
    }
    reasons
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::app::bench::measurement::Sample;
    use crate::app::count::row::tests::count;
    use crate::app::score::work::Figure;
    use crate::run::Count;

    pub(in crate::app::score) const PARTS: [Part; 2] =
        [Part { figure: Figure::Counting, on: On::All }, Part { figure: Figure::Branches, on: On::One }];

    /// Returns a measurement on a number of threads with these times, in a given share of which they had CPUs.
    pub(in crate::app::score) fn measurement(threads: usize, seconds: &[f64], had: Option<f64>) -> Measurement {
        let cpu_seconds = |seconds: f64| had.map(|had| had * seconds * threads as f64);
        let sample = |&seconds: &f64| Sample { seconds, cpu_seconds: cpu_seconds(seconds) };
        let count = Count { threads, ..count(8, 92) };
        Measurement { threads, count, samples: seconds.iter().map(sample).collect() }
    }

    const STEADY: [f64; 4] = [1.0, 1.01, 0.99, 1.0];

    /// Returns the reasons for a run on all threads with these times, and a steady one on one thread.
    fn reasons(seconds: &[f64], had: [Option<f64>; 2], shares: Shares) -> Vec<String> {
        let measurements = [measurement(64, seconds, had[0]), measurement(1, &STEADY, had[1])];
        after(&PARTS, &measurements, shares)
    }

    #[test]
    fn a_machine_at_rest_gives_a_score_and_so_does_one_that_reports_little() {
        let shares = Shares { others: Some(0.05), stolen: Some(0.02), throttled: 0 };
        assert_eq!(reasons(&STEADY, [Some(0.85), Some(0.99)], shares), [""; 0]);
        assert_eq!(reasons(&STEADY, [None; 2], Shares::default()), [""; 0]);
        assert_eq!(reasons(&[1.0, 1.06, 1.0, 0.94], [None; 2], Shares::default()), [""; 0], "a spread of 3%");
    }

    #[test]
    fn every_disturbance_is_named_with_its_measure() {
        let shares = |others, stolen| Shares { others: Some(others), stolen: Some(stolen), throttled: 0 };
        let calm = shares(0.01, 0.0);
        let had = [Some(0.99), Some(0.99)];
        let hot = Shares { throttled: 3, ..calm };
        for (seconds, had, shares, named) in [
            (&STEADY[..], had, hot, "the CPU got too hot and was slowed down (3 times)"),
            (&STEADY, had, shares(0.051, 0.0), "other programs used 5.1% of the CPU time (at most 5.0%"),
            (&STEADY, had, shares(0.0, 0.021), "virtual machine took 2.1% of the CPU time away (at most 2.0%"),
            (&STEADY, [Some(0.7), Some(0.99)], calm, "the threads of counting on all threads had no CPU for 30.0%"),
            (&STEADY, [Some(0.99), Some(0.9)], calm, "the threads of branches on one thread had no CPU for 10.0%"),
            (&STEADY, [Some(0.7), Some(0.9)], calm, "counting on all threads (and 1 more) had no CPU for 30.0%"),
            (
                &[1.0, 1.2, 1.0, 0.8],
                had,
                calm,
                "the times of counting on all threads spread over 10.0% of their median",
            ),
        ] {
            let reasons = reasons(seconds, had, shares);
            assert!(reasons.len() == 1 && reasons[0].contains(named), "{named}: {reasons:?}");
        }
    }

    #[test]
    fn a_machine_that_gets_slower_gives_no_score() {
        let slower = [1.0, 1.0, 1.055, 1.055];
        let measurements = [measurement(4, &slower, None), measurement(1, &slower, None)];
        let reasons = after(&PARTS, &measurements, Shares::default());
        // Such times spread, too.
        assert!(reasons.iter().any(|reason| reason.contains("5.5% slower from the first rounds")), "{reasons:?}");
    }

    #[test]
    fn few_threads_have_a_cpu_all_the_time_and_many_wait_for_each_other() {
        for (threads, had, is_quiet) in [(8, 0.94, false), (8, 0.96, true), (9, 0.8, true), (64, 0.74, false)] {
            let reasons = after(&PARTS[..1], &[measurement(threads, &STEADY, Some(had))], Shares::default());
            assert_eq!(reasons.is_empty(), is_quiet, "{threads} threads: {reasons:?}");
        }
    }

    #[test]
    fn a_part_of_a_machine_and_small_boards_give_no_score_from_the_start() {
        assert_eq!(before(Size::Small, 4, Some(4)), [""; 0]);
        assert_eq!(before(Size::Small, 4, None), [""; 0]);
        let part = before(Size::Small, 2, Some(64));
        assert!(part.len() == 1 && part[0].contains("may use 2 of the 64 CPUs"), "{part:?}");
        assert_eq!(before(Size::Test, 4, Some(4)), ["its boards are too small"]);
    }

    #[test]
    fn the_shares_of_others_are_what_is_left_of_the_time_in_use() {
        let second = Duration::from_secs(1);
        let of =
            |ticks, idle, stolen, own| Shares::of(Counters { throttled: 0, ticks, idle, stolen }, second, own, Some(4));
        // Of 400 ticks 100 are idle and 20 stolen; 200 are this program's.
        let shares = of(400, 100, 20, Some(2 * second));
        assert!((shares.others.unwrap() - 0.2).abs() < 1e-9 && (shares.stolen.unwrap() - 0.05).abs() < 1e-9);
        let shares = of(400, 300, 0, Some(2 * second));
        assert_eq!(shares, Shares { others: Some(0.0), stolen: Some(0.0), throttled: 0 }, "the clocks differ a little");
        assert_eq!(of(400, 100, 20, None).others, None);
        assert_eq!(of(0, 0, 0, Some(second)), Shares::default());
    }

    #[test]
    fn a_share_of_the_cpus_is_that_of_a_typical_count() {
        let mut one = measurement(2, &[1.0, 2.0, 1.0], Some(0.9));
        one.samples[1].cpu_seconds = Some(0.1);
        assert!((one.cpu_share().unwrap() - 0.9).abs() < 1e-9);
        assert_eq!(measurement(2, &[1.0], None).cpu_share(), None);
    }
}
