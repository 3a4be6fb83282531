//! The views of studies: tables in the formats of [rows](crate::app::rows), a picture and a page.
//!
//! The JSON of one study is the study itself. A form is one file and one line in [`write`].

mod chart;
mod page;
mod panels;
mod tables;

use crate::app::bench::study::{Study, Timing};
use crate::app::bench::{quality, score};
use crate::app::output::words::plural;
use crate::app::output::{Format, printable, printable_json};
use crate::app::rows::{self, markdown};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::io::{self, Write};

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
        use Format::{Csv, Json, Markdown, Text};
        &[Form::Rows(Text), Form::Rows(Json), Form::Rows(Csv), Form::Rows(Markdown), Form::Svg, Form::Html]
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
    let table = || if is_of_scores(studies) { tables::scores(studies) } else { tables::timings(studies) };
    match (form, studies) {
        (Form::Svg, _) => writeln!(out, "{}", chart::picture(&panels::all(studies), &notes(studies, false))),
        (Form::Html, _) => page::write(studies, &table(), out),
        (Form::Rows(Format::Json), [NamedStudy { study, .. }]) => {
            writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(study)?))
        }
        (Form::Rows(Format::Text), [NamedStudy { study, .. }]) if study.score.is_some() => write_score(study, out),
        (Form::Rows(format), _) => {
            let mut report = rows::open(format, SCHEMA, rows::Kind::Many, &mut *out);
            table().iter().try_for_each(|row| report.row(row))?;
            report.finish(true)?;
            if format != Format::Markdown {
                return Ok(());
            }
            writeln!(out)?;
            notes(studies, true).iter().try_for_each(|note| writeln!(out, "- {}", markdown::escaped(note)))
        }
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
        writeln!(out, "{name:<12}{}", printable(&text))?;
    }
    writeln!(out, "\n{}", printable(&score::quoted(study).unwrap_or_default()))
}

/// Returns what people need to know of each study: its machine, the version and the date, and if `all` is true also how
/// it was measured, and the warnings.
fn notes(studies: &[NamedStudy], all: bool) -> Vec<String> {
    let of_study = |named: &NamedStudy| {
        let study = &named.study;
        let mut notes = vec![study.source()];
        if all {
            notes.extend(score::quoted(study));
            notes.push(format!("{}, {}", plural(study.repetitions, "timed run"), study.pinning_in_words()));
            notes.push(format!("command: {}", study.command));
            notes.extend(study.warnings().iter().map(|warning| format!("warning: {warning}")));
        }
        notes.into_iter().map(|note| named.prefix() + &note).collect::<Vec<_>>()
    };
    studies.iter().flat_map(of_study).collect()
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

/// Leaves out of each study the warnings about rows that no other study has, which are not shown.
pub(crate) fn keep_warnings_of_shared(studies: &mut [NamedStudy]) {
    let mut rows = vec![Vec::new(); studies.len()];
    for (study, row) in shared_counts(studies).iter().flat_map(|count| &count.rows) {
        rows[*study].push((*row).clone());
    }
    for (NamedStudy { study, .. }, rows) in studies.iter_mut().zip(rows) {
        study.warnings.retain(|warning| !study.rows.iter().any(|row| warning.starts_with(&row.name())));
        study.warnings.extend(quality::of_rows(&rows, &study.machine, false).into_iter().map(|doubt| doubt.words));
    }
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
    use crate::app::bench::study::tests::study;

    #[test]
    fn rows_that_are_not_shown_are_not_warned_of() {
        let (mut first, mut second) = (study(), study());
        second.rows.retain(|row| row.engine == "backtrack");
        first.warnings.push("two-color avx2, N = 16, 4 threads (and 1 more): the times spread".to_owned());
        first.rows[0].spread = 0.5;
        let mut studies = [first, second].map(|study| NamedStudy { name: String::new(), study });
        keep_warnings_of_shared(&mut studies);
        let warnings = studies[0].study.warnings.join("\n");
        assert!(
            warnings.starts_with("too <hot>\ntoo | busy\nbacktrack avx2, N = 16, 1 thread: the times"),
            "{warnings}"
        );
        assert!(!warnings.contains("two-color"), "{warnings}");
    }
}
