//! `nqueens bench`: measures how many solutions this machine counts in a second.
//!
//! Every thread counts the same board by itself, again and again. So the work of a thread does not depend on the number
//! of threads, and the speed of all threads compares with the speed of one. Rounds of different numbers of threads, or
//! of different CPUs, alternate, so that a change of the machine's speed affects all of them.

use crate::app::affinity::{self, on_each, pin};
use crate::app::assessment::contradicted;
use crate::app::failure::{Failure, refused};
use crate::app::machine::{Counters, MACHINE};
use crate::app::messages::warn;
use crate::app::numbers::time;
use crate::app::options::{Choice, OutputOptions, ThreadsOption, choice};
use crate::app::output::Sink;
use crate::app::output::words::{self, plural};
use crate::app::rows::{About, Cell, Cpu, Format, Kind, Ratio, Report, Row};
use nqueens::machine::process_cpu_time;
use nqueens::{Board, Cancel, Count, Engine, Job, Kernel, Pool, published};
use serde::Serialize;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// Measure how many solutions this machine counts in a second
///
/// A row shows the speed of 1, 2, 4, ... threads up to all CPUs, or up to -j, and the speed-up over one thread. Each
/// thread counts the same board by itself, again and again, for some seconds. The numbers of threads take turns, in six
/// rounds at least. The last line is the score: the speed of all threads. Every total is compared with the published
/// one.
///
/// A speed is the median of its rounds. The error (±) is the distance to the farther end of a 95% confidence interval
/// for this median, which is made from the ranks of the rounds and assumes no distribution (J.-Y. Le Boudec,
/// Performance Evaluation of Computer and Communication Systems, 2010, section 2.2). What may have disturbed the
/// measurement is told as a warning: heat, a host that took CPU time away, other programs, and rounds that differ,
/// unless other programs explain that.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench
  nqueens bench --each-core
  nqueens bench 16 --engine backtrack -j 4
  nqueens bench --strict --duration 5m --output speed.json")]
pub(crate) struct Arguments {
    /// The size of the board, 4 to 20; only speeds for the same board compare
    #[arg(value_name = "N", default_value = "18", allow_negative_numbers = true)]
    board: Board,

    /// Measure each CPU by itself instead, with one pinned thread whatever --threads says, and say which are slower
    #[arg(long, help_heading = "Measurement options")]
    each_core: bool,

    /// The time that the whole measurement takes, at least
    #[arg(long, short, value_name = "TIME", default_value = "1m", allow_hyphen_values = true, value_parser = time,
        help_heading = "Measurement options")]
    duration: Duration,

    /// Fail if there is any warning; the speeds are written nevertheless
    #[arg(long, help_heading = "Measurement options")]
    strict: bool,

    /// Count with this engine
    #[arg(long, value_name = "ENGINE", default_value = "auto", hide_default_value = true,
        value_parser = choice(Engine::ALL), help_heading = "Counting options")]
    engine: Choice<Engine>,

    /// Count with this kernel of the CPU: `auto` is the fastest
    #[arg(long, value_name = "KERNEL", default_value = "auto", hide_default_value = true,
        value_parser = choice(Kernel::ALL), help_heading = "Counting options")]
    kernel: Choice<Kernel>,

    #[command(flatten)]
    threads: ThreadsOption,

    #[command(flatten)]
    printing: OutputOptions,
}

/// The sizes of the boards that have solutions, and that one thread of the fastest engine counts in seconds.
const BOARDS: RangeInclusive<usize> = 4..=20;
/// The number of rounds of a measurement if a count is short.
const ROUNDS: u32 = 12;
/// The fewest rounds. Fewer have no confidence interval of 95%, because all of them may be above the median.
const FEWEST_ROUNDS: u32 = 6;

/// The largest distance between the ends of a confidence interval that raises no warning, as a share of the median.
const WIDEST_INTERVAL: f64 = 0.05;
/// The smallest share of its time for which a thread must have a CPU to raise no warning.
const LEAST_CPU: f64 = 0.95;
/// The largest share of CPU time that the host of a virtual machine may take without a warning.
const MOST_STOLEN: f64 = 0.02;
/// The share of the fastest CPU's speed below which a CPU is called slower.
const SLOWER: f64 = 0.95;

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let Arguments { board, each_core, duration, threads, printing, .. } = arguments;
    if !BOARDS.contains(&board.size()) {
        return refused(format!("N = {board} has too few solutions, or takes too long; give N from 4 to 20"));
    }
    if arguments.kernel == Some(Kernel::Gpu) {
        return refused("only CPUs are measured; `nqueens count 22 --kernel gpu` tells the time of a GPU");
    }
    let subjects: Vec<Subject> = if *each_core {
        affinity::cpus().into_iter().map(|cpu| Subject { threads: 1, pinned_to: Some(cpu) }).collect()
    } else {
        powers_of_two_and(threads.number()).map(|threads| Subject { threads, pinned_to: None }).collect()
    };
    if subjects.is_empty() {
        return refused("this system cannot pin a thread to a CPU; omit --each-core");
    }
    let job = Job::new(*board).engine(arguments.engine).kernel(arguments.kernel).threads(1);
    let output = printing.open(&[])?;
    let measured = {
        let bar = printing.bar("bench".to_owned());
        measure(&job, &subjects, *duration, cancel, &|done| bar.share(done))
    };
    let (count, rounds) = measured?;
    let mut speeds: Vec<SpeedRow> =
        subjects.iter().zip(&rounds).map(|(subject, rounds)| SpeedRow::new(*subject, rounds, &count)).collect();
    let unit = if *each_core { fastest(&speeds) } else { speeds[0].solutions_per_second.0 };
    for speed in &mut speeds {
        speed.speed_up.0 = speed.solutions_per_second.0 / unit;
    }
    report(arguments, &speeds, output)
}

/// Writes the rows, the warnings and the last line.
fn report(arguments: &Arguments, speeds: &[SpeedRow], output: impl Sink) -> Result<(), Failure> {
    let Arguments { strict, printing, .. } = arguments;
    let warnings: Vec<&str> = speeds.iter().flat_map(|speed| &speed.warnings).map(String::as_str).collect();
    if !strict {
        warnings.iter().for_each(warn);
    }
    let last = if arguments.each_core { slower(speeds) } else { score(speeds) };
    let mut report = Report::open(printing.format(), Kind::Many("nqueens/bench/3"), output);
    speeds.iter().try_for_each(|speed| report.row(speed))?;
    if printing.format() == Format::Text {
        report.line("")?;
        report.line(&last)?;
    }
    report.finish(true)?;
    if printing.format() != Format::Text {
        printing.remark(format_args!("{last}"));
    }
    if *strict && !warnings.is_empty() {
        return Err(Failure::Failed(format!("the speeds may be wrong: {}", warnings.join("; "))));
    }
    Ok(())
}

/// Returns 1, 2, 4, ... and `last`.
fn powers_of_two_and(last: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1), |power| Some(2 * power));
    powers.take_while(move |&power| power < last).chain([last])
}

/// The thing whose speed is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Subject {
    /// The number of threads.
    threads: usize,
    /// The CPU to which the only thread is pinned; `None` without `--each-core`.
    pinned_to: Option<usize>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = || plural(self.threads, "thread");
        f.write_str(&self.pinned_to.map_or_else(threads, |cpu| format!("CPU {cpu}")))
    }
}

/// A round of a subject.
#[derive(Clone, Copy, Debug)]
struct Round {
    solutions_per_second: f64,
    /// The share of their time for which the threads had no CPU; 0 if the system does not report it.
    waited: f64,
    /// The increments of the counters during the round.
    counters: Counters,
}

/// Measures every subject in turn for about `duration`. Returns one of the counts, and the rounds of each subject.
///
/// # Errors
/// If a count fails or contradicts the published total, or if `cancel` is set.
fn measure(
    job: &Job,
    subjects: &[Subject],
    duration: Duration,
    cancel: &Cancel,
    progress: &dyn Fn(f64),
) -> Result<(Count, Vec<Vec<Round>>), Failure> {
    let last = subjects[subjects.len() - 1];
    let pools = Pool::singles(last.threads)?;
    let count = job.clone().pool(&pools[0]).run_with(cancel, &())?;
    let time = duration / (ROUNDS * subjects.len() as u32);
    // The first round warms up.
    round(job, last, &pools, time, cancel)?;
    let (start, mut rounds) = (Instant::now(), vec![Vec::new(); subjects.len()]);
    let share_of_time = || start.elapsed().as_secs_f64() / duration.as_secs_f64();
    for number in 1.. {
        for (subject, rounds) in subjects.iter().zip(&mut rounds) {
            rounds.push(round(job, *subject, &pools, time, cancel)?);
            progress(share_of_time().min(f64::from(number) / f64::from(FEWEST_ROUNDS)).min(1.0));
        }
        if number >= FEWEST_ROUNDS && share_of_time() >= 1.0 {
            break;
        }
    }
    Ok((count, rounds))
}

/// Lets each thread of a subject count until `time` is over and its last count is finished.
fn round(job: &Job, subject: Subject, pools: &[Pool], time: Duration, cancel: &Cancel) -> Result<Round, Failure> {
    let Subject { threads, pinned_to } = subject;
    let (before, cpu_before, start) = (Counters::now(), process_cpu_time(), Instant::now());
    let all = on_each(&pools[..threads], |_, pool| {
        if let Some(cpu) = pinned_to
            && !pin(pool, cpu)?
        {
            return Err(Failure::Failed(format!("the system refuses to pin a thread to CPU {cpu}; omit --each-core")));
        }
        let (job, begin, mut solutions) = (job.clone().pool(pool), Instant::now(), 0);
        loop {
            let count = job.run_with(cancel, &())?;
            let named = |wrong| format!("{subject}, {}, kernel {}: {wrong}", count.engine, count.kernel);
            let wrong = published::contradiction(count.board, count.total).map(named);
            contradicted(wrong, "`nqueens verify` tests the kernels of this CPU")?;
            solutions += count.total;
            if start.elapsed() >= time {
                return Ok((solutions as f64, begin.elapsed().as_secs_f64()));
            }
        }
    })?;
    let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
    let cpu_time = process_cpu_time().zip(cpu_before).map(|(after, before)| after.saturating_sub(before).as_secs_f64());
    // Threads that share CPUs, or a quota of their time, do not wait for another program.
    let seconds: f64 = all.iter().map(|(_, seconds)| seconds).sum();
    let due = seconds * MACHINE.cpus.min(threads as f64) / threads as f64;
    Ok(Round {
        solutions_per_second: all.iter().map(|(solutions, seconds)| solutions / seconds).sum(),
        waited: cpu_time.map_or(0.0, |cpu_time| 1.0 - cpu_time / due),
        counters: Counters::now().since(before),
    })
}

/// The speed of a subject: a row.
#[derive(Debug, Serialize)]
struct SpeedRow {
    #[serde(flatten)]
    subject: Subject,
    /// The solutions that all threads together count in a second: the median of the rounds.
    solutions_per_second: About,
    /// The ends of a confidence interval of 95% for the median.
    low: About,
    high: About,
    /// The speed divided by that of one thread, or with `--each-core` by that of the fastest CPU.
    speed_up: Ratio,
    rounds: usize,
    /// The reasons to doubt the speed, in words.
    warnings: Vec<String>,
    board: Board,
    engine: Engine,
    kernel: Kernel,
    cpu: Cpu,
}

impl SpeedRow {
    /// Returns the speed of a subject with these rounds of counts like `count`. It is compared with itself.
    fn new(subject: Subject, rounds: &[Round], count: &Count) -> Self {
        let mut sorted: Vec<f64> = rounds.iter().map(|round| round.solutions_per_second).collect();
        sorted.sort_by(f64::total_cmp);
        let outside = ranks_outside(sorted.len());
        let (low, high) = (sorted[outside], sorted[sorted.len() - 1 - outside]);
        let median = f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self {
            subject,
            solutions_per_second: About(median),
            low: About(low),
            high: About(high),
            speed_up: Ratio(1.0),
            rounds: rounds.len(),
            warnings: warnings(subject, rounds, (high - low) / median),
            board: count.board,
            engine: count.engine,
            kernel: count.kernel,
            cpu: Cpu,
        }
    }

    /// Returns the distance between the speed and the farther end of its interval, as a share of the speed.
    fn error(&self) -> f64 {
        let Self { solutions_per_second: About(speed), low, high, .. } = self;
        (high.0 - speed).max(speed - low.0) / speed
    }
}

impl Row for SpeedRow {
    fn cells(&self) -> Vec<Cell> {
        let (subject, number, speed_up) = match self.subject.pinned_to {
            Some(cpu) => ("CPU", cpu, "of fastest"),
            None => ("threads", self.subject.threads, "speed-up"),
        };
        vec![
            Cell::number(subject, 7, Some(number)),
            Cell::number("million/s", 9, Some(millions(self.solutions_per_second.0))),
            Cell::number("\u{b1}", 5, Some(format!("{:.1}%", 100.0 * self.error()))),
            Cell::number(speed_up, 10, Some(self.speed_up)),
        ]
    }
}

/// Returns the number of the smallest of `values` values, and of the largest ones, that are outside a confidence
/// interval of 95% for the median.
///
/// Each value is below the median with probability 1/2. So the interval misses the median on one side if at most that
/// many values are on this side, as of a binomial distribution.
fn ranks_outside(values: usize) -> usize {
    let (mut outside, mut probability) = (0, 0.5_f64.powf(values as f64));
    let mut missed = probability;
    loop {
        probability *= (values - outside) as f64 / (outside + 1) as f64;
        missed += probability;
        if 2.0 * missed > 0.05 {
            return outside;
        }
        outside += 1;
    }
}

/// Returns the reasons to doubt the speed of a subject with these rounds, whose confidence interval has this width as a
/// share of the median. Each reason names its cause and a remedy.
fn warnings(subject: Subject, rounds: &[Round], width: f64) -> Vec<String> {
    let of_all = |counter: fn(&Counters) -> u64| rounds.iter().map(|round| counter(&round.counters)).sum::<u64>();
    let throttled = of_all(|counters| counters.throttled);
    let stolen = of_all(|counters| counters.stolen) as f64 / of_all(|counters| counters.ticks).max(1) as f64;
    let waited = rounds.iter().map(|round| round.waited).sum::<f64>() / rounds.len() as f64;
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let (times, took, had, wide) = (plural(throttled, "time"), percent(stolen), percent(waited), percent(width));
    let is_disturbed = waited > 1.0 - LEAST_CPU;
    let doubts = [
        (throttled > 0, format!("the CPU got too hot and was slowed down ({times}); cool it")),
        (stolen > MOST_STOLEN, format!("the host of this virtual machine took {took} of the time; try again later")),
        (is_disturbed, format!("other programs had the CPU for {had} of the time; end them")),
        (width > WIDEST_INTERVAL && !is_disturbed, format!("the interval is {wide} of the speed wide; measure longer")),
    ];
    doubts.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| format!("{subject}: {words}")).collect()
}

/// Returns the line to quote: the speed of the last row, which has the most threads.
fn score(speeds: &[SpeedRow]) -> String {
    let (one, all) = (&speeds[0], &speeds[speeds.len() - 1]);
    let of_one = format!(" ({} on one)", millions(one.solutions_per_second.0));
    format!(
        "nqueens {} score: {} million solutions/s on {}{}, N = {}, {}, {} kernel; {}, {}",
        env!("CARGO_PKG_VERSION"),
        millions(all.solutions_per_second.0),
        all.subject,
        if speeds.len() > 1 { of_one } else { String::new() },
        all.board,
        all.engine,
        all.kernel,
        MACHINE.cpu,
        MACHINE.cpus_in_words(),
    )
}

fn fastest(speeds: &[SpeedRow]) -> f64 {
    speeds.iter().map(|speed| speed.solutions_per_second.0).fold(0.0, f64::max)
}

/// Returns a line about the CPUs that are slower than the fastest one, also at the upper ends of their intervals.
fn slower(speeds: &[SpeedRow]) -> String {
    let fastest = fastest(speeds);
    let slower = speeds.iter().filter(|speed| speed.high.0 < SLOWER * fastest);
    let named =
        |speed: &SpeedRow| format!("{} ({:.0}%)", speed.subject, 100.0 * speed.solutions_per_second.0 / fastest);
    match &*slower.map(named).collect::<Vec<_>>().join(", ") {
        "" => "no CPU is slower than 95% of the fastest beyond its error".to_owned(),
        slower => format!("slower than 95% of the fastest CPU: {slower}"),
    }
}

/// Returns a speed in millions of solutions per second with four significant digits, because two runs never agree in
/// more.
fn millions(solutions_per_second: f64) -> String {
    let rounded: f64 = format!("{:.3e}", solutions_per_second / 1e6).parse().expect("it is a number");
    if rounded < 1000.0 { rounded.to_string() } else { words::grouped(rounded as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::count::counting::tests::count;
    use crate::app::faulty::FAULTY;
    use crate::app::parsed;

    fn job(size: usize) -> Job {
        Job::new(Board::new(size).unwrap()).threads(1)
    }

    fn threads(threads: usize) -> Subject {
        Subject { threads, pinned_to: None }
    }

    fn cpu(cpu: usize) -> Subject {
        Subject { threads: 1, pinned_to: Some(cpu) }
    }

    fn rounds(speeds: &[f64]) -> Vec<Round> {
        let round = |&solutions_per_second| Round { solutions_per_second, waited: 0.01, counters: Counters::default() };
        speeds.iter().map(round).collect()
    }

    fn speed(subject: Subject, speeds: &[f64]) -> SpeedRow {
        SpeedRow::new(subject, &rounds(speeds), &count(18, 666_090_624))
    }

    #[test]
    fn threads_double_up_to_all() {
        for (last, numbers) in [(1, &[1][..]), (2, &[1, 2]), (6, &[1, 2, 4, 6]), (64, &[1, 2, 4, 8, 16, 32, 64])] {
            assert_eq!(powers_of_two_and(last).collect::<Vec<_>>(), numbers);
        }
    }

    /// These are the ranks of the usual tables, such as that of W. Conover, *Practical Nonparametric Statistics*.
    #[test]
    fn the_ranks_of_an_interval_are_those_of_the_binomial_distribution() {
        let ranks = [6, 8, 9, 10, 12, 15, 20, 25, 30, 50].map(ranks_outside);
        assert_eq!(ranks, [0, 0, 1, 1, 2, 3, 5, 7, 9, 17]);
    }

    #[test]
    fn a_speed_is_the_median_with_the_ends_of_its_interval() {
        let six = speed(threads(1), &[105.0, 90.0, 101.0, 102.0, 99.0, 104.0]);
        assert_eq!((six.rounds, six.solutions_per_second.0, six.low.0, six.high.0), (6, 101.5, 90.0, 105.0));
        let nine = speed(cpu(0), &[9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0]);
        assert_eq!((nine.solutions_per_second.0, nine.low.0, nine.high.0, nine.error()), (5.0, 2.0, 8.0, 0.6));
    }

    #[test]
    fn each_warning_names_its_cause_and_a_remedy() {
        let warned = |change: fn(&mut Round), width| {
            let mut rounds = rounds(&[1.0; 6]);
            rounds.iter_mut().for_each(change);
            warnings(cpu(3), &rounds, width)
        };
        assert!(warned(|_| (), 0.049).is_empty());
        let counters = |throttled, ticks, stolen| Counters { throttled, ticks, stolen };
        assert!(warned(|round| round.waited = 0.04, 0.0).is_empty());
        for (warned, said) in [
            (
                warned(|round| round.waited = 0.3, 0.0),
                "CPU 3: other programs had the CPU for 30% of the time; end them",
            ),
            (warned(|_| (), 0.2), "CPU 3: the interval is 20% of the speed wide; measure longer"),
        ] {
            assert_eq!(warned, [said]);
        }
        let disturbed = Round { counters: counters(2, 1000, 100), ..rounds(&[1.0])[0] };
        assert_eq!(
            warnings(cpu(3), &[disturbed; 6], 0.0),
            [
                "CPU 3: the CPU got too hot and was slowed down (12 times); cool it",
                "CPU 3: the host of this virtual machine took 10% of the time; try again later"
            ]
        );
    }

    #[test]
    fn the_score_says_what_counted_on_which_machine() {
        let speeds = [speed(threads(1), &[4_644e6; 6]), speed(threads(2), &[9_134.9e6; 6])];
        let line = score(&speeds);
        let begin = concat!("nqueens ", env!("CARGO_PKG_VERSION"), " score: 9,135 million solutions/s on 2 threads ");
        assert!(line.starts_with(&format!("{begin}(4,644 on one), N = 18, ")), "{line}");
        assert!(line.ends_with(&format!("{}, {}", MACHINE.cpu, MACHINE.cpus_in_words())), "{line}");
        let texts = [2_250_306_162.0, 1.234_56e13, 4_308_480.0, 999_960_000.0, 812.3].map(millions);
        assert_eq!(texts, ["2,250", "12,350,000", "4.308", "1,000", "0.0008123"]);
    }

    #[test]
    fn a_slower_cpu_is_named_if_its_interval_tells() {
        let unsteady = speed(cpu(8), &[50.0, 60.0, 70.0, 80.0, 90.0, 96.0]);
        let mut speeds = vec![speed(cpu(0), &[100.0; 6]), speed(cpu(1), &[96.0; 6]), unsteady];
        assert_eq!(slower(&speeds), "no CPU is slower than 95% of the fastest beyond its error");
        speeds.push(speed(cpu(7), &[61.0; 6]));
        assert_eq!(slower(&speeds), "slower than 95% of the fastest CPU: CPU 7 (61%)");
    }

    #[test]
    fn a_wrong_count_gives_no_speed_and_is_named() {
        let measured = measure(&job(10).counted_by(FAULTY), &[threads(2)], Duration::ZERO, &Cancel::new(), &|_| ());
        let named =
            "2 threads, backtrack, kernel scalar: the total count for N = 10 came out as 732, but 724 is published";
        assert!(matches!(measured, Err(Failure::Failed(message)) if message.starts_with(named)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_cpu_that_cannot_be_had_has_no_round() {
        let ended = round(&job(8), cpu(1023), &Pool::singles(1).unwrap(), Duration::ZERO, &Cancel::new());
        let refused = "the system refuses to pin a thread to CPU 1023; omit --each-core";
        assert!(matches!(ended, Err(Failure::Failed(message)) if message == refused));
    }

    #[test]
    fn every_subject_has_six_rounds_at_least() {
        let subjects = [threads(1), threads(3)];
        let (count, rounds) = measure(&job(8), &subjects, Duration::from_millis(1), &Cancel::new(), &|_| ()).unwrap();
        assert_eq!(count.total, 92);
        assert!(rounds.len() == 2 && rounds.iter().all(|rounds| rounds.len() >= 6), "{rounds:?}");
        assert!(rounds.concat().iter().all(|round| round.solutions_per_second > 0.0 && round.waited < 1.0));
    }

    #[test]
    fn a_measurement_ends_when_it_is_stopped() {
        let cancel = Cancel::new();
        cancel.cancel();
        let measured = measure(&job(20), &[threads(1)], Duration::from_millis(1), &cancel, &|_| ());
        assert!(matches!(measured, Err(Failure::Cancelled(_))));
    }

    #[test]
    fn a_strict_measurement_writes_its_rows_and_fails_with_the_warnings() {
        let unsteady = |cpu| speed(self::cpu(cpu), &[50.0, 60.0, 70.0, 80.0, 90.0, 96.0]);
        let speeds: Vec<SpeedRow> = (0..8).map(unsteady).collect();
        let warning = "CPU 0: the interval is 61% of the speed wide; measure longer";
        for (line, fails) in [("bench --strict", true), ("bench", false)] {
            let line = format!("{line} --each-core --quiet --format csv");
            let crate::app::Command::Bench(arguments) = parsed(&line) else { panic!() };
            let mut out = Vec::new();
            let ended = report(&arguments, &speeds, &mut out);
            let out = String::from_utf8(out).unwrap();
            assert!(out.lines().count() == 9 && out.matches("of the speed wide").count() == 8, "{out}");
            let said = ended.err().map(|failure| if let Failure::Failed(said) = failure { said } else { panic!() });
            assert_eq!(said.is_some(), fails);
            if let Some(said) = said {
                assert!(said.starts_with(&format!("the speeds may be wrong: {warning}; CPU 1: ")), "{said}");
                assert_eq!(said.matches("; measure longer").count(), 8, "{said}");
            }
        }
    }
}
