//! `nqueens bench`: measures how fast this machine counts, and compares such measurements.
//!
//! [`options`] select the counts, by default those of [`defaults`], [`measurement`] times them, on threads that
//! [`pinning`] keeps on their CPUs if asked to, and [`statistics`] sums up the times. Together with the conditions and
//! the [`warnings`] they become a [`study`], which [`view`] writes as tables, charts or a page. With `--compare`,
//! [`comparison`] reads studies instead, within [`bounds`]. [`peers`] are times of other programs, to be shown beside
//! either.

pub(crate) mod bounds;
mod comparison;
mod defaults;
mod input;
pub(crate) mod measurement;
mod options;
pub(crate) mod peers;
mod pinning;
pub(crate) mod statistics;
pub(crate) mod study;
pub(crate) mod view;
pub(crate) mod warnings;

pub(crate) use options::Arguments;

use crate::Cancel;
use crate::app::bench::measurement::{Measurement, Schedule};
use crate::app::bench::options::{Outputs, Selection};
use crate::app::bench::peers::PeerTime;
use crate::app::bench::pinning::Pinner;
use crate::app::bench::study::{Conditions, Pinning, Study};
use crate::app::bench::view::{Form, View};
use crate::app::failure::Failure;
use crate::app::machine::{self, Counters, Machine};
use crate::app::output::words::plural;
use crate::app::output::{Format, Sink};
use crate::app::session::Session;
use crate::engine::ENGINES;
use crate::run::Job;
use std::io::{self, Write};

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.compare.is_empty() {
        return Session::begin_brief()?.run(|_| comparison::run(arguments));
    }
    let session = Session::begin()?;
    let outputs = arguments.open()?;
    let jobs = arguments.selection.jobs(ENGINES)?;
    let peers = arguments.peers()?;
    session.run(|cancel| measure(arguments, jobs, &peers, outputs, cancel))
}

/// Measures the counts, writes the study to `outputs`, and prints the warnings.
fn measure(
    arguments: &Arguments,
    mut jobs: Vec<Job>,
    peers: &[PeerTime],
    outputs: Outputs<impl Sink>,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { printing, selection, .. } = arguments;
    let (pinner, mut warnings) = selection.pinner();
    let (machine, date) = (Machine::this(), machine::date());
    warnings.extend(warnings::before(&machine, &jobs, machine::load()));
    let warn = |warnings: &[String]| warnings.iter().for_each(|warning| printing.warn(format_args!("{warning}")));
    warn(&warnings);
    let warned = warnings.len();

    let repetitions = selection.repetitions as usize;
    if let Some(pinner) = &pinner {
        pinner.pin(&mut jobs);
    }
    let schedule = Schedule { jobs, repetitions, time_limit: selection.time_limit };
    let counters = Counters::now();
    let (measurements, skipped) = {
        let bar = printing.bar("bench".to_owned());
        schedule.run(cancel, &|done, all| bar.share(done as f64 / all as f64))?
    };
    warnings.extend(warnings::after(&measurements, Counters::now().since(counters)));
    let pinning = selection.pinning(pinner.as_ref(), &measurements);
    if pinner.is_some() && pinning == Pinning::Refused {
        warnings.push("not every thread could be pinned, because CPUs were taken away; measure again".to_owned());
    }
    warn(&warnings[warned..]);

    let study = Study::of(&measurements, Conditions { machine, date, pinning, repetitions, warnings });
    let view = View { study: &study, by: arguments.by, peers, studies: &[("", &study)], counts: &[] };
    write(printing.format, outputs, |form, out| view::write(&view, form, out))?;
    for Job { engine, settings, threads, board, .. } in skipped {
        let kernel = settings.kernel.map_or(String::new(), |kernel| format!(" {kernel}"));
        printing.remark(format_args!(
            "skipped, because it takes longer than {} s or too much memory: {}{kernel} from N = {board} on, {}",
            selection.time_limit.unwrap_or_default().as_secs_f64(),
            engine.name(),
            plural(*threads, "thread"),
        ));
    }
    printing.remark(format_args!(
        "{}; each count {}, in turn, after one to warm up; {}{}",
        study.machine.in_words(),
        plural(repetitions, "time"),
        if selection.pin { [pinning.in_words(), "; "].concat() } else { String::new() },
        if study.matches() {
            "all counts match the published ones (OEIS A000170)"
        } else {
            "no count contradicts the published ones (OEIS A000170)"
        }
    ));
    Ok(())
}

/// Writes to the output and all files. An error is returned after all have been tried.
fn write(
    format: Format,
    (mut output, files): Outputs<impl Sink>,
    write: impl Fn(Form, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let whole = |form, out: &mut dyn Sink| {
        write(form, &mut *out)?;
        out.keep();
        out.end()
    };
    let written = whole(Form::Rows(format), &mut output);
    let exported: Vec<_> = files.into_iter().map(|(mut file, form)| whole(form, &mut file)).collect();
    exported.into_iter().chain([written]).collect::<Result<(), _>>().map_err(|error| Failure::writing(&error))
}

impl Selection {
    /// Returns the pinner, if pinning is asked for and supported, and the warnings about it.
    fn pinner(&self) -> (Option<Pinner>, Vec<String>) {
        match self.pin.then(Pinner::new) {
            None => (None, Vec::new()),
            Some(Ok(pinner)) => (Some(pinner), Vec::new()),
            Some(Err(reason)) => {
                (None, vec![format!("threads cannot be pinned here: {reason}; the system chooses their CPUs")])
            }
        }
    }

    /// Returns the placement of the threads of all measurements.
    fn pinning(&self, pinner: Option<&Pinner>, measurements: &[Measurement]) -> Pinning {
        let most = measurements.iter().map(|one| one.count.threads).max().unwrap_or(0);
        match pinner {
            None if self.pin => Pinning::Refused,
            None => Pinning::Off,
            Some(pinner) if !pinner.held() => Pinning::Refused,
            Some(pinner) if most > pinner.cpus() => Pinning::Shared,
            Some(_) => Pinning::Own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::Faulty;
    use crate::app::parsed;

    pub(super) fn arguments(line: &str) -> Arguments {
        match parsed(line) {
            crate::app::Command::Bench(arguments) => arguments,
            other => panic!("not a measurement: {other:?}"),
        }
    }

    #[test]
    fn a_wrong_count_ends_the_study_and_is_named() {
        let arguments = arguments("bench --boards 9,10 --threads 1 --repetitions 2 --quiet");
        let jobs = arguments.selection.jobs(&[&Faulty, ENGINES[0]]).unwrap();
        let mut out = Vec::new();
        let outcome = measure(&arguments, jobs, &[], (&mut out, Vec::new()), &Cancel::new());
        let Err(Failure::Failed(message)) = outcome else { panic!("a contradiction must fail") };
        let named = "faulty, kernel scalar: 725 solutions for N = 10, but 724 is published";
        assert!(message.contains(named), "{message}");
        assert!(out.is_empty());
    }

    #[test]
    fn the_pinning_of_a_study_is_what_was_done() {
        let measurements = |threads| {
            let count = crate::run::Count { threads, ..crate::app::count::row::tests::count(8, 92) };
            [Measurement { threads, count, samples: Vec::new() }]
        };
        let plain = arguments("bench").selection;
        assert_eq!(plain.pinning(None, &measurements(8)), Pinning::Off);
        let asked = arguments("bench --pin").selection;
        assert_eq!(asked.pinning(None, &measurements(1)), Pinning::Refused);
        if let (Some(pinner), _) = asked.pinner() {
            assert_eq!(asked.pinning(Some(&pinner), &measurements(pinner.cpus())), Pinning::Own);
            assert_eq!(asked.pinning(Some(&pinner), &measurements(pinner.cpus() + 1)), Pinning::Shared);
        }
    }
}
