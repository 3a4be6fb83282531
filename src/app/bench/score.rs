//! The score: the solutions that a machine counts in a second.
//!
//! Every thread counts the same board by itself, again and again. So the work of a thread does not depend on the number
//! of threads, and the speed of all threads compares with the speed of one. Rounds on all threads and on one alternate,
//! so that a change of the machine's speed affects both.

use crate::app::bench::study::{Score, Study, Timing};
use crate::app::bench::{measurement, quality};
use crate::app::failure::Failure;
use crate::app::machine::{self, Counters};
use crate::app::output::words;
use nqueens::run::{on_threads, process_cpu_time};
use nqueens::{Board, Cancel, Count, Engine, Job, RunError};
use std::time::{Duration, Instant};

/// The size of the board: a count takes a seventh of a second to a few seconds on one thread.
const BOARD: usize = 18;
/// The number of timed rounds of a whole measurement, each on all threads and on one.
const ROUNDS: u32 = 12;
/// The time of one round.
const ROUND: Duration = Duration::from_secs(5);
/// The time of a whole measurement.
pub(super) const DURATION: Duration = Duration::from_secs(60);

/// Measures the score for about `duration`.
///
/// # Errors
/// If a count fails or contradicts the published total, or if `cancel` is set.
pub(super) fn measure(duration: Duration, cancel: &Cancel, progress: &dyn Fn(f64)) -> Result<Study, Failure> {
    let rounds = (duration.as_millis() / ROUND.as_millis()).clamp(1, ROUNDS.into()) as u32;
    let mut study = Study::begin(rounds as usize);
    // Every thread counts with the best kernel of the CPU.
    let job = Job::new(Board::new(BOARD).expect("it is a board")).engine(Engine::TwoColor).threads(1);
    let job = job.kernel(Engine::TwoColor.kernels()[0]);
    let all = machine::default_threads();
    let threads = if all == 1 { vec![1] } else { vec![all, 1] };
    let round = duration / (rounds * threads.len() as u32);
    // The first round warms up.
    let (count, ..) = run_round(&job, all, round, cancel)?;
    study.rows = threads.iter().map(|&threads| Timing::new(&count, threads)).collect();
    let counters = Counters::now();
    for done in 0..rounds {
        for row in &mut study.rows {
            let (_, seconds, cpu_seconds) = run_round(&job, row.threads, round, cancel)?;
            row.push(seconds, cpu_seconds);
        }
        progress(f64::from(done + 1) / f64::from(rounds));
    }
    let mut doubts = quality::judge(&mut study, counters, true);
    if duration < DURATION {
        doubts.push(quality::Doubt {
            error: 1.0,
            words: format!("it was measured for {} only", words::time(duration.as_secs_f64())),
        });
    }
    let (quality, error) = quality::judge_score(&doubts);
    study.score = Some(Score {
        solutions_per_second: study.rows[0].solutions_per_second,
        one_thread: study.rows[study.rows.len() - 1].solutions_per_second,
        threads: all,
        kernel: count.kernel.to_string(),
        quality,
        error,
        reasons: doubts.into_iter().map(|doubt| doubt.words).collect(),
    });
    Ok(study)
}

/// Lets each thread count until `time` is over and its last count is finished. Returns one of the counts, the time that
/// the threads together need for one, and the CPU time of one. The CPU time is `None` if the system does not report it.
fn run_round(job: &Job, threads: usize, time: Duration, cancel: &Cancel) -> Result<(Count, f64, Option<f64>), Failure> {
    let (start, cpu_before) = (Instant::now(), process_cpu_time());
    let work = || -> Result<(Count, u32, f64), RunError> {
        let (mut counts, begin) = (0, Instant::now());
        loop {
            let count = job.run_with(cancel, &())?;
            counts += 1;
            if start.elapsed() >= time {
                return Ok((count, counts, f64::from(counts) / begin.elapsed().as_secs_f64()));
            }
        }
    };
    let all = on_threads(threads, || rayon::broadcast(|_| work()))?;
    let cpu = process_cpu_time().zip(cpu_before).map(|(after, before)| after.saturating_sub(before).as_secs_f64());
    let mut all = all.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| match error {
        RunError::Cancelled { .. } => Failure::Cancelled("stopped before there was a score".to_owned()),
        error => error.into(),
    })?;
    all.iter().try_for_each(|(count, ..)| measurement::check(job.engine_name(), count))?;
    let counts: u32 = all.iter().map(|(_, counts, _)| counts).sum();
    let per_second: f64 = all.iter().map(|(.., per_second)| per_second).sum();
    Ok((all.swap_remove(0).0, per_second.recip(), cpu.map(|cpu| cpu / f64::from(counts))))
}

/// Returns a speed in millions of solutions per second with four significant digits, because two runs never agree in
/// more.
pub(crate) fn millions(solutions_per_second: f64) -> String {
    let rounded: f64 = format!("{:.3e}", solutions_per_second / 1e6).parse().expect("it is a number");
    if rounded < 1000.0 { rounded.to_string() } else { words::about(rounded) }
}

/// Returns the line to quote; `None` if the study has no score.
pub(crate) fn quoted(study: &Study) -> Option<String> {
    let Score { solutions_per_second, one_thread, threads, kernel, quality, .. } = study.score.as_ref()?;
    Some(format!(
        "nqueens {} score: {} million solutions/s on {} ({} on one), {kernel} kernel, {quality}; {}, {}",
        study.program.version.split(' ').next().unwrap_or_default(),
        millions(*solutions_per_second),
        words::plural(*threads, "thread"),
        millions(*one_thread),
        study.machine.cpu,
        study.machine.cpus_in_words(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::study;
    use crate::app::faulty::FAULTY;

    #[test]
    fn a_wrong_count_gives_no_score() {
        let job = Job::new(Board::new(10).unwrap()).engine(FAULTY).threads(1);
        let outcome = run_round(&job, 2, Duration::ZERO, &Cancel::new());
        let named = "faulty, kernel scalar: the total count for N = 10 came out as 732, but 724 is published";
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message.contains(named)));
    }

    #[test]
    fn a_round_counts_at_least_once_on_each_thread() {
        let job = Job::new(Board::new(8).unwrap()).engine(Engine::TwoColor).threads(1);
        let (count, seconds, cpu_seconds) = run_round(&job, 2, Duration::ZERO, &Cancel::new()).unwrap();
        assert!(count.total == 92 && seconds > 0.0 && seconds < 60.0);
        assert!(cpu_seconds.is_none_or(|seconds| seconds > 0.0));
    }

    #[test]
    fn a_score_that_is_stopped_is_none() {
        let cancel = Cancel::new();
        cancel.cancel();
        let outcome = measure(Duration::from_secs(60), &cancel, &|_| ());
        assert!(matches!(outcome, Err(Failure::Cancelled(message)) if message == "stopped before there was a score"));
    }

    #[test]
    fn a_score_has_four_digits() {
        let texts = [2_250_306_162.0, 1.234_56e13, 4_308_480.0, 999_960_000.0, 812.3].map(millions);
        assert_eq!(texts, ["2,250", "12,350,000", "4.308", "1,000", "0.0008123"]);
    }

    #[test]
    fn the_line_to_quote_says_what_on_which_machine_and_how_good_it_is() {
        let mut study = study();
        assert_eq!(quoted(&study), None);
        study.program.version = "1.2.3 (0123456789)".to_owned();
        study.machine.all_cpus = Some(64);
        study.score = Some(Score {
            solutions_per_second: 2e9,
            one_thread: 6e8,
            threads: 4,
            kernel: "portable".to_owned(),
            quality: "good to \u{b1}6%".to_owned(),
            error: 0.06,
            reasons: vec!["too loud".to_owned()],
        });
        assert_eq!(
            quoted(&study).unwrap(),
            "nqueens 1.2.3 score: 2,000 million solutions/s on 4 threads (600 on one), portable kernel, \
             good to \u{b1}6%; Test <CPU> & Co., 4 of 64 CPUs"
        );
    }
}
