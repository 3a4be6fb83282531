//! `nqueens score`: the figures to quote for a machine.
//!
//! [`work`] fixes the counts. They are timed as `nqueens bench` times its own; [`disturbance`] decides whether the times
//! may be quoted, and [`row`] has what is printed.

mod disturbance;
mod row;
mod work;

use crate::Cancel;
use crate::app::bench::measurement::Schedule;
use crate::app::bench::warnings;
use crate::app::failure::Failure;
use crate::app::machine::{self, Counters, Machine};
use crate::app::options::ReportOptions;
use crate::app::output::words::plural;
use crate::app::output::{Format, Sink, printable};
use crate::app::rows::{self, markdown};
use crate::app::session::Session;
use crate::run::Job;
use disturbance::Shares;
use row::{Conditions, ScoreRow, quoted};
use std::io;
use std::time::Instant;
use work::{Part, REPETITIONS, Size};

/// Measure the figures to quote for this machine: how many solutions it counts in a second
///
/// The work is fixed: every version with the same first two numbers counts the same boards by the same plans.
/// `counting` is the two-color engine with the best kernel of the CPU, `portable` the same engine with the kernel that
/// is the same code on every architecture, and `branches` the scalar backtracker, the classic queens benchmark. Each is
/// the median of 11 counts on all CPUs, and again on one thread. The boards on one thread are always the same; those on
/// all CPUs have three sizes, and scores of different sizes do not compare. Every total is compared with the published
/// one. It takes about two minutes with AVX2, up to ten without it, and longer on a machine that is busy.
///
/// There is no score if the run was disturbed: by other programs, by the host of a virtual machine, by a limit on the
/// CPUs, or by times that spread too far or get longer.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens score
  nqueens score --size medium --format json --output score.json
  nqueens score --disturbed")]
pub(crate) struct Arguments {
    /// The size of the boards on all CPUs [default: small up to 7 CPUs, medium up to 47, else large]
    #[arg(long, value_name = "SIZE", help_heading = "Measurement options")]
    size: Option<Size>,

    /// Print the figures of a disturbed run too, marked as such and without a score
    #[arg(long, help_heading = "Measurement options")]
    disturbed: bool,

    #[command(flatten)]
    printing: ReportOptions,
}

/// The advice after a disturbance.
const ADVICE: &str = "end other programs, wait until the machine is at rest and run it again; with --disturbed the \
                      figures are printed without a score";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let session = Session::begin()?;
    let output = arguments.printing.open(&[])?;
    let threads = machine::default_threads();
    let size = arguments.size.unwrap_or_else(|| Size::of(threads));
    let before = disturbance::before(size, threads, machine::cpus_of_machine());
    let (parts, jobs) = work::parts(size, threads);
    session.run(|cancel| measure(arguments, size, before, &parts, jobs, output, cancel))
}

/// Measures the parts of the score by their jobs and writes the rows to `output`. `before` are the disturbances that are
/// known already.
fn measure(
    arguments: &Arguments,
    size: Size,
    before: Vec<String>,
    parts: &[Part],
    jobs: Vec<Job>,
    output: impl Sink,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { printing, .. } = arguments;
    let mut disturbances = before;
    arguments.report(&disturbances)?;
    let (machine, date) = (Machine::this(), machine::date());
    for warning in warnings::before(&machine, &jobs, machine::load()) {
        printing.warn(format_args!("{warning}"));
    }
    let schedule = Schedule { jobs, repetitions: REPETITIONS, time_limit: None };
    let (start, counters, cpu_time) = (Instant::now(), Counters::now(), machine::cpu_time());
    let (measurements, _) = {
        let bar = printing.bar(format!("score, {}", size.name()));
        schedule.run(cancel, &|done, all| bar.share(done as f64 / all as f64))?
    };
    let own = machine::cpu_time().zip(cpu_time).map(|(after, before)| after.saturating_sub(before));
    let meanwhile = Counters::now().since(counters);
    let shares = Shares::of(meanwhile, start.elapsed(), own, machine::cpus_of_machine());
    let after = disturbance::after(parts, &measurements, shares);
    arguments.report(&after)?;
    disturbances.extend(after);

    let conditions = Conditions { size, date, system: machine.system.clone(), shares, disturbances };
    let rows: Vec<_> = std::iter::zip(parts, &measurements)
        .map(|(part, measurement)| ScoreRow::new(*part, measurement, &conditions))
        .collect();
    write(&rows, &machine.cpu, printing.format, output).map_err(|error| Failure::writing(&error))?;
    if shares.others.is_none() || shares.stolen.is_none() {
        printing.remark(format_args!(
            "this system does not report the CPU time of other programs and of virtual machines: make sure that nothing \
             else runs"
        ));
    }
    printing.remark(format_args!(
        "{}; medians of {}, in turn, after one to warm up; all counts match the published ones (OEIS A000170)",
        machine.in_words(),
        plural(REPETITIONS, "count")
    ));
    Ok(())
}

impl Arguments {
    /// Reports disturbances. Returns an error if there are any and the figures are not to be printed all the same.
    fn report(&self, disturbances: &[String]) -> Result<(), Failure> {
        // The error has the last reason, which is often the only one.
        let (others, last) = match disturbances {
            [] => return Ok(()),
            all if self.disturbed => (all, None),
            [others @ .., last] => (others, Some(last)),
        };
        for reason in others {
            self.printing.warn(format_args!("no score: {reason}"));
        }
        last.map_or(Ok(()), |reason| {
            Err(Failure::Failed(format!("no score, because this run is disturbed: {reason}; {ADVICE}")))
        })
    }
}

/// Writes the rows and, for people, the line to quote above them.
fn write(rows: &[ScoreRow], cpu: &str, format: Format, mut output: impl Sink) -> io::Result<()> {
    let line = quoted(rows, cpu);
    match format {
        Format::Text => writeln!(output, "{}\n", printable(&line))?,
        Format::Markdown => writeln!(output, "{}\n", markdown::escaped(&line))?,
        Format::Json | Format::Csv => {}
    }
    let mut report = rows::open(format, "nqueens/score/1", rows::Kind::Many, output);
    rows.iter().try_for_each(|row| report.row(row))?;
    report.finish(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::Faulty;
    use crate::app::parsed;
    use crate::{Board, engine::ENGINES};
    use disturbance::tests::PARTS;

    fn arguments(line: &str) -> Arguments {
        match parsed(line) {
            crate::app::Command::Score(arguments) => arguments,
            other => panic!("not a score: {other:?}"),
        }
    }

    fn measured(line: &str, before: &[&str], jobs: Vec<Job>, cancel: &Cancel) -> (String, Result<(), Failure>) {
        let (before, mut out) = (before.iter().map(ToString::to_string).collect(), Vec::new());
        let outcome = measure(&arguments(line), Size::Test, before, &PARTS, jobs, &mut out, cancel);
        (String::from_utf8(out).unwrap(), outcome)
    }

    #[test]
    fn a_wrong_count_gives_no_score() {
        let job = |engine| Job::new(Board::new(10).unwrap()).with_engine(engine).threads(1);
        let jobs = vec![job(ENGINES[0]), job(&Faulty)];
        let (out, outcome) = measured("score --disturbed --quiet", &[], jobs, &Cancel::new());
        let named = "faulty, kernel scalar: 725 solutions for N = 10, but 724 is published";
        assert!(matches!(outcome, Err(Failure::Failed(message)) if message.contains(named)));
        assert_eq!(out, "");
    }

    #[test]
    fn a_disturbance_that_is_known_before_costs_no_time() {
        let cancel = Cancel::new();
        cancel.cancel();
        let (out, outcome) = measured("score --quiet", &["it is too loud"], Vec::new(), &cancel);
        let Err(Failure::Failed(message)) = outcome else { panic!("it gives no score") };
        assert!(message.starts_with("no score, because this run is disturbed: it is too loud; "), "{message}");
        assert!(message.contains("--disturbed"), "{message}");
        assert_eq!(out, "");
    }

    #[test]
    fn a_score_that_is_stopped_prints_nothing() {
        let cancel = Cancel::new();
        cancel.cancel();
        let (_, jobs) = work::parts(Size::Large, 2);
        let (out, outcome) = measured("score --disturbed --quiet", &[], jobs, &cancel);
        assert!(matches!(outcome, Err(Failure::Cancelled(message)) if message == "stopped after 0 of 72 counts"));
        assert_eq!(out, "");
    }
}
