//! What is written of studies: tables in the formats of [rows](crate::app::rows), and for people what they need to know
//! of a table or a score. The JSON of one study is the study itself.

use crate::app::bench::score;
use crate::app::bench::side_by_side::means;
use crate::app::bench::study::{Score, Study};
use crate::app::bench::tables;
use crate::app::failure::Failure;
use crate::app::output::file::Output;
use crate::app::output::words::{self, plural};
use crate::app::output::{Sink, printable, printable_json};
use crate::app::rows::{self, Format, markdown};
use std::io::{self, Write};

/// The name and version of the JSON document of several studies.
const SCHEMA: &str = "nqueens/compare/1";

/// Writes studies side by side, or one alone.
pub(crate) fn write(studies: &[Study], format: Format, mut output: Output) -> Result<(), Failure> {
    let written = write_in(studies, format, &mut output).and_then(|()| {
        // It took long to measure.
        output.keep();
        output.end()
    });
    written.map_err(|error| Failure::writing(&error))
}

/// Writes studies in a format.
pub(crate) fn write_in(studies: &[Study], format: Format, out: &mut dyn Write) -> io::Result<()> {
    if let [study] = studies {
        if format == Format::JSON {
            return writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(study)?));
        }
        if let (Some(score), true) = (&study.score, format == Format::TEXT) {
            return write_score(study, score, out);
        }
    }
    write_table(studies, format, out)
}

/// Writes a table, and what people need to know of it below.
fn write_table(studies: &[Study], format: Format, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = tables::of(studies);
    rows::fit(&mut rows);
    let mut report = rows::open(format, SCHEMA, rows::Kind::Many, &mut *out);
    rows.iter().try_for_each(|row| report.row(row))?;
    report.finish(true)?;
    if format == Format::TEXT
        && let Some((title, means)) = means(studies)
    {
        let mut best_first: Vec<_> = means.iter().zip(studies).collect();
        best_first.sort_by(|one, other| other.0.total_cmp(one.0));
        writeln!(out, "\n{title}, x first")?;
        for (&mean, study) in best_first {
            writeln!(out, "{:>7}  {}", words::ratio(mean), printable(&study.name))?;
        }
    }
    if format == Format::MARKDOWN {
        writeln!(out)?;
        notes(studies).iter().try_for_each(|note| writeln!(out, "- {}", markdown::escaped(note)))?;
    }
    Ok(())
}

/// The length of a line of a terminal.
const LINE: usize = 80;

/// Writes a score as text that ends with the line to quote.
fn write_score(study: &Study, score: &Score, out: &mut dyn Write) -> io::Result<()> {
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

/// Returns what people need to know of each study: its machine, the version and the date, its mean, how it was measured,
/// and the warnings.
fn notes(studies: &[Study]) -> Vec<String> {
    let means = means(studies);
    let of_study = |(index, study): (usize, &Study)| {
        let quoted = score::quoted(study).map(|line| format!("{line}, {}", study.date));
        let mut notes = vec![quoted.unwrap_or_else(|| study.source())];
        let mean = |(title, means): &(String, Vec<f64>)| format!("{title}: {} x first", words::ratio(means[index]));
        notes.extend(means.as_ref().map(mean));
        notes.push(format!("{}: {}", plural(study.repetitions, "timed run"), study.command));
        notes.extend(study.warnings().iter().map(|warning| format!("warning when measured: {warning}")));
        notes.into_iter().map(|note| study.prefix() + &note).collect::<Vec<_>>()
    };
    studies.iter().enumerate().flat_map(of_study).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::{study, timing};
    use crate::app::output::printable::tests::{HOSTILE, is_harmless};
    use crate::app::rows::csv;
    use clap::ValueEnum;

    fn written(studies: &[Study], format: Format) -> String {
        let mut out = Vec::new();
        write_in(studies, format, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_mean_of_each_study_is_below_the_table_the_best_first() {
        let times = |name: &str, seconds: &[f64]| {
            let rows = seconds.iter().zip(1..).map(|(&time, threads)| timing("a", threads, &[time])).collect();
            Study { name: name.to_owned(), rows, ..study() }
        };
        let studies = [times("first", &[8.0, 4.0, 1.0]), times("best", &[2.0, 4.0]), times("worst", &[16.0])];
        let text = written(&studies, Format::TEXT);
        let key = "\n\ngeometric mean of 1 count, x first\n   4.00  best\n   1.00  first\n   0.50  worst\n";
        assert!(text.ends_with(key), "{text}");
        assert!(written(&studies, Format::MARKDOWN).contains("best: geometric mean of 1 count: 4.00 x first"));
        let csv = written(&studies, csv::FORMAT);
        assert!(
            csv.starts_with("study,engine,kernel,board,threads,seconds,times_as_fast,mean_times_as_fast,"),
            "{csv}"
        );
        assert!(csv.contains("\nbest,a,avx2,16,1,2,4,4,") && csv.contains("\nbest,a,avx2,16,2,4,1,4,"), "{csv}");
    }

    #[test]
    fn hostile_text_is_harmless_in_every_format() {
        let plain = study();
        let mut hostile = plain.clone();
        let texts = hostile.rows.iter_mut().flat_map(|row| [&mut row.engine, &mut row.kernel]);
        let others = [&mut hostile.machine.cpu, &mut hostile.date, &mut hostile.command, &mut hostile.program.version];
        texts.chain(others).for_each(|text| text.push_str(HOSTILE));
        hostile.warnings.iter_mut().for_each(|text| text.push_str(HOSTILE));
        let named = Study { name: HOSTILE.to_owned(), ..hostile.clone() };
        for &format in Format::value_variants() {
            let text =
                written(&[named.clone(), Study { name: "two".to_owned(), ..plain.clone() }, named.clone()], format);
            assert!(is_harmless(&text), "{text:?}");
            let text = written(std::slice::from_ref(&hostile), format);
            assert!(is_harmless(&text) && text.contains("two-color"), "{text:?}");
        }
    }

    #[test]
    fn what_makes_the_numbers_doubtful_is_in_every_form_of_a_file() {
        let [json, csv, text] = [Format::JSON, csv::FORMAT, Format::MARKDOWN].map(|format| written(&[study()], format));
        assert!(json.contains("too <hot>") && csv.contains("too <hot> | too | busy"), "{csv}");
        let source = "Test &lt;CPU&gt; &amp; Co., 4 CPUs, nqueens 1.2.3, 2026-01-02T03:04:05Z";
        let notes = "- 3 timed runs: nqueens bench --output &lt;a&gt;&amp;b.md\n- warning when measured: too &lt;hot&gt;\n- warning when measured: too \\| busy\n";
        assert!(text.ends_with(&format!("\n\n- {source}\n{notes}")), "{text}");
    }
}
