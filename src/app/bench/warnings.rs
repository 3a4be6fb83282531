//! Warnings: reasons to doubt the times of a study, each with its cause and a remedy.

use crate::app::bench::measurement::Measurement;
use crate::app::bench::statistics::median;
use crate::app::machine::{Counters, Machine};
use crate::app::output::words;
use crate::run::Job;

/// The largest spread without a warning.
const LARGEST_SPREAD: f64 = 0.1;
/// The shortest median without a warning, in seconds. Shorter counts consist mostly of making threads and tables.
pub(super) const SHORTEST: f64 = 0.01;
/// The smallest ratio of CPU time to wall-clock time of a count on one thread without a warning.
pub(crate) const LEAST_CPU: f64 = 0.95;
/// The largest share of CPU time that the host of a virtual machine may take without a warning.
pub(crate) const MOST_STOLEN: f64 = 0.02;
/// The largest drift without a warning.
pub(crate) const LARGEST_DRIFT: f64 = 1.05;

/// Returns the warnings before a measurement.
pub(crate) fn before(machine: &Machine, jobs: &[Job], load: Option<f64>) -> Vec<String> {
    let cpus = machine.logical_cpus;
    let busy = load.filter(|load| *load > 0.5 * cpus as f64).map(|load| {
        format!(
            "the machine is busy: its load average is {load:.1}, with {}; end other programs, or wait, and measure again",
            words::plural(cpus, "CPU")
        )
    });
    let most = jobs.iter().map(|job| job.threads).max().filter(|most| *most > cpus).map(|most| {
        format!("{most} threads share {}; give --threads up to {cpus} to see how it scales", words::plural(cpus, "CPU"))
    });
    busy.into_iter().chain(most).collect()
}

/// Returns the warnings after a measurement. `meanwhile` are the counters' increments during it.
pub(super) fn after(measurements: &[Measurement], meanwhile: Counters) -> Vec<String> {
    let mut warnings = Vec::new();
    let of = |one: &Measurement| {
        let count = &one.count;
        format!("{} {}, N = {}, {}", count.engine, count.kernel, count.board, words::plural(one.threads, "thread"))
    };
    let mut worst = |values: Vec<(&Measurement, f64)>, say: &dyn Fn(&str, f64) -> String| {
        warnings.extend(worst_of(values, of).map(|(which, value)| say(&which, value)));
    };
    let all = |value: &dyn Fn(&Measurement) -> Option<f64>| -> Vec<(&Measurement, f64)> {
        measurements.iter().filter_map(|one| Some((one, value(one)?))).collect()
    };

    let short = all(&|one| Some(-one.summary().median).filter(|median| *median > -SHORTEST));
    worst(short, &|which, median| {
        format!("{which}: {} are too short to be timed well; give larger --boards", words::time(-median))
    });
    let long_enough = |one: &Measurement| one.summary().median >= SHORTEST;
    let alone = all(&|one| {
        let had = one.cpu_share()?;
        (one.threads == 1 && long_enough(one) && had < LEAST_CPU).then_some(1.0 - had)
    });
    worst(alone, &|which, missing| {
        format!(
            "{which}: other programs had its CPU for {:.0}% of the time; end them, or wait, and measure again",
            100.0 * missing
        )
    });
    let spread = all(&|one| Some(one.summary().spread).filter(|spread| long_enough(one) && *spread > LARGEST_SPREAD));
    worst(spread, &|which, spread| {
        format!(
            "{which}: the times spread over {:.0}% of their median; end other programs, or give more \
             --repetitions",
            100.0 * spread
        )
    });

    if meanwhile.stolen as f64 > MOST_STOLEN * meanwhile.ticks as f64 {
        let percent = 100.0 * meanwhile.stolen as f64 / meanwhile.ticks as f64;
        warnings.push(format!(
            "the host of this virtual machine took {percent:.0}% of the CPU time away; measure again when it is idle"
        ));
    }
    if meanwhile.throttled > 0 {
        warnings.push(format!(
            "the CPU got too hot and was slowed down ({}); cool it, or measure with fewer threads",
            words::plural(meanwhile.throttled as usize, "time")
        ));
    }
    if let Some(slower) = drift(measurements).filter(|slower| *slower > LARGEST_DRIFT) {
        warnings.push(format!(
            "the machine got {:.0}% slower from the first rounds to the last: a CPU that gets hot does that, or other \
             programs; cool it, or wait, and measure again",
            100.0 * (slower - 1.0)
        ));
    }
    warnings
}

/// Returns one name for all that have the same fault, each with a value: that of the worst, which has the largest value,
/// and the number of the others. Also returns the value. `None` if there is no fault.
pub(crate) fn worst_of<T>(faulty: Vec<(T, f64)>, name: impl Fn(T) -> String) -> Option<(String, f64)> {
    let others = if faulty.len() > 1 { format!(" (and {} more)", faulty.len() - 1) } else { String::new() };
    let worst = faulty.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    worst.map(|(one, value)| (format!("{}{others}", name(one)), value))
}

/// Returns the drift: the median time of the last rounds divided by that of the first ones, as the median over all
/// counts. `None` with fewer than four rounds.
pub(crate) fn drift(measurements: &[Measurement]) -> Option<f64> {
    let ratio = |one: &Measurement| {
        let seconds = one.seconds();
        let half = seconds.len() / 2;
        (half >= 2).then(|| median(&seconds[seconds.len() - half..]) / median(&seconds[..half]))
    };
    let ratios: Vec<f64> = measurements.iter().filter_map(ratio).collect();
    (!ratios.is_empty()).then(|| median(&ratios))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::measurement::Sample;
    use crate::app::count::row::tests::count;

    /// A count on one thread with these times, in a given share of which it had a CPU.
    fn measurement(seconds: &[f64], had: f64) -> Measurement {
        let sample = |&seconds: &f64| Sample { seconds, cpu_seconds: Some(had * seconds) };
        Measurement { threads: 1, count: count(8, 92), samples: seconds.iter().map(sample).collect() }
    }

    fn warned(seconds: &[f64], had: f64) -> String {
        after(&[measurement(seconds, had)], Counters::default()).join("\n")
    }

    #[test]
    fn steady_times_of_a_machine_at_rest_are_no_matter() {
        assert_eq!(warned(&[1.0, 1.01, 1.02, 0.99, 1.0], 0.99), "");
    }

    #[test]
    fn each_warning_names_its_cause_and_the_next_step() {
        for (seconds, had, cause, step) in [
            (vec![1.0, 1.3, 0.9, 1.2, 1.0], 1.0, "spread over 20%", "--repetitions"),
            (vec![1.0, 1.0, 1.0], 0.7, "had its CPU for 30%", "end them"),
            (vec![0.001, 0.001], 0.5, "1.0 ms are too short", "--boards"),
            (vec![1.0, 1.0, 1.04, 1.09, 1.09], 1.0, "9% slower", "cool it"),
        ] {
            let text = warned(&seconds, had);
            assert!(text.contains(cause) && text.contains(step) && text.lines().count() == 1, "{text}");
            assert!(text.contains("test scalar, N = 8, 1 thread") || cause.contains("slower"), "{text}");
        }
    }

    #[test]
    fn what_goes_on_meanwhile_is_told() {
        let of = |throttled, ticks, stolen| after(&[], Counters { throttled, ticks, idle: 0, stolen }).join("\n");
        assert_eq!(of(0, 1000, 20), "");
        assert!(of(0, 1000, 100).contains("took 10% of the CPU time"));
        assert!(of(3, 1000, 0).contains("too hot") && of(3, 1000, 0).contains("3 times"));
    }

    #[test]
    fn several_with_the_same_fault_are_one_line_with_the_worst() {
        let all = [measurement(&[1.0; 3], 0.9), measurement(&[1.0; 3], 0.5), measurement(&[1.0; 3], 0.8)];
        let lines = after(&all, Counters::default());
        assert!(lines.len() == 1 && lines[0].contains("for 50% of") && lines[0].contains("and 2 more"), "{lines:?}");
    }

    #[test]
    fn a_busy_machine_and_too_many_threads_are_seen_before() {
        let machine = Machine { logical_cpus: 4, ..Machine::this() };
        let job = |threads| Job { threads, ..Job::new(crate::Board::new(8).unwrap()) };
        assert_eq!(before(&machine, &[job(4)], Some(1.9)), [""; 0]);
        assert!(before(&machine, &[job(4)], Some(2.1))[0].contains("load average is 2.1, with 4 CPUs"));
        assert!(before(&machine, &[job(8), job(1)], None)[0].contains("8 threads share 4 CPUs"));
    }
}
