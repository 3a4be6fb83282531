//! The views of studies: tables in the formats of [rows](crate::app::rows), a picture and a page.
//!
//! The JSON of one study is the study itself. A form is one file and one line in [`write`].

mod chart;
mod page;
mod panels;
mod tables;

use crate::app::bench::score;
use crate::app::bench::study::{Study, Timing};
use crate::app::output::words::{self, plural};
use crate::app::output::{Format, printable, printable_json};
use crate::app::rows::{self, Column, markdown};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::io::{self, Write};
use std::sync::LazyLock;

/// The name and version of the JSON document of several studies.
const SCHEMA: &str = "nqueens/compare/1";

/// A study, and its name among others.
#[derive(Clone, Debug)]
pub(crate) struct NamedStudy {
    pub(crate) name: String,
    pub(crate) study: Study,
}

impl NamedStudy {
    /// Returns the beginning of a line about the study: its name, if it has one.
    pub(crate) fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) }
    }
}

/// The form of a written study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Rows(Format),
    /// Charts.
    Svg,
    /// A page with the charts and all numbers.
    Html,
}

impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Self] {
        static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
            let formats = Format::value_variants().iter().copied().map(Form::Rows);
            formats.chain([Form::Svg, Form::Html]).collect()
        });
        &FORMS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Form::Rows(format) => format.to_possible_value(),
            Form::Svg => Some(PossibleValue::new("svg").help("Charts")),
            Form::Html => {
                Some(PossibleValue::new("html").help("A page with the charts and all numbers, which needs no network"))
            }
        }
    }
}

/// Writes studies side by side, or one alone.
pub(crate) fn write(studies: &[NamedStudy], form: Form, out: &mut dyn Write) -> io::Result<()> {
    match (form, studies) {
        (Form::Svg, _) => writeln!(out, "{}", chart::picture(&panels::all(studies), &notes(studies, false))),
        (Form::Html, _) => page::write(studies, &table(studies), out),
        (Form::Rows(Format::Json), [NamedStudy { study, .. }]) if study.has_times() => {
            writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(study)?))
        }
        (Form::Rows(Format::Text), [NamedStudy { study, .. }]) if study.score.is_some() => write_score(study, out),
        (Form::Rows(format), _) => write_table(studies, format, out),
    }
}

fn table(studies: &[NamedStudy]) -> Vec<Vec<Column>> {
    if is_of_scores(studies) { tables::scores(studies) } else { tables::timings(studies) }
}

/// The length of a line of a terminal.
const LINE: usize = 80;
/// The longest name of a study that stands in a table of text.
const LONGEST_NAME: usize = 16;

/// Writes a table, and what people need to know of it below. In text, studies with long names have numbers.
fn write_table(studies: &[NamedStudy], format: Format, out: &mut dyn Write) -> io::Result<()> {
    let is_long = |named: &NamedStudy| named.name.chars().count() > LONGEST_NAME;
    let is_numbered = format == Format::Text && studies.len() > 1 && studies.iter().any(is_long);
    let mut shown = studies.to_vec();
    if is_numbered {
        (1..).zip(&mut shown).for_each(|(number, named)| named.name = format!("{number}"));
    }
    let mut rows = table(&shown);
    rows::fit(&mut rows);
    let mut report = rows::open(format, SCHEMA, rows::Kind::Many, &mut *out);
    rows.iter().try_for_each(|row| report.row(row))?;
    report.finish(true)?;
    match format {
        Format::Text => write_key(studies, is_numbered, out),
        Format::Markdown => {
            writeln!(out)?;
            notes(studies, true).iter().try_for_each(|note| writeln!(out, "- {}", markdown::escaped(note)))
        }
        _ => Ok(()),
    }
}

/// Writes the mean of each study, and the name of each number.
fn write_key(studies: &[NamedStudy], is_numbered: bool, out: &mut dyn Write) -> io::Result<()> {
    let name = |index: usize| {
        let name = printable(&studies[index].name);
        if is_numbered { format!("{:<2}  {name}", index + 1) } else { name.into_owned() }
    };
    match means(studies) {
        Some((title, means)) => {
            writeln!(out, "\n{title}, x first")?;
            best_first(&means).try_for_each(|index| writeln!(out, "{:>7}  {}", words::ratio(means[index]), name(index)))
        }
        None if is_numbered => {
            writeln!(out)?;
            (0..studies.len()).try_for_each(|index| writeln!(out, "{}", name(index)))
        }
        None => Ok(()),
    }
}

/// Writes a score as text that ends with the line to quote.
fn write_score(study: &Study, out: &mut dyn Write) -> io::Result<()> {
    let Some(score) = &study.score else { return Ok(()) };
    let mut lines = vec![
        ("score", format!("{} million solutions/s", score::millions(score.solutions_per_second))),
        ("quality", score.quality.clone()),
    ];
    lines.extend(score.reasons.iter().map(|reason| ("", reason.clone())));
    lines.push(("one thread", format!("{} million solutions/s", score::millions(score.one_thread))));
    lines.push(("kernel", format!("{}, N = {}", score.kernel, study.rows[0].board)));
    lines.push(("machine", study.machine.in_words()));
    for (name, text) in lines {
        for (index, part) in words::wrapped(&printable(&text), LINE - 12).iter().enumerate() {
            writeln!(out, "{:<12}{part}", if index == 0 { name } else { "" })?;
        }
    }
    writeln!(out, "\n{}", printable(&score::quoted(study).unwrap_or_default()))
}

/// Returns what people need to know of each study: its machine, the version and the date, and if `all` is true also its
/// mean, how it was measured, and the warnings.
fn notes(studies: &[NamedStudy], all: bool) -> Vec<String> {
    let means = means(studies).filter(|_| all);
    let of_study = |(index, named): (usize, &NamedStudy)| {
        let study = &named.study;
        let quoted = score::quoted(study).filter(|_| all).map(|line| format!("{line}, {}", study.date));
        let mut notes = vec![quoted.unwrap_or_else(|| study.source())];
        if all {
            let mean = |(title, means): &(String, Vec<f64>)| format!("{title}: {} x first", words::ratio(means[index]));
            notes.extend(means.as_ref().map(mean));
            // A score that was read as CSV does not say how it was measured.
            if study.has_times() {
                notes.push(format!("{}: {}", plural(study.repetitions, "timed run"), study.command));
            }
            notes.extend(study.warnings().iter().map(|warning| format!("warning when measured: {warning}")));
        }
        notes.into_iter().map(|note| named.prefix() + &note).collect::<Vec<_>>()
    };
    studies.iter().enumerate().flat_map(of_study).collect()
}

/// Returns true if there are scores to be shown, and nothing else.
fn is_of_scores(studies: &[NamedStudy]) -> bool {
    studies.iter().all(|named| named.study.score.is_some())
}

/// A count that several studies have with the same number of threads.
pub(crate) struct SharedCount<'a> {
    /// The engine, its kernel if the studies have several, the board and the threads.
    name: String,
    board: usize,
    /// The rows of the studies, each after the number of its study.
    rows: Vec<(usize, &'a Timing)>,
}

/// Returns the geometric mean of the speeds of each of several studies relative to the first, over the counts that all
/// have, and the words for it; `None` if there is no such count.
fn means(studies: &[NamedStudy]) -> Option<(String, Vec<f64>)> {
    let mut counts = shared_counts(studies);
    counts.retain(|count| count.rows.len() == studies.len() && !is_of_scores(studies));
    let mean = |index: usize| {
        let logarithms = counts.iter().map(|count| (count.rows[0].1.seconds / count.rows[index].1.seconds).ln());
        (logarithms.sum::<f64>() / counts.len() as f64).exp()
    };
    let title = format!("geometric mean of {}", plural(counts.len(), "count"));
    (!counts.is_empty()).then(|| (title, (0..studies.len()).map(mean).collect()))
}

/// Returns the places of speeds, that of the highest first.
fn best_first(speeds: &[f64]) -> impl Iterator<Item = usize> {
    let mut places: Vec<usize> = (0..speeds.len()).collect();
    places.sort_by(|&one, &other| speeds[other].total_cmp(&speeds[one]));
    places.into_iter()
}

/// Returns the counts that at least two studies have, in the order of the first one.
///
/// If every study has one kernel for each engine, counts are the same whatever their kernels: the best ones of the
/// machines.
pub(crate) fn shared_counts(studies: &[NamedStudy]) -> Vec<SharedCount<'_>> {
    let has_one_kernel = |NamedStudy { study, .. }: &NamedStudy| {
        let is_another = |row: &Timing, other: &Timing| other.engine == row.engine && other.kernel != row.kernel;
        study.rows.iter().all(|row| !study.rows.iter().any(|other| is_another(row, other)))
    };
    let one_kernel = studies.iter().all(has_one_kernel);
    let mut counts: Vec<SharedCount<'_>> = Vec::new();
    for (number, NamedStudy { study, .. }) in studies.iter().enumerate() {
        for row in &study.rows {
            let kernel = if one_kernel { String::new() } else { format!(" {}", row.kernel) };
            let name = format!("{}{kernel}, N = {}, {}", row.engine, row.board, plural(row.threads, "thread"));
            match counts.iter_mut().find(|count| count.name == name) {
                None => counts.push(SharedCount { name, board: row.board, rows: vec![(number, row)] }),
                Some(count) if count.rows.iter().all(|(other, _)| *other != number) => count.rows.push((number, row)),
                // A repeated row of a study is ignored.
                Some(_) => {}
            }
        }
    }
    counts.retain(|count| count.rows.len() > 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::{study, timing};

    #[test]
    fn the_mean_of_a_study_is_that_of_the_counts_that_all_have() {
        let times = |name: &str, seconds: &[f64]| {
            let rows = seconds.iter().zip(1..).map(|(&time, threads)| timing("a", threads, &[time])).collect();
            NamedStudy { name: name.to_owned(), study: Study { rows, ..study() } }
        };
        let long = "a name of a machine that is longer than what a line has left";
        let mut studies = vec![times("first", &[8.0, 4.0, 1.0]), times("best", &[2.0, 4.0])];
        assert_eq!(means(&studies).unwrap(), ("geometric mean of 2 counts".to_owned(), vec![1.0, 2.0]));
        studies.push(times(long, &[16.0]));
        assert_eq!(means(&studies).unwrap().1, [1.0, 4.0, 0.5]);
        let written = |form| {
            let mut out = Vec::new();
            write(&studies, form, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let text = written(Form::Rows(Format::Text));
        let key = format!(
            "\n\ngeometric mean of 1 count, x first\n   4.00  2   best\n   1.00  1   first\n   0.50  3   {long}\n"
        );
        assert!(text.ends_with(&key) && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        for form in [Form::Html, Form::Rows(Format::Markdown)] {
            assert!(written(form).contains("best: geometric mean of 1 count: 4.00 x first"));
        }
        let csv = written(Form::Rows(Format::Csv));
        assert!(
            csv.starts_with("study,engine,kernel,board,threads,seconds,times_as_fast,mean_times_as_fast,"),
            "{csv}"
        );
        assert!(csv.contains("\nbest,a,avx2,16,1,2,4,4,") && csv.contains("\nbest,a,avx2,16,2,4,1,4,"), "{csv}");
        studies.push(times("other", &[]));
        assert_eq!(means(&studies), None);
    }
}
