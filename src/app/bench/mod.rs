//! `nqueens bench`: measures the score of this machine, or how its speed grows with the number of threads.
//!
//! [`options`] selects the counts of a study, and [`measurement`] times them; [`score`] times the counts of a score.
//! The times and their [`statistics`] become a [`study`]. [`quality`] judges the study, and [`tables`] writes it.

pub(crate) mod measurement;
pub(crate) mod options;
mod quality;
mod score;
pub(crate) mod statistics;
pub(crate) mod study;
pub(crate) mod tables;

pub(crate) use options::Arguments;

use crate::app::bench::measurement::measure;
use crate::app::bench::options::TIME_LIMIT;
use crate::app::bench::study::Study;
use crate::app::failure::Failure;
use crate::app::machine::Counters;
use crate::app::messages::warn;
use crate::app::output::words::plural;
use crate::app::rows::Format;
use nqueens::{Cancel, Engine, Job};

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let output = printing.open(&[])?;
    let study = if arguments.study {
        measure_study(arguments, &arguments.selection.jobs(Engine::ALL)?, cancel)?
    } else {
        let bar = printing.bar("score".to_owned());
        score::measure(arguments.duration, cancel, &|done| bar.share(done))?
    };
    let is_text = printing.output.is_none() && printing.format() == Format::Text;
    if let Some(line) = score::quoted(&study).filter(|_| !is_text) {
        printing.remark(format_args!("{line}"));
    }
    let refused = arguments.strict && !study.warnings().is_empty();
    if !refused {
        study.warnings().iter().for_each(warn);
    }
    tables::write(std::slice::from_ref(&study), printing.format(), output)?;
    let matches = study.rows.iter().all(|row| row.verdict == "matches");
    let verdict = if matches { "all counts match" } else { "no count contradicts" };
    printing.remark(format_args!("{}; {verdict} the published ones (OEIS A000170)", study.machine.in_words()));
    if refused {
        let reasons = study.warnings().join("; ");
        return Err(Failure::Failed(format!("the score is not quotable: {reasons}")));
    }
    Ok(())
}

/// Measures the counts of a study, and says which were skipped.
fn measure_study(arguments: &Arguments, jobs: &[Job], cancel: &Cancel) -> Result<Study, Failure> {
    let printing = &arguments.printing;
    let repetitions = arguments.repetitions as usize;
    let time_limit = arguments.time_limit.or_else(|| arguments.selection.boards.is_empty().then_some(TIME_LIMIT));
    let mut study = Study::begin(repetitions);
    let counters = Counters::now();
    let (rows, skipped) = {
        let bar = printing.bar("bench".to_owned());
        measure(jobs, repetitions, time_limit, cancel, &|done, all| bar.steps(done, all))?
    };
    study.rows = rows;
    study.warnings = quality::judge(&mut study, counters, false).into_iter().map(|doubt| doubt.words).collect();
    for job in skipped {
        let kernel = job.settings.kernel.map_or(String::new(), |kernel| format!(" {kernel}"));
        printing.remark(format_args!(
            "skipped, because it takes longer than {} s or too much memory: {}{kernel} from N = {} on, {}",
            time_limit.unwrap_or_default().as_secs_f64(),
            job.engine_name(),
            job.board(),
            plural(job.thread_count(), "thread"),
        ));
    }
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::faulty::FAULTY;
    use crate::app::parsed;

    pub(super) fn arguments(line: &str) -> Arguments {
        match parsed(line) {
            crate::app::Command::Bench(arguments) => arguments,
            other => panic!("not a measurement: {other:?}"),
        }
    }

    #[test]
    fn a_wrong_count_ends_the_study_and_is_named() {
        let arguments = arguments("bench --study --boards 9,10 --threads 1 --repetitions 2 --quiet");
        let jobs = arguments.selection.jobs(&[FAULTY, Engine::ALL[0]]).unwrap();
        let Err(Failure::Failed(message)) = measure_study(&arguments, &jobs, &Cancel::new()) else {
            panic!("a contradiction must fail")
        };
        let named = "faulty, kernel scalar: the total count for N = 10 came out as 732, but 724 is published";
        assert!(message.contains(named), "{message}");
    }
}
