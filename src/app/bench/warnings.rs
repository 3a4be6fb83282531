//! What makes the numbers of a study doubtful: the cause, and what to do.

use crate::app::bench::study::{Measured, Times};
use crate::app::bench::view::Machine;
use crate::app::machine::Counters;
use crate::app::output::words;
use crate::run::Job;

/// A larger spread is worth a warning.
const LARGE_SPREAD: f64 = 0.1;
/// A count that is over sooner is mostly the making of threads and tables.
const SHORT: f64 = 0.01;
/// The share of its time that a thread alone must have had a CPU for.
const HAD_CPU: f64 = 0.95;
/// The share of the CPUs' time that a host may take away.
const STOLEN: f64 = 0.02;
/// How much slower the second half of the rounds may be.
const SLOWER: f64 = 1.05;

/// What can be seen before anything is measured.
pub(super) fn before(machine: &Machine, jobs: &[Job], load: Option<f64>) -> Vec<String> {
    let cpus = machine.logical_cpus;
    let busy = load.filter(|load| *load > 0.5 * cpus as f64).map(|load| {
        format!(
            "the machine is busy: its load average is {load:.1}, with {}; end what else runs, or wait, and measure again",
            words::plural(cpus, "CPU")
        )
    });
    let most = jobs.iter().map(|job| job.threads).max().filter(|most| *most > cpus).map(|most| {
        format!("{most} threads share {}; give --threads up to {cpus} to see how it scales", words::plural(cpus, "CPU"))
    });
    busy.into_iter().chain(most).collect()
}

/// What the measurements show, and what went on meanwhile.
pub(super) fn after(measured: &[Measured], meanwhile: Counters) -> Vec<String> {
    let mut warnings = Vec::new();
    let of = |one: &Measured| {
        let count = &one.count;
        format!("{} {}, N = {}, {}", count.engine, count.kernel, count.board, words::plural(one.threads, "thread"))
    };
    // One line for all that the same is wrong with, which names the worst.
    let mut worst = |values: Vec<(&Measured, f64)>, say: &dyn Fn(&str, f64) -> String| {
        let number = values.len();
        if let Some((one, value)) = values.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)) {
            let others = if number > 1 { format!(" (and {} more)", number - 1) } else { String::new() };
            warnings.push(say(&format!("{}{others}", of(one)), value));
        }
    };
    let all = |value: &dyn Fn(&Measured) -> Option<f64>| -> Vec<(&Measured, f64)> {
        measured.iter().filter_map(|one| Some((one, value(one)?))).collect()
    };

    let short = all(&|one| Some(-one.times().median).filter(|median| *median > -SHORT));
    worst(short, &|which, median| {
        format!("{which}: {} are too short to be timed well; give larger --boards", words::time(-median))
    });
    let long_enough = |one: &Measured| one.times().median >= SHORT;
    let alone = all(&|one| {
        let had: Option<Vec<f64>> = one.samples.iter().map(|one| Some(one.cpu_seconds? / one.seconds)).collect();
        let had = Times::of(&had?).median;
        (one.threads == 1 && long_enough(one) && had < HAD_CPU).then_some(1.0 - had)
    });
    worst(alone, &|which, missing| {
        format!(
            "{which}: other programs had its CPU for {:.0}% of the time; end them, or wait, and measure again",
            100.0 * missing
        )
    });
    let spread = all(&|one| Some(one.times().spread).filter(|spread| long_enough(one) && *spread > LARGE_SPREAD));
    worst(spread, &|which, spread| {
        format!(
            "{which}: the times spread over {:.0}% of their median; leave the machine alone meanwhile, or give more \
             --repetitions",
            100.0 * spread
        )
    });

    if meanwhile.stolen as f64 > STOLEN * meanwhile.ticks as f64 {
        let percent = 100.0 * meanwhile.stolen as f64 / meanwhile.ticks as f64;
        warnings.push(format!(
            "the host of this virtual machine took {percent:.0}% of the CPU time away; measure again when it is less busy"
        ));
    }
    if meanwhile.throttled > 0 {
        warnings.push(format!(
            "the CPU got too hot and was slowed down ({}); cool it, or measure with fewer threads",
            words::plural(meanwhile.throttled as usize, "time")
        ));
    }
    if let Some(slower) = drift(measured).filter(|slower| *slower > SLOWER) {
        warnings.push(format!(
            "the machine got {:.0}% slower from the first rounds to the last: a CPU that gets hot does that, or other \
             programs; cool it, or wait, and measure again",
            100.0 * (slower - 1.0)
        ));
    }
    warnings
}

/// How many times as long the last rounds took as the first ones: the median over all that was measured. It takes four rounds.
fn drift(measured: &[Measured]) -> Option<f64> {
    let ratio = |one: &Measured| {
        let seconds: Vec<f64> = one.samples.iter().map(|sample| sample.seconds).collect();
        let half = seconds.len() / 2;
        (half >= 2).then(|| Times::of(&seconds[seconds.len() - half..]).median / Times::of(&seconds[..half]).median)
    };
    let ratios: Vec<f64> = measured.iter().filter_map(ratio).collect();
    (!ratios.is_empty()).then(|| Times::of(&ratios).median)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::Sample;
    use crate::app::count::row::tests::count;

    /// A count on one thread that took so long, and had a CPU for this share of the time.
    fn measured(seconds: &[f64], had: f64) -> Measured {
        let sample = |&seconds: &f64| Sample { seconds, cpu_seconds: Some(had * seconds) };
        Measured { threads: 1, count: count(8, 92), nodes: None, samples: seconds.iter().map(sample).collect() }
    }

    fn warned(seconds: &[f64], had: f64) -> String {
        after(&[measured(seconds, had)], Counters::default()).join("\n")
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
        let of = |throttled, ticks, stolen| after(&[], Counters { throttled, ticks, stolen }).join("\n");
        assert_eq!(of(0, 1000, 20), "");
        assert!(of(0, 1000, 100).contains("took 10% of the CPU time"));
        assert!(of(3, 1000, 0).contains("too hot") && of(3, 1000, 0).contains("3 times"));
    }

    #[test]
    fn several_with_the_same_fault_are_one_line_with_the_worst() {
        let all = [measured(&[1.0; 3], 0.9), measured(&[1.0; 3], 0.5), measured(&[1.0; 3], 0.8)];
        let lines = after(&all, Counters::default());
        assert!(lines.len() == 1 && lines[0].contains("for 50% of") && lines[0].contains("and 2 more"), "{lines:?}");
    }

    #[test]
    fn a_busy_machine_and_too_many_threads_are_seen_before() {
        let machine = crate::app::machine::machine();
        let machine = Machine { logical_cpus: 4, ..machine };
        let job = |threads| Job { threads, ..Job::new(crate::Board::new(8).unwrap()) };
        assert_eq!(before(&machine, &[job(4)], Some(1.9)), [""; 0]);
        assert!(before(&machine, &[job(4)], Some(2.1))[0].contains("load average is 2.1, with 4 CPUs"));
        assert!(before(&machine, &[job(8), job(1)], None)[0].contains("8 threads share 4 CPUs"));
    }
}
