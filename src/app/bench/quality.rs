//! The quality of a measurement: the reasons to doubt it, each with its limit, its cause and a remedy.

use crate::app::bench::statistics::median;
use crate::app::bench::study::{Study, Timing, summarize};
use crate::app::machine::{Counters, Machine};
use crate::app::output::words::{self, plural};

/// The largest spread of times that raises no doubt. The spread is the interquartile range as a share of the median.
const LARGEST_SPREAD: f64 = 0.05;
/// The shortest median that raises no doubt, in seconds. Shorter counts spend most of their time making threads and
/// tables.
const SHORTEST: f64 = 0.01;
/// The smallest share of its time for which a thread must have a CPU to raise no doubt. Threads of one count also wait
/// for each other, so this limit judges only a thread that counts alone.
const LEAST_CPU: f64 = 0.95;
/// The largest share of CPU time that the host of a virtual machine may take without raising a doubt.
const MOST_STOLEN: f64 = 0.02;
/// The largest drift that raises no doubt: the time of the last rounds divided by the time of the first ones.
const LARGEST_DRIFT: f64 = 1.05;
/// The error of a speed that was measured on a CPU while it got too hot.
const ERROR_OF_HEAT: f64 = 0.1;
/// The largest error of a figure that is more than an impression.
const LARGEST_ERROR: f64 = 0.1;

/// A reason to doubt a measurement.
#[derive(Clone, Debug)]
pub(crate) struct Doubt {
    /// The share by which a speed may be wrong for this reason.
    pub(super) error: f64,
    pub(super) words: String,
}

/// Returns the quality in words of a score with these doubts, and the share by which the score may be wrong.
pub(super) fn judge_score(doubts: &[Doubt]) -> (String, f64) {
    let error = doubts.iter().map(|doubt| doubt.error).fold(0.0, f64::max);
    let words = match error {
        _ if doubts.is_empty() => "quotable".to_owned(),
        ..=LARGEST_ERROR => format!("good to \u{b1}{:.0}%", ((1000.0 * error).round() / 10.0).ceil()),
        _ => "only an impression".to_owned(),
    };
    (words, error)
}

/// Computes the statistics of a study, and returns the reasons to doubt it. `before` are the counters at its beginning;
/// `alone` is true if every thread counted a board by itself.
pub(super) fn judge(study: &mut Study, before: Counters, alone: bool) -> Vec<Doubt> {
    let meanwhile = Counters::now().since(before);
    summarize(&mut study.rows, &study.machine);
    let mut doubts = doubts_of_machine(&study.rows, meanwhile);
    doubts.extend(doubts_of_rows(&study.rows, &study.machine, alone));
    doubts
}

/// Returns the reasons to doubt all times. `meanwhile` has the increments of the counters during the measurement.
fn doubts_of_machine(rows: &[Timing], meanwhile: Counters) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let stolen = meanwhile.stolen as f64 / meanwhile.ticks.max(1) as f64;
    if stolen > MOST_STOLEN {
        let words = format!(
            "the host of this virtual machine took {:.0}% of the CPU time away; measure again when it is idle",
            100.0 * stolen
        );
        doubts.push(Doubt { error: stolen, words });
    }
    if meanwhile.throttled > 0 {
        let words = format!(
            "the CPU got too hot and was slowed down ({}); cool it, or measure with fewer threads",
            plural(meanwhile.throttled, "time")
        );
        doubts.push(Doubt { error: ERROR_OF_HEAT, words });
    }
    if let Some(slower) = drift(rows).filter(|slower| *slower > LARGEST_DRIFT) {
        let words = format!(
            "the machine got {:.0}% slower from the first rounds to the last: a CPU that gets hot does that, or other \
             programs; cool it, or wait, and measure again",
            100.0 * (slower - 1.0)
        );
        doubts.push(Doubt { error: slower - 1.0, words });
    }
    doubts
}

/// Returns the reasons to doubt single rows that were measured on `machine`; each reason names its worst row. If
/// `alone` is true, every thread counted a board by itself; otherwise, only the thread of a one-thread row did.
fn doubts_of_rows(rows: &[Timing], machine: &Machine, alone: bool) -> Vec<Doubt> {
    // If each thread counts by itself, `seconds` is the time of one count divided by the number of threads.
    let is_short = |row: &&Timing| row.seconds * if alone { row.threads as f64 } else { 1.0 } < SHORTEST;
    let short = rows.iter().filter(is_short);
    let long = || rows.iter().filter(|row| !is_short(row));
    let waited = |row: &Timing| {
        // A quota of CPU time makes a smaller machine, which is no reason to doubt.
        let missing = 1.0 - row.cpu_seconds? / row.seconds / machine.cpus().min(row.threads as f64);
        (alone || row.threads == 1).then_some(missing)
    };
    let short = worst(short.map(|row| (row, -row.seconds)), |which, seconds| {
        let words = format!("{which}: {} were too short to be timed well; give larger --boards", words::time(-seconds));
        Doubt { error: LARGEST_ERROR, words }
    });
    let waiting = long().filter_map(|row| Some((row, waited(row)?))).filter(|(_, missing)| *missing > 1.0 - LEAST_CPU);
    let waiting = worst(waiting, |which, missing| {
        let words = format!(
            "{which}: other programs had its CPU for {:.0}% of the time; end them, or wait, and measure again",
            100.0 * missing
        );
        Doubt { error: missing, words }
    });
    let unsteady = long().map(|row| (row, row.spread)).filter(|(_, spread)| *spread > LARGEST_SPREAD);
    let unsteady = worst(unsteady, |which, spread| {
        let words = format!(
            "{which}: the times spread over {:.0}% of their median; end other programs, or measure longer",
            100.0 * spread
        );
        // Half the spread is about twice the standard error of the median of a dozen times.
        Doubt { error: spread / 2.0, words }
    });
    let cpus = machine.logical_cpus;
    let shared = rows.iter().filter(|row| row.threads > cpus).map(|row| (row, row.threads as f64));
    let shared = worst(shared, |which, _| {
        let words = format!("{which} shared {}; give --threads up to {cpus} to see how it scales", plural(cpus, "CPU"));
        Doubt { error: LARGEST_ERROR, words }
    });
    [shared, short, waiting, unsteady].into_iter().flatten().collect()
}

/// Returns the doubt about the row with the largest value, which also tells the number of the other rows. Returns
/// `None` if there is no row.
fn worst<'a>(rows: impl Iterator<Item = (&'a Timing, f64)>, doubt: impl Fn(&str, f64) -> Doubt) -> Option<Doubt> {
    let rows: Vec<_> = rows.collect();
    let (row, value) = rows.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let others = if rows.len() > 1 { format!(" (and {} more)", rows.len() - 1) } else { String::new() };
    Some(doubt(&format!("{}, {}{others}", row.name(), plural(row.threads, "thread")), *value))
}

/// Returns the drift of the machine. For each row, the median time of the second half of the rounds is divided by that
/// of the first half; the drift is the median of these ratios. Returns `None` if there are fewer than four rounds.
fn drift(rows: &[Timing]) -> Option<f64> {
    let ratio = |row: &Timing| {
        let half = row.times.len() / 2;
        (half >= 2).then(|| median(&row.times[row.times.len() - half..]) / median(&row.times[..half]))
    };
    let ratios: Vec<f64> = rows.iter().filter_map(ratio).collect();
    (!ratios.is_empty()).then(|| median(&ratios))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::timing;
    use crate::app::machine::MACHINE;

    /// Returns the doubts about a count on one thread that had a CPU for the share `had` of these times.
    fn doubts(times: &[f64], had: f64) -> Vec<Doubt> {
        let mut row = timing("test", 1, times);
        row.cpu_seconds = Some(had * row.seconds);
        let mut doubts = doubts_of_rows(std::slice::from_ref(&row), &MACHINE, false);
        doubts.extend(doubts_of_machine(&[row], Counters::default()));
        doubts
    }

    #[test]
    fn steady_times_of_a_machine_at_rest_are_quotable() {
        let doubts = doubts(&[1.0, 1.01, 1.02, 0.99, 1.0], 0.99);
        assert!(doubts.is_empty(), "{doubts:?}");
        assert_eq!(judge_score(&doubts), ("quotable".to_owned(), 0.0));
    }

    #[test]
    fn each_doubt_names_its_cause_and_the_next_step_and_bounds_the_error() {
        for (times, had, cause, step, quality) in [
            (vec![1.0, 1.1, 0.95, 1.05, 1.0], 1.0, "spread over 5%", "measure longer", "good to \u{b1}3%"),
            (vec![1.0, 1.3, 0.9, 1.2, 1.0], 1.0, "spread over 20%", "measure longer", "good to \u{b1}10%"),
            (vec![1.0, 1.0, 1.0], 0.7, "had its CPU for 30%", "end them", "only an impression"),
            (vec![0.001, 0.001], 0.5, "1", "too short", "good to \u{b1}10%"),
            (vec![1.0, 1.0, 1.04, 1.09, 1.09], 1.0, "9% slower", "cool it", "good to \u{b1}9%"),
        ] {
            let doubts = doubts(&times, had);
            let said = doubts.iter().map(|doubt| doubt.words.clone()).collect::<Vec<_>>().join("\n");
            assert!(said.contains(cause) && said.contains(step), "{said}");
            assert!(said.contains("test avx2, N = 16, 1 thread") || cause.contains("slower"), "{said}");
            assert_eq!(judge_score(&doubts).0, quality, "{said}");
        }
    }

    #[test]
    fn what_goes_on_meanwhile_is_told() {
        let of = |throttled, ticks, stolen| doubts_of_machine(&[], Counters { throttled, ticks, stolen });
        assert!(of(0, 1000, 20).is_empty());
        assert!(of(0, 1000, 100)[0].words.contains("took 10% of the CPU time"));
        assert!(of(3, 1000, 0)[0].words.contains("too hot and was slowed down (3 times)"));
    }

    #[test]
    fn several_with_the_same_fault_are_one_line_with_the_worst() {
        let rows = [0.9, 0.5, 0.8].map(|had| {
            let mut row = timing("test", 1, &[1.0; 3]);
            row.cpu_seconds = Some(had);
            row
        });
        let doubts = doubts_of_rows(&rows, &MACHINE, false);
        assert!(doubts.len() == 1 && doubts[0].words.contains("(and 2 more)"), "{doubts:?}");
        assert!(doubts[0].words.contains("for 50% of"), "{doubts:?}");
    }

    #[test]
    fn threads_of_one_count_may_wait_for_each_other_but_not_those_that_count_alone() {
        let mut row = timing("test", 4, &[1.0; 3]);
        row.cpu_seconds = Some(3.2);
        let machine = Machine { logical_cpus: 4, cpu_quota: None, ..MACHINE.clone() };
        assert!(doubts_of_rows(std::slice::from_ref(&row), &machine, false).is_empty());
        assert!((doubts_of_rows(std::slice::from_ref(&row), &machine, true)[0].error - 0.2).abs() < 1e-9);
        let fast = Timing { seconds: 0.003, cpu_seconds: Some(0.012), ..row.clone() };
        assert!(doubts_of_rows(&[fast], &machine, true).is_empty(), "each of its counts takes 12 ms");
        let smaller = Machine { cpu_quota: Some(3.3), ..machine };
        assert!(doubts_of_rows(&[row], &smaller, true).is_empty(), "a quota is no disturbance");
    }

    #[test]
    fn threads_that_share_cpus_are_said_to() {
        let machine = Machine { logical_cpus: 4, ..MACHINE.clone() };
        let doubts = doubts_of_rows(&[timing("test", 4, &[1.0; 3]), timing("test", 8, &[1.0; 3])], &machine, false);
        assert!(doubts.len() == 1 && doubts[0].words.contains("8 threads shared 4 CPUs"), "{doubts:?}");
    }
}
