//! `nqueens verify`: tests the program on a new machine.

pub(crate) mod checks;

use crate::app::failure::Failure;
use crate::app::numbers;
use crate::app::options::{DeviceOption, OutputOptions, ThreadsOption};
use crate::app::output::Sink;
use crate::app::output::words::{self, many};
use crate::app::rows::{Kind, Report};
use crate::app::verify::checks::{BurnIn, Check, CheckOutcome, CheckRow};
use nqueens::{Cancel, Device, Engine, Job, Pool};
use std::io::ErrorKind;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Test this program on this machine before trusting it
///
/// Every engine counts small boards with every kernel of this CPU, in every plan and with several numbers of threads up
/// to --threads, and some larger ones with every kernel. Each GPU that --device names counts them too. The counts are
/// compared with the published ones. The test takes well under a minute. What failed is printed, and with --format or
/// --output every check. The exit code is 1 if any count disagrees, or could not be made for lack of memory or threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens verify
  nqueens verify --output checks.csv
  nqueens verify --device '*'
  nqueens verify --duration 12h --quiet && echo 'this machine counts right'")]
pub(crate) struct Arguments {
    /// Go on with known counts of larger boards, on every CPU, until this time is over, such as 30m or 12h
    ///
    /// For the burn-in of a new machine. The checks come first: they are part of the time, and all of them are made,
    /// however short it is. Then all CPUs count at once, each by itself, with a thread that is pinned to it. The engines
    /// take turns, each with each of its kernels and plans; in each turn the boards grow from N = 8 until a count takes
    /// about a second. The first wrong count ends the program, which names its CPU.
    #[arg(long, short, value_name = "TIME", allow_hyphen_values = true, value_parser = numbers::time)]
    duration: Option<Duration>,

    #[command(flatten)]
    device: DeviceOption,

    #[command(flatten)]
    threads: ThreadsOption,

    #[command(flatten)]
    printing: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let output = arguments.printing.open(&[])?;
    let devices = arguments.device.device.map(|chosen| Device::chosen(chosen, cancel)).transpose()?;
    let devices = devices.unwrap_or_default();
    if let Some((device, refusal)) = devices.iter().find_map(|device| device.refusal.as_ref().map(|why| (device, why)))
    {
        return Err(Failure::Failed(format!("device {}, {device}, cannot count: {refusal}", device.number)));
    }
    let jobs = checks::all(Engine::ALL, &devices, arguments.threads.number());
    execute(arguments, jobs, &devices, output, cancel)
}

/// The outcome of the checks so far.
struct CheckTally<W> {
    report: Report<W>,
    /// True if every check gets a row; otherwise, only failed checks do.
    is_full: bool,
    checks: u64,
    /// The failed checks in words; `not_made` has the checks that could not be made.
    failed: Vec<String>,
    not_made: Vec<String>,
}

impl<W: Sink> CheckTally<W> {
    fn enter(&mut self, check: &Check) -> Result<(), Failure> {
        self.checks += 1;
        let outcome = check.outcome();
        match outcome {
            CheckOutcome::Passed => {}
            CheckOutcome::Failed => self.failed.push(check.to_string()),
            CheckOutcome::NotMade => self.not_made.push(check.to_string()),
        }
        if !self.is_full && outcome != CheckOutcome::Failed {
            return Ok(());
        }
        match self.report.row(&CheckRow::new(check)) {
            // The exit code is useful even if the pipe is closed.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }

    /// Returns an error if any check did not pass.
    fn judge(&self) -> Result<(), Failure> {
        let (those, what) = if self.failed.is_empty() {
            (&self.not_made, "could not be made, so this machine is not tested")
        } else {
            (&self.failed, "failed, do not trust this machine")
        };
        let Some(first) = those.first() else { return Ok(()) };
        Err(Failure::Failed(format!("{} of {} checks {what}; the first: {first}", those.len(), self.checks)))
    }
}

/// Checks every job, writes the results to `output` and judges them.
fn execute(
    arguments: &Arguments,
    jobs: Vec<Job>,
    devices: &[Device],
    output: impl Sink + Send,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { duration, threads, printing, .. } = arguments;
    let threads = threads.number();
    // Each start of threads would take address space, which the system may have limited.
    let pool = Pool::new(threads)?;
    let report = Report::open(printing.format(), Kind::Many("nqueens/verify/3"), output);
    let is_full = printing.format.is_some() || printing.output.is_some();
    let mut tally = CheckTally { report, is_full, checks: 0, failed: Vec::new(), not_made: Vec::new() };
    let start = Instant::now();
    let tested = {
        // If every check gets a row, the rows show the progress.
        let bar = (!is_full).then(|| printing.bar("verify".to_owned()));
        let all = jobs.len();
        let test = jobs.into_iter().enumerate().try_for_each(|(index, job)| {
            if let Some(bar) = &bar {
                bar.steps(index, all);
            }
            tally.enter(&Check::make(job.pool(&pool), cancel)?)
        });
        drop(pool);
        test.and_then(|()| tally.judge()).and_then(|()| {
            let Some(duration) = duration else { return Ok(threads) };
            let is_over = || {
                let share = (start.elapsed().as_secs_f64() / duration.as_secs_f64()).min(1.0);
                if let Some(bar) = &bar {
                    bar.share(share);
                }
                start.elapsed() >= *duration
            };
            let tally = Mutex::new(&mut tally);
            let report = |check: &Check| {
                let mut tally = tally.lock().expect("no thread panics meanwhile");
                tally.enter(check)?;
                tally.judge()
            };
            BurnIn { threads, ready: &|job, pool| job.pool(pool), is_over: &is_over, report: &report }.run(cancel)
        })
    };
    let ended = tally.report.finish(tested.is_ok() || !tally.failed.is_empty());
    tally.judge()?;
    let threads = tested.map_err(|failure| match failure {
        Failure::Cancelled(_) => Failure::Cancelled(format!("stopped after {}", many(tally.checks, "check"))),
        failure => failure,
    })?;
    printing.remark(format_args!(
        "all {} checks passed on {}; {}",
        words::grouped(tally.checks),
        words::threads_and_device(threads, Device::in_words(devices, usize::MAX).as_deref()),
        words::time(start.elapsed().as_secs_f64())
    ));
    ended.map_err(Failure::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::affinity;
    use crate::app::faulty::{BOUNDLESS, FAULTY, Fault, Gone, PANICKING_AT_ONCE, REFUSING, SOUND};
    use crate::app::parsed;
    use nqueens::{Board, Kernel};
    use std::collections::HashSet;

    fn arguments(line: &str) -> Arguments {
        let crate::app::Command::Verify(arguments) = parsed(line) else { panic!("not a self-test: {line}") };
        arguments
    }

    /// Returns a job for each N from 1 to 16 with each of these faults.
    fn jobs(faults: &[Fault]) -> Vec<Job> {
        let boards = (1..=16).map(|size| Board::new(size).unwrap());
        let job = |board| Job::new(board).engine(Engine::Backtrack).kernel(Kernel::Scalar).split_rows(1).threads(1);
        boards.flat_map(|board| faults.iter().map(move |&fault| job(board).counted_by(fault))).collect()
    }

    /// Returns standard output and the outcome of a test with these faults.
    fn verified(faults: &[Fault], options: &str) -> (String, Result<(), Failure>) {
        let mut out = Vec::new();
        let arguments = arguments(&format!("verify --threads 1 --quiet {options}"));
        let outcome = execute(&arguments, jobs(faults), &[], &mut out, &Cancel::new());
        (String::from_utf8(out).unwrap(), outcome)
    }

    #[test]
    fn a_fault_is_found_even_if_nobody_reads_of_it() {
        let outcome = execute(&arguments("verify --threads 1 --quiet"), jobs(&[FAULTY]), &[], Gone, &Cancel::new());
        assert!(matches!(outcome, Err(Failure::Failed(_))));
        let outcome =
            execute(&arguments("verify --threads 1 --quiet --format csv"), jobs(&[SOUND]), &[], Gone, &Cancel::new());
        assert!(matches!(outcome, Err(Failure::ClosedPipe) | Ok(())), "a closed pipe is no fault");
    }

    #[test]
    fn a_faulty_engine_is_found_and_named() {
        let (stdout, outcome) = verified(&[FAULTY, SOUND], "");
        let Err(Failure::Failed(message)) = outcome else { panic!("a failed check must fail") };
        let named = "N = 10, backtrack, scalar kernel, mirror-1, 1 thread: computed 732, published 724";
        assert!(message.contains(named), "{message}");
        let failed: Vec<&str> = stdout.lines().skip(1).collect();
        assert!(failed.iter().all(|line| line.contains("FAILED") && line.contains("backtrack")), "{failed:?}");
        assert_eq!(failed.len(), 7, "boards from 10 to 16: {failed:?}");
        let (stdout, _) = verified(&[FAULTY, SOUND], "--format csv");
        let passed = stdout.lines().filter(|line| line.contains(",ok,\"backtrack, scalar kernel, ")).count();
        assert_eq!(passed, 16 + 9, "all others are tested all the same");
    }

    #[test]
    fn an_engine_that_panics_or_cannot_count_has_failed_and_is_named() {
        let panicked = "backtrack, scalar kernel, no plan, 1 thread: unit 0 of N = 10 panicked: on purpose";
        let faults: [(Fault, _); 2] =
            [(PANICKING_AT_ONCE, panicked), (REFUSING, "the first: N = 1, backtrack, scalar kernel")];
        for (fault, named) in faults {
            let (stdout, outcome) = verified(&[fault, SOUND], "--format text");
            let Err(Failure::Failed(message)) = outcome else { panic!("a failed check must fail") };
            assert!(message.contains("do not trust this machine") && message.contains(named), "{message}");
            let goes_on =
                stdout.lines().any(|line| line.starts_with("16 ") && line.contains("  ok        backtrack, "));
            assert!(goes_on, "{stdout}");
        }
    }

    #[test]
    fn a_check_that_cannot_be_made_says_nothing_of_the_machine() {
        let (stdout, outcome) = verified(&[BOUNDLESS], "--format text");
        let Err(Failure::Failed(message)) = outcome else { panic!("what is not tested must not pass") };
        let said = "checks could not be made, so this machine is not tested; \
                    the first: N = 1, backtrack, scalar kernel, no plan, ";
        assert!(message.starts_with("16 of ") && message.contains(said), "{message}");
        assert!(!message.contains("trust") && !stdout.contains("FAILED"), "{message}\n{stdout}");
        assert_eq!(stdout.lines().filter(|line| line.contains("  not made  backtrack, ")).count(), 16, "{stdout}");
    }

    #[test]
    fn a_machine_that_passes_is_kept_busy_until_the_time_is_over() {
        let (stdout, outcome) = verified(&[SOUND], "--duration 1ms");
        assert!(outcome.is_ok() && stdout.is_empty(), "{stdout}");
        let seen = Mutex::new(HashSet::new());
        let cpus = affinity::cpus().len();
        let report = |check: &Check| {
            assert_eq!(check.outcome(), CheckOutcome::Passed);
            let mut seen = seen.lock().unwrap();
            // The last words name the CPU or, where no thread can be pinned, the thread.
            seen.insert(check.to_string().rsplit_once(": ").unwrap().0.rsplit_once(", ").unwrap().1.to_owned());
            if seen.len() < cpus.clamp(1, 2) { Ok(()) } else { Err(Failure::Failed("all have counted".to_owned())) }
        };
        let ended = burn_in(SOUND, &report);
        assert!(matches!(ended, Err(Failure::Failed(message)) if message == "all have counted"));
        let over = BurnIn { threads: 2, ready: &|job, pool| job.pool(pool), is_over: &|| true, report: &report };
        assert!(matches!(over.run(&Cancel::new()), Ok(threads) if threads == if cpus == 1 { 1 } else { 2 }));
    }

    /// Returns the end of a burn-in that would go on for ever.
    fn burn_in(fault: Fault, report: &(dyn Fn(&Check) -> Result<(), Failure> + Sync)) -> Result<usize, Failure> {
        let ready = |job: Job, pool: &Pool| job.counted_by(fault).pool(pool);
        BurnIn { threads: 2, ready: &ready, is_over: &|| false, report }.run(&Cancel::new())
    }

    #[test]
    fn the_first_wrong_count_of_a_burn_in_ends_it_and_names_the_cpu() {
        let report = |check: &Check| {
            if check.outcome() == CheckOutcome::Passed { Ok(()) } else { Err(Failure::Failed(check.to_string())) }
        };
        let Err(Failure::Failed(message)) = burn_in(FAULTY, &report) else { panic!("a wrong count must fail") };
        let begin = "N = 10, backtrack, scalar kernel, mirror-1, ";
        let on = message.strip_prefix(begin).and_then(|rest| rest.strip_suffix(": computed 732, published 724"));
        let cpus = affinity::cpus();
        let named: Vec<String> = cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
        assert!(named.iter().any(|cpu| Some(&**cpu) == on) || cpus.is_empty() && on == Some("1 thread"), "{message}");
    }
}
